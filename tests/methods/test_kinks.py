"""Kinks of users' functions: found in accepted steps, beside independent runs of SciPy whose branches are held until they end."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bricard as br
import bricard.stepping.kinks as kinks
from bricard.errors import IncompatibleMethods, ModelError, SimulationError, UserFunctionError
from bricard.kernels import laws
from bricard.system.assembler import assemble

END = 1.8
STIFF = 400.0


def stop(t, x, v):
    return -20.0 * x - 0.5 * v - STIFF * max(x - 0.2, 0.0)


def backlash(t, x, v):
    if x > 0.1:
        return -STIFF * (x - 0.1)
    return -STIFF * (x + 0.1) if x < -0.1 else 0.0 * x


def preload(t, x, v):
    return -30.0 * x - 5.0 * np.sign(x)


def friction(t, x, v):
    return 12.0 * np.sin(5.0 * t) - 3.0 * x - 2.0 * np.sign(v)


def ladder(t, x, v):
    if x > 0.3:
        return -6.5 - 80.0 * (x - 0.3)
    elif x > 0.1:  # behind an outcome that is False
        return -0.5 - 30.0 * (x - 0.1)
    return -5.0 * x


def on_ladder(t, x, v, s):
    slopes = (-80.0, 0.3, -6.5) if s[0] > 0 else (-30.0, 0.1, -0.5) if s[1] > 0 else (-5.0, 0.0, 0.0)
    return slopes[2] + slopes[0] * (x - slopes[1])


# law, start, what vanishes at its kinks, and the law on the branches with these signs
CASES = {
    "stop": (
        stop,
        (0.0, 1.5),
        [lambda t, x, v: x - 0.2],
        lambda t, x, v, s: stop(t, 0.0, v) - 20.0 * x - (s[0] > 0) * STIFF * (x - 0.2),
    ),
    "backlash": (
        backlash,
        (0.0, 1.0),
        [lambda t, x, v: x - 0.1, lambda t, x, v: x + 0.1],
        lambda t, x, v, s: -STIFF * ((s[0] > 0) * (x - 0.1) + (s[1] < 0) * (x + 0.1)),
    ),
    "ladder": (ladder, (0.0, 2.0), [lambda t, x, v: x - 0.3, lambda t, x, v: x - 0.1], on_ladder),
    "preload": (preload, (0.3, 0.5), [lambda t, x, v: x], lambda t, x, v, s: -30.0 * x - 5.0 * s[0]),
    "friction": (
        friction,
        (0.0, 1.0),
        [lambda t, x, v: v],
        lambda t, x, v, s: 12.0 * np.sin(5.0 * t) - 3.0 * x - 2.0 * s[0],
    ),
}


def held(places, branch, law, y, end=END):
    """Times of kinks, and (x, v) at the end: SciPy, each branch being continued until one of its places is crossed."""
    t, y, times = 0.0, np.array(y), []
    while t < end:
        ahead = y + 1e-9 * np.array([y[1], law(t, *y)])
        signs = [np.sign(place(t + 1e-9, *ahead)) for place in places]

        def leaves(place, sign, begun=t):
            def event(s, z):
                return sign * place(s, *z) + (1e-12 if s <= begun + 1e-7 else 0.0)

            event.terminal, event.direction = True, -1
            return event

        events = [leaves(*pair) for pair in zip(places, signs, strict=True)]
        found = solve_ivp(
            lambda s, z, signs=signs: [z[1], branch(s, *z, signs)],
            (t, end),
            y,
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
            events=events,
            max_step=0.02,
        )
        t, y = found.t[-1], found.y[:, -1]
        times += [t] if found.status == 1 else []
    return np.array(times), y


@pytest.fixture(scope="module")
def reference():
    """Times of kinks, and (x, v) at the end, by case."""
    return {name: held(places, branch, law, y) for name, (law, y, places, branch) in CASES.items()}


def block(law, start=(0.0, 0.0), planar=False):
    """A mass of 1 kg on a guide, with a force by a law of its way."""
    model = br.Model("block", gravity=(0, 0, 0), planar=planar)
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.prismatic("guide", model.ground, "block", point=(0, 0, 0), axis=(1, 0, 0))
    model.motor("law", "guide", law)
    model.start(joint="guide", position=start[0], velocity=start[1])
    return model


def met(solution):
    """Times of the kinks at which steps have ended."""
    return np.array([event.t for event in solution.events if event.kind == "kink"])


def error(solution, end):
    return np.hypot(solution.joint("guide")[-1] - end[0], solution.joint_velocity("guide")[-1] - end[1])


ADAPTIVE = {"dopri5": 1e-10, "dop853": 1e-11, "adams": 1e-11, "radau": 1e-10, "bdf": 1e-12}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_every_crossing_is_found(integrator, case, reference):
    """To 1e-8 s, and the motion behind it is as exact as the tolerance asks."""
    law, start, *_ = CASES[case]
    times, end = reference[case]
    solution = br.simulate(block(law, start), END, integrator=integrator, rtol=ADAPTIVE[integrator], output=2)
    assert solution.counters["kinks"] == times.size >= 1
    np.testing.assert_allclose(met(solution), times, rtol=0, atol=1e-8)
    assert error(solution, end) <= 1e-6


# orders of fixed steps; Newton's method leaves 1e-12, SciPy as much
ORDERS = {"rk4": 4, "dopri5": 5, "adams": 4, "radau5": 5, "bdf": 2, "newmark": 2, "generalized-alpha": 2}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("integrator", ORDERS)
def test_fixed_steps_that_end_at_kinks_keep_their_order(integrator, case, reference):
    law, start, *_ = CASES[case]
    times, end = reference[case]
    errors = []
    for step in (0.01, 0.005):
        solution = br.simulate(block(law, start), END, integrator=integrator, step=step, output=2, kinks="stop at")
        assert met(solution).size == times.size
        errors.append(error(solution, end))
    assert errors[1] <= max(errors[0] / 2 ** (ORDERS[integrator] - 0.3), 1e-11)


def test_steps_that_go_over_kinks_lose_their_order(reference):
    """What is gained: fixed steps, not cut, are counted, and no better than of second order."""
    law, start, *_ = CASES["backlash"]
    times, end = reference["backlash"]
    solution = br.simulate(block(law, start), END, integrator="dopri5", step=0.005, output=2)
    cut = br.simulate(block(law, start), END, integrator="dopri5", step=0.005, output=2, kinks="stop at")
    assert error(cut, end) < 0.01 * error(solution, end)
    assert met(solution).size == 0 and solution.counters["kinks"] == times.size
    words = f'{times.size} kinks of the function "backlash" of motor "law" lay inside of steps'
    assert words in solution.status and "kinks" not in cut.status


@pytest.mark.parametrize(
    "options",
    [
        {"integrator": "dopri5", "step": 0.01},
        {"integrator": "rk4", "step": 0.01},
        {"integrator": "newmark", "step": 0.01},
        {"integrator": "adams", "step": 0.01},
        {"integrator": "dop853", "rtol": 1e-6, "kinks": "count"},
    ],
)
def test_counting_changes_nothing(options, monkeypatch):
    """Steps are taken again with dense output, but they are the same; to rounding where Newton's method begins elsewhere."""
    counted = br.simulate(block(*CASES["stop"][:2]), 0.4, output=5, **options)
    assert counted.counters["kinks"] == 2
    monkeypatch.setattr(kinks, "_functions", lambda system: ())
    plain = br.simulate(block(*CASES["stop"][:2]), 0.4, output=5, **options)
    np.testing.assert_allclose(
        counted.q,
        plain.q,
        rtol=0,
        atol=1e-8 if options["integrator"] == "newmark" else 0.0 if "step" in options else 1e-6,
    )


