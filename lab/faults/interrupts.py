"""Ctrl-C at random moments of everything that takes time: always KeyboardInterrupt, in a run Interrupted, and files stay whole.

A process does one thing over and over and catches what the signal becomes; then it does the same once more, which must give the
right answer: nothing may be left behind half done.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

__all__ = ["ACTIONS", "run", "summary"]

PATIENCE = 60.0  # s until a process that does not answer hangs
LONGEST = 0.6  # s from the beginning of an action to the signal

# Each ends by itself, or runs for ever; check() after an interrupt. The names made in BEGIN are known.
ACTIONS = {
    "adaptive run": ("br.simulate(system, 1e6, output=2)", ""),
    "fixed run": ('br.simulate(system, 1e6, step=1e-3, integrator="rk4", output=2)', ""),
    "run without check": ("br.simulate(system, 1e6, output=2, check=False)", ""),
    "run with triggers": ('br.simulate(system, 1e6, output=2, triggers=br.Trigger("A", at=0.1))', ""),
    "run with samples": ("br.simulate(model, 2.0, output=3000)", ""),
    "implicit run": ('br.simulate(system, 1e6, step=1e-2, formulation="ggl", integrator="radau5", output=2)', ""),
    "loop of short runs": ("br.simulate(model, 0.05, step=1e-3)", ""),
    "build": ("model.build()", ""),
    "report": ("model.report()", ""),
    "what a result tells": ("copy.deepcopy(pickle.loads(packed)).energy.total", ""),
    "saving": ("result.save(file)", "assert np.array_equal(br.Solution.load(file).q, result.q)"),
    "loading": ("br.Solution.load(file)", "assert np.array_equal(br.Solution.load(file).q, result.q)"),
    "a model file": ("model.save(toml); br.load(toml)", "assert sorted(br.load(toml).joints) == list('ABCD')"),
    "kinematics": ('br.kinematics(driven, {"A": (0.0, 0.5)}, points=50)', ""),
    "equilibrium": ("br.equilibrium(hanging, stable=False)", ""),
    "linearise": ("br.linearise(hanging)", ""),
    "certificate": ("br.certify(model, 0.3, samples=20, progress=False)", ""),
    "inverse dynamics": ('br.inverse_dynamics(driven, {"A": br.Sine(0.1, 1.0)}, np.linspace(0.0, 1.0, 200))', ""),
    "frequencies": ("analysis.frequencies(driven, 2)", ""),
    "a description of a robot": (
        "br.io.from_urdf(urdf)",
        "assert len(br.io.from_urdf(urdf).bodies) == 39",
    ),
    "rerun": ("br.rerun(result)", "assert br.rerun(result).same"),
    "table": (
        "to_csv(result, csv)",
        "assert not os.path.exists(csv) or len(open(csv).readlines()) == result.t.size + 1",
    ),
    "page": ("result.view(html)", ""),
    "pool": ("pooled()", ""),
    "comparison": ('br.compare(model, 0.5, accuracy=1e-4, budget=30.0, only=["index1"])', ""),
}
BEGIN = """
import copy, json, os, pickle, signal, sys, tempfile, threading, time, warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import numpy as np
import bricard as br
from bricard import analysis
from bricard.io.tables import to_csv

def four_bar():
    model = br.Model("four-bar", gravity=(0, -9.81, 0))
    crank = model.body("crank", br.Rod((0, 0, 0), (0, 0.3, 0), mass=1.0))
    link = model.body("link", br.Rod((0, 0.3, 0), (0.9, 0.8, 0), mass=2.0))
    rocker = model.body("rocker", br.Rod((0.9, 0.8, 0), (1, 0, 0), mass=2.0))
    bodies, points = (model.ground, crank, link, rocker, model.ground), ((0, 0, 0), (0, 0.3, 0), (0.9, 0.8, 0), (1, 0, 0))
    for name, a, b, point in zip("ABCD", bodies, bodies[1:], points):
        model.revolute(name, a, b, point=point, axis=(0, 0, 1))
    model.start(joint="A", velocity=-6.0)
    return model

def one(k):
    return br.simulate(four_bar(), 3.0 + k, step=1e-3, output=2).q[-1]

def pooled():  # by spawn: of forks and of multiprocessing.Pool, Python loses itself now and then, without bricard too
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return list(pool.map(one, range(4)))

def robot():  # a chain of forty links, as a URDF file
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = [f'<link name="l{k}">{mass}</link>' for k in range(40)]
    joint = '<joint name="j{1}" type="continuous"><parent link="l{0}"/><child link="l{1}"/><origin xyz="0.1 0 0"/></joint>'
    return "<robot name='chain'>" + "".join(links + [joint.format(k, k + 1) for k in range(39)]) + "</robot>"

