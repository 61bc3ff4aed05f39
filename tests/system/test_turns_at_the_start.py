"""Starts beyond half a turn: angles are counted from the drawn pose on, by gears, drives, springs and results alike."""

import warnings

import numpy as np
import pytest

import bricard as br
from bricard.errors import UncountedTurns
from bricard.system.assembler import assemble
from bricard.system.channels import poses
from model.test_routines_on_the_way import mass_on, rod

KINDS = ("absolute", "relative")
EXACT = 1e-9  # scaled gap up to which a start is taken, times the few radians per unit of row


def hinges(n=1, planar=False, **options):
    """Bodies on hinges of their own: A, B, ..."""
    model = br.Model("hinges", planar=planar, **options)
    for i in range(n):
        name = "abcdef"[i]
        model.body(name, mass=1.0, inertia=0.1 if planar else (0.1, 0.1, 0.1), position=(i, 0, 0))
        model.revolute(name.upper(), model.ground, name, (i, 0, 0), (0, 0, 1))
    return model


def planetary():
    """S = 3 C."""
    model = br.Model("planetary", gravity=(0, 0, 0))
    for name in ("sun", "carrier"):
        model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute("C", model.ground, "carrier", (0, 0, 0), (0, 0, 1))
    model.revolute("S", model.ground, "sun", (0, 0, 0), (0, 0, 1))
    model.revolute("SC", "carrier", "sun", (0, 0, 0), (0, 0, 1))
    model.gear("G", "SC", "C", ratio=-2.0)
    return model


def parallelogram(planar=False, torsion=True):
    """Joints A, B, C, D; B = -A."""
    model = br.Model("parallelogram", planar=planar, gravity=(0, 0, 0))
    ends = {"crank": ((0, 0, 0), (1, 0, 0)), "rod": ((1, 0, 0), (1, 2, 0)), "rocker": ((1, 2, 0), (0, 2, 0))}
    for name, (a, b) in ends.items():
        model.body(name, br.Rod(a, b, mass=1.0, radius=0.02))
    for name, a, b, point in (
        ("A", model.ground, "crank", (0, 0, 0)),
        ("B", "crank", "rod", (1, 0, 0)),
        ("C", "rod", "rocker", (1, 2, 0)),
        ("D", model.ground, "rocker", (0, 2, 0)),
    ):
        model.revolute(name, a, b, point, (0, 0, 1))
    if torsion:
        model.torsion("T", "B", stiffness=1.0)
    return model


def at_start(model, coordinates, *joints):
    solution = br.simulate(model, 0.01, coordinates=coordinates, output=2)
    return [float(solution.joint(joint)[0]) for joint in joints]


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("angle", [1.0, 4.0, -4.0, 7.0, 40.0])
def test_a_planetary_gear_turns_all_the_way_to_its_wish(angle, coordinates):
    model = planetary()
    model.start(joint="S", position=angle)
    np.testing.assert_allclose(
        at_start(model, coordinates, "S", "C", "SC"), [angle, angle / 3, 2 * angle / 3], rtol=0, atol=EXACT
    )


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("torsion", [True, False])
def test_a_loop_is_gone_round_to_a_wish(torsion, planar, coordinates):
    """With a spring on another joint as without."""
    model = parallelogram(planar, torsion)
    model.start(joint="A", position=4.0)
    solution = br.simulate(model, 0.01, coordinates=coordinates, output=2)
    np.testing.assert_allclose([solution.joint(j)[0] for j in "ABCD"], [4.0, -4.0, 4.0, 4.0], rtol=0, atol=EXACT)
    if torsion:
        assert solution.energy.potential[0] == pytest.approx(8.0, abs=1e-8)


def test_the_start_of_a_loop_agrees_with_the_sweep_that_leads_there():
    model = parallelogram()
    swept = br.kinematics(model, {"A": (0.0, 4.0)}, points=3).joint("B")[-1]
    model.start(joint="A", position=4.0)
    assert at_start(model, "absolute", "B")[0] == pytest.approx(swept, abs=EXACT)


