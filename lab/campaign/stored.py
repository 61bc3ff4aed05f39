"""Mechanisms with stored answers of the oracle: where their bodies are at the end, and how fast; one line of JSON each."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .generator import draw
from .judge import Trial
from .mechanism import Mechanism
from .oracle.motion import TooLong
from .worker import profiles_of

OWN = ("joint", "nonholonomic", "user_joint", "user_force")  # compiled in each process: not in the quick tests
MOST = 4  # bodies
DIGITS = 12


def write(path: Path, seed: int, count: int) -> None:
    """Write `count` small mechanisms of a seed, chosen so that new kinds of elements come in, and the oracle's answers."""
    lines, known, index = [], set(), 0
    while len(lines) < count:
        mechanism = draw(seed, index)
        index += 1
        kinds = {e["kind"] for e in mechanism.elements}
        functions = [name for e in mechanism.elements for name in profiles_of(e) if "function" in name]
        wished = bool(mechanism.starts) and all(
            "body" in start for start in mechanism.starts
        )  # so that the start is plain
        if (
            not wished
            or kinds & {*OWN}
            or functions
            or len(mechanism.bodies) > MOST
            or (kinds <= known and index < 50 * count)
        ):
            continue
        line = answer(mechanism)
        if line is not None:
            known |= kinds
            lines.append(line)
    path.write_text("".join(line + "\n" for line in lines))


def answer(mechanism: Mechanism) -> str | None:
    """Return a mechanism and the oracle's answer as one line, or None where there is none to rely on."""
    from bricard import BricardError

    try:
        trial = Trial(mechanism)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            solution = trial.solution({"coordinates": "absolute", "rtol": 1e-9})
        reference = trial.reference
        oracle = reference.of(reference.state(reference.seen(solution)))
        oracle.doubt()
    except (BricardError, TooLong, Warning):
        return None
    if oracle.part[-1] > 1e-6 or oracle.growth[-1] > 30.0:
        return None
    last = {key: np.round(getattr(oracle.seen, key)[-1], DIGITS).tolist() for key in ("X", "R", "V", "W")}
    return json.dumps({"mechanism": json.loads(mechanism.dumps()), "last": last}, separators=(",", ":"))


def read(path: Path) -> Iterator[tuple[Mechanism, dict[str, np.ndarray]]]:
    """Yield each mechanism and the oracle's answer: the places X (bodies, 3), axes R, velocities V and spins W at the end."""
    for line in path.read_text().splitlines():
        table = json.loads(line)
        yield Mechanism(**table["mechanism"]), {key: np.array(value) for key, value in table["last"].items()}
