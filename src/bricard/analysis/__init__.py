"""Analysis: equilibrium and linearised equations at an instant, natural frequencies along a motion, stability of the methods."""

from .frequencies import Frequencies, Reduced, frequencies, largest_step, reduced
from .linearise import Linearisation, linearise
from .stability import Stability, stability

__all__ = [
    "Frequencies",
    "Linearisation",
    "Reduced",
    "Stability",
    "frequencies",
    "largest_step",
    "linearise",
    "reduced",
    "stability",
]
