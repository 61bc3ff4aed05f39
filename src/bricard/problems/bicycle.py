"""Uncontrolled bicycle (Whipple; IFToMM): frame with rider, fork, and two wheels that roll without slipping.

Benchmark data of Meijaard, Papadopoulos, Ruina and Schwab. Running straight it is stable between 4.29 and 6.02 m/s without any
hand on the bar; the eigenvalues of the linearised motion are published. Three of its velocities are free, seven of its motions:
the wheels' slip rows are nonholonomic.
"""

from math import cos, pi, sin

import numpy as np

from ..analysis.linearise import linearise
from ..model import Model
from .base import Mechanism, Output

BASE, TRAIL, TILT = 1.02, 0.08, pi / 10  # m, m, rad: wheel base, trail, tilt of the steer axis
REAR, FRONT = 0.3, 0.35  # m, radii of the wheels
# x forward, y left, z up: against the source, y and z are reversed, and with them the products of inertia xz
BODIES = {
    "rear wheel": (2.0, ((0.0603, 0, 0), (0, 0.12, 0), (0, 0, 0.0603)), (0, 0, REAR)),
    "frame": (85.0, ((9.2, 0, -2.4), (0, 11, 0), (-2.4, 0, 2.8)), (0.3, 0, 0.9)),
    "fork": (4.0, ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708)), (0.9, 0, 0.7)),
    "front wheel": (3.0, ((0.1405, 0, 0), (0, 0.28, 0), (0, 0, 0.1405)), (BASE, 0, FRONT)),
}
# speed (m/s) -> the four eigenvalues that are not zero (1/s), by real part: table 2 of Meijaard et al. 2007, all its decimals;
# the paper was not at hand, but two transcriptions of the table in the tests of public projects, which agree
EIGENVALUES = {
    0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
    5.0: (
        -14.07838969279822,
        complex(-0.77534188219585, -4.46486771378823),
        complex(-0.77534188219585, 4.46486771378823),
        -0.32286642900409,
    ),
    10.0: (
        -24.62459635017404,
        complex(-3.72016840437287, -10.90681139476287),
        complex(-3.72016840437287, 10.90681139476287),
        0.16105338653172,
    ),
}


def bicycle(speed: float = 4.6, push: float = 0.5) -> Model:
    """Upright and straight at the start, with `speed` (m/s) forward and falling to its side with `push` (rad/s)."""
    model = Model("bicycle", gravity=(0, 0, -9.81))
    for name, (mass, inertia, place) in BODIES.items():
        model.body(name, mass=mass, inertia=inertia, position=place)
    across = (0, 1, 0)
    model.revolute("rear hub", "frame", "rear wheel", (0, 0, REAR), across)
    model.revolute("front hub", "fork", "front wheel", (BASE, 0, FRONT), across)
    model.revolute("steer", "frame", "fork", (BASE + TRAIL, 0, 0), (-sin(TILT), 0, cos(TILT)))
    model.rolling_disc("rear contact", "rear wheel", REAR, axis=across)
    model.rolling_disc("front contact", "front wheel", FRONT, axis=across)
    fall = (speed, -push * BODIES["frame"][2][2], 0.0)
    model.start(body="frame", velocity=fall, angular_velocity=(push, 0, 0))
    model.start(joint="steer", velocity=0.0)
    return model


def eigenvalues(speed: float) -> np.ndarray:
    """The four eigenvalues (4,) of straight running at `speed` (m/s) that are not zero, 1/s, by real part."""
    found = linearise(bicycle(speed, push=0.0)).eigenvalues
    large = found[np.argsort(-np.abs(found))[:4]]
    return large[np.lexsort((large.imag, large.real))]


BICYCLE = Mechanism(
    name="bicycle",
    title="Uncontrolled bicycle (Whipple), IFToMM",
    model=bicycle,
    span=5.0,
    provenance="Meijaard, Papadopoulos, Ruina and Schwab 2007; IFToMM library, uncontrolled bicycle",
    citations=("Meijaard, Papadopoulos, Ruina and Schwab 2007, Proc. R. Soc. A 463, doi:10.1098/rspa.2007.1857",),
    outputs=(
        Output("steer", "rad", lambda solution: solution.joint("steer")),
        Output("forward speed", "m/s", lambda solution: solution.joint_velocity("rear hub") * REAR),
    ),
)
