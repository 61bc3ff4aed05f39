"""A four-bar linkage: three moving rods, four hinges, one closed loop that needs nothing special.

In space its parallel axes make three of the twenty rows redundant, in the plane none; both give the same motion.
"""

import numpy as np

import bricard as br


def build(planar=False):
    model = br.Model("four-bar", gravity=(0, -9.81, 0), planar=planar)
    crank = model.body("crank", br.Rod((0.0, 0, 0), (0.0, 0.3, 0), mass=1.0))
    link = model.body("link", br.Rod((0.0, 0.3, 0), (0.9, 0.8, 0), mass=2.0))
    rocker = model.body("rocker", br.Rod((0.9, 0.8, 0), (1.0, 0.0, 0), mass=2.0))
    model.revolute("A", model.ground, crank, point=(0.0, 0.0, 0), axis=(0, 0, 1))
    model.revolute("B", crank, link, point=(0.0, 0.3, 0), axis=(0, 0, 1))
    model.revolute("C", link, rocker, point=(0.9, 0.8, 0), axis=(0, 0, 1))
    model.revolute("D", rocker, model.ground, point=(1.0, 0.0, 0), axis=(0, 0, 1))
    model.start(joint="A", velocity=-6.0)
    return model


def check():
    model = build()
    report = model.report()
    assert (report.freedom, len(report.redundant)) == (1, 3)

    solution = br.simulate(model, 2.0, rtol=1e-9)
    assert np.abs(solution.energy.error).max() < 1e-6 * np.ptp(solution.energy.kinetic)
    assert solution.constraint_errors.position.max() < 1e-10

    # two formulations, two integrators, one motion; the second one of order 2
    exact = solution.joint("A")[-1]
    errors = [abs(br.simulate(model, 2.0, step=step).joint("A")[-1] - exact) for step in (1e-3, 5e-4)]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2
    return solution


if __name__ == "__main__":
    print(build().report())
    print(check())
