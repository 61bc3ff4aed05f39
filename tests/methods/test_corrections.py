"""Corrections: each brings the state back on the shortest way in its own metric; schedules are kept, counted, written down."""

import json

import numpy as np
import pytest
from spec_systems import rod, sliding_pendulum

import bricard.model as br
from bricard.compiled.handles import pack
from bricard.compiled.interfaces import CORRECT
from bricard.compiled.pointers import address_of
from bricard.compiled.status import RUNNING
from bricard.errors import IncompatibleMethods, ModelError
from bricard.formulations.corrections import CORRECTIONS
from bricard.linalg.kkt import project_position
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.redundancy import choose_rows
from mechanisms import MILLIMETRES, four_bar, pendulum, rssr, six_bar

MOVING = ("mass", "least-squares", "augmented-lagrangian")
MECHANISMS = {"pendulum": pendulum, "four-bar": four_bar, "rssr": rssr, "six-bar": six_bar}
RK4 = {"formulation": "index1", "integrator": "rk4"}


def corrected(system, correction, size, seed=3):
    """A consistent state, one beside it, and what the correction makes of that one."""
    state, rng = assemble(system), np.random.default_rng(seed)
    work = system.work()
    work.turn[:] = state.turn
    choose_rows(system, state, work)
    scale = np.sqrt(system.record.metric[: system.n_v])
    q = system.retract(state.q, size * scale * system.length * rng.normal(size=system.n_v))
    v = state.v + size * scale * rng.normal(size=system.n_v)
    moved_q, moved_v = q.copy(), v.copy()
    assert CORRECTIONS[correction](state.t, moved_q, moved_v, 1, system.compiled, pack(work)) == RUNNING
    return state, (q, v), (moved_q, moved_v)


@pytest.mark.parametrize("correction", MOVING)
@pytest.mark.parametrize("name", MECHANISMS)
def test_both_levels_are_restored(name, correction):
    system = MECHANISMS[name]().build()
    state, _, (q, v) = corrected(system, correction, 1e-3)
    scale = system.record.row_scale
    assert np.abs(scale * system.constraint(state.t, q)).max() <= 1e-11
    assert np.abs(scale * system.constraint_velocity(state.t, q, v)).max() <= 1e-11


@pytest.mark.parametrize("correction", MOVING)
@pytest.mark.parametrize("name", MECHANISMS)
def test_way_is_orthogonal_to_the_free_directions(name, correction):
    """D^T M dv = 0 (mass metric: the smallest kinetic energy), or D^T W^-1 dv = 0 (least squares)."""
    system = MECHANISMS[name]().build()
    state, (_, v), (q, moved) = corrected(system, correction, 1e-3)
    jacobian = system.jacobian(state.t, q).toarray()
    metric = np.diag(1.0 / system.record.metric[: system.n_v])
    if correction != "least-squares":
        metric = system.mass(q).toarray()
    _, values, rows = np.linalg.svd(jacobian * system.record.row_scale[:, None])
    free = rows[np.sum(values > 1e-6 * values[0]) :]
    assert free.size
    share = free @ metric @ (moved - v)
    assert np.abs(share).max() <= 1e-8 * np.abs(metric @ (moved - v)).max()


def test_mass_and_least_squares_are_different_ways():
    system = rssr().build()
    ways = [corrected(system, correction, 1e-3)[2][1] for correction in ("mass", "least-squares")]
    assert np.abs(ways[0] - ways[1]).max() > 1e-5


@pytest.mark.parametrize("correction", MOVING)
def test_units_do_not_matter(correction):
    metres = corrected(four_bar().build(), correction, 1e-4)[2][0]
    other = corrected(four_bar(MILLIMETRES).build(), correction, 1e-4)[2][0]
    position = np.arange(metres.size) % 7 < 3
    np.testing.assert_allclose(other, np.where(position, 1000.0 * metres, metres), rtol=0, atol=1e-8)


def test_convergence_of_spec_002():
    """Section 4.1: |f| = 5e-2, 2.0676193481e-3, 4.3024126e-6, 1.878e-11, 0, and the limit."""
    system = sliding_pendulum()
    work = system.work()
    packed = pack(work)
    start = np.array([0.1, 0.4 * np.sin(0.7) + 0.05, 0.7])
    errors = []
    for iterations in range(5):
        q = start.copy()
        errors.append(project_position(0.0, q, np.zeros(3), 0.0, iterations, system.compiled, packed))
    np.testing.assert_allclose(errors[:3], [5e-2, 2.0676193481e-3, 4.3024126e-6], rtol=1e-7)
    assert errors[3] == pytest.approx(1.878e-11, rel=1e-3)
    assert errors[4] <= 1e-15
    np.testing.assert_allclose(q, [0.1, 0.294952452278, 0.829185041962], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("step", "largest"), [(0.02, 8.6e-10), (0.01, 9.2e-13)])
def test_one_correction_per_step_of_spec_002(step, largest):
    """Table 6.2, case A: |f| after one iteration of (4.5a) per step, tangential velocities u kept, RK4 for 10 s."""
    system, m, inertia, rho = sliding_pendulum(), 2.0, 0.06, 0.4
    packed, worst = pack(system.work()), 0.0

    def slope(y):
        cosine = np.cos(y[2])
        size = np.sqrt(inertia + m * rho**2 * cosine**2)
        push = rho * cosine * -m * 9.81 / size
        return np.array([y[3] / np.sqrt(m), rho * cosine * y[4] / size, y[4] / size, 0.0, push])

    y = np.array([0.0, rho * np.sin(0.3), 0.3, 0.70710678118655, -0.71200935785648])
    for _ in range(round(10 / step)):
        a = slope(y)
        b = slope(y + step / 2 * a)
        c = slope(y + step / 2 * b)
        d = slope(y + step * c)
        y = y + step / 6 * (a + 2 * b + 2 * c + d)
        q = y[:3].copy()
        worst = max(worst, project_position(0.0, q, np.zeros(3), 0.0, 1, system.compiled, packed))
        y[:3] = q
    assert worst == pytest.approx(largest, rel=0.01)
    np.testing.assert_allclose(y[1:3], [0.020845353418, -3.193729654305], rtol=0, atol=1e4 * step**4)


