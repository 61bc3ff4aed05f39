"""SI1, the stabilised index-1 form: as GGL, with the integrals of the multipliers as unknowns.

    q' = T(q) (v + W G^T kappa'),   M v' + G^T sigma' = f,   G v + Phi_t = 0,   Phi(t, q) = 0,   lam = sigma', mu = kappa'

For codes that are made for index 1, or do not scale: the Newton matrix is conditioned as h^-1 instead of h^-2, and an error test
may look at sigma. BDF and stiffly accurate Runge-Kutta methods give the same q and v as with ggl. Both constraint levels hold to
the tolerance of Newton's method. The multipliers in a Solution are those of the acceleration level.
Reference: Gear, Gupta and Leimkuhler, J. Comp. Appl. Math. 12 (1985) 77-90; spec 003, sections 2.3 and 8.
"""

from functools import partial

from .base import RESIDUAL_DAE, Formulation
from .direct import residual_dae

SI1 = Formulation(
    name="si1",
    title="SI1: stabilised index 1, integrated multipliers",
    index=1,
    forms={RESIDUAL_DAE: partial(residual_dae, level=1, stabilised=True, integrated=True)},
    keeps=("position", "velocity"),
    drifts=(),
    references=("Gear, Gupta and Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1",),
    cost="a residual, no factorisation; matrices of q, v and two multipliers per row in the integrator",
)
