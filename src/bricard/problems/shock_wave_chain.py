"""A bar as a chain of masses and springs, through which a shock wave runs (spec 004, section 4.3).

n equal masses (0.04 kg in all) on sliders with n - 1 springs (10 N/m in all). The first mass is pushed: its velocity is half a
sine of 0.04 s and 1 m/s; the free end answers with twice that velocity after sqrt(m / k) = 0.0632 s.
"""

from math import pi

import numpy as np

from ..errors import ModelError
from ..model import Model
from .base import Mechanism, Output

MASS, STIFFNESS, LENGTH = 0.04, 10.0, 1.8  # kg, N/m, m
PULSE = 0.04  # s


def push(t):
    """Displacement of the first mass (m): its velocity is sin(pi t / PULSE) for 0 < t < PULSE."""
    if t.real < PULSE:
        return PULSE / pi * (1.0 - np.cos(pi * t / PULSE))
    return 2.0 * PULSE / pi + 0.0 * t


def shock_wave_chain(masses: int = 20) -> Model:
    """The bar; its turns are held by the sliders, so that any inertia will do."""
    if masses < 2:
        raise ModelError(f"shock-wave-chain: masses is {masses}; a wave needs two of them at least.")
    model, gap = Model(f"chain of {masses}", gravity=(0, 0, 0), planar=True), LENGTH / masses
    before = None
    for i in range(masses):
        here, mass = (i * gap, 0.0, 0.0), MASS / masses
        body = model.body(f"mass {i}", mass=mass, inertia=mass * gap * gap, position=here)
        model.prismatic(f"slider {i}", model.ground, body, here, (1, 0, 0))
        if before is not None:
            there = ((i - 1) * gap, 0.0, 0.0)
            model.spring(f"spring {i}", before, body, there, here, stiffness=(masses - 1) * STIFFNESS)
        before = body
    model.drive("input", "slider 0", push)
    return model


def free_end(solution) -> np.ndarray:
    """Displacement of the last mass (samples,), m."""
    last = len(solution.system.model.bodies) - 1
    return solution.joint(f"slider {last}")


SHOCK_WAVE_CHAIN = Mechanism(
    name="shock-wave-chain",
    title="Chain of masses and springs with a shock wave",
    model=shock_wave_chain,
    span=0.2,
    provenance="Uriarte 2023, section 9.3",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    outputs=(Output("free end", "m", free_end),),
)
