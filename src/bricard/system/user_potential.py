"""Loads and laws that are given with their potential: at rest they must be minus its gradient.

    F = -dU/dx_b,   M = -dU/dturn_b,   F = dU/dx_a,   M + (x_b - x_a) x F = dU/dturn_a,   and F(t, x, 0) = -U'(x) of a law,

compared by hyper-dual numbers near the drawn pose when a model is built, and at accepted steps of a run (stepping/routines.py).
"""

from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..errors import UserFunctionError
from ..hyperdual.gradient import curve, gradient, slope_along
from ..hyperdual.rebuild import plain_copy, plain_of
from ..kernels.functions import Motion, Pose
from ..linalg.kkt import evaluate
from .user_functions import RAISED

TOLERANCE = 1e-6  # of the largest load so far, and of the stiffness times the size of the mechanism
ASIDE = (0.01, 0.1, 0.3)  # sizes of the mechanism, and rad, from the drawn pose: where it is looked at when it is built
AT_BUILD = 0.3  # s
STILL = (0.0, 0.0, 0.0)


class LoadOfPotential:
    """A load and its potential. length (m) : what forces and moments are compared by; size : the largest force so far, N."""

    def __init__(self, force, length):
        self.words, self.points = f'the load of force "{force.name}"', (force.frame_a, force.frame_b)
        self.load, self.potential, self.p = plain_of(force.function), plain_copy(force.potential), force.parameters
        self.held = np.repeat([frame.body.is_ground for frame in self.points], 6)
        self.units, self.size = np.tile([1.0] * 3 + [length] * 3, 2), 0.0
        self.ways = np.random.default_rng(12)

    def fault(self, t, pose_a, pose_b):
        """What is wrong at the poses (x (3,), R (3, 3)) of both attachments, in words, or None."""
        a, b = (Pose(tuple(map(float, x)), tuple(map(tuple, np.array(R, float)))) for x, R in (pose_a, pose_b))
        p = np.array(self.p)
        with np.errstate(all="ignore"):
            load = np.array(self.load(t, Motion(*a, STILL, STILL), Motion(*b, STILL, STILL), p), float)
            opposite = np.concatenate([-load[:3], -load[3:] - np.cross(np.subtract(b.x, a.x), load[:3])])
            given = np.concatenate([opposite, load])
            if self.size > 0.0 and self._fits(given, a, b, p):
                return None
            slopes, mixed = gradient(self.potential, a, b, p)
            wanted, stiff = -slopes, mixed / self.units[:6] ** 2 * self.units[3]
            sizes = np.concatenate([given / self.units, wanted / self.units, stiff])
            self.size = max(self.size, float(np.abs(sizes).max()))
            gaps = np.where(self.held, 0.0, np.abs(given - wanted) / self.units)
        return None if gaps.max() <= TOLERANCE * self.size else self._words(gaps, given, wanted)

    def _fits(self, given, a, b, p):
        """Whether the power along a random motion is what the potential loses: a sixth of the cost of the gradient."""
        way = np.where(self.held, 0.0, self.ways.normal(size=12) / self.units)
        return abs(given @ way + slope_along(self.potential, a, b, p, way)) <= TOLERANCE * self.size

    def _words(self, gaps, given, wanted):
        worst = int(np.argmax(np.where(np.isfinite(gaps), gaps, np.inf)))
        name = ("force", "moment")[worst % 6 // 3]
        unit, axis, side = ("N", "N m")[worst % 6 // 3], "xyz"[worst % 3], "ab"[worst // 6]
        return (
            f"{self.words} is not minus the gradient of its potential: the {name} on {side} along {axis} is {given[worst]:.6g} "
            f"{unit}, but {wanted[worst] + 0.0:.6g} {unit} by the potential"
        )


class LawOfPotential:
    """A law and its potential. length (m) : size of a coordinate that is no angle."""

    def __init__(self, force, length):
        self.words, self.law = f'the law of force "{force.name}"', plain_of(force.law.function)
        self.potential, self.largest = plain_copy(force.law.potential), 0.0
        self.unit = 1.0 if force.measure.kind == "angle" else length

    def fault(self, t, x):
        """What is wrong at a value x of the coordinate, in words, or None."""
        with np.errstate(all="ignore"):
            given = float(self.law(t, x, 0.0))
            _, slope, bend = curve(self.potential, x)
        self.largest = max(self.largest, abs(given), abs(slope), abs(bend) * self.unit)
        if abs(given + slope) <= TOLERANCE * self.largest:
            return None
        return (
            f"{self.words} is not minus the derivative of its potential: at rest at {x:.6g} it is {given:.6g}, but {-slope:.6g} "
            "by the potential"
        )


def check_load(force, length):
    """Check a load against its potential at the drawn pose and aside of it."""
    found, rng = LoadOfPotential(force, length), np.random.default_rng(9)
    for size in (0.0, *ASIDE):
        poses = []
        for frame in found.points:
            body, turn = frame.body, size * rng.normal(size=3)
            R = _turned(turn) @ body.rotation
            poses.append((body.com_position + body.rotation @ frame.point + size * length * rng.normal(size=3), R))
        _raise(found.words, lambda poses=poses: found.fault(AT_BUILD, *poses))


def check_law(force, start, length):
    """Check a law against its potential at the value of its coordinate as drawn, and aside of it."""
    found, rng = LawOfPotential(force, length), np.random.default_rng(9)
    for size in (0.0, *ASIDE):
        x = start + size * found.unit * rng.uniform(-1.0, 1.0)
        _raise(found.words, lambda x=x: found.fault(AT_BUILD, x))


def _raise(words, find):
    try:
        fault = find()
    except Exception as error:
        raise UserFunctionError(
            f"{words[0].upper()}{words[1:]} or its potential fails near the start: {type(error).__name__}: {error}. See "
            "docs/own-joints-and-forces.md for the arguments and what it must return."
        ) from error
    if fault:
        raise UserFunctionError(
            f"{fault[0].upper()}{fault[1:]} (near the start). Mend one of them, or give the potential alone: the load follows "
            "from it."
        )


def _turned(vector):
    """The rotation (3, 3) by a rotation vector."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    n = vector / angle
    cross = np.cross(n, np.eye(3)).T
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


class Potentials:
    """The loads and laws of a system that are given with their potential."""

    def __init__(self, system):
        forces = () if system.model is None else system.model.forces.values()
        loads = [f for f in forces if callable(getattr(f, "function", None)) and f.potential is not None]
        laws = [f for f in forces if _both(getattr(f, "law", None)) and f.measure in system.measures]
        self.system, length = system, system.length
        self.loads = [(LoadOfPotential(force, length), force) for force in loads]
        self.laws = [(LawOfPotential(force, length), system.measures.index(force.measure)) for force in laws]
        self.each = [found for found, _ in (*self.loads, *self.laws)]
        self.work: Any = system.work() if self.each else None  # of its own: the march does not notice

    def fault(self, t, q, v, turn):
        """What is wrong with one of them at a state, in words, or None; turn : references of counted angles (Work.turn)."""
        if not self.each or not (np.isfinite(q).all() and np.isfinite(v).all()):
            return None
        work = self.work
        work.turn[:] = turn
        try:
            evaluate(t, q, v, 0, self.system.compiled, pack(work))
            names = [*self.system.model.bodies, self.system.model.ground.name]
            faults = [found.fault(t, *_poses(force, names, work)) for found, force in self.loads]
            faults += [found.fault(t, float(work.value[number])) for found, number in self.laws]
        except RAISED:  # a function without a value: others say so
            return None
        return next((fault for fault in faults if fault is not None), None)


def _both(law):
    return law is not None and law.kind == "function" and law.function is not None and law.potential is not None


def _poses(force, names, work):
    """Poses of the attachments of a force at the state in work."""
    for body, point in zip(force.bodies, force.points, strict=True):
        i = names.index(body.name)
        R = work.rotation[i].reshape(3, 3)
        yield work.x[i] + R @ point, R
