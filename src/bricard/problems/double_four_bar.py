"""Double four-bar (IFToMM A02 with N = 2): three upright bars of 1 m, two between their tops, all of 1 kg.

When bars and tops lie in line, at t = 0.714 s and 1.228 s, the mechanism has three degrees of freedom for an instant: a singular
position that is passed at speed. In space six of its rows are redundant everywhere.
"""

from ..model import Model
from .base import Mechanism, energy_drift, point
from .n_four_bar import SOURCE, n_four_bar


def double_four_bar(planar: bool = False) -> Model:
    """Bars upright at the start, the first turns with -1 rad/s (its top moves with 1 m/s)."""
    model = n_four_bar(2, planar)
    model.name = "double four-bar"
    return model


DOUBLE_FOUR_BAR = Mechanism(
    name="double-four-bar",
    title="Double four-bar, IFToMM A02",
    model=double_four_bar,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A02",
    citations=("Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",),
    singular="bars and tops in line, at t = 0.714 s and 1.228 s",
    outputs=point("B0", "bar 0", (0.5, 0.0, 0.0), "xy"),
    measures=(energy_drift(0.1, SOURCE),),
)
