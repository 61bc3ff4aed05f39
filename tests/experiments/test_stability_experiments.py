"""Experiments on stability, multipliers and explicit methods: the figures of specs 003 and 004."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from bricard.analysis.stability import stability
from bricard.experiments import EXPERIMENTS, multiplier_spike, newton_conditioning, shock_wave
from bricard.experiments import conditionally_explicit as explicit
from bricard.experiments import driven_pendulum as driven
from bricard.experiments import explicit_stability as growth
from bricard.experiments.claims import CLAIMS
from bricard.simulation import simulate


@cache
def result(name):
    return EXPERIMENTS[name].run()


def rows(name, **wanted):
    found = [row for row in result(name).rows if all(row[key] == value for key, value in wanted.items())]
    assert found
    return found


def drawn(name):
    """Axes with the figure of an experiment."""
    from matplotlib.figure import Figure

    draw, ax = result(name).draw, Figure().subplots()
    assert draw is not None
    draw(ax)
    return ax


# spec 003


def test_spike_of_the_multiplier_does_not_shrink_in_index_3():
    """Section 6.2; the limit for h to 0."""
    np.testing.assert_allclose(multiplier_spike.limit(), [-5.950382, -65.678403], atol=5e-7)
    spikes = [row["N+1"] - row["N"] for row in rows("multiplier-spike", method="BDF1, index3")]
    assert abs(spikes[0] + 65.678) > abs(spikes[1] + 65.678) > abs(spikes[2] + 65.678)
    assert spikes[2] == pytest.approx(-65.678, rel=2e-3)
    assert [row["N+1"] for row in rows("multiplier-spike", method="BDF1, index3")][:2] == pytest.approx(
        [-56.65, -64.68], abs=0.006
    )


def test_no_spike_in_the_stabilised_form():
    for order in (1, 2):
        for row in rows("multiplier-spike", method=f"BDF{order}, ggl"):
            assert abs(row["N+1"] - row["N+2"]) <= 0.06 * abs(row["N+1"])  # nothing lasts for one step only
    values = [row["N+1"] for row in rows("multiplier-spike", method="BDF1, ggl")]
    np.testing.assert_allclose(values[:2], [1.203, 0.12758], rtol=1e-3)
    assert len(drawn("multiplier-spike").get_lines()) >= 6


def test_spike_of_order_two_shrinks_with_the_step():
    values = [row["N+1"] for row in rows("multiplier-spike", method="BDF2, index3")]
    assert values[1] == pytest.approx(4.01e-2, rel=2e-3)
    assert values[1] / values[2] == pytest.approx(10.0, rel=0.1)


def test_conditions_grow_with_powers_of_the_step():
    """Section 2.5."""
    (powers,) = rows("newton-conditioning", step="power of h")
    expected = {"index3": -3, "index2": -2, "ggl": -2, "si1": -1, "index3, scaled": 0, "ggl, scaled": 0}
    for form, power in expected.items():
        assert powers[form] == pytest.approx(power, abs=0.01)
    (row,) = rows("newton-conditioning", step=1e-3)
    assert row["index3"] == pytest.approx(1.001e9, rel=1e-3)
    assert (row["index3, scaled"], row["ggl, scaled"]) == pytest.approx((11.1, 10.7), abs=0.06)
    assert newton_conditioning.conditions(1e-6)["index3, scaled"] < 12.0
    assert len(drawn("newton-conditioning").get_lines()) == 8


def test_condition_of_the_structural_newton_matrix_is_bounded_with_scaling():
    """Spec 004, section 2: h^-4 without."""
    (powers,) = rows("newton-conditioning", step="power of h")
    assert powers["generalized-alpha, scaled=False"] == pytest.approx(-4.0, abs=0.01)
    assert powers["generalized-alpha, scaled=True"] == pytest.approx(0.0, abs=0.01)
    found = newton_conditioning.conditions(1e-6)
    assert found["generalized-alpha, scaled=True"] < 7.0 < 1e20 < found["generalized-alpha, scaled=False"]


def test_drift_of_index_1_is_quadratic():
    """Section 6.4."""
    plain = rows("quadratic-drift", method="plain")
    np.testing.assert_allclose(
        [row["position"] for row in plain], [1.575529e-6, 6.313464e-6, 2.525577e-5, 1.010383e-4], rtol=1e-5
    )
    ratios = [b["position"] / a["position"] for a, b in pairwise(plain)]
    assert ratios == pytest.approx([4.0] * 3, rel=2e-3)
    baumgarte = [row["position"] for row in rows("quadratic-drift", method="Baumgarte 10")]
    np.testing.assert_allclose(baumgarte, [5.6e-8, 1.901e-7, 1.321e-7, 2.111e-7], rtol=2e-3)
    assert max(row["position"] for row in rows("quadratic-drift", method="projection")) < 1e-15


# spec 004, section 6


def test_claim_1_index_3_with_fox_goodwin_fails_at_every_step():
    found = rows("fox-goodwin", method="newmark, fox-goodwin")
    assert [row["step, s"] for row in found] == [0.001, 0.01, 0.1, 0.6, 0.78, 0.79]
    assert all(row["verdict"].startswith("fails") for row in found)


def test_claim_2_constraint_forces_of_index_3_grow_with_the_load():
    """[P]: 9.94, 10.6, 18.2, divergence; angles of the null-space method 0.552, 0.680, 0.821, 1.205."""
    found = rows("constraint-forces", method="newmark")
    forces = [row.get("largest constraint force, N", np.inf) for row in found]
    assert forces[0] < 10.2 < forces[1] < 15.0 < forces[2] < 40.0
    assert found[3]["verdict"].startswith("diverges")
    regular = rows("constraint-forces", method="null-space-newmark")
    assert all(row["largest constraint force, N"] < 10.0 for row in regular)
    assert [row["largest angle"] for row in regular] == pytest.approx([0.552, 0.680, 0.821, 1.205], abs=5e-3)
    assert len(drawn("constraint-forces").get_lines()) == 5


def test_claim_3_the_null_space_keeps_the_limit_of_fox_goodwin():
    found = {row["step, s"]: row for row in rows("fox-goodwin", method="null-space-newmark, fox-goodwin")}
    assert [found[h]["verdict"] for h in (0.1, 0.6, 0.78, 0.79)] == ["stable", "stable", "stable", "unstable"]
    assert 0.0105 < found[0.78]["largest angle"] < 0.0147 < 0.2 < found[0.79]["largest angle"]
    model = driven.driven_pendulum()
    model.gravity = (0, -9.81, 0)  # [P]: the limit is 0.78206 s then, 0.78 s closer to it
    solution = simulate(model, 770 * 0.78, step=0.78, integrator="null-space-newmark", set="fox-goodwin")
    assert solution.provenance["step"] == pytest.approx(0.78, rel=1e-12)
    assert np.abs(driven.angles(solution)).max() == pytest.approx(0.0147, abs=5e-5)
    assert "0.78246" in result("fox-goodwin").notes[0]


def test_claims_4_and_5_trapezoidal_rule_at_any_step_with_all_three_levels():
    for row in rows("fox-goodwin", method="null-space-newmark, trapezoidal"):
        assert row["verdict"] == "stable" and row["largest angle"] == pytest.approx(0.0105, abs=1e-4)
        assert row["position"] < 1e-14 and row["velocity"] < 1e-14 and row["acceleration"] < 1e-11
    assert {row["step, s"] for row in rows("fox-goodwin", method="null-space-newmark, trapezoidal")} >= {6.0}
    assert len(drawn("fox-goodwin").get_lines()) == len(driven.SHOWN)


def test_claim_16_central_differences_without_cancellation():
    """Table 9.5, [P]."""
    for step, expected in ((1e-3, 2.00492e-05), (1e-4, 2.00492e-07)):
        assert explicit.drift(step, "central-difference") == pytest.approx(expected, rel=5e-6)
    assert explicit.drift(1e-5, "central-difference") == pytest.approx(2.00492e-09, rel=2e-3)  # a hundredth of 1e-4 s
    assert explicit.drift(1e-3, "central-difference", classic=True) == pytest.approx(2.00492e-05, rel=5e-6)
    assert explicit.drift(1e-4, "central-difference", classic=True) == pytest.approx(2.00962e-07, rel=1e-3)
    assert explicit.drift(1e-5, "central-difference", classic=True) == pytest.approx(5.9e-8, rel=0.5)  # rounding


@pytest.mark.slow
def test_claim_16_at_a_millionth_of_a_second():
    """Rounding only: of the classic form 4.3e-7 [P], without cancellation 2.2e-11. The claim is read at this step."""
    (row,) = explicit.run_central_differences(steps=(1e-6,)).rows
    assert 1e-7 < row["classic, J"] < 2e-6
    assert row["without cancellation, J"] < 5e-11
    (claim,) = (claim for claim in CLAIMS if claim.number == 16)
    assert claim.read([row | {"step, s": 1e-5}, row, row | {"step, s": 1e-7}])[1]


# table, method, alpha, step -> [P], as it is printed in the spec
PRINTED = [
    ("9.5", "ce3", 1.0, 1e-3, "2.00492e-05"),
    ("9.5", "ce3", 1.0, 1e-4, "2.00492e-07"),
    ("9.5", "ce3", 1.0, 1e-5, "2.01358e-09"),
    ("9.5", "ce3", 1.0, 1e-6, "2.24e-11"),
    pytest.param("9.5", "ce3", 1.0, 1e-7, "1.62e-08", marks=pytest.mark.slow),
    ("9.6", "ce3", 4 / 3, 1e-4, "1.21061e-07"),
    ("9.6", "ce3", 2.0, 1e-4, "3.99453e-08"),
    ("9.8", "ce4", 1 / 4, 1e-3, "8.672648e-07"),
    ("9.8", "ce4", 3 / 4, 1e-3, "4.336407e-07"),
    ("9.10", "ce5", 4 / 5, 1e-3, "6.683e-11"),
    ("9.10", "ce5", 4 / 5, 8e-4, "2.706e-11"),
    ("9.10", "ce5", 4 / 5, 6e-4, "8.43e-12"),
    ("9.10", "ce5", 4 / 5, 4e-4, "1.89e-12"),
    ("9.10", "ce5", 4 / 5, 2e-4, "3.4e-13"),
    ("9.10", "ce5", 4 / 5, 1e-4, "1.8e-11"),
]


@pytest.mark.parametrize(("table", "name", "alpha", "step", "printed"), PRINTED)
def test_a_plain_loop_has_all_digits_of_the_spec(table, name, alpha, step, printed):
    """Rounding included, as terms are added in the same order; half a unit of the last digit is theirs, as much again ours.

    Sine and cosine are those of the C library, whose last digit differs with and without fused multiply-add. A rounding of the
    energy (10 J) in each of n steps has a standard deviation of eps E / sqrt(12), of all together sqrt(n) times that (T27).
    """
    digits, power = printed.split("e")
    unit = float(f"1e{int(power) - len(digits.partition('.')[2])}")
    scatter = np.finfo(float).eps * 10.0 * np.sqrt(explicit.DURATION / step / 12.0)
    assert explicit.term_by_term(step, name, alpha) == pytest.approx(
        float(printed), rel=0, abs=max(unit, 3.0 * scatter)
    )


ACCURACY = [
    ("ce3", 1.0, 1e-3, 2.00492e-05),
    ("ce3", 4 / 3, 1e-3, 1.27955e-05),
    ("ce3", 2.0, 1e-3, 3.85689e-06),
    ("ce3", 1.0, 1e-4, 2.00492e-07),
    ("ce3", 4 / 3, 1e-4, 1.21061e-07),
    ("ce3", 2.0, 1e-4, 3.99453e-08),
    ("ce4", 1 / 4, 1e-3, 8.67265e-07),
    ("ce4", 3 / 4, 1e-3, 4.33641e-07),
]
# what rounding changes: printed values, and within which part of them ours lie
ROUNDED = [
    ("ce3", 4 / 3, 1e-5, 1.21132e-09, 0.01),
    ("ce3", 2.0, 1e-5, 3.99361e-10, 0.01),
    ("ce4", 1 / 4, 1e-4, 8.67649e-10, 1e-3),
    ("ce4", 3 / 4, 1e-4, 4.33944e-10, 1e-3),
    ("ce4", 5 / 4, 1e-3, 5.54996e-11, 0.01),
    ("ce5", 4 / 5, 6e-4, 8.56559e-12, 0.02),
]
# rounding only, bounds of the size: steps, number of samples and order of additions decide
SUMMED = [
    ("ce4", 5 / 4, 1e-5, 0.0, 3e-12),
    ("ce4", 1 / 4, 1e-5, 8.6e-13, 4e-12),  # from 1e-3 s by order 3, printed 1.88e-11
    ("ce4", 3 / 4, 1e-5, 4.3e-13, 4e-12),  # printed 1.86e-11
    ("ce5", 4 / 5, 1e-4, 0.0, 3e-12),  # printed 1.96e-11
    ("ce5", 4 / 5, 1e-5, 0.0, 3e-12),  # printed 1.79e-11
]
SUMMED += [
    pytest.param(*values, marks=pytest.mark.slow)
    for values in (
        ("ce3", 4 / 3, 1e-6, 1.2e-11, 5e-11),  # printed 1.65e-11
        ("ce3", 2.0, 1e-6, 3.9e-12, 4e-11),  # printed 1.06e-11
        ("ce4", 3 / 4, 1e-6, 0.0, 2e-11),  # printed 2.48e-11
        ("ce5", 4 / 5, 1e-6, 0.0, 2e-11),  # printed 1.90e-11
    )
]


@pytest.mark.parametrize(("name", "alpha", "step", "expected"), ACCURACY)
def test_claims_17_and_18_drift(name, alpha, step, expected):
    """Tables 9.6 and 9.8."""
    assert explicit.drift(step, name, alpha=alpha) == pytest.approx(expected, rel=5e-6)


@pytest.mark.parametrize(("name", "alpha", "step", "expected", "within"), ROUNDED)
def test_claims_17_to_19_drift_where_rounding_begins(name, alpha, step, expected, within):
    """Tables 9.6, 9.8 and 9.10."""
    assert explicit.drift(step, name, alpha=alpha) == pytest.approx(expected, rel=within)


@pytest.mark.parametrize(("name", "alpha", "step", "least", "most"), SUMMED)
def test_claims_17_to_19_drift_where_rounding_rules(name, alpha, step, least, most):
    """Tables 9.6, 9.8 and 9.10; the experiment has these steps."""
    assert step in explicit.STEPS
    assert least <= explicit.drift(step, name, alpha=alpha) < most


@pytest.mark.parametrize(("name", "alpha"), [("ce3", 1.0), ("ce4", 0.75), ("ce5", 0.0)])
def test_increments_are_summed_before_they_are_added(name, alpha):
    """A million steps: their rounding errors do not add up. Term by term, of x or v alone, the error is 4e-13 J and more."""
    swing = simulate(explicit.pendulum(), 0.1, step=1e-7, integrator=name, alpha=alpha, output=1001, energy=False)
    energy = 0.5 * swing.v[:, 0] ** 2 - explicit.GRAVITY * np.sin(swing.q[:, 0])
    assert np.abs(energy).max() < 1e-13


@pytest.mark.parametrize(
    ("alpha", "step", "expected"),
    [(0.8, 1e-3, 6.70e-11), (0.8, 8e-4, 2.72e-11), (0.0, 1e-3, 1.14e-10), (0.0, 2e-3, 1.93e-9), (0.0, 4e-3, 3.43e-8)],
)
def test_claim_19_drift_of_the_snap_method(alpha, step, expected):
    """Table 9.10 (6.713e-11 printed, 6.683e-11 [P]) and the corrected parameters."""
    assert explicit.drift(step, "ce5", alpha=alpha) == pytest.approx(expected, rel=0.01)


def test_claims_17_to_20_stability_is_seen_in_long_runs():
    """Published alpha = 4/5 of ce5 blows up; alpha = 0 does not. ce4 is unstable for alpha = 5/4."""
    for name, alpha in (("ce3", 2.0), ("ce4", 0.75), ("ce5", 0.0)):
        assert growth.swings(0.1, name, alpha=alpha) == pytest.approx(1.0, abs=1e-3)
    for name, alpha in (("ce4", 1.25), ("ce5", 0.8)):
        assert growth.swings(0.1, name, alpha=alpha) > 1e6
    with np.errstate(all="ignore"):
        assert growth.swings(1.56, "ce3", alpha=4 / 3) > 10.0  # beyond 1.549


@pytest.mark.parametrize(
    ("name", "alpha", "radii"),
    [
        ("ce4", 1.25, {0.1: 1.0033389, 0.01: 1.0000333339, 0.001: 1.00000033333}),
        ("ce5", 0.8, {0.01: 1.0000267, 0.1: 1.00267, 0.5: 1.0708, 1.0: 1.346}),
        ("ce5", 0.0, {0.01: 1.0, 0.1: 1.0, 0.5: 1.0, 1.0: 1.0}),
    ],
)
def test_claims_18_and_20_spectral_radii(name, alpha, radii):
    """Table 9.9, and [P] for ce5."""
    found = stability(name, alpha=alpha)
    for z, expected in radii.items():
        digits = len(f"{expected}".split(".")[1])
        assert found.radius(z) == pytest.approx(expected, abs=max(0.6 * 10.0**-digits, 1e-12))


@pytest.mark.parametrize(("name", "alpha"), list(growth.FAMILY))
def test_local_orders(name, alpha):
    """Table 9.11: 2, 3, 2, 3, 4, 4; the two that it leaves out have 3 and 4."""
    published = growth.FAMILY[name, alpha][1] or {"ce4": "3", "ce5": "4"}[name]
    assert growth.local_order(name, alpha=alpha) == pytest.approx(float(published), abs=0.1)


def test_the_family_has_a_table_and_a_figure():
    from matplotlib.figure import Figure

    found = explicit.run_family(steps=(2e-3, 1e-3))
    ax = Figure().subplots()
    assert found.draw is not None
    found.draw(ax)
    assert len(ax.get_lines()) == len(growth.FAMILY)
    assert [row["method"] for row in found.rows[len(growth.FAMILY) :]] == [
        f"{n}, term by term" for n, _ in growth.FAMILY
    ]
    figure = explicit.run_central_differences(steps=(1e-3, 1e-4))
    assert figure.draw is not None and len(figure.rows) == 2
    ax = Figure().subplots()
    figure.draw(ax)
    assert len(ax.get_lines()) == 3


@pytest.mark.slow
def test_claims_17_to_20_limits_of_the_family():
    limits = {(row["method"], row["alpha"]): row["stable to h omega"] for row in rows("explicit-stability")}
    assert limits["ce5", 0.8] == limits["ce4", 1.25] == 0.0
    np.testing.assert_allclose(
        [limits["ce3", 1.0], limits["ce3", 4 / 3], limits["ce3", 2.0]], [2.0, 12**0.5 / 5**0.5, 2 / 3**0.5], rtol=1e-6
    )
    assert [limits["ce4", 0.25], limits["ce4", 0.75]] == pytest.approx([1.264911, 3**0.5], rel=1e-6)
    assert limits["ce5", 0.0] == pytest.approx(2**0.5, rel=1e-6)
    assert len(drawn("explicit-stability").get_lines()) == len(growth.FAMILY)


@pytest.mark.parametrize(("masses", "peak", "at"), [(10, 1.956, 0.086), (20, 2.020, 0.082), (100, 1.995, 0.082)])
def test_claim_21_the_free_end_moves_twice_as_fast(masses, peak, at):
    """[P]."""
    t, v, _ = shock_wave.free_end(masses)
    assert v.max() == pytest.approx(peak, abs=5e-4) and t[v.argmax()] == pytest.approx(at, abs=1e-9)


def test_claim_21_ripple_falls_with_the_number_of_masses():
    ripples = []
    for masses in (10, 20, 100):
        t, v, _ = shock_wave.free_end(masses)
        ripples.append(np.abs(v[(t >= shock_wave.REST[0]) & (t <= shock_wave.REST[1])]).max())
    assert ripples[0] > 2 * ripples[1] > 3 * ripples[2]


@pytest.mark.slow
def test_claim_21_with_ten_thousand_masses():
    t, v, _ = shock_wave.free_end(10_000)
    assert v.max() == pytest.approx(2.0, abs=5e-3)
    assert abs(t[v.argmax()] - 0.0832) <= 2e-3  # two steps: the trapezoidal rule delays short waves
