"""Why a run has failed: velocities off the constraints, formulas that no step makes stable, functions without a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .compiled import march as counting
from .compiled.handles import pack
from .compiled.interfaces import VELOCITY
from .formulations.base import velocity_scale
from .kernels.functions import Motion, Pose
from .linalg.kkt import evaluate

HALF = 0.5  # an error of velocity above this share of the fastest motion of the run is no drift any more,
STRAY = 1e-4  # if it moves something by so much in one step, in characteristic lengths or radians
GROWTH = 1e-6  # of a step, beyond 1, that is no rounding
RAISED = (ArithmeticError, ValueError, IndexError)  # what a user's function may raise in compiled code
AHEAD, SOON = 9, 1e-6  # places ahead of the last state that are looked at; how far, as a share of an adaptive run


def torn_velocity(system, run, v, work) -> int:
    """The row with the largest error of velocity where that error makes a result useless, or -1.

    work is evaluated with VELOCITY at the end of the run. The error is the least change of v that the constraints ask for.
    """
    r, scale = system.record, velocity_scale(system)
    gap = work.phi_dot * r.row_scale
    if not np.abs(gap).max(initial=0.0) * float(run.clock[1]) > STRAY:
        return -1
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import lsqr

    inside, row, column = r.g_column < r.n_v, r.g_row.astype(int), r.g_column.astype(int)
    values = work.g[inside] * r.row_scale[row[inside]] * scale[column[inside]]
    change = lsqr(csr_array((values, (row[inside], column[inside])), (r.n_rows, r.n_v)), gap)[0]
    shown = run.out_y[: int(run.counters[counting.OUTPUT]), system.n_q : system.n_q + system.n_v]
    fastest = np.linalg.norm(np.vstack([shown, v]) / scale, axis=1).max()
    return int(np.argmax(np.abs(gap))) if np.linalg.norm(change) > HALF * fastest else -1


def hopeless(chosen, method, numbers, system) -> str:
    """What to say of a member of Newmark's family that position constraints make grow at any step size; empty for others.

    The family with the constraint q_s = 0 in the place of the equation of motion, which is the limit of high frequencies.
    """
    if method.name not in ("newmark", "collocation") or chosen.index != 3 or system.record.velocity_level.all():
        return ""
    gamma, beta, theta = method.compiled_options(numbers)[2:5]
    at_s = -np.array([1.0, theta, theta * theta * (0.5 - beta)]) / (beta * theta * theta)
    a = np.array([0.0, 0.0, 1.0]) * (1.0 - 1.0 / theta) + at_s / theta
    v = np.array([0.0, 1.0, 1.0 - gamma]) + gamma * a
    radius = np.abs(np.linalg.eigvals([np.array([1.0, 1.0, 0.5 - beta]) + beta * a, v, a])).max()
    if radius <= 1.0 + GROWTH:
        return ""
    return (
        f" No step helps: with gamma = {gamma:.4g} and beta = {beta:.4g} the formulas of {method.name} multiply errors of "
        f"position constraints by {radius:.3g} in each step, however small. Take null-space-newmark, which has the same formulas "
        "and does not, or generalized-alpha."
    )


def blamed(system, run, q, v, work) -> str | None:
    """The function of the user that has no value at the end of a run or slightly ahead of it, in words, or None."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        return None
    t, h, _, _, _, start, end, nominal = map(float, run.clock)
    farthest = nominal or SOON * (end - start)
    grid = start + (int(run.counters[counting.GRID]) + 1) * nominal - t if nominal else 0.0
    for way in (0.0, *np.geomspace(min(h, farthest), farthest, AHEAD), max(grid, 0.0)):
        with np.errstate(all="ignore"):
            found = _without_value(system, t + way, system.retract(q, way * v), v, work)
        if found is not None:
            return f"{found} at t = {t + way:.6g} s"
    return None


def has_functions(system, triggers) -> bool:
    """Whether a user's function runs in the time loop."""
    own = system.model is None or next(_functions(system), None) is not None
    return own or any(callable(trigger.function) for trigger in triggers)


def evaluates(system, t, q, v, work) -> bool:
    """Whether the system has its functions at a state; they are in work then."""
    try:
        evaluate(t, q, v, VELOCITY, system.compiled, pack(work))
    except RAISED:
        return False
    return True


def _without_value(system, t, q, v, work):
    """What has no finite value at a state, in words, or None."""
    try:
        evaluate(t, q, v, VELOCITY, system.compiled, pack(work))
    except RAISED as error:
        if system.model is None:
            return f'a function of "{system.name}" raises {type(error).__name__} ({error})'
    if system.model is None:
        parts = {"M(q)": work.m, "f(t, q, v)": work.f[: system.n_v], "Phi(t, q)": work.phi}
        parts["A(t, q) or a(t, q)"] = work.phi_dot[system.record.velocity_level == 1]
        return next((f"{label} is {_first(x)}" for label, x in parts.items() if not np.isfinite(x).all()), None)
    for words, function in _functions(system):
        try:
            values = np.atleast_1d(np.asarray(function(t, work), complex))
        except Exception as error:
            return f"the function of {words} raises {type(error).__name__} ({error})"
        if not np.isfinite(values).all():
            return f"the function of {words} is {_first(values)}"
    return None


def _first(values):
    """The first number that is not finite, in words."""
    wrong = values[~np.isfinite(values)][0]
    return "nan" if np.isnan(wrong) else "infinite"


def _functions(system) -> Iterator[tuple[str, Callable[[float, Any], Any]]]:
    """(name in words, function (t, work) -> value) of all that is given by a user's function; work is evaluated there."""
    for joint in system.model.joints.values():
        for block in joint.blocks():
            if block.profile is not None and block.profile.kind == "function":
                yield f'{joint.kind} "{joint.name}"', _of_time(block.profile.function)
            elif block.element is not None and callable(getattr(block.element, "function", None)):
                yield f'{block.element.kind} "{joint.name}"', _of_element(system, block.element)
    for force in system.model.forces.values():
        words = f'{force.kind} "{force.name}"'
        if callable(getattr(force, "function", None)):
            yield words, _of_element(system, force)
        law = getattr(force, "law", None)
        profiles = (*getattr(force, "force", ()), *getattr(force, "torque", ())) if law is None else ()
        if law is not None and law.kind == "function" and force.measure in system.measures:
            yield words, _of_measure(law.function, system.measures.index(force.measure))
        elif law is not None and law.kind == "time":
            profiles = (law.profile,)
        for profile in profiles:
            if profile.kind == "function":
                yield words, _of_time(profile.function)


def _plain(function):
    return getattr(function, "py_func", function)


def _of_time(function):
    return lambda t, work: _plain(function)(t)


def _of_measure(function, number):
    return lambda t, work: _plain(function)(t, float(work.value[number]), float(work.speed[number]))


def _of_element(system, element):
    names = [*system.model.bodies, system.model.ground.name]

    def value(t, work):
        sides = []
        for body, point in zip(element.bodies, element.points, strict=True):
            b = names.index(body.name)
            R, velocity = work.rotation[b].reshape(3, 3), work.velocity[b]
            pose = tuple(work.x[b] + R @ point), tuple(map(tuple, R))
            motion = tuple(velocity[:3] + R @ np.cross(velocity[3:], point)), tuple(R @ velocity[3:])
            sides.append(Pose(*pose) if element.kind == "joint" else Motion(*pose, *motion))
        return _plain(element.function)(t, *sides, np.array(element.parameters))

    return value
