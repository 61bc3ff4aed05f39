"""Model -> TOML -> Model is exact for every element and any numbers."""

import tomllib

import hypothesis.strategies as st
import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import bricard.model as br
from bricard.io import toml
from bricard.io.schema import schema
from bricard.io.writing import tables
from bricard.model.joints.user import UserJoint
from bricard.model.profiles import PROFILES
from bricard.model.shapes import SHAPES

number = st.floats(-1e3, 1e3)
size = st.floats(1e-3, 1e3)
vector = st.tuples(number, number, number)
axis = vector.filter(lambda v: np.linalg.norm(v) > 1e-3)
turn = st.tuples(number, number, number, number).filter(lambda q: np.linalg.norm(q) > 1e-3)


def separate(draw):
    """Two points that do not coincide."""
    start = draw(vector)
    return start, tuple(np.add(start, draw(axis)))


PROFILE_KINDS = {
    "constant": lambda draw: br.Constant(draw(number)),
    "sine": lambda draw: br.Sine(*(draw(number) for _ in range(4))),
    "polynomial": lambda draw: br.Polynomial(draw(st.lists(number, min_size=1, max_size=4))),
    "tabulated": lambda draw: br.Tabulated(np.cumsum(draw(st.lists(size, min_size=3, max_size=3))), draw(vector)),
    "smooth_step": lambda draw: br.SmoothStep(draw(number), draw(number), 0.5, 0.5 + draw(size)),
    "function": lambda draw: br.FunctionProfile("math:sin"),
}
LAW_KINDS = {
    "linear": lambda draw: br.Linear(draw(number), draw(number), draw(number)),
    "table": lambda draw: br.Table(np.cumsum(draw(st.lists(size, min_size=3, max_size=3))), draw(vector), draw(number)),
    "time": lambda draw: br.TimeLaw(profile(draw)),
}


def profile(draw):
    return PROFILE_KINDS[draw(st.sampled_from(sorted(PROFILE_KINDS)))](draw)


def law(draw):
    return LAW_KINDS[draw(st.sampled_from(sorted(LAW_KINDS)))](draw)


def shape(draw, kind):
    match kind:
        case "rod" | "cylinder" | "capsule":
            return SHAPES[kind](*separate(draw), radius=draw(size), density=draw(size))
        case "box" | "ellipsoid":
            dimensions = draw(st.tuples(size, size, size))
            return SHAPES[kind](dimensions, mass=draw(size), position=draw(vector), rotation=draw(turn))
        case "sphere":
            return br.Sphere(draw(vector), draw(size), mass=draw(size))
        case "mesh":
            return br.Mesh("part.stl", mass=0.0, scale=draw(size), position=draw(vector), rotation=draw(turn))
        case "point_mass":
            return br.PointMass(draw(vector), draw(size))
    raise AssertionError(f"no example of the shape {kind}")


def at(draw):
    return {"position": draw(vector), "rotation": draw(turn)}


