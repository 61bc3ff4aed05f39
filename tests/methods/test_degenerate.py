"""Models with nothing to move, no rows, or both: every allowed pair has a result, or an error that says what it lacks (T14)."""

import warnings

import numpy as np
import pytest

import bricard as br
from bricard.errors import BricardError
from bricard.registry import FORMULATIONS, INTEGRATORS

STEPS = {"step": 5e-3}


def fixed(twice=False):
    model = br.Model("fixed")
    rod = model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.fixed("weld", model.ground, rod, (0, 0, 0))
    if twice:
        model.fixed("second weld", model.ground, rod, (1, 0, 0))
    return model


def free():
    model = br.Model("free")
    model.body("body", mass=1.0, inertia=(1, 2, 2.5))
    model.start(body="body", angular_velocity=(3, 2, 1))
    return model


def massless():
    model = br.Model("massless")
    link = model.body("link", mass=0.0, inertia=(0, 0, 0))
    rod = model.body("rod", br.Rod((1, 0, 0), (2, 0, 0), mass=1.0))
    model.revolute("hinge", model.ground, link, (0, 0, 0), (0, 1, 0))
    model.fixed("weld", link, rod, (1, 0, 0))
    return model


MODELS = {"fixed": fixed, "fixed twice": lambda: fixed(True), "free": free, "massless": massless}


def pairs():
    """Each form of each formulation with one integrator, and each integrator with one formulation."""
    found = set()
    for f, formulation in FORMULATIONS.items():
        for form in formulation.forms if not formulation.needs else ():
            fitting = [i for i, integrator in INTEGRATORS.items() if form in integrator.accepts]
            found.add((f, fitting[len(found) % len(fitting)], form))
    for i, integrator in INTEGRATORS.items():
        fitting = [
            (f, form) for f, x in FORMULATIONS.items() for form in x.forms if not x.needs and form in integrator.accepts
        ]
        found.add((fitting[0][0], i, fitting[0][1]))
    return sorted(found)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
@pytest.mark.parametrize("name", MODELS)
def test_all_pairs_end_well_or_say_why_not(name, coordinates):
    system = MODELS[name]().build(coordinates=coordinates)
    runs = 0
    for formulation, integrator, form in pairs():
        method = INTEGRATORS[integrator]
        if method.external is not None and not _sundials():
            continue
        own = {} if method.external is not None else STEPS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run = br.simulate(system, 0.02, formulation=formulation, integrator=integrator, form=form, **own)
            except BricardError as error:
                assert len(str(error)) > 40 and (name == "massless" or "Nothing can move" in str(error)), str(error)
                continue
        runs += 1
        assert run.ok and np.isfinite(run.q).all(), run.status
        speed = np.abs(run.v).max(initial=0.0)
        assert speed < 1e-4 if name.startswith("fixed") else speed > 0.1, (formulation, integrator)
    assert runs > 40 if name != "massless" else runs > 0


def _sundials():
    try:
        import sksundae  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport]
    except ImportError:
        return False
    return True


def test_directions_of_a_free_body_are_renewed():
    """Nothing is reflected where there are no rows; the turned body needs new directions."""
    run = br.simulate(free(), 5.0, formulation="householder", integrator="dopri5")
    assert run.ok and run.counters["rebasings"] > 2
    assert np.abs(run.energy.error).max() < 1e-6 * run.energy.kinetic.max()
