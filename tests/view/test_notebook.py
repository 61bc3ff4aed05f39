"""What notebooks show of models and solutions."""

from dataclasses import replace

from scenes import every_kind

import bricard as br
import mechanisms


def test_model_shows_tree_loops_report_and_picture():
    text = mechanisms.four_bar()._repr_html_()
    assert "<iframe srcdoc=" in text
    for words in ("degrees of freedom", "redundant rows", "Joints that close loops", "by A (revolute)"):
        assert words in text


def test_model_that_cannot_be_assembled_is_shown_too():
    assert "not assembled" in every_kind()._repr_html_()


def test_model_under_construction():
    model = br.Model("half")
    model.body("link", br.Rod((0, 0, 0), (1, 0, 0), mass=0.0))
    assert "Nothing gives inertia" in model._repr_html_()


def test_empty_model():
    assert "no bodies yet" in br.Model("a <b>")._repr_html_()


def test_names_are_escaped():
    model = br.Model("a <b>")
    model.body("x<y", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    text = model._repr_html_()
    assert "x<y" not in text
    assert "x&lt;y" in text


def test_solution_shows_figures_plots_and_picture():
    text = br.simulate(mechanisms.four_bar(), 0.1, step=1e-2, progress=False)._repr_html_()
    for words in ("Reached the end", "energy error", "<iframe srcdoc=", "<svg"):
        assert words in text


def test_solution_of_functions_and_of_a_file_without_model(tmp_path):
    solution = br.simulate(mechanisms.four_bar(), 0.1, step=1e-2, progress=False)
    bare = replace(solution, system=replace(solution.system, model=None))
    text = bare._repr_html_()
    assert "<iframe" not in text
    assert "energy error" in text
    bare.save(tmp_path / "x.h5")
    assert "without its model" in br.Solution.load(tmp_path / "x.h5")._repr_html_()
