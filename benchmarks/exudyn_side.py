"""The exudyn side of the benchmark: mechanisms, settings, timed runs.

The mechanisms are plain data (`MECHANISMS`), so that another package can build exactly the same ones. `run` integrates
one of them with exudyn and returns the time of the solver alone (model set-up excluded), the counts and the end
positions. exudyn is imported on the first run only; this module itself needs nothing but NumPy.

exudyn has two compiled modules, chosen at its first import in a process: "default" (with range checks) and "fast"
(without them, with AVX2). When the process already holds the other one, or has no exudyn at all, `run` starts a child
process: the interpreter named in EXUDYN_PYTHON, else this one.

As a script it prints a table: `python exudyn_side.py [--all] [--module fast] [mechanism ...]`.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import math
import os
import subprocess
import sys
import time
import warnings
from dataclasses import asdict, dataclass, replace

import numpy as np

GRAVITY = 9.81


# ---------------------------------------------------------------------------------------------------- mechanisms
@dataclass(frozen=True)
class Definition:
    """A mechanism as data; everything in the global frame and SI units, body -1 is the ground.

    bodies: (mass, principal inertias about the centre of mass, centre of mass, rotation matrix from body to global).
    velocities: (velocity of the centre of mass, angular velocity), both in the global frame.
    joints: (kind, i, j, point, axis) with kind "revolute" or "spherical" (axis None), at the initial configuration.
    springs: (i, j, point on i, point on j, stiffness, length), torques: (body, constant torque about z); planar only.
    planar: motion in the x-y plane, to be modelled with planar bodies (three coordinates each) and planar joints.
    redundant: the constraints are dependent (always or in some positions).
    """

    bodies: list
    velocities: list
    joints: list
    gravity: np.ndarray
    duration: float
    planar: bool = False
    redundant: bool = False
    springs: tuple = ()
    torques: tuple = ()


def _x_to(direction):
    """Rotation matrix of the shortest rotation taking the x axis to a direction."""
    d = direction / np.linalg.norm(direction)
    w, x, y, z = np.array([1 + d[0], 0.0, -d[2], d[1]]) / np.linalg.norm([1 + d[0], 0.0, -d[2], d[1]])
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _bar_frame(p, q):
    """Rotation matrix with the x axis from p to q and the z axis near the global one (y where the bar runs along z)."""
    x = (q - p) / np.linalg.norm(q - p)
    y = np.cross([0, 0, 1.0] if abs(x[2]) < 0.9 else [0, 1.0, 0], x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def rssr(crank=0.3, coupler=1.2, rocker=0.8):
    """Spatial four-bar: revolute, spherical, spherical, revolute; at rest."""
    a, b, d = np.zeros(3), np.array([0, 0, crank]), np.array([1.0, 0.4, 0.0])

    def end(t):
        return d + rocker * np.array([math.cos(t), 0, math.sin(t)])

    def gap(t):
        return np.linalg.norm(end(t) - b) - coupler

    grid = np.linspace(0.0, np.pi, 400)
    values = np.array([gap(t) for t in grid])
    k = np.flatnonzero(values[:-1] * values[1:] <= 0)[0]
    lo, hi = grid[k], grid[k + 1]
    for _ in range(60):
        mid = 0.5 * (lo + hi)
        lo, hi = (lo, mid) if gap(lo) * gap(mid) <= 0 else (mid, hi)
    c = end(lo)
    bodies = []
    for p, q in ((a, b), (b, c), (c, d)):
        n = np.linalg.norm(q - p)
        bodies.append((n, np.array([0.01 * n, n**3 / 12, n**3 / 12]), (p + q) / 2, _x_to(q - p)))
    joints = [
        ("revolute", -1, 0, a, np.array([1.0, 0, 0])),
        ("spherical", 0, 1, b, None),
        ("spherical", 1, 2, c, None),
        ("revolute", -1, 2, d, np.array([0, 1.0, 0])),
    ]
    return Definition(
        bodies, [(np.zeros(3), np.zeros(3))] * 3, joints, np.array([0, 0, -GRAVITY]), 1.5
    )  # at 2 s errors nearly cancel


def chain(n, duration, tilt=0.3):
    """Pendulum of n bars with spherical joints, a zig-zag in the x-z plane, at rest; gravity tilted towards y."""
    bodies, joints, p = [], [], np.zeros(3)
    for i in range(n):
        angle = tilt if i % 2 else -tilt
        c, s = math.cos(angle), math.sin(angle)
        q = p + np.array([c, 0, -s])
        rotation = np.array([[c, 0, s], [0, 1.0, 0], [-s, 0, c]])
        bodies.append((1.0, np.array([0.01, 1 / 12, 1 / 12]), (p + q) / 2, rotation))
        joints.append(("spherical", i - 1, i, p, None))
        p = q
    return Definition(bodies, [(np.zeros(3), np.zeros(3))] * n, joints, np.array([0, 0.5, -GRAVITY]), duration)


def double_four_bar(planar=False):
    """IFToMM A02 with two loops: three upright and two horizontal rods, top speed 1 m/s; passes singular positions."""

    def at(x, y):
        return np.array([x, y, 0.0])

    segments = [(at(k, 0), at(k, 1)) for k in range(3)] + [(at(k, 1), at(k + 1, 1)) for k in range(2)]
    velocities = [(at(0.5, 0), np.array([0, 0, -1.0]))] * 3 + [(at(1, 0), np.zeros(3))] * 2
    places = [(-1, k, at(k, 0)) for k in range(3)]
    for k in range(2):
        places += [(k, 3 + k, at(k, 1)), (3 + k, k + 1, at(k + 1, 1))]
    inertia = np.array([1e-3, 1 / 12, 1 / 12])
    bodies = [(1.0, inertia, (p + q) / 2, _bar_frame(p, q)) for p, q in segments]
    joints = [("revolute", i, j, p, np.array([0, 0, 1.0])) for i, j, p in places]
    return Definition(bodies, velocities, joints, np.array([0, -GRAVITY, 0]), 10.0, planar=planar, redundant=not planar)


def bricard():
    """IFToMM A04: Bricard's six-bar linkage with square bars (1 kg, 1 m, 0.1 m thick), at rest; overconstrained."""
    points = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)
    inertia = np.array([1 / 600, 1.01 / 12, 1.01 / 12])
    bodies = []
    for p, q in itertools.pairwise(points):
        bodies.append((1.0, inertia, (p + q) / 2, _bar_frame(p, q)))
    joints = [("revolute", k - 1, k if k < 5 else -1, points[k], axes[k]) for k in range(6)]
    return Definition(bodies, [(np.zeros(3), np.zeros(3))] * 5, joints, np.array([0, -GRAVITY, 0]), 9.0, redundant=True)


