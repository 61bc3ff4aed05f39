"""Augmented Lagrangian, index 1: the penalty method iterated until the constraints hold.

    M v' + G^T (lam* + kappa Phi^) = f,   lam* <- lam* + kappa Phi^,   Phi^ = G v' - gamma + 2 Omega mu Phi' + Omega^2 Phi

In each round the multipliers take over what the penalty has carried; their error shrinks by 1 / (1 + kappa sigma), sigma the
smallest eigenvalue of G M^-1 G^T that is not zero. All rounds share one factorisation. kappa is relative to natural sizes: a
small one needs many rounds, with a large one redundant rows, which contradict each other a little inside a step, cost accuracy.
All rows take part, so redundant rows and singular positions need no choice of rows: the robust one for mechanisms that pass
them. Each evaluation starts from the multipliers of the last one, which saves one to three rounds.
Acceleration constraints hold to `iteration_tolerance`; the lower levels are brought back after each step by a projection of the
same kind (correction="augmented-lagrangian"). Without it take Omega, and expect a stop at singular positions, as with penalty.
Reference: Bayo and Ledesma, Nonlinear Dynamics 9 (1996) 113-130; spec 003, section 3; spec 004, sections 1.7, 1.8.
"""

import math

from ..compiled.interfaces import KINEMATICS, RHS, VELOCITY
from ..compiled.status import RUNNING
from ..linalg.factor import failure
from ..linalg.kkt import evaluate
from ..linalg.soft_rows import factorise_soft, refine_soft
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .baumgarte import stabilised
from .corrections import full_state
from .penalty import stop_if_undecided

call_kinematics = KINEMATICS.call


@RHS
def augmented_lagrangian(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']. work.lam: multipliers of the last evaluation, where the iteration starts.

    options: Omega (1/s), mu, 1/kappa, tolerance of the iteration, rounds at most.
    """
    n_q, n_v, options = system.n_q, system.n_v, work.options
    q, v, u, lam = y[:n_q], y[n_q : n_q + n_v], work.u, work.lam
    evaluate(t, q, v, VELOCITY, system, work)
    stabilised(options[0] * options[1], options[0], system, work)
    regular = factorise_soft(system, work, options[2])
    total = 0.0
    for i in range(n_v + 1):
        u[i] = 0.0
    for i in range(system.n_rows):
        u[n_v + 1 + i] = lam[i]
    work.tally[1] += refine_soft(system, work, 0.0, int(options[4]), options[3], work.b, u)
    for i in range(system.n_rows):
        total += u[n_v + 1 + i]
    for i in range(system.n_rows):  # an evaluation that failed must not spoil the next
        lam[i] = u[n_v + 1 + i] if math.isfinite(total) else 0.0
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        y_dot[n_q + i] = u[i]
    return RUNNING if regular else failure(work.kkt)


def ode(
    system,
    omega=0.0,
    mu=1.0,
    kappa=1e5,
    iteration_tolerance=1e-10,
    iterations=10,
    correction="augmented-lagrangian",
):
    """The Ode form."""
    numbers = (omega, mu, 1.0 / kappa, iteration_tolerance, iterations)
    return full_state(system, augmented_lagrangian, correction, numbers, stop_if_undecided)


AUGMENTED_LAGRANGIAN = Formulation(
    name="augmented-lagrangian",
    title="Augmented Lagrangian, index 1: the penalty method iterated",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=("acceleration",),
    drifts=("position", "velocity"),
    references=("Bayo and Ledesma 1996, doi:10.1007/BF01833296",),
    options={"omega": 0.0, "mu": 1.0, "kappa": 1e5, "iteration_tolerance": 1e-10, "iterations": 10},
    ranges={
        "omega": (0.0, 1e6),
        "mu": (0.0, 1e3),
        "kappa": (1e-3, 1e12),
        "iteration_tolerance": (1e-15, 1.0),
        "iterations": (1, 1000),
    },
    correction="augmented-lagrangian",
    cost="one sparse factorisation and two or three solutions",
)
