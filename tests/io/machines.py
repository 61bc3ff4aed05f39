"""A small machine with both kinds of joint coordinates, a motor and a damper, and its solutions."""

import bricard as br


def crane():
    """A cart on a rail with a hanging rod: a driven and damped system."""
    model = br.Model("crane 1")
    cart = model.body("cart", br.Box((0.4, 0.2, 0.2), mass=2.0))
    load = model.body("load", br.Rod((0, 0, 0), (0, 0, -1), mass=1.0))
    model.prismatic("rail", model.ground, cart, point=(0, 0, 0), axis=(1, 0, 0))
    model.revolute("hook", cart, load, point=(0, 0, 0), axis=(0, 1, 0))
    model.motor("engine", "rail", br.Sine(5.0, 1.0))
    model.torsion("friction", "hook", damping=0.2)
    return model


def solved(**options):
    return br.simulate(crane(), 1.0, **(options or {"rtol": 1e-7}))