def andrews():
    """IFToMM A03, Andrews' squeezer, with the data of the test set for initial value problems (Bari); at rest, no gravity."""
    pa, pb, pc, origin = (
        np.array([-0.06934, -0.00227]),
        np.array([-0.03635, 0.03273]),
        np.array([0.014, 0.072]),
        np.zeros(2),
    )
    beta, gamma, phi = -0.0617138900142764496, 0.455279819163070380, 0.222668390165885885
    delta, omega, epsilon = 0.487364979543842550, -0.222668390165885885, 1.23054744454982119
    angles = (beta, beta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertias = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    centres = ((0.00092, 0), (-0.0115, 0), (0.01043, -0.01874), (0, 0.01421), (0.02308, 0.00916), (-0.01421, 0))
    centres += ((-0.00449, -0.01228),)

    def turn(angle):
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s], [s, c]])

    f = turn(beta) @ [0.007, 0]
    e = f + turn(beta) @ [-0.028, 0]
    h, g = pa + turn(delta) @ [0.04, 0], pa + turn(epsilon) @ [0, -0.04]

    def lifted(p):
        return np.array([p[0], p[1], 0.0])

    bodies = []
    origins = (origin, f, pb, e, pa, e, pa)
    for mass, inertia, centre, angle, start in zip(masses, inertias, centres, angles, origins, strict=True):
        rotation = np.eye(3)
        rotation[:2, :2] = turn(angle)
        bodies.append((mass, np.array([inertia] * 3), lifted(start + turn(angle) @ centre), rotation))
    places = ((-1, 0, origin), (0, 1, f), (-1, 2, pb), (2, 1, e), (2, 3, e), (2, 5, e), (-1, 4, pa), (-1, 6, pa))
    joints = [("revolute", i, j, lifted(p), np.array([0, 0, 1.0])) for i, j, p in (*places, (3, 4, h), (5, 6, g))]
    springs = ((-1, 2, lifted(pc), lifted(pb + turn(gamma) @ [0.02, -0.018]), 4530.0, 0.07785),)
    return Definition(
        bodies,
        [(np.zeros(3), np.zeros(3))] * 7,
        joints,
        np.zeros(3),
        0.05,
        planar=True,
        springs=springs,
        torques=((0, 0.033),),
    )


