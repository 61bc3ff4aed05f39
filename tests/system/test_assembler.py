"""From partial wishes to a consistent start, on open and closed chains."""

import re
from dataclasses import replace

import numpy as np
import pytest
from measuring import point_velocity, pose, position, velocity

import bricard.model as br
from bricard.errors import AssemblyError
from bricard.system import assembler
from bricard.system.assembler import assemble
from bricard.system.build import build
from mechanisms import Z, four_bar, rssr


def started(model):
    system = build(model)
    return system, assemble(system)


def chain():
    """A double pendulum in space, hinges about different axes."""
    model = br.Model("chain")
    model.body("upper", br.Rod((0, 0, 0), (0.5, 0, 0.1), mass=1.0))
    model.body("lower", br.Rod((0.5, 0, 0.1), (0.9, 0.3, 0), mass=0.5))
    model.revolute("A", model.ground, "upper", (0, 0, 0), (0, 1, 0))
    model.revolute("B", "upper", "lower", (0.5, 0, 0.1), (0.2, 0, 1))
    return model


OPEN_AND_CLOSED = {"chain": chain, "four-bar": lambda: four_bar(speed=None), "rssr": lambda: rssr(speed=None)}
every = pytest.mark.parametrize("name", list(OPEN_AND_CLOSED))


def wished(name):
    model = OPEN_AND_CLOSED[name]()
    model.start(joint="A", position=0.4, velocity=-3.0)
    return started(model)


@every
def test_hard_wishes_are_met(name):
    system, state = wished(name)
    assert position(system, state, "A") == pytest.approx(0.4, abs=1e-10)
    assert velocity(system, state, "A") == pytest.approx(-3.0, abs=1e-9)


@every
def test_position_constraints_hold(name):
    system, state = wished(name)
    np.testing.assert_allclose(system.constraint(0.0, state.q), 0.0, rtol=0, atol=1e-10)


@every
def test_velocity_constraints_hold(name):
    system, state = wished(name)
    np.testing.assert_allclose(system.constraint_velocity(0.0, state.q, state.v), 0.0, rtol=0, atol=1e-9)


@every
def test_acceleration_constraints_hold(name):
    system, state = wished(name)
    acceleration = system.jacobian(0.0, state.q) @ state.a
    np.testing.assert_allclose(
        acceleration, system.gamma(0.0, state.q, state.v), rtol=0, atol=1e-9 * np.abs(state.a).max()
    )


@every
def test_equations_of_motion_hold(name):
    system, state = wished(name)
    load = system.mass(state.q) @ state.a + system.jacobian(0.0, state.q).T @ state.lam
    size = np.abs(state.lam).max()
    np.testing.assert_allclose(load, system.force(0.0, state.q, state.v), rtol=0, atol=1e-9 * size)


@every
def test_without_wishes_the_drawn_pose_stays(name):
    system, state = started(OPEN_AND_CLOSED[name]())
    np.testing.assert_allclose(state.q, system.start, rtol=0, atol=1e-12)
    np.testing.assert_allclose(state.v, 0.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_branch_of_the_drawing_is_kept(flip):
    """The rocker of this linkage has two places for one crank angle: above and below the diagonal."""
    model = br.Model("branches", planar=True)
    a, b, c, d = (0, 0, 0), (0.3, 0, 0), (1.0, 0.6 * flip, 0), (1.2, 0, 0)
    model.body("crank", br.Rod(a, b, mass=1))
    model.body("link", br.Rod(b, c, mass=1))
    model.body("rocker", br.Rod(c, d, mass=1))
    for name, first, second, point in (
        ("A", model.ground, "crank", a),
        ("B", "crank", "link", b),
        ("C", "link", "rocker", c),
    ):
        model.pin(name, first, second, point)
    model.pin("D", "rocker", model.ground, d)
    model.start(joint="A", position=1.2)
    system, state = started(model)
    x, R = pose(system, state, "link")
    end, elbow = (
        x + R @ (np.linalg.norm(np.subtract(c, b)) / 2, 0, 0),
        np.array([0.3 * np.cos(1.2), 0.3 * np.sin(1.2), 0]),
    )
    assert np.sign(np.cross(np.subtract(d, elbow), end - elbow)[2]) == flip


def test_many_turns_can_be_wished():
    model = chain()
    model.start(joint="A", position=0.3 + 4 * np.pi)
    system, state = started(model)
    assert position(system, state, "A") == pytest.approx(0.3, abs=1e-10)


def test_frames_that_do_not_meet_are_brought_together():
    model = br.Model("frames", planar=True)
    crank, link = (model.body(name, br.Rod((0, 0, 0), (1, 0, 0), mass=1)) for name in ("crank", "link"))
    model.pin("A", model.ground, crank, frame_a=model.ground.frame(), frame_b=crank.frame((-0.5, 0, 0)))
    model.pin("B", crank, link, frame_a=crank.frame((0.5, 0, 0)), frame_b=link.frame((-0.5, 0, 0)))
    model.pin("C", link, model.ground, frame_a=link.frame((0.5, 0, 0)), frame_b=model.ground.frame((1.2, 0.3, 0)))
    system, state = started(model)
    np.testing.assert_allclose(system.constraint(0.0, state.q), 0.0, rtol=0, atol=1e-11)


def test_pose_of_a_body():
    model = br.Model("free")
    body = model.body("body", mass=1.0, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0.3))
    turn = br.rotation_matrix((0.9, 0.1, 0.2, 0.1))
    model.start(body=body, position=(1, 2, 3), rotation=turn, velocity=(0.1, 0.2, 0.3), angular_velocity=(1, -1, 2))
    system, state = started(model)
    x, R = pose(system, state, "body")
    np.testing.assert_allclose(x, (1, 2, 3), rtol=0, atol=1e-10)
    np.testing.assert_allclose(R, turn, rtol=0, atol=1e-10)
    np.testing.assert_allclose(point_velocity(system, state, "body", (0, 0, 0)), (0.1, 0.2, 0.3), rtol=0, atol=1e-10)
    np.testing.assert_allclose(R @ state.v[3:6], (1, -1, 2), rtol=0, atol=1e-10)


