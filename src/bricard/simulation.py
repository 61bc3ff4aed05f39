"""simulate(): combine a formulation, an integrator and a controller, march in chunks, say how it ended."""

from __future__ import annotations

import platform
import time
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from .admission import check_admitted, finite_number, formulation_options, tell_misfit, unknown_option
from .compiled import march as counting
from .compiled.handles import pack
from .compiled.interfaces import CONTROL, INTERPOLATE, STEP, VELOCITY
from .compiled.march import deliver, march
from .compiled.pointers import address_of
from .compiled.status import (
    BROKEN,
    CHATTERING,
    FINISHED,
    FUNCTION_FAILED,
    INTERRUPTED,
    LOST_ROTATION,
    NEWTON_FAILED,
    NOT_FINITE,
    PROJECTION_FAILED,
    RANGE_ENDED,
    RENEW,
    RUNNING,
    SINGULAR,
    STEP_TOO_SMALL,
    STOPPED,
    TORN_APART,
    TORN_VELOCITY,
    TRIGGERED,
    sentence,
)
from .ending import RAISED, blamed, evaluates, has_functions, hopeless, torn_velocity
from .errors import BricardError, IncompatibleMethods, ModelError, SimulationError, suggest
from .formulations.base import ODE, RESIDUAL_DAE, SEMI_EXPLICIT_DAE, velocity_scale
from .linalg.kkt import evaluate, select_rows
from .model import Model
from .pairing import choose, corrected, correction_of, schedule_of
from .progress import Progress
from .registry import CONTROLLERS
from .solution.solution import Event, Solution
from .stepping.events import Watching, breaks_of, checked, given_times
from .stepping.start import output_times, start_again, start_run
from .stepping.stiffness import Creeping
from .system.assembler import assemble, complete, settle
from .system.build import build
from .system.fit import misfit
from .system.redundancy import redundancy
from .system.rotation import LOST, NEAR, lost_parameters
from .system.state import State
from .system.system import System
from .system.turns import known_joints, tell_coordinates
from .system.user_joint import obstacle, range_end, watch_steps

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 64  # steps: short runs end in one call
RTOL = 1e-8  # default tolerance of adaptive runs
PASSES = 1e-8  # relative tolerance with which adaptive steps pass singular positions
MOST_STEPS = 1e10
BROKEN_OFF = (NOT_FINITE, NEWTON_FAILED, STEP_TOO_SMALL, SINGULAR)  # how a run ends at the limit of a user's joint
FAILED = (*BROKEN_OFF, PROJECTION_FAILED)  # ends for which a function without a value may be the reason
UNUSABLE = 1e-3  # position error at the end, in characteristic lengths or radians, with which a run has failed
TIGHTEST = 1e-14  # tolerance: round-off of double precision leaves no smaller one
WHOLE, ROUNDING = 1e-9, 1e-12  # of a step, and of the duration, by which this may miss a multiple of it


