"""One small model per kind of element: two bodies with products of inertia and offset centres of mass.

A new joint, driver, coupling or force needs a sample here: test_contract.py asks for it.
"""

from functools import cache

import own_functions as own

import bricard.model as br
from bricard.system.build import build

INERTIA_A = ((0.3, 0.02, -0.05), (0.02, 0.4, 0.03), (-0.05, 0.03, 0.5))
INERTIA_B = ((0.2, -0.04, 0.01), (-0.04, 0.25, 0.02), (0.01, 0.02, 0.3))
POINT, AXIS, ACROSS = (0.4, 0.3, 0.2), (0.3, -0.5, 1.0), (1.0, 0.6, 0.0)
FAR = (1.2, -0.4, 0.7)


def two_bodies(planar=False):
    model = br.Model("sample", gravity=(0.4, -9.0, 0.0 if planar else -1.5), planar=planar)
    if planar:
        a = model.body(
            "a", mass=1.3, inertia=0.3, com=(0.1, -0.2, 0), position=(0.2, 0.1, 0), rotation=(0.9, 0, 0, 0.3)
        )
        b = model.body(
            "b", mass=0.7, inertia=0.2, com=(-0.1, 0.3, 0), position=(0.7, 0.4, 0), rotation=(0.8, 0, 0, -0.4)
        )
        return model, a, b
    tilt = (0.9, 0.1, -0.3, 0.2)
    a = model.body("a", mass=1.3, inertia=INERTIA_A, com=(0.1, -0.2, 0.05), position=(0.2, 0.1, -0.3), rotation=tilt)
    b = model.body("b", mass=0.7, inertia=INERTIA_B, com=(-0.1, 0.3, 0.2), position=(0.7, 0.4, 0.5), inertia_axes=tilt)
    return model, a, b


def _hinged(model, a, b):
    model.revolute("hinge", a, b, POINT, AXIS)


def _guided(model, a, b):
    model.cylindrical("guide", a, b, POINT, AXIS)


def _free(m, a, b):
    m.free("J", a, b, POINT)
    m.torsion("pull", "J.y", stiffness=2.0)


def _users(make, function):
    def declare(m, a, b):
        m.user_joint("J", a, b, make(function, {"angle": "angle"}, parameters=(0.2,)), point=POINT)

    return declare


def _linkage(m, a, b):
    _guided(m, a, b)
    m.linkage("J", a, b, {"turn": "guide.angle", "way": "guide.displacement"})
    m.motor("M", "J.turn", 0.7)


def _gear(m, a, b):
    m.revolute("first", m.ground, a, FAR, ACROSS)
    m.cylindrical("second", a, b, POINT, AXIS)
    m.gear("gear", "first", "second.displacement", -0.7)
    m.gear("gear 2", "second.angle", "first", 2.5, offset=0.3)


def _drive(m, a, b):
    m.cylindrical("guide", a, b, POINT, AXIS)
    m.drive("turn", "guide.angle", br.Sine(0.4, 0.7, 0.3, 0.1))
    m.drive("way", "guide.displacement", br.Polynomial((0.1, -0.2, 0.3, 0.4)))


def _drives(m, a, b):
    m.revolute("hinge", a, b, POINT, AXIS)
    m.planar("plane", m.ground, b, POINT, AXIS)
    m.universal("cross", m.ground, a, FAR, (0, 1, 0), (1, 0, 0))
    m.drive("constant", "hinge", 0.2)
    m.drive("sine", "hinge", br.Sine(0.4, 0.7, 0.3, 0.1))
    m.drive("polynomial", "plane.x", br.Polynomial((0.1, -0.2, 0.3, 0.4)))
    m.drive("table", "plane.y", br.Tabulated((0.0, 0.3, 0.7, 1.1, 1.5), (0.1, 0.4, -0.2, 0.3, 0.9)))
    m.drive("step", "cross.angle_a", br.SmoothStep(-0.1, 0.6, 0.1, 1.3))
    m.drive("function", "cross.angle_b", own.swing)
    m.drive("angle in plane", "plane.angle", br.Sine(0.2, 0.5))