def test_position_of_a_body_in_a_chain():
    """Where the end of a hanging arm shall be: the joints follow."""
    model = chain()
    lower = model.bodies["lower"]
    goal = np.array([0.75, 0.3, 0.2])
    model.start(point=(lower, lower.point((0.9, 0.3, 0))), position=goal, weight=1.0)
    system, state = started(model)
    x, R = pose(system, state, "lower")
    before = np.linalg.norm(np.array([0.9, 0.3, 0]) - goal)
    assert np.linalg.norm(x + R @ lower.point((0.9, 0.3, 0)) - goal) < 0.5 * before
    np.testing.assert_allclose(system.constraint(0.0, state.q), 0.0, rtol=0, atol=1e-9)


def test_velocity_of_a_point_of_a_redundant_loop():
    model = four_bar(speed=None)
    model.start(point=("crank", (0.15, 0, 0)), velocity=(-1.5, 0, 0))  # the end of the crank, which stands upright
    system, state = started(model)
    assert velocity(system, state, "A") == pytest.approx(5.0, abs=1e-9)


@pytest.mark.parametrize("name", ["chain", "four-bar"])
def test_weighted_position_wishes_share(name):
    """Two wishes for one coordinate: the weighted mean, the constraints holding."""
    model = OPEN_AND_CLOSED[name]()
    model.start(joint="A", position=0.1, weight=3.0)
    model.start(joint="A", position=0.5, weight=1.0)
    system, state = started(model)
    assert position(system, state, "A") == pytest.approx(0.2, abs=1e-6)
    np.testing.assert_allclose(system.constraint(0.0, state.q), 0.0, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["chain", "four-bar"])
def test_weighted_velocity_wishes_share(name):
    model = OPEN_AND_CLOSED[name]()
    model.start(joint="A", velocity=1.0, weight=3.0)
    model.start(joint="A", velocity=5.0, weight=1.0)
    assert velocity(*started(model), "A") == pytest.approx(2.0, abs=1e-9)


def test_driver_gives_its_velocity():
    model = four_bar(speed=None)
    model.drive("drive", "A", br.Polynomial((0.2, -3.0)))
    system, state = started(model)
    assert position(system, state, "A") == pytest.approx(0.2, abs=1e-10)
    assert velocity(system, state, "A") == pytest.approx(-3.0, abs=1e-9)


def test_smallest_kinetic_energy_is_taken_where_no_start_coordinate_counts():
    """A bar on two massless rods carries another by a hinge. A point is wished to move: both do so as one."""
    model = br.Model("bars")
    model.body("one", br.Rod((0, 0, 0), (1, 0.2, 0), mass=1.0))
    model.body("two", br.Rod((1, 0.2, 0), (1.5, 1.0, 0.4), mass=0.7))
    model.revolute("hinge", "one", "two", (1, 0.2, 0), (0, 0.3, 1))
    model.distance("left", model.ground, "one", (0, 0, 1), (0, 0, 0))
    model.distance("right", model.ground, "one", (1, 0, 1), (1, 0.2, 0))
    model.start(point=("one", (0, 0, 0)), velocity=(0, 0.5, 0.0))
    system, state = started(model)
    assert abs(velocity(system, state, "hinge")) <= 1e-9
    held = [system.jacobian(0.0, state.q).toarray()]
    basis = np.eye(system.n_v)
    held.append(np.array([velocity(system, replace(state, v=w), "hinge") for w in basis])[None, :])
    held.append(np.array([point_velocity(system, replace(state, v=w), "one", np.zeros(3)) for w in basis]).T)
    whole = np.concatenate(held)
    values = np.linalg.svd(whole)
    free = values[2][int((values[1] > 1e-9).sum()) :]
    momentum = system.mass(state.q) @ state.v
    assert len(free) > 0
    np.testing.assert_allclose(free @ momentum, 0.0, rtol=0, atol=1e-8 * np.linalg.norm(momentum))


