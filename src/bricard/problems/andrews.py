"""Andrews' squeezer (IFToMM A03): seven small planar bodies, a spring, and a constant torque that drives them fast.

One degree of freedom, no gravity; within 0.03 s the crank turns two and a half times, with high accelerations. Two sets of data
circulate. `andrews-testset` is that of the test set for initial value problems (Bari): end values at 0.03 s are compared.
`andrews-iftomm` is that of the pages for the IFToMM library (a triangle of 0.02372 kg, a crank angle of -0.0620 rad at the
start, to which the other angles are assembled), run for 0.05 s; the sign of the abscissa of B, printed +, is corrected.
"""

from math import cos, sin
from typing import Any

import numpy as np

from ..model import Model
from .base import Measure, Mechanism, Output

# lengths (m), stiffness (N/m), torque (N m) as decimal digits: references are computed from the same text in long arithmetic
TESTSET: dict[str, Any] = {
    "m": ("0.04325", "0.00365", "0.02373", "0.00706", "0.07050", "0.00706", "0.05498"),
    "I": ("2.194e-6", "4.410e-7", "5.255e-6", "5.667e-7", "1.169e-5", "5.667e-7", "1.912e-5"),
    **{"xa": "-0.06934", "ya": "-0.00227", "xb": "-0.03635", "yb": "0.03273", "xc": "0.014", "yc": "0.072"},
    **{"rr": "0.007", "ra": "0.00092", "d": "0.028", "da": "0.0115", "e": "0.02", "ea": "0.01421"},
    **{"zf": "0.02", "fa": "0.01421", "zt": "0.04", "ta": "0.02308", "tb": "0.00916"},
    **{"u": "0.04", "ua": "0.01228", "ub": "0.00449", "ss": "0.035", "sa": "0.01874", "sb": "0.01043"},
    **{"sd": "0.02", "sc": "0.018", "c0": "4530", "lo": "0.07785", "mom": "0.033"},
    # beta, Theta, gamma, Phi, delta, Omega, epsilon (rad)
    "start": (
        "-0.0617138900142764496358948458001",
        "0",
        "0.455279819163070380255912382449",
        "0.222668390165885884674473185609",
        "0.487364979543842550225598953530",
        "-0.222668390165885884674473185609",
        "1.23054744454982119249735015568",
    ),
}
IFTOMM: dict[str, Any] = {
    **TESTSET,
    "m": (*TESTSET["m"][:2], "0.02372", *TESTSET["m"][3:]),
    "sa": "0.0187",
    # Theta to epsilon are those that close the loops for beta = -0.0620
    "start": (
        "-0.0620",
        "0.0002145868537995153188890452242444",
        "0.4552798121003702241861870765827",
        "0.2226683759030274733899445945247",
        "0.4873649811406327957261599847357",
        "-0.2226683759030274733899445945247",
        "1.230547439156600762550754781565",
    ),
}
BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = (float(angle) for angle in TESTSET["start"])


def beyond(origin, angle, x, y):
    """The point (x, y) of a body that stands at `origin`, turned by `angle`."""
    c, s = cos(angle), sin(angle)
    return origin[0] + c * x - s * y, origin[1] + s * x + c * y


