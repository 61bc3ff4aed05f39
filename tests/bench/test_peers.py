"""The nine cases beside other packages: our models end where the references say, and translate to trees."""

import numpy as np
import pytest

import bricard as br
from bricard.bench.compare_run import ended
from bricard.bench.peers_cases import CASES, TARGETS, stored
from bricard.bench.peers_ours import fastest
from bricard.bench.peers_scene import GROUND, CannotHold, scene

SMALL = ("chain2", "chain10", "fourbar2", "bricard", "slidercrank", "andrews")


@pytest.mark.parametrize("name", SMALL)
def test_our_model_of_a_case_ends_at_its_reference(name):
    case = CASES[name]
    solution = br.simulate(case.model(), case.span, formulation="index1", integrator="dop853", rtol=1e-9, output=2)
    assert case.error(ended(solution)) < 2e-8


def test_every_case_has_a_reference_with_its_accuracy():
    for name in CASES:
        assert stored()["references"][name]["accuracy"] <= 1e-3 * min(TARGETS) * (10 if name == "chain1000" else 1)


def test_trees_of_the_cases():
    found = scene(CASES["fourbar2"].model().build())
    order, cut = found.tree()
    assert len(order) == 5 and len(cut) == 2
    assert [found.parent(*entry) for entry in order].count(GROUND) == 3
    order, cut = scene(CASES["bricard"].model().build()).tree(depth=True)
    assert [part for part, _ in order] == [0, 1, 2, 3, 4] and len(cut) == 1


def test_velocities_of_a_scene_are_those_of_the_assembled_start():
    found = scene(CASES["slidercrank"].model().build())
    slider = next(part for part in found.parts if part.name == "slider")
    assert np.allclose(slider.v, [4.0, 0, 0]) and np.allclose(slider.w, 0.0)


def test_what_does_not_translate_is_said():
    model = br.Model("gear", planar=True)
    rod = model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.pin("A", model.ground, rod, (0, 0, 0))
    model.torsion("T", "A", stiffness=1.0, damping=0.0)
    with pytest.raises(CannotHold, match='"T"'):
        scene(model.build())


def test_fastest_row_is_confirmed_by_finer_ones():
    def row(setting, error, seconds):
        return {"method": "m", "setting": setting, "error": error, "seconds": seconds, "ok": True}

    rows = [row(1e-3, 1e-9, 0.1), row(1e-5, 1e-5, 0.2), row(1e-7, 1e-7, 0.3), row(1e-8, 1e-8, 0.4)]
    assert fastest(rows, 1e-6)["setting"] == 1e-7
    assert fastest(rows[:2], 1e-6) is None
