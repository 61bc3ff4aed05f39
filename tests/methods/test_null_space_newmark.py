"""null-space-newmark: its defining equations, constraint levels, orders, stability limits; figures of spec 004, section 6."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from spec_systems import random_system
from test_agreement import rolling_disc
from test_every_formulation import driven_four_bar, driven_pendulum

import bricard.model as br
from bricard.errors import ModelError
from bricard.integrators.newmark import SETS
from bricard.problems import PROBLEMS
from bricard.simulation import simulate
from bricard.system.system import System
from mechanisms import MILLIMETRES, World, four_bar, pendulum, rssr, six_bar

METHOD: dict[str, Any] = {"integrator": "null-space-newmark"}


def dense(system, t, q, v):
    """M, G and the rest of the system at a state, as dense arrays."""
    work, r = system.evaluated(t, q, v), system.record
    m, g = np.zeros((r.n_v + 1, r.n_v + 1)), np.zeros((r.n_rows, r.n_v + 1))
    np.add.at(m, (r.m_row.astype(int), r.m_column.astype(int)), work.m)
    np.add.at(g, (r.g_row.astype(int), r.g_column.astype(int)), work.g)
    return m[:-1, :-1], g[:, :-1], work


def increment(system, before, after):
    """xi of a step, and as turns at its end what a difference of increments is: (xi, the matrix T(xi))."""
    r = system.record
    if r.n_bodies == 0 or r.planar.all():
        return after - before, np.eye(r.n_v)
    xi, turn = np.zeros(r.n_v), np.eye(r.n_v)
    for b in range(r.n_bodies):
        q, o = int(r.q_start[b]), int(r.column[b, 0])
        one, two = (Rotation.from_quat(x[q + 3 : q + 7], scalar_first=True) for x in (before, after))
        theta = (one.inv() * two).as_rotvec()
        xi[o : o + 6] = [*(after[q : q + 3] - before[q : q + 3]), *theta]
        cross = np.cross(np.eye(3), theta)  # theta x
        turn[o + 3 : o + 6, o + 3 : o + 6] = sum(
            (-1.0) ** k * np.linalg.matrix_power(cross, k) / scipy.special.factorial(k + 1) for k in range(12)
        )
    return xi, turn


@pytest.mark.parametrize(
    "system",
    [lambda: four_bar(planar=True).build(), lambda: rssr().build(), six_bar, random_system],
    ids=["four-bar", "rssr", "six-bar", "functions"],
)
@pytest.mark.parametrize("name", list(SETS))
def test_a_step_satisfies_the_equations_that_define_it(system, name):
    """With a basis N of the null space by SVD, which the integrator never makes."""
    (gamma, beta), h, lever = SETS[name], 0.01, 1.5
    system = system()
    solution = simulate(system, 0.1, step=h, set=name, lever=lever, **METHOD)
    system = solution.system
    weight = 1.0 / system.record.metric[:-1]
    weight[weight != 1.0] *= lever**2
    for k in range(3, 10):
        (q0, q1), (v0, v1), (a0, a1) = (x[k : k + 2] for x in (solution.q, solution.v, solution.a))
        m, g, work = dense(system, solution.t[k + 1], q1, v1)
        null = scipy.linalg.null_space(g, rcond=1e-10)
        xi, turn = increment(system, q0, q1)
        along_q = xi - h * v0 - h * h * ((0.5 - beta) * a0 + beta * a1)
        along_v = v1 - v0 - h * ((1 - gamma) * a0 + gamma * a1)
        assert np.abs(null.T @ (weight * (turn @ along_q))).max() <= 1e-12
        assert np.abs(null.T @ (weight * along_v)).max() <= 1e-11
        assert np.abs(null.T @ (m @ a1 - work.f[: system.n_v])).max() <= 1e-8
        np.testing.assert_allclose(g @ a1, work.gamma, atol=1e-8)


def test_without_constraints_it_is_newmarks_method():
    """One step of an oscillator, in closed form."""
    w, h = 3.0, 0.2
    system = System.from_functions(np.eye(1), lambda t, q, v: np.array([-w * w * q[0] + 0 * v[0]]), q0=[0.4], v0=[-0.3])
    for gamma, beta in SETS.values():
        solution = simulate(system, h, step=h, gamma=gamma, beta=beta, **METHOD)
        a0 = -w * w * 0.4
        a1 = -w * w * (0.4 - 0.3 * h + h * h * (0.5 - beta) * a0) / (1 + beta * h * h * w * w)
        assert solution.q[-1, 0] == pytest.approx(0.4 - 0.3 * h + h * h * ((0.5 - beta) * a0 + beta * a1), rel=1e-12)
        assert solution.v[-1, 0] == pytest.approx(-0.3 + h * ((1 - gamma) * a0 + gamma * a1), rel=1e-12)


@cache
def reference(name):
    mechanism, duration, _ = ORDERS[name]
    return simulate(mechanism(), duration, formulation="index1", integrator="dopri5", rtol=1e-13, output=2)


ORDERS = {
    "pendulum": (pendulum, 0.4, 0.005),
    "rssr": (lambda: rssr(speed=2.0), 0.16, 0.0025),
    "six-bar": (six_bar, 0.4, 0.01),
    "functions": (random_system, 0.4, 0.01),
    "rolling disc": (rolling_disc, 0.4, 0.01),
    "driven pendulum": (driven_pendulum, 0.4, 0.01),
}


@pytest.mark.parametrize("name", list(ORDERS))
@pytest.mark.parametrize(
    ("options", "order"), [({}, 2), ({"set": "trapezoidal"}, 2), ({"gamma": 0.6, "beta": 0.31}, 1)]
)
def test_order(name, options, order):
    mechanism, duration, largest = ORDERS[name]
    exact, sizes, found = reference(name), largest * 0.5 ** np.arange(1, 4), []
    keys = ("q", "v") if name == "six-bar" else ("q", "v", "lam")  # its multipliers are not unique
    for h in sizes:
        solution = simulate(mechanism(), duration, step=float(h), output=2, **METHOD, **options)
        assert solution.counters["rejected"] == 0
        found.append([np.abs(getattr(solution, key)[-1] - getattr(exact, key)[-1]).max() for key in keys])
    for column in np.array(found).T:
        assert np.polyfit(np.log(sizes), np.log(column), 1)[0] == pytest.approx(order, abs=0.3)


def test_no_freedom_left():
    """Everything follows the driver: exact at all three levels, whatever the step."""
    solution = simulate(driven_four_bar(), 0.4, step=0.02, **METHOD)
    exact = simulate(driven_four_bar(), 0.4, formulation="index1", rtol=1e-12, output=solution.t)
    np.testing.assert_allclose(solution.q, exact.q, atol=1e-10)
    np.testing.assert_allclose(solution.v, exact.v, atol=1e-9)
    np.testing.assert_allclose(solution.a, exact.a, atol=1e-6)


def loaded_pendulum(planar=True, amplitude=0.1):
    """Spec 004, section 2.7: hangs at rest, torque with 0.1 rad/s, g = 9.8."""
    model = br.Model("loaded pendulum", gravity=(0, -9.8, 0), planar=planar)
    model.body("bob", mass=1.0, inertia=(0, 0, 0), position=(0, -1, 0))
    model.revolute("A", model.ground, "bob", (0, 0, 0), (0, 0, 1))
    model.motor("M", "A", br.Sine(amplitude, 0.1 / (2 * np.pi)))
    return model


def largest_angle(step, planar=True, amplitude=0.1, duration=600.0, **options):
    solution = simulate(loaded_pendulum(planar, amplitude), duration, step=step, check=False, **METHOD, **options)
    return np.abs(solution.joint("A")).max()


@pytest.mark.parametrize("planar", [True, False])
def test_fox_goodwin_has_the_limit_of_the_ode(planar):
    """Claim 3: sqrt(6) / omega = 0.78246 s."""
    assert largest_angle(0.1, planar) == pytest.approx(0.01054, abs=1e-4)
    assert largest_angle(0.78, planar) <= 0.016  # 0.0147 in the spec
    assert largest_angle(0.79, planar, duration=300.0) >= 0.1  # later it turns over


@pytest.mark.parametrize("step", [0.1, 0.79, 6.0])
def test_trapezoidal_rule_is_stable_at_any_step(step):
    """Claim 4."""
    assert largest_angle(step, set="trapezoidal") == pytest.approx(0.0105, abs=2e-4)


@pytest.mark.parametrize(("amplitude", "angle"), [(5.0, 0.552), (6.0, 0.680), (7.0, 0.821), (9.0, 1.205)])
def test_trapezoidal_rule_follows_large_loads(amplitude, angle):
    """Claim 2."""
    found = largest_angle(0.1, amplitude=amplitude, duration=100.0, set="trapezoidal")
    assert found == pytest.approx(angle, rel=5e-3)


# mechanism, options of its model, step, options -> bound of the drift (J), figure of the spec or our own, its tolerance
DRIFTS = {
    "claim 6: A01": ("pendulum", {}, 1e-3, {"set": "trapezoidal"}, 5e-5, 1.64e-5, 0.01),
    "A01, lever of quaternions": ("pendulum", {}, 1e-3, {"set": "trapezoidal", "lever": 0.5}, 5e-5, 4.31e-5, 0.06),
    "claim 7: A01, in the plane": ("pendulum", {"planar": True}, 5e-4, {"lever": 1.0}, 2e-5, 1.12e-5, 0.01),
    "claim 8: A02": ("double-four-bar", {}, 1e-2, {}, 0.1, 0.0769, 0.002),
    "claim 8: A02 in the plane": ("double-four-bar", {"planar": True}, 1e-2, {}, 0.1, 0.0769, 0.002),
    "claim 9: A04": ("bricard", {}, 1e-2, {}, 1e-3, 4.47e-4, 0.01),
    "claim 10: slider-crank": ("slider-crank-thesis", {}, 1e-3, {}, 1e-3, 4.2e-4, 0.1),
    "claim 11: A03": ("andrews-testset", {}, 1e-5, {}, 1e-4, 6.31e-5, 0.01),  # that of T + V - E0 - tau (beta - beta0)
}


@cache
def run_of(case):
    name, options, step, method, *_ = DRIFTS[case]
    problem = PROBLEMS[name]
    count = min(5000, round(problem.span / step))
    return simulate(problem.model(**options), problem.span, step=step, output=count + 1, **METHOD, **method)


@pytest.mark.parametrize("case", list(DRIFTS))
def test_energy_drift(case):
    *_, bound, figure, tolerance = DRIFTS[case]
    drift = np.abs(run_of(case).energy.error).max()
    assert drift <= bound
    assert drift == pytest.approx(figure, rel=tolerance)


@pytest.mark.parametrize("case", list(DRIFTS))
def test_all_three_levels_hold_to_round_off(case):
    """Claim 5. Natural accelerations of the squeezer are 1e7 per s^2."""
    errors, solution = run_of(case).constraint_errors, run_of(case)
    natural = np.abs(solution.a).max() + np.abs(solution.v).max() ** 2
    assert errors.position.max() <= 2e-14
    assert errors.velocity.max() <= 5e-13 * max(1.0, np.abs(solution.v).max())
    assert errors.acceleration.max() <= 5e-11 * natural


@pytest.mark.slow
def test_andrews_with_the_step_of_the_thesis():
    """Claim 11: below 1e-5 J; 2.4e-6 by extrapolation in the spec. beta(0.03 s) of the test set."""
    from bricard.problems.andrews import BETA

    solution = simulate(PROBLEMS["andrews-testset"].model(), 0.05, step=2e-6, output=5001, **METHOD)
    assert np.abs(solution.energy.error).max() == pytest.approx(2.485e-6, rel=0.01)
    assert solution.joint("O")[3000] + BETA == pytest.approx(15.81077119629904, abs=2e-6)


def test_work_per_step():
    """One tangent, two factorisations and 2 to 2.4 iterations in each step of the two benchmarks (4 before S35)."""
    for case in ("claim 8: A02", "claim 9: A04"):
        counters = run_of(case).counters
        assert counters["factorisations"] <= 2.2 * counters["steps"]
        assert counters["tangents"] <= 1.02 * counters["steps"]
        assert counters["iterations"] <= 2.4 * counters["steps"]


@pytest.mark.parametrize(("name", "duration"), [("double-four-bar", 2.0), ("slider-crank-thesis", 3.0)])
def test_singular_positions_are_passed(name, duration):
    exact = simulate(PROBLEMS[name].model(), duration, rtol=1e-10)
    solution = simulate(PROBLEMS[name].model(), duration, step=1e-3, **METHOD)
    np.testing.assert_allclose(solution.q[-1], exact.q[-1], atol=1e-3)
    assert "singular" in {event.kind for event in solution.events}


def test_redundant_rows_and_space_or_plane_make_no_difference():
    space, plane = (run_of(case) for case in ("claim 8: A02", "claim 8: A02 in the plane"))
    for bar in ("bar 0", "top 1"):
        one, two = space.point(bar, (0, 0, 0)), plane.point(bar, (0, 0, 0))
        np.testing.assert_allclose(one[:300], two[:300], atol=1e-9)


def test_units_make_no_difference():
    here, there = (simulate(rssr(world, speed=2.0), 0.2, step=0.002, **METHOD) for world in (World(), MILLIMETRES))
    np.testing.assert_allclose(there.joint("A"), here.joint("A"), atol=1e-10)


def test_far_from_the_origin():
    """Rounding of positions is larger there; Newton's method has to see that."""
    far = World(x=np.array([1e5, -2e5, 1e5]))
    here, there = (simulate(rssr(world, speed=2.0), 0.2, step=0.002, **METHOD) for world in (World(), far))
    assert there.counters["rejected"] == 0
    np.testing.assert_allclose(there.joint("A"), here.joint("A"), atol=1e-6)


