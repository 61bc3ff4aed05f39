"""Comparisons: ladders, references that are certain or say that they are not, tables, reports, interruption."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import bricard as br
from bricard.bench import compare as comparing
from bricard.bench import reference
from bricard.bench.compare import Comparison
from bricard.bench.compare_course import Course
from bricard.bench.compare_drift import drift
from bricard.bench.compare_methods import Method, methods
from bricard.bench.compare_run import distance, run
from bricard.bench.compare_table import outcomes
from bricard.bench.compare_workers import Lost, Workers
from bricard.bench.ladder import Ladder, order_of, reached
from bricard.bench.report_words import failures, grouped, not_run
from bricard.registry import FORMULATIONS, INTEGRATORS

FEW = ("index1", "hybrid", "dop853", "dopri5", "rk4")


def row(level, error, seconds=1.0, ok=True, **other):
    return {
        "level": level,
        "error": error,
        "cpu_s": seconds,
        "total_s": seconds,
        "ok": ok,
        "steps": 10 * 2**level,
        "kind": "steps",
    } | other


def double_pendulum():
    model = br.Model("two rods", planar=True)
    a = model.body("a", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.body("b", br.Rod((1, 0, 0), (2, 0, 0), mass=1.0))
    model.pin("A", model.ground, a, (0, 0, 0))
    model.pin("B", a, b, (1, 0, 0))
    return model


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A short comparison of a model that is not in the library, and its folder."""
    folder = tmp_path_factory.mktemp("compare")
    return br.compare(double_pendulum(), 1.0, budget=6.0, only=FEW, output=folder), folder


def test_every_pair_of_the_registry_is_a_method_or_an_omission():
    system = double_pendulum().build()
    chosen, omitted = methods({"absolute": system})
    fitting = {
        f"{f.name} + {i.name}"
        for f in FORMULATIONS.values()
        for i in INTEGRATORS.values()
        if any(form in i.accepts for form in f.forms)
    }
    missing = fitting - {method.name for method in chosen}
    assert all(any(name.startswith(left) for left in omitted) for name in missing)


def test_methods_reach_the_accuracy_with_a_certain_reference(found):
    comparison, _ = found
    assert comparison.reference["certain"]
    best = comparison.table[0]
    assert best.seconds is not None and best.row["error"] <= comparison.accuracy
    assert best.name in comparison.recommendation[0]


def test_table_is_sorted_by_time(found):
    times = [outcome.seconds for outcome in found[0].table if outcome.seconds is not None]
    assert len(times) > 3 and times == sorted(times)


def test_a_run_is_as_good_as_its_row_says(found):
    """The error of the table is found again by simulating with the row's setting, against a run of another method."""
    comparison, _ = found
    best = next(o for o in comparison.table if o.row["coordinates"] == "absolute")
    fine = br.simulate(double_pendulum(), 1.0, formulation="qr", integrator="adams", rtol=1e-12)
    key = {"rtol": best.row["setting"]} if best.row["kind"] == "rtol" else {"step": 1.0 / best.row["setting"]}
    own = br.simulate(double_pendulum(), 1.0, formulation=best.formulation, integrator=best.integrator, **key)
    assert (
        np.linalg.norm(own.point("b")[-1] - fine.point("b")[-1]) <= 2.0 * best.row["error"] * own.system.length + 1e-9
    )


def test_files_of_a_comparison(found):
    comparison, folder = found
    lines = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    assert [line["method"] for line in lines] == [r["method"] for r in comparison.rows]
    page = (folder / "report.html").read_text()
    assert "http" not in page.replace("http-equiv", "")  # nothing is loaded from anywhere
    for words in (
        "Recommendation",
        "Work and precision",
        "Drift",
        "Orders",
        "Conditioning",
        "Cost of a step",
        "Omissions",
    ):
        assert f"<h2>{words}</h2>" in page
    again = type(comparison).load(folder)
    assert [o.name for o in again.table] == [o.name for o in comparison.table]


def test_conditioning_and_drift_are_there(found):
    comparison, _ = found
    assert comparison.drift and all(len(d["t"]) == len(d["energy"]) for d in comparison.drift.values())
    assert min(comparison.conditioning["smallest"]) > 0.0 and not comparison.conditioning["singular"]


