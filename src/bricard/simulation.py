"""simulate(): combine a formulation, an integrator and a controller, march in chunks, say how it ended."""

from __future__ import annotations

import platform
import time
from dataclasses import replace
from typing import Any

import numpy as np

from .admission import check_admitted, finite_number, formulation_options, unknown_option
from .compiled import march as counting
from .compiled.interfaces import CONTROL, INTERPOLATE, STEP, VELOCITY
from .compiled.march import march
from .compiled.pointers import address_of
from .compiled.records import Run, pack
from .compiled.status import (
    FINISHED,
    INTERRUPTED,
    LOST_ROTATION,
    NEWTON_FAILED,
    PROJECTION_FAILED,
    RENEW,
    RUNNING,
    TORN_APART,
    sentence,
)
from .errors import BricardError, IncompatibleMethods, ModelError, SimulationError
from .formulations.base import velocity_scale
from .linalg import sparse
from .linalg.kkt import evaluate, select_rows
from .model import Model
from .pairing import choose, corrected, correction_of, schedule_of
from .progress import Progress
from .registry import CONTROLLERS
from .solution.solution import Solution
from .system.assembler import assemble
from .system.build import build
from .system.redundancy import redundancy
from .system.rotation import LOST, NEAR, lost_parameters
from .system.state import State
from .system.system import System

CHUNK_SECONDS, MAX_HALVINGS, MAX_OUTPUT_BYTES = 0.2, 12, 64e6
RTOL = 1e-8  # default tolerance of adaptive runs
MOST_STEPS = 1e10
UNUSABLE = 1e-3  # position error at the end, in characteristic lengths or radians, with which a run has failed


def simulate(
    what: Any,
    duration: float,
    *,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    formulation: str | None = None,
    integrator: str | None = None,
    correction: str | None = None,
    correction_every: int = 1,
    correction_tolerance: float | tuple[float, float] = 0.0,
    output: Any = None,
    progress: bool | None = None,
    check: bool = True,
    **options: Any,
) -> Solution:
    """Simulate a Model or a System for `duration` seconds, or go on from a Solution.

    step : fixed step size (s); without it the integrator chooses its steps to meet `rtol` and `atol` (per component, atol in
    units of its natural size: characteristic length, radian). formulation, integrator : names, see `bricard list`; what is
    not given is chosen to fit. correction : a name, for Ode forms and for what drifts; made every `correction_every` steps, where
    the error of position or velocity exceeds `correction_tolerance` (scaled; one number, or one for each). output : number of
    samples, interval (s, a float), or array of times. progress : show a bar; None: on a terminal. check : raise SimulationError
    if the run does not reach its end; otherwise the Solution carries the status. Further options go to formulation or integrator.
    """
    began = time.perf_counter()
    _check_numbers(duration=duration, step=step, rtol=rtol, atol=atol)
    earlier = what if isinstance(what, Solution) else None
    system = earlier.system if earlier is not None else what if isinstance(what, System) else _built(what)
    chosen, method, form = choose(formulation, integrator, step)
    options = dict(options)
    correction = correction_of(form, correction, chosen)
    own = formulation_options(chosen, options)
    numbers = _integrator_options(chosen, method, options)
    schedule = schedule_of(correction, correction_every, correction_tolerance)
    check_admitted(chosen, system)
    state = earlier.end if earlier is not None else assemble(system)
    if earlier is not None and any(
        earlier.provenance[key] != name for key, name in (("integrator", method.name), ("formulation", chosen.name))
    ):
        state = replace(state, extra=None)
    problem = chosen.forms[form](system, **own, **({"correction": correction} if corrected(form, chosen) else {}))
    end = state.t + float(duration)
    nominal = duration / max(1, round(duration / step)) if step is not None else 0.0
    work = problem.work(state)
    work.schedule[:3] = schedule
    times = output_times(state.t, end, nominal, output, problem)
    run = start_run(problem, method, state, work, end, nominal, times, numbers)
    run.tolerance[:] = rtol or RTOL, atol or rtol or RTOL
    if not method.adaptive and step is None:
        raise IncompatibleMethods(f'Integrator "{method.name}" has a fixed step: give step=..., in seconds.')
    control = CONTROLLERS["fixed" if step is not None else method.controller]
    prepared = time.perf_counter()
    status, seconds = _march(problem, method, control, run, work, end, progress)
    matrices = (work.kkt, run.real, run.complex_)
    run.counters[counting.FACTORISATIONS] = sum(int(m.report[3]) for m in matrices)
    run.counters[counting.CORRECTIONS] = work.tally[0]
    run.counters[counting.ITERATIONS] += work.tally[1]
    q, v = problem.full(float(run.clock[0]), run.y, work)
    gap = _gap(problem.system, float(run.clock[0]), q, v, work)
    if status == FINISHED and not gap.max(initial=0.0) <= UNUSABLE:
        status = TORN_APART
    lost = _lost(problem.system, run, q, status)
    status = LOST_ROTATION if lost else status
    culprit = lost or _culprit(problem.system, run, v, gap, status)
    text = sentence(status, run.clock[0], run.clock[1], int(run.counters[counting.STEPS]), culprit)
    if status == NEWTON_FAILED and (problem.pattern is not None or problem.expand is not None):
        text += _singularity(problem.system, float(run.clock[0]), q, v, work)
    solution = Solution.from_run(
        problem,
        run,
        work,
        (q, v),
        status=status,
        sentence=text,
        provenance=_provenance(chosen, method, form, (correction, *schedule), step, nominal, rtol, atol, own | numbers)
        | {"rotation": system.rotation},
        seconds={"prepare": prepared - began, "march": seconds},
        earlier=earlier,
    )
    solution = replace(solution, system=system)  # a formulation may have reordered it for itself
    if check and status not in (FINISHED, INTERRUPTED):
        raise SimulationError(text, solution)
    return solution


