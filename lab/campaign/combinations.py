"""How a mechanism is run: keywords of `build` and `simulate`, drawn from all formulations, integrators and coordinates.

Each formulation comes up as often as any other, then each integrator and form that it meets, as the registry says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .joints import BETWEEN
from .mechanism import Mechanism

UNCUT = ("knife_edge", "rolling_disc", "nonholonomic")
ROTATIONS = ("quaternion", "euler-zxz", "cardan", "gibbs", "euler-rodrigues", "rotation-vector", "wiener-milenkovic")
STEPS = {1: 1500, 2: 150, 3: 100, 4: 60, 5: 40}  # of fixed size in a run, by order
LOOSEST, TIGHTEST = 1e-4, 1e-10
LOW_ORDER = 1e-6  # tightest tolerance of methods of order 1 and 2
OPTIONS: dict[str, dict[str, Any]] = {  # of methods: the range of a number, or all values
    "radau": {"order": [5, 9, 13]},
    "gamd": {"order": [3, 5, 7, 9]},
    "bdf": {"order": [3, 4, 5]},
    "hht": {"alpha": (-0.33, 0.0)},
    "generalized-alpha": {"rho": (0.0, 0.95)},
    "wilson-theta": {"theta": (1.4, 2.0)},
    "null-space-newmark": {"set": ["trapezoidal", "linear-acceleration", "fox-goodwin"]},
    "central-difference": {"classic": [True, False]},
    "qr": {"tau": (0.01, 0.3)},
    "svd": {"tau": (0.01, 0.3)},
    "schur": {"tau": (0.01, 0.3)},
    "zero-eigenvalue": {"tau": (0.01, 0.3)},
    "householder": {"tau": (0.01, 0.3)},
    "coordinate-partitioning": {"repartition": [True, False]},
    "gram-schmidt": {"rebase": ["on weakness", "always"]},
}


def available() -> list[tuple[str, str, str]]:
    """Return all (formulation, integrator, form) that need no numbers from the user."""
    from bricard.registry import FORMULATIONS, INTEGRATORS

    found = []
    for f in FORMULATIONS.values():
        for i in INTEGRATORS.values():
            found += [(f.name, i.name, form) for form in f.forms if form in i.accepts and not f.needs]
    return found


def draw(rng: np.random.Generator, mechanism: Mechanism) -> dict[str, Any]:
    """Draw one run of a mechanism: the keywords of build and simulate."""
    from bricard.registry import FORMULATIONS, INTEGRATORS

    if rng.random() < 0.1:  # what most users type
        return {"coordinates": str(rng.choice(["absolute", "relative"])), "rtol": 1e-8}
    triples = available()
    formulation = str(rng.choice(sorted({f for f, _, _ in triples})))
    integrator = str(rng.choice(sorted({i for f, i, _ in triples if f == formulation})))
    form = str(rng.choice([x for f, i, x in triples if (f, i) == (formulation, integrator)]))
    method, chosen = INTEGRATORS[integrator], FORMULATIONS[formulation]
    run: dict[str, Any] = {"coordinates": str(rng.choice(["absolute", "relative"]))}
    if run["coordinates"] == "absolute" and rng.random() < 0.2:
        run["rotation"] = str(rng.choice(ROTATIONS))
    joints = [e["name"] for e in mechanism.elements if e["kind"] in BETWEEN and e["kind"] not in UNCUT]
    if run["coordinates"] == "relative" and joints and rng.random() < 0.15:
        run["cut"] = [str(rng.choice(joints))]
    run |= {"formulation": formulation, "integrator": integrator, "form": form}
    others = [c for c in chosen.corrections if c not in ("none", chosen.correction)]
    if (
        (form in ("Ode", "SecondOrderOde") or chosen.drifts)
        and others
        and method.external is None
        and rng.random() < 0.3
    ):
        run["correction"] = str(rng.choice(others))
    if method.adaptive and (method.external is not None or rng.random() < 0.7):
        tightest = LOW_ORDER if method.order <= 2 else TIGHTEST
        run["rtol"] = float(10.0 ** rng.uniform(np.log10(tightest), np.log10(LOOSEST)))
    else:
        run["step"] = 1.0 / STEPS[min(method.order, 5)]  # as a share of the duration
    for name in (formulation, integrator):
        for key, values in OPTIONS.get(name, {}).items():
            if rng.random() < 0.3:
                run[key] = _value(rng, values)
    return run


def _value(rng, values):
    return float(rng.uniform(*values)) if isinstance(values, tuple) else values[int(rng.integers(len(values)))]


def family(run: dict[str, Any]) -> str:
    """Return the class of a run in the coverage table: coordinates, kind of form, kind of steps."""
    form = run.get("form", "Ode")
    kind = "ODE" if "Ode" in form else "DAE"
    return f"{run['coordinates'][:3]} {kind} {'fixed' if 'step' in run else 'adapt'}"


FAMILIES = [f"{c} {k} {s}" for c in ("abs", "rel") for k in ("ODE", "DAE") for s in ("adapt", "fixed")]
