"""Scott's projection: the user gives all positions as an explicit function q = x(z, t) of independent coordinates z.

    q' = J z' + b,   v = T+ q',   v' = C z'' + c,   C = T+ J,   c = T+ (J' z' + b' - (T v)_q q')
    (C^T M C) z'' = C^T (f - M c),   y = [z, z']

The columns of C span the motions that the constraints admit, so their forces drop out; the constraint rows serve only for
reactions, and for a check of the map at the start. All levels of the constraints hold as well as the map satisfies them, and
nothing drifts. For mechanisms whose positions can be written down: open chains, loops that are solved by hand. J and b come
from complex steps, exact to rounding; J' z' + b' from four complex points along the motion (1e-12).
Reference: Scott, Am. J. Phys. 56 (1988) 451-456; spec 000, section 2.5.
"""

import math

import numpy as np

from ..compiled.interfaces import EXPAND, MAP, PARAMETRISATION, PARAMETRISE, RHS, VELOCITY
from ..compiled.pointers import compiled, inlined
from ..compiled.records import NO_BASIS
from ..compiled.status import RUNNING, SINGULAR
from ..errors import AssemblyError, IncompatibleMethods, UserFunctionError, largest
from ..linalg.kkt import evaluate, multiply_mass
from ..linalg.orthonormal import cholesky, from_metric, to_metric
from ..system.names import owner, plain_angles
from ..system.user_check import check_complex_step, refuse_powers
from .base import ODE, Formulation, Problem, position_scale

call_map, call_parametrise = MAP.call, PARAMETRISE.call
TINY, STEP = 1e-30, 1e-2  # complex steps: of first derivatives; of second ones along the motion
ITERATIONS, FITS = 50, 1e-9  # of the search for the start; scaled gap that is no gap
NEAR = 0.01  # how far from the start the map is tried


def parametrisation(function):
    """PARAMETRISE of a user's function (z, t) -> q: q, q', q'' at z'' = 0, then the columns dq/dz_j, n_q numbers each."""
    function = inlined(function)

    def along(t, z, z_dot, h):
        """Second derivative with error h^4, from s = +-h exp(i pi/4): s^2 = i h^2."""
        s = h * 0.7071067811865476 * (1 + 1j)
        return (function(z + s * z_dot, t + s) + function(z - s * z_dot, t - s)).imag / (h * h)

    along = inlined(along)

    def parametrise(t, z, z_dot, out):
        s, q = TINY * 1j, function(z + 0j, t + 0j)
        h = STEP / (1.0 + np.abs(z_dot).max())
        moved, bend = (
            function(z + s * z_dot, t + s),
            (16.0 * along(t, z, z_dot, h) - along(t, z, z_dot, 2.0 * h)) / 15.0,
        )
        n = q.size
        for i in range(n):
            out[i], out[n + i], out[2 * n + i] = q[i].real, moved[i].imag / TINY, bend[i]
        for j in range(z.size):
            shifted = z + 0j
            shifted[j] += s
            column = function(shifted, t + 0j)
            for i in range(n):
                out[(3 + j) * n + i] = column[i].imag / TINY

    return PARAMETRISE(parametrise)


@compiled
def to_velocities(x, first, system, work, out):
    """out = T+ x for the n_q numbers of x from `first` on; needs MAP."""
    t_inverse, t_row, t_column = work.t_inverse, system.t_row, system.t_column
    for i in range(system.n_v):
        out[i] = 0.0
    for e in range(t_inverse.size):
        out[t_column[e]] += t_inverse[e] * x[first + t_row[e]]


@compiled
def state_of(t, y, system, work):
    """q and v of y into work.basis; basis.c is what the map gives."""
    basis, k, n_q = work.basis, y.size // 2, system.n_q
    q, v, c = basis.q, basis.v, basis.c
    call_parametrise(work.hooks[PARAMETRISATION], t, y[:k], y[k:], c)
    for i in range(n_q):
        q[i] = c[i]
    call_map(system.methods[3], q, v, system, work)
    to_velocities(c, n_q, system, work, v)


