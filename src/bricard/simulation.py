"""simulate(): combine a formulation, an integrator and a controller, march in chunks, say how it ended."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from .admission import check_admitted, check_numbers, tell_misfit, tell_moved
from .balance import Judged, judge_balance
from .compiled import march as counting
from .compiled.handles import pack
from .compiled.march import deliver, march
from .compiled.status import (
    BROKEN,
    CHATTERING,
    CONTRADICTED,
    FINISHED,
    FUNCTION_FAILED,
    INTERRUPTED,
    KINKED,
    OUT_OF_STEPS,
    RANGE_ENDED,
    RENEW,
    RUNNING,
    STICKING,
    STOPPED,
    TRIGGERED,
    UNBALANCED,
    sentence,
)
from .ending import judge
from .errors import IncompatibleMethods, Interrupted, ModelError, SimulationError
from .formulations.base import ODE, RESIDUAL_DAE, SEMI_EXPLICIT_DAE
from .interrupts import Listening, was_interrupted
from .model import Model
from .model.checks import integer
from .pairing import choose, external_correction, pair_up
from .progress import Progress
from .provenance import provenance
from .registry import CONTROLLERS, INTEGRATORS
from .solution.solution import NOTHING, Solution
from .stepping.events import Watching, breaks_of, checked, given_times
from .stepping.kinks import Kinked, checked_kinks
from .stepping.routines import Contracts
from .stepping.start import output_times, start_again, start_run
from .stepping.stiffness import Creeping
from .system.assembler import assemble, complete, moved_to_close, settled
from .system.build import build
from .system.system import System
from .system.turns import tell_coordinates
from .system.user_functions import RAISED, has_functions
from .system.user_joint import watch_steps

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 64  # steps: short runs end in one call
RTOL = 1e-8  # default tolerance of adaptive runs
FINER, SECOND_SAMPLES = 0.01, 41  # of a second look at the energy: of the tolerances, and how many samples
WHOLE, ROUNDING = 1e-9, 1e-12  # of a step, and of the duration, by which this may miss a multiple of it


class Ended(Exception):
    """The loop of an external method is ended from outside, with a status."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def simulate(
    what: Any,
    duration: float,
    *,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    most_steps: int | None = None,
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
    kinks: str | None = None,
    energy: bool = True,
    progress: bool | None = None,
    check: bool = True,
    **options: Any,
) -> Solution:
    """Simulate a Model or a System for `duration` seconds, or go on from a Solution.

    step : fixed step size (s); where the duration is no multiple of it, the next smaller step that divides it is taken. Without
    it the integrator chooses its steps to meet `rtol` and `atol` (per component, atol in units of its natural size:
    characteristic length, radian), the first one being `first_step`, none longer than `max_step` (s). most_steps : attempts at a
    step after which a run is given up; None: it goes on. coordinates, cut : as in `model.build()`, of a Model; a System has its
    own. formulation, integrator : names, see `bricard list`; what is not given is chosen to fit. form : in which they meet,
    where there are several; the first one of the formulation if it is not given.
    correction : a name, for Ode forms and for what drifts; made every `correction_every` steps, where the error of position or
    velocity exceeds `correction_tolerance` (scaled; one number, or one for each). output : number of evenly spaced samples (at
    least 2: the start and the end are among them), interval (s, a float), or array of times. triggers : what to watch on the way,
    see Trigger. breaks : times (s) at which something jumps: steps end there and start anew; smooth steps and tables of a model
    are known. kinks : what is done where a function of the user leaves its branch inside of a step (docs/functions.md): steps
    that the integrator chooses end there and start anew, fixed ones go on and the status counts them; "stop at" ends all of them
    there, "count" none. energy : sum up the work of dampers, motors and drivers in each step, for `solution.energy`, and judge
    at the end whether the energy balances; it takes time in driven models, next to none in conservative ones. progress : show a
    bar; None: on a terminal. check : raise SimulationError if the run does not reach its end; otherwise the Solution carries the
    status.
    Further options go to formulation or integrator. Ctrl-C raises Interrupted, with the Solution so far, whatever `check` is.
    """
    settings = {
        "step": step,
        "rtol": rtol,
        "atol": atol,
        "first_step": first_step,
        "max_step": max_step,
        "most_steps": most_steps,
        "formulation": formulation,
        "integrator": integrator,
        "form": form,
        "correction": correction,
        "correction_every": correction_every,
        "correction_tolerance": correction_tolerance,
        "breaks": given_times(breaks),
        "kinks": checked_kinks(kinks),
        **options,
    }
    if not isinstance(energy, (bool, np.bool_)):
        raise ModelError(f"energy is {energy!r}; it must be True or False.")
    how = {"output": output, "triggers": checked(triggers), "progress": progress, "energy": bool(energy)}
    with Listening() as listening:
        try:
            status, solution = _simulated(
                what, duration, listening, coordinates=coordinates, cut=cut, **how, **settings
            )
            if status in (FINISHED, STOPPED):
                status, solution = _judged(status, solution, what, settings, energy, listening)
        except (KeyboardInterrupt, SystemError) as error:
            if was_interrupted(error):
                raise Interrupted("Interrupted before or behind the steps of a run: there is no result.") from None
            raise
    if status == INTERRUPTED:
        raise Interrupted(solution.status, solution)
    if listening.asked:  # behind the last check: a loop of runs must end all the same
        raise Interrupted("Interrupted behind the steps of a run: its result is whole.", solution)
    if check and status not in (FINISHED, STOPPED, RANGE_ENDED):
        raise SimulationError(solution.status, solution)
    return solution