@pytest.mark.parametrize("planar", [True, False])
def test_a_rocker_that_cannot_go_round_takes_the_short_way(planar):
    model = br.Model("rocker", planar=planar, gravity=(0, 0, 0))
    ends = {"rocker": ((0, 0, 0), (1, 0, 0)), "rod": ((1, 0, 0), (0.5, -2, 0)), "other": ((0.5, -2, 0), (0, -2.3, 0))}
    for name, (a, b) in ends.items():
        model.body(name, br.Rod(a, b, mass=1.0, radius=0.02))
    for name, a, b, point in (
        ("A", model.ground, "rocker", (0, 0, 0)),
        ("B", "rocker", "rod", (1, 0, 0)),
        ("C", "rod", "other", (0.5, -2, 0)),
        ("D", model.ground, "other", (0, -2.3, 0)),
    ):
        model.revolute(name, a, b, point, (0, 0, 1))
    low, high = br.kinematics(model, "A").range["A"]
    assert high - low < 2 * np.pi
    found = []
    for turns in (0, 1):
        model.wishes.clear()
        model.start(joint="A", position=0.5 * low + 2 * np.pi * turns)
        found.append(poses(model.build(), assemble(model.build()).q[None]))
    for name, (x, R) in found[0].items():
        np.testing.assert_allclose(found[1][name][0], x, rtol=0, atol=1e-8)
        np.testing.assert_allclose(found[1][name][1], R, rtol=0, atol=1e-8)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("wished", [True, False])
@pytest.mark.parametrize("angle", [3.0, np.radians(200.0), -5.0, 20.0, 1000.0])
def test_a_drive_begins_at_any_angle(angle, wished, coordinates):
    model = hinges()
    model.drive("D", "A", br.Polynomial((angle, 5.0)))
    if wished:
        model.start(joint="A", position=angle)
    assert at_start(model, coordinates, "A")[0] == pytest.approx(angle, abs=EXACT)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize(
    ("ratio", "angle"), [(0.5, 1.5), (0.5, 2.0), (3.0, 4.7), (-1.0, 4.7), (1 / 3, 20.0), (0.01, 3.0)]
)
def test_both_wheels_of_a_gear_are_counted(ratio, angle, planar, coordinates):
    model = hinges(2, planar)
    model.gear("G", "A", "B", ratio=ratio)
    model.start(joint="A", position=angle)
    found = at_start(model, coordinates, "A", "B")
    np.testing.assert_allclose(found, [angle, -angle / ratio], rtol=0, atol=EXACT / min(abs(ratio), 1.0))


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("way", [0.1, 0.35, 1.0])
def test_a_rack_is_drawn_out_over_turns_of_its_pinion(way, coordinates):
    model = hinges()
    model.body("rack", mass=2.0, inertia=(1, 1, 1), position=(0, -0.1, 0))
    model.prismatic("X", model.ground, "rack", (0, -0.1, 0), (1, 0, 0))
    model.gear("G", "X", "A", ratio=-0.1)
    model.start(joint="X", position=way)
    np.testing.assert_allclose(at_start(model, coordinates, "X", "A"), [way, 10 * way], rtol=0, atol=10 * EXACT)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("lead", [0.1, 0.01])
def test_a_screw_starts_anywhere_on_its_thread(lead, coordinates):
    """lead : m per radian."""
    model = br.Model("screw")
    model.body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.cylindrical("C", model.ground, "nut", (0, 0, 0), (0, 0, 1))
    model.gear("G", "C.displacement", "C.angle", ratio=-lead)
    model.start(joint="C.displacement", position=0.5)
    found = at_start(model, coordinates, "C.displacement", "C.angle")
    np.testing.assert_allclose(found, [0.5, 0.5 / lead], rtol=0, atol=EXACT / lead)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("user", [None, "spring", "damper"])
