"""A rigid motion of the whole world and a change of units change nothing but the description."""

from functools import cache

import numpy as np
import pytest

from bricard.simulation import simulate
from bricard.system.report import report
from mechanisms import HERE, MILLIMETRES, TURNED, four_bar, rssr

WORLDS = {"turned": TURNED, "millimetres": MILLIMETRES}
METHODS = {
    "index1": {"formulation": "index1", "integrator": "rk4"},
    "index3": {"formulation": "index3", "integrator": "generalized-alpha", "newton_tolerance": 1e-12},
    "ggl": {"formulation": "ggl", "integrator": "radau5", "newton_tolerance": 1e-12},
}
worlds = pytest.mark.parametrize("world", list(WORLDS))
mechanisms = pytest.mark.parametrize("mechanism", [four_bar, rssr])


@cache
def solved(mechanism, world, method):
    """0.1 s: long enough to move by a third of a turn, short enough for rounding errors not to grow."""
    model = mechanism(WORLDS.get(world, HERE))
    return simulate(model, 0.1, step=0.005, **METHODS[method])


@pytest.mark.parametrize(
    ("world", "method"),
    [
        ("turned", "index1"),
        ("turned", "index3"),
        ("turned", "ggl"),
        ("millimetres", "index1"),
        ("millimetres", "index3"),
    ],
)
@mechanisms
def test_motion(mechanism, world, method):
    """Newton's method and projections stop at 1e-12 in scaled components; twenty steps."""
    here, there = solved(mechanism, "here", method), solved(mechanism, world, method)
    for name in "AD":
        np.testing.assert_allclose(there.joint(name), here.joint(name), rtol=0, atol=1e-9)


@worlds
@mechanisms
def test_paths(mechanism, world):
    here, there = solved(mechanism, "here", "index1"), solved(mechanism, world, "index1")
    there_expected = np.array([WORLDS[world].point(x) for x in here.point("rocker")])
    np.testing.assert_allclose(there.point("rocker"), there_expected, rtol=0, atol=1e-10 * WORLDS[world].unit)


@worlds
@pytest.mark.parametrize(
    ("mechanism", "method"), [(four_bar, "index1"), (rssr, "index1"), (rssr, "index3"), (rssr, "ggl")]
)
def test_reactions(mechanism, world, method):
    here, there = (solved(mechanism, w, method) for w in ("here", world))
    unit, R = WORLDS[world].unit, WORLDS[world].R
    for name in "ABCD":
        expected, found = here.reaction(name), there.reaction(name)
        size = np.abs(expected.force).max()
        np.testing.assert_allclose(found.force / unit, expected.force @ R.T, rtol=0, atol=1e-6 * size)
        np.testing.assert_allclose(found.moment / unit**2, expected.moment @ R.T, rtol=0, atol=1e-6 * size)
        assert found.unique == expected.unique


@worlds
@mechanisms
def test_energy(mechanism, world):
    here, there = (solved(mechanism, w, "index1").energy for w in ("here", world))
    kinetic, work = there.kinetic / WORLDS[world].unit ** 2, there.work / WORLDS[world].unit ** 2
    np.testing.assert_allclose(kinetic, here.kinetic, rtol=1e-9)
    np.testing.assert_allclose(work, here.work, rtol=0, atol=1e-9 * np.abs(here.kinetic).max())


@worlds
@mechanisms
def test_rank_decisions(mechanism, world):
    here, there = (solved(mechanism, w, "index1").system for w in ("here", world))
    assert there.record.redundant == here.record.redundant == (3 if mechanism is four_bar else 0)


@cache
def reported(mechanism, world):
    return report(mechanism(WORLDS.get(world, HERE)))


@worlds
@mechanisms
def test_degrees_of_freedom(mechanism, world):
    here, there = (reported(mechanism, w) for w in ("here", world))
    assert (there.freedom, there.rank, there.gruebler) == (here.freedom, here.rank, here.gruebler)
    assert (here.freedom, here.gruebler) == ((1, -2) if mechanism is four_bar else (2, 2))


@worlds
@mechanisms
def test_redundant_rows(mechanism, world):
    here, there = (reported(mechanism, w) for w in ("here", world))
    assert len(there.redundant) == len(here.redundant) == (3 if mechanism is four_bar else 0)


@worlds
@mechanisms
def test_distance_to_singularity(mechanism, world):
    here, there = (reported(mechanism, w) for w in ("here", world))
    assert there.smallest == pytest.approx(here.smallest, rel=1e-9)
    assert there.singular == here.singular


@mechanisms
def test_regularisation_has_the_units_of_its_rows(mechanism):
    here, there = (solved(mechanism, w, "index1").system.record for w in ("here", "millimetres"))
    dimensionless = [r.regularisation * r.row_scale**2 * r.length**2 for r in (here, there)]
    np.testing.assert_allclose(dimensionless[1], dimensionless[0], rtol=1e-10)


@worlds
@mechanisms
def test_characteristic_length(mechanism, world):
    here, there = (solved(mechanism, w, "index1").system for w in ("here", world))
    assert there.length == pytest.approx(WORLDS[world].unit * here.length, rel=1e-12)


@worlds
@mechanisms
def test_constraint_errors(mechanism, world):
    """They are dimensionless."""
    here, there = (solved(mechanism, w, "index3").constraint_errors for w in ("here", world))
    np.testing.assert_allclose(there.velocity, here.velocity, rtol=0.5, atol=1e-8)


@pytest.mark.parametrize("mechanism", [four_bar])
def test_adaptive_steps_are_the_same_in_millimetres(mechanism):
    here, there = (simulate(mechanism(w), 0.2, rtol=1e-6) for w in (HERE, MILLIMETRES))
    assert (there.counters["steps"], there.counters["rejected"]) == (here.counters["steps"], here.counters["rejected"])
