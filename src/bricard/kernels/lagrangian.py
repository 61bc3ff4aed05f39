"""Rigid bodies in Lagrangian coordinates: q = (x of the centre of mass, rotation parameters p), v = q'.

Elements know angular velocities and turns in body axes. With w = H(p) p' (rotation_sets.py) and b = dH/dt p', what they write
becomes, for the torque tau, the inertia J and the turning columns G of a body,

    M = H^T J H,   f = H^T (tau - J b),   G -> G H,   gamma -> gamma - G b,   dG/dt -> dG/dt H + G dH/dt

and with the slope A = d(H p')/dp, the load s = J w' + G^T lam - tau and K, D as the elements write them

    rate -> rate H + G A,   D -> H^T (D H + J (A + dH/dt)),
    K -> H^T (K H + D A + J d(H p'' + b)/dp) + d(H^T s)/dp

(blocks of two bodies without the terms in J and s). Derivatives of H are complex steps, exact to rounding; only db/dp is a
central difference of them, good to 1e-9. Of nonholonomic rows that are not linear in the velocities K leaves out how A changes
with w, as D does; that only steers Newton's method.

A unit quaternion has the further row (p.p - 1)/2 = 0. M then has rank 6 in the 7 velocities of a body; an added mass holds the
direction of p, and since the row says everything there, it changes nothing but the row's multiplier, which is 0.
At a singular position of the parameters the forces of the body are made NaN, so that no step goes beyond it.
"""

import math

from ..compiled.interfaces import EVALUATE, G_DOT, MAP, PLACE, RATE, TANGENT, VELOCITY
from ..compiled.pointers import compiled
from .bodies import evaluate_elements, inertia_of, place_planar, turn_body
from .rotation_sets import LOST, QUATERNION, quaternion_of, regularity, turning_map
from .vectors import add, dot, nine, rotate, scale, subtract, triple

TINY, DIFFERENCE = 1e-30, 1e-5


@compiled
def four(values, start, size):
    """Three or four neighbouring numbers of a flat array as a tuple of four."""
    return values[start], values[start + 1], values[start + 2], values[start + 3] if size == 4 else 0.0


@compiled
def derivative(kind, p, way):
    """dH along `way`, tuple of rows."""
    s = TINY * 1j
    H = turning_map(kind, (p[0] + s * way[0], p[1] + s * way[1], p[2] + s * way[2], p[3] + s * way[3]))
    return imaginary(H[0]), imaginary(H[1]), imaginary(H[2])


@compiled
def imaginary(row):
    """The derivative in a row of complex steps."""
    return row[0].imag / TINY, row[1].imag / TINY, row[2].imag / TINY, row[3].imag / TINY


@compiled
def times(H, p):
    """H p."""
    a, b, c = H
    return (
        a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[3] * p[3],
        b[0] * p[0] + b[1] * p[1] + b[2] * p[2] + b[3] * p[3],
        c[0] * p[0] + c[1] * p[1] + c[2] * p[2] + c[3] * p[3],
    )


@compiled
def unit(j):
    """A unit vector of four."""
    return 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0, 1.0 if j == 3 else 0.0


@compiled
def column_of(matrix, b, j):
    """Column j of the matrix of three rows of four that is stored in row b."""
    return matrix[b, j], matrix[b, 4 + j], matrix[b, 8 + j]


@compiled
def store(matrix, b, rows):
    """Three rows of four numbers into row b."""
    for i in range(3):
        for c in range(4):
            matrix[b, 4 * i + c] = rows[i][c]


@compiled
def place_parameters(system, work, q, v, flags):
    """Positions, rotation matrices and velocities of all bodies; H, dH/dt, b and, where they are needed, the slopes."""
    x, rotation, velocity, turning, chart = work.x, work.rotation, work.velocity, work.turning, system.chart
    q_start, planar, kind, size = system.q_start, system.planar, chart.kind, chart.size
    for b in range(system.n_bodies):
        o = q_start[b]
        if planar[b]:
            place_planar(b, o, o, q, v, work)
            continue
        p, p_dot = four(q, o + 3, size), four(v, o + 3, size)
        for c in range(3):
            x[b, c], velocity[b, c] = q[o + c], v[o + c]
        w, i, j, k = quaternion_of(kind, p)
        turn_body(b, w, i, j, k, rotation)
        H, H_dot = turning_map(kind, p), derivative(kind, p, p_dot)
        store(turning.h, b, H)
        store(turning.h_dot, b, H_dot)
        spin, bend = times(H, p_dot), times(H_dot, p_dot)
        for c in range(3):
            velocity[b, 3 + c], turning.bend[b, c] = spin[c], bend[c]
        if flags & (RATE | TANGENT):
            for j in range(size):
                slope = times(derivative(kind, p, unit(j)), p_dot)
                for i in range(3):
                    turning.slope[b, 4 * i + j] = slope[i]


