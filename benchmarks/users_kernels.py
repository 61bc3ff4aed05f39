"""Kernels that call users' functions, alone, against a revision: `users_kernels.py REVISION-OR-FOLDER [ROUNDS]`.

Each case is a system with one element by a function; only the kernel of that element is called, in compiled code, CALLS times.
What it is asked for: "velocity" is Phi, G, phi_dot and gamma of a row, or the load alone, "newton" adds K, D, d(G v)/dq. Two
processes live side by side, as in ab.py, and are asked in turn; the best of all rounds counts. CPU time.
"""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

CALLS, ROUNDS = 20000, 15
TABLE_X, TABLE_F = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([1.0, 0.0, -2.0, -3.0])


def screw(t, a, b, p):
    """Two rows of points and one direction."""
    dx, dy, dz = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    height = a.R[0][2] * dx + a.R[1][2] * dy + a.R[2][2] * dz
    return height - p[0] * np.sin(2.0 * t), dx * dx + dy * dy + dz * dz - p[1]


def rod(t, a, b, p):
    """One row of points."""
    dx, dy, dz = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    return (dx * dx + dy * dy + dz * dz - p[0],)


def pin(t, a, b, p):
    """Five rows of points and directions."""
    dx, dy, dz = b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]
    z = b.R[0][2], b.R[1][2], b.R[2][2]
    return (
        dx,
        dy,
        dz,
        a.R[0][0] * z[0] + a.R[1][0] * z[1] + a.R[2][0] * z[2],
        a.R[0][1] * z[0] + a.R[1][1] * z[1] + a.R[2][1] * z[2],
    )


def cam(t, a, b, p):
    """One row with powers and a sine."""
    r = np.sqrt((b.x[0] - a.x[0]) ** 2 + (b.x[1] - a.x[1]) ** 2 + 0.01)
    return (b.x[2] - a.x[2] - p[0] * np.sin(3.0 * r) * np.exp(-r),)


def skate(t, a, b, p):
    """One nonholonomic row."""
    return (b.v[0] * b.R[0][1] + b.v[1] * b.R[1][1] + b.v[2] * b.R[2][1],)


def drag(t, a, b, p):
    """A load with friction of the air, a spring and a moment."""
    u, v, w = b.v[0] - a.v[0], b.v[1] - a.v[1], b.v[2] - a.v[2]
    size = np.sqrt(u * u + v * v + w * w + 0.01)
    pull = p[1] * (b.x[0] - a.x[0])
    return -p[0] * size * u - pull, -p[0] * size * v, -p[0] * size * w, 0.0, 0.1 * b.w[2], np.cos(t) * b.R[2][2]


def hardening(t, x, v):
    """A law without branches."""
    return -3.0 * x - 2.0 * x * x * x - 0.3 * np.sin(v)


def made(case):
    """(system, level of the kernel: number of the stage it belongs to) of a case."""
    import bricard as br

    model = br.Model(case)
    model.body("a", mass=1.0, inertia=(1.0, 1.2, 1.5), position=(0.1, 0.2, 0.3))
    model.body("b", mass=1.0, inertia=(1.0, 1.2, 1.5), position=(0.4, 0.1, 0.9))
    rows = {"rod": (rod, 1, (0.46,)), "screw": (screw, 2, (0.6, 0.46)), "pin": (pin, 5, ()), "cam": (cam, 1, (0.2,))}
    if case in rows:
        function, count, p = rows[case]
        model.joint("own", "a", "b", function, rows=count, parameters=p)
    elif case == "skate":
        model.nonholonomic("own", "a", "b", skate, rows=1)
    elif case == "rolling":
        model.rolling_disc("own", "b", 0.9, axis=(0, 1, 0), centre=(0.4, 0.1, 0.9))
    elif case == "drag":
        model.user_force("own", "a", "b", drag, parameters=(0.3, 2.0))
    else:
        model.spring("own", "a", "b", (0.1, 0.2, 0.3), (0.4, 0.1, 0.9), law=hardening)
    return model.build(), 1 if case in (*rows, "skate", "rolling") else 2


CASES = ("rod", "screw", "pin", "cam", "skate", "rolling", "drag", "law")


def prepared():
    """Case and what is asked for -> a function without arguments that calls the kernel CALLS times."""
    from numba import njit

    from bricard.compiled.handles import pack
    from bricard.compiled.interfaces import ENERGY, KERNEL, RATE, REFRESH, TANGENT, VELOCITY

    call_kernel = KERNEL.call

    @njit
    def repeat(count, k, flags, system, work):
        for _ in range(count):
            call_kernel(system.kernels[k], 0.3, flags, system.first[k], system.first[k + 1], system, work)

    wishes = {"velocity": VELOCITY, "newton": VELOCITY | TANGENT | RATE | REFRESH}
    found = {}
    for case in CASES:
        system, stage = made(case)
        record, rng, work = system.record, np.random.default_rng(7), system.work()
        k = int(record.stage[stage])
        q, v = system.start.copy(), rng.normal(size=system.n_v)
        first = system.evaluated(0.3, q, v, VELOCITY)  # poses and measures
        for name in ("x", "rotation", "velocity", "value", "speed", "gradient", "slope", "bias", "curvature"):
            if hasattr(first, name):
                np.copyto(getattr(work, name), getattr(first, name))
        work.lam[:] = 1.0
        packed, compiled = pack(work), system.compiled
        for wish, flags in wishes.items():
            flags |= ENERGY if stage == 2 else 0
            repeat(10, k, flags, compiled, packed)
            found[f"{case} {wish}"] = lambda k=k, flags=flags, s=compiled, w=packed, keep=(system, work): repeat(
                CALLS, k, flags, s, w
            )
    return found


def serve():
    """Answer names of cases with CPU nanoseconds per call."""
    cases = prepared()
    print(json.dumps(list(cases)), flush=True)
    for line in sys.stdin:
        begun = time.process_time()
        cases[line.strip()]()
        print((time.process_time() - begun) / CALLS * 1e9, flush=True)


def main(tree, rounds):
    """Ask both trees in turn, and print a table."""
    trees, sides = (Path(__file__).resolve().parents[1], Path(tree)), []
    for folder in trees:
        environment = os.environ | {"PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        sides.append(subprocess.Popen(command, text=True, env=environment, cwd=folder, **pipes))
    names, _ = (json.loads(side.stdout.readline()) for side in sides)
    best = {name: [math.inf, math.inf] for name in names}
    for turn in range(rounds):
        for name in names:
            for i in (0, 1) if turn % 2 else (1, 0):
                sides[i].stdin.write(name + "\n")
                sides[i].stdin.flush()
                best[name][i] = min(best[name][i], float(sides[i].stdout.readline()))
    print(f"{'kernel':18} {'this tree':>10} {'other':>10}  times faster")
    for name, (own, other) in best.items():
        print(f"{name:18} {own:7.0f} ns {other:7.0f} ns  {other / own:5.2f}")
    for side in sides:
        side.stdin.close()
        side.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        from ab import checked_out

        tree = sys.argv[1] if Path(sys.argv[1]).is_dir() else checked_out(sys.argv[1])[0]
        main(tree, int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS)
