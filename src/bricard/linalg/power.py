"""Power of what is not conservative: forces that have no potential, and constraints that move.

From M v' + G^T lam = f follows d(T + V)/dt = P with P = power of the forces + lam . Phi_t, for G v + Phi_t = 0.
"""

from ..compiled.interfaces import ENERGY, KERNEL, PLACE, POWER, VELOCITY
from ..compiled.ledger import UNSURE
from ..compiled.pointers import compiled
from .kkt import evaluate, selected_accelerations, squared_sine

call_kernel, call_place = KERNEL.call, PLACE.call


BESIDE = 1e-6  # squared sine of the angle between rows, up to which loads are not known


@compiled
def moving(system, work):
    """Whether a constraint moves; work is evaluated."""
    phi_t = work.phi_t
    for i in range(system.n_rows):
        if phi_t[i] != 0.0:
            return True
    return False


@POWER
def power_of_forces(t, q, v, system, work):
    """P (W) of a model whose constraints do not move: measures and forces are all that is looked at."""
    call_place(system.methods[5], t, q, v, system, work)
    kernels, first, stage = system.kernels, system.first, system.stage
    work.energy[1] = 0.0
    for k in range(stage[0], stage[1]):
        call_kernel(kernels[k], t, ENERGY, first[k], first[k + 1], system, work)
    for k in range(stage[2], stage[3]):
        call_kernel(kernels[k], t, ENERGY, first[k], first[k + 1], system, work)
    return work.energy[1]


@POWER
def power(t, q, v, system, work):
    """P (W)."""
    evaluate(t, q, v, VELOCITY | ENERGY, system, work)
    total = work.energy[1]
    work.energy[UNSURE] = 0.0
    if moving(system, work):
        selected_accelerations(system, work)
        u, phi_t, o = work.u, work.phi_t, system.n_v + 1
        for i in range(system.n_rows):
            total += u[o + i] * phi_t[i]
        if work.kkt.report[0] > 0 and squared_sine(True, system, work) < BESIDE:
            work.energy[UNSURE] = 1.0
    return total
