"""Rigid bodies: from the state to poses, all elements, gravity and gyroscopic torque; the kinematic map and its group.

A 3-D body has q = (x, y, z of the centre of mass, unit quaternion scalar first) and v = (velocity in the world, angular
velocity in the body). A planar body has q = (x, y, angle), v = q'. Measures are elements too and come first, so that
element e < n_measures is measure e.
"""

import math

from ..compiled.interfaces import ENERGY, EVALUATE, KERNEL, KINEMATICS, MAP, PLACE, RETRACT, TANGENT
from ..compiled.pointers import compiled
from .vectors import cross, dot, nine, quaternion_step, rotate, spin_of, triple

call_kernel = KERNEL.call


@compiled
def place_planar(b, o, u, q, v, work):
    """Position, rotation matrix and velocity of a planar body whose coordinates begin at o in q and u in v."""
    x, rotation, velocity = work.x, work.rotation, work.velocity
    c, s = math.cos(q[o + 2]), math.sin(q[o + 2])
    x[b, 0], x[b, 1] = q[o], q[o + 1]
    rotation[b, 0], rotation[b, 1], rotation[b, 3], rotation[b, 4] = c, -s, s, c
    velocity[b, 0], velocity[b, 1], velocity[b, 5] = v[u], v[u + 1], v[u + 2]


@compiled
def turn_body(b, w, i, j, k, rotation):
    """The rotation matrix of a body from a quaternion of any size."""
    s = 2.0 / (w * w + i * i + j * j + k * k)
    rotation[b, 0], rotation[b, 1], rotation[b, 2] = (
        1 - s * (j * j + k * k),
        s * (i * j - w * k),
        s * (i * k + w * j),
    )
    rotation[b, 3], rotation[b, 4], rotation[b, 5] = (
        s * (i * j + w * k),
        1 - s * (i * i + k * k),
        s * (j * k - w * i),
    )
    rotation[b, 6], rotation[b, 7], rotation[b, 8] = (
        s * (i * k - w * j),
        s * (j * k + w * i),
        1 - s * (i * i + j * j),
    )


@compiled
def place(system, work, q, v):
    """Positions, rotation matrices and velocities of all bodies."""
    x, rotation, velocity = work.x, work.rotation, work.velocity
    q_start, planar, column = system.q_start, system.planar, system.column
    for b in range(system.n_bodies):
        o, u = q_start[b], column[b, 0]
        if planar[b]:
            place_planar(b, o, u, q, v, work)
            continue
        for c in range(3):
            x[b, c] = q[o + c]
        turn_body(b, q[o + 3], q[o + 4], q[o + 5], q[o + 6], rotation)
        for c in range(6):
            velocity[b, c] = v[u + c]


@compiled
def inertia_of(inertia, body):
    """Inertia tensor of a body."""
    return nine(inertia[body], 0)


@compiled
def body_forces(system, work, flags):
    """f: weight and gyroscopic torque -w x J w; D: [w]x J - [J w]x."""
    f, d, velocity, mass, inertia = work.f, work.d, work.velocity, system.mass, system.inertia
    gravity, column, planar, gyroscopic = system.gravity, system.column, system.planar, system.gyroscopic
    for b in range(system.n_bodies):
        u = column[b, 0]
        if planar[b]:
            f[u], f[u + 1], f[u + 2] = mass[b] * gravity[0], mass[b] * gravity[1], 0.0
            continue
        w, J = spin_of(velocity, b), inertia_of(inertia, b)
        h = rotate(J, w)
        torque, turn = cross(h, w), column[b, 3]
        for c in range(3):
            f[u + c], f[turn + c] = mass[b] * gravity[c], torque[c]
        if flags & TANGENT:
            o = gyroscopic[b]
            for c in range(3):
                column_c = cross(w, (J[0][c], J[1][c], J[2][c]))
                for i in range(3):
                    d[o + 3 * i + c] = column_c[i]
            d[o + 1] += h[2]
            d[o + 2] -= h[1]
            d[o + 3] -= h[2]
            d[o + 5] += h[0]
            d[o + 6] += h[1]
            d[o + 7] -= h[0]
    if flags & ENERGY:
        for b in range(system.n_bodies):
            work.energy[0] -= mass[b] * dot(triple(gravity, 0), (work.x[b, 0], work.x[b, 1], work.x[b, 2]))


