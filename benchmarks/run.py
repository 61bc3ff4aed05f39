"""Speed and accuracy beside exudyn, in one process, on one thread: `make bench`.

For every mechanism: generalized-alpha at the step 1e-3 s against exudyn's best implicit setting of the same order and step (both
sides may loosen the tolerance of Newton's method as long as their error grows by less than a quarter), then the time our
fastest method needs to reach the error that exudyn reaches. CPU time of the solver alone, best of several runs, taken in
turns. Errors are distances of the centres of mass from a fine reference whose own accuracy is printed.
Then the IFToMM problems (iftomm.py), size (chains up to 10,000 bodies), start-up, and a user's own joint beside the built-in one.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import bricard as br
import exudyn_side as peer  # beside this file; OMP_NUM_THREADS=1 is set by `make bench`
import iftomm

ROWS = ("rssr", "chain10", "chain100", "chain1000", "double-four-bar", "bricard")
STEP, REPEATS = 1e-3, 5


def model_of(name):
    """The same mechanism as a bricard model."""
    definition = peer.MECHANISMS[name]
    model = br.Model(name, gravity=definition.gravity)
    bodies = [
        model.body(f"body {i}", mass=mass, inertia=inertia, position=position, rotation=rotation)
        for i, (mass, inertia, position, rotation) in enumerate(definition.bodies)
    ]
    for k, (kind, i, j, point, axis) in enumerate(definition.joints):
        pair = [model.ground if b < 0 else bodies[b] for b in (i, j)]
        if kind == "revolute":
            model.revolute(f"joint {k}", *pair, point=point, axis=axis)
        else:
            model.spherical(f"joint {k}", *pair, point=point)
    for body, (velocity, spin) in zip(bodies, definition.velocities, strict=True):
        if np.any(velocity) or np.any(spin):
            model.start(body=body, velocity=velocity, angular_velocity=spin)
    return model


def timed(system, duration, repeats=REPEATS, **options):
    """(CPU seconds of the march, end positions (n, 3), solution) of the best of several runs."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        solution = br.simulate(system, duration, output=2, **options)
        took = time.process_time() - began
        best = min(best, solution.seconds["march"], took)
    return best, positions(solution), solution


def positions(solution):
    """Centres of mass (n, 3) at the end."""
    start = solution.system.record.q_start.astype(int)
    return np.array([solution.q[-1, o : o + 3] for o in start])


def distance(x, reference):
    """Largest distance of a centre of mass from the reference, m."""
    return float(np.linalg.norm(x - reference, axis=1).max())


def reference_of(name, system, duration):
    """End positions by an adaptive run of tight tolerance (exact where there is a closed form), and how far another method's
    are from them."""
    _, fine, _ = timed(system, duration, 1, rtol=1e-12)
    if name == "double-four-bar":
        exact = peer.exact(name)
        return exact, distance(fine, exact)
    _, other, _ = timed(system, duration, 1, integrator="rk4", step=duration / round(duration / 2e-4))
    return fine, distance(fine, other)


def our_ladder(system, duration, reference, target, budget=20.0):
    """The fastest of our methods that reaches the target error: (seconds, error, words)."""
    candidates = []
    began = time.perf_counter()
    for correction in ("mass", "none"):
        for rtol in 10.0 ** -np.arange(3.0, 11.0, 0.5):
            candidates.append({"rtol": float(rtol), "correction": correction})
        for count in (20, 28, 40, 57, 80, 113, 160, 226, 320, 452, 640, 1280, 2560):
            candidates.append({"integrator": "rk4", "step": duration / count, "correction": correction})
    found = (np.inf, np.inf, "none reached it")
    for options in candidates:
        if time.perf_counter() - began > budget:
            break
        try:
            seconds, x, _ = timed(system, duration, 1, **options)
        except br.BricardError:
            continue
        if distance(x, reference) <= target and seconds < 1.5 * found[0]:
            seconds, x, _ = timed(system, duration, **options)
            if seconds < found[0]:
                method = "dopri5" if "rtol" in options else "rk4"
                setting = (
                    f"rtol {options['rtol']:.1e}" if "rtol" in options else f"{round(duration / options['step'])} steps"
                )
                found = (
                    seconds,
                    distance(x, reference),
                    f"index1 + {method}, {setting}, correction {options['correction']}",
                )
    return found


