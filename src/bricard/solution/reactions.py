"""Reactions in joints: forces and moments with names and units, and whether they are unique."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import ModelError, suggest
from ..linalg.kkt import evaluate, factorise_kkt, solve_regularised
from ..system.rotation import in_group
from ..system.tree_map import counted
from .motion import absolute_totals, known_coordinates
from .observe import wrenches


class Reaction(NamedTuple):
    """Load of a joint on its second body, at the joint, world axes: force (n, 3) in N, moment (n, 3) in N m.

    unique : False where redundant rows leave other splits of the load possible; then the smallest one in scaled rows is given.
    """

    force: np.ndarray
    moment: np.ndarray
    unique: bool


def joint_reaction(solution, name):
    """The Reaction of one joint."""
    system = solution.system.base or solution.system
    joints = system.model.joints
    if name not in joints:
        raise ModelError(f'There is no joint "{name}".{suggest(name, joints)}')
    if not any(row.joint == name for row in system.rows):
        inner = [
            f'"{joint}"' for joint in dict.fromkeys(row.joint for row in system.rows) if joint.startswith(f"{name}/")
        ]
        ask = f" Its load passes through the joints inside: ask for {', '.join(inner)}." if inner else ""
        raise ModelError(f'Joint "{name}" has no constraint rows of its own, so no reaction.{ask}')
    names = tuple(dict.fromkeys(row.joint for row in system.rows))
    load = _all_wrenches(solution)[:, names.index(name)]
    joint = joints[name]
    body = joint.bodies[1]
    x, R = solution.poses[body.name]
    frame = getattr(joint, "frame_b", None)
    lever = np.zeros_like(x) if frame is None else R @ frame.point  # from the centre of mass to the joint
    moment = np.einsum("nij,nj->ni", R, load[:, 3:]) - np.cross(lever, load[:, :3])
    return Reaction(load[:, :3], moment, name not in ambiguous_joints(system))


@lru_cache(maxsize=4)
def _all_wrenches(solution):
    """Loads (n, joints, 6) on the second bodies, by the order of the joints' rows."""
    system, q, v = in_group(solution.system, solution.q, solution.v)
    turns = solution.turns
    if (
        solution.system.tree
    ):  # all joints, those of the tree too: the multipliers of the same motion in absolute coordinates
        turns = counted(system.measures, turns, solution.system.measures)
        solution = replace(
            solution, system=system, q=q, v=v, own_a=None, own_lam=None, turns=turns, totals=absolute_totals(solution)
        )
        lam = solution.reaction_multipliers
    else:
        lam = solution.reaction_multipliers[:, : system.n_rows]  # without unit norms of quaternions
    names = {name: i for i, name in enumerate(dict.fromkeys(row.joint for row in system.rows))}
    joint_of_row = np.array([names[row.joint] for row in system.rows], np.int64)
    r, side = system.record, system.entry_side
    entry_joint = joint_of_row[r.g_row.astype(int)]
    entry_part = np.where(side[:, 0] == 1, side[:, 1], 6)
    out = np.zeros((solution.t.size, len(names), 6))
    work = system.work()
    places, known = known_coordinates(replace(solution, system=system), work)
    t, q, v, turns, lam = (np.array(x, order="C") for x in (solution.t, q, v, turns, lam))
    wrenches(t, q, v, turns, places, known, lam, entry_joint, entry_part, out, system.compiled, pack(work))
    return out


@lru_cache(maxsize=16)
def ambiguous_joints(system):
    """Names of the joints whose reactions are not unique: their rows have a share in the null space of G^T.

    Found with one solve: a random right-hand side in the rows excites exactly that null space by 1/epsilon.
    """
    r = system.record
    if not r.n_rows or not r.redundant:
        return frozenset()
    work = system.work()
    packed = pack(work)
    evaluate(0.0, system.start, np.zeros(r.n_v), VELOCITY, system.compiled, packed)
    factorise_kkt(system.compiled, packed)
    b, u = np.zeros(work.b.size), np.zeros(work.b.size)
    b[r.n_v + 1 :] = np.random.default_rng(0).uniform(0.5, 1.0, r.n_rows) / r.row_scale
    solve_regularised(packed, b, u)
    share = np.abs(u[r.n_v + 1 :]) * r.regularisation * r.row_scale
    return frozenset(system.rows[i].joint for i in np.flatnonzero(share > 1e-3))