@pytest.mark.slow
def test_an_interrupted_comparison_keeps_what_it_has(tmp_path):
    """SIGTERM in the middle: exit code 130, rows and report are there and agree."""
    double_pendulum().save(tmp_path / "rods.toml")
    command = [sys.executable, "-m", "bricard.cli.main", "compare", str(tmp_path / "rods.toml"), "--duration", "2"]
    with subprocess.Popen(
        [*command, "--budget", "120", "--output", str(tmp_path / "out")], stderr=subprocess.PIPE
    ) as process:
        rows = tmp_path / "out" / "rows.jsonl"
        end = time.monotonic() + 500
        while time.monotonic() < end and not (rows.exists() and len(rows.read_text().splitlines()) > 5):
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert process.returncode == 130
    kept = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert kept["interrupted"] and len(kept["rows"]) == len(rows.read_text().splitlines()) > 5
    assert "Interrupted" in (tmp_path / "out" / "report.html").read_text()


def test_reached_prefers_what_finer_rungs_confirm():
    chance = [row(0, 1e-7, 1.0), row(1, 1e-5, 2.0), row(2, 1e-8, 4.0), row(3, 1e-9, 8.0)]
    best, firm = reached(chance, 1e-6)
    assert firm and best["level"] == 2
    best, firm = reached(chance[:2], 1e-6)
    assert not firm and best["level"] == 0


def test_order_is_the_slope_and_scatter_is_none():
    assert order_of([row(k, 1e-3 * 16.0**-k) for k in range(5)], 1.0) == pytest.approx(4.0)
    assert order_of([row(k, 1e-3 * (1 + k % 2)) for k in range(5)], 1.0) is None


def test_tolerances_have_no_order():
    """A method of variable order and steps shows slopes of any size over its mean step."""
    assert order_of([row(k, 1e-3 * 16.0**-k, kind="rtol") for k in range(5)], 1.0) is None


def test_ladder_goes_between_where_the_accuracy_is_crossed():
    ladder = Ladder(Method("index1", "rk4", "Ode", False, 4), 100, 1e-6, 10.0)
    for level, error in ((0.0, 1e-3), (1.0, 1e-5), (2.0, 1e-7)):
        assert ladder.next()[0] == level
        ladder.add(level, row(level, error, 0.01 * 2**level))
    assert ladder.next()[0] == 1.5 and ladder.setting(1.5) == 283.0


def test_ladder_ends_when_rungs_fail():
    ladder = Ladder(Method("index1", "rk4", "Ode", False, 4), 100, 1e-6, 10.0)
    for level in range(4):
        assert ladder.next() is not None
        ladder.add(float(level), row(level, None, 0.01, ok=False, reason="no"))
    assert ladder.next() is None and "failed" in ladder.ended


def candidate(formulation, kind, x, rtol=1e-12):
    return reference.Candidate(f"{formulation} {kind}", formulation, kind, {"q": np.array([x])}, 10, rtol)


def test_reference_takes_different_kinds_that_agree():
    gap, a, b = reference.agreement(
        [
            candidate("index1", "explicit", 1.0),
            candidate("index1", "explicit", 1.0),
            candidate("qr", "multistep", 1.0 + 1e-9),
        ],
        1.0,
        1e-6,
    )
    assert gap == pytest.approx(1e-9) and {a.kind, b.kind} == {"explicit", "multistep"}


def test_reference_that_does_not_agree_is_not_certain():
    assert not reference.Reference("", 1e-6, 10).certain(1e-6)
    assert not reference.Reference("", None, 10).certain(1.0)
    assert reference.Reference("", 1e-9, 10).certain(1e-6)


def test_reference_is_chosen_from_the_tightest_runs():
    """Loose runs that agree by chance do not make a reference; where the tight ones are far apart the motion is sensitive."""
    loose = [candidate("index1", "explicit", 5.0, 1e-8), candidate("qr", "multistep", 5.0, 1e-8)]
    tight = [candidate("index1", "explicit", 1.0, 1e-11), candidate("qr", "multistep", 2.0, 1e-12)]
    found = reference.chosen([*loose, *tight], 1.0, 1e-6, {})
    assert found.accuracy == pytest.approx(1.0) and found.sensitive and not found.certain(1e-6)
    assert not reference.chosen(loose, 1.0, 1e-6, {}).sensitive


