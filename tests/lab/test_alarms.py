"""Alarms of the energy behind a run are decided by a reference, and kept."""

from types import SimpleNamespace

import numpy as np

import bricard as br
from bricard.problems import PROBLEMS
from lab import alarms


def test_an_alarm_is_true_where_the_energy_of_the_states_is_off():
    """A top by Euler's method in 2,000 steps gains 0.4 J of 0.7 J."""
    found = alarms.attempt("spinning-top", "gram-schmidt", "euler")
    assert found["end"] == "alarm" and found["judged"] == "true"
    assert found["claim"] > 0.3


def test_an_alarm_is_true_where_more_energy_is_off_than_moves():
    """An unstable motion gains 700 J where 6 J move, and the work that the run sums up for its damper is off by more."""
    found = alarms.attempt("halved-slider-crank", "index1", "ce5")
    assert found["judged"] == "true" and found["off"] < alarms.TRUE * found["claim"]


def test_an_alarm_is_false_where_only_the_ledger_is_off():
    run = br.simulate(PROBLEMS["spinning-top"].model(), 0.2, rtol=1e-9, output=21)
    energy = SimpleNamespace(error=np.full(21, 0.1), kinetic=run.energy.kinetic, potential=run.energy.potential)
    wrong = SimpleNamespace(system=run.system, t=run.t, v=run.v, energy=energy)
    assert alarms.decide(wrong, "spinning-top")["judged"] == "false"


def test_what_was_run_is_not_run_again(tmp_path, monkeypatch, capsys):
    arguments = ["--problems", "pendulum", "--share", "100", "--file", str(tmp_path / "runs.jsonl")]
    assert alarms.main(arguments) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr(alarms, "attempt", None)
    assert alarms.main(arguments) == 0
    assert capsys.readouterr().out == first
