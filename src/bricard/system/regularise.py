"""Numbers that make the KKT matrix safe to factorise without pivoting: epsilon per row, added mass per direction.

All are relative: epsilon to the natural size of the diagonal of G M^-1 G^T, the added mass to the mean mass, so that a change of
units changes nothing.
"""

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import AssemblyError, SingularMassError, largest
from ..linalg.kkt import accelerations, evaluate, factorise_kkt, pick_rows, position_error, solve_regularised
from .system import NEAR_SINGULAR

NEGLIGIBLE, REDUNDANT, MASSLESS, WEAK = 1e-15, 1e-6, 1e-4, 1e-6
REFINEMENTS, NOTHING = 10, 1e-14  # what counts as no mass at all, of the mean mass
DRIFT, MOST = (
    3.0,
    1e-2,
)  # sine of a row to others that a gap of one characteristic length or radian explains; of the largest gap
PLAIN = 1e-2  # pivot of a row that is independent beyond doubt, in natural sizes
SHARE = 0.1  # of what rows can be by their geometry: rows that are smaller on the whole hardly hold anything


def regularise(system):
    """The system with its epsilon, added mass and refinements set at the drawn configuration."""
    added = added_mass(system)
    system = system.with_record(added_mass=added)
    scale = row_diagonal(system)
    system = system.with_record(row_diagonal=scale, row_weight=row_weight(system.n_rows))
    weak = count_weak(system)
    massless = bool(added.any())
    light = bool((mass_diagonal(system) < 1e-4 * natural_mass(system)).any())  # small pivots: round-off is refined away
    system = system.with_record(
        regularisation=(REDUNDANT if weak else NEGLIGIBLE) * scale,
        refinements=REFINEMENTS if massless else 3 if light else 0,
        redundant=weak,
    )
    if massless:
        check_massless(system)
    return system


def row_weight(n_rows):
    """Unlike numbers between 1/2 and 3/2 with signs (n_rows,), the same on every machine to rounding."""
    i = np.arange(n_rows)
    return np.copysign(1.0 + 0.5 * np.cos(1.7 * i), np.cos(2.4 * i))


def mass_diagonal(system):
    """Diagonal of M (n_v,) at the start."""
    r = system.record
    values = system.evaluated(0.0, system.start, np.zeros(r.n_v)).m
    diagonal = np.zeros(r.n_v)
    same = r.m_row == r.m_column
    np.add.at(diagonal, r.m_row[same].astype(int), values[same])
    return diagonal


def added_mass(system):
    """Mass (or inertia) put on the diagonal where M has none at all: MASSLESS times the mean mass (times length squared).

    None at all is next to nothing beside the mean mass and beside the largest that is joined to it: a light body that moves on
    its own has all of its digits.
    """
    natural, diagonal = natural_mass(system), mass_diagonal(system)
    found = diagonal <= NOTHING * natural
    if (diagonal[found] > 0.0).any():
        part, size = joined(system), diagonal / np.where(system.translations, 1.0, system.record.length**2)
        largest_of = np.zeros(part.max() + 1)
        np.maximum.at(largest_of, part, size)
        found &= size <= NOTHING * largest_of[part]
    return np.where(found, MASSLESS * natural, 0.0)


