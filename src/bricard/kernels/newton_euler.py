"""Recursive Newton-Euler: what must act in the joints of a tree for given accelerations, at a cost linear in the bodies.

Going outwards, accelerations of the bodies from v'; on each body acts the wrench M a + G^T lam - f; going inwards, the wrenches
of all bodies of a subtree are added up at its root, and the motion of the joint there takes its share of them:

    tau = J^T (M a + G^T lam - f) = M v' + G^T lam - f   in joint coordinates

The tangent (tree_tangent.py) differentiates this.
Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 5.
"""

from ..compiled.pointers import compiled
from .bodies import inertia_of
from .vectors import add, cross, dot, position_of, rotate, rotate_back, rotation_of, scale, subtract, triple


@compiled
def put(values, i, start, a):
    """Three numbers into row i."""
    values[i, start], values[i, start + 1], values[i, start + 2] = a


@compiled
def accumulate(values, i, start, a):
    """Three numbers added to row i."""
    values[i, start] += a[0]
    values[i, start + 1] += a[1]
    values[i, start + 2] += a[2]


@compiled
def above_of(i, system):
    """Body above node i."""
    p = system.tree.parent[i]
    return system.tree.body[p] if p < system.tree.body.size else system.n_bodies


@compiled
def arm(i, system, work):
    """r from the centre of mass of the parent."""
    return subtract(position_of(work.x, system.tree.body[i]), position_of(work.x, above_of(i, system)))


@compiled
def accelerate(system, work):
    """Accelerations of all bodies with v' = work.u."""
    tree, branch = system.tree, work.branch
    a, drift, motion, u = branch.acceleration, branch.drift, branch.motion, work.u
    for i in range(tree.body.size):
        p, r = tree.parent[i], arm(i, system, work)
        alpha = triple(a[p], 3)
        moved = add(add(triple(a[p], 0), cross(alpha, r)), triple(drift[i], 0))
        alpha = add(alpha, triple(drift[i], 3))
        for j in range(tree.v_first[i], tree.v_first[i + 1]):
            moved = add(moved, scale(u[j], triple(motion[j], 0)))
            alpha = add(alpha, scale(u[j], triple(motion[j], 3)))
        put(a, i, 0, moved)
        put(a, i, 3, alpha)


@compiled
def inertial(b, push, twist, system, work):
    """M a of a body: force, and torque in the world, of accelerations in the world."""
    R = rotation_of(work.rotation, b)
    return scale(system.mass[b], push), rotate(R, rotate(inertia_of(system.inertia, b), rotate_back(R, twist)))


@compiled
def residual_wrenches(system, work):
    """M a + G^T lam - f of each body (into branch.inertia) and of its subtree (branch.load), world axes."""
    tree, branch, f, column = system.tree, work.branch, work.f, system.column
    own, load, a, pull, lam, n = branch.inertia, branch.load, branch.acceleration, branch.pull, work.lam, tree.body.size
    for i in range(n):
        b = tree.body[i]
        force, torque = inertial(b, triple(a[i], 0), triple(a[i], 3), system, work)
        if system.planar[b]:
            o = column[b, 0]
            force, torque = subtract(force, (f[o], f[o + 1], 0.0)), subtract(torque, (0.0, 0.0, f[o + 2]))
        else:
            force = subtract(force, triple(f, column[b, 0]))
            torque = subtract(torque, rotate(rotation_of(work.rotation, b), triple(f, column[b, 3])))
        put(own, i, 0, force)
        put(own, i, 3, torque)
    for k in range(tree.pull_row.size):
        i, factor = tree.pull_node[k], lam[tree.pull_row[k]]
        R = rotation_of(work.rotation, tree.body[i])
        accumulate(own, i, 0, scale(factor, triple(pull, 6 * k)))
        accumulate(own, i, 3, scale(factor, rotate(R, triple(pull, 6 * k + 3))))
    for i in range(n):
        for k in range(6):
            load[i, k] = own[i, k]
    for back in range(n):
        i = n - 1 - back
        p = tree.parent[i]
        if p < n:
            force = triple(load[i], 0)
            accumulate(load, p, 0, force)
            accumulate(load, p, 3, add(triple(load[i], 3), cross(arm(i, system, work), force)))


@compiled
def newton_euler(tau, system, work):
    """tau (n_v) = M v' + G^T lam - f, with v' in work.u and lam in work.lam; work is evaluated."""
    tree, motion, load = system.tree, work.branch.motion, work.branch.load
    accelerate(system, work)
    residual_wrenches(system, work)
    for j in range(system.n_v):
        i = tree.node_of[j]
        tau[j] = dot(triple(motion[j], 0), triple(load[i], 0)) + dot(triple(motion[j], 3), triple(load[i], 3))
