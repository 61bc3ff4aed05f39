"""Systems of the specs, given by their functions with the sources' own rows, so that multipliers can be compared too."""

import numpy as np

from bricard.system.system import System

G = 9.81


def double_pendulum(angles=(np.pi / 3, np.pi / 6)):
    """Spec 000, section 3.2: q = (phi1, x1, y1, phi2, x2, y2), y downward, angles from the vertical; at rest."""
    l, inertia = 0.5, 0.5**2 / 12

    def phi(t, q):
        return np.array(
            [
                q[1] - l / 2 * np.sin(q[0]),
                q[2] - l / 2 * np.cos(q[0]),
                l * np.sin(q[0]) - q[4] + l / 2 * np.sin(q[3]),
                l * np.cos(q[0]) - q[5] + l / 2 * np.cos(q[3]),
            ]
        )

    def jacobian(t, q):
        n, e = 0 * q[0], 1 + 0 * q[0]
        s1, c1, s2, c2 = np.sin(q[0]), np.cos(q[0]), np.sin(q[3]), np.cos(q[3])
        return np.array(
            [
                [-l / 2 * c1, e, n, n, n, n],
                [l / 2 * s1, n, e, n, n, n],
                [l * c1, n, n, l / 2 * c2, -e, n],
                [-l * s1, n, n, -l / 2 * s2, n, -e],
            ]
        )

    def gamma(t, q, v):
        s1, c1, s2, c2 = np.sin(q[0]), np.cos(q[0]), np.sin(q[3]), np.cos(q[3])
        a, b = v[0] * v[0], v[3] * v[3]
        return np.array([-l / 2 * s1 * a, -l / 2 * c1 * a, l * s1 * a + l / 2 * s2 * b, l * c1 * a + l / 2 * c2 * b])

    def force(t, q, v):
        n = 0 * v[0]
        return np.array([n, n, G + n, n, n, G + n])

    def potential(q):
        return -G * (q[2] + q[5])

    one, two = angles
    q0 = [one, l / 2 * np.sin(one), l / 2 * np.cos(one)]
    q0 += [two, l * np.sin(one) + l / 2 * np.sin(two), l * np.cos(one) + l / 2 * np.cos(two)]
    mass = np.diag([inertia, 1.0, 1.0, inertia, 1.0, 1.0])
    return System.from_functions(
        mass, force, phi, jacobian, gamma, q0=q0, v0=np.zeros(6), potential=potential, name="double pendulum"
    )


def rod():
    """Spec 003, section 6: q = (x, y, phi), phi from the downward vertical, starts horizontally at rest."""
    s, inertia = 0.5, 1 / 12

    def phi(t, q):
        return np.array([q[0] - s * np.sin(q[2]), q[1] + s * np.cos(q[2])])

    def jacobian(t, q):
        n = 0 * q[0]
        return np.array([[1 + n, n, -s * np.cos(q[2])], [n, 1 + n, -s * np.sin(q[2])]])

    def gamma(t, q, v):
        return np.array([-s * np.sin(q[2]) * v[2] * v[2], s * np.cos(q[2]) * v[2] * v[2]])

    def force(t, q, v):
        return np.array([0 * v[0], -G + 0 * v[0], 0 * v[0]])

    def potential(q):
        return G * q[1]

    return System.from_functions(
        np.diag([1.0, 1.0, inertia]),
        force,
        phi,
        jacobian,
        gamma,
        q0=[s, 0.0, np.pi / 2],
        v0=np.zeros(3),
        potential=potential,
        name="rod",
    )


def sliding_pendulum():
    """Spec 002, section 6, case A: x horizontal, y vertical, angle from the horizontal; the pivot slides on a horizontal line."""
    m, inertia, rho = 2.0, 0.06, 0.4

    def phi(t, q):
        return np.array([q[1] - rho * np.sin(q[2])])

    def jacobian(t, q):
        n = 0 * q[0]
        return np.array([[n, 1 + n, -rho * np.cos(q[2])]])

    def gamma(t, q, v):
        return np.array([-rho * np.sin(q[2]) * v[2] * v[2]])

    def force(t, q, v):
        return np.array([0 * v[0], -m * G + 0 * v[0], 0 * v[0]])

    def potential(q):
        return m * G * q[1]

    return System.from_functions(
        np.diag([m, m, inertia]),
        force,
        phi,
        jacobian,
        gamma,
        q0=[0.0, rho * np.sin(0.3), 0.3],
        v0=[0.5, -1.2 * rho * np.cos(0.3), -1.2],
        potential=potential,
        name="sliding pendulum",
    )


def random_system(redundant=False, seed=1):
    """8 coordinates, 3 curved constraints, dense M; with `redundant` a fourth row that depends on two of the others."""
    rng = np.random.default_rng(seed)
    root, a, b = rng.normal(size=(8, 8)), rng.normal(size=(3, 8)), rng.normal(size=(3, 8))
    push, q0, v0 = rng.normal(size=8), rng.normal(size=8), rng.normal(size=8)
    offset = a @ q0 + (b @ q0) ** 2

    def phi(t, q):
        bend = (b * q).sum(axis=1)
        rows = (a * q).sum(axis=1) + bend * bend - offset
        if redundant:
            return np.array([rows[0], rows[1], rows[2], rows[0] - 2 * rows[1]])
        return np.array([rows[0], rows[1], rows[2]])

    def force(t, q, v):
        return push + 0.1 * v * v

    return System.from_functions(root @ root.T + np.eye(8), force, phi, q0=q0, v0=v0, name="random")
