"""Measured orders of q, v and lam: every integrator with every formulation, in every form in which they meet.

A planar pendulum whose motion is known in elliptic functions, and a spatial slider-crank, a closed loop without redundancy, that
swings about its equilibrium, each from five starts. The loop's reference is dop853 with 1920 steps; how far Radau of order 13 is
from it is printed. An error is relative to the largest value: the root mean square of the largest component over all starts and
the same times in the second half of the way. So a change of sign does not pass for accuracy, and what the start excites in lam
(at order 1 in index-3 generalized-alpha: Arnold, Bruels and Cardona 2015) has died out. Steps shrink until errors sink into
rounding; the order is the slope of the last errors above it.

Theory is data of the integrator (`bricard list integrators --json`). A slope is to lie within 0.3 of it; methods of orders above
8 are to show at least 7.5. Methods that choose their steps run with fixed ones. `ida` cannot: it runs at one order with falling
tolerances, and its slope is that over the mean step. Penalties solve other equations than those of the constraints: their
reference is their own. Index 1 as a DAE runs without the correction of its drift at orders above 6, where the tolerance
of the correction would show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from math import cos, sin
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

SAMPLES = 4  # equal parts of the way: errors are taken at the ends of those in its second half, the same for all steps
FINEST = 1920  # steps of references
# steps of the runs, by the highest order of q, v, lam; the first rungs of a ladder are for methods that lose orders
LADDERS = {
    1: (960, 1920, 3840, 7680),
    2: (120, 240, 480, 960, 1920),
    3: (96, 128, 192, 256, 384, 512, 768, 1024),
    4: (48, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
    5: (24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024),
    7: (*range(8, 64, 4), *range(64, 128, 8), *range(128, 256, 16), 256, 320, 480, 640, 960),
}
MOST = 10000  # steps after which no finer run follows
FURTHER = (2048, 4096, 8192)  # steps, where the lowest order is 1 and another one higher
UNTIL, DOUBLED = (
    6,
    3,
)  # where fewer runs count, as with methods that are not stable at large steps, the steps are halved so often
TOLERANCES = 10.0 ** -np.arange(2.0, 10.5, 0.5)  # of a method that cannot have a fixed step
RANGE = 1.7  # of steps in a fit: the largest is so many times the smallest, or there are three of them
WITHIN, HIGH, ENOUGH = 0.3, 8, 7.5  # what an order may differ by; orders above HIGH are to show ENOUGH
FLOOR = np.array([3e-14, 3e-13, 1e-12])  # relative errors of q, v and lam below which rounding rules
CUT = 1.25  # times the steps asked for: a run that took more does not count
SMALL, SLOWER = (
    1e-8,
    0.85,
)  # relative errors that may be rounding; they do if they fall slower than this share of the slope before
# errors of q below which corrections of positions bend all three, for they begin at a drift of 1e-12; the same of dependent
# coordinates, which are closed to that
CORRECTED, CLOSED = 3e-11, 1e-11
HIGHER = 6  # orders above which implicit methods run without corrections, whose tolerance would show
AMPLITUDE = 0.146  # of the pendulum: sin(amplitude / 2)^2 (0.78 rad)
BEGINS = tuple(0.3 + 0.5 * k for k in range(5))  # s: times of its exact motion to start at
STARTS = tuple(
    (0.25 * sin(1.26 * k), 2.0 * cos(1.26 * k)) for k in range(5)
)  # of the loop: rad from equilibrium, and rad/s
KEYS = ("q", "v", "lam")
ROUNDING = np.array([2e-14, 2e-13, 2e-13])  # of q, v, lam in index 3, over 1, h and h^2 (h in s)
SOFT = ("penalty",)  # formulations whose solution is not that of the constraints
OPTIONS = {  # of formulations: no error of an iteration; a penalty that does not vibrate faster than the mechanism
    "augmented-lagrangian": {"iteration_tolerance": 1e-14},
    "penalty": {"omega": 2.0},
}


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism to measure on: how long it runs (s), systems with different starts, q, v, lam at the samples from each of them,
    and options that some formulations need, from each of them."""

    name: str
    span: float
    systems: Callable[[], tuple[System, ...]]
    reference: Callable[[int], tuple[np.ndarray, ...]]
    options: Callable[[str, int], dict[str, Any]] = lambda formulation, start: {}


