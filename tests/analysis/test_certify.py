"""certify(): what it certifies is right, and what is wrong it does not certify.

The error that it vouches for is held against the certified references of the library. Wrong functions of users (in a file beside)
are such that two methods may agree: they have to be found by the checks that methods do not share.
"""

import json
import warnings
from functools import cache

import numpy as np
import pytest
import wrong_functions as wrong

import bricard as br
from bricard.analysis.unlike import PAIRS, STIFF, Pair, unlike_first
from bricard.cli.main import main
from bricard.model.joints.user import UserJoint
from bricard.problems import PROBLEMS
from mechanisms import four_bar

ACCURACY = 1e-6
MOSTLY = 100.0  # times the true error
QUICK = ("pendulum", "physical-pendulum", "suspension", "bricard")
LONG = (
    "double-four-bar",
    "andrews-testset",
    "andrews-iftomm",
    "flyball-governor",
    "bicycle",
    "four-bar-spring",
    "car-axis",
    "double-pendulum",
    "moving-pendulum",
    "driven-pendulum",
    "spinning-top",
    "four-bar",
    "shock-wave-chain",
    "parallelogram",
    "spatial-slider-crank",
    "halved-slider-crank",
    "slider-crank-thesis",
    "slider-crank-rest",
    "slider-crank-peer",
    "chain",
    "rssr",
    "bennett",
    "rolling-disc",
    "gyroscope",
)


def certified(what, duration, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return br.certify(what, duration, progress=False, **options)


def planar_four_bar():
    """Without redundant rows."""
    return PROBLEMS["four-bar-spring"].model()


@cache
def ends(name):
    """The Certificate of a problem, and of each output at the end: its name, true error, error vouched for, what the reference is
    off by at most."""
    problem = PROBLEMS[name]
    found, reference = certified(problem.model(), problem.span), problem.reference()
    rows = []
    for output in (
        output for output in problem.outputs if output.name in reference.values and found.solution is not None
    ):
        exact = reference[output.name]
        size = max(abs(exact), 1.0 if output.unit == "rad" else reference.sizes[output.name])
        true = abs(float(output.value(found.solution)[-1]) - exact)
        rows.append((output.name, true, float(found.error_of(output.value)[-1]), size * max(reference.accuracy, 1e-14)))
    return found, rows


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)])
def test_the_error_vouched_for_is_at_least_the_true_one(name):
    found, rows = ends(name)
    assert found.ok and rows, found.text
    for output, true, claim, known in rows:
        assert true <= claim + known, output


@pytest.mark.slow
def test_the_error_vouched_for_is_mostly_not_far_above():
    """Of most problems; not where the better runs pass singular positions worse than the first one (four-bar), or where an output
    ends by symmetry where it is exact."""
    found = {name: [claim / max(true, known) for _, true, claim, known in ends(name)[1]] for name in (*QUICK, *LONG)}
    far = {name: ratios for name, ratios in found.items() if np.median(ratios) > MOSTLY}
    assert len(far) <= len(found) // 10, far


def test_text_and_fields_say_the_same():
    found = certified(planar_four_bar(), 1.0)
    assert found.ok and not found.disagreements and found.agrees_until == 1.0
    assert found.text.startswith('Certified: "four-bar with spring" over 1 s')
    assert [run.role for run in found.runs if run.ok] == ["first", "tightened", "second"]
    first, tightened, second = (run for run in found.runs if run.ok)
    assert (first.coordinates, second.coordinates) == ("absolute", "relative")
    assert second.pair.unlike(first.pair) and first.pair == tightened.pair
    assert found.solution is first.solution
    kinds = {entry.kind for entry in found.errors.values()}
    assert {"position", "rotation", "velocity", "joint angle", "force", "energy"} <= kinds
    assert all(entry.course.shape == found.solution.t.shape for entry in found.errors.values())
    assert all((np.diff(entry.course) >= 0.0).all() for entry in found.errors.values())
    assert {check.name for check in found.checks} == {"closure", "derivatives", "energy"}
    json.dumps(found.to_dict())


def test_reactions_that_are_not_unique_are_named_and_left_out():
    found = certified(four_bar(), 0.2)
    assert found.ok and found.left_out
    assert not any(name.startswith(f"{joint}: ") for joint in found.left_out for name in found.errors)
    assert all(joint in found.text for joint in found.left_out)


def test_singular_positions_are_passed():
    """Double four-bar: at t = 0.714 s all bars of a loop lie on one line."""
    found = certified(PROBLEMS["double-four-bar"].model(), 1.0)
    assert found.ok, found.text


def test_a_chaotic_motion_agrees_until_its_runs_part():
    model = br.Model("double pendulum", gravity=(0, -9.81, 0), planar=True)
    a = model.body("a", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.body("b", br.Rod((1, 0, 0), (2, 0.1, 0), mass=1.0))
    model.revolute("A", model.ground, a, point=(0, 0, 0), axis=(0, 0, 1))
    model.revolute("B", a, b, point=(1, 0, 0), axis=(0, 0, 1))
    found = certified(model, 40.0)
    assert not found.ok and 1.0 < found.agrees_until < 39.0
    assert "the motion is sensitive" in found.disagreements[0]
    assert "keeps it better" in found.disagreements[0]
    assert all(check.ok for check in found.checks)
    row = found.solution.t == found.agrees_until
    assert all(entry.course[row] <= ACCURACY * entry.size for entry in found.errors.values() if entry.kind != "force")


def test_a_system_in_relative_coordinates_and_one_at_rest():
    found = certified(planar_four_bar().build(coordinates="relative"), 0.3)
    assert found.ok and [run.coordinates for run in found.runs[::2]] == ["relative", "absolute"]
    model = br.Model("at rest", gravity=(0, 0, 0))
    model.revolute(
        "A", model.ground, model.body("a", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)), point=(0, 0, 0), axis=(0, 0, 1)
    )
    assert certified(model, 1.0).ok


