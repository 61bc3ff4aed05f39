"""Routines of users' joints on the way of a run: whether what they give is still what a joint does.

A routine that solves its own closure may run past the range in which it has a solution, and still return numbers. Its derivatives
tell: SDQ and SDTT are no longer those of SD. They are compared with differences as at the start (user_joint_check.py), by the
compiled routine. Joints that give their own motion are looked at, too; derivatives of all others are made by Bricard.
"""

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..kernels.user_elimination import SIZE, read_motion
from ..kernels.user_layout import KIND, LENGTH, ROUTINE, SIZES, WITH_MOTION
from ..linalg.kkt import evaluate
from .turns import kept_joints, known_joints, tell_joints
from .user_functions import RAISED
from .user_joint_check import contradiction
from .user_start import Start, prepared

STEPS = (1e-5, 1e-4, 1e-3, 1e-6, 1e-7)  # of differences, in natural sizes: one of them must do, near an end a small one
TOLERANCE = 1e-3  # of differences: what a routine may be off by its own iterations
CROOKED = 1e-6  # of C^T C = 1


class Routine:
    """The compiled routine of one user's joint."""

    def __init__(self, joint):
        self.joint, self.start = joint, Start(joint)
        self.numbers, self.memory = np.array(prepared(joint).numbers), np.zeros(SIZE)
        self.steepness = np.nan  # largest of SDQ and CDQ where it was looked at last, in natural sizes

    def parts(self, s, u):
        """SD, SDT, SDQ, SDTT, CD, CDT, CDQ, CDTT at s (n_q,) with velocities u (n_v,)."""
        n = len(u)
        d, C, motion, bias = np.zeros(3), np.zeros(9), np.zeros(6 * n), np.zeros(6)
        if not read_motion(self.numbers, self.memory, s, u, d, C, motion, bias):
            raise ValueError("it gives no numbers")
        rows = motion.reshape(n, 6)
        shift, turn = rows[:, :3].T, rows[:, 3:].T
        return d, shift @ u, shift, bias[:3], C.reshape(3, 3), turn @ u, turn, bias[3:]

    def fault(self, s):
        """What is wrong with the routine at s (n_q,), in words, or None."""
        found = None
        try:
            _, _, shift, _, C, _, turn, _ = self.parts(s, np.zeros(self.start.n_v))
            sizes = self.numbers[SIZES : SIZES + self.start.n_v]
            self.steepness = float(np.abs(np.vstack([shift / self.numbers[LENGTH], turn]) * sizes).max())
            if not np.abs(C.T @ C - np.eye(3)).max() <= CROOKED:
                found = "its C is no rotation"
        except RAISED as error:
            found = f"it raises {type(error).__name__} ({error})"
        for step in () if found else STEPS:
            try:
                found = contradiction(self.parts, self.start, s, self.numbers[LENGTH], step, TOLERANCE)
            except RAISED as error:  # one side of the differences is out of the range
                found = found or f"beside it raises {type(error).__name__} ({error})"
            if found is None:
                break
        if found is None:
            return None
        kind = "routine" if self.joint.what.kind == "routine" else "motion"
        return f'the {kind} of joint "{self.joint.name}" is not that of a joint at {self.place(s)}: {found}'

    def place(self, s):
        """Coordinates s (n_q,) in words."""
        return ", ".join(f"{name} = {x:.10g}" for name, x in zip(self.joint.what.coordinates, s, strict=False))


class Routines:
    """The routines of all users' joints of a system."""

    def __init__(self, system):
        joints = () if system.model is None else [j for j in system.model.joints.values() if j.kind == "user"]
        joints = [joint for joint in joints if int(prepared(joint).numbers[KIND]) in (ROUTINE, WITH_MOTION)]
        self.system, self.each, self.known = system, [Routine(joint) for joint in joints], {}
        self.work = system.work() if joints and kept_joints(system) else None  # of its own: the march does not notice

    def fault(self, t, q, v, *memories):
        """What is wrong with a routine at a state of the system, in words, or None.

        memories : Work.memory, near whose coordinates to look; the next one where that fails.
        """
        if not self.each or not (np.isfinite(q).all() and np.isfinite(v).all()):
            return None
        error = None
        for memory in memories:  # a search that has failed may have left coordinates far away
            try:
                self.known = self._located(t, q, v, memory)
                break
            except RAISED as raised:
                error = raised
        else:
            return self.raised(error)
        places = ((routine, self.known.get(routine.joint)) for routine in self.each)
        faults = (routine.fault(s) for routine, s in places if s is not None and np.isfinite(s).all())
        return next((fault for fault in faults if fault is not None), None)

    def _located(self, t, q, v, memory):
        """User's joint -> its coordinates, of all that carry coordinates of the system or keep their own."""
        known = known_joints(self.system, q, memory)
        if self.work is None:
            return known
        tell_joints(self.system, self.work, known)
        evaluate(t, q, v, VELOCITY, self.system.compiled, pack(self.work))
        return known_joints(self.system, q, self.work.memory)

    def raised(self, error):
        """What a routine raises behind the last state with a value, in words."""
        known = [(routine, self.known.get(routine.joint)) for routine in self.each]
        words = " or ".join(
            f'"{r.joint.name}"' + (f" (behind {r.place(s)})" if s is not None else "") for r, s in known
        )
        return f"the routine of joint {words} raises {type(error).__name__} ({error})"
