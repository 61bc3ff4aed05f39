"""A double pendulum of two uniform rods, 1 kg and 1 m each, released horizontally; chaotic, but not yet at first.

The independent check is the textbook pair of equations in the two absolute angles, integrated by SciPy.
"""

import numpy as np

import bricard as br

GRAVITY = 9.81


def build():
    model = br.Model("double pendulum", gravity=(0, -GRAVITY, 0))
    upper = model.body("upper", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    lower = model.body("lower", br.Rod((1, 0, 0), (2, 0, 0), mass=1.0))
    model.revolute("A", model.ground, upper, point=(0, 0, 0), axis=(0, 0, 1))
    model.revolute("B", upper, lower, point=(1, 0, 0), axis=(0, 0, 1))
    return model


def reference(duration, model):
    """Angles of both rods against the x axis at the end."""
    from scipy.integrate import solve_ivp

    about_com = model.bodies["upper"].inertia[2, 2]

    def rate(t, y):
        a, b, da, db = y
        couple, shear = 0.5 * np.cos(a - b), 0.5 * np.sin(a - b)
        mass = np.array([[about_com + 1.25, couple], [couple, about_com + 0.25]])
        load = [-shear * db**2 - 1.5 * GRAVITY * np.cos(a), shear * da**2 - 0.5 * GRAVITY * np.cos(b)]
        return [da, db, *np.linalg.solve(mass, load)]

    return solve_ivp(rate, (0.0, duration), np.zeros(4), method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]


def check():
    model, duration = build(), 2.0
    exact = reference(duration, model)

    def angles(**options):
        solution = br.simulate(model, duration, **options)
        first, second = solution.joint("A")[-1], solution.joint("B")[-1]
        return solution, np.array([first, first + second])

    solution, found = angles(rtol=1e-10)
    assert np.abs(found - exact).max() < 1e-7
    assert np.abs(solution.energy.error).max() < 1e-7
    assert solution.constraint_errors.position.max() < 1e-10

    errors = [np.abs(angles(step=step)[1] - exact).max() for step in (2e-3, 1e-3)]
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1  # generalized-alpha: order 2
    return solution


if __name__ == "__main__":
    print(check())