def test_a_system_of_functions_says_what_its_methods_share():
    unit = np.eye(2)
    system = br.System.from_functions(
        unit, wrong.weight, wrong.circle, q0=[1.0, 0.0], v0=[0.0, 0.0], potential=wrong.height
    )
    found = certified(system, 1.0)
    assert found.ok and "given by its functions" in found.notes[0]
    assert set(found.errors) == {"q1", "q2", "v1", "v2", "kinetic energy", "potential energy", "work"}
    system = br.System.from_functions(
        unit, wrong.weight, wrong.circle, gamma=wrong.wrong_gamma, q0=[1.0, 0.0], v0=[0.0, 0.0], potential=wrong.height
    )
    found = certified(system, 1.0)
    assert not found.ok and any("-gamma of" in sentence for sentence in found.disagreements)


def bead(off):
    model = br.Model("bead on a ring")
    body = model.body("bead", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5, 0, 0))
    own = {"parameters": (0.5, off), "jacobian": wrong.ring_rows}
    model.joint("ring", model.ground, body, wrong.ring, 2, frame_a={"position": (0, 0, 0)}, frame_b={}, **own)
    return model


def test_a_wrong_jacobian_of_a_users_joint_is_found():
    """One of 1e-4 beyond a point passes the look at the start, and leaves an energy balance that a run takes for good."""
    assert certified(bead(0.0), 0.6).ok
    assert br.simulate(bead(1e-4), 0.6, rtol=1e-8, progress=False).ok
    found = certified(bead(1e-4), 0.6)
    assert not found.ok
    assert any("derivatives: At t = " in s and 'joint "ring" (1)' in s for s in found.disagreements), found.text


def hanging(joint, off):
    model = br.Model("arm", gravity=(0, -9.81, 0))
    body = model.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.02), position=(0.5, 0, 0))
    model.user_joint("J", model.ground, body, joint, parameters=(0.5, off))
    return model


def test_a_users_joint_that_lies_is_found():
    """A C that is no rotation: in relative coordinates nothing of the run notices. A motion that is not that of its position: all
    runs end, and the sentence of a run is in the certificate."""
    explicit = UserJoint.explicit(wrong.arm, {"angle": "angle"})
    assert certified(hanging(explicit, 0.0), 0.4).ok
    found = certified(hanging(explicit, 1.0).build(coordinates="relative"), 0.4)
    assert not found.ok and not all(check.ok for check in found.checks)
    with_motion = UserJoint.explicit(wrong.arm, {"angle": "angle"}, motion=wrong.arm_motion)
    found = certified(hanging(with_motion, 0.1), 0.4)
    assert not found.ok and found.solution is None
    assert 'the motion of joint "J" is not that of a joint' in found.disagreements[0]


def test_bad_input():
    for value in (True, "1e-6", 0.1, 1e-12, np.nan):
        with pytest.raises(br.ModelError, match="accuracy"):
            br.certify(four_bar(), 1.0, accuracy=value)
    with pytest.raises(br.ModelError, match="a Model or a System"):
        br.certify("four-bar", 1.0)
    with pytest.raises(br.ModelError, match="duration"):
        br.certify(four_bar(), -1.0)
    with pytest.raises(br.ModelError, match="samples"):
        br.certify(four_bar(), 1.0, samples=1)


def test_second_methods_are_ordered_by_what_they_share():
    for pairs in (PAIRS, STIFF):
        for first in pairs:
            others = unlike_first(list(pairs), first)
            assert first not in others and others[0].unlike(first)
            unlike = [pair.unlike(first) for pair in others]
            assert unlike == sorted(unlike, reverse=True)
    assert not Pair("ggl", "radau").unlike(Pair("index2", "radau5"))


def test_command_line(capsys, tmp_path):
    def called(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["certify", *map(str, arguments)])
        return ended.value.code or 0, capsys.readouterr()

    planar_four_bar().save(tmp_path / "m.toml")
    code, said = called(tmp_path / "m.toml", "--duration", 0.2)
    assert code == 0 and said.out.startswith("Certified")
    code, said = called("pendulum", "--duration", 0.2, "--accuracy", 1e-5, "--json")
    told = json.loads(said.out)
    assert code == 0 and told["ok"] and told["errors"]["A.angle"]["error"] < 1e-5
    code, said = called("double-pendulum", "--duration", 60, "--accuracy", 1e-9, "--set", "case=A")
    assert code == 1 and said.out.startswith("Not certified")
    assert called(tmp_path / "m.toml")[0] == 2
    assert called("pendulum", "--accuracy", 2)[0] == 2
    assert called("no-such-problem")[0] == 2
