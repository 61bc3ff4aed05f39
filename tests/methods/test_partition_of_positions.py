"""Holonomic and nonholonomic rows together: positions have a partition of their own, which may fold first (T8)."""

import numpy as np
import pytest

import bricard as br


def sleigh():
    """A knife edge with a weight on a rod, which swings around it: the coordinate that the rod holds changes."""
    heading, behind = 0.3, 0.25
    c, s = np.cos(heading), np.sin(heading)
    model = br.Model("sleigh", planar=True, gravity=(0, 0, 0))
    body = model.body("sleigh", mass=2.0, inertia=0.3, position=(0, 0, 0))
    weight = model.body("weight", mass=0.8, inertia=0.02, position=(-0.6, 0, 0))
    model.distance("rod", body, weight, (0, 0, 0), (-0.6, 0, 0))
    model.knife_edge("blade", body, point=(-behind * c, -behind * s, 0), direction=(-s, c, 0))
    model.force("push", body, force=(0.5, 0.0, 0), torque=(0, 0, 0.1))
    model.start(body=body, velocity=(c, s, 0), weight=1.0)
    model.start(body=weight, velocity=(1, -0.8, 0), weight=1.0)
    return model.build()


@pytest.mark.parametrize("formulation", ["coordinate-partitioning", "svd", "qr", "householder"])
def test_order_and_accuracy(formulation):
    system, times = sleigh(), np.linspace(0.0, 6.0, 31)

    def run(**options):
        return br.simulate(system, 6.0, output=times, **options)

    exact = run(formulation="index1", integrator="dop853", rtol=1e-12, atol=1e-12).q
    tight = run(formulation=formulation, integrator="dop853", rtol=1e-10, atol=1e-10)
    assert np.abs(tight.q - exact).max() < 2e-8
    errors = [np.abs(run(formulation=formulation, integrator="rk4", step=h).q - exact).max() for h in (0.02, 0.01)]
    assert errors[1] < errors[0] / 10.0
