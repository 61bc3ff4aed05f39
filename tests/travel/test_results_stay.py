"""A result never changes: not with its model, not by its arrays, not by being saved and loaded."""

import copy
import gc
import pickle
import warnings

import numpy as np
import pytest
from travellers import digest, mechanism, solution, tangle

import bricard as br
from bricard.cli.main import main
from bricard.errors import ModelChanged
from bricard.model.frozen import frozen

CHANGES = {
    "gravity": lambda m: setattr(m, "gravity", (0, 0, -1.0)),
    "name": lambda m: setattr(m, "name", "other"),
    "body": lambda m: m.body("late", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)),
    "joint": lambda m: m.spherical("late joint", m.ground, "link", point=(0, 0, 0)),
    "spring": lambda m: m.spring("late spring", m.ground, "link", (0, 0, 0), (0.4, 0, 0.5), stiffness=500.0),
    "force": lambda m: m.force("late force", "crank", (0, 0, 0), (50.0, 0, 0)),
    "wish": lambda m: m.start(joint="B", velocity=1.0),
    "drawing": lambda m: m.draw("crank", br.Sphere((0, 0, 0), 0.1, mass=0)),
    "note": lambda m: m.notes.append("late"),
    "parameter": lambda m: m.parameters.update(L=1.0),
    "replaced": lambda m: m.bodies.update(crank=m.bodies["rocker"]),
    "removed": lambda m: m.forces.pop("spring"),
    "cleared": lambda m: [m.bodies.clear(), m.joints.clear(), m.forces.clear(), m.wishes.clear(), m.drawings.clear()],
}
SILENT = {"name", "drawing", "note", "parameter"}  # they change nothing of the motion


def all_of(result, folder):
    """Everything that a Solution can tell, as one text; on the way it is saved and loaded."""
    result.save(folder / "saved.h5")
    joints = [(result.joint(name), result.joint_velocity(name)) for name in result.channels]
    reactions = [tuple(result.reaction(name)) for name in "ABCD"]
    paths = [(result.point(name), result.velocity(name), result.angular_velocity(name)) for name in result.poses]
    table = result.to_xarray().to_dict()["data_vars"]
    result.view(folder / "page.html")
    page = (folder / "page.html").read_bytes()
    summary = {key: value for key, value in result.summary().items() if key != "seconds"}
    return digest((result, joints, reactions, paths, result.at(0.037), str(table), page)), repr(summary)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_model_changes_no_result(change, tmp_path):
    model = mechanism()
    result = br.simulate(model, 0.1, output=8)
    before = all_of(copy.deepcopy(result), tmp_path)  # of the result itself nothing is computed before the change
    CHANGES[change](model)
    assert all_of(result, tmp_path) == before
    loaded = br.Solution.load(tmp_path / "saved.h5")
    assert np.array_equal(loaded.energy.error, result.energy.error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelChanged)
        assert br.simulate(result, 0.01).ok


def test_every_declaring_method_is_among_the_changes():
    """Whatever a model can be told goes into one of these attributes, and each of them is changed above."""
    model = mechanism()
    attributes = set(vars(model)) - {"is_planar", "ground"}
    touched = set()
    for change in CHANGES.values():
        other = mechanism()
        before = {name: copy.copy(getattr(other, name)) for name in attributes}
        change(other)
        touched |= {
            n
            for n in attributes
            if not np.array_equal(before[n], getattr(other, n)) and repr(before[n]) != repr(getattr(other, n))
        }
    assert touched == attributes


@pytest.mark.parametrize("change", CHANGES)
def test_a_system_of_a_changed_model_warns_once_with_what_changed(change):
    model = mechanism()
    system = model.build()
    reference = br.simulate(system, 0.02, output=2)
    CHANGES[change](model)
    if change in SILENT:
        br.simulate(system, 0.02)
        return
    words = {"gravity": "gravity", "wish": "wishes", "cleared": "removed"}.get(change, "late|crank|spring")
    with pytest.warns(ModelChanged, match=words):
        again = br.simulate(system, 0.02, output=2)
    assert np.array_equal(again.q, reference.q) and np.array_equal(again.energy.total, reference.energy.total)
    br.simulate(system, 0.02)  # filterwarnings = error: a second warning would end here


