"""Four-bar of equal bars (spec 004, section 8.2.4): a square of 1 m that falls through its singular position.

Three uniform bars of 1 kg, upright at the start; with all bars in line it has one more degree of freedom for an instant.
"""

from ..model import Model, Rod
from .base import Mechanism, energy_drift, point


def four_bar(planar: bool = True) -> Model:
    """The top of the first bar starts with 1 m/s towards -x."""
    model = Model("four-bar", gravity=(0, -9.81, 0), planar=planar)
    model.body("left", Rod((0, 0, 0), (0, 1, 0), mass=1.0))
    model.body("top", Rod((0, 1, 0), (1, 1, 0), mass=1.0))
    model.body("right", Rod((1, 0, 0), (1, 1, 0), mass=1.0))
    axis = (0, 0, 1)
    model.revolute("A", model.ground, "left", (0, 0, 0), axis)
    model.revolute("P1", "left", "top", (0, 1, 0), axis)
    model.revolute("P2", "top", "right", (1, 1, 0), axis)
    model.revolute("B", "right", model.ground, (1, 0, 0), axis)
    model.start(joint="A", velocity=1.0)
    return model


FOUR_BAR = Mechanism(
    name="four-bar",
    title="Four-bar of equal bars",
    model=four_bar,
    span=10.0,
    provenance="Uriarte 2023, section 8.2.4; the duration is ours",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU",),
    singular="all bars in line",
    outputs=point("P1", "left", (0.5, 0.0, 0.0), "xy"),
    measures=(energy_drift(0.1, "ours: as IFToMM A02, of which this is N = 1"),),
)
