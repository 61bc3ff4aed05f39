"""Second derivatives of users' joints that give a pose or a closure are exact: K, d(G v)/dq and dG/dt, and slopes of the motion.

Differences of sixth order with steps of 2e-3 are good to 1e-10: closures are solved to 1e-13, and the seventh derivatives of the
suspension, which turns back 0.28 m from its start, are of the size of 1e5.
"""

from types import FunctionType

import numpy as np
import pytest

import bricard as br
from bricard.kernels.user_elimination import SIZE
from bricard.kernels.user_layout import (
    AT_MOTION,
    AT_SLOPES,
    MOTION,
    N_V,
    SLOPE,
    TARGET,
    V,
    find_motion,
    find_slopes,
)
from bricard.kernels.user_rows import user_coordinate, user_rows
from bricard.problems.suspension import CENTRE, five_link_joint
from bricard.system.assembler import assemble
from bricard.system.channels import rotation_matrices
from bricard.system.user_start import PIECES, prepared
from model.own_joints import arm_motion, arm_position, ball, screw

STEP, WEIGHTS = 2e-3, (0.75, -0.15, 1.0 / 60.0)


def turned(s, p):
    """A turn s[0] about z, then s[1] about x, on a wavy surface: two freedoms."""
    c, z, a, b = np.cos(s[0]), np.sin(s[0]), np.cos(s[1]), np.sin(s[1])
    return (0.3 * s[1], 0.2 * np.sin(s[0] + s[1]), p[0] * s[0] * s[1]), (
        (c, -z * a, z * b),
        (z, c * a, -c * b),
        (0.0, b, a),
    )


def ellipse(s, p):
    """A shift on an ellipse, without turning."""
    return (0.5 * np.cos(s[0]), 0.4 * np.sin(s[0]), 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def cylinder(d, C, s, p):
    """A cylindrical joint whose way is bent: two freedoms, by a closure."""
    return d[0] - 0.1 * np.sin(d[2]), d[1], d[2] - s[0], C[0][2], C[1][2], np.arctan2(C[1][0], C[0][0]) - s[1]


ANGLE = {"angle": "angle"}
JOINTS = {
    "screw": (br.UserJoint.explicit(screw, ANGLE, (0.05,)), (0, 0, 0)),
    "turned": (br.UserJoint.explicit(turned, {"a": "angle", "b": "angle"}, (0.4,)), (0, 0, 0)),
    "ellipse": (br.UserJoint.explicit(ellipse, ANGLE), (0.5, 0, 0)),
    "ball": (br.UserJoint.explicit(ball, {"turn": "quaternion"}), (0, 0, 0)),
    "motion": (br.UserJoint.explicit(arm_position, ANGLE, (0.5,), motion=arm_motion), (0.5, 0, 0)),
    "suspension": (five_link_joint(), CENTRE),
    "cylinder": (br.UserJoint.implicit(cylinder, {"z": "length", "turn": "angle"}), (0, 0, 0)),
}


def differences(function):
    """Derivative at 0."""
    return sum(
        weight / STEP * (function((i + 1) * STEP) - function(-(i + 1) * STEP)) for i, weight in enumerate(WEIGHTS)
    )


def moving(name):
    """Two bodies that turn, with the joint between them, and their state."""
    joint, position = JOINTS[name]
    model, turn = br.Model("rows", gravity=(0, 0, 0)), rotation_matrices(np.array([0.8, 0.6, 0.0, 0.0]))
    model.body("a", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0.2, 0.3), rotation=(0.8, 0.6, 0, 0))
    place = (0.1, 0.2, 0.3) + turn @ np.asarray(position, float)
    model.body("b", mass=1.0, inertia=(1, 1, 1), com=(0.1, 0.05, 0.02), position=place, rotation=(0.8, 0.6, 0, 0))
    model.user_joint("J", "a", "b", joint)
    return model