def _built(model):
    if not isinstance(model, Model):
        raise ModelError(f"simulate() takes a Model, a System or a Solution, not {model!r}.")
    return build(model)


def _integrator_options(chosen, method, options):
    numbers = dict(method.options)
    for key, value in options.items():
        if key not in numbers:
            raise unknown_option(key, chosen, method)
        number = finite_number(value, f"option {key}")
        low, high = method.ranges.get(key, (-np.inf, np.inf))
        if not low <= number <= high:
            raise ModelError(f"Option {key} of {method.name} is {number:g}; it must lie between {low:g} and {high:g}.")
        if isinstance(method.options[key], int) and number != round(number):
            raise ModelError(f"Option {key} of {method.name} is {number:g}; it must be a whole number.")
        numbers[key] = number
    return numbers


def _check_numbers(**numbers):
    for name, value in numbers.items():
        if value is None and name != "duration":
            continue
        if finite_number(value, name) <= 0.0:
            raise ModelError(f"{name} is {value!r}; it must be a positive number.")
    if numbers["step"] is not None:
        if numbers["rtol"] is not None or numbers["atol"] is not None:
            raise IncompatibleMethods(
                "Give either step (fixed steps) or rtol and atol (the integrator chooses its steps)."
            )
        if numbers["duration"] / numbers["step"] > MOST_STEPS:
            raise ModelError(
                f"duration {numbers['duration']:g} s in steps of {numbers['step']:g} s are more than {MOST_STEPS:g} steps."
            )


def output_times(t, end, nominal, output, problem):
    """Times of the output (s), from the start to the end."""
    system = problem.system
    width = system.n_q + 2 * system.n_v + system.n_rows
    most = int(min(5000, max(2, MAX_OUTPUT_BYTES / (8 * width))))
    if isinstance(output, (str, bool)):
        raise ModelError(f"output is {output!r}: give a number of samples, an interval in seconds (a float), or times.")
    if output is None or isinstance(output, (int, np.integer)):
        if isinstance(output, (int, np.integer)) and output < 1:
            raise ModelError(f"output is {output}: at least one sample after the start is needed.")
        if nominal:
            steps = round((end - t) / nominal)
            count = min(steps, most if output is None else int(output))
            grid = np.unique(np.round(np.linspace(0, steps, count + 1)).astype(int))
            times = t + nominal * grid
        else:
            times = np.linspace(t, end, min(most, 1000) + 1 if output is None else int(output) + 1)
    elif isinstance(output, (float, np.floating)):
        if not (np.isfinite(output) and output > 0.0):
            raise ModelError(f"output is {output}: an interval must be a positive number of seconds.")
        times = np.append(np.arange(t, end - 1e-9 * (end - t), float(output)), end)
    else:
        try:
            times = np.unique(np.asarray(output, float))
        except (TypeError, ValueError):
            raise ModelError(f"output is {output!r}: the times must be numbers.") from None
        if times.size == 0 or not np.isfinite(times).all() or times[0] < t - 1e-12 or times[-1] > end * (1 + 1e-12):
            raise ModelError(f"output times must lie between t = {t:g} s and t = {end:g} s.")
    times = times.copy()
    if abs(times[-1] - end) <= 1e-9 * (end - t):
        times[-1] = end
    return times if times[-1] == end else np.append(times, end)  # the end is always among them