MECHANISMS: dict[str, Definition] = {
    "rssr": rssr(),
    "chain10": chain(10, 1.0),
    "chain100": chain(100, 0.5),
    "chain1000": chain(1000, 0.1),
    "double-four-bar": double_four_bar(),
    "double-four-bar-planar": double_four_bar(planar=True),
    "bricard": bricard(),
    "andrews": andrews(),
}


def exact(name):
    """End positions of the double four-bar from its equation with one degree of freedom; None for the others."""
    if not name.startswith("double-four-bar"):
        return None
    n = 40000  # steps of RK4
    h = MECHANISMS[name].duration / n
    factor = -GRAVITY * 3.5 / 3.0  # sum of (m r) over sum of (m r^2): three uprights and two horizontal rods
    t, w = math.pi / 2, -1.0
    for _ in range(n):
        k1, l1 = w, factor * math.cos(t)
        k2, l2 = w + h / 2 * l1, factor * math.cos(t + h / 2 * k1)
        k3, l3 = w + h / 2 * l2, factor * math.cos(t + h / 2 * k2)
        k4, l4 = w + h * l3, factor * math.cos(t + h * k3)
        t, w = t + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), w + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    u = np.array([math.cos(t), math.sin(t), 0.0])
    return np.array([[k, 0, 0] + u / 2 for k in range(3)] + [[k + 0.5, 0, 0] + u for k in range(2)])


# ------------------------------------------------------------------------------------------------------ settings
@dataclass(frozen=True)
class Setting:
    """One way to let exudyn integrate a mechanism; the defaults are exudyn's, but for `linear` and `reuse`.

    method: index3 (generalized-alpha), index2 (trapezoidal), or the name of an explicit solver (with `tree` only).
    newton: modified (Jacobian kept over steps), per-step (a new one in each step), full (in each iteration).
    """

    method: str = "index3"
    newton: str = "modified"
    linear: str = "sparse"  # sparse (Eigen SparseLU), dense (Eigen), exu-dense (exudyn's own inverse)
    tolerance: float = 1e-8  # relative, of the Newton residual
    rotation: str = "euler"  # euler (parameters), vector (rotation vector, Lie group), xyz (Tait-Bryan angles)
    reuse: bool = True  # reuseAnalyzedPattern: keep the symbolic factorisation
    rho: float = 0.9  # spectral radius of generalized-alpha
    contractivity: float = 0.5  # modified Newton asks for a new Jacobian when convergence is slower than this
    tree: bool = False  # one minimal-coordinate tree object instead of bodies and joints (open chains)

    @property
    def label(self):
        """Short text for tables."""
        if self.tree:
            return f"tree, {self.method}"
        parts = [self.method, self.newton, self.linear, f"tol {self.tolerance:.0e}", self.rotation]
        if self.linear == "sparse" and not self.reuse:
            parts.append("no reuse")
        if self.contractivity != 0.5:
            parts.append(f"contr {self.contractivity:g}")
        if self.method == "index3":
            parts.append(f"rho {self.rho:g}")
        return ", ".join(parts)


def settings(name):
    """The settings worth trying for a mechanism.

    Dependent constraints leave only the dense solver with full pivoting (Setting.linear = "dense" switches on
    ignoreSingularJacobian there), and only index 3. Large chains leave only the sparse solver. Explicit solvers refuse
    joints, so that they appear for the chains only, as a kinematic tree (dense mass matrix: not for 1000 bodies).
    """
    definition = MECHANISMS[name]
    small = len(definition.bodies) <= 10
    linears = ["dense"] if definition.redundant else ["sparse", "dense", "exu-dense"] if small else ["sparse"]
    rotations = ["euler"] if definition.planar else ["euler", "vector", "xyz"]
    methods = ["index3"] if definition.redundant or name.startswith("double") else ["index3", "index2"]
    out = []
    for method in methods:
        for linear in linears:
            for rotation in rotations:
                base = Setting(method=method, linear=linear, rotation=rotation)
                out += [replace(base, newton=newton) for newton in ("modified", "per-step", "full")]
        quick = Setting(method=method, linear=linears[0])
        out += [replace(quick, newton="per-step", tolerance=tolerance) for tolerance in (1e-6, 1e-5, 1e-4)]
        out += [replace(quick, contractivity=c) for c in (0.25, 0.1, 0.02)]
        out += [replace(quick, contractivity=0.25, tolerance=tolerance) for tolerance in (1e-6, 1e-5, 1e-4)]
        if linears[0] == "sparse":
            out += [replace(quick, newton=newton, reuse=False) for newton in ("modified", "per-step", "full")]
    return list(dict.fromkeys([*out, *BEST[name].values()]))


