"""Chain of N rods of 1 m and 1 kg, hinged to each other and to the ground, let go from the horizontal.

An open chain: as many degrees of freedom as rods. The cases with 2, 10, 100 and 1000 rods are those of the comparison with other
packages. Data are ours.
"""

from ..model import Model, Rod, checks
from .base import Mechanism, Output, energy_drift


def chain(links: int = 10, planar: bool = True) -> Model:
    """Along x at the start, at rest."""
    links = checks.integer(links, "chain: links")
    model = Model(f"chain of {links}", gravity=(0, -9.81, 0), planar=planar)
    before = model.ground
    for k in range(links):
        body = model.body(f"link {k + 1}", Rod((k, 0, 0), (k + 1, 0, 0), mass=1.0))
        model.revolute(f"J{k + 1}", before, body, (k, 0, 0), (0, 0, 1))
        before = body
    return model


def tip(axis: int):
    """A coordinate of the free end (samples,), m."""
    return lambda solution: solution.point(f"link {len(solution.system.model.bodies)}", (0.5, 0, 0))[:, axis]


CHAIN = Mechanism(
    name="chain",
    title="Chain of N rods",
    model=chain,
    span=1.0,
    provenance="ours",
    outputs=(Output("tip.x", "m", tip(0)), Output("tip.y", "m", tip(1))),
    measures=(energy_drift(1e-2, "ours"),),
)