def compare(name):
    """One row of the table, as a dict."""
    definition = peer.MECHANISMS[name]
    system, duration = model_of(name).build(), definition.duration
    reference, certainty = reference_of(name, system, duration)
    steps = round(duration / STEP)
    row = {"mechanism": name, "reference_accuracy": certainty, "steps": steps}
    theirs = {}
    for label, setting in peer.BEST[name].items():
        if label == "explicit":
            continue
        result = peer.best_of(name, setting, STEP, repeats=3)
        theirs[label] = (result.cpu, peer.error(result.positions, reference) if result.ok else np.inf)
    tight = theirs["index3"][1]
    label = min((k for k, (_, e) in theirs.items() if e <= 1.25 * tight), key=lambda k: theirs[k][0])
    row["exudyn_setting"], (row["exudyn_s"], row["exudyn_error"]) = label, theirs[label]
    ours = {}
    for tolerance in (1e-3, 1e-2, 1e-1):
        seconds, x, solution = timed(system, duration, step=STEP, rho=0.9, newton_tolerance=tolerance)
        ours[tolerance] = (seconds, distance(x, reference), solution.counters["iterations"] / steps)
    tolerance = min((k for k, v in ours.items() if v[1] <= 1.25 * ours[1e-3][1]), key=lambda k: ours[k][0])
    row["ours_default_s"], row["ours_error"] = ours[1e-3][0], ours[1e-3][1]
    row["ours_s"], row["ours_best_error"], row["ours_tolerance"] = ours[tolerance][0], ours[tolerance][1], tolerance
    again = peer.best_of(name, peer.BEST[name][label], STEP, repeats=3)  # taken in turns: once more after ours
    row["exudyn_s"] = min(row["exudyn_s"], again.cpu)
    row["ratio_per_step"] = row["exudyn_s"] / row["ours_s"]
    row["ratio_default"] = row["exudyn_s"] / row["ours_default_s"]
    best = (row["exudyn_s"], row["exudyn_error"], "implicit")
    seconds, error, words = our_ladder(system, duration, reference, best[1])
    row["ours_to_error_s"], row["ours_to_error"], row["ours_method"] = seconds, error, words
    row["ratio_to_error"] = best[0] / seconds
    if "explicit" in peer.BEST[name]:
        tree = peer.BEST[name]["explicit"]
        for step in (4e-2, 2e-2, 1e-2, 5e-3):
            result = peer.best_of(name, tree, step, repeats=3)
            if result.ok and peer.error(result.positions, reference) <= best[1]:
                row["exudyn_tree_s"], row["exudyn_tree_error"] = result.cpu, peer.error(result.positions, reference)
                break
    if f"{name}-planar" in peer.BEST:
        result = peer.best_of(f"{name}-planar", peer.BEST[f"{name}-planar"]["index3-loose"], STEP, repeats=3)
        row["exudyn_planar_s"] = result.cpu
    return row


def print_comparison(rows):
    head = f"{'mechanism':16} {'exudyn us/step':>14} {'error':>8} | {'ours us/step':>12} {'error':>8} {'ratio':>6} {'default':>8}"
    print(head + f" | {'exudyn to its error':>19} {'ours':>9} {'error':>8} {'ratio':>6}  method")
    for r in rows:
        n = r["steps"]
        print(
            f"{r['mechanism']:16} {1e6 * r['exudyn_s'] / n:14.1f} {r['exudyn_error']:8.1e} | {1e6 * r['ours_s'] / n:12.2f} "
            f"{r['ours_best_error']:8.1e} {r['ratio_per_step']:6.1f} {r['ratio_default']:8.1f} | {1e3 * r['exudyn_s']:16.1f} ms "
            f"{1e3 * r['ours_to_error_s']:6.2f} ms {r['ours_to_error']:8.1e} {r['ratio_to_error']:6.1f}  {r['ours_method']}"
        )
        if "exudyn_tree_s" in r:
            print(
                f"{'':16} exudyn as an explicit kinematic tree: {1e3 * r['exudyn_tree_s']:.1f} ms "
                f"to {r['exudyn_tree_error']:.1e}, ratio {r['exudyn_tree_s'] / r['ours_to_error_s']:.1f}"
            )
        if "exudyn_planar_s" in r:
            print(f"{'':16} exudyn with planar bodies: {1e6 * r['exudyn_planar_s'] / n:.1f} us/step")
        print(f"{'':16} accuracy of the reference: {r['reference_accuracy']:.1e} m")


def chain(n, tilt=0.3):
    """The chain of the comparison with any number of bodies."""
    model, point, last = br.Model(f"chain {n}", gravity=(0, 0.5, -9.81)), np.zeros(3), None
    for i in range(n):
        angle = tilt if i % 2 else -tilt
        way = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        rotation = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
        body = model.body(
            f"b{i}", mass=1.0, inertia=(0.01, 1 / 12, 1 / 12), position=point + 0.5 * way, rotation=rotation
        )
        model.spherical(f"j{i}", last or model.ground, body, point=point)
        point, last = point + way, body
    return model


