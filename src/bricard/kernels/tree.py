"""Relative coordinates: recursions along the tree of bodies in space, and the five methods of such a system.

A body b hangs on its parent p by a joint (kernels/tree_joints.py). With r from the centre of mass of p to that of b, S the motion
of b for each of its joint velocities, all in world axes,

    w_b = w_p + S_w v,   v_b = v_p + w_p x r + S_v v,   a_b = a_p + alpha_p x r + S v' + drift

Going from the ground outwards gives all poses, velocities and the accelerations J' v at v' = 0. Elements then write what belongs
to bodies, as in absolute coordinates, and going inwards makes of it

    f = J^T (f - M J' v),   M = J^T M J (composite inertias),   G = G J,   gamma = gamma - G J' v

at a cost that grows with the entries of M and G. Open trees need neither: kernels/articulated.py.
Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5, 6 and 8.
"""

import math

from ..compiled.interfaces import (
    EVALUATE,
    G_DOT,
    KINEMATICS,
    MAP,
    PLACE,
    RATE,
    RETRACT,
    TANGENT,
    TREE_JOINT,
    VELOCITY,
)
from ..compiled.pointers import compiled
from .bodies import evaluate_elements, inertia_of
from .tree_joints import tell_measures
from .tree_planar import place_plane, project_plane, pull_plane
from .tree_tangent import collect, derivatives
from .vectors import (
    add,
    cross,
    dot,
    nine,
    position_of,
    quaternion_step,
    rotate,
    rotate_back,
    rotation_of,
    scale,
    subtract,
    triple,
)

call_joint = TREE_JOINT.call


@compiled
def times(A, B):
    """A B of 3 x 3 matrices."""
    x, y, z = (A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2])
    return (
        add(add(scale(x[0], B[0]), scale(y[0], B[1])), scale(z[0], B[2])),
        add(add(scale(x[1], B[0]), scale(y[1], B[1])), scale(z[1], B[2])),
        add(add(scale(x[2], B[0]), scale(y[2], B[1])), scale(z[2], B[2])),
    )


@compiled
def place_space(t, q, v, flags, system, work):
    """Poses, velocities and accelerations at v' = 0 of all bodies, and their motion for each joint velocity."""
    tree, branch, x, rotation, velocity = system.tree, work.branch, work.x, work.rotation, work.velocity
    kernels, first = tree.kernels, tree.first
    for k in range(kernels.size):
        call_joint(kernels[k], t, q, v, flags, first[k], first[k + 1], system, work)
    tell_measures(q, system, work)
    body, parent, v_first, frame = tree.body, tree.parent, tree.v_first, tree.frame
    d, c, s, bias, motion, drift, total = (
        branch.d,
        branch.c,
        branch.s,
        branch.bias,
        branch.motion,
        branch.drift,
        branch.total,
    )
    spin, n, ground = branch.spin, body.size, system.n_bodies
    for i in range(n):
        b, p = body[i], parent[i]
        above = body[p] if p < n else ground
        R_p = rotation_of(rotation, above)
        R_a = times(R_p, nine(frame[i], 3))
        turned = times(R_a, nine(c[i], 0))
        B = nine(frame[i], 15)
        R = (rotate(B, turned[0]), rotate(B, turned[1]), rotate(B, turned[2]))  # turned B^T
        for k in range(3):
            rotation[b, k], rotation[b, 3 + k], rotation[b, 6 + k] = R[0][k], R[1][k], R[2][k]
        out = add(rotate(R_p, triple(frame[i], 0)), rotate(R_a, triple(d[i], 0)))  # origin of B from the parent
        lever = rotate(R, triple(frame[i], 12))
        r = subtract(out, lever)
        w_p, w, speed = triple(spin[p], 0), triple(spin[p], 0), (0.0, 0.0, 0.0)
        moved = add(position_of(velocity, above), cross(w_p, r))
        for j in range(v_first[i], v_first[i + 1]):
            turn, way = rotate(R_a, triple(s[j], 3)), rotate(R_a, triple(s[j], 0))
            shift = subtract(way, cross(turn, lever))
            for k in range(3):
                motion[j, k], motion[j, 3 + k] = shift[k], turn[k]
            w, speed, moved = add(w, scale(v[j], turn)), add(speed, scale(v[j], way)), add(moved, scale(v[j], shift))
        alpha = add(rotate(R_a, triple(bias[i], 3)), cross(w_p, w))  # w_p x (w - w_p)
        bend = add(cross(w_p, add(cross(w_p, out), scale(2.0, speed))), rotate(R_a, triple(bias[i], 0)))
        bend = subtract(subtract(bend, cross(alpha, lever)), cross(w, cross(w, lever)))
        inside, above_turn = rotate_back(R, w), triple(total[p], 3)
        swung = cross(above_turn, r)
        for k in range(3):
            x[b, k], spin[i, k] = x[above, k] + r[k], w[k]
            velocity[b, k], velocity[b, 3 + k] = moved[k], inside[k]
            drift[i, k], drift[i, 3 + k] = bend[k], alpha[k]
            total[i, k], total[i, 3 + k] = total[p, k] + swung[k] + bend[k], above_turn[k] + alpha[k]


