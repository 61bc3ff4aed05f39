"""System.from_functions: a system given by M, f, Phi, ... instead of bodies and joints."""

from copy import deepcopy

import numpy as np

from ..compiled import records
from ..compiled.interfaces import METHODS
from ..compiled.pointers import inlined, table
from ..errors import ModelError, UserFunctionError
from ..kernels.functional import methods
from ..kernels.shifted import shift_of, shifted_force, shifted_rest
from ..linalg import sparse
from ..linalg.kkt import sparse_accelerations
from .collect import Row
from .recipe import Recipe
from .regularise import regularise
from .system import System
from .user_check import check_complex_step, refuse_powers


def from_functions(**given):
    """See System.from_functions."""
    kept = {key: value if callable(value) else deepcopy(value) for key, value in given.items()}
    return _made(**given).made_by(Recipe(given["name"], from_functions, kept))


def _made(M, f, Phi, G, gamma, T, A, a, a0, potential, q0, v0, t0, name):
    q0, v0 = _vector(q0, "q0"), _vector(v0, "v0")
    n_q, n_v = q0.size, v0.size
    if T is None and n_q != n_v:
        raise ModelError(f"q0 has {n_q} numbers and v0 {n_v}: without a kinematic map T they must be equally many.")
    if A is None and a is not None:
        raise ModelError("a(t, q) belongs to nonholonomic rows A(t, q) v + a(t, q) = 0: give A too.")
    if a0 is not None and gamma is not None:
        raise ModelError(
            "gamma(t, q, v) and a0(t, q) are both given: with a0, leave gamma out; it is found by complex step."
        )
    n_c = _size(Phi, "Phi", t0, q0) if Phi is not None else 0
    n_a = _size(A, "A", t0, q0) if A is not None else 0
    constant = np.array(M, float, order="C") if not callable(M) else None
    given = {
        "M": M if constant is None else _constant(constant),
        "f": f,
        "Phi": Phi or _nothing,
        "T": T or _identity(n_q),
        "A": A or _no_rows(n_v),
        "a": a or (_zeros(n_a) if n_a else _nothing),
        "V": potential or _no_energy,
    }
    _check(given, G, gamma, t0, q0, v0, n_c, n_a)
    if a0 is not None:
        v0 = v0 + _shift(given, a0, t0, q0, n_a)
    M, f, Phi, direct = given["M"], given["f"], given["Phi"], T is None
    T, A, a, V = given["T"], given["A"], given["a"], given["V"]
    pointers = methods(M, f, Phi, G, gamma, T, A, a, V, n_c, n_a, direct)
    system = _records(pointers, q0, v0, n_c, n_a, name)
    return regularise(system)


def _vector(values, name):
    vector = np.atleast_1d(np.asarray(values, float)).copy()
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ModelError(f"{name} must be a vector of finite numbers, not {values!r}.")
    return vector


def _size(function, name, t0, q0):
    try:
        return len(np.atleast_1d(np.asarray(function(t0, q0))))
    except Exception as error:
        raise UserFunctionError(f"{name}(t, q) fails at the start: {type(error).__name__}: {error}.") from error


def _constant(matrix):
    def mass(q):
        return matrix

    return mass


def _identity(n):
    unit = np.eye(n)

    def identity(q):
        return unit

    return identity


def _no_rows(n_v):
    def none(t, q):
        return np.zeros((0, n_v)) + 0.0 * q[0]

    return none


def _zeros(n):
    def zeros(t, q):
        return np.zeros(n) + 0.0 * q[0]

    return zeros


def _nothing(t, q):
    return q[:0]


def _no_energy(q):
    return 0.0 * q[0]


def _check(given, G, gamma, t, q, v, n_c, n_a):
    """Shapes, finite values, complex step against differences, users' G and gamma against differences."""
    n_q, n_v = q.size, v.size
    functions = {
        "M(q)": (given["M"], (q,), (n_v, n_v)),
        "f(t, q, v)": (given["f"], (t, q, v), (n_v,)),
        "Phi(t, q)": (given["Phi"], (t, q), (n_c,)),
        "T(q)": (given["T"], (q,), (n_q, n_v)),
        "A(t, q)": (given["A"], (t, q), (n_a, n_v)),
        "a(t, q)": (given["a"], (t, q), (n_a,)),
        "potential(q)": (given["V"], (q,), ()),
    }
    if G is not None:
        functions["G(t, q)"] = (G, (t, q), (n_c, n_v))
    if gamma is not None:
        functions["gamma(t, q, v)"] = (gamma, (t, q, v), (n_c,))
    for label, (function, arguments, shape) in functions.items():
        if not label.startswith("gamma"):
            refuse_powers(function, label)
        check_complex_step(label, function, arguments, shape, exact=not label.startswith("gamma"))
    basis = np.asarray(given["T"](q), float)

    def shifted(s, j):
        return np.asarray(given["Phi"](t, q + s * basis[:, j]), float)

    if G is not None and n_c:
        difference = np.column_stack([(shifted(1e-6, j) - shifted(-1e-6, j)) / 2e-6 for j in range(n_v)])
        _agree("G(t, q)", np.asarray(G(t, q), float), difference, "dPhi/dq T")
    if gamma is not None and n_c:

        def path(s):
            return np.asarray(given["Phi"](t + s, _along(given["T"], q, v, s)), float)

        difference = -(path(1e-4) - 2 * path(0.0) + path(-1e-4)) / 1e-8
        _agree("gamma(t, q, v)", np.asarray(gamma(t, q, v), float), difference, "-d2Phi/dt2 at constant v", 1e-4)


