"""How a run starts: output times, the record of the run, and a new start on the way."""

import numpy as np

from ..compiled import march as counting
from ..compiled.records import Kinks, Run, Watch
from ..compiled.watching import NOWHERE
from ..errors import ModelError
from ..linalg import sparse
from ..system.turns import tell_coordinates
from .ledger import begin_ledger, empty_ledger, look

MAX_HALVINGS, MAX_OUTPUT_BYTES = 12, 64e6
MOST_NUMBERS = 2e9  # in the samples of a run: 16 GB
DEFAULT_INTERVALS = 1000  # between the samples of a run whose integrator chooses its steps
MOST_MATRICES = 4  # complex ones of an implicit integrator


def output_times(t, end, nominal, output, problem):
    """Times of the output (s), from the start to the end."""
    system = problem.system
    width = max(system.n_q + 2 * system.n_v + system.n_rows, 1)
    most = int(min(5000, max(2, MAX_OUTPUT_BYTES / (8 * width))))
    if isinstance(output, (str, bool)):
        raise ModelError(f"output is {output!r}: give a number of samples, an interval in seconds (a float), or times.")
    steps = round((end - t) / nominal) if nominal else 0
    _check_count(output, end - t, width)
    if output is None:
        if steps:  # at ends of steps, each of them or as evenly spaced as they allow
            times = t + nominal * np.unique(np.round(np.linspace(0, steps, min(steps, most) + 1)).astype(int))
        else:
            times = np.linspace(t, end, min(most, DEFAULT_INTERVALS) + 1)
    elif isinstance(output, (int, np.integer)):
        if output < 2:
            raise ModelError(f"output is {output}: at least two samples, the start and the end, are needed.")
        intervals = int(output) - 1
        if steps and steps % intervals == 0:  # ends of steps, to the last bit
            times = t + nominal * (steps // intervals) * np.arange(intervals + 1)
        else:
            times = np.linspace(t, end, intervals + 1)
    elif isinstance(output, (float, np.floating)):
        if not (np.isfinite(output) and output > 0.0):
            raise ModelError(f"output is {output}: an interval must be a positive number of seconds.")
        times = np.append(np.arange(t, end - 1e-9 * (end - t), float(output)), end)
    else:
        try:
            times = np.asarray(output, float)
        except (TypeError, ValueError):
            raise ModelError(f"output is {output!r}: the times must be numbers.") from None
        if times.ndim != 1 or np.any(np.diff(times) <= 0.0):
            raise ModelError("output times must be one row of numbers, each later than the one before.")
        if times.size == 0 or not np.isfinite(times).all() or times[0] < t - 1e-12 or times[-1] > end * (1 + 1e-12):
            raise ModelError(f"output times must lie between t = {t:g} s and t = {end:g} s.")
    times = times.copy()
    if abs(times[-1] - end) <= 1e-9 * (end - t):
        times[-1] = end
    return times if times[-1] == end else np.append(times, end)  # the end is always among them


def _check_count(output, span, width):
    """Refuse a number of samples, or an interval, that no memory holds. width : numbers in a sample."""
    if isinstance(output, (int, np.integer)):
        count, instead = float(output), "a smaller number"
    elif isinstance(output, (float, np.floating)) and output > 0.0:
        count, instead = span / float(output), "a longer interval"
    else:
        return
    if count * width > MOST_NUMBERS:
        raise ModelError(f"output={output!r} asks for {count:.3g} samples of {width} numbers: give {instead}.")


def start_run(
    problem, method, state, work, end, nominal, out_t, numbers, breaks=None, watch=None, kinks=None, energy=True
):
    """The Run record at the initial state."""
    system = problem.system
    tell_coordinates(system, work, state.totals)
    y = initial(problem, method, state, work)
    scale = np.concatenate([problem.scale, np.full(y.size - problem.scale.size, np.inf)])
    width = system.n_q + system.n_v + (system.n_v if problem.keep_a >= 0 else 0)
    width += system.n_rows if problem.keep_lam >= 0 else 0
    span = end - state.t
    first = nominal or span * 1e-4
    counters = np.zeros(counting.N_COUNTERS, np.int64)
    counters[counting.CULPRIT], counters[counting.REBASED_LAST], counters[counting.RESTART] = -1, -1, 1
    counters[counting.PLACED] = 1
    counters[counting.KEEP_A], counters[counting.KEEP_LAM] = problem.keep_a, problem.keep_lam
    smallest = nominal * 2.0**-MAX_HALVINGS if nominal else 1e-12 * max(span, abs(end))
    none = np.zeros(0, np.uint32)
    jacobian = (none, none, np.zeros(0), np.zeros(0), np.zeros(0), sparse.empty_matrix(), ())
    if problem.pattern is not None:
        jacobian = _jacobian_memory(problem, problem.scale.size, method.complex_matrices)
    j_slot, j_diagonal, jy, jp, regularisation, real, complex_ = jacobian
    if method.second_kkt:
        real = sparse.matrix(system.pattern, system.n_v + 1 + system.n_rows)
    run = Run(
        clock=np.array([state.t, first, smallest, 1e-4, span, state.t, end, nominal, np.inf]),
        counters=counters,
        y=y.copy(),
        y_new=y.copy(),
        scratch=y.copy(),
        corrected=y.copy(),
        differential=np.zeros(0) if problem.differential is None else problem.differential,
        error=np.zeros(4),
        orders=np.zeros(3, np.int64),
        scale=scale,
        tolerance=np.array([1e-6, 1e-8]),
        stages=np.zeros((max(method.stages, 1), y.size)),
        memory=np.zeros(max(method.memory, 1) + method.matrices[0] * work.g.size + method.matrices[1] * work.k.size),
        options=np.array([*method.compiled_options(numbers), 0.0]),
        out_t=out_t,
        out_y=np.zeros((out_t.size, width)),
        out_turn=np.zeros((out_t.size, system.n_measures)),
        log_t=np.zeros(1000),
        log_code=np.zeros(2000, np.int64),
        steps_t=np.zeros(100_000 if not nominal else 0),
        breaks=np.zeros(0) if breaks is None else breaks,
        watch=no_watch(system) if watch is None else watch,
        kinks=no_kinks(work) if kinks is None else kinks,
        ledger=empty_ledger(problem, method, work, out_t.size, energy),
        j_slot=j_slot,
        j_diagonal=j_diagonal,
        jy=jy,
        jp=jp,
        regularisation=regularisation,
        levels=sparse.index(np.ones(problem.scale.size) if problem.levels is None else problem.levels),
        real=real,
        complex_=(complex_ + (sparse.empty_matrix(complex),) * MOST_MATRICES)[:MOST_MATRICES],  # pyright: ignore[reportArgumentType]
        complex_scratch=np.zeros(y.size if problem.pattern is not None else 0, complex),
    )
    begin_ledger(state, run, system, work)
    return run


def _jacobian_memory(problem, size, complex_matrices):
    """Memory for the Jacobian of a DAE and for the matrices of an implicit integrator."""
    rows, columns = problem.pattern
    valid = (rows >= 0) & (columns >= 0)
    order = np.concatenate([np.zeros(0, np.int64), *(unknowns for _, unknowns in problem.nodes)])
    pattern = sparse.pattern(rows[valid], columns[valid], order, size)
    diagonal = np.arange(size)
    return (
        pattern.slots(rows, columns, valid),
        pattern.slots(diagonal, diagonal),
        np.zeros(rows.size),
        np.zeros(rows.size),
        problem.regularisation,
        sparse.matrix(pattern, size),
        tuple(sparse.matrix(pattern, size, dtype=complex) for _ in range(complex_matrices)),
    )


def initial(problem, method, state, work):
    """The first y, with the integrator's own numbers behind it."""
    y = problem.initial(state, work)
    return y if method.extra is None else np.concatenate([y, method.extra(problem, state)])


def start_again(problem, method, state, run, work):
    """Go on from another state: a new y, history is void."""
    work.turn[:] = state.turn
    run.y[:] = initial(problem, method, state, work)
    run.scale[: problem.scale.size] = problem.scale
    run.counters[counting.RESTART], run.counters[counting.PLACED] = 1, 1
    look(state, run, problem.system, work)


def no_watch(system):
    """Nothing is watched."""
    kinds = {
        "samples": np.zeros((1, 0)),
        "y": np.zeros((0, 0)),
        "place": np.full(1, NOWHERE),
        "found": np.zeros(2, np.int64),
        "q": np.zeros(system.n_q),
        "v": np.zeros(system.n_v),
    }
    integers = ("functions", "rules", "side", "trigger")
    return Watch(
        **{name: kinds.get(name, np.zeros(0, np.int64 if name in integers else float)) for name in Watch._fields}
    )


def no_kinks(work):
    """No function has a branch."""
    kinds = {
        "functions": np.zeros(0, np.int64),
        "addresses": np.zeros(1, np.int64),
        "size": np.zeros(0),
        "place": np.array([NOWHERE, np.inf, 0.0, np.inf, 0.0]),
        "state": np.zeros(6, np.int64),
        "ends": np.zeros((2, 0, 0)),
        "parts": np.zeros((3, 0, 0)),
        "work": work,
    }
    integers = ("elements", "tracks", "counts")
    return Kinks(
        **{name: kinds.get(name, np.zeros((0, 3), np.int64 if name in integers else float)) for name in Kinks._fields}
    )
