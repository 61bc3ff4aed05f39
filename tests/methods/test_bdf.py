"""BDF with fixed steps on the physical pendulum of spec 003: its tables, orders, start, continuation."""

from dataclasses import replace

import numpy as np
import pytest

import bricard as br
from bricard.integrators.bdf import PAST, POINTS
from bricard.registry import INTEGRATORS
from bricard.simulation import simulate
from physical_pendulum import angle, errors, exact, system

FORMS = {"index3": {}, "index2": {"correction": "none"}, "index1": {"correction": "none"}, "ggl": {}, "si1": {}}


def test_the_exact_motion_is_that_of_the_spec():
    """Spec 003, section 6."""
    phi, w = angle([0.25, 1.0, 2.0])
    np.testing.assert_allclose(phi, [1.114159968059, -1.5626217180345, 1.5380989842223], rtol=1e-12)
    np.testing.assert_allclose(w, [-3.6023071841134, 0.49048553129888, -0.980872741859], rtol=1e-12)
    np.testing.assert_allclose(exact(0.5)[2], [-1.983460585938, -24.34530093326], rtol=1e-12)


def run(formulation, duration, h, order, what=None, **options):
    options = {"newton_tolerance": 1e-13, "check": False} | FORMS[formulation] | options
    return simulate(
        system() if what is None else what,
        duration,
        step=h,
        formulation=formulation,
        integrator="bdf",
        order=order,
        **options,
    )


def begun(formulation, t, h, order):
    """A Solution that ends at the exact state of time t, with exact points behind it at the distance h."""
    states = [np.concatenate([*exact(t - j * h), np.zeros(2 if formulation == "ggl" else 0)]) for j in range(order)]
    extra = np.zeros(POINTS + PAST * states[0].size)
    extra[0] = order - 1
    for j in range(1, order):
        extra[j] = j * h
        extra[POINTS + (j - 1) * states[0].size :][: states[0].size] = states[j] - states[0]
    start = run(formulation, h, h, 1)
    q, v, lam = exact(t)
    return replace(start, end=replace(start.end, t=t, q=q, v=v, lam=lam, extra=extra))


def agree(value, text):
    """Whether a number agrees with the printed digits, to one unit of the last (the multipliers carry round-off / h^2)."""
    digits = text.lstrip("-").split("e")[0].replace(".", "").lstrip("0")
    unit = 10.0 ** (np.floor(np.log10(abs(float(text)))) - len(digits) + 1)
    return abs(value - float(text)) <= unit


# ---- the tables of spec 003, section 6 ----

TABLE = {
    ("index3", 2, 0.01): ("6.41e-5", "1.796e-2", "2.982e-2"),
    ("index3", 3, 0.01): ("6.945e-4", "1.186e-3", "5.687e-3"),
    ("index2", 3, 0.01): ("3.774e-4", "6.407e-4", "3.089e-3"),
    ("ggl", 2, 0.01): ("2.51e-5", "1.224e-2", "1.694e-2"),
    ("ggl", 3, 0.01): ("4.016e-4", "6.838e-4", "3.288e-3"),
    ("ggl", 3, 0.005): ("5.034e-5", "8.200e-5", "4.102e-4"),
}


def to_one_second(formulation, h, order):
    """The first k points, from t = 0 on, are exact."""
    start = (order - 1) * h
    return run(formulation, 1.0 - start, h, order, begun(formulation, start, h, order))


@pytest.mark.parametrize("case", list(TABLE))
def test_errors_at_one_second(case):
    """Table 6.1."""
    formulation, order, h = case
    solution = to_one_second(formulation, h, order)
    for value, text in zip(errors(solution, 1.0), TABLE[case], strict=True):
        assert agree(value, text), (value, text)


