"""States inside of steps: no step is cut for output, and what is shown there is as accurate as the method."""

import numpy as np
import pytest

import bricard as br
from bricard.registry import FORMULATIONS, INTEGRATORS
from mechanisms import four_bar, rssr
from physical_pendulum import exact
from physical_pendulum import system as physical_pendulum

EVERY = [name for name, method in INTEGRATORS.items() if method.external is None]
# factors by which errors of q, and of v and lam, may be larger inside of steps than at their ends, where the order is lower there
LOWER = {"rkf45": (1.5, 20.0), "dopri5": (5.0, 20.0), "dop853": (10.0, 15.0), "radau": (60.0, 1000.0)}
FIXED = ("overdetermined", "index3-alf")  # formulations whose integrators have no error control
LOOKS = ((2, ()), (58, ()), (2, br.Trigger("A", at=0.3)))
INDEX_3 = ("generalized-alpha", "hht", "newmark", "wilson-theta", "collocation", "energy-momentum")
STEP, SPAN = 0.005, 0.4
GRID = STEP * np.arange(1, round(SPAN / STEP) + 1)
INSIDE = GRID[:-1] + STEP * np.linspace(0.1, 0.9, GRID.size - 1)


@pytest.fixture(scope="module", params=[four_bar, rssr])
def mechanism(request):
    """A system, and its motion with its multipliers at the end of steps and inside of them."""
    system = request.param().build()
    runs = (br.simulate(system, SPAN, rtol=1e-12, integrator="dop853", output=times) for times in (GRID, INSIDE))
    return system, [(run.q, run.v, run.lam) for run in runs]


@pytest.mark.parametrize("name", EVERY)
def test_output_inside_of_steps(mechanism, name):
    """The run is the same to the last bit, and errors inside of steps are those at their ends."""
    system, references = mechanism
    ends = br.simulate(system, SPAN, step=STEP, integrator=name, output=GRID)
    inside = br.simulate(system, SPAN, step=STEP, integrator=name, output=INSIDE)
    assert ends.counters["steps"] == inside.counters["steps"]
    for a, b in ((ends.q, inside.q), (ends.v, inside.v), (ends.lam, inside.lam)):
        assert np.array_equal(a[-1], b[-1])
    errors = [
        [np.abs(found - exact)[1:-1].max() for found, exact in zip((run.q, run.v, run.lam), reference, strict=True)]
        for run, reference in zip((ends, inside), references, strict=True)
    ]
    usual = 1.5, 4.0 if INTEGRATORS[name].order <= 2 else 15.0  # cubics are of order 4, with a constant of their own
    place, rough = LOWER.get(name, usual)
    for at_ends, in_between, factor in zip(*errors, (place, rough, rough), strict=True):
        assert in_between < max(factor * at_ends, 1e-10 if INTEGRATORS[name].adaptive else 0.0)


@pytest.mark.parametrize("name", [name for name, method in FORMULATIONS.items() if not method.needs])
def test_what_is_shown_or_watched_changes_nothing_in_the_run(name):
    """Not even the last digits, in independent coordinates either, where the state is searched from the one found before."""
    common = {"formulation": name, "step": 0.01} if name in FIXED else {"formulation": name, "rtol": 1e-7}
    runs = [br.simulate(rssr(), 0.2, output=n, triggers=watched, **common) for n, watched in LOOKS]
    assert [event.name for event in runs[2].events if event.q is not None] == ["A"]
    for other in runs[1:]:
        assert np.array_equal(other.q[-1], runs[0].q[-1]) and np.array_equal(other.v[-1], runs[0].v[-1])


