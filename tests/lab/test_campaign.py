"""The campaign's generator has a place for every element of the package, and a few mechanisms agree with the oracle."""

import pytest

from bricard.model.constraining import Constraining
from bricard.model.forcing import Forcing
from bricard.model.joining import Joining
from bricard.model.laws import LAWS
from bricard.model.profiles import PROFILES
from lab.campaign import board, forces, generator, joints, summary
from lab.campaign.mechanism import Mechanism
from lab.campaign.oracle.elements import KINDS

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
