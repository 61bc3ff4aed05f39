"""A, B, C, D against closed forms, and against differences of equations reduced here, by other means."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError, ModelError
from bricard.problems.double_pendulum import INERTIA, MASS, L, double_pendulum, double_pendulum_functions
from bricard.system.names import increment_names, velocity_names
from mechanisms import HERE, MILLIMETRES, TURNED, four_bar, pendulum, rssr

G = 9.81
CART, POLE, PIVOT_TO_CENTRE, POLE_INERTIA = 1.0, 0.3, 0.4, 0.02


def inverted_pendulum(angle=0.0, planar=True):
    """A pole on a cart, drawn `angle` (rad) from upright, leaning towards -x."""
    model = br.Model("inverted pendulum", gravity=(0, -G, 0), planar=planar)
    lean = np.array([-np.sin(angle), np.cos(angle), 0.0])
    model.body("cart", mass=CART, inertia=(0.1, 0.1, 0.1))
    model.body("pole", mass=POLE, inertia=(POLE_INERTIA,) * 3, position=PIVOT_TO_CENTRE * lean)
    model.prismatic("slide", model.ground, "cart", (0, 0, 0), (1, 0, 0))
    model.revolute("hinge", "cart", "pole", (0, 0, 0), (0, 0, 1))
    model.force("push", "cart", force=(0, 0, 0))
    return model


def closed_form():
    """A and B in [x, theta, x', theta'], theta counter-clockwise from upright; force on the cart along x."""
    a, b, c = CART + POLE, -POLE * PIVOT_TO_CENTRE, POLE_INERTIA + POLE * PIVOT_TO_CENTRE**2
    inverse = np.linalg.inv([[a, b], [b, c]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1] = inverse @ [0.0, POLE * G * PIVOT_TO_CENTRE]
    B[2:, 0] = inverse @ [1.0, 0.0]
    return A, B


OUTPUTS = ["slide", "hinge", "slide.velocity", "hinge.velocity"]


@pytest.mark.parametrize("planar", [True, False])
def test_inverted_pendulum_is_the_closed_form(planar):
    found = br.linearise(inverted_pendulum(planar=planar), "push.Fx", OUTPUTS)
    A, B = closed_form()
    C = found.C  # outputs are the states of the closed form, so C is the change of coordinates
    np.testing.assert_allclose(C @ found.A @ np.linalg.inv(C), A, rtol=0, atol=1e-12)
    np.testing.assert_allclose(C @ found.B, B, rtol=0, atol=1e-13)
    assert not found.D.any() and not found.x_dot.any()
    for s in (0.5, 2.0j, -1.0 + 3.0j):
        np.testing.assert_allclose(found.transfer(s), np.linalg.solve(s * np.eye(4) - A, B), rtol=1e-11, atol=0)


def test_inverted_pendulum_eigenvalues_and_damping():
    found = br.linearise(inverted_pendulum(), "push.Fx", OUTPUTS)
    grows = np.sqrt(closed_form()[0][3, 1])
    np.testing.assert_allclose(found.eigenvalues[2:].real, [-grows, grows], rtol=1e-12)
    np.testing.assert_allclose(found.damping[2:], [1.0, -1.0], rtol=1e-12)


@pytest.mark.parametrize("angle", [0.02, -0.4, 1.0])
def test_upright_equilibrium_is_found_from_a_leaning_pole(angle):
    found = br.linearise(inverted_pendulum(angle), "push.Fx", OUTPUTS, equilibrium=True)
    assert found.output(0.0, found.state.q, found.state.v)[1] == pytest.approx(-angle, abs=1e-12)
    assert np.abs(found.x_dot).max() <= 1e-12
    values = np.sort(found.eigenvalues.real)
    np.testing.assert_allclose(values[[0, 3]], np.sqrt(closed_form()[0][3, 1]) * np.array([-1, 1]), rtol=1e-9)


def test_hanging_double_pendulum_has_the_frequencies_of_the_closed_form():
    mass = np.array(
        [[INERTIA + 1.25 * MASS * L**2, 0.5 * MASS * L**2], [0.5 * MASS * L**2, INERTIA + 0.25 * MASS * L**2]]
    )
    stiffness = np.diag([1.5 * MASS * G * L, 0.5 * MASS * G * L])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))
    for what in (double_pendulum("B"), double_pendulum_functions("B")):
        found = br.linearise(what, equilibrium=True)
        np.testing.assert_allclose(found.frequencies, np.repeat(exact, 2), rtol=1e-8)
        np.testing.assert_allclose(found.damping, 0.0, rtol=0, atol=1e-8)


def test_modes_are_motions_of_the_bodies():
    """In the slow mode of the double pendulum both rods swing to the same side, in the fast one to opposite sides."""
    found = br.linearise(double_pendulum("B"), equilibrium=True)
    turns = [increment_names(found._instant.system).index(f"rod {i}.turn z") for i in (1, 2)]
    slow, fast = (found.modes[turns, k] for k in (0, 2))
    assert (slow[1] / slow[0]).real > 1.0 and (fast[1] / fast[0]).real < -1.0
    work = found._instant.look(found.state.q, found.state.v)
    assert np.abs(work.G @ found.modes).max() <= 1e-12  # the constraints admit them


def test_redundant_four_bar_with_springs_equals_the_planar_one():
    """Three rows are redundant in 3-D; in the plane none."""
    spatial, flat = (
        br.linearise(_with_motor(four_bar(planar=planar, speed=None)), "M", ["A", "D"], equilibrium=True)
        for planar in (False, True)
    )
    assert len(spatial.A) == len(flat.A) == 2
    np.testing.assert_allclose(spatial.eigenvalues, flat.eigenvalues, rtol=1e-9)
    for s in (1.0, 3.0j):
        np.testing.assert_allclose(spatial.transfer(s), flat.transfer(s), rtol=1e-8)


def _with_motor(model):
    model.motor("M", "A", 0.0)
    return model


@pytest.mark.parametrize(
    ("world", "speed"), [(MILLIMETRES, None), (TURNED, None), (MILLIMETRES, -6.0)], ids=["mm", "turned", "mm, moving"]
)
def test_units_and_axes_do_not_matter(world, speed):
    """At a moving state A depends on the choice of coordinates, which follows the axes but not the units."""
    there, here = (
        br.linearise(_with_motor(four_bar(w, speed=speed)), "M", ["A"], equilibrium=speed is None)
        for w in (world, HERE)
    )
    np.testing.assert_allclose(there.eigenvalues, here.eigenvalues, rtol=1e-8)
    for s in (1.0, 3.0j):
        np.testing.assert_allclose(world.torque(1.0) * there.transfer(s), here.transfer(s), rtol=1e-7)


class Reduced:
    """The equations of a system in the coordinates of its linearisation, solved by NumPy alone."""

    def __init__(self, found):
        self.system, self.state = found._instant.system, found.state
        n = list(increment_names(self.system)), list(velocity_names(self.system))
        self.places = [n[0].index(name) for name in found.states if name in n[0]]
        self.speeds = [n[1].index(name) for name in found.states if name in n[1]]
        self.x0 = np.concatenate([np.zeros(len(self.places)), self.state.v[self.speeds]])

    def full(self, x):
        """d, q and v of x = [z, u]."""
        s, t, n_z = self.system, self.state.t, len(self.places)
        d, holonomic = np.zeros(s.n_v), s.record.velocity_level == 0
        d[self.places] = x[:n_z]
        pick, fast = np.eye(s.n_v)[self.places], np.eye(s.n_v)[self.speeds]
        for _ in range(30):
            q = s.retract(self.state.q, d)
            rows = np.vstack([self._slope(d, s.jacobian(t, q).toarray()[holonomic]), pick])
            gap = np.concatenate([s.constraint(t, q)[holonomic], d[self.places] - x[:n_z]])
            step = np.linalg.lstsq(rows, -gap, rcond=1e-10)[0]
            d += step
            if np.abs(step).max() < 1e-14:
                break
        q = s.retract(self.state.q, d)
        G, rest = s.jacobian(t, q).toarray(), s.constraint_velocity(t, q, np.zeros(s.n_v))
        v = np.linalg.lstsq(np.vstack([G, fast]), np.concatenate([-rest, x[n_z:]]), rcond=1e-10)[0]
        return d, q, v

    def __call__(self, x):
        """x'."""
        s, t = self.system, self.state.t
        d, q, v = self.full(x)
        G, gamma, M, f = s.jacobian(t, q).toarray(), s.gamma(t, q, v), s.mass(q).toarray(), s.force(t, q, v)
        null = np.linalg.svd(G)[2][np.linalg.matrix_rank(G, tol=1e-8) :].T
        special = np.linalg.lstsq(G, gamma, rcond=1e-10)[0]
        a = special + null @ np.linalg.solve(null.T @ M @ null, null.T @ (f - M @ special))
        d_dot = np.linalg.lstsq(self._chart(d), s.kinematic_map(q) @ v, rcond=1e-10)[0]
        return np.concatenate([d_dot[self.places], a[self.speeds]])

    def _chart(self, d, h=1e-3):
        """dq/dd (n_q, n_v)."""
        r, q = self.system.retract, self.state.q
        moved = [[r(q, d + k * h * e) for k in (1, -1, 2, -2)] for e in np.eye(self.system.n_v)]
        return np.column_stack([(8 * (a - b) - (c - e)) / (12 * h) for a, b, c, e in moved])

    def _slope(self, d, G):
        """dPhi/dd: G along v-directions, through the chart."""
        T = self.system.kinematic_map(self.system.retract(self.state.q, d)).toarray()
        return G @ np.linalg.lstsq(T, self._chart(d), rcond=None)[0]

    def jacobian(self, function, h=2e-3):
        """Derivative of function(x) by central differences of fourth order."""
        columns = []
        for e in np.eye(self.x0.size):
            a, b, c, d = (function(self.x0 + k * h * e) for k in (1, -1, 2, -2))
            columns.append((8 * (a - b) - (c - d)) / (12 * h))
        return np.column_stack(columns)


