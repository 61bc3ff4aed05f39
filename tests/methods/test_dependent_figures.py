"""Drift of index 1, Baumgarte's gains: the tables of spec 003, section 6.4, and of spec 000, section 9.3."""

from functools import cache

import numpy as np
import pytest
from spec_systems import double_pendulum, rod

from bricard.simulation import simulate


@cache
def drifting(**options):
    """Spec 003, section 6.4: RK4, h = 0.01, 40 s. |Phi| and |G v| (2-norms), energies, angle at 5, 10, 20, 40 s."""
    system, times = rod(), np.array([5.0, 10.0, 20.0, 40.0])
    solution = simulate(system, 40.0, integrator="rk4", step=0.01, output=times, correction="none", **dict(options))
    phi = [np.linalg.norm(system.constraint(t, q)) for t, q in zip(solution.t, solution.q, strict=True)]
    states = zip(solution.t, solution.q, solution.v, strict=True)
    return (
        phi,
        [np.linalg.norm(system.constraint_velocity(*s)) for s in states],
        solution.energy.total,
        solution.q[1, 2],
    )


@pytest.mark.parametrize("formulation", ["index1", "multiplier-elimination", "projection"])
def test_drift_of_spec_003(formulation):
    phi, phi_dot, energy, angle = drifting(formulation=formulation)
    np.testing.assert_allclose(phi, [1.575529e-6, 6.313464e-6, 2.525577e-5, 1.010383e-4], rtol=1e-6)
    np.testing.assert_allclose(phi_dot, [6.329e-7, 1.186e-6, 2.583e-6, 4.961e-6], rtol=2e-4)
    assert energy[-1] == pytest.approx(9.84e-4, abs=0.005e-4)
    assert angle - 0.77095762257 == pytest.approx(2.39e-7, abs=0.01e-7)


def test_baumgarte_of_spec_003():
    phi = drifting(formulation="baumgarte", alpha=10.0, beta=10.0)[0]
    np.testing.assert_allclose(phi, [5.600e-8, 1.901e-7, 1.321e-7, 2.111e-7], rtol=5e-4)


@pytest.mark.parametrize(("gain", "error"), [(5.0, -1.80e-6), (10.0, 1.80e-5), (20.0, 1.02e-4)])
def test_baumgarte_costs_accuracy(gain, error):
    angle = drifting(formulation="baumgarte", alpha=gain, beta=gain)[3]
    assert angle - 0.77095762257 == pytest.approx(error, rel=0.005)


@cache
def compared(**options):
    """Spec 000, section 9.3: case A, 10 s, RK4. Largest |Phi|, |Phi'|, energy error, and error of the angles at 10 s."""
    system = double_pendulum()
    solution = simulate(system, 10.0, integrator="rk4", correction="none", **dict(options))
    states = list(zip(solution.t, solution.q, solution.v, strict=True))
    phi = max(np.linalg.norm(system.constraint(t, q)) for t, q, _ in states)
    phi_dot = max(np.linalg.norm(system.constraint_velocity(*state)) for state in states)
    angle = np.abs(solution.q[-1, [0, 3]] - [0.035277365, 0.154131010]).max()
    return phi, phi_dot, np.abs(solution.energy.error).max(), angle


ROWS = {
    "direct": ({"formulation": "index1", "step": 0.005}, (2.0e-5, 3.9e-6, 2.3e-4, 2.9e-7)),
    "CVS 1": ({"formulation": "baumgarte", "alpha": 1.0, "beta": 1.0, "step": 0.005}, (5.5e-7, 7.4e-7, 6.7e-6, 7.4e-7)),
    "CVS 5": ({"formulation": "baumgarte", "alpha": 5.0, "beta": 5.0, "step": 0.005}, (5.6e-8, 5.1e-7, 1.8e-6, 8.7e-7)),
    "CVS 10": (
        {"formulation": "baumgarte", "alpha": 10.0, "beta": 10.0, "step": 0.005},
        (2.4e-8, 4.1e-7, 6.4e-7, 6.9e-7),
    ),
    "CVS 50": (
        {"formulation": "baumgarte", "alpha": 50.0, "beta": 50.0, "step": 0.005},
        (6.9e-7, 5.2e-5, 2.3e-5, 3.2e-5),
    ),
    "CVS 5, 50": (
        {"formulation": "baumgarte", "alpha": 5.0, "beta": 50.0, "step": 0.005},
        (8.4e-7, 3.1e-5, 4.7e-5, 1.8e-5),
    ),
    "direct, 0.01": ({"formulation": "index1", "step": 0.01}, (3.2e-4, 6.1e-5, 3.6e-3, 8.1e-6)),
    "CVS 10, 0.01": (
        {"formulation": "baumgarte", "alpha": 10.0, "beta": 10.0, "step": 0.01},
        (3.9e-7, 6.9e-6, 2.2e-5, 7.2e-6),
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_comparison_of_spec_000(row):
    options, expected = ROWS[row]
    np.testing.assert_allclose(compared(**options), expected, rtol=0.06)


def test_ordering_of_spec_000():
    """T4: direct >> CVS 1 > CVS 5 > CVS 10 in the drift of positions, too large gains are worse again."""
    drift = {row: compared(**ROWS[row][0])[0] for row in ("direct", "CVS 1", "CVS 5", "CVS 10", "CVS 50")}
    assert drift["direct"] > 10 * drift["CVS 1"] > drift["CVS 5"] > drift["CVS 10"] < drift["CVS 50"]