def test_other_rotation_parameters():
    exact = simulate(rssr(speed=2.0), 0.2, rtol=1e-10, output=21)
    for rotation in ("quaternion", "euler-zxz", "rotation-vector"):
        solution = simulate(rssr(speed=2.0).build(rotation=rotation), 0.2, step=0.001, output=21, **METHOD)
        assert solution.joint("A")[-1] == pytest.approx(exact.joint("A")[-1], abs=1e-4)


def test_going_on_is_the_same_as_going_through():
    whole = simulate(six_bar(), 0.4, step=0.01, **METHOD)
    half = simulate(six_bar(), 0.2, step=0.01, **METHOD)
    np.testing.assert_allclose(simulate(half, 0.2, step=0.01, **METHOD).q[-1], whole.q[-1], atol=1e-12)


def test_unknown_set_is_refused():
    with pytest.raises(ModelError, match="fox-goodwin"):
        simulate(pendulum(), 0.1, step=0.01, set="fox", **METHOD)


@pytest.mark.parametrize("set", ["fox-goodwin", "trapezoidal"])
@pytest.mark.parametrize("rotation", ["group", "quaternion"])
def test_newtons_method_converges_quadratically(rotation, set):
    """S35: half a turn in a step; blocks that are solved in turn need more than 16 iterations a step, and halve it."""
    top = PROBLEMS["spinning-top"].model().build(rotation=rotation)
    solution = simulate(top, 0.2, step=2e-3, set=set, **METHOD)
    assert solution.counters["steps"] == 100 and solution.counters["rejected"] == 0
    assert solution.counters["iterations"] <= 505  # the first step has no history


