"""What one evaluation of each right-hand side costs, by size, and what the dense methods pay for a new basis.

A hanging chain of links with hinges about alternating axes (six velocities, five rows and one degree of freedom a link). Times
are the best of several in compiled code, in microseconds, and in multiples of `index1`, the plain KKT system. For methods with a
basis that is found by LAPACK, `renewal` is the time of one renewal in multiples of the LAPACK call in it.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import RHS
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from ..errors import BricardError, SimulationError
from ..formulations.tangent_coordinates import Coordinates, Directions
from ..model import Model, Rod
from ..registry import FORMULATIONS
from ..system.assembler import assemble
from .base import Experiment, Result

SIZES, REPEATS, LONGEST = (1, 3, 10, 30, 100), 5, 0.2  # links; runs, of which the best counts; s per run
STAGE = 2e-3  # s, between stages
call_rhs = RHS.call


@compiled
def repeat(address, t, y, way, y_dot, count, system, work):
    """`count` evaluations, at y and a little along the motion in turn, as in the stages of a step; the largest status."""
    status, point = 0, y.copy()
    for k in range(count):
        for i in range(y.size):
            point[i] = y[i] + (k % 3) * way[i]
        status = max(status, call_rhs(address, t + (k % 3) * STAGE, point, y_dot, system, work))
    return status


def chain(links: int) -> Model:
    """A hanging chain in space, moving."""
    model = Model(f"chain of {links}")
    previous, top = model.ground, np.zeros(3)
    for k in range(links):
        bottom = top + np.array([0.3, 0.1 * (-1) ** k, -0.4])
        body = model.body(f"link {k}", Rod(top, bottom, mass=1.0, radius=0.05))
        model.revolute(f"J{k}", previous, body, top, (1, 0, 0) if k % 2 else (0, 1, 0))
        model.start(joint=f"J{k}", velocity=0.5 * (-1) ** k)
        previous, top = body, bottom
    return model


def run() -> Result:
    """Rows: formulation; columns: microseconds and multiples of index1 for each number of links."""
    names = [f.name for f in FORMULATIONS.values() if "Ode" in f.forms and not f.needs]
    rows: dict[str, dict[str, Any]] = {name: {"formulation": name} for name in names}
    for links in SIZES:
        system = chain(links).build()
        state = assemble(system)
        base = None
        for name in sorted(names, key=lambda n: n != "index1"):
            try:
                seconds, problem, y, work = evaluation_time(system, state, name)
            except BricardError as error:
                rows[name]["note"] = str(error)
                continue
            base = seconds if base is None else base
            rows[name][f"us, {links}"] = 1e6 * seconds
            rows[name][f"x index1, {links}"] = seconds / base
            if problem.renew is not None:
                rows[name][f"renewal, {links}"] = renewal_ratio(problem, state, y, work)
    columns = ("formulation", *(f"{w}, {n}" for n in SIZES for w in ("us", "x index1", "renewal")), "note")
    return Result(columns, list(rows.values()), notes(rows))


def evaluation_time(system, state, name):
    """(s per evaluation, Problem, y, work) at the state."""
    problem = FORMULATIONS[name].forms["Ode"](system, correction=FORMULATIONS[name].correction)
    work = problem.work(state)
    y = problem.initial(state, work)
    packed, y_dot, address = pack(work), np.zeros(y.size), problem.functions[0].address
    repeat(address, state.t, y, y_dot, y_dot, 1, problem.system.compiled, packed)
    way = STAGE * y_dot

    def timed(count):
        began = time.process_time()
        status = repeat(address, state.t, y, way, y_dot, count, problem.system.compiled, packed)
        if status != RUNNING:
            raise SimulationError(f"{name} fails in an evaluation with status {status}.")
        return time.process_time() - began

    count = 1
    while (took := timed(count)) < 0.02 and count < 1_000_000:
        count *= 4
    runs = REPEATS if took < LONGEST else 1
    return min(timed(count) for _ in range(runs)) / count, problem, y, work


def renewal_ratio(problem, state, y, work):
    """Time of one renewal of the basis over that of the LAPACK call inside it."""
    owner = getattr(problem.renew, "__self__", None)
    if not (isinstance(owner, Coordinates) and isinstance(owner.choose, Directions)):
        return None
    choose = owner.choose
    lapack, inside = choose.null_space, []

    def watched(*arguments):
        began = time.perf_counter()
        found = lapack(*arguments)
        inside.append(time.perf_counter() - began)
        return found

    choose.null_space = watched
    ratios, end = [], time.perf_counter() + LONGEST
    while len(ratios) < 3 or (time.perf_counter() < end and len(ratios) < 100):
        inside.clear()
        began = time.perf_counter()
        problem.renew(state.t, y.copy(), work)
        ratios.append((time.perf_counter() - began) / sum(inside))
    choose.null_space = lapack
    return float(np.median(ratios))


def notes(rows):
    """Sentences below the table: the size from which a dense method costs more than the sparse one."""
    sentences = []
    for name, row in rows.items():
        beyond = [links for links in SIZES if row.get(f"x index1, {links}", 0.0) > 10.0]
        if beyond:
            sentences.append(f"{name}: more than ten times index1 from {beyond[0]} links on.")
        dear = [links for links in SIZES if (row.get(f"renewal, {links}") or 0.0) > 1.5]
        if dear:
            sentences.append(f"{name}: a renewal costs more than 1.5 times its LAPACK call up to {dear[-1]} links.")
    return tuple(sentences)


COSTS = Experiment(
    name="costs",
    title="Cost of one evaluation by method and size",
    source="issue 3",
    run=run,
    figure=False,
)