@pytest.mark.parametrize("angle", [4.0, 20.0, -8.0, 6 * np.pi])
def test_a_wish_says_how_many_turns_a_hinge_has(angle, user, planar, coordinates):
    """Whether a force uses it or not; hinges behind it are not touched, and a run that goes on counts on."""
    model = hinges(planar=planar, gravity=(0, 0, 0))
    model.body("tip", mass=1.0, inertia=0.1 if planar else (0.1, 0.1, 0.1), position=(1, 0, 0))
    model.revolute("B", "a", "tip", (1, 0, 0), (0, 0, 1))
    if user == "spring":
        model.torsion("T", "A", stiffness=1e-9)
    if user == "damper":
        model.torsion("T", "A", damping=1e-9)
    model.start(joint="A", position=angle)
    solution = br.simulate(model, 0.01, coordinates=coordinates, output=2)
    assert solution.joint("A")[0] == pytest.approx(angle, abs=EXACT)
    assert solution.joint("B")[0] == pytest.approx(0.0, abs=EXACT)
    assert br.simulate(solution, 0.01).joint("A")[-1] == pytest.approx(angle, abs=1e-6)


def test_a_result_that_began_beyond_half_a_turn_is_read_as_it_was_written(tmp_path):
    model = hinges(gravity=(0, 0, 0))
    model.start(joint="A", position=20.0, velocity=1.0)
    solution = br.simulate(model, 0.1, output=3)
    solution.save(tmp_path / "turned.h5")
    np.testing.assert_array_equal(br.Solution.load(tmp_path / "turned.h5").joint("A"), solution.joint("A"))
    np.testing.assert_allclose(solution.joint("A"), [20.0, 20.05, 20.1], rtol=0, atol=1e-7)


def test_a_planar_body_that_is_placed_keeps_its_hinge_within_half_a_turn():
    """Drawn at 3 rad it is placed at 3.3: its hinge turns by 0.3, whatever the arcus tangens says."""
    model = br.Model("placed", planar=True, gravity=(0, 0, 0))
    c, s = np.cos(3.0), np.sin(3.0)
    model.body("a", mass=1.0, inertia=0.1, rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])
    model.pin("A", model.ground, "a", (0, 0, 0))
    drawn = at_start(model, "absolute", "A")[0]
    c, s = np.cos(3.3), np.sin(3.3)
    model.start(body="a", rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])
    assert at_start(model, "absolute", "A")[0] - drawn == pytest.approx(0.3, abs=EXACT)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