def moving_double_pendulum():
    model = double_pendulum("A")
    model.wishes.clear()
    model.start(joint="O", velocity=2.0)
    model.start(joint="K", velocity=-3.0)
    return model


def ball_and_spring():
    """A body on a ball joint, spinning: turns do not commute."""
    model = br.Model("top")
    model.body("top", br.Box((0.2, 0.3, 0.5), mass=2.0, position=(0.1, 0.0, 0.4)))
    model.spherical("O", model.ground, "top", (0, 0, 0))
    model.spring("S", model.ground, "top", (1, 0, 0), (0.2, 0.1, 0.5), stiffness=50.0, damping=2.0)
    model.start(body="top", angular_velocity=(1.0, -2.0, 9.0))
    return model


def driven():
    """Two hinges about skew axes; the first is driven."""
    model = br.Model("driven")
    model.body("arm", br.Rod((0, 0, 0), (0.5, 0, 0), mass=1.0, radius=0.05))
    model.body("hand", br.Rod((0.5, 0, 0), (0.5, 0.3, 0.2), mass=0.7, radius=0.05))
    model.revolute("A", model.ground, "arm", (0, 0, 0), (0, 0.3, 1))
    model.revolute("B", "arm", "hand", (0.5, 0, 0), (1, 0.2, 0))
    model.drive("drive", "A", br.Polynomial((0.0, 3.0, 1.0)))
    model.start(joint="B", velocity=2.0)
    return model


