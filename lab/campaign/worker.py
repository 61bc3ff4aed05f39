"""A process that draws and judges mechanisms; it lives long, so that code is loaded and users' functions are compiled once."""

from __future__ import annotations

import os
import time
import traceback

import numpy as np

from . import generator
from .combinations import draw
from .judge import Trial

RUNS = 3


def profiles_of(value):
    """Names of all profiles, laws and functions in a declaration, and "potential" where one is given."""
    if isinstance(value, dict):
        own = [f"{key} {value[key]}" for key in ("profile", "law") if isinstance(value.get(key), str)]
        own += ["potential"] * ("potential" in value)
        return own + [name for item in value.values() for name in profiles_of(item)]
    return [name for item in value for name in profiles_of(item)] if isinstance(value, list) else []


def judged(seed: int, index: int, say=lambda text: None) -> dict:
    """Return the record of one mechanism: what it is, and what came of its runs."""
    from bricard import BricardError

    mechanism = generator.draw(seed, index)
    kinds = [e["kind"] for e in mechanism.elements]
    own = sorted({name for e in mechanism.elements for name in profiles_of(e)})
    record = {"seed": seed, "index": index, "shape": mechanism.shape, "bodies": len(mechanism.bodies), "kinds": kinds}
    record |= {"functions": own, "runs": []}
    rng = np.random.default_rng([seed, index, 1])
    began = time.process_time()
    try:
        trial = Trial(mechanism)
    except BricardError as error:
        return record | {"refused": f"{type(error).__name__}: {error}"}
    for _ in range(RUNS):
        run = draw(rng, mechanism)
        say(run)
        record["runs"].append(trial.judge(run))
    return record | {"seconds": round(time.process_time() - began, 3)}


def work(connection, seed: int) -> None:
    """Serve a runner: receive numbers of mechanisms, send ("run", keywords) before each run and ("done", record) after all."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    while True:
        try:
            index = connection.recv()
        except EOFError:
            return
        if index is None:
            return
        try:
            record = judged(seed, index, lambda run: connection.send(("run", run)))
        except Exception:  # of the campaign itself
            record = {"seed": seed, "index": index, "broken": traceback.format_exc()}
        connection.send(("done", record))
