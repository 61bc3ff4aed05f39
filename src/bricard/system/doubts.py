"""What of a model is hardly meant, for the notes of the report: joints far from what they hold, bodies out of all proportion.

The size of a body is that of the uniform rod or box with its inertia: sqrt(6 trace(I) / m), for a rod its length, for a box its
diagonal. So bodies without a shape have one, too. Of the mechanisms of the library, of other packages' examples and of random
ones no joint is further away than 1.4 sizes, and no body larger than 4 times the median.
"""

from __future__ import annotations

import numpy as np

__all__ = ["doubts"]

FAR = 5.0  # sizes of a body from its centre to a joint of its own
OUT_OF_PROPORTION = 50.0  # times the median size
LARGE = 100.0  # m: a body of this size is more often one in mm
NAMED = 5  # bodies in a note
HOLDING = ("spherical", "revolute", "universal", "pin")  # joints that hold a point of both bodies
ABOUT = ("revolute", "pin")  # those to which a shift along their axis is nothing
UNITS = 'lengths are in m; write mm as "${300*mm}" in a file and as 0.3 in Python'


def doubts(model) -> list[str]:
    """Return a sentence for each joint and each group of bodies that is hardly meant as it is."""
    sizes = {name: size for name, body in model.bodies.items() if (size := _size(body)) > 0.0}
    found = [_far(joint, sizes) for joint in model.joints.values() if joint.kind in HOLDING]
    return [note for note in (*found, _proportion(sizes), _large(sizes)) if note]


def _size(body) -> float:
    return float(np.sqrt(6.0 * np.trace(body.inertia) / body.mass)) if body.mass > 0.0 else 0.0


def _far(joint, sizes) -> str:
    """A joint that is far from all its bodies, as far as their sizes are known."""
    away = {}
    for frame in (joint.frame_a, joint.frame_b):
        name = frame.body.name
        if name in sizes:
            arm = frame.position - frame.body.com
            if joint.kind in ABOUT:
                arm = arm - (arm @ frame.rotation[:, 2]) * frame.rotation[:, 2]
            away[name] = float(np.linalg.norm(arm))
    if not away or any(distance <= FAR * sizes[name] for name, distance in away.items()):
        return ""
    words = [f'{distance:.3g} m from "{name}", {sizes[name]:.2g} m large' for name, distance in away.items()]
    return f'joint "{joint.name}" stands {" and ".join(words)}: is its point meant so?'


def _proportion(sizes) -> str:
    median = float(np.median(list(sizes.values()))) if sizes else 0.0
    names = [name for name, size in sizes.items() if size > OUT_OF_PROPORTION * median]
    if not names:
        return ""
    return f"{_listed(names, sizes)}, the median of all bodies {median:.2g} m: are all lengths in m? {UNITS}."


def _large(sizes) -> str:
    names = [name for name, size in sizes.items() if size > LARGE]
    few = len(names) < len(sizes) and _proportion(sizes)  # said already
    return "" if few or not names else f"{_listed(names, sizes)}: {UNITS}."


def _listed(names, sizes) -> str:
    shown = ", ".join(f'"{name}" is {sizes[name]:.3g} m large' for name in names[:NAMED])
    return f"body {shown}" + (f", and {len(names) - NAMED} more like these" if len(names) > NAMED else "")
