"""What a model needs is given back with it: loops over thousands of models run in the memory of one (T24)."""

import gc
import sys
from pathlib import Path

import numpy as np
import pytest

import bricard as br

STATM = Path("/proc/self/statm")
PAGE = 4096  # bytes; where pages are larger, more is allowed than said
ALLOWED = 0.05  # MB of each model: it was 0.3


def bushing(x):
    model = br.Model("bushing")
    body = model.body("body", br.Box((0.1, 0.1, 0.1), mass=1.0 + x))
    model.bushing("B", model.ground, body, point=(0, 0, x), stiffness=(1e3, 1e3, 1e3, 10, 10, 10))
    return model


def rolling(x):
    model = br.Model("disc")
    disc = model.body("disc", br.Cylinder((0, -0.01, 0.5), (0, 0.01, 0.5), 0.5, mass=1.0 + x))
    model.rolling_disc("R", disc, 0.5, axis=(0, 1, 0), centre=(0, 0, 0.5))
    return model


def screw(s, p):
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def law(t, x, xdot):
    return -3.0 * x


def own(x):
    """A joint and a law of a user."""
    model = br.Model("own")
    nut = model.body("nut", br.Box((0.1, 0.1, 0.1), mass=1.0))
    joint = br.UserJoint.explicit(screw, {"angle": "angle"}, parameters=(0.1 + x,))
    model.user_joint("S", model.ground, nut, joint, point=(0, 0, 0))
    model.torsion("T", "S.angle", law=law)
    return model


@pytest.mark.skipif(not STATM.exists(), reason="only Linux tells the memory of a process at once")
@pytest.mark.skipif("coverage" in sys.modules, reason="measuring coverage takes memory")
@pytest.mark.parametrize("make", [bushing, rolling, own])
def test_models_leave_no_memory_behind(make):
    def resident():
        gc.collect()
        return int(STATM.read_text().split()[1]) * PAGE / 1e6

    for k in range(20):
        br.simulate(make(k / 1000), 0.01, step=0.005)
    before = resident()
    for k in range(80):
        br.simulate(make(k / 1000), 0.01, step=0.005)
    assert (resident() - before) / 80 < ALLOWED
