"""Thirty functions by people who saw the signatures only: tyres, wind, friction, cams, gas, muscles, control."""

import math
from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

G = 9.81
SEGMENTS = ((0.0, 0.25, 0.0, 1.0), (0.25, 0.5, 1.0, 1.0), (0.5, 0.75, 1.0, 0.0), (0.75, 1.0, 0.0, 0.0))
ALPHA_DEG = np.array([-20.0, -12.0, 0.0, 12.0, 20.0])
LIFT = np.array([-0.7, -1.1, 0.1, 1.2, 0.8])


class Coefficients(NamedTuple):
    b: float
    c: float
    d: float
    e: float = 0.0


DRY = Coefficients(12.0, 2.3, 1.0, e=1.0)
WET = DRY._replace(d=0.7)


def mf(slip, fz, *, road=DRY):
    b, c, d, e = road
    bs = b * slip
    return fz * d * math.sin(c * math.atan(bs - e * (bs - math.atan(bs))))


# loads ---------------------------------------------------------------------------------------------------------------


def combined_slip(t, a, b, p):
    """Longitudinal and lateral slip on a friction ellipse."""
    params = {"radius": p[0], "load": p[1], "eps": 0.2}
    vx, vy, _ = b.v
    denominator = max(abs(vx), params["eps"])
    kappa = (b.w[1] * params["radius"] - vx) / denominator
    alpha = math.atan2(vy, denominator)
    total = math.hypot(kappa, math.tan(alpha))
    if total < 1e-9:
        return (0.0,) * 6
    force = mf(total, params["load"], road=WET)
    fx, fy = force * kappa / total, -force * math.tan(alpha) / total
    return fx, fy, 0.0, 0.0, -fx * params["radius"], 0.0


def fiala(t, a, b, p):
    C, mu, fz = p
    alpha = np.arctan2(b.v[1], np.abs(b.v[0]) + 0.3)
    limit = np.arctan(3 * mu * fz / C)
    z = np.tan(alpha)
    if np.abs(alpha) >= limit:
        fy = -mu * fz * np.sign(alpha)
    else:
        fy = -C * z + C**2 / (3 * mu * fz) * np.abs(z) * z - C**3 / (27 * (mu * fz) ** 2) * z**3
    return np.array([0, fy, 0, 0, 0, 0])


def wind_gust(t, a, b, p):
    """Wind that grows with height, and a gust of one minus cosine."""
    height = np.maximum(b.x[2] + 2.0, 0.1)
    mean = p[0] * (height / 10.0) ** 0.14
    gust = 0.0 if t < 1.0 or t > 3.0 else 0.5 * p[1] * (1 - np.cos(np.pi * (t - 1.0)))
    relative = np.array([mean + gust, 0.0, 0.0]) - np.array(b.v)
    drag = 0.5 * 1.225 * p[2] * np.linalg.norm(relative) * relative
    return [*drag, 0.0, 0.0, 0.0]


def wing(t, a, b, p):
    R = np.array(b.R)
    u, _, w = R.T @ np.array(b.v)
    speed2 = u**2 + w**2
    alpha = np.degrees(np.arctan2(-w, u))
    cl = np.interp(alpha, ALPHA_DEG, LIFT)
    cd = 0.02 + 0.05 * cl**2
    q = 0.5 * 1.225 * speed2 * p[0]
    force = R @ np.array([-q * cd, 0.0, q * cl])
    moment = R @ np.array([0.0, -0.1 * q, 0.0])
    return np.hstack([force, moment])


def contact_sphere(t, a, b, p):
    """Hunt and Crossley against the ground, with friction of five kinds by its number."""
    radius, k, kind = p
    depth = radius - b.x[2]
    if depth <= 0:
        return 0, 0, 0, 0, 0, 0
    normal = k * depth**1.5 * max(1 - 0.3 * b.v[2], 0)
    slip = math.sqrt(b.v[0] ** 2 + b.v[1] ** 2 + 1e-8)
    match int(kind):
        case 0:
            mu = 0.0
        case 1:
            mu = 0.4 * math.tanh(slip / 0.01)
        case 2:
            mu = 0.4 * (2 / math.pi) * math.atan(slip / 0.01)
        case 3:
            mu = 0.4 * slip / (slip + 0.01)
        case _:
            mu = 0.4
    return -mu * normal * b.v[0] / slip, -mu * normal * b.v[1] / slip, normal, 0, 0, 0


