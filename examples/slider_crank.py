"""A planar slider-crank: crank 0.5 m, connecting rod 1 m, slider, 1 kg each; it starts with 8 rad/s, clockwise.

The independent check is its equation in the crank angle a alone: J(a) a'' + J'(a) a'^2 / 2 + V'(a) = 0.
"""

import numpy as np

import bricard as br

CRANK, ROD, GRAVITY = 0.5, 1.0, 9.81


def build():
    model = br.Model("slider-crank", planar=True)
    pin, reach = (0, CRANK, 0), (np.sqrt(ROD**2 - CRANK**2), 0, 0)
    crank = model.body("crank", br.Rod((0, 0, 0), pin, mass=1.0))
    rod = model.body("rod", br.Rod(pin, reach, mass=1.0))
    slider = model.body("slider", br.PointMass(reach, mass=1.0))
    model.pin("A", model.ground, crank, point=(0, 0, 0))
    model.pin("B", crank, rod, point=pin)
    model.pin("C", rod, slider, point=reach)
    model.slider("guide", model.ground, slider, point=reach, axis=(1, 0, 0))
    model.start(joint="A", velocity=-8.0)
    return model


def reference(duration, model):
    """Crank angle from the upright at the end."""
    from scipy.integrate import solve_ivp

    inertia = [model.bodies[name].inertia[2, 2] for name in ("crank", "rod")]

    def inertia_and_potential(angle):
        """J and V; `angle` from the x axis, perhaps complex for the derivative."""
        s, c = np.sin(angle), np.cos(angle)
        sine = -CRANK * s / ROD
        cosine = np.sqrt(1.0 - sine * sine)
        turn = -CRANK * c / (ROD * cosine)
        slide, x = -CRANK * s - ROD * sine * turn, -CRANK * s - 0.5 * ROD * sine * turn
        y = CRANK * c + 0.5 * ROD * cosine * turn
        J = inertia[0] + 0.25 * CRANK**2 + x * x + y * y + inertia[1] * turn**2 + slide**2
        return J, GRAVITY * (0.5 * CRANK * s + CRANK * s + 0.5 * ROD * sine)

    def rate(t, y):
        J, V = inertia_and_potential(y[0] + 1e-30j)
        return [y[1], -(0.5 * J.imag * y[1] ** 2 + V.imag) / 1e-30 / J.real]

    start = [0.5 * np.pi, -8.0]
    return solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1] - start[0]


def check():
    model, duration = build(), 3.0
    exact = reference(duration, model)
    solution = br.simulate(model, duration, rtol=1e-10)
    assert abs(solution.joint("A")[-1] - exact) < 1e-6  # after some four turns
    assert np.abs(solution.energy.error).max() < 1e-7
    assert solution.constraint_errors.position.max() < 1e-10
    assert np.abs(solution.point("slider")[:, 1]).max() < 1e-10

    errors = [abs(br.simulate(model, duration, step=step).joint("A")[-1] - exact) for step in (1e-3, 5e-4)]
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1  # generalized-alpha: order 2
    return solution


if __name__ == "__main__":
    print(check())
