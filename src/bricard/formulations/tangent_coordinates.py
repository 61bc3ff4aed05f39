"""Independent coordinates: what all formulations in them share. Only independent positions and velocities are integrated.

    y = [z, w],   z = B xi,   w = B xi',   w' = B xi'',   q = base moved by xi

B is constant between renewals of the base. The full state follows from y and the constraints (expansion.py), so positions and
velocities hold to round-off; accelerations come from the KKT matrix. The methods differ in how B is found: tangent directions
N with G N = 0 (Directions), or coordinates themselves (coordinate_partitioning.py).

They are chosen anew, in Python with LAPACK, when they lose sight of the motion: the share |w|^2 / |xi'|^2 (without what drivers
add to xi') falls below 1 - tau of what it can be at the base (spec 000, eq. 4), or that of a mixture of all directions by the
square of GROWTH; when the matrix of the dependent coordinates comes near to a singular one, its mu for a fixed r having grown;
before a body has turned around; and when independent rows are.
Reference: Mani, Haug and Atkinson, J. Mech. Trans. Autom. 107 (1985) 82-87; spec 000, section 2.4.
"""

import math

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import EXPAND, REBASE, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.records import NO_BASIS
from ..compiled.status import NO_COORDINATES, RENEW, RUNNING
from ..errors import AssemblyError
from ..linalg.factor import failure
from ..linalg.kkt import COUNT, LEFT_OUT, NEGLIGIBLE, accelerations, evaluate, select_rows
from ..system.assembler import assemble
from ..system.redundancy import choose_rows
from .base import ODE, Problem, position_scale
from .expansion import (
    BEND,
    INFLUENCE,
    K_Z,
    LAST,
    LOOKS,
    MAPPED,
    MIXTURE,
    NUMBERS,
    PLACED,
    PROBE,
    RATE,
    ROWS,
    SCRATCH,
    SHARE,
    SLOPE,
    TIME,
    USED,
    VELOCITIES,
    K,
    factorise_dependent,
    gather,
    keep,
    probe,
    probe_positions,
    settle,
    spread,
    step_dependent,
)
from .increments import largest_turn, mapped, to_bend, to_rate, to_velocity

LOST, GROWTH = 0.05, 3.0  # chosen anew: share of the motion that tangent directions lose; growth of mu
MIXTURES = 4  # of directions, that are tried at a time
LARGEST_TURN = 2.0  # rad, from the base
SINGULAR, PICKED = (
    1e14,
    1e7,
)  # a mu, without units, beyond which there are no directions; for coordinates, of that at the start
TAU, LIMIT = 0, 1  # of work.options


@RHS
def independent(t, y, y_dot, system, work):
    """y = [z, w] -> y' = [B xi', B xi'']."""
    basis, dense = work.basis, work.basis.dense[0]
    status = settle(t, y, system, work)
    if status != RUNNING:
        for i in range(y_dot.size):
            y_dot[i] = math.nan
        return status
    k_z, k, slope = int(basis.numbers[K_Z]), int(basis.numbers[K]), dense[SLOPE]
    regular = accelerations(t, basis.q, basis.v, system, work)
    is_mapped = basis.numbers[MAPPED] > 0.0
    to_bend(basis.increment, basis.q, dense[RATE], basis.v, work.u, dense[BEND], is_mapped, system, work)
    gather(dense[BEND], 0, k_z, slope, system, work)
    for i in range(k_z):
        y_dot[i] = y[k_z + i] if i < k else slope[k_z + i - k]
    for i in range(k):
        y_dot[k_z + i] = slope[i]
    return RUNNING if regular else failure(work.kkt)