def dipole(t, a, b, p):
    r = np.array(b.x) - np.array(a.x)
    n = np.array([row[2] for row in b.R])
    m = np.array([row[2] for row in a.R])
    d = np.sqrt(r @ r)
    e = r / d
    f = 3 * p[0] / d**4 * ((m @ e) * n + (n @ e) * m + (m @ n) * e - 5 * (m @ e) * (n @ e) * e)
    return f[0], f[1], f[2], *np.cross(n, 3 * (m @ e) * e - m) * p[0] / d**3


# laws ----------------------------------------------------------------------------------------------------------------


def lugre_steady(t, x, v, fc=20.0, fs=30.0, vs=0.05):
    g = fc + (fs - fc) * np.exp(-np.square(v / vs))
    return -np.sign(v) * g - 0.4 * v


def karnopp(t, x, v):
    applied = 60.0 * math.sin(3 * t) - 40.0 * x
    if abs(v) < 0.01:
        return -min(max(applied, -25.0), 25.0)
    return -math.copysign(20.0, v) + applied


def bengisu(t, x, v):
    v0, fs, fc, xi = 0.2, 30.0, 20.0, 4.0
    u = abs(v)
    if u < v0:
        return -math.copysign(1.0, v) * (-fs / v0**2 * (u - v0) ** 2 + fs)
    return -math.copysign(fc + (fs - fc) * math.exp(-xi * (u - v0)), v)


def threlfall(t, x, v):
    ratio = abs(v) / 0.5
    return (-1 if v > 0 else 1) * 20.0 * (1 - math.exp(-3 * ratio)) if ratio <= 1 else -np.sign(v) * 20.0 * 0.95


def capstan(mu, wrap, t, x, v):
    tight = 50.0 * math.exp(mu * (wrap + x)) if v > 0 else 50.0 * math.exp(-mu * (wrap + x))
    return 50.0 - tight


def gas_strut(t, x, v, p0=1.2e7, area=8e-5, v0=1.1e-4, n=1.33):
    volume = max(v0 - area * x, 1e-6)
    force = (p0 * (v0 / volume) ** n - 101325) * area
    damping = 400 * v if v > 0 else 1500 * v
    return -force - damping


def orifice(t, x, v):
    """Flow through an orifice, choked beyond the critical ratio."""
    ratio = np.clip((1.0 + 0.4 * x) / 2.0, 0.05, 0.999)
    kappa = 1.4
    critical = (2 / (kappa + 1)) ** (kappa / (kappa - 1))
    if ratio > critical:
        psi = np.sqrt(2 * kappa / (kappa - 1) * (ratio ** (2 / kappa) - ratio ** ((kappa + 1) / kappa)))
    else:
        psi = np.sqrt(kappa * (2 / (kappa + 1)) ** ((kappa + 1) / (kappa - 1)))
    return -psi * np.sqrt(np.abs(v)) * np.sign(v)


@dataclass(frozen=True)
class Muscle:
    f_max: float = 1500.0
    l_opt: float = 0.3
    v_max: float = 3.0

    def activation(self, t):
        return 0.05 + 0.95 * (np.heaviside(t - 1.0, 0.5) - np.heaviside(t - 2.0, 0.5))

    def active(self, length):
        return np.exp(-(((length / self.l_opt - 1) / 0.45) ** 2))

    def passive(self, length):
        s = length / self.l_opt - 1
        return (np.exp(5 * s / 0.6) - 1) / (np.exp(5) - 1) if s > 0 else 0.0

    def speed(self, v):
        r = v / self.v_max
        if r <= -1:
            return 0.0
        elif r <= 0:
            return (1 + r) / (1 - r / 0.25)
        return 1.5 - 0.5 * (1 - r) / (1 + 7.56 * r)

    def __call__(self, t, x, v):
        length = 0.3 + x
        return -self.f_max * (self.activation(t) * self.active(length) * self.speed(v) + self.passive(length))


def quantised(t, x, v):
    measured = round(x / 0.01) * 0.01
    noise = math.fmod(1e3 * t, 0.5)
    return -200.0 * measured - 3.0 * v + noise


def scheduled(t, x, v):
    gains = {"low": (50.0, 5.0), "mid": (120.0, 9.0), "high": (300.0, 14.0)}
    mode = "low" if abs(x) < 0.1 else "mid" if abs(x) < 0.4 else "high"
    kp, kd = gains[mode]
    if mode not in gains:
        raise ValueError(f"no gains for {mode!r}")
    return -kp * x - kd * v


def backlash_gear(t, x, v, gap=0.05):
    """Early returns."""
    if x > gap / 2:
        return -1e3 * (x - gap / 2) - 10 * v
    if x < -gap / 2:
        return -1e3 * (x + gap / 2) - 10 * v
    return 0


def elastomer(t, x, v):
    total, n = 0.0, 1
    while n <= 4:
        total += (-1) ** n * x ** (2 * n - 1) / math.factorial(n)
        n += 1
    return 400.0 * total - 2.0 * np.arcsinh(v / 0.1)