def test_loop_that_cannot_close_is_named_with_its_gap():
    """Two bars of 1 m between supports 2.5 m apart: 0.5 m are missing, three pins share them."""
    model = br.Model("too short", planar=True)
    left, right = (model.body(name, br.Rod((0, 0, 0), (1, 0, 0), mass=1)) for name in ("left", "right"))
    model.pin("A", model.ground, left, frame_a=model.ground.frame(), frame_b=left.frame((-0.5, 0, 0)))
    model.pin("B", left, right, frame_a=left.frame((0.5, 0, 0)), frame_b=right.frame((-0.5, 0, 0)))
    model.pin("C", right, model.ground, frame_a=right.frame((0.5, 0, 0)), frame_b=model.ground.frame((2.5, 0.1, 0)))
    with pytest.raises(AssemblyError) as caught:
        started(model)
    text = str(caught.value)
    assert set(re.search(r"the loop (.*) cannot close", text).group(1).split(" - ")) == {"A", "B", "C"}
    gap = float(re.search(r"gap of ([\d.e+-]+) m", text).group(1))
    missing = np.hypot(2.5, 0.1) - 2.0
    assert missing / 3 * 0.5 <= gap <= missing * 1.01


def test_hard_position_wish_against_the_constraints():
    """The crank of this four-bar is driven beyond its reach."""
    model = four_bar(speed=None)
    model.start(joint="D", position=2.5)
    with pytest.raises(AssemblyError, match=r'wish for the position of joint "D"'):
        started(model)


def test_hard_velocity_wishes_against_each_other():
    model = four_bar(speed=None)
    model.start(joint="A", velocity=1.0)
    model.start(joint="D", velocity=5.0)
    with pytest.raises(AssemblyError, match=r"No velocity meets .*(joint|wish).*rad/s"):
        started(model)


def test_hard_velocity_wish_against_a_driver():
    model = chain()
    model.drive("drive", "A", br.Polynomial((0.0, 1.0)))
    model.start(joint="A", velocity=2.0)
    with pytest.raises(AssemblyError, match="No velocity meets"):
        started(model)


def test_redundant_wishes_that_agree_are_no_error():
    model = four_bar(speed=None)
    model.start(joint="A", velocity=2.0)
    model.start(body="crank", angular_velocity=2.0 * np.array(Z))
    system, state = started(model)
    assert velocity(system, state, "A") == pytest.approx(2.0, abs=1e-9)


def robot(turned=None):
    """A free body that carries a chain of hinges about all kinds of axes."""
    model, rng = br.Model("robot"), np.random.default_rng(1)
    last, x = model.body("root", br.Rod((0, 0, 0), (0.4, 0, 0), mass=2.0)), np.array([0.4, 0.0, 0.0])
    for k in range(4):
        y = x + 0.3 * rng.normal(size=3)
        link = model.body(f"link {k}", br.Rod(tuple(x), tuple(y), mass=1.0))
        model.revolute(f"J{k}", last, link, tuple(x), tuple(rng.normal(size=3)))
        last, x = link, y
    if turned is not None:
        model.start(body="root", rotation=turned, position=(1, 2, 3))
        for k in range(4):
            model.start(joint=f"J{k}", position=0.0)
    return model


@pytest.mark.parametrize("axis", np.vstack([np.eye(3), [[0.6, 0.8, 0.0]]]))
def test_a_chain_follows_the_wished_pose_of_the_body_that_carries_it(axis):
    turn = 2.0 * np.outer(axis, axis) - np.eye(3)  # half a turn: every hinge could close turned over
    system, state = started(robot(turn))
    drawn, drawn_state = started(robot())
    place, rotation = pose(system, state, "link 3")
    place_0, rotation_0 = pose(drawn, drawn_state, "link 3")
    np.testing.assert_allclose(rotation, turn @ rotation_0, rtol=0, atol=1e-9)
    root_0, _ = pose(drawn, drawn_state, "root")
    np.testing.assert_allclose(place, (1, 2, 3) + turn @ (place_0 - root_0), rtol=0, atol=1e-9)


def test_a_hinge_that_closes_turned_over_is_named():
    """Both links are wished half a turn about x apart from the drawn pose: the rows of a hinge along z fit, its axes do not."""
    model = br.Model("turned over")
    model.body("lower", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("hinge", model.ground, "lower", (0, 0, 0), (0, 0, 1))
    model.start(body="lower", rotation=np.diag([1.0, -1.0, -1.0]))
    with pytest.raises(AssemblyError, match='joint "hinge" turned over'):
        started(model)


def test_a_start_is_found_once_and_keeps_the_wishes_it_was_built_with(monkeypatch):
    """The second call answers from what is kept, with arrays of its own; a further wish counts for the next System."""
    model = br.Model("rod")
    rod = model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("hinge", model.ground, rod, point=(0, 0, 0), axis=(0, 1, 0))
    model.start(joint="hinge", velocity=1.0)
    system = build(model)
    first = assemble(system)
    first.q[:] = np.nan
    with monkeypatch.context() as patch:
        patch.setattr(assembler, "_assembled", None)
        assert np.isfinite(assemble(system).q).all()
    model.start(joint="hinge", position=0.5)
    assert np.array_equal(assemble(system).q, system.start)
    assert abs(assemble(build(model)).q - system.start).max() > 0.1
