"""The page as text: self-contained, small, with all that a model has; wrong questions get a sentence."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scenes import every_kind, spring_pendulum

import bricard as br
import mechanisms
from bricard.errors import ModelError
from bricard.view import page as pages
from bricard.view.curves import _joints
from bricard.view.page import model_page, solution_page, template
from bricard.view.solids import coarser
from bricard.view.timeline import timeline

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def solution():
    return br.simulate(spring_pendulum(), 1.0, step=2e-3, progress=False)


def header(page):
    """The header of the scene in a page."""
    text = re.search(r'id="scene" type="text/plain">([^<]+)<', page.text)[1]
    content = zlib.decompress(base64.b64decode(text))
    return json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])


def test_page_is_written_and_loads_nothing(solution, tmp_path):
    file = tmp_path / "spring.html"
    page = solution.view(file)
    assert file.read_text(encoding="utf-8") == page.text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(""", template())


def test_viewer_is_built_from_its_sources():
    """After a change in viewer/: `make viewer`."""
    folder, digest = ROOT / "viewer", hashlib.sha256()
    for file in [folder / "build.mjs", folder / "package-lock.json", *sorted((folder / "src").iterdir())]:
        digest.update(file.read_bytes())
    assert f'data-sources="{digest.hexdigest()}"' in template()


def test_lock_names_no_registry():
    assert "resolved" not in (ROOT / "viewer" / "package-lock.json").read_text()


def test_licence_of_three_is_beside_the_page():
    assert "three.js authors" in (Path(pages.__file__).parent / "LICENSE-three.txt").read_text(encoding="utf-8")


def test_every_kind_of_joint_force_and_shape_is_drawn():
    model = every_kind()
    found = header(model_page(model))
    signs = (ROOT / "viewer" / "src" / "joints.js").read_text() + (ROOT / "viewer" / "src" / "links.js").read_text()
    for element in [*found["joints"], *found["forces"]]:
        assert element["kind"] == "force" or re.search(rf'^  "?{element["kind"]}"?: \[', signs, re.M), element["kind"]
    assert {solid["kind"] for solid in found["solids"]} == {"cylinder", "box", "sphere", "point", "capsule"}
    drawn = {solid["body"] for solid in found["solids"]}
    assert drawn == set(range(len(model.bodies) + 1))  # the ground too
    assert not found["ok"]  # these joints cannot be closed together, and the page says so
    assert found["status"].startswith("As drawn, not assembled")


def test_arrows_of_reactions_and_loads(solution):
    arrows = {(load["what"], load["name"], load["kind"]) for load in header(solution_page(solution))["loads"]}
    assert arrows == {
        ("reaction", "hinge", "force"),
        ("load", "spring", "force"),
        ("load", "motor", "torque"),
        ("load", "push", "force"),
        ("load", "drag", "force"),
        ("load", "drag", "torque"),
    }


def test_curves(solution):
    own = {"height": solution.point("rod", (0.4, 0, 0))[:, 1]}
    curves = {group["name"]: group for group in header(solution_page(solution, channels=own))["curves"]}
    assert next(iter(curves)) == "height"
    assert {"energy", "energy error", "constraint errors", "hinge.angle", "hinge.angle rate", "hinge force"} <= set(
        curves
    )
    assert curves["constraint errors"]["log"]


@pytest.mark.parametrize(
    ("gravity", "up"), [((0, 0, -9.81), "z"), ((0, -9.81, 0), "y"), ((0, 0.5, 9.81), "-z"), ((0, 0, 0), "z")]
)
def test_up_is_against_gravity(gravity, up):
    assert pages._up(br.Model("nothing", gravity=gravity)) == up


def test_up_of_a_planar_model_without_gravity():
    assert pages._up(br.Model("nothing", gravity=(0, 0, 0), planar=True)) == "y"


def test_plane_mechanisms_are_seen_from_the_front():
    assert pages._flat(spring_pendulum())
    assert pages._flat(mechanisms.four_bar())  # in space, with hinges about z
    assert not pages._flat(mechanisms.rssr())


def test_paths(solution):
    assert [path["body"] for path in header(solution_page(solution))["paths"]] == [0]
    chosen = header(solution_page(solution, paths=[("rod", (0.4, 0, 0))]))["paths"]
    assert chosen == [{"body": 0, "p": [0.4, 0.0, 0.0]}]
    with pytest.raises(ModelError, match=r'no body "rot"\. Did you mean "rod"'):
        solution_page(solution, paths=[("rot", (0, 0, 0))])


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["rod"], r"each is a body and a point in its reference frame, such as \(\"rod\", \(0, 0, 0\)\), not 'rod'"),
        ([("rod", (0, 0))], 'the point of "rod" must'),
        ([("rod", "tip")], 'the point of "rod" must'),
        ("rod", "give a list of"),
        (3, "give a list of"),
    ],
)
def test_wrong_paths(solution, paths, words):
    with pytest.raises(ModelError, match=words):
        solution_page(solution, paths=paths)