def sizes():
    """Cost per body, build time and memory of chains."""
    rows = []
    for n in (100, 1000, 10000):
        model = chain(n)
        began = time.perf_counter()
        system = model.build()
        built = time.perf_counter() - began
        seconds, _, solution = timed(system, 0.1, 3, step=STEP)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        per_body = 1e6 * seconds / solution.counters["steps"] / n
        rows.append({"bodies": n, "build_s": built, "us_per_body_step": per_body, "memory_mb": memory})
    return rows


START = """
import time; began = time.perf_counter()
import bricard as br
imported = time.perf_counter() - began
model = br.Model("pendulum")
bob = model.body("bob", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
model.revolute("hinge", model.ground, bob, point=(0, 0, 0), axis=(0, 1, 0))
br.simulate(model, 1.0, step=1e-3)
print(imported, time.perf_counter() - began)
"""


def start_up():
    """Import, first simulation with an empty cache, and with a full one (s, imports included)."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "BRICARD_CACHE_DIR": cache}
        runs = []
        for _ in range(4):
            output = subprocess.run(
                [sys.executable, "-c", START], env=environment, capture_output=True, text=True, check=True
            )
            runs.append([float(x) for x in output.stdout.split()])
    return {"import_s": min(r[0] for r in runs), "cold_s": runs[0][1], "warm_s": min(r[1] for r in runs[1:])}


def ball(t, a, b, p):
    """A spherical joint as a user writes it."""
    return b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]


def user_joint():
    """Chain of 10 with the user's ball joint against the built-in one: factor in time."""
    built_in = model_of("chain10")
    own = br.Model("chain10", gravity=built_in.gravity)
    bodies = {}
    for body in built_in.bodies.values():
        options = {"mass": body.mass, "inertia": body.inertia, "position": body.position, "rotation": body.rotation}
        bodies[body.name] = own.body(body.name, **options)
    for joint in built_in.joints.values():
        pair = [own.ground if b.is_ground else bodies[b.name] for b in joint.bodies]
        own.joint(joint.name, *pair, ball, 3, point=joint.frame_a.world_position)
    systems = built_in.build(), own.build()
    best = [np.inf, np.inf]
    for _ in range(4):
        for k, system in enumerate(systems):
            best[k] = min(best[k], timed(system, 1.0, 3, step=STEP)[0])
    return {"built_in_us": 1e3 * best[0], "own_us": 1e3 * best[1], "factor": best[1] / best[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mechanisms", nargs="*", default=ROWS)
    parser.add_argument("--json", default="bench.json", help="file for all figures")
    parser.add_argument("--only-comparison", action="store_true", help="exudyn at one step, nothing else")
    parser.add_argument("--only-iftomm", action="store_true", help="the IFToMM problems, nothing else")
    options = parser.parse_args()
    machine = platform.processor() or platform.machine()
    print(f"{machine}, Python {platform.python_version()}, one thread, load {os.getloadavg()[0]:.2f}")
    figures = {}
    if not options.only_iftomm:
        figures["comparison"] = [compare(name) for name in options.mechanisms]
        print_comparison(figures["comparison"])
    if not options.only_comparison:
        figures["iftomm"] = [iftomm.compare(task) for task in iftomm.TASKS]
        iftomm.report(figures["iftomm"])
    if not (options.only_comparison or options.only_iftomm):
        figures |= {"sizes": sizes(), "start": start_up(), "user_joint": user_joint()}
        print("\nchain, generalized-alpha, 100 steps:")
        for r in figures["sizes"]:
            print(
                f"  {r['bodies']:6} bodies: build {r['build_s']:.2f} s, {r['us_per_body_step']:.3f} us per body and step, "
                f"{r['memory_mb']:.0f} MB"
            )
        s, u = figures["start"], figures["user_joint"]
        print(
            f"\nimport {s['import_s']:.2f} s; first simulation {s['cold_s']:.1f} s with an empty cache, {s['warm_s']:.2f} s later"
        )
        words = f"{u['own_us']:.2f} against {u['built_in_us']:.2f} us per step, factor {u['factor']:.2f}"
        print(f"user's ball joint on chain10: {words}")
    Path(options.json).write_text(json.dumps(figures, indent=1, default=float))
    print(f"\nwritten: {options.json}")


if __name__ == "__main__":
    main()
