"""End values of problems that come down to one or two coordinates, in 40 digits.

Each is written here in minimal coordinates, by hand and without anything of the package, and integrated twice by extrapolation.

Run: python references/small_systems.py [NAME ...]; writes src/bricard/problems/references/NAME.toml.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import mpmath as mp
from extrapolation import certain
from gmpy2 import const_pi, cos, mpfr, sin, sqrt
from writing import write

G = mpfr("9.81")
HALF = mpfr("0.5")
PI = const_pi()


@dataclass
class Case:
    """An initial value problem y' = f(t, y) and what of its end is compared."""

    f: Callable
    start: list
    end: str
    steps: int
    outputs: Callable
    options: dict = field(default_factory=dict)


def one_freedom(inertia, slope, potential):
    """theta'' of T = J(theta) theta'^2 / 2 and V(theta): functions J, dJ/dtheta and dV/dtheta."""

    def f(_, y):
        return [y[1], -(slope(y[0]) * y[1] ** 2 / 2 + potential(y[0])) / inertia(y[0])]

    return f


def swinging(J, S):
    """A body or linkage that turns as one pendulum: J theta'' = -g S cos(theta), theta from the horizontal."""
    return one_freedom(lambda _: J, lambda _: mpfr(0), lambda a: G * S * cos(a))


def top(y):
    """The point (cos, sin) of the first bar."""
    return {"B0.x": mp.cos(y[0]), "B0.y": mp.sin(y[0])}


def equal_rods(speed):
    """Slider-crank of equal rods of 1 m and 1 kg, 0.1 m square: the rod leans as the crank does, mirrored."""
    own = (1 + mpfr("0.01")) / 12

    def J(a):
        return own + mpfr("0.25") + own + mpfr("2.25") * sin(a) ** 2 + mpfr("0.25") * cos(a) ** 2

    f = one_freedom(J, lambda a: 4 * sin(a) * cos(a), lambda a: G * cos(a))
    return f, [PI / 4, mpfr(speed) / sqrt(mpfr(2))]


def slider_crank():
    """Crank 0.5 m, rod 1 m, slider, 1 kg each, round bars of radius length / 100; J by kinematics, its slope written out."""
    l, r = HALF, mpfr(1)
    crank = l**2 / 3 + (l / 100) ** 2 / 4
    own = r**2 / 12 + (r / 100) ** 2 / 4

    def parts(a):
        s, c = sin(a), cos(a)
        sb = -l * s / r
        cb = sqrt(1 - sb * sb)
        d = -l * c / (r * cb)  # dphi/dtheta of the rod
        dd = l * s / (r * cb) + sb * d * d / cb  # its derivative, from cb d = -l c / r
        x, dx = -l * s - r * sb * d, -l * c - r * cb * d * d - r * sb * dd
        u, du = -l * s - r * sb * d / 2, -l * c - r * (cb * d * d + sb * dd) / 2
        w, dw = l * c + r * cb * d / 2, -l * s + r * (-sb * d * d + cb * dd) / 2
        J = crank + u * u + w * w + own * d * d + x * x
        return J, 2 * (u * du + w * dw + own * d * dd + x * dx)

    def f(_, y):
        J, slope = parts(y[0])
        return [y[1], -(slope * y[1] ** 2 / 2 + G * l * cos(y[0])) / J]

    return f


def two_rods(lengths, masses, inertias, torques=None):
    """Double pendulum in the angles from the downward vertical: 2 x 2 equations, torques on (first, second) if there are any."""
    (l1, l2), (m1, m2), (j1, j2) = lengths, masses, inertias

    def f(t, y):
        a, b, p, r = y
        c, s = cos(a - b), sin(a - b)
        a11, a12, a22 = j1 + m1 * l1 * l1 / 4 + m2 * l1 * l1, m2 * l1 * l2 * c / 2, j2 + m2 * l2 * l2 / 4
        load = torques(y) if torques else (0, 0)
        b1 = load[0] - m2 * l1 * l2 * r * r * s / 2 - G * l1 * sin(a) * (m1 / 2 + m2)
        b2 = load[1] + m2 * l1 * l2 * p * p * s / 2 - m2 * G * l2 * sin(b) / 2
        det = a11 * a22 - a12 * a12
        return [p, r, (a22 * b1 - a12 * b2) / det, (a11 * b2 - a12 * b1) / det]

    return f


