"""A joint hangs a body on the tree whichever way round it was declared, its coordinates stay those of its declaration (T4)."""

import warnings

import numpy as np
import pytest

import bricard.model as br
from bricard.simulation import simulate
from bricard.system.build import build
from bricard.system.channels import measure_value, poses
from bricard.system.tree_joints import TREE_JOINTS
from bricard.system.turns import tree_places

KINDS = [kind for kind in TREE_JOINTS if kind not in ("user", "free", "pin", "slider")]
BOTH = pytest.mark.parametrize("reverse", [False, True], ids=["root to leaf", "leaf to root"])
SPINNING = ["revolute", "cylindrical", "planar", "universal"]


def joined(kind, reverse, seed, planar=False):
    """A body on the ground by a joint of that kind, drawn at random."""
    rng = np.random.default_rng(seed)
    model = br.Model(kind, gravity=(0, 0, 0), planar=planar)
    here, across = rng.normal(size=3), rng.normal(size=3)
    place, axis = rng.normal(size=3), rng.normal(size=3)
    if planar:
        here[2] = place[2] = 0.0
        axis = (0, 0, 1) if kind in ("revolute", "pin") else (*axis[:2], 0)
    inertia = 0.15 if planar else tuple(rng.uniform(0.1, 0.15, 3))
    body = model.body("b", mass=1.0, inertia=inertia, position=here)
    axes = {"universal": (axis, np.cross(axis, across)), "spherical": (), "fixed": (), "pin": ()}.get(kind, (axis,))
    pair = (body, model.ground) if reverse else (model.ground, body)
    getattr(model, kind)("J", *pair, place, *axes)
    return model


@BOTH
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "planar"), [(kind, False) for kind in KINDS] + [(kind, True) for kind in ("pin", "slider", "revolute")]
)
def test_a_coordinate_of_the_tree_is_the_one_of_the_joint_with_its_name(kind, planar, seed, reverse):
    system = build(joined(kind, reverse, seed, planar), coordinates="relative")
    (node,), joint = system.tree, system.model.joints["J"]
    rng = np.random.default_rng(seed)
    q = system.retract(system.start, rng.normal(size=system.n_v))
    found = poses(system, q[None])
    pairs = [
        tuple((x[0] + R[0] @ body.com, R[0]) for body in measure.bodies for x, R in [found[body.name]])
        for measure in joint.coordinates().values()
    ]
    for (name, measure), pair in zip(joint.coordinates().items(), pairs, strict=True):
        if name in node.motion.labels:
            gap = q[node.motion.labels.index(name)] - measure_value(measure, *pair)
            whole = 2 * np.pi * np.round(gap / (2 * np.pi)) if measure.kind == "angle" else 0.0
            assert gap - whole == pytest.approx(0.0, abs=1e-14), name


@BOTH
@pytest.mark.parametrize("kind", SPINNING)
def test_no_angle_of_a_joint_in_the_tree_has_to_be_counted(kind, reverse):
    system = build(joined(kind, reverse, 0), coordinates="relative")
    angles = {m for m in system.model.joints["J"].coordinates().values() if m.kind == "angle"}
    assert set(tree_places(system)) == angles


@BOTH
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", SPINNING)
def test_angles_after_some_turns_are_those_of_absolute_coordinates(kind, seed, reverse):
    model = joined(kind, reverse, seed)
    rng = np.random.default_rng(10 + seed)
    name = "J.angle_a" if kind == "universal" else "J.angle"
    model.torsion("spring", name, stiffness=0.02)
    model.start(joint=name, velocity=rng.choice([-1, 1]) * rng.uniform(8, 10))
    runs = [simulate(model, 2.0, rtol=1e-9, output=40, coordinates=c) for c in ("absolute", "relative")]
    assert np.abs(runs[0].joint(name)).max() > 2 * np.pi  # else there is nothing to count
    np.testing.assert_allclose(runs[1].joint(name), runs[0].joint(name), rtol=0, atol=1e-6)
    np.testing.assert_allclose(runs[1].energy.potential, runs[0].energy.potential, rtol=0, atol=1e-7)


@BOTH
@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar"])
def test_an_angle_of_a_cut_joint_keeps_its_turns_in_the_largest_steps(kind, reverse):
    """A rotor on a hinge in the tree, whose motion is linear in time, and on a joint that is cut: the same angle."""
    rng = np.random.default_rng(3)
    axis, place = rng.normal(size=3), rng.normal(size=3)
    model = br.Model("rotor", gravity=(0, 0, 0))
    body = model.body("b", mass=1.0, inertia=(0.1, 0.12, 0.14), position=place + axis)
    model.revolute("A", model.ground, body, place, axis)
    pair = (body, model.ground) if reverse else (model.ground, body)
    getattr(model, kind)("B", *pair, place, axis)
    model.start(joint="A", velocity=5.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = simulate(model, 4.0, rtol=1e-6, output=81, coordinates="relative")
        turned = run.joint("B.angle")
    np.testing.assert_allclose(turned, (-1 if reverse else 1) * 5.0 * run.t, rtol=0, atol=1e-8)