def sled():
    """A nonholonomic row that depends on position and time, and an arm on it: functions."""

    def M(q):
        c = np.cos(q[2] - q[3])
        return np.array(
            [
                [2.0 + 0 * c, 0 * c, 0 * c, -0.3 * np.sin(q[3])],
                [0 * c, 2.0 + 0 * c, 0 * c, 0.3 * np.cos(q[3])],
                [0 * c, 0 * c, 0.5 + 0 * c, 0.1 * c],
                [-0.3 * np.sin(q[3]), 0.3 * np.cos(q[3]), 0.1 * c, 0.4 + 0 * c],
            ]
        )

    def f(t, q, v):
        return np.array([-q[0] + 0.3 * np.cos(q[3]) * v[3] * v[3], 0.2 * v[2], -q[2] * q[1], -q[3] - 0.1 * v[3] * v[0]])

    def A(t, q):
        return np.array([[-np.sin(q[2]), np.cos(q[2]), 0.2 + 0 * q[0], 0 * q[0]]])

    def a(t, q):
        return np.array([0.3 * q[0] + 0.1 * np.cos(t)])

    return br.System.from_functions(M, f, A=A, a=a, q0=[0.3, 0.2, 0.5, -0.4], v0=[1.0, 0.4, 0.3, -0.8])


