"""Relative coordinates: derivatives along joint coordinates and velocities, column by column, for implicit methods.

Moving one joint coordinate turns and shifts its subtree as a rigid body. The recursions of kernels/tree.py, differentiated, give
the changes of places, velocities and accelerations (`way`) of its bodies; with the K and D that elements have written for bodies,
and the inertia, these give the change of the wrench R = M a + G^T lam - f on each body; and since f = J^T f,

    K = J^T dR/dq + (dJ/dq)^T R,   D = J^T dR/dv,   rate = (d(G v) along bodies) J + G d(J v)/dq

All exact. dG/dt and dM/dt are in tree_rates.py.
Reference: Carpentier and Mansard, Robotics: Science and Systems (2018), for the idea; the equations are written out here.
"""

from ..compiled.interfaces import G_DOT, RATE, TANGENT
from ..compiled.pointers import compiled
from .newton_euler import above_of, accelerate, accumulate, arm, inertial, put, residual_wrenches
from .tree_rates import along, differentiated_mass, differentiated_rows, frames
from .vectors import add, cross, dot, position_of, rotate, rotate_back, rotation_of, scale, subtract, triple

PLACE, TURN, SPEED, SPIN, PUSH, TWIST = 0, 3, 6, 9, 12, 15  # of a way: changes of x, R, v, w, a, alpha


@compiled
def relative_speed(i, r, system, work):
    """Velocity of the centre of mass as seen from the parent."""
    velocity, w_p = work.velocity, triple(work.branch.spin[system.tree.parent[i]], 0)
    moved = subtract(position_of(velocity, system.tree.body[i]), position_of(velocity, above_of(i, system)))
    return subtract(moved, cross(w_p, r))


@compiled
def bent(i, v, u, j, system, work):
    """Derivative along direction j of the joint's velocity and of its acceleration, (d', w, d'', w') in frame A."""
    tree, slope = system.tree, work.branch.slope
    speed, spin, push, twist = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first = tree.v_first[i]
    for k in range(tree.v_first[i + 1] - first):
        shift, turn = triple(slope[j], 6 * k), triple(slope[j], 6 * k + 3)
        speed, spin = add(speed, scale(v[first + k], shift)), add(spin, scale(v[first + k], turn))
        push, twist = add(push, scale(u[first + k], shift)), add(twist, scale(u[first + k], turn))
    push, twist = add(push, triple(work.branch.bias_slope[j], 0)), add(twist, triple(work.branch.bias_slope[j], 3))
    return speed, spin, push, twist


@compiled
def set_out(i, v, j, system, work):
    """The way of node i itself when its coordinate j changes."""
    branch, tree = work.branch, system.tree
    p, way, u = tree.parent[i], branch.way, work.u
    columns, lever = frames(i, system, work)
    shift, turn = triple(branch.motion[j], 0), triple(branch.motion[j], 3)
    w_p, alpha_p = triple(branch.spin[p], 0), triple(branch.acceleration[p], 3)
    own = subtract(triple(branch.spin[i], 0), w_p)
    speed, spin, push, twist = bent(i, v, u, j, system, work)
    speed, spin, push, twist = along(columns, speed), along(columns, spin), along(columns, push), along(columns, twist)
    swing = cross(turn, lever)  # change of the lever
    beta = subtract(subtract(triple(branch.acceleration[i], 3), alpha_p), cross(w_p, own))
    relative = subtract(subtract(speed, cross(spin, lever)), cross(own, swing))
    rest = subtract(subtract(push, cross(twist, lever)), cross(beta, swing))
    rest = subtract(rest, add(cross(spin, cross(own, lever)), cross(own, cross(spin, lever))))
    rest = subtract(rest, cross(own, cross(own, swing)))
    put(way, i, PLACE, shift)
    put(way, i, TURN, turn)
    put(way, i, SPEED, add(cross(w_p, shift), relative))
    put(way, i, SPIN, spin)
    centre = add(cross(alpha_p, shift), cross(w_p, add(cross(w_p, shift), scale(2.0, relative))))
    put(way, i, PUSH, add(centre, rest))
    put(way, i, TWIST, add(cross(w_p, spin), twist))


@compiled
def speed_up(i, v, j, system, work):
    """The way of node i itself when its velocity j changes."""
    branch, tree = work.branch, system.tree
    way, slope, first = branch.way, branch.slope, tree.v_first[i]
    columns, lever = frames(i, system, work)
    shift, turn, w_p = triple(branch.motion[j], 0), triple(branch.motion[j], 3), triple(branch.spin[tree.parent[i]], 0)
    own = subtract(triple(branch.spin[i], 0), w_p)
    push, twist, mine = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 6 * (j - first)
    for k in range(tree.v_first[i + 1] - first):
        factor = v[first + k]
        both = add(triple(slope[j], 6 * k), triple(slope[first + k], mine))
        turned = add(triple(slope[j], 6 * k + 3), triple(slope[first + k], mine + 3))
        push, twist = add(push, scale(factor, both)), add(twist, scale(factor, turned))
    push, twist = along(columns, push), along(columns, twist)
    rest = subtract(push, cross(twist, lever))
    rest = subtract(rest, add(cross(turn, cross(own, lever)), cross(own, cross(turn, lever))))
    put(way, i, PLACE, (0.0, 0.0, 0.0))
    put(way, i, TURN, (0.0, 0.0, 0.0))
    put(way, i, SPEED, shift)
    put(way, i, SPIN, turn)
    put(way, i, PUSH, add(scale(2.0, cross(w_p, shift)), rest))
    put(way, i, TWIST, add(cross(w_p, turn), twist))


