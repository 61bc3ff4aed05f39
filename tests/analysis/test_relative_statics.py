"""Equilibria: the same in both coordinate kinds, downhill; and what the analyses say to input that is none."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError, ModelError
from bricard.problems import PROBLEMS
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS, suspension
from mechanisms import four_bar
from system.trees import chain

KINDS = ("absolute", "relative")


def sprung():
    model = four_bar()
    joint = next(iter(model.joints))
    model.torsion("hold", joint, stiffness=300.0, angle=0.2)
    return model, joint


def test_stiffness_of_relative_coordinates_is_that_of_absolute_ones():
    model, joint = sprung()
    found = rests(model)
    for coordinate in [joint, list(model.joints)[-1]]:
        stiffness = [each.stiffness_of(coordinate) for each in found]
        np.testing.assert_allclose(stiffness[1], stiffness[0], rtol=1e-6)
        assert stiffness[0] > 0.0


def rests(model, **options):
    return [br.equilibrium(model.build(coordinates=kind), **options) for kind in KINDS]


def apart(found):
    """Largest difference between the poses of two equilibria, m or of a rotation matrix."""
    first, second = (each.at.poses for each in found)
    return max(np.abs(a - b).max() for body in first for a, b in zip(first[body], second[body], strict=True))


def axle(opposite, hold):
    """A chassis on two linkages with springs on their fifth rods, wheels on tyres; opposite: on both sides, or on the left."""
    sub = suspension(0.0, 0.0, rod_mass=0.5)
    middle = 0.5 * (CHASSIS[4] + CARRIER[4])
    sub.spring("spring", sub.ground, "rod 5", (0.0, 0.56, 0.45), middle, stiffness=3.5e4, length=0.71)
    joint = br.UserJoint.from_linkage(sub, ("ground", "wheel"), {"z": "travel.z"})
    model = br.Model("axle")
    chassis = model.body("chassis", mass=300.0, inertia=(50, 100, 100), position=(0, 0, 0.25))
    for name, x, side in (("front", 1.35, 1.0), ("rear", -1.35, -1.0 if opposite else 1.0)):
        place, turn = np.array([x, 0.0, 0.0]), np.diag([side, side, 1.0])
        centre = place + turn @ CENTRE
        wheel = model.body(name, mass=MASS, inertia=INERTIA, position=centre, rotation=turn)
        frame = chassis.frame(chassis.point(place), turn)
        model.user_joint(f"{name} linkage", chassis, wheel, joint, frame_a=frame, frame_b=wheel.frame())
        ground = model.ground.frame(centre - (0, 0, 0.31), turn)
        model.free(f"{name} contact", model.ground, wheel, frame_a=ground, frame_b=wheel.frame())
        for axis, law in zip("xyz", (br.Linear(1e5), br.Linear(1e5), br.Linear(2e5, 0.0, 0.31)), strict=True):
            model.torsion(f"{name} tyre {axis}", f"{name} contact.{axis}", law=law)
    if hold:
        model.prismatic("slide", model.ground, chassis, (0, 0, 0.25), (0, 0, 1))
    return model


@pytest.mark.parametrize(("opposite", "hold"), [(False, True), (True, True), (False, False)])
def test_a_chassis_on_two_linkages_rests_in_the_same_position_in_both_coordinates(opposite, hold):
    """Without a hold, and both wheels on its left side, it topples and hangs below them."""
    found = rests(axle(opposite, hold))
    assert apart(found) < 1e-9
    assert all(rest.stable and rest.status.startswith("Stable") for rest in found)
    height = found[0].at.point("chassis")[0, 2]
    assert (height > 0.25) if hold else (height < -0.5)


def test_balanced_on_two_wheels_is_told_to_be_unstable():
    """One wheel on each side, nothing to keep it from pitching: the symmetric position is a saddle, in both coordinates."""
    found = rests(axle(opposite=True, hold=False))
    assert apart(found) < 1e-9
    for rest in found:
        assert not rest.stable
        assert "Unstable: a small motion is pushed away" in str(rest)


@pytest.mark.parametrize("name", [name for name, one in PROBLEMS.items() if isinstance(one.model(), br.Model)])
def test_problems_rest_in_the_same_position_in_both_coordinates(name):
    model = PROBLEMS[name].model()
    if name == "rolling-disc":
        for kind in KINDS:
            with pytest.raises(AssemblyError, match="No equilibrium was found"):  # it falls flat
                br.equilibrium(model.build(coordinates=kind))
    else:
        first, second = found = rests(model)
        assert apart(found) < 1e-9
        assert first.status.split(":")[0] == second.status.split(":")[0]


def pole(angle):
    model = br.Model("pole", planar=True)
    model.body("rod", br.Rod((0, 0, 0), (np.sin(angle), np.cos(angle), 0), mass=1.0))
    model.pin("A", model.ground, "rod", (0, 0, 0))
    return model


def test_a_leaning_pole_falls_unless_any_equilibrium_will_do():
    for fallen, upright in zip(rests(pole(0.4)), rests(pole(0.4), stable=False), strict=True):
        assert fallen.joint("A") == pytest.approx(0.4 - np.pi, abs=1e-12)
        assert fallen.stable
        assert upright.joint("A") == pytest.approx(0.4, abs=1e-12)
        assert not upright.stable


def test_a_long_chain_falls_a_long_way():
    """Stretched out to the side at first."""
    for rest in rests(chain(40)):
        np.testing.assert_allclose(rest.at.point("link 39")[0], (0.0, -39.5, 0.0), rtol=0, atol=1e-9)


def test_long_open_branches_have_no_stiffness():
    with pytest.raises(ModelError, match=r"needs the stiffness.*or divide the branches"):
        br.equilibrium(chain(600).build(coordinates="relative"))


def test_an_upright_pole_stays_and_the_sentence_says_how_to_go_on():
    rest = br.equilibrium(pole(0.0))
    assert rest.joint("A") == pytest.approx(0.0, abs=1e-12)
    assert rest.status == (
        'Unstable: a small motion is pushed away with 9.81 N/m, most in body "rod" moving along x. '
        "To find where it falls, start a little to one side of this position (model.start)."
    )


def test_neutral_and_fixed():
    model = br.Model("wheel")
    model.body("wheel", mass=1.0, inertia=(1, 1, 1))
    model.revolute("A", model.ground, "wheel", (0, 0, 0), (0, 0, 1))
    assert br.equilibrium(model).status.startswith("Neutral: 1 of 1 small motions")
    model.torsion("k", "A", stiffness=3.0, angle=9.0)
    for rest in rests(model):  # turns of a wound spring are counted
        assert rest.joint("A") == pytest.approx(9.0, rel=1e-12)
        assert abs(rest.force("k")) < 1e-9
    model.fixed("weld", model.ground, "wheel", (0, 0, 0))
    assert br.equilibrium(model).status == "Nothing can move."


def test_a_weight_falls_onto_what_it_does_not_touch_yet():
    """There is force, but no stiffness, until the stop begins at 0.1 m."""
    model = br.Model("drop")
    model.body("block", br.Box((0.1, 0.1, 0.1), mass=2.0))
    model.prismatic("slide", model.ground, "block", (0, 0, 0), (0, 0, 1))
    model.start(joint="slide", position=0.5)
    with pytest.raises(AssemblyError, match=r"19\.6 N is left over, most in body \"block\" moving along z"):
        br.equilibrium(model)
    model.torsion("stop", "slide", law=br.Table((0.0, 0.1, 1.0), (1e3, 0.0, 0.0)))
    assert br.equilibrium(model).stable


def test_a_way_down_to_forces_that_are_no_numbers_has_a_sentence():
    """The law ends at 0, and nothing holds the block above."""
    model = br.Model("nan")
    model.body("block", br.Box((0.1, 0.1, 0.1), mass=2.0))
    model.prismatic("slide", model.ground, "block", (0, 0, 0), (0, 0, 1))
    model.torsion("root", "slide", law=square_root)
    model.start(joint="slide", position=0.5)
    with pytest.raises(AssemblyError, match="No equilibrium was found"):
        br.equilibrium(model)


def square_root(t, x, rate):
    return -np.sqrt(x)


@pytest.mark.parametrize(
    ("motion", "times", "match"),
    [
        (None, [0.0, 1.0], "motion must be"),
        ({"A": 0.0}, "x", "times must be"),
        ({"A": br.Polynomial((0.0, 1e9))}, [0.0, 1.0], "too far to be followed"),
    ],
)
def test_inverse_dynamics_says_what_it_needs(motion, times, match):
    with pytest.raises(ModelError, match=match):
        br.inverse_dynamics(four_bar(), motion, times)


def test_kinematics_says_what_it_needs():
    found = br.kinematics(four_bar(), {"A": (0.0, 0.1)}, points=2)
    for call in (
        lambda: found.point("link", (1, 2)),
        lambda: found.velocity("link", 1.0, point="p"),
        lambda: found.velocity("link", "a"),
        lambda: found.acceleration("link", np.nan),
    ):
        with pytest.raises(ModelError, match=r"must be (3|finite) numbers"):
            call()
    with pytest.raises(ModelError, match="takes a Model, not <System 'four-bar', relative coordinates: 3 positions"):
        br.kinematics(four_bar().build(coordinates="relative"), "A")


def test_linearise_refuses_inputs_that_are_none():
    with pytest.raises(ModelError, match="An input must be"):
        br.linearise(four_bar(), object())
