"""A force or torque of given direction on a point of a body, its size a function of time.

Operand b: the body. Parameters: 1 for a torque, 1 for body axes, point (3), direction (3), then the profile's own.
"""

from ..compiled.interfaces import ENERGY, KERNEL, PROFILE, TANGENT
from .vectors import cross, dot, rotate, rotate_back, rotation_of, scale, spin_of, triple

call_profile = PROFILE.call


@KERNEL
def applied(t, flags, first, last, system, work):
    """Adds to f; writes 18 entries of K: rows translation and turn, columns turn."""
    f, k, velocity, law, parameters = work.f, work.k, work.velocity, work.law, system.parameters
    for e in range(first, last):
        b, p = system.operand_b[e], system.parameter[e]
        is_torque, in_body = parameters[p] == 1.0, parameters[p + 1] == 1.0
        point, R = triple(parameters, p + 2), rotation_of(work.rotation, b)
        call_profile(system.functions[e], t, parameters, p + 8, law)
        size = scale(law[0], triple(parameters, p + 5))
        world, body = (rotate(R, size), size) if in_body else (size, rotate_back(R, size))
        turn = body if is_torque else cross(point, body)
        for i in range(3):
            if not is_torque:
                f[system.column[b, i]] += world[i]
            f[system.column[b, 3 + i]] += turn[i]
        if flags & ENERGY:
            work.energy[1] += dot(turn, spin_of(velocity, b))
            if not is_torque:
                work.energy[1] += dot(world, (velocity[b, 0], velocity[b, 1], velocity[b, 2]))
        if flags & TANGENT:
            o = system.k_first[e]
            for i in range(18):
                k[o + i] = 0.0
            if in_body and not is_torque:
                for i in range(3):
                    row = cross(R[i], body)
                    for j in range(3):
                        k[o + 3 * i + j] = row[j]
            if not in_body and not is_torque:
                for i in range(3):
                    for j in range(3):
                        k[o + 9 + 3 * i + j] = -(body[i] * point[j] - (dot(point, body) if i == j else 0.0))
            if not in_body and is_torque:
                k[o + 10], k[o + 11], k[o + 12] = body[2], -body[1], -body[2]
                k[o + 14], k[o + 15], k[o + 16] = body[0], body[1], -body[0]
