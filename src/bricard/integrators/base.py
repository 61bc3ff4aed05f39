"""What an integrator is, and how to add one.

1. Write one file: module docstring (method, equation, reference, when to use it), tableaus as data, a compiled function with
   the signature STEP, and one `Integrator`. A step reads run.y at t and writes run.y_new at t + h (and run.error[0] if it
   estimates its error, 1 meaning the tolerance). It never touches time, step size or output, and allocates nothing.
2. History lives in run.stages (rows of the size of y) and run.memory. A step that was refused is called again with another h
   from the same run.y: keep what it needs. When run.counters[RESTART] is 1 the history is void; set it back to 0.
3. Add it to INTEGRATORS in registry.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiled.interfaces import CONTROL, INTERPOLATE, STEP
from ..compiled.pointers import Pointer, compiled, table


@INTERPOLATE
def straight(t, h, theta, out, run):
    """The straight line between both ends of the step."""
    y, y_new = run.y, run.y_new
    for i in range(y.size):
        out[i] = y[i] + theta * (y_new[i] - y[i])


@dataclass(frozen=True, eq=False)
class Integrator:
    """One integration method.

    accepts : the forms it steps. order : of the solution, the highest one if it has several. orders : what theory gives for q, v
    and lam: order (what the option of that name asks for) -> formulation or form -> (q, v, lam); the name of a formulation goes
    before that of a form; 0 means that it need not converge. interpolate : the state inside a step, which
    output and events ask for; a straight line if none is given. error_order : of its error estimate plus one, 0 if it has none.
    stages, memory : scratch rows of the size of y, numbers of history. extra : further numbers behind y, as a function of the
    problem and the initial state. options : name -> default; an int asks for whole numbers, a bool for True or False, a text
    for one of the names in `ranges`, None for a number or nothing. numbers : options -> run.options, where these are not their
    values as they stand. external : of a method that drives its own loop, a function (problem, state, run, work, update) ->
    status in the place of `step`. own : words for a number that it carries from step to step besides y, for stability analysis:
    a function of its row of stages (-1: behind y), its place there, n_q, and the size of y without what is behind it.
    """

    name: str
    title: str
    accepts: tuple[str, ...]
    order: int
    references: tuple[str, ...]
    orders: dict[int, dict[str, tuple[int, int, int]]] = field(default_factory=dict)
    step: Pointer | None = None
    error_order: int = 0
    controller: str = "pi"  # of adaptive runs
    interpolate: Pointer = straight
    stages: int = 0
    memory: int = 0
    matrices: tuple[int, int] = (0, 0)  # arrays behind `memory` on the patterns of G and of K
    complex_matrices: int = 0  # of an implicit method, besides the real one: at most 4
    second_kkt: bool = False  # whether run.real is a second matrix with the pattern of the KKT matrix
    external: Callable[..., int] | None = None
    extra: Callable[[Any, Any], np.ndarray] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    ranges: dict[str, tuple[Any, ...]] = field(
        default_factory=dict
    )  # option -> smallest and largest value, or all values
    numbers: Callable[..., tuple[float, ...]] | None = None
    own: Callable[[int, int, int, int], str] | None = None
    damps: bool = False  # whether it takes energy out of fast vibrations by design

    @property
    def adaptive(self):
        """Whether it can choose its own steps."""
        return self.error_order > 0

    def orders_with(self, formulation, form, order=None):
        """(q, v, lam): the orders that theory gives with a formulation in a form."""
        orders = self.orders[self.order if order is None else order]
        return orders[formulation] if formulation in orders else orders[form]

    def table(self, control):
        """Addresses of its step, its interpolation and a controller, for the time loop."""
        return table((STEP, INTERPOLATE, CONTROL), (self.step, self.interpolate, control))

    def compiled_options(self, options):
        """The numbers of run.options, from options by name."""
        return [float(number) for number in (options.values() if self.numbers is None else self.numbers(**options))]


def same_order(*orders, form="Ode"):
    """The `orders` of a method with one order for q, v and lam, for each of the orders it can have."""
    return {order: {form: (order, order, order)} for order in orders}


def by_index(one, two, three):
    """Orders (q, v, lam) of a method for DAEs by index. With si1, lam is given out from the acceleration level."""
    return {"index1": one, "index2": two, "ggl": two, "si1": (*two[:2], min(two[:2])), "index3": three}


def carried(derivative, before=0):
    """Words for a derivative of x times as many powers of the step, so many steps before."""
    words = ("x", "h x'")[derivative] if derivative < 2 else f"h^{derivative} x{derivative * chr(39)}"
    return words + (f", {before} step{'s' if before > 1 else ''} before" if before else "")


@compiled
def advanced(y, h, k, result):
    """result = y + h k."""
    for i in range(y.size):
        result[i] = y[i] + h * k[i]


@compiled
def error_norm(error, h, y, y_new, scale, tolerance):
    """Root mean square of h error / (atol scale + rtol |y|) over the components that are judged."""
    total, count = 0.0, 0
    for i in range(y.size):
        if np.isfinite(scale[i]):
            limit = tolerance[1] * scale[i] + tolerance[0] * max(abs(y[i]), abs(y_new[i]))
            total += (h * error[i] / limit) ** 2
            count += 1
    return np.sqrt(total / max(count, 1))
