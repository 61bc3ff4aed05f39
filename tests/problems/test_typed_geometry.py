"""Bennett's and Bricard's linkages with exact and with typed data: rows that fit only nearly are taken as redundant, and told."""

import warnings
from importlib import import_module

import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError, NearlyRedundant
from bricard.problems.bennett import LONG, SHORT, bennett, hinges

POINTS, AXES = (getattr(import_module("bricard.problems.bricard"), name) for name in ("POINTS", "AXES"))


def turned(seed):
    """A rotation (3, 3), arbitrary but for seed 0, where it is none."""
    if seed == 0:
        return np.eye(3)
    basis = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return basis * np.sign(np.linalg.det(basis))


def typed(digits, seed=0):
    """Bennett's linkage, turned, with points and axes rounded to some decimals."""
    points, axes = (np.round(x @ turned(seed).T, digits) for x in hinges())
    model = br.Model("typed", gravity=tuple(turned(seed) @ (0, 0, -9.81)))
    bodies = [model.ground]
    for k, length in enumerate((SHORT, LONG, SHORT)):
        bodies.append(model.body(f"bar {k + 1}", br.Rod(points[k], points[k + 1], mass=length, radius=0.02)))
    for k in range(4):
        model.revolute(f"H{k + 1}", bodies[k], bodies[(k + 1) % 4], points[k], axes[k])
    model.start(joint="H1", velocity=3.0)
    return model


def typed_bricard(digits, seed):
    """Bricard's linkage, turned, with points and axes rounded to some decimals."""
    points, axes = (np.round(np.array(x) @ turned(seed).T, digits) for x in (POINTS, AXES))
    model = br.Model("typed", gravity=tuple(turned(seed) @ (0, -9.81, 0)))
    bodies = [model.body(f"rod {k + 1}", br.Rod(*points[k : k + 2], mass=1.0, radius=0.05)) for k in range(5)]
    chain = [model.ground, *bodies, model.ground]
    for k in range(6):
        model.revolute(f"P{k}", chain[k], chain[k + 1], points[k], axes[k])
    return model


def test_exact_data_close_to_round_off():
    points, axes = hinges()
    lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    assert np.allclose(lengths, [SHORT, LONG, SHORT, LONG], rtol=0, atol=1e-15)
    twists = np.linalg.norm(np.cross(axes, np.roll(axes, -1, axis=0)), axis=1)
    assert np.allclose(twists / lengths, twists[0] / lengths[0], rtol=0, atol=1e-15)
    report = bennett().report()
    assert (report.freedom, len(report.redundant), report.notes) == (1, 3, [])


@pytest.mark.parametrize("digits", [6, 8, 10])
def test_the_report_warns(digits):
    report = typed(digits).report()
    assert (report.freedom, len(report.redundant), report.assembled) == (1, 3, True)
    assert "fit at the start only" in report.notes[0] and "They are taken as redundant" in report.notes[0]


METHODS = {
    "index1 dopri5": {"rtol": 1e-8},
    "index3 generalized-alpha": {"step": 1e-3},
    "ggl radau5": {"formulation": "ggl", "integrator": "radau5", "rtol": 1e-7},
    "svd": {"formulation": "svd", "rtol": 1e-8},
}


@pytest.fixture(scope="module")
def exact():
    """End angles of the linkages with all digits, by method."""
    return {
        (make, name): br.simulate(make(17, 1), 2.0, output=51, **options).joint(joint)[-1]
        for make, joint in ((typed, "H1"), (typed_bricard, "P0"))
        for name, options in METHODS.items()
    }


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("digits", [6, 8, 10])
def test_typed_linkages_move_as_they_are_meant_to(digits, method, exact):
    """They say what was done, the joints gape by little, and the motion is that of the exact data up to the misfit."""
    for make, joint in ((typed, "H1"), (typed_bricard, "P0")):
        model = make(digits, 1)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            solution = br.simulate(model, 2.0, output=51, **METHODS[method])
        assert [type(one.message) for one in told] == [NearlyRedundant] * len(told)
        if make is typed:
            words = str(told[0].message)
            assert 'joint "H4"' in words and " m and " in words and " rad, " in words
        assert solution.ok
        assert solution.joint(joint)[-1] == pytest.approx(exact[make, method], abs=3e3 * 10.0**-digits + 1e-5)
        assert solution.constraint_errors.position.max() <= 100 * 10.0**-digits + 1e-5
        energy = solution.energy.total
        assert np.ptp(energy) <= (1e-3 + 2e3 * 10.0**-digits) * max(abs(energy[0]), 1.0)


def test_a_wished_position_is_reached():
    """Away from where it is drawn the linkage closes only nearly: independent rows do, to round-off."""
    model = typed(6)
    model.wishes.clear()
    model.start(joint="H1", position=0.3, velocity=3.0)
    with pytest.warns(NearlyRedundant):
        solution = br.simulate(model, 1.0, output=51)
    assert solution.joint("H1")[0] == pytest.approx(0.3, abs=1e-10)
    assert solution.joint_velocity("H1")[0] == pytest.approx(3.0, abs=1e-6)


def test_data_that_are_too_rough_are_refused():
    """A misfit of a millimetre may be a mistake: the sentence says how large it is and what would be accepted."""
    model = typed(3)
    with pytest.raises(AssemblyError, match=r"No velocity meets all constraints .*H"):
        br.simulate(model, 1.0)
