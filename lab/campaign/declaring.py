"""From a Mechanism to the package's Model, and to the text of a script that makes it: both from one list of calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import functions
from .mechanism import GROUND, Mechanism
from .oracle.geometry import axes_about, matrices

OURS = ("kind", "name", "a", "b", "by_frames", "unit")  # keys of an element that are no keywords of the package
ONE_BODY = ("force", "knife_edge", "rolling_disc")
NAMED = ("function", "potential")  # keys of a law whose texts are names of functions
COUPLINGS = ("gear", "drive", "torsion", "motor")


class Call(NamedTuple):
    """A method of the model with its arguments; functions of users stand as {"function": name}."""

    method: str
    arguments: tuple
    keywords: dict[str, Any]


def calls(mechanism: Mechanism) -> list[Call]:
    """Return all calls that make the model."""
    found = [Call("body", (body["name"],), _body(body)) for body in mechanism.bodies]
    found += [_element(mechanism, element) for element in mechanism.elements]
    return found + [Call("start", (), start) for start in mechanism.starts]


def _body(body):
    table = {key: body[key] for key in ("mass", "inertia", "com", "position", "rotation")}
    return table | ({"planar": True} if body["planar"] else {})


def _element(mechanism, e):
    table = {key: value for key, value in e.items() if key not in OURS}
    kind, name = e["kind"], e["name"]
    if kind in COUPLINGS or kind in ONE_BODY:
        return Call(kind, (name,), table)
    if kind == "user_force":
        own = {key: {"function": table.pop(key)} for key in ("load", "potential") if key in table}
        return Call(kind, (name, e["a"], e["b"]), own | table)
    if kind in ("joint", "nonholonomic"):
        own = table.pop("residual")
        return Call(kind, (name, e["a"], e["b"], {"function": own}, table.pop("rows")), table)
    if kind == "user_joint":
        lead, axes = table["lead"], axes_about(table["axis"])
        frames = {key: _frame(mechanism, e[key[-1]], table["point"], axes) for key in ("frame_a", "frame_b")}
        return Call(kind, (name, e["a"], e["b"], {"screw": lead, "way": e["way"]}), frames)
    if e.get("by_frames"):
        axes = axes_about(table.pop("axis"), table.pop("x", None)) if "axis" in table else np.eye(3)
        point = table.pop("point")
        for key in ("frame_a", "frame_b"):
            table[key] = _frame(mechanism, e[key[-1]], point, axes)
    return Call(kind, (name, e["a"], e["b"]), table)


def _frame(mechanism, name, point, axes):
    """A frame of a body that stands at a point with axes of the world as drawn."""
    if name == GROUND:
        return {"position": list(map(float, point)), "rotation": np.asarray(axes).tolist()}
    body = mechanism.body(name)
    R = matrices(np.array([body["rotation"]]))[0]
    place = R.T @ (np.asarray(point, dtype=float) - np.asarray(body["position"], dtype=float))
    return {"position": place.tolist(), "rotation": (R.T @ axes).tolist()}


def model(mechanism: Mechanism):
    """Return the package's Model."""
    import bricard as br

    made = br.Model(mechanism.name, gravity=mechanism.gravity, planar=mechanism.planar)
    for method, arguments, keywords in calls(mechanism):
        getattr(made, method)(*(_live(x) for x in arguments), **{key: _live(x) for key, x in keywords.items()})
    return made


def _live(value):
    """A value as the package takes it: functions in the place of their names."""
    if isinstance(value, list):
        return [_live(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"function"}:
        return getattr(functions, value["function"])
    if "screw" in value:
        return screw(value["screw"], value["way"])
    return {
        key: getattr(functions, item) if key in NAMED and isinstance(item, str) else _live(item)
        for key, item in value.items()
    }


def screw(lead, way):
    """The user's joint of a screw: explicit, implicit or a routine."""
    import bricard as br

    return getattr(br.UserJoint, way)(functions.SCREWS[way], {"angle": "angle"}, parameters=(lead,))


def script(mechanism: Mechanism, run: dict[str, Any], comment: str = "") -> str:
    """Return a short script that makes the model and runs it."""
    own = any(
        isinstance(x, dict) and any(word in str(x) for word in (*NAMED, "screw"))
        for c in calls(mechanism)
        for x in _parts(c)
    )
    lines = [f"# {line}" for line in comment.splitlines()] + ["import bricard as br"]
    lines += ["from lab.campaign import functions", "from lab.campaign.declaring import screw"] if own else []
    planar = ", planar=True" if mechanism.planar else ""
    lines += ["", f"m = br.Model({mechanism.name!r}, gravity={_text(mechanism.gravity)}{planar})"]
    for method, arguments, keywords in calls(mechanism):
        words = [_text(x) for x in arguments] + [f"{key}={_text(value)}" for key, value in keywords.items()]
        lines.append(f"m.{method}({', '.join(words)})")
    build = {key: run[key] for key in ("coordinates", "rotation", "cut") if key in run}
    rest = {key: value for key, value in run.items() if key not in build}
    if "step" in rest:
        rest["step"] *= mechanism.duration
    made = f"m.build({', '.join(f'{key}={value!r}' for key, value in build.items())})"
    words = ", ".join(f"{key}={value!r}" for key, value in rest.items())
    return "\n".join([*lines, f"s = br.simulate({made}, {mechanism.duration!r}, {words})", "print(s.status)", ""])


def _parts(call):
    return [*call.arguments, *call.keywords.values()]


def _text(value):
    if isinstance(value, dict) and set(value) == {"function"}:
        return f"functions.{value['function']}"
    if isinstance(value, dict) and "screw" in value:
        return f"screw({value['screw']!r}, {value['way']!r})"
    if isinstance(value, dict):
        parts = (
            f"{key!r}: functions.{item}" if key in NAMED else f"{key!r}: {_text(item)}" for key, item in value.items()
        )
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return repr(value)
