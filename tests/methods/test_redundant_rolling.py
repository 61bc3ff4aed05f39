"""Rolling rows that are redundant on the constraints only: which of them depends on others changes as a vehicle turns (V4)."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import bricard as br
from bricard.compiled.handles import pack
from bricard.compiled.interfaces import VELOCITY
from bricard.linalg.kkt import COUNT, FAIR, OVERUSED, evaluate, select_rows
from bricard.system.assembler import assemble
from bricard.system.redundancy import choose_rows
from lab.wheels import ADAPTIVE, DURATION, FIXED, SAMPLES, Track, faults, main, random_vehicle, vehicle


@cache
def reference(seed, axles, coordinates):
    """The system and its path at rtol 1e-11 with steps of its own, without units."""
    model, units = vehicle(seed, axles)
    system = model.build(coordinates=coordinates)
    run = br.simulate(system, DURATION, integrator="dop853", formulation="index1", rtol=1e-11, output=SAMPLES)
    assert np.ptp(run.joint("floor.angle")) > 0.5 * np.pi
    return system, run.point(f"carriage {axles - 1}") / units, units


METHODS = FIXED | {"bdf": ADAPTIVE["index3"]}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("seed", "axles", "coordinates"),
    [(0, 1, "absolute"), (2, 1, "absolute"), (5, 1, "absolute"), (7, 1, "relative"), (1, 2, "absolute")],
)
def test_order_of_fixed_steps(seed, axles, coordinates, method):
    system, path, units = reference(seed, axles, coordinates)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = br.simulate(system, DURATION, step=step, output=SAMPLES, **METHODS[method])
        errors.append(np.abs(run.point(f"carriage {axles - 1}") / units - path).max())
    assert errors[0] < 2e-3
    for long, short in pairwise(errors):
        assert short < 0.32 * long or short < 1e-8  # what the drift of baumgarte leaves


@pytest.mark.parametrize("formulation", ["svd", "coordinate-partitioning"])
@pytest.mark.parametrize(
    ("seed", "coordinates"),
    [(7, "absolute"), (61, "absolute"), (62, "relative"), (108, "relative"), (125, "absolute")],
)
def test_independent_coordinates_keep_rows_with_sound_pivots(seed, coordinates, formulation):
    """Rows chosen by full pivoting are independent, but in the order of the KKT matrix some of their pivots vanish."""
    track = Track(*random_vehicle(seed), coordinates)
    assert max(track.run(formulation=formulation, integrator="dopri5", rtol=1e-7)) < 1e-4  # errors grow along the path


@pytest.mark.parametrize(
    ("seed", "coordinates"),
    [(2, "absolute"), (7, "absolute"), (7, "relative"), (5123, "absolute"), (5123, "relative"), (5219, "relative")],
)
def test_random_vehicles_by_all_methods(seed, coordinates):
    """`python -m lab.wheels` runs as many as one likes; these are a few."""
    assert faults(Track(*random_vehicle(seed), coordinates)) == {}


def test_a_table_of_vehicles_names_what_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr("lab.wheels.FALL", 0.0)  # no error falls as fast
    assert main(["1", "--first", "7"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("7 absolute, 7 bodies, fixed index3: errors ")
    assert [line.split()[2:] for line in lines[-len(ADAPTIVE) - 1 : -1]] == [["1", "1"]] * len(ADAPTIVE)
    assert lines[-len(ADAPTIVE) - len(FIXED) - 1].split() == ["fixed", "index3", "0", "0"]


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("seed", [5024, 5123])
def test_redundant_rows_are_counted_right_and_what_is_kept_is_far_from_dependent(seed, coordinates):
    """Against singular values. In the order of elimination pivots behind a small one are rounding."""
    system = random_vehicle(seed)[0].build(coordinates=coordinates)
    work, r = system.work(), system.record
    choose_rows(system, assemble(system), work)
    rows = np.zeros((r.n_rows, r.n_v + 1))
    np.add.at(rows, (r.g_row.astype(int), r.g_column.astype(int)), work.g)
    rows = r.row_scale[:, None] * rows[:, :-1] * np.where(system.translations, system.length, 1.0)
    kept, values = work.epsilon <= r.row_diagonal, np.linalg.svd(rows, compute_uv=False)
    rank = int((values > 1e-6 * values[0]).sum())
    assert int(work.left_out[COUNT]) == r.n_rows - rank
    assert kept.sum() == rank
    # of all choices the one of largest volume has at least this, see Gu and Eisenstat 1996, eq. 13, with f = FAIR
    bound = values[rank - 1] / np.sqrt(1.0 + FAIR**2 * rank * (r.n_rows - rank))
    assert np.linalg.svd(rows[kept], compute_uv=False)[-1] > bound


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_rows_left_out_are_small_combinations_of_those_kept(coordinates):
    """At each step of a motion, whatever drift and rounding: dense least squares against the choice of rows."""
    for seed in range(3):
        model, _ = vehicle(seed, 1 + seed % 2)
        system = model.build(coordinates=coordinates)
        run = br.simulate(system, DURATION, formulation="index1", step=4e-3, integrator="rk4", output=120)
        work, r = system.work(), system.record
        choose_rows(system, assemble(system), work)
        columns = np.where(system.translations, system.length, 1.0)
        noise = 1e-9 * np.random.default_rng(seed).normal(size=(len(run.t), system.n_v))
        for t, q, shift in zip(run.t, run.q, noise, strict=True):
            evaluate(t, system.retract(q, shift * columns), np.zeros(system.n_v), VELOCITY, system.compiled, pack(work))
            select_rows(system.compiled, pack(work))
            rows = np.zeros((r.n_rows, r.n_v + 1))
            np.add.at(rows, (r.g_row.astype(int), r.g_column.astype(int)), work.g)
            rows = r.row_scale[:, None] * rows[:, :-1] * columns
            kept, nonholonomic = work.epsilon <= r.row_diagonal, r.velocity_level == 1
            assert kept.sum() == np.linalg.matrix_rank(rows, tol=1e-6)
            shares = np.linalg.lstsq(rows[kept].T, rows[~kept].T, rcond=None)[0].T
            assert np.abs(shares).max() < 2.0 * OVERUSED
            assert np.abs(rows[~kept] - shares @ rows[kept]).max() < 1e-7
            assert np.abs(shares[~nonholonomic[~kept]][:, nonholonomic[kept]]).max(initial=0.0) < 1e-6