def test_constraints_at_one_second():
    """Table 6.1: what each form keeps, and how far the others are off."""
    two, three = (to_one_second("index3", 0.01, k).constraint_errors for k in (2, 3))
    assert agree(two.velocity[-1], "2.66e-4") and agree(three.velocity[-1], "8.12e-5")
    assert max(two.position[-1], three.position[-1]) <= 1e-12
    drifting = to_one_second("index2", 0.005, 3).constraint_errors
    assert agree(drifting.position[-1], "1.8e-6") and drifting.velocity[-1] <= 1e-11
    both = to_one_second("ggl", 0.01, 3).constraint_errors
    assert both.position[-1] <= 1e-12 and both.velocity[-1] <= 1e-11


SPIKES = {
    ("index3", 1, 0.01): ("1.550", "1.526", "-56.65", "1.616", "1.610"),
    ("index3", 1, 0.001): ("0.1702", "0.1699", "-64.68", "0.1781", "0.1781"),
    ("ggl", 1, 0.01): ("1.158", "1.161", "1.203", "1.201", "1.198"),
    ("ggl", 1, 0.001): ("0.12351", "0.12352", "0.12758", "0.12756", "0.12753"),
    ("index3", 2, 0.001): ("-1.33e-4", "-1.42e-4", "4.01e-2", "-1.54e-2", "-5.1e-4"),
    ("ggl", 2, 0.001): ("-4.0e-5", "-4.7e-5", "2.62e-4", "2.76e-4", "2.75e-4"),
}


def change_of_step(formulation, order, h, start):
    """Errors of lam at the last two points with the step h before t = 0.5 and the first three with h/10 after it."""
    start += (order - 1) * h  # the first k points are exact
    solution = run(formulation, 0.5 - start, h, order, begun(formulation, start, h, order))
    solution = run(formulation, 0.3 * h, 0.1 * h, order, solution)
    return np.array([solution.lam[i] - exact(solution.t[i])[2] for i in range(-5, 0)])


@pytest.mark.parametrize("case", list(SPIKES))
def test_spike_at_a_change_of_step(case):
    """Table 6.2: the multipliers of index 3 jump for one step, those of the stabilised form do not."""
    formulation, order, h = case
    found = change_of_step(formulation, order, h, 0.0)[:, 1]
    for value, text in zip(found, SPIKES[case], strict=True):
        assert agree(value, text), (found, SPIKES[case])


def test_spike_does_not_shrink_with_the_step():
    """Section 6.2: the jump tends to -4.5 (G M^-1 G^T)^-1 Gamma = (-5.950382, -65.678403)."""
    spike = change_of_step("index3", 1, 2e-4, 0.4)[2]
    assert agree(spike[0], "-5.930") and agree(spike[1], "-65.590")
    closer = change_of_step("index3", 1, 5e-5, 0.4)[2]
    np.testing.assert_allclose(closer, [-5.950382, -65.678403], rtol=1e-3)


def test_spike_of_order_two_is_one_order_lower():
    """Section 6.2."""
    steps = (2e-3, 1e-3, 5e-4, 2.5e-4)
    direct = [change_of_step("index3", 2, h, 0.4)[2, 1] for h in steps]
    stabilised = [change_of_step("ggl", 2, h, 0.4)[2, 1] for h in steps]
    assert all(agree(*pair) for pair in zip(direct, ("7.327e-2", "3.985e-2", "2.073e-2", "1.056e-2"), strict=True))
    assert all(agree(*pair) for pair in zip(stabilised, ("1.314e-4", "3.213e-5", "7.938e-6", "1.972e-6"), strict=True))


def test_start_of_order_one():
    """Section 6.3: lam_2 in the first three steps, and the jump of index 3 in the first."""
    expected = {"index3": ("-7.92286", "-10.73723", "-10.82810"), "ggl": ("-10.66552", "-10.75611", "-10.84715")}
    reference = [exact(0.3 + 0.001 * j)[2][1] for j in (1, 2, 3)]
    assert all(agree(*pair) for pair in zip(reference, ("-10.68438", "-10.77511", "-10.86628"), strict=True))
    for formulation, texts in expected.items():
        found = run(formulation, 0.003, 0.001, 1, begun(formulation, 0.3, 0.001, 1)).lam[-3:, 1]
        assert all(agree(*pair) for pair in zip(found, texts, strict=True)), found
        if formulation == "index3":
            assert found[0] - reference[0] == pytest.approx(2.713869, rel=0.02)  # the rest is of order h


