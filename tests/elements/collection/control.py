"""Controllers with saturation, courses in time, cams with branches."""

import math

import numpy as np
from numpy import pi, sin


def pd_saturated(t, x, v):
    wanted = 0.3 * math.sin(2 * t)
    u = 400.0 * (wanted - x) + 40.0 * (0.6 * math.cos(2 * t) - v)
    return max(-50.0, min(50.0, u))


def dead_zone(t, x, v):
    e = math.remainder(x - 0.2, 2 * math.pi)
    if -0.05 < e < 0.05:
        return 0.0
    return -80.0 * e - 2 * v


def sliding_mode(t, x, v):
    s = v + 5.0 * (x - 0.1)
    boundary = 0.05
    sat = s / boundary if abs(s) <= boundary else math.copysign(1.0, s)
    return -20.0 * sat - 8.0 * math.sqrt(abs(s)) * np.sign(s)


def logistic(t, x, v):
    return -100.0 / (1.0 + math.exp(-x / 0.001))


def ramp(t):
    return min(t, 2.0) * 0.25


def trapezoid(t):
    """Speed of a drive: up, level, down."""
    if t < 0.5:
        return 2.0 * t
    if t < 2.0:
        return 1.0
    if t < 2.5:
        return 1.0 - 2.0 * (t - 2.0)
    return 0.0


def sawtooth(t):
    return 0.1 * (t - math.floor(t)) + 0.02 * (3 * t // 1)


def cycloid(t):
    s = np.clip(t / 1.5, 0, 1)
    return 0.4 * (s - sin(2 * pi * s) / (2 * pi))


def smoothstep(t):
    s = sorted((0.0, t / 2, 1.0))[1]
    return s * s * s * (s * (6 * s - 15) + 10)


def dwell_cam(t):
    """A cam: rise, dwell, fall, dwell, once each turn."""
    phi = (3.0 * t) % (2 * pi)
    rise = 0.02
    match int(phi // (pi / 2)):
        case 0:
            return rise * 0.5 * (1 - math.cos(2 * phi))
        case 1:
            return rise
        case 2:
            return rise * 0.5 * (1 + math.cos(2 * (phi - pi)))
        case _:
            return 0.0


def cam_follower(t, a, b, p):
    """A follower on a cam that lifts beyond an angle only."""
    angle = np.arctan2(a.R[1][0], a.R[0][0])
    if angle > 0.5:
        lift = p[0] * (angle - 0.5) ** 2
    elif angle < -2:
        lift = p[0] * 0.1 * (angle + 2) ** 2
    else:
        lift = 0
    return (b.x[1] - a.x[1] - lift,)


def slot(t, a, b, p):
    """A pin in a slot of two straight parts."""
    x, y, _ = b.x
    return (y - a.x[1] - (p[0] * x if x > 0 else p[1] * x), b.x[2])


LAWS = (pd_saturated, dead_zone, sliding_mode, logistic)


def pulses(t):
    part, whole = math.modf(1.3 * t)
    return part * part * (1.0 + whole)


PROFILES = (pulses, ramp, trapezoid, sawtooth, cycloid, smoothstep, dwell_cam)
JOINTS = ((cam_follower, (0.2,), 1), (slot, (0.5, -0.3), 2))