@EXPAND
def expand(t, y, q, v, system, work):
    """The full q and v of y; not a number where they cannot be found.

    The next search begins where it would have begun anyway: a state that is shown changes nothing, not even last digits.
    """
    basis, rows = work.basis, work.basis.dense[0, :USED]
    time, known, xi, q_before, v_before = (
        basis.numbers[TIME],
        rows.copy(),
        basis.increment.copy(),
        basis.q.copy(),
        basis.v.copy(),
    )
    status = settle(t, y, system, work)
    for i in range(system.n_q):
        q[i] = basis.q[i] if status == RUNNING else math.nan
    for i in range(system.n_v):
        v[i] = basis.v[i] if status == RUNNING else math.nan
    if status == RUNNING:
        basis.numbers[TIME] = time
        rows[:], basis.increment[:], basis.q[:], basis.v[:] = known, xi, q_before, v_before
    return status


@compiled
def seen(w, system, work):
    """|w|^2 / |xi'|^2 of the motion that belongs to w (k) while drivers stand still, after settle()."""
    basis, k, unseen, total = work.basis, int(work.basis.numbers[K]), 0.0, 0.0
    motion, v, metric, n_v = basis.dense[0, SCRATCH], work.e, system.metric, system.n_v
    g, g_row, g_column, phi_dot = work.g, system.g_row, system.g_column, work.phi_dot
    for i in range(n_v):
        motion[i] = 0.0
    spread(w, k, motion, system, work)
    to_velocity(basis.increment, basis.q, motion, v, basis.numbers[MAPPED] > 0.0, system, work)
    for i in range(system.n_rows):
        phi_dot[i] = 0.0
    for e in range(g.size):
        if g_column[e] < n_v:
            phi_dot[g_row[e]] += g[e] * v[g_column[e]]
    for i in range(n_v):
        motion[i] = 0.0
    step_dependent(phi_dot, VELOCITIES, motion, system, work)
    for i in range(n_v):
        unseen += motion[i] * motion[i] / metric[i]
    for i in range(k):
        total += w[i] * w[i]
    total += unseen
    return 1.0 - unseen / total if total > 0.0 else 1.0


@compiled
def influence(system, work):
    """1 + the sum of squares of the influence matrix, by which dependent rates follow from independent ones.

    Of each direction where there are few. Of more it is estimated by mixtures with random signs, whose mean it is; others each
    time, so that no direction that folds stays unseen. A fixed mixture hardly sees one of several.
    """
    w, k = work.basis.dense[0, MIXTURE], int(work.basis.numbers[K])
    count, total, looks = min(k, MIXTURES), 0.0, work.basis.numbers[LOOKS]
    work.basis.numbers[LOOKS] += 1.0
    for j in range(count):
        for i in range(k):
            sign = math.copysign(1.0, math.cos(1.1 + 2.4 * i * (1.0 + 0.61 * j) + 0.83 * looks * (1.0 + i)))
            w[i] = sign if k > count else 1.0 if i == j else 0.0
        share = seen(w, system, work)
        if not share > 0.0:
            return math.inf
        total += 1.0 / share - 1.0
    return 1.0 + total * k / max(count, 1)


@REBASE
def watch(t, y, system, work):
    """Whether the coordinates have to be chosen anew."""
    status = settle(t, y, system, work)
    if status != RUNNING:
        return status
    basis, options = work.basis, work.options
    known, k_z = basis.dense[0, LAST], int(basis.numbers[K_Z])
    gather(basis.increment, 0, k_z, known, system, work)  # round-off must not add up
    gather(basis.dense[0, RATE], 0, int(basis.numbers[K]), known[k_z:], system, work)
    keep(system, work)
    if work.kkt.report[0] > 0 and work.left_out[COUNT] > 0:
        return RENEW
    if int(basis.numbers[K]) < k_z and not probe_positions(system, work) <= GROWTH * basis.numbers[PLACED]:
        return RENEW  # with nonholonomic rows positions have coordinates of their own, which may fold before those of velocities
    if largest_turn(basis.increment, system) > LARGEST_TURN or probe(system, work) > GROWTH * basis.numbers[PROBE]:
        return RENEW
    if seen(y[k_z:], system, work) < (1.0 - options[TAU]) * basis.numbers[SHARE]:
        return RENEW
    return RENEW if influence(system, work) > GROWTH**2 * basis.numbers[INFLUENCE] else RUNNING


