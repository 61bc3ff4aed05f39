"""A simple pendulum, benchmark A01 of the IFToMM library: 1 kg on a massless rod of 1 m, released horizontally.

The exact period is 4 sqrt(L/g) K(1/2), with K the complete elliptic integral of parameter m = sin(45 degrees)^2.
"""

import numpy as np

import bricard as br

LENGTH, GRAVITY = 1.0, 9.81


def build():
    model = br.Model("pendulum", gravity=(0, 0, -GRAVITY))
    bob = model.body("bob", br.PointMass((LENGTH, 0, 0), mass=1.0))
    model.revolute("hinge", model.ground, bob, point=(0, 0, 0), axis=(0, 1, 0))
    return model


def exact_period():
    from scipy.special import ellipk

    return 4.0 * np.sqrt(LENGTH / GRAVITY) * ellipk(0.5)


def check():
    period, model = exact_period(), build()
    start = np.array([LENGTH, 0.0, 0.0])

    fine = br.simulate(model, period, rtol=1e-10)
    assert np.linalg.norm(fine.point("bob")[-1] - start) < 1e-8  # at rest again: the error of the period enters squared
    assert np.linalg.norm(fine.velocity("bob")[-1]) < 1e-7

    # order 2: a quarter of the error with half the step
    errors = []
    for count in (500, 1000):
        solution = br.simulate(model, 0.75 * period, step=0.75 * period / count)
        errors.append(np.linalg.norm(solution.point("bob")[-1] - [0.0, 0.0, -LENGTH]))
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1

    benchmark = br.simulate(model, 10.0, rtol=1e-8)
    assert np.abs(benchmark.energy.error).max() < 5e-5  # J, the bound of the benchmark
    return fine


if __name__ == "__main__":
    print(check())
