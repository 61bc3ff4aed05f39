"""What a second review, by a user's eyes, found: each of these once gave a wrong result that looked fine, or a wrong refusal."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bricard as br

METHODS = {
    "rk4": {"integrator": "rk4", "step": 1e-2},
    "generalized-alpha": {"step": 1e-2},
    "radau5": {"formulation": "ggl", "integrator": "radau5", "step": 1e-2},
}
methods = pytest.mark.parametrize("method", METHODS)

TWO_FORCES = """
import sys
import bricard as br

def along_x(t, a, b, p):
    return p[0] + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t

def along_y(t, a, b, p):
    return 0.0 * t, p[0] + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t

model = br.Model("two forces", gravity=(0, 0, 0))
ball = model.body("ball", br.Sphere((0, 0, 0), 0.1, mass=1.0))
for name in sys.argv[1]:
    model.user_force(name, model.ground, ball, {"x": along_x, "y": along_y}[name], parameters=(1.0,))
print(*br.simulate(model, 1.0, integrator="rk4", step=0.1).velocity("ball")[-1].round(6).tolist())
"""


def test_functions_compiled_in_different_processes_do_not_run_each_others_code(tmp_path):
    script = tmp_path / "forces.py"
    script.write_text(TWO_FORCES)
    found = [
        subprocess.run(
            [sys.executable, str(script), names],
            env={**os.environ, "BRICARD_CACHE_DIR": os.environ.get("BRICARD_CACHE_DIR", str(tmp_path / "cache"))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for names in ("x", "y", "xy")
    ]
    assert [[float(x) for x in line] for line in found] == [[1, 0, 0], [0, 1, 0], [1, 1, 0]]


def slider_crank(reach):
    model = br.Model("driven slider", planar=True)
    pin = (0.3 * np.cos(0.5), 0.3 * np.sin(0.5), 0)
    end = (pin[0] + np.sqrt(1 - pin[1] ** 2), 0, 0)
    model.body("crank", br.Rod((0, 0, 0), pin, mass=1.0))
    model.body("rod", br.Rod(pin, end, mass=1.0))
    model.body("slider", br.Box((0.1, 0.1, 0.1), mass=1.0, position=end))
    model.pin("A", model.ground, "crank", point=(0, 0, 0))
    model.pin("B", "crank", "rod", point=pin)
    model.pin("C", "rod", "slider", point=end)
    model.slider("S", model.ground, "slider", point=end, axis=(1, 0, 0))
    model.drive("D", "S", br.Polynomial((0.0, reach)))
    return model


@methods
def test_a_driver_beyond_the_reach_ends_the_run(method):
    with pytest.raises(br.SimulationError, match=r"t = 0\.2"):
        br.simulate(slider_crank(0.2), 3.0, **{**METHODS[method], "step": 2e-3})


def fading(t, a, b, p):
    return np.sqrt(0.5 - t), 0.0, 0.0, 0.0, 0.0, 0.0


def pendulum():
    model = br.Model("pendulum")
    model.body("bob", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, "bob", point=(0, 0, 0), axis=(0, 1, 0))
    return model


@methods
def test_a_users_function_that_is_no_number_ends_the_run(method):
    model = pendulum()
    model.user_force("fading", model.ground, "bob", fading)
    with pytest.raises(br.SimulationError, match=r"t = 0\.[45]"):
        br.simulate(model, 1.0, **METHODS[method])


def test_turns_between_samples_are_counted():
    model = br.Model("disc", gravity=(0, 0, 0))
    model.body("disc", br.Cylinder((0, 0, 0), (0, 0, 0.1), 0.1, mass=1.0))
    model.revolute("A", model.ground, "disc", point=(0, 0, 0), axis=(0, 0, 1))
    model.drive("D", "A", br.Polynomial((0.0, 20.0)))
    model.torsion("T", "A", stiffness=1e-3)
    solution = br.simulate(model, 1.0, output=6)
    assert solution.energy.potential[-1] == pytest.approx(0.5 * 1e-3 * 20**2)
    assert solution.constraint_errors.position[-1] < 1e-9
    assert solution.reaction("D").moment[-1, 2] == pytest.approx(0.02)


def test_velocity_that_no_motion_continues_is_refused():
    model = br.Model("flat parallelogram", planar=True, gravity=(0, 0, 0))
    for name, (start, end) in {
        "a": ((0, 0, 0), (1, 0, 0)),
        "top": ((1, 0, 0), (3, 0, 0)),
        "b": ((2, 0, 0), (3, 0, 0)),
    }.items():
        model.body(name, br.Rod(start, end, mass=1.0))
    model.pin("A", model.ground, "a", point=(0, 0, 0))
    model.pin("B", "a", "top", point=(1, 0, 0))
    model.pin("C", "top", "b", point=(3, 0, 0))
    model.pin("D", "b", model.ground, point=(2, 0, 0))
    model.start(joint="A", velocity=3.0)
    with pytest.raises(br.AssemblyError, match="singular position"):
        br.simulate(model, 1.0)


def test_a_light_body_on_a_heavy_one():
    model = br.Model("crane")
    model.body("beam", br.Box((20, 3, 3), mass=100.0))
    model.body("load", br.Box((1, 1, 1), mass=1.0, position=(12, 0, 0)))
    model.prismatic("A", model.ground, "beam", point=(0, 0, 0), axis=(1, 0, 0))
    model.revolute("B", "beam", "load", point=(11, 0, 0), axis=(0, 1, 0))
    solution = br.simulate(model, 2.0, rtol=1e-9)
    assert np.abs(solution.energy.error).max() < 1e-5


@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_the_unit_of_mass_does_not_matter(mass):
    model = br.Model("pendulum")
    model.body("bob", br.Rod((0, 0, 0), (1, 0, 0), mass=mass))
    model.revolute("A", model.ground, "bob", point=(0, 0, 0), axis=(0, 1, 0))
    assert br.simulate(model, 1.0).joint("A")[-1] == pytest.approx(
        br.simulate(pendulum(), 1.0).joint("A")[-1], abs=1e-7
    )


@pytest.mark.parametrize(
    "options",
    [
        {"step": 1e-2, "rho": 3.0},
        {"step": 1e-2, "rho": "a"},
        {"step": 1e-2, "newton_tolerance": -1.0},
        {"step": 1e-2, "rtol": 1e-6},
        {"step": 1e-300},
        {"output": "a"},
        {"output": [0.0, "b"]},
    ],
)
def test_bad_options_are_named(options):
    with pytest.raises(br.BricardError, match=r"rho|newton_tolerance|rtol|step|output"):
        br.simulate(pendulum(), 1.0, **options)


@pytest.mark.parametrize("what", [None, "pendulum"])
def test_what_cannot_be_simulated(what):
    with pytest.raises(br.ModelError, match="takes a Model"):
        br.simulate(what, 1.0)


def test_output_times_that_end_early_do_not_end_the_run():
    solution = br.simulate(pendulum(), 2.0, output=[0.0, 0.5, 1.0])
    np.testing.assert_allclose(solution.t, [0.0, 0.5, 1.0, 2.0])
