"""A full disk: an error that names the file, the older file as it was, nothing half-written, and no end of the process (T20)."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import bricard as br
solution = br.simulate(br.problems.get("pendulum").model(), 1.0, step=1e-3)
path, room = sys.argv[1], int(sys.argv[2])
solution.save(path)
whole = open(path, "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
try:
    solution.save(path)
except OSError as error:
    assert error.filename == path, error.filename
    sys.stdout.write("refused")
assert open(path, "rb").read() == whole
assert br.Solution.load(path).q[-1].tolist() == solution.q[-1].tolist()
"""


@pytest.mark.parametrize("room", [0, 1000, 20_000, 60_000])  # bytes
def test_saving_on_a_full_disk_keeps_the_older_file(tmp_path, room):
    file = tmp_path / "run.h5"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file), str(room)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "refused"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]