@compiled
def follow(i, system, work):
    """The way of a node whose parent is on its way and whose own joint is held."""
    branch = work.branch
    p, way, spin, a = system.tree.parent[i], branch.way, branch.spin, branch.acceleration
    r = arm(i, system, work)
    relative, w_p = relative_speed(i, r, system, work), triple(spin[p], 0)
    alpha_p, own = triple(a[p], 3), subtract(triple(spin[i], 0), triple(spin[p], 0))
    beta = subtract(subtract(triple(a[i], 3), alpha_p), cross(w_p, own))
    rest = subtract(subtract(triple(a[i], 0), triple(a[p], 0)), cross(alpha_p, r))
    rest = subtract(rest, cross(w_p, add(cross(w_p, r), scale(2.0, relative))))
    place, turn, speed = triple(way[p], PLACE), triple(way[p], TURN), triple(way[p], SPEED)
    swirl, push, twist = triple(way[p], SPIN), triple(way[p], PUSH), triple(way[p], TWIST)
    r_turned, own_turned, relative_turned = cross(turn, r), cross(turn, own), cross(turn, relative)
    put(way, i, PLACE, add(place, r_turned))
    put(way, i, TURN, turn)
    put(way, i, SPEED, add(add(speed, cross(swirl, r)), add(cross(w_p, r_turned), relative_turned)))
    put(way, i, SPIN, add(swirl, own_turned))
    push = add(add(push, cross(twist, r)), cross(alpha_p, r_turned))
    push = add(push, cross(swirl, add(cross(w_p, r), scale(2.0, relative))))
    change = add(add(cross(swirl, r), cross(w_p, r_turned)), scale(2.0, relative_turned))
    put(way, i, PUSH, add(add(push, cross(w_p, change)), cross(turn, rest)))
    twist = add(add(twist, cross(swirl, own)), cross(w_p, own_turned))
    put(way, i, TWIST, add(twist, cross(turn, beta)))


@compiled
def changed_wrenches(first, last, moving, system, work):
    """branch.change_load = change of the wrenches on all subtrees, nodes first to last - 1 being on their way."""
    tree, branch = system.tree, work.branch
    way, change, load, n = branch.way, branch.change_load, branch.load, tree.body.size
    for i in range(n):
        for k in range(6):
            change[i, k] = 0.0
    for i in range(first, last):
        b, turn = tree.body[i], triple(way[i], TURN)
        twist = subtract(triple(way[i], TWIST), cross(turn, triple(branch.acceleration[i], 3)))
        force, torque = inertial(b, triple(way[i], PUSH), twist, system, work)
        accumulate(change, i, 0, force)
        accumulate(change, i, 3, add(torque, cross(turn, triple(branch.inertia[i], 3))))
    for k in range(tree.block.shape[0]):
        i, j = tree.block[k, 0], tree.block[k, 1]
        if first <= j and j < last:
            R, R_i, turn = (
                rotation_of(work.rotation, tree.body[j]),
                rotation_of(work.rotation, tree.body[i]),
                triple(way[j], TURN),
            )
            place, turned = triple(way[j], PLACE), rotate_back(R, turn)
            spin = subtract(triple(way[j], SPIN), cross(turn, triple(branch.spin[j], 0)))
            speed, swirl = triple(way[j], SPEED), rotate_back(R, spin)
            force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if moving:
                force = add(force, product(branch.k, 36 * k, place, turned))
                torque = add(torque, product(branch.k, 36 * k + 18, place, turned))
            force = add(force, product(branch.d_block, 36 * k, speed, swirl))
            torque = add(torque, product(branch.d_block, 36 * k + 18, speed, swirl))
            accumulate(change, i, 0, force)
            accumulate(change, i, 3, rotate(R_i, torque))
    for back in range(n):
        i = n - 1 - back
        p = tree.parent[i]
        if p < n:
            force, swing = triple(change[i], 0), subtract(triple(way[i], PLACE), triple(way[p], PLACE))
            accumulate(change, p, 0, force)
            moment = add(cross(arm(i, system, work), force), cross(swing, triple(load[i], 0)))
            accumulate(change, p, 3, add(triple(change[i], 3), moment))


@compiled
def product(values, start, a, b):
    """Three rows of six times the motion (a, b)."""
    return (
        dot(triple(values, start), a) + dot(triple(values, start + 3), b),
        dot(triple(values, start + 6), a) + dot(triple(values, start + 9), b),
        dot(triple(values, start + 12), a) + dot(triple(values, start + 15), b),
    )


