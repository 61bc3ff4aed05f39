"""stability(): how a method steps the oscillator x'' + 2 xi omega x' + omega^2 x = 0, whatever its form.

A step of a linear method is a matrix: numbers carried into the step -> numbers carried out of it. The matrix is found by running
the compiled integrator itself on the oscillator: a few steps at rest, so that multistep methods have a past; then one step from
rest with 1 in place of each of its numbers in turn. Those that never reach x again, as scratch and predictors, are left out. So
what is analysed is what runs. The step is 1, so that x, h x' and h^2 x'' are compared, and only h omega and xi matter.

Spectral radius rho: largest size of an eigenvalue. A method is stable where rho <= 1. Of the principal eigenvalue, which is that
of the exact motion in the limit of small steps, the size gives the damping ratio of the computed motion, the angle its period.
Reference: Hughes, The Finite Element Method (1987), chapter 9; spec 004, section 2.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import eig

from ..admission import integrator_options
from ..compiled.handles import pack
from ..compiled.interfaces import AFTER_STEP, STEP, STEPPED
from ..compiled.march import march
from ..compiled.pointers import address_of, compiled
from ..compiled.status import FINISHED, RUNNING, sentence
from ..errors import IncompatibleMethods, ModelError, SimulationError
from ..interrupts import whole
from ..pairing import choose
from ..registry import CONTROLLERS, INTEGRATORS
from ..stepping.start import start_run
from ..system.assembler import complete
from ..system.system import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAST = 24  # steps at rest before the matrix is taken: more than any method remembers
SMALLEST, LARGEST, POINTS = 0.1, 1e3, 400  # h omega of the search for limits
TINIEST, BELOW = (
    1e-4,
    61,
)  # how far it goes on below, and in how many points, where a method grows at the smallest already
SEEN = 1e-10  # growth at twice a limit: less is that of all small steps, which rounding hides below the limit
GENERIC = (0.7, 0.3)  # h omega and xi at which every number that matters is seen to matter
NOTHING = 1e-9  # entries of the matrix there that are round-off
ROUNDING = 1e-13  # relative errors of the matrix: rounding, and what Newton's method leaves
DOUBT = 1e-4  # largest error of an eigenvalue that is reckoned with: where two of them meet they are ill-conditioned
FOLLOW = 0.05  # steps of h omega in which an eigenvalue is followed

call_step, call_after = STEP.call, AFTER_STEP.call


def push(t, q, v):
    """q = (x, omega, xi): frequency and damping ride along as coordinates at rest, so that all oscillators are one system."""
    zero = 0.0 * q[0]
    return np.array([-q[1] * q[1] * q[0] - 2.0 * q[2] * q[1] * v[0], zero, zero])


@cache
def oscillator():
    """The System of all oscillators."""
    return System.from_functions(np.eye(3), push, q0=[0.0, 1.0, 0.0], v0=np.zeros(3), name="oscillator")


@compiled
def respond(step, form, t, places, images, run, system, work):
    """images[k] (numbers,): y and stages after a step with 1 added to number places[k] of them; images[-1]: nothing added."""
    y, y_new, stages, n = run.y, run.y_new, run.stages, run.y.size
    y_0, stages_0, memory_0 = y.copy(), stages.copy(), run.memory.copy()
    counters_0, orders_0, worst = run.counters.copy(), run.orders.copy(), RUNNING
    for k in range(images.shape[0]):
        y[:] = y_0
        stages[:, :] = stages_0
        run.memory[:] = memory_0
        run.counters[:] = counters_0
        run.orders[:] = orders_0
        if k < places.size:
            row, i = divmod(places[k], n)
            if row == 0:
                y[i] += 1.0
            else:
                stages[row - 1, i] += 1.0
        status = call_step(step, form, t, 1.0, run, system, work)
        if status == RUNNING and form[0] != 0:
            status = call_after(form[0], t + 1.0, y_new, STEPPED, system, work)
        worst = max(worst, status)
        for i in range(n):
            images[k, i] = y_new[i]
            for s in range(stages.shape[0]):
                images[k, n * (s + 1) + i] = stages[s, i]
    return worst


@dataclass(frozen=True, eq=False)
class Stability:
    """How one method steps the oscillator. z is h omega (step times frequency), xi the damping ratio of the oscillator.

    integrator, formulation : names. options : of the integrator. components : the numbers that it carries from step to step, in
    words, in units in which the step is 1; the rows and columns of its matrix. x, h x' and h^2 x'' are at the end of the last
    step unless they say otherwise. A number for which a method has no word (`Integrator.own`) is named by its place.
    """

    integrator: str
    formulation: str
    options: dict[str, Any]
    components: tuple[str, ...] = field(init=False)
    _places: np.ndarray = field(init=False, repr=False)
    _known: dict[tuple[float, float], np.ndarray] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self):
        rest = self._rest(*GENERIC)
        places = np.flatnonzero(np.concatenate([rest.run.y, rest.run.stages.ravel()]) == 0.0)
        linked, kept = np.abs(rest.columns(places)) > NOTHING, places == 0
        while (more := kept | linked[kept].any(axis=0)).sum() > kept.sum():  # what reaches x, in however many steps
            kept = more
        places = places[kept]
        known = {0: "x", rest.problem.system.n_q: "h x'", rest.problem.keep_a: "h^2 x''"}
        words = [known.get(int(place)) or self._words(int(place), rest) for place in places]
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "components", tuple(words))

    def matrix(self, z: float, xi: float = 0.0) -> np.ndarray:
        """The amplification matrix (n, n): components after a step from those before it."""
        case = _number(z, "z"), _number(xi, "xi")
        if case not in self._known:
            self._known[case] = self._rest(*case).columns(self._places)
        return self._known[case].copy()

    def eigenvalues(self, z: float, xi: float = 0.0) -> np.ndarray:
        """Of the amplification matrix (n,), complex, the largest first."""
        values = np.linalg.eigvals(self.matrix(z, xi)).astype(complex)
        return values[np.argsort(-np.abs(values), kind="stable")]

    def radius(self, z: Any, xi: float = 0.0) -> Any:
        """Spectral radius, of the shape of z: a step multiplies what grows fastest by this factor; inf where a step fails."""

        def largest(number):
            try:
                return abs(self.eigenvalues(number, xi)[0])
            except SimulationError:  # an iteration inside the step does not converge
                return np.inf

        return _each(largest, z)

    def principal(self, z: float, xi: float = 0.0) -> complex:
        """The eigenvalue that stands for the motion itself, followed from small z, where it is that of the exact motion."""
        root, before = 1.0 + 0.0j, 0.0
        for here in [*np.arange(FOLLOW, z, FOLLOW), z]:
            values = self.eigenvalues(here, xi)
            root = values[np.argmin(np.abs(values - root * np.exp((here - before) * _exact(xi))))]
            before = here
        return complex(root)

    def damping(self, z: Any, xi: float = 0.0) -> Any:
        """Damping ratio of the computed motion, of the shape of z; it would be xi without error."""

        def ratio(number):
            exponent = np.log(self.principal(number, xi))
            return -exponent.real / abs(exponent)

        return _each(ratio, z)

    def period_elongation(self, z: Any, xi: float = 0.0) -> Any:
        """(computed period - period) / period, of the shape of z; NaN where the computed motion does not oscillate."""

        def longer(number):
            angle = abs(np.angle(self.principal(number, xi)))
            return abs(number * _exact(xi).imag) / angle - 1.0 if 0.0 < angle < np.pi else np.nan

        return _each(longer, z)

    def unstable(self, xi: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of h omega in which the radius exceeds 1; 0 and inf: beyond the ends of the search, 1e-4 and 1e3."""
        grid = np.geomspace(SMALLEST, LARGEST, POINTS)
        grows = [self._grows(z, xi) for z in grid]
        edges = [self._onset(xi)] if grows[0] else []
        edges += [self._edge(a, b, xi) for a, b, f, g in zip(grid, grid[1:], grows, grows[1:], strict=False) if f != g]
        edges += [np.inf] if grows[-1] else []
        return tuple(zip(edges[::2], edges[1::2], strict=True))

    def limit(self, xi: float = 0.0) -> float:
        """The largest h omega up to which the method is stable: inf if always, 0 if it is unstable however small the step."""
        ranges = self.unstable(xi)
        return ranges[0][0] if ranges else np.inf

    def _onset(self, xi):
        """The limit below the smallest point of the search, at which the method grows; 0 if growth has no beginning."""
        above = SMALLEST
        for z in np.geomspace(SMALLEST, TINIEST, BELOW)[1:]:
            if not self._grows(z, xi):
                edge = self._edge(z, above, xi)
                return edge if self.radius(2.0 * edge, xi) > 1.0 + SEEN else 0.0
            above = z
        return 0.0

    def _grows(self, z, xi):
        """Whether an eigenvalue is larger than 1 by more than the errors of the matrix can make it, entry by entry."""
        if np.isinf(self.radius(z, xi)):
            return True
        matrix = self.matrix(z, xi)
        decomposition: Any = eig(matrix, left=True, right=True)
        values, left, right = decomposition
        moved = ((np.abs(left).T @ np.abs(matrix)).T * np.abs(right)).sum(axis=0)
        aligned = np.abs((left.conj() * right).sum(axis=0))
        doubt = np.minimum(ROUNDING * moved / np.maximum(aligned, 1e-300), DOUBT)
        return bool((np.abs(values) > 1.0 + doubt).any())

    def _edge(self, low, high, xi):
        """Where between two points the radius passes 1."""
        before = self._grows(low, xi)
        while high - low > 1e-13 * high:
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if self._grows(middle, xi) == before else (low, middle)
        return float(low if not before else high)

    def plot(self, quantity: str = "radius", xi: Any = (0.0,), ax: Axes | None = None) -> Axes:
        """Draw "radius" (over h omega), "damping" or "period" (over h / period), a curve for each damping ratio xi."""
        from ..plot.curves import draw_stability

        return draw_stability(self, quantity, tuple(np.atleast_1d(xi)), ax)

    def _words(self, place, rest):
        """What the integrator calls a number of its own; else where in [y, stages] it is."""
        n, n_q = rest.problem.scale.size, rest.problem.system.n_q
        row, i = divmod(place, rest.run.y.size)
        own = INTEGRATORS[self.integrator].own
        if own is not None and (row > 0 or i >= n):
            return own(row - 1, i if row > 0 else i - n, n_q, n)
        return f"stages[{row - 1}, {i}]" if row > 0 else f"y[{i}]"

    def _rest(self, z, xi):
        """The method after some steps at rest."""
        chosen, method, form = choose(self.formulation, self.integrator, 1.0)
        system = oscillator()
        problem = chosen.forms[form](system)
        state = complete(system, 0.0, np.array([0.0, z, xi]), np.zeros(3))
        work = problem.work(state)
        run = start_run(problem, method, state, work, float(PAST), 1.0, np.array([float(PAST)]), self.options)
        rest = Rest(problem, run, work, address_of(STEP, method.step))
        functions = method.table(CONTROLLERS["fixed"])
        rest.require(march(functions, 1.0, problem.table, *rest.packed, 4 * PAST), FINISHED)
        return rest


