"""The nine cases on which packages are compared: the mechanism, its span, the end that counts, and its reference.

Chains of 2 to 1000 rods, N-four-bars with 2 and 40 loops, Bricard's linkage, a slider-crank and Andrews' squeezer; the same
mechanisms, ends and errors for everybody. peers.json holds the reference ends with their accuracy (made by
references/peer_cases.py and references/andrews.py) and the best times that a survey of other packages found.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import cos, pi
from typing import Any

import numpy as np

from ..model import Model, Rod
from ..problems.andrews import andrews_testset
from ..problems.bricard import bricard

TARGETS = (1e-4, 1e-6, 1e-8)


@cache
def stored() -> dict[str, Any]:
    """The content of peers.json."""
    return json.loads((files("bricard.bench") / "peers.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Case:
    """One case. `end(poses)` is what the reference is for, poses as in compare_run.ended; `goal`: how many times faster than the
    best of the others we want to be."""

    name: str
    model: Callable[[], Model]
    span: float
    end: Callable[[Any], np.ndarray]
    goal: float
    relative: bool = False  # error: the largest relative one of the components, in place of their distance
    depth: bool = False  # packages with trees: the deep tree instead of the wide one

    @property
    def reference(self) -> np.ndarray:
        """Where the end is."""
        return np.array(stored()["references"][self.name]["value"])

    def error(self, poses: dict[str, np.ndarray]) -> float:
        """Distance of the end from the reference, or its largest relative error."""
        reference = self.reference
        here = self.end(poses)[: reference.size]
        if self.relative:
            return float(np.abs((here - reference) / reference).max())
        return float(np.linalg.norm(here - reference))


def thin(start, end) -> Rod:
    """A rod of 1 kg without thickness: its moment of inertia is that of the cases to the last digit."""
    return Rod(start, end, mass=1.0, radius=1e-9)


def four_bars(loops: int) -> Model:
    """Upright rods of 1 m and 1 kg, rods between their tops; the tops move with 1 m/s along x."""
    model = Model(f"{loops} four-bars", planar=True)
    bars = [model.body(f"bar {k}", thin((k, 0, 0), (k, 1, 0))) for k in range(loops + 1)]
    tops = [model.body(f"top {k}", thin((k, 1, 0), (k + 1, 1, 0))) for k in range(loops)]
    for k, bar in enumerate(bars):
        model.pin(f"A{k}", model.ground, bar, (k, 0, 0))
    for k, top in enumerate(tops):
        model.pin(f"B{k}", bars[k], top, (k, 1, 0))
        model.pin(f"C{k}", top, bars[k + 1], (k + 1, 1, 0))
    model.start(joint="A0", velocity=-1.0)
    return model


def chain(links: int) -> Model:
    """Rods of 1 m and 1 kg in a row along x, at rest; the first one hinged at the origin."""
    model = Model(f"chain of {links}", planar=True)
    before = model.ground
    for k in range(links):
        rod = model.body(f"rod {k}", thin((k, 0, 0), (k + 1, 0, 0)))
        model.pin(f"J{k}", before, rod, (k, 0, 0))
        before = rod
    return model


def slider_crank() -> Model:
    """Crank of 0.5 m, upright, turning with -8 rad/s; rod of 1 m; slider on the x axis; 1 kg each."""
    model, foot = Model("slider-crank", planar=True), cos(pi / 6)
    crank = model.body("crank", thin((0, 0, 0), (0, 0.5, 0)))
    rod = model.body("rod", thin((0, 0.5, 0), (foot, 0, 0)))
    slider = model.body("slider", mass=1.0, inertia=1e-3, position=(foot, 0, 0))
    model.pin("A", model.ground, crank, (0, 0, 0))
    model.pin("B", crank, rod, (0, 0.5, 0))
    model.pin("C", rod, slider, (foot, 0, 0))
    model.slider("S", model.ground, slider, (foot, 0, 0), (1, 0, 0))
    model.start(joint="A", velocity=-8.0)
    return model


def tip(body: str, length: float = 1.0, axis: int = 0):
    """The far end of a rod: half a length from the middle of the body along one of its axes."""
    return lambda poses: poses[body][:, 0] + 0.5 * length * poses[body][:, 1 + axis]


def joint_angles(poses) -> np.ndarray:
    """The seven angles of Andrews' mechanism in the test set; whole turns as in the reference."""
    b, t, g, pd, d, oe, e = (np.arctan2(pose[1, 1], pose[0, 1]) for pose in poses.values())
    angles, reference = np.array([b, t - b, g, pd - d, d, oe - e, e]), stored()["references"]["andrews"]["value"]
    return angles + 2.0 * pi * np.round((reference - angles) / (2.0 * pi))


CASES = {
    case.name: case
    for case in (
        *(Case(f"chain{n}", lambda n=n: chain(n), 1.0, tip(f"rod {n - 1}"), 2.0) for n in (2, 10, 100, 1000)),
        *(Case(f"fourbar{n}", lambda n=n: four_bars(n), 10.0, tip("bar 0"), 10.0) for n in (2, 40)),
        Case("bricard", bricard, 9.0, tip("rod 3", axis=2), 10.0, depth=True),
        Case("slidercrank", slider_crank, 5.0, tip("crank", 0.5), 10.0),
        Case("andrews", andrews_testset, 0.03, joint_angles, 10.0, relative=True),
    )
}


def published(case: str, target: float) -> dict[str, Any] | None:
    """The best entry of the survey for a case and a target, or None."""
    found = [entry for entry in stored()["published"] if entry["case"] == case and entry["target"] == target]
    return min(found, key=lambda entry: entry["seconds"], default=None)
