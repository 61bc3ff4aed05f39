"""Elements given by a function: users' own joints and forces, and some of our own. Nonholonomic rows are in nonholonomic.py.

The function gets the time, the two sides as Pose (joints) or Motion (the others), and its parameters:

    joint         residual(t, a, b, p) -> rows               zero when satisfied
    nonholonomic  residual(t, a, b, p) -> rows               zero when satisfied
    force         load(t, a, b, p) -> Fx, Fy, Fz, Mx, My, Mz  on b at b.x, world axes; the opposite acts on a there

Derivatives, with columns = translation (world) and turn (body axes) of a, then of b:
* G (or A) by complex step, step 1e-30: exact to rounding; or from the user's Jacobian;
* with the user's Jacobian nothing is asked of the residual in complex numbers: gamma by central differences of G v along the
  motion (fourth order, step 1e-4 s), its part from an explicit time dependence by second differences of fourth order; relative
  accuracy about 1e-8;
* gamma of a joint by two evaluations at s = +-h exp(i pi/4) along the motion, h = 1e-4: Im(Phi(s) + Phi(-s)) / h^2 =
  Phi'' + O(h^4), relative accuracy about 1e-8 of the largest term; of a nonholonomic row by complex step, exact;
* d(G^T lam)/dq and d(G v)/dq of a joint by central differences of G (step 1e-5 of a radian or of the characteristic length):
  relative accuracy about 1e-9. They only steer Newton's method and are renewed when the integrator asks with REFRESH;
* dG/dt of a joint by central differences of G along the motion (fourth order, relative accuracy about 1e-10);
* K and D of a force by complex step: exact to rounding.
"""

import math
from typing import NamedTuple

from ..compiled.interfaces import ENERGY, G_DOT, KERNEL, RATE, REFRESH, TANGENT, VELOCITY
from ..compiled.pointers import compiled, inlined
from .vectors import add, cross, dot, position_of, rotate, rotate_back, rotation_of, spin_of, subtract, triple

TINY, HUGE, STEP, DIFFERENCE = 1e-30, 1e30, 1e-4, 1e-5
DIAGONAL = STEP * 0.7071067811865476 * (1 + 1j)


class Pose(NamedTuple):
    """One side of a joint: world position of the attachment point, rotation matrix of the body (tuple of rows)."""

    x: tuple
    R: tuple


class Motion(NamedTuple):
    """One side of a force: as Pose, with the velocity of the point and the angular velocity, both in world axes."""

    x: tuple
    R: tuple
    v: tuple
    w: tuple


@compiled
def moved(x, v, s):
    """x + s v."""
    return x[0] + s * v[0], x[1] + s * v[1], x[2] + s * v[2]


@compiled
def turned(R, w, s):
    """R (1 + s [w]x + s^2/2 [w]x^2): exact to second order, which is all that is asked for. A row r of R gives r x w."""
    h = 0.5 * s * s
    a, b, c = cross(R[0], w), cross(R[1], w), cross(R[2], w)
    aa, bb, cc = cross(a, w), cross(b, w), cross(c, w)
    return (
        (R[0][0] + s * a[0] + h * aa[0], R[0][1] + s * a[1] + h * aa[1], R[0][2] + s * a[2] + h * aa[2]),
        (R[1][0] + s * b[0] + h * bb[0], R[1][1] + s * b[1] + h * bb[1], R[1][2] + s * b[2] + h * bb[2]),
        (R[2][0] + s * c[0] + h * cc[0], R[2][1] + s * c[1] + h * cc[1], R[2][2] + s * c[2] + h * cc[2]),
    )


@compiled
def unit(i, k):
    """Three of the twelve directions: the k-th block of the i-th unit vector."""
    return 1.0 if i == 3 * k else 0.0, 1.0 if i == 3 * k + 1 else 0.0, 1.0 if i == 3 * k + 2 else 0.0


