"""Analysis: kinematics, statics, inverse dynamics, linearised equations, natural frequencies, stability of the methods."""

from .equilibrium import Equilibrium, equilibrium
from .frequencies import Frequencies, Reduced, frequencies, largest_step, reduced
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .kinematics import Kinematics, Limit, kinematics
from .linearise import Linearisation, linearise
from .stability import Stability, stability

__all__ = [
    "Equilibrium",
    "Frequencies",
    "InverseDynamics",
    "Kinematics",
    "Limit",
    "Linearisation",
    "Reduced",
    "Stability",
    "equilibrium",
    "frequencies",
    "inverse_dynamics",
    "kinematics",
    "largest_step",
    "linearise",
    "reduced",
    "stability",
]