@pytest.mark.parametrize("formulation", ["index2", "index3-alf"])
def test_output_inside_of_steps_with_projections(formulation):
    settings = {"formulation": formulation, "integrator": "generalized-alpha", "step": STEP}
    ends, inside = (br.simulate(four_bar(), SPAN, output=times, **settings) for times in (GRID, INSIDE))
    assert ends.counters["corrections"] == inside.counters["corrections"]
    assert np.array_equal(ends.q[-1], inside.q[-1]) and np.array_equal(ends.lam[-1], inside.lam[-1])
    assert inside.constraint_errors.velocity.max() < 1e-8


def pairs_that_hold_constraints():
    """Formulations that hold constraints by themselves, with what marches them."""
    for name in ("index3", "ggl", "si1"):
        for method in INTEGRATORS.values():
            if method.external is None and method.adaptive and fits(name, method):
                yield name, method.name


def fits(formulation, method):
    return any(form in method.accepts for form in FORMULATIONS[formulation].forms)


@pytest.mark.parametrize(("formulation", "integrator"), list(pairs_that_hold_constraints()))
def test_constraints_hold_inside_of_steps_as_at_their_ends(formulation, integrator):
    """They were violated up to 1e5 times more (T15). One end of a step may be 5 times better than that which sets the measure."""
    rng, system = np.random.default_rng(15), rssr(speed=3.0).build()
    settings = {"formulation": formulation, "integrator": integrator, "rtol": 1e-5, "energy": False}
    times = br.simulate(system, SPAN, output=2, **settings).step_times[1:-1]
    inside = np.sort(times[:-1] + np.diff(times) * rng.uniform(0.1, 0.9, times.size - 1))
    ends, shown = (br.simulate(system, SPAN, output=t, **settings) for t in (times, inside))
    for level in ("position", "velocity"):
        at_ends, in_between = (getattr(run.constraint_errors, level).max() for run in (ends, shown))
        assert in_between < max(5.0 * at_ends, 1e-12)


def test_quaternions_inside_of_steps_are_unit_ones():
    solution = br.simulate(rssr(), SPAN, step=0.02, output=0.0137)
    assert np.abs(np.linalg.norm(solution.q.reshape(solution.t.size, -1, 7)[:, :, 3:], axis=2) - 1.0).max() < 1e-14


@pytest.mark.parametrize("name", INDEX_3)
@pytest.mark.parametrize("beside", [1e-5, 1e-8, -1e-5, -1e-8])
def test_a_break_beside_the_grid_is_as_good_as_one_on_it(name, beside):
    """No step of 1e-6 of the others, and a start on the constraints: otherwise multipliers were hundreds of times as large."""
    on, off = (br.simulate(four_bar(), SPAN, step=STEP, integrator=name, breaks=0.2 + d) for d in (0.0, beside * STEP))
    assert off.counters["steps"] == on.counters["steps"]
    assert np.abs(off.q - on.q).max() < 1e-6
    assert np.abs(off.lam - on.lam).max() < 0.05 * np.abs(on.lam).max()


def test_an_event_beside_the_grid_is_as_good_as_one_on_it():
    def clock(t, q, v):
        return t - 0.2 + 1e-9

    reset = br.Trigger(clock, action=lambda t, q, v: v)
    plain, cut = (br.simulate(four_bar(), SPAN, step=STEP, triggers=triggers) for triggers in ((), reset))
    assert cut.counters["steps"] == plain.counters["steps"]
    assert np.abs(cut.lam - plain.lam).max() < 0.1 * np.abs(plain.lam).max()


def worst(solution):
    """Largest errors of v and lam of the physical pendulum on the way, and at the end."""
    pairs = [(exact(t)[1:], found) for t, *found in zip(solution.t, solution.v, solution.lam, strict=True)]
    errors = np.array([[np.abs(a - b).max() for a, b in zip(*pair, strict=True)] for pair in pairs])
    return errors.max(axis=0), errors[-1]


def fits_index_3(method):
    return method.external is None and fits("index3", method)


