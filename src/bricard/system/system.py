"""System: the frozen result of build(). Arrays, index maps, fixed sparsity, names; the equations as functions."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiled import records
from ..compiled.handles import pack
from ..compiled.interfaces import G_DOT, RATE, REFRESH, TANGENT, VELOCITY
from ..compiled.pointers import cannot_come
from ..kernels.functions import MOST_RESULTS, Given, Part
from ..kernels.newton_euler import newton_euler
from ..linalg import sparse
from ..linalg.kkt import evaluate, retract
from ..model.checks import number
from .maps import kinematic_map
from .recipe import Recipe
from .state import check_sizes
from .turns import counted_angles

NEAR_SINGULAR = 1e-3  # a constraint pivot below this share of its natural size is counted as weak


def _made_again(recipe):
    return recipe.made()


class Tangent(NamedTuple):
    """Derivatives of the residual M v' + G^T lam - f and of the velocity constraint, as sparse matrices.

    K : (n_v, n_v), d(M v' + G^T lam - f)/dq along the directions of v. D : (n_v, n_v), -df/dv.
    rate : (n_rows, n_v), d(G v)/dq along the directions of v.
    """

    K: Any
    D: Any
    rate: Any


@dataclass(frozen=True, eq=False)
class System:
    """A mechanical system M(q) v' + G^T lam = f, Phi(t, q) = 0, q' = T(q) v, ready for compiled code.

    Made by `model.build()` or `System.from_functions(...)`. Sizes: n_q, n_v, n_rows. `start` is the drawn configuration.
    """

    record: records.System
    pattern: sparse.Pattern
    name: str
    rows: tuple
    mass_values: np.ndarray
    start: np.ndarray
    model: Any = None
    keep: tuple = field(default=(), repr=False)  # compiled pieces that must stay alive
    measures: tuple = ()  # the measures that constraints and forces use, in their order in compiled code
    start_velocity: np.ndarray | None = None
    entry_body: np.ndarray | None = field(default=None, repr=False)  # (entries of G, 2): number of the body, direction
    loads: tuple = field(default=(), repr=False)  # of each element of a force: its name, numbers of both bodies
    nodes: list = field(default_factory=list, repr=False)  # (is a constraint, unknowns) in order of elimination
    rotation: str = "group"  # rotation parameters in q
    base: "System | None" = field(
        default=None, repr=False
    )  # the same in absolute coordinates with unit quaternions, if other
    tree: tuple = field(default=(), repr=False)  # nodes of the spanning tree, in relative coordinates
    cut: tuple = ()  # joints that the tree was asked not to use
    recipe: Recipe | None = field(default=None, init=False, repr=False)  # None of Systems derived from others

    @classmethod
    def from_functions(
        cls,
        M: Any,
        f: Any,
        Phi: Any = None,
        G: Any = None,
        gamma: Any = None,
        T: Any = None,
        A: Any = None,
        a: Any = None,
        *,
        q0: Any,
        v0: Any,
        a0: Any = None,
        potential: Any = None,
        t0: float = 0.0,
        name: str = "functions",
    ) -> "System":
        """A system given by its functions instead of bodies, with the same interface.

        M(q) (n_v, n_v) or a constant array; f(t, q, v) (n_v,); Phi(t, q) (n_c,), holonomic constraints; G(t, q) (n_c, n_v) =
        dPhi/dq T and gamma(t, q, v) (n_c,), by complex step if not given; T(q) (n_q, n_v) with q' = T v, the identity if not
        given; A(t, q) (n_a, n_v) and a(t, q) (n_a,), nonholonomic rows A v + a = 0. q0, v0: the start, moved onto the
        constraints. potential(q): potential energy, for the energy balance. Functions are plain Python, compiled; they must
        stand complex arguments (arrays made with np.array([...])) and are checked against finite differences.

        a0(t, q) (n_q,), in the range of T: kinematics q' = T v + a0, with f, A, a, v0 written in this v. Inside, the velocities
        are w = v + T+ a0, so that q' = T w: the System and its Solutions show w as their v (and kinetic energy w^T M w / 2);
        the v of the functions is w - T+ a0. Multipliers and reactions are the same for both.
        """
        from .functional import from_functions

        return from_functions(
            M=M,
            f=f,
            Phi=Phi,
            G=G,
            gamma=gamma,
            T=T,
            A=A,
            a=a,
            a0=a0,
            potential=potential,
            q0=q0,
            v0=v0,
            t0=t0,
            name=name,
        )

    def made_by(self, recipe):
        """This System, which now knows how it was made: it can be copied and pickled."""
        object.__setattr__(self, "recipe", recipe)
        return self

    def __reduce__(self):
        return _made_again, (self._known_recipe(),)

    def __setstate__(self, state):
        raise TypeError(cannot_come(self))

    def __copy__(self):
        return self._known_recipe().made()

    def __deepcopy__(self, memo):
        return self._known_recipe().made()

    def _known_recipe(self):
        if self.recipe is None:
            raise TypeError(
                f"This System {self.name!r} was derived from another one inside of a computation and cannot be copied or "
                "pickled: take the one that was built from the model."
            )
        return self.recipe

    @property
    def coordinates(self):
        """Either "absolute" or "relative"."""
        return "relative" if self.tree else "absolute"

    @property
    def n_measures(self):
        """Number of measures in use."""
        return len(self.measures)

    @cached_property
    def angles(self):
        """The joint angles (measures) that are no coordinates, or that forces depend on: a run counts their turns."""
        return counted_angles(self)

    @property
    def n_q(self):
        """Number of position coordinates."""
        return self.record.n_q

    @property
    def n_v(self):
        """Number of velocities."""
        return self.record.n_v

    @property
    def n_rows(self):
        """Number of constraint rows, holonomic and nonholonomic, redundant ones included."""
        return self.record.n_rows

    @cached_property
    def translations(self):
        """Which velocities (n_v,) are lengths per second; the others are angles. All are, of systems given by functions."""
        r = self.record
        if self.tree:
            return np.array([unit == "length" for node in self.tree for unit in node.motion.units], bool)
        found = np.full(r.n_v, not r.n_bodies)
        moving = r.column[:-1, :3]
        found[moving[moving < r.n_v].astype(int)] = True
        return found

    @property
    def singular_mass(self):
        """Whether M is singular: bodies without mass or inertia of their own, or quaternions as coordinates."""
        return bool((self.record.added_mass > 0.0).any())

    @property
    def length(self):
        """Characteristic length, m: what makes lengths and angles comparable."""
        return self.record.length

    @cached_property
    def compiled(self):
        """The record as compiled code takes it."""
        return pack(self.record)

    def work(self):
        """Fresh scratch memory for one simulation (a record; pack() it for compiled code)."""
        r, zeros = self.record, np.zeros
        layout = r.n_v + 1 + r.n_rows
        weak = zeros(layout)
        weak[r.n_v + 1 :] = NEAR_SINGULAR * r.row_diagonal
        work = records.Work(
            x=zeros((r.n_bodies + 1, 3)),
            rotation=np.tile(np.eye(3).ravel(), (r.n_bodies + 1, 1)),
            velocity=zeros((r.n_bodies + 1, 6)),
            local=r.parameters.copy(),
            m=self.mass_values.copy(),
            added=self._added_entries(),
            f=zeros(1 + max(r.n_v, int(r.column.max()))),
            phi=zeros(r.n_rows),
            phi_dot=zeros(r.n_rows),
            phi_t=zeros(r.n_rows),
            gamma=zeros(r.n_rows),
            g=zeros(r.g_row.size),
            rate=zeros(r.g_row.size),
            g_dot=zeros(r.g_row.size),
            m_dot=zeros(r.m_row.size),
            k=zeros(r.k_row.size),
            d=zeros(r.d_row.size),
            lam=zeros(r.n_rows),
            left_out=np.array([r.redundant, 0, 0, 0], np.int64),
            epsilon=r.regularisation.copy(),
            play=zeros(1),
            t=zeros(r.t_row.size),
            t_inverse=zeros(r.t_row.size),
            tq=zeros(r.tq_row.size),
            options=zeros(8),
            schedule=np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            partition=zeros(r.n_v + 1, np.uint32),
            hooks=zeros(4, np.int64),
            tally=zeros(4, np.int64),
            basis=records.NO_BASIS,
            turning=self._turning(),
            branch=self._branch(),
            value=zeros(self.n_measures),
            ends=zeros((2, self.n_measures)),
            speed=zeros(self.n_measures),
            bias=zeros(self.n_measures),
            gradient=zeros(12 * self.n_measures),
            slope=zeros(12 * self.n_measures),
            curvature=zeros(144 * self.n_measures),
            turn=zeros(self.n_measures),
            law=zeros(8),
            given=zeros(Given.SIZE * Part.SIZE),
            parts=zeros(Part.SIZE * MOST_RESULTS * max(6, r.n_rows)),
            memory=zeros(r.memory),
            energy=zeros(3),
            u=zeros(layout),
            b=zeros(layout),
            e=zeros(layout),
            kkt=sparse.matrix(self.pattern, layout, weak),
        )
        return work

    def _added_entries(self):
        """The added mass on the pattern of M: its diagonal."""
        r = self.record
        entries = np.zeros(r.m_row.size)
        places, first = np.unique(np.where(r.m_row == r.m_column, r.m_row, r.n_v), return_index=True)
        diagonal = places < r.n_v  # where several entries share a place, the first takes it
        entries[first[diagonal]] = r.added_mass[places[diagonal].astype(int)]
        return entries

    def _turning(self):
        """Scratch for rotation parameters."""
        chart, zeros = self.record.chart, np.zeros
        n, triples, blocks = chart.added.shape[0], 3 * chart.triple_row.size + 1, 9 * chart.block.shape[0] + 1
        sizes = ((n, 12), (n, 12), (n, 12), (n, 3), (n, 3), triples, triples, blocks, blocks)
        return records.Turning(*(zeros(size) for size in sizes))

    def _branch(self):
        """Scratch for relative coordinates."""
        tree, zeros = self.record.tree, np.zeros
        n, n_v = tree.body.size, tree.motion.shape[0]
        if not n:
            return records.NO_BRANCH
        pulls, blocks = 6 * tree.pull_row.size + 1, 36 * tree.block.shape[0] + 1
        return records.Branch(
            d=zeros((n, 3)),
            c=np.tile(np.eye(3).ravel(), (n, 1)),
            s=tree.motion.copy(),
            bias=zeros((n, 6)),
            slope=zeros((n_v, 36)),
            bias_slope=zeros((n_v, 6)),
            memory=zeros(int(tree.memory[-1])),
            motion=zeros((n_v, 6)),
            spin=zeros((n + 1, 3)),
            drift=zeros((n + 1, 6)),
            total=zeros((n + 1, 6)),
            load=zeros((n + 1, 6)),
            inertia=zeros((n + 1, 21)),
            lever=zeros((n_v, 6)),
            pivot=zeros((n_v, 2)),
            pull=zeros(pulls),
            change=zeros(pulls),
            k=zeros(blocks),
            d_block=zeros(blocks),
            acceleration=zeros((n + 1, 6)),
            way=zeros((n + 1, 18)),
            change_load=zeros((n + 1, 6)),
        )

    @cached_property
    def kept(self):
        """What is found only once for a system, as its start and its redundancy: name -> (what it depends on, what was found)."""
        return {}

    @cached_property
    def scratch(self):
        """A Work of its own and its compiled twin, for evaluations between runs; overwritten by each of them."""
        work = self.work()
        return work, pack(work)

    def evaluated(self, t, q, v, flags=VELOCITY, lam=None):
        """The Work record with everything that the flags ask for at (t, q, v); overwritten by the next call."""
        check_sizes(self, q=q, v=v, lam=lam)
        t = number(t, "t")
        work, packed = self.scratch
        work.lam[:] = 0.0 if lam is None else lam
        q, v = (np.array(x, float, order="C") for x in (q, v))
        evaluate(t, q, v, flags, self.compiled, packed)
        return work

    def _sparse(self, rows, columns, values, shape):
        from scipy.sparse import csr_array

        keep = (rows < shape[0]) & (columns < shape[1])
        matrix = csr_array((values[keep], (rows[keep].astype(int), columns[keep].astype(int))), shape=shape)
        matrix.sum_duplicates()
        return matrix

    def mass(self, q):
        """M(q), sparse (n_v, n_v)."""
        work, r = self.evaluated(0.0, q, np.zeros(self.n_v)), self.record
        return self._sparse(r.m_row, r.m_column, work.m, (r.n_v, r.n_v))

    def force(self, t, q, v):
        """f(t, q, v): applied and gyroscopic forces, (n_v,); translation in the world, torque in the body."""
        return self.evaluated(t, q, v).f[: self.n_v].copy()

    def constraint(self, t, q):
        """Phi(t, q), (n_rows,); zero in the place of nonholonomic rows."""
        return self.evaluated(t, q, np.zeros(self.n_v)).phi.copy()

    def constraint_velocity(self, t, q, v):
        """G v + Phi_t, or A v + a in nonholonomic rows, (n_rows,)."""
        return self.evaluated(t, q, v).phi_dot.copy()

    def jacobian(self, t, q, v=None):
        """G(t, q), sparse (n_rows, n_v), the rows A of nonholonomic constraints among them."""
        work, r = self.evaluated(t, q, np.zeros(self.n_v) if v is None else v), self.record
        return self._sparse(r.g_row, r.g_column, work.g, (r.n_rows, r.n_v))

    def jacobian_rate(self, t, q, v):
        """dG/dt along the motion with velocity v, sparse (n_rows, n_v); nonholonomic rows must be linear in v."""
        work, r = self.evaluated(t, q, v, VELOCITY | G_DOT), self.record
        return self._sparse(r.g_row, r.g_column, work.g_dot, (r.n_rows, r.n_v))

    def gamma(self, t, q, v):
        """Right-hand side of G v' = gamma, (n_rows,)."""
        return self.evaluated(t, q, v).gamma.copy()

    def kinematic_map(self, q):
        """T(q) with q' = T v, sparse (n_q, n_v)."""
        check_sizes(self, q=q)
        r, (work, packed) = self.record, self.scratch
        q = np.array(q, float, order="C")
        kinematic_map(q, np.zeros(r.n_v), self.compiled, packed)
        return self._sparse(r.t_row, r.t_column, work.t, (r.n_q, r.n_v))

    def inverse_dynamics(self, t, q, v, a, lam=None):
        """M a + G^T lam - f (n_v,): what must act along the velocities for the accelerations a = v' (n_v,) and multipliers lam.

        In relative coordinates by the recursive Newton-Euler method, whose cost grows with the number of bodies only.
        """
        check_sizes(self, a=a)
        a, (work, packed) = np.asarray(a, float), self.scratch
        self.evaluated(t, q, v, lam=lam)
        if self.tree:
            tau = np.zeros(self.n_v)
            work.u[: self.n_v] = a
            newton_euler(tau, self.compiled, packed)
            return tau
        r, force = self.record, work.f[: self.n_v].copy()
        G = self._sparse(r.g_row, r.g_column, work.g, (r.n_rows, r.n_v))
        return self._sparse(r.m_row, r.m_column, work.m, (r.n_v, r.n_v)) @ a + G.T @ work.lam - force

    def tangent(self, t, q, v, a, lam):
        """Derivatives of the residual and of the velocity constraint, see Tangent; a = v' (n_v,), lam (n_rows,)."""
        check_sizes(self, a=a)
        r, (work, _) = self.record, self.scratch
        work.u[: r.n_v] = a
        self.evaluated(t, q, v, VELOCITY | TANGENT | RATE | REFRESH, lam)
        size = (r.n_v, r.n_v)
        return Tangent(
            self._sparse(r.k_row, r.k_column, work.k, size),
            self._sparse(r.d_row, r.d_column, work.d, size),
            self._sparse(r.g_row, r.g_column, work.rate, (r.n_rows, r.n_v)),
        )

    def retract(self, q, increment):
        """q moved by an increment (n_v,) on the configuration space."""
        q_new = np.zeros(self.n_q)
        q, increment = (np.array(x, float, order="C") for x in (q, increment))
        retract(q, increment, q_new, self.compiled, self.scratch[1])
        return q_new

    def row_name(self, row):
        """The name of a constraint row: joint and direction."""
        found = self.rows[row]
        return f'{found.owner} "{found.joint}" ({found.label})'

    def unknown_name(self, index):
        """The name of an unknown in the layout [velocities, dummy, multipliers]."""
        if index > self.n_v:
            return self.row_name(index - self.n_v - 1)
        if self.model is None:
            return f"velocity {index}"
        if self.tree:
            node = self.tree[int(self.record.tree.node_of[index])]
            label = node.motion.labels[index - int(self.record.tree.v_first[self.tree.index(node)])]
            return f'{"body" if node.joint is None else "joint"} "{node.name}" in its coordinate {label}'
        if not (self.record.column == index).any():  # a rotation parameter
            body = int(np.searchsorted(self.record.q_start, index, side="right")) - 1
            number = index - int(self.record.q_start[body]) - 2
            return f'body "{list(self.model.bodies)[body]}" in number {number} of its rotation ({self.rotation})'
        body = int(np.flatnonzero((self.record.column == index).any(axis=1))[0])
        part = int(np.flatnonzero(self.record.column[body] == index)[0])
        words = ("moving along x", "moving along y", "moving along z", "turning about its x axis")
        words += ("turning about its y axis", "turning about its z axis")
        return f'body "{list(self.model.bodies)[body]}" {words[part]}'

    def __repr__(self):
        sizes = f"{self.n_q} positions, {self.n_v} velocities, {self.n_rows} rows"
        return f"<System {self.name!r}, {self.coordinates} coordinates: {sizes}>"

    def with_record(self, **changes):
        """A copy with other values in its record; nothing is shared with the compiled twin of the old one."""
        return replace(self, record=self.record._replace(**changes))
