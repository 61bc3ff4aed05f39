"""What Newton's method must not take for an end: numbers that are none. And what is no singular position: stiffness."""

import math
from typing import Any

import numpy as np
import pytest

import bricard as br
from bricard.integrators.newton import CONVERGED, judge, larger
from bricard.problems import shock_wave_chain


def test_the_largest_change_remembers_a_nan():
    for changes in ([math.nan, 1.0, 2.0], [1.0, math.nan, 0.5], [3.0, 1.0, math.nan]):
        size = 0.0
        for change in changes:
            if larger(change, size):
                size = change
        assert math.isnan(size)
        assert judge(0, size, 0.0, 1e-3, 1e-6)[0] != CONVERGED
        assert judge(2, size, 1e-9, 1e-3, 1e-6)[0] != CONVERGED


def breaking(t, q, v):
    """Two oscillators that know nothing of each other; the force on the first ends in a NaN after 1 s."""
    return np.array([np.sqrt(1.0 - t) - q[0] - 0.1 * v[0], -4.0 * q[1] - 0.1 * v[1]])


METHODS = [
    ("newmark", "index3"),
    ("generalized-alpha", "index3"),
    ("null-space-newmark", "overdetermined"),
    ("energy-momentum", "index3"),
    ("rattle", "overdetermined"),
    ("central-difference", "index1"),
    ("ce4", "index1"),
    ("bdf", "index1"),
    ("radau5", "index1"),
    ("trapezoidal", "index1"),
    ("sdirk", "index1"),
]


@pytest.mark.parametrize(("integrator", "formulation"), METHODS)
def test_a_nan_in_one_part_is_never_called_converged(integrator, formulation):
    """The other part converges, before and behind it in the vectors of unknowns."""
    system = br.System.from_functions(np.eye(2), breaking, q0=[0.0, 1.0], v0=[0.0, 0.0])
    solution = br.simulate(system, 1.5, step=0.1, integrator=integrator, formulation=formulation, check=False)
    assert not solution.ok and solution.t[-1] <= 1.0 + 1e-9
    assert all(np.isfinite(values).all() for values in (solution.q, solution.v))


@pytest.mark.parametrize("integrator", ["newmark", "generalized-alpha", "null-space-newmark"])
def test_stiff_springs_are_no_singular_position(integrator):
    """Springs 1e4 times as stiff as masses over h^2: pivots of the rows are small, the rows are as independent as ever."""
    options: dict[str, Any] = {"set": "trapezoidal"} if "newmark" in integrator else {}
    solution = br.simulate(shock_wave_chain(30), 6.0, step=0.3, integrator=integrator, check=False, **options)
    assert solution.t[-1] == 6.0 and solution.counters["rebasings"] == 0


def test_stiff_springs_leave_redundant_rows_out():
    """A doubled joint in a stiff chain: one of the two is left out, as without springs."""
    model = br.Model("doubled", gravity=(0, -9.81, 0), planar=True)
    model.body("bar", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    for name in ("A", "B"):
        model.pin(name, model.ground, "bar", (0, 0, 0))
    model.spring("S", model.ground, "bar", (1, 1, 0), (1, 0, 0), stiffness=1e8)
    solution = br.simulate(model, 0.2, step=0.01, integrator="newmark", gamma=0.6, beta=0.35)
    assert solution.ok and solution.counters["rebasings"] == 0