@pytest.mark.parametrize("name", [name for name, method in INTEGRATORS.items() if fits_index_3(method)])
@pytest.mark.parametrize("steps", ["fixed", "adaptive"])
@pytest.mark.parametrize("rest", [1e-4, 3e-6, 1e-7, 1e-8, 1e-10])  # s
def test_a_break_or_reset_just_before_the_end(name, steps, rest):
    """What is left is too short a step to tell multipliers from: they were up to 1e10 times too large."""
    if steps == "adaptive" and not INTEGRATORS[name].adaptive:
        pytest.skip("fixed steps only")

    def clock(t, q, v):
        return t - 1.0 + rest

    settings = {"step": 0.01} if steps == "fixed" else {"rtol": 1e-6}
    settings |= {"formulation": "index3", "integrator": name, "output": 101}
    on_the_way, _ = worst(br.simulate(physical_pendulum(), 1.0, **settings))
    for more in ({"breaks": 1.0 - rest}, {"triggers": br.Trigger(clock, action=lambda t, q, v: v)}):
        _, at_the_end = worst(br.simulate(physical_pendulum(), 1.0, **settings, **more))
        assert (at_the_end <= 1.5 * on_the_way).all()


@pytest.mark.parametrize("rest", [1e-9, 1e-7])  # s
def test_a_rejected_last_step_behind_a_break(rest):
    """bdf rejects it and divides the rest once more."""
    settings = {"formulation": "index3", "integrator": "bdf", "rtol": 1e-7, "output": 2}
    exact_lam = br.simulate(four_bar(), 1.0, integrator="dop853", rtol=1e-12, output=2).lam[-1]
    plain, cut = (br.simulate(four_bar(), 1.0, **settings, breaks=breaks).lam[-1] for breaks in ((), 1.0 - rest))
    assert np.abs(cut - exact_lam).max() < 2.0 * np.abs(plain - exact_lam).max()


def test_going_on_behind_such_a_break():
    """Accelerations that the next step needs are not those of so short a step either: it is a break as any other."""
    settings = {"step": 0.01, "integrator": "generalized-alpha"}
    whole = br.simulate(physical_pendulum(), 1.5, breaks=1.0, **settings)
    first = br.simulate(physical_pendulum(), 1.0, breaks=1.0 - 1e-9, **settings)
    np.testing.assert_allclose(worst(br.simulate(first, 0.5, **settings))[0], worst(whole)[0], rtol=1e-3)


@pytest.mark.parametrize("name", ["trapezoidal", "sdirk", "radau5"])
@pytest.mark.parametrize("end", [1.9, 2.0, 2.1, 2.2])
def test_the_last_step_of_adaptive_runs_is_no_short_one(name, end):
    """Index 3: what was left of the last step made the last multipliers up to 200 times worse than the others."""
    solution = br.simulate(physical_pendulum(), end, formulation="index3", integrator=name, rtol=1e-8, output=401)
    error = np.array([np.abs(lam - exact(t)[2]).max() for t, lam in zip(solution.t, solution.lam, strict=True)])
    assert error[-1] < 3.0 * error[:-1].max()
    assert np.diff(solution.step_times)[-1] > 0.6 * np.diff(solution.step_times)[-6:].max()


def test_the_last_multipliers_of_the_trapezoidal_rule_are_as_the_others():
    """In index 3 a change of the step makes them alternate: those at the end were four times as bad, being behind one."""
    ratios = []
    for end in np.linspace(0.9, 2.0, 12):
        solution = br.simulate(
            physical_pendulum(), end, formulation="index3", integrator="trapezoidal", rtol=1e-8, output=2
        )
        times = np.append(solution.step_times[-300:-10], end)
        found = br.simulate(
            physical_pendulum(), end, formulation="index3", integrator="trapezoidal", rtol=1e-8, output=times
        )
        error = np.array([np.abs(lam - exact(t)[2]).max() for t, lam in zip(found.t, found.lam, strict=True)])
        ratios.append(error[-1] / np.median(error[1:-1]))
    assert np.median(ratios) < 2.0