# The best settings, found on 16 Nov 2026 (exudyn 1.13.6, fast module, 2 cores AMD EPYC, load below 1) in two rounds at
# step 1e-3 over the whole duration: first all of method x Newton x linear solver x rotation at the default tolerance,
# 1e-8, then contractivity 0.1 to 0.8 and tolerance 1e-6 to 1e-3 for the two or three fastest; last the finalists in
# turns, minimum CPU time of 2 or 3 runs. One setting timed twice in turns (minima of 4 or 5 runs) differed by 8 %
# (chain100) and 13 % (chain1000, whose contractivity is therefore open): smaller differences are noise. Fastest ...
#   "index3":       index-3 generalized-alpha at the default tolerance;
#   "index3-loose": the same at a looser tolerance that changes the error at 1e-3 by less than 25 % (equal to "index3"
#                   where none is faster). With modified Newton it is partly luck at 1e-6: bricard changed by 4 to 33 %
#                   with contractivity, the double four-bar by 10 to 104 % (hence 1e-7 there);
#   "implicit":     any implicit setting, by the same rule against its own method at the default tolerance;
#   "explicit":     chains only: kinematic tree with RK67, to be used with steps about ten times larger.
_PER_STEP = Setting(newton="per-step", linear="dense")
_XYZ = Setting(linear="dense", rotation="xyz")
_TREE = Setting(method="RK67", linear="dense", tree=True)
BEST: dict[str, dict[str, Setting]] = {
    "rssr": {
        "index3": _PER_STEP,
        "index3-loose": _PER_STEP,
        "implicit": replace(_PER_STEP, method="index2", tolerance=1e-6),  # 150 times the error of index 3
    },
    "chain10": {
        "index3": Setting(contractivity=0.25),
        "index3-loose": Setting(contractivity=0.25, tolerance=1e-4),
        "implicit": Setting(contractivity=0.25, tolerance=1e-4),
        "explicit": _TREE,
    },
    "chain100": {
        "index3": Setting(contractivity=0.1),
        "index3-loose": Setting(contractivity=0.1, tolerance=1e-5),
        "implicit": Setting(contractivity=0.1, tolerance=1e-5),
        "explicit": _TREE,
    },
    "chain1000": {
        "index3": Setting(contractivity=0.01),
        "index3-loose": Setting(contractivity=0.01),
        "implicit": Setting(method="index2", contractivity=0.01, tolerance=1e-7),  # a tie with index 3
    },
    "double-four-bar": {
        "index3": replace(_XYZ, contractivity=0.1),
        "index3-loose": replace(_XYZ, contractivity=0.1, tolerance=1e-7),
        "implicit": replace(_XYZ, contractivity=0.1, tolerance=1e-7),
    },
    "double-four-bar-planar": {
        "index3": _PER_STEP,
        "index3-loose": replace(_PER_STEP, tolerance=1e-5),
        "implicit": replace(_PER_STEP, tolerance=1e-5),
    },
    "bricard": {
        "index3": replace(_XYZ, contractivity=0.02),
        "index3-loose": replace(_XYZ, contractivity=0.05, tolerance=1e-6),
        "implicit": replace(_XYZ, contractivity=0.05, tolerance=1e-6),
    },
    "andrews": {
        "index3": Setting(newton="per-step"),
        "index3-loose": Setting(newton="per-step", tolerance=1e-6),
        "implicit": Setting(method="index2", newton="per-step", tolerance=1e-6),
    },
}


