"""Measured orders: the slope of the error over the step, on a pendulum and on a spatial closed loop."""

from functools import cache

import numpy as np
import pytest

from bricard.simulation import simulate
from mechanisms import pendulum, rssr

# T (s), and the largest of three steps, each half of the one before; small enough to be in the asymptotic range
PENDULUM = {"rk4": 0.02, "radau5": 0.05, "generalized-alpha": 0.005}
LOOP = {"rk4": 0.005, "radau5": 0.01, "generalized-alpha": 0.0025}
MECHANISMS = {"pendulum": (pendulum, 0.4, PENDULUM), "rssr": (lambda: rssr(speed=2.0), 0.16, LOOP)}
METHODS = {
    "index1 rk4": ({"formulation": "index1", "integrator": "rk4"}, {"q": 4, "v": 4, "lam": 4}),
    "index1 rk4 drifting": (
        {"formulation": "index1", "integrator": "rk4", "correction": "none"},
        {"q": 4, "v": 4, "lam": 4},
    ),
    # spec 003, section 2.6: multipliers of the stabilised index-2 form have the stage order
    "ggl radau5": (
        {"formulation": "ggl", "integrator": "radau5", "newton_tolerance": 1e-12},
        {"q": 5, "v": 5, "lam": 3},
    ),
    "index3 generalized-alpha": (
        {"formulation": "index3", "integrator": "generalized-alpha", "newton_tolerance": 1e-12},
        {"q": 2, "v": 2, "lam": 2},
    ),
}


@cache
def reference(name):
    """By another method at the tightest tolerance, checked below against a second one."""
    mechanism, duration, _ = MECHANISMS[name]
    return simulate(mechanism(), duration, formulation="index1", integrator="dopri5", rtol=1e-13, output=1)


@cache
def errors(name, method):
    """Steps and the errors at the end: {"q": (3,), "v": (3,), "lam": (3,)}."""
    mechanism, duration, steps = MECHANISMS[name]
    options, _ = METHODS[method]
    exact, sizes, found = reference(name), steps[options["integrator"]] * 0.5 ** np.arange(3), []
    for h in sizes:
        solution = simulate(mechanism(), duration, step=float(h), output=1, **options)
        assert solution.counters["rejected"] == 0, "halved steps would spoil the slope"
        found.append([np.abs(getattr(solution, key)[-1] - getattr(exact, key)[-1]).max() for key in ("q", "v", "lam")])
    return sizes, dict(zip(("q", "v", "lam"), np.array(found).T, strict=True))


@pytest.mark.parametrize("key", ["q", "v", "lam"])
@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("name", list(MECHANISMS))
def test_order(name, method, key):
    sizes, found = errors(name, method)
    slope = np.polyfit(np.log(sizes), np.log(found[key]), 1)[0]
    assert slope == pytest.approx(METHODS[method][1][key], abs=0.3)


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_reference_is_far_more_accurate_than_what_is_judged_by_it(name):
    """A second reference: Radau with a small step."""
    mechanism, duration, steps = MECHANISMS[name]
    other = simulate(mechanism(), duration, step=steps["radau5"] / 16, output=1, **METHODS["ggl radau5"][0])
    distance = np.abs(other.q[-1] - reference(name).q[-1]).max()
    smallest = min(errors(name, method)[1]["q"].min() for method in METHODS)
    assert distance <= 0.05 * smallest