def moving_pendulum(driven):
    """x1 and x3; x2 = rho sin x3."""
    m, J, rho = mpfr(2), mpfr("0.06"), mpfr("0.4")

    def f(t, y):
        _, a, u, w = y
        c, s = cos(a), sin(a)
        push = mpfr("1.5") * cos(3 * t) if driven else mpfr(0)
        turn = mpfr("0.05") * sin(2 * t) - mpfr("0.02") * w if driven else mpfr(0)
        # (J + m rho^2 c^2) a'' - m rho^2 c s a'^2 = -m g rho c + turn
        return [u, w, push / m, (turn - m * G * rho * c + m * rho**2 * c * s * w * w) / (J + m * rho**2 * c * c)]

    return f


def chain(n):
    """n rods of 1 m and 1 kg in absolute angles, round bars of radius 1 cm."""
    own = mpfr(1) / 12 + mpfr("0.0001") / 4

    def f(_, y):
        a, w = y[:n], y[n:]
        rows = []
        for i in range(n):
            row, rhs = [], -G * (n - 1 - i + HALF) * cos(a[i])
            for j in range(n):
                weight = n - 1 - max(i, j) + HALF if i != j else n - 1 - i + mpfr("0.25") + own
                row.append(weight * cos(a[i] - a[j]))
                rhs -= weight * sin(a[i] - a[j]) * w[j] ** 2
            rows.append([*row, rhs])
        return [*w, *gauss(rows)]

    return f


def gauss(a):
    """Solution of a positive definite system, its matrix with the right-hand side as last column."""
    n = len(a)
    for i in range(n):
        for k in range(i + 1, n):
            factor = a[k][i] / a[i][i]
            for j in range(i, n + 1):
                a[k][j] -= factor * a[i][j]
    x = [mpfr(0)] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def car_axis():
    """Car axis in s, the height of the left end along the perpendicular of the ground, and the axle's angle from x."""
    L, L0, r, omega, k = mpfr(1), HALF, mpfr("0.1"), mpfr(10), mpfr("5e-4")

    def f(t, y):
        s, a, u, w = y
        yb = r * sin(omega * t)
        dyb, ddyb = r * omega * cos(omega * t), -(omega**2) * yb
        psi = yb / L  # sin of the ground's angle
        cb = sqrt(1 - psi * psi)
        p = dyb / (L * cb)  # the ground's angle turns
        dp = ddyb / (L * cb) + psi * p * p / cb
        n, tangent = (-psi, cb), (cb, psi)
        left = (s * n[0], s * n[1])
        # acceleration of the left end: s'' n + rest, n' = -p tangent
        rest = tuple(-2 * u * p * b - s * (dp * b + p * p * c) for b, c in zip(tangent, n, strict=True))
        e, g = (cos(a), sin(a)), (-sin(a), cos(a))
        xb = L * cb
        right = (left[0] + L * e[0] - xb, left[1] + L * e[1] - yb)
        fl = L0 / abs_(left) - 1
        fr = L0 / abs_(right) - 1
        Fl = (fl * left[0], fl * left[1] - k)
        Fr = (fr * right[0], fr * right[1] - k)
        swing = tuple(-L * w * w * x for x in e)
        # unknown s'', a'': k (left'' . dleft + right'' . dright) = forces . displacements
        a11, a12, a22 = 2 * k, k * L * dot(n, g), k * L * L
        b1 = dot(Fl, n) + dot(Fr, n) - k * (2 * dot(rest, n) + dot(swing, n))
        b2 = L * dot(Fr, g) - k * L * (dot(rest, g) + dot(swing, g))
        det = a11 * a22 - a12 * a12
        return [u, w, (a22 * b1 - a12 * b2) / det, (a11 * b2 - a12 * b1) / det]

    def outputs(y):
        s, a, u, w = y
        t = mp.mpf(3)
        yb = mp.mpf("0.1") * mp.sin(10 * t)
        cb = mp.sqrt(1 - yb**2)
        p = mp.cos(10 * t) / cb
        left, rate = (-s * yb, s * cb), (-u * yb - s * p * cb, u * cb - s * p * yb)
        e = (mp.cos(a), mp.sin(a))
        values = (*left, left[0] + e[0], left[1] + e[1])
        rates = (*rate, rate[0] - w * e[1], rate[1] + w * e[0])
        names = ("xl", "yl", "xr", "yr")
        return dict(zip((*names, *(f"{x}'" for x in names)), (*values, *rates), strict=True))

    # s = yl = 1/2; xl' = -s p = -1/2 gives p = 1 = r omega, as it is
    return f, [HALF, mpfr(0), mpfr(0), mpfr(0)], outputs


