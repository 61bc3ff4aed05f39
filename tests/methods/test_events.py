"""Triggers: located to the last digits, in any form and with any integrator; stop, reset, many at once; breaks."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ellipk

import bricard as br
from bricard.errors import ModelError, SimulationError, UserFunctionError
from bricard.pairing import choose
from bricard.registry import INTEGRATORS
from bricard.stepping.events import Resets
from mechanisms import four_bar, rssr
from physical_pendulum import angle as exact_angle
from physical_pendulum import exact, system

G, LENGTH, START, BOUNCE = 9.81, 1.0, 1.0, 0.8
OMEGA = np.sqrt(G / (LENGTH * 2 / 3))  # a thin rod about its end

# formulation and integrator, options, tolerance of times (s)
METHODS = {
    "index1 rk4": ({"formulation": "index1", "integrator": "rk4", "step": 1e-3}, 1e-9),
    "index1 dopri5": ({"formulation": "index1", "integrator": "dopri5", "rtol": 1e-12}, 1e-9),
    "index1 dop853": ({"formulation": "index1", "integrator": "dop853", "rtol": 1e-12}, 1e-9),
    "index1 rkf45": ({"formulation": "index1", "integrator": "rkf45", "rtol": 1e-11}, 1e-8),
    "index1 adams": ({"formulation": "index1", "integrator": "adams", "rtol": 1e-12}, 1e-9),
    "ggl bdf": ({"formulation": "ggl", "integrator": "bdf", "rtol": 1e-10}, 1e-7),
    "ggl radau5": ({"formulation": "ggl", "integrator": "radau5", "step": 1e-2, "newton_tolerance": 1e-13}, 1e-7),
    "index3 generalized-alpha": ({"formulation": "index3", "integrator": "generalized-alpha", "step": 2e-4}, 1e-6),
    "svd dop853": ({"formulation": "svd", "integrator": "dop853", "rtol": 1e-12}, 1e-9),
    "coordinate-partitioning adams": (
        {"formulation": "coordinate-partitioning", "integrator": "adams", "rtol": 1e-12},
        1e-9,
    ),
}
EVERY = [name for name, method in INTEGRATORS.items() if method.external is None]  # of the other one see test_ida.py
USUAL = {"adams": 4, "bdf": 2}  # orders of fixed-step runs, where not the highest
FLOOR = 1e-10  # errors of methods of high order: what is left by the iterations of implicit ones


def falls_with_the_order(name, coarse, fine):
    """Whether an error falls as theory says when the step is halved, with the formulation that goes with the integrator."""
    chosen, method, form = choose(None, name, 0.01)
    order = method.orders_with(chosen.name, form, USUAL.get(name))[0]
    return fine <= max(coarse / 2 ** (order - 0.5), FLOOR)


def rod(start=START, planar=False):
    """A thin rod that hangs from a hinge and starts at rest at an angle."""
    model = br.Model("rod", gravity=(0, -G, 0), planar=planar)
    inertia = LENGTH**2 / 12
    model.body("rod", mass=1.0, inertia=(inertia, 1e-4, inertia), position=(0, -LENGTH / 2, 0))
    model.revolute("A", model.ground, "rod", (0, 0, 0), (0, 0, 1))
    model.start(joint="A", position=start)
    return model


def quarter(amplitude):
    """Quarter of the period of a pendulum, from the largest angle (rad) to the lowest point (s)."""
    return ellipk(np.sin(amplitude / 2) ** 2) / OMEGA


def bounces(restitution, end, start=START):
    """Times at which the rod meets a wall at the lowest point, every speed being multiplied by the restitution there."""
    times, sine = [quarter(start)], np.sin(start / 2)
    while times[-1] < end:
        sine *= restitution
        times.append(times[-1] + 2 * quarter(2 * np.arcsin(sine)))
    return np.array(times[:-1])


def times(solution, name=None):
    return np.array([event.t for event in solution.events if event.q is not None and name in (None, event.name)])


# ---- location ----


@pytest.mark.parametrize("method", list(METHODS))
def test_zero_crossings_of_a_joint_angle(method):
    """At odd multiples of a quarter of the period, rising and falling in turn; nothing is changed by looking."""
    options, tolerance = METHODS[method]
    end = 7.5 * quarter(START)
    trigger = br.Trigger("A")
    solution = br.simulate(rod(), end, triggers=trigger, output=11, **options)
    np.testing.assert_allclose(times(solution), quarter(START) * np.arange(1, 8, 2), rtol=0, atol=tolerance)
    assert [event.kind for event in solution.events if event.q is not None] == ["record"] * 4
    for event in solution.events:
        if event.q is not None:
            assert abs(solution.at(event.t).q - event.q).max() == 0.0
            assert abs(np.arcsin(2 / LENGTH * event.q[0])) <= 1e-9
    plain = br.simulate(rod(), end, output=11, **options)
    # Only the stages that dop853 adds for its dense output leave a trace in svd: the search for the next state begins where they
    # ended, each state is found up to 2e-15 (1 + |q|) = 4e-15 (expansion.py), and a forced pendulum makes omega T of it
    trace = 2 * 4e-15 * OMEGA * end if method == "svd dop853" else 0.0
    np.testing.assert_allclose(solution.q, plain.q, rtol=0, atol=trace)


@pytest.mark.parametrize("name", EVERY)
def test_noting_an_event_changes_nothing_in_the_motion(name):
    triggers = [br.Trigger("A", at=level, name=f"{level}") for level in (0.95, 0.8, 0.5, 0.3, 0.1)]
    plain, noted = (br.simulate(rod(), 0.5, step=0.01, integrator=name, triggers=watched) for watched in ((), triggers))
    assert [event.name for event in noted.events if event.q is not None] == ["0.95", "0.8", "0.5", "0.3", "0.1"]
    for a, b in ((plain.q, noted.q), (plain.v, noted.v), (plain.lam, noted.lam)):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("direction", ["rising", "falling", "both"])
def test_direction(direction):
    solution = br.simulate(rod(), 7.5 * quarter(START), rtol=1e-10, triggers=[br.Trigger("A", direction=direction)])
    multiples = {"falling": [1, 5], "rising": [3, 7], "both": [1, 3, 5, 7]}[direction]
    np.testing.assert_allclose(times(solution) / quarter(START), multiples, atol=1e-8)


def lowest(t, q, v):
    return q[2]


def sideways(t, q, v):
    return v[0]


def test_functions_of_a_system_of_functions():
    """Of time, of positions, of velocities; each by its own name."""

    def clock(t, q, v):
        return t - 0.7

    triggers = [br.Trigger(clock), br.Trigger(lowest, name="bottom"), br.Trigger(sideways)]
    solution = br.simulate(system(), 2.0, rtol=1e-11, triggers=triggers, integrator="dop853")
    assert times(solution, "clock") == pytest.approx([0.7], abs=1e-13)
    period = 4 * ellipk(0.5) / np.sqrt(GRAVITY_S / (1 / 12 + 0.25))
    np.testing.assert_allclose(times(solution, "bottom"), period * np.array([0.25, 0.75]), atol=1e-9)
    for event in solution.events:
        if event.name == "sideways":
            assert abs(exact(event.t)[1][0]) <= 1e-8
    assert list(times(solution)) == sorted(times(solution))


GRAVITY_S = 9.81 * 0.5


def test_many_events_in_one_step():
    """Steps of 0.1 s and a function that oscillates: two of one, and those of five others, in the order of time."""

    def fast(t, q, v):
        return np.cos(60.0 * t)

    def at(level):
        return br.Trigger("A", at=level, direction="falling", name=f"{level}")

    levels = (0.5, 0.2, 0.3, 0.25, 0.4)
    triggers = [br.Trigger(fast), *(at(level) for level in levels)]
    solution = br.simulate(rod(), 0.4, formulation="ggl", integrator="radau5", step=0.1, triggers=triggers, output=2)
    assert solution.counters["steps"] == 4
    np.testing.assert_allclose(times(solution, "fast"), (np.arange(8) + 0.5) * np.pi / 60, atol=1e-12)
    found = [event.name for event in solution.events if event.name != "fast"]
    assert found == ["0.5", "0.4", "0.3", "0.25", "0.2"]
    assert list(times(solution)) == sorted(times(solution))


def test_turns_are_counted():
    """A rod that turns over: its angle passes 1 rad once, 1 rad after two full turns once."""
    model = rod(0.0)
    model.wishes.clear()
    model.start(joint="A", position=0.0, velocity=15.0)
    triggers = [br.Trigger("A", at=1.0), br.Trigger("A", at=1.0 + 4 * np.pi, name="later")]
    solution = br.simulate(model, 1.5, rtol=1e-10, triggers=triggers)
    assert solution.joint("A")[-1] > 1.0 + 4 * np.pi
    assert times(solution, "A").size == times(solution, "later").size == 1
    assert solution.at(times(solution, "later")[0]).v[5] == pytest.approx(
        solution.at(times(solution, "A")[0]).v[5], abs=1e-5
    )
    more = br.simulate(solution, 1.0, rtol=1e-10, triggers=br.Trigger("A", at=1.0 + 8 * np.pi, name="on"))
    assert more.joint("A")[-1] > 1.0 + 8 * np.pi
    assert times(more, "on").size == 1


def test_velocity_of_a_coordinate():
    solution = br.simulate(rod(), 4.5 * quarter(START), rtol=1e-11, triggers=br.Trigger("A", velocity=True))
    np.testing.assert_allclose(times(solution), quarter(START) * np.array([2, 4]), atol=1e-8)  # the start is no event


@pytest.mark.parametrize("mechanism", [rssr, four_bar])
@pytest.mark.parametrize("formulation", ["index1", "svd"])
def test_closed_loops(mechanism, formulation):
    """The event lies where the samples say, and its state closes the loop; a displacement and a distance too."""
    options = {"formulation": formulation, "rtol": 1e-10, "output": 401}
    solution = br.simulate(mechanism(), 0.4, triggers=br.Trigger("D", at=-0.02), **options)
    values = solution.joint("D") + 0.02
    crossings = np.flatnonzero(values[1:] * values[:-1] < 0)
    assert times(solution).size == crossings.size > 0
    for t, k in zip(times(solution), crossings, strict=True):
        assert solution.t[k] <= t <= solution.t[k + 1]
    for event in solution.events:
        if event.q is not None:
            phi = solution.system.constraint(event.t, event.q)
            assert np.abs(phi).max() <= 1e-10


def ball(height=1.0):
    """A point on a vertical guide."""
    model = br.Model("ball", gravity=(0, 0, -G))
    model.body("ball", br.Sphere((0, 0, height), radius=0.05, mass=1.0))
    model.prismatic("P", model.ground, "ball", (0, 0, height), (0, 0, 1))
    model.start(joint="P", position=0.0)
    return model


# ---- stop ----


@pytest.mark.parametrize("method", list(METHODS))
def test_stop_at_a_position(method):
    options, tolerance = METHODS[method]
    solution = br.simulate(rod(), 5.0, triggers=br.Trigger("A", at=-0.3, action="stop", name="low"), **options)
    assert solution.ok
    assert solution.status.startswith("Stopped at t = ") and solution.status.endswith('by trigger "low".')
    assert solution.t[-1] == solution.end.t == solution.events[-1].t < 2 * quarter(START)
    assert solution.joint("A")[-1] == pytest.approx(-0.3, abs=1e-11)
    assert np.all(np.diff(solution.t) > 0.0)
    reference = br.simulate(
        rod(), 5.0, rtol=1e-13, integrator="dop853", triggers=br.Trigger("A", at=-0.3, action="stop")
    )
    assert solution.t[-1] == pytest.approx(reference.t[-1], abs=tolerance)


def test_a_run_that_was_stopped_goes_on():
    """The same trigger does not stop it where it stands."""
    trigger = br.Trigger("A", at=-0.3, action="stop")
    one = br.simulate(rod(), 5.0, rtol=1e-11, triggers=trigger)
    two = br.simulate(one, 5.0, rtol=1e-11, triggers=trigger)
    assert len(two.events) == 2
    middle = 0.5 * (two.events[0].t + two.events[1].t)
    assert middle == pytest.approx(2 * quarter(START), abs=1e-9)


def test_records_before_a_stop_are_kept_and_those_after_it_are_not_there():
    triggers = [br.Trigger("A", at=level, name=f"{level}") for level in (-0.29, -0.31)]
    triggers.append(br.Trigger("A", at=-0.3, action="stop"))
    for options in ({"rtol": 1e-6, "integrator": "dop853"}, {"step": 0.05, "integrator": "rk4"}):
        solution = br.simulate(rod(), 5.0, triggers=triggers, **options)
        assert [event.name for event in solution.events] == ["-0.29", "A"]


# ---- reset ----


@pytest.mark.parametrize("method", list(METHODS))
def test_pendulum_against_a_wall(method):
    """The exact times of all bounces, with restitution; the energy that is lost is accounted for."""
    options, tolerance = METHODS[method]
    end, wall = 3.0, br.Trigger("A", direction="falling", action=lambda t, q, v: -BOUNCE * v, name="wall")
    solution = br.simulate(rod(), end, triggers=wall, output=301, **options)
    expected = bounces(BOUNCE, end)
    assert expected.size == 4
    np.testing.assert_allclose(times(solution, "wall"), expected, rtol=0, atol=10 * tolerance)
    assert solution.joint("A").min() >= -1e-9
    for event in solution.events:
        if event.name == "wall":
            np.testing.assert_allclose(event.v_after, -BOUNCE * event.v, rtol=0, atol=1e-7)
            np.testing.assert_array_equal(solution.at(event.t).v, event.v_after)
            before = solution.at(event.t - 1e-7).v
            np.testing.assert_allclose(before, event.v, rtol=0, atol=1e-4)
    kinetic = solution.energy.total[-1] - solution.energy.total[0]
    drop = G * LENGTH / 2 * (1 - np.cos(START)) * (1 - BOUNCE ** (2 * expected.size))
    assert kinetic == pytest.approx(-drop, rel=1e-5)
    assert np.abs(solution.energy.error).max() <= 1e-5
    assert solution.constraint_errors.position.max() <= 1e-6


@pytest.mark.parametrize("name", EVERY)
def test_every_integrator_bounces(name):
    """With a small step and the formulation that it has by default; another trigger looks on."""
    triggers = [
        br.Trigger("A", direction="falling", action=lambda t, q, v: -BOUNCE * v, name="wall"),
        br.Trigger("A", at=0.2, name="seen"),
    ]
    order = INTEGRATORS[name].order
    solution = br.simulate(rod(), 1.5, integrator=name, step=2e-4 if order == 1 else 1e-3, triggers=triggers, output=21)
    np.testing.assert_allclose(times(solution, "wall"), bounces(BOUNCE, 1.5), rtol=0, atol=1e-3 if order == 1 else 3e-5)
    assert times(solution, "seen").size == 4
    assert np.abs(solution.energy.error).max() <= (0.02 if order == 1 else 2e-4)


@pytest.mark.parametrize("name", EVERY)
def test_events_and_resets_keep_the_order(name):
    """The first bounce is an event of the smooth motion, the second comes after a reset; against exact times."""
    wall = br.Trigger("A", direction="falling", action=lambda t, q, v: -BOUNCE * v)
    exact = bounces(BOUNCE, 1.5)
    coarse, fine = (
        np.abs(times(br.simulate(rod(), 1.5, step=h, integrator=name, triggers=wall, output=2)) - exact)
        for h in (0.01, 0.005)
    )
    assert falls_with_the_order(name, coarse[0], fine[0])
    assert falls_with_the_order(name, coarse[1], fine[1])


def test_ball_bounces_more_and_more_often():
    """Exact times of 12 bounces; then they crowd, and the run says so."""
    floor = br.Trigger("P", at=-1.0, direction="falling", action=lambda t, q, v: -0.5 * v, name="floor")
    first = np.sqrt(2 / G)
    hops = 2 * first * 0.5 ** np.arange(1, 12)
    solution = br.simulate(ball(), 1.35, rtol=1e-11, triggers=floor, output=51)
    expected = first + np.concatenate([[0.0], np.cumsum(hops)])
    np.testing.assert_allclose(times(solution)[:8], expected[expected < 1.35][:8], rtol=0, atol=1e-10)
    with pytest.raises(SimulationError, match=r'trigger "floor", which has .*velocity of zero') as caught:
        br.simulate(ball(), 2.0, rtol=1e-11, triggers=floor, output=51)
    found = caught.value.solution
    assert not found.ok
    assert found.t[-1] <= 3 * first
    assert f"reset the state {times(found).size} times" in found.status and "At t = 1.35456" in found.status
    np.testing.assert_allclose(times(found)[:12], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("restitution", [0.01, 0.1, 0.8])
@pytest.mark.parametrize("method", ["index1 rk4", "index1 dopri5", "index1 adams", "index3 generalized-alpha"])
def test_no_ball_falls_through_the_floor(restitution, method):
    """Hops that become too short to be seen end the run, with a sentence; its time is the sum of all hops."""
    floor = br.Trigger("P", at=-1.0, direction="falling", action=lambda t, q, v: -restitution * v, name="floor")
    end = np.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    solution = br.simulate(ball(), 1.2 * end, triggers=floor, output=51, check=False, **METHODS[method][0])
    assert not solution.ok and 'trigger "floor", which has reset the state' in solution.status
    assert solution.events[-1].t == pytest.approx(end, rel=1e-5)
    assert solution.joint("P").min() >= -1.0 - 1e-9


def hanging(coordinates):
    """A rod that hangs at 90 degrees, where its angle has round-off: triggers stop it there."""
    model = br.Model("hanging")
    model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, "rod", (0, 0, 0), (0, 1, 0))
    return model.build(coordinates=coordinates)


@pytest.mark.parametrize("direction", ["rising", "both"])
@pytest.mark.parametrize("method", ["index1 dopri5", "index3 generalized-alpha", "relative"])
def test_a_rod_that_was_stopped_at_its_lowest_point_stays_there(method, direction):
    """Round-off about the value that is crossed is no crossing, and no reason to reset again."""
    options = METHODS[method][0] if method in METHODS else {"integrator": "dopri5", "rtol": 1e-8}
    brake = br.Trigger("A", at=np.pi / 2, direction=direction, action=lambda t, q, v: 0.0 * v)
    system = hanging("relative" if method == "relative" else "absolute")
    solution = br.simulate(system, 3.0, triggers=brake, output=51, **options)
    assert times(solution).size == 1
    assert np.abs(solution.joint("A")[-1] - np.pi / 2) <= 1e-12


def test_resets_at_a_steady_pace_are_not_taken_for_a_crowd():
    """A clock that sets the state 20 times each millisecond, in a run of 100 s: so short a time between resets may be meant."""
    resets = Resets()
    assert not any(resets.crowd(5e-5 * (k + 0.01 * np.sin(k)), 100.0) for k in range(200))
    assert resets.count == 200


def test_short_hops_within_a_long_step_are_seen():
    """Steps of 0.5 s: each bounce returns to the floor long before the first place that is looked at."""
    floor = br.Trigger("P", at=-1.0, direction="falling", action=lambda t, q, v: -0.05 * v, name="floor")
    solution = br.simulate(
        ball(),
        0.49,
        formulation="ggl",
        integrator="radau5",
        step=0.49,
        triggers=[floor],
        output=2,
        newton_tolerance=1e-13,
    )
    first = np.sqrt(2 / G)
    np.testing.assert_allclose(times(solution)[:2], [first, first * 1.1][: times(solution).size], rtol=0, atol=1e-9)


def test_a_new_velocity_is_made_consistent():
    """A loop whose crank is struck: what the action asks for breaks the constraints, what follows does not."""

    def struck(t, q, v):
        asked = v.copy()
        asked[:3] += 1.0
        return asked

    solution = br.simulate(rssr(), 0.2, rtol=1e-9, triggers=br.Trigger("A", at=0.2, action=struck, direction="rising"))
    event = next(event for event in solution.events if event.kind == "reset")
    G_ = solution.system.jacobian(event.t, event.q_after, event.v_after)
    assert np.abs(G_ @ event.v_after).max() <= 1e-9
    assert np.abs(event.v_after - event.v).max() > 0.1
    m = solution.system.mass(event.q_after).toarray()
    change = event.v_after - struck(event.t, event.q, event.v)  # smallest in the mass metric: M change is a reaction
    forces = m @ change
    lam = np.linalg.lstsq(np.asarray(G_.todense() if hasattr(G_, "todense") else G_).T, forces, rcond=None)[0]
    left = forces - np.asarray(G_.todense() if hasattr(G_, "todense") else G_).T @ lam
    assert np.abs(left).max() <= 1e-8


def test_a_new_position():
    """(q, v): the rod is put back to where it started, every time."""

    def back(t, q, v):
        return start_q, 0.0 * v

    start_q = br.simulate(rod(), 0.1, output=2).q[0]
    solution = br.simulate(rod(), 2.0, rtol=1e-10, triggers=br.Trigger("A", at=0.0, action=back))
    np.testing.assert_allclose(times(solution), quarter(START) * np.arange(1, 1 + times(solution).size), atol=1e-8)
    assert times(solution).size >= 3


def test_two_triggers_at_once():
    """A bounce at the wall while another trigger records the same angle."""
    triggers = [
        br.Trigger("A", direction="falling", name="seen"),
        br.Trigger("A", direction="falling", action=lambda t, q, v: -BOUNCE * v, name="wall"),
    ]
    for order in (triggers, triggers[::-1]):
        solution = br.simulate(rod(), 1.5, rtol=1e-11, triggers=order)
        assert [event.name for event in solution.events] == ["seen", "wall"] * 2


@pytest.mark.parametrize("start", [0.0, 0.3])
def test_a_start_at_the_value_is_no_event(start):
    """At rest or moving, away from it or through it."""
    for speed in (1.0, -1.0, 0.0):
        model = rod(start)
        model.start(joint="A", velocity=speed)
        solution = br.simulate(model, 0.05, rtol=1e-9, triggers=br.Trigger("A", at=start))
        assert times(solution).size == 0


# ---- breaks ----


JUMP = 1 / 3


def kick(t, x, rate):
    """A torque that sets in at once."""
    return 5.0 * (t >= JUMP) + 0.0 * x


def jumping():
    model = rod()
    model.motor("M", "A", kick)
    return model


@pytest.mark.parametrize(
    "options",
    [
        {"formulation": "index1", "integrator": "rk4", "step": 0.01},
        {"formulation": "index1", "integrator": "adams", "step": 0.01, "order": 5},
        {"formulation": "index3", "integrator": "generalized-alpha", "step": 0.01},
        {"formulation": "index3", "integrator": "wilson-theta", "step": 0.01},
        {"formulation": "index3", "integrator": "collocation", "step": 0.01},
    ],
    ids=lambda options: options["integrator"],
)
def test_breaks_bring_the_order_back(options):
    """Fixed steps: with the break the error falls as without a jump."""
    exact = br.simulate(jumping(), 1.0, rtol=1e-12, integrator="dop853", output=2, breaks=JUMP)
    off = {
        breaks: [
            np.abs(
                br.simulate(jumping(), 1.0, breaks=breaks, output=2, **options | {"step": h}).q[-1] - exact.q[-1]
            ).max()
            for h in (0.01, 0.005)
        ]
        for breaks in ((), (JUMP,))
    }
    order = {"rk4": 4, "adams": 5}.get(options["integrator"], 2)
    without, with_ = off.values()
    assert np.log2(with_[0] / with_[1]) == pytest.approx(order, abs=0.5)
    if order > 2:
        assert with_[1] <= 0.01 * without[1]


@pytest.fixture(scope="module")
def behind_the_jump():
    """q (n_q,) at t = 1 s."""
    return br.simulate(jumping(), 1.0, rtol=1e-12, integrator="dop853", output=2, breaks=JUMP).q[-1]


@pytest.mark.parametrize("name", EVERY)
def test_breaks_keep_the_order(name, behind_the_jump):
    coarse, fine = (
        np.abs(
            br.simulate(jumping(), 1.0, step=h, integrator=name, breaks=JUMP, output=2).q[-1] - behind_the_jump
        ).max()
        for h in (0.01, 0.005)
    )
    assert falls_with_the_order(name, coarse, fine)


@pytest.mark.parametrize("name", EVERY)
def test_no_step_looks_past_a_break(name):
    """Up to there the motion is that without the jump, also of methods that evaluate beyond the end of a step."""
    calm = rod()
    calm.motor("M", "A", lambda t, x, rate: 0.0 * x)
    settings = {"integrator": name, "step": 0.01, "breaks": JUMP, "output": np.array([0.2, JUMP])}
    a, b = (br.simulate(model, 0.4, **settings) for model in (jumping(), calm))
    np.testing.assert_allclose(a.v[:2], b.v[:2], rtol=0, atol=1e-12)
    assert np.abs(a.v[-1] - b.v[-1]).max() > 0.1


@pytest.mark.parametrize("method", ["index1 dopri5", "index1 adams", "ggl bdf", "svd dop853"])
def test_breaks_save_refused_steps(method):
    options = METHODS[method][0] | {"rtol": 1e-8}
    exact = br.simulate(jumping(), 1.0, rtol=1e-12, integrator="dop853", output=2, breaks=JUMP)
    known = br.simulate(jumping(), 1.0, output=2, breaks=[JUMP], **options)
    unknown = br.simulate(jumping(), 1.0, output=2, **options)
    assert JUMP in known.step_times and JUMP not in unknown.step_times
    assert known.counters["rejected"] < unknown.counters["rejected"]
    assert np.abs(known.q[-1] - exact.q[-1]).max() <= 1e-6


def test_breaks_of_the_model_are_known():
    model = rod()
    model.motor("M", "A", br.SmoothStep(0.0, 5.0, 0.3, 0.4))
    solution = br.simulate(model, 1.0, rtol=1e-9)
    assert {0.3, 0.4} <= set(solution.step_times)
    given = br.simulate(model, 1.0, rtol=1e-9, breaks=0.7)
    assert {0.3, 0.4, 0.7} <= set(given.step_times)
    fixed = br.simulate(model, 1.0, step=0.03, integrator="rk4")
    assert fixed.counters["steps"] == 34  # of 1/34 s: never longer than asked, and none ends at the kinks


def test_breaks_on_the_grid_of_a_fixed_step():
    """Breaks at, just before and just after grid points: no step is lost, none is empty."""
    times = [0.1, 0.2 * (1 - 1e-15), 0.3 * (1 + 1e-15), 0.4, np.nextafter(0.5, 0), 0.555]
    solution = br.simulate(rod(), 1.0, step=0.01, integrator="rk4", breaks=times)
    assert solution.ok
    assert solution.counters["steps"] == 101
    plain = br.simulate(rod(), 1.0, step=0.01, integrator="rk4")
    np.testing.assert_allclose(solution.q, plain.q, rtol=0, atol=1e-9)


# ---- what is refused ----


def two_arguments(t, q):
    return q[0]


def many(t, q, v):
    return q


def truth(t, q, v):
    return q[0] > 0.0


def listed(t, q, v):
    return q[0] - LEVELS[0]


LEVELS, PLACES = [-0.5], SimpleNamespace(low=-0.8)


class Height:
    """The height of the rod's centre above a level (m), in the ways in which people write that."""

    def __init__(self, level):
        self.level = level

    def __call__(self, t, q, v):
        return q[1] - self.level

    def above(self, t, q, v):
        return self(t, q, v)


