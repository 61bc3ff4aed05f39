"""Five-link wheel suspension (Kruijt 1993): a wheel carrier on five rods with a ball joint at both ends, one degree of freedom.

The wheel's height z describes it between two limit points, at -0.2139 and 0.2848 m, where the rods let z turn back; the mechanism
itself passes them. Data of spec 001, with x(X5) = +0.0025 as in the source's program. The rods are massless, or slender bodies
with a universal joint at the chassis (so that they do not spin about themselves) and a ball at the carrier.
"""

import numpy as np

from ..model import Model, Rod, UserJoint
from .base import Mechanism, joint, joint_velocity, point

CHASSIS = np.array(
    [
        [-0.0640, 0.4130, 0.3270],
        [-0.3030, 0.4320, 0.2950],
        [-0.0930, 0.3660, 0.0040],
        [-0.2360, 0.3880, -0.1090],
        [0.2115, 0.3845, -0.1000],
    ]
)  # P_k, m
CARRIER = np.array(
    [
        [-0.0640, 0.6360, 0.3450],
        [-0.1170, 0.6360, 0.3380],
        [-0.1880, 0.6470, -0.0230],
        [-0.0050, 0.7370, -0.1300],
        [0.0025, 0.7370, -0.1340],
    ]
)  # X_k in the drawn position
CENTRE = np.array([0.0, 0.768, 0.0])  # of the wheel
SLENDER = 1e-6  # m, radius of rods with mass: their turn about themselves carries no energy
MASS, INERTIA = 12.0, (0.74, 1.46, 0.74)  # of the wheel, about its axes


def five_rods(d, C, s, p):
    """Residuals of the suspension as a user's joint: five squared rod lengths, and the height s of the wheel centre.

    p : points P_k in the chassis (15), points of the carrier from the wheel centre (15), squared lengths (5).
    """

    def stretch(k):
        x, y, z = p[15 + 3 * k], p[16 + 3 * k], p[17 + 3 * k]
        a = d[0] + C[0][0] * x + C[0][1] * y + C[0][2] * z - p[3 * k]
        b = d[1] + C[1][0] * x + C[1][1] * y + C[1][2] * z - p[3 * k + 1]
        c = d[2] + C[2][0] * x + C[2][1] * y + C[2][2] * z - p[3 * k + 2]
        return a * a + b * b + c * c - p[30 + k]

    return stretch(0), stretch(1), stretch(2), stretch(3), stretch(4), d[2] - s[0]


def mirrored(points, side: float = 1.0):
    """Points (n, 3) of the left side, or with side = -1 those of the right one."""
    return np.asarray(points) * (1.0, side, 1.0)


def five_link_joint(side: float = 1.0) -> UserJoint:
    """The suspension as a user's joint between chassis and wheel carrier, left or (side = -1) right; coordinate z, m."""
    chassis, carrier = mirrored(CHASSIS, side), mirrored(CARRIER, side)
    squares = ((carrier - chassis) ** 2).sum(axis=1)
    parameters = (*chassis.ravel(), *(carrier - mirrored(CENTRE, side)).ravel(), *squares)
    return UserJoint.implicit(five_rods, {"z": "length"}, parameters)


def suspension(
    height: float = -0.2, speed: float = 0.3, rod_mass: float = 0.0, gravity: object = (0.0, 0.0, 0.0)
) -> Model:
    """The wheel at a height (m) with a vertical speed (m/s); rod_mass (kg) of each rod. Coordinates travel.x, y, z."""
    model = Model("five-link suspension", gravity=gravity)
    wheel = model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    model.free("travel", model.ground, wheel, frame_a=model.ground.frame(), frame_b=wheel.frame())
    for k, (start, end) in enumerate(zip(CHASSIS, CARRIER, strict=True), 1):
        if rod_mass > 0.0:
            rod = model.body(f"rod {k}", Rod(start, end, mass=rod_mass, radius=SLENDER))
            along = end - start
            across = np.cross(along, (1.0, 0.0, 0.0))
            model.universal(f"P{k}", model.ground, rod, start, across, np.cross(along, across))
            model.spherical(f"X{k}", rod, wheel, end)
        else:
            model.distance(f"rod {k}", model.ground, wheel, start, end)
    model.start(joint="travel.z", position=height, velocity=speed)
    return model


SUSPENSION = Mechanism(
    name="suspension",
    title="Five-link wheel suspension",
    model=suspension,
    span=1.5,
    provenance="Kruijt 1993, report WFW 93.089, TU Eindhoven; spec 001",
    citations=("Kruijt 1993, Implementatie van complexe gesloten ketens in MADYMO, TU Eindhoven",),
    outputs=(
        joint("travel.z", "m", name="z"),
        joint_velocity("travel.z", "m/s", name="z'"),
        *point("wheel", "wheel", (0, 0, 0), "xy"),
    ),
)
