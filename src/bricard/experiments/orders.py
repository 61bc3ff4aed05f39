"""Measured orders of q, v and lam: every integrator with every formulation, in every form in which they meet.

A planar pendulum whose motion is known in elliptic functions, and a spatial slider-crank, a closed loop without redundancy, that
swings about its equilibrium. Its reference is dop853 with 960 steps; how far Radau of order 13 is from it is printed. An error is
the root mean square of the largest component over the second half of the way: a change of sign does not pass for accuracy, and
what the start excites in lam (at order 1 in index-3 generalized-alpha: Arnold, Bruels and Cardona 2015) has died out. Steps
shrink until errors sink into rounding; the order is the slope of the last four errors above it that fall steadily.

Theory is data of the integrator (`bricard list integrators --json`). A slope is to lie within 0.3 of it; orders above 8 are to
show at least 7.5. Methods that choose their steps run with fixed ones. `ida` cannot: it runs at one order with falling
tolerances, and its slope is that over the mean step. Penalties solve other equations than those of the constraints: their
reference is their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from math import gcd
from typing import Any

import numpy as np

from ..errors import SimulationError
from ..problems.physical_pendulum import S, exact, physical_pendulum_functions
from ..problems.spatial_slider_crank import spatial_slider_crank
from ..registry import FORMULATIONS, INTEGRATORS
from ..simulation import simulate
from ..system.build import build
from ..system.system import System
from .base import Experiment, Result

GRID = 960  # equal parts of the way in which references are known
COUNTS = (
    4,
    5,
    6,
    8,
    10,
    12,
    15,
    20,
    24,
    30,
    40,
    48,
    60,
    80,
    96,
    120,
    160,
    192,
    240,
    320,
    480,
    640,
    960,
    1920,
    3840,
    7680,
)
FEWEST = {1: 480, 2: 120, 3: 48, 4: 24}  # steps to begin with, by the highest order of q, v, lam; 4 from order 5 on
MOST = {0: 1920, 1: 7680, 2: 1920, 3: 1920}  # steps to end with, by the lowest one; 960 from order 4 on
TOLERANCES = 10.0 ** -np.arange(4.0, 10.5, 0.5)  # of a method that cannot have a fixed step
POINTS = 4  # errors in a fit
UNSTEADY, FALLING = (
    0.03,
    0.5,
)  # times the slope: what slopes between neighbours may differ by; smallest slope that is no noise
WITHIN, HIGH, ENOUGH = 0.3, 8, 7.5  # what a slope may differ by; orders above HIGH are to show ENOUGH
ROUNDING = np.array([2e-14, 5e-14, 5e-13])  # of q, v and lam, relative; in index 3 divided by 1, h and h^2
AMPLITUDE, BEGIN = (
    0.146,
    0.3,
)  # of the pendulum: sin(amplitude / 2)^2 (0.78 rad); time of the exact motion to start at (s)
KEYS = ("q", "v", "lam")
SOFT = ("penalty",)  # formulations whose solution is not that of the constraints
ITERATED = {"augmented-lagrangian": {"iteration_tolerance": 1e-14}}  # options that leave no error of an iteration


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism to measure on: how long it runs (s), q, v, lam on the grid, and options that some formulations need."""

    name: str
    system: Callable[[], System]
    span: float
    reference: Callable[[], tuple[np.ndarray, ...]]
    options: dict[str, dict[str, Any]] = field(default_factory=dict)


def swing(z, t):
    """Positions of the pendulum as a function of its angle, for Scott's projection."""
    return np.array([S * np.sin(z[0]), -S * np.cos(z[0]), z[0]])


def pendulum_reference():
    """Exact q, v, lam on the grid."""
    times = BEGIN + PENDULUM.span * np.arange(GRID + 1) / GRID
    return tuple(np.array(part) for part in zip(*(exact(t, AMPLITUDE) for t in times), strict=True))


@cache
def loop_system():
    """The spatial slider-crank, swinging by 0.6 rad about its equilibrium."""
    return build(spatial_slider_crank(angle=np.pi, speed=5.0))


@cache
def by_dop853(case, formulation):
    """q, v, lam on the grid by a method that leaves rounding only."""
    found = simulate(
        case.system(), case.span, formulation=formulation, integrator="dop853", step=case.span / GRID, output=GRID
    )
    return found.q, found.v, found.lam


