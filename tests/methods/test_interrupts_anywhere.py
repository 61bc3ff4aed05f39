"""Ctrl-C at random moments of everything that takes time, pools and files too. More: `python -m lab.faults interrupts N`."""

import sys

import pytest

from bricard.compiled.pointers import PYTHON_ONLY
from lab.faults import interrupts

QUICK = ("loop of short runs", "build", "saving", "a model file")


@pytest.mark.skipif(sys.platform == "win32" or PYTHON_ONLY, reason="signals of a group of processes; compiled code")
@pytest.mark.parametrize("action", QUICK)
def test_an_interrupt_is_never_lost_and_tears_nothing(action):
    assert not interrupts.faults(interrupts.run(5, 11, [action]))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32" or PYTHON_ONLY, reason="signals of a group of processes; compiled code")
@pytest.mark.parametrize("action", interrupts.ACTIONS)
def test_three_hundred_interrupts(action):
    assert not interrupts.faults(interrupts.run(15, 12, [action]))
