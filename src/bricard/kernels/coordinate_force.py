"""A force along a measure: springs, dampers, torsional springs, motors. F = law(t, x, x') acts towards larger x.

Operand: the measure. With g its gradient: f += F g, K = -dF/dx g g^T - F curvature - dF/dx' g slope^T, D = -dF/dx' g g^T.
"""

import math

from ..compiled.interfaces import ENERGY, KERNEL, LAW, TANGENT

call_law = LAW.call
NOTHING = 1e-12  # characteristic lengths: a force that is no more than the change over such a way vanishes


@KERNEL
def coordinate_force(t, flags, first, last, system, work):
    """Adds to f; writes 144 entries of K and of D.

    Where the ends of a distance meet (its bias is infinite), a force that vanishes at rest is along their motion; K and D are
    -dF/dx and -F/x' across it. Another force has no direction, and is not a number.
    """
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
        a, b, at_rest, met = system.operand_a[m], system.operand_b[m], 0.0, work.bias[m] == math.inf
        if met:
            call_law(system.functions[e], t, work.value[m], 0.0, system.parameters, system.parameter[e], law)
            at_rest = law[0]
        call_law(system.functions[e], t, work.value[m], work.speed[m], system.parameters, system.parameter[e], law)
        force = law[0]
        across, brake = force, 0.0
        if met:
            across, brake = law[1], force / work.speed[m] if work.speed[m] > 0.0 else law[2]
            if not abs(at_rest) <= NOTHING * system.length * abs(law[1]):
                force = math.nan
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
                    bend = curvature[144 * m + 12 * i + j]
                    k[o_k + 12 * i + j] = -g_i * (law[1] * g_j + law[2] * s_j) - across * bend
                    d[o_d + 12 * i + j] = -law[2] * g_i * g_j - brake * bend
