"""Double four-bar (IFToMM A02 with N = 2): three upright bars of 1 m, two between their tops, all of 1 kg.

When bars and tops lie in line, at t = 0.714 s and 1.228 s, the mechanism has three degrees of freedom for an instant: a singular
position that is passed at speed. In space six of its rows are redundant everywhere.
"""

from ..model import Model, Rod
from .base import Mechanism


def double_four_bar(planar: bool = False, loops: int = 2) -> Model:
    """Bars upright at the start, the first turns with -1 rad/s (its top moves with 1 m/s)."""
    model = Model("double four-bar", gravity=(0, -9.81, 0), planar=planar)
    bars = [model.body(f"bar {k}", Rod((k, 0, 0), (k, 1, 0), mass=1.0)) for k in range(loops + 1)]
    tops = [model.body(f"top {k}", Rod((k, 1, 0), (k + 1, 1, 0), mass=1.0)) for k in range(loops)]
    for k, bar in enumerate(bars):
        model.revolute(f"A{k}", model.ground, bar, point=(k, 0, 0), axis=(0, 0, 1))
    for k, top in enumerate(tops):
        model.revolute(f"B{k}", bars[k], top, point=(k, 1, 0), axis=(0, 0, 1))
        model.revolute(f"C{k}", top, bars[k + 1], point=(k + 1, 1, 0), axis=(0, 0, 1))
    model.start(joint="A0", velocity=-1.0)
    return model


DOUBLE_FOUR_BAR = Mechanism(
    name="double-four-bar",
    title="Double four-bar, IFToMM A02",
    model=double_four_bar,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A02",
    references=("Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",),
    singular="bars and tops in line, at t = 0.714 s and 1.228 s",
)