def _simulated(
    what,
    duration,
    listening,
    *,
    step,
    rtol,
    atol,
    first_step,
    max_step,
    most_steps,
    coordinates=None,
    cut=(),
    formulation,
    integrator,
    form,
    correction,
    correction_every,
    correction_tolerance,
    output,
    triggers,
    breaks,
    kinks,
    energy,
    progress,
    **options,
):
    """(status code, Solution) of a run, whose energy is not judged yet; arguments as those of simulate()."""
    given, began = {key: value for key, value in locals().items() if key != "listening"}, time.perf_counter()
    check_numbers(duration=duration, step=step, rtol=rtol, atol=atol, first_step=first_step, max_step=max_step)
    most = np.inf if most_steps is None else integer(most_steps, "most_steps")
    earlier = what if isinstance(what, Solution) else None
    system = _system(what, coordinates, cut)

    chosen, method, form = choose(formulation, integrator, step, form)
    if method.external is not None:
        correction = external_correction(method, correction, step, triggers, breaks, kinks)
    limits = correction_tolerance or chosen.tolerated(rtol or RTOL if step is None else None)
    pair = pair_up(chosen, method, form, correction, correction_every, limits, options)
    check_admitted(chosen, system, form)

    nominal = 0.0 if step is None else duration / max(1, ceil(duration / step * (1.0 - ROUNDING) - WHOLE))
    start = assemble(system) if earlier is None else _go_on(earlier, system, pair, nominal)
    end = start.t + float(duration)
    problem = pair.problem(system)
    work = problem.work(start)
    work.schedule[:3] = pair.schedule
    tell_misfit(problem.system, start)
    moved = moved_to_close(system) if earlier is None else ()
    tell_moved(moved)
    times = output_times(start.t, end, nominal, output, problem)
    watching = Watching(triggers, problem.system, start, float(duration), earlier)
    jumps = breaks_of(breaks, system.model, start.t, end, step is None)
    kinked = Kinked(problem.system, start, work, kinks, nominal > 0.0, float(duration), method.external is None)
    run = start_run(
        problem, method, start, work, end, nominal, times, pair.numbers, jumps, watching.record, kinked.record, energy
    )
    _choose_steps(run, pair, rtol, atol, first_step, max_step)
    watching.begin(start, float(run.clock[1]))
    prepared = time.perf_counter()

    status, raised, seconds = _take_steps(problem, pair, start, run, work, watching, kinked, progress, listening, most)

    ending = judge(problem, pair, run, work, watching, kinked, status, raised, system, start)

    solution = Solution.from_run(
        problem,
        run,
        work,
        (ending.q, ending.v),
        status=ending.status,
        sentence=ending.sentence,
        provenance=provenance(pair, system, run, given, moved, None if earlier is None else earlier.provenance),
        seconds={"prepare": prepared - began, **seconds},
        found=[*watching.events, *kinked.events, *ending.events],
        earlier=earlier,
    )
    watching.tell_turns(solution.events)
    solution = replace(solution, system=system)  # a formulation may have reordered it for itself
    return ending.status, solution


