"""Sets of rotation parameters p: the rotation, the map H with w = H(p) p' (w in body axes), and where a set fails.

| kind | p | singular |
|---|---|---|
| quaternion | unit quaternion, scalar first | never; four numbers and a unit norm |
| euler-zxz | alpha, beta, gamma, R = Rz(alpha) Rx(beta) Rz(gamma) | sin beta = 0 |
| cardan | alpha, beta, gamma, R = Rx(alpha) Ry(beta) Rz(gamma) | cos beta = 0 |
| gibbs | 2 tan(phi/2) n, Cayley, Gibbs, Rodrigues | phi = 180 degrees |
| euler-rodrigues | 2 sin(phi/2) n, the reduced Euler-Rodrigues parameters | phi = 180 degrees |
| rotation-vector | phi n | phi = 360 degrees |
| wiener-milenkovic | 4 tan(phi/4) n | phi = 360 degrees |

n and phi are axis and angle of the rotation. A vector p = f(phi) n has, with s = p.p,

    H = c0 1 - c1 [p]x + c2 p p^T,   c0 = sin phi / f,   c1 = (1 - cos phi) / f^2,   c2 = (1 / f' - c0) / s

Functions take p as a tuple of four numbers, real or complex; the last is 0 for sets of three.
References: Bauchau and Trainelli, Nonlinear Dynamics 32 (2003) 71-92; spec 004, sections 1.2 and 4.1.
"""

import numpy as np

from ..compiled.pointers import compiled

NAMES = ("quaternion", "euler-zxz", "cardan", "gibbs", "euler-rodrigues", "rotation-vector", "wiener-milenkovic")
QUATERNION, EULER_ZXZ, CARDAN, GIBBS, EULER_RODRIGUES, ROTATION_VECTOR, WIENER_MILENKOVIC = range(7)
LOST = 1e-3  # regularity below which a set is given up
TERMS = 11  # of the series in s < 1: the next one is below 1e-22


@compiled
def square(p):
    """p.p of the first three numbers."""
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2]


@compiled
def cosine(s):
    """cos(phi/2) of the reduced Euler-Rodrigues parameters; beyond the singularity its last value, to stay finite."""
    inside = 1.0 - 0.25 * s
    return np.sqrt(inside if inside.real > LOST * LOST else inside - inside + LOST * LOST)


@compiled
def entire(s):
    """sin phi / phi, (1 - cos phi) / phi^2, (phi - sin phi) / phi^3 of s = phi^2."""
    if abs(s) < 1.0:
        a, b, c = 0.0 * s, 0.0 * s, 0.0 * s
        for i in range(TERMS):
            k = 2.0 * (TERMS - 1 - i)
            a, b = 1.0 - s * a / ((k + 2.0) * (k + 3.0)), 0.5 - s * b / ((k + 3.0) * (k + 4.0))
            c = 1.0 / 6.0 - s * c / ((k + 4.0) * (k + 5.0))
        return a, b, c
    phi = np.sqrt(s)
    a, half = np.sin(phi) / phi, np.sin(0.5 * phi)
    return a, 2.0 * half * half / s, (1.0 - a) / s


@compiled
def coefficients(kind, s):
    """c0, c1, c2 of a vector of parameters with p.p = s."""
    if kind == GIBBS:
        c = 1.0 / (1.0 + 0.25 * s)
        return c, 0.5 * c, 0.0 * c
    if kind == EULER_RODRIGUES:
        c = cosine(s)
        return c, 0.5 + 0.0 * c, 0.25 / c
    if kind == WIENER_MILENKOVIC:
        k = 1.0 + s / 16.0
        c = 1.0 / (k * k)
        return (2.0 - k) * c, 0.5 * c, 0.125 * c
    return entire(s)


@compiled
def turning_map(kind, p):
    """H (3 x 4), tuple of rows."""
    x, y, z = p[0], p[1], p[2]
    zero = 0.0 * x
    if kind == QUATERNION:
        s = 2.0 / (square(p) + p[3] * p[3])
        a, b, c, d = s * x, s * y, s * z, s * p[3]
        return (-b, a, d, -c), (-c, -d, a, b), (-d, c, -b, a)
    if kind == EULER_ZXZ:
        sb, cb, sc, cc = np.sin(y), np.cos(y), np.sin(z), np.cos(z)
        return (sb * sc, cc, zero, zero), (sb * cc, -sc, zero, zero), (cb, zero, zero + 1.0, zero)
    if kind == CARDAN:
        sb, cb, sc, cc = np.sin(y), np.cos(y), np.sin(z), np.cos(z)
        return (cb * cc, sc, zero, zero), (-cb * sc, cc, zero, zero), (sb, zero, zero + 1.0, zero)
    c0, c1, c2 = coefficients(kind, square(p))
    return (
        (c0 + c2 * x * x, c1 * z + c2 * x * y, c2 * x * z - c1 * y, zero),
        (c2 * x * y - c1 * z, c0 + c2 * y * y, c1 * x + c2 * y * z, zero),
        (c1 * y + c2 * x * z, c2 * y * z - c1 * x, c0 + c2 * z * z, zero),
    )