def test_two_integrators_of_one_kind_are_a_reference_that_is_not_certain():
    alike = [candidate("index1", "explicit", 1.0)._replace(integrator=name) for name in ("dop853", "dopri5")]
    found = reference.chosen(alike, 1.0, 1e-6, {})
    assert found.accuracy == 0.0 and not found.certain(1e-6) and "same kind" in found.text


def test_a_reference_of_which_nothing_is_known():
    found = reference.chosen([], 1.0, 1e-6, {"index1 + dop853": "boom"})
    assert not found.known and not found.certain(1e6) and found.failed


def agreeing(systems, span, formulation, integrator, rtol, limit=0.0):
    return candidate(formulation, reference.KINDS[integrator], 1.0 + rtol, rtol)


def refusing(systems, span, formulation, integrator, rtol, limit=0.0):
    if rtol < 1e-9:
        raise br.BricardError("The step size fell to nothing.")
    return agreeing(systems, span, formulation, integrator, rtol)


def hanging(systems, span, formulation, integrator, rtol, limit=0.0):
    time.sleep(60.0)


def test_a_reference_needs_no_more_runs_than_two_that_agree(monkeypatch):
    """Of seven candidates at each tolerance those run that are needed, from a tolerance that should do to the tightest."""
    monkeypatch.setattr(reference, "tight", agreeing)
    with Workers({}, 1.0, 2) as workers:
        found = reference.make(workers, 1.0, 1.0, 1e-6, 60.0)
    assert found.certain(1e-6) and {c.rtol for c in found.found} == {1e-10, 1e-11, 1e-12}
    assert len(found.found) <= 9


def test_a_reference_is_looked_for_at_looser_tolerances_where_tight_ones_fail(monkeypatch):
    """As at singular positions: a few failures tell it, and nothing tighter is tried."""
    monkeypatch.setattr(reference, "tight", refusing)
    with Workers({}, 1.0, 2) as workers:
        found = reference.make(workers, 1.0, 1.0, 1e-6, 60.0)
    assert found.certain(1e-6) and {c.rtol for c in found.found} == {1e-8}
    assert 3 <= len(found.failed) < 7


def test_a_reference_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(reference, "tight", hanging)
    with Workers({}, 1.0, 2) as workers:
        found = reference.make(workers, 1.0, 1.0, 1e-6, 0.5)
    assert not found.known and "not finished after" in "".join(found.failed.values())


def runaway():
    """A spring that pushes: the numbers grow without bound."""
    model = br.Model("runaway", gravity=(0, 0, 0))
    mass = model.body("mass", br.Box((0.1, 0.1, 0.1), position=(1, 0, 0), mass=1.0))
    model.prismatic("slide", model.ground, mass, point=(1, 0, 0), axis=(1, 0, 0))
    model.spring("push", model.ground, mass, (-1, 0, 0), (1, 0, 0), stiffness=-5000.0, length=0.5)
    return model


def test_a_motion_that_nobody_ends_gets_a_report(tmp_path):
    """Reasons in the rows and in the report, which replaces an earlier one."""
    (tmp_path / "report.html").write_text("earlier")
    found = br.compare(runaway(), 20.0, budget=2.0, only=("index1", "dopri5", "rk4", "absolute"), output=tmp_path)
    assert found.rows and not any(r["ok"] for r in found.rows)
    assert "No method reached the end" in found.recommendation[0] and "without bound" in found.recommendation[1]
    page = (tmp_path / "report.html").read_text()
    assert "earlier" not in page and "for the reference" in page


def test_without_a_reference_the_finest_runs_are_one(monkeypatch):
    monkeypatch.setattr(reference, "tight", hanging)
    only = ("index1", "qr", "dop853", "adams", "absolute")
    found = br.compare(double_pendulum(), 0.5, budget=4.0, only=only)
    assert found.reference["accuracy"] is not None and found.reference["failed"]
    assert any(r["error"] for r in found.rows)
    assert (
        min(r["error"] for r in found.rows if r["error"] is not None) > 0.0
    )  # the reference is not better than it is known


