"""Users' functions as everybody writes them: friction, stops and branches run, derivatives are exact, near flat, too."""

import functools
import math

import numpy as np
import pytest

import bricard as br
from bricard import vectors
from bricard.errors import AssemblyError, SimulationError
from bricard.hyperdual.course import course_of
from bricard.hyperdual.dependence import dependence
from bricard.kernels.functions import Pose, arguments_of
from bricard.system.build import build
from bricard.system.user_pattern import bits_of

K_STOP, TABLE_X, TABLE_F = 1e4, (-1.0, 0.0, 0.5, 2.0), np.array([1.0, 0.0, -2.0, -3.0])


def level(v):
    return math.tanh(v / 0.05)


def coulomb(t, x, v):
    return -0.3 * level(v) * (1.0 + 0.5 * np.exp(-abs(v) / 0.1)) - 2.0 * x


def stop(t, x, v):
    return -3.0 * x - K_STOP * max(x - 0.05, 0.0) ** 1.5 + K_STOP * max(-0.05 - x, 0) ** 1.5


def saturated(t, x, v):
    return np.clip(-40.0 * x - 3.0 * v, -1.5, 1.5)


def two_sided(t, x, v):
    if x > 0.02 and v >= 0:
        return -30.0 * x
    return -10.0 * x - 0.1 * v * abs(v)


def tabulated(t, x, v):
    return np.interp(20.0 * x, TABLE_X, TABLE_F) - 0.1 * v


def wrapped(t, x, v):
    return -2.0 * np.arctan2(np.sin(x), np.cos(x)) - 0.05 * np.sign(v) * v**2


def gain(k, t, x, v):
    return -k * np.where(x > 0.0, x, 2.0 * x) - 0.1 * np.hypot(x, v)


class Controller:
    """A law with numbers of its own."""

    def __init__(self):
        self.p, self.d, self.limits = 30.0, np.array([2.0, 0.5]), (-2.0, 2.0)

    def force(self, t, x, v):
        return min(max(-self.p * x - self.d[0] * v, self.limits[0]), self.limits[1])

    def __call__(self, t, x, v):
        return -self.p * x % 1.7 - self.d[1] * v


def closure():
    stiffness, rest = 12.0, [0.0][0]

    def law(t, x, v, damping=0.3):
        return -stiffness * (x - rest) - damping * v

    return law


LAWS = {
    "tanh": coulomb,
    "stop": stop,
    "clip": saturated,
    "branches": two_sided,
    "interp": tabulated,
    "atan2": wrapped,
    "partial": functools.partial(gain, 8.0),
    "method": Controller().force,
    "callable": Controller(),
    "closure": closure(),
    "lambda": lambda t, x, v: -10.0 * x - max(v, 0.1 * v),
}


def slider(law):
    model = br.Model("slider")
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.prismatic("guide", model.ground, "block", point=(0, 0, 0), axis=(1, 0, 0))
    model.motor("law", "guide", law)
    return model


@pytest.mark.parametrize("name", LAWS)
def test_laws(name):
    """They run to the end, and K and D are differences of the force where these are smooth."""
    law, model = LAWS[name], slider(LAWS[name])
    system, rng, h = model.build(), np.random.default_rng(1), 1e-7
    for _ in range(5):
        x, v = rng.uniform(-0.1, 0.1), rng.uniform(-1.0, 1.0)
        q, speeds, e = system.start.copy(), np.zeros(system.n_v), np.eye(system.n_v)[0]
        q[0], speeds[0] = x, v
        tangent = system.tangent(0.3, q, speeds, np.zeros(system.n_v), np.zeros(system.n_rows))
        assert np.isclose(system.force(0.3, q, speeds)[0], law(0.3, x, v), rtol=1e-12, atol=1e-14)
        K = -(law(0.3, x + h, v) - law(0.3, x - h, v)) / (2 * h)
        D = -(law(0.3, x, v + h) - law(0.3, x, v - h)) / (2 * h)
        assert np.isclose(e @ tangent.K @ e, K, rtol=1e-5, atol=1e-6) and np.isclose(e @ tangent.D @ e, D, atol=1e-6)
    model.start(joint="guide", velocity=1.0)
    solution = br.simulate(model, 0.3, rtol=1e-6)
    assert solution.ok and np.isfinite(solution.q).all()


def test_friction_of_large_arguments():
    """tanh of 1e5 is 1: it was no number (T12)."""
    model = slider(lambda t, x, v: -0.5 * np.tanh(v / 1e-4))
    model.start(joint="guide", velocity=10.0)
    solution = br.simulate(model, 1.0, rtol=1e-8)
    assert math.isclose(solution.joint_velocity("guide")[-1], 9.5, rel_tol=1e-7)


def test_a_smooth_law_of_large_numbers_is_not_refused():
    """Derivatives were compared with differences whose own rounding was larger than the limit (V7)."""
    assert slider(lambda t, x, v: 1e9 * (1.0 - np.cos(1e-3 * x)) - 1e12 * x + 1e12 * x).build()
    assert slider(wall).build()


def wall(t, x, v):
    """A smooth step of width 1e-6 m, by roots alone."""
    p = x + 0.05
    return 0.5 * (1.0 - p / np.sqrt(p * p + 1e-12)) * (-2e6 * p)


