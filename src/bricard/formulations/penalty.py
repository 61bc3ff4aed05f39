"""Penalty: constraints as stiff inertia, damping and stiffness, without multipliers.

    M v' + G^T kappa (Phi'' + 2 Omega mu Phi' + Omega^2 Phi) = f,   q' = T(q) v

Phi'' = G v' - gamma. The forces kappa (...) take the place of the multipliers; the constraints are violated in proportion to
1/kappa: Phi settles at lam / (kappa Omega^2). Since kappa multiplies the inertia too, the frequency of the constraints is
Omega, whatever kappa: explicit integrators take it. Never forms G^T kappa G: it is the KKT matrix with -1/kappa on the diagonal
of the multipliers, with the same right-hand side as Baumgarte's, alpha = Omega mu, beta = Omega. kappa is relative to the natural
size 1 / (G M^-1 G^T), so that units do not matter. All rows take part: redundant rows need no choice. At a singular position the
violated constraints do not tell which way the mechanism goes on: there it stops, unless a correction has removed the violation.
For quick, rough models; the augmented Lagrangian removes its error at the price of one or two more solutions.
Reference: Bayo, Garcia de Jalon and Serna, Comp. Meth. Appl. Mech. Eng. 71 (1988) 183-195; spec 004, section 1.7.
"""

from ..compiled.interfaces import AFTER_STEP, CONFIRM, CONFIRMATION, KINEMATICS, RHS, VELOCITY
from ..compiled.status import RUNNING, SINGULAR
from ..linalg.factor import failure
from ..linalg.kkt import evaluate, position_error
from ..linalg.soft_rows import factorise_soft, solve_soft
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .baumgarte import stabilised
from .corrections import correct, full_state, normalise

call_kinematics, call_confirm = KINEMATICS.call, CONFIRM.call
DECIDED = 1e-9  # position error with which a singular position is passed


@RHS
def penalty(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']. options: Omega (1/s), mu, 1/kappa."""
    n_q, n_v = system.n_q, system.n_v
    q, v, u = y[:n_q], y[n_q : n_q + n_v], work.u
    omega, mu, softness = work.options[0], work.options[1], work.options[2]
    evaluate(t, q, v, VELOCITY, system, work)
    stabilised(omega * mu, omega, system, work)
    regular = factorise_soft(system, work, softness)
    solve_soft(system, work, softness, 1 + system.refinements, 1e-15, work.b, u)
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        y_dot[n_q + i] = u[i]
    return RUNNING if regular else failure(work.kkt)


@AFTER_STEP
def stop_if_undecided(t, y, purpose, system, work):
    """The correction, if there is one; stops at a singular position while the constraints are violated.

    Weak pivots alone do not make a position singular: unequal masses have them too. Geometry decides.
    """
    n_q, n_v = system.n_q, system.n_v
    normalise(y, system)
    status = correct(t, y[:n_q], y[n_q : n_q + n_v], purpose, 1, system, work)
    if status != RUNNING or work.kkt.report[0] == 0 or position_error(system, work) <= DECIDED:
        return status
    evaluate(t, y[:n_q], y[n_q : n_q + n_v], VELOCITY, system, work)
    return SINGULAR if call_confirm(work.hooks[CONFIRMATION], system, work) == 1 else RUNNING


def ode(system, omega=10.0, mu=1.0, kappa=1e7, correction="none"):
    """The Ode form."""
    return full_state(system, penalty, correction, (omega, mu, 1.0 / kappa), stop_if_undecided)


PENALTY = Formulation(
    name="penalty",
    title="Penalty: constraints as stiff inertia, damping and stiffness",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=(),
    drifts=(),
    references=("Bayo, Garcia de Jalon and Serna 1988, doi:10.1016/0045-7825(88)90085-0",),
    options={"omega": 10.0, "mu": 1.0, "kappa": 1e7},
    ranges={"omega": (0.0, 1e6), "mu": (0.0, 1e3), "kappa": (1e-3, 1e12)},
    correction="none",
    bounds="bounded by lam / (kappa omega^2)",
    cost="one sparse factorisation, as index1",
)