def test_newtons_method_in_other_rotation_parameters():
    for rotation in ("euler-zxz", "cardan", "gibbs", "rotation-vector", "wiener-milenkovic"):
        solution = simulate(rssr(speed=2.0).build(rotation=rotation), 0.1, step=0.005, **METHOD)
        assert solution.counters["rejected"] == 0
        assert solution.counters["iterations"] <= 3.2 * solution.counters["steps"]


def passings(solution, joint):
    """How often the bars pass the line, where at most one step is divided each time; they begin upright."""
    return np.count_nonzero(np.diff(np.sign(np.cos(solution.joint(joint)))))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize(
    ("name", "options", "duration", "steps", "factor"),
    [
        ("four-bar", {}, 7.0, (3e-4, 1e-3, 1.7e-3, 1e-2), 500.0),
        ("double-four-bar", {}, 7.0, (3e-4, 1e-3, 2e-3, 1e-2), 900.0),
        ("n-four-bar", {"loops": 40}, 4.0, (2e-3, 1e-2), 1.4e4),
    ],
)
def test_singular_positions_at_every_step(name, options, duration, steps, factor, planar):
    """T6: the end is reached, the energy error falls with the square of the step, and the constraints hold at all levels."""
    for h in steps:
        solution = simulate(PROBLEMS[name].model(planar=planar, **options), duration, step=h, **METHOD)
        assert solution.counters["rejected"] <= passings(solution, "A" if name == "four-bar" else "A0")
        assert solution.counters["iterations"] <= 2.6 * solution.counters["steps"]
        assert np.abs(solution.energy.error).max() <= factor * h * h
        assert solution.constraint_errors.position.max() <= 1e-12
        assert solution.constraint_errors.velocity.max() <= 1e-12
        divided = "divided" in {event.kind for event in solution.events}
        assert divided == ("the step was divided" in solution.status) == (solution.counters["rejected"] > 0)