# ------------------------------------------------------------------------------------------------ building models
def _load(module="fast"):
    """Import exudyn as the wanted module; returns it with the name of the module really loaded."""
    if "exudyn" not in sys.modules:
        sys.exudynFast = module == "fast"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import exudyn as exu
        import exudyn.utilities
    exu.config.printToConsole = False
    return exu, _loaded()


def _loaded():
    """Which module this process holds: None, "default" or "fast"."""
    if "exudyn" not in sys.modules:
        return None
    return "fast" if "exudyn.exudynCPPfast" in sys.modules else "default"


def _build_spatial(exu, mbs, definition, setting):
    """Rigid bodies and joints in 3-D; returns a function giving the end positions."""
    from exudyn.utilities import RigidBodyInertia

    kinds = exu.NodeType
    node = {
        "euler": kinds.RotationEulerParameters,
        "vector": kinds.RotationRotationVector,
        "xyz": kinds.RotationRxyz,
    }[setting.rotation]
    ground = mbs.CreateGround()
    bodies = []
    for (mass, inertia, position, rotation), (v, w) in zip(definition.bodies, definition.velocities, strict=True):
        body = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia), com=[0, 0, 0]),
            referencePosition=list(position),
            referenceRotationMatrix=rotation,
            initialVelocity=list(v),
            initialAngularVelocity=list(w),
            gravity=list(definition.gravity),
            nodeType=node,
        )
        bodies.append(body)
    for kind, i, j, point, axis in definition.joints:
        pair = [ground if k < 0 else bodies[k] for k in (i, j)]
        if kind == "spherical":
            mbs.CreateSphericalJoint(itemNumbers=pair, position=list(point), useGlobalFrame=True, show=False)
        else:
            mbs.CreateRevoluteJoint(
                itemNumbers=pair, position=list(point), axis=list(axis), useGlobalFrame=True, show=False
            )
    return _body_states(exu, mbs, bodies)


def _body_states(exu, mbs, bodies):
    """Function giving the centres of mass of bodies, which _watch() finds in mbs.variables."""
    kinds = exu.OutputVariableType
    mbs.variables["watched"] = bodies
    return lambda: np.array([mbs.GetObjectOutputBody(b, kinds.Position, [0, 0, 0]) for b in bodies])


def _watch(exu, mbs):
    """Sensors for place, rotation matrix, velocity and angular velocity (global) of every body: their numbers (4, n)."""
    from exudyn.utilities import SensorBody

    kinds = exu.OutputVariableType
    return [
        [
            mbs.AddSensor(SensorBody(bodyNumber=b, storeInternal=True, outputVariableType=what))
            for b in mbs.variables["watched"]
        ]
        for what in (kinds.Position, kinds.RotationMatrix, kinds.Velocity, kinds.AngularVelocity)
    ]


