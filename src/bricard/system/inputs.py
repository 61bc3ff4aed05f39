"""Inputs of a model: what a controller may add to its motors and loads, as numbers that change while it runs.

An input is a further motor or load of size 0 beside the declared one. Its size is one number in the record's `parameters`.
"""

from dataclasses import replace

import numpy as np

from ..compiled.pointers import address_of
from ..errors import ModelError, suggest
from ..kernels.applied import applied
from ..kernels.coordinate_force import coordinate_force
from ..model.forces import AppliedForce, CoordinateForce
from ..model.frozen import frozen
from ..model.laws import TimeLaw
from ..model.profiles import Constant
from .build import build
from .recipe import Recipe

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
ZERO = Constant(0.0)
PROFILE_PLACE = {coordinate_force: 0, applied: 8}  # first number of the profile among the element's parameters


def motor(measure, name):
    """A motor of torque (or force) 0 on a measure."""
    return CoordinateForce("motor", name, measure, TimeLaw(ZERO), None)


def input_force(model, name):
    """The further force of an input: "M", a motor, spring or load with one component, or "F.Fx", a component of a load."""
    base, _, component = (name, "", "") if name in model.forces else str(name).rpartition(".")
    if base not in model.forces:
        raise ModelError(f'There is no force "{base or name}" to be an input.{suggest(base or name, model.forces)}')
    force = model.forces[base]
    if isinstance(force, CoordinateForce) and not component:
        return motor(force.measure, f"input {name}")
    if not isinstance(force, AppliedForce):
        raise ModelError(f'Input "{name}": only motors, springs and loads with given components can be inputs.')
    parts = dict(zip(COMPONENTS, (*force.force, *force.torque), strict=True))
    given = [key for key, part in parts.items() if part != ZERO]
    chosen = component or (given[0] if len(given) == 1 else "")
    if chosen not in COMPONENTS:
        known = ", ".join(f'"{base}.{key}"' for key in COMPONENTS)
        raise ModelError(f'Input "{name}": say which component of the load it is, one of {known}.')
    sizes = [Constant(float(key == chosen)) for key in COMPONENTS]  # a load of size 0 would not be built
    return replace(force, name=f"input {name}", force=tuple(sizes[:3]), torque=tuple(sizes[3:]))


def _with_forces(model, forces):
    return with_forces(model, forces)[0]


def with_forces(model, forces):
    """The System of a model with further forces of one number each, and the places (n,) of these numbers, now 0."""
    frozen_model, extended = frozen(model), model.copy()
    for force in forces:
        while force.name in extended.forces:
            force = replace(force, name=force.name + "'")
        extended.forces[force.name] = force
    system = replace(build(extended))
    system.made_by(Recipe(model.name, _with_forces, {"model": frozen_model, "forces": tuple(forces)}))
    r, places, seen = system.record, np.zeros(len(forces), int), {}
    for n in reversed(range(len(forces))):  # they are the last elements of their kernels
        kernel = applied if isinstance(forces[n], AppliedForce) else coordinate_force
        k = int(np.flatnonzero(r.kernels == address_of(kernel.interface, kernel))[0])
        seen[k] = seen.get(k, 0) + 1
        places[n] = r.parameter[r.first[k + 1] - seen[k]] + PROFILE_PLACE[kernel]
    r.parameters[places] = 0.0
    return system, places