def two_curves(t, x, v):
    """Blended between the curves of two temperatures."""
    cold, hot = np.interp(x, [-1, 0, 1], [-80, 0, 90]), np.interp(x, [-1, 0.2, 1], [-60, 0, 50])
    blend = 0.5 * (1 + np.tanh(t - 2))
    return -((1 - blend) * cold + blend * hot) * (1 + 0.1 * v)


def shaped(t, x, v):
    edges = [abs(x - c) for c in (-0.4, 0.0, 0.4)]
    near = min(edges)
    return -100.0 * near * (1 if any(e < 0.1 for e in edges) else 0.5) - max(edges, key=lambda e: -e) * v


def energy_pump(t, x, v):
    energy = 0.5 * v * v + 0.5 * 25 * x * x
    return reduce(lambda s, k: s + k * energy, (1.0, -0.5), 0.3) * np.maximum(np.minimum(v, 1), -1)


# courses of time -----------------------------------------------------------------------------------------------------


def s_curve(t):
    s = np.clip((t - 0.5) / 2.0, 0, 1)
    return 0.4 * s**3 * (10 - 15 * s + 6 * s**2)


def cycloidal(t):
    _, phase = divmod(t, 2.0)
    phase = phase / 2.0
    for begin, end, low, high in SEGMENTS:
        if begin <= phase < end:
            s = (phase - begin) / (end - begin)
            return low + (high - low) * (s - math.sin(2 * math.pi * s) / (2 * math.pi))
    return 0.0


def fourier(t):
    return sum(
        a * math.cos(k * t) + b * math.sin(k * t)
        for k, (a, b) in enumerate(zip((0.3, -0.1, 0.05), (0.2, 0.1, -0.02), strict=True), start=1)
    )


def saw(t):
    return 2 * abs(2 * (t / 1.7 - math.floor(t / 1.7 + 0.5))) - 1


def chirp(t):
    return np.sin(2 * np.pi * (0.2 * t + 0.3 * t**1.5)) * np.exp(-0.2 * t)


# rows ----------------------------------------------------------------------------------------------------------------


def flat_follower(t, a, b, p):
    """A follower in z on a cam that turns about y of a: 3-4-5 polynomial between dwells."""
    angle = math.atan2(-a.R[2][0], a.R[0][0])
    phase = math.fmod(angle + 2 * math.pi, 2 * math.pi) / math.pi
    if phase < 1:
        lift = np.polyval([6, -15, 10, 0, 0, 0], phase)
    else:
        lift = 1 - np.polyval([6, -15, 10, 0, 0, 0], phase - 1)
    return (b.x[2] - a.x[2] - p[0] - p[1] * lift,)


def screw_with_backlash(t, a, b, p):
    axis = np.array(a.R)[:, 2]
    gap = (np.array(b.x) - np.array(a.x)) @ axis
    turn = np.arctan2(b.R[1][0], b.R[0][0])
    play = np.where(np.abs(turn) < p[1], 0.0, turn - np.copysign(p[1], turn))
    return [gap - p[0] * play]


def rail(t, a, b, p):
    x, y, z = b.x
    heights = [amplitude * np.sin(k * x) for k, amplitude in enumerate(p, 1)]
    return y - sum(heights), z - np.prod([1.0 + 0.1 * x, np.cosh(0.3 * y)])


def skid(t, a, b, p):
    forward = np.array([r[0] for r in b.R])
    side = np.array([r[1] for r in b.R])
    v = np.asarray(b.v)
    return np.dot(v, side) - p[0] * np.abs(np.dot(v, forward)), v[2]


LAWS = (
    lugre_steady,
    karnopp,
    bengisu,
    threlfall,
    partial(capstan, 0.3, math.pi),
    gas_strut,
    orifice,
    Muscle(),
    quantised,
    scheduled,
    backlash_gear,
    elastomer,
    two_curves,
    shaped,
    energy_pump,
)
PROFILES = (s_curve, cycloidal, fourier, saw, chirp)
LOADS = (
    (combined_slip, (0.3, 3000.0)),
    (fiala, (5e4, 0.9, 3e3)),
    (wind_gust, (6.0, 4.0, 0.8)),
    (wing, (0.5,)),
    *((contact_sphere, (1.2, 1e4, kind)) for kind in (1.0, 3.0)),
    (dipole, (0.3,)),
)
JOINTS = ((flat_follower, (0.2, 0.05)), (screw_with_backlash, (0.1, 0.2)), (rail, (0.3, 0.1, 0.05)))
ROWS = ((skid, (0.2,)),)
