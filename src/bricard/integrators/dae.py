"""What implicit integrators see of a DAE: F(t, y, y') = 0 and its Newton matrix dF/dy + shift dF/dy', in either form.

A SemiExplicitDae H y' = F(t, y) is taken as H y' - F = 0; run.differential holds the diagonal of H, and is empty for a
ResidualDae. `shift` is dy'/dy of the method: 1/h times a number, complex where stages are decoupled by eigenvalues.

Multipliers have pivots of the size G M^-1 G^T h^(level - 1), level being the index of the unknown (run.levels): in index 3
they shrink with h^2. Their regularisation goes with them. That is all the scaling that small steps need: elimination in a fixed
order, without pivoting, gives the same digits whatever powers of h rows and columns are multiplied by.
"""

from ..compiled.interfaces import DAE_JACOBIAN, DAE_RESIDUAL, OWN, RHS, RHS_JACOBIAN
from ..compiled.pointers import compiled
from ..linalg.factor import factorise

call_residual, call_jacobian = DAE_RESIDUAL.call, DAE_JACOBIAN.call
call_rhs, call_rhs_jacobian = RHS.call, RHS_JACOBIAN.call


@compiled
def residual(form, t, y, y_dot, r, run, system, work):
    """r = F(t, y, y') or H y' - F(t, y). A status."""
    differential = run.differential
    if differential.size == 0:
        return call_residual(form[OWN], t, y, y_dot, r, system, work)
    status = call_rhs(form[OWN], t, y, r, system, work)
    for i in range(differential.size):
        r[i] = differential[i] * y_dot[i] - r[i]
    return status


@compiled
def jacobian(form, t, y, y_dot, run, system, work):
    """run.jy and run.jp = entries of the residual's derivatives in y and y'. A status."""
    jy, jp = run.jy, run.jp
    if run.differential.size == 0:
        return call_jacobian(form[OWN + 1], t, y, y_dot, jy, jp, system, work)
    status = call_rhs_jacobian(form[OWN + 1], t, y, jy, system, work)
    for e in range(jy.size):
        jy[e], jp[e] = -jy[e], 0.0
    return status


@compiled
def newton_matrix(matrix, shift, run):
    """Factors of dF/dy + shift dF/dy', regularised, from run.jy and run.jp. False if a pivot vanishes."""
    a, jy, jp, slot, diagonal = matrix.a, run.jy, run.jp, run.j_slot, run.j_diagonal
    extra, levels, differential = run.regularisation, run.levels, run.differential
    for i in range(a.size):
        a[i] = 0.0
    for e in range(jy.size):
        a[slot[e]] += jy[e] + shift * jp[e]
    for i in range(differential.size):
        a[diagonal[i]] += shift * differential[i]
    sizes = (shift / shift, 1.0 / shift, 1.0 / (shift * shift))  # of multipliers of index 1, 2, 3
    for i in range(extra.size):
        if extra[i] != 0.0:
            a[diagonal[i]] += extra[i] * sizes[levels[i] - 1]
    return factorise(matrix)
