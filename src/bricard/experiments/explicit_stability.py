"""Stability and local order of the conditionally explicit family (spec 004, section 4.2, tables 9.7, 9.9 and 9.11).

Stability is that of the compiled methods on x'' + omega^2 x = 0: the largest h omega, and the factor by which a step multiplies
what grows fastest (1: nothing grows). The published parameters of ce5 (alpha = 4/5) are unstable at every step, which the
source's run of 10 s does not show: with omega = 1 and h = 0.1 s the oscillator has grown without bound after 2000 s. With
alpha = 0 it is stable up to sqrt(2). The steps of figures 9.13 to 9.15 are tried too, 2000 of each.

Local order: one step from an exact past, in x, x' and the highest derivative that is carried along. The source's rule is the
smallest of (order of the error of derivative i) + i, less 1.
"""

from __future__ import annotations

from functools import cache
from math import cos, log2
from typing import Any

import numpy as np

from ..admission import integrator_options
from ..analysis.stability import stability
from ..compiled.handles import pack
from ..compiled.march import RESTART, march
from ..compiled.status import FINISHED
from ..errors import SimulationError
from ..integrators.conditionally_explicit import BEFORE, LAST_STEP, START
from ..pairing import choose
from ..registry import CONTROLLERS
from ..simulation import simulate
from ..stepping.start import start_run
from ..system.assembler import complete
from ..system.system import System
from .base import Experiment, Result, labelled

# method, alpha -> largest h omega and local order in the source
FAMILY: dict[tuple[str, float], tuple[str, str]] = {
    ("ce3", 1.0): ("2", "2"),
    ("ce3", 4 / 3): ("1.549", "3"),
    ("ce3", 2.0): ("1.1547", "2"),
    ("ce4", 1 / 4): ("1.264911", "3"),
    ("ce4", 3 / 4): ("1.7310", ""),
    ("ce4", 5 / 4): ("unstable", "4"),
    ("ce5", 4 / 5): ("1", "4"),
    ("ce5", 0.0): ("", ""),
}
RADII = (1e-3, 0.01, 0.1, 0.5, 1.0)  # h omega
FIGURES = (1.15, 1.54, 2.0, 2.1)  # h omega of figures 9.13 to 9.15
LONG, SHORT = 2000.0, 0.05  # s of the long run; step of the local errors
PHASE = 0.4  # rad: no derivative vanishes there


def pull(t, q, v):
    """x'' = -x."""
    return np.array([-q[0]])


@cache
def oscillator() -> System:
    """omega = 1, from x = 1 at rest."""
    return System.from_functions(np.eye(1), pull, q0=[1.0], v0=[0.0], name="oscillator")


def swings(step: float, integrator: str, duration: float = LONG, **options: Any) -> float:
    """Largest |x| of the oscillator that starts with 1; inf where the run does not reach its end."""
    solution = simulate(oscillator(), duration, step=step, integrator=integrator, check=False, **options)
    return float(np.abs(solution.q[:, 0]).max()) if solution.ok else np.inf


def derivative(k: int, t: float) -> float:
    """The k-th one of x = cos(t + PHASE)."""
    return cos(t + PHASE + 0.5 * np.pi * k)


def local_errors(h: float, integrator: str, **options: Any) -> list[float]:
    """Errors of x, x' and of what else is carried along (v', its derivatives), after one step from an exact past."""
    chosen, method, form = choose(None, integrator, h)
    problem, carried = chosen.forms[form](oscillator()), int(integrator[-1]) - 2
    state = complete(oscillator(), 0.0, np.array([derivative(0, 0.0)]), np.array([derivative(1, 0.0)]))
    work, numbers = problem.work(state), integrator_options(chosen, method, options)
    run = start_run(problem, method, state, work, h, h, np.array([h]), numbers)
    for k in range(carried):
        run.stages[START + k, 0] = derivative(2 + k, 0.0)
    run.stages[BEFORE, 0] = derivative(1 + carried, -h)
    run.counters[RESTART], run.memory[LAST_STEP] = 0, h
    functions = method.table(CONTROLLERS["fixed"])
    if march(functions, 1.0, problem.table, pack(run), problem.system.compiled, pack(work), 2) != FINISHED:
        raise SimulationError(f"{integrator} cannot step the oscillator.", None)
    values = [run.y[0], run.y[1], *(run.stages[START + k, 0] for k in range(carried))]
    return [abs(value - derivative(k, h)) for k, value in enumerate(values)]


def local_order(integrator: str, **options: Any) -> float:
    """The source's rule: smallest order of the error of derivative i plus i, less 1; v' itself is no recursion."""
    coarse, fine = local_errors(SHORT, integrator, **options), local_errors(SHORT / 2, integrator, **options)
    orders = [log2(a / b) + i for i, (a, b) in enumerate(zip(coarse, fine, strict=True)) if i != 2]
    return min(orders) - 1.0


def run() -> Result:
    """Rows: method and alpha."""
    rows, curves = [], {}
    grid = np.linspace(0.05, 2.4, 95)
    for (name, alpha), (claimed, order) in FAMILY.items():
        found, label = stability(name, alpha=alpha), f"{name}, alpha = {alpha:.3g}"
        failing = [z for z in FIGURES if not swings(z, name, 2000 * z, alpha=alpha) < 1e3]
        row: dict[str, Any] = {"method": name, "alpha": alpha, "stable to h omega": float(found.limit())}
        row |= {"published limit": claimed}
        row |= {f"radius at {z:g}": f"{found.radius(z):.11f}" for z in RADII}
        row |= {"2000 s": swings(0.1, name, alpha=alpha), "diverges at": ", ".join(f"{z:g}" for z in failing)}
        rows.append(row | {"local order": round(local_order(name, alpha=alpha), 2), "published order": order})
        curves[label] = found.radius(grid)

    def draw(ax):
        for label, radii in curves.items():
            ax.plot(grid, radii, linewidth=1.3, label=label)
        ax.set_ylim(0.98, 1.4)
        labelled(ax, "Conditionally explicit methods: growth in a step", "h omega", "spectral radius", fontsize=8)

    return Result(tuple(rows[0]), rows, NOTES, draw)


NOTES = (
    "Stability on x'' + omega^2 x = 0, by the amplification matrix of the compiled method; 0: unstable at every step. 2000 s: "
    "largest |x| with omega = 1, h = 0.1 s, from 1. Diverges at: steps of figures 9.13 to 9.15, 2000 of them, omega = 1.",
)

EXPLICIT_STABILITY = Experiment(
    name="explicit-stability",
    title="The conditionally explicit family: stability and local order by alpha",
    source="spec 004, tables 9.7, 9.9 and 9.11, claims 17, 18 and 20",
    run=run,
)