def test_a_page_is_not_a_folder(solution, tmp_path):
    with pytest.raises(ModelError, match=re.escape(f"{tmp_path} is a folder")):
        solution.view(tmp_path)
    with pytest.raises(ModelError, match=re.escape(f"there is no folder {tmp_path / 'none'}")):
        solution.view(tmp_path / "none" / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_wrong_channel(solution):
    with pytest.raises(ModelError, match="one number per sample, 501"):
        solution_page(solution, channels={"x": np.zeros(3)})


@pytest.mark.parametrize("fps", [0, -1.0, float("nan"), float("inf")])
def test_wrong_fps(solution, fps):
    with pytest.raises(ModelError, match="fps must be"):
        solution_page(solution, fps=fps)


def test_system_of_functions_has_nothing_to_show(solution):
    bare = replace(solution, system=replace(solution.system, model=None))
    with pytest.raises(ModelError, match="no bodies and joints to show"):
        bare.view()


def test_a_minute_of_the_bricard_linkage_is_small():
    solution = br.simulate(br.Model.load(ROOT / "examples" / "bricard.toml"), 60.0, step=4e-3, progress=False)
    page = solution_page(solution)
    assert header(page)["frames"] == 3601
    assert len(page.text) < 1_500_000


def test_large_pages_get_fewer_frames(solution, monkeypatch):
    many = header(solution_page(solution))["frames"]
    monkeypatch.setattr(pages, "LARGEST", len(template()) + 6000)
    page = solution_page(solution)
    assert header(page)["frames"] < many
    assert len(page.text) <= pages.LARGEST or header(page)["frames"] == pages.FEWEST


def test_mesh_is_embedded_and_made_coarser(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="meshes are read with the package trimesh")
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.2)
    model = br.Model("meshes")
    for kind in ("stl", "obj", "glb"):
        file = tmp_path / f"ball.{kind}"
        ball.export(file)
        model.body(kind, br.Mesh(file, density=1000.0))
    model.body("again", br.Mesh(tmp_path / "ball.stl", density=1000.0), position=(1, 0, 0))
    found = header(model_page(model))
    assert len(found["meshes"]) == 3  # one file is stored once
    assert [solid["mesh"] for solid in found["solids"]] == [0, 1, 2, 0]
    corners, triangles = coarser(np.asarray(ball.vertices), np.asarray(ball.faces), most=300)
    assert len(triangles) <= 300
    assert np.abs(np.linalg.norm(corners, axis=1) - 0.2).max() < 0.05


def test_box_of_a_mesh_is_known(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="meshes are read with the package trimesh")
    bar = trimesh.creation.box((0.2, 0.4, 2.0))
    bar.apply_translation((0.0, 0.0, -1.0))
    bar.export(tmp_path / "bar.stl")
    model = br.Model("bar")
    model.body("bar", br.Mesh(tmp_path / "bar.stl", density=1.0, scale=0.5, position=(0, 0, 5)))
    found = header(model_page(model))
    assert found["meshes"][0]["low"] == pytest.approx([-0.05, -0.1, -1.0])
    assert found["meshes"][0]["high"] == pytest.approx([0.05, 0.1, 0.0])
    assert found["accuracy"]["length"] == pytest.approx(0.5 * 2.0**-17)  # of a body of 1 m


def test_a_mesh_that_cannot_be_read_is_noted_and_replaced(tmp_path):
    (tmp_path / "empty.stl").write_bytes(b"nothing")
    model = br.Model("meshes")
    model.body("arm", mass=1.0, inertia=(0.01, 0.08, 0.08))
    model.body("hand", br.Box((1, 1, 1), mass=1.0))
    model.draw("arm", br.Mesh(tmp_path / "none.stl", mass=0.0))
    model.draw("hand", br.Mesh(tmp_path / "none.stl", mass=0.0))
    model.draw("ground", br.Mesh(tmp_path / "empty.stl", mass=0.0))
    with pytest.warns(UserWarning, match=r"The view of 'meshes'") as warned:
        found = header(model_page(model))
    assert len(warned) == 2
    missing, damaged = found["notes"]
    assert "none.stl" in missing and "arm, hand" in missing
    assert "empty.stl" in damaged and "ground" in damaged
    assert [(solid["body"], solid["kind"]) for solid in found["solids"]] == [(0, "sphere"), (1, "box")]
    assert any("none.stl" in note for note in model.report().notes)


def test_far_from_the_origin_the_page_is_the_same():
    def near_and_far(x):
        model = br.Model("pendulum")
        rod = model.body("rod", br.Rod((x, 0, 0), (x + 1, 0, 0), mass=1.0))
        model.draw("ground", br.Box((0.1, 0.1, 0.1), mass=0.0, position=(x - 0.125, 0, 0)))
        model.revolute("hinge", model.ground, rod, (x, 0, 0), (0, 1, 0))
        return header(model_page(model))

    near, far = near_and_far(0.0), near_and_far(4e6)
    assert np.subtract(far["origin"], near["origin"]) == pytest.approx([4e6, 0, 0])
    for key in ("positions", "solids", "joints", "accuracy"):
        assert far[key] == near[key]


def test_a_run_that_failed_says_so_and_ends_where_its_numbers_end(solution):
    q = solution.q.copy()
    q[251:] = np.nan
    found = header(solution_page(replace(solution, q=q, ok=False, status="It stopped.")))
    assert (found["ok"], found["status"]) == (False, "It stopped.")
    assert found["duration"] == pytest.approx(0.5)
    with pytest.raises(ModelError, match="nothing to show"):
        solution_page(replace(solution, q=np.full_like(q, np.nan)))


def test_turns_are_counted_whatever_the_number_of_frames():
    model = br.Model("rotor", gravity=(0, 0, 0))
    rotor = model.body("rotor", br.Box((1, 1, 0.1), mass=1.0))
    model.revolute("axle", model.ground, rotor, (0, 0, 0), (0, 0, 1))
    model.start(joint="axle", velocity=300.0)
    solution = br.simulate(model, 1.0, step=1e-3, progress=False)
    frames = timeline(solution, 50)  # six radians from one to the next
    curves = dict(next((c for name, _, c in _joints(solution, frames) if name == "axle.angle"), {}))
    assert np.abs(curves["axle.angle"] - 300.0 * frames.t).max() < 1e-3