SPATIAL = {
    "spherical": lambda m, a, b: m.spherical("J", a, b, POINT),
    "spherical to ground": lambda m, a, b: m.spherical("J", m.ground, b, POINT),
    "revolute": lambda m, a, b: m.revolute("J", a, b, POINT, AXIS),
    "prismatic": lambda m, a, b: m.prismatic("J", a, b, POINT, AXIS),
    "cylindrical": lambda m, a, b: m.cylindrical("J", a, b, POINT, AXIS),
    "universal": lambda m, a, b: m.universal("J", a, b, POINT, (1, 0, 1), (-1, 2, 1)),
    "planar": lambda m, a, b: m.planar("J", a, b, POINT, AXIS),
    "fixed": lambda m, a, b: m.fixed("J", b, a, POINT),
    "distance": lambda m, a, b: m.distance("J", a, b, POINT, FAR),
    "point_on_line": lambda m, a, b: m.point_on_line("J", a, b, POINT, AXIS),
    "point_on_plane": lambda m, a, b: m.point_on_plane("J", a, b, POINT, AXIS),
    "constant_angle": lambda m, a, b: m.constant_angle("J", a, b, AXIS, FAR),
    "linkage": _linkage,
    "gear": _gear,
    "drive": _drive,
    "drives": _drives,  # more of them than freedoms
    "drive_distance": lambda m, a, b: m.drive_distance("J", a, b, POINT, FAR, br.Sine(0.2, 0.5, offset=1.0)),
    "knife_edge": lambda m, a, b: m.knife_edge("J", b, POINT, AXIS),
    "rolling_disc": lambda m, a, b: m.rolling_disc(
        "J", b, 0.4, (0.9, 0.2, 0.3), (0.7, 0.1, 0.35), plane_point=(0, 0, -0.1), normal=(0.1, -0.1, 1)
    ),
    "user joint": lambda m, a, b: m.joint("J", a, b, own.screw, 2, point=FAR, parameters=(0.2, 0.9)),
    "user joint with Jacobian": lambda m, a, b: m.joint(
        "J", a, b, own.screw, 2, point=FAR, parameters=(0.2, 0.9), jacobian=own.screw_jacobian
    ),
    "nonholonomic": lambda m, a, b: m.nonholonomic("J", a, b, own.constant_speed, 1, point=POINT, parameters=(0.7,)),
}

FLAT = (0.5, 0.2, 0.0)


def _planar_gear(m, a, b):
    m.pin("first", m.ground, a, FLAT)
    m.slider("second", a, b, FLAT, (1.0, 0.4, 0))
    m.gear("gear", "first", "second", -0.7)


def _planar_free(m, a, b):
    m.free("J", a, b, FLAT)
    m.torsion("pull", "J.y", stiffness=2.0)


PLANAR = {
    "planar spherical": lambda m, a, b: m.spherical("J", a, b, FLAT),
    "planar gear": _planar_gear,
    "planar drive_distance": lambda m, a, b: m.drive_distance(
        "J", a, b, FLAT, (1.0, -0.3, 0), br.Sine(0.2, 0.5, offset=0.7)
    ),
    "planar rolling_disc": lambda m, a, b: m.rolling_disc(
        "J", b, 0.4, (0, 0, 1), (0.9, 0.2, 0), plane_point=(0, -0.1, 0), normal=(0.1, 1, 0)
    ),
    "pin": lambda m, a, b: m.pin("J", a, b, FLAT),
    "slider": lambda m, a, b: m.slider("J", a, b, FLAT, (1.0, 0.4, 0)),
    "planar revolute": lambda m, a, b: m.revolute("J", a, b, FLAT, (0, 0, 1)),
    "planar prismatic": lambda m, a, b: m.prismatic("J", m.ground, b, FLAT, (1.0, 0.4, 0)),
    "planar fixed": lambda m, a, b: m.fixed("J", a, b, FLAT),
    "planar distance": lambda m, a, b: m.distance("J", a, b, FLAT, (1.0, -0.3, 0)),
    "planar point_on_line": lambda m, a, b: m.point_on_line("J", a, b, FLAT, (1.0, 0.4, 0)),
    "planar drive": lambda m, a, b: m.drive(m.pin("J", a, b, FLAT).name + " drive", "J", br.Sine(0.3, 0.6)),
}


def _torsion(m, a, b):
    _hinged(m, a, b)
    m.torsion("F", "hinge", stiffness=3.0, damping=0.4, angle=0.2)


def _torsion_on_slide(m, a, b):
    _guided(m, a, b)
    m.torsion("F", "guide.displacement", law=br.FunctionLaw(own.hardening, potential=own.hardening_energy))


def _motors(m, a, b):
    _guided(m, a, b)
    m.motor("number", "guide.angle", 1.7)
    m.motor("profile", "guide.displacement", br.Sine(0.7, 0.4))
    m.motor("function", "guide.angle", own.hardening)


MAGNETS, IN_A_FIELD = (2.0, 0.5, 0.0), (2.0, 0.5, 0.7)  # a field of the world pulls at one body only


def _rubber(m, a, b):
    frames = {"frame_a": a.frame((0.1, 0.3, 0.2)), "frame_b": b.frame((-0.2, 0.1, 0.4))}
    m.user_force("F", a, b, own.rubber, potential=own.rubber_energy, **frames, parameters=(3.0, 2.0, 0.4, 0.6))


