"""Random vehicles on wheels and blades whose rows are redundant on the constraints only (V4), and how methods fare on them.

python -m lab.wheels N --first SEED     N vehicles of the seeds from SEED on, in absolute and in relative coordinates

Every vehicle has a size of its own and is run by five formulations at three fixed steps and by five with error control. Printed
is what fails and what ends without a failure, but far from the reference or without the order that it should have; at the end
how many runs of each method were right.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter

import numpy as np

import bricard as br

DURATION, SAMPLES = 1.6, np.linspace(0.0, 1.6, 17)
STEPS, RTOL = (4e-3, 2e-3, 1e-3), 1e-7
FALL, FLOOR = 0.3, 1e-8  # of errors when the step is halved, in the mean, a quarter and some; errors that need not fall
FAR = 1e4 * RTOL  # to which errors of steps may grow along the path, in units of the vehicle and of its energy
FIXED = {
    "index3": {"formulation": "index3", "integrator": "generalized-alpha"},
    "index2": {"formulation": "index2", "integrator": "hht"},
    "overdetermined": {"formulation": "overdetermined", "integrator": "rattle"},
    "index1": {"formulation": "index1", "integrator": "heun"},
    "baumgarte": {"formulation": "baumgarte", "integrator": "rk4"},
}
ADAPTIVE = {
    "index3": {"formulation": "index3", "integrator": "bdf"},
    "ggl": {"formulation": "ggl", "integrator": "radau5"},
    "index1": {"formulation": "index1", "integrator": "dopri5"},
    "svd": {"formulation": "svd", "integrator": "dopri5"},
    "chosen": {},
}
METHODS = [f"fixed {name}" for name in FIXED] + [f"adaptive {name}" for name in ADAPTIVE]
COORDINATES = ("absolute", "relative")
REFERENCE = {"formulation": "index1", "integrator": "dop853", "rtol": 1e-11, "output": SAMPLES}


def vehicle(seed, axles, floor=True, blades=0):
    """Hinged carriages with two or three discs on an axle each, turning by more than half a turn on a tilted plane.

    floor : whether a planar joint keeps the first carriage upright; else only its wheels do, and it swings about its axle.
    blades : knife edges on the line of the first axle, which say once more that it does not slide along itself.
    """
    rng = np.random.default_rng(seed)
    heading, radius, units = rng.uniform(0.0, 2.0 * np.pi), 0.1, 10.0 ** rng.uniform(-1.0, 1.0)
    c, s = np.cos(heading), np.sin(heading)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def place(*x):
        return tuple(units * (turned @ np.array(x) + [0.0, 0.0, radius]))

    model = br.Model("vehicle", gravity=tuple(units * np.array([*rng.uniform(-2.0, 2.0, 2), -9.8])))
    before = model.ground
    for k in range(axles):
        inertia = units**2 * rng.uniform(0.01, 0.02, 3)
        body = model.body(f"carriage {k}", mass=0.3, inertia=tuple(inertia), position=place(-k, 0, 0), rotation=turned)
        if k:
            model.revolute(
                "hitch" if k == 1 else f"hitch {k}", before, body, point=place(0.5 - k, 0, 0), axis=(0, 0, 1)
            )
        elif floor:
            model.planar("floor", before, body, place(0, 0, 0), (0, 0, 1))
        for i, y in enumerate(np.linspace(-0.25, 0.25, int(rng.integers(2, 4)))):
            wheel_inertia = units**2 * radius**2 * np.array([0.3, 0.5, 0.3])
            at, axle = place(-k, y, 0), tuple(turned[:, 1])
            wheel = model.body(f"wheel {k}{i}", mass=0.5, inertia=tuple(wheel_inertia), position=at, rotation=turned)
            model.revolute(f"axle {k}{i}", body, wheel, point=at, axis=axle)
            model.rolling_disc(f"road {k}{i}", wheel, units * radius, axis=axle)
        before = body
    for k in range(blades):
        model.knife_edge(f"blade {k}", "carriage 0", point=place(0, 0.1 * k, 0), direction=tuple(turned[:, 1]))
    if floor:
        model.start(joint="floor.angle", velocity=2.4)
    else:
        model.start(body="carriage 0", angular_velocity=(0, 0, 2.4))
    model.start(joint="axle 00", velocity=6.0)
    return model, units


def random_vehicle(seed):
    """A vehicle with one to three axles, and its unit of length."""
    rng = np.random.default_rng([seed, 1])
    axles = int(rng.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))
    floor, blades = bool(rng.random() < 0.7), int(rng.choice([0, 0, 1, 2]))
    return vehicle(seed, axles, floor, blades)


class Track:
    """The system of a vehicle, with the path of its last carriage by the reference, in its own units."""

    def __init__(self, model, units, coordinates):
        self.system, self.units = model.build(coordinates=coordinates), units
        self.body = [name for name in model.bodies if name.startswith("carriage")][-1]
        found = br.simulate(self.system, DURATION, **REFERENCE)
        self.path, self.energy = found.point(self.body) / units, found.energy.kinetic.max()

    def run(self, **how):
        """Largest error of the path, and of the energy in shares of the largest kinetic one."""
        found = br.simulate(self.system, DURATION, output=SAMPLES, **how)
        lost = np.abs(found.energy.error).max() / self.energy
        return np.abs(found.point(self.body) / self.units - self.path).max(), lost


def faults(track):
    """(method, words) of all that is wrong on one track."""
    found = {}
    for name, how in FIXED.items():
        try:
            errors = [track.run(step=step, **how)[0] for step in STEPS]
        except br.BricardError as error:
            found[f"fixed {name}"] = f"{type(error).__name__}: {str(error)[:200]}"
            continue
        if not errors[-1] < max(FALL ** (len(errors) - 1) * errors[0], FLOOR):  # exchanges of rows come at other times
            found[f"fixed {name}"] = "errors " + " ".join(f"{e:.2e}" for e in errors)
    for name, how in ADAPTIVE.items():
        try:
            error, lost = track.run(rtol=RTOL, **how)
        except br.BricardError as wrong:
            found[f"adaptive {name}"] = f"{type(wrong).__name__}: {str(wrong)[:200]}"
            continue
        if not max(error, lost) < FAR:
            found[f"adaptive {name}"] = f"error {error:.1e}, of the energy {lost:.1e}"
    return found


def table(count, wrong):
    """Runs without a fault, by method and coordinates; wrong: Counter of (coordinates, method)."""
    lines = [f"{'':24}" + "".join(f"{name:>12}" for name in COORDINATES)]
    for method in METHODS:
        lines.append(f"{method:24}" + "".join(f"{count - wrong[c, method]:12}" for c in COORDINATES))
    return "\n".join([*lines, f"right, of {count} vehicles"])


def main(arguments: list[str] | None = None) -> int:
    """Run vehicles and print what is wrong with them; 1 if there is anything."""
    parser = argparse.ArgumentParser(prog="python -m lab.wheels", description=__doc__)
    parser.add_argument("count", type=int, help="number of vehicles")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    given = parser.parse_args(arguments)
    wrong, began = Counter(), time.process_time()
    for seed in range(given.first, given.first + given.count):
        model, units = random_vehicle(seed)
        for coordinates in COORDINATES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found = faults(Track(model, units, coordinates))
                except br.BricardError as error:
                    found = dict.fromkeys(METHODS, f"reference: {type(error).__name__}: {str(error)[:200]}")
            for method, words in found.items():
                wrong[coordinates, method] += 1
                sys.stdout.write(f"{seed} {coordinates}, {len(model.bodies)} bodies, {method}: {words}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{table(given.count, wrong)}; {time.process_time() - began:.0f} s\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
