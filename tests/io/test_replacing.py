"""Files are replaced as a whole or not at all: many writers at once, writers that are killed, folders that forbid it (T24);
Ctrl-C at any line of the replacement (M4)."""

import errno
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import bricard as br
from bricard import atomic
from bricard.atomic import replacing
from bricard.interrupts import heard, whole
from bricard.io.tables import to_csv
from mechanisms import four_bar

KILLED = """
import sys
from bricard.atomic import replacing
while True:
    with replacing(sys.argv[1]) as part:
        with part.open("wb") as stream:
            for _ in range(64):
                stream.write(sys.argv[2].encode() * 4096)
        sys.stdout.write("x")
        sys.stdout.flush()
"""


def test_threads_save_to_one_path(tmp_path):
    results = [br.simulate(four_bar(), 0.01 * (k + 1), step=1e-3) for k in range(4)]
    failed = []

    def save(result):
        try:
            for _ in range(10):
                result.save(tmp_path / "r.h5")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=save, args=(result,)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and [path.name for path in tmp_path.iterdir()] == ["r.h5"]
    end = br.Solution.load(tmp_path / "r.h5")
    assert any(np.array_equal(end.q, result.q) for result in results)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_what_a_killed_process_leaves_is_written_over(tmp_path):
    """Two at once, killed at random moments: the file is always a whole one, and of parts there are never more than writers."""
    file, rng = tmp_path / "r.bin", np.random.default_rng(8)
    for _ in range(6):
        writers = [
            subprocess.Popen([sys.executable, "-c", KILLED, str(file), letter], stdout=subprocess.PIPE)
            for letter in "ab"
        ]
        for writer in writers:
            assert writer.stdout.read(1) == b"x"
        time.sleep(rng.uniform(0.0, 0.02))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            writer.stdout.close()
        content = file.read_bytes()
        assert content in (b"a" * 4096 * 64, b"b" * 4096 * 64)
        assert len(list(tmp_path.iterdir())) <= 3
    with replacing(file) as part:
        part.write_bytes(b"mine")
    assert file.read_bytes() == b"mine" and len(list(tmp_path.iterdir())) <= 2


def test_without_locks_each_thread_has_its_own_part(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    for module in (None, type("fcntl", (), {"flock": staticmethod(refuse), "LOCK_EX": 2, "LOCK_NB": 4})):
        monkeypatch.setattr(atomic, "fcntl", module)
        with replacing(tmp_path / "a.txt") as part:
            assert str(os.getpid()) in part.name and str(threading.get_ident()) in part.name
            part.write_text("whole", encoding="utf-8")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_on_the_way_leaves_the_older_file(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("older", encoding="utf-8")
    with pytest.raises(ValueError), replacing(file) as part:
        part.write_text("newer", encoding="utf-8")
        raise ValueError
    assert file.read_text(encoding="utf-8") == "older" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileNotFoundError) as refused, replacing(tmp_path / "no" / "a.txt"):
        pass
    assert refused.value.filename == str(tmp_path / "no" / "a.txt")


def test_a_link_is_followed_and_its_mode_is_the_usual_one(tmp_path):
    (tmp_path / "link").symlink_to("file")
    with replacing(tmp_path / "link") as part:
        part.write_bytes(b"1")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"1"
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode


def pressing(number, modules, lines):
    """A trace function that presses Ctrl-C at one line of some modules; lines[0] counts them."""

    def local(frame, event, argument):
        lines[0] += event == "line"
        if event == "line" and lines[0] == number:
            signal.raise_signal(signal.SIGINT)
        return local

    return lambda frame, event, argument: local if Path(frame.f_code.co_filename).name in modules else None


def at_every_line(action, modules, step=1):
    """Do something over and over, with Ctrl-C at another line each time; what became of each."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for number in itertools.count(1, step):
            lines, became = [0], None
            sys.settrace(pressing(number, modules, lines))
            try:
                action()
            except BaseException as error:
                became = type(error)
            finally:
                sys.settrace(None)
            if lines[0] < number:
                return
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            yield became
    finally:
        signal.signal(signal.SIGINT, before)


def open_files():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


@pytest.mark.parametrize("how", ["alone", "whole", "heard"])
def test_an_interrupt_waits_until_the_replacement_is_whole(tmp_path, how):
    """Once there is a part, the new file comes; nothing is left behind, no lock either."""
    file, begun = tmp_path / "a.txt", []

    def replace():
        begun.clear()
        with replacing(file, lasting=False) as part:
            begun.append(part)
            part.write_text("newer", encoding="utf-8")

    action = {"alone": replace, "whole": whole(replace), "heard": heard(replace)}[how]
    file.write_text("older", encoding="utf-8")
    before, found = open_files(), []
    for became in at_every_line(action, {"atomic.py", "interrupts.py", "contextlib.py"}):
        found.append((became, bool(begun)))
        assert became is KeyboardInterrupt
        assert file.read_text(encoding="utf-8") == ("newer" if begun else "older")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"] and open_files() == before
        file.write_text("older", encoding="utf-8")
    assert len(found) > 30 and len(set(found)) == 2


def test_an_interrupt_of_a_table_leaves_the_older_one(tmp_path):
    """Or the new one, when its rows were written; a long table does not keep anybody waiting."""
    result, file = br.simulate(four_bar(), 0.01, output=4), tmp_path / "a.csv"
    to_csv(result, file)
    whole_table, before, found = file.read_bytes(), open_files(), set()
    for became in at_every_line(lambda: to_csv(result, file), {"atomic.py", "interrupts.py", "tables.py"}, step=7):
        content = file.read_bytes()
        found.add(content)
        assert became is KeyboardInterrupt and content in (b"older", whole_table)
        assert [path.name for path in tmp_path.iterdir()] == ["a.csv"] and open_files() == before
        file.write_bytes(b"older")
    assert found == {b"older", whole_table}