def squeezer(data: dict[str, Any], name: str) -> Model:
    """At rest; the joint O carries the torque, its angle is beta less its value at the start."""
    n = {key: float(value) for key, value in data.items() if isinstance(value, str)}
    beta, theta, gamma, phi, delta, omega, epsilon = map(float, data["start"])
    angles = (beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    A, B, C, O = (n["xa"], n["ya"]), (n["xb"], n["yb"]), (n["xc"], n["yc"]), (0.0, 0.0)
    f = beyond(O, angles[0], n["rr"], 0.0)
    e = beyond(f, angles[1], -n["d"], 0.0)
    h = beyond(A, angles[4], n["zt"], 0.0)
    g = beyond(A, angles[6], 0.0, -n["u"])
    centres = ((n["ra"], 0.0), (-n["da"], 0.0), (n["sb"], -n["sa"]), (0.0, n["ea"]))
    centres += ((n["ta"], n["tb"]), (-n["fa"], 0.0), (-n["ub"], -n["ua"]))
    model = Model(name, gravity=(0, 0, 0), planar=True)
    for k, (origin, com, angle) in enumerate(zip((O, f, B, e, A, e, A), centres, angles, strict=True)):
        turn = (cos(angle / 2), 0.0, 0.0, sin(angle / 2))
        mass, inertia = float(data["m"][k]), float(data["I"][k])
        model.body(f"K{k + 1}", mass=mass, inertia=inertia, com=(*com, 0.0), position=(*origin, 0.0), rotation=turn)
    pins = (("O", model.ground, "K1", O), ("F", "K1", "K2", f), ("B", model.ground, "K3", B), ("E2", "K3", "K2", e))
    pins += (("E4", "K3", "K4", e), ("E6", "K3", "K6", e), ("A5", model.ground, "K5", A), ("A7", model.ground, "K7", A))
    for key, first, second, point in (*pins, ("H", "K4", "K5", h), ("G", "K6", "K7", g)):
        model.pin(key, first, second, (*point, 0.0))
    end = beyond(B, angles[2], n["sd"], -n["sc"])
    model.spring("spring", model.ground, "K3", (*C, 0.0), (*end, 0.0), stiffness=n["c0"], length=n["lo"])
    model.motor("drive", "O", n["mom"])
    return model


def andrews_testset() -> Model:
    """The squeezer of the test set."""
    return squeezer(TESTSET, "Andrews' squeezer")


def andrews_iftomm() -> Model:
    """The squeezer of the IFToMM pages."""
    return squeezer(IFTOMM, "Andrews' squeezer, IFToMM data")


ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
JOINTS = (("O", 1), ("F", 1), ("B", 1), ("H", -1), ("A5", 1), ("G", -1), ("A7", 1))  # that turn by each angle, or back


def outputs(data: dict[str, Any]) -> tuple[Output, ...]:
    """The seven angles of the test set, counted through full turns, and their rates."""

    def angle(k: int, name: str, way: int) -> Output:
        start = float(data["start"][k])
        return Output(ANGLES[k], "rad", lambda solution: start + way * solution.joint(name))

    def rate(k: int, name: str, way: int) -> Output:
        return Output(f"{ANGLES[k]}'", "rad/s", lambda solution: way * solution.joint_velocity(name))

    return tuple(make(k, *joint) for make in (angle, rate) for k, joint in enumerate(JOINTS))


def balance(solution) -> float:
    """max |T + V - E0 - tau (beta - beta0)|, J."""
    total, torque = solution.energy.total, float(TESTSET["mom"])
    return float(np.abs(total - total[0] - torque * (solution.joint("O") - solution.joint("O")[0])).max())


BALANCE = Measure("energy balance", "J", balance, 1e-5, "IFToMM library, A03: T + V - E0 - tau (beta - beta0)")
CITATIONS = (
    "Schiehlen 1990, Multibody Systems Handbook",
    "Hairer and Wanner 1996, Solving ODEs II, section VII.7",
    "Mazzia and Magherini 2008, Test Set for Initial Value Problem Solvers",
)

ANDREWS_TESTSET = Mechanism(
    name="andrews-testset",
    title="Andrews' squeezer, IFToMM A03, data of the test set",
    model=andrews_testset,
    span=0.05,
    provenance="test set for initial value problem solvers (Bari), spec 004, annex B",
    citations=CITATIONS,
    outputs=outputs(TESTSET),
    measures=(BALANCE,),
)
ANDREWS_IFTOMM = Mechanism(
    name="andrews-iftomm",
    title="Andrews' squeezer, IFToMM A03, data of the IFToMM pages",
    model=andrews_iftomm,
    span=0.05,
    provenance="pages of the IFToMM library (Gonzalez et al. 2006) as read in MBS-BOS (Tagliapietra et al. 2015), B corrected",
    citations=(*CITATIONS, "Gonzalez, Dopico, Lugris and Cuadrado 2006, doi:10.1007/s11044-006-9009-0"),
    outputs=outputs(IFTOMM),
    measures=(BALANCE,),
)