def start_run(problem, method, state, work, end, nominal, out_t, numbers):
    """The Run record at the initial state."""
    system = problem.system
    y = problem.initial(state, work)
    if method.extra is not None:
        y = np.concatenate([y, method.extra(problem, state)])
    scale = np.concatenate([problem.scale, np.full(y.size - problem.scale.size, np.inf)])
    width = system.n_q + system.n_v + (system.n_v if problem.keep_a >= 0 else 0)
    width += system.n_rows if problem.keep_lam >= 0 else 0
    span = end - state.t
    first = nominal or span * 1e-4
    counters = np.zeros(counting.N_COUNTERS, np.int64)
    counters[counting.CULPRIT], counters[counting.RESTART] = -1, 1
    counters[counting.KEEP_A], counters[counting.KEEP_LAM] = problem.keep_a, problem.keep_lam
    smallest = nominal * 2.0**-MAX_HALVINGS if nominal else 1e-12 * max(span, abs(end))
    none = np.zeros(0, np.uint32)
    jacobian = (none, none, np.zeros(0), np.zeros(0), np.zeros(0), sparse.empty_matrix(), sparse.empty_matrix(complex))
    if problem.pattern is not None:
        jacobian = _jacobian_memory(problem, problem.scale.size)
    j_slot, j_diagonal, jy, jp, regularisation, real, complex_ = jacobian
    return Run(
        clock=np.array([state.t, first, smallest, 1e-4, span, state.t, end, nominal]),
        counters=counters,
        y=y.copy(),
        y_new=y.copy(),
        scratch=y.copy(),
        corrected=y.copy(),
        differential=np.zeros(0) if problem.differential is None else problem.differential,
        error=np.zeros(3),
        orders=np.zeros(3, np.int64),
        scale=scale,
        tolerance=np.array([1e-6, 1e-8]),
        stages=np.zeros((max(method.stages, 1), y.size)),
        memory=np.zeros(max(method.memory, 1)),
        options=np.array([*numbers.values(), 0.0]),
        out_t=out_t,
        out_y=np.zeros((out_t.size, width)),
        out_turn=np.zeros((out_t.size, system.n_measures)),
        log_t=np.zeros(1000),
        log_code=np.zeros(2000, np.int64),
        steps_t=np.zeros(100_000 if not nominal else 0),
        j_slot=j_slot,
        j_diagonal=j_diagonal,
        jy=jy,
        jp=jp,
        regularisation=regularisation,
        levels=sparse.index(np.ones(problem.scale.size) if problem.levels is None else problem.levels),
        real=real,
        complex_=complex_,
        complex_scratch=np.zeros(y.size if problem.pattern is not None else 0, complex),
    )


def _jacobian_memory(problem, size):
    """Memory for the Jacobian of a DAE and for the matrices of an implicit integrator."""
    rows, columns = problem.pattern
    valid = (rows >= 0) & (columns >= 0)
    order = np.concatenate([unknowns for _, unknowns in problem.nodes])
    pattern = sparse.pattern(rows[valid], columns[valid], order, size)
    diagonal = np.arange(size)
    return (
        pattern.slots(rows, columns, valid),
        pattern.slots(diagonal, diagonal),
        np.zeros(rows.size),
        np.zeros(rows.size),
        problem.regularisation,
        sparse.matrix(pattern, size),
        sparse.matrix(pattern, size, dtype=complex),
    )


