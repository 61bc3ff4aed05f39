"""Measures: scalar functions of the poses of two bodies, with all derivatives that constraints and forces need.

angle: of x_b about z_a, from x_a towards y_a. displacement: of a point of b along a direction of a. distance: of two
points. Each writes value, speed, bias (acceleration = gradient . v' + bias), gradient (12 columns: translation and turn
of a, then of b), slope = d(gradient . v)/dq, and curvature = d(gradient)/dq (12 x 12).
With AVERAGE the value is the mean of work.ends, and gradient and speed are those that lead exactly from one end to the other.
Turns are counted outside: an angle is the one nearest to work.turn (in it the coordinate, where the angle is one of a tree).
"""

import math

from ..compiled.interfaces import AVERAGE, KERNEL, TANGENT
from ..compiled.pointers import compiled
from .perpendicular import dot_curvature_entry, dot_gradient, dot_slope
from .vectors import (
    add,
    cross,
    dot,
    position_of,
    product_entry,
    rotate,
    rotate_back,
    rotation_of,
    scale,
    spin_of,
    subtract,
    triple,
    turning_columns,
)


@compiled
def put(values, start, a, b, c, d):
    """Twelve numbers from four vectors."""
    for i in range(3):
        values[start + i], values[start + 3 + i] = a[i], b[i]
        values[start + 6 + i], values[start + 9 + i] = c[i], d[i]


@compiled
def differentiated(g_dot, rate, g, start, w_a, w_b):
    """dG/dt of a row with twelve columns from place `start` on."""
    for i in range(3):
        g_dot[start + i], g_dot[start + 6 + i] = rate[start + i], rate[start + 6 + i]
    turning_columns(g_dot, rate, g, start + 3, w_a)
    turning_columns(g_dot, rate, g, start + 9, w_b)


@compiled
def displacement_curvature(k, o, factor, R_a, m, e_a, R_b, r, n_b, rho_a):
    """factor times the 12 x 12 derivative of the gradient of (p_b - x_a).(R_a m), added to k from place o on."""
    nr, me = dot(r, n_b), dot(m, e_a)
    for i in range(3):
        for j in range(3):
            # R_a [m]x, row i: R_a,i x m
            row = cross(R_a[i], m)
            k[o + 12 * i + 3 + j] += factor * row[j]  # (x_a, theta_a)
            k[o + 12 * (6 + i) + 3 + j] -= factor * row[j]  # (x_b, theta_a)
            k[o + 12 * (3 + j) + i] += factor * row[j]  # (theta_a, x_a)
            k[o + 12 * (3 + j) + 6 + i] -= factor * row[j]  # (theta_a, x_b)
            mixed = nr * product_entry(R_a, R_b, i, j) - rho_a[i] * n_b[j]
            k[o + 12 * (3 + i) + 3 + j] += factor * (e_a[i] * m[j] - (me if i == j else 0.0))
            k[o + 12 * (3 + i) + 9 + j] += factor * mixed
            k[o + 12 * (9 + j) + 3 + i] += factor * mixed
            k[o + 12 * (9 + i) + 9 + j] += factor * (n_b[i] * r[j] - (nr if i == j else 0.0))


@compiled
def lead_across(e, factor, work):
    """Measure e halfway between its ends: the mean value; gradient and speed multiplied by a factor."""
    work.value[e] = 0.5 * (work.ends[0, e] + work.ends[1, e])
    work.speed[e] *= factor
    for i in range(12 * e, 12 * e + 12):
        work.gradient[i] *= factor


@compiled
def clear_curvature(curvature, e):
    """Zero the 144 entries of one measure."""
    for i in range(144 * e, 144 * e + 144):
        curvature[i] = 0.0