@compiled
def changed_motion(i, j, row, system, work):
    """Change of the motion of velocity `row`, which belongs to node i, when coordinate j of the same node changes."""
    branch, first = work.branch, system.tree.v_first[i]
    columns, lever = frames(i, system, work)
    shift = along(columns, triple(branch.slope[j], 6 * (row - first)))
    turn = along(columns, triple(branch.slope[j], 6 * (row - first) + 3))
    swing = cross(triple(branch.motion[j], 3), lever)
    return subtract(subtract(shift, cross(turn, lever)), cross(triple(branch.motion[row], 3), swing)), turn


@compiled
def stiffness(i, j, node_of, system, work):
    """Column j of K; branch.change_load is that of its coordinate."""
    tree, branch, k = system.tree, work.branch, work.k
    motion, load, change, last = branch.motion, branch.load, branch.change_load, tree.end[i]
    for e in range(tree.k_start[j], tree.k_start[j + 1]):
        row = tree.k_dof[e]
        node = node_of[row]
        shift, turn = triple(motion[row], 0), triple(motion[row], 3)
        value = dot(shift, triple(change[node], 0)) + dot(turn, triple(change[node], 3))
        if node == i:
            shift, turn = changed_motion(i, j, row, system, work)
            value += dot(shift, triple(load[node], 0)) + dot(turn, triple(load[node], 3))
        elif i < node and node < last:
            turned = triple(branch.way[node], TURN)
            value += dot(cross(turned, shift), triple(load[node], 0)) + dot(cross(turned, turn), triple(load[node], 3))
        k[tree.k_entries + e] = value


@compiled
def damping(j, node_of, system, work):
    """Column j of D; branch.change_load is that of its velocity."""
    tree, branch = system.tree, work.branch
    for e in range(tree.k_start[j], tree.k_start[j + 1]):
        row = tree.k_dof[e]
        shift, turn, node = triple(branch.motion[row], 0), triple(branch.motion[row], 3), node_of[row]
        value = dot(shift, triple(branch.change_load[node], 0)) + dot(turn, triple(branch.change_load[node], 3))
        work.d[tree.d_entries + e] = value


@compiled
def rated(i, j, system, work):
    """Entries of `rate` in column j; nodes are on their way along its coordinate, what elements wrote is in branch.change."""
    tree, branch, last, n = system.tree, work.branch, system.tree.end[i], system.tree.body.size
    for k in range(tree.pull_row.size):
        node, stop = tree.pull_node[k], tree.pull_stop[k]
        if i <= node and node < last and not (i <= stop and stop < last and stop < n):
            R, way, turn = rotation_of(work.rotation, tree.body[node]), branch.way[node], triple(branch.way[node], TURN)
            spin = subtract(triple(way, SPIN), cross(turn, triple(branch.spin[node], 0)))
            value = dot(triple(branch.change, 6 * k), triple(way, PLACE))
            value += dot(triple(branch.change, 6 * k + 3), rotate_back(R, turn))
            value += dot(triple(branch.pull, 6 * k), triple(way, SPEED))
            value += dot(triple(branch.pull, 6 * k + 3), rotate_back(R, spin))
            work.rate[tree.pull_first[k] + tree.depth[node] - tree.depth[i] + j - tree.v_first[i]] = value


@compiled
def collect(values, place, out):
    """What elements have written along the directions of bodies, sorted by pulls or blocks."""
    for i in range(out.size):
        out[i] = 0.0
    for e in range(place.size):
        out[place[e]] += values[e]


@compiled
def clear(values):
    """Zeros."""
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            values[i, k] = 0.0


@compiled
def derivatives(v, flags, system, work):
    """K, D, rate, dG/dt and dM/dt, as the flags ask; work is evaluated, v' in work.u."""
    tree, branch = system.tree, work.branch
    node_of, tangent = tree.node_of, flags & TANGENT != 0
    if flags & (TANGENT | RATE):
        accelerate(system, work)
        clear(branch.way)
        if tangent:
            collect(work.k, tree.k_place, branch.k)
            collect(work.d, tree.d_place, branch.d_block)
            residual_wrenches(system, work)
        if flags & RATE:
            collect(work.rate, tree.g_place, branch.change)
        for i in range(tree.body.size):
            last = tree.end[i]
            for j in range(tree.v_first[i], tree.v_first[i + 1]):
                set_out(i, v, j, system, work)
                for node in range(i + 1, last):
                    follow(node, system, work)
                if flags & RATE:
                    rated(i, j, system, work)
                if tangent:
                    changed_wrenches(i, last, True, system, work)
                    stiffness(i, j, node_of, system, work)
                    speed_up(i, v, j, system, work)
                    for node in range(i + 1, last):
                        follow(node, system, work)
                    changed_wrenches(i, last, False, system, work)
                    damping(j, node_of, system, work)
            for node in range(i, last):
                for k in range(18):
                    branch.way[node, k] = 0.0
    if flags & G_DOT:
        collect(work.g_dot, tree.g_place, branch.change)
        differentiated_rows(v, system, work)
        differentiated_mass(v, system, work)