def nearly_singular(system, state):
    """Name of the first independent row that is weak at a state, or None: whether it is close to a singular position."""
    work = system.work()
    work.turn[:] = state.turn
    work.left_out[0] = redundancy(system, state)
    packed = pack(work)
    evaluate(state.t, state.q, state.v, VELOCITY, system.compiled, packed)
    select_rows(system.compiled, packed)
    first = int(work.kkt.report[1])
    return system.unknown_name(int(system.pattern.order[first])) if first >= 0 else None


def _march(problem, method, control, run, work, end, progress):
    """March to the end in chunks; back in Python now and then for the progress bar and Ctrl-C. (status, seconds)."""
    form = problem.table
    functions = np.array(
        [address_of(STEP, method.step), address_of(INTERPOLATE, method.interpolate), address_of(CONTROL, control)],
        np.int64,
    )
    _ = march.address
    packed_run, packed_work, system = pack(run), pack(work), problem.system.compiled
    status, chunk, seconds, order = RUNNING, 16, 0.0, float(max(method.error_order, 1))
    with Progress(run.clock[0], end, progress) as bar:
        try:
            while status == RUNNING:
                began = time.perf_counter()
                status = march(functions, order, form, packed_run, system, packed_work, chunk)
                took = time.perf_counter() - began
                seconds += took
                if status == RENEW:
                    status = problem.renew(float(run.clock[0]), run.y, work)
                    run.scale[: problem.scale.size] = problem.scale  # other coordinates may be judged from here on
                else:
                    chunk = max(1, int(chunk * min(10.0, CHUNK_SECONDS / (took + 1e-9))))
                bar.update(run.clock[0], int(run.counters[counting.STEPS]), int(run.counters[counting.REJECTED]))
        except KeyboardInterrupt:
            status = INTERRUPTED
    return status, seconds


def _singularity(system, t, q, v, work):
    """A further sentence if the last position is close to a singular one."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return ""
    found = nearly_singular(system, State(t, q, v, v, np.zeros(system.n_rows), work.turn.copy()))
    if found is None:
        return ""
    return (
        f" The position there is close to a singular one ({found}): integrators that solve several stages at once may not "
        "pass it; generalized-alpha and the Ode forms with correction do."
    )


def _gap(system, t, q, v, work):
    """Scaled |Phi| (n_rows,) at the end of a run, with its count of turns."""
    evaluate(t, q, v, 0, system.compiled, pack(work))
    return np.abs(work.phi * system.record.row_scale)


def _lost(system, run, q, status):
    """The rotation parameters that have met their singular position at the end of a run, in words, or None."""
    if not np.isfinite(q).all():  # independent coordinates without a position: the last one that was given out
        q = run.out_y[max(int(run.counters[counting.OUTPUT]) - 1, 0), : system.n_q]
    parameters, regular = lost_parameters(system, q)
    return None if regular > (LOST if status in (FINISHED, INTERRUPTED) else NEAR) else parameters


def _culprit(system, run, v, gap, status):
    if status in (PROJECTION_FAILED, TORN_APART):
        return system.row_name(int(np.argmax(gap)))
    unknown = int(run.counters[counting.CULPRIT])
    if unknown <= -2:  # a coordinate q: the velocity that moves it
        rows = system.record.t_row == -2 - unknown
        unknown = int(system.record.t_column[rows][0]) if rows.any() else -1
    if not 0 <= unknown < system.n_v:  # nothing was seen directly: the fastest motion is the likely one
        velocity = v / velocity_scale(system)
        unknown = int(np.argmax(np.where(np.isfinite(velocity), np.abs(velocity), np.inf)))
    return system.unknown_name(unknown)


def _provenance(chosen, method, form, correction, step, nominal, rtol, atol, numbers):
    from . import __version__

    correction, every, *tolerance = correction
    plain = (bool, int, float, str, type(None))
    options = {
        key: value if isinstance(value, plain) else str(value) for key, value in (chosen.options | numbers).items()
    }

    return {
        "bricard": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "formulation": chosen.name,
        "integrator": method.name,
        "form": form,
        "correction": correction,
        "correction_every": every,
        "correction_tolerance": tolerance,
        "step": nominal if step is not None else None,
        "rtol": None if step is not None else (rtol or RTOL),
        "atol": None if step is not None else (atol or rtol or RTOL),
        "options": options,
        "references": [*chosen.references, *method.references],
    }


__all__ = ["BricardError", "State", "choose", "simulate"]
