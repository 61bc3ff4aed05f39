"""What a run counts and sums up on its way, besides the state: turns of joint angles, and work. Compiled: compiled/ledger.py."""

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import FOLLOW, POWER
from ..compiled.ledger import FULL_TURN, ON_CUBIC, WORK
from ..compiled.pointers import table
from ..compiled.records import Ledger
from ..kernels.turns import follow_angles
from ..linalg import sparse
from ..linalg.power import power, power_of_forces
from ..system.turns import kept_places
from .profile_times import knot_times

SOME, MANY = 3, 6  # nodes of Gauss' rule: on dense output, in the large steps of high orders
HIGH = 6  # one-step methods of an order above take large steps


def empty_ledger(problem, method, work, outputs, energy):
    """The Ledger record of a run with so many outputs, before anything was counted; energy : whether work is summed up."""
    system, angles, source = problem.system, problem.system.angles, power_source(problem.system)
    unknown, source = source is not None and not energy, source if energy else None
    names = [] if system.model is None else [*system.model.bodies, system.model.ground.name]
    nodes, kept = (np.zeros(0), np.zeros(0)), sparse.index(kept_places(system))
    if source is not None:
        nodes = np.polynomial.legendre.leggauss(_count(method))
    top = np.polynomial.legendre.Legendre.basis(max(len(nodes[0]) - 1, 0))
    n, n_q = len(angles), system.n_q if source is not None else 0
    return Ledger(
        functions=table((FOLLOW, POWER), (follow_angles if angles else None, source)),
        body=np.array([[names.index(b.name) for b in m.bodies] for m in angles], np.uint32).reshape(n, 2),
        axes=np.array([m.parameters for m in angles], float).ravel(),
        spins=_spins(problem) if angles else sparse.index(np.zeros(0)),
        turned=np.zeros((n, 4)),
        kept=kept,
        nodes=0.5 * (1.0 + nodes[0]),
        weights=0.5 * nodes[1],
        highest=(top.degree() + 0.5) * nodes[1] * top(nodes[0]),
        powers=np.zeros((2, len(nodes[0]))),
        knots=np.zeros(0) if source is None else np.array(sorted(knot_times(system.model))),
        ahead=np.zeros(1, np.int64),
        sums=np.array([np.nan if unknown else 0.0, 0.0, 0.0, np.nan, 0.0, 0.0]),
        out=np.zeros((outputs, n + kept.size + 1)),
        q=np.zeros((3, n_q)),
        rate=np.zeros((3, n_q)),
        v=np.zeros(system.n_v),
        work=work if source is None else system.work(),
    )


def _count(method):
    """How many nodes a step needs, so that more of them change nothing."""
    if method.external is not None or not method.adaptive:
        return ON_CUBIC  # of low order: dense output would be no better
    return MANY if method.order > HIGH and method.controller != "variable-order" else SOME


def _spins(problem):
    """Places in y of the angular velocities of all bodies, where y has them."""
    r, columns = problem.system.record, problem.system.record.column[:-1].astype(int)
    flat = r.planar == 1
    if problem.expand is not None or problem.system.tree or not (flat | (r.group == 1)).all():
        return sparse.index(np.zeros(0))
    return sparse.index(r.n_q + np.concatenate([columns[~flat, 3:].ravel(), columns[flat, 5]]))


def begin_ledger(state, run, system, work):
    """Count from a state on: from what it has counted already, or from its measures and other angles between -pi and pi, and no
    work."""
    turned = run.ledger.turned
    look(state, run, system, work)
    turned[:, 2:4] = 0.0
    raw = np.arctan2(turned[:, 1], turned[:, 0])
    known = dict(zip(system.measures, state.turn, strict=False))
    totals = state.totals[: len(turned)] if state.totals.size else [known.get(m, 0.0) for m in system.angles]
    turned[:, 2] = np.round((np.array(totals) - raw) / FULL_TURN)
    if state.totals.size:
        run.ledger.sums[WORK] += state.totals[-1]


def look(state, run, system, work):
    """Count the turns up to a state that no step has led to."""
    if len(run.ledger.turned):
        follow_angles(state.t, 0.0, state.q, state.v, pack(run), system.compiled, pack(work))


def power_source(system):
    """What gives the power of what is not conservative; None where everything is."""
    model = system.model
    if model is None or any(moves(block) for joint in model.joints.values() for block in joint.blocks()):
        return power
    return power_of_forces if any(not conservative(force) for force in model.forces.values()) else None


def moves(block):
    """Whether a constraint may depend on time."""
    if block.kernel == "coupling":
        return block.profile.kind not in ("constant", "start")
    return block.kernel == "function" and not isinstance(block.element.function, str)


def conservative(force):
    """Whether a force has a potential and nothing else, as springs and bushings without damping."""
    law = getattr(force, "law", None)
    return getattr(force, "conservative", False) if law is None else law.conservative
