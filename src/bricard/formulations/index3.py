"""Index 3: the constraints at position level, as they are given.

    q' = T(q) v,   M v' + G^T lam = f,   Phi(t, q) = 0

The form for Newmark's relatives, and the one that tolerates most in a model. Positions hold to the tolerance of Newton's method;
velocity and acceleration constraints are violated at the order of the method, without drift. Implicit Runge-Kutta methods lose
order in v and lam (Radau IIA with three stages: 5, 3, 2), multistep methods show spikes in lam when the step changes: take
ggl with those. Nonholonomic rows are imposed at velocity level.
Reference: Arnold and Bruels, Multibody System Dynamics 18 (2007) 185-202; spec 003, section 2.1; spec 004, section 2.
"""

from functools import partial

from .base import MECHANICAL_DAE, RESIDUAL_DAE, SEMI_EXPLICIT_DAE, Formulation
from .direct import residual_dae, semi_explicit_dae
from .mechanical import mechanical

INDEX3 = Formulation(
    name="index3",
    title="Index 3: position constraints",
    index=3,
    forms={
        MECHANICAL_DAE: partial(mechanical, level=0),
        RESIDUAL_DAE: partial(residual_dae, level=0),
        SEMI_EXPLICIT_DAE: partial(semi_explicit_dae, level=0),
    },
    keeps=("position",),
    drifts=(),
    references=("Arnold and Bruels 2007, doi:10.1007/s11044-007-9084-0",),
    cost="a residual, no factorisation; matrices of q, v and one multiplier per row in the integrator",
)
