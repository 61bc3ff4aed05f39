"""The same mechanism in a world that is turned, shifted and measured in other units, from the declarations of any model."""

from dataclasses import replace

import numpy as np

import bricard.model as br
from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.laws import Law, Linear, Table, TimeLaw
from bricard.model.profiles import (
    Constant,
    FunctionProfile,
    Polynomial,
    Profile,
    Sine,
    SmoothStep,
    StartValue,
    Tabulated,
)
from bricard.system.channels import rotation_matrices

IN_WORLD_AXES = ("user_force", "nonholonomic")  # their samples take components of vectors


def can_be_turned(model):
    """Whether no element of a model refers to the axes of the world."""
    tables = [element.declaration() for element in (*model.joints.values(), *model.forces.values())]
    return not any(table["type"] in IN_WORLD_AXES or table.get("axes") == "world" for table in tables)


def can_be_scaled(model):
    """Whether no element of a model depends on lengths by a function."""
    tables = [element.declaration() for element in (*model.joints.values(), *model.forces.values())]
    own = ("joint", "user_joint", "user_force", "nonholonomic")
    laws = [force.law for force in model.forces.values() if hasattr(force, "law")]
    by_function = any(law.function or law.kind == "function" for law in laws)
    return not by_function and not any(table["type"] in own for table in tables)


def elsewhere(model, world):
    """The model in another World of tests/mechanisms.py."""
    planar = all(body.planar for body in model.bodies.values())
    other = br.Model(model.name, gravity=world.vector(model.gravity), planar=planar)
    for body in model.bodies.values():
        inertia = body.inertia[2, 2] if body.planar else body.inertia
        place = {"position": world.point(body.position), "rotation": world.R @ body.rotation}
        options = {"mass": body.mass, "inertia": world.unit**2 * inertia, "com": world.unit * body.com}
        other.body(body.name, planar=body.planar, **place, **options)
    for element in (*model.joints.values(), *model.forces.values()):
        table = dict(element.declaration())
        make = getattr(other, table.pop("type"))
        names = [body.name for body in table.pop("bodies", ())]
        words = {key: _moved(value, other, world) for key, value in table.items()}
        make(element.name, *names, **(words | _scaled(element, words, world.unit)))
    return other


def _moved(value, other, world):
    if isinstance(value, Body):
        return value.name
    if not isinstance(value, Frame):
        return value
    if value.body.is_ground:
        return other.ground.frame(world.point(value.position), world.R @ value.rotation)
    return other.bodies[value.body.name].frame(world.unit * value.position, value.rotation)


def _scaled(element, words, unit):
    """Keywords of an element whose numbers depend on the unit of length."""
    kind = element.declaration()["type"]
    if kind == "gear":
        first, second = (unit if measure.unit == "length" else 1.0 for measure in element.measures)
        offset = {"offset": words["offset"] * first} if "offset" in words else {}
        return {"ratio": words["ratio"] * first / second, **offset}
    if kind in ("drive", "drive_distance"):
        angle = kind == "drive" and element.measure.unit == "angle"
        return {"profile": _profile(words["profile"], 1.0 if angle else unit)}
    if kind == "rolling_disc":
        return {"radius": unit * words["radius"]}
    if kind == "bushing":
        sizes = np.repeat([1.0, unit**2], 3)
        return {key: tuple(sizes * words[key]) for key in ("stiffness", "damping")}
    if kind == "force":
        parts = {"force": unit, "torque": unit**2}
        return {key: [_component(value, size) for value in words[key]] for key, size in parts.items()}
    if kind in ("spring", "torsion", "motor"):
        x = unit if element.measure.unit == "length" else 1.0
        return {key: _law_word(key, value, x, unit**2 / x) for key, value in words.items()}
    return {}


def _law_word(key, value, x, force):
    """A keyword of a spring or motor whose coordinate is measured in x, and its force in `force`."""
    if isinstance(value, Law):
        return _law(value, x, force)
    factor = {"stiffness": force / x, "damping": force / x, "length": x, "angle": x}.get(key)
    return value if factor is None else factor * value


def _law(law, x, force):
    if isinstance(law, Linear):
        return Linear(law.stiffness * force / x, law.damping * force / x, law.free * x)
    if isinstance(law, Table):
        declared = law.declaration()
        return Table(x * np.array(declared["x"]), force * np.array(declared["force"]), law.damping * force / x)
    if isinstance(law, TimeLaw):
        return TimeLaw(_profile(law.profile, force))
    return law


def _component(value, factor):
    return _profile(value, factor) if isinstance(value, Profile) else factor * value


def _profile(profile, factor):
    if factor == 1.0 or isinstance(profile, StartValue):
        return profile
    assert not isinstance(profile, FunctionProfile), "a function of time cannot be scaled"
    keys = {Constant: ("value",), Sine: ("amplitude", "offset"), SmoothStep: ("start", "end")}
    keys |= {Polynomial: ("coefficients",), Tabulated: ("value",)}
    return replace(
        profile,
        **{key: _times(getattr(profile, key), factor) for key in keys[type(profile)]},  # type: ignore[arg-type]
    )


def _times(value, factor):
    return tuple(factor * x for x in value) if isinstance(value, tuple) else factor * value


def moved(system, q, v, world):
    """Samples q and v of a system in absolute coordinates, in the other world; also accelerations in the place of v."""
    q, v, r = q.copy(), v.copy(), system.record
    for number, body in enumerate(system.model.bodies.values()):
        o, u = int(r.q_start[number]), int(r.column[number, 0])
        n = 2 if body.planar else 3
        for k in range(len(q)):
            place, speed = np.zeros(3), np.zeros(3)
            place[:n], speed[:n] = q[k, o : o + n], v[k, u : u + n]
            q[k, o : o + n], v[k, u : u + n] = world.point(place)[:n], world.vector(speed)[:n]
            if body.planar:
                q[k, o + 2] += np.arctan2(world.R[1, 0], world.R[0, 0])
            else:
                q[k, o + 3 : o + 7] = br.quaternion(world.R @ rotation_matrices(q[k, o + 3 : o + 7]))
    return q, v
