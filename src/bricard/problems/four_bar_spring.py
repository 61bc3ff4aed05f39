"""Four-bar held up by a spring along its diagonal (after the IFToMM problem of linearisation): eigenvalues about rest.

Three uniform bars of 1 m and 1 kg on a ground link of 1 m; a spring of 100 N/m and free length sqrt(2) m from the foot of the
left bar to the far joint. It leans by theta: with d^2 = 2 + 2 sin(theta) it has T = J theta'^2 / 2 and
V = 2 g cos(theta) + 50 (d - sqrt(2))^2, which gives position of rest and frequency in closed form. The library's data are not at
hand; these are ours.
"""

from math import cos, sin, sqrt

import numpy as np

from ..analysis.linearise import linearise
from ..model import Model, Rod
from .base import Mechanism, energy_drift, joint

STIFFNESS, FREE, GRAVITY = 100.0, sqrt(2.0), 9.81  # N/m, m, m/s^2
J = 2 * (1 / 12 + 0.01**2 / 4 + 1 / 4) + 1  # kg m^2: two round bars that turn, one that is carried round


def four_bar_spring(planar: bool = True) -> Model:
    """Upright at the start, at rest: it sinks into its spring."""
    model = Model("four-bar with spring", gravity=(0, -GRAVITY, 0), planar=planar)
    model.body("left", Rod((0, 0, 0), (0, 1, 0), mass=1.0))
    model.body("top", Rod((0, 1, 0), (1, 1, 0), mass=1.0))
    model.body("right", Rod((1, 0, 0), (1, 1, 0), mass=1.0))
    axis = (0, 0, 1)
    model.revolute("A", model.ground, "left", (0, 0, 0), axis)
    model.revolute("B", "left", "top", (0, 1, 0), axis)
    model.revolute("C", "top", "right", (1, 1, 0), axis)
    model.revolute("D", "right", model.ground, (1, 0, 0), axis)
    model.spring("spring", model.ground, "right", (0, 0, 0), (1, 1, 0), stiffness=STIFFNESS, length=FREE)
    model.start(joint="A", velocity=0.5)
    return model


def eigenvalues() -> np.ndarray:
    """The two eigenvalues (2,) about the position of rest, 1/s, by imaginary part."""
    found = linearise(four_bar_spring(), equilibrium=True).eigenvalues
    return found[np.argsort(found.imag)]


def exact_eigenvalues() -> np.ndarray:
    """The same from the formulas above: theta of rest by Newton's method, then V''(theta) / J."""

    def slopes(a: float) -> tuple[float, float]:
        d = sqrt(2 + 2 * sin(a))
        first, second = cos(a) / d, -sin(a) / d - cos(a) ** 2 / d**3  # of d
        stretch = d - FREE
        return (
            -2 * GRAVITY * sin(a) + STIFFNESS * stretch * first,
            -2 * GRAVITY * cos(a) + STIFFNESS * (first**2 + stretch * second),
        )

    angle = 0.0
    for _ in range(50):
        slope, bend = slopes(angle)
        angle -= slope / bend
    rate = sqrt(slopes(angle)[1] / J)
    return np.array([-1j * rate, 1j * rate])


FOUR_BAR_SPRING = Mechanism(
    name="four-bar-spring",
    title="Four-bar with a spring, to be linearised",
    model=four_bar_spring,
    span=5.0,
    provenance="ours; the IFToMM library has the problem, its data are not at hand",
    citations=("Gonzalez, Masarati, Cuadrado and Naya 2017, J. Comput. Nonlinear Dyn. 12, doi:10.1115/1.4035410",),
    outputs=(joint("A"),),
    measures=(energy_drift(1e-3, "ours"),),
)
