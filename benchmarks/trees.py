"""Relative coordinates beside Pinocchio and MuJoCo, in one process, on one thread: part of `make bench`.

The same trees, made from our `system.tree`, go to Pinocchio (joint types of its own, `aba`) and to MuJoCo.
Forward dynamics: CPU time per call, Pinocchio's called from Python, which costs it less than 1 us. Whole simulations: the
classical Runge-Kutta method at the same step, Pinocchio's and ours after the same equations, MuJoCo's own; Pinocchio's loop is
Python, as its examples have it. Closed loops: Pinocchio's constraintDynamics in a Python loop, ours with the loops closed exactly
after every step; once with the same Runge-Kutta steps, Pinocchio's loops closed as exactly or left alone, once as time to the
same accuracy, for Pinocchio with the best of three Baumgarte gains. The suspension has massless rods with us, and light ones with
Pinocchio, which cannot do without; equal steps are shown with light rods, too. Pinocchio's memory grows with the third power of
its joints, so it has no row for 1000 links. Best of several runs. Last, the cost per link up to 10,000 links.
"""

import argparse
import time

import numpy as np

import bricard as br
from bricard.compiled.handles import pack
from bricard.compiled.pointers import compiled
from bricard.linalg.kkt import accelerations
from bricard.problems import PROBLEMS
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS, suspension
from bricard.system.assembler import assemble
from trees_peers import mujoco_march, pinocchio_march, pinocchio_model, pinocchio_state

REPEATS, STEPS, STEP = 15, 200, 1e-3
LARGEST = 300  # joints that Pinocchio can have: its memory grows with their third power


@compiled
def repeat(count, q, v, system, work):
    """Forward dynamics again and again."""
    for _ in range(count):
        accelerations(0.0, q, v, system, work)


def chain(links):
    """A chain in space: axes alternate, so that nothing is planar."""
    model = br.Model(f"chain of {links}", gravity=(0, 0, -9.81))
    last = model.ground
    for k in range(links):
        body = model.body(f"link {k}", br.Rod((k, 0, 0), (k + 1, 0, 0), mass=1.0, radius=0.05))
        model.revolute(f"J{k}", last, body, point=(k, 0, 0), axis=(0, 1, 0) if k % 2 else (0, 0.6, 0.8))
        last = body
    return model