@compiled
def displaced(x, R, v, w, p, s):
    """The pose of the point p after the way s along (v, w)."""
    R_s = turned(R, w, s)
    return Pose(add(moved(x, v, s), rotate(R_s, p)), R_s)


@compiled
def honest(value):
    """The real part of a value after an imaginary step; not a number if the imaginary part shows that sqrt, log or the like
    have left their real domain, where the function itself would give no number."""
    return value.real if abs(value.imag) < 1e-12 else math.nan


@compiled
def imaginary(x, v):
    """x with the imaginary step TINY v."""
    return complex(x[0], TINY * v[0]), complex(x[1], TINY * v[1]), complex(x[2], TINY * v[2])


@compiled
def shifted(y, R, p, d, w):
    """The pose of a point at y (world), p (body) after an imaginary step: translation d, turn w (body axes)."""
    rows = imaginary(R[0], cross(R[0], w)), imaginary(R[1], cross(R[1], w)), imaginary(R[2], cross(R[2], w))
    return Pose(imaginary(y, add(d, rotate(R, cross(w, p)))), rows)


@compiled
def moving(pose, v, w, p):
    """Pose with velocities: v of the centre of mass in the world, w in the body."""
    return Motion(pose.x, pose.R, add(v, rotate(pose.R, cross(w, p))), rotate(pose.R, w))


@compiled
def moving_rate(g, o, velocity, a, b, fixed_a, fixed_b):
    """G v of one row with twelve columns from place o on."""
    total = 0.0
    for i in range(6):
        if not fixed_a:
            total += g[o + i] * velocity[a, i]
        if not fixed_b:
            total += g[o + 6 + i] * velocity[b, i]
    return total


@compiled
def swiftness(velocity, body, length):
    """Largest component of a body's velocity, in characteristic lengths or radians per second."""
    largest = 0.0
    for i in range(3):
        largest = max(largest, abs(velocity[body, i]) / length, abs(velocity[body, 3 + i]))
    return largest


def joint_kernel(residual, rows, colours, jacobian=None):
    """The kernel of a holonomic joint given by its residual (and its Jacobian, see model.joint)."""
    residual = inlined(residual)
    if jacobian is None:
        gradient = _complex_step_gradient(residual, rows, colours)
        motion = _complex_step_motion(residual, rows)
    else:
        gradient = _given_gradient(inlined(jacobian), rows)
        motion = _differenced_motion(inlined(jacobian), rows)

    def kernel(t, flags, first, last, system, work):
        x, rotation, velocity = work.x, work.rotation, work.velocity
        phi, g, rate, g_dot, k, lam = work.phi, work.g, work.rate, work.g_dot, work.k, work.lam
        for e in range(first, last):
            a, b, row, o, o_k = (
                system.operand_a[e],
                system.operand_b[e],
                system.row[e],
                system.g_first[e],
                system.k_first[e],
            )
            start = system.parameter[e]
            p_a, p_b = triple(system.parameters, start), triple(system.parameters, start + 3)
            p = system.parameters[start + 6 : system.parameter[e + 1]]
            x_a, x_b, R_a, R_b = (
                position_of(x, a),
                position_of(x, b),
                rotation_of(rotation, a),
                rotation_of(rotation, b),
            )
            fixed_a, fixed_b = a == system.n_bodies, b == system.n_bodies
            gradient(t, x_a, R_a, p_a, x_b, R_b, p_b, p, phi, row, g, o, fixed_a, fixed_b)
            if flags & VELOCITY:
                motion(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, row, g, o, fixed_a, fixed_b, work)
            if (flags & RATE) or (flags & TANGENT and flags & REFRESH):
                # central differences of G: the entries of this element in g and phi are borrowed, then restored
                for c in range(12):
                    for i in range(12):
                        k[o_k + 12 * i + c] = 0.0
                    for r in range(rows):
                        rate[o + 12 * r + c] = 0.0
                    h = DIFFERENCE * (system.length if c % 6 < 3 else 1.0)
                    for sign in (1.0, -1.0):
                        s = sign * h
                        y_a, S_a = moved(x_a, unit(c, 0), s), turned(R_a, unit(c, 1), s)
                        y_b, S_b = moved(x_b, unit(c, 2), s), turned(R_b, unit(c, 3), s)
                        gradient(t, y_a, S_a, p_a, y_b, S_b, p_b, p, phi, row, g, o, fixed_a, fixed_b)
                        for r in range(rows):
                            for i in range(12):
                                value = g[o + 12 * r + i] / (2.0 * s)
                                k[o_k + 12 * i + c] += lam[row + r] * value
                                speed = velocity[a, i] if i < 6 else velocity[b, i - 6]
                                rate[o + 12 * r + c] += value * speed
                gradient(t, x_a, R_a, p_a, x_b, R_b, p_b, p, phi, row, g, o, fixed_a, fixed_b)
            if flags & G_DOT:
                v_a, v_b = position_of(velocity, a), position_of(velocity, b)
                w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
                h = STEP / max(1.0, swiftness(velocity, a, system.length), swiftness(velocity, b, system.length))
                for i in range(12 * rows):
                    g_dot[o + i] = 0.0
                for n, weight in ((1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)):
                    s = n * h
                    y_a, S_a = moved(x_a, v_a, s), turned(R_a, w_a, s)
                    y_b, S_b = moved(x_b, v_b, s), turned(R_b, w_b, s)
                    gradient(t + s, y_a, S_a, p_a, y_b, S_b, p_b, p, phi, row, g, o, fixed_a, fixed_b)
                    for i in range(12 * rows):
                        g_dot[o + i] += weight * g[o + i] / (12.0 * h)
                gradient(t, x_a, R_a, p_a, x_b, R_b, p_b, p, phi, row, g, o, fixed_a, fixed_b)

    return KERNEL(kernel)


