"""The table of runs through singular positions finds an energy that jumps, and a motion that is right."""

from lab import singular_positions


def test_runs_that_pass_are_right(capsys):
    arguments = "--cases four-bar --places plane space --steps 10 5 --duration 2".split()
    assert singular_positions.main(arguments) == 0
    rows = [row.split(" | ") for row in capsys.readouterr().out.splitlines()[1:-1]]
    assert [row[-1] for row in rows] == ["ok"] * 4
    assert all(float(row[8]) <= 1e-3 for row in rows)  # rad; another branch is off by radians


def test_a_jump_of_the_energy_is_wrong(capsys, monkeypatch):
    """At a tenth of the step a hundredth of the error is right, a tenth is a jump; a run that has stopped is no silent error."""
    found = {"levels": [0.0] * 3, "motion": 0.0, "divided": 0, "ok": True, "status": ""}
    energies = iter([(1.0, True), (0.01, True), (0.1, True), (0.1, False)])

    def line(*_):
        energy, ok = next(energies)
        return found | {"energy": energy, "ok": ok}

    monkeypatch.setattr(singular_positions, "line", line)
    assert singular_positions.main("--cases four-bar --places plane --steps 10 1 1 1".split()) == 1
    assert capsys.readouterr().out.count("WRONG") == 1
