"""Cut rows of which only rounding is left in relative coordinates: they hold nothing, whatever the axes and units (T3)."""

import numpy as np
import pytest

import bricard as br
from bricard.registry import FORMULATIONS

KINDS = ("coaxial hinges", "parallel slides", "hinges and sleeves", "coaxial hinges around a loop")


def mechanism(kind, seed):
    """A chain of three boxes, each joint doubled; its size and mass are random powers of ten, its axis is random."""
    rng = np.random.default_rng(seed)
    length, mass = 10.0 ** rng.uniform(-3.0, 3.0, 2)
    axis, down = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 3)))
    model = br.Model(kind, gravity=tuple(9.81 * length * down))
    origin, last = length * rng.normal(size=3), model.ground
    for i in range(3):
        sizes, place = tuple(length * rng.uniform(0.2, 1.0, 3)), origin + length * rng.normal(size=3)
        body = model.body(f"body {i}", br.Box(sizes, mass=mass * rng.uniform(0.5, 2.0), position=place))
        point = origin if kind == KINDS[3] else place + length * rng.normal(size=3)
        for k in range(2):
            on_axis = point + length * rng.uniform(-2.0, 2.0) * axis
            if kind == KINDS[1]:
                model.prismatic(f"slide {i}{k}", last, body, point=length * rng.normal(size=3), axis=axis)
            elif kind == KINDS[2] and k:
                model.cylindrical(f"sleeve {i}", last, body, point=on_axis, axis=axis)
            else:
                model.revolute(f"hinge {i}{k}", last, body, point=on_axis, axis=axis)
        last = body
    if kind == KINDS[3]:
        model.revolute("around", model.ground, last, point=origin + 3.0 * length * axis, axis=axis)
    return model, length


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_rounding_hold_nothing(kind):
    for seed in range(3):
        model, length = mechanism(kind, seed)
        assert [model.report(coordinates=c).freedom for c in ("absolute", "relative")] == [3, 3]
        runs = [br.simulate(model, 0.3, coordinates=c, output=3, rtol=1e-9) for c in ("absolute", "relative")]
        ends = [np.array([run.point(f"body {i}")[-1] for i in range(3)]) for run in runs]
        assert np.abs(ends[0] - runs[0].point("body 0")[0]).max() > 0.05 * length
        np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-7 * length)


def test_frequency_of_a_door_on_two_hinges():
    """In relative coordinates the single hinge and the doubled one are the same pendulum."""
    found = []
    for hinges in (1, 2):
        model = br.Model("door")
        axis = np.array([1.0, 2.0, 0.3]) / np.linalg.norm([1.0, 2.0, 0.3])
        door = model.body("door", br.Box((0.8, 0.04, 2.0), mass=20.0, position=(0.4, 0.0, 1.0)))
        for k in range(hinges):
            model.revolute(f"hinge {k}", model.ground, door, point=(0.3 + 1.1 * k) * axis, axis=axis)
        linear = br.linearise(model.build(coordinates="relative"), equilibrium=True)
        found.append(linear.frequencies.max())
    assert found[0] > 0.1 and found[1] == pytest.approx(found[0], rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_no_formulation_takes_rounding_for_rows(kind):
    """A pseudo-inverse once scaled the rows up by their own size, and the chain stood still."""
    model, length = mechanism(kind, 5)
    system = model.build(coordinates="relative")
    expected = br.simulate(system, 0.3, output=2, rtol=1e-9).point("body 2")[-1]
    for formulation in FORMULATIONS.values():
        if formulation.needs:
            continue
        direct = formulation.name in ("overdetermined", "index3-alf")  # their integrators have fixed steps
        control = {"step": 1e-3} if direct else {"rtol": 1e-7}
        found = br.simulate(system, 0.3, output=2, formulation=formulation.name, **control).point("body 2")[-1]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * length, err_msg=formulation.name)


@pytest.mark.parametrize("kind", KINDS)
def test_no_correction_takes_rounding_for_rows(kind):
    """Campaign 271828-2706: least squares moved the state by 1e-8 in every step, as rows left out were scaled up to be rows."""
    model, length = mechanism(kind, 3)
    system = model.build(coordinates="relative")
    ends = []
    for correction in FORMULATIONS["index1"].corrections:
        run = br.simulate(
            system, 0.3, formulation="index1", integrator="adams", rtol=1e-11, output=3, correction=correction
        )
        ends.append(np.array([run.point(f"body {i}")[-1] for i in range(3)]))
        np.testing.assert_allclose(ends[-1], ends[0], rtol=0, atol=1e-9 * length)
