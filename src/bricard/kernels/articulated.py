"""Articulated-body method: accelerations of an open tree at a cost that grows linearly with the number of bodies.

Going inwards, the subtree of a body answers an acceleration a of it with the force I a - p. A joint that yields takes from both,
one velocity after the other: with its motion s, U = I s and D = s.U,

    I <- I - U U^T / D,   p <- p - U (s.p) / D

and what is left is shifted to the parent. Going outwards, v' = (s.p - U.a) / D. It is an elimination of M v' = f in factored
form: M is never made. Joints with several velocities take them one by one, as if there were bodies without mass between.
Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
"""

import math

from ..compiled.interfaces import ACCELERATE
from ..compiled.pointers import compiled
from .bodies import evaluate_elements, inertia_of
from .tree import own_load, place_space, world_inertia
from .tree_planar import articulate_plane, place_plane
from .vectors import add, cross, dot, position_of, rotate, rotate_back, rotation_of, scale, subtract, triple


@compiled
def symmetric(values, i, start):
    """A symmetric 3 x 3 matrix from six neighbouring numbers of row i."""
    a, b, c = values[i, start], values[i, start + 1], values[i, start + 2]
    return (
        (a, b, c),
        (b, values[i, start + 3], values[i, start + 4]),
        (c, values[i, start + 4], values[i, start + 5]),
    )


@compiled
def less(A, factor, a, b):
    """A - factor a b^T."""
    return (
        subtract(A[0], scale(factor * a[0], b)),
        subtract(A[1], scale(factor * a[1], b)),
        subtract(A[2], scale(factor * a[2], b)),
    )


@compiled
def crossed(A, r):
    """A [r]x: rows crossed with r."""
    return cross(A[0], r), cross(A[1], r), cross(A[2], r)


@compiled
def inwards(system, work):
    """Articulated inertias, from the leaves to the ground. False: a joint without inertia."""
    tree, branch, x = system.tree, work.branch, work.x
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    motion, load, inertia, drift, lever, pivot = (
        branch.motion,
        branch.load,
        branch.inertia,
        branch.drift,
        branch.lever,
        branch.pivot,
    )
    mass, n, regular = system.mass, body.size, True
    for i in range(n):
        b = body[i]
        force, torque = own_load(b, i, system, work)
        J = world_inertia(rotation_of(work.rotation, b), inertia_of(system.inertia, b))
        for k in range(3):
            load[i, k], load[i, 3 + k] = force[k], torque[k]
        for k in range(15):
            inertia[i, k] = 0.0
        inertia[i, 0], inertia[i, 3], inertia[i, 5] = mass[b], mass[b], mass[b]
        inertia[i, 15], inertia[i, 16], inertia[i, 17] = J[0][0], J[0][1], J[0][2]
        inertia[i, 18], inertia[i, 19], inertia[i, 20] = J[1][1], J[1][2], J[2][2]
    for back in range(n):
        i = n - 1 - back
        p = parent[i]
        A, D = symmetric(inertia, i, 0), symmetric(inertia, i, 15)
        B = (triple(inertia[i], 6), triple(inertia[i], 9), triple(inertia[i], 12))
        force, torque = triple(load[i], 0), triple(load[i], 3)
        count = v_first[i + 1] - v_first[i]
        for own in range(count):
            j = v_first[i + 1] - 1 - own
            shift, turn = triple(motion[j], 0), triple(motion[j], 3)
            u = add(rotate(A, shift), rotate(B, turn))
            w = add(rotate_back(B, shift), rotate(D, turn))
            square = dot(shift, u) + dot(turn, w)
            if not square > 0.0:
                regular = False
            inverse, left = 1.0 / square, dot(shift, force) + dot(turn, torque)
            for k in range(3):
                lever[j, k], lever[j, 3 + k] = u[k], w[k]
            pivot[j, 0], pivot[j, 1] = inverse, left
            if p < n or own + 1 < count:
                A, B, D = less(A, inverse, u, u), less(B, inverse, u, w), less(D, inverse, w, w)
                force = subtract(force, scale(left * inverse, u))
                torque = subtract(torque, scale(left * inverse, w))
        if p < n:
            bend, alpha = triple(drift[i], 0), triple(drift[i], 3)
            force = subtract(force, add(rotate(A, bend), rotate(B, alpha)))
            torque = subtract(torque, add(rotate_back(B, bend), rotate(D, alpha)))
            r = subtract(position_of(x, body[i]), position_of(x, body[p]))
            torque = add(torque, cross(r, force))
            E = crossed(A, r)
            C = (subtract(B[0], E[0]), subtract(B[1], E[1]), subtract(B[2], E[2]))  # B - A [r]x
            for k in range(3):
                load[p, k] += force[k]
                load[p, 3 + k] += torque[k]
                inertia[p, 6 + k] += C[0][k]
                inertia[p, 9 + k] += C[1][k]
                inertia[p, 12 + k] += C[2][k]
            inertia[p, 0] += A[0][0]
            inertia[p, 1] += A[0][1]
            inertia[p, 2] += A[0][2]
            inertia[p, 3] += A[1][1]
            inertia[p, 4] += A[1][2]
            inertia[p, 5] += A[2][2]
            # D - B^T [r]x + [r]x C: rows of the first product are columns of B crossed with r
            bx = cross((B[0][0], B[1][0], B[2][0]), r)
            by = cross((B[0][1], B[1][1], B[2][1]), r)
            bz = cross((B[0][2], B[1][2], B[2][2]), r)
            cx = cross(r, (C[0][0], C[1][0], C[2][0]))
            cy = cross(r, (C[0][1], C[1][1], C[2][1]))
            cz = cross(r, (C[0][2], C[1][2], C[2][2]))
            inertia[p, 15] += D[0][0] - bx[0] + cx[0]
            inertia[p, 16] += D[0][1] - bx[1] + cy[0]
            inertia[p, 17] += D[0][2] - bx[2] + cz[0]
            inertia[p, 18] += D[1][1] - by[1] + cy[1]
            inertia[p, 19] += D[1][2] - by[2] + cz[1]
            inertia[p, 20] += D[2][2] - bz[2] + cz[2]
    return regular