def _judged(status, solution, what, settings, energy, listening):
    """(status code, Solution) of a run that has reached its end, after a look at its energy."""
    if not energy:
        return status, replace(solution, status=f"{solution.status} Its energy is not judged (energy=False).")
    fixed, integrator = solution.provenance["step"], INTEGRATORS[solution.provenance["integrator"]]

    def look_again(first, last):
        """The Solution from one sample to another with finer steps, or None where they fail."""
        part, span = solution.samples(np.array([first])), float(solution.t[last] - solution.t[first])
        start = replace(part.at(part.t[0]), totals=solution.totals[first] if len(solution.totals) else NOTHING)
        finer = {"step": fixed / 2.0} if fixed else {"rtol": FINER * solution.provenance["rtol"], "first_step": None}
        finer |= {"atol": None if fixed else FINER * solution.provenance["atol"]}
        how = {"output": SECOND_SAMPLES, "triggers": (), "progress": False, "energy": True}
        part = replace(part, end=start, events=())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            status, found = _simulated(part, span, listening, **how, **settings | finer)
        return found if status == FINISHED else None

    first = max(what.t.size - 1, 0) if isinstance(what, Solution) else 0
    rtol = 0.0 if fixed else float(solution.provenance["rtol"])
    said = judge_balance(Judged(solution, first, rtol, integrator.damps, look_again))
    if said is None:
        return status, solution
    if not said.failed:
        return status, replace(solution, status=f"{solution.status} Note: {said.sentence}.")
    steps = solution.counters["steps"]
    return UNBALANCED, replace(
        solution, ok=False, status=sentence(UNBALANCED, solution.t[-1], 0.0, steps, said.sentence)
    )


def _system(what, coordinates, cut):
    """The System of what is to be simulated; coordinates and cut joints are choices for a Model."""
    if isinstance(what, Model):
        return build(what, coordinates=coordinates or "absolute", cut=cut)
    if not isinstance(what, (System, Solution)):
        raise ModelError(f"simulate() takes a Model, a System or a Solution, not {what!r}.")
    system = what.system if isinstance(what, Solution) else what
    if system.recipe is not None:
        system.recipe.warn_of_changes()
    asked = cut not in ((), [])
    if coordinates not in (None, system.coordinates) or asked:
        wish = f'coordinates="{coordinates or system.coordinates}"' + (f", cut={cut!r}" if asked else "")
        raise ModelError(
            f"{wish} is a choice for a Model; this {type(what).__name__} has {system.coordinates} coordinates. Build its model "
            f"again: model.build({wish})."
        )
    return system


def _go_on(earlier, system, pair, nominal):
    """The end of an earlier run as a start: as it is for the same method with the same step, otherwise as for any start.

    Multistep methods with fixed steps have their history with them, and go on with any step.
    Methods that hold the constraints by themselves take a velocity that violates these, by no more than their error, for one
    that has to be stopped within the next step, whatever its size: multipliers of any size. For them it is settled.
    """
    state, before, method = earlier.end.copy(), earlier.provenance, pair.integrator
    same = before["integrator"] == method.name and before["formulation"] == pair.formulation.name
    stopped = any(event.kind == "stop" and event.t == state.t for event in earlier.events)
    if same and not stopped and nominal and before["step"]:
        if method.controller == "variable-order" or abs(before["step"] - nominal) <= 1e-9 * nominal:
            return state
    if pair.held:
        work = system.work()
        tell_coordinates(system, work, state.totals)
        return replace(settled(system, state.t, state.q, state.v, state.turn, work.memory), totals=state.totals)
    return state if same else replace(state, extra=None)


def _tried(run):
    """How many attempts at a step were made."""
    return int(run.counters[counting.STEPS] + run.counters[counting.REJECTED])


def _choose_steps(run, pair, rtol, atol, first_step, max_step):
    """Tell the record of a run what its steps have to meet where the integrator chooses them."""
    run.tolerance[:] = rtol or RTOL, atol or rtol or RTOL
    if run.clock[7]:  # they are fixed
        return
    method = pair.integrator
    if not method.adaptive:
        raise IncompatibleMethods(f'Integrator "{method.name}" has a fixed step: give step=..., in seconds.')
    run.clock[4] = min(run.clock[4], max_step or np.inf)
    run.clock[1] = first_step or (run.clock[1] if method.external is None else 0.0)  # 0: that of an external method
    # multistep methods have the way up to there in their history: their small steps find through
    separate = method.controller != "variable-order" and pair.form in (RESIDUAL_DAE, SEMI_EXPLICIT_DAE)
    run.counters[counting.SEPARATE] = separate
    run.counters[counting.BLIND] = separate and pair.formulation.index == 3


def _take_steps(problem, pair, start, run, work, watching, kinked, progress, listening, most):
    """All steps, in our loop or in the method's own: status, what a user's function has raised or None, times (s) by name."""
    watch_steps(problem.system, work, on=True)
    if pair.integrator.external is None:
        status, raised, seconds = _march(problem, pair, run, work, watching, kinked, progress, listening, most)
    else:
        status, raised, seconds = _drive(problem, pair.integrator, start, run, work, progress, listening, most)
    watch_steps(problem.system, work, on=False)
    if raised is not None and not has_functions(problem.system, watching.triggers):
        raise raised  # compiled code raises nothing of its own
    matrices = (work.kkt, run.real, *run.complex_)
    run.counters[counting.FACTORISATIONS] = sum(int(m.report[3]) for m in matrices)
    run.counters[counting.CORRECTIONS] = work.tally[0]
    run.counters[counting.ITERATIONS] += work.tally[1]
    kinked.count(run)
    return status, raised, seconds


