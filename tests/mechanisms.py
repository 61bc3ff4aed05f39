"""Mechanisms that several tests share. Each takes the world it stands in: turned and shifted, or in other units."""

from dataclasses import dataclass, field

import numpy as np

import bricard.model as br


@dataclass(frozen=True)
class World:
    """A world turned by R and shifted by x (m), in which a metre is `unit` long; mass and time keep their units."""

    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    x: np.ndarray = field(default_factory=lambda: np.zeros(3))
    unit: float = 1.0

    def point(self, p):
        return self.unit * (self.R @ np.asarray(p, float) + self.x)

    def way(self, d):
        return self.R @ np.asarray(d, float)

    def vector(self, v):
        """A velocity, acceleration or force."""
        return self.unit * self.way(v)

    def rod(self, start, end, mass, radius):
        return br.Rod(self.point(start), self.point(end), mass=mass, radius=self.unit * radius)

    def torque(self, value):
        return self.unit**2 * value


HERE = World()
TURNED = World(br.rotation_matrix((0.7, 0.3, -0.5, 0.4)), np.array([3.0, -2.0, 1.0]))
MILLIMETRES = World(unit=1000.0)
BINARY = World(unit=2.0**10)  # multiplying by it rounds nothing
Z = (0, 0, 1)


def pendulum(world=HERE, **options):
    model = br.Model("pendulum", gravity=world.vector((0, 0, -9.81)))
    model.body("bob", world.rod((0, 0, 0), (1, 0.2, 0.3), 1.0, 0.1))
    model.revolute("A", model.ground, "bob", world.point((0, 0, 0)), world.way((0, 1, 0)))
    model.start(joint="A", velocity=2.0)
    return model


def four_bar(world=HERE, planar=False, coupler_mass=2.0, speed=-6.0):
    """A planar four-bar; in 3-D, with four hinges, three of its rows are redundant."""
    model = br.Model("four-bar", gravity=world.vector((0, -9.81, 0)), planar=planar)
    a, b, c, d = (0, 0, 0), (0, 0.3, 0), (0.9, 0.8, 0), (1, 0, 0)
    model.body("crank", world.rod(a, b, 1.0, 0.02))
    model.body("link", world.rod(b, c, coupler_mass, 0.02))
    model.body("rocker", world.rod(c, d, 2.0, 0.02))
    axis = world.way(Z)
    model.revolute("A", model.ground, "crank", world.point(a), axis)
    model.revolute("B", "crank", "link", world.point(b), axis)
    model.revolute("C", "link", "rocker", world.point(c), axis)
    model.revolute("D", "rocker", model.ground, world.point(d), axis)
    model.torsion("friction", "D", stiffness=world.torque(4.0), damping=world.torque(0.5))
    model.spring(
        "S", model.ground, "link", world.point((0.5, 0, 0)), world.point((0.45, 0.55, 0)), stiffness=40, damping=2
    )
    if speed is not None:
        model.start(joint="A", velocity=speed)
    return model


def rssr(world=HERE, speed=4.0):
    """A spatial four-bar, hinges about skew axes and a coupler with two balls: a closed loop without redundancy."""
    model = br.Model("rssr", gravity=world.vector((0, 0, -9.81)))
    a, b, c, d = (0, 0, 0), (0.2, 0, 0.1), (0.9, 0.6, 0.5), (1.0, 0.7, 0)
    model.body("crank", world.rod(a, b, 1.0, 0.03))
    model.body("coupler", world.rod(b, c, 1.5, 0.05))
    model.body("rocker", world.rod(c, d, 2.0, 0.03))
    model.revolute("A", model.ground, "crank", world.point(a), world.way((0, 0.2, 1)))
    model.spherical("B", "crank", "coupler", world.point(b))
    model.spherical("C", "coupler", "rocker", world.point(c))
    model.revolute("D", "rocker", model.ground, world.point(d), world.way((0.1, 1, 0)))
    model.motor("M", "A", world.torque(3.0))
    model.force("F", "rocker", world.point(c), world.vector((2.0, -1.0, 1.0)))
    if speed is not None:
        model.start(joint="A", velocity=speed)
    return model