def test_every_so_many_steps():
    solution = simulate(rssr(), 0.2, step=0.002, correction_every=7, **RK4)
    assert solution.counters["corrections"] == 100 // 7
    errors = solution.constraint_errors.position
    assert errors[::7].max() <= 1.01e-12
    assert errors[6::7].min() > 1e-11


def test_on_tolerance():
    drifting = simulate(rssr(), 0.2, step=0.002, correction="none", **RK4)
    limit = 0.01 * drifting.constraint_errors.position.max()
    solution = simulate(rssr(), 0.2, step=0.002, correction_tolerance=(limit, 1.0), **RK4)
    assert 3 < solution.counters["corrections"] < 80
    assert limit / 10 < solution.constraint_errors.position.max() <= limit


def test_velocity_alone_can_ask_for_a_correction():
    solution = simulate(rssr(), 0.2, step=0.002, correction_tolerance=(1.0, 1e-8), **RK4)
    assert 0 < solution.counters["corrections"] < 100
    assert 1e-9 < solution.constraint_errors.velocity.max() <= 1e-8


def test_both_schedules_together():
    """Looked at every so many steps, made when it is worth it."""
    solution = simulate(rssr(), 0.2, step=0.002, correction_every=10, correction_tolerance=1.0, **RK4)
    assert solution.counters["corrections"] == 0


def test_none_is_never_counted():
    solution = simulate(pendulum(), 0.1, step=0.001, correction="none", **RK4)
    assert solution.counters["corrections"] == 0
    assert solution.provenance["correction_every"] == 0


@pytest.mark.parametrize("correction", MOVING)
def test_all_are_counted(correction):
    assert simulate(pendulum(), 0.1, step=0.001, correction=correction, **RK4).counters["corrections"] == 100


def test_adaptive_steps_count_accepted_ones():
    solution = simulate(pendulum(), 0.3, formulation="index1", integrator="dopri5", rtol=1e-6, output=51)
    assert solution.counters["corrections"] == solution.counters["steps"]


def test_provenance():
    options = {"correction": "least-squares", "correction_every": 3, "correction_tolerance": (1e-9, 1e-7)}
    used = simulate(pendulum(), 0.01, step=0.001, **options, **RK4).provenance
    assert (used["correction"], used["correction_every"], used["correction_tolerance"]) == (
        "least-squares",
        3,
        [1e-9, 1e-7],
    )
    assert json.loads(json.dumps(used)) == used


@pytest.mark.parametrize("correction", MOVING)
@pytest.mark.parametrize("name", MECHANISMS)
def test_motion_is_the_same(name, correction):
    """A correction moves less than the method errs."""
    exact = simulate(MECHANISMS[name](), 0.2, formulation="index1", integrator="dopri5", rtol=1e-11, output=2)
    drift = simulate(MECHANISMS[name](), 0.2, step=0.002, correction="none", output=2, **RK4)
    solution = simulate(MECHANISMS[name](), 0.2, step=0.002, correction=correction, output=2, **RK4)
    error, without = (np.abs(s.q[-1] - exact.q[-1]).max() for s in (solution, drift))
    assert error <= 3 * without + 1e-10


def test_energy_with_mass_projection_of_spec_003():
    """Table 6.4, last column, and both levels at round-off."""
    times = np.array([0.0, 5.0, 10.0, 20.0, 40.0])
    solution = simulate(rod(), 40.0, step=0.01, output=times, correction="mass", **RK4)
    np.testing.assert_allclose(solution.energy.total[1:], [-1.4e-7, -1.3e-7, -3.6e-7, -5.0e-7], rtol=0, atol=0.06e-7)
    assert solution.constraint_errors.position.max() <= 1e-15
    assert solution.constraint_errors.velocity.max() <= 1e-14


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"correction": "least-square"}, IncompatibleMethods, 'Did you mean "least-squares"'),
        ({"correction_every": 0}, ModelError, "correction_every is 0"),
        ({"correction_every": 1.5}, ModelError, "whole number"),
        ({"correction_tolerance": -1.0}, ModelError, "correction_tolerance is -1.0"),
        ({"correction_tolerance": (1.0, 2.0, 3.0)}, ModelError, "one for position and one for velocity"),
    ],
)
def test_wrong_schedules(options, error, text):
    with pytest.raises(error, match=text):
        simulate(pendulum(), 0.01, step=0.001, **options, **RK4)


def test_correction_that_fails_stops_the_run():
    """The rocker of a four-bar is driven beyond its reach: no correction gets there."""
    model = four_bar(speed=None)
    model.drive("driver", "D", br.Polynomial((0.0, 6.0)))
    for correction in MOVING:
        solution = simulate(model, 1.0, step=0.005, correction=correction, check=False, **RK4)
        assert not solution.ok
        assert solution.end.t == pytest.approx(0.0329, abs=5e-4)
        assert "could not be brought back" in solution.status


def test_addresses_fit():
    for pointer in CORRECTIONS.values():
        assert address_of(CORRECT, pointer) != 0
