"""Nothing depends on the clock: chunks of the time loop of any length give the same bits, events and warnings (V6)."""

import sys
import warnings

import numpy as np
import pytest
from test_creeping import rod

import bricard as br
import bricard.simulation
from bricard.errors import StiffSystem
from mechanisms import four_bar

LOOP = sys.modules["bricard.simulation"]
SECONDS = (0.0, 1e-3, 10.0)  # 0: a single step at a time

RUNS = {
    "adaptive": {"rtol": 1e-7},
    "dop853": {"integrator": "dop853", "rtol": 1e-9},
    "adams": {"integrator": "adams", "rtol": 1e-7},
    "svd": {"formulation": "svd", "rtol": 1e-7},
    "partitioning": {"formulation": "coordinate-partitioning", "rtol": 1e-7},
    "radau5": {"formulation": "ggl", "integrator": "radau5", "rtol": 1e-6},
    "bdf": {"formulation": "index2", "integrator": "bdf", "rtol": 1e-6},
    "index3": {"formulation": "index3", "integrator": "radau5", "rtol": 1e-6},
    "fixed": {"step": 2e-3},
    "uneven": {"step": 3e-3, "output": [0.1, 0.2501, 0.7]},
    "null-space": {"integrator": "null-space-newmark", "step": 2e-3},
}


def results(monkeypatch, run):
    """What `run()` gives with chunks of each length."""
    found = []
    for seconds in SECONDS:
        monkeypatch.setattr(LOOP, "CHUNK_SECONDS", seconds)
        monkeypatch.setattr(LOOP, "FIRST_CHUNK", 1 if seconds == 0.0 else 64)
        found.append(run())
    return found


def slowed(t, q, v):
    """A velocity after a reset, smaller than before."""
    return 0.9 * v


def crossings():
    """A trigger that may fire several times in a run, and a reset."""
    return [br.Trigger("B", at=0.1), br.Trigger("A", at=0.5, action=slowed)]


@pytest.mark.parametrize("name", RUNS)
def test_same_bits(monkeypatch, name):
    model = four_bar()
    model.torsion("damper", "A", damping=0.05)
    system = model.build()

    def run():
        solution = br.simulate(system, 0.7, triggers=crossings(), **RUNS[name])
        events = [(event.t, event.kind, event.name) for event in solution.events]
        return solution, events

    (first, events), *others = results(monkeypatch, run)
    for other, seen in others:
        assert np.array_equal(first.q, other.q) and np.array_equal(first.v, other.v)
        assert np.array_equal(first.totals, other.totals) and first.counters == other.counters
        assert events == seen


@pytest.mark.parametrize("integrator", ["dopri5", "adams"])
def test_same_warnings(monkeypatch, integrator):
    """A rod with a stiff damper: told of, at the same time, in the same words."""

    def run():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            br.simulate(rod(1e6, 3e4), 1.0, rtol=1e-4, integrator=integrator, output=2)
        return [str(warning.message) for warning in told if warning.category is StiffSystem]

    first, *others = results(monkeypatch, run)
    assert len(first) == 1 and all(other == first for other in others)
