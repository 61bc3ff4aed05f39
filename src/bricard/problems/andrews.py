"""Andrews' squeezer (IFToMM A03): seven small planar bodies, a spring, and a constant torque that drives them fast.

One degree of freedom, no gravity; within 0.03 s the crank turns two and a half times, with high accelerations. The data are those
of the test set for initial value problems (Bari), the layout is that of spec 004, annex B.
"""

from math import cos, sin

from ..model import Model
from .base import Mechanism

A, B, C, O = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072), (0.0, 0.0)  # fixed points, m
TORQUE, STIFFNESS, LENGTH = 0.033, 4530.0, 0.07785  # N m; N/m and m of the spring
# the angles of the test set at the start (rad)
BETA, THETA, GAMMA, PHI = (
    -0.0617138900142764496358948458001,
    0.0,
    0.455279819163070380255912382449,
    0.222668390165885884674473185609,
)
DELTA, OMEGA, EPSILON = (
    0.487364979543842550225598953530,
    -0.222668390165885884674473185609,
    1.23054744454982119249735015568,
)
# K1 to K7: mass (kg), moment of inertia (kg m^2), centre of mass from the body's origin (m), angle at the start (rad)
BODIES = (
    (0.04325, 2.194e-6, (0.00092, 0.0), BETA),
    (0.00365, 4.410e-7, (-0.0115, 0.0), BETA + THETA),
    (0.02373, 5.255e-6, (0.01043, -0.01874), GAMMA),
    (0.00706, 5.667e-7, (0.0, 0.01421), PHI + DELTA),
    (0.07050, 1.169e-5, (0.02308, 0.00916), DELTA),
    (0.00706, 5.667e-7, (-0.01421, 0.0), OMEGA + EPSILON),
    (0.05498, 1.912e-5, (-0.00449, -0.01228), EPSILON),
)
RR, D, E, ZF, ZT, U = 0.007, 0.028, 0.02, 0.02, 0.04, 0.04  # m, between the joints of a body
SD, SC = 0.02, 0.018  # m, the spring's point on K3


def beyond(origin, angle, x, y):
    """The point (x, y) of a body that stands at `origin`, turned by `angle`."""
    c, s = cos(angle), sin(angle)
    return origin[0] + c * x - s * y, origin[1] + s * x + c * y


def andrews() -> Model:
    """At rest; the joint O carries the torque, its angle is beta less its value at the start."""
    model = Model("Andrews' squeezer", gravity=(0, 0, 0), planar=True)
    angles = [body[3] for body in BODIES]
    f = beyond(O, angles[0], RR, 0.0)
    e = beyond(f, angles[1], -D, 0.0)
    h = beyond(A, angles[4], ZT, 0.0)
    g = beyond(A, angles[6], 0.0, -U)
    for k, ((mass, inertia, com, angle), origin) in enumerate(zip(BODIES, (O, f, B, e, A, e, A), strict=True), 1):
        turn = (cos(angle / 2), 0.0, 0.0, sin(angle / 2))
        model.body(f"K{k}", mass=mass, inertia=inertia, com=(*com, 0.0), position=(*origin, 0.0), rotation=turn)
    pins = (("O", model.ground, "K1", O), ("F", "K1", "K2", f), ("B", model.ground, "K3", B), ("E2", "K3", "K2", e))
    pins += (("E4", "K3", "K4", e), ("E6", "K3", "K6", e), ("A5", model.ground, "K5", A), ("A7", model.ground, "K7", A))
    for name, first, second, point in (*pins, ("H", "K4", "K5", h), ("G", "K6", "K7", g)):
        model.pin(name, first, second, (*point, 0.0))
    end = beyond(B, angles[2], SD, -SC)
    model.spring("spring", model.ground, "K3", (*C, 0.0), (*end, 0.0), stiffness=STIFFNESS, length=LENGTH)
    model.motor("drive", "O", TORQUE)
    return model


ANDREWS = Mechanism(
    name="andrews-testset",
    title="Andrews' squeezer, IFToMM A03",
    model=andrews,
    span=0.05,
    provenance="test set for initial value problem solvers (Bari), spec 004, annex B",
    references=("Schiehlen 1990, Multibody Systems Handbook", "Hairer and Wanner 1996, Solving ODEs II, section VII.7"),
)
