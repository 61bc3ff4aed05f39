"""Slider-crank with two equal rods of 1 m and a slider without mass, let go at rest (spec 004, section 9.1.4.2).

The mechanism of `slider-crank-thesis` without its push: it swings to and fro through the singular position, where both rods hang
down and the slider stands on the crank's pivot.
"""

from ..model import Model
from .base import Mechanism, energy_drift
from .slider_crank_thesis import OUTPUTS, slider_crank_thesis


def slider_crank_rest(planar: bool = True) -> Model:
    """Rods of 1 kg, 0.1 m square, crank at 45 degrees, at rest."""
    model = slider_crank_thesis(planar, speed=0.0)
    model.name = "slider-crank at rest"
    return model


SLIDER_CRANK_REST = Mechanism(
    name="slider-crank-rest",
    title="Slider-crank with equal rods, from rest",
    model=slider_crank_rest,
    span=10.0,
    provenance="Uriarte 2023, section 9.1.4.2",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    singular="both rods hanging, the slider on the crank's pivot",
    outputs=OUTPUTS,
    measures=(energy_drift(1e-3, "Uriarte 2023, section 9.1.4.2"),),
)