def swing(z, t):
    """Positions of the pendulum as a function of its angle, for Scott's projection."""
    return np.array([S * np.sin(z[0]), -S * np.cos(z[0]), z[0]])


def pendulum_options(formulation, start):
    """What Scott's projection needs."""
    return {"map": swing, "start": [exact(BEGINS[start], AMPLITUDE)[0][2]]} if formulation == "scott" else {}


@cache
def pendulum_reference(start):
    """Exact q, v, lam at the samples."""
    times = BEGINS[start] + PENDULUM.span * np.arange(SAMPLES + 1) / SAMPLES
    return tuple(np.array(part) for part in zip(*(exact(t, AMPLITUDE) for t in times), strict=True))


@cache
def loop_systems():
    """The spatial slider-crank, swinging about its equilibrium."""
    return tuple(build(spatial_slider_crank(angle=np.pi + angle, speed=speed)) for angle, speed in STARTS)


@cache
def by_dop853(case, formulation, start):
    """q, v, lam at the samples by a method that leaves rounding only."""
    options = {
        "formulation": formulation,
        "integrator": "dop853",
        "step": case.span / FINEST,
        **OPTIONS.get(formulation, {}),
    }
    found = simulate(case.systems()[start], case.span, output=SAMPLES + 1, energy=False, **options)
    return found.q, found.v, found.lam


def certainty():
    """How far another method, Radau of order 13, is from the reference of the loop, in q, v and lam, relative."""
    options = {"formulation": "index1", "integrator": "radau", "order": 13, "newton_tolerance": 1e-14}
    found = simulate(loop_systems()[0], LOOP.span, step=LOOP.span / 96, output=SAMPLES + 1, **options)
    parts = zip((found.q, found.v, found.lam), LOOP.reference(0), strict=True)
    return [float(np.abs(a - b).max() / np.abs(b).max()) for a, b in parts]


PENDULUM = Case(
    "pendulum",
    4.0,
    lambda: tuple(physical_pendulum_functions(begin, AMPLITUDE) for begin in BEGINS),
    pendulum_reference,
    pendulum_options,
)
LOOP = Case("spatial slider-crank", 1.6, loop_systems, lambda start: by_dop853(LOOP, "index1", start))
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
    ladder = LADDERS[max(order for order in LADDERS if order <= max(expected))]
    further = FURTHER if min(expected) < 2 <= max(expected) else ()
    return [{"step": case.span / n} for n in (*ladder, *further)]


def precise(method):
    """Options with which iterations leave next to no error of their own."""
    tolerances = {key: method.options[key] for key in ("newton_tolerance", "tolerance") if key in method.options}
    return {key: 1e-6 * size if size > 1e-6 else max(1e-3 * size, 1e-15) for key, size in tolerances.items()}


def corrected(form, order):
    """Whether the tolerance of corrections may show."""
    return form in ("Ode", "SecondOrderOde") or order <= HIGHER


def floor(h, found, formulation, form, order):
    """(3,) relative errors of q, v and lam below which rounding rules with steps h (s); infinite where corrections do."""
    least = CORRECTED if FORMULATIONS[formulation].drifts else CLOSED
    if corrected(form, order) and found[0] <= least:
        return np.full(3, np.inf)
    return np.maximum(FLOOR, ROUNDING / np.array([1.0, h, h * h])) if FORMULATIONS[formulation].index == 3 else FLOOR


