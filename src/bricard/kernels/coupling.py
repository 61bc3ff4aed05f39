"""A linear relation of measures: sum of ratio_k measure_k - profile(t) = 0. One row: drivers, gears, massless rods.

Operands: the first measure (and the second). Parameters: number of measures, ratio_1, ratio_2, then the profile's own.
"""

from ..compiled.interfaces import G_DOT, KERNEL, PROFILE, RATE, TANGENT, VELOCITY
from .measures import differentiated
from .vectors import spin_of

call_profile = PROFILE.call


@KERNEL
def coupling(t, flags, first, last, system, work):
    """One row, twelve columns for each measure."""
    value, speed, bias, gradient, slope = work.value, work.speed, work.bias, work.gradient, work.slope
    curvature, g, rate, k, law, parameters = work.curvature, work.g, work.rate, work.k, work.law, system.parameters
    velocity = work.velocity
    for e in range(first, last):
        row, p = system.row[e], system.parameter[e]
        call_profile(system.functions[e], t, parameters, p + 3, law)
        work.phi[row], work.phi_dot[row], work.gamma[row], work.phi_t[row] = -law[0], -law[1], law[2], -law[1]
        for n in range(int(parameters[p])):
            m, ratio = system.operand_a[e] if n == 0 else system.operand_b[e], parameters[p + 1 + n]
            o, o_k = system.g_first[e] + 12 * n, system.k_first[e] + 144 * n
            work.phi[row] += ratio * value[m]
            for i in range(12):
                g[o + i] = ratio * gradient[12 * m + i]
            if flags & VELOCITY:
                work.phi_dot[row] += ratio * speed[m]
                work.gamma[row] -= ratio * bias[m]
            if flags & (RATE | G_DOT):
                for i in range(12):
                    rate[o + i] = ratio * slope[12 * m + i]
            if flags & G_DOT:
                w_a, w_b = spin_of(velocity, system.operand_a[m]), spin_of(velocity, system.operand_b[m])
                differentiated(work.g_dot, rate, g, o, w_a, w_b)
            if flags & TANGENT:
                factor = ratio * work.lam[row]
                for i in range(144):
                    k[o_k + i] = factor * curvature[144 * m + i]