def _build_planar(exu, mbs, definition, setting):
    """Planar bodies (x, y, angle), planar revolute joints, springs, torques; returns a function giving the end positions."""
    from exudyn import utilities as u

    ground = mbs.AddObject(u.ObjectGround())
    bodies = []
    for (mass, inertia, position, rotation), (v, w) in zip(definition.bodies, definition.velocities, strict=True):
        angle = math.atan2(rotation[1, 0], rotation[0, 0])
        coordinates = [position[0], position[1], angle]
        node = mbs.AddNode(u.NodeRigidBody2D(referenceCoordinates=coordinates, initialVelocities=[v[0], v[1], w[2]]))
        body = mbs.AddObject(u.RigidBody2D(nodeNumber=node, mass=mass, inertia=inertia[2]))
        marker = mbs.AddMarker(u.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(u.LoadMassProportional(markerNumber=marker, loadVector=list(definition.gravity)))
        bodies.append(body)

    def marker(k, point):
        local = point if k < 0 else definition.bodies[k][3].T @ (point - definition.bodies[k][2])
        body = ground if k < 0 else bodies[k]
        return mbs.AddMarker(u.MarkerBodyPosition(bodyNumber=body, localPosition=list(local)))

    for _, i, j, point, _ in definition.joints:
        mbs.AddObject(u.RevoluteJoint2D(markerNumbers=[marker(i, point), marker(j, point)]))
    for i, j, a, b, stiffness, length in definition.springs:
        pair = [marker(i, a), marker(j, b)]
        mbs.AddObject(u.SpringDamper(markerNumbers=pair, stiffness=stiffness, damping=0, referenceLength=length))
    for k, torque in definition.torques:
        about = mbs.AddMarker(u.MarkerBodyRigid(bodyNumber=bodies[k]))
        mbs.AddLoad(u.LoadTorqueVector(markerNumber=about, loadVector=[0, 0, torque]))
    return _body_states(exu, mbs, bodies)


def _build_tree(exu, mbs, definition, setting):
    """A chain as one kinematic tree: each spherical joint is three hinges (y, z, x) with massless links between."""
    from exudyn.utilities import NodeGenericODE2, ObjectKinematicTree

    n = len(definition.bodies)
    angles, before = np.zeros((n, 3)), np.eye(3)
    for k, (_, _, _, rotation) in enumerate(definition.bodies):
        relative = before.T @ rotation
        angles[k, 0] = math.atan2(-relative[2, 0], relative[0, 0])  # about y: the chains start in the x-z plane
        before = rotation
    offsets, inertias, centres = exu.Vector3DList(), exu.Matrix3DList(), exu.Vector3DList()
    transformations, masses = exu.Matrix3DList(), []
    for k, (mass, inertia, _, _) in enumerate(definition.bodies):
        for hinge in range(3):
            real = hinge == 2
            transformations.Append(np.eye(3))
            offsets.Append([1.0 if hinge == 0 and k else 0.0, 0, 0])
            inertias.Append(np.diag(inertia) if real else np.zeros((3, 3)))
            centres.Append([0.5 if real else 0.0, 0, 0])
            masses.append(mass if real else 0.0)
    start = [float(a) for a in angles.ravel()]
    zero = [0.0] * (3 * n)
    node = mbs.AddNode(
        NodeGenericODE2(
            referenceCoordinates=zero,
            initialCoordinates=start,
            initialCoordinates_t=zero,
            numberOfODE2Coordinates=3 * n,
        )
    )
    kinds = exu.JointType
    mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[kinds.RevoluteY, kinds.RevoluteZ, kinds.RevoluteX] * n,
            linkParents=list(range(-1, 3 * n - 1)),
            jointTransformations=transformations,
            jointOffsets=offsets,
            linkInertiasCOM=inertias,
            linkCOMs=centres,
            linkMasses=masses,
            baseOffset=[0, 0, 0],
            gravity=list(definition.gravity),
        )
    )

    def positions():
        q = np.reshape(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates), (n, 3))
        out, p, rotation = [], np.zeros(3), np.eye(3)
        for y, z, x in q:
            cy, sy, cz, sz, cx, sx = (f(a) for a in (y, z, x) for f in (math.cos, math.sin))
            rotation = rotation @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            rotation = rotation @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1.0]])
            rotation = rotation @ np.array([[1.0, 0, 0], [0, cx, -sx], [0, sx, cx]])
            out.append(p + rotation[:, 0] / 2)
            p = p + rotation[:, 0]
        return np.array(out)

    return positions


# ---------------------------------------------------------------------------------------------------------- runs
@dataclass
class Result:
    """What one run gave. Times are those of the solver call alone; `steps` counts the steps really done."""

    wall: float
    cpu: float
    steps: int
    iterations: int | None  # Newton iterations over the run
    jacobians: int | None  # Jacobians computed and factorised
    positions: np.ndarray | None  # centres of mass at the end, (n, 3)
    ok: bool
    message: str
    module: str


def _simulation_settings(exu, definition, setting, step, duration):
    s = exu.SimulationSettings()
    time_integration = s.timeIntegration
    time_integration.endTime = duration
    time_integration.numberOfSteps = round(duration / step)
    time_integration.verboseMode = 0
    time_integration.automaticStepSize = False
    s.solution.file.write = False
    s.solution.sensors.writePeriod = duration
    s.show.computationTime = False
    s.parallel.numberOfThreads = 1
    alpha = time_integration.generalizedAlpha
    alpha.computeInitialAccelerations = True
    alpha.spectralRadius = setting.rho
    newton = time_integration.newton
    newton.useModifiedNewton = setting.newton != "full"
    newton.modifiedNewtonJacUpdatePerStep = setting.newton == "per-step"
    newton.relativeTolerance = setting.tolerance
    newton.modifiedNewtonContractivity = setting.contractivity
    types = exu.LinearSolverType
    s.linearSolver.solverType = {
        "sparse": types.EigenSparse,
        "dense": types.EigenDense,
        "exu-dense": types.EXUdense,
    }[setting.linear]
    s.linearSolver.reuseAnalyzedPattern = setting.reuse and setting.linear == "sparse"
    s.linearSolver.ignoreSingularJacobian = definition.redundant and setting.linear == "dense"
    return s