MOVING = {
    "double pendulum": moving_double_pendulum,
    "four-bar": four_bar,
    "rssr": rssr,
    "top": ball_and_spring,
    "driven": driven,
    "sled": sled,
    "functions": lambda: double_pendulum_functions("B"),
}


@pytest.mark.parametrize("name", list(MOVING))
def test_moving_state_against_differences_of_the_reduced_equations(name):
    found = br.linearise(MOVING[name]())
    assert np.abs(found.state.v).max() > 0.3
    reduced = Reduced(found)
    np.testing.assert_allclose(reduced(reduced.x0), found.x_dot, rtol=0, atol=1e-6 * (1 + np.abs(found.x_dot).max()))
    difference = reduced.jacobian(reduced)
    np.testing.assert_allclose(found.A, difference, rtol=0, atol=3e-7 * (1 + np.abs(difference).max()))


def test_state_of_a_solution():
    model = four_bar()
    solution = br.simulate(model, 0.3, rtol=1e-10)
    found = br.linearise(model, outputs=["A", "A.velocity"], state=solution.end)
    value = found.output(0.3, solution.end.q, solution.end.v)
    assert value[0] == pytest.approx(solution.joint("A")[-1], abs=1e-9)
    assert value[1] == pytest.approx(solution.joint_velocity("A")[-1], abs=1e-9)
    reduced = Reduced(found)
    np.testing.assert_allclose(found.A, reduced.jacobian(reduced), rtol=0, atol=1e-6 * np.abs(found.A).max())


def test_state_in_rotation_parameters():
    """A state with Cardan angles in q is the same state."""
    system = rssr().build(rotation="cardan")
    state = br.simulate(system, 0.05, formulation="index1", rtol=1e-10).end
    group = br.simulate(rssr(), 0.05, formulation="index1", rtol=1e-10).end
    first, second = br.linearise(system, state=state), br.linearise(rssr(), state=group)
    np.testing.assert_allclose(first.A, second.A, rtol=0, atol=1e-6 * np.abs(second.A).max())


@pytest.mark.parametrize("formulation", ["svd", "coordinate-partitioning", "gram-schmidt"])
def test_eigenvalues_are_those_of_the_ode_of_a_formulation(formulation):
    """About an equilibrium they belong to the motion; further ones, of dependent positions, vanish."""
    found = br.linearise(_with_motor(four_bar(speed=None)), equilibrium=True)
    ode = br.problem(four_bar(speed=None), formulation)
    y = ode.initial(br.State(0.0, found.state.q, found.state.v, found.state.a, found.state.lam))
    columns = [(ode.rhs(0.0, y + 1e-4 * e) - ode.rhs(0.0, y - 1e-4 * e)) / 2e-4 for e in np.eye(ode.size)]
    values = np.linalg.eigvals(np.column_stack(columns))
    values = values[np.argsort(np.abs(values))][-2:]
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(found.eigenvalues), rtol=1e-4)


