"""Pieces are compiled once: a new combination compiles nothing, and all of it also runs as plain Python."""

import json
import math
import os
import subprocess
import sys
import time
from enum import IntEnum
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from numba import njit
from numba.core import event

import bricard as br
from bricard.compiled.cache import fingerprint
from bricard.simulation import simulate
from mechanisms import four_bar, pendulum, rssr

NUMBERS = ("bricard.hyperdual.", "bricard.compiled.hyperdual")  # their operations, compiled into a function
METHODS = {
    "rk4": {"formulation": "index1", "integrator": "rk4"},
    "radau5": {"formulation": "ggl", "integrator": "radau5"},
    "generalized-alpha": {"formulation": "index3", "integrator": "generalized-alpha"},
}
SCRIPT = """
import json, sys
sys.path.insert(0, {tests!r})
import mechanisms
from numba.core import event
import bricard as br
from bricard.compiled.cache import fingerprint
from bricard.simulation import simulate
with event.install_recorder("numba:compile") as compiled:
    solution = simulate(getattr(mechanisms, {mechanism!r})(), 0.006, step=0.002, **{options!r})
print(json.dumps([solution.q[-1].tolist(), solution.v[-1].tolist(), solution.lam[-1].tolist(), len(compiled.buffer)]))
"""


def in_a_process(mechanism, options, **environment):
    code = SCRIPT.format(tests=str(Path(__file__).parents[1]), mechanism=mechanism, options=options)
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


KERNEL = """
import json
import math
from numba.core import event
from bricard.kernels.vectors import cross
with event.install_recorder("numba:compile") as compiled:
    cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
print(json.dumps(len(compiled.buffer)))
"""


def test_code_for_one_processor_is_not_run_on_another(tmp_path):
    """One folder for several machines: each compiles once, for itself."""
    compiles = []
    for machine in ("generic", "x86-64-v2", "generic", "x86-64-v2"):
        told = {"NUMBA_CPU_NAME": machine, "NUMBA_CPU_FEATURES": "", "BRICARD_CACHE_DIR": str(tmp_path)}
        run = subprocess.run(
            [sys.executable, "-c", KERNEL], env=os.environ | told, capture_output=True, text=True, check=True
        )
        compiles.append(json.loads(run.stdout) > 0)
    assert compiles == [True, True, False, False]


@pytest.mark.parametrize("method", list(METHODS))
def test_plain_python_gives_the_same_numbers(method):
    """Same operations in another order at most (fused multiply-add): rounding, and Newton's tolerance of 1e-10."""
    options = METHODS[method]
    q, v, lam, _ = in_a_process("pendulum", options, NUMBA_DISABLE_JIT="1")
    solution = simulate(pendulum(), 0.006, step=0.002, **options)
    np.testing.assert_allclose(q, solution.q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(v, solution.v[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(lam, solution.lam[-1], rtol=0, atol=1e-8 * np.abs(solution.lam[-1]).max())


def test_plain_python_on_a_redundant_loop():
    q, *_ = in_a_process("four_bar", METHODS["rk4"], NUMBA_DISABLE_JIT="1")
    np.testing.assert_allclose(q, simulate(four_bar(), 0.006, step=0.002, **METHODS["rk4"]).q[-1], rtol=0, atol=1e-12)


def test_recorder_sees_compilations():
    """Otherwise the tests below would pass whatever happens."""
    with event.install_recorder("numba:compile") as compiled:
        njit(lambda x: x + 1.5)(2.0)
    assert compiled.buffer


def test_new_combination_compiles_nothing():
    """Method known from one mechanism, elements from another run: together they need no compilation."""
    short = {"step": 0.002}
    simulate(pendulum(), 0.004, **METHODS["radau5"], **short)
    simulate(pendulum(), 0.004, **METHODS["generalized-alpha"], **short)
    simulate(rssr(), 0.004, **METHODS["rk4"], **short)
    with event.install_recorder("numba:compile") as compiled:
        simulate(rssr(), 0.004, **METHODS["radau5"], **short)
        simulate(rssr(), 0.004, **METHODS["generalized-alpha"], **short)
    assert not compiled.buffer


def test_second_process_finds_everything_compiled():
    simulate(pendulum(), 0.004, step=0.002, **METHODS["generalized-alpha"])
    simulate(rssr(), 0.004, step=0.002, **METHODS["rk4"])
    *_, compilations = in_a_process("rssr", METHODS["generalized-alpha"])
    assert compilations == 0


def test_fingerprint_sees_members_of_an_enumeration():
    """Compiled code has their numbers built in."""
    assert fingerprint(IntEnum("Row", {"ONE": 1})) != fingerprint(IntEnum("Row", {"ONE": 2}))


def test_fingerprint_sees_defaults_of_arguments():
    """Callers have the default of an argument built in: a function with another one is another function."""

    def scaled(x, factor=2.0):
        return factor * x

    first = fingerprint(scaled)
    scaled_again = FunctionType(scaled.__code__, scaled.__globals__, "scaled", (3.0,))
    assert fingerprint(scaled_again) != first


def with_rows(k):
    def rows(t, a, b, p):
        return (b.x[0] ** 2 + b.x[1] ** 2 + k * b.x[2] ** 2 - 1.0,)

    model = br.Model("bead")
    model.body("ball", br.Sphere((1, 0, 0), 0.1, mass=1.0))
    model.joint("surface", "ground", "ball", rows, 1)
    return model


def with_pose(k):
    def pose(s, p):
        c, n = math.cos(s[0]), math.sin(s[0])
        return (0.0, 0.0, k * s[0]), ((c, -n, 0.0), (n, c, 0.0), (0.0, 0.0, 1.0))

    model = br.Model("screw")
    model.body("ball", br.Sphere((1, 0, 0), 0.1, mass=1.0))
    model.user_joint("turn", "ground", "ball", br.UserJoint("explicit", pose, {"s": "angle"}), point=(0, 0, 0))
    return model


@pytest.mark.parametrize("make", [with_rows, with_pose])
def test_another_function_compiles_itself_only(make):
    """V16: kernels call users' functions by address. What is compiled anew carries the function, or is one of its operations."""
    simulate(make(1.0), 0.01)
    with event.install_recorder("numba:compile") as compiled:
        simulate(make(1.0 + 1e-19 * time.time_ns()), 0.01)  # a number that no cache has met
    pieces = [data.data["dispatcher"].py_func for _, data in compiled.buffer if data.is_start]
    assert pieces
    for piece in pieces:
        assert "<locals>" in piece.__qualname__ or piece.__module__.startswith(NUMBERS), piece
