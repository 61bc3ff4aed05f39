"""Relative coordinates of planar models: recursions along the tree in the plane (kernels/tree.py has those in space).

The same equations with x, y and one angle; what they write has the same layout, so that all else is shared.
"""

from ..compiled.interfaces import TREE_JOINT
from ..compiled.pointers import compiled
from .tree_joints import tell_measures

call_joint = TREE_JOINT.call


@compiled
def place_plane(t, q, v, flags, system, work):
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
        pc, ps, px, py = rotation[above, 0], rotation[above, 3], x[above, 0], x[above, 1]
        ac, as_ = pc * frame[i, 3] - ps * frame[i, 6], ps * frame[i, 3] + pc * frame[i, 6]
        jc, js = ac * c[i, 0] - as_ * c[i, 3], as_ * c[i, 0] + ac * c[i, 3]
        bc, bs = jc * frame[i, 15] + js * frame[i, 18], js * frame[i, 15] - jc * frame[i, 18]
        ox = pc * frame[i, 0] - ps * frame[i, 1] + ac * d[i, 0] - as_ * d[i, 1]  # origin of B from the parent
        oy = ps * frame[i, 0] + pc * frame[i, 1] + as_ * d[i, 0] + ac * d[i, 1]
        lx, ly = bc * frame[i, 12] - bs * frame[i, 13], bs * frame[i, 12] + bc * frame[i, 13]
        rx, ry = ox - lx, oy - ly
        x[b, 0], x[b, 1] = px + rx, py + ry
        rotation[b, 0], rotation[b, 1], rotation[b, 3], rotation[b, 4] = bc, -bs, bs, bc
        wp = velocity[above, 5]
        w, ux, uy = wp, 0.0, 0.0
        vx, vy = velocity[above, 0] - wp * ry, velocity[above, 1] + wp * rx
        for j in range(v_first[i], v_first[i + 1]):
            turn = s[j, 5]
            sx, sy = ac * s[j, 0] - as_ * s[j, 1], as_ * s[j, 0] + ac * s[j, 1]
            mx, my = sx + turn * ly, sy - turn * lx
            motion[j, 0], motion[j, 1], motion[j, 5] = mx, my, turn
            w += turn * v[j]
            ux, uy = ux + sx * v[j], uy + sy * v[j]
            vx, vy = vx + mx * v[j], vy + my * v[j]
        velocity[b, 0], velocity[b, 1], velocity[b, 5], spin[i, 2] = vx, vy, w, w
        alpha, square, own = bias[i, 5], wp * wp, w * w
        gx = -square * ox - 2.0 * wp * uy + ac * bias[i, 0] - as_ * bias[i, 1] + alpha * ly + own * lx
        gy = -square * oy + 2.0 * wp * ux + as_ * bias[i, 0] + ac * bias[i, 1] - alpha * lx + own * ly
        drift[i, 0], drift[i, 1], drift[i, 5] = gx, gy, alpha
        total[i, 0] = total[p, 0] - total[p, 5] * ry + gx
        total[i, 1] = total[p, 1] + total[p, 5] * rx + gy
        total[i, 5] = total[p, 5] + alpha


@compiled
def project_plane(system, work):
    """f = J^T (forces on bodies - M J' v), and M = J^T M J from composite inertias, if it has entries."""
    tree, branch, x, f, m = system.tree, work.branch, work.x, work.f, work.m
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    motion, load, inertia, total = branch.motion, branch.load, branch.inertia, branch.total
    mass, tensor, column, n, ground, place = system.mass, system.inertia, system.column, body.size, system.n_bodies, 0
    for i in range(n):
        b = body[i]
        u = column[b, 0]
        load[i, 0], load[i, 1] = f[u] - mass[b] * total[i, 0], f[u + 1] - mass[b] * total[i, 1]
        load[i, 5] = f[u + 2] - tensor[b, 8] * total[i, 5]
        inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3] = mass[b], 0.0, 0.0, tensor[b, 8]
    for back in range(n):
        i = n - 1 - back
        b, p = body[i], parent[i]
        above = body[p] if p < n else ground
        rx, ry = x[b, 0] - x[above, 0], x[b, 1] - x[above, 1]
        fx, fy, torque = load[i, 0], load[i, 1], load[i, 5]
        heavy, hx, hy, turn = inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3]
        for j in range(v_first[i], v_first[i + 1]):
            mx, my, w = motion[j, 0], motion[j, 1], motion[j, 5]
            f[j] = mx * fx + my * fy + w * torque
            if m.size == 0:
                continue
            gx, gy = heavy * mx - w * hy, heavy * my + w * hx  # momentum of the subtree
            spin = turn * w + hx * my - hy * mx
            for k in range(v_first[i], v_first[i + 1]):
                m[place] = motion[k, 0] * gx + motion[k, 1] * gy + motion[k, 5] * spin
                place += 1
            node, low = i, b
            while parent[node] < n:
                node = parent[node]
                high = body[node]
                spin += (x[low, 0] - x[high, 0]) * gy - (x[low, 1] - x[high, 1]) * gx
                low = high
                for k in range(v_first[node], v_first[node + 1]):
                    value = motion[k, 0] * gx + motion[k, 1] * gy + motion[k, 5] * spin
                    m[place], m[place + 1] = value, value
                    place += 2
        if p < n:
            load[p, 0] += fx
            load[p, 1] += fy
            load[p, 5] += torque + rx * fy - ry * fx
            inertia[p, 0] += heavy
            inertia[p, 1] += hx + heavy * rx
            inertia[p, 2] += hy + heavy * ry
            inertia[p, 3] += turn + 2.0 * (rx * hx + ry * hy) + heavy * (rx * rx + ry * ry)