@compiled
def kinetic_energy(system, work):
    """Kinetic energy of all bodies, J; work is evaluated."""
    velocity, mass, inertia, total = work.velocity, system.mass, system.inertia, 0.0
    for b in range(system.n_bodies):
        w, moved = spin_of(velocity, b), (velocity[b, 0], velocity[b, 1], velocity[b, 2])
        total += 0.5 * (mass[b] * dot(moved, moved) + dot(w, rotate(inertia_of(inertia, b), w)))
    return total


@compiled
def evaluate_elements(t, flags, system, work):
    """Weight, gyroscopic torques and all elements, the bodies being placed."""
    work.f[system.n_v] = 0.0
    if flags & ENERGY:
        work.energy[0], work.energy[1] = 0.0, 0.0
    body_forces(system, work, flags)
    kernels, first, stage = system.kernels, system.first, system.stage
    for k in range(stage[0], stage[3]):
        call_kernel(kernels[k], t, flags, first[k], first[k + 1], system, work)


@EVALUATE
def evaluate_bodies(t, q, v, flags, system, work):
    """Everything that the flags ask for at (t, q, v)."""
    place(system, work, q, v)
    evaluate_elements(t, flags, system, work)


@PLACE
def place_bodies(t, q, v, system, work):
    """Where the bodies are and how they move."""
    place(system, work, q, v)


@RETRACT
def retract_bodies(q, increment, q_new, system, work):
    """q o exp(increment): translation in the world, rotation vector in the body."""
    q_start, planar, column = system.q_start, system.planar, system.column
    for b in range(system.n_bodies):
        o, u = q_start[b], column[b, 0]
        for c in range(3):
            q_new[o + c] = q[o + c] + increment[u + c]
        if not planar[b]:
            p = quaternion_step(q[o + 3], q[o + 4], q[o + 5], q[o + 6], triple(increment, u + 3))
            s = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
            for c in range(4):
                q_new[o + 3 + c] = s * p[c]


@KINEMATICS
def kinematics_bodies(q, v, q_dot, system, work):
    """q' = T(q) v."""
    q_start, planar, column = system.q_start, system.planar, system.column
    for b in range(system.n_bodies):
        o, u = q_start[b], column[b, 0]
        for c in range(3):
            q_dot[o + c] = v[u + c]
        if not planar[b]:
            w, x, y, z = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
            p, r, s = 0.5 * v[u + 3], 0.5 * v[u + 4], 0.5 * v[u + 5]
            q_dot[o + 3], q_dot[o + 4] = -x * p - y * r - z * s, w * p + y * s - z * r
            q_dot[o + 5], q_dot[o + 6] = w * r + z * p - x * s, w * s + x * r - y * p


@MAP
def map_bodies(q, v, system, work):
    """Entries of T, of its left inverse and of d(T v)/dq.

    Per body in the order of system.t_row: three ones, then for a 3-D body the 4 x 3 block of T by rows; and in the order of
    system.tq_row the 4 x 4 block of d(T v)/dq by rows.
    """
    t, inverse, tq, q_start, planar, column = (
        work.t,
        work.t_inverse,
        work.tq,
        system.q_start,
        system.planar,
        system.column,
    )
    n, m = 0, 0
    for b in range(system.n_bodies):
        o, u = q_start[b], column[b, 0]
        for _ in range(3):
            t[n], inverse[n] = 1.0, 1.0
            n += 1
        if not planar[b]:
            w, x, y, z = q[o + 3], q[o + 4], q[o + 5], q[o + 6]
            square = w * w + x * x + y * y + z * z
            rows = ((-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w))
            for i in range(4):
                for c in range(3):
                    t[n], inverse[n] = 0.5 * rows[i][c], 2.0 * rows[i][c] / square
                    n += 1
            p, r, s = 0.5 * v[u + 3], 0.5 * v[u + 4], 0.5 * v[u + 5]
            turn = ((0.0, -p, -r, -s), (p, 0.0, s, -r), (r, -s, 0.0, p), (s, r, -p, 0.0))
            for i in range(4):
                for c in range(4):
                    tq[m] = turn[i][c]
                    m += 1