def simulate(
    what: Any,
    duration: float,
    *,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    coordinates: str | None = None,
    cut: Any = (),
    formulation: str | None = None,
    integrator: str | None = None,
    form: str | None = None,
    correction: str | None = None,
    correction_every: int = 1,
    correction_tolerance: float | tuple[float, float] = 0.0,
    output: Any = None,
    triggers: Any = (),
    breaks: Any = (),
    energy: bool = True,
    progress: bool | None = None,
    check: bool = True,
    **options: Any,
) -> Solution:
    """Simulate a Model or a System for `duration` seconds, or go on from a Solution.

    step : fixed step size (s); where the duration is no multiple of it, the next smaller step that divides it is taken. Without
    it the integrator chooses its steps to meet `rtol` and `atol` (per component, atol in units of its natural size:
    characteristic length, radian), the first one being `first_step`, none longer than `max_step` (s). coordinates, cut : as in
    `model.build()`, of a Model; a System has its own. formulation, integrator : names, see `bricard list`; what is not given is
    chosen to fit. form : in which they meet, where there are several; the first one of the formulation if it is not given.
    correction : a name, for Ode forms and for what drifts; made every `correction_every` steps, where the error of position or
    velocity exceeds `correction_tolerance` (scaled; one number, or one for each). output : number of samples, interval (s, a
    float), or array of times. triggers : what to watch on the way, see Trigger. breaks : times (s) at which something jumps:
    steps end there and start anew; smooth steps and tables of a model are known. energy : sum up the work of dampers, motors and
    drivers in each step, for `solution.energy`; it takes time in driven models, none in conservative ones. progress : show a
    bar; None: on a terminal. check : raise SimulationError if the run does not reach its end; otherwise the Solution carries the
    status. Further options go to formulation or integrator.
    """
    began = time.perf_counter()
    _check_numbers(duration=duration, step=step, rtol=rtol, atol=atol, first_step=first_step, max_step=max_step)
    triggers, breaks = checked(triggers), given_times(breaks)
    if not isinstance(energy, (bool, np.bool_)):
        raise ModelError(f"energy is {energy!r}; it must be True or False.")
    earlier = what if isinstance(what, Solution) else None
    system = _system(what, coordinates, cut)
    chosen, method, form = choose(formulation, integrator, step, form)
    options = dict(options)
    if method.external is not None:
        correction = _external_correction(method, correction, step, triggers, breaks)
    correction = correction_of(form, correction, chosen)
    own = formulation_options(chosen, options)
    numbers = integrator_options(chosen, method, options)
    schedule = schedule_of(correction, correction_every, correction_tolerance)
    check_admitted(chosen, system, form)
    nominal = duration / max(1, ceil(duration / step * (1.0 - ROUNDING) - WHOLE)) if step is not None else 0.0
    held = not corrected(form, chosen)
    state = assemble(system) if earlier is None else _go_on(earlier, system, chosen, method, held, nominal)
    problem = chosen.forms[form](system, **own, **({"correction": correction} if corrected(form, chosen) else {}))
    end = state.t + float(duration)
    work = problem.work(state)
    work.schedule[:3] = schedule
    tell_misfit(problem.system, state)
    times = output_times(state.t, end, nominal, output, problem)
    watching = Watching(triggers, problem.system, state, float(duration), earlier)
    jumps = breaks_of(breaks, system.model, state.t, end, step is None)
    run = start_run(problem, method, state, work, end, nominal, times, numbers, jumps, watching.record, energy)
    if step is None:
        run.clock[4] = min(run.clock[4], max_step or np.inf)
        run.clock[1] = first_step or (run.clock[1] if method.external is None else 0.0)  # 0: that of an external method
    watching.begin(state, float(run.clock[1]))
    run.tolerance[:] = rtol or RTOL, atol or rtol or RTOL
    if not method.adaptive and step is None:
        raise IncompatibleMethods(f'Integrator "{method.name}" has a fixed step: give step=..., in seconds.')
    control = CONTROLLERS["fixed" if step is not None else method.controller]
    # multistep methods have the way up to there in their history: their small steps find through
    one_step = method.controller != "variable-order"
    separate = step is None and one_step and form in (RESIDUAL_DAE, SEMI_EXPLICIT_DAE)
    run.counters[counting.SEPARATE], run.counters[counting.BLIND] = separate, separate and chosen.index == 3
    watch_steps(problem.system, work, on=True)
    prepared = time.perf_counter()
    if method.external is None:
        status, seconds, cpu, raised = _march(problem, method, control, run, work, end, progress, watching, held)
    else:
        status, seconds, cpu, raised = _drive(problem, method, state, run, work, end, progress)
    watch_steps(problem.system, work, on=False)
    if raised is not None and not has_functions(problem.system, triggers):
        raise raised  # compiled code raises nothing of its own
    matrices = (work.kkt, run.real, *run.complex_)
    run.counters[counting.FACTORISATIONS] = sum(int(m.report[3]) for m in matrices)
    run.counters[counting.CORRECTIONS] = work.tally[0]
    run.counters[counting.ITERATIONS] += work.tally[1]
    q, v = problem.full(float(run.clock[0]), run.y, work)
    gap = _gap(problem.system, run, q, v, work)
    torn = -1
    if status in (FINISHED, STOPPED):
        torn = torn_velocity(problem.system, run, v, work)
        status = TORN_APART if not gap.max(initial=0.0) <= UNUSABLE else TORN_VELOCITY if torn >= 0 else status
    lost = _lost(problem.system, run, q, status)
    status = LOST_ROTATION if lost else status
    if status in BROKEN_OFF:  # perhaps where a user's joint can go no further, which is no failure
        lost = range_end(problem.system, q, v)
        if lost:
            status = RANGE_ENDED
    blame = None
    if status in (*FAILED, FUNCTION_FAILED):
        blame = blamed(problem.system, run, q, v, work) or (raised and f"a function raises {raised!r}")
        status = FUNCTION_FAILED if blame else status
    culprit = lost or blame or watching.culprit(status) or _culprit(problem.system, run, v, gap, status)
    if status == TORN_VELOCITY:
        culprit = f"{problem.system.row_name(torn)} with {work.phi_dot[torn]:.3g} {_unit(problem.system.rows[torn])}"
    text = sentence(status, run.clock[0], run.clock[1], int(run.counters[counting.STEPS]), culprit)
    if status in (NEWTON_FAILED, STEP_TOO_SMALL):
        together = problem.pattern is not None or problem.expand is not None
        text += _singularity(problem.system, float(run.clock[0]), q, v, work, together, float(run.tolerance[0]))
    if status in FAILED:
        text += obstacle(problem.system, q, v)
    if status in (NOT_FINITE, NEWTON_FAILED, PROJECTION_FAILED, TORN_APART, TORN_VELOCITY):
        hint = hopeless(chosen, method, numbers, problem.system)
        text = text.partition(" Take a smaller step")[0] + hint if hint else text
    if status in (NEWTON_FAILED, STEP_TOO_SMALL, PROJECTION_FAILED, TORN_APART) and system.record.redundant:
        text = f"{text} {misfit(system, state.t, state.q)}".rstrip()
    solution = Solution.from_run(
        problem,
        run,
        work,
        (q, v),
        status=status,
        sentence=text,
        provenance=_provenance(chosen, method, form, (correction, *schedule), step, nominal, rtol, atol, own | numbers)
        | {"coordinates": system.coordinates, "cut": list(system.cut), "rotation": system.rotation},
        seconds={"prepare": prepared - began, "march": seconds, "march_cpu": cpu},
        found=[
            *watching.events,
            *([Event(float(run.clock[0]), "range", text, q=q, v=v)] if status == RANGE_ENDED else []),
        ],
        earlier=earlier,
    )
    solution = replace(solution, system=system)  # a formulation may have reordered it for itself
    if check and status not in (FINISHED, STOPPED, RANGE_ENDED, INTERRUPTED):
        raise SimulationError(text, solution)
    return solution


