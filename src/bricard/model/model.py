"""The model: what a user declares, before anything is computed."""

from __future__ import annotations

from os import PathLike
from typing import Any

from bricard.errors import ModelError
from bricard.interrupts import Waiting
from bricard.model.body import Body, make_body
from bricard.model.drawing import Drawing
from bricard.model.forcing import Forcing
from bricard.model.shapes import Shape

__all__ = ["Model"]


class Model(Forcing):
    """Bodies, joints, forces and wishes for the start, each with a name.

    gravity : (3,), m/s^2; (0, 0, -9.81) if not given, (0, -9.81, 0) in a planar model.
    planar : bodies move in the x-y plane unless they are declared otherwise.

    >>> model = Model("pendulum")
    >>> bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    >>> model.revolute("hinge", model.ground, bob, point=(0, 0, 0), axis=(0, 1, 0)).freedom
    1
    """

    def __init__(self, name: str = "model", gravity: object = None, planar: bool = False):
        super().__init__(name, gravity, planar)

    def body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        mass: float | None = None,
        inertia: object = None,
        com: object = None,
        inertia_axes: object = None,
        position: object = None,
        rotation: object = None,
        planar: bool | None = None,
        inertia_check: str = "warn",
    ) -> Body:
        """Declare a body by a shape drawn in the world, or by its mass and inertia.

        mass : kg. inertia : (3, 3) tensor or (3,) principal moments about the centre of mass (kg m^2), in the axes
        `inertia_axes` (3, 3), which are the body axes if not given; for a planar body one number is enough.
        com : (3,), centre of mass in the body's reference frame (m), its origin if not given. position, rotation :
        (3,), and (3, 3) or quaternion (4,), where the reference frame stands at the start; with a shape they move it.
        planar : the body moves in the x-y plane only; as the model if not given. inertia_check : what to do where the largest
        principal moment exceeds the sum of the others: "warn" where it is by at most 10 %, else an error; always an "error"; or
        take the "nearest" inertia that a real body can have.
        """
        name = self._new_name(name, "body")
        flat = self.is_planar if planar is None else planar
        if not isinstance(flat, bool):
            raise ModelError(f'body "{name}": planar must be true or false, not {planar!r}.')
        self.bodies[name] = body = make_body(
            name,
            shape,
            flat,
            mass=mass,
            inertia=inertia,
            com=com,
            inertia_axes=inertia_axes,
            position=position,
            rotation=rotation,
            inertia_check=inertia_check,
        )
        return body

    def draw(self, body: Body | str, shape: Shape) -> Drawing:
        """Show a shape with a body or with the ground; its mass does not count.

        The shape stands in the reference frame of the body: a URDF's visual, a casing, a floor.
        """
        owner = self._body(body, "draw")
        if not isinstance(shape, Shape):
            raise ModelError(f'draw: what is shown with "{owner.name}" must be a shape such as Box, not {shape!r}.')
        self.drawings.append(Drawing(owner, shape))
        return self.drawings[-1]

    def add(self, joint: Any) -> Any:
        """Add a joint made by hand: an instance of your own class derived from `bricard.model.joints.base.Joint`."""
        from bricard.model.joints.base import Joint

        if not isinstance(joint, Joint):
            raise ModelError(f"add() takes a joint, an instance of a class derived from Joint, not {joint!r}.")
        name = self._new_name(joint.name, "joint")
        known = {self.ground, *self.bodies.values()}
        if not all(body in known for body in joint.bodies):
            raise ModelError(f'joint "{name}": all of its bodies must belong to the model "{self.name}".')
        self.joints[name] = joint
        return joint

    def report(self, **options: Any) -> Any:
        """Return the topology report: degrees of freedom, loops, redundant rows by joint name.

        With coordinates="relative" (and perhaps cut=(...), names of joints) also the spanning tree and the cut joints.
        """
        with Waiting():
            from bricard.system.report import report

        return report(self, **options)

    def build(self, **options: Any) -> Any:
        """Return the frozen System of this model; see `bricard.system.build.build` for the options."""
        with Waiting():
            from bricard.system.build import build

        return build(self, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a TOML file; loading it again gives the same numbers to the last digit."""
        from bricard.io.toml import save

        save(self, path)

    @staticmethod
    def load(path: str | PathLike[str], *, code: bool = True) -> Model:
        """Return the model of a TOML file; with code=False it must not name functions, as in `bricard.load`."""
        from bricard.io.toml import load

        return load(path, code=code)[0]

    def view(self, path: str | PathLike[str] | None = None) -> Any:
        """Return the page (HTML, works offline) that shows the assembled start; `path` : also write it to this file."""
        with Waiting():
            from bricard.view.page import model_page

        page = model_page(self)
        if path is not None:
            page.save(path)
        return page

    def _repr_html_(self) -> str:
        with Waiting():
            from bricard.view.notebook import model_html

        return model_html(self)

    def __repr__(self) -> str:
        counts = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.forces)} forces"
        return f'<model "{self.name}": {counts}>'