def _complex_step_gradient(residual, rows, colours):
    """Function that writes phi and G of one joint by complex step; a fixed side has no columns.

    colours : (directions (n, 6) of one side to step along at once, which of the two sides, and which column of each row that
    step gives), from the zeros of G; see user_sparsity.py.
    """
    directions, sides, columns = colours
    count = len(sides)

    def gradient(t, x_a, R_a, p_a, x_b, R_b, p_b, p, phi, row, g, o, fixed_a, fixed_b):
        y_a, y_b, zero = add(x_a, rotate(R_a, p_a)), add(x_b, rotate(R_b, p_b)), (0.0, 0.0, 0.0)
        still_a, still_b = shifted(y_a, R_a, p_a, zero, zero), shifted(y_b, R_b, p_b, zero, zero)
        for c in range(count):
            d, w = triple(directions[c], 0), triple(directions[c], 3)
            if sides[c] == 0:
                if fixed_a:
                    continue
                value = residual(t + 0j, shifted(y_a, R_a, p_a, d, w), still_b, p)
            else:
                if fixed_b:
                    continue
                value = residual(t + 0j, still_a, shifted(y_b, R_b, p_b, d, w), p)
            for r in range(rows):
                phi[row + r] = honest(value[r])
                if columns[c, r] >= 0:
                    g[o + 12 * r + columns[c, r]] = value[r].imag * HUGE

    return inlined(gradient)


