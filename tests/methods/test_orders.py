"""Measured orders: slopes of errors over the step, on a pendulum and on a spatial closed loop, beside what theory says.

`bricard experiment orders` measures every pair; here is one of each family and form, by the same functions.
"""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from bricard.experiments.orders import CASES, LOOP, PENDULUM, certainty, errors, fitted, measure, pairs, verdict
from bricard.integrators.coefficients import adams_weights
from bricard.registry import FORMULATIONS, INTEGRATORS

QUICK = [
    ("rk4", 4, "index1", "Ode"),
    ("rk4", 4, "coordinate-partitioning", "Ode"),
    ("radau5", 5, "index1", "ResidualDae"),
    ("radau5", 5, "index2", "ResidualDae"),
    ("radau5", 5, "index3", "ResidualDae"),
    ("radau5", 5, "ggl", "ResidualDae"),
    ("radau5", 5, "ggl", "SemiExplicitDae"),
    ("bdf", 2, "ggl", "ResidualDae"),
    ("generalized-alpha", 2, "index3", "MechanicalDae"),
    ("null-space-newmark", 2, "overdetermined", "OverdeterminedDae"),
    ("central-difference", 2, "index1", "SecondOrderOde"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize(("integrator", "order", "formulation", "form"), QUICK)
def test_order(case, integrator, order, formulation, form):
    slopes, remark = measure(case, integrator, order, formulation, form)
    assert remark == "", slopes


@pytest.mark.parametrize(
    ("formulation", "expected"),
    [("index1", (5, 5, 5)), ("ggl", (5, 5, 3)), ("index2", (5, 5, 3)), ("index3", (5, 3, 2))],
)
def test_theory_of_radau_is_that_of_spec_003(formulation, expected):
    """Section 2.6."""
    assert INTEGRATORS["radau5"].orders_with(formulation, "ResidualDae") == expected


def test_every_integrator_states_its_orders_for_every_formulation_it_takes():
    found = list(pairs())
    for method in INTEGRATORS.values():
        assert max(method.orders) == method.order
        fitting = [f.name for f in FORMULATIONS.values() if any(form in method.accepts for form in f.forms)]
        assert {f for name, _, f, _ in found if name == method.name} == set(fitting)
    assert all(len(INTEGRATORS[i].orders_with(f, form, p)) == 3 for i, p, f, form in found)


def test_forms_in_which_nothing_meets_are_seen_by_name():
    assert {form for _, _, _, form in pairs()} == {form for method in INTEGRATORS.values() for form in method.accepts}


def test_reference_of_the_loop_is_far_more_accurate_than_what_is_judged_by_it():
    """A second reference: Radau of order 13."""
    smallest = errors(LOOP, "rk4", 4, "index1", "Ode")[1].min(axis=0)
    assert (np.array(certainty()) <= 0.05 * smallest).all()


def test_wrong_orders_are_noticed():
    """Heun's method is not of order 3, and what is not seen is not confirmed."""
    steps, found, limits = errors(PENDULUM, "heun", 2, "index1", "Ode")
    slope = fitted(steps, found[:, 0], limits[:, 0], 2)
    assert verdict(slope, 2, 2) == ""
    assert verdict(slope, 3, 3) == "lower" and verdict(slope, 1, 2) == "higher"
    assert verdict(None, 2, 2) == "not seen"
    assert verdict(7.6, 13, 13) == "" and verdict(7.4, 13, 13) == "lower"
    assert verdict(4.0, 3, 13) == "" and verdict(2.6, 3, 13) == "lower"


@pytest.mark.parametrize(("k", "ratio"), [(2, 1.1), (4, 0.9), (6, 2.2), (8, -14.9)])
def test_orders_of_generalised_adams_methods_in_fractions(k, ratio):
    """y' = lambda y in one block, in powers of z = h lambda: the error begins with z^(k + 2), as order k + 1 asks. The next
    coefficient is larger for orders 7 and 9: in double precision rounding begins before their slopes come down to the order."""
    points, powers, weights = 9, 12, adams_weights(k, 9)
    series = [[Fraction(1)] * (points + 1)]  # of y at the points
    for _ in range(powers):
        series.append([Fraction(0), *(sum(w * y for w, y in zip(row, series[-1], strict=True)) for row in weights)])
    apart = [terms[-1] / Fraction(points) ** m - Fraction(1, factorial(m)) for m, terms in enumerate(series)]
    assert not any(apart[: k + 2]) and apart[k + 2] != 0
    assert float(apart[k + 3] / apart[k + 2]) == pytest.approx(ratio, rel=0.05)