@RHS
def scott(t, y, y_dot, system, work):
    """y = [z, z'] -> y' = [z', z'']."""
    basis, n_q, n_v, k = work.basis, system.n_q, system.n_v, y.size // 2
    q, v, c, n, bias, f, b, e = basis.q, basis.v, basis.c, basis.n, basis.increment, work.f, work.b, work.e
    mass, tq, tq_row, tq_column = basis.dense[0], work.tq, system.tq_row, system.tq_column
    state_of(t, y, system, work)
    call_map(system.methods[3], q, v, system, work)
    for i in range(tq.size):
        c[2 * n_q + tq_row[i]] -= tq[i] * c[n_q + tq_column[i]]
    to_velocities(c, 2 * n_q, system, work, bias)
    for j in range(k):
        to_velocities(c, (3 + j) * n_q, system, work, n[j])
    evaluate(t, q, v, VELOCITY, system, work)
    bias[n_v] = 0.0
    multiply_mass(system, work, bias, e)
    for i in range(n_v):
        bias[i] = f[i] - e[i]
    for j in range(k):
        for i in range(n_v):
            b[i] = n[j, i]
        b[n_v] = 0.0
        multiply_mass(system, work, b, e)
        force = 0.0
        for i in range(n_v):
            force += n[j, i] * bias[i]
        y_dot[j], y_dot[k + j] = y[k + j], force
        for l in range(j + 1):
            total = 0.0
            for i in range(n_v):
                total += n[l, i] * e[i]
            mass[j, l] = total
    if not cholesky(mass, k):
        for j in range(k):
            y_dot[k + j] = math.nan
        return SINGULAR
    right = y_dot[k:].reshape(1, k)
    to_metric(mass, k, right, 1)
    from_metric(mass, k, right, 1)
    return RUNNING


@EXPAND
def expand(t, y, q, v, system, work):
    """The full q and v of y."""
    state_of(t, y, system, work)
    for i in range(system.n_q):
        q[i] = work.basis.q[i]
    for i in range(system.n_v):
        v[i] = work.basis.v[i]
    return RUNNING