def _along(T, q, v, s):
    """q after the time s with constant v, to second order."""
    q_dot = T(q) @ v
    bend = (np.asarray(T(q + 1e-6 * q_dot)) - np.asarray(T(q - 1e-6 * q_dot))) @ v / 2e-6
    return q + s * q_dot + 0.5 * s * s * bend


def _agree(label, given, difference, meaning, tolerance=1e-5):
    if not np.abs(given - difference).max() <= tolerance * (1 + np.abs(difference).max()):
        worst = np.unravel_index(np.argmax(np.abs(given - difference)), given.shape)
        place = tuple(int(i) for i in worst)
        raise UserFunctionError(
            f"{label} is {given[worst]:.6g} at entry {place}, but {meaning} is {difference[worst]:.6g} by finite differences."
        )


def _shift(given, a0, t, q, n_a):
    """Replaces f and a by those in the velocities w = v + T+ a0; T+ a0 at the start (n_v,)."""
    refuse_powers(a0, "a0(t, q)")
    check_complex_step("a0(t, q)", a0, (t, q), q.shape)
    shift, T, rng = shift_of(given["T"], a0), given["T"], np.random.default_rng(6)
    for place in (q, *(q + 1e-2 * rng.normal(size=(2, q.size)))):
        wanted, reached = np.asarray(a0(t, place), float), np.asarray(T(place), float) @ shift(t, place)
        if not np.abs(wanted - reached).max() <= 1e-9 * (1 + np.abs(wanted).max()):
            raise UserFunctionError(
                f"a0(t, q) = {wanted} leaves the range of T(q): the nearest T v is {reached}. No velocity v could make up for "
                "it; give as many velocities as coordinates, or an a0 that T can reach."
            )
    start, shift = np.asarray(shift(t, q), float), inlined(shift_of(inlined(T), inlined(a0)))
    given["f"] = shifted_force(given["M"], given["f"], T, shift)
    if n_a:
        given["a"] = shifted_rest(given["A"], given["a"], shift)
    return start


def _records(pointers, q0, v0, n_c, n_a, name):
    n_q, n_v, n_rows = q0.size, v0.size, n_c + n_a

    def dense(rows, columns):
        return np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)

    m_row, m_column = dense(n_v, n_v)
    g_row, g_column = dense(n_rows, n_v)
    t_row, t_column = dense(n_q, n_v)
    tq_row, tq_column = dense(n_q, n_q)
    offset, layout = n_v + 1, n_v + 1 + n_rows
    nodes = [(False, np.arange(n_v))] + ([(True, offset + np.arange(n_rows))] if n_rows else [])
    order = np.concatenate([unknowns for _, unknowns in nodes])
    rows, columns = np.concatenate([m_row, offset + g_row]), np.concatenate([m_column, g_column])
    pattern = sparse.pattern(rows, columns, order, layout)
    g_slot, gt_slot = pattern.slots(offset + g_row, g_column), pattern.slots(g_column, offset + g_row)
    index, none, diagonal = sparse.index, np.zeros(0, np.uint32), np.arange(layout)
    vv_slot = pattern.slots(m_row, m_column)
    record = records.System(
        n_bodies=0,
        n_q=n_q,
        n_v=n_v,
        n_rows=n_rows,
        length=1.0,
        methods=table(METHODS, (*pointers, sparse_accelerations, None)),
        q_start=none,
        planar=none,
        group=none,
        column=np.full((1, 6), n_v, np.uint32),
        mass=np.zeros(0),
        inertia=np.zeros((0, 9)),
        equatorial=np.zeros(0),
        gravity=np.zeros(3),
        rotation_slot=np.zeros((0, 9), np.uint32),
        gyroscopic=none,
        stage=np.zeros(4, np.int64),
        kernels=np.zeros(0, np.int64),
        first=np.zeros(1, np.int64),
        operand_a=none,
        operand_b=none,
        row=none,
        g_first=none,
        k_first=none,
        d_first=none,
        parameter=np.zeros(1, np.uint32),
        functions=np.zeros(0, np.int64),
        parameters=np.zeros(0),
        vectors=np.zeros((0, 2), np.uint32),
        memory=0,
        velocity_level=index(np.arange(n_rows) >= n_c),
        row_scale=np.ones(n_rows),
        regularisation=np.zeros(n_rows),
        refinements=0,
        redundant=0,
        m_row=index(m_row),
        m_column=index(m_column),
        m_slot=vv_slot,
        g_row=index(g_row),
        g_column=index(g_column),
        g_slot=g_slot,
        gt_slot=gt_slot,
        g_upper=np.where(g_slot < pattern.size + pattern.l_row.size, g_slot, gt_slot).astype(np.uint32),
        k_row=index(m_row),
        k_column=index(m_column),
        k_slot=vv_slot,
        d_row=index(m_row),
        d_column=index(m_column),
        d_slot=vv_slot,
        diagonal_slot=pattern.slots(diagonal, diagonal, diagonal != n_v),
        added_mass=np.zeros(n_v),
        metric=np.ones(n_v + 1),
        row_diagonal=np.ones(n_rows),
        row_weight=np.ones(n_rows),
        t_row=index(t_row),
        t_column=index(t_column),
        tq_row=index(tq_row),
        tq_column=index(tq_column),
        gq_entry=none,
        gq_map=none,
        kq_entry=none,
        kq_map=none,
        turn_q=none,
        turn_v=none,
        chart=records.NO_CHART,
        tree=records.NO_TREE,
    )
    labels = [Row("Phi", str(i), "length", False) for i in range(n_c)]
    labels += [Row("A", str(i), "length", True) for i in range(n_a)]
    return System(
        record=record,
        pattern=pattern,
        name=name,
        rows=tuple(labels),
        mass_values=np.zeros(n_v * n_v),
        start=q0,
        start_velocity=v0,
        keep=pointers,
        nodes=nodes,
    )
