"""Every declaring method of a model, found by itself, and called."""

import inspect
from dataclasses import replace

import travellers_functions as own
from travellers import mechanism

import bricard as br

ASKING = {"build", "coordinate", "copy", "load", "report", "save", "view"}  # they declare nothing
DECLARING = [n for n in dir(br.Model) if n[0] != "_" and callable(getattr(br.Model, n)) and n not in ASKING]
VALUES = {  # by the name of a parameter; one without a value keeps its default
    **dict.fromkeys(("point", "centre", "point_a"), (0.1, 0.0, 0.3)),
    **dict.fromkeys(("axis", "axis_a", "direction"), (0.0, 1.0, 0.0)),
    **dict.fromkeys(("point_b", "force"), (0.5, 0.1, 0.2)),
    **dict.fromkeys(("coordinate", "coordinate_1"), "A"),
    **{"axis_b": (1.0, 0.0, 0.0), "body_a": "crank", "body_b": "link", "body": "rocker", "coordinate_2": "B"},
    **{
        "ratio": 2.0,
        "profile": 0.3,
        "radius": 0.2,
        "load": own.load,
        "rows": 1,
        "torque": 0.2,
        "shape": br.Sphere((1, 2, 3), 0.1, mass=1),
    },
}
SCREW = br.UserJoint.explicit(own.screw, {"angle": "angle"}, parameters=(0.1,))
SPECIAL = {
    "pin": {"body_a": "flat 1", "body_b": "flat 2"},
    "slider": {"body_a": "flat 1", "body_b": "flat 2", "axis": (1.0, 0.0, 0.0)},
    "spring": {"stiffness": 10.0},
    "torsion": {"stiffness": 1.0},
    "force": {"torque": None},
    "bushing": {"stiffness": (1.0,) * 6},
    "joint": {"residual": own.apart},
    "nonholonomic": {"residual": own.slip},
    "user_joint": {"joint": SCREW, "point": None},
    "user_force": {"parameters": (0.1,)},
    "start": {"joint": "B", "velocity": 1.0, "point": None, "body": None},
}


def linkage(model=None):
    return br.UserJoint.from_linkage(model or mechanism(), ("ground", "rocker"), {"turn": "A"})


def declare_all(model):
    """Call every declaring method of a model."""
    flat = [model.body(f"flat {k}", mass=1.0, inertia=0.1, planar=True) for k in (1, 2)]
    for number, name in enumerate(DECLARING):
        call = getattr(model, name)
        known = inspect.signature(call).parameters
        given = {
            key: value
            for key, value in ({"name": f"late {number}"} | VALUES | SPECIAL.get(name, {})).items()
            if key in known
        }
        if name == "add":
            given = {"joint": replace(model.joints["B"], name="added")}
        elif name == "linkage":  # what a file has for a joint of a linkage
            model.user_joint("late linkage", "crank", "rocker", linkage(), point=(0, 0, 0))
            continue
        call(**given)
    return len(flat) + len(DECLARING)