@KERNEL
def displacement(t, flags, first, last, system, work):
    """Parameters m (direction in a), r (point of b), c: value (world(r) - x_a).(R_a m) - c."""
    x, rotation, velocity, gradient, slope = work.x, work.rotation, work.velocity, work.gradient, work.slope
    local, parameters = work.local, system.parameters
    for e in range(first, last):
        a, b, p = system.operand_a[e], system.operand_b[e], system.parameter[e]
        m, r = triple(local, p), triple(local, p + 3)
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        n, rho = rotate(R_a, m), rotate(R_b, r)
        d = subtract(add(position_of(x, b), rho), position_of(x, a))
        e_a, n_b = rotate_back(R_a, d), rotate_back(R_b, n)
        work.value[e] = dot(d, n) - parameters[p + 6]
        put(gradient, 12 * e, scale(-1.0, n), cross(m, e_a), n, cross(r, n_b))
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        dm, dr = cross(w_a, m), cross(w_b, r)
        n_dot, rho_dot = rotate(R_a, dm), rotate(R_b, dr)
        d_dot = subtract(add(position_of(velocity, b), rho_dot), position_of(velocity, a))
        work.speed[e] = dot(d_dot, n) + dot(d, n_dot)
        s_a = add(cross(m, rotate_back(R_a, d_dot)), cross(dm, e_a))
        s_b = add(cross(dr, n_b), cross(r, rotate_back(R_b, n_dot)))
        put(slope, 12 * e, scale(-1.0, n_dot), s_a, n_dot, s_b)
        centre = dot(rotate(R_b, cross(w_b, dr)), n) + dot(d, rotate(R_a, cross(w_a, dm)))
        work.bias[e] = centre + 2.0 * dot(d_dot, n_dot)
        if flags & AVERAGE:
            lead_across(e, 1.0, work)  # it is bilinear
        if flags & TANGENT:
            clear_curvature(work.curvature, e)
            displacement_curvature(work.curvature, 144 * e, 1.0, R_a, m, e_a, R_b, r, n_b, rotate_back(R_a, rho))


@KERNEL
def distance(t, flags, first, last, system, work):
    """Parameters p_a, p_b: distance of the two points.

    Where they meet it has no direction but that in which they part, and none at rest. The bias is infinite there; the curvature
    is what takes its place at forces that vanish with the distance F' (1 - u u^T) instead of F / length (1 - u u^T).
    """
    x, rotation, velocity = work.x, work.rotation, work.velocity
    gradient, slope, curvature, local = work.gradient, work.slope, work.curvature, work.local
    for e in range(first, last):
        a, b, p = system.operand_a[e], system.operand_b[e], system.parameter[e]
        p_a, p_b = triple(local, p), triple(local, p + 3)
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        d = subtract(add(position_of(x, b), rotate(R_b, p_b)), add(position_of(x, a), rotate(R_a, p_a)))
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        q_a, q_b = cross(w_a, p_a), cross(w_b, p_b)
        d_dot = subtract(add(position_of(velocity, b), rotate(R_b, q_b)), position_of(velocity, a))
        d_dot = subtract(d_dot, rotate(R_a, q_a))
        length = math.sqrt(dot(d, d))
        met, inverse, u = length == 0.0, 1.0 / length, scale(1.0 / length, d)
        if met:
            pace = math.sqrt(dot(d_dot, d_dot))
            inverse, u = 1.0, scale(1.0 / pace if pace > 0.0 else 0.0, d_dot)
        u_a, u_b = rotate_back(R_a, u), rotate_back(R_b, u)
        work.value[e] = length
        put(gradient, 12 * e, scale(-1.0, u), cross(u_a, p_a), u, cross(p_b, u_b))
        speed = dot(u, d_dot)
        centre = dot(u_b, cross(w_b, q_b)) - dot(u_a, cross(w_a, q_a))
        work.speed[e] = speed
        work.bias[e] = math.inf if met else centre + (dot(d_dot, d_dot) - speed * speed) * inverse
        s = scale(inverse, subtract(d_dot, scale(speed, u)))
        s_a = add(cross(rotate_back(R_a, s), p_a), cross(u_a, q_a))
        s_b = add(cross(p_b, rotate_back(R_b, s)), cross(q_b, u_b))
        put(slope, 12 * e, scale(-1.0, s), s_a, s, s_b)
        if flags & AVERAGE:  # its square is of second degree: length gradient . way is half the change of that
            whole = work.ends[0, e] + work.ends[1, e]
            lead_across(e, 2.0 * length / whole if whole > 0.0 else 1.0, work)
        if flags & TANGENT:
            # B^T (1 - u u^T) B / length with d(d) = B (x_a, theta_a, x_b, theta_b), and the turning levers
            o, g = 144 * e, 12 * e
            for i in range(12):
                for j in range(12):
                    curvature[o + 12 * i + j] = -gradient[g + i] * gradient[g + j] * inverse
            for c in range(3):
                row_a, row_b = cross(R_a[c], p_a), cross(p_b, R_b[c])
                for i in range(12):
                    b_i = lever_entry(i, c, row_a, row_b) * inverse
                    if b_i != 0.0:
                        for j in range(12):
                            curvature[o + 12 * i + j] += b_i * lever_entry(j, c, row_a, row_b)
            pu_a, pu_b = dot(p_a, u_a), dot(p_b, u_b)
            for i in range(0 if met else 3):
                for j in range(3):
                    curvature[o + 12 * (3 + i) + 3 + j] -= u_a[i] * p_a[j] - (pu_a if i == j else 0.0)
                    curvature[o + 12 * (9 + i) + 9 + j] += u_b[i] * p_b[j] - (pu_b if i == j else 0.0)