@compiled
def world_inertia(R, J):
    """R J R^T."""
    turned = times(R, J)
    return (
        (dot(turned[0], R[0]), dot(turned[0], R[1]), dot(turned[0], R[2])),
        (dot(turned[1], R[0]), dot(turned[1], R[1]), dot(turned[1], R[2])),
        (dot(turned[2], R[0]), dot(turned[2], R[1]), dot(turned[2], R[2])),
    )


@compiled
def own_load(b, i, system, work):
    """Force and torque (world axes) that elements put on a body, weight and gyroscopic torque included."""
    f, column, R = work.f, system.column, rotation_of(work.rotation, b)
    if system.planar[b]:
        o = column[b, 0]
        return (f[o], f[o + 1], 0.0), (0.0, 0.0, f[o + 2])
    return triple(f, column[b, 0]), rotate(R, triple(f, column[b, 3]))


@compiled
def project_space(system, work):
    """f = J^T (forces on bodies - M J' v), and M = J^T M J from composite inertias, if it has entries."""
    tree, branch, x, f, m = system.tree, work.branch, work.x, work.f, work.m
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    motion, load, inertia, total = branch.motion, branch.load, branch.inertia, branch.total
    mass, n, ground, place = system.mass, body.size, system.n_bodies, 0
    for i in range(n):
        b = body[i]
        force, torque = own_load(b, i, system, work)
        J = world_inertia(rotation_of(work.rotation, b), inertia_of(system.inertia, b))
        heavy, turned = mass[b], rotate(J, triple(total[i], 3))
        for k in range(3):
            load[i, k], load[i, 3 + k] = force[k] - heavy * total[i, k], torque[k] - turned[k]
            inertia[i, 1 + k] = 0.0
        inertia[i, 0], inertia[i, 4], inertia[i, 5], inertia[i, 6] = heavy, J[0][0], J[0][1], J[0][2]
        inertia[i, 7], inertia[i, 8], inertia[i, 9] = J[1][1], J[1][2], J[2][2]
    for back in range(n):
        i = n - 1 - back
        b, p = body[i], parent[i]
        above = body[p] if p < n else ground
        r = subtract(position_of(x, b), position_of(x, above))
        force, torque = triple(load[i], 0), triple(load[i], 3)
        heavy, h = inertia[i, 0], triple(inertia[i], 1)
        J = (
            (inertia[i, 4], inertia[i, 5], inertia[i, 6]),
            (inertia[i, 5], inertia[i, 7], inertia[i, 8]),
            (inertia[i, 6], inertia[i, 8], inertia[i, 9]),
        )
        for j in range(v_first[i], v_first[i + 1]):
            shift, turn = triple(motion[j], 0), triple(motion[j], 3)
            f[j] = dot(shift, force) + dot(turn, torque)
            if m.size == 0:
                continue
            momentum = add(scale(heavy, shift), cross(turn, h))
            spin = add(rotate(J, turn), cross(h, shift))
            for k in range(v_first[i], v_first[i + 1]):
                m[place] = dot(triple(motion[k], 0), momentum) + dot(triple(motion[k], 3), spin)
                place += 1
            node, low = i, b
            while parent[node] < n:
                node = parent[node]
                high = body[node]
                spin = add(spin, cross(subtract(position_of(x, low), position_of(x, high)), momentum))
                low = high
                for k in range(v_first[node], v_first[node + 1]):
                    value = dot(triple(motion[k], 0), momentum) + dot(triple(motion[k], 3), spin)
                    m[place], m[place + 1] = value, value
                    place += 2
        if p < n:
            moment, diagonal = add(torque, cross(r, force)), 2.0 * dot(r, h) + heavy * dot(r, r)
            for k in range(3):
                load[p, k] += force[k]
                load[p, 3 + k] += moment[k]
                inertia[p, 1 + k] += h[k] + heavy * r[k]
            inertia[p, 0] += heavy
            inertia[p, 4] += J[0][0] + diagonal - r[0] * (2.0 * h[0] + heavy * r[0])
            inertia[p, 5] += J[0][1] - r[0] * h[1] - h[0] * r[1] - heavy * r[0] * r[1]
            inertia[p, 6] += J[0][2] - r[0] * h[2] - h[0] * r[2] - heavy * r[0] * r[2]
            inertia[p, 7] += J[1][1] + diagonal - r[1] * (2.0 * h[1] + heavy * r[1])
            inertia[p, 8] += J[1][2] - r[1] * h[2] - h[1] * r[2] - heavy * r[1] * r[2]
            inertia[p, 9] += J[2][2] + diagonal - r[2] * (2.0 * h[2] + heavy * r[2])