@compiled
def fill_rows(place, a, system, work):
    """The G in work, scaled to be without units, by columns too, into the rows place[i] >= 0 of the dense matrix a."""
    g, g_row, g_column, metric, scale = work.g, system.g_row, system.g_column, system.metric, system.row_scale
    for e in range(g.size):
        i, j = g_row[e], g_column[e]
        if place[i] >= 0 and j < system.n_v:
            a[place[i], j] += scale[i] * g[e] * math.sqrt(metric[j])


@compiled
def begin(t, y, system, work):
    """y = [0, B xi'] at the base just chosen, with the v in work.basis; the matrix there is the measure for later ones."""
    basis, dense = work.basis, work.basis.dense[0]
    k_z, k = int(basis.numbers[K_Z]), int(basis.numbers[K])
    basis.numbers[TIME] = t
    for i in range(system.n_v):
        basis.increment[i], dense[BEND, i] = 0.0, 0.0
    for i in range(k_z):
        y[i], dense[SLOPE, i] = 0.0, 0.0
    to_rate(basis.increment, basis.q, basis.v, dense[RATE], basis.numbers[MAPPED] > 0.0, system, work)
    gather(dense[RATE], 0, k, y[k_z:], system, work)
    gather(dense[RATE], k, k_z, dense[SLOPE, k_z:], system, work)
    for i in range(k_z + k):
        dense[LAST, i] = y[i]
    keep(system, work)
    status = factorise_dependent(VELOCITIES, system, work)
    basis.numbers[PROBE] = probe(system, work)
    basis.numbers[PLACED] = probe_positions(system, work) if k < k_z else 0.0
    basis.numbers[LOOKS] = 0.0
    basis.numbers[INFLUENCE] = influence(system, work)
    sound = basis.numbers[PROBE] < work.options[LIMIT] and basis.numbers[PLACED] < work.options[LIMIT]
    return status if sound else NO_COORDINATES


class Coordinates:
    """Chooses the coordinates of a system at a base, by a `choose(a, holonomic, root, basis)` that the method supplies.

    It gets the independent rows a (m, n_v) of G without units, the holonomic ones first, their number, the roots of the metric
    of the columns (n_v,), and writes basis.n or basis.free. Its answer is the smallest share |w|^2 / |xi'|^2 of a motion there, 0
    where there are no good coordinates.
    """

    def __init__(self, system, choose):
        self.system, self.choose, self.mapped, r = system, choose, mapped(system), system.record
        self.order = np.argsort(r.velocity_level, kind="stable")  # holonomic rows first
        work = system.work()
        choose_rows(system, assemble(system), work)
        used = work.epsilon <= r.row_diagonal
        self.k = system.n_v - int(used.sum())
        self.k_z = system.n_v - int((used & (r.velocity_level == 0)).sum())
        self._work = self._twin = None

    def _packed(self, work):
        """The compiled twin of work, kept: packing it again would cost as much as a small decomposition."""
        if self._work is not work:
            self._work, self._twin = work, pack(work)
        return self._twin

    def anchor(self, t, q, v, work):
        """y at (t, q, v), the base being there, or None; work.basis is ready then, and the independent rows are chosen."""
        system, basis, packed, r = self.system, work.basis, self._packed(work), self.system.record
        evaluate(t, q, v, VELOCITY, system.compiled, packed)
        rows = self.independent_rows(work, packed)
        if self.mapped:
            inverse = np.linalg.inv(system.kinematic_map(q).toarray())
            work.g[:] = (work.g.reshape(r.n_rows, r.n_v) @ inverse).ravel()
        basis.c[:] = work.g
        a, place = np.zeros((r.n_rows, r.n_v)), np.argsort(self.order)
        fill_rows(place, a, system.compiled, packed)
        share = 0.0
        if rows is not None and np.isfinite(a).all():
            share = self.choose(a[rows], system.n_v - self.k_z, np.sqrt(r.metric[:-1]), basis)
        if not share > 0.0:
            return None
        work.epsilon[:] = LEFT_OUT * r.row_diagonal
        work.epsilon[self.order[rows]] = NEGLIGIBLE * r.row_diagonal[self.order[rows]]
        basis.base[:], basis.q[:], basis.v[:] = q, q, v
        size = np.abs(q / position_scale(system)).max(initial=0.0)
        basis.numbers[:4] = self.k_z, self.k, 2e-15 * (1.0 + size), self.mapped
        basis.numbers[SHARE] = share
        evaluate(t, q, v, VELOCITY, system.compiled, packed)
        y = np.zeros(self.k_z + self.k)
        return y if begin(t, y, system.compiled, packed) == RUNNING else None

    def independent_rows(self, work, packed):
        """Places of independent rows in self.order, holonomic ones first; None where there are too few. work is evaluated.

        Those of select_rows(), whose pivots are sound in the order of the KKT matrix: of independent rows in general some vanish.
        """
        system, r = self.system, self.system.record
        m, m_z = system.n_v - self.k, system.n_v - self.k_z
        if m == r.n_rows:
            return np.arange(m)
        select_rows(system.compiled, packed)
        rows = np.flatnonzero((work.epsilon <= r.row_diagonal)[self.order])
        holonomic = int((r.velocity_level == 0)[self.order[rows]].sum())
        return rows if (rows.size, holonomic) == (m, m_z) else None

    def initial(self, state, work):
        """The first y."""
        y = self.anchor(state.t, state.q, state.v, work)
        if y is None:
            raise AssemblyError(
                f"No good independent coordinates could be found at the start (t = {state.t:g} s): the position is a singular "
                "one, or the coordinates asked for do not describe the motion. Start beside it, or let the method choose."
            )
        if not work.basis.n.size:
            work.options[LIMIT] = PICKED * max(1.0, work.basis.numbers[PROBE], work.basis.numbers[PLACED])
        return y

    def renew(self, t, y, work):
        """New coordinates at an accepted state, whose q and v REBASE left in work.basis; without any, the old ones stay."""
        old = [part.copy() for part in (*work.basis, work.epsilon)]
        found = self.anchor(t, work.basis.q.copy(), work.basis.v.copy(), work)
        if found is None:
            for part, values in zip((*work.basis, work.epsilon), old, strict=True):
                part[...] = values
            return NO_COORDINATES
        y[:] = found
        return RUNNING


