"""What relative coordinates and the equations of a System say to sizes that do not fit, and to mechanisms without freedom."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError
from mechanisms import four_bar

CALLS = {
    "mass": lambda s, q, v: s.mass(q),
    "force": lambda s, q, v: s.force(0.0, q, v),
    "jacobian": lambda s, q, v: s.jacobian(0.0, q, v),
    "gamma": lambda s, q, v: s.gamma(0.0, q, v),
    "kinematic_map": lambda s, q, v: s.kinematic_map(q),
    "inverse_dynamics": lambda s, q, v: s.inverse_dynamics(0.0, q, v, v),
    "evaluated": lambda s, q, v: s.evaluated(0.0, q, v),
}


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("name", CALLS)
def test_sizes_are_checked_before_compiled_code(coordinates, name):
    system = four_bar().build(coordinates=coordinates)
    q, v = system.start, np.zeros(system.n_v)
    CALLS[name](system, q, v)
    for wrong in (q[:-1], np.zeros(0), np.append(q, 0.0), np.full(q.size, np.nan), "q"):
        with pytest.raises(ModelError, match=f"{system.n_q} numbers"):
            CALLS[name](system, wrong, v)


def test_accelerations_and_multipliers_are_checked():
    system = four_bar().build(coordinates="relative")
    q, v = system.start, np.zeros(system.n_v)
    with pytest.raises(ModelError, match="numbers in a"):
        system.inverse_dynamics(0.0, q, v, np.zeros(99))
    with pytest.raises(ModelError, match="numbers in lam"):
        system.inverse_dynamics(0.0, q, v, v, np.zeros(99))


@pytest.mark.parametrize("analysis", [br.equilibrium, br.linearise])
def test_a_state_of_another_system_is_refused(analysis):
    absolute, relative = (four_bar().build(coordinates=kind) for kind in ("absolute", "relative"))
    end = br.simulate(absolute, 0.01).end
    with pytest.raises(ModelError, match="belongs to another system"):
        analysis(relative, state=end)
    with pytest.raises(ModelError, match="must be a State"):
        analysis(relative, state=3)


def test_all_bodies_may_be_welded():
    model = br.Model("welded")
    model.body("b", mass=2.0, inertia=(1, 1, 1))
    model.fixed("F", model.ground, "b", (0, 0, 0))
    absolute, found = (br.simulate(model, 0.1, coordinates=kind, output=3) for kind in ("absolute", "relative"))
    assert found.ok and found.system.n_v == 0
    np.testing.assert_allclose(found.reaction("F").force, absolute.reaction("F").force, rtol=1e-9, atol=1e-9)


def test_states_between_samples_have_their_turns():
    model = br.Model("wheel", gravity=(0, 0, 0))
    model.body("w", mass=1.0, inertia=(1, 1, 1))
    model.revolute("A", model.ground, "w", (0, 0, 0), (0, 0, 1))
    model.torsion("k", "A", stiffness=1e-6)
    model.start(joint="A", velocity=20.0)
    found = br.simulate(model, 1.0, output=101)
    between = found.at(0.7531)
    np.testing.assert_allclose(between.turn, [20.0 * 0.7531], rtol=1e-3)
    assert br.linearise(model, state=between).A.shape == (2, 2)


def test_cut_takes_names_and_joints():
    model = four_bar()
    trees = [[node.name for node in model.build(coordinates="relative", cut=c).tree] for c in ("A", ["A"])]
    system = model.build(coordinates="relative", cut=model.joints["A"])
    assert trees[0] == trees[1] == [node.name for node in system.tree] and system.cut == ("A",)
    for wrong in (None, 5, [None], ("a",)):
        with pytest.raises(ModelError, match="cut"):
            model.build(coordinates="relative", cut=wrong)


def test_simulate_takes_what_build_takes():
    model = four_bar()
    built = model.build(coordinates="relative", cut="A")
    found, same = (
        br.simulate(model, 0.1, coordinates="relative", cut="A", rtol=1e-9, output=4),
        br.simulate(built, 0.1, rtol=1e-9, output=4),
    )
    assert found.system.cut == ("A",) and np.array_equal(found.q, same.q)
    with pytest.raises(ModelError, match=r"cut.* names joints for coordinates"):
        br.simulate(model, 0.1, cut="A")
    for what in (built, found):
        with pytest.raises(
            ModelError, match=r'choice for a Model.*model.build\(coordinates="relative", cut=\[\'B\'\]\)'
        ):
            br.simulate(what, 0.1, cut=["B"])