def certainty():
    """How far another method, Radau of order 13, is from the reference of the loop, in q, v and lam."""
    options = {"formulation": "index1", "integrator": "radau", "order": 13, "newton_tolerance": 1e-14}
    found = simulate(loop_system(), LOOP.span, step=LOOP.span / 48, output=48, **options)
    parts = zip((found.q, found.v, found.lam), LOOP.reference(), strict=True)
    return [float(np.abs(a - b[:: GRID // 48]).max()) for a, b in parts]


PENDULUM = Case(
    "pendulum",
    partial(physical_pendulum_functions, BEGIN, AMPLITUDE),
    2.0,
    cache(pendulum_reference),
    {"scott": {"map": swing, "start": [exact(BEGIN, AMPLITUDE)[0][2]]}},
)
LOOP = Case("spatial slider-crank", loop_system, 0.8, lambda: by_dop853(LOOP, "index1"))
CASES = (PENDULUM, LOOP)


def pairs() -> Iterator[tuple[str, int, str, str]]:
    """(integrator, order, formulation, form) of all that is measured: as an Ode every order with index1, one with the others."""
    for method in INTEGRATORS.values():
        middle = min(method.orders, key=lambda order: abs(order - 5))
        for formulation in FORMULATIONS.values():
            for form in (form for form in formulation.forms if form in method.accepts):
                for order in method.orders if form != "Ode" or formulation.name == "index1" else (middle,):
                    yield method.name, order, formulation.name, form


def settings(case, method, expected):
    """Steps or tolerances to run with, coarse to fine."""
    if method.external is not None:
        return [{"rtol": float(tolerance)} for tolerance in TOLERANCES]
    fewest, most = FEWEST.get(max(expected), COUNTS[0]), MOST.get(min(expected), 960)
    return [{"step": case.span / n} for n in COUNTS if fewest <= n <= most]


def precise(method):
    """Options with which iterations leave next to no error of their own."""
    share = 1e-6 if method.options.get("newton_tolerance", 0.0) > 1e-6 else 1e-2  # some count from the truncation error
    return {
        key: max(share * method.options[key], 1e-15)
        for key in ("newton_tolerance", "tolerance")
        if key in method.options
    }


def floors(h, reference, formulation):
    """(3,) errors of q, v and lam below which rounding rules with steps h (s)."""
    sizes = np.array([np.abs(part).max() for part in reference])
    return ROUNDING * sizes / (np.array([1.0, h, h * h]) if FORMULATIONS[formulation].index == 3 else 1.0)


def errors(case, integrator, order, formulation, form):
    """Mean steps (k,), errors of q, v and lam and their rounding (k, 3), coarse to fine; runs with a cut step do not count."""
    method = INTEGRATORS[integrator]
    reference = by_dop853(case, formulation) if formulation in SOFT else case.reference()
    options = {"formulation": formulation, "integrator": integrator, "form": form}
    options |= precise(method) | case.options.get(formulation, {}) | ITERATED.get(formulation, {})
    options |= {"order": order} if "order" in method.options else {}
    steps, found, limits = [], [], []
    for setting in settings(case, method, method.orders_with(formulation, form, order)):
        samples = gcd(round(case.span / setting["step"]), GRID) if "step" in setting else 24
        try:
            solution = simulate(case.system(), case.span, output=samples, **setting, **options)
        except SimulationError:
            continue
        if "step" in setting and solution.counters["rejected"] > 0:
            continue
        parts = zip((solution.q, solution.v, solution.lam), reference, strict=True)
        apart = [np.abs(a - b[:: GRID // samples]).max(axis=1)[samples // 2 :] for a, b in parts]
        steps.append(case.span / solution.counters["steps"])
        found.append([float(np.sqrt(np.mean(a * a))) for a in apart])
        limits.append(floors(steps[-1], reference, formulation))
        if (np.array(found[-1]) <= limits[-1]).all():
            break
    return np.array(steps), np.array(found).reshape(-1, 3), np.array(limits).reshape(-1, 3)


def fitted(steps, found, floor, points=POINTS):
    """Slope of the last errors above rounding that fall steadily, of the steadiest if none do; None if there are not two."""
    below = np.flatnonzero(~(found > floor))
    last = int(below[0]) if below.size else found.size
    if last < 2:
        return None
    x, y, count = np.log(steps[:last]), np.log(found[:last]), min(points, last)
    local = np.diff(y) / np.diff(x)
    windows = [local[k : k + count - 1] for k in range(last - count + 1)]
    falling = [k for k, w in enumerate(windows) if w.min() > FALLING] or list(range(len(windows)))
    unsteady = {k: np.ptp(windows[k]) - UNSTEADY * max(np.mean(windows[k]), 1.0) for k in falling}
    steady = [k for k in falling if unsteady[k] <= 0.0]
    first = steady[-1] if steady else min(unsteady, key=lambda k: unsteady[k])
    return float(np.polyfit(x[first : first + count], y[first : first + count], 1)[0])


def verdict(slope, expected):
    """What there is to say about a slope: nothing if it is what theory says."""
    if slope is None:
        return "not seen"
    if expected > HIGH:
        return "" if slope >= ENOUGH else "lower"
    return "" if abs(slope - expected) <= WITHIN else "lower" if slope < expected else "higher"


def measure(case, integrator, order, formulation, form):
    """(slopes of q, v and lam, what there is to remark) on one mechanism; no slopes where a formulation lacks what it needs."""
    if FORMULATIONS[formulation].needs and formulation not in case.options:
        return None, ""
    steps, found, limits = errors(case, integrator, order, formulation, form)
    expected = INTEGRATORS[integrator].orders_with(formulation, form, order)
    # steps that a method chooses itself do not shrink evenly: all of its errors count
    points = POINTS if INTEGRATORS[integrator].external is None else steps.size
    slopes = [fitted(steps, found[:, k], limits[:, k], points) for k in range(3)]
    words = [
        f"{key} {word}" for key, slope, p in zip(KEYS, slopes, expected, strict=True) if (word := verdict(slope, p))
    ]
    return slopes, ", ".join(words)


def run(chosen=None, cases=CASES) -> Result:
    """Rows: integrator, order, formulation and form; columns: theory, slopes on each mechanism, remarks."""
    rows: list[dict[str, Any]] = []
    for integrator, order, formulation, form in pairs() if chosen is None else chosen:
        expected = INTEGRATORS[integrator].orders_with(formulation, form, order)
        row: dict[str, Any] = {"integrator": integrator, "order": order, "formulation": formulation, "form": form}
        row |= {"theory": "/".join(map(str, expected)), "slopes": {}, "remark": ""}
        for case in cases:
            slopes, remark = measure(case, integrator, order, formulation, form)
            row["slopes"][case.name] = slopes
            row[case.name] = "/".join("-" if s is None else f"{s:.2f}" for s in slopes) if slopes else "no map"
            row["remark"] += f"{'; ' if row['remark'] and remark else ''}{case.name + ': ' + remark if remark else ''}"
        rows.append(row)
    agreeing = sum(not row["remark"] for row in rows)
    apart = "/".join(f"{x:.0e}" for x in certainty())
    notes = (
        f"{agreeing} of {len(rows)} agree with theory in q, v and lam. The two references of the loop differ by {apart}.",
        *NOTES,
    )
    columns = ("integrator", "order", "formulation", "form", "theory", *(case.name for case in cases), "remark")
    return Result(columns, rows, notes, partial(draw, rows))


def draw(rows, ax):
    """Measured order less theory, by integrator."""
    from ..plot.plots import BLUE, GREEN, ORANGE

    names = list(dict.fromkeys(row["integrator"] for row in rows))
    ax.axvspan(-WITHIN, WITHIN, color="#e8f1e8", zorder=0)
    for key, colour, shift in zip(KEYS, (BLUE, ORANGE, GREEN), (-0.22, 0.0, 0.22), strict=True):
        points = []
        for row in rows:
            expected = int(row["theory"].split("/")[KEYS.index(key)])
            for slopes in row["slopes"].values():
                if slopes and slopes[KEYS.index(key)] is not None and expected <= HIGH:
                    points.append((slopes[KEYS.index(key)] - expected, names.index(row["integrator"]) + shift))
        if points:
            ax.plot(*np.array(points).T, ".", color=colour, markersize=4, label=key)
    ax.figure.set_size_inches(8, 0.28 * len(names) + 1.6)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(-1.0, 1.0)
    ax.set_xlabel("measured order less theory (orders up to 8)")
    ax.set_title("Orders of q, v and lam: band of 0.3", loc="left", fontsize=11)
    ax.grid(True, axis="y", color="#eeeeee", linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper right", frameon=False, ncols=3)


NOTES = (
    "theory and slopes: q/v/lam. Lower: by more than 0.3, or below 7.5 for orders above 8. Higher: by more than 0.3; terms of "
    "higher order still rule where rounding begins. Not seen: lost in rounding. Scott's projection needs a map of all positions, "
    "which the loop does not have.",
    "Theory of Radau IIA, trapezoidal rule and diagonally implicit methods: Hairer, Lubich and Roche 1989; BDF: Brenan, Campbell "
    "and Petzold 1996; generalised Adams: Iavernaro and Mazzia 1998; see the page of each integrator.",
)

ORDERS = Experiment(
    name="orders",
    title="Measured orders of q, v and lam: every integrator with every formulation it takes",
    source="issue 4; spec 003, section 2.6",
    run=run,
)