class Directions:
    """The choice of orthonormal directions, by one of the functions of linalg/null_space.py."""

    def __init__(self, null_space):
        self.null_space, self.frame = null_space, None

    def __call__(self, a, holonomic, root, basis):
        """Write basis.n; see Coordinates."""
        m, n = a.shape
        self.frame = self.null_space(a, self.frame)
        rows = self.frame[:, m:].T
        if holonomic < m:  # directions that only positions have, orthogonal to those of the velocities
            rest = self.null_space(np.vstack([a[:holonomic], rows]))
            rows = np.vstack([rows, rest[:, n - (m - holonomic) :].T])
        basis.n[:] = rows * root
        return 1.0


def problem(system, choose, directions, tau):
    """The Ode form in the coordinates that `choose` finds: `directions` if they are directions N, otherwise coordinates."""
    coordinates = Coordinates(system, choose)
    n_v, k_z = system.n_v, coordinates.k_z
    width = max(2 * n_v, n_v + 1 + system.n_rows)
    basis = NO_BASIS._replace(
        base=np.zeros(system.n_q),
        n=np.zeros((k_z, n_v) if directions else (0, 0)),
        free=np.zeros(n_v + 1, np.uint32),
        c=np.zeros(system.record.g_row.size),
        increment=np.zeros(n_v + 1),
        q=np.zeros(system.n_q),
        v=np.zeros(n_v),
        numbers=np.zeros(NUMBERS),
        dense=np.zeros((1, ROWS, width)),
    )
    return Problem(
        form=ODE,
        system=system,
        functions=(independent,),
        initial=coordinates.initial,
        scale=np.full(k_z + coordinates.k, system.length),
        rebase=watch,
        expand=expand,
        renew=coordinates.renew,
        basis=basis,
        frozen=True,
        options=np.array([tau, SINGULAR]),
    )