def test_words_where_no_method_was_run():
    """The budget is blamed for what it did, an interrupt for what it did."""
    found = Comparison("model", 1.0, 1e-6, 10.0, not_run=["a + b"], seconds={"reference": 9.0})
    assert "No method was run" in found.recommendation[0] and "9 s of it on the reference" in found.recommendation[0]
    assert not_run(found) == "Not run, for the budget was spent"
    found.interrupted = True
    assert "before the interrupt" in found.recommendation[0] and "before the interrupt" in not_run(found)


def test_words_on_a_sensitive_motion_name_no_method():
    kind = {"method": "a + b", "coordinates": "absolute", "formulation": "a", "integrator": "b", "family": "explicit"}
    rows = [row(k, 0.5, kind="rtol", setting=1e-3, reason="", order=4, **kind) for k in range(3)]
    about = {"sensitive": True, "accuracy": 0.3, "certain": False, "text": ""}
    first = Comparison("model", 60.0, 1e-6, 10.0, rows=rows, reference=about).recommendation[0]
    assert first.startswith("Sensitive motion") and "Shorten the span" in first and "a + b" not in first


def test_methods_by_formulation():
    names = ["index1 + rk4", "index1 + dop853, relative", "index1 + euler", "hybrid"]
    assert grouped(names) == {"index1": ["rk4", "euler"], "index1, relative": ["dop853"], "hybrid": []}


def test_compiling_runs_a_small_linkage_and_stops_at_an_interrupt(monkeypatch, tmp_path):
    """The model itself is not integrated before the budget counts; Ctrl-C ends the whole."""
    seen = []

    def interrupted(system, *arguments, **keywords):
        seen.append(system.name)
        raise br.Interrupted

    monkeypatch.setattr(comparing, "simulate", interrupted)
    with pytest.raises(br.Interrupted) as caught:
        br.compare(double_pendulum(), 1.0, budget=60.0, only=FEW, output=tmp_path)
    found = caught.value.solution
    assert seen == ["small"] and found.interrupted and not found.rows
    assert "before the interrupt" in (tmp_path / "report.html").read_text()


def ladders(*rows):
    """Formulations in the order in which a Course goes on with methods that have these rows."""
    chosen = [method for method, _ in rows]
    course = Course(Comparison("model", 1.0, 1e-6, 60.0), None, chosen, None, lambda done, text: None)
    for method, own in rows:
        course.ladders[method] = Ladder(method, 64, 1e-6, 60.0)
        for level, found in enumerate(own):
            course.ladders[method].add(float(level), found)
            course._look(method)
    running, order = set(), []
    while (rung := course._next(running)) is not None:
        order.append(rung[1].formulation)
        running.add(rung[1])
    return order


EXPLICIT, IMPLICIT = ("Ode", True, 8), ("ResidualDae", True, 5)


def test_a_promising_ladder_is_finished_before_others_begin():
    """The method that promises less waits; that of another kind, of which nothing is known, does not."""
    order = ladders(
        (Method("index1", "dop853", *EXPLICIT), [row(0, 1e-3, 0.01), row(1, 1e-4, 0.011)]),
        (Method("hybrid", "dop853", *EXPLICIT), []),
        (Method("ggl", "radau5", *IMPLICIT), []),
    )
    assert order == ["ggl", "index1", "hybrid"]


def test_implicit_methods_come_first_where_explicit_ones_creep():
    """A steps-bound explicit run says nothing against implicit methods, and much against explicit ones."""
    order = ladders(
        (Method("index1", "dop853", *EXPLICIT), [row(0, 1e-9, 2.0), row(1, 1e-9, 2.0)]),
        (Method("hybrid", "dop853", *EXPLICIT), []),
        (Method("ggl", "radau5", *IMPLICIT), [row(0, 1e-4, 0.01)]),
        (Method("index2", "bdf", *IMPLICIT), []),
    )
    assert order[:2] == ["ggl", "index2"]