def element(draw, model, kind):
    """Add a joint or force of a kind to the model; joints with coordinates are there already."""
    a, b = model.bodies["a"], model.bodies["b"]
    declare = getattr(model, kind)
    match kind:
        case "spherical" | "fixed" | "free":
            declare(kind, a, b, draw(vector))
        case "revolute" | "cylindrical" | "prismatic" | "planar" | "point_on_line" | "point_on_plane":
            if draw(st.booleans()):
                declare(kind, a, b, draw(vector), draw(axis))
            else:
                declare(kind, a, b, frame_a=at(draw), frame_b=at(draw))
        case "universal":
            first = draw(axis)
            second = np.cross(first, (0.3, 0.4, 0.5) if abs(np.dot(first, (1, 0, 0))) > 1e-3 else (1, 0, 0))
            declare(kind, a, b, draw(vector), first, second)
        case "constant_angle":
            declare(kind, a, b, frame_a=at(draw), frame_b=at(draw), angle=draw(st.floats(0.1, 3.0)))
        case "distance" | "drive_distance" | "spring":
            points = separate(draw)
            more = {"distance": {"length": draw(size)}, "spring": {"stiffness": draw(size), "damping": draw(number)}}
            declare(kind, a, b, *points, **more.get(kind, {"profile": profile(draw)}))
        case "pin" | "slider":
            p, q = model.bodies["p"], model.bodies["q"]
            x, y, _ = draw(vector)
            declare(kind, p, q, (x, y, 0), *([(1, draw(number), 0)] if kind == "slider" else []))
        case "gear":
            declare(kind, "hinge", "slide", draw(size), offset=draw(number))
        case "drive":
            declare(kind, "hinge", profile(draw))
        case "joint" | "nonholonomic":
            declare(kind, a, b, "math:hypot", 2, parameters=draw(vector), units=("length", "angle"))
        case "user_joint":
            joint = UserJoint.explicit("math:hypot", {"s": "length", "u": "angle"}, parameters=draw(vector))
            declare(kind, a, b, joint, point=draw(vector), parameters=draw(vector))
        case "linkage":
            declare(kind, a, b, {"turn": "hinge", "shift": "slide.displacement"}, frame_a=at(draw), frame_b=at(draw))
        case "user_force":
            declare(kind, a, b, "math:hypot", parameters=draw(vector), point=draw(vector))
        case "knife_edge":
            declare(kind, a, draw(vector), draw(axis))
        case "rolling_disc":
            declare(kind, a, draw(size), draw(axis), draw(vector), plane_point=draw(vector), normal=draw(axis))
        case "torsion" | "motor":
            declare(kind, "slide", **{"law" if kind == "torsion" else "torque": law(draw)})
        case "force":
            declare(kind, a, draw(vector), [profile(draw) for _ in range(3)], draw(vector), axes="body")
        case "bushing":
            six = st.lists(number, min_size=6, max_size=6)
            declare(kind, a, b, draw(vector), stiffness=draw(six), damping=draw(six), rotation=draw(turn))
        case _:
            raise AssertionError(f"no example of the type {kind}")


@st.composite
def models(draw, kind, drawn):
    model = br.Model("any", gravity=draw(vector))
    model.body("a", shape(draw, drawn), **({"position": draw(vector)} if draw(st.booleans()) else {}))
    model.body(
        "b", mass=draw(size), inertia=(1, 1.5, draw(st.floats(0.5, 2.5))), inertia_axes=draw(turn), com=draw(vector)
    )
    for name in "pq":
        model.body(name, mass=draw(size), inertia=draw(size), planar=True, position=(draw(number), draw(number), 0))
    model.revolute("hinge", "ground", "b", draw(vector), draw(axis))
    model.prismatic("slide", "a", "b", draw(vector), draw(axis))
    element(draw, model, kind)
    model.draw("a", shape(draw, drawn))
    model.start(joint="hinge", position=draw(number), velocity=draw(number))
    model.start(body="a", rotation=draw(turn), angular_velocity=draw(vector), weight=draw(size))
    model.start(point=("a", draw(vector)), velocity=draw(vector))
    return model


VALIDATOR = jsonschema.Draft202012Validator(schema())


def goes_round(model):
    text = toml.dumps(model)
    again, _ = toml.loads(text, "any.toml")
    assert tables(again) == tables(model)
    for name, joint in model.joints.items():
        if joint.declaration()["type"] == "user_joint":  # its rows come from the function, which is none here
            continue
        for block, other in zip(joint.blocks(), again.joints[name].blocks(), strict=True):
            assert other.parameters == block.parameters
    for name, body in model.bodies.items():
        assert again.bodies[name].inertia.tolist() == body.inertia.tolist()
        assert again.bodies[name].com.tolist() == body.com.tolist()
    VALIDATOR.validate(tomllib.loads(text))


QUICK = settings(
    phases=(Phase.generate,), max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@pytest.mark.parametrize("kind", (*toml.JOINT_TYPES, *toml.FORCE_TYPES))
def test_every_element_goes_round(kind):
    @QUICK
    @given(models(kind, "rod"))
    def check(model):
        goes_round(model)

    check()


@pytest.mark.parametrize("drawn", SHAPES)
def test_every_shape_goes_round(drawn):
    @QUICK
    @given(models("fixed", drawn))
    def check(model):
        goes_round(model)

    check()


def test_there_is_an_example_of_every_profile():
    assert set(PROFILE_KINDS) == set(PROFILES)