def slider_crank(planar):
    model = br.Model("slider-crank", gravity=(0, -9.81, 0), planar=planar)
    a, b, c = (0, 0, 0), (0.1, 0.2, 0), (0.7, 0, 0)
    model.body("crank", br.Rod(a, b, mass=1.0, radius=0.02))
    model.body("rod", br.Rod(b, c, mass=0.8, radius=0.02))
    model.body("piston", br.Box((0.1, 0.1, 0.1), mass=0.5, position=c))
    model.revolute("A", model.ground, "crank", a, Z)
    model.revolute("B", "crank", "rod", b, Z)
    model.revolute("C", "rod", "piston", c, Z)
    model.prismatic("P", model.ground, "piston", c, (1, 0, 0))
    model.spring("S", model.ground, "piston", (1.2, 0.1, 0), (0.7, 0.05, 0), stiffness=60, damping=1)
    model.motor("M", "A", 1.5)
    model.start(joint="A", velocity=5.0)
    return model


def six_bar(world=HERE):
    """Bricard's orthogonal six-bar: mobile although counting says it is not; one redundant row that is not planar."""
    model = br.Model("six-bar", gravity=world.vector((0, 0, -9.81)))
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    bodies = [model.ground]
    for i in range(1, 6):
        bodies.append(model.body(f"b{i}", world.rod(points[i], points[(i + 1) % 6], 1.0, 0.05)))
    for i, axis in enumerate((1, 2, 0, 1, 2, 0)):
        model.revolute(f"J{i}", bodies[i - 1], bodies[i], world.point(points[i]), world.way(np.eye(3)[axis]))
    return model


def rolling():
    """A disc that rolls on a table, rocking: nonholonomic rows."""
    model = br.Model("disc", gravity=(0, 0, -9.81))
    model.body("disc", mass=1.0, inertia=(0.0625, 0.0625, 0.125), position=(0, 0, 0.5), rotation=(1, 0, 1, 0))
    model.rolling_disc("rolling", "disc", 0.5, axis=(1, 0, 0))
    model.start(body="disc", angular_velocity=(3.0, 0.4, 0.5))
    return model


MECHANISMS = {"pendulum": pendulum, "four-bar": four_bar, "rssr": rssr}

# a model file without a table [simulation]
PENDULUM_FILE = """
name = "my pendulum"
[bodies.rod]
shape = "rod"
start = [0, 0, 0]
end = [1, 0, 0]
mass = 1
[joints.A]
type = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
"""


def tangle(seed):
    """Bodies on random joints with a rod across, and drives, gears, springs and motors on coordinates drawn at random."""
    rng = np.random.default_rng(seed)
    model = br.Model("random", gravity=(0.2, -0.4, -9.81))
    bodies, coordinates = [model.ground], []
    for k in range(4):
        place = rng.normal(size=3)
        body = model.body(f"b{k}", mass=rng.uniform(0.5, 2), inertia=rng.uniform(0.1, 0.15, 3), position=place)
        pair = [bodies[rng.integers(len(bodies))], body]
        pair = pair[:: rng.choice([-1, 1])]
        kind = rng.choice(["revolute", "cylindrical", "planar", "prismatic", "universal", "free"])
        axes = {"universal": [(0, 0, 1), (1, 0, 0)], "free": []}.get(kind, [rng.normal(size=3)])
        joint = getattr(model, kind)(f"J{k}", *pair, place + 0.3 * rng.normal(size=3), *axes)
        coordinates += [f"J{k}.{name}" for name in joint.coordinates()]
        bodies.append(body)
    model.distance("rod", bodies[4], bodies[1], rng.normal(size=3), rng.normal(size=3))
    picked = rng.choice(coordinates, 5, replace=False)
    model.drive("drive", picked[0], br.Sine(0.1, 0.5, offset=0.3))
    model.gear("gear", picked[1], picked[2], 0.7)
    model.torsion("twist", picked[3], stiffness=10.0)
    model.motor("motor", picked[4], br.Sine(1.0, 2.0))
    model.spring("spring", bodies[3], bodies[0], rng.normal(size=3), rng.normal(size=3), stiffness=5.0, length=0.3)
    return model