def test_the_model_of_a_system_cannot_be_changed():
    system = mechanism().build()
    for change in CHANGES.values():
        with pytest.raises(br.ModelError, match=r"does not change.*copy"):
            change(system.model)
    other = system.model.copy()
    other.gravity = (0, 0, -1)
    assert other.build().model.gravity[2] == -1.0 and system.model.gravity[2] == -9.81


def test_a_system_keeps_the_model_alive_but_not_the_live_one():
    system = mechanism().build()
    gc.collect()
    assert br.simulate(system, 0.01).ok and frozen(system.model) is system.model


def test_bodies_and_joints_of_the_live_model_are_accepted():
    model = mechanism()
    result = br.simulate(model, 0.1, output=4)
    loaded = copy.deepcopy(result)
    for other in (result, loaded, br.simulate(mechanism(), 0.1, output=4)):
        link, joint = model.bodies["link"], model.joints["B"]
        assert np.array_equal(other.point(link, (0.1, 0, 0)), result.point("link", (0.1, 0, 0)))
        assert np.array_equal(other.joint(joint), result.joint("B"))
        assert np.array_equal(other.joint_velocity(joint), result.joint_velocity("B.angle"))
        assert np.array_equal(other.reaction(joint).force, result.reaction("B").force)
        assert np.array_equal(other.angular_velocity(link), result.angular_velocity("link"))


def arrays(thing, path="solution"):
    if isinstance(thing, np.ndarray):
        yield path, thing
    elif isinstance(thing, tuple):
        for k, part in enumerate(thing):
            yield from arrays(part, f"{path}[{k}]")
    elif hasattr(thing, "items"):
        for key, part in thing.items():
            yield from arrays(part, f"{path}[{key!r}]")
    elif isinstance(thing, br.State):
        yield from arrays(vars(thing), f"{path}.state")


def test_arrays_of_a_solution_cannot_be_written(tmp_path):
    solution().save(tmp_path / "s.h5")
    for result in (solution(), copy.deepcopy(solution()), br.Solution.load(tmp_path / "s.h5")):
        told = {name: getattr(result, name) for name in result.__dataclass_fields__ if name != "system"}
        told |= {name: getattr(result, name) for name in ("a", "lam", "energy", "constraint_errors", "poses")}
        found = list(arrays(told))
        assert len(found) > 20
        for path, array in found:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0.0
                pytest.fail(path)


def test_what_a_solution_tells_of_its_run_cannot_be_changed(tmp_path):
    """A run that goes on takes its tolerances from there, and a copy shares it."""
    first = br.simulate(mechanism(), 0.02, output=[0.0, 0.01, 0.02])
    second = br.simulate(first, 0.01, output=2)
    second.save(tmp_path / "s.h5")
    for result in (second, copy.copy(second), pickle.loads(pickle.dumps(second)), br.Solution.load(tmp_path / "s.h5")):
        tables = [result.provenance, result.provenance["arguments"], result.provenance["earlier"][0]["arguments"]]
        for table in (*tables, result.counters, result.seconds):
            with pytest.raises(br.ModelError, match="does not change"):
                table["rtol"] = 1.0
        with pytest.raises(br.ModelError, match="does not change"):
            tables[2]["output"].append(1.0)
        assert br.rerun(result).same


