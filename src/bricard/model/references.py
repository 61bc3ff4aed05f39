"""A model speaks only of what is in it: bodies and joints may have been taken out that other elements need."""

from __future__ import annotations

from bricard.errors import ModelError
from bricard.model.model import Model

__all__ = ["check_references"]

COORDINATES = ("coordinate", "coordinate_1", "coordinate_2")


def check_references(model: Model) -> None:
    """Raise a ModelError that names an element of a model whose bodies, or the joint of whose coordinate, are not in it."""
    elements = [("joint", joint) for joint in model.joints.values()]
    elements += [("force", force) for force in model.forces.values()]
    for family, element in elements:
        for body in element.bodies:
            if body is not model.ground and model.bodies.get(body.name) is not body:
                _refuse(f'{family} "{element.name}"', f'the body "{body.name}"')
        for name in (getattr(element, key, None) for key in COORDINATES):
            if isinstance(name, str) and not _is_coordinate(model, name):
                _refuse(f'{family} "{element.name}"', f'the joint of the coordinate "{name}"')
    for wish in model.wishes:
        if wish.joint is not None and not _is_coordinate(model, wish.joint):
            _refuse("a wish for the start", f'the joint of the coordinate "{wish.joint}"')
        if wish.body is not None and model.bodies.get(wish.body.name) is not wish.body:
            _refuse("a wish for the start", f'the body "{wish.body.name}"')


def _is_coordinate(model, name):
    return name in model.joints or name.rpartition(".")[0] in model.joints


def _refuse(element, missing):
    raise ModelError(
        f"{element} needs {missing}, which is not in the model any more. Take {element} out, too, or put it back."
    )