@compiled
def masses(system, work, q, flags):
    """M, dM/dt, the added mass, and the forces of the parameters."""
    m, m_dot, added, f, turning, chart = work.m, work.m_dot, work.added, work.f, work.turning, system.chart
    q_start, planar, column, inertia, size = (
        system.q_start,
        system.planar,
        system.column,
        system.inertia,
        chart.size,
    )
    for b in range(system.n_bodies):
        if planar[b]:
            continue
        o, n, J = q_start[b] + 3, chart.mass_first[b], inertia_of(inertia, b)
        torque, moment = triple(f, column[b, 3]), rotate(J, triple(turning.bend[b], 0))
        rest = subtract(torque, moment)
        lost = not regularity(chart.kind, four(q, o, size)) > LOST
        extra, along = triple(chart.added[b], 0), chart.added[b, 3]
        for i in range(size):
            h = column_of(turning.h, b, i)
            f[o + i] = math.nan if lost else dot(h, rest)
            for j in range(size):
                h_j = column_of(turning.h, b, j)
                m[n] = dot(h, rotate(J, h_j))
                added[n] = h[0] * extra[0] * h_j[0] + h[1] * extra[1] * h_j[1] + h[2] * extra[2] * h_j[2]
                added[n] += along * q[o + i] * q[o + j]
                if flags & G_DOT:
                    change, change_j = column_of(turning.h_dot, b, i), column_of(turning.h_dot, b, j)
                    m_dot[n] = dot(change, rotate(J, h_j)) + dot(h, rotate(J, change_j))
                n += 1


@compiled
def gather(values, place, out):
    """The entries that elements have written, sorted by triple or block."""
    for i in range(out.size):
        out[i] = 0.0
    for e in range(place.size):
        out[place[e]] += values[e]


@compiled
def transform(values, change, slopes, start, size, bodies, g, out):
    """out = change H + G slope for each triple; `values` are H by bodies."""
    n = start
    for m in range(bodies.size):
        b, turn, own = bodies[m], triple(change, 3 * m), triple(g, 3 * m)
        for c in range(size):
            out[n] = dot(turn, column_of(values, b, c)) + dot(own, column_of(slopes, b, c))
            n += 1


@compiled
def constraints(system, work, q, v, flags):
    """G, gamma, rate and dG/dt in the parameters; the rows of unit norms."""
    turning, chart, g, gamma, level = work.turning, system.chart, work.g, work.gamma, system.velocity_level
    size, start, bodies, rows = chart.size, chart.g_entries, chart.triple_body, chart.triple_row
    gather(g, chart.g_place, turning.g)
    n = start
    for m in range(bodies.size):
        b, row, turn = bodies[m], rows[m], triple(turning.g, 3 * m)
        for c in range(size):
            g[n] = dot(turn, column_of(turning.h, b, c))
            n += 1
        if flags & VELOCITY != 0 or level[row] != 0:
            gamma[row] -= dot(turn, triple(turning.bend[b], 0))
    if flags & RATE:
        gather(work.rate, chart.g_place, turning.change)
        transform(turning.h, turning.change, turning.slope, start, size, bodies, turning.g, work.rate)
    if flags & G_DOT:
        gather(work.g_dot, chart.g_place, turning.change)
        transform(turning.h, turning.change, turning.h_dot, start, size, bodies, turning.g, work.g_dot)
    if chart.kind == QUATERNION:
        norms(system, work, q, v)


@compiled
def norms(system, work, q, v):
    """The rows (p.p - 1)/2 = 0."""
    g, rate, g_dot, q_start, planar = work.g, work.rate, work.g_dot, system.q_start, system.planar
    n = system.chart.norm_entry
    for b in range(system.n_bodies):
        if not planar[b]:
            o, row = q_start[b] + 3, system.chart.norm_row[b]
            square, product, speed = 0.0, 0.0, 0.0
            for c in range(4):
                p, p_dot = q[o + c], v[o + c]
                square, product, speed = square + p * p, product + p * p_dot, speed + p_dot * p_dot
                g[n], rate[n], g_dot[n] = p, p_dot, p_dot
                n += 1
            work.phi[row], work.phi_dot[row], work.gamma[row] = 0.5 * (square - 1.0), product, -speed


@compiled
def loads(system, work):
    """J w' + G^T lam - torque of each body, in body axes, with v' in work.u."""
    load, turning, u, f, lam, chart = work.turning.load, work.turning, work.u, work.f, work.lam, system.chart
    for b in range(system.n_bodies):
        if not system.planar[b]:
            spin = triple(turning.bend[b], 0)
            for c in range(chart.size):
                spin = add(spin, scale(u[system.q_start[b] + 3 + c], column_of(turning.h, b, c)))
            moment = rotate(inertia_of(system.inertia, b), spin)
            for i in range(3):
                load[b, i] = moment[i] - f[system.column[b, 3] + i]
    for m in range(chart.triple_body.size):
        for i in range(3):
            load[chart.triple_body[m], i] += turning.g[3 * m + i] * lam[chart.triple_row[m]]


