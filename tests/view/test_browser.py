"""The page in a real browser: poses, clock, keyboard, toggles, plots, light and dark, pictures, ten thousand bodies."""

import base64

import numpy as np
import pytest
from chromium import Tab, launch
from scenes import every_kind, spring_pendulum, swarm

import bricard as br
import mechanisms
from bricard.view.page import model_page
from bricard.view.timeline import quaternions

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def browser():
    driver, found = launch()
    yield found
    found.close()
    driver.stop()


@pytest.fixture(scope="module")
def solution():
    return br.simulate(spring_pendulum(), 4.0, step=2e-3, progress=False)


@pytest.fixture(scope="module")
def tab(browser, solution, tmp_path_factory):
    file = tmp_path_factory.mktemp("view") / "spring.html"
    solution.view(file)
    return Tab(browser, file)


def test_loads_without_complaint_and_without_the_network(tab):
    assert tab.complaints == []
    assert [url for url in tab.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert tab.page.title() == "spring pendulum"


def test_poses_are_those_of_the_solution(tab, solution):
    accuracy = tab.run("bricard.header.accuracy")
    x, R = solution.poses["rod"]
    for sample in (0, 25, 500, 1950, 2000):  # at these times there is a frame, so that nothing is interpolated
        pose = tab.run(f"bricard.pose('rod', {solution.t[sample]})")
        assert np.abs(np.array(pose["position"]) - x[sample]).max() < 1.01 * accuracy["length"]
        cosine = abs(np.array(pose["quaternion"]) @ quaternions(R[sample]))
        assert 2 * np.sqrt(2 * max(1.0 - cosine, 0.0)) < 1.01 * accuracy["angle"]


def test_poses_between_frames(tab, solution):
    for t in (0.0033, 1.2345, 3.99):
        near = solution.at(t)
        pose = tab.run(f"bricard.pose('rod', {t})")
        assert np.abs(np.array(pose["position"])[:2] - near.q[:2]).max() < 2e-5


def test_scrubber_sets_the_time_of_the_picture(tab):
    tab.page.evaluate(
        "() => { const s = document.getElementById('scrub'); s.value = 2; s.dispatchEvent(new Event('input')); }"
    )
    assert tab.run("bricard.player.time") == 2.0
    assert tab.page.inner_text("#clock") == "2.00 / 4 s"
    tab.run("bricard.draw()")
    x = np.subtract(tab.run("bricard.pose('rod', 2.0).position"), tab.run("bricard.header.origin"))
    drawn = tab.run(
        "Array.from(bricard.stage.scene.children.filter((c) => c.isInstancedMesh)[0].instanceMatrix.array.slice(12, 15))"
    )
    assert np.abs(np.array(drawn) - x).max() < 1e-6


def test_keyboard(tab):
    tab.key("Home")
    assert tab.run("bricard.player.time") == 0.0
    tab.key("End")
    assert tab.run("bricard.player.time") == 4.0
    tab.key("ArrowLeft")
    assert tab.run("bricard.player.time") == pytest.approx(4.0 - 1 / 60)
    tab.key("Shift+ArrowLeft")
    assert tab.run("bricard.player.time") == pytest.approx(4.0 - 11 / 60)
    tab.key("+")
    assert tab.run("bricard.player.speed") == 2.0
    tab.key("-")
    assert tab.run("bricard.player.speed") == 1.0
    tab.key("Space")
    assert tab.run("bricard.player.playing") is True
    tab.key("Space")
    assert tab.run("bricard.player.playing") is False


def test_playing_goes_on_and_loops(tab):
    tab.run("bricard.seek(3.9)")
    tab.run("bricard.player.play(true)")
    tab.page.wait_for_function("() => bricard.player.time < 3.9")
    tab.run("bricard.player.play(false)")


@pytest.mark.parametrize(
    ("key", "layer"),
    [("j", "joints"), ("r", "frames"), ("t", "paths"), ("f", "forces"), ("e", "reactions"), ("g", "grid")],
)
def test_toggles(tab, key, layer):
    before = tab.run(f"bricard.layers.state.{layer}")
    tab.run("bricard.seek(1.0)")
    picture = tab.run("bricard.picture()")
    tab.key(key)
    assert tab.run(f"bricard.layers.state.{layer}") is not before
    assert tab.run("bricard.picture()") != picture
    tab.key(key)
    assert tab.run("bricard.picture()") == picture


def test_plots_and_their_cursor(tab):
    tab.run("bricard.plots(true)")
    names = tab.page.eval_on_selector_all("#curves select", "(all) => all.map((one) => one.value)")
    assert names == ["energy", "constraint errors"]
    canvas = tab.page.query_selector("#curves canvas").bounding_box()
    left, right = 52, 10  # margins of the axes
    tab.page.mouse.click(canvas["x"] + left + 0.25 * (canvas["width"] - left - right), canvas["y"] + 60)
    assert tab.run("bricard.player.time") == pytest.approx(1.0, abs=0.02)
    tab.page.select_option("#curves select", "hinge.angle")
    assert "hinge.angle" in tab.page.inner_text("#curves .legend")


def test_plot_shows_the_value_at_the_cursor(tab, solution):
    tab.page.select_option("#curves select", "energy")
    tab.run("bricard.seek(1.0)")
    shown = float(tab.page.inner_text("#curves .legend span:first-child b"))
    assert shown == pytest.approx(solution.energy.kinetic[500], rel=1e-3)


def test_light_and_dark(tab):
    light = tab.run("bricard.picture()")
    tab.key("d")
    assert tab.run("document.documentElement.dataset.theme") == "dark"
    assert tab.run("bricard.picture()") != light
    tab.key("d")


def test_small_window_dark_system_and_a_ball_that_flies_away(browser, tmp_path):
    model = br.Model("ball")
    model.body("ball", br.Sphere((0, 0, 0), 0.1, mass=1.0))
    model.start(body="ball", velocity=(5.0, 0, 5.0))
    br.simulate(model, 1.0, step=0.01, progress=False).view(tmp_path / "ball.html")
    tab = Tab(browser, tmp_path / "ball.html", 500, 300, scheme="dark")
    assert tab.run("document.documentElement.dataset.theme") == "dark"
    assert tab.run("document.getElementById('curves').hidden") is True  # a small window begins without plots
    assert tab.run("bricard.layers.state.follow") is True
    tab.run("bricard.seek(0.5)")
    tab.run("bricard.draw()")
    assert tab.run("bricard.stage.controls.target.x + bricard.header.origin[0]") == pytest.approx(2.5, abs=0.02)
    assert tab.complaints == []
    tab.page.close()


def projected(tab, point):
    """Where a point (3,) of the world is in the picture: x and y between -1 and 1."""
    x, y, z = np.subtract(point, tab.run("bricard.header.origin"))
    vector = f"bricard.stage.controls.target.clone().set({x}, {y}, {z})"
    return tab.run(f"{vector}.project(bricard.stage.camera).toArray()")


def test_bodies_that_fly_apart_stay_in_the_picture(browser, tmp_path):
    model = br.Model("apart", gravity=(0, 0, 0))
    for i in range(3):
        model.body(f"box {i}", br.Box((1, 1, 1), mass=1.0, position=(2.0 * i, 0, 0)))
    model.start(body="box 2", velocity=(100.0, 0, 0))
    br.simulate(model, 2.0, step=0.01, progress=False).view(tmp_path / "apart.html")
    tab = Tab(browser, tmp_path / "apart.html")
    assert tab.run("bricard.layers.state.follow") is False
    for t in (0.0, 1.0, 2.0):
        tab.run(f"bricard.seek({t})")
        tab.run("bricard.draw()")
        for name in model.bodies:
            assert np.abs(projected(tab, tab.run(f"bricard.pose('{name}', {t}).position")))[:2].max() < 1.0
    tab.page.close()


def test_far_mesh_fits_in_the_picture_and_stands_above_the_floor(browser, tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="meshes are read with the package trimesh")
    bar = trimesh.creation.box((0.2, 0.2, 2.0))
    bar.apply_translation((0.0, 0.0, -1.0))  # its frame is at its upper end
    bar.export(tmp_path / "bar.stl")
    model = br.Model("bar")
    model.body("bar", br.Mesh(tmp_path / "bar.stl", density=1.0, position=(4e6, 0, 1)))
    model.view(tmp_path / "bar.html")
    tab = Tab(browser, tmp_path / "bar.html")
    for z in (-1.0, 1.0):
        assert np.abs(projected(tab, (4e6, 0, z)))[:2].max() < 1.0
    floor = tab.run("bricard.stage.grid.children[0].position.z + bricard.header.origin[2]")
    assert -1.2 < floor < -1.0
    assert tab.run("bricard.pose('bar', 0).position") == pytest.approx([4e6, 0, 1], rel=1e-12)
    tab.page.close()


def test_picture_as_png(tab):
    with tab.page.expect_download() as download:
        tab.key("c")
    assert download.value.suggested_filename.startswith("spring-pendulum-")
    assert download.value.path().read_bytes()[:8] == PNG
    picture = base64.b64decode(tab.run("bricard.picture()").partition(",")[2])
    assert picture[:8] == PNG


def test_names_on_hover(tab):
    tab.run("bricard.seek(0)")
    tab.run("bricard.view('front')")
    tab.run("bricard.draw()")
    x, y, _ = projected(tab, (0.3, 0, 0))
    box = tab.page.query_selector("#canvas").bounding_box()
    tab.page.mouse.move(box["x"] + 0.5 * (1 + x) * box["width"], box["y"] + 0.5 * (1 - y) * box["height"])
    tab.page.wait_for_selector("#tip:not([hidden])")
    assert tab.page.inner_text("#tip b") == "rod"


def test_nothing_was_complained_about(tab):
    assert tab.complaints == []


def test_every_kind_of_sign_and_the_spatial_view(browser, tmp_path):
    model_page(every_kind()).save(tmp_path / "kinds.html")
    tab = Tab(browser, tmp_path / "kinds.html")
    tab.run("bricard.show('frames', true)")
    tab.run("bricard.draw()")
    assert tab.complaints == []
    assert tab.run("document.getElementById('player').hidden") is True  # a still picture has no clock
    tab.page.close()


def test_frame_in_a_notebook(browser, tmp_path):
    solution = br.simulate(mechanisms.four_bar(), 0.5, step=5e-3, progress=False)
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>notebook</title><body>{solution.view().frame(300)}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 700, "height": 400})
    page.goto(file.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator("html[data-ready=yes]").wait_for(state="attached", timeout=120_000)
    assert inside.locator("h1").inner_text() == solution.name
    page.close()


@pytest.mark.slow
def test_ten_thousand_bodies(browser, tmp_path):
    """They are drawn with few calls, the page stays small, and the poses are right."""
    solution = br.simulate(swarm(10_000), 1.0, step=0.02, progress=False)
    page = solution.view(tmp_path / "swarm.html")
    assert len(page.text) < 10_000_000
    tab = Tab(browser, tmp_path / "swarm.html")
    assert tab.complaints == []
    assert tab.run("bricard.stage.renderer.info.render.calls") < 40
    x = solution.point("box 9999")[-1]
    assert np.abs(np.array(tab.run("bricard.pose('box 9999', 1.0).position")) - x).max() < 1e-3
    tab.page.close()
