"""Functions of the user in a system: whether there are any, and which of them has no value at a state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import UserFunctionError
from ..kernels.functions import Motion, Pose
from ..linalg.kkt import evaluate

RAISED = (ArithmeticError, ValueError, IndexError)  # what a user's function may raise in compiled code


def has_functions(system, triggers) -> bool:
    """Whether a user's function runs in the time loop."""
    own = system.model is None or next(_functions(system), None) is not None
    own = own or any(joint.kind == "user" for joint in getattr(system.model, "joints", {}).values())
    return own or any(callable(trigger.function) for trigger in triggers)


def only_routines(system) -> bool:
    """Whether no function of a user can raise but those of users' joints."""
    return system.model is not None and next(_functions(system), None) is None


@contextmanager
def named(system) -> Iterator[None]:
    """What a user's function raises outside of a run becomes an error of ours, with the joints that may have raised it."""
    try:
        yield
    except RAISED as error:
        if not has_functions(system, ()):
            raise
        joints = () if system.model is None else system.model.joints.values()
        names = ", ".join(f'"{joint.name}"' for joint in joints if joint.kind == "user")
        raise UserFunctionError(
            f"A user's function{' (joints ' + names + ')' if names else ''} raises {type(error).__name__}: {error} It must have "
            "a finite value wherever the mechanism is looked for; start nearer to the place that is asked for, or in its range."
        ) from error


def evaluates(system, t, q, v, work, packed=None) -> bool:
    """Whether the system has its functions at a state; they are in work then. packed : of pack(work), where it is at hand."""
    try:
        evaluate(t, q, v, VELOCITY, system.compiled, packed or pack(work))
    except RAISED:
        return False
    return True


def without_value(system, t, q, v, work):
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
            values = np.where(values.imag == 0.0, values.real, np.nan)  # Python's power of a negative number
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
        for own in ("function", "potential"):
            if callable(getattr(force, own, None)):
                yield words, _of_element(system, force, own)
        law = getattr(force, "law", None)
        profiles = (*getattr(force, "force", ()), *getattr(force, "torque", ())) if law is None else ()
        if law is not None and law.kind == "function" and force.measure in system.measures:
            number = system.measures.index(force.measure)
            yield from ((words, call) for call in _of_measure(law, number))
        elif law is not None and law.kind == "time":
            profiles = (law.profile,)
        for profile in profiles:
            if profile.kind == "function":
                yield words, _of_time(profile.function)


def _plain(function):
    return getattr(function, "py_func", function)


def _of_time(function):
    return lambda t, work: _plain(function)(t)


def _of_measure(law, number):
    if law.function is not None:
        yield lambda t, work: _plain(law.function)(t, float(work.value[number]), float(work.speed[number]))
    if law.potential is not None:
        yield lambda t, work: _plain(law.potential)(float(work.value[number]))


def _of_element(system, element, own="function"):
    names = [*system.model.bodies, system.model.ground.name]

    def value(t, work):
        sides = []
        for body, point in zip(element.bodies, element.points, strict=True):
            b = names.index(body.name)
            R, velocity = work.rotation[b].reshape(3, 3), work.velocity[b]
            pose = tuple(work.x[b] + R @ point), tuple(map(tuple, R))
            motion = tuple(velocity[:3] + R @ np.cross(velocity[3:], point)), tuple(R @ velocity[3:])
            still = element.kind == "joint" or own == "potential"
            sides.append(Pose(*pose) if still else Motion(*pose, *motion))
        time = () if own == "potential" else (t,)
        return _plain(getattr(element, own))(*time, *sides, np.array(element.parameters))

    return value