def dot(a, b):
    """Of two plane vectors."""
    return a[0] * b[0] + a[1] * b[1]


def abs_(a):
    """Length of a plane vector."""
    return sqrt(a[0] * a[0] + a[1] * a[1])


def diagonal(a):
    """dV/dtheta of the four-bar with a spring, theta from the upright bar towards x."""
    d = sqrt(2 + 2 * sin(a))
    return -2 * G * sin(a) + 100 * (d - sqrt(mpfr(2))) * cos(a) / d


def cases():
    """Every case by the name of its problem."""
    names = ("A", "A'")
    zero, one = mpfr(0), mpfr(1)
    rod = HALF, HALF
    thin = mpfr("0.25") / 12
    twin = two_rods(rod, (one, one), (thin, thin))
    drive = lambda t, y: [y[1], mpfr("0.1") * sin(t / 10) - mpfr("9.8") * sin(y[0])]  # noqa: E731
    found = {
        "pendulum": [Case(swinging(one, one), [PI, zero], "10", 80, lambda y: angle(y, names, mp.pi))],
        "physical-pendulum": [
            Case(swinging(mpfr(1) / 3 + mpfr("0.0001") / 4, HALF), [zero, zero], "10", 80, lambda y: angle(y, names))
        ],
        "double-four-bar": [Case(swinging(*bars(2)), [PI / 2, -one], "10", 80, top)],
        "n-four-bar": [
            Case(swinging(*bars(2)), [PI / 2, -one], "10", 80, top, {"loops": 2}),
            Case(swinging(*bars(40)), [PI / 2, -one], "10", 80, top),
        ],
        "four-bar": [Case(swinging(*bars(1)), [PI / 2, one], "10", 80, lambda y: renamed(top(y), "B0", "P1"))],
        "parallelogram": [parallelogram(names)],
        "slider-crank-thesis": [Case(*equal_rods(4), "10", 400, lambda y: renamed(top(y), "B0", "B"))],
        "slider-crank-rest": [Case(*equal_rods(0), "10", 400, lambda y: renamed(top(y), "B0", "B"))],
        "slider-crank-peer": [
            Case(slider_crank(), [PI / 2, mpfr(-8)], "5", 700, lambda y: renamed(top(y), "B0", "B", mp.mpf("0.5")))
        ],
        "driven-pendulum": [Case(drive, [zero, zero], "60", 240, lambda y: {"A": y[0]})],
        "double-pendulum": [
            Case(twin, start, end, steps, lambda y: {"phi1": y[0], "phi2": y[1]}, options)
            for start, end, steps, options in (
                ([zero, zero, one, one], "5", 80, {"case": "B"}),
                ([mpfr(2), mpfr("2.5"), zero, zero], "2", 320, {"case": "C"}),
                ([PI / 3, PI / 6, zero, zero], "5", 240, {}),
            )
        ],
        "moving-pendulum": [
            Case(moving_pendulum(driven), [zero, mpfr("0.3"), HALF, mpfr("-1.2")], "3", 120, sliding, options)
            for driven, options in ((True, {"case": "B"}), (False, {}))
        ],
        "four-bar-spring": [
            Case(one_freedom(lambda _: stiff(), lambda _: zero, diagonal), [zero, -HALF], "5", 80, leaning)
        ],
        "chain": [
            Case(chain(n), [zero] * (2 * n), "1", steps, lambda y, n=n: tip(y, n), options)
            for n, steps, options in ((2, 40, {"links": 2}), (10, 40, {}))
        ],
        "car-axis": [Case(*car_axis_case())],
    }
    return found