def of_places(t, q, v):
    return q[1] - PLACES.low / 2


def by_generator(t, q, v):
    return sum(x for x in q[1:2]) + 0.4


def as_float(t, q, v):
    return float(q[1]) + 0.4


@pytest.mark.parametrize(
    "function",
    [
        Height(-0.4),
        Height(-0.4).above,
        functools.partial(lambda t, q, v, level: q[1] - level, level=-0.4),
        of_places,
        by_generator,
        as_float,
    ],
    ids=["object", "method", "partial", "namespace", "generator", "float"],
)
def test_ways_to_write_a_function(function):
    """The centre of the rod is 0.4 m below its hinge where cos(A) is 0.8."""
    triggers = [br.Trigger(function, name="height"), br.Trigger("A", at=np.arccos(0.8), name="angle")]
    solution = br.simulate(rod(), quarter(START), rtol=1e-10, triggers=triggers)
    times = {event.name: event.t for event in solution.events if event.name in ("height", "angle")}
    assert abs(times["height"] - times["angle"]) < 1e-9  # both to the error of the run


def hole(t, q, v):
    return np.sqrt(0.5 - t) if t > 0.2 else 1.0


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"function": "B"}, ModelError, 'there is no joint "B"'),
        ({"function": "A", "direction": "up"}, ModelError, 'no direction "up"'),
        ({"function": "A", "direction": "risin"}, ModelError, 'Did you mean "rising"'),
        ({"function": "A", "action": "halt"}, ModelError, '"record", "stop" or a function'),
        ({"function": "A", "at": "high"}, ModelError, "must be a number"),
        ({"function": 3.0}, ModelError, "needs a joint coordinate or a function"),
        ({"function": lowest, "velocity": True}, ModelError, "for joint coordinates"),
        ({"function": two_arguments}, UserFunctionError, 'trigger "two_arguments" fails at the start: TypeError'),
        ({"function": many}, UserFunctionError, "must return a finite number"),
        ({"function": truth}, UserFunctionError, "returns a truth. It must return what is compared"),
        (
            {"function": listed},
            UserFunctionError,
            '^trigger "listed": The function "listed" .* the global list "LEVELS".*[^.][.]$',
        ),
        ({"function": "A", "action": lambda t, q, v: v[:2]}, UserFunctionError, "needed are 6 velocities"),
        ({"function": "A", "action": lambda t, q, v: v / 0}, UserFunctionError, "not finite"),
        ({"function": "A", "action": lambda t, q: q}, UserFunctionError, "fails at t = 0.*TypeError"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_triggers(options, error, text):
    with pytest.raises(error, match=text):
        br.simulate(rod(), 1.0, rtol=1e-6, triggers=br.Trigger(**options))


def test_a_function_that_loses_its_value():
    with pytest.raises(SimulationError, match=r'function of trigger "hole" is not finite at t = 0\.[45]'):
        br.simulate(rod(), 1.0, rtol=1e-6, triggers=br.Trigger(hole))


def test_other_bad_arguments():
    with pytest.raises(ModelError, match=r"list of br\.Trigger"):
        br.simulate(rod(), 1.0, triggers=["A"])
    with pytest.raises(ModelError, match="breaks: a time must be a number"):
        br.simulate(rod(), 1.0, breaks=["soon"])
    with pytest.raises(ModelError, match="has no joints; give a function"):
        br.simulate(system(), 1.0, triggers=br.Trigger("A"))


# ---- leaving ----


def test_events_are_saved(tmp_path):
    wall = br.Trigger("A", direction="falling", action=lambda t, q, v: -BOUNCE * v, name="wall")
    solution = br.simulate(rod(), 1.0, rtol=1e-9, triggers=[wall, br.Trigger("A", at=0.5)])
    solution.save(tmp_path / "rod.h5")
    loaded = br.Solution.load(tmp_path / "rod.h5")
    for one, two in zip(solution.events, loaded.events, strict=True):
        assert one[:4] == two[:4]
        for a, b in zip(one[4:], two[4:], strict=True):
            np.testing.assert_array_equal(a, b)
    t = loaded.events[0].t
    np.testing.assert_array_equal(loaded.at(t).v, solution.at(t).v)
    assert [set(event) for event in solution.summary()["events"]] == [{"t", "kind", "text"}] * len(solution.events)


def test_exact_angle_is_that_of_the_spec():
    """The pendulum of spec 003 passes its lowest point where its exact motion says."""
    solution = br.simulate(system(), 1.0, rtol=1e-12, integrator="dop853", triggers=br.Trigger(lowest))
    assert abs(exact_angle(times(solution)[0])[0]) <= 1e-10


@pytest.mark.parametrize("count", [9, 47, 200])
def test_many_breaks_are_all_passed(count):
    """Each takes its step, none a step of length zero behind it: early ones are far smaller than the end of the run."""
    duration = 5.0
    times = np.linspace(0.0, duration, count + 2)[1:-1]
    solution = br.simulate(rod(), duration, breaks=times, output=2, rtol=1e-6)
    gaps = np.abs(np.asarray(solution.step_times)[:, None] - times).min(axis=0)
    assert gaps.max() <= 1e-12
    assert solution.counters["steps"] <= 10 * (count + 100)