def test_outputs_against_differences_along_the_states():
    """Joint coordinates, their velocities, points and functions, at a moving state."""
    tip = (0.05, -0.1, 0.2)

    def height(t, q, v):
        return q[2] + 0.5 * v[4] * v[4]

    found = br.linearise(rssr(), outputs=["A", "D", "A.velocity", "D.velocity", ("rocker", tip), height])
    assert found.outputs[4:] == ("rocker.x", "rocker.y", "rocker.z", "height")
    reduced = Reduced(found)
    difference = reduced.jacobian(lambda x: found.output(0.0, *reduced.full(x)[1:]))
    np.testing.assert_allclose(found.C, difference, rtol=0, atol=1e-8 * np.abs(difference).max())


def test_row_as_output_weighs_motions_and_velocities():
    weights = np.arange(12.0)
    found = br.linearise(ball_and_spring(), outputs=[weights])
    np.testing.assert_allclose(found.C[0, 3:], weights[6:] @ found.motions[:, :3], rtol=0, atol=1e-12)
    with pytest.raises(ModelError, match="y1, given by its weights"):
        found.output(0.0, found.state.q, found.state.v)


def test_input_of_a_motor_and_as_a_column_are_the_same():
    model = _with_motor(pendulum())
    by_name = br.linearise(model, "M", ["A"])
    gradient = (
        br.linearise(model, outputs=["A"])._outputs[0].rows(by_name._instant, by_name.state.q, by_name.state.v)[0][0]
    )
    by_column = br.linearise(model, [gradient], ["A"])
    np.testing.assert_allclose(by_name.B, by_column.B, rtol=1e-13)


def test_refusals():
    model = inverted_pendulum()
    with pytest.raises(ModelError, match='no force "pull" to be an input'):
        br.linearise(model, "pull")
    with pytest.raises(ModelError, match=r'say which component.*"push.Fx"'):
        br.linearise(model, "push")
    with pytest.raises(ModelError, match="12 numbers"):
        br.linearise(model, outputs=[np.zeros(3)])
    with pytest.raises(ModelError, match="a column of 6 numbers"):
        br.linearise(model, [np.zeros(5)])
    with pytest.raises(ModelError, match="violates the constraints"):
        state = br.linearise(model).state
        br.linearise(model, state=br.State(0.0, state.q + 0.1, state.v, state.a, state.lam))
    with pytest.raises(ModelError, match='no joint "slid"'):
        br.linearise(model, outputs=["slid"])
    with pytest.raises(ModelError, match="h\\(t, q, v\\)"):
        br.linearise(double_pendulum_functions("B"), outputs=["A"])


def test_no_equilibrium_has_a_sentence():
    model = br.Model("falling")
    model.body("stone", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    with pytest.raises(AssemblyError, match=r'No equilibrium was found.*body "stone" moving along z'):
        br.linearise(model, equilibrium=True)
    with pytest.raises(ModelError, match="driven and moves"):
        br.linearise(driven(), equilibrium=True)


def test_singular_position_is_refused():
    """A parallelogram stretched along a line: two motions are possible there, one elsewhere."""
    model = br.Model("flat", gravity=(0, 0, 0), planar=True)
    points = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (3, 0, 0), "d": (2, 0, 0)}
    model.body("ab", br.Rod(points["a"], points["b"], mass=1.0))
    model.body("bc", br.Rod(points["b"], points["c"], mass=1.0))
    model.body("cd", br.Rod(points["c"], points["d"], mass=1.0))
    model.pin("A", model.ground, "ab", points["a"])
    model.pin("B", "ab", "bc", points["b"])
    model.pin("C", "bc", "cd", points["c"])
    model.pin("D", "cd", model.ground, points["d"])
    with pytest.raises(AssemblyError, match="singular"):
        br.linearise(model)
