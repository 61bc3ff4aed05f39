"""Generalized-alpha on the configuration space, order 2 with controllable damping of high frequencies.

    q_(n+1) = q_n o exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_(n+1))),   v_(n+1) = v_n + h ((1 - gamma) a_n + gamma a_(n+1))
    (1 - alpha_m) a_(n+1) + alpha_m a_n = (1 - alpha_f) v'_(n+1) + alpha_f v'_n

with the equations of motion at t_(n+1). All parameters follow from the spectral radius rho at infinite frequency: rho = 1 damps
nothing, rho = 0 removes the highest frequencies in one step. The default for stiff systems and for large ones. Constraints that
turn fast (a top, more than about half a radian in a step) need rho <= 0.5 with index3, or index3-alf: their multipliers grow
with less damping.
Reference: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375; Bruels, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121-137.
"""

from .second_order import member


def parameters(rho):
    """alpha_m, alpha_f, gamma, beta, theta of the spectral radius rho."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) ** 2, 1.0


GENERALIZED_ALPHA = member(
    name="generalized-alpha",
    title="Generalized-alpha on the Lie group, implicit, order 2",
    parameters=parameters,
    averages=True,
    options={"rho": 0.8},
    ranges={"rho": (0.0, 1.0)},
    references=("Chung and Hulbert 1993, doi:10.1115/1.2900803", "Bruels, Cardona and Arnold 2012"),
)