FORCES = {
    "spring": lambda m, a, b: m.spring("F", a, b, POINT, FAR, stiffness=20.0, damping=3.0, length=0.8),
    "spring to ground": lambda m, a, b: m.spring("F", m.ground, b, POINT, FAR, stiffness=20.0, damping=3.0),
    "spring table": lambda m, a, b: m.spring(
        "F", a, b, POINT, FAR, law=br.Table((0.2, 0.7, 1.4, 2.5), (5.0, 1.0, -2.0, -9.0), 0.5)
    ),
    "spring function": lambda m, a, b: m.spring("F", a, b, POINT, FAR, law=own.hardening),
    "spring potential": lambda m, a, b: m.spring(
        "F", a, b, POINT, FAR, law=br.FunctionLaw(potential=own.hardening_energy)
    ),
    "free": _free,
    "torsion": _torsion,
    "torsion on a slide": _torsion_on_slide,
    "motors": _motors,
    "force in the world": lambda m, a, b: m.force("F", b, FAR, (1.0, br.Sine(2, 0.5), -3.0), (0.3, 0.2, br.Sine(1, 1))),
    "force in the body": lambda m, a, b: m.force(
        "F", b, FAR, (1.0, br.Sine(2, 0.5), -3.0), (0.3, 0.2, br.Sine(1, 1)), axes="body"
    ),
    "bushing": lambda m, a, b: m.bushing(
        "F",
        a,
        b,
        POINT,
        stiffness=(9, 8, 7, 3, 2, 1),
        damping=(0.5, 0.4, 0.3, 0.2, 0.1, 0.3),
        rotation=(0.9, 0.2, 0.1, 0.3),
    ),
    "user_force": lambda m, a, b: m.user_force("F", a, b, own.drag, point=FAR, parameters=(0.3, 2.0)),
    "user_force potential": lambda m, a, b: m.user_force(
        "F",
        a,
        b,
        potential=own.magnets,
        frame_a=a.frame((0.1, 0.3, 0.2)),
        frame_b=b.frame((-0.2, 0.1, 0.4)),
        parameters=MAGNETS,
    ),
    "user_force potential to ground": lambda m, a, b: m.user_force(
        "F", m.ground, b, potential=own.magnets, point=POINT, parameters=IN_A_FIELD
    ),
    "user_force load and potential": _rubber,
}


def _planar_planar(m, a, b):
    m.planar("J", a, b, FLAT, (0, 0, 1))
    m.torsion("turn", "J.angle", stiffness=2.0, damping=0.3, angle=0.4)
    m.torsion("pull", "J.x", stiffness=5.0)


PLANAR_FORCES = {
    "planar planar": _planar_planar,
    "planar free": _planar_free,
    "planar spring": lambda m, a, b: m.spring("F", a, b, FLAT, (1.0, -0.3, 0), stiffness=20.0, damping=3.0, length=0.5),
    "planar torsion": lambda m, a, b: m.torsion(m.pin("F", a, b, FLAT).name, "F", stiffness=3.0, damping=0.4),
    "planar force": lambda m, a, b: m.force("F", b, FLAT, (1.0, -3.0, 0), (0, 0, 0.3), axes="body"),
}

# a planar body a and a body b in space; and elements given by functions on planar bodies
MIXED = {
    "mixed spherical": lambda m, a, b: m.spherical("J", a, b, POINT),
    "mixed prismatic": lambda m, a, b: m.prismatic("J", b, a, POINT, AXIS),
    "mixed distance": lambda m, a, b: m.distance("J", a, b, POINT, FAR),
    "mixed knife_edge": lambda m, a, b: m.knife_edge("J", a, FLAT, (1, 0.2, 0)),
}
MIXED_FORCES = {
    "mixed spring": lambda m, a, b: m.spring("F", b, a, POINT, FAR, stiffness=20.0, damping=3.0, length=0.8),
    "mixed bushing": lambda m, a, b: m.bushing("F", a, b, POINT, stiffness=(9, 8, 7, 3, 2, 1), damping=(0.5,) * 6),
    "mixed potential": lambda m, a, b: m.user_force("F", a, b, potential=own.magnets, parameters=MAGNETS),
    "mixed user_force": lambda m, a, b: m.user_force("F", a, b, own.drag, parameters=(0.3, 2.0)),
}

# their derivatives are exact on the constraints only: tests/model/test_user_joint.py differentiates them there
USER_JOINTS = {
    "user_joint explicit": _users(br.UserJoint.explicit, own.lead),
    "user_joint implicit": _users(br.UserJoint.implicit, own.closed_lead),
    "user_joint routine": _users(br.UserJoint.routine, own.lead_routine),
}

SAMPLES = SPATIAL | PLANAR | MIXED | FORCES | PLANAR_FORCES | MIXED_FORCES | USER_JOINTS


@cache
def model_of(name, swapped):
    """The model of a sample; swapped : with its bodies in the other order."""
    mixed, flat = name in MIXED or name in MIXED_FORCES, name in PLANAR or name in PLANAR_FORCES
    model, a, b = two_bodies(planar=flat)
    if mixed:
        a = model.body("flat", mass=1.3, inertia=0.3, com=(0.1, -0.2, 0), position=(0.2, 0.1, 0), planar=True)
    SAMPLES[name](model, *((b, a) if swapped else (a, b)))
    return model


def system_of(name, swapped=False, coordinates="absolute"):
    """The built system of a sample; kept, so that users' functions are compiled once."""
    return _system_of(name, swapped, coordinates)


@cache
def _system_of(name, swapped, coordinates):
    return build(model_of(name, swapped), coordinates=coordinates)
