"""Wilson's method: linear acceleration over theta h, the equations of motion at t + theta h, order 2.

    q_s = q_n o exp(s v_n + s^2 (a_n / 3 + a_s / 6)),   v_s = v_n + s (a_n + a_s) / 2,   s = theta h
    a_(n+1) = a_n + (a_s - a_n) / theta,   and the same formulas with h for q_(n+1) and v_(n+1)

Stable at any step for theta >= 1.37. Damps high frequencies, and overshoots what starts with them. Of historical interest:
generalized-alpha is better in every respect. Position constraints hold at t + theta h, and at t + h up to the error of the
method.
Reference: Wilson, Farhoomand and Bathe, Earthquake Eng. Struct. Dyn. 1 (1973) 241-252; spec 004, section 1.10.
"""

from .second_order import member


def parameters(theta):
    """alpha_m, alpha_f, gamma, beta, theta."""
    return 0.0, 0.0, 1 / 2, 1 / 6, theta


WILSON_THETA = member(
    name="wilson-theta",
    title="Wilson-theta on the Lie group, implicit, order 2",
    parameters=parameters,
    options={"theta": 1.42},
    ranges={"theta": (1.37, 3.0)},
    references=("Wilson, Farhoomand and Bathe 1973, doi:10.1002/eqe.4290010305",),
)
