"""Compiled look at the samples of a solution: accelerations, reactions, energy, power, constraint errors."""

from ..compiled.interfaces import ENERGY, KERNEL, VELOCITY
from ..compiled.pointers import compiled
from ..kernels.bodies import kinetic_energy
from ..linalg.kkt import consistent_accelerations, evaluate, multiply_mass

call_kernel = KERNEL.call
KINETIC, POTENTIAL, POWER, POSITION, SPEED, ACCELERATION = range(6)


@compiled
def observe(t, q, v, turns, places, known, own, has_own, table, a, lam, system, work):
    """For every sample: `table` (samples, 6) of kinetic and potential energy (J), power of what is not conservative (W), and
    the largest error of the three constraint levels in scaled rows; accelerations `a` (samples, n_v) and multipliers `lam`
    (samples, n_rows) of the acceleration level, or arrays of zero samples for what is not wanted. `turns` (samples,
    n_measures) are the counted measures, `known` (samples, m) coordinates of users' joints, near which the elements look for
    theirs, at the `places` (m,) of Work.memory, `own` the method's own accelerations, judged at the third level."""
    n_v, n_rows = system.n_v, system.n_rows
    phi, phi_dot, phi_t, gamma, b, u, e = (
        work.phi,
        work.phi_dot,
        work.phi_t,
        work.gamma,
        work.b,
        work.u,
        work.e,
    )
    g, g_row, g_column, scale, level = work.g, system.g_row, system.g_column, system.row_scale, system.velocity_level
    for k in range(t.size):
        for m in range(work.turn.size):
            work.turn[m] = turns[k, m]
        for j in range(places.size):
            work.memory[places[j]] = known[k, j]
        evaluate(t[k], q[k], v[k], VELOCITY | ENERGY, system, work)
        potential, power = work.energy[0], work.energy[1]
        consistent_accelerations(t[k], q[k], v[k], system, work)
        for i in range(n_rows):
            power += work.lam[i] * phi_t[i]
        errors = [0.0, 0.0, 0.0]
        for i in range(n_rows):
            if level[i] == 0:
                errors[0] = max(errors[0], abs(phi[i]) * scale[i])
            errors[1] = max(errors[1], abs(phi_dot[i]) * scale[i])
            b[n_v + 1 + i] = -gamma[i]
        for n in range(g.size):
            if g_column[n] < n_v:
                b[n_v + 1 + g_row[n]] += g[n] * (own[k, g_column[n]] if has_own else u[g_column[n]])
        for i in range(n_rows):
            errors[2] = max(errors[2], abs(b[n_v + 1 + i]) * scale[i])
        if a.shape[0] > 0:
            for i in range(n_v):
                a[k, i] = u[i]
        if lam.shape[0] > 0:
            for i in range(n_rows):
                lam[k, i] = work.lam[i]
        kinetic = kinetic_energy(system, work)
        if system.n_bodies == 0:
            for i in range(n_v):
                u[i] = v[k, i]
            u[n_v] = 0.0
            multiply_mass(system, work, u, e)
            for i in range(n_v):
                kinetic += 0.5 * e[i] * u[i]
        table[k, 0], table[k, 1], table[k, 2] = kinetic, potential, power
        table[k, 3], table[k, 4], table[k, 5] = errors[0], errors[1], errors[2]


@compiled
def mechanical_energy(t, q, v, turns, places, known, out, system, work):
    """Kinetic and potential energy (J) of samples, out (samples, 2), and nothing else; arguments as those of observe."""
    for k in range(t.size):
        for m in range(work.turn.size):
            work.turn[m] = turns[k, m]
        for j in range(places.size):
            work.memory[places[j]] = known[k, j]
        evaluate(t[k], q[k], v[k], VELOCITY | ENERGY, system, work)
        out[k, 0], out[k, 1] = kinetic_energy(system, work), work.energy[0]


@compiled
def wrenches(t, q, v, turns, places, known, lam, row_slot, row_part, force_slot, out, system, apart, work):
    """Loads of joints and forces on bodies, out (samples, slots, 6): force in the world, torque about the centre of mass in
    body axes. Joints: -G^T lam, entry n of G belonging to the slot row_slot[n] and its direction row_part[n]. Forces: what each
    element adds to f of its two bodies, force_slot (elements, 2, 2) of slot and number of the body. `apart` is the system with
    six places in f for each body, ground included."""
    g, g_row, f = work.g, system.g_row, work.f
    kernels, first, stage = system.kernels, system.first, system.stage
    start = first[stage[2]]
    for k in range(t.size):
        for m in range(work.turn.size):
            work.turn[m] = turns[k, m]
        for j in range(places.size):
            work.memory[places[j]] = known[k, j]
        evaluate(t[k], q[k], v[k], VELOCITY, system, work)
        for n in range(g.size):
            out[k, row_slot[n], row_part[n]] -= g[n] * lam[k, g_row[n]]
        for j in range(f.size):
            f[j] = 0.0
        for i in range(stage[2], stage[3]):
            for e in range(first[i], first[i + 1]):
                call_kernel(kernels[i], t[k], 0, e, e + 1, apart, work)
                for side in range(2):
                    slot, body = force_slot[e - start, side, 0], force_slot[e - start, side, 1]
                    for part in range(6):
                        out[k, slot, part] += f[6 * body + part]
                        f[6 * body + part] = 0.0
