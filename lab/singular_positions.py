"""null-space-newmark through singular positions, at every step size: `python -m lab.singular_positions --help`.

Four-bars whose bars fall through one line, one, two and forty of them, in the plane and in space. Each run must pass with an
energy error that falls with the square of the step, or stop with a sentence. So a line of the table is wrong where that error,
divided by the square of the step, exceeds that of the largest step by more than a tenth: it falls towards its limit for small
steps, and any jump adds to it. The motion is compared with that of one pendulum, which all of them are.
"""

import argparse
import sys

import numpy as np
from scipy.integrate import solve_ivp

from bricard.problems import PROBLEMS
from bricard.simulation import simulate

CASES = {"four-bar": 1, "double-four-bar": 2, "n-four-bar": 40}  # loops
RADIUS = 0.01  # of a Rod of 1 m, m
PLACES = {"plane": True, "space": False}
ALLOWED = 1.1  # of the error of the largest step, as the square of the step: 5000 samples do not meet the largest error exactly
COLUMNS = "problem,place,step (ms),energy (J),energy / step^2,levels,,,motion (rad),divided,status".split(",")


def pendulum(loops, t, speed):
    """Angle (n,) in rad of the bars at times t (n,) that begin at 0, upright with a speed in rad/s. The bars are round."""
    ratio = 9.81 * ((loops + 1) / 2 + loops) / ((loops + 1) * (1 / 3 + RADIUS**2 / 4) + loops)

    def fall(_, y):
        return y[1], -ratio * np.cos(y[0])

    return solve_ivp(fall, (0, t[-1]), (np.pi / 2, speed), "DOP853", t, rtol=1e-12, atol=1e-13).y[0] - np.pi / 2


def model(name, place):
    """A fresh model of a case."""
    options = {"loops": CASES[name]} if name == "n-four-bar" else {}
    return PROBLEMS[name].model(planar=PLACES[place], **options)


def line(name, system, step, duration):
    """One run: largest energy error (J), constraint levels, error of the motion (rad), divided steps, its end."""
    run = simulate(system, duration, step=step, integrator="null-space-newmark", check=False)
    joint, levels = "A" if name == "four-bar" else "A0", run.constraint_errors
    exact = pendulum(CASES[name], run.t, run.joint_velocity(joint)[0])
    return {
        "energy": float(np.abs(run.energy.error).max()),
        "levels": [float(x.max()) for x in (levels.position, levels.velocity, levels.acceleration)],
        "motion": float(np.abs(run.joint(joint) - exact).max()),
        "divided": int(run.counters["rejected"]),
        "ok": run.ok,
        "status": run.status,
    }


def main(arguments=None):
    """The table; 1 if a run is wrong."""
    parser = argparse.ArgumentParser(prog="python -m lab.singular_positions", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--places", nargs="+", choices=PLACES, default=list(PLACES))
    parser.add_argument(
        "--steps", type=float, nargs="+", default=np.geomspace(10.0, 0.2, 24), metavar="MS", help="largest first"
    )
    parser.add_argument("--duration", type=float, default=10.0, metavar="S")
    given, wrong = parser.parse_args(arguments), 0
    print(" | ".join(COLUMNS))
    for name in given.cases:
        for place in given.places:
            system, limit = model(name, place).build(), None
            for step in given.steps:
                h = 1e-3 * step
                found = line(name, system, h, given.duration)
                square = found["energy"] / h**2
                if found["ok"] and limit is None:
                    limit = ALLOWED * square
                bad = found["ok"] and not square <= limit
                wrong += bad
                numbers = (f"{x:.2g}" for x in (found["energy"], square, *found["levels"], found["motion"]))
                said = "WRONG" if bad else "ok" if found["ok"] else found["status"]
                print(" | ".join((name, place, f"{step:.4g}", *numbers, str(found["divided"]), said)), flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
