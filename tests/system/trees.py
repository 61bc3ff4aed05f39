"""Models with every kind of joint in their trees, for the tests of relative coordinates."""

import numpy as np

import bricard.model as br


def forest(loop=True):
    """Nine bodies in space: all tree joints, some declared backwards, a free body, springs across branches, perhaps a loop."""
    rng = np.random.default_rng(1)
    model = br.Model("forest", gravity=(0.3, -9.81, 1.0))
    places = {"a": (1, 0, 0), "b": (2, 0, 0.3), "c": (3, 0.2, 0), "d": (1, 1, 0), "e": (2, 1, 0.4), "f": (0, 2, 0)}
    places |= {"h": (4, 1, 0), "k": (1, -1, 0), "l": (5, 1, 1)}
    for name, position in places.items():
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        model.body(
            name,
            mass=rng.uniform(0.5, 2.0),
            inertia=tuple(rng.uniform(1.0, 1.4, 3)),
            com=0.1 * rng.normal(size=3),
            position=position,
            rotation=turn * np.sign(np.linalg.det(turn)),
        )
    model.revolute("R", model.ground, "a", point=(0.2, 0.1, 0), axis=(0.2, 0.3, 1))
    model.universal("U", "a", "b", point=(1.5, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1))
    model.spherical("S", "b", "c", point=(2.5, 0.1, 0))
    model.cylindrical("C", "d", "a", point=(1, 0.5, 0), axis=(0.1, 1, 0.2))  # declared from the leaf to the root
    model.prismatic("P", "e", "d", point=(1.5, 1, 0), axis=(1, 0.2, 0.1))
    model.planar("L", "d", "f", point=(0.5, 1.5, 0), axis=(0.1, 0.2, 1))
    model.fixed("F", "c", "h", point=(3.5, 0.5, 0))
    model.revolute("R2", "k", "a", point=(1, -0.5, 0), axis=(1, 0.2, 0))
    if loop:
        model.spherical("loop", "e", "h", point=(3, 1, 0.2))
    model.spring("s1", "f", "k", point_a=(0, 2, 0), point_b=(1, -1, 0), stiffness=50.0, damping=3.0, length=1.0)
    model.spring("s2", "l", "c", point_a=(5, 1, 1), point_b=(3, 0.2, 0), stiffness=20.0, damping=1.0, length=1.0)
    return model


def meadow(loop=True):
    """Six planar bodies: hinges either way round, slides, a weld, a free body, a spring, perhaps a loop."""
    model = br.Model("meadow", planar=True)
    ends = [
        ((0, 0), (1, 0)),
        ((1, 0), (2, 0.5)),
        ((2, 0.5), (2, 1.5)),
        ((1, 0), (1, 1)),
        ((1, 1), (2, 1.5)),
        ((4, 0), (5, 1)),
    ]
    for i, (p, q) in enumerate(ends):
        model.body(f"b{i}", br.Rod((*p, 0), (*q, 0), mass=1.0 + 0.1 * i, radius=0.03))
    model.revolute("A", model.ground, "b0", point=(0, 0, 0), axis=(0, 0, -1))
    model.pin("B", "b1", "b0", point=(1, 0, 0))
    model.spherical("C", "b1", "b2", point=(2, 0.5, 0))
    model.slider("D", "b3", "b0", point=(1, 0, 0), axis=(1, 2, 0))
    model.fixed("E", "b3", "b4", point=(1, 1, 0))
    if loop:
        model.pin("loop", "b4", "b2", point=(2, 1.5, 0))
    model.spring("s", "b5", "b2", point_a=(4, 0, 0), point_b=(2, 1.5, 0), stiffness=30.0, damping=1.0, length=1.0)
    return model


def cart():
    """A pendulum on a cart that a spring holds, with a ball joint: prismatic, spherical."""
    model = br.Model("pendulum on a cart")
    model.body("cart", br.Box((0.4, 0.2, 0.1), mass=2.0))
    model.body("bob", br.Rod((0, 0, 0), (0.3, 0.1, -0.5), mass=1.0, radius=0.02))
    model.prismatic("P", model.ground, "cart", point=(0, 0, 0), axis=(1, 0, 0))
    model.spherical("S", "cart", "bob", point=(0, 0, 0))
    model.spring(
        "k", model.ground, "cart", point_a=(-1, 0, 0), point_b=(-0.2, 0, 0), stiffness=40.0, damping=0.5, length=0.7
    )
    model.start(joint="P", velocity=0.5)
    model.start(body="bob", angular_velocity=(1.0, 2.0, 0.5))
    return model


def chain(links, planar=True):
    """A chain of hinged rods of 1 m and 1 kg, stretched out."""
    model = br.Model("chain", gravity=(0, -9.81, 0), planar=planar)
    last = model.ground
    for k in range(links):
        body = model.body(f"link {k}", br.Rod((k, 0, 0), (k + 1, 0, 0), mass=1.0, radius=0.02))
        model.revolute(f"J{k}", last, body, point=(k, 0, 0), axis=(0, 0, 1))
        last = body
    return model
