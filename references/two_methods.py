"""End values of problems without a small equation, by two formulations and two integrators at tight tolerance.

The first is index 1 with an explicit method of order 8 (`index1`, `dop853`); the second solves the stabilised index-2 equations
with an implicit one of order 5 (`ggl`, `radau5`), or, for rolling bodies and for Bennett's linkage, integrates independent
coordinates with a multistep method (`coordinate-partitioning`, `adams`). They share the model, its kernels and double precision:
their difference, which is published as the accuracy, tells about time integration and constraints.

Run: python references/two_methods.py [NAME ...]; writes src/bricard/problems/references/NAME.toml.
"""

from __future__ import annotations

import sys

import mpmath as mp
from writing import sizes, write

from bricard.problems import PROBLEMS

FIRST = {"formulation": "index1", "integrator": "dop853", "rtol": 1e-13}
SECOND = {"formulation": "ggl", "integrator": "radau5", "rtol": 1e-11}
NULL = {"formulation": "coordinate-partitioning", "integrator": "adams", "rtol": 1e-12}
# problem -> times (s), second method
CASES = {
    "bricard": ((9.0, 10.0), SECOND),
    "flyball-governor": (tuple(0.5 * k for k in range(1, 21)), SECOND),
    "bicycle": ((5.0,), None),
    "stiff-double-pendulum": ((5.0,), SECOND),
    "spinning-top": ((1.0,), SECOND),
    "shock-wave-chain": ((0.2,), SECOND),
    "spatial-slider-crank": ((5.0,), SECOND),
    "halved-slider-crank": ((2.0,), SECOND),
    "rssr": ((2.0,), SECOND),
    "bennett": ((5.0,), None),
    "stewart-platform": ((2.0,), SECOND),
    "rolling-disc": ((5.0,), None),
    "gyroscope": ((2.0,), SECOND),
    "suspension": ((1.5,), SECOND),
}


def ends(problem, times, settings):
    """Outputs at the times."""
    found, solution = [], None
    for k, time in enumerate(times):
        before = times[k - 1] if k else 0.0
        settings = {**settings, "output": 1001, "progress": False}
        solution = problem.run(time, **settings) if solution is None else again(solution, time - before, settings)
        found.append({output.name: float(output.value(solution)[-1]) for output in problem.outputs})
    return found


def again(solution, duration, settings):
    """Go on."""
    from bricard import simulate

    return simulate(solution, duration, **settings)


def main(chosen):
    """All problems, or those named."""
    for name, (times, second) in CASES.items():
        if chosen and name not in chosen:
            continue
        problem = PROBLEMS[name]
        one, two = ends(problem, times, FIRST), ends(problem, times, second or NULL)
        words = [f"{m['formulation']} + {m['integrator']} at {m['rtol']:g}" for m in (FIRST, second or NULL)]
        entries = []
        largest = sizes(name, times[-1], {})
        for time, a, b in zip(times, one, two, strict=True):
            size = {
                o.name: 1.0 if o.unit == "rad" else largest[o.name] for o in problem.outputs
            }  # as Mechanism.error()
            gap = max(abs(a[key] - b[key]) / max(abs(a[key]), size[key]) for key in a)
            print(f"{name} {time:g} s: {gap:.1e}", flush=True)
            entry = {"time": time, "values": {key: mp.mpf(value) for key, value in a.items()}, "digits": 15}
            entry |= {"accuracy": max(float(f"{gap:.1e}"), 1e-13), "generator": "two_methods.py"}
            entries.append(entry | {"provenance": f"{words[0]}; {words[1]} agrees to {gap:.1e}"})
        write(name, entries)


if __name__ == "__main__":
    main(sys.argv[1:])