@pytest.mark.parametrize("name", JOINTS)
def test_rows(name):
    system = moving(name).build()
    state, n = assemble(system), system.n_v
    rng, q, G = np.random.default_rng(0), state.q, system.jacobian(0.0, state.q).toarray()
    v, lam = rng.normal(size=n), rng.normal(size=system.n_rows)
    v -= np.linalg.pinv(G) @ G @ v
    v /= np.linalg.norm(v)
    tangent = system.tangent(0.0, q, v, np.zeros(n), lam)
    still = system.tangent(0.0, q, v, np.zeros(n), 0.0 * lam)
    K = (tangent.K - still.K).toarray()
    for k in range(n):
        change = differences(lambda h, k=k: system.jacobian(0.0, system.retract(q, h * np.eye(n)[k])).toarray())
        np.testing.assert_allclose(K[:, k], change.T @ lam, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(tangent.rate.toarray()[:, k], change @ v, rtol=1e-10, atol=1e-10)
    change = differences(lambda h: system.jacobian(0.0, system.retract(q, h * v)).toarray())
    np.testing.assert_allclose(system.jacobian_rate(0.0, q, v).toarray(), change, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", JOINTS)
def test_motion(name):
    """SLOPE of the compiled joint against differences of MOTION, at coordinates off the start."""
    joint = moving(name).joints["J"]
    numbers, mem = np.array(prepared(joint).numbers), np.zeros(SIZE)
    n, rng = int(numbers[N_V]), np.random.default_rng(1)
    s = np.array([1.0, 0.0, 0.0, 0.0]) if joint.what.ball else 0.1 * rng.normal(size=joint.what.numbers)
    mem[V : V + n] = rng.normal(size=n)

    def motion(j, h):
        mem[TARGET : TARGET + s.size] = advanced(s, j, h)
        assert find_motion(numbers, 0, mem, 0)
        return mem[MOTION : MOTION + 6 * n].copy()

    def advanced(s, j, h):
        if not joint.what.ball:
            return s + h * np.eye(n)[j]
        return np.array([np.cos(0.5 * h), *(np.sin(0.5 * h) * np.eye(3)[j])])

    wanted = [differences(lambda h, j=j: motion(j, h)) for j in range(n)]
    motion(0, 0.0)
    assert find_slopes(numbers, 0, mem, 0)
    found = [mem[SLOPE + 36 * j : SLOPE + 36 * j + 6 * n] for j in range(n)]
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_round_off():
    """Slopes of a point on an ellipse are its second derivatives, to the last digits; differences have 1e-13."""
    joint, angle = moving("ellipse").joints["J"], 0.7
    numbers, mem = np.array(prepared(joint).numbers), np.zeros(SIZE)
    mem[TARGET] = angle
    assert find_motion(numbers, 0, mem, 0)
    assert find_slopes(numbers, 0, mem, 0)
    wanted = -0.5 * np.cos(angle), -0.4 * np.sin(angle), 0.0, 0.0, 0.0, 0.0
    np.testing.assert_allclose(mem[SLOPE : SLOPE + 6], wanted, rtol=0, atol=4e-16)


def test_what_implicit_joints_need_is_not_compiled_for_others():
    """Newton's method and its derivatives are most of what a first own joint waited for (15 of 19 s)."""
    given, closed = (
        prepared(moving(name).joints["J"]).numbers[AT_MOTION : AT_SLOPES + 1] for name in ("motion", "cylinder")
    )
    assert not set(given) & set(closed)


# by the names of functions in kernels/user_closure.py
NEEDED_BY_CLOSURES = {"residuals", "slopes", "bend", "close_pose", "implicit_motion", "implicit_slopes"}


def compiled_into(pointer):
    """Names of the functions that are compiled with an implementation of an interface: all that it calls, but not by address."""
    found, waiting = set(), [pointer.function]
    while waiting:
        function = waiting.pop()
        function = getattr(function, "py_func", function)
        if isinstance(function, FunctionType) and function not in found:
            found.add(function)
            waiting += [function.__globals__.get(name) for name in function.__code__.co_names]
            waiting += [cell.cell_contents for cell in function.__closure__ or ()]
    return {function.__name__ for function in found}


def test_pieces_of_all_joints_hold_nothing_of_implicit_ones():
    """Residuals of closures and their derivatives were in three of the pieces (2.5 of 13.7 s, with loops over tuples)."""
    for piece in (*PIECES[False], user_rows, user_coordinate):
        assert not compiled_into(piece) & NEEDED_BY_CLOSURES, piece.__name__
    for piece in set(PIECES[True]) - set(PIECES[False]):
        assert compiled_into(piece) & NEEDED_BY_CLOSURES, piece.__name__