@compiled
def pull_plane(needs, system, work):
    """G = G J of the rows, and gamma - G J' v."""
    tree, branch, x, g = system.tree, work.branch, work.x, work.g
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    rows, nodes, stops, firsts = tree.pull_row, tree.pull_node, tree.pull_stop, tree.pull_first
    motion, pull, total, n = branch.motion, branch.pull, branch.total, body.size
    gamma, level = work.gamma, system.velocity_level
    for k in range(rows.size):
        node, row, place, stop = nodes[k], rows[k], firsts[k], stops[k]
        fx, fy, torque = pull[6 * k], pull[6 * k + 1], pull[6 * k + 5]
        if needs or level[row]:
            gamma[row] -= fx * total[node, 0] + fy * total[node, 1] + torque * total[node, 5]
        while node != stop:
            for j in range(v_first[node], v_first[node + 1]):
                g[place] = motion[j, 0] * fx + motion[j, 1] * fy + motion[j, 5] * torque
                place += 1
            above = parent[node]
            if above == n:
                break
            low, high = body[node], body[above]
            torque += (x[low, 0] - x[high, 0]) * fy - (x[low, 1] - x[high, 1]) * fx
            node = above


@compiled
def articulate_plane(system, work):
    """v' of an open tree into work.u by articulated inertias, with the forces in work.f. False: a joint without inertia."""
    tree, branch, x, f, u = system.tree, work.branch, work.x, work.f, work.u
    body, parent, v_first = tree.body, tree.parent, tree.v_first
    motion, load, inertia, drift, lever, pivot = (
        branch.motion,
        branch.load,
        branch.inertia,
        branch.drift,
        branch.lever,
        branch.pivot,
    )
    mass, tensor, column, n, ground = system.mass, system.inertia, system.column, body.size, system.n_bodies
    a, regular = branch.acceleration, True
    for i in range(n):
        b = body[i]
        o = column[b, 0]
        load[i, 0], load[i, 1], load[i, 5] = f[o], f[o + 1], f[o + 2]
        inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3] = mass[b], 0.0, mass[b], 0.0
        inertia[i, 4], inertia[i, 5] = 0.0, tensor[b, 8]
    for back in range(n):
        i = n - 1 - back
        b, p = body[i], parent[i]
        xx, xy, yy, xw, yw, ww = (
            inertia[i, 0],
            inertia[i, 1],
            inertia[i, 2],
            inertia[i, 3],
            inertia[i, 4],
            inertia[i, 5],
        )
        fx, fy, torque = load[i, 0], load[i, 1], load[i, 5]
        count = v_first[i + 1] - v_first[i]
        for own in range(count):
            j = v_first[i + 1] - 1 - own
            mx, my, w = motion[j, 0], motion[j, 1], motion[j, 5]
            ux, uy, uw = xx * mx + xy * my + xw * w, xy * mx + yy * my + yw * w, xw * mx + yw * my + ww * w
            square = mx * ux + my * uy + w * uw
            if not square > 0.0:
                regular = False
            inverse, left = 1.0 / square, mx * fx + my * fy + w * torque
            lever[j, 0], lever[j, 1], lever[j, 5], pivot[j, 0], pivot[j, 1] = ux, uy, uw, inverse, left
            if p < n or own + 1 < count:
                share = left * inverse
                fx, fy, torque = fx - share * ux, fy - share * uy, torque - share * uw
                xx, xy, yy = xx - inverse * ux * ux, xy - inverse * ux * uy, yy - inverse * uy * uy
                xw, yw, ww = xw - inverse * ux * uw, yw - inverse * uy * uw, ww - inverse * uw * uw
        if p < n:
            above = body[p]
            cx, cy, cw = drift[i, 0], drift[i, 1], drift[i, 5]
            fx -= xx * cx + xy * cy + xw * cw
            fy -= xy * cx + yy * cy + yw * cw
            torque -= xw * cx + yw * cy + ww * cw
            rx, ry = x[b, 0] - x[above, 0], x[b, 1] - x[above, 1]
            sw, tw = xw - xx * ry + xy * rx, yw - xy * ry + yy * rx
            inertia[p, 0] += xx
            inertia[p, 1] += xy
            inertia[p, 2] += yy
            inertia[p, 3] += sw
            inertia[p, 4] += tw
            inertia[p, 5] += ww - ry * xw + rx * yw - ry * sw + rx * tw
            load[p, 0] += fx
            load[p, 1] += fy
            load[p, 5] += torque + rx * fy - ry * fx
    for i in range(n):
        b, p = body[i], parent[i]
        above = body[p] if p < n else ground
        rx, ry = x[b, 0] - x[above, 0], x[b, 1] - x[above, 1]
        ax = a[p, 0] - a[p, 5] * ry + drift[i, 0]
        ay = a[p, 1] + a[p, 5] * rx + drift[i, 1]
        aw = a[p, 5] + drift[i, 5]
        for j in range(v_first[i], v_first[i + 1]):
            value = pivot[j, 0] * (pivot[j, 1] - lever[j, 0] * ax - lever[j, 1] * ay - lever[j, 5] * aw)
            u[j] = value
            ax, ay, aw = ax + motion[j, 0] * value, ay + motion[j, 1] * value, aw + motion[j, 5] * value
        a[i, 0], a[i, 1], a[i, 5] = ax, ay, aw
    return regular