def test_a_copy_of_a_model_shares_nothing_that_changes():
    for copied in (copy.copy, copy.deepcopy, br.Model.copy):
        model = mechanism()
        other = copied(model)
        before = digest(model)
        for change in CHANGES.values():
            change(other)
        assert digest(model) == before
        assert type(copied(model.build().model)) in (type(model), type(model.build().model))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: br.Rod((0, 0, 0), (0, 0, x), mass=1.0),
        lambda x: br.Box((1, 1, x), mass=1.0),
        lambda x: br.Sphere((0, 0, 0), x, mass=1.0),
        lambda x: br.PointMass((0, 0, 0), x),
        lambda x: br.Cylinder((0, 0, 0), (0, 0, x), 0.1, mass=1.0),
        lambda x: br.Capsule((0, 0, 0), (0, 0, x), 0.1, mass=1.0),
        lambda x: br.Ellipsoid((1, 1, x), mass=1.0),
        lambda x: br.Mesh("a.stl", mass=0, scale=x),
    ],
)
def test_equal_shapes_compare_equal(make):
    assert make(0.3) == make(0.3) != make(0.31) and len({make(0.3), make(0.3), make(0.31)}) == 2
    assert make(0.3) != br.Model("m")
    with pytest.raises(AttributeError, match="does not change"):
        make(0.3).mass = 5.0


@pytest.mark.parametrize("seed", range(4))
def test_loading_never_changes_a_model(seed, tmp_path):
    model = tangle(seed)
    before = digest(model)
    result = br.simulate(model, 0.02, output=2)
    result.save(tmp_path / "r.h5")
    loaded = br.Solution.load(tmp_path / "r.h5", model=model)
    assert digest(model) == before and np.array_equal(loaded.energy.total, result.energy.total)


def test_a_frozen_model_shares_what_does_not_change():
    model = mechanism()
    other = frozen(model)
    assert all(other.bodies[name] is body for name, body in model.bodies.items())
    assert all(other.joints[name] is joint for name, joint in model.joints.items())


# results of models with functions of a user


MODEL = """
name = "own"
[bodies.rod]
shape = "rod"
start = [0, 0, 0]
end = [1, 0, 0]
mass = 1
[joints.A]
type = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
[forces.spring]
type = "torsion"
coordinate = "A"
law = "MODULE:law"
[simulation]
duration = 0.05
"""


@pytest.mark.parametrize("moved", [False, True])
def test_the_sequence_of_the_documentation_with_own_functions(tmp_path, monkeypatch, moved):
    """run, view, export, each as a new process would: the module is found where the model file lies, and moves with it (T17)."""
    import shutil
    import sys

    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    name, folder = f"laws_of_{moved}".lower(), tmp_path / "here"
    (folder / "models").mkdir(parents=True)
    (folder / "models" / f"{name}.py").write_text("def law(t, x, xdot):\n    return -3.0 * x\n", encoding="utf-8")
    (folder / "models" / "own.toml").write_text(MODEL.replace("MODULE", name), encoding="utf-8")
    commands = [
        ["run", "models/own.toml", "--output", "results", "-q"],
        ["view", "results/own.h5"],
        ["export", "results/own.h5", "--csv"],
    ]
    for k, command in enumerate(commands):
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert not ended.value.code, command
        sys.modules.pop(name, None)  # as in a new process
        if moved and k == 0:
            shutil.move(folder, tmp_path / "there")
            folder = tmp_path / "there"
    assert (folder / "results" / "own.csv").is_file() and (folder / "own.html").is_file()


def test_a_model_that_could_not_be_read_again_is_left_out_with_the_reason(tmp_path, monkeypatch):
    """The data are never lost."""
    from bricard.io import toml

    monkeypatch.setattr(toml, "dumps", lambda model: "[bodies.a]\nshape = 3\n")
    result = br.simulate(tangle(1), 0.02, output=2)
    result.save(tmp_path / "r.h5")
    loaded = br.Solution.load(tmp_path / "r.h5")
    assert np.array_equal(loaded.q, result.q)
    with pytest.raises(br.ModelError, match="without its model"):
        loaded.system.n_q  # noqa: B018


def test_a_file_of_other_sizes_never_replaces_an_older_one(tmp_path):
    from dataclasses import replace

    result = br.simulate(tangle(1), 0.02, output=2)
    result.save(tmp_path / "r.h5")
    wrong = replace(result, q=result.q[:, :-1])
    with pytest.raises(br.FileFormatError, match="shape"):
        wrong.save(tmp_path / "r.h5")
    assert np.array_equal(br.Solution.load(tmp_path / "r.h5").q, result.q)
