"""Scott's projection: positions as an explicit map of independent coordinates."""

import numba
import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError, IncompatibleMethods, UserFunctionError
from bricard.problems.double_pendulum import L, double_pendulum, double_pendulum_functions

G = 9.81
# spec 000, section 9.1: angles and rates (rad, rad/s)
CASE_A = {
    1: (-0.856000314, -0.711959564, 1.038156824, 2.829625497),
    5: (0.477348118, 1.247118463, 1.953763488, 2.941134621),
}
CASE_B = {
    1: (-0.145197441, -0.179442515, -0.828516841, -0.756386869),
    5: (0.014871102, -0.011595481, 0.963793610, 1.074633883),
}
SPEC = {"A": CASE_A, "B": CASE_B}


def bodies_map(z, t):
    """q of the two planar rods, y upwards."""
    s1, c1, s2, c2 = np.sin(z[0]), np.cos(z[0]), np.sin(z[1]), np.cos(z[1])
    return np.array([0.5 * L * s1, -0.5 * L * c1, z[0], L * s1 + 0.5 * L * s2, -L * c1 - 0.5 * L * c2, z[1]])


compiled_map = numba.njit(bodies_map)  # for functions below that call it


def source_map(z, t):
    """q of the source: phi1, x1, y1, phi2, x2, y2, y downwards."""
    s1, c1, s2, c2 = np.sin(z[0]), np.cos(z[0]), np.sin(z[1]), np.cos(z[1])
    return np.array([z[0], 0.5 * L * s1, 0.5 * L * c1, z[1], L * s1 + 0.5 * L * s2, L * c1 + 0.5 * L * c2])


WAYS = {"bodies": (double_pendulum, bodies_map, (2, 5)), "functions": (double_pendulum_functions, source_map, (0, 3))}


@pytest.mark.parametrize("case", ["A", "B"])
@pytest.mark.parametrize("way", list(WAYS))
def test_double_pendulum_of_spec_000(way, case):
    """T1: within 1e-6 rad at 5 s; the table has nine decimals."""
    make, function, places = WAYS[way]
    solution = br.simulate(
        make(case), 5.0, formulation="scott", integrator="dop853", map=function, start=(0.5, 0.5), rtol=1e-10, output=6
    )
    assert solution.constraint_errors.position.max() <= 1e-14
    assert solution.constraint_errors.velocity.max() <= 1e-13
    for t, exact in SPEC[case].items():
        q, v = solution.q[t], solution.v[t]
        found = [*(q[i] for i in places), *(v[i] for i in places)]
        np.testing.assert_allclose(found, exact, rtol=0, atol=2e-8)


def test_reactions_are_those_of_index1():
    options = {"rtol": 1e-10, "output": 5}
    first = br.simulate(double_pendulum("A"), 0.5, **options)
    second = br.simulate(double_pendulum("A"), 0.5, formulation="scott", map=bodies_map, start=(1.0, 0.5), **options)
    for joint in "OK":
        np.testing.assert_allclose(second.reaction(joint).force, first.reaction(joint).force, rtol=0, atol=1e-6)


def test_pendulum_of_scott():
    """A mass point on a rod of length 1: (1) z'' = -g sin z, from rest at 1 rad; the energy gives the speed below."""

    def f(t, q, v):
        return np.array([0.0 * q[0], -G + 0.0 * q[0]])

    def phi(t, q):
        return np.array([0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0)])

    def circle(z, t):
        return np.array([np.sin(z[0]), -np.cos(z[0])])

    system = br.System.from_functions(np.eye(2), f, phi, q0=[np.sin(1.0), -np.cos(1.0)], v0=[0.0, 0.0])
    ode = br.problem(system, "scott", map=circle, start=[0.7])
    y = ode.initial()
    np.testing.assert_allclose(y, [1.0, 0.0], rtol=0, atol=1e-12)
    for z, w in ((1.0, 0.0), (0.3, -2.0), (2.5, 15.0)):
        np.testing.assert_allclose(ode.rhs(0.0, np.array([z, w])), [w, -G * np.sin(z)], rtol=0, atol=1e-9)
    solution = br.simulate(system, 2.0, formulation="scott", map=circle, start=[0.7], rtol=1e-10)
    height, speed = solution.q[:, 1], np.linalg.norm(solution.v, axis=1)
    np.testing.assert_allclose(0.5 * speed**2 + G * height, -G * np.cos(1.0), rtol=0, atol=1e-8)


def moving_pivot():
    """A rod of 1 m on a pivot that a driver moves, x = 0.2 sin 3t: a slide with a hinge."""
    model = br.Model("moving pivot", planar=True)
    model.body("cart", mass=1.0, inertia=0.1)
    model.body("rod", br.Rod((0, 0, 0), (0.6, -0.8, 0), mass=2.0))
    model.prismatic("slide", model.ground, "cart", (0, 0, 0), (1, 0, 0))
    model.pin("hinge", "cart", "rod", (0, 0, 0))
    model.drive("drive", "slide", br.Sine(0.2, 3.0 / (2 * np.pi)))
    return model


