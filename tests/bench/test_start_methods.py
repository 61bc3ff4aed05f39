"""Comparisons do not depend on fork: processes that are spawned find the systems and their users' functions too."""

import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing
import os
import bricard as br

def law(t, x, xdot):
    return -3.0 * x

def model():
    m = br.Model("pendulum")
    m.revolute("A", m.ground, m.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)), (0, 0, 0), (0, 1, 0))
    m.torsion("own", "A", law=law)
    return m

if __name__ == "__main__":
    multiprocessing.set_start_method(METHOD)
    os.fork = None
    found = br.compare(model(), 0.1, accuracy=1e-3, budget=120, only=["dopri5", "rk4", "index1", "absolute"])
    assert found.rows and not found.interrupted, found
    assert {row["integrator"] for row in found.rows if row["ok"]} >= {"dopri5", "rk4"}, found.rows
    print("compared")
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_compare_runs_under(method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("METHOD", repr(method)), encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0 and "compared" in done.stdout, done.stderr[-3000:]


def test_without_a_main_guard_there_is_a_sentence(tmp_path):
    script = tmp_path / "script.py"
    text = SCRIPT.replace("METHOD", "'spawn'").replace('if __name__ == "__main__":', "if True:")
    script.write_text(
        text.replace("set_start_method('spawn')", "set_start_method('spawn', force=True)"), encoding="utf-8"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode != 0 and '__name__ == "__main__"' in done.stderr
