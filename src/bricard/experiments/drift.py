"""What each method lets drift: the double pendulum of spec 000 (case A), 10 s with classical Runge-Kutta at a fixed step.

Largest errors of position and velocity constraints, of energy, and of the two angles at the end (reference of 12 digits from the
equations in the angles). The source's own constraint rows, as a system given by its functions.
"""

import numpy as np

from ..errors import BricardError
from ..problems.double_pendulum import double_pendulum_functions
from ..registry import FORMULATIONS
from ..simulation import simulate
from .base import Experiment, Result

END = (0.035277365, 0.154131010)  # angles at t = 10 s, spec 000 table 9.1
STEP, DURATION = 0.005, 10.0

# the rows of table 9.3: words -> options of simulate()
CASES = {
    "direct": {"formulation": "index1", "correction": "none"},
    "Baumgarte 1": {"formulation": "baumgarte", "alpha": 1.0, "beta": 1.0},
    "Baumgarte 5": {"formulation": "baumgarte", "alpha": 5.0, "beta": 5.0},
    "Baumgarte 10": {"formulation": "baumgarte", "alpha": 10.0, "beta": 10.0},
    "Baumgarte 50": {"formulation": "baumgarte", "alpha": 50.0, "beta": 50.0},
    "Baumgarte 5, 50": {"formulation": "baumgarte", "alpha": 5.0, "beta": 50.0},
    "gram-schmidt": {"formulation": "gram-schmidt", "correction": "none", "rebase": "always"},
}


def run() -> Result:
    """Rows: table 9.3, then every other formulation with an Ode form, without correction where it admits that."""
    cases = dict(CASES)
    for formulation in FORMULATIONS.values():
        known = formulation.name in cases or formulation.name in ("index1", "baumgarte")
        if "Ode" in formulation.forms and not formulation.needs and not known:
            cases[formulation.name] = {"formulation": formulation.name}
            if "none" in formulation.corrections:
                cases[formulation.name]["correction"] = "none"
    for correction in FORMULATIONS["index1"].corrections:
        if correction != "none":
            cases[f"direct, correction {correction}"] = {"formulation": "index1", "correction": correction}
    rows = [_row(words, options) for words, options in cases.items()]
    return Result(
        ("method", "position", "velocity", "energy, J", "angles at the end", "rebasings", "note"), rows, NOTES
    )


def _row(words, options):
    try:
        solution = simulate(double_pendulum_functions(), DURATION, integrator="rk4", step=STEP, **options)
    except BricardError as error:
        return {"method": words, "note": str(error)}
    errors, energy = solution.constraint_errors, solution.energy
    return {
        "method": words,
        "position": float(errors.position.max()),
        "velocity": float(errors.velocity.max()),
        "energy, J": float(np.abs(energy.error).max()),
        "angles at the end": float(max(abs(solution.q[-1, 0] - END[0]), abs(solution.q[-1, 3] - END[1]))),
        "rebasings": solution.counters["rebasings"],
    }


NOTES = (
    f"Fixed step {STEP} s, rk4. Errors are maxima over {DURATION:g} s; SI units, rows of the source (not scaled).",
)

DRIFT = Experiment(
    name="drift",
    title="What drifts: constraints, energy and angles of the double pendulum, by method",
    source="spec 000, table 9.3",
    run=run,
    figure=False,
)
