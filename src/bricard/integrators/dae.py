"""What implicit integrators see of a DAE: F(t, y, y') = 0 and its Newton matrix dF/dy + shift dF/dy', in either form.

Also here: y' at the start, what corrections may amount to, and the norm in which errors are judged. A component of index i is
judged after multiplication by h^(i - 1); multipliers are not judged.

A SemiExplicitDae H y' = F(t, y) is taken as H y' - F = 0; run.differential holds the diagonal of H, and is empty for a
ResidualDae. `shift` is dy'/dy of the method: 1/h times a number, complex where stages are decoupled by eigenvalues.

Multipliers have pivots of the size G M^-1 G^T h^(level - 1), level being the index of the unknown (run.levels): in index 3
they shrink with h^2. Their regularisation goes with them. That is all the scaling that small steps need: elimination in a fixed
order, without pivoting, gives the same digits whatever powers of h rows and columns are multiplied by.
"""

import math

from ..compiled.interfaces import DAE_JACOBIAN, DAE_RESIDUAL, KINEMATICS, OWN, RHS, RHS_JACOBIAN
from ..compiled.pointers import compiled
from ..linalg.factor import factorise, solve
from ..linalg.kkt import accelerations

call_residual, call_jacobian = DAE_RESIDUAL.call, DAE_JACOBIAN.call
call_rhs, call_rhs_jacobian = RHS.call, RHS_JACOBIAN.call
call_kinematics = KINEMATICS.call
SHARE = 0.01  # of the tolerance that Newton's method may use up
ROUNDING, NOISE = 1e-14, 1e-11  # round-off in natural sizes; the same of an iteration
FINEST = 0.01  # of round-off: the smallest error that Newton's method tries to leave


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


@compiled
def start_slopes(t, y, slope, system, work):
    """slope = y' of q and v: T v, and v' from the acceleration level; 0 for the rest, which has no y' in the equations."""
    n_q, n_v = system.n_q, system.n_v
    q, v, u = y[:n_q], y[n_q : n_q + n_v], work.u
    regular = accelerations(t, q, v, system, work)
    for i in range(slope.size):
        slope[i] = 0.0
    call_kinematics(system.methods[2], q, v, slope, system, work)
    for i in range(n_v):
        slope[n_q + i] = u[i] if regular and math.isfinite(u[i]) else 0.0


@compiled
def weigh(h, relative, absolute, fixed, weight, run, system):
    """weight = 1 / what a correction may amount to, per component. (tolerance, largest error left, size of round-off).

    With a fixed step `fixed` is the tolerance, in natural sizes; otherwise 1 is that of the error test.
    """
    y, scale, levels, highest = run.y, run.scale, run.levels, 0
    if run.clock[7] == 0.0:
        for i in range(levels.size):
            limit = absolute * scale[i] + relative * abs(y[i])
            weight[i] = h ** (levels[i] - 1.0) / limit if math.isfinite(scale[i]) else 0.0
            highest = max(highest, levels[i])
        rounding = least = ROUNDING / absolute
        if highest == 3:  # velocities keep what is left divided by h, in each of 1 / part steps
            part = h / (run.clock[6] - run.clock[5])
            least = min(rounding, max(FINEST * rounding, part * part))
        share = max(min(SHARE, math.sqrt(relative)), least)
        return share, 10.0 * max(share, rounding), rounding if least < rounding else 0.0
    # velocities are judged against the fastest of them, or what the step resolves: no unit of time enters
    speeds, fastest, noise = system.n_q + system.n_v, 1e-3 / h, 0.0
    for i in range(system.n_q, speeds):
        fastest = max(fastest, abs(y[i]) / scale[i])
        if levels[i] > 1:  # these move by round-off / h
            noise = NOISE
    for i in range(levels.size):
        weight[i] = 1.0 / (scale[i] * fastest) if system.n_q <= i < speeds else 1.0 / scale[i]
    return fixed, 1.0, noise / min(1.0, h * fastest)


@compiled
def scaled_error(error, h, relative, absolute, run):
    """Root mean square of an error, 1 being the tolerance."""
    y, y_new, scale, levels = run.y, run.y_new, run.scale, run.levels
    total, count = 0.0, 0
    for i in range(levels.size):
        if math.isfinite(scale[i]):
            limit = absolute * scale[i] + relative * max(abs(y[i]), abs(y_new[i]))
            total += (h ** (levels[i] - 1.0) * error[i] / limit) ** 2
            count += 1
    return math.sqrt(total / max(count, 1))


@compiled
def filtered(form, t, y, y_dot, error, run, system, work):
    """error = -(dF/dy + shift dF/dy')^-1 F(t, y, y') with the factors in run.real. A status."""
    status = residual(form, t, y, y_dot, error, run, system, work)
    solve(run.real, error, error)
    for i in range(error.size):
        error[i] = -error[i]
    return status