@pytest.mark.parametrize(("planar", "step"), [(True, 2.3402471377307753e-4), (False, 7.06456e-4)])
def test_no_step_ends_where_rounding_decides(planar, step):
    """T6: steps that ended some 1e-5 rad from a singular position left it with 1e-3 J, which rounding of the velocities made."""
    solution = simulate(PROBLEMS["double-four-bar"].model(planar=planar), 10.0, step=step, **METHOD)
    assert np.abs(solution.energy.error).max() <= 900.0 * step * step  # as at every other step, see above
    assert solution.counters["rejected"] <= passings(solution, "A0")
    assert "close to a singular position" in solution.status


def parallelogram(apart):
    """Drives at both ends of a parallelogram, one of them redundant; after a time t they are apart * t^4 rad apart."""
    model, axis = br.Model("two drives", gravity=(0, -9.81, 0), planar=True), (0, 0, 1)
    model.body("left", br.Rod((0, 0, 0), (0.3, 1, 0), mass=1.0))
    model.body("top", br.Rod((0.3, 1, 0), (1.3, 1, 0), mass=1.0))
    model.body("right", br.Rod((1, 0, 0), (1.3, 1, 0), mass=1.0))
    model.revolute("A", model.ground, "left", (0, 0, 0), axis)
    model.revolute("P", "left", "top", (0.3, 1, 0), axis)
    model.revolute("Q", "top", "right", (1.3, 1, 0), axis)
    model.revolute("B", model.ground, "right", (1, 0, 0), axis)
    model.drive("one", "A", br.Polynomial((0.0, 1.0)))
    model.drive("two", "B", br.Polynomial((0.0, 1.0, 0.0, 0.0, apart)))
    return model


@pytest.mark.parametrize("apart", [1e-9, 1e-6, 1e-3])
def test_newtons_method_has_converged_only_where_the_constraints_hold(apart):
    """The row of a redundant drive is left out, so that no correction tells that it gapes: the run went on to its end."""
    assert simulate(parallelogram(0.0), 0.5, step=1e-2, **METHOD).ok
    solution = simulate(parallelogram(apart), 0.5, step=1e-2, check=False, **METHOD)
    stops = (1e-11 / apart) ** 0.25  # ten times newton_tolerance, at which the drives are apart
    assert not solution.ok and solution.t[-1] <= max(stops, 1e-2)
    assert solution.constraint_errors.position.max() <= 1.1e-11