def humanoid():
    """Pinocchio's sample humanoid, body by body."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    robot = pin.buildSampleModelHumanoid()
    data = robot.createData()
    pin.forwardKinematics(robot, data, pin.neutral(robot))
    model = br.Model("humanoid")
    bodies = [model.ground]
    axes = {"RX": (1, 0, 0), "RY": (0, 1, 0), "RZ": (0, 0, 1)}
    for k in range(1, robot.njoints):
        place, inertia = data.oMi[k], robot.inertias[k]
        body = model.body(
            robot.names[k],
            mass=inertia.mass,
            com=inertia.lever,
            inertia=inertia.inertia,
            position=place.translation,
            rotation=place.rotation,
        )
        name = robot.joints[k].shortname().removeprefix("JointModel")
        if name in axes:
            parent = bodies[robot.parents[k]]
            model.revolute(robot.names[k], parent, body, point=place.translation, axis=place.rotation @ axes[name])
        elif name != "FreeFlyer":
            raise SystemExit(f"the sample humanoid has a joint {name}, which is not translated")
        bodies.append(body)
    return model


def our_march(system, span, **options):
    """Seconds of the march, and the Solution: its wall time, or where that is long, so that others may interrupt it, the CPU time
    less that of a march of one step."""
    solution = br.simulate(system, span, formulation="index1", output=3, **options)
    wall = solution.seconds["march"]
    if wall < 0.05:
        return wall, solution
    costs = []
    for duration in (span, min(span, options.get("step", 1e-6))):
        began = time.process_time()
        br.simulate(system, duration, formulation="index1", output=3, **options)
        costs.append(time.process_time() - began)
    return min(wall, costs[0] - costs[1]), solution


def best_of(function, repeats=REPEATS):
    """The run with the smallest time, which comes first in its answer."""
    return min((function() for _ in range(repeats)), key=lambda answer: answer[0])


# measurements


def per_call(system, state, repeats=REPEATS):
    """Microseconds of one forward dynamics, ours."""
    work = pack(system.work())
    repeat(1, state.q, state.v, system.compiled, work)
    began = time.process_time()
    repeat(20, state.q, state.v, system.compiled, work)
    count = max(1, int(0.6 / max(time.process_time() - began, 1e-6)))

    def once():
        began = time.process_time()
        repeat(count, state.q, state.v, system.compiled, work)
        return ((time.process_time() - began) / count * 1e6,)

    return best_of(once, repeats)[0]


def pinocchio_call(system, state):
    """Microseconds of one call of aba, and its accelerations."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model = pinocchio_model(system)
    data, none, (q, v) = model.createData(), np.zeros(model.nv), pinocchio_state(system, state)
    count = max(5, int(4e4 / (1 + model.nv)) // 8)

    def once():
        began = time.process_time()
        for _ in range(count):
            pin.aba(model, data, q, v, none)
        return ((time.process_time() - began) / count * 1e6,)

    return best_of(once)[0], pin.aba(model, data, q, v, none).copy()


def moving(system):
    """A state of an open tree beside its start."""
    rng, state = np.random.default_rng(3), assemble(system)
    return type(state)(
        0.0, system.retract(state.q, 0.2 * rng.normal(size=system.n_v)), rng.normal(size=system.n_v), state.a, state.lam
    )


def forward_dynamics(models):
    print("\nForward dynamics, CPU time per call (ours: compiled; Pinocchio: aba, called from Python)")
    print(f"{'tree':>16} {'dof':>6} {'ours, us':>10} {'Pinocchio, us':>14} {'ratio':>7} {'difference':>11}")
    for model in models:
        system = model.build(coordinates="relative")
        state = moving(system)
        ours = per_call(system, state)
        if system.n_v > LARGEST:
            print(f"{model.name:>16} {system.n_v:6d} {ours:10.2f} {'too large':>14}", flush=True)
            continue
        theirs, a = pinocchio_call(system, state)
        work = system.work()
        accelerations(0.0, state.q, state.v, system.compiled, pack(work))
        plain = np.setdiff1d(np.arange(system.n_v), np.arange(3) if system.tree[0].motion.n_v == 6 else [])
        gap = np.abs(work.u[plain] - a[plain]).max() / np.abs(a).max()
        print(
            f"{model.name:>16} {system.n_v:6d} {ours:10.2f} {theirs:14.2f} {ours / theirs:7.2f} {gap:11.1e}", flush=True
        )


def whole_simulations(models):
    print(f"\nOpen trees, {STEPS} steps of the classical Runge-Kutta method of 1 ms, CPU ms")
    print(f"{'tree':>16} {'ours':>9} {'Pinocchio':>10} {'MuJoCo':>10} {'difference in q':>16}")
    for model in models:
        system = model.build(coordinates="relative")
        state, plain = assemble(system), system.record.tree.plain_q.astype(int)
        repeats = 1 if system.n_v > LARGEST else REPEATS
        ours, solution = best_of(lambda s=system: our_march(s, STEPS * STEP, step=STEP, integrator="rk4"))
        seconds, q = best_of(lambda s=system, x=state: mujoco_march(s, x, STEPS, STEP), repeats)
        gap, pinocchio = np.abs(solution.q[-1][plain] - q[plain]).max(), "too large"
        if system.n_v <= LARGEST:
            its, q = best_of(lambda s=system, x=state: pinocchio_march(s, x, STEPS, STEP), repeats)
            gap, pinocchio = max(gap, np.abs(solution.q[-1][plain] - q[plain]).max()), f"{1e3 * its:.2f}"
        print(f"{model.name:>16} {1e3 * ours:9.2f} {pinocchio:>10} {1e3 * seconds:10.2f} {gap:16.1e}", flush=True)


def suspension_with_rods():
    """The five-link suspension with rods of 0.1 kg, balls at both ends: as Pinocchio can have it."""
    model = br.Model("suspension", gravity=(0, 0, 0))
    model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    for k, (start, end) in enumerate(zip(CHASSIS, CARRIER, strict=True)):
        model.body(f"rod {k}", br.Rod(start, end, mass=0.1, radius=0.01))
        model.spherical(f"P{k}", model.ground, f"rod {k}", point=start)
        model.spherical(f"X{k}", f"rod {k}", "wheel", point=end)
    model.start(body="wheel", velocity=(0.0, 0.0, 0.3), weight=1.0)
    return model


def places(system, q):
    """Centres of mass (n, 3) at q, m."""
    return system.evaluated(0.0, q, np.zeros(system.n_v)).x[:-1].copy()


def ours_to(target, system, span, exact):
    """The fastest of our runs whose bodies are where they should be at the end, within `target` m."""
    found = []
    for integrator in ("dop853", "dopri5"):
        for rtol in 10.0 ** -np.arange(3.0, 12.0, 0.5):
            solution = br.simulate(
                system, span, formulation="index1", integrator=integrator, rtol=rtol, output=3, check=False
            )
            if solution.ok and np.abs(places(system, solution.q[-1]) - exact).max() <= target:
                run = best_of(lambda i=integrator, r=rtol: our_march(system, span, integrator=i, rtol=r))
                found.append((run[0], f"{integrator}, rtol {rtol:.0e}", run[1]))
                break
    return min(found, key=lambda run: run[0])


def pinocchio_to(target, system, state, span, exact):
    """The same with Pinocchio: gains and the number of steps, which doubles."""
    found = []
    for gain in (0.0, 100.0, 1e4):
        for steps in (int(50 * span * 2**k) for k in range(8)):
            seconds, q = pinocchio_march(system, state, steps, span / steps, gain=gain)
            back = q.copy()
            for o in system.record.turn_q.astype(int):
                back[o : o + 4] = q[o + 3], *q[o : o + 3]
            if np.isfinite(q).all() and np.abs(places(system, back) - exact).max() <= target:
                again = best_of(lambda g=gain, n=steps: pinocchio_march(system, state, n, span / n, gain=g), 3)
                found.append((min(seconds, again[0]), f"RK4, {steps} steps, Kp {gain:g}", back))
                break
    return min(found, key=lambda run: run[0])


def loops():
    """(name, our model, Pinocchio's, the joints to cut with which Pinocchio does best, span in s)."""
    rssr, bricard = PROBLEMS["rssr"].model, PROBLEMS["bricard"].model
    yield "rssr", rssr(), rssr(), (), 3.0
    yield "bricard", bricard(), bricard(), ("P5",), 9.0
    yield "suspension", suspension(height=0.0), suspension_with_rods(), (), 0.5


def equal_steps(steps=500):
    print(f"\nClosed loops, {steps} steps of the classical Runge-Kutta method of 1 ms, CPU us per step")
    print(f"{'':>16} {'ours, closed':>13} {'Pinocchio, closed':>18} {'ratio':>6} {'Pinocchio, open':>16} {'ratio':>6}")
    for name, ours, theirs, cut, _ in loops():
        light = theirs.build(coordinates="relative", cut=cut)
        state = assemble(light)
        closed, left = (
            best_of(lambda s=light, x=state, c=c: pinocchio_march(s, x, steps, STEP, gain=0.0, closing=c), 5)[0]
            for c in (True, False)
        )
        systems = {name: ours.build(coordinates="relative")}
        if name == "suspension":
            systems["with light rods"] = light
        for label, system in systems.items():
            seconds = best_of(lambda s=system: our_march(s, steps * STEP, step=STEP, integrator="rk4"))[0]
            each = 1e6 / steps
            line = f"{label:>16} {each * seconds:13.2f} {each * closed:18.2f} {closed / seconds:6.1f}"
            print(f"{line} {each * left:16.2f} {left / seconds:6.1f}", flush=True)


def closed_loops(target=1e-6):
    print(f"\nClosed loops: CPU ms to have all bodies where they should be at the end, within {target:g} m")
    print(
        "ours: index1, loops closed after every step; Pinocchio: constraintDynamics in a Python loop, best of three gains"
    )
    print(f"{'mechanism':>16} {'ours':>9} {'Pinocchio':>10} {'ratio':>7} {'our gap, m':>11} {'its gap, m':>11}   how")
    for name, ours, theirs, cut, span in loops():
        systems = [ours.build(coordinates="relative"), theirs.build(coordinates="relative", cut=cut)]
        finest = {"formulation": "index1", "integrator": "dop853", "rtol": 1e-12, "output": 3}
        exact = [places(system, br.simulate(system, span, **finest).q[-1]) for system in systems]
        seconds, words, solution = ours_to(target, systems[0], span, exact[0])
        pinocchio, its_words, q = pinocchio_to(target, systems[1], assemble(systems[1]), span, exact[1])
        gaps = [np.abs(s.constraint(span, x)).max() for s, x in zip(systems, (solution.q[-1], q), strict=True)]
        line = f"{name:>16} {1e3 * seconds:9.2f} {1e3 * pinocchio:10.2f} {pinocchio / seconds:7.1f}"
        print(f"{line} {gaps[0]:11.1e} {gaps[1]:11.1e}   {words}; {its_words}", flush=True)


def size():
    print("\nCost of one forward dynamics by size, us")
    print(f"{'links':>7} {'in space':>10} {'per link':>9} {'in the plane':>13} {'per link':>9}")
    for links in (10, 100, 1000, 10000):
        costs = []
        for model in (chain(links), PROBLEMS["chain"].model(links)):
            system = model.build(coordinates="relative")
            costs.append(per_call(system, moving(system), 5))
        space, plane = costs
        print(f"{links:7d} {space:10.2f} {space / links:9.3f} {plane:13.2f} {plane / links:9.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="no trees beyond 100 links")
    quick = parser.parse_args().quick
    chains = [chain(n) for n in ((10, 100) if quick else (10, 100, 1000))]
    forward_dynamics([*chains, humanoid()])
    whole_simulations([*chains, humanoid()])
    equal_steps()
    closed_loops()
    if not quick:
        size()


if __name__ == "__main__":
    main()