def _march(problem, pair, run, work, watching, kinked, progress, listening, most):
    """March to the end in chunks; back in Python now and then for events, progress bar and Ctrl-C. As _take_steps."""
    method, form, fixed = pair.integrator, problem.table, run.clock[7] > 0.0
    functions = method.table(CONTROLLERS["fixed" if fixed else method.controller])
    _ = march.address
    packed_run, packed_work, system = pack(run), pack(work), problem.system.compiled
    status, chunk, seconds, cpu, order = RUNNING, FIRST_CHUNK, 0.0, 0.0, float(max(method.error_order, 1))
    raised = None
    creeping = Creeping(problem, method, run, work, problem.form == ODE and not fixed)
    contracts = Contracts(problem, run, work)
    with Progress(run.clock[0], run.clock[6], progress) as bar:
        try:
            while status == RUNNING:
                left = int(max(1, min(chunk, most - _tried(run))))  # one more call tells that the end was reached
                length = min([left, *(watch.steps_left() for watch in (creeping, contracts) if watch.watched)])
                began, busy = time.perf_counter(), time.process_time()
                try:
                    status = march(functions, order, form, packed_run, system, packed_work, length)
                except RAISED as error:
                    status, raised = FUNCTION_FAILED, error
                took = time.perf_counter() - began
                seconds, cpu = seconds + took, cpu + time.process_time() - busy
                fired = watching.collect()
                if status == TRIGGERED:
                    status = _act(fired, problem, method, run, work, watching)
                elif status in (BROKEN, KINKED):
                    t = float(run.clock[0])
                    q, v = problem.full(t, run.y, work)
                    put = settled if pair.held else complete
                    start_again(problem, method, put(problem.system, t, q, v, work.turn, work.memory), run, work)
                    status = STICKING if status == KINKED and kinked.met(t, q, v) else RUNNING
                elif status == RENEW:
                    status = problem.renew(float(run.clock[0]), run.y, work)
                    run.counters[counting.PLACED] = 1
                    run.scale[: problem.scale.size] = problem.scale  # other coordinates may be judged from here on
                else:
                    chunk = max(1, int(length * min(10.0, CHUNK_SECONDS / (took + 1e-9))))
                if status == RUNNING:
                    creeping.look()
                    status = CONTRADICTED if contracts.broken() else status
                if status == RUNNING and _tried(run) >= most and run.counters[counting.OUTPUT] < run.out_t.size:
                    status = OUT_OF_STEPS
                bar.update(run.clock[0], int(run.counters[counting.STEPS]), int(run.counters[counting.REJECTED]))
                if status == RUNNING:
                    listening.check()
        except (KeyboardInterrupt, SystemError) as error:
            if not was_interrupted(error):
                raise
            status = INTERRUPTED
    return status, raised, {"march": seconds, "march_cpu": cpu}


def _drive(problem, method, start, run, work, progress, listening, most):
    """Let a method drive its own loop. As _take_steps."""
    began, busy, status, raised = time.perf_counter(), time.process_time(), RUNNING, None
    contracts = Contracts(problem, run, work)
    with Progress(run.clock[0], run.clock[6], progress) as bar:

        def update(*told):
            bar.update(*told)
            listening.check()
            if contracts.broken():
                raise Ended(CONTRADICTED)
            if _tried(run) >= most:
                raise Ended(OUT_OF_STEPS)

        try:
            status = method.external(problem, start, run, work, update)
        except (KeyboardInterrupt, SystemError) as error:
            if not was_interrupted(error):
                raise
            status = INTERRUPTED
        except RAISED as error:
            status, raised = FUNCTION_FAILED, error
        except Ended as ended:
            status = ended.status
    return status, raised, {"march": time.perf_counter() - began, "march_cpu": time.process_time() - busy}


def _act(fired, problem, method, run, work, watching):
    """Do what the trigger that has interrupted the run asks for. A status."""
    state, ends = watching.act(fired, work)
    start_again(problem, method, state, run, work)
    if ends:  # the event is the last sample
        run.out_t[run.counters[counting.OUTPUT]] = state.t
        status = deliver(problem.table[2], run.y, pack(run), problem.system.compiled, pack(work))
        return STOPPED if status == RUNNING else status
    watching.begin(state, min(float(run.clock[1]), float(run.clock[4])))
    return CHATTERING if watching.crowded(fired) else RUNNING


__all__ = ["simulate"]