class Rest(NamedTuple):
    """A method at rest, with a past, ready for one more step."""

    problem: Any
    run: Any
    work: Any
    step: int

    @property
    def packed(self):
        """Run, system and work as compiled code takes them."""
        return pack(self.run), self.problem.system.compiled, pack(self.work)

    def columns(self, places):
        """How the numbers of [y, stages] in these places, after a step, depend on those before it (n, n)."""
        images = np.zeros((places.size + 1, self.run.y.size * (1 + self.run.stages.shape[0])))
        self.require(respond(self.step, self.problem.table, float(PAST), places, images, *self.packed), RUNNING)
        return (images[:-1] - images[-1])[:, places].T

    def require(self, status, wanted):
        """Raise where a step has failed."""
        if status != wanted:
            text = sentence(status, self.run.clock[0], self.run.clock[1], PAST, "the oscillator")
            raise SimulationError(f"The method cannot step the oscillator: {text}", None)


@whole
def stability(integrator: str, formulation: str | None = None, **options: Any) -> Stability:
    """The stability of an integrator with the options given, see Stability.

    formulation : one that the integrator goes with; the oscillator has no constraints, so that it makes no difference unless
    it changes the form.

    >>> import bricard as br
    >>> method = br.analysis.stability("rk4")
    >>> float(round(method.limit(), 4)), float(method.radius(2.0).round(4))
    (2.8284, 0.745)
    """
    chosen, method, _ = choose(formulation, integrator, 1.0)
    if method.step is None:
        raise IncompatibleMethods(f'Integrator "{method.name}" drives its own loop: there is no step of it to analyse.')
    return Stability(method.name, chosen.name, integrator_options(chosen, method, options))


def _exact(xi):
    """Exponent of the exact motion for omega = 1: that with the larger imaginary part, or the slower decay."""
    return -xi + 1j * np.sqrt(1.0 - xi * xi) if xi < 1.0 else complex(-xi + np.sqrt(xi * xi - 1.0))


def _number(value: Any, name):
    if not isinstance(value, (int, float, np.number)) or not (np.isfinite(value) and value >= 0.0):
        raise ModelError(f"{name} is {value!r}; it must be a number that is not negative.")
    return float(value)


def _each(function, z):
    values = np.array([function(_number(number, "z")) for number in np.ravel(z)]).reshape(np.shape(z))
    return values if values.ndim else values[()]


__all__ = ["Stability", "stability"]
