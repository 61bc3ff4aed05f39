"""A force along a measure: springs, dampers, torsional springs, motors. F = law(t, x, x') acts towards larger x.

Operand: the measure. With g its gradient: f += F g, K = -dF/dx g g^T - F curvature - dF/dx' g slope^T, D = -dF/dx' g g^T.
"""

from ..compiled.interfaces import ENERGY, KERNEL, LAW, TANGENT

call_law = LAW.call


@KERNEL
def coordinate_force(t, flags, first, last, system, work):
    """Adds to f; writes 144 entries of K and of D."""
    gradient, slope, curvature, f, k, d, law = (
        work.gradient,
        work.slope,
        work.curvature,
        work.f,
        work.k,
        work.d,
        work.law,
    )
    column = system.column
    for e in range(first, last):
        m = system.operand_a[e]
        a, b = system.operand_a[m], system.operand_b[m]
        call_law(system.functions[e], t, work.value[m], work.speed[m], system.parameters, system.parameter[e], law)
        force = law[0]
        for i in range(6):
            f[column[a, i]] += force * gradient[12 * m + i]
            f[column[b, i]] += force * gradient[12 * m + 6 + i]
        if flags & ENERGY:
            work.energy[0] += law[3]
            work.energy[1] += law[4] * work.speed[m]
        if flags & TANGENT:
            o_k, o_d = system.k_first[e], system.d_first[e]
            for i in range(12):
                g_i = gradient[12 * m + i]
                for j in range(12):
                    g_j, s_j = gradient[12 * m + j], slope[12 * m + j]
                    k[o_k + 12 * i + j] = -g_i * (law[1] * g_j + law[2] * s_j) - force * curvature[144 * m + 12 * i + j]
                    d[o_d + 12 * i + j] = -law[2] * g_i * g_j
