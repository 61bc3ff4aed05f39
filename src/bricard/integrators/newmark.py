"""Newmark's method on the configuration space, order 2 for gamma = 1/2 and 1 otherwise.

    q_(n+1) = q_n o exp(h v_n + h^2 ((1/2 - beta) v'_n + beta v'_(n+1))),   v_(n+1) = v_n + h ((1 - gamma) v'_n + gamma v'_(n+1))

    set                       gamma  beta     stable without constraints
    trapezoidal               1/2    1/4      at any step, without damping
    linear-acceleration       1/2    1/6      h omega <= sqrt(12)
    fox-goodwin               1/2    1/12     h omega <= sqrt(6)

gamma and beta, where given, take the place of those of the set. To see what constraints do to it: with position constraints
every set with beta < gamma / 2 fails at any step size, and the trapezoidal rule sits on the border; loads that turn the
constraints push it over. gamma > 1/2 with beta >= (gamma + 1/2)^2 / 4 damps, at order 1. For work take generalized-alpha or hht;
null-space-newmark keeps the stability that these formulas have without constraints.
Reference: Newmark, J. Eng. Mech. Div. 85 (1959) 67-94; spec 004, section 2.7.
"""

from .second_order import member

SETS = {"trapezoidal": (1 / 2, 1 / 4), "linear-acceleration": (1 / 2, 1 / 6), "fox-goodwin": (1 / 2, 1 / 12)}


def parameters(set, gamma, beta):
    """alpha_m, alpha_f, gamma, beta, theta of a named set, or of its gamma and beta where they are given."""
    usual = SETS[set]
    return 0.0, 0.0, usual[0] if gamma is None else gamma, usual[1] if beta is None else beta, 1.0


NEWMARK = member(
    name="newmark",
    title="Newmark on the Lie group, implicit, order 2 for gamma = 1/2",
    parameters=parameters,
    options={"set": "trapezoidal", "gamma": None, "beta": None},
    special={"index3": (2, 2, 0)},
    ranges={"set": tuple(SETS), "gamma": (0.01, 2.0), "beta": (0.001, 1.6)},
    references=("Newmark 1959, doi:10.1061/JMCEA3.0000098",),
)
