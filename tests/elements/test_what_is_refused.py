"""Functions that use their own modules are taken; what cannot be taken is refused by name and line, with a remedy."""

import math

import numpy as np
import pytest
import scipy.special
import strange_functions
from test_users_functions import slider

import bricard as br
from bricard.errors import UserFunctionError
from bricard.kernels import laws

count, box = 0, type("Box", (), {"last": 0.0})()


def by_module(t, x, v):
    return -20.0 * x - strange_functions.damped(x, v)


def by_import(t, x, v):
    from math import tanh

    import strange_functions as mine

    return -20.0 * x - mine.damped(x, v) + 0.0 * tanh(v)


@pytest.mark.parametrize("function", [by_module, by_import])
def test_functions_of_modules_of_their_own(function):
    """`tanh` and `max` of the other module are those that keep derivatives, compiled and in plain Python."""
    x, v, h = 0.3, 0.01, 1e-6
    out = np.zeros(5)
    laws.of_function(function)(0.0, x, v, np.zeros(1), 0, out)
    slope = (function(0.0, x, v + h) - function(0.0, x, v - h)) / (2 * h)
    assert math.isclose(out[0], function(0.0, x, v), rel_tol=1e-15)
    assert math.isclose(out[2], slope, rel_tol=1e-8)  # h**2 f''' / 6 of tanh(v / 0.05) is 1e-10


def counts(t, x, v):
    global count
    count += 1
    return -x


def keeps(t, x, v):
    box.last = x
    return -x


def remembering():
    before = 0.0

    def law(t, x, v):
        nonlocal before
        before = x
        return -before

    return law


def special(t, x, v):
    y = 2.0 * x
    return -scipy.special.jv(0, y)


def in_a_tuple(t, x, v):
    return (-x,)


def in_an_array(t, x, v):
    return np.array([-x])


def a_text(t, x, v):
    return "much"


def line(function, number):
    code = function.__code__
    return f'"{function.__name__}" (test_what_is_refused.py, line {code.co_firstlineno + number})'


ONE, TWO, THREE = [1.0], {"k": 2.0}, (3.0,)


def many_lists(t, x, v):
    return -TWO["k"] * x - ONE[0] * v - THREE[0]


REFUSED = {
    "lists": (many_lists, [line(many_lists, 1), 'the global list "ONE", the global dict "TWO". Make them tuples']),
    "global": (counts, [line(counts, 2), 'sets "count"', "keeps nothing between its calls"]),
    "attribute": (keeps, [line(keeps, 1), 'sets "box.last"', "keeps nothing between its calls"]),
    "nonlocal": (remembering(), [line(remembering(), 2), 'sets "before"', "keeps nothing between its calls"]),
    "library": (special, [line(special, 2), '"scipy.special.jv"', "takes floats only", "take a table"]),
    "tuple": (in_a_tuple, ["returns a tuple, list or array of 1", "return one number alone"]),
    "array": (in_an_array, ["returns a tuple, list or array of 1", "return one number alone"]),
    "text": (a_text, ["could not convert string to float: 'much'", "what it must return"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    function, said = REFUSED[name]
    with pytest.raises(UserFunctionError) as refused:
        slider(function).build()
    assert all(words in str(refused.value) for words in said), str(refused.value)


def test_a_profile_in_a_tuple():
    model = br.Model("crank")
    model.body("crank", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.revolute("pin", model.ground, "crank", (0, 0, 0), (0, 0, 1))
    model.drive("drive", "pin", lambda t: (2.0 * t,))
    with pytest.raises(UserFunctionError, match="return one number alone"):
        model.build()
