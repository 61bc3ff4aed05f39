"""Where rotation parameters fail: refused at the start, ended with a sentence on the way, never beyond."""

import numpy as np
import pytest

import bricard.model as br
from bricard.errors import ModelError, SimulationError
from bricard.kernels.rotation_sets import NAMES
from bricard.model.frames import rotation_matrix
from bricard.simulation import simulate
from bricard.system.build import build
from mechanisms import four_bar, pendulum

three_numbers = [name for name in NAMES if name != "quaternion"]


def spinner(angle, axis=1, speed=4.0):
    """A falling body that turns at a constant rate about one of its axes, from an angle (rad)."""
    turn = np.zeros(4)
    turn[0], turn[1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    model = br.Model("spinner")
    model.body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.3), rotation=rotation_matrix(turn))
    model.start(body="wheel", angular_velocity=speed * np.eye(3)[axis])
    return model


def test_unknown_name_is_refused():
    with pytest.raises(ModelError, match=r'Unknown rotation "kardan"\. Did you mean "cardan"'):
        build(pendulum(), rotation="kardan")


def test_singular_start_is_refused_with_the_name_of_the_body():
    with pytest.raises(ModelError, match='Euler angles zxz of body "crank" are singular where it starts'):
        build(four_bar(), rotation="euler-zxz")
    with pytest.raises(ModelError, match='Cardan angles of body "wheel" are singular'):
        build(spinner(0.5 * np.pi), rotation="cardan")


# from which angle (degrees) about which axis, and after how much further turning the set fails
SINGULAR = {
    "euler-zxz": (60.0, 0, 120.0, "Euler angles zxz"),
    "cardan": (-20.0, 1, 110.0, "Cardan angles"),
    "gibbs": (100.0, 1, 80.0, "Gibbs parameters"),
    "euler-rodrigues": (100.0, 1, 80.0, "reduced Euler-Rodrigues parameters"),
    "rotation-vector": (150.0, 2, 210.0, "rotation vector"),
    "wiener-milenkovic": (150.0, 2, 210.0, "Wiener-Milenkovic parameters"),
}
STEPPING = {
    "rk4": {"formulation": "index1", "integrator": "rk4", "step": 5e-3},
    "dopri5": {"formulation": "index1", "integrator": "dopri5", "rtol": 1e-8},
    "generalized-alpha": {"formulation": "index3", "integrator": "generalized-alpha", "step": 5e-3},
    "radau5": {"formulation": "ggl", "integrator": "radau5", "step": 5e-3},
}


@pytest.mark.parametrize("method", STEPPING)
@pytest.mark.parametrize("rotation", three_numbers)
def test_run_ends_at_the_singular_position_and_says_so(rotation, method):
    """No step goes beyond it, though angles about one axis would pass it as if nothing were there."""
    start, axis, way, words = SINGULAR[rotation]
    system = build(spinner(np.radians(start), axis=axis), rotation=rotation)
    expected = np.radians(way) / 4.0
    with pytest.raises(SimulationError, match=rf'{words} of body "wheel" reached their singular position') as caught:
        simulate(system, 1.5 * expected, **STEPPING[method])
    solution = caught.value.solution
    assert not solution.ok and 'rotation="quaternion"' in solution.status
    assert np.isfinite(solution.q).all() and np.isfinite(solution.v).all()
    assert solution.end.t == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("formulation", ["svd", "coordinate-partitioning", "augmented-lagrangian", "gram-schmidt"])
@pytest.mark.parametrize("rotation", ["cardan", "euler-rodrigues"])
def test_other_formulations_end_there_too(rotation, formulation):
    model = br.Model("swing", gravity=(0, 0, -9.81))
    model.body("bob", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0, radius=0.05))
    model.revolute("A", model.ground, "bob", (0, 0, 0), (0, 1, 0))
    model.start(joint="A", velocity=6.0)
    with pytest.raises(SimulationError, match='of body "bob" reached their singular position'):
        simulate(model.build(rotation=rotation), 1.0, formulation=formulation, step=2e-3)


@pytest.mark.parametrize("rotation", ["group", "quaternion"])
@pytest.mark.parametrize("method", STEPPING)
def test_quaternions_turn_on_and_on(rotation, method):
    system = build(spinner(0.3, axis=1, speed=20.0), rotation=rotation)
    options = STEPPING[method] | ({"step": 1e-3} if "step" in STEPPING[method] else {})
    solution = simulate(system, 1.0, **options)  # more than three turns
    assert solution.ok
    # generalized-alpha in coordinates that are not straight: (h w)^2 w / 12
    limit = 0.02**2 * 20.0 / 12 if method == "generalized-alpha" else 1e-6
    np.testing.assert_allclose(solution.angular_velocity("wheel")[-1], (0, 20.0, 0), rtol=0, atol=limit)


def test_run_that_ends_on_the_singular_position_has_failed_too():
    """The last step may land on it: then no further evaluation would notice."""
    system = build(spinner(np.radians(60.0), axis=0, speed=4.0), rotation="euler-zxz")
    duration = np.radians(120.0) / 4.0
    solution = simulate(system, duration, step=duration / 3, formulation="index1", integrator="rk4", check=False)
    assert not solution.ok and "Euler angles zxz" in solution.status


def test_names_of_rotation_parameters():
    system = build(pendulum(), rotation="cardan")
    assert system.unknown_name(0) == 'body "bob" moving along x'
    assert system.unknown_name(4) == 'body "bob" in number 2 of its rotation (cardan)'