@compiled
def outwards(system, work):
    """v' into work.u, from the ground to the leaves."""
    tree, branch, x, u = system.tree, work.branch, work.x, work.u
    body, parent, v_first, n = tree.body, tree.parent, tree.v_first, tree.body.size
    motion, drift, lever, pivot, a = branch.motion, branch.drift, branch.lever, branch.pivot, branch.acceleration
    for i in range(n):
        p = parent[i]
        above = body[p] if p < n else system.n_bodies
        r = subtract(position_of(x, body[i]), position_of(x, above))
        alpha = triple(a[p], 3)
        moved = add(add(triple(a[p], 0), cross(alpha, r)), triple(drift[i], 0))
        alpha = add(alpha, triple(drift[i], 3))
        for j in range(v_first[i], v_first[i + 1]):
            value = pivot[j, 0] * (pivot[j, 1] - dot(triple(lever[j], 0), moved) - dot(triple(lever[j], 3), alpha))
            u[j] = value
            moved, alpha = (
                add(moved, scale(value, triple(motion[j], 0))),
                add(alpha, scale(value, triple(motion[j], 3))),
            )
        for k in range(3):
            a[i, k], a[i, 3 + k] = moved[k], alpha[k]


@ACCELERATE
def articulated_accelerations(t, q, v, system, work):
    """By articulated inertias, for open trees."""
    if system.tree.planar:
        place_plane(t, q, v, 0, system, work)
        evaluate_elements(t, 0, system, work)
        regular = articulate_plane(system, work)
    else:
        place_space(t, q, v, 0, system, work)
        evaluate_elements(t, 0, system, work)
        regular = inwards(system, work)
        outwards(system, work)
    report = work.kkt.report
    report[0], report[1], report[2] = 0, -1, -1 if regular else 0
    report[3] += 1
    work.u[system.n_v] = 0.0
    if not regular:  # as linalg/factor.py tells a singular matrix from one that is not finite
        finite = True
        for i in range(system.n_v):
            finite = finite and math.isfinite(v[i]) and not math.isnan(work.branch.pivot[i, 1])
        work.kkt.a[0] = math.inf if finite else math.nan
    return regular
