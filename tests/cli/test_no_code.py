"""Files that are not trusted: with code=False, or --no-code, nothing that a file names is imported (T23, M12)."""

import sys
from pathlib import Path

import pytest
import typer.main

import bricard as br
from bricard.cli.main import app
from bricard.io import toml
from bricard.io.loading import load

BEGIN = """
name = "gift"
[bodies.rod]
shape = "rod"
start = [0, 0, 0]
end = [1, 0, 0]
mass = 1
[bodies.block]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, -1]
[joints.A]
type = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
[simulation]
duration = 0.02
step = 0.01
"""
PAIR = 'bodies = ["ground", "block"]\nframe_a = {}\nframe_b = {}\n'
# every kind of declaration that takes a function, in every form that a file has for it
ELEMENTS = {
    "drive": '[joints.X]\ntype = "drive"\ncoordinate = "A"\nprofile = "NAME"',
    "drive, a table": '[joints.X]\ntype = "drive"\ncoordinate = "A"\nprofile = {profile = "function", function = "NAME"}',
    "torsion": '[forces.X]\ntype = "torsion"\ncoordinate = "A"\nlaw = "NAME"',
    "torsion, a table": '[forces.X]\ntype = "torsion"\ncoordinate = "A"\nlaw = {law = "function", function = "NAME"}',
    "torsion, in time": '[forces.X]\ntype = "torsion"\ncoordinate = "A"\nlaw = {law = "time", profile = "NAME"}',
    "motor": '[forces.X]\ntype = "motor"\ncoordinate = "A"\ntorque = "NAME"',
    "force": '[forces.X]\ntype = "force"\nbody = "rod"\nforce = [0, "NAME", 0]',
    "joint": f'[joints.X]\ntype = "joint"\n{PAIR}rows = 1\nresidual = "NAME"',
    "jacobian": f'[joints.X]\ntype = "joint"\n{PAIR}rows = 1\nresidual = "math:sin"\njacobian = "NAME"',
    "nonholonomic": f'[joints.X]\ntype = "nonholonomic"\n{PAIR}rows = 1\nresidual = "NAME"',
    "user_force": f'[forces.X]\ntype = "user_force"\n{PAIR}load = "NAME"',
    **{
        kind: f'[joints.X]\ntype = "user_joint"\n{PAIR}joint = {{{kind} = "NAME", coordinates = {{x = "length"}}}}'
        for kind in ("explicit", "implicit", "routine")
    },
    "motion": f'[joints.X]\ntype = "user_joint"\n{PAIR}joint = {{explicit = "math:sin", motion = "NAME", coordinates = '
    '{x = "length"}}',
}


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A folder with a module that tells when it was imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    name = "evil_" + tmp_path.name.replace("-", "_")
    code = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\ndef f(*a):\n    return 0.0\n"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    yield name
    sys.modules.pop(name, None)


def ran():
    return Path("ran").exists()


@pytest.mark.parametrize("kind", ELEMENTS)
def test_functions_are_refused_by_name(evil, kind):
    Path("gift.toml").write_text(BEGIN + ELEMENTS[kind].replace("NAME", f"{evil}:f"), encoding="utf-8")
    path, modules = list(sys.path), set(sys.modules)
    with pytest.raises(br.UserFunctionError, match="--no-code") as refused:
        br.load("gift.toml", code=False)
    said = str(refused.value)
    assert "gift.toml, line " in said and "X]" in said
    assert (f"{evil}:f" in said) != (kind in ("jacobian", "motion"))  # there another function comes first
    assert not ran() and sys.path == path and evil not in sys.modules and set(sys.modules) == modules
    try:
        br.load("gift.toml")
    except br.ModelError:  # the declaration may want another function; but it has looked for it
        pass
    assert ran()


@pytest.mark.parametrize("loader", [load, br.Model.load, toml.load])
def test_every_loader_of_models_has_the_switch(evil, loader):
    Path("gift.toml").write_text(BEGIN + ELEMENTS["motor"].replace("NAME", f"{evil}:f"), encoding="utf-8")
    with pytest.raises(br.UserFunctionError, match=rf"forces\.X.*{evil}:f"):
        loader("gift.toml", code=False)
    assert not ran()


