"""br.problem(): the ODE of every formulation, integrated by SciPy and by a loop written here, is the motion of simulate()."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError, SimulationError
from bricard.problems.double_pendulum import L, double_pendulum
from bricard.registry import FORMULATIONS
from mechanisms import four_bar, pendulum

ODES = [f.name for f in FORMULATIONS.values() if "Ode" in f.forms]


def hanging(z, t):
    """The double pendulum from its two angles: q of two planar rods, angles counted from the hanging position."""
    s1, c1, s2, c2 = np.sin(z[0]), np.cos(z[0]), np.sin(z[1]), np.cos(z[1])
    return np.array([0.5 * L * s1, -0.5 * L * c1, z[0], L * s1 + 0.5 * L * s2, -L * c1 - 0.5 * L * c2, z[1]])


NEEDED = {("scott", "double pendulum"): {"map": hanging, "start": (1.0, 0.5)}}
MECHANISMS = {"double pendulum": double_pendulum, "four-bar": four_bar}
CASES = [
    (f, m) for m in MECHANISMS for f in ODES if not FORMULATIONS[f].needs or (f, m) in NEEDED
]  # a user's map of a four-bar is not at hand


def reached(ode, t, y):
    """Full state after integration by SciPy with tight tolerances."""
    result = solve_ivp(ode.rhs, (ode.t0, t), y, method="DOP853", rtol=1e-10, atol=1e-11)
    assert result.success, result.message
    return ode.expand(t, result.y[:, -1])


@pytest.mark.parametrize(("formulation", "mechanism"), CASES)
def test_scipy_gives_the_motion_of_simulate(formulation, mechanism):
    model, options = MECHANISMS[mechanism](), NEEDED.get((formulation, mechanism), {})
    ode = br.problem(model, formulation, **options)
    assert ode.size == len(ode.names) == ode.initial().size
    full = reached(ode, 0.05, ode.initial())
    solution = br.simulate(model, 0.05, formulation=formulation, integrator="dop853", rtol=1e-10, output=2, **options)
    np.testing.assert_allclose(full.q, solution.q[-1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(full.v, solution.v[-1], rtol=0, atol=1e-7 * np.abs(solution.v).max())
    lam = solution.reaction_multipliers[-1]
    np.testing.assert_allclose(full.lam, lam, rtol=0, atol=1e-5 * np.abs(lam).max())


def stepped(ode, y, t, h, steps):
    """Runge-Kutta steps of order four with the hooks after each, as a user would write them."""
    changes = 0
    for _ in range(steps):
        k1 = ode.rhs(t, y)
        k2 = ode.rhs(t + h / 2, y + h / 2 * k1)
        k3 = ode.rhs(t + h / 2, y + h / 2 * k2)
        k4 = ode.rhs(t + h, y + h * k3)
        y, t = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h
        y = ode.correct(t, y)
        y, changed = ode.rebase(t, y)
        changes += changed
    return t, y, changes


@pytest.mark.parametrize("formulation", [f for f in ODES if not FORMULATIONS[f].needs])
def test_own_loop_with_the_hooks_is_simulate(formulation):
    """The same steps, so the same numbers; through a large motion in which frozen bases have to be renewed."""
    model = double_pendulum("C")
    ode = br.problem(model, formulation)
    t, y, changes = stepped(ode, ode.initial(), ode.t0, 0.002, 300)
    solution = br.simulate(model, 0.6, formulation=formulation, integrator="rk4", step=0.002, output=2)
    full = ode.expand(t, y)
    np.testing.assert_allclose(full.q, solution.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(full.v, solution.v[-1], rtol=0, atol=1e-8)
    assert changes == solution.counters["rebasings"]


@pytest.mark.parametrize("formulation", [f for f in ODES if not FORMULATIONS[f].needs])
def test_without_rebasing_it_is_right_or_refused(formulation):
    """Beyond the region of its coordinates rhs raises; it never answers with something wrong."""
    model = double_pendulum("C")
    ode = br.problem(model, formulation)
    try:
        full = reached(ode, 0.8, ode.initial())
    except SimulationError as error:
        assert ode._problem.rebase is not None
        assert "rebase(t, y)" in str(error) or "singular" in str(error), error
        return
    exact = br.simulate(model, 0.8, formulation=formulation, integrator="dop853", rtol=1e-11, output=2)
    np.testing.assert_allclose(full.q, exact.q[-1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("formulation", [f for f in ODES if not FORMULATIONS[f].needs])
def test_states_of_the_past_can_be_expanded(formulation):
    """Dense output is looked at after the run: a jump back to the start must not matter."""
    ode = br.problem(double_pendulum("A"), formulation)
    y0 = ode.initial()
    result = solve_ivp(ode.rhs, (0.0, 0.15), y0, method="DOP853", rtol=1e-9, atol=1e-10, dense_output=True)
    first = ode.expand(0.0, result.sol(0.0))
    start = br.problem(double_pendulum("A")).initial()
    np.testing.assert_allclose(np.concatenate(first[:2]), start, rtol=0, atol=1e-10)


def test_initial_begins_anew():
    ode = br.problem(four_bar())
    state = br.simulate(four_bar(), 0.1, rtol=1e-10).end
    y = ode.initial(state)
    np.testing.assert_array_equal(y, np.concatenate([state.q, state.v]))
    np.testing.assert_array_equal(ode.initial(), ode.initial())
    with pytest.raises(ModelError, match="The state has"):
        ode.initial(br.simulate(pendulum(), 0.01, rtol=1e-8).end)


def test_names():
    ode = br.problem(double_pendulum("A"))
    assert ode.names[:3] == ("rod 1.x", "rod 1.y", "rod 1.angle")
    assert ode.names[6:9] == ("rod 1.vx", "rod 1.vy", "rod 1.wz")


def sprung_wheel():
    """A wheel that turns many times against a soft torsion spring: turns have to be counted."""
    model = br.Model("wheel")
    model.body("wheel", br.Cylinder((0, 0, 0), (0, 0, 0.1), 0.5, mass=1.0))
    model.revolute("A", model.ground, "wheel", (0, 0, 0), (0, 0, 1))
    model.torsion("S", "A", stiffness=0.05)
    model.start(joint="A", velocity=20.0)
    return model


def test_turns_are_counted_and_the_past_has_its_own():
    """angle = v0/w sin(w t), w^2 = k/J: 7 turns; later looks at earlier states see the earlier turn."""
    ode = br.problem(sprung_wheel())
    result = solve_ivp(ode.rhs, (0.0, 3.0), ode.initial(), method="DOP853", rtol=1e-10, atol=1e-10, dense_output=True)
    rate = np.sqrt(0.05 / 0.125)
    assert result.y[12, -1] == pytest.approx(20.0 * np.cos(3.0 * rate), abs=1e-7)
    for t in (2.5, 0.3, 1.7):
        torque = 0.125 * ode.rhs(t, result.sol(t))[12]
        assert torque == pytest.approx(-0.05 * 20.0 / rate * np.sin(rate * t), abs=1e-5)


def pushed():
    model = double_pendulum("A")
    model.motor("M", "K", 1.5)
    model.force("F", "rod 1", force=(0, 2.0, 0))
    return model


def test_inputs_add_to_what_the_model_declares():
    ode, plain = br.problem(pushed(), inputs=["M", "F"]), double_pendulum("A")
    without = br.problem(plain)
    y = without.initial()
    np.testing.assert_allclose(ode.rhs(0.0, y, [-1.5, -2.0]), without.rhs(0.0, y), rtol=0, atol=1e-11)
    with_motor = br.problem(pushed())
    np.testing.assert_array_equal(ode.rhs(0.0, y), with_motor.rhs(0.0, y))
    # affine in the inputs
    a, b, c = (ode.rhs(0.0, y, u) for u in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0]))
    np.testing.assert_allclose(c - b, a - ode.rhs(0.0, y), rtol=0, atol=1e-11)
    assert np.abs(c - b).max() > 1.0
    # and in the multipliers: the middle joint carries the motor's effect
    assert np.abs(ode.expand(0.0, y, [1.0, 0.0]).lam - ode.expand(0.0, y).lam).max() > 0.1


def test_refusals():
    with pytest.raises(IncompatibleMethods, match=r'"ggl" is no ODE. Those that are: index1'):
        br.problem(pendulum(), "ggl")
    with pytest.raises(IncompatibleMethods, match="Unknown option"):
        br.problem(pendulum(), "index1", alfa=3.0)
    with pytest.raises(ModelError, match="takes a Model or a System"):
        br.problem("pendulum")
    ode = br.problem(pendulum())
    with pytest.raises(ModelError, match="13 components"):
        ode.rhs(0.0, np.zeros(3))
    with pytest.raises(ModelError, match="one number for each input: none"):
        ode.rhs(0.0, ode.initial(), [1.0])
    with pytest.raises(ModelError, match="give the model"):
        br.problem(pendulum().build(), inputs="M")


def test_not_finite_is_an_error():
    ode = br.problem(pendulum())
    y = ode.initial()
    y[8] = np.nan
    with pytest.raises(SimulationError, match="not finite"):
        ode.rhs(0.0, y)
