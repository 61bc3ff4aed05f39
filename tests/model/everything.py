"""One model that uses every kind of element, for the round trip through TOML."""

from pathlib import Path

import user_functions as own

import bricard.model as br

STL = Path(__file__).with_name("tetrahedron.stl")

TILT = (0.9, 0.1, -0.3, 0.2)


def everything():
    m = br.Model("everything", gravity=(0.1, -0.2, -9.7))
    ground = m.ground
    a = m.body("a", br.Rod((0, 0, 0), (0.3, 0.1, 0.2), mass=1.0))
    b = m.body("b", br.Box((0.1, 0.2, 1 / 3), density=7.8e3, position=(0.3, 0.1, 0.2), rotation=TILT))
    c = m.body("c", br.Cylinder((0, 0, 1), (0, 0.1, 1.2), 0.07, density=2.7e3), position=(0.1, 0.2, 0.3), rotation=TILT)
    d = m.body("d", br.Sphere((1, 2, 3), 0.1, mass=0.3), rotation=TILT, position=(1.0, 2.0, 3.1))
    e = m.body("e", br.PointMass((0.1, 0.7, 0.3), 0.2))
    f = m.body(
        "f f",
        mass=1.1,
        inertia=((0.3, 0.01, 0), (0.01, 0.4, 0.02), (0, 0.02, 0.5)),
        inertia_axes=TILT,
        com=(0.1, 0.2, 0.3),
        position=(1, 1, 1),
        rotation=TILT,
    )
    p = m.body("p", mass=1.0, inertia=0.1, planar=True, com=(0.1, 0, 0))
    q = m.body("q", br.Rod((0.1, 0.2, 0), (0.3, 0.7, 0), mass=0.0), planar=True)
    m.body("g", br.Capsule((0, 0, 1), (0, 0.1, 1.2), 0.07, density=2.7e3))
    m.body("h", br.Ellipsoid((0.1, 0.2, 0.3), mass=0.7, position=(1, 2, 1 / 3), rotation=TILT))
    m.body("i", br.Mesh(STL, density=1e3, scale=1 / 3, position=(0.1, 0.2, 0.3), rotation=TILT), planar=False)
    m.body("j", br.Mesh(STL, mass=0.4, scale=(0.1, 0.2, 0.3)), position=(1, 2, 3), rotation=TILT)
    m.draw(ground, br.Box((10, 10, 0.1), mass=0.0, position=(0, 0, -0.05)))
    m.draw(f, br.Mesh(STL, mass=0.0, scale=1e-3, rotation=TILT))
    m.notes.append('made by hand, "as it is"')
    m.spherical("spherical", ground, a, (0.1, 0.2, 0.3))
    m.revolute("revolute", "a", "b", (0.3, 0.1, 0.2), (1, 2, 3))
    m.revolute("by frames", a, f, frame_a=a.frame((0.1, 0, 0)), frame_b=f.frame((0, 0.1, 0), axis=(1, 1, 1)))
    m.cylindrical("cylindrical", b, c, (0.1, 0.3, 0.2), (1, 0, 0.1))
    m.prismatic("prismatic", c, d, (0.1, 0.3, 0.7), (0, 1, 0.1))
    m.universal("universal", d, e, (0.1, 0.1, 0.7), (0, 1, 0), (0.3, 0, 1))
    m.planar("planar", e, f, (0.1, 0.1, 0.7), (0, 1, 0.4), x=(1, 1, 0))
    m.fixed("fixed", f, ground, (0.1, 0.1, 0.3))
    m.free("free", ground, f, (0.1, 0.1, 0.3))
    m.pin("pin", p, q, (0.1, 0.2, 0))
    m.slider("slider", ground, q, (0.1, 0.2, 0), (1, 0.3, 0))
    m.distance("distance", a, d, (0.1, 0.2, 0.3), (1, 2, 3))
    m.point_on_line("line", a, d, (0.1, 0.2, 0.3), (1, 2, 3), point_b=(0.3, 0.3, 0.3))
    m.point_on_plane("plane", a, d, (0.1, 0.2, 0.3), (1, 2, 3))
    m.constant_angle("angle", a, c, (1, 0.2, 0), (0, 1, 0.1))
    m.gear("gear", "revolute", "cylindrical.angle", 1 / 3)
    m.gear("rack", "revolute", "prismatic", 0.7, offset=0.1)
    m.drive("drive", "planar.angle", br.Sine(1, 1 / 3, phase=0.1))
    m.drive("drive 2", "planar.x", br.Tabulated((0, 0.1, 0.7), (1, 2, 3.3)))
    m.drive("drive 3", "universal.angle_a", own.swing)
    m.drive_distance("actuator", a, d, (0.1, 0.2, 0.3), (1, 2, 3), br.SmoothStep(3, 4, 0.1, 0.2))
    m.joint("own", a, b, own.residual, 2, point=(0.1, 0.2, 0.3), parameters=(0.1,), units=("length", "angle"))
    screw = br.UserJoint.explicit(own.screw, {"angle": "angle"}, parameters=(0.1,))
    m.user_joint("screw", a, c, screw, point=(0.1, 0.2, 0.3), parameters=(0.2,), start=(1 / 3,))
    m.linkage("linkage", a, d, {"turn": "revolute", "shift": "prismatic.displacement"})
    m.nonholonomic("no slip", ground, d, "user_functions:no_side_slip", 1)
    m.knife_edge("knife", c, (0.1, 0.2, 0.3), (0.1, 1, 0))
    m.rolling_disc("disc", c, 0.2, (1, 0, 0.1), plane_point=(0, 0, -0.1), normal=(0.1, 0, 1))
    m.spring("spring", a, d, (0, 0, 0), (1, 2, 3), stiffness=100 / 3, damping=0.7)
    m.spring("table", a, f, (0, 0, 0), (1, 2, 3), law=br.Table((0, 0.1, 0.3), (-1, 0, 5), 0.2))
    m.torsion("torsion", "revolute", stiffness=3, angle=0.1)
    m.torsion("torsion 2", "revolute.angle", law=own.law)
    m.motor("motor", "revolute", br.Polynomial((0.1, 0.2, 0.3)))
    m.motor("motor 2", "prismatic", 3)
    m.motor("motor 3", "prismatic", br.FunctionProfile(own.swing))
    m.motor("motor 4", "prismatic", own.law)
    m.force("force", f, (0.1, 0.3, 0.2), (1, br.Sine(1, 2), own.swing), torque=(0, 0, 0.1), axes="body")
    m.force("drag", f, function=own.load, parameters=(0.3,))
    m.user_force("damper", a, f, own.load, parameters=(0.1,))
    m.bushing("bushing", a, f, (0.1, 0.2, 0.3), stiffness=range(1, 7), damping=(0.1,) * 6, rotation=TILT)
    m.start(joint="revolute", position=0.1, velocity=-6)
    m.start(joint="planar.x", velocity=1 / 3, weight=0.1)
    m.start(
        body="d", position=(0.1, 0.2, 0.3), rotation=TILT, velocity=(1, 0, 0), angular_velocity=(0, 0.1, 0), weight=2
    )
    m.start(point=(f, (0.1, 0.2, 0.3)), velocity=(0.1, 0.2, 0.3))
    return m
