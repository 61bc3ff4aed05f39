"""All constraint rows at once, softened: [M G^T; G -softness diag] with natural sizes on the diagonal of the multipliers.

A penalty method's M + G^T kappa G, kappa = 1 / (softness diag), without forming that product, which would fill the matrix and
square its condition. Redundant rows and singular positions need no choice of rows: where rows depend on each other the soft
diagonal takes over. One solve is the penalty method; repeated on what is left of the equations (iterated refinement, the
augmented Lagrangian) the error of the multipliers shrinks by 1 / (1 + kappa sigma) each time, sigma an eigenvalue of G M^-1 G^T.
"""

from ..compiled.pointers import compiled
from .factor import factorise_symmetric, solve_symmetric
from .kkt import add_reaction, assemble_kkt, multiply_mass


@compiled
def factorise_soft(system, work, softness):
    """Factors of the KKT matrix with all rows softened, from the M and G in work; False if a pivot vanishes.

    As many weak pivots as rows depend on others everywhere are no news: only more of them are reported.
    """
    assemble_kkt(system, work)
    a, n_v, diagonal, natural, report = (
        work.kkt.a,
        system.n_v,
        system.diagonal_slot,
        system.row_diagonal,
        work.kkt.report,
    )
    for i in range(system.n_rows):
        a[diagonal[n_v + 1 + i]] = -softness * natural[i]
    regular = factorise_symmetric(work.kkt)
    if report[0] <= work.left_out[0]:
        report[0], report[1] = 0, -1
    return regular


@compiled
def solve_soft(system, work, kept, rounds, tolerance, b, u):
    """As refine_soft(), from zero."""
    for i in range(u.size):
        u[i] = 0.0
    return refine_soft(system, work, kept, rounds, tolerance, b, u)


@compiled
def refine_soft(system, work, kept, rounds, tolerance, b, u):
    """u = [M G^T; G -kept diag]^-1 b by at most `rounds` refinements of u with the factors of factorise_soft(); how many it took.

    kept : the softness that belongs to the equations, as in a penalty method, or 0 for exact constraints. It ends when the next
    round would change the first n_v numbers by less than `tolerance` times the largest of them. M and G are those in work:
    factors of a neighbouring position serve as well. u must not be b.
    """
    matrix, e, n_v, natural, metric = work.kkt, work.e, system.n_v, system.row_diagonal, system.metric
    g, g_row, g_column = work.g, system.g_row, system.g_column
    before = 0.0
    for count in range(rounds):
        multiply_mass(system, work, u, e)
        add_reaction(system, work, u, n_v + 1, e)
        for i in range(n_v):
            e[i] = b[i] - e[i]
        e[n_v] = 0.0
        for i in range(system.n_rows):
            e[n_v + 1 + i] = b[n_v + 1 + i] + kept * natural[i] * u[n_v + 1 + i]
        for k in range(g.size):
            e[n_v + 1 + g_row[k]] -= g[k] * u[g_column[k]]
        solve_symmetric(matrix, e, e)
        e[n_v] = 0.0
        change, size = 0.0, 0.0
        for i in range(u.size):
            u[i] += e[i]
        for i in range(n_v):  # squares, in units of translations
            change, size = max(change, e[i] * e[i] / metric[i]), max(size, u[i] * u[i] / metric[i])
        coming = change * min(1.0, change / before) if count > 0 else change
        if coming <= tolerance * tolerance * size:
            return count + 1
        before = change
    return rounds