def joined(system):
    """For each direction of v (n_v,) the number of the part of the system, joined by rows and by M, that it belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    r = system.record
    ends = [np.concatenate([r.m_row, r.n_v + r.g_row]), np.concatenate([r.m_column, r.g_column])]
    ends = [x.astype(int)[(ends[0] < r.n_v + r.n_rows) & (ends[1] < r.n_v)] for x in ends]
    n = r.n_v + r.n_rows
    return connected_components(coo_array((np.ones(ends[0].size), ends), (n, n)), directed=False)[1][: r.n_v]


def natural_mass(system):
    """Mean mass (n_v,), times the characteristic length squared for turns."""
    r, diagonal = system.record, mass_diagonal(system)
    mean = float(np.mean(r.mass[r.mass > 0.0])) if (r.mass > 0.0).any() else float(diagonal.max(initial=0.0)) or 1.0
    return np.where(system.translations, mean, mean * r.length**2)


def row_diagonal(system):
    """Natural scale of each row (n_rows,): the mean of the diagonal of G M^-1 G^T in dimensionless rows, with units.

    In relative coordinates all rows of a closed loop may be rounding only, such as those of a second hinge on the same axis: they
    are judged by what they can be from their geometry, see row_sizes(), with the lever of the characteristic length.
    """
    r = system.record
    mass = np.maximum(mass_diagonal(system), 1e-2 * natural_mass(system))  # a tiny inertia must not set the scale
    g = system.evaluated(0.0, system.start, np.zeros(r.n_v)).g
    real = r.g_column < r.n_v
    row, column = r.g_row[real].astype(int), r.g_column[real].astype(int)
    diagonal, possible = np.zeros(r.n_rows), np.zeros(r.n_rows)
    np.add.at(diagonal, row, g[real] ** 2 / mass[column])
    np.maximum.at(possible, row, row_sizes(system)[row] ** 2 / (mass * r.metric[:-1])[column])
    # one size for all rows of a unit: invariant under rotations, and smallest multipliers in the scaled rows
    dimensionless, possible = diagonal * r.row_scale**2, SHARE * possible / r.length**2
    natural = max(float(np.mean(dimensionless)), float(np.mean(possible))) if dimensionless.size else 1.0
    return (natural or 1.0) / r.row_scale**2


def row_sizes(system, q=None):
    """Natural size (n_rows,) of each row without units: its norm along the motions of bodies, at q or as drawn.

    In relative coordinates rows are made of these by the joints of the tree, and little more than rounding may be left of them.
    """
    r = system.record
    g = system.evaluated(0.0, system.start if q is None else q, np.zeros(r.n_v)).g
    if system.tree:
        count = r.tree.g_entries
        row, g, part = r.g_row[:count], g[:count], r.tree.g_place % 6
        weight = np.where(r.tree.g_place < 6 * r.tree.pull_row.size, np.where(part < 3, 1.0, r.length**-2), 0.0)
    else:
        row, weight = r.g_row, np.where(r.g_column < r.n_v, r.metric[r.g_column.astype(int)], 0.0)
    squares = np.zeros(r.n_rows)
    np.add.at(squares, row.astype(int), weight * g**2)
    return np.sqrt(squares) * r.row_scale * r.length


def weak_rows(system, q=None):
    """Rows with a weak pivot at q (the drawn start if not given): those that depend on rows eliminated before them."""
    if not system.n_rows:
        return []
    packed, work = evaluated_rows(system, q)
    return left_out(tolerance(system, packed) / NEAR_SINGULAR, system, work, packed)


def count_weak(system, q=None):
    """Number of rows that depend on others at q, by pivots in descending order.

    In the order of elimination pivots are rounding behind that of a row that is hardly independent. So all rows whose pivots are
    not plain are left out, and of what the plain ones leave of these, as a matrix, the rank decides.
    """
    from scipy.linalg import get_lapack_funcs
    from scipy.sparse import csr_array

    if not system.n_rows:
        return 0
    packed, work = evaluated_rows(system, q)
    limit, r, n_v = tolerance(system, packed), system.record, system.n_v
    left = left_out(PLAIN / NEAR_SINGULAR, system, work, packed)
    if not left:
        return 0
    g = csr_array((work.g, (r.g_row.astype(int), r.g_column.astype(int))), (r.n_rows, n_v + 1))[left]
    b, x, rest = np.zeros(work.b.size), np.zeros(work.b.size), np.eye(len(left) + 1)
    for i in range(len(left)):
        place = slice(g.indptr[i], g.indptr[i + 1])
        b[:] = 0.0
        b[g.indices[place]] = g.data[place]
        b[n_v] = 0.0
        solve_regularised(packed, b, x)
        x[n_v] = 0.0
        rest[i, :-1] = g @ x[: n_v + 1]
    size = np.sqrt(np.append(r.row_diagonal[left], 1.0))
    rest /= size[:, None] * size
    if not np.isfinite(rest).all():
        return len(left)
    # the first pivot is taken however small it is: so the largest one is that of a row added here
    rest[-1, -1] = 1.0 + np.abs(rest).max()
    (cholesky_with_pivots,) = get_lapack_funcs(("pstrf",), (rest,))
    return len(left) + 1 - int(cholesky_with_pivots(0.5 * (rest + rest.T), tol=limit)[2])


def evaluated_rows(system, q):
    """Work, packed and not, with M and G at q (the drawn start if not given)."""
    work = system.work()
    work.left_out[0] = system.n_rows
    packed = pack(work)
    evaluate(0.0, system.start if q is None else q, np.zeros(system.n_v), VELOCITY, system.compiled, packed)
    return packed, work


def tolerance(system, packed):
    """Pivot, in natural sizes, at which a row counts as dependent where work is evaluated.

    Rows that are redundant on the constraints only have pivots of the square of the gap off them.
    """
    gap = position_error(system.compiled, packed)
    return max(WEAK * NEAR_SINGULAR, min(DRIFT * gap, MOST) ** 2)


def left_out(limit, system, work, packed):
    """Rows whose pivots, in limits of weak ones, are not above a limit; the others are factorised."""
    pick_rows(limit, system.compiled, packed)
    return [int(i) for i in np.flatnonzero(work.epsilon > system.record.row_diagonal)]


def check_open(system):
    """The open tree, or an error where one of its joints moves nothing that has inertia."""
    work = system.work()
    if not accelerations(0.0, system.start, np.zeros(system.n_v), system.compiled, pack(work)):
        worst = int(np.argmin(np.where(np.isfinite(work.branch.pivot[:, 0]), work.branch.pivot[:, 0], -1.0)))
        raise SingularMassError(
            f"Nothing gives inertia to {system.unknown_name(worst)}: all bodies that it moves have none along it. Give them "
            "a mass and an inertia tensor, or fix the joint."
        )
    return system


def check_massless(system):
    """Raise if a direction without mass is not held by the constraints: its response to a force is that of the added mass."""
    r, work = system.record, system.work()
    packed = pack(work)
    evaluate(0.0, system.start, np.zeros(r.n_v), VELOCITY, system.compiled, packed)
    factorise_kkt(system.compiled, packed)
    b = np.zeros(work.b.size)
    rng = np.random.default_rng(0)
    b[: r.n_v] = np.where(r.added_mass > 0.0, rng.uniform(0.5, 1.0, r.n_v) * r.added_mass, 0.0)
    x = np.zeros_like(b)
    solve_regularised(packed, b, x)
    response = np.where(r.added_mass > 0.0, np.abs(x[: r.n_v]), 0.0)
    worst = largest(response)
    if response[worst] > 0.05:
        raise SingularMassError(
            f"Nothing gives inertia to {system.unknown_name(worst)}: it has no mass or inertia of its own there, and the joints "
            "let it move without moving a body that has. Give the body a mass and an inertia tensor, or hold that direction with "
            "a joint."
        )


def check_springs(system, t, work):
    """Raise if the ends of a spring coincide where work is evaluated and its force has no direction."""
    for force in () if system.model is None else system.model.forces.values():
        measure = force.measure if force.kind == "spring" else None
        if measure in system.measures and work.value[system.measures.index(measure)] == 0.0:
            pull = force.law(t, 0.0, 0.0)
            if pull != 0.0 and not np.isfinite(work.f).all():
                raise AssemblyError(
                    f'The ends of the spring "{force.name}" coincide at the start (t = {t:g} s), where its force, {pull:.3g} N, '
                    "has no direction. Draw them apart, or give length=0, or a law that vanishes at length zero."
                )