def _system(what, coordinates, cut):
    """The System of what is to be simulated; coordinates and cut joints are choices for a Model."""
    if isinstance(what, Model):
        return build(what, coordinates=coordinates or "absolute", cut=cut)
    if not isinstance(what, (System, Solution)):
        raise ModelError(f"simulate() takes a Model, a System or a Solution, not {what!r}.")
    system = what.system if isinstance(what, Solution) else what
    asked = cut not in ((), [])
    if coordinates not in (None, system.coordinates) or asked:
        wish = f'coordinates="{coordinates or system.coordinates}"' + (f", cut={cut!r}" if asked else "")
        raise ModelError(
            f"{wish} is a choice for a Model; this {type(what).__name__} has {system.coordinates} coordinates. Build its model "
            f"again: model.build({wish})."
        )
    return system


def integrator_options(chosen, method, options):
    """An integrator's options, in its order: those given, checked, and the defaults."""
    found = dict(method.options)
    for key, value in options.items():
        if key not in found:
            raise unknown_option(key, chosen, method)
        found[key] = _option(method, key, value)
    return found


def _option(method, key, value):
    """One option of an integrator, checked: a number, True or False, or one of its names."""
    default, text = method.options[key], f"Option {key} of {method.name} is {value!r}; it must"
    if isinstance(default, bool):
        if not isinstance(value, (bool, np.bool_)):
            raise ModelError(f"{text} be True or False.")
        return bool(value)
    if isinstance(default, str):
        if value not in method.ranges[key]:
            raise ModelError(
                f"{text} be one of {', '.join(method.ranges[key])}.{suggest(str(value), method.ranges[key])}"
            )
        return value
    if default is None and value is None:
        return None
    number = finite_number(value, f"option {key}")
    low, *others, high = method.ranges.get(key, (-np.inf, np.inf))
    if others and number not in (low, *others, high):
        raise ModelError(f"{text} be one of {', '.join(map(str, (low, *others, high)))}.")
    if not low <= number <= high:
        explicit = (
            " With beta = 0 positions are explicit: that is central-difference, or null-space-newmark."
            if key == "beta" and number == 0.0
            else ""
        )
        raise ModelError(
            f"Option {key} of {method.name} is {number:g}; it must lie between {low:g} and {high:g}.{explicit}"
        )
    if isinstance(default, int) and number != round(number):
        raise ModelError(f"Option {key} of {method.name} is {number:g}; it must be a whole number.")
    return number