def sticking(t, x, v):
    return -3.0 * x - 5.0 * np.sign(v)


@pytest.mark.parametrize(
    "options",
    [
        *({"integrator": name, "rtol": 1e-8} for name in ADAPTIVE),
        {"integrator": "newmark", "step": 0.01, "kinks": "stop at"},
    ],
    ids=str,
)
def test_a_block_that_sticks_ends_the_run(options):
    """It comes to rest where 3 x is less than friction: 1/2 = 3/2 x^2 + 5 x."""
    with pytest.raises(
        SimulationError, match=r'a kink of the function "sticking" of motor "law" .* tanh\(v / v0\)'
    ) as caught:
        br.simulate(block(sticking, (0.0, 1.0)), 2.0, **options)
    found = caught.value.solution
    rest = (np.sqrt(28.0) - 5.0) / 3.0
    assert found.joint("guide")[-1] == pytest.approx(rest, abs=1e-3 if "step" in options else 1e-6)
    assert found.t[-1] < 0.2


def smoothly(t, x, v):
    return -(x * x * x if x > 0.1 else x * x * 0.3 - 0.03 * x + 0.001) - x


def rounded(t, x, v):
    return -10.0 * (np.floor(5.0 * x) + 5.0 * x % 1.0)


@pytest.mark.parametrize("law", [smoothly, rounded])
def test_kinks_that_do_not_count_end_no_step(law):
    """x^3 and its parabola have the same value and slope at 0.1; floor and the rest behind it make a straight line."""
    solution = br.simulate(block(law, (-0.45, 1.0)), 1.0, rtol=1e-8)
    assert solution.counters["kinks"] == 0 and met(solution).size == 0


