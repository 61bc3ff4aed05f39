"""Every formulation, integrator, controller and correction, by name. Listings, docs, tests and benchmarks read these."""

from .formulations.corrections import CORRECTIONS
from .formulations.ggl import GGL
from .formulations.index1 import INDEX1
from .formulations.index3 import INDEX3
from .integrators.dopri5 import DOPRI5
from .integrators.generalized_alpha import GENERALIZED_ALPHA
from .integrators.radau5 import RADAU5
from .integrators.rk4 import RK4
from .stepping.controllers import CONTROLLERS

FORMULATIONS = {f.name: f for f in (INDEX1, GGL, INDEX3)}
INTEGRATORS = {i.name: i for i in (RK4, DOPRI5, RADAU5, GENERALIZED_ALPHA)}

__all__ = ["CONTROLLERS", "CORRECTIONS", "FORMULATIONS", "INTEGRATORS"]