def _check_numbers(**numbers):
    for name, value in numbers.items():
        if value is None and name != "duration":
            continue
        number = finite_number(value, name)
        if number <= 0.0:
            raise ModelError(f"{name} is {value!r}; it must be a positive number.")
        if name in ("rtol", "atol") and number < TIGHTEST:
            raise ModelError(
                f"{name} is {number:g}: round-off of double precision leaves no tolerance below {TIGHTEST:g}. Take 1e-12 or more."
            )
    if numbers["step"] is not None:
        if numbers["first_step"] is not None or numbers["max_step"] is not None:
            raise IncompatibleMethods(
                "first_step and max_step are for steps that the integrator chooses; with step=... all are equal. Leave them."
            )
        if numbers["rtol"] is not None or numbers["atol"] is not None:
            raise IncompatibleMethods(
                "Give either step (fixed steps) or rtol and atol (the integrator chooses its steps)."
            )
        if numbers["duration"] / numbers["step"] > MOST_STEPS:
            raise ModelError(
                f"duration {numbers['duration']:g} s in steps of {numbers['step']:g} s are more than {MOST_STEPS:g} steps."
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


def _go_on(earlier, system, chosen, method, held, nominal):
    """The end of an earlier run as a start: as it is for the same method with the same step, otherwise as for any start.

    Multistep methods with fixed steps have their history with them, and go on with any step.
    held : whether the equations hold the constraints by themselves. Such methods take a velocity that violates them, by no more
    than their error, for one that has to be stopped within the next step, whatever its size: multipliers of any size.
    """
    state, before = earlier.end, earlier.provenance
    same = before["integrator"] == method.name and before["formulation"] == chosen.name
    stopped = any(event.kind == "stop" and event.t == state.t for event in earlier.events)
    if same and not stopped and nominal and before["step"]:
        if method.controller == "variable-order" or abs(before["step"] - nominal) <= 1e-9 * nominal:
            return state
    if held:
        work = system.work()
        if state.totals.size:
            tell_coordinates(system, work, state.totals[len(system.angles) : -1])
        settled = _settled(system, state.t, state.q, state.v, state.turn, held, work.memory)
        return replace(settled, totals=state.totals)
    return state if same else replace(state, extra=None)


def _settled(system, t, q, v, turn, held, memory):
    """The State to start from at q and v; of methods that hold the constraints by themselves, on these. memory : Work.memory."""
    if held:
        q, v = settle(system, t, q, v, turn, known_joints(system, q, memory))
    return complete(system, t, q, v, turn, memory)


def _march(problem, method, control, run, work, end, progress, watching, held):
    """March to the end in chunks; back in Python now and then for events, progress bar and Ctrl-C.

    (status, s, CPU s, what a user's function has raised or None). held : as in _go_on, for starts on the way.
    """
    form = problem.table
    functions = np.array(
        [address_of(STEP, method.step), address_of(INTERPOLATE, method.interpolate), address_of(CONTROL, control)],
        np.int64,
    )
    _ = march.address
    packed_run, packed_work, system = pack(run), pack(work), problem.system.compiled
    status, chunk, seconds, cpu, order = RUNNING, FIRST_CHUNK, 0.0, 0.0, float(max(method.error_order, 1))
    raised = None
    creeping = Creeping(problem, method, run, work, problem.form == ODE and run.clock[7] == 0.0)
    with Progress(run.clock[0], end, progress) as bar:
        try:
            while status == RUNNING:
                began, busy = time.perf_counter(), time.process_time()
                try:
                    status = march(functions, order, form, packed_run, system, packed_work, chunk)
                except RAISED as error:
                    status, raised = FUNCTION_FAILED, error
                took = time.perf_counter() - began
                seconds, cpu = seconds + took, cpu + time.process_time() - busy
                fired = watching.collect()
                if status == TRIGGERED:
                    status = _act(fired, problem, method, run, work, watching)
                elif status == BROKEN:
                    t = float(run.clock[0])
                    q, v = problem.full(t, run.y, work)
                    state = _settled(problem.system, t, q, v, work.turn, held, work.memory)
                    start_again(problem, method, state, run, work)
                    status = RUNNING
                elif status == RENEW:
                    status = problem.renew(float(run.clock[0]), run.y, work)
                    run.scale[: problem.scale.size] = problem.scale  # other coordinates may be judged from here on
                else:
                    chunk = max(1, int(chunk * min(10.0, CHUNK_SECONDS / (took + 1e-9))))
                    creeping.look()
                bar.update(run.clock[0], int(run.counters[counting.STEPS]), int(run.counters[counting.REJECTED]))
        except KeyboardInterrupt:
            status = INTERRUPTED
    return status, seconds, cpu, raised


def _external_correction(method, correction, step, triggers, breaks):
    """The correction of a method that drives its own loop: none. Raises where that loop is asked for what it cannot do."""
    asked = {"step=...": step is not None, "triggers": bool(triggers), "breaks": len(breaks) > 0}
    asked |= {f'correction="{correction}"': correction not in (None, "none")}
    for key, given in asked.items():
        if given:
            raise IncompatibleMethods(
                f'Integrator "{method.name}" drives its own loop, which does not take {key}. Take bdf in its place, or leave it.'
            )
    return "none"


def _drive(problem, method, state, run, work, end, progress):
    """Let a method drive its own loop. (status, s, CPU s, what a user's function has raised or None)."""
    began, busy, status, raised = time.perf_counter(), time.process_time(), RUNNING, None
    with Progress(run.clock[0], end, progress) as bar:
        try:
            status = method.external(problem, state, run, work, bar.update)
        except KeyboardInterrupt:
            status = INTERRUPTED
        except RAISED as error:
            status, raised = FUNCTION_FAILED, error
    return status, time.perf_counter() - began, time.process_time() - busy, raised


def _act(fired, problem, method, run, work, watching):
    """Do what the trigger that has interrupted the run asks for. A status."""
    state, ends = watching.act(fired, work)
    start_again(problem, method, state, run, work)
    if ends:  # the event is the last sample
        run.out_t[run.counters[counting.OUTPUT]] = state.t
        deliver(problem.table[2], run.y, pack(run), problem.system.compiled, pack(work))
        return STOPPED
    watching.begin(state, min(float(run.clock[1]), float(run.clock[4])))
    return CHATTERING if watching.crowded(fired) else RUNNING


def _singularity(system, t, q, v, work, together, rtol):
    """A further sentence if the last position is close to a singular one; together: for methods that solve with constraints."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return ""
    found = nearly_singular(system, State(t, q, v, v, np.zeros(system.n_rows), work.turn.copy()))
    if found is None:
        return ""
    if together:
        words = (
            "integrators that solve several stages at once may not pass it; generalized-alpha and the Ode forms with "
        )
        words += "correction do."
    elif rtol < PASSES:
        words = "round-off is large in its neighbourhood, and a step cannot be as accurate there as it is asked to be. Loosen "
        words += "rtol: 1e-8 passes such positions."
    else:
        words = "where no step passes it, the motion is driven to a dead point or beyond its range. br.kinematics(model, ...) "
        words += "shows the range."
    return f" The position there is close to a singular one ({found}): {words}"


def _gap(system, run, q, v, work):
    """Scaled |Phi| (n_rows,) at the end of a run, with its count of turns; work is evaluated there."""
    if evaluates(system, float(run.clock[0]), q, v, work):
        return np.abs(work.phi * system.record.row_scale)
    last = int(run.counters[counting.OUTPUT]) - 1  # a state that has no forces cannot be a sample
    run.counters[counting.OUTPUT] -= last >= 0 and run.out_t[last] == run.clock[0]
    return np.zeros(system.n_rows)


def _unit(row):
    """Of the velocity of a constraint row."""
    return "m/s" if row.unit == "length" else "rad/s"


def _lost(system, run, q, status):
    """The rotation parameters that have met their singular position at the end of a run, in words, or None."""
    if not np.isfinite(q).all():  # independent coordinates without a position: the last one that was given out
        q = run.out_y[max(int(run.counters[counting.OUTPUT]) - 1, 0), : system.n_q]
    parameters, regular = lost_parameters(system, q)
    return None if regular > (LOST if status in (FINISHED, INTERRUPTED) else NEAR) else parameters


def _culprit(system, run, v, gap, status):
    if status in (PROJECTION_FAILED, TORN_APART):
        return system.row_name(int(np.argmax(gap)))
    if not system.n_v:
        return f'model "{system.name}"'
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