SOLVERS = {"index3": "GeneralizedAlpha", "index2": "TrapezoidalIndex2"}


def _run_here(name, setting, step, module, duration):
    definition = MECHANISMS[name]
    duration = duration or definition.duration
    exu, module = _load(module)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    build = _build_tree if setting.tree else _build_planar if definition.planar else _build_spatial
    positions = build(exu, mbs, definition, setting)
    mbs.Assemble()
    s = _simulation_settings(exu, definition, setting, step, duration)
    kind = getattr(exu.DynamicSolverType, SOLVERS.get(setting.method, setting.method))
    message, ok = "", False
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        ok = bool(mbs.SolveDynamic(s, solverType=kind, storeSolver=True))
    except Exception as error:  # exudyn raises several kinds
        message = str(error).strip().split("\n")[0][:120]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    solver = mbs.sys.get("dynamicSolver")
    it = solver.it if solver is not None else None
    implicit = setting.method in SOLVERS
    end = positions() if ok else None
    if end is not None and not np.all(np.isfinite(end)):
        ok, message = False, "not finite"
    return Result(
        wall=wall,
        cpu=cpu,
        steps=int(it.currentStepIndex) - 1 if it else 0,  # exudyn counts from 1
        iterations=int(it.newtonStepsCount) if it and implicit else None,
        jacobians=int(it.newtonJacobiCount) if it and implicit else None,
        positions=end,
        ok=ok,
        message=message,
        module=module,
    )


def _run_child(name, setting, step, module, duration):
    task = json.dumps([name, asdict(setting), step, module, duration])
    python = os.environ.get("EXUDYN_PYTHON", sys.executable)
    command = [python, "-W", "ignore", os.path.abspath(__file__), "--child", task]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        text = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return Result(math.nan, math.nan, 0, None, None, None, False, text[:120], module)
    data = json.loads(lines[-1])
    if data["positions"] is not None:
        data["positions"] = np.array(data["positions"])
    return Result(**data)


def run(name, setting, step, module="fast", duration=None):
    """Integrate a mechanism once with a constant step; `module` is exudyn's "fast" or "default"."""
    here = _loaded() == module or (_loaded() is None and importlib.util.find_spec("exudyn") is not None)
    return (_run_here if here else _run_child)(name, setting, step, module, duration)


def best_of(name, setting, step, module="fast", repeats=3, limit=4.0, duration=None):
    """The run with the smallest CPU time; no further repeat once `limit` seconds are spent or a run has failed."""
    best, spent = None, 0.0
    for _ in range(repeats):
        result = run(name, setting, step, module, duration)
        spent += result.wall
        if best is None or result.cpu < best.cpu:
            best = result
        if not result.ok or spent > limit:
            break
    return best


def energy(name, places, rotations, velocities, spins):
    """Kinetic and potential energy less the work of torques (up to full turns), J, from (n, 3), (n, 3, 3), (n, 3), (n, 3)."""
    definition, total = MECHANISMS[name], 0.0
    for k, (mass, inertia, _, _) in enumerate(definition.bodies):
        spin = rotations[k].T @ spins[k]
        total += 0.5 * mass * velocities[k] @ velocities[k] + 0.5 * inertia @ spin**2
        total -= mass * definition.gravity @ places[k]
    for i, j, a, b, stiffness, length in definition.springs:
        ends = []
        for k, point in ((i, a), (j, b)):
            local = point if k < 0 else definition.bodies[k][3].T @ (point - definition.bodies[k][2])
            ends.append(local if k < 0 else places[k] + rotations[k] @ local)
        total += 0.5 * stiffness * (np.linalg.norm(ends[1] - ends[0]) - length) ** 2
    for k, torque in definition.torques:
        turned = definition.bodies[k][3].T @ rotations[k]
        total -= torque * math.atan2(turned[1, 0], turned[0, 0])
    return float(total)