class Chart:
    """A user's map at the start: the z and z' of a state, found by Gauss-Newton, and whether the map fits the mechanism."""

    def __init__(self, system, function, guess):
        try:
            self.guess = np.atleast_1d(np.asarray(guess, float)).copy()
        except (TypeError, ValueError):
            self.guess = np.zeros(0)
        if self.guess.ndim != 1 or not self.guess.size or not np.isfinite(self.guess).all():
            raise IncompatibleMethods(
                f"start is {guess!r}; give a guess of the independent coordinates z, finite numbers."
            )
        self.system, arguments = system, np.append(self.guess, 0.0)
        refuse_powers(function, "map(z, t)")
        check_complex_step("map(z, t)", lambda x: function(x[:-1], x[-1]), (arguments,), (system.n_q,))
        value = function(self.guess, 0.0)
        if not isinstance(value, np.ndarray):
            raise UserFunctionError(
                f"map(z, t) returns a {type(value).__name__}; it must return an array: write np.array([...])."
            )
        self.pointer = parametrisation(function)

    def look(self, t, z, z_dot=None):
        """q (n_q,), q' and dq/dz (n_q, k) of the map."""
        n, k = self.system.n_q, z.size
        out = np.zeros(n * (3 + k))
        self.pointer(float(t), z, np.zeros(k) if z_dot is None else z_dot, out)
        return out[:n], out[n : 2 * n], out[3 * n :].reshape(k, n).T

    def gap(self, state, z):
        """What the map lacks to the positions of a state (n_q,), scaled; a quaternion may have either sign, an angle any turn."""
        q, r, start = self.look(state.t, z)[0], self.system.record, state.q.copy()
        angles = plain_angles(self.system)
        start[angles] += 2 * np.pi * np.round((q[angles] - start[angles]) / (2 * np.pi))
        for o in r.turn_q.astype(int):
            start[o : o + 4] *= -1.0 if start[o : o + 4] @ q[o : o + 4] < 0.0 else 1.0
        return (start - q) / position_scale(self.system)

    def initial(self, state, work):
        """y = [z, z'] of a state."""
        system, scale, z = self.system, position_scale(self.system), self.guess
        freedom = system.n_v - int((work.epsilon <= system.record.row_diagonal).sum())
        if z.size != freedom:
            raise IncompatibleMethods(
                f"The map has {z.size} coordinates (start), but the mechanism has {freedom} degrees of freedom."
            )
        gap = self.gap(state, z)
        for _ in range(ITERATIONS):
            step = np.linalg.lstsq(self.look(state.t, z)[2] / scale[:, None], gap, rcond=1e-12)[0]
            for _ in range(12):
                new = self.gap(state, z + step)
                if np.linalg.norm(new) < np.linalg.norm(gap):
                    break
                step = 0.5 * step
            else:
                break
            z, gap = z + step, new
        if not np.abs(gap).max() <= FITS:
            raise AssemblyError(
                f"The map does not reach the start: nearest to it, at z = {z}, it is {np.abs(gap).max():.3g} off (scaled). "
                "Check the map against the assembled position, or give another guess `start`."
            )
        return np.concatenate([z, self.velocity(state, z)])

    def velocity(self, state, z):
        """z' of a state (k,); raises where map and mechanism do not belong together."""
        system, metric = self.system, np.sqrt(self.system.record.metric[: self.system.n_v])
        way = NEAR * np.random.default_rng(7).uniform(0.5, 1.0, z.size)
        for near in (z + way, z - way):
            self._check(state.t, near)
        _, b, J = self.look(state.t, z)
        inverse = np.linalg.pinv(system.kinematic_map(state.q).toarray())
        C, rest = inverse @ J / metric[:, None], (state.v - inverse @ b) / metric
        z_dot, _, rank, _ = np.linalg.lstsq(C, rest, rcond=1e-10)
        if rank < z.size:
            raise AssemblyError(
                f"The map is singular at the start, z = {z}: its coordinates do not move independently there."
            )
        left = np.abs(C @ z_dot - rest).max()
        if not left <= 1e-7 * (system.length + np.abs(rest).max()):
            raise AssemblyError(
                f"The velocity at the start is none of the map's motions: {left:.3g} (scaled) is left over."
            )
        return z_dot

    def _check(self, t, z):
        """The map must satisfy the constraints, here at a place beside the start, with unit quaternions."""
        system, r, q = self.system, self.system.record, self.look(t, z)[0]
        for o, u in zip(r.turn_q.astype(int), r.turn_v.astype(int), strict=True):
            size = float(np.linalg.norm(q[o : o + 4]))
            if not abs(size - 1.0) <= FITS:
                raise UserFunctionError(
                    f"map(z, t): the quaternion of {owner(system, int(u))} has length {size:.9g}, it must be 1."
                )
        gap = np.abs(system.constraint(t, q) * r.row_scale)
        if not gap.max(initial=0.0) <= FITS:
            raise UserFunctionError(
                f"map(z, t) does not satisfy the constraints: at z = {z}, t = {t:g} s, {system.row_name(largest(gap))} is "
                f"violated by {gap.max():.3g} (scaled)."
            )


def ode(system, map, start, correction="none"):
    """The Ode form. map : function (z, t) -> q (n_q,); start : guess for z at the start."""
    chart = Chart(system, map, start)
    k, n_q, n_v = chart.guess.size, system.n_q, system.n_v
    return Problem(
        form=ODE,
        system=system,
        functions=(scott,),
        initial=chart.initial,
        scale=np.ones(2 * k),
        expand=expand,
        hooks={PARAMETRISATION: chart.pointer},
        basis=NO_BASIS._replace(
            n=np.zeros((k, n_v)),
            c=np.zeros(n_q * (3 + k)),
            increment=np.zeros(n_v + 1),
            q=np.zeros(n_q),
            v=np.zeros(n_v),
            dense=np.zeros((1, k, k)),
        ),
    )


SCOTT = Formulation(
    name="scott",
    title="Scott's projection: positions given by a map of independent coordinates",
    index=0,
    forms={ODE: ode},
    keeps=("position", "velocity", "acceleration"),
    drifts=(),
    references=("Scott 1988",),
    options={"map": None, "start": None},
    needs=("map", "start"),
    correction="none",
    corrections=("none",),
    nonholonomic=False,
    cost="dense in the independent coordinates: 6 + k evaluations of the map",
)