def pushed(t, x, v):
    """A branch in words of Python, and the real part of a number."""
    if x > 0.0:
        return -3.0 * x
    return -3.0 * x if t.real < 1.0 else 0.0 * x


def test_branches_and_real_parts_are_no_longer_forbidden():
    """A user reads that `if x > 0` and `t.real` work; they do, with their slopes (V8)."""
    model = slider(pushed)
    for x in (0.2, -0.2):
        system = model.build()
        q = system.start.copy()
        q[0] += x
        still = np.zeros(system.n_v)
        K = system.tangent(0.0, q, still, still, np.zeros(system.n_rows))[0].toarray()
        np.testing.assert_allclose(K[0, 0], 3.0, rtol=1e-14)


def cam(t, a, b, p):
    """A follower on the ground that lifts beyond x = 5 only, and looks at the turn of b there."""
    if b.x[0] > p[0]:
        return (b.x[2] - 0.1 * (b.x[0] - p[0]) ** 2 - 0.2 * b.R[0][1],)
    return (b.x[2],)


def test_a_branch_that_the_start_does_not_take_is_in_the_pattern():
    model = br.Model("cam")
    ball = model.body("ball", br.Sphere((1, 0, 0), 0.1, mass=1.0))
    model.joint("cam", model.ground, ball, cam, rows=1, parameters=(5.0,))
    system = model.build()
    q = system.start.copy()
    q[0] = 6.0
    G = system.jacobian(0.0, q).toarray()[0]
    np.testing.assert_allclose(G, [-0.2, 0.0, 1.0, 0.0, 0.0, 0.2], atol=1e-14)


def test_what_rows_depend_on():
    """In any branch; an index made of an argument leaves everything open."""

    def rows(t, a, b, p):
        return (b.x[0] * b.x[1] if t < 1.0 else b.R[2][1] * a.x[0], a.x[0] if b.x[2] > 0 else vectors.dot(a.x, b.x))

    first, second = dependence(course_of(rows, arguments_of(Pose, 0)), bits_of)
    assert first[0] == 0b11 << 6 | 0b111 << 9 | 1 and second[0] == 0b111 | 0b111 << 6
    assert first[1][6] == 0b11 << 6 & ~(1 << 6) and first[1][0] == 0b111 << 9  # mixed derivatives: x y, R and a.x
    assert course_of(lambda t, a, b, p: (b.x[int(t)],), arguments_of(Pose, 0)) is None


def coin(spin, unit):
    """A disc (12 mm) that leans by 0.3 rad from flat, is let go with a spin, and falls nearly flat; lengths in m / unit."""
    radius, lean = 0.012 * unit, 0.3
    model = br.Model("coin", gravity=(0.0, 0.0, -9.81 * unit))
    axis, x = np.array([0.0, np.cos(lean), np.sin(lean)]), np.array([1.0, 0.0, 0.0])
    centre = radius * np.array([0.0, -np.sin(lean), np.cos(lean)])
    inertia, R = 0.007 * radius**2 / 4 * np.array([1, 1, 2]), np.column_stack([x, np.cross(axis, x), axis])
    body = model.body("coin", mass=0.007, inertia=inertia, position=centre, rotation=R)
    model.rolling_disc("roll", body, radius, axis=axis, centre=centre)
    model.start(body=body, angular_velocity=np.array([0, 0, spin]), weight=1.0)
    return model


@pytest.mark.parametrize("unit", [1.0, 1000.0], ids=["m", "mm"])
@pytest.mark.parametrize("spin", [2.0, 0.07])
def test_rolling_near_flat(spin, unit):
    """Energy was off by 2.5e-4 at 1.5 degrees, by 34 % at 0.15 (T5)."""
    solution = br.simulate(coin(spin, unit), 0.14, rtol=1e-10, output=3001)
    flat = np.degrees(np.arccos(np.abs(solution.poses["coin"][1][:, 2, 2]))).min()
    size = solution.energy.total.max() - solution.energy.potential.min()
    assert flat < (1.5 if spin == 2.0 else 0.15)
    assert abs(solution.energy.error).max() < 1e-8 * size


def test_the_same_function_is_compiled_once():
    from numba.core import event

    build(slider(coulomb))
    with event.install_recorder("numba:compile") as compiled:
        build(slider(coulomb))
    assert not compiled.buffer


def gas(t, x, v):
    """A gas spring with a stroke of 0.1 m: no value beyond."""
    return -50.0 * (0.1 / (0.1 - x)) ** 1.4


def test_a_law_needs_a_value_where_it_starts_only():
    model = slider(gas)
    model.start(joint="guide", position=0.05)
    assert br.simulate(model, 0.01, rtol=1e-9).ok


def test_a_function_without_a_value_at_the_start_is_named():
    model = slider(lambda t, x, v: math.log(0.5 - v))  # in range at some of the speeds that are tried
    model.start(joint="guide", velocity=2.0)
    with pytest.raises(AssemblyError, match=r'the function of motor "law" raises ValueError'):
        br.simulate(model, 0.01)


def test_a_power_of_a_negative_number_is_named():
    with pytest.raises(SimulationError, match=r'function of motor "law" is nan at t = 0\.1'):
        model = slider(lambda t, x, v: -(x**1.5))
        model.start(joint="guide", position=0.3, velocity=-2.0)
        br.simulate(model, 0.5)
