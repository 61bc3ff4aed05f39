"""Elements given by a function: users' own joints, nonholonomic constraints and forces, and a few built-in ones.

A user's function is called as `f(t, a, b, p)`. a and b are the two attachments, named tuples with `x` (position of the
attachment point in the world, 3 numbers) and `R` (rotation matrix of the body, 3 rows); nonholonomic constraints and
forces also get `v` (velocity of the point) and `w` (angular velocity), both in world axes. p is the tuple of
parameters. A joint or a nonholonomic constraint returns its rows, zero when satisfied. A force returns
(Fx, Fy, Fz, Mx, My, Mz) in world axes, acting on body b at b.x; the opposite acts on body a at the same point.
A potential `U(a, b, p)` (J) of two poses stands for the load that is minus its gradient, on both bodies.
Derivatives are exact, by hyper-dual numbers (docs/functions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bricard.errors import ModelError
from bricard.model import checks
from bricard.model.blocks import Block, Measure, flat
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.profiles import as_function
from bricard.model.travelling import Immutable

__all__ = ["BUILT_IN", "FunctionElement", "bushing", "knife_edge", "user_element", "user_force"]

BUILT_IN = ("bushing", "knife_edge", "rolling_contact", "rolling_slip")
DECLARED_BY = {"joint": "joint", "nonholonomic": "nonholonomic", "force": "user_force"}


@dataclass(frozen=True, eq=False)
class FunctionElement(Immutable):
    """A joint, nonholonomic constraint or force whose rows or loads come from a function.

    kind : "joint", "nonholonomic" or "force". function : a callable, the name of a built-in function, or None for a force that
    is given by its potential alone.
    rows : number of constraint rows, 6 for a force, 8 if its potential and the power of the rest follow, 1 for a potential alone.
    units : "length" or "angle" per row.
    """

    name: str
    kind: str
    function: Callable[..., Any] | str | None
    frame_a: Frame
    frame_b: Frame
    parameters: tuple[float, ...]
    rows: int
    units: tuple[str, ...]
    jacobian: Callable[..., Any] | None = None
    potential: Callable[..., Any] | None = None

    @property
    def body_a(self) -> Body:
        """The first body."""
        return self.frame_a.body

    @property
    def body_b(self) -> Body:
        """The second body."""
        return self.frame_b.body

    @property
    def bodies(self) -> tuple[Body, Body]:
        """Both bodies."""
        return self.body_a, self.body_b

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Both attachment points (3,), relative to the centres of mass, in body axes (m)."""
        return self.frame_a.point, self.frame_b.point

    @property
    def conservative(self) -> bool:
        """Whether it is a force that has a potential and nothing else."""
        return self.function is None or (self.function == "bushing" and not any(self.parameters[6:12]))

    @property
    def freedom(self) -> int:
        """Relative degrees of freedom left at position level."""
        return 6 - self.rows if self.kind == "joint" else 6

    @property
    def planar_freedom(self) -> int:
        """The same between two planar bodies."""
        return max(3 - self.rows, 0) if self.kind == "joint" else 3

    def blocks(self) -> tuple[Block, ...]:
        """Return the one block of rows; none for a force."""
        if self.kind == "force":
            return ()
        labels = tuple(str(row + 1) for row in range(self.rows))
        return (Block("function", self.bodies, self.parameters, labels, self.units, element=self),)

    def coordinates(self) -> dict[str, Measure]:
        """Return no coordinates: a function measures none."""
        return {}

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this element again."""
        if self.function == "knife_edge":
            return {"type": "knife_edge", "body": self.body_b, "frame": self.frame_b}
        table: dict[str, Any] = {"bodies": self.bodies, "frame_a": self.frame_a, "frame_b": self.frame_b}
        if self.function == "bushing":
            return {"type": "bushing", **table, "stiffness": self.parameters[:6], "damping": self.parameters[6:12]}
        table = {"type": DECLARED_BY[self.kind], **table, "parameters": self.parameters}
        if self.kind == "force":
            return table | {
                key: f for key, f in (("load", self.function), ("potential", self.potential)) if f is not None
            }
        table |= {"residual": self.function, "rows": self.rows, "units": self.units}
        return table if self.jacobian is None else table | {"jacobian": self.jacobian}


def user_element(
    name: str,
    kind: str,
    function: object,
    frames: tuple[Frame, Frame],
    rows: object,
    parameters: object,
    *,
    units: object = None,
    jacobian: object = None,
) -> FunctionElement:
    """Return a checked joint or nonholonomic constraint of a user's function."""
    where = f'joint "{name}"'
    count = checks.integer(rows, f"{where}: rows")
    if units is None:
        units = "length"
    words = (units,) * count if isinstance(units, str) else units
    if not isinstance(words, tuple | list) or len(words) != count or not all(w in ("length", "angle") for w in words):
        raise ModelError(f'{where}: units must be "length" or "angle", one for all or one for each of {count} rows.')
    return FunctionElement(
        name,
        kind,
        as_function(function, f"{where}: residual"),
        *frames,
        checks.numbers(parameters, f"{where}: parameters"),
        count,
        tuple(words),
        None if jacobian is None else as_function(jacobian, f"{where}: jacobian"),
    )


def user_force(
    name: str, frames: tuple[Frame, Frame], load: object, potential: object, parameters: object
) -> FunctionElement:
    """Return a checked force of a user's load, potential, or both."""
    where = f'force "{name}"'
    if load is None and potential is None:
        raise ModelError(f"{where}: give a load, a potential, or both.")
    given = None if load is None else as_function(load, f"{where}: load")
    stored = None if potential is None else as_function(potential, f"{where}: potential")
    numbers = checks.numbers(parameters, f"{where}: parameters")
    rows = 1 if given is None else 6 if stored is None else 8
    units = ("length",) * rows
    return FunctionElement(name, "force", given, *frames, numbers, rows, units, potential=stored)


def knife_edge(name: str, frame_a: Frame, frame_b: Frame) -> FunctionElement:
    """Return the constraint that the origin of frame b has no velocity along its z axis."""
    return FunctionElement(name, "nonholonomic", "knife_edge", frame_a, frame_b, flat(frame_b.z), 1, ("length",))


def bushing(name: str, frame_a: Frame, frame_b: Frame, stiffness: object, damping: object) -> FunctionElement:
    """Return a force with six linear springs and dampers along and about the axes of frame a; it also gives its energy."""
    where = f'force "{name}"'
    constants = [checks.vector(v, f"{where}: {k}", 6) for k, v in (("stiffness", stiffness), ("damping", damping))]
    parameters = flat(*constants, frame_a.rotation.ravel(), frame_b.rotation.ravel())
    units = ("length",) * 3 + ("angle",) * 3
    return FunctionElement(name, "force", "bushing", frame_a, frame_b, parameters, 8, units)