def test_a_clock_spring_balances_its_weight_where_it_was_wound_to(planar, coordinates):
    """Stress-free at 9 rad: 2 (9 - A) = m g l / 2 cos(A) next to the wish at 8."""
    model = br.Model("clock spring", planar=planar, gravity=(0, -9.81, 0))
    model.body("b", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("A", model.ground, "b", (0, 0, 0), (0, 0, 1))
    model.torsion("T", "A", stiffness=2.0, angle=9.0)
    model.start(joint="A", position=8.0)
    found = br.equilibrium(model.build(coordinates=coordinates))
    angle = found.joint("A")
    assert 9.0 < angle < 12.0
    assert 2.0 * (9.0 - angle) == pytest.approx(9.81 / 2 * np.cos(angle), abs=1e-7)
    assert found.force("T") == pytest.approx(2.0 * (9.0 - angle), abs=1e-9)
    solution = br.simulate(model, 0.01, coordinates=coordinates, output=2)
    assert solution.joint("A")[0] == pytest.approx(8.0, abs=EXACT)
    assert solution.reaction("T", "b").moment[0, 2] == pytest.approx(2.0, abs=1e-8)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("damping", [0.0, 1e-9])
def test_a_trigger_counts_on_from_the_start(damping, planar, coordinates):
    model = hinges(planar=planar, gravity=(0, 0, 0))
    model.start(joint="A", position=20.0, velocity=1.0)
    if damping:
        model.torsion("T", "A", damping=damping)
    solution = br.simulate(model, 1.0, coordinates=coordinates, triggers=br.Trigger("A", at=20.5))
    assert [event.t for event in solution.events] == pytest.approx([0.5], abs=1e-6)
    longer = br.simulate(solution, 1.0, triggers=br.Trigger("A", at=21.5))
    assert [event.t for event in longer.events[1:]] == pytest.approx([1.5], abs=1e-6)


@pytest.mark.parametrize("coordinates", KINDS)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("turned", [False, True])
def test_a_flywheel_is_stopped_after_five_turns(turned, planar, coordinates):
    """Its steps are several turns long; turned : its axis points down, or it is declared from the wheel to the ground."""
    model = br.Model("flywheel", planar=planar, gravity=(0, 0, 0))
    model.body("wheel", mass=1.0, inertia=1.0 if planar else (1.0, 1.0, 1.0))
    ends = ("wheel", model.ground) if turned else (model.ground, "wheel")
    model.revolute("A", *ends, (0, 0, 0), (0, 0, -1) if turned and not planar else (0, 0, 1))
    model.start(joint="A", velocity=2.0)
    stop = br.Trigger("A", at=10 * np.pi, action="stop")
    solution = br.simulate(model, 20.0, coordinates=coordinates, triggers=stop)
    assert solution.t[-1] == pytest.approx(5 * np.pi, abs=1e-6)
    assert solution.joint("A")[-1] == pytest.approx(10 * np.pi, abs=1e-6)


def test_a_watched_angle_whose_turns_are_not_counted_is_told():
    """Quaternions, and fixed steps of more than a turn."""
    model = hinges(gravity=(0, 0, 0))
    model.start(joint="A", velocity=20.0)
    how = {"step": 0.25, "formulation": "index1", "integrator": "rk4", "check": False, "energy": False}
    with pytest.warns(UncountedTurns, match='trigger "A" may be missed'):
        br.simulate(model, 1.0, triggers=br.Trigger("A", at=10.0), **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UncountedTurns)
        br.simulate(model, 1.0, triggers=br.Trigger("A", at=10.0, velocity=True), **how)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("points", [3, 50])
@pytest.mark.parametrize(("first", "last"), [(0.0, 20.0), (8.0, 9.0), (4.0, -4.0)])
def test_a_sweep_counts_all_angles_however_few_its_points(first, last, points, planar):
    for start in (0.0, 8.0):
        model = parallelogram(planar, torsion=False)
        model.start(joint="A", position=start)
        found = br.kinematics(model, {"A": (first, last)}, points=points)
        asked = np.linspace(first, last, points)
        np.testing.assert_array_equal(found.joint("A"), asked)
        np.testing.assert_array_equal(found.joint("A.angle"), asked)
        np.testing.assert_allclose(found.joint("B"), -asked, rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.joint("D"), asked, rtol=0, atol=EXACT)


def test_a_whole_curve_counts_from_its_start_in_both_directions():
    model = parallelogram(torsion=False)
    model.start(joint="A", position=8.0)
    found = br.kinematics(model, "A")
    np.testing.assert_allclose(found.joint("B"), -found.joint("A"), rtol=0, atol=EXACT)
    assert found.joint("A").min() <= 8.0 <= found.joint("A").max()


def test_the_count_of_a_start_leaves_users_joints_alone():
    """State.totals holds their coordinates too: the mass starts where it was wished, not where the count would be 0."""
    model = mass_on(rod)
    model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 3, 0))
    model.revolute("A", model.ground, "b", (0, 3, 0), (0, 0, 1))
    plain = br.simulate(model, 0.1, output=3)
    model.start(joint="A", position=20.0)
    turned = br.simulate(model, 0.1, output=3)
    np.testing.assert_allclose(turned.joint("A"), 20.0, rtol=0, atol=EXACT)
    np.testing.assert_allclose(turned.joint("U.z"), plain.joint("U.z"), rtol=0, atol=1e-8)