@compiled
def quaternion_of(kind, p):
    """A quaternion of the rotation, scalar first; its size means nothing."""
    x, y, z = p[0], p[1], p[2]
    if kind == QUATERNION:
        return x, y, z, p[3]
    if kind == EULER_ZXZ:
        s, c = np.sin(0.5 * y), np.cos(0.5 * y)
        total, rest = 0.5 * (x + z), 0.5 * (x - z)
        return c * np.cos(total), s * np.cos(rest), s * np.sin(rest), c * np.sin(total)
    if kind == CARDAN:
        sa, ca, sb, cb = np.sin(0.5 * x), np.cos(0.5 * x), np.sin(0.5 * y), np.cos(0.5 * y)
        sc, cc = np.sin(0.5 * z), np.cos(0.5 * z)
        return (
            ca * cb * cc - sa * sb * sc,
            sa * cb * cc + ca * sb * sc,
            ca * sb * cc - sa * cb * sc,
            ca * cb * sc + sa * sb * cc,
        )
    s = square(p)
    if kind == GIBBS:
        return 1.0 + 0.0 * x, 0.5 * x, 0.5 * y, 0.5 * z
    if kind == EULER_RODRIGUES:
        return cosine(s), 0.5 * x, 0.5 * y, 0.5 * z
    if kind == WIENER_MILENKOVIC:
        return 1.0 - s / 16.0, 0.5 * x, 0.5 * y, 0.5 * z
    sinc = 0.5 * entire(0.25 * s)[0]
    return np.cos(0.5 * np.sqrt(s)), sinc * x, sinc * y, sinc * z


@compiled
def regularity(kind, p):
    """Positive where the set is regular, at most 1, 0 (or below, beyond it) at its singular position."""
    if kind == QUATERNION:
        return min(1.0, square(p) + p[3] * p[3])
    if kind == EULER_ZXZ:
        return np.sin(p[1])
    if kind == CARDAN:
        return np.cos(p[1])
    s = square(p)
    if kind == GIBBS:
        return 1.0 / np.sqrt(1.0 + 0.25 * s)
    if kind == WIENER_MILENKOVIC:
        return 1.0 / np.sqrt(1.0 + s / 16.0)
    if kind == EULER_RODRIGUES:
        return np.sqrt(1.0 - 0.25 * s) if s < 4.0 else 0.0
    return entire(0.25 * s)[0]


def parameters_of(kind, quaternion, near=None):
    """p (3,) or (4,) of a unit quaternion: the smallest, or the nearest to `near`. Look at the regularity of what it gives."""
    quaternion = np.asarray(quaternion, float)
    if near is None:
        return _parameters(kind, quaternion if quaternion[0] >= 0.0 else -quaternion)
    both = [_parameters(kind, sign * quaternion) for sign in (1.0, -1.0)]
    if kind in (EULER_ZXZ, CARDAN):
        both = [p + 2.0 * np.pi * np.round((near - p) / (2.0 * np.pi)) for p in both]
    return min(both, key=lambda p: float(np.linalg.norm(p - near)))


def _parameters(kind, quaternion):
    """p of a quaternion, whose sign tells rotations by phi and by phi - 2 pi from each other where the set does."""
    if kind == QUATERNION:
        return quaternion
    w, (x, y, z) = quaternion[0], quaternion[1:]
    if kind == EULER_ZXZ:
        total, rest = np.arctan2(z, w), np.arctan2(y, x)
        return np.array([total + rest, 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z)), total - rest])
    if kind == CARDAN:
        side = np.hypot(w * w + x * x - y * y - z * z, 2.0 * (w * z - x * y))
        return np.array(
            [
                np.arctan2(2.0 * (w * x - y * z), w * w + z * z - x * x - y * y),
                np.arctan2(2.0 * (x * z + w * y), side),
                np.arctan2(2.0 * (w * z - x * y), w * w + x * x - y * y - z * z),
            ]
        )
    vector = quaternion[1:]
    if kind == GIBBS:
        return 2.0 * vector / (w or 1e-300)
    if kind == EULER_RODRIGUES:
        return 2.0 * vector * (1.0 if w >= 0.0 else -1.0)
    if kind == WIENER_MILENKOVIC:
        return 4.0 * vector / max(1.0 + w, 1e-300)
    sine = np.linalg.norm(vector)
    return vector * (2.0 * np.arctan2(sine, w) / sine if sine > 0.0 else 2.0)