def watch(parent):  # nobody would ever end this process
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)

def main(action, check, folder):
    warnings.simplefilter("ignore")
    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    model = four_bar()
    system, driven, hanging = model.build(), four_bar(), br.Model("rod")
    driven.wishes.clear()
    hanging.revolute("A", hanging.ground, hanging.body("r", br.Rod((0, 0, 0), (0.1, 0, -1), mass=1.0)), (0, 0, 0), (0, 1, 0))
    reference = br.simulate(system, 0.2, output=50)
    result, end = reference, reference.q[-1].tobytes()
    packed = pickle.dumps(result)
    names = {"file": "r.h5", "toml": "m.toml", "csv": "r.csv", "html": "r.html", "urdf": "r.urdf"}
    place = globals() | locals() | {key: os.path.join(folder, name) for key, name in names.items()}
    result.save(place["file"])
    with open(place["urdf"], "w") as stream:
        stream.write(robot())
    program, checking = compile(action, "action", "exec"), compile(check, "check", "exec")
    if "1e6" not in action:
        try:
            exec(program, place)  # whatever is compiled, is compiled here
        except Exception as error:
            print(json.dumps({"became": "BROKEN", "text": repr(error)[:300]}), flush=True)
    while True:
        became, text = "", ""
        try:
            print("ready", flush=True)
            while True:
                exec(program, place)
        except BaseException as error:
            became, text = type(error).__name__, repr(error)[:300]
        try:
            exec(checking, place)
            assert br.simulate(system, 0.2, output=50).q[-1].tobytes() == end
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            assert not [name for name in os.listdir(folder) if ".part" in name]
        except BaseException as error:
            became, text = "BROKEN", f"{became} {text}; then {error!r}"[:300]
        print(json.dumps({"became": became, "text": text}), flush=True)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], sys.argv[2], folder)
"""
FINE = {"Interrupted", "KeyboardInterrupt"}
IN_A_RUN = {name for name, (action, _) in ACTIONS.items() if "1e6" in action}


def run(moments: int, seed: int, only: list[str] | None = None, say=lambda text: None) -> dict[str, Counter]:
    """Interrupt each action at so many random moments; for each the counts of what the signal became."""
    rng = random.Random(seed)
    return {name: _interrupted(name, moments, rng, say) for name in only or ACTIONS}


def faults(found: dict[str, Counter]) -> list[str]:
    """Return what should not have come of a signal; a run that has begun to take steps raises Interrupted, and nothing else."""
    wrong = []
    for name, counts in found.items():
        allowed = {"Interrupted"} if name in IN_A_RUN else FINE
        wrong += [f"{name}: {number} times {what}" for what, number in counts.items() if what not in allowed]
    return wrong


def summary(found: dict[str, Counter]) -> str:
    """Return a table of what signals became."""
    rows = [
        f"{name:22} {', '.join(f'{what} {number}' for what, number in sorted(c.items()))}" for name, c in found.items()
    ]
    total = sum(sum(counts.values()) for counts in found.values())
    return "\n".join([*rows, f"{total} interrupts", *faults(found)])


def _interrupted(name: str, moments: int, rng: random.Random, say) -> Counter:
    import json
    import tempfile
    from pathlib import Path

    counts: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "interrupted.py"  # a file, for processes that are spawned
        script.write_text(BEGIN, encoding="utf-8")
        process = _start(script, name)
        while sum(counts.values()) < moments:
            word, text = _answer(process), ""
            if word == "ready":
                select.select([], [], [], rng.uniform(0.0, LONGEST))
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
                word = _answer(process)
            if word.startswith("{"):
                told: dict[str, Any] = json.loads(word)
                word, text = told["became"], told["text"]
            else:
                word = word or f"end with code {process.wait(10)}"
            counts[word] += 1
            if word not in FINE:
                say(f"{name}: {word} {text}")
            if process.poll() is not None or word == "HANG":
                _stop(process)
                process = _start(script, name)
        _stop(process)
    return counts


def _start(script, name: str) -> subprocess.Popen:
    command = [sys.executable, "-X", "faulthandler", str(script), *ACTIONS[name]]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True
    )


def _answer(process: subprocess.Popen[bytes]) -> str:
    """The next line of a process, "" if it has ended, "HANG" if there is none for long."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    return process.stdout.readline().decode().strip() if ready else "HANG"


def _stop(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
