"""Options and users' functions that make no sense: a sentence of ours, never an error of Python's or Numba's."""

import functools
import os
from typing import Any

import numpy as np
import pytest

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError, UserFunctionError
from mechanisms import pendulum

uncompiled = pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")


@pytest.mark.parametrize("option", ["formulation", "integrator", "correction"])
@pytest.mark.parametrize("value", [["svd"], {"rk4": 1}, 3])
def test_names_that_are_no_text(option, value):
    with pytest.raises(IncompatibleMethods, match=f"There is no {option}"):
        options: dict[str, Any] = {"formulation": "index1", option: value}
        br.simulate(pendulum(), 0.1, step=0.01, **options)


@pytest.mark.parametrize("value", [2.5, "many", True, 0])
def test_iterations_are_whole_numbers(value):
    with pytest.raises(ModelError, match="Option iterations of augmented-lagrangian is"):
        br.simulate(pendulum(), 0.1, step=0.01, formulation="augmented-lagrangian", iterations=value)
    br.simulate(pendulum(), 0.02, step=0.01, formulation="augmented-lagrangian", iterations=3)


def square(x):
    return x * x


def progressive(t, x, x_dot):
    return -3.0 * square(x)


def late(t):
    return t * t if t < 1.0 else 2.0 * t - 1.0


def listed(t, a, b, p):
    return tuple(np.array(b.x) - np.array(a.x))


def drawn():
    model = br.Model("ball")
    model.body("ball", br.Sphere((1, 0, 0), 0.1, mass=1.0))
    return model


@uncompiled
def test_a_function_that_calls_another_one():
    model = drawn()
    model.spring("S", model.ground, "ball", (0, 0, 0), (1, 0, 0), law=progressive)
    with pytest.raises(UserFunctionError, match=r'"progressive" \(test_bad_input.py, line \d+\).*"square".*numba.njit'):
        model.build()


@uncompiled
def test_a_function_that_compares_times():
    model = drawn()
    model.prismatic("P", model.ground, "ball", (1, 0, 0), (1, 0, 0))
    model.drive("D", "P", late)
    with pytest.raises(UserFunctionError, match=r'"late".*compares.*`if t.real < 1.0:`'):
        model.build()


@uncompiled
def test_a_function_that_cannot_be_compiled_otherwise():
    model = drawn()
    model.joint("J", model.ground, "ball", listed, rows=3)
    with pytest.raises(UserFunctionError, match=r'^The function "listed" \([^)]*\) cannot be compiled: .*tuple\(array'):
        model.build()


@uncompiled
def test_one_of_several_functions_is_named():
    def force(t, q, v):
        return np.array([square(q[0]), -q[1]])

    def phi(t, q):
        return np.array([q[0] - q[1]])

    with pytest.raises(
        UserFunctionError, match=r'^The function "force" \([^)]*\) cannot be compiled: it uses "square"'
    ):
        br.System.from_functions(np.eye(2), force, phi, q0=[1.0, 1.0], v0=[0.0, 0.0])


def test_a_callable_that_is_no_function():
    model = drawn()
    model.spring("S", model.ground, "ball", (0, 0, 0), (1, 0, 0), law=functools.partial(progressive, 0.0))
    with pytest.raises(UserFunctionError, match="must be written with def or lambda"):
        model.build()
