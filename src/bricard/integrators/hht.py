"""The method of Hilber, Hughes and Taylor on the configuration space, order 2 with damping of high frequencies.

    q_(n+1) = q_n o exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_(n+1))),   v_(n+1) = v_n + h ((1 - gamma) a_n + gamma a_(n+1))
    a_(n+1) = (1 + alpha) v'_(n+1) - alpha v'_n,   gamma = 1/2 - alpha,   beta = (1 - alpha)^2 / 4

with the equations of motion at t_(n+1), so that M a is balanced by (1 + alpha) times the new forces less alpha times the old
ones. alpha = 0 is the trapezoidal rule, alpha = -1/3 damps most. Widely used in multibody codes; generalized-alpha damps low
frequencies less for the same damping of high ones.
Reference: Hilber, Hughes and Taylor, Earthquake Eng. Struct. Dyn. 5 (1977) 283-292; Negrut, Rampalli, Ottarsson and Sajdak,
J. Comput. Nonlinear Dyn. 2 (2007) 73-85; spec 004, section 1.10.
"""

from .second_order import member


def parameters(alpha):
    """alpha_m, alpha_f, gamma, beta, theta of alpha."""
    return 0.0, -alpha, 0.5 - alpha, 0.25 * (1.0 - alpha) ** 2, 1.0


HHT = member(
    name="hht",
    title="Hilber-Hughes-Taylor on the Lie group, implicit, order 2",
    parameters=parameters,
    averages=True,
    options={"alpha": -0.1},
    ranges={"alpha": (-1 / 3, 0.0)},
    references=(
        "Hilber, Hughes and Taylor 1977, doi:10.1002/eqe.4290050306",
        "Negrut and others 2007, doi:10.1115/1.2389231",
    ),
)
