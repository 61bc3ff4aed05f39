"""Mechanisms for the tests of the viewer."""

import math

import bricard as br


def every_kind():
    """A model with joints and forces of every kind that has a sign of its own; it is looked at, not simulated."""
    m = br.Model("every kind")
    shapes = (
        br.Rod((0, 0, 0), (0.5, 0, 0), mass=1),
        br.Box((0.2, 0.1, 0.3), mass=1, position=(1, 0, 0)),
        br.Cylinder((2, 0, 0), (2, 0, 0.3), 0.1, mass=1),
        br.Sphere((3, 0, 0), 0.1, mass=1),
        br.PointMass((4, 0, 0), 1.0),
        br.Capsule((5, 0, 0), (5, 0, 0.3), 0.05, mass=1),
        br.Ellipsoid((0.1, 0.2, 0.3), mass=1, position=(6, 0, 0)),
    )
    a, b, c, d, e, f, g = (m.body(f"body {i}", shape) for i, shape in enumerate(shapes))
    h = m.body("bare", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(7, 0, 0))
    ground, up, across = m.ground, (0, 0, 1), (1, 0, 0)
    m.draw(ground, br.Box((10, 1, 0.01), mass=0, position=(3, 0, -0.5)))
    m.revolute("revolute", ground, a, (0, 0, 0), up)
    m.prismatic("prismatic", a, b, (1, 0, 0), across)
    m.cylindrical("cylindrical", b, c, (2, 0, 0), up)
    m.spherical("spherical", c, d, (3, 0, 0))
    m.fixed("fixed", d, e, (4, 0, 0))
    m.universal("universal", d, f, (5, 0, 0), up, across)
    m.planar("planar", f, g, (6, 0, 0), up)
    m.distance("distance", g, h, (6, 0, 0.3), (7, 0, 0.3))
    m.point_on_line("point on line", ground, b, (1, 0, 0), across)
    m.point_on_plane("point on plane", ground, c, (2, 0, 0), up)
    m.constant_angle("constant angle", ground, d, up, (0, 1, 1))
    m.rolling_disc("rolling disc", g, 0.5, across, (6, 0, 0.5))
    m.knife_edge("knife edge", h, (7, 0, 0), (0, 1, 0))
    m.drive("drive", "revolute", br.Sine(0.1, 1.0))
    m.drive_distance("actuator", a, c, (0, 0, 0.1), (2, 0, 0.1), 2.0)
    m.gear("gear", "revolute", "cylindrical.angle", 2.0)
    m.spring("spring", a, c, (0, 0.2, 0), (2, 0.2, 0), stiffness=10.0)
    m.spring("damper", a, c, (0, -0.2, 0), (2, -0.2, 0), damping=10.0)
    m.torsion("torsion", "revolute", stiffness=1.0)
    m.motor("motor", "prismatic", 1.0)
    m.bushing("bushing", f, h, (6, 0, 0), stiffness=(1,) * 6)
    m.force("load", h, force=(0, 0, 1), torque=(1, 0, 0), axes="body")
    return m


def spring_pendulum():
    """A planar pendulum on a spring, with a load in time and one of a function: everything that arrows show."""
    m = br.Model("spring pendulum", planar=True)
    rod = m.body("rod", br.Rod((0, 0, 0), (0.8, 0, 0), mass=1.0))
    m.pin("hinge", m.ground, rod, (0, 0, 0))
    m.spring("spring", m.ground, rod, (0.8, 0.6, 0), (0.8, 0, 0), stiffness=20.0, damping=0.1, length=0.5)
    m.motor("motor", "hinge", br.Sine(0.3, 1.0))
    m.force("push", rod, (0.8, 0, 0), force=(0, br.Sine(1.0, 0.5), 0))
    m.force("drag", rod, function=drag, parameters=(0.2,))
    return m


def drag(t, a, b, p):
    """Resistance of the air."""
    return (-p[0] * b.v[0], -p[0] * b.v[1], 0.0 * b.v[2], 0.0 * b.w[0], 0.0 * b.w[1], -0.1 * p[0] * b.w[2])


def swarm(count):
    """Many bodies that fly freely."""
    m = br.Model("swarm", gravity=(0, 0, 0))
    side = math.ceil(count ** (1 / 3))
    for i in range(count):
        x = (float(i % side), float(i // side % side), float(i // side**2))
        m.body(f"box {i}", br.Box((0.5, 0.3, 0.2), mass=1.0, position=x))
        m.start(
            body=f"box {i}", velocity=(0.1 * (i % 7), 0.0, 0.1 * (i % 5)), angular_velocity=(0.0, 0.5 * (i % 3), 1.0)
        )
    return m
