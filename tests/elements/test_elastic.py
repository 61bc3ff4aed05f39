"""Every undamped elastic element has a potential: its work between two poses is what U loses, around a closed path none (V3)."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import own_functions as own
import pytest
from balance import solution_of
from samples import FAR, IN_A_FIELD, MAGNETS, POINT, two_bodies
from scipy.spatial.transform import Rotation

import bricard as br
from bricard.system.channels import rotation_matrices

AXES = (0.9, 0.2, 0.1, 0.3)
TABLE = br.Table((0.2, 0.7, 1.4, 2.5), (5.0, 1.0, -2.0, -9.0))
PATHS, SMOOTH, HARD, PIECES = 200, (1, 20), (2, 24), (40, 4)  # pieces of a leg, and nodes of Gauss' rule in each


class Elastic(NamedTuple):
    """How an element is declared between two bodies; how far each of them turns (rad), and how far apart they are moved at first
    (m), for directions that end where points meet; how a leg is integrated."""

    declare: Callable
    turn: float = 1.2
    apart: float = 0.0
    rule: tuple = SMOOTH


def _spring(m, a, b, **law):
    m.spring("F", a, b, POINT, FAR, **law)


def _own(m, a, b, *load, **given):
    frames = {"frame_a": a.frame((0.1, 0.3, 0.2)), "frame_b": b.frame((-0.2, 0.1, 0.4))}
    m.user_force("F", a, b, *load, **frames, **given)


def _torsion(m, a, b, **law):
    m.cylindrical("guide", a, b, POINT, (0.3, -0.5, 1.0))
    m.torsion("F", "guide.angle", **law)


LAW, OWN = br.FunctionLaw(potential=lambda x: 0.01 * x**2 + 0.002 * x**4), (0.1, 0.05, 0.0, 0.06)
COSINE = br.FunctionLaw(lambda t, x, v: np.sin(x), potential=lambda x: np.cos(x))
RUBBER = {"potential": own.rubber_energy, "parameters": (3.0, 2.0, 0.0, 0.6)}  # without damping
ELASTIC = {
    "spring": Elastic(partial(_spring, stiffness=20.0, length=0.8), apart=4.0, rule=HARD),
    "spring without length": Elastic(partial(_spring, stiffness=20.0, length=0.0)),
    "spring table": Elastic(partial(_spring, law=TABLE), apart=4.0, rule=PIECES),
    "spring potential": Elastic(partial(_spring, law=br.FunctionLaw(potential=own.hardening_energy))),
    "torsion": Elastic(partial(_torsion, stiffness=3.0, angle=0.2), turn=0.7),
    "torsion table": Elastic(partial(_torsion, law=TABLE), turn=0.7, rule=PIECES),
    "torsion law and potential": Elastic(partial(_torsion, law=COSINE), turn=0.7),
    "bushing": Elastic(lambda m, a, b: m.bushing("F", a, b, POINT, stiffness=(9, 8, 7, 3, 2, 1), rotation=AXES)),
    "potential": Elastic(partial(_own, potential=own.magnets, parameters=MAGNETS), rule=HARD),
    "potential to ground": Elastic(
        lambda m, a, b: m.user_force("F", b, m.ground, potential=own.magnets, point=POINT, parameters=IN_A_FIELD),
        rule=HARD,
    ),
    "load and potential": Elastic(lambda m, a, b: _own(m, a, b, own.rubber, **RUBBER)),
}


def step_between(first, last):
    """The step (12,) with which retract leads from one q to another: straight, and about a fixed axis."""
    step = np.zeros(12)
    for i in range(2):
        x, p = slice(7 * i, 7 * i + 3), slice(7 * i + 3, 7 * i + 7)
        step[6 * i : 6 * i + 3] = last[x] - first[x]
        turn = rotation_matrices(first[p]).T @ rotation_matrices(last[p])
        step[6 * i + 3 : 6 * i + 6] = Rotation.from_matrix(turn).as_rotvec()
    return step


def work_along(system, first, step, rule):
    """Work of all forces along a leg (J), and that of their absolute power."""
    (pieces, count), rest = rule, np.zeros(12)
    nodes, weights = np.polynomial.legendre.leggauss(count)
    places = (np.arange(pieces)[:, None] + 0.5 * (1.0 + nodes)).ravel() / pieces
    shares = np.tile(0.5 * weights / pieces, pieces)
    rates = np.array([system.force(0.0, system.retract(first, s * step), rest) @ step for s in places])
    return shares @ rates, shares @ np.abs(rates)


@pytest.mark.parametrize("name", ELASTIC)
def test_work_between_poses_is_what_the_potential_loses(name):
    """Round 200 closed paths of three legs each, by Gauss' rule. At rest in any pose: nothing else acts but the weight.

    Bodies stay within 1.2 rad of the drawn pose, a convex set of rotations: an angle between them stays below half a turn. The
    rule is exact to rounding for what is smooth; at the knots of a table F'' jumps by some 10 N/m^2, which in a piece of 1/40 of
    a leg of 2 m is 10 * 0.05^3 / 24 = 5e-5 J.
    """
    declare, turn, apart, rule = ELASTIC[name]
    model, a, b = two_bodies()
    declare(model, a, b)
    system, rng = model.build(), np.random.default_rng(24)
    tolerance = 1e-9 if rule is not PIECES else 1e-4
    around = 0.0
    for _ in range(PATHS):
        ways = rng.uniform(-1.0, 1.0, (3, 4, 3))
        ways[:, 1::2] *= turn / np.sqrt(3.0)
        ways[:, 2, 0] += apart
        corners = np.array([system.retract(system.start, way.ravel()) for way in ways])
        stored = solution_of(system, np.zeros(3), corners, np.zeros((3, 12))).energy.potential
        done = []
        for k in range(3):
            step = step_between(corners[k], corners[(k + 1) % 3])
            work, gross = work_along(system, corners[k], step, rule)
            assert work == pytest.approx(stored[k] - stored[(k + 1) % 3], abs=tolerance * (1.0 + gross))
            done.append(work)
        around = max(around, abs(sum(done)))
    assert around < 30.0 * 3.0 * tolerance


def elastic_mechanism():
    """All elastic elements on three bodies: two bushings of unequal stiffness that turn far, the first about a hinge."""
    model = br.Model("elastic", gravity=(0, 0, 0))
    arm = model.body("arm", mass=1.0, inertia=(0.4, 0.5, 0.3), position=(0.5, 0, 0))
    tip = model.body("tip", mass=0.8, inertia=(0.3, 0.2, 0.25), position=(1.3, 0, 0))
    block = model.body("block", mass=0.6, inertia=(0.2, 0.2, 0.2), position=(0, 2.0, 0))
    model.revolute("hinge", model.ground, arm, (0, 0, 0), (0, 0, 1))
    model.spherical("ball", arm, tip, (1.0, 0, 0))
    model.prismatic("guide", model.ground, block, (0, 2.0, 0), (1, 0, 0))
    model.bushing("B", model.ground, arm, (0, 0, 0), stiffness=(0, 0, 0, 1.0, 2.0, 3.0))
    turned = Rotation.from_rotvec((0.5, 0.3, 0.2)).as_matrix()  # what C is twisted by at the start
    ends = {"frame_a": arm.frame((0.5, 0, 0), turned), "frame_b": tip.frame((-0.3, 0, 0))}
    model.bushing("C", arm, tip, **ends, stiffness=(5.0, 6.0, 7.0, 1.4, 2.0, 2.6))
    model.torsion("torsion", "hinge", stiffness=0.05)
    model.torsion("table", "guide", law=br.Table((-2.0, -0.5, 0.5, 2.0), (1.5, 0.6, -0.3, -1.0)))
    model.spring("spring", arm, block, (0.8, 0, 0), (0, 2.0, 0.5), stiffness=0.05, length=1.0)
    model.spring("without length", tip, block, (1.3, 0, 0), (0, 2.0, 0), stiffness=0.03, length=0.0)
    model.spring("law", tip, model.ground, (1.5, 0, 0), (0, 0, 3.0), law=LAW)
    model.user_force("own", arm, tip, own.rubber, point=(1.2, 0, 0), potential=own.rubber_energy, parameters=OWN)
    model.user_force(
        "field", model.ground, block, potential=own.magnets, point=(0.3, 2.0, 0.4), parameters=(0.02, 0.5, 0.01)
    )
    model.start(joint="hinge", position=np.radians(-170.0))
    return model


def turn_between(found, a, b):
    """Angles (n,) between two bodies."""
    R_a = found.poses[a][1] if a else np.eye(3)[None]
    return Rotation.from_matrix(np.swapaxes(R_a, 1, 2) @ found.poses[b][1]).magnitude()


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_a_mechanism_of_all_elastic_elements_keeps_its_energy(coordinates):
    found = br.simulate(elastic_mechanism(), 100.0, rtol=1e-11, output=1001, coordinates=coordinates)
    assert np.radians(160.0) < turn_between(found, None, "arm").max() < np.radians(175.0)
    assert np.radians(90.0) < turn_between(found, "arm", "tip").max() < np.radians(175.0)
    assert np.ptp(found.energy.total) < 1e-9 * np.abs(found.energy.potential).max()
    assert not found.energy.work.any()
