"""N four-bars in a row (IFToMM A02): N + 1 upright bars of 1 m, N between their tops, all of 1 kg; one degree of freedom.

When bars and tops lie in line the mechanism has N + 1 degrees of freedom for an instant: a singular position that is passed at
speed. It moves as one pendulum, (N + 1) / 3 + N times theta'' = -g ((N + 1) / 2 + N) cos theta, which is its reference.
"""

from ..model import Model, Rod, checks
from .base import Mechanism, energy_drift, point

SOURCE = "IFToMM library, A02"


def n_four_bar(loops: int = 40, planar: bool = True) -> Model:
    """Bars upright at the start, the first turns with -1 rad/s (its top moves with 1 m/s)."""
    loops = checks.integer(loops, "n-four-bar: loops")
    model = Model(f"{loops} four-bars", gravity=(0, -9.81, 0), planar=planar)
    bars = [model.body(f"bar {k}", Rod((k, 0, 0), (k, 1, 0), mass=1.0)) for k in range(loops + 1)]
    tops = [model.body(f"top {k}", Rod((k, 1, 0), (k + 1, 1, 0), mass=1.0)) for k in range(loops)]
    for k, bar in enumerate(bars):
        model.revolute(f"A{k}", model.ground, bar, point=(k, 0, 0), axis=(0, 0, 1))
    for k, top in enumerate(tops):
        model.revolute(f"B{k}", bars[k], top, point=(k, 1, 0), axis=(0, 0, 1))
        model.revolute(f"C{k}", top, bars[k + 1], point=(k + 1, 1, 0), axis=(0, 0, 1))
    model.start(joint="A0", velocity=-1.0)
    return model


N_FOUR_BAR = Mechanism(
    name="n-four-bar",
    title="N four-bars in a row, IFToMM A02 (N = 40)",
    model=n_four_bar,
    span=10.0,
    provenance="IFToMM library of computational benchmarks, A02",
    citations=("Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0",),
    singular="bars and tops in line",
    outputs=point("B0", "bar 0", (0.5, 0.0, 0.0), "xy"),
    measures=(energy_drift(0.1, SOURCE),),
)
