"""A spatial four-bar R-S-S-R: a crank about x and a rocker about y, coupled by a rod with two ball joints.

Two degrees of freedom: the crank, and the spin of the coupler about its axis, which nothing drives and nothing stops.
"""

import numpy as np

import bricard as br

CRANK, COUPLER, ROCKER, SPEED = 0.3, 1.2, 0.8, 5.0
PIVOT = np.array([1.0, 0.4, 0.0])


def rocker_end():
    """Where the rocker stands when the crank is upright: the first angle at which the coupler fits."""
    from scipy.optimize import brentq

    def end(angle):
        return PIVOT + ROCKER * np.array([np.cos(angle), 0.0, np.sin(angle)])

    def gap(angle):
        return np.linalg.norm(end(angle) - [0.0, 0.0, CRANK]) - COUPLER

    return end(brentq(gap, 0.0, np.pi, xtol=1e-15))


def coupler_rate(top, end):
    """Angular velocity of the coupler without spin: what its ends move across it, by its length, which it keeps."""
    rod, arm, at_top = end - top, np.cross([0.0, 1.0, 0.0], end - PIVOT), np.cross([SPEED, 0.0, 0.0], top)
    at_end = arm * (rod @ at_top) / (rod @ arm)
    return np.cross(rod, at_end - at_top) / (rod @ rod)


def build():
    model = br.Model("RSSR")
    top, end = (0, 0, CRANK), rocker_end()
    crank = model.body("crank", br.Rod((0, 0, 0), top, mass=CRANK, radius=0.02))
    coupler = model.body("coupler", br.Rod(top, end, mass=COUPLER, radius=0.02))
    rocker = model.body("rocker", br.Rod(end, PIVOT, mass=ROCKER, radius=0.02))
    model.revolute("A", model.ground, crank, point=(0, 0, 0), axis=(1, 0, 0))
    model.spherical("B", crank, coupler, point=top)
    model.spherical("C", coupler, rocker, point=end)
    model.revolute("D", rocker, model.ground, point=PIVOT, axis=(0, 1, 0))
    model.start(joint="A", velocity=SPEED)
    model.start(body=coupler, angular_velocity=coupler_rate(np.array(top), end))
    return model


def check():
    model = build()
    report = model.report()
    assert (report.freedom, report.redundant) == (2, [])

    solution = br.simulate(model, 2.0, rtol=1e-10)
    assert np.abs(solution.energy.error).max() < 1e-7
    assert solution.constraint_errors.position.max() < 1e-10
    gap = solution.point("coupler", (0.5 * COUPLER, 0, 0)) - solution.point("rocker", (-0.5 * ROCKER, 0, 0))
    assert np.abs(gap).max() < 1e-10

    # no moment acts about the axis of the round coupler: its spin keeps its value
    axis = solution.poses["coupler"][1][:, :, 0]
    spin = np.sum(axis * solution.angular_velocity("coupler"), 1)
    assert np.abs(spin - spin[0]).max() < 1e-7

    exact = solution.joint("A")[-1]
    errors = [abs(br.simulate(model, 2.0, step=step).joint("A")[-1] - exact) for step in (2e-3, 1e-3)]
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1  # generalized-alpha: order 2
    return solution


if __name__ == "__main__":
    print(build().report())
    print(check())
