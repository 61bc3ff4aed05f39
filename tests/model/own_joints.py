"""Functions of users' joints for the tests, at the top level of a module so that files can name them."""

import numpy as np


def screw(s, p):
    """A turn about z with the lead p[0] per radian."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (0.0, 0.0, p[0] * s[0]), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def circle(s, p):
    """A shift on a circle of radius p[0] without turning."""
    return (p[0] * np.cos(s[0]), p[0] * np.sin(s[0]), 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def ball(s, p):
    """A unit quaternion."""
    w, x, y, z = s[0], s[1], s[2], s[3]
    n = 2.0 / (w * w + x * x + y * y + z * z)
    return (0.0, 0.0, 0.0), (
        (1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)),
        (n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x)),
        (n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)),
    )


def two_slides(s, p):
    """A shift s[0] along x, then s[1] across it on a parabola: two freedoms."""
    return (s[0], s[1], p[0] * s[1] * s[1]), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def arm(s, u, p):
    """The classical contract of a hinge about z at the end of an arm of length p[0]."""
    c, z, r = np.cos(s[0]), np.sin(s[0]), p[0]
    return (
        (r * c, r * z, 0.0),
        (-r * z * u[0], r * c * u[0], 0.0),
        ((-r * z,), (r * c,), (0.0,)),
        (-r * c * u[0] * u[0], -r * z * u[0] * u[0], 0.0),
        ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0)),
        (0.0, 0.0, u[0]),
        ((0.0,), (0.0,), (1.0,)),
        (0.0, 0.0, 0.0),
    )


def arm_position(s, p):
    """The same as an explicit joint."""
    c, z = np.cos(s[0]), np.sin(s[0])
    return (p[0] * c, p[0] * z, 0.0), ((c, -z, 0.0), (z, c, 0.0), (0.0, 0.0, 1.0))


def arm_motion(s, p):
    """Its derivatives: d' and the angular velocity per unit of the rate."""
    return ((-p[0] * np.sin(s[0]), p[0] * np.cos(s[0]), 0.0, 0.0, 0.0, 1.0),)