@compiled
def own_terms(b, j, o, q, v, system, work):
    """Column j of J d(H p'' + b)/dp, of J (A + dH/dt), and of d(H^T s)/dp, of one body."""
    kind, size, turning, u = system.chart.kind, system.chart.size, work.turning, work.u
    p, p_dot, e = four(q, o, size), four(v, o, size), unit(j)
    h = DIFFERENCE * (1.0 + abs(p[0]) + abs(p[1]) + abs(p[2]) + abs(p[3]))
    ahead = (p[0] + h * e[0], p[1] + h * e[1], p[2] + h * e[2], p[3] + h * e[3])
    behind = (p[0] - h * e[0], p[1] - h * e[1], p[2] - h * e[2], p[3] - h * e[3])
    more, less = times(derivative(kind, ahead, p_dot), p_dot), times(derivative(kind, behind, p_dot), p_dot)
    along = derivative(kind, p, e)
    turn, J, s = times(along, four(u, o, size)), inertia_of(system.inertia, b), triple(turning.load[b], 0)
    slope, change = column_of(turning.slope, b, j), column_of(turning.h_dot, b, j)
    bent = add(turn, scale(0.5 / h, subtract(more, less)))
    held = (
        along[0][0] * s[0] + along[1][0] * s[1] + along[2][0] * s[2],
        along[0][1] * s[0] + along[1][1] * s[1] + along[2][1] * s[2],
        along[0][2] * s[0] + along[1][2] * s[1] + along[2][2] * s[2],
        along[0][3] * s[0] + along[1][3] * s[1] + along[2][3] * s[2],
    )
    return rotate(J, bent), rotate(J, add(slope, change)), held


@compiled
def tangents(system, work, q, v):
    """K and D in the parameters, block by block."""
    turning, chart, k, d = work.turning, system.chart, work.k, work.d
    gather(k, chart.k_place, turning.k)
    gather(d, chart.d_place, turning.d)
    loads(system, work)
    size = chart.size
    for n in range(chart.block.shape[0]):
        r, r_turn, c, c_turn = chart.block[n, 0], chart.block[n, 1], chart.block[n, 2], chart.block[n, 3]
        rows, columns = size if r_turn else 3, size if c_turn else 3
        K, D, own = nine(turning.k, 9 * n), nine(turning.d, 9 * n), r == c and r_turn + c_turn == 2
        for j in range(columns):
            e = unit(j)
            way, slope = (e[0], e[1], e[2]), (0.0, 0.0, 0.0)
            if c_turn:
                way, slope = column_of(turning.h, c, j), column_of(turning.slope, c, j)
            stiff, damp = add(rotate(K, way), rotate(D, slope)), rotate(D, way)
            held = (0.0, 0.0, 0.0, 0.0)
            if own:
                bent, dragged, held = own_terms(r, j, system.q_start[r] + 3, q, v, system, work)
                stiff, damp = add(stiff, bent), add(damp, dragged)
            for i in range(rows):
                o_k, o_d = chart.block_k[n] + columns * i + j, chart.block_d[n] + columns * i + j
                if r_turn:
                    h = column_of(turning.h, r, i)
                    k[o_k], d[o_d] = dot(h, stiff) + held[i], dot(h, damp)
                else:
                    k[o_k], d[o_d] = stiff[i], damp[i]
            if own and chart.kind == QUATERNION:
                k[chart.block_k[n] + columns * j + j] += work.lam[chart.norm_row[r]]


@compiled
def to_group(q, v, chart_system, group_system, out_q, out_v):
    """Samples of q and v with unit quaternions and angular velocities in the place of the parameters."""
    kind, size, n = chart_system.chart.kind, chart_system.chart.size, chart_system.n_bodies
    starts, places, columns, planar = (
        chart_system.q_start,
        group_system.q_start,
        group_system.column,
        group_system.planar,
    )
    for s in range(q.shape[0]):
        for b in range(n):
            i, o, u = starts[b], places[b], columns[b, 0]
            for c in range(3):
                out_q[s, o + c], out_v[s, u + c] = q[s, i + c], v[s, i + c]
            if not planar[b]:
                p = four(q[s], i + 3, size)
                turn, spin = quaternion_of(kind, p), times(turning_map(kind, p), four(v[s], i + 3, size))
                norm = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2)
                for c in range(4):
                    out_q[s, o + 3 + c] = turn[c] / norm
                for c in range(3):
                    out_v[s, u + 3 + c] = spin[c]


@EVALUATE
def evaluate_parameters(t, q, v, flags, system, work):
    """Everything that the flags ask for at (t, q, v)."""
    place_parameters(system, work, q, v, flags)
    evaluate_elements(t, flags, system, work)
    masses(system, work, q, flags)
    constraints(system, work, q, v, flags)
    if flags & TANGENT:
        tangents(system, work, q, v)


@PLACE
def place_bodies_by_parameters(t, q, v, system, work):
    """Where the bodies are and how they move."""
    place_parameters(system, work, q, v, 0)


@MAP
def map_parameters(q, v, system, work):
    """T is the identity."""
    for i in range(system.n_q):
        work.t[i], work.t_inverse[i] = 1.0, 1.0
