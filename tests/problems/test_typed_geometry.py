"""Bennett's linkage with exact and with typed data: redundant rows that fit only nearly are told, not a mystery."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError
from bricard.problems.bennett import LONG, SHORT, bennett, hinges


def typed(digits):
    """Bennett's linkage with points and axes rounded to some decimals."""
    points, axes = (np.round(x, digits) for x in hinges())
    model = br.Model("typed")
    bodies = [model.ground]
    for k, length in enumerate((SHORT, LONG, SHORT)):
        bodies.append(model.body(f"bar {k + 1}", br.Rod(points[k], points[k + 1], mass=length, radius=0.02)))
    for k in range(4):
        model.revolute(f"H{k + 1}", bodies[k], bodies[(k + 1) % 4], points[k], axes[k])
    model.start(joint="H1", velocity=3.0)
    return model


def test_exact_data_close_to_round_off():
    points, axes = hinges()
    lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    assert np.allclose(lengths, [SHORT, LONG, SHORT, LONG], rtol=0, atol=1e-15)
    twists = np.linalg.norm(np.cross(axes, np.roll(axes, -1, axis=0)), axis=1)
    assert np.allclose(twists / lengths, twists[0] / lengths[0], rtol=0, atol=1e-15)
    report = bennett().report()
    assert (report.freedom, len(report.redundant), report.notes) == (1, 3, [])


@pytest.mark.parametrize("digits", [6, 8, 10])
def test_the_report_warns(digits):
    notes = typed(digits).report().notes
    assert len(notes) == 1 and "fit at the start only" in notes[0] and "all digits" in notes[0]


def test_a_run_that_stops_says_why():
    solution = br.simulate(typed(8), 5.0, rtol=1e-6, check=False)
    assert not solution.ok and "The redundant rows fit at the start only" in solution.status


def test_a_start_that_cannot_move_says_why():
    with pytest.raises(
        AssemblyError, match=r"No velocity meets all constraints .* The redundant rows fit at the start only"
    ):
        br.simulate(typed(6), 1.0)