def urdf(evil):
    link = '<link name="L{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    joint = '<joint name="A" type="continuous"><parent link="L1"/><child link="L2"/><axis xyz="0 1 0"/></joint>'
    Path("arm.urdf").write_text(f'<robot name="arm">{link.format(1)}{link.format(2)}{joint}</robot>', encoding="utf-8")
    text = f'[forces.X]\ntype = "motor"\ncoordinate = "A"\ntorque = "{evil}:f"\n[simulation]\nduration = 0.02\nstep = 0.01\n'
    Path("arm.loops.toml").write_text(text, encoding="utf-8")


def test_what_stands_beside_urdf_is_refused_too(evil):
    urdf(evil)
    for call in (load, br.io.from_urdf):
        with pytest.raises(br.UserFunctionError, match=rf"arm\.loops\.toml, line .*forces\.X.*{evil}:f"):
            call("arm.urdf", code=False)
    assert not ran()


def result(evil):
    """gift.h5 with a model that holds a function, as a stranger would send it."""
    Path("gift.toml").write_text(BEGIN + ELEMENTS["motor"].replace("NAME", f"{evil}:f"), encoding="utf-8")
    br.simulate(br.load("gift.toml"), 0.02, step=0.01, progress=False).save("gift.h5")
    forget(evil)


def forget(evil):
    sys.modules.pop(evil, None)
    Path("ran").unlink()


def test_results_hold_models_too(evil):
    result(evil)
    with pytest.raises(br.UserFunctionError, match=rf"gift\.h5.*forces\.X.*{evil}:f.*--no-code"):
        br.Solution.load("gift.h5", code=False)
    assert not ran() and evil not in sys.modules
    Path("own.toml").write_text(BEGIN + ELEMENTS["motor"].replace('"NAME"', "0.0"), encoding="utf-8")
    assert br.Solution.load("gift.h5", model=br.load("own.toml", code=False), code=False).ok
    assert not ran()
    assert br.Solution.load("gift.h5").ok and ran()


def _harmless():
    Path("plain.toml").write_text(BEGIN, encoding="utf-8")
    return br.load("plain.toml", code=False)


def test_triggers_of_a_result_are_not_imported_when_it_is_made_again(evil):
    model = _harmless()
    sys.path.append(str(Path.cwd()))  # monkeypatch of the fixture takes it away again
    function = __import__(evil).f
    br.simulate(model, 0.02, step=0.01, triggers=[br.Trigger(function, at=1.0, name="bell")], progress=False).save(
        "t.h5"
    )
    sys.path.remove(str(Path.cwd()))
    forget(evil)
    solution = br.Solution.load("t.h5", code=False)
    with pytest.raises(br.UserFunctionError, match=rf'trigger "bell": function: "{evil}:f".*--no-code'):
        br.rerun(solution, code=False)
    assert not ran()
    assert br.rerun(solution).same and ran()


READS = {
    "gift.toml": ("check", "run", "view", "compare"),
    "arm.urdf": ("check", "run", "view", "import"),
    "gift.h5": ("view", "export", "rerun"),
}


def openers():
    """Commands that open a file of a model or a result: found by what they say they take."""
    for command in typer.main.get_command(app).commands.values():  # pyright: ignore[reportAttributeAccessIssue]
        words = " ".join(str(p.metavar) for p in command.params if p.param_type_name == "argument")
        if "MODEL.toml" in words or ".h5" in words or "urdf" in words:
            yield command


def test_every_command_that_opens_a_file_has_the_switch():
    missing = [command.name for command in openers() if not any("--no-code" in p.opts for p in command.params)]
    assert not missing
    assert {"check", "run", "view", "export", "compare", "rerun", "import"} <= {command.name for command in openers()}


@pytest.mark.parametrize("file", ["gift.toml", "arm.urdf", "gift.h5"])
@pytest.mark.parametrize("name", [command.name for command in openers()])
def test_no_command_imports_anything_of_the_folder(bricard, evil, name, file):
    urdf(evil)
    result(evil)
    code, _, err = bricard(name, file, "--no-code", *(["--csv"] if name == "export" else []))
    assert code == 2, err
    assert not ran() and evil not in sys.modules
    if name in READS[file]:
        assert "--no-code" in err and f"{evil}:f" in err


def test_without_functions_the_switch_changes_nothing(bricard, evil):
    _harmless()
    assert bricard("run", "plain.toml", "--no-code", "-q", "--output", ".")[0] == 0
    assert bricard("export", "gift.h5", "--no-code", "--csv")[0] == 0
    assert bricard("view", "gift.h5", "--no-code")[0] == 0
    assert bricard("rerun", "gift.h5", "--no-code")[0] == 0
