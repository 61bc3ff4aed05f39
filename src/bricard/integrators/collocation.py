"""Collocation: Newmark's formulas over theta h, the equations of motion at t + theta h, order 2 for gamma = 1/2.

    q_s = q_n o exp(s v_n + s^2 ((1/2 - beta) a_n + beta a_s)),   v_s = v_n + s ((1 - gamma) a_n + gamma a_s),   s = theta h
    a_(n+1) = a_n + (a_s - a_n) / theta,   and the same formulas with h for q_(n+1) and v_(n+1)

The three-parameter family of Hilber and Hughes. theta = 1 is Newmark, beta = 1/6 and gamma = 1/2 is Wilson. Stable at any step
for gamma = 1/2 and theta / (2 (theta + 1)) >= beta >= (2 theta^2 - 1) / (4 (2 theta^3 - 1)), which the default satisfies. High
frequencies are damped; what starts with them overshoots. Position constraints hold at t + theta h, and at t + h up to the error
of the method.
Reference: Hilber and Hughes, Earthquake Eng. Struct. Dyn. 6 (1978) 99-117; spec 004, section 1.10.
"""

from .second_order import member


def parameters(theta, gamma, beta):
    """alpha_m, alpha_f, gamma, beta, theta."""
    return 0.0, 0.0, gamma, beta, theta


COLLOCATION = member(
    name="collocation",
    title="Collocation (Hilber and Hughes) on the Lie group, implicit, order 2 for gamma = 1/2",
    parameters=parameters,
    options={"theta": 1.3, "gamma": 0.5, "beta": 0.18},
    ranges={"theta": (1.0, 3.0), "gamma": (0.01, 2.0), "beta": (0.001, 1.6)},
    references=("Hilber and Hughes 1978, doi:10.1002/eqe.4290060111",),
)
