"""The double four-bar (IFToMM A02) passes singular positions at t = 0.714 s and 1.228 s; in space 6 of its rows are redundant."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bricard as br
from bricard.linalg.rank import singular_values
from bricard.problems import PROBLEMS
from bricard.system.fit import scaled_jacobian
from mechanisms import six_bar

RADIUS = 0.01  # of the rods: solid cylinders
RUNS = {
    "index1 + rk4": ({"integrator": "rk4", "step": 1e-3}, 1e-8),
    "index1 + dopri5": ({"rtol": 1e-9}, 1e-6),
    "index3 + generalized-alpha": ({"step": 1e-3}, 1e-4),
    "ggl + radau5": ({"formulation": "ggl", "integrator": "radau5", "step": 5e-3}, 1e-4),
}


def double_four_bar(planar):
    model = br.Model("double four-bar", gravity=(0, -9.81, 0), planar=planar)
    bars = [model.body(f"bar {k}", br.Rod((k, 0, 0), (k, 1, 0), mass=1.0)) for k in range(3)]
    tops = [model.body(f"top {k}", br.Rod((k, 1, 0), (k + 1, 1, 0), mass=1.0)) for k in range(2)]
    for k, bar in enumerate(bars):
        model.revolute(f"A{k}", model.ground, bar, point=(k, 0, 0), axis=(0, 0, 1))
    for k, top in enumerate(tops):
        model.revolute(f"B{k}", bars[k], top, point=(k, 1, 0), axis=(0, 0, 1))
        model.revolute(f"C{k}", top, bars[k + 1], point=(k + 1, 1, 0), axis=(0, 0, 1))
    model.start(joint="A0", velocity=-1.0)
    return model


def exact_angle(duration):
    """Angle of the bars, which stay parallel: one equation of motion."""
    inertia, weight = 3 * (1 / 3 + RADIUS**2 / 4) + 2, 3 / 2 + 2

    def acceleration(t, y):
        return [y[1], -9.81 * weight / inertia * np.cos(y[0])]

    return solve_ivp(acceleration, (0, duration), [np.pi / 2, -1.0], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1]


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("name", RUNS)
def test_passes(name, planar):
    options, tolerance = RUNS[name]
    solution = br.simulate(double_four_bar(planar), 2.0, **options)
    angle = exact_angle(2.0)
    np.testing.assert_allclose(
        solution.point("bar 0", (0.5, 0, 0))[-1, :2], [np.cos(angle), np.sin(angle)], atol=tolerance
    )


def test_passages_are_logged():
    solution = br.simulate(double_four_bar(False), 2.0, integrator="rk4", step=1e-3)
    assert [round(event.t, 1) for event in solution.events] == [0.7, 1.2]
    assert {event.kind for event in solution.events} == {"singular"}


def test_start_in_a_singular_position_is_reported():
    model = br.Model("flat four-bar", gravity=(0, -9.81, 0), planar=True)
    for name, (start, end) in {
        "left": ((0, 0, 0), (1, 0, 0)),
        "top": ((1, 0, 0), (2, 0, 0)),
        "right": ((1, 0, 0), (2, 0, 0)),
    }.items():
        model.body(name, br.Rod(start, end, mass=1.0))
    model.pin("A", model.ground, "left", point=(0, 0, 0))
    model.pin("B", "left", "top", point=(1, 0, 0))
    model.pin("C", "top", "right", point=(2, 0, 0))
    model.pin("D", "right", model.ground, point=(1, 0, 0))
    report = model.report()
    assert report.singular
    assert "singular" in str(report)


def test_unequal_masses_are_no_singular_position():
    """Light crank, heavy slider, and parts of the mechanism with dead points of their own: nothing to report."""
    solution = br.simulate(PROBLEMS["spatial-slider-crank"].model(), 3.0, rtol=1e-8)
    assert solution.events == ()


def test_rows_are_exchanged_before_they_cost_accuracy():
    """Bricard's six-bar needs another choice of independent rows at t = 1.37 s."""
    exact = br.simulate(six_bar(), 1.5, rtol=1e-12, output=2)
    found = br.simulate(six_bar(), 1.5, integrator="rk4", step=1e-3, output=2)
    np.testing.assert_allclose(found.q[-1], exact.q[-1], rtol=0, atol=1e-9)


def bennett():
    """Bennett's linkage: four hinges in space, three redundant rows, regular everywhere."""
    model = br.Model("Bennett", gravity=(0.3, 1.0, -9.81))
    a, b = np.array((0.5, 0.1, 0.0)), np.array((0.1, 0.6, 0.3))
    points = [a, b, a * (-1, -1, 1), b * (-1, -1, 1)]
    bodies = [model.ground]
    for i in range(1, 4):
        bodies.append(model.body(f"bar {i}", br.Rod(points[i], points[(i + 1) % 4], mass=1.0 + i, radius=0.03)))
    for i in range(4):
        axis = np.cross(points[(i + 1) % 4] - points[i], points[i - 1] - points[i])
        model.revolute("ABCD"[i], bodies[i - 1], bodies[i], points[i], axis)
    model.start(joint="A", velocity=3.0)
    return model


@pytest.mark.parametrize("make", [bennett, six_bar])
def test_exchange_of_rows_is_no_singular_position(make):
    """Redundant rows have to be exchanged on the way, but the position is a regular one everywhere."""
    solution = br.simulate(make(), 3.0, rtol=1e-9)
    assert solution.events == ()


@pytest.mark.parametrize("formulation", ["coordinate-partitioning", "svd", "qr", "householder"])
@pytest.mark.parametrize("make", [bennett, six_bar])
def test_independent_coordinates_take_over_from_a_state_off_the_constraints(make, formulation):
    """Off the constraints redundant rows are not exactly dependent: the known redundancy decides."""
    rough = br.simulate(make(), 0.2, formulation="baumgarte", rtol=1e-6)
    taken = br.simulate(rough, 0.1, formulation=formulation)
    assert taken.ok
    assert taken.constraint_errors.position[-1] <= 1e-13


def test_small_pivots_alone_are_no_singular_position():
    """The smallest singular value of this linkage is 0.34 all the way: nothing is logged, and penalty does not stop."""
    system = PROBLEMS["rssr"].system()
    exact = br.simulate(system, 2.0, rtol=1e-10, integrator="dop853", output=51)
    assert not [event for event in exact.events if event.kind == "singular"]
    smallest = [singular_values(scaled_jacobian(system, q, v))[-1] for q, v in zip(exact.q, exact.v, strict=True)]
    assert min(smallest) > 0.3
    soft = br.simulate(system, 2.0, formulation="penalty", output=51)
    assert soft.ok and np.abs(soft.q[-1] - exact.q[-1]).max() <= 1e-3


@pytest.mark.parametrize("name", ["four-bar", "double-four-bar"])
@pytest.mark.parametrize(
    ("formulation", "integrator"), [("baumgarte", "rkf45"), ("pseudo-inverse-2", "dop853"), ("householder", "dop853")]
)
def test_t26_no_method_creeps_through_a_singular_position(formulation, integrator, name):
    """T26: they took 20,000 steps and more, or did not end; the double four-bar needs 46 to 333."""
    settings = {"formulation": formulation, "integrator": integrator, "most_steps": 1000}
    solution = br.simulate(PROBLEMS[name].model(), 3.0, **settings)
    assert np.abs(solution.energy.error).max() <= 1e-4 * solution.energy.kinetic.max()
