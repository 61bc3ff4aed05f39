"""Increments from a base configuration, as coordinates of q: q = base moved by xi (n_v), and how they go with velocities.

    xi' = E(xi) v,   xi'' = E v' + E' v

For translations, angles and rotation parameters E is the identity. For a body with a unit quaternion the turn in xi is a
rotation vector theta in the body axes of the base, R = R_base exp(theta), and E is the inverse of the tangent operator of the
exponential map: it serves up to a full turn, so a base has to be renewed before. For systems given by functions xi = q - base
and E = T(q), which needs n_q = n_v.
Reference: Arnold and Bruels, Multibody System Dynamics 18 (2007) 185-202, for the tangent operator.
"""

import math

import numpy as np

from ..compiled.interfaces import KINEMATICS, MAP
from ..compiled.pointers import compiled
from ..errors import IncompatibleMethods
from ..kernels.vectors import add, cross, dot, scale, subtract, triple
from ..linalg.kkt import retract

call_map, call_kinematics = MAP.call, KINEMATICS.call
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SERIES = (  # of c in powers of |theta|^2
    *(1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600),
    *(3617 / 10670622842880000, 43867 / 5109094217170944000),
)


def mapped(system):
    """Whether E is T(q) and not the identity, for systems given by functions; those with n_q != n_v are refused."""
    if system.record.n_bodies:
        return False
    if system.n_q != system.n_v:
        raise IncompatibleMethods(
            f"This system has {system.n_q} positions and {system.n_v} velocities: independent coordinates need equally many, "
            "or bodies. Take a formulation in dependent coordinates, such as index1."
        )
    rng, one = np.random.default_rng(4), np.eye(system.n_v)
    samples = [system.start, *(system.start + rng.normal(size=(3, system.n_q)))]
    return any(np.abs(system.kinematic_map(q).toarray() - one).max() > 0.0 for q in samples)


@compiled
def inverse_tangent(square):
    """c and dc/ds, s = |theta|^2, in E = 1 + [theta]/2 + c [theta]^2."""
    if square < 1.0:
        c, slope = 0.0, 0.0
        for i in range(len(SERIES)):
            n = len(SERIES) - 1 - i
            slope = slope * square + c
            c = c * square + SERIES[n]
        return c, slope
    half = 0.5 * math.sqrt(square)
    sine, cotangent = math.sin(half), 1.0 / math.tan(half)
    c = (1.0 - half * cotangent) / square
    return c, (-1.0 / square + 0.125 / (sine * sine) + 0.125 * cotangent / half) / square


@compiled
def rate_of(theta, w):
    """theta' = E w of a rotation vector, w being the angular velocity in the body."""
    c = inverse_tangent(dot(theta, theta))[0]
    once = cross(theta, w)
    return add(add(w, scale(0.5, once)), scale(c, cross(theta, once)))


@compiled
def spin_of_rate(theta, rate):
    """w = E^-1 theta': the angular velocity in the body."""
    square = dot(theta, theta)
    if square < 1e-4:
        a, b = 0.5 - square / 24 + square * square / 720, 1 / 6 - square / 120 + square * square / 5040
    else:
        angle = math.sqrt(square)
        a, b = (1.0 - math.cos(angle)) / square, (angle - math.sin(angle)) / (square * angle)
    once = cross(theta, rate)
    return add(subtract(rate, scale(a, once)), scale(b, cross(theta, once)))


@compiled
def bend_of(theta, rate, w):
    """E' w: what theta'' has besides E w'."""
    c, slope = inverse_tangent(dot(theta, theta))
    once = cross(theta, w)
    turned = add(cross(rate, once), cross(theta, cross(rate, w)))
    grown = scale(2.0 * slope * dot(theta, rate), cross(theta, once))
    return add(scale(0.5, cross(rate, w)), add(scale(c, turned), grown))


@compiled
def move(base, xi, q, is_mapped, system, work):
    """q = base moved by xi."""
    if is_mapped:
        for i in range(system.n_q):
            q[i] = base[i] + xi[i]
    else:
        retract(base, xi, q, system, work)


@compiled
def to_rate(xi, q, v, rate, is_mapped, system, work):
    """rate = xi' of the velocity v."""
    if is_mapped:
        call_kinematics(system.methods[2], q, v, rate, system, work)
        return
    for i in range(system.n_v):
        rate[i] = v[i]
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        rate[o], rate[o + 1], rate[o + 2] = rate_of(triple(xi, o), triple(v, o))


@compiled
def to_velocity(xi, q, rate, v, is_mapped, system, work):
    """v of a rate xi'."""
    if is_mapped:
        call_map(system.methods[3], q, v, system, work)
        inverse, row, column = work.t_inverse, system.t_row, system.t_column
        for i in range(system.n_v):
            v[i] = 0.0
        for e in range(inverse.size):
            v[column[e]] += inverse[e] * rate[row[e]]
        return
    for i in range(system.n_v):
        v[i] = rate[i]
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        v[o], v[o + 1], v[o + 2] = spin_of_rate(triple(xi, o), triple(rate, o))


@compiled
def to_bend(xi, q, rate, v, a, bend, is_mapped, system, work):
    """bend = xi'' of the acceleration a = v', at the velocity v and its rate."""
    to_rate(xi, q, a, bend, is_mapped, system, work)
    if is_mapped:
        call_map(system.methods[3], q, v, system, work)
        tq, row, column = work.tq, system.tq_row, system.tq_column
        for e in range(tq.size):
            bend[row[e]] += tq[e] * rate[column[e]]
        return
    turn_v = system.turn_v
    for k in range(turn_v.size):
        o = turn_v[k]
        more = bend_of(triple(xi, o), triple(rate, o), triple(v, o))
        for c in range(3):
            bend[o + c] += more[c]


@compiled
def put_block(xi, q, v, weight, is_mapped, system, work):
    """The block diag(weight) E of the directions of v into work.kkt, which is zero there."""
    a, diagonal = work.kkt.a, system.diagonal_slot
    if is_mapped:
        call_map(system.methods[3], q, v, system, work)
        t, slot, row = work.t, system.m_slot, system.t_row  # T by rows, full, as M
        for e in range(t.size):
            a[slot[e]] = weight[row[e]] * t[e]
        return
    for i in range(system.n_v):
        a[diagonal[i]] = weight[i]
    turn_v, slot = system.turn_v, system.rotation_slot
    for k in range(turn_v.size):
        o = turn_v[k]
        theta = triple(xi, o)
        for c in range(3):
            image = rate_of(theta, AXES[c])
            for i in range(3):
                a[slot[k, 3 * i + c]] = weight[o + i] * image[i]


@compiled
def largest_turn(xi, system):
    """The largest turn that has a quaternion in xi, rad."""
    turn_v, largest = system.turn_v, 0.0
    for k in range(turn_v.size):
        theta = triple(xi, turn_v[k])
        largest = max(largest, dot(theta, theta))
    return math.sqrt(largest)