def drift(name, setting, step, duration, samples=100, module="fast"):
    """Largest change of energy on the way, J (full turns of torques taken out), by a run that is not timed; inf if it fails."""
    definition = MECHANISMS[name]
    exu, _ = _load(module)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    (_build_planar if definition.planar else _build_spatial)(exu, mbs, definition, setting)
    sensors = _watch(exu, mbs)
    mbs.Assemble()
    s = _simulation_settings(exu, definition, setting, step, duration)
    s.solution.sensors.writePeriod = duration / samples
    try:
        if not mbs.SolveDynamic(s, solverType=getattr(exu.DynamicSolverType, SOLVERS[setting.method])):
            return math.inf
    except Exception:  # exudyn raises several kinds
        return math.inf
    series = [np.array([mbs.GetSensorStoredData(k)[:, 1:] for k in numbers]).swapaxes(0, 1) for numbers in sensors]
    energies = [energy(name, p, r.reshape(-1, 3, 3), v, w) for p, r, v, w in zip(*series, strict=True)]
    changes = np.array(energies) - energies[0]
    for _, torque in definition.torques:
        changes -= 2 * math.pi * torque * np.round(changes / (2 * math.pi * torque))
    return float(np.abs(changes).max())


def error(positions, reference):
    """Largest distance of any centre of mass."""
    return float(np.linalg.norm(positions - reference, axis=1).max())


# --------------------------------------------------------------------------------------------------------- table
def _fine(name, setting, step, module, cache):
    """End positions at a tenth of the step, same method and tolerance 1e-8 at most; None where exudyn fails."""
    key = name, setting.method, setting.rotation, setting.tree
    if key not in cache:
        result = run(name, replace(setting, tolerance=min(setting.tolerance, 1e-8)), step / 10, module)
        cache[key] = result.positions if result.ok else None
    return cache[key]


def _rows(name, chosen, module, step=1e-3):
    """Table lines: each setting at twice the step and at the step.

    The error is against exudyn at a tenth of the step; the order is taken from the error against the exact solution
    where there is one, since on the double four-bar exudyn itself fails or drifts at 1e-4.
    """
    cache, true = {}, exact(name)
    for title, setting in chosen:
        base = 10 * step if setting.tree else step
        fine = _fine(name, setting, base, module, cache)
        coarse = None
        for h in (2 * base, base):
            result = best_of(name, setting, h, module)
            line = f"{name:23} {title:13} {setting.label:64} {h:8.2e}"
            if not result.ok:
                yield f"{line}  failed after {result.steps} steps: {result.message}"
                continue
            n = result.steps
            newton = "" if result.iterations is None else f"{result.iterations / n:5.2f} {result.jacobians / n:5.2f}"
            line += f" {n:6d} {1e6 * result.cpu / n:9.1f} {1e6 * result.wall / n:9.1f} {newton:11}"
            own = math.nan if fine is None else error(result.positions, fine)
            measured = own if true is None else error(result.positions, true)
            line += f" {own:9.2e}" + ("" if coarse is None else f" {math.log2(coarse / measured):5.2f}").rjust(6)
            coarse = measured
            yield line + (f" {measured:9.2e}" if true is not None else "")


def main():
    parser = argparse.ArgumentParser(description="exudyn: time per step and error of each mechanism")
    parser.add_argument("names", nargs="*", metavar="mechanism", help=f"of {', '.join(MECHANISMS)}; all by default")
    parser.add_argument("--all", action="store_true", help="all settings instead of the best ones (takes minutes)")
    parser.add_argument("--module", default="fast", choices=["fast", "default"])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, setting, step, module, duration = json.loads(options.child)
        data = asdict(_run_here(name, Setting(**setting), step, module, duration))
        data["positions"] = None if data["positions"] is None else data["positions"].tolist()
        print(json.dumps(data))
        return
    head = f"{'mechanism':23} {'best as':13} {'setting':64} {'step':>8} {'steps':>6} {'cpu us':>9} {'wall us':>9}"
    print(head + f" {'it':>5} {'jac':>5} {'err h/10':>9} {'order':>5} {'err exact':>9}")
    for name in options.names or MECHANISMS:
        titles = {}
        for title, setting in BEST[name].items():
            titles[setting] = title if setting not in titles else f"{titles[setting]}+"
        chosen = [(titles.get(s, ""), s) for s in (settings(name) if options.all else titles)]
        for line in _rows(name, chosen, options.module):
            print(line, flush=True)


if __name__ == "__main__":
    main()