def spring(t, a, b, p):
    """p: stiffness on the left of p[2] and on the right, jump of the force, where it is."""
    x = b.x[0] - a.x[0]
    if x < p[3]:
        return -p[0] * x, 0.0, 0.0, 0.0, 0.0, 0.0
    return -p[1] * x - p[2], 0.0, 0.0, 0.0, 0.0, 0.0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("planar", [False, True])
def test_random_forces(seed, planar):
    """A force of two bodies with a jump anywhere: times of all kinks, with an integrator that is drawn, too."""
    random = np.random.default_rng([25, 4, seed])
    p = (*random.uniform(5.0, 200.0, 2), random.uniform(0.0, 20.0), random.uniform(-0.1, 0.3))
    start = (random.uniform(-0.2, 0.4), random.uniform(0.5, 2.0))
    integrator = random.choice(["dopri5", "dop853", "radau", "adams"])
    model = br.Model("random", gravity=(0, 0, 0), planar=planar)
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(start[0], 0, 0))
    model.user_force("spring", model.ground, "block", spring, parameters=p)
    model.start(body="block", velocity=(start[1], 0, 0))
    times, end = held(
        [lambda t, x, v: x - p[3]],
        lambda t, x, v, s: -p[1] * x - p[2] if s[0] > 0 else -p[0] * x,
        lambda t, x, v: -p[0] * x if x < p[3] else -p[1] * x - p[2],
        start,
        1.0,
    )
    solution = br.simulate(model, 1.0, integrator=integrator, rtol=1e-11, output=2)
    np.testing.assert_allclose(met(solution), times, rtol=0, atol=1e-8)
    assert solution.q[-1, 0] == pytest.approx(end[0], abs=1e-8)
    assert np.abs(solution.energy.error).max() <= 1e-7


# where functions may stand -------------------------------------------------------------------------------------------------


def late(t):
    return 3.0 * t if t > 1 / 3 else 0.0 * t


def bent(x):
    return 10.0 * x * x + 100.0 * max(x - 0.1, 0.0) ** 2


def bent_beside(a, b, p):
    return bent(b.x[0] - a.x[0])


def cam(t, a, b, p):
    """Level up to 0.1, then a parabola: the acceleration jumps."""
    return b.x[1] - a.x[1] - max(b.x[0] - a.x[0] - 0.1, 0.0) ** 2, b.x[2] - a.x[2]


def skate(t, a, b, p):
    """Slips sideways with the speed of a half parabola."""
    return (b.v[1] - max(b.x[0] - a.x[0] - 0.1, 0.0),)


