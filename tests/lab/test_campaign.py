"""The campaign's generator has a place for every element of the package, and a few mechanisms agree with the oracle."""

from pathlib import Path

import numpy as np
import pytest

import bricard as br
from bricard.model.constraining import Constraining
from bricard.model.forcing import Forcing
from bricard.model.joining import Joining
from bricard.model.laws import LAWS
from bricard.model.profiles import PROFILES
from lab.campaign import board, combinations, declaring, forces, generator, joints, shrink, stored, summary
from lab.campaign.judge import Trial
from lab.campaign.mechanism import Mechanism
from lab.campaign.oracle.elements import KINDS

STORED = list(stored.read(Path(__file__).parent / "stored.jsonl"))  # python -m lab.campaign store: see __main__.py
DECLARED = [name for family in (Joining, Constraining, Forcing) for name in vars(family) if not name.startswith("_")]


@pytest.mark.parametrize("kind", DECLARED)
def test_every_element_has_a_place_in_the_generator(kind):
    tables = (joints.BETWEEN, joints.COUPLING, forces.BETWEEN, forces.COUPLING, joints.MISSING)
    assert any(kind in table for table in tables), f"lab/campaign: say how {kind} is drawn, in joints.py or forces.py"
    assert kind in KINDS or kind in joints.MISSING, f"lab/campaign/oracle/elements.py: say what {kind} means"


def test_every_profile_and_law_has_a_place_in_the_generator():
    assert set(board.PROFILES) == set(PROFILES)
    assert set(summary.LAWS) == set(LAWS)


def test_a_mechanism_is_drawn_by_its_number_and_survives_a_file():
    first, second = generator.draw(3, 5), generator.draw(3, 5)
    assert first.dumps() == second.dumps()
    assert Mechanism.loads(first.dumps()) == first


@pytest.mark.parametrize(("mechanism", "last"), STORED, ids=lambda x: getattr(x, "name", ""))
def test_stored_answers_of_the_oracle(mechanism, last):
    solution = br.simulate(declaring.model(mechanism), mechanism.duration, rtol=1e-9, output=2)
    length = solution.system.length
    for i, body in enumerate(mechanism.bodies):
        x, R = solution.poses[body["name"]]
        V, W = solution.velocity(body["name"], body["com"])[-1], solution.angular_velocity(body["name"])[-1]
        np.testing.assert_allclose(R[-1], last["R"][i], atol=1e-6)
        np.testing.assert_allclose(x[-1] + R[-1] @ body["com"], last["X"][i], atol=1e-6 * length, rtol=1e-6)
        np.testing.assert_allclose(W, last["W"][i], atol=1e-6 * (1.0 + np.abs(last["W"]).max()))
        np.testing.assert_allclose(V, last["V"][i], atol=1e-6 * (length + np.abs(last["V"]).max()))


class Fault(shrink.Shrinker):
    """A fault of every mechanism of two bodies or more with a prismatic joint."""

    def outcome(self, mechanism, run):
        masses = [body["mass"] for body in mechanism.bodies]
        kinds = [e["kind"] for e in mechanism.elements]
        return ("disagree", "") if len(masses) > 1 and "prismatic" in kinds else ("agree", "")


def test_a_failing_mechanism_is_made_small():
    whole = next(m for m in (generator.draw(3, k) for k in range(100)) if Fault(m, {}).failure[0] == "disagree")
    small = Fault(whole, {}).shrunk()
    assert [e["kind"] for e in small.elements] == ["prismatic"]
    assert len(small.bodies) == 2 and not small.starts and not any(small.gravity)
    compile(declaring.script(small, {"coordinates": "absolute", "rtol": 1e-8}), "script", "exec")


@pytest.mark.parametrize(("index", "number"), [(575, 1), (575, 2), (916, 2), (1012, 1), (1196, 2), (2494, 1)])
def test_disagreements_of_seed_90210_are_settled(index, number):
    """Faults of the package (575, 2494), and of the judge.

    916: a balance less accurate than the motion, which smaller tolerances mend. 1012: a strong motor that moves nothing,
    whose work is rounding. 1196: a penalty that is too soft, as a softer one shows.
    """
    mechanism, rng = generator.draw(90210, index), np.random.default_rng([90210, index, 1])
    runs = [combinations.draw(rng, mechanism) for _ in range(number + 1)]
    assert Trial(mechanism).judge(runs[number])["outcome"] == "agree"


class Misjudged:
    """A Solution whose energy balance is off by a share of the work."""

    def __init__(self, solution, share):
        self.solution, self.share = solution, share

    def __getattr__(self, name):
        return getattr(self.solution, name)

    @property
    def energy(self):
        energy = self.solution.energy
        return energy._replace(error=energy.error + self.share * energy.work)


@pytest.mark.parametrize(("share", "outcome"), [(1e-4, "disagree"), (1e-2, "disagree"), (1e-8, "agree")])
def test_a_balance_that_smaller_tolerances_do_not_mend_is_seen(monkeypatch, share, outcome):
    """A motor and a drive of 2e6 J at rtol 1e-8: 100 times that is let pass."""
    trial = Trial(generator.draw(90210, 916))
    solve = trial.solution
    monkeypatch.setattr(trial, "solution", lambda run, **changes: Misjudged(solve(run, **changes), share))
    found = trial.judge({"coordinates": "absolute", "rtol": 1e-8})
    assert found["outcome"] == outcome, found