@compiled
def pull_space(needs, system, work):
    """G = G J of the rows, and gamma - G J' v."""
    tree, branch, x, g = system.tree, work.branch, work.x, work.g
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    rows, nodes, stops, firsts = tree.pull_row, tree.pull_node, tree.pull_stop, tree.pull_first
    motion, pull, total, n = branch.motion, branch.pull, branch.total, body.size
    gamma, level = work.gamma, system.velocity_level
    for k in range(rows.size):
        node, row, place, stop = nodes[k], rows[k], firsts[k], stops[k]
        force, torque = triple(pull, 6 * k), rotate(rotation_of(work.rotation, body[node]), triple(pull, 6 * k + 3))
        if needs or level[row]:
            gamma[row] -= dot(force, triple(total[node], 0)) + dot(torque, triple(total[node], 3))
        while node != stop:
            for j in range(v_first[node], v_first[node + 1]):
                g[place] = dot(triple(motion[j], 0), force) + dot(triple(motion[j], 3), torque)
                place += 1
            above = parent[node]
            if above == n:
                break
            torque = add(torque, cross(subtract(position_of(x, body[node]), position_of(x, body[above])), force))
            node = above


@EVALUATE
def evaluate_tree(t, q, v, flags, system, work):
    """Everything that the flags ask for at (t, q, v)."""
    planar, needs, differ = system.tree.planar, flags & VELOCITY != 0, flags & (TANGENT | RATE | G_DOT) != 0
    if planar:
        place_plane(t, q, v, TANGENT if differ else 0, system, work)
    else:
        place_space(t, q, v, TANGENT if differ else 0, system, work)
    evaluate_elements(t, flags, system, work)
    collect(work.g, system.tree.g_place, work.branch.pull)
    if planar:
        project_plane(system, work)
        pull_plane(needs, system, work)
    else:
        project_space(system, work)
        pull_space(needs, system, work)
    if differ:
        derivatives(v, flags, system, work)


@PLACE
def place_tree(t, q, v, system, work):
    """Where the bodies are and how they move."""
    if system.tree.planar:
        place_plane(t, q, v, 0, system, work)
    else:
        place_space(t, q, v, 0, system, work)


@RETRACT
def retract_tree(q, increment, q_new, system, work):
    """q moved by an increment: turns about axes of the joints' frames B."""
    plain_q, plain_v, turn_q, turn_v = system.tree.plain_q, system.tree.plain_v, system.turn_q, system.turn_v
    for i in range(plain_q.size):
        q_new[plain_q[i]] = q[plain_q[i]] + increment[plain_v[i]]
    for k in range(turn_q.size):
        o = turn_q[k]
        p = quaternion_step(q[o], q[o + 1], q[o + 2], q[o + 3], triple(increment, turn_v[k]))
        s = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
        for c in range(4):
            q_new[o + c] = s * p[c]


@KINEMATICS
def kinematics_tree(q, v, q_dot, system, work):
    """q' = T(q) v."""
    plain_q, plain_v, turn_q, turn_v = system.tree.plain_q, system.tree.plain_v, system.turn_q, system.turn_v
    for i in range(plain_q.size):
        q_dot[plain_q[i]] = v[plain_v[i]]
    for k in range(turn_q.size):
        o, u = turn_q[k], turn_v[k]
        w, x, y, z = q[o], q[o + 1], q[o + 2], q[o + 3]
        a, b, c = 0.5 * v[u], 0.5 * v[u + 1], 0.5 * v[u + 2]
        q_dot[o], q_dot[o + 1] = -x * a - y * b - z * c, w * a + y * c - z * b
        q_dot[o + 2], q_dot[o + 3] = w * b + z * a - x * c, w * c + x * b - y * a


@MAP
def map_tree(q, v, system, work):
    """Entries of T, of its left inverse and of d(T v)/dq: ones, then for each quaternion 4 x 3 by rows, and 4 x 4."""
    t, inverse, tq, turn_q, turn_v = work.t, work.t_inverse, work.tq, system.turn_q, system.turn_v
    n, m = system.tree.plain_q.size, 0
    for i in range(n):
        t[i], inverse[i] = 1.0, 1.0
    for k in range(turn_q.size):
        o, u = turn_q[k], turn_v[k]
        w, x, y, z = q[o], q[o + 1], q[o + 2], q[o + 3]
        square = w * w + x * x + y * y + z * z
        rows = ((-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w))
        a, b, c = 0.5 * v[u], 0.5 * v[u + 1], 0.5 * v[u + 2]
        turn = ((0.0, -a, -b, -c), (a, 0.0, c, -b), (b, -c, 0.0, a), (c, b, -a, 0.0))
        for i in range(4):
            for j in range(3):
                t[n], inverse[n] = 0.5 * rows[i][j], 2.0 * rows[i][j] / square
                n += 1
            for j in range(4):
                tq[m] = turn[i][j]
                m += 1
