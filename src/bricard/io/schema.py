"""The JSON Schema of model files, made from the methods of `Model`, the shapes, profiles and laws themselves.

Editors check and complete a model with it: a first line `#:schema bricard.schema.json` is understood by the TOML plug-ins of
the common ones. The package and docs/ hold a copy; after a change of the declarations, `make pages` writes both anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from bricard.io.reading import FORCE_TYPES, JOINT_TYPES, UNITS
from bricard.model.body import Body
from bricard.model.inertia import CHECKS
from bricard.model.laws import LAWS
from bricard.model.model import Model
from bricard.model.profiles import PROFILES
from bricard.model.shapes import SHAPES

__all__ = ["schema", "settings"]

Schema = dict[str, Any]

EXPRESSION: Schema = {"type": "string", "pattern": r"^\$\{.+\}$"}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(item: Schema, least: int, most: int | None = None) -> Schema:
    return {"type": "array", "items": item, "minItems": least, **({} if most is None else {"maxItems": most})}


NUMBER, VECTOR = _ref("number"), _ref("vector")
TEXT: Schema = {"type": "string", "minLength": 1}

DEFINITIONS: dict[str, Schema] = {
    "number": {"anyOf": [{"type": "number"}, EXPRESSION]},
    "vector": {"description": "x, y, z", **_list(NUMBER, 3, 3)},
    "six": {"description": "along x, y, z and about x, y, z", **_list(NUMBER, 6, 6)},
    "numbers": _list(NUMBER, 0),
    "rotation": {
        "description": "3x3 matrix, or quaternion with the scalar first",
        "anyOf": [_list(VECTOR, 3, 3), _list(NUMBER, 4, 4)],
    },
    "inertia": {
        "description": "3x3 tensor or 3 principal moments (kg m^2); one number for a planar body",
        "anyOf": [NUMBER, VECTOR, _list(VECTOR, 3, 3)],
    },
    "scale": {"description": "m per unit of the file", "anyOf": [NUMBER, VECTOR]},
    "function": {"description": "module:function", "type": "string", "pattern": r"^[^:]+:[^:]+$"},
    "frame": {
        "description": "a frame fixed in the body, in its reference frame",
        "type": "object",
        "properties": {"position": VECTOR, "rotation": _ref("rotation"), "axis": VECTOR, "x": VECTOR},
        "additionalProperties": False,
    },
    "loads": {"description": "three numbers or profiles", **_list(_ref("profile"), 3, 3)},
    "units": {
        "anyOf": [{"enum": ["length", "angle"]}, {"type": "array", "items": {"enum": ["length", "angle"]}}],
    },
}

KEYS: dict[str, Schema] = {
    **dict.fromkeys(
        ("point", "point_a", "point_b", "centre", "plane_point", "com", "position", "start", "end"), VECTOR
    ),
    **dict.fromkeys(("axis", "axis_a", "axis_b", "normal", "direction", "x", "size", "radii"), VECTOR),
    **dict.fromkeys(
        ("mass", "density", "radius", "length", "angle", "ratio", "offset", "stiffness", "damping"), NUMBER
    ),
    **dict.fromkeys(("velocity", "weight"), NUMBER),
    **dict.fromkeys(("rotation", "inertia_axes"), _ref("rotation")),
    **dict.fromkeys(("frame", "frame_a", "frame_b"), _ref("frame")),
    **dict.fromkeys(("coordinate", "coordinate_1", "coordinate_2", "body", "path"), TEXT),
    **dict.fromkeys(("residual", "jacobian", "load", "function", "potential"), _ref("function")),
    **{key: _ref(key) for key in ("inertia", "scale", "profile", "law", "units")},
    "inertia_check": {"enum": list(CHECKS)},
    "parameters": _ref("numbers"),
    "rows": {"anyOf": [{"type": "integer", "minimum": 1}, EXPRESSION]},
    "axes": {"enum": ["world", "body"]},
    "planar": {"type": "boolean"},
}
# where the same word means something else
SPECIAL: dict[str, dict[str, Schema]] = {
    "bushing": dict.fromkeys(("stiffness", "damping"), _ref("six")),
    "motor": {"torque": _ref("law")},
    "linkage": {"coordinates": {"type": "object", "additionalProperties": TEXT}},
    "user_joint": {"joint": {"type": "object"}, "start": _ref("numbers")},
    "force": dict.fromkeys(("force", "torque"), _ref("loads")),
    "start": {
        "joint": TEXT,
        "point": {"type": "array", "prefixItems": [TEXT, VECTOR], "minItems": 2, "maxItems": 2},
        **{key: {"anyOf": [NUMBER, VECTOR]} for key in ("position", "velocity")},
        "angular_velocity": VECTOR,
    },
    **dict.fromkeys(
        ("polynomial", "tabulated", "table"),
        dict.fromkeys(("coefficients", "time", "value", "x", "force"), _ref("numbers")),
    ),
    **dict.fromkeys(
        ("constant", "sine", "smooth_step", "linear"),
        dict.fromkeys(
            ("value", "amplitude", "frequency", "phase", "offset", "start", "end", "t_start", "t_end", "free"), NUMBER
        ),
    ),
}


def schema() -> Schema:
    """Return the schema (JSON Schema, draft 2020-12) of model files."""
    top = {
        "name": TEXT,
        "units": {"description": "m, kg, s, rad, N; others as factors: ${25*mm}, ${30*deg}", "const": UNITS},
        "gravity": {"description": "m/s^2", **VECTOR},
        "planar": {"description": "bodies move in the x-y plane unless declared otherwise", "type": "boolean"},
        "notes": {"type": "array", "items": {"type": "string"}},
        "parameters": {
            "description": "numbers for expressions ${...}",
            "type": "object",
            "propertyNames": {"pattern": r"^[A-Za-z_]\w*$"},
            "additionalProperties": NUMBER,
        },
        "bodies": _named(_ref("body")),
        "joints": _named(_chosen("type", {name: _method(name) for name in JOINT_TYPES})),
        "forces": _named(_chosen("type", {name: _method(name) for name in FORCE_TYPES})),
        "start": {"type": "array", "items": _table(Model.start, "start")},
        "drawings": {
            "description": "shapes that are only shown, in the reference frame of their body",
            "type": "array",
            "items": _chosen("shape", {kind: _shape(kind, {"body": TEXT}, ["body"]) for kind in SHAPES}),
        },
        "simulation": _simulation(),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:bricard:model",
        "title": "Model of Bricard",
        "description": "Bodies, joints, forces and wishes for the start of a constrained mechanical system. SI units.",
        "type": "object",
        "properties": top,
        "additionalProperties": False,
        "$defs": DEFINITIONS | {"profile": _profile(), "law": _law(), "body": _body()},
    }


def _named(item: Schema) -> Schema:
    return {"type": "object", "additionalProperties": item}


def _chosen(key: str, cases: dict[str, Schema], otherwise: Schema | None = None) -> Schema:
    """One of several tables, told apart by the text of `key`."""
    rules = [
        {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": case} for name, case in cases.items()
    ]
    chosen: Schema = {"type": "object", "properties": {key: {"enum": list(cases)}}, "allOf": rules}
    if otherwise is None:
        return chosen | {"required": [key]}
    return chosen | {"if": {"not": {"required": [key]}}, "then": otherwise}


def _table(call: Callable[..., Any], name: str, skip: Iterable[str] = ("name",), added: Schema | None = None) -> Schema:
    """The table of the keywords of `call`; `added` stands before them."""
    parameters = {key: p for key, p in inspect.signature(call).parameters.items() if key not in ("self", *skip)}
    properties: Schema = dict(added or {})
    required = list(added or {})
    if "body_a" in parameters:
        properties["bodies"] = {"description": "first and second body", **_list(TEXT, 2, 2)}
        required.append("bodies")
    for key, parameter in parameters.items():
        if key in ("body_a", "body_b"):
            continue
        properties[key] = SPECIAL.get(name, {}).get(key) or KEYS.get(key, {})  # a new word: anything
        if parameter.default is inspect.Parameter.empty:
            required.append(key)
    summary = (inspect.getdoc(call) or "").split("\n\n")[0].replace("\n", " ")
    table = {"description": summary.removeprefix("Declare "), "type": "object", "properties": properties}
    return {**table, "required": required, "additionalProperties": False}


def _method(name: str) -> Schema:
    return _table(getattr(Model, name), name, added={"type": {"const": name}})


def _shape(kind: str, others: Schema, required: Iterable[str] = ()) -> Schema:
    """The table of a shape, with keys that stand beside its own."""
    table = _table(SHAPES[kind], kind, added={"shape": {"const": kind}})
    table["description"] = (inspect.getdoc(SHAPES[kind]) or "").split("\n\n")[0].replace("\n", " ")
    table["properties"] = {**others, **table["properties"]}
    table["required"] = [*table["required"], *required]
    return table


def _body() -> Schema:
    others = {key: KEYS[key] for key in ("position", "rotation", "planar")}
    plain = _table(Model.body, "body", skip=("name", "shape"))
    plain["required"] = ["mass", "inertia"]
    table = _chosen("shape", {kind: _shape(kind, others) for kind in SHAPES}, plain)
    return {"description": (inspect.getdoc(Body) or "").splitlines()[0], **table}


def _profile() -> Schema:
    kinds = {kind: _table(profile, kind, added={"profile": {"const": kind}}) for kind, profile in PROFILES.items()}
    table = _chosen("profile", kinds)
    return {"description": "a number, a function of time, or a profile", "anyOf": [NUMBER, _ref("function"), table]}


def _law() -> Schema:
    kinds = {kind: _table(law, kind, added={"law": {"const": kind}}) for kind, law in LAWS.items()}
    return {
        "description": "a force against a coordinate and its rate: a law, or anything that a profile can be",
        "anyOf": [_chosen("law", kinds), _ref("profile")],
    }


def _simulation() -> Schema:
    """The keywords of simulate() that a file can hold, and the options of all methods."""
    from bricard.registry import FORMULATIONS, INTEGRATORS

    options = [key for method in (*FORMULATIONS.values(), *INTEGRATORS.values()) for key in method.options]
    names = {"formulation": FORMULATIONS, "integrator": INTEGRATORS}
    return {
        "description": "keywords of simulate(), and options of formulation and integrator",
        "type": "object",
        "properties": {
            **{key: {} for key in dict.fromkeys((*settings(), *options))},
            **dict.fromkeys(("duration", "step", "rtol", "atol", "first_step", "max_step"), NUMBER),
            "most_steps": {"type": "integer", "minimum": 1},
            **dict.fromkeys(("coordinates", "form", "correction", "kinks"), TEXT),
            "cut": {
                "description": "joints that the tree of relative coordinates must not use",
                "type": "array",
                "items": TEXT,
            },
            **{key: {"description": ", ".join(family), **TEXT} for key, family in names.items()},
        },
        "additionalProperties": False,
    }


def settings() -> list[str]:
    """The keywords of simulate() that the table `simulation` of a file can hold."""
    from bricard.simulation import simulate

    internal = ("what", "progress", "check", "triggers", "options")
    return [key for key in inspect.signature(simulate).parameters if key not in internal]