def test_rheonomic_map():
    model = moving_pivot()
    start = model.build().start

    def moved(z, t):
        x = 0.2 * np.sin(3.0 * t)
        zero = 0.0 * z[0]
        return np.array([x + zero, zero, zero, x + 0.5 * np.sin(z[0]), -0.5 * np.cos(z[0]), z[0] + turn])

    turn = start[5] - np.arctan2(0.6, 0.8)
    options = {"integrator": "dop853", "rtol": 1e-11, "output": 11}
    scott = br.simulate(model, 1.5, formulation="scott", map=moved, start=[0.6], **options)
    index1 = br.simulate(model, 1.5, **options)
    np.testing.assert_allclose(scott.q, index1.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(scott.v, index1.v, rtol=0, atol=1e-8)
    assert scott.constraint_errors.velocity.max() <= 1e-13


def hinged_plate():
    model = br.Model("plate")
    model.body("plate", br.Box((0.6, 0.2, 0.4), mass=2.0, position=(0.3, 0.1, -0.2)))
    model.revolute("A", model.ground, "plate", (0, 0, 0), (1, 2, 2))
    model.start(joint="A", velocity=4.0)
    return model


def plate_map(z, t):
    """Turn by z about (1, 2, 2)/3: quaternion and centre of mass."""
    c, s = np.cos(0.5 * z[0]), np.sin(0.5 * z[0]) / 3.0
    w, x, y, k = c, s, 2.0 * s, 2.0 * s
    a, b, d = 0.3, 0.1, -0.2
    return np.array(
        [
            (1 - 2 * (y * y + k * k)) * a + 2 * (x * y - w * k) * b + 2 * (x * k + w * y) * d,
            2 * (x * y + w * k) * a + (1 - 2 * (x * x + k * k)) * b + 2 * (y * k - w * x) * d,
            2 * (x * k - w * y) * a + 2 * (y * k + w * x) * b + (1 - 2 * (x * x + y * y)) * d,
            w,
            x,
            y,
            k,
        ]
    )


def test_body_on_a_hinge_in_space():
    options = {"integrator": "dop853", "rtol": 1e-11, "output": 11}
    scott = br.simulate(hinged_plate(), 1.0, formulation="scott", map=plate_map, start=[0.3], **options)
    index1 = br.simulate(hinged_plate(), 1.0, **options)
    np.testing.assert_allclose(scott.joint("A"), index1.joint("A"), rtol=0, atol=1e-8)
    np.testing.assert_allclose(scott.v, index1.v, rtol=0, atol=1e-7)
    assert scott.constraint_errors.position.max() <= 1e-14


def run(model, function, start):
    return br.simulate(model, 0.01, formulation="scott", map=function, start=start)


def test_maps_that_do_not_fit_are_refused():
    model = double_pendulum("A")
    with pytest.raises(IncompatibleMethods, match="needs the option map"):
        br.simulate(model, 0.01, formulation="scott")
    with pytest.raises(IncompatibleMethods, match=r"3 coordinates .* 2 degrees of freedom"):
        run(model, bodies_map, (1.0, 0.5, 0.0))
    with pytest.raises(UserFunctionError, match="shape"):
        run(model, lambda z, t: np.array([z[0], z[1]]), (1.0, 0.5))
    with pytest.raises(UserFunctionError, match="complex step"):
        run(model, lambda z, t: np.abs(bodies_map(z, t)), (1.0, 0.5))

    def longer(z, t):
        """The second rod hangs off the knee by the square of an angle: right at the start only."""
        gap = (z[0] - np.pi / 3) * (z[0] - np.pi / 3)
        return compiled_map(z, t) + gap * np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])

    with pytest.raises(UserFunctionError, match=r'does not satisfy the constraints.*joint "K"'):
        run(model, longer, (1.0, 0.5))

    def elsewhere(z, t):
        return compiled_map(z, t) + np.array([0.1, 0.0, 0.0, 0.1, 0.0, 0.0])

    with pytest.raises(AssemblyError, match="does not reach the start"):
        run(model, elsewhere, (1.0, 0.5))


def test_quaternions_must_have_unit_length():
    compiled_plate = numba.njit(plate_map)

    def stretched(z, t):
        unit = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
        return compiled_plate(z, t) * (unit + (1.0 - unit) * (1.0 + z[0] * z[0]))

    with pytest.raises(UserFunctionError, match='quaternion of body "plate"'):
        run(hinged_plate(), stretched, [0.1])


def test_nonholonomic_rows_are_refused():
    def f(t, q, v):
        return -q

    def A(t, q):
        return np.array([[np.sin(q[0]), 1.0 + 0.0 * q[0]]])

    system = br.System.from_functions(np.eye(2), f, A=A, q0=[0.1, 0.2], v0=[0.0, 0.0])
    with pytest.raises(IncompatibleMethods, match="holonomic constraints only"):
        run(system, lambda z, t: np.array([z[0], z[1]]), (0.1, 0.2))


def as_tuple(z, t):
    return tuple(bodies_map(z, t))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"map": 5, "start": [0.5, 0.5]}, "must be written with def or lambda"),
        ({"map": as_tuple, "start": [0.5, 0.5]}, "returns a tuple; it must return an array"),
        ({"map": bodies_map, "start": "x"}, "start is 'x'; give a guess"),
        ({"map": bodies_map, "start": [[0.5], [0.5]]}, "give a guess"),
    ],
)
def test_what_is_no_map_and_no_start_is_refused(options, words):
    with pytest.raises((UserFunctionError, IncompatibleMethods), match=words):
        br.simulate(double_pendulum("A"), 0.01, formulation="scott", **options)