def _complex_step_motion(residual, rows):
    """Function that writes phi_dot, phi_t and gamma of one joint, by complex steps along the motion."""

    def motion(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, row, g, o, fixed_a, fixed_b, work):
        velocity, zero = work.velocity, (0.0, 0.0, 0.0)
        v_a, v_b = position_of(velocity, a), position_of(velocity, b)
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        still_a = shifted(add(x_a, rotate(R_a, p_a)), R_a, p_a, zero, zero)
        still_b = shifted(add(x_b, rotate(R_b, p_b)), R_b, p_b, zero, zero)
        later = residual(complex(t, TINY), still_a, still_b, p)
        s = DIAGONAL
        plus = residual(t + s, displaced(x_a, R_a, v_a, w_a, p_a, s), displaced(x_b, R_b, v_b, w_b, p_b, s), p)
        s = -DIAGONAL
        minus = residual(t + s, displaced(x_a, R_a, v_a, w_a, p_a, s), displaced(x_b, R_b, v_b, w_b, p_b, s), p)
        for r in range(rows):
            work.phi_t[row + r] = later[r].imag * HUGE
            along = moving_rate(g, o + 12 * r, velocity, a, b, fixed_a, fixed_b)
            work.phi_dot[row + r] = work.phi_t[row + r] + along
            work.gamma[row + r] = -(plus[r] + minus[r]).imag / (STEP * STEP)

    return inlined(motion)


def _differenced_motion(residual_and_jacobian, rows):
    """The same from the user's values and Jacobian, in real numbers."""

    def along(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, s, r, velocity):
        """Value and G v of row r after the way s along the motion."""
        v_a, v_b = position_of(velocity, a), position_of(velocity, b)
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        side_a, side_b = displaced(x_a, R_a, v_a, w_a, p_a, s), displaced(x_b, R_b, v_b, w_b, p_b, s)
        values, jacobian = residual_and_jacobian(t, side_a, side_b, p)
        j, m_a, m_b = jacobian[r], moving(side_a, v_a, w_a, p_a), moving(side_b, v_b, w_b, p_b)
        total = dot((j[0], j[1], j[2]), m_a.v) + dot((j[3], j[4], j[5]), m_a.w)
        return values[r], total + dot((j[6], j[7], j[8]), m_b.v) + dot((j[9], j[10], j[11]), m_b.w)

    along = inlined(along)

    def motion(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, row, g, o, fixed_a, fixed_b, work):
        velocity, h = work.velocity, STEP
        for r in range(rows):
            frozen, mixed, first, second = 0.0, 0.0, 0.0, 0.0
            now = along(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, 0.0, r, velocity)[0]
            for n in (1, 2):  # differences of fourth order, in pairs: exactly zero where nothing depends on time
                w, w2 = (8.0, 16.0) if n == 1 else (-1.0, -1.0)
                ahead = along(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, n * h, r, velocity)
                behind = along(t, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, -n * h, r, velocity)
                frozen += w * (ahead[1] - behind[1])
                later = along(t + n * h, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, 0.0, r, velocity)
                earlier = along(t - n * h, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, 0.0, r, velocity)
                mixed += w * (later[1] - earlier[1])
                first += w * (later[0] - earlier[0])
                later = along(t + 10.0 * n * h, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, 0.0, r, velocity)
                earlier = along(t - 10.0 * n * h, a, b, x_a, R_a, p_a, x_b, R_b, p_b, p, 0.0, r, velocity)
                second += w2 * ((later[0] - now) - (now - earlier[0]))
            work.phi_t[row + r] = first / (12.0 * h)
            rate = moving_rate(g, o + 12 * r, velocity, a, b, fixed_a, fixed_b)
            work.phi_dot[row + r] = work.phi_t[row + r] + rate
            work.gamma[row + r] = -(frozen + 2.0 * mixed) / (12.0 * h) - second / (1200.0 * h * h)

    return inlined(motion)


def _given_gradient(residual_and_jacobian, rows):
    """Function that writes phi and G of one joint from the user's Jacobian in points and world turns."""

    def gradient(t, x_a, R_a, p_a, x_b, R_b, p_b, p, phi, row, g, o, fixed_a, fixed_b):
        lever_a, lever_b = rotate(R_a, p_a), rotate(R_b, p_b)
        values, jacobian = residual_and_jacobian(t, Pose(add(x_a, lever_a), R_a), Pose(add(x_b, lever_b), R_b), p)
        for r in range(rows):
            phi[row + r] = values[r]
            j = jacobian[r]
            force_a, force_b = (j[0], j[1], j[2]), (j[6], j[7], j[8])
            turn_a = rotate_back(R_a, add((j[3], j[4], j[5]), cross(lever_a, force_a)))
            turn_b = rotate_back(R_b, add((j[9], j[10], j[11]), cross(lever_b, force_b)))
            for i in range(3):
                g[o + 12 * r + i], g[o + 12 * r + 3 + i] = force_a[i], turn_a[i]
                g[o + 12 * r + 6 + i], g[o + 12 * r + 9 + i] = force_b[i], turn_b[i]

    return inlined(gradient)