@compiled
def lever_entry(i, c, row_a, row_b):
    """Entry (c, i) of B in d(p_b - p_a) = B (x_a, theta_a, x_b, theta_b)."""
    if i < 3:
        return -1.0 if i == c else 0.0
    if i < 6:
        return row_a[i - 3]
    if i < 9:
        return 1.0 if i - 6 == c else 0.0
    return row_b[i - 9]


@KERNEL
def angle(t, flags, first, last, system, work):
    """Parameters x_a, y_a, x_b: atan2(s, c), s = x_b.y_a, c = x_b.x_a; exact also where the axes are not aligned."""
    rotation, velocity = work.rotation, work.velocity
    gradient, slope, curvature, local = work.gradient, work.slope, work.curvature, work.local
    zero = (0.0, 0.0, 0.0)
    for e in range(first, last):
        a, b, p = system.operand_a[e], system.operand_b[e], system.parameter[e]
        x_a, y_a, x_b = triple(local, p), triple(local, p + 3), triple(local, p + 6)
        R_a, R_b = rotation_of(rotation, a), rotation_of(rotation, b)
        s, s_a, s_b = dot_gradient(R_a, y_a, R_b, x_b)
        c, c_a, c_b = dot_gradient(R_a, x_a, R_b, x_b)
        square = s * s + c * c
        raw, turn = math.atan2(s, c), work.turn[e]
        work.value[e] = raw + 2.0 * math.pi * round((turn - raw) / (2.0 * math.pi))
        put(
            gradient,
            12 * e,
            zero,
            scale(1.0 / square, subtract(scale(c, s_a), scale(s, c_a))),
            zero,
            scale(1.0 / square, subtract(scale(c, s_b), scale(s, c_b))),
        )
        w_a, w_b = spin_of(velocity, a), spin_of(velocity, b)
        ss_a, ss_b = dot_slope(R_a, y_a, w_a, R_b, x_b, w_b)
        cs_a, cs_b = dot_slope(R_a, x_a, w_a, R_b, x_b, w_b)
        s_dot, c_dot = dot(s_a, w_a) + dot(s_b, w_b), dot(c_a, w_a) + dot(c_b, w_b)
        speed = (c * s_dot - s * c_dot) / square
        work.speed[e] = speed
        total = 0.0
        for i in range(3):
            for side in range(2):
                g_s, g_c = (s_a[i], c_a[i]) if side == 0 else (s_b[i], c_b[i])
                h_s, h_c = (ss_a[i], cs_a[i]) if side == 0 else (ss_b[i], cs_b[i])
                value = (c * h_s - s * h_c + g_c * s_dot - g_s * c_dot - 2.0 * speed * (s * g_s + c * g_c)) / square
                slope[12 * e + 6 * side + i] = 0.0
                slope[12 * e + 6 * side + 3 + i] = value
                total += value * (w_a[i] if side == 0 else w_b[i])
        work.bias[e] = total
        if flags & AVERAGE:  # between two directions of unit length: (s, c) is bilinear
            mean, half = 0.5 * (work.ends[0, e] + work.ends[1, e]), 0.5 * (work.ends[1, e] - work.ends[0, e])
            ratio = 1.0 + half * half / 6.0 if abs(half) < 1e-4 else half / math.sin(half)
            lead_across(e, ratio * square / (c * math.cos(mean) + s * math.sin(mean)), work)
        if flags & TANGENT:
            clear_curvature(curvature, e)
            for side_i in range(2):
                for side_j in range(2):
                    for i in range(3):
                        for j in range(3):
                            g_si, g_ci = (s_a[i], c_a[i]) if side_i == 0 else (s_b[i], c_b[i])
                            g_sj, g_cj = (s_a[j], c_a[j]) if side_j == 0 else (s_b[j], c_b[j])
                            h_s = dot_curvature_entry(R_a, y_a, R_b, x_b, side_i, i, side_j, j)
                            h_c = dot_curvature_entry(R_a, x_a, R_b, x_b, side_i, i, side_j, j)
                            value = (c * h_s - s * h_c + g_si * g_cj - g_ci * g_sj) / square
                            value -= 2.0 * (c * g_si - s * g_ci) * (s * g_sj + c * g_cj) / (square * square)
                            curvature[144 * e + 12 * (6 * side_i + 3 + i) + 6 * side_j + 3 + j] = value
