"""Joints of the tree of relative coordinates: how frame B of a body stands to frame A of its parent, by joint coordinates.

In the axes of frame A, with the joint's own velocities v:

    d, C                      origin of B, rotation of B
    (d', w) = sum S_k v_k     w: angular velocity of B against A
    (d'', w') = sum S_k v'_k + bias

A kernel writes what changes: d, C, S and bias into work.branch; with the flag TANGENT also the derivatives of S and of bias along
the joint's directions. S that are constant come with the system (Tree.motion).
Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), section 4.4; spec 001, section 1.1.
"""

import math

from ..compiled.interfaces import TANGENT, TREE_JOINT
from ..compiled.pointers import compiled
from .bodies import turn_body
from .user_layout import WARM
from .user_layout import S as COORDINATES
from .vectors import cross


@compiled
def tell_measures(q, system, work):
    """Measures that are coordinates themselves: angles count their turns from q, users' joints look for theirs there."""
    turned, known, memory = system.tree.turned, system.tree.known, work.memory
    for k in range(turned.shape[0]):
        work.turn[turned[k, 0]] = q[turned[k, 1]]
    for k in range(known.shape[0]):
        m, o = known[k, 0], known[k, 1]
        memory[m + WARM] = 1.0
        for i in range(known[k, 2]):
            memory[m + COORDINATES + i] = q[o + i]


@TREE_JOINT
def welded(t, q, v, flags, first, last, system, work):
    """Nothing moves."""


@TREE_JOINT
def turning(t, q, v, flags, first, last, system, work):
    """Revolute: q = angle about z, backwards where S says so."""
    c, s, members = work.branch.c, work.branch.s, system.tree.members
    q_first, v_first = system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        angle = s[v_first[n], 5] * q[q_first[n]]
        cosine, sine = math.cos(angle), math.sin(angle)
        c[n, 0], c[n, 1], c[n, 3], c[n, 4] = cosine, -sine, sine, cosine


@TREE_JOINT
def sliding(t, q, v, flags, first, last, system, work):
    """Prismatic: q = displacement along a direction."""
    d, s, members = work.branch.d, work.branch.s, system.tree.members
    q_first, v_first = system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        way, j = q[q_first[n]], v_first[n]
        d[n, 0], d[n, 1], d[n, 2] = way * s[j, 0], way * s[j, 1], way * s[j, 2]


@TREE_JOINT
def turning_and_sliding(t, q, v, flags, first, last, system, work):
    """Cylindrical: q = (displacement along z, angle about z), both backwards where S says so."""
    c, d, s, members = work.branch.c, work.branch.d, work.branch.s, system.tree.members
    q_first, v_first = system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        way = s[v_first[n], 2]
        angle = way * q[q_first[n] + 1]
        cosine, sine = math.cos(angle), math.sin(angle)
        c[n, 0], c[n, 1], c[n, 3], c[n, 4] = cosine, -sine, sine, cosine
        d[n, 2] = way * q[q_first[n]]


@TREE_JOINT
def gliding(t, q, v, flags, first, last, system, work):
    """Planar: q = (x, y, angle about z), the angle backwards where S says so."""
    c, d, s, members = work.branch.c, work.branch.d, work.branch.s, system.tree.members
    q_first, v_first = system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        o = q_first[n]
        angle = s[v_first[n] + 2, 5] * q[o + 2]
        cosine, sine = math.cos(angle), math.sin(angle)
        c[n, 0], c[n, 1], c[n, 3], c[n, 4] = cosine, -sine, sine, cosine
        d[n, 0], d[n, 1] = q[o], q[o + 1]


@TREE_JOINT
def crossing(t, q, v, flags, first, last, system, work):
    """Universal: q = (turn of the cross about z of A, turn of B about its own z), both backwards where S says so; at (0, 0) B
    stands as (z, -y, x) of A.

    The cross has its x axis along z of B: (cos, sin, 0) of the first angle.
    """
    branch, members, q_first, v_first = work.branch, system.tree.members, system.tree.q_first, system.tree.v_first
    c, s, bias = branch.c, branch.s, branch.bias
    for m in range(first, last):
        n = members[m]
        o, u = q_first[n], v_first[n]
        way = s[u, 5]
        ca, sa, cb, sb = math.cos(q[o]), way * math.sin(q[o]), math.cos(q[o + 1]), way * math.sin(q[o + 1])
        c[n, 0], c[n, 1], c[n, 2] = sb * sa, cb * sa, ca
        c[n, 3], c[n, 4], c[n, 5] = -sb * ca, -cb * ca, sa
        c[n, 6], c[n, 7], c[n, 8] = cb, -sb, 0.0
        s[u + 1, 3], s[u + 1, 4] = way * ca, way * sa
        product = v[u] * v[u + 1]
        bias[n, 3], bias[n, 4] = -product * sa, product * ca
        if flags & TANGENT:
            branch.slope[u, 9], branch.slope[u, 10] = -sa, ca
            branch.bias_slope[u, 3], branch.bias_slope[u, 4] = -way * product * ca, -way * product * sa


@compiled
def turn_ball(n, o, u, k, q, flags, branch):
    """C of a quaternion at place o of q, with its angular velocity in the axes of B as velocities u to u + 2, the k-th on."""
    c, s, slope = branch.c, branch.s, branch.slope
    turn_body(n, q[o], q[o + 1], q[o + 2], q[o + 3], c)
    for j in range(3):
        for i in range(3):
            s[u + j, 3 + i] = c[n, 3 * i + j]
    if flags & TANGENT:
        for j in range(3):
            along = (c[n, j], c[n, 3 + j], c[n, 6 + j])
            for i in range(3):
                change = cross(along, (c[n, i], c[n, 3 + i], c[n, 6 + i]))
                for a in range(3):
                    slope[u + j, 6 * (k + i) + 3 + a] = change[a]


@TREE_JOINT
def rolling_ball(t, q, v, flags, first, last, system, work):
    """Spherical: q = unit quaternion, v = angular velocity in the axes of B."""
    members, q_first, v_first = system.tree.members, system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        turn_ball(n, q_first[n], v_first[n], 0, q, flags, work.branch)


@TREE_JOINT
def floating(t, q, v, flags, first, last, system, work):
    """Free: q = (x, y, z of the origin of B, unit quaternion), v = (x', y', z', angular velocity in the axes of B)."""
    d, members, q_first, v_first = work.branch.d, system.tree.members, system.tree.q_first, system.tree.v_first
    for m in range(first, last):
        n = members[m]
        o, u = q_first[n], v_first[n]
        d[n, 0], d[n, 1], d[n, 2] = q[o], q[o + 1], q[o + 2]
        turn_ball(n, o + 3, u + 3, 3, q, flags, work.branch)
