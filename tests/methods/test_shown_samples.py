"""States of independent coordinates: each that is shown is one of the motion, or the run fails."""

import math

import numpy as np
import pytest

import bricard as br
from bricard.compiled.interfaces import EXPAND
from bricard.compiled.status import NEWTON_FAILED, RUNNING
from bricard.formulations import tangent_coordinates
from bricard.formulations.expansion import settle
from lab.campaign.declaring import model
from lab.campaign.generator import draw
from tests.mechanisms import four_bar


@EXPAND
def blind(t, y, q, v, system, work):
    """The state of independent coordinates, which cannot be found around t = 0.5 s."""
    status = NEWTON_FAILED if 0.45 < t < 0.55 else settle(t, y, system, work)
    for i in range(system.n_q):
        q[i] = work.basis.q[i] if status == RUNNING else math.nan
    for i in range(system.n_v):
        v[i] = work.basis.v[i] if status == RUNNING else math.nan
    return status


@pytest.mark.parametrize("integrator", ["dop853", "heun"])
def test_a_sample_that_cannot_be_found_fails_the_run(monkeypatch, integrator):
    """It said "Reached the end" and gave samples that were not finite."""
    monkeypatch.setattr(tangent_coordinates, "expand", blind)
    options = {"formulation": "householder", "integrator": integrator, "rtol": 1e-6, "energy": False, "check": False}
    run = br.simulate(four_bar(), 1.0, output=11, **options)
    assert not run.ok and "Newton" in run.status
    assert len(run.t) == 5 and np.isfinite(run.q).all()


def test_a_mechanism_at_rest_is_shown_by_independent_coordinates():
    """Mechanism 2494 of seed 90210, 13 of 14 rows redundant. Relative errors of velocities that vanish never become small.

    It took 35 steps and 64 rejected ones, and a sample inside of a step was not found. At rest no step has to be rejected.
    """
    drawn = draw(90210, 2494)
    system = model(drawn).build(coordinates="relative")
    run = br.simulate(system, drawn.duration, formulation="householder", integrator="heun", rtol=1e-4, output=9)
    assert run.counters["rejected"] == 0
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()


@pytest.mark.parametrize("formulation", ["coordinate-partitioning", "householder", "svd"])
def test_a_driven_mechanism_stays_on_its_branch(formulation):
    """Mechanism 575 of seed 90210: nothing is free, so no error bounds a step, and Newton's method went to another assembly.

    Positions follow from the drive alone; so they are those of any other method, to round-off and what that one is off by.
    """
    drawn = draw(90210, 575)
    system = model(drawn).build()
    exact = br.simulate(system, drawn.duration, formulation="index1", rtol=1e-10, output=9)
    found = br.simulate(system, drawn.duration, formulation=formulation, integrator="heun", rtol=1e-6, output=9)
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8 * np.abs(exact.q).max())
