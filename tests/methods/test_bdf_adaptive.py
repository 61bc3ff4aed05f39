"""BDF with variable step and order, and what it has to cope with: jumps, re-basing, singular positions, drivers, stiffness."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_agreement import rolling_disc
from test_singular_positions import double_four_bar, exact_angle

import bricard as br
from bricard.compiled.interfaces import EXPAND, REBASE
from bricard.compiled.status import REBASED, RUNNING
from bricard.formulations.direct import residual_dae
from bricard.registry import FORMULATIONS
from bricard.simulation import simulate
from mechanisms import BINARY, HERE, MILLIMETRES, four_bar, pendulum, rssr
from physical_pendulum import GRAVITY, J, S, errors, exact, system

FORMS = {"index3": {}, "index2": {"correction": "none"}, "index1": {"correction": "none"}, "ggl": {}, "si1": {}}


@pytest.mark.parametrize("formulation", list(FORMS))
def test_error_follows_the_tolerance(formulation):
    tolerances, end = 10.0 ** -np.arange(5.0, 11.0), 2.0
    found = []
    for rtol in tolerances:
        solution = simulate(
            system(), end, rtol=rtol, formulation=formulation, integrator="bdf", output=51, **FORMS[formulation]
        )
        off = max(np.abs(q - exact(t)[0]).max() for t, q in zip(solution.t, solution.q, strict=True))
        assert off <= (3e3 if formulation == "index3" else 3e2) * rtol  # also between the steps
        found.append(off)
    assert np.polyfit(np.log(tolerances), np.log(found), 1)[0] == pytest.approx(0.9, abs=0.15)


@pytest.mark.parametrize("mechanism", [rssr, four_bar])
@pytest.mark.parametrize("formulation", ["ggl", "index3"])
def test_error_follows_the_tolerance_in_closed_loops(mechanism, formulation):
    """A spatial loop, and one with redundant rows."""
    model, end, tolerances = mechanism(), 0.25, 10.0 ** -np.arange(5.0, 11.0)
    reference = simulate(model, end, rtol=1e-12, formulation="index1", integrator="dopri5", output=2)
    found = []
    for rtol in tolerances:
        solution = simulate(model, end, rtol=rtol, formulation=formulation, integrator="bdf", output=2)
        found.append(np.abs(solution.q[-1] - reference.q[-1]).max())
        if formulation == "ggl":
            assert solution.constraint_errors.velocity[-1] <= rtol
        assert solution.constraint_errors.position[-1] <= rtol
    assert np.polyfit(np.log(tolerances), np.log(found), 1)[0] == pytest.approx(0.9, abs=0.2)
    assert found[-1] <= 1e-6


@pytest.mark.parametrize("rtol", [1e-5, 1e-8])
def test_effort_is_that_of_a_good_ode_code(rtol):
    """Against scipy's BDF on the index-1 ODE: as many steps for as much accuracy; Newton's method with multipliers costs more."""

    def rhs(t, y):
        s, c, w = np.sin(y[2]), np.cos(y[2]), y[5]
        g = np.array([[1, 0, -S * c], [0, 1, -S * s]])
        kkt = np.block([[np.diag([1, 1, J]), g.T], [g, np.zeros((2, 2))]])
        return np.concatenate([y[3:], np.linalg.solve(kkt, [0, -GRAVITY, 0, -S * s * w * w, S * c * w * w])[:3]])

    end = 4.0
    other = solve_ivp(rhs, (0, end), np.concatenate(exact(0.0)[:2]), method="BDF", rtol=rtol, atol=rtol)
    solution = simulate(system(), end, rtol=rtol, formulation="ggl", integrator="bdf", output=2)
    assert solution.counters["steps"] <= 1.1 * (other.t.size - 1)
    assert solution.counters["evaluations"] <= 2.0 * other.nfev
    assert solution.counters["tangents"] <= 0.6 * solution.counters["steps"]
    assert errors(solution, end)[0] <= 2.0 * np.abs(other.y[:3, -1] - exact(end)[0]).max()


def test_output_between_steps_is_as_good_as_the_steps():
    dense = simulate(system(), 1.0, rtol=1e-7, formulation="ggl", integrator="bdf", output=1001)
    assert dense.counters["steps"] < 200
    off = np.array([np.abs(v - exact(t)[1]).max() for t, v in zip(dense.t, dense.v, strict=True)])
    at_steps = simulate(system(), 1.0, rtol=1e-7, formulation="ggl", integrator="bdf", output=dense.step_times)
    steps = [np.abs(v - exact(t)[1]).max() for t, v in zip(at_steps.t, at_steps.v, strict=True)]
    assert off.max() <= 2.0 * max(steps)


def test_highest_order_is_an_option():
    """Steps needed for the same tolerance fall with the order that is allowed."""
    counts = [
        simulate(system(), 1.0, rtol=1e-7, formulation="ggl", integrator="bdf", order=k, output=2).counters["steps"]
        for k in (1, 2, 3, 5)
    ]
    assert counts[0] > 5 * counts[1] > 10 * counts[2] > 12 * counts[3]


@pytest.mark.parametrize(("formulation", "tolerance"), [("ggl", 1e-4), ("index3", 2e-3)])
def test_a_jump_of_the_force_is_passed(formulation, tolerance):
    """A torque that sets in within a microsecond: the step falls, the past is given up, the order comes back.

    Index 3 sees less of a jump: its velocities are judged only after multiplication by h.
    """
    model = pendulum()
    model.motor("M", "A", br.SmoothStep(0.0, 20.0, 0.3, 0.300001))
    reference = simulate(model, 0.6, rtol=1e-11, formulation="index1", integrator="dopri5", output=2)
    solution = simulate(model, 0.6, rtol=1e-7, formulation=formulation, integrator="bdf", output=2)
    assert np.abs(solution.q[-1] - reference.q[-1]).max() <= tolerance
    assert solution.counters["steps"] <= 300
    assert np.diff(solution.step_times[solution.step_times > 0.45]).max() > 2e-3


# ---- re-basing ----


@REBASE
def often(t, y, system, work):
    """Says that the coordinates were exchanged, every 20 steps or so."""
    work.tally[3] += 1
    return REBASED if work.tally[3] % 20 == 0 else RUNNING


@EXPAND
def copied(t, y, q, v, system, work):
    """q and v are where they always are."""
    for i in range(system.n_q):
        q[i] = y[i]
    for i in range(system.n_v):
        v[i] = y[system.n_q + i]
    return RUNNING


def rebased(expand):
    """A ggl that is re-based all the time."""
    return replace(
        FORMULATIONS["ggl"],
        name="rebased",
        forms={"ResidualDae": lambda system: replace(residual_dae(system, 1, True), rebase=often, expand=expand)},
    )


@pytest.mark.parametrize("expand", [None, copied])
@pytest.mark.parametrize("options", [{"step": 0.01, "order": 5}, {"rtol": 1e-7}])
def test_rebasing(monkeypatch, expand, options):
    """Rows chosen anew leave the past as it is; new coordinates make a new start, at the same order and step."""
    common = {"integrator": "bdf", "output": 2}
    plain = simulate(system(), 1.0, formulation="ggl", **common, **options)
    monkeypatch.setitem(FORMULATIONS, "rebased", rebased(expand))
    solution = simulate(system(), 1.0, formulation="rebased", **common, **options)
    assert solution.counters["rebasings"] >= 5
    assert errors(solution, 1.0)[0] <= 5 * errors(plain, 1.0)[0]
    assert solution.counters["steps"] <= 1.5 * plain.counters["steps"]
    starts = (solution.counters["tangents"] - plain.counters["tangents"]) / solution.counters["rebasings"]
    assert starts > 10 if expand is copied else starts < 4


@pytest.mark.parametrize("formulation", list(FORMS))
@pytest.mark.parametrize("options", [{"step": 2e-3, "order": 5}, {"rtol": 1e-6}])
def test_singular_positions_are_passed(formulation, options):
    """The double four-bar in space, where independent rows are chosen anew on the way."""
    solution = simulate(double_four_bar(False), 2.0, formulation=formulation, integrator="bdf", output=2, **options)
    angle = exact_angle(2.0)
    found = solution.point("bar 0", (0.5, 0, 0))[-1, :2]
    np.testing.assert_allclose(found, [np.cos(angle), np.sin(angle)], atol=1e-3)


# ---- what else has to work ----


def test_units_do_not_matter():
    """The same motion, and steps that differ by one at most, as in test_implicit; the same digits where nothing rounds."""
    for formulation in ("ggl", "index3"):
        one, two, three = (
            simulate(rssr(world), 0.25, rtol=1e-7, formulation=formulation, integrator="bdf", output=2)
            for world in (HERE, BINARY, MILLIMETRES)
        )
        assert one.counters == two.counters
        np.testing.assert_array_equal(two.v[-1, :3] / BINARY.unit, one.v[-1, :3])
        assert abs(three.counters["steps"] - one.counters["steps"]) <= 1
        np.testing.assert_allclose(three.v[-1, :3] / 1000, one.v[-1, :3], rtol=0, atol=1e-7)


def driven_loop():
    model = rssr(speed=3.0)
    model.drive("turning", "A", br.Polynomial((0.0, 3.0, 5.0)))
    return model


@pytest.mark.parametrize("mechanism", [rolling_disc, driven_loop])
@pytest.mark.parametrize("formulation", list(FORMS))
def test_nonholonomic_rows_and_drivers(mechanism, formulation):
    model = mechanism()
    reference = simulate(model, 0.3, rtol=1e-11, formulation="index1", integrator="dopri5", output=2)
    solution = simulate(model, 0.3, rtol=1e-8, formulation=formulation, integrator="bdf", output=2)
    np.testing.assert_allclose(solution.q[-1], reference.q[-1], rtol=0, atol=2e-5)
    np.testing.assert_allclose(solution.v[-1], reference.v[-1], rtol=0, atol=5e-4)


def test_stiffness_costs_no_steps():
    """A damper that forces the loop onto a slow motion: an explicit method would need a thousand times the steps."""
    model = four_bar(speed=0.0)
    model.torsion("thick", "A", stiffness=0.0, damping=2e4)
    solution = simulate(model, 1.0, rtol=1e-6, formulation="ggl", integrator="bdf", output=2)
    assert solution.counters["steps"] <= 200
    assert np.abs(solution.v[-1]).max() <= 1e-2
