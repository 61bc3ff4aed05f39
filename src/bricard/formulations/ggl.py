"""GGL, the stabilised index-2 form: position and velocity constraints together.

    q' = T(q) (v + W G^T mu),   M v' + G^T lam = f,   G v + Phi_t = 0,   Phi(t, q) = 0

The first choice for Radau and BDF methods. The extra multipliers mu vanish for the exact solution (W: see direct.py). Both
constraint levels hold to the tolerance of Newton's method; no drift, no spikes in velocities, full order of Radau IIA in q and v.
Costs one multiplier more for each row. Nonholonomic rows have no position equation; their mu is set to zero.
Reference: Gear, Gupta and Leimkuhler, J. Comp. Appl. Math. 12 (1985) 77-90; spec 003, section 2.3.
"""

from functools import partial

from .base import RESIDUAL_DAE, SEMI_EXPLICIT_DAE, Formulation
from .direct import residual_dae, semi_explicit_dae

GGL = Formulation(
    name="ggl",
    title="GGL: stabilised index 2",
    index=2,
    forms={
        RESIDUAL_DAE: partial(residual_dae, level=1, stabilised=True),
        SEMI_EXPLICIT_DAE: partial(semi_explicit_dae, level=1, stabilised=True),
    },
    keeps=("position", "velocity"),
    drifts=(),
    references=("Gear, Gupta and Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1",),
    cost="a residual, no factorisation; matrices of q, v and two multipliers per row in the integrator",
)