def force_kernel(load):
    """The kernel of a force given by its load function."""
    load = inlined(load)

    def generalised(t, x_a, pose_a, motion_a, pose_b, motion_b, p_b, p):
        value = load(t, motion_a, motion_b, p)
        force = (value[0] + 0j, value[1] + 0j, value[2] + 0j)
        moment = (value[3] + 0j, value[4] + 0j, value[5] + 0j)
        turn_b = rotate_back(pose_b.R, add(moment, cross(rotate(pose_b.R, p_b), force)))
        turn_a = rotate_back(pose_a.R, add(moment, cross(subtract(pose_b.x, x_a), force)))
        return force, turn_a, turn_b

    generalised = inlined(generalised)

    def kernel(t, flags, first, last, system, work):
        x, rotation, velocity, f, k, d, column = (
            work.x,
            work.rotation,
            work.velocity,
            work.f,
            work.k,
            work.d,
            system.column,
        )
        for e in range(first, last):
            a, b, o_k, o_d = system.operand_a[e], system.operand_b[e], system.k_first[e], system.d_first[e]
            start = system.parameter[e]
            p_a, p_b = triple(system.parameters, start), triple(system.parameters, start + 3)
            p = system.parameters[start + 6 : system.parameter[e + 1]]
            x_a, x_b, R_a, R_b = (
                position_of(x, a),
                position_of(x, b),
                rotation_of(rotation, a),
                rotation_of(rotation, b),
            )
            v_a, v_b = position_of(velocity, a), position_of(velocity, b)
            w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
            s = TINY * 1j
            for c in range(24 if flags & TANGENT else 1):
                # the first pass (and every other) has the real value; directions 0-11 are positions, 12-23 velocities
                q = c if flags & TANGENT else 99
                c_a = moved(x_a, unit(q, 0), s)
                pose_a = displaced(x_a, R_a, unit(q, 0), unit(q, 1), p_a, s)
                pose_b = displaced(x_b, R_b, unit(q, 2), unit(q, 3), p_b, s)
                motion_a = moving(pose_a, moved(v_a, unit(q, 4), s), moved(w_a, unit(q, 5), s), p_a)
                motion_b = moving(pose_b, moved(v_b, unit(q, 6), s), moved(w_b, unit(q, 7), s), p_b)
                force, turn_a, turn_b = generalised(t + 0j, c_a, pose_a, motion_a, pose_b, motion_b, p_b, p)
                if c == 0:
                    for i in range(3):
                        f[column[a, i]] -= honest(force[i])
                        f[column[a, 3 + i]] -= honest(turn_a[i])
                        f[column[b, i]] += honest(force[i])
                        f[column[b, 3 + i]] += honest(turn_b[i])
                        if flags & ENERGY:
                            work.energy[1] += force[i].real * (v_b[i] - v_a[i])
                            work.energy[1] += turn_b[i].real * w_b[i] - turn_a[i].real * w_a[i]
                if flags & TANGENT:
                    o, j = (o_k, c) if c < 12 else (o_d, c - 12)
                    out = k if c < 12 else d
                    for i in range(3):
                        out[o + 12 * i + j], out[o + 12 * (3 + i) + j] = force[i].imag / TINY, turn_a[i].imag / TINY
                        out[o + 12 * (6 + i) + j] = -force[i].imag / TINY
                        out[o + 12 * (9 + i) + j] = -turn_b[i].imag / TINY

    return KERNEL(kernel)
