"""Baumgarte's stabilisation: acceleration constraints with feedback of the lower levels.

    [M G^T; G 0] [v'; lam] = [f; gamma - 2 alpha (G v + Phi_t) - beta^2 Phi],   q' = T(q) v

so that Phi'' + 2 alpha Phi' + beta^2 Phi = 0: errors of position and velocity die away instead of growing; alpha = beta is
critical damping. Nonholonomic rows have no position level: gamma - alpha (A v + a). As cheap as index 1, without any projection;
errors are damped, not bounded. Small gains leave drift, large ones cost accuracy (and stability beyond alpha h of about 1): on a
swinging rod 5 per second is ten times as accurate as 10 with steps of 0.01 s. Near singular positions feedback is amplified.
Redundant rows are allowed.
Reference: Baumgarte, Comp. Meth. Appl. Mech. Eng. 1 (1972) 1-16; spec 000, section 2.2; spec 003, section 3.
"""

from ..compiled.interfaces import KINEMATICS, RHS, VELOCITY
from ..compiled.pointers import compiled
from ..compiled.status import RUNNING
from ..linalg.factor import failure
from ..linalg.kkt import evaluate, factorise_kkt, solve_kkt
from .base import ODE, SECOND_ORDER_ODE, Formulation, as_second_order
from .corrections import full_state

call_kinematics = KINEMATICS.call


@compiled
def stabilised(alpha, beta, system, work):
    """work.b = [f, 0, gamma with feedback], from what work was evaluated with."""
    b, f, gamma, phi, phi_dot, n_v = work.b, work.f, work.gamma, work.phi, work.phi_dot, system.n_v
    velocity_level = system.velocity_level
    for i in range(n_v):
        b[i] = f[i]
    b[n_v] = 0.0
    for i in range(system.n_rows):
        if velocity_level[i]:
            b[n_v + 1 + i] = gamma[i] - alpha * phi_dot[i]
        else:
            b[n_v + 1 + i] = gamma[i] - 2.0 * alpha * phi_dot[i] - beta * beta * phi[i]


@RHS
def baumgarte(t, y, y_dot, system, work):
    """y = [q, v] -> y' = [T v, v']. options: alpha, beta (1/s)."""
    n_q, n_v = system.n_q, system.n_v
    q, v, u = y[:n_q], y[n_q : n_q + n_v], work.u
    evaluate(t, q, v, VELOCITY, system, work)
    stabilised(work.options[0], work.options[1], system, work)
    regular = factorise_kkt(system, work)
    solve_kkt(system, work, work.b, u)
    call_kinematics(system.methods[2], q, v, y_dot, system, work)
    for i in range(n_v):
        y_dot[n_q + i] = u[i]
    return RUNNING if regular else failure(work.kkt)


def ode(system, alpha=5.0, beta=5.0, correction="none"):
    """The Ode form."""
    return full_state(system, baumgarte, correction, (alpha, beta))


BAUMGARTE = Formulation(
    name="baumgarte",
    title="Baumgarte: acceleration constraints with feedback",
    index=1,
    forms={ODE: ode, SECOND_ORDER_ODE: as_second_order(ode)},
    keeps=(),
    drifts=(),
    references=("Baumgarte 1972, doi:10.1016/0045-7825(72)90018-7",),
    options={"alpha": 5.0, "beta": 5.0},
    ranges={"alpha": (0.0, 1e6), "beta": (0.0, 1e6)},
    correction="none",
    bounds="damped by alpha and beta",
    cost="one sparse factorisation, as index1",
)