def test_distance_counts_positions_in_lengths_and_rotations_in_rad():
    here, there = np.column_stack([np.zeros(3), np.eye(3)]), np.column_stack([[2.0, 0, 0], np.eye(3)])
    assert distance({"a": here}, {"a": there}, 4.0) == pytest.approx(0.5)
    c, s = np.cos(1e-3), np.sin(1e-3)
    turned = np.column_stack([np.zeros(3), [[c, -s, 0], [s, c, 0], [0, 0, 1]]])
    assert distance({"a": here}, {"a": turned}, 4.0) == pytest.approx(1e-3, rel=1e-6)


def sleep(systems, span, limit=0.0):
    time.sleep(60.0)


def die(systems, span, limit=0.0):
    os._exit(3)


def answer(systems, span, limit=0.0):
    return systems["absolute"], span


def test_workers_replace_processes_that_hang_or_die():
    with Workers({"absolute": "here"}, 2.0, 2) as workers:
        jobs = [{"task": task, "limit": 1.0} for task in (sleep, die, answer, answer)]
        hung, dead, *fine = workers.all(jobs)
    assert isinstance(hung, Lost) and "not finished" in str(hung)
    assert isinstance(dead, Lost) and "3" in str(dead)
    assert fine == [("here", 2.0)] * 2


def test_jobs_without_time_are_lost_and_running_ones_can_be_dropped():
    with Workers({"absolute": "here"}, 2.0, 1) as workers:
        first, late = workers.all([{"task": sleep, "limit": 60.0}] * 2, time.monotonic() + 0.3)
        assert isinstance(first, Lost) and "no time" in str(late)
        workers.start({"task": sleep, "limit": 60.0})
        workers.drop()
        assert workers.free == 1 and workers.all([{"task": answer, "limit": 9.0}]) == [("here", 2.0)]


def test_failures_are_listed_with_their_reason():
    rows = [row(0, None, None, ok=False, reason="boom", kind="rtol", setting=1e-3, formulation="a", integrator="b")]
    rows = [r | {"method": "a + b", "coordinates": "absolute", "family": "explicit", "order": 4} for r in rows]
    (outcome,) = outcomes(rows, 1e-6, 1.0)
    assert outcome.seconds is None and outcome.failures == {"boom": 1}


def failing(settings):
    rows = [
        row(k, None, None, ok=False, reason="boom", kind="rtol", setting=setting, formulation="a", integrator="b")
        | {"method": "a + b", "coordinates": "absolute", "family": "explicit", "order": 4}
        for k, setting in enumerate(settings)
    ]
    return failures(Comparison("model", 1.0, 1e-6, 60.0, rows=rows))


def test_failures_say_how_many_settings_were_tried():
    assert failing([1e-3]) == [
        "Fail at the only setting tried, the coarsest one, because boom: a with b. Finer ones were not tried."
    ]
    assert failing([1e-3, 1e-4]) == ["Fail at all 2 settings tried, because boom: a with b."]


def test_a_finer_rung_follows_soon_on_a_failure():
    ladder = Ladder(Method("index1", "dop853", "Ode", True, 8), 64, 1e-6, 60.0)
    ladder.add(0.0, row(0, None, 1.0, ok=False, reason="boom"))
    level, wait = ladder.next() or (0.0, 0.0)
    assert level == 1.0 and wait < 0.5


def test_the_balance_of_energy_is_the_method_s_where_work_is_done():
    damped = double_pendulum()
    damped.torsion("damper", "A", damping=0.5)
    method = Method("index1", "dop853", "Ode", True, 8)
    for model in (double_pendulum(), damped):
        systems = {"absolute": model.build()}
        found = run(systems, 1.0, method, 1e-6, lambda solution: 0.0, repeats=1)
        assert 0.0 < found["energy_error"] < 1e-5 * found["energy_size"]
        along = (drift(systems, 1.0, method, 1e-6) or {})["energy"]
        assert 0.0 < max(along) < 1e-5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pendulum", 0.0), "positive"),
        (("no-such-problem",), "no problem"),
        ((double_pendulum(),), "How long"),
        ((double_pendulum(), -1.0), "positive"),
        ((3, 1.0), "takes a Model"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, words):
    with pytest.raises(br.ModelError, match=words):
        br.compare(*arguments)