def errors(case, integrator, order, formulation, form):
    """Mean steps (k,), errors of q, v and lam relative to their largest value, and floors of them (k, 3), coarse to fine; runs in
    which many steps were cut do not count."""
    method = INTEGRATORS[integrator]
    options = {"formulation": formulation, "integrator": integrator, "form": form}
    options |= precise(method) | OPTIONS.get(formulation, {})
    options |= {"order": order} if "order" in method.options else {}
    options |= {"correction": "none"} if formulation == "index1" and not corrected(form, order) else {}
    steps, found, limits = [], [], []
    ladder = settings(case, method, method.orders_with(formulation, form, order))
    finest = ladder[-1]
    if "step" in finest:
        ladder += [{"step": finest["step"] / 2**k} for k in range(1, DOUBLED + 1)]
    for number, setting in enumerate(ladder):
        if number >= len(ladder) - DOUBLED and "step" in setting and len(steps) >= UNTIL:
            break
        squares, taken = [], []
        try:
            for start, system in enumerate(case.systems()):
                reference = by_dop853(case, formulation, start) if formulation in SOFT else case.reference(start)
                own = options | case.options(formulation, start)
                solution = simulate(system, case.span, output=SAMPLES + 1, energy=False, **setting, **own)
                if "step" in setting and solution.counters["steps"] > CUT * case.span / setting["step"]:
                    break
                parts = zip((solution.q, solution.v, solution.lam), reference, strict=True)
                squares.append([_square(a - b) / np.abs(b).max() ** 2 for a, b in parts])
                taken.append(solution.counters["steps"])
        except SimulationError:
            continue
        if len(taken) < len(case.systems()):
            continue
        h = case.span / np.mean(taken)
        steps.append(h)
        found.append(np.sqrt(np.mean(squares, axis=0)))
        limits.append(floor(h, found[-1], formulation, form, order))
        if (found[-1] <= limits[-1]).all() or (np.mean(taken) > MOST and len(steps) >= UNTIL):
            break
    return np.array(steps), np.array(found).reshape(-1, 3), np.array(limits).reshape(-1, 3)


