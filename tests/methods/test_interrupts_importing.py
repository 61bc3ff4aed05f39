"""Ctrl-C while something is loaded that is first used: it waits, for torn parts of numpy and numba cannot be imported again."""

import subprocess
import sys

import pytest

PROGRAM = """
import builtins, signal, sys
import bricard as br

pressed, load, model = [], builtins.__import__, None

def press(name, *arguments, **keywords):  # in the midst of the module
    module = load(name, *arguments, **keywords)
    if name == sys.argv[1] and not pressed:
        pressed.append(name)
        signal.raise_signal(signal.SIGINT)
    return module

def rod():
    model = br.Model("rod")
    model.revolute("A", model.ground, model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)), (0, 0, 0), (0, 1, 0))
    return model

ACTIONS = {
    "Model": rod,
    "simulate": lambda: br.simulate(rod(), 0.01),
    "build": lambda: rod().build(),
    "report": lambda: rod().report(),
    "view": lambda: rod().view(),
    "xarray": lambda: br.simulate(rod(), 0.01).to_xarray(),
    "plot": lambda: br.simulate(rod(), 0.01).plot.energy(),
    "urdf": lambda: br.io.from_urdf,
}
signal.signal(signal.SIGINT, signal.default_int_handler)
builtins.__import__ = press
try:
    ACTIONS[sys.argv[2]]()
except KeyboardInterrupt as error:
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    sys.stdout.write(trace.tb_frame.f_globals["__name__"] + " ")
builtins.__import__ = load
assert pressed and ACTIONS[sys.argv[2]]() is not None
sys.stdout.write("fine")
"""
MOMENTS = [
    *(("numpy._core", "Model"), ("numba.core.config", "simulate"), ("numba.core.config", "build")),
    *(("numba.core.config", "report"), ("numba.core.config", "view"), ("pandas", "xarray"), ("numpy._core", "urdf")),
    ("matplotlib", "plot"),
]


@pytest.mark.parametrize(("module", "action"), MOMENTS)
def test_what_is_first_used_is_loaded_whole(module, action):
    """And then the same is done once more, in the same process."""
    for needed in {"xarray": ["xarray", "pandas"], "plot": ["matplotlib"]}.get(action, []):
        pytest.importorskip(needed)
    done = subprocess.run([sys.executable, "-c", PROGRAM, module, action], capture_output=True, text=True)
    assert done.stdout.split() == ["bricard.interrupts", "fine"], done.stdout + done.stderr[-2000:]
