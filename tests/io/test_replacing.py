"""Files are replaced as a whole or not at all: many writers at once, writers that are killed, folders that forbid it (T24)."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bricard as br
from bricard import atomic
from bricard.atomic import replacing
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