def _square(apart):
    """Mean square over the second half of the way of the largest component."""
    return np.mean(np.abs(apart).max(axis=1)[SAMPLES // 2 :] ** 2)


def fitted(steps, found, floor, expected, ratio=RANGE):
    """Slope of the last errors above rounding; None if there are not two. Rounding begins at the floor, or where small errors
    fall more slowly than those before them, and than is expected, and go on so."""
    x, y = np.log(steps), np.log(found)
    slopes = np.diff(y) / np.diff(x)

    def slow(k):
        usual = SLOWER * min(np.median(slopes[max(k - 3, 0) : k]), expected)
        ahead = min(k + 3, slopes.size)
        return found[k + 1] < SMALL and max(slopes[k], (y[ahead] - y[k]) / (x[ahead] - x[k])) < usual

    flat = [slow(k) for k in range(1, slopes.size)]
    rounding = np.flatnonzero(~(found > floor) | np.array([False, False, *flat][: found.size], bool))
    last = int(rounding[0]) if rounding.size else found.size
    if last < 2:
        return None
    first = min(max(last - 3, 0), int(np.argmax(steps <= ratio * steps[last - 1])))
    return float(np.polyfit(np.log(steps[first:last]), np.log(found[first:last]), 1)[0])


def verdict(slope, expected, highest):
    """What there is to say about a slope: nothing if it is what theory says. highest: order of the method, in all components."""
    if slope is None:
        return "not seen"
    if highest > HIGH:
        return "" if slope >= min(ENOUGH, expected - WITHIN) else "lower"
    return "" if abs(slope - expected) <= WITHIN else "lower" if slope < expected else "higher"


def measure(case, integrator, order, formulation, form):
    """(slopes of q, v and lam, what there is to remark) on one mechanism; no slopes where a formulation lacks what it needs."""
    if FORMULATIONS[formulation].needs and not case.options(formulation, 0):
        return None, ""
    steps, found, limits = errors(case, integrator, order, formulation, form)
    expected = INTEGRATORS[integrator].orders_with(formulation, form, order)
    # steps that a method chooses itself do not shrink evenly: all of its errors count
    ratio = RANGE if INTEGRATORS[integrator].external is None else np.inf
    slopes = [fitted(steps, found[:, k], limits[:, k], expected[k], ratio) for k in range(3)]
    words = [
        f"{key} {word}"
        for key, slope, p in zip(KEYS, slopes, expected, strict=True)
        if (word := verdict(slope, p, max(expected)))
    ]
    return slopes, ", ".join(words)


def measured(pair, cases):
    """The row of one pair."""
    integrator, order, formulation, form = pair
    expected = INTEGRATORS[integrator].orders_with(formulation, form, order)
    row: dict[str, Any] = {"integrator": integrator, "order": order, "formulation": formulation, "form": form}
    row |= {"theory": "/".join(map(str, expected)), "slopes": {}, "remark": ""}
    for case in cases:
        slopes, remark = measure(case, integrator, order, formulation, form)
        row["slopes"][case.name] = slopes
        row[case.name] = "/".join("-" if s is None else f"{s:.2f}" for s in slopes) if slopes else "no map"
        row["remark"] += f"{'; ' if row['remark'] and remark else ''}{case.name + ': ' + remark if remark else ''}"
    return row


def row_of(pair):
    """The same on all mechanisms, for a process of its own."""
    return measured(pair, CASES)


def run(chosen=None, cases=CASES) -> Result:
    """Rows: integrator, order, formulation and form; columns: theory, slopes on each mechanism, remarks."""
    if chosen is None:  # all of them, on all cores
        with ProcessPoolExecutor() as pool:
            rows = list(pool.map(row_of, pairs(), chunksize=4))
    else:
        rows = [measured(pair, cases) for pair in chosen]
    own = [row for row in rows if INTEGRATORS[row["integrator"]].external is None]
    agreeing = sum(not row["remark"] for row in own)
    apart = "/".join(f"{x:.0e}" for x in certainty())
    notes = (
        f"{agreeing} of {len(own)} rows with fixed steps agree with theory in q, v and lam on both mechanisms. The two "
        f"references of the loop differ by {apart}.",
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
    "theory and slopes: q/v/lam. Lower: by more than 0.3, or below 7.5 for methods of orders above 8. Higher: by more than 0.3; "
    "terms of higher order still rule where rounding begins. Not seen: lost in rounding. Scott's projection needs a map of "
    "all positions, which the loop does not have.",
    "gamd of orders 7 and 9: on y' = lambda y, z = h lambda, in exact fractions (tests/methods/test_orders.py), the error of a "
    "block is 1.1e-10 z^8 + 2.5e-10 z^9 + 1.9e-10 z^10 ... and 0.1e-12 z^10 - 1.5e-12 z^11 ...: slopes come down to "
    "the order only where doubles have ended.",
    "lam of radau 13 in index 2 and ggl on the loop: from one pair of steps to the next its slope falls from 8.1 to 6.5 and is "
    "6.6 where rounding begins; on the pendulum it is 7.",
    "ida has no fixed steps. In index 3 each change of the step costs lam an order (spec 003, section 6.2: BDF1 0, BDF2 1).",
    "Theory of Radau IIA, trapezoidal rule and diagonally implicit methods: Hairer, Lubich and Roche 1989; BDF: Brenan, Campbell "
    "and Petzold 1996; generalised Adams: Iavernaro and Mazzia 1998; see the page of each integrator.",
)

ORDERS = Experiment(
    name="orders",
    title="Measured orders of q, v and lam: every integrator with every formulation it takes",
    source="issue 4; spec 003, section 2.6",
    run=run,
)