def car_axis_case():
    """The order of a Case."""
    f, start, outputs = car_axis()
    return f, start, "3", 300, outputs


def round_bar(mass, length):
    """Moment of inertia across a round bar of radius length / 100."""
    return mass * (length**2 / 12 + (length / 100) ** 2 / 4)


def bars(n):
    """J and S of N four-bars in a row, of round bars."""
    own = round_bar(mpfr(1), mpfr(1)) + mpfr("0.25")
    return (n + 1) * own + n, mpfr(n + 1) / 2 + n


def stiff():
    """J of three round bars of 1 m: two that turn, one that is carried round."""
    return 2 * (round_bar(mpfr(1), mpfr(1)) + mpfr("0.25")) + 1


def parallelogram(names):
    """Cranks of 1 m and 1 kg, coupler of 2 kg, radius 0.02 m; angle from the downward vertical at 1 rad."""
    own = mpfr(1) / 12 + mpfr("0.0004") / 4 + mpfr("0.25")
    J, S = 2 * own + 2, mpfr(3)
    f = one_freedom(lambda _: J, lambda _: mpfr(0), lambda a: G * S * sin(a))
    return Case(f, [mpfr(1), mpfr(0)], "5", 60, lambda y: angle(y, names, mp.mpf(1)))


def angle(y, names, start=0):
    """Angle since the start, and its rate."""
    return {names[0]: y[0] - start, names[1]: y[1]}


def leaning(y):
    """The bar leans towards x: the hinge about z turns the other way."""
    return {"A": -y[0]}


def sliding(y):
    """x1, x2, x3 of the moving pendulum."""
    return {"x1": y[0], "x2": mp.mpf("0.4") * mp.sin(y[1]), "x3": y[1]}


def tip(y, n):
    """Free end of the chain."""
    return {"tip.x": mp.fsum(mp.cos(a) for a in y[:n]), "tip.y": mp.fsum(mp.sin(a) for a in y[:n])}


def renamed(values, old, new, scale=1):
    """The same numbers for another point."""
    return {key.replace(old, new): scale * value for key, value in values.items()}


def main(chosen):
    """All problems, or those named."""
    for name, some in cases().items():
        if chosen and name not in chosen:
            continue
        entries = []
        for case in some:
            y, gap = certain(case.f, case.start, case.end, case.steps)
            print(f"{name} {case.options or ''}: runs differ by {gap:.1e}", flush=True)
            words = f"minimal coordinates, extrapolated midpoint rule in 40 digits; two resolutions agree to {gap:.1e}"
            entry = {"time": float(case.end), "values": case.outputs(y), "options": case.options or None}
            digits = int(min(25, max(12, -mp.log10(max(gap, 1e-30)) - 1)))
            entries.append(
                entry
                | {"accuracy": max(gap, 1e-25), "digits": digits, "provenance": words, "generator": "small_systems.py"}
            )
        write(name, entries)


if __name__ == "__main__":
    main(sys.argv[1:])