def free(planar=False):
    model = br.Model("free", gravity=(0, 0, 0), planar=planar)
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.start(body="block", velocity=(1.0, 0, 0))
    return model


def with_profile():
    return block(late, (0.0, 0.1))


def driven():
    model = br.Model("driven", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.prismatic("guide", model.ground, "block", point=(0, 0, 0), axis=(1, 0, 0))
    model.drive("drive", "guide", lambda t: max(t - 1 / 3, 0.0) ** 2)
    return model


def with_potential():
    model = free()
    model.user_force("spring", model.ground, "block", potential=bent_beside)
    return model


def with_load():
    model = free()
    model.force("push", "block", force=(late, 0.0, 0.0))
    return model


def with_rows(function, rows, kind="joint"):
    model = free()
    getattr(model, kind)("rows", model.ground, "block", function, rows=rows)
    return model


@pytest.mark.parametrize(
    ("make", "time"),
    [
        (with_load, 1 / 3),
        (driven, 1 / 3),
        (with_potential, np.arcsin(0.1 * np.sqrt(20.0)) / np.sqrt(20.0)),
        (lambda: with_rows(cam, 2), 0.1),
        (lambda: with_rows(skate, 1, "nonholonomic"), 0.1),
    ],
    ids=["load", "driver", "potential", "joint", "nonholonomic"],
)
def test_kinks_of_all_kinds_of_functions(make, time):
    for options in ({"rtol": 1e-9}, {"step": 0.013, "kinks": "stop at"}):
        found = met(br.simulate(make(), 0.4, output=2, **options))
        assert found.size >= 1
        assert found[0] == pytest.approx(time, abs=1e-8 if "rtol" in options else 1e-4)


def test_a_triggers_events_are_those_of_the_motion_that_is_kept(reference):
    """Watched beside kinks: levels before and behind the stop are crossed once, at the times of an exact run."""
    triggers = [br.Trigger("guide", at=level, name=f"{level}") for level in (0.19, 0.2 + 1e-6, 0.21)]
    found = [
        [
            (event.name, event.t)
            for event in br.simulate(block(*CASES["stop"][:2]), 0.3, triggers=triggers, **options).events
            if event.kind == "record"
        ]
        for options in ({"rtol": 1e-12, "integrator": "dop853"}, {"rtol": 1e-8, "integrator": "dopri5"})
    ]
    assert [name for name, _ in found[0]] == [name for name, _ in found[1]]
    assert len(found[0]) == 6
    np.testing.assert_allclose([t for _, t in found[1]], [t for _, t in found[0]], rtol=0, atol=1e-6)


def test_functions_without_branches_are_not_watched():
    def smooth(t, x, v):
        return -np.tanh(v / 0.01) * np.hypot(x, 1.0) - x**3

    def load(t, a, b, p):
        return -(b.x[0] ** 3), 0.0, 0.0, 0.0, 0.0, 0.0

    model = block(smooth, (0.0, 1.0))
    model.user_force("own", model.ground, "block", load)
    system = model.build()
    state = assemble(system)
    watched = kinks.Kinked(system, state, system.work(), None, False, 1.0, True)
    assert not watched.each and watched.record.functions.size == 0
    with_stop = kinks.Kinked((s := block(stop).build()), assemble(s), s.work(), None, False, 1.0, True)
    assert [each.words for each in with_stop.each] == ['the function "stop" of motor "law"']


def test_sides_alone_are_those_of_a_call_with_all_results():
    """Without room for results the same track is found: mark, number of sides, points without a derivative."""

    def law(t, x, v):
        force = np.exp(min(x, 0.5)) * abs(v) if t > 0.5 else np.interp(x, (0.0, 1.0), (0.0, 2.0))
        return force - (np.sign(x) if np.hypot(x, v) > 1.0 else 0.0) * (v % 0.3)

    asked = laws.of_function(law).branching.pointer()
    random, given, numbers = np.random.default_rng(25), np.zeros(12), np.zeros(1)
    marks = set()
    for _ in range(40):
        given[::4], given[1::4] = random.uniform(-1.0, 1.5, 3), 1.0
        given[4 if random.random() < 0.3 else 0] = 0.0
        tracks, parts = np.zeros((2, 3), np.int64), np.full(4, np.nan)
        for track, room in zip(tracks, (parts, parts[:0]), strict=True):
            asked(given, numbers, 0, 0, track, room)
        assert (tracks[0] == tracks[1]).all() and tracks[0, 1] > 0
        assert parts[0] == pytest.approx(law(*given[::4]), rel=1e-14)
        marks.add(tracks[0, 0])
    assert len(marks) > 6


# points without a derivative -------------------------------------------------------------------------------------------------


def test_a_law_that_stands_where_it_has_no_derivative_is_told():
    solution = br.simulate(block(lambda t, x, v: -x - 3.0 * abs(v)), 0.1, step=0.01)
    assert "The run started where the function" in solution.status
    assert "10 steps ended where the function" in solution.status


def newton(t, x, v):
    """The root of y + 0.3 sin y = x: abs is compared only, and where it is met it is zero."""
    y = x
    while abs(y + 0.3 * np.sin(y) - x) > 1e-13:
        y -= (y + 0.3 * np.sin(y) - x) / (1 + 0.3 * np.cos(y))
    return -3.0 * y - v


def quintic(t):
    s = np.clip(t, 0.0, 1.0)
    return 0.7 * s**3 * (10 + s * (-15 + 6 * s))


def between_axes(a, b, p):
    """Of the angle between two axes: arccos has no derivative where they agree, its square has all."""
    c = a.R[0][2] * b.R[0][2] + a.R[1][2] * b.R[1][2] + a.R[2][2] * b.R[2][2]
    return 0.5 * p[0] * np.arccos(max(-1.0, min(1.0, c))) ** 2


def of_axes():
    model = free()
    model.user_force("axes", model.ground, "block", potential=between_axes, parameters=(3.0,))
    model.start(body="block", angular_velocity=(0.3, 0.6, -0.2))
    return model


def driven():
    model = br.Model("driven", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.prismatic("rail", model.ground, "block", (0, 0, 0), (1, 0, 0))
    model.drive("drive", "rail", quintic)
    return model


@pytest.mark.parametrize("made", [lambda: block(newton), driven], ids=["newton", "quintic"])
def test_a_smooth_function_of_parts_without_derivative_is_not_told(made):
    assert "no derivative" not in br.simulate(made(), 0.1, rtol=1e-8).status


def test_a_smooth_function_of_bodies_is_not_told_at_the_start():
    assert "The run started where" not in br.simulate(of_axes(), 0.1, rtol=1e-8).status


def test_a_row_that_stands_where_it_has_no_derivative_ends_the_run():
    def round_the_origin(t, a, b, p):
        return (np.hypot(b.x[0] - a.x[0], b.x[1] - a.x[1]) - p[0],)

    model = br.Model("point")
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.joint("ring", model.ground, "block", round_the_origin, rows=1, parameters=(0.0,))
    with pytest.raises(UserFunctionError, match='"round_the_origin" of joint "ring" stands where it has no derivative'):
        br.simulate(model, 0.1)


def test_a_row_that_comes_to_such_a_point_ends_the_run():
    """A tie of max at the end of a step, to the last digit: time is what rows know exactly."""

    def level(t, a, b, p):
        return (b.x[1] - a.x[1] - 0.0 * max(t, 0.5 + 0.0 * b.x[0]),)

    model = free()
    model.joint("rows", model.ground, "block", level, rows=1)
    with pytest.raises(SimulationError, match=r't = 0.5 s .*"level" of joint "rows" stands where it has no derivative'):
        br.simulate(model, 1.0, step=0.125)


# wishes ----------------------------------------------------------------------------------------------------------------------


def test_wishes():
    with pytest.raises(ModelError, match=r'kinks is .*Did you mean "stop at"'):
        br.simulate(block(stop), 0.1, kinks="stop")
    with pytest.raises(IncompatibleMethods, match="does not take kinks"):
        br.simulate(block(stop), 0.1, integrator="ida", kinks="stop at")
