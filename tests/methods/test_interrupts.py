"""Ctrl-C at any moment: br.Interrupted with what there is, never a result that looks like one of a whole run (T14, T25)."""

import _thread
import contextlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba.core import event

import bricard as br
from bricard.compiled import cache
from bricard.compiled.cache_folder import CacheFolder
from bricard.compiled.pointers import PYTHON_ONLY, compiled
from bricard.interrupts import heard, whole
from bricard.io import toml
from mechanisms import four_bar

LONG = 1e6  # s of motion, that no test waits for


@pytest.fixture(scope="module")
def system():
    system = four_bar().build()
    br.simulate(system, 0.1, step=1e-3)
    return system


@pytest.fixture(autouse=True)
def usual_handler():
    """Python's own handler of SIGINT; processes that run tests side by side ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pressed(delay):
    """Send SIGINT to this process after a delay (s)."""
    timer = threading.Thread(
        target=lambda: (time.sleep(delay), signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    )
    timer.start()
    return timer


@pytest.mark.filterwarnings("ignore::bricard.errors.StiffSystem")  # so long a run of small steps is told of
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("settings", [{}, {"step": 1e-3}, {"integrator": "rk4", "step": 1e-3}], ids=str)
def test_a_run_ends_with_what_it_has(system, settings, check):
    for delay in np.random.default_rng(len(str(settings))).uniform(0.0, 0.4, 4):
        timer = pressed(delay)
        with pytest.raises(br.Interrupted) as caught:
            br.simulate(system, LONG, check=check, output=[0.0, 1e-3, LONG], **settings)
        timer.join()
        solution = caught.value.solution
        assert solution is None or (not solution.ok and "Interrupted at t =" in solution.status)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_loop_of_runs_stops():
    model, done = four_bar(), []
    timer = pressed(0.3)
    with pytest.raises(KeyboardInterrupt):
        for k in range(1000):
            br.simulate(model, 0.1, step=1e-3)
            done.append(k)
    timer.join()
    assert len(done) < 1000


def swallowed(*_):
    """Ctrl-C that Python loses in the text of an error: it looks for signals there, and ValueError takes their place."""
    with contextlib.suppress(ValueError):
        next(zip(map(_thread.interrupt_main, [signal.SIGINT]), map(int, ["0.3"]), strict=True))


IO = {
    "save": ("bricard.io.toml.rewritten", lambda model, path: model.save(path)),
    "load": ("bricard.io.toml.text_of", lambda model, path: br.load(path)),
    "Model.load": ("bricard.io.toml.text_of", lambda model, path: br.Model.load(path)),
    "loads": ("bricard.io.toml.Reader", lambda model, path: toml.loads("", path)),
    "dumps": ("bricard.io.toml.tables", lambda model, path: toml.dumps(model)),
    "urdf": ("bricard.io.urdf.Path", lambda model, path: br.io.from_urdf(path)),
    "mjcf": ("bricard.io.mjcf.importing.Path", lambda model, path: br.io.from_mjcf(path)),
}


@pytest.mark.parametrize("name", IO)
def test_it_is_heard_where_python_swallows_it(name, tmp_path, monkeypatch):
    """Also where something else fails behind it."""
    place, call = IO[name]
    model = four_bar()
    model.save(tmp_path / "model.toml")
    monkeypatch.setattr(place, swallowed)
    with pytest.raises(KeyboardInterrupt):
        call(model, tmp_path / "model.toml")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_inside_of_what_is_heard_ends_as_any(system):
    timer = pressed(0.05)
    with pytest.raises(br.Interrupted) as caught:
        heard(br.simulate)(system, LONG, output=[0.0, LONG])
    timer.join()
    assert "Interrupted at t =" in caught.value.solution.status
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(PYTHON_ONLY, reason="nothing is compiled")
@pytest.mark.parametrize("pressed_in", ["first", "second", "outer"])
@pytest.mark.parametrize("how", [whole, heard], ids=lambda how: how.__name__)
def test_what_compiles_ends_behind_the_next_piece(pressed_in, how, tmp_path, monkeypatch):
    """All pieces that a first run needs take a minute. Afterwards they work as if nothing had been."""
    folder = CacheFolder(tmp_path)
    monkeypatch.setattr(cache, "folder", lambda: folder)

    @compiled
    def first(x):
        return x + 1.0

    @compiled
    def second(x):
        return 2.0 * x

    @compiled
    def outer(x):
        return first(x) + second(x)

    begun = []

    class Pressing(event.Listener):
        def on_start(self, found):
            begun.append(found.data["dispatcher"].py_func.__name__)
            if begun[-1] == pressed_in:
                signal.raise_signal(signal.SIGINT)

        def on_end(self, found):
            pass

    with event.install_listener("numba:compile", Pressing()), pytest.raises(KeyboardInterrupt):
        how(outer)(1.0)
    ended_in = pressed_in if how is heard or pressed_in != "outer" else "first"
    assert begun[-1] == ended_in and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert outer(1.0) == how(outer)(1.0) == 4.0 and outer(2.0) == 7.0


def test_no_except_exception_swallows_it():
    assert issubclass(br.Interrupted, KeyboardInterrupt) and not issubclass(br.Interrupted, Exception)


def test_it_travels_with_its_solution(system):
    error = pickle.loads(pickle.dumps(br.Interrupted("Interrupted at t = 1 s.", br.simulate(system, 0.01, step=1e-3))))
    assert str(error) == "Interrupted at t = 1 s." and error.solution.ok


def test_a_handler_of_the_program_stays_in_charge(system):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        timer = pressed(0.05)
        solution = br.simulate(system, 200.0, step=1e-3, output=2)
        timer.join()
        assert solution.ok and seen == [1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_command_line_writes_what_it_has_and_ends_with_130(tmp_path):
    command = [sys.executable, "-m", "bricard.cli.main", "run", "four-bar", "--duration", "1e6", "--step", "1e-3"]
    command += ["--output", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "degrees of freedom" not in process.stdout.readline():
        pass  # behind the report the run begins
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130 and "Interrupted" in told and "Traceback" not in told
