"""Index 2: the constraints at velocity level only.

    q' = T(q) v,   M v' + G^T lam = f,   G v + Phi_t = 0

For implicit integrators. Gentler than index 3: velocities have the full order of Radau IIA, and no spikes when the step changes.
The natural form where constraints are given by velocities, as in rolling. The velocity level holds to the tolerance of Newton's
method; positions drift, linearly in time, unless a correction brings them back after each step (the default does). Where both
levels are wanted without corrections take ggl.
Reference: Hairer and Wanner, Solving ODEs II (1996), section VII.1; spec 003, section 2.2.
"""

from functools import partial

from .base import MECHANICAL_DAE, RESIDUAL_DAE, SEMI_EXPLICIT_DAE, Formulation
from .direct import residual_dae, semi_explicit_dae
from .mechanical import mechanical

INDEX2 = Formulation(
    name="index2",
    title="Index 2: velocity constraints",
    index=2,
    forms={
        RESIDUAL_DAE: partial(residual_dae, level=1),
        SEMI_EXPLICIT_DAE: partial(semi_explicit_dae, level=1),
        MECHANICAL_DAE: partial(mechanical, level=1),
    },
    keeps=("velocity",),
    drifts=("position",),
    references=("Hairer and Wanner 1996, doi:10.1007/978-3-642-05221-7",),
    cost="a residual, no factorisation; matrices of q, v and one multiplier per row in the integrator",
)
