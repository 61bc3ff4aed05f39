"""Which entries of G and K a user's joint really has: those that vanish at random poses are left out of the sparsity.

A joint that only looks at points has one translation per row, and no geometric stiffness between its bodies; with the full
12 x 12 pattern the factorisation would cost several times as much.
"""

import numpy as np

TINY, DIFFERENCE = 1e-30, 1e-4


def joint_structure(element):
    """Masks (rows, 12) of G and (12, 12) of K, or None where the function cannot be sampled at random poses."""
    from ..kernels.functions import Pose

    residual = getattr(element.function, "py_func", element.function)
    parameters, rng = np.array(element.parameters), np.random.default_rng(7)
    g_mask, k_mask, g = np.zeros((element.rows, 12), bool), np.zeros((12, 12), bool), np.zeros(0)
    try:
        for _ in range(3):
            points = rng.normal(size=(2, 3))
            pose = [(rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]) for _ in range(2)]
            g = _gradient(residual, Pose, pose, points, parameters, element.rows)
            g_mask |= np.abs(g) > 1e-12 * np.abs(g).max()
            for c in range(12):
                ahead, behind = (
                    _gradient(residual, Pose, _moved(pose, c, s), points, parameters, element.rows)
                    for s in (DIFFERENCE, -DIFFERENCE)
                )
                slope = np.abs((ahead - behind) / (2 * DIFFERENCE)).max(axis=0)
                k_mask[:, c] |= slope > 1e-6 * max(1.0, float(np.abs(g).max()))
    except Exception:
        return None
    if not (np.isfinite(g).all() and g_mask.any()):
        return None
    for turns in (slice(3, 6), slice(9, 12)):  # turns do not commute: d(G v)/dq may have what G has not
        g_mask[:, turns] = g_mask[:, turns].any(axis=1, keepdims=True)
    return g_mask, k_mask


def _moved(pose, c, s):
    """The two poses after a real step s along direction c (translation, turn of a, then of b)."""
    result = []
    for side, (x, R) in enumerate(pose):
        d = np.zeros(6)
        if c // 6 == side:
            d[c % 6] = s
        w = d[3:]
        turn = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        result.append((x + d[:3], R @ (np.eye(3) + turn + 0.5 * turn @ turn)))
    return result


def _gradient(residual, Pose, pose, points, parameters, rows):
    g = np.zeros((rows, 12))
    for c in range(12):
        shifted = []
        for side, ((x, R), p) in enumerate(zip(pose, points, strict=True)):
            d = np.zeros(6)
            if c // 6 == side:
                d[c % 6] = 1.0
            w = d[3:]
            turn = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            rotation = R + 1j * TINY * (R @ turn)
            position = x + 1j * TINY * d[:3] + rotation @ p
            shifted.append(Pose(tuple(position), tuple(tuple(row) for row in rotation)))
        values = residual(0.3 + 0j, *shifted, parameters)
        g[:, c] = np.array([complex(value).imag for value in values]) / TINY
    return g


def colours(mask):
    """Groups of columns of G (mask (rows, 12)) of one side that have no row in common: one complex step gives them all.

    Returns directions (n, 6), sides (n,), and the column (n, rows) that each group gives for each row, or -1.
    """
    groups = []
    for column in range(12):
        side = column // 6
        for group in groups:
            if group[0] == side and not (mask[:, group[1]].any(axis=1) & mask[:, column]).any():
                group[1].append(column)
                break
        else:
            groups.append((side, [column]))
    directions, columns = np.zeros((len(groups), 6)), np.full((len(groups), len(mask)), -1, np.int64)
    for n, (_, members) in enumerate(groups):
        for column in members:
            directions[n, column % 6] = 1.0
            columns[n, mask[:, column]] = column
    return directions, np.array([side for side, _ in groups], np.int64), columns
