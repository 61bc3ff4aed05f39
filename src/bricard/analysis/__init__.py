"""Analysis: certificates, kinematics, statics, inverse dynamics, linearised equations, natural frequencies, stability."""

from .certificate import Certificate
from .certify import certify
from .equilibrium import Equilibrium, equilibrium
from .frequencies import Frequencies, Reduced, frequencies, largest_step, reduced
from .inverse_dynamics import InverseDynamics, inverse_dynamics
from .kinematics import Kinematics, Limit, kinematics
from .linearise import Linearisation, linearise
from .stability import Stability, stability

__all__ = [
    "Certificate",
    "Equilibrium",
    "Frequencies",
    "InverseDynamics",
    "Kinematics",
    "Limit",
    "Linearisation",
    "Reduced",
    "Stability",
    "certify",
    "equilibrium",
    "frequencies",
    "inverse_dynamics",
    "kinematics",
    "largest_step",
    "linearise",
    "reduced",
    "stability",
]
