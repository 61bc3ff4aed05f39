"""Relative coordinates: dG/dt and dM/dt along the motion, from the rates of the joints' motions.

With J made of the motions S of the joints, in world axes,

    dG/dt = (dG/dt along bodies) J + G dJ/dt,   dM/dt = dJ/dt^T M J + J^T M dJ/dt

where M of the bodies is constant in their own axes.
"""

from ..compiled.pointers import compiled
from .newton_euler import above_of, arm, inertial
from .vectors import add, cross, dot, nine, position_of, rotate, rotate_back, rotation_of, scale, subtract, triple


@compiled
def frames(i, system, work):
    """Axes of frame A in the world, and the lever from the centre of mass to frame B."""
    frame, A = system.tree.frame, nine(system.tree.frame[i], 3)
    R_p, R = rotation_of(work.rotation, above_of(i, system)), rotation_of(work.rotation, system.tree.body[i])
    columns = (
        rotate(R_p, (A[0][0], A[1][0], A[2][0])),
        rotate(R_p, (A[0][1], A[1][1], A[2][1])),
        rotate(R_p, (A[0][2], A[1][2], A[2][2])),
    )
    return columns, rotate(R, triple(frame[i], 12))


@compiled
def along(columns, a):
    """A vector of frame A in the world."""
    return add(add(scale(a[0], columns[0]), scale(a[1], columns[1])), scale(a[2], columns[2]))


@compiled
def motion_rate(i, j, v, system, work):
    """d/dt of the motion of velocity j of node i."""
    tree, branch = system.tree, work.branch
    first, columns_lever = tree.v_first[i], frames(i, system, work)
    columns, lever = columns_lever
    shift, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(tree.v_first[i + 1] - first):
        shift = add(shift, scale(v[first + k], triple(branch.slope[first + k], 6 * (j - first))))
        turn = add(turn, scale(v[first + k], triple(branch.slope[first + k], 6 * (j - first) + 3)))
    w_p, w, own_turn = triple(branch.spin[tree.parent[i]], 0), triple(branch.spin[i], 0), triple(branch.motion[j], 3)
    turn = add(along(columns, turn), cross(w_p, own_turn))
    shift = add(along(columns, shift), cross(w_p, along(columns, triple(branch.s[j], 0))))
    shift = subtract(subtract(shift, cross(turn, lever)), cross(own_turn, cross(w, lever)))
    return shift, turn


@compiled
def carried(i, node, shift, turn, shift_rate, turn_rate, system, work):
    """A motion of node i and its rate, at a node of its subtree."""
    a, b, x, velocity = system.tree.body[i], system.tree.body[node], work.x, work.velocity
    r = subtract(position_of(x, b), position_of(x, a))
    r_rate = subtract(position_of(velocity, b), position_of(velocity, a))
    return add(shift, cross(turn, r)), add(add(shift_rate, cross(turn_rate, r)), cross(turn, r_rate))


@compiled
def differentiated_rows(v, system, work):
    """g_dot; what elements wrote is in branch.change."""
    tree, branch, g_dot = system.tree, work.branch, work.g_dot
    for k in range(tree.pull_row.size):
        node, place = tree.pull_node[k], tree.pull_first[k]
        i, R, w = node, rotation_of(work.rotation, tree.body[node]), triple(branch.spin[node], 0)
        while i != tree.pull_stop[k]:
            for j in range(tree.v_first[i], tree.v_first[i + 1]):
                shift, turn = triple(branch.motion[j], 0), triple(branch.motion[j], 3)
                shift_rate, turn_rate = motion_rate(i, j, v, system, work)
                shift, shift_rate = carried(i, node, shift, turn, shift_rate, turn_rate, system, work)
                value = dot(triple(branch.change, 6 * k), shift)
                value += dot(triple(branch.change, 6 * k + 3), rotate_back(R, turn))
                value += dot(triple(branch.pull, 6 * k), shift_rate)
                value += dot(triple(branch.pull, 6 * k + 3), rotate_back(R, subtract(turn_rate, cross(w, turn))))
                g_dot[place] = value
                place += 1
            above = tree.parent[i]
            if above == tree.body.size:
                break
            i = above


@compiled
def differentiated_mass(v, system, work):
    """m_dot, in the order of M."""
    tree, branch, m_dot, n, place = system.tree, work.branch, work.m_dot, system.tree.body.size, 0
    for back in range(n):
        i = n - 1 - back
        for j in range(tree.v_first[i], tree.v_first[i + 1]):
            shift, turn = triple(branch.motion[j], 0), triple(branch.motion[j], 3)
            shift_rate, turn_rate = motion_rate(i, j, v, system, work)
            force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            force_rate, torque_rate = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            for node in range(i, tree.end[i]):
                b, w = tree.body[node], triple(branch.spin[node], 0)
                moved, moved_rate = carried(i, node, shift, turn, shift_rate, turn_rate, system, work)
                push, spin = inertial(b, moved, turn, system, work)
                push_rate, spin_rate = inertial(b, moved_rate, subtract(turn_rate, cross(w, turn)), system, work)
                r = subtract(position_of(work.x, b), position_of(work.x, tree.body[i]))
                r_rate = subtract(position_of(work.velocity, b), position_of(work.velocity, tree.body[i]))
                force, force_rate = add(force, push), add(force_rate, push_rate)
                torque = add(torque, add(spin, cross(r, push)))
                torque_rate = add(torque_rate, add(add(spin_rate, cross(w, spin)), cross(r, push_rate)))
                torque_rate = add(torque_rate, cross(r_rate, push))
            node = i
            while True:
                for k in range(tree.v_first[node], tree.v_first[node + 1]):
                    own_rate, own_turn_rate = motion_rate(node, k, v, system, work)
                    value = dot(own_rate, force) + dot(own_turn_rate, torque)
                    value += dot(triple(branch.motion[k], 0), force_rate) + dot(
                        triple(branch.motion[k], 3), torque_rate
                    )
                    m_dot[place] = value
                    place += 1
                    if node != i:
                        m_dot[place] = value
                        place += 1
                above = tree.parent[node]
                if above == n:
                    break
                r = arm(node, system, work)
                r_rate = subtract(
                    position_of(work.velocity, tree.body[node]), position_of(work.velocity, tree.body[above])
                )
                torque_rate = add(torque_rate, add(cross(r_rate, force), cross(r, force_rate)))
                torque = add(torque, cross(r, force))
                node = above