# ---- orders, starts, continuation ----


@pytest.mark.parametrize("formulation", list(FORMS))
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_order_with_the_method_s_own_start(formulation, order):
    """Spec 003, section 2.6: order k in q, v and lam. The error of q in BDF2 changes its sign on the way: v and lam judge."""
    end, steps = 0.8, np.array([0.01, 0.005, 0.0025]) * (0.1 if order == 1 else 1.0)
    found = np.array([errors(run(formulation, end, h, order), end) for h in steps])
    slopes = np.log2(found[1] / found[2])
    judged = slopes[1:] if order == 2 else slopes
    assert judged == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("formulation", ["index3", "ggl", "si1"])
@pytest.mark.parametrize("order", [1, 2, 5])
def test_a_run_goes_on_where_it_stopped(formulation, order):
    whole = run(formulation, 0.4, 0.01, order)
    halves = run(formulation, 0.2, 0.01, order, run(formulation, 0.2, 0.01, order))
    np.testing.assert_allclose(halves.q[-1], whole.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(halves.v[-1], whole.v[-1], rtol=0, atol=1e-10)


def test_another_formulation_or_integrator_starts_anew():
    first = run("ggl", 0.1, 0.01, 4)
    for other in ("index3", "index2"):
        on, whole = run(other, 0.1, 0.01, 4, first), run(other, 0.2, 0.01, 4)
        assert errors(on, 0.2)[0] <= 3 * errors(whole, 0.2)[0]
    on = simulate(first, 0.1, step=0.01, formulation="ggl", integrator="radau5")
    assert errors(on, 0.2)[0] <= 4 * errors(first, 0.1)[0]  # what there was at 0.1 s has doubled twice by then


def last_slope(solution, n):
    """p' at the end of a run, of the polynomial through its last points, with all of the past that is there."""
    extra = solution.end.extra
    count = int(extra[0])
    d, points = extra[1 : count + 1], extra[POINTS:].reshape(PAST, n)[:count]
    weights = [-1 / d[j] * np.prod([d[i] / (d[i] - d[j]) for i in range(count) if i != j]) for j in range(count)]
    return np.array(weights) @ points


def test_si1_and_ggl_are_the_same_method():
    """Spec 003, section 2.3: the same q, v and lam (the slope of sigma) on the same grid."""
    n = 3 + 3 + 2 + 2
    for order in (1, 2, 5):
        one, two = (run(formulation, 0.3, 0.01, order) for formulation in ("si1", "ggl"))
        np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.v, two.v, rtol=0, atol=1e-10)
        if order == 5:  # then the whole past belongs to the formula
            np.testing.assert_allclose(last_slope(one, n)[6:8], two.end.lam, rtol=0, atol=1e-10)


def test_residual_and_semi_explicit_forms_give_the_same(monkeypatch):
    monkeypatch.setitem(INTEGRATORS, "semi", replace(INTEGRATORS["bdf"], name="semi", accepts=("SemiExplicitDae",)))
    one, two = (
        simulate(system(), 0.3, step=0.01, formulation="index3", integrator=name, order=3, newton_tolerance=1e-13)
        for name in ("bdf", "semi")
    )
    assert two.provenance["form"] == "SemiExplicitDae"
    np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(one.lam, two.lam, rtol=0, atol=1e-7)


def test_order_is_a_whole_number():
    with pytest.raises(br.ModelError, match=r"order of bdf is 2\.5; it must be a whole number"):
        run("ggl", 0.1, 0.01, 2.5)
