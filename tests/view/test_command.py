"""`bricard view` and `bricard run --view`."""

import json
import threading
import urllib.error
import urllib.request

import pytest

import bricard as br
from bricard.cli.main import main
from bricard.view.page import Page
from bricard.view.server import PageServer
from mechanisms import PENDULUM_FILE

SIMULATION = "[simulation]\nduration = 0.1\nstep = 0.01\n"


@pytest.fixture
def bricard(capsys, tmp_path, monkeypatch):
    """Run the command line in an empty folder: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "still.toml").write_text(PENDULUM_FILE)
    (tmp_path / "moving.toml").write_text(PENDULUM_FILE + SIMULATION)

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_:
            main(list(arguments))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return exit_.value.code or 0, captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("still.toml",), "still.html"),
        (("moving.toml",), "moving.html"),
        (("moving.toml", "--start"), "moving.html"),
        (("moving.toml", "--output", "deep/er/x.html"), "deep/er/x.html"),
    ],
)
def test_model_file(bricard, tmp_path, arguments, written):
    code, out, _ = bricard("view", *arguments)
    assert code == 0
    assert out.strip() == f"wrote {written}"
    assert "my pendulum" in (tmp_path / written).read_text(encoding="utf-8")


def test_result(bricard, tmp_path):
    assert bricard("run", "moving.toml", "--output", "out", "--view")[0] == 0
    assert (tmp_path / "out" / "my-pendulum.html").exists()
    code, out, _ = bricard("view", "out/my-pendulum.h5")
    assert (code, out.strip()) == (0, "wrote my-pendulum.html")
    expected = br.Solution.load("out/my-pendulum.h5").view().text
    assert (tmp_path / "my-pendulum.html").read_text(encoding="utf-8") == expected


def test_json_tells_which_page_was_written(bricard, tmp_path):
    (tmp_path / "start.toml").write_text(PENDULUM_FILE)
    code, out, _ = bricard("view", "start.toml", "-o", "page.html", "--json")
    size = (tmp_path / "page.html").stat().st_size
    assert (code, json.loads(out)) == (0, {"file": "page.html", "model": "my pendulum", "bytes": size})
    code, _, err = bricard("view", "start.toml", "--serve", "--json")
    assert (code, "--json tells which file" in err) == (2, True)


def test_a_mesh_without_file_does_not_stop_the_run(bricard, tmp_path):
    drawing = '[[drawings]]\nbody = "rod"\nshape = "mesh"\npath = "none.stl"\nmass = 0\n'
    (tmp_path / "mesh.toml").write_text(PENDULUM_FILE + drawing + SIMULATION)
    with pytest.warns(UserWarning, match=r"no file .*none\.stl"):
        assert bricard("run", "mesh.toml", "--output", "out", "--view")[0] == 0
    assert (tmp_path / "out" / "my-pendulum.html").exists()
    assert "none.stl" in bricard("check", "mesh.toml")[1].replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.toml",), "none.toml"),
        (("none.h5",), "none.h5"),
        (("still.toml", "--serve", "--output", "x.html"), "not both"),
        (("out.h5", "--start"), "give a model file"),
        (("no-such-problem",), "neither a file nor a problem"),
    ],
)
def test_bad_input(bricard, arguments, words):
    code, _, err = bricard("view", *arguments)
    assert code == 2
    assert words in err


def test_server_gives_the_page_and_nothing_else():
    with PageServer(Page("x", "<p>hällo</p>")) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with urllib.request.urlopen(server.address) as answer:
                assert answer.read().decode() == "<p>hällo</p>"
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(server.address + "etc/passwd")
            refused.value.close()
        finally:
            server.shutdown()
            thread.join()
