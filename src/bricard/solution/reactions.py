"""Loads of joints, drivers, couplings and forces on bodies, with names and units, and whether they are unique."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import VELOCITY
from ..errors import ModelError, suggest
from ..linalg import sparse
from ..linalg.kkt import evaluate, factorise_kkt, solve_regularised
from ..model.forces import AppliedForce, CoordinateForce
from .motion import known_coordinates, of_bodies
from .observe import wrenches


class Reaction(NamedTuple):
    """Load on the body named `body`, world axes: force (n, 3) in N, moment (n, 3) in N m about `point` (n, 3), m, in the world.

    unique : False where redundant rows leave other splits of the load possible; then the smallest one in scaled rows is given.
    """

    force: np.ndarray
    moment: np.ndarray
    unique: bool
    body: str
    point: np.ndarray

    def about(self, point):
        """The same load with its moment about another point of the world, (3,) or (n, 3)."""
        point = np.broadcast_to(np.asarray(point, float), self.point.shape)
        return self._replace(moment=self.moment + np.cross(self.point - point, self.force), point=point)


def reaction(solution, element, body=None):
    """The Reaction of a joint or a force (or its name) on one of its bodies: on the second one if none is named."""
    model = solution.system.model
    element = _element(model, element)
    bodies = {b.name: b for b in element.bodies}
    name = element.bodies[min(1, len(element.bodies) - 1)].name if body is None else getattr(body, "name", body)
    if name not in bodies:
        raise ModelError(f'"{element.name}" does not act on a body "{name}", but on {", ".join(bodies)}.')
    system = solution.system.base or solution.system
    is_joint = model.joints.get(element.name) is element
    slot = _slots(system)[0].get((is_joint, element.name, name))
    if slot is None and is_joint:
        raise ModelError(_without_rows(system, element.name))
    (x, R), body = solution.poses[name], bodies[name]
    frames = [getattr(element, key, None) for key in ("frame_b", "frame_a", "frame")]
    place = next((frame.point for frame in frames if frame is not None and frame.body is body), np.zeros(3))
    lever = R @ place  # from the centre of mass
    unique, point = not is_joint or element.name not in ambiguous_joints(system), x + R @ body.com + lever
    if (
        body.is_ground
    ):  # rows may hold places of the world, which do not know of a ground that moves: the opposite of all others
        others = [reaction(solution, element, b).about(point) for b in bodies.values() if b is not body]
        force, moment = (-np.sum([load[part] for load in others], axis=0) for part in (0, 1))
        return Reaction(force, moment, unique, name, point)
    load = np.zeros((solution.t.size, 6)) if slot is None else _all_loads(solution)[:, slot]
    moment = np.einsum("nij,nj->ni", R, load[:, 3:]) - np.cross(lever, load[:, :3])
    return Reaction(load[:, :3], moment, unique, name, point)


def _element(model, element):
    """The joint or force with a name, or that an object of the user's model stands for; a joint where both have the name."""
    name = getattr(element, "name", element)
    is_force = isinstance(element, AppliedForce | CoordinateForce) or getattr(element, "kind", "") == "force"
    families = (model.forces, model.joints) if is_force else (model.joints, model.forces)
    found = families[0].get(name) or families[1].get(name)
    if found is None:
        raise ModelError(f'There is no joint or force "{name}".{suggest(name, {**model.joints, **model.forces})}')
    return found


def _without_rows(system, name):
    """Why a joint has no reaction."""
    joints = dict.fromkeys(row.joint for row in system.rows if row.joint.startswith(f"{name}/"))
    inner = ", ".join(f'"{joint}"' for joint in joints)
    ask = f" Its load passes through the joints inside: ask for {inner}." if inner else ""
    return f'Joint "{name}" has no constraint rows of its own, so no reaction.{ask}'


@lru_cache(maxsize=4)
def _slots(system):
    """Places of the loads in _all_loads: (whether of a joint, its name or the force's, name of the body) -> place; and the place
    (entries of G,) that each entry of G belongs to."""
    names = [*system.model.bodies, system.model.ground.name]
    entries = np.column_stack([system.record.g_row.astype(int), system.entry_body[:, 0]])
    found, which = np.unique(entries, axis=0, return_inverse=True)
    of_rows = [(True, system.rows[row].joint, names[body]) for row, body in found.tolist()]
    of_forces = [(False, name, names[body]) for name, *both in system.loads for body in both]
    places = {pair: place for place, pair in enumerate(dict.fromkeys([*of_rows, *of_forces]))}
    return places, np.array([places[pair] for pair in of_rows], np.int64)[which.ravel()]


@lru_cache(maxsize=4)
def _all_loads(solution):
    """Loads (n, slots, 6) about the centres of mass, moments in body axes, in the places of _slots."""
    seen = of_bodies(solution)
    system, q, v, turns = seen.system, seen.q, seen.v, seen.turns
    # all joints, those of the tree too: the multipliers of the same motion in absolute coordinates
    own = seen if solution.system.tree else solution
    lam = own.reaction_multipliers[:, : system.n_rows]  # without unit norms of quaternions
    (slots, row_slot), names = _slots(system), [*system.model.bodies, system.model.ground.name]
    force_slot = [[(slots[False, name, names[body]], body) for body in both] for name, *both in system.loads]
    apart = system.with_record(column=sparse.index(np.arange(6 * len(names))).reshape(-1, 6))
    work = apart.work()
    places, known = known_coordinates(seen, work)
    out = np.zeros((solution.t.size, len(slots), 6))
    t, q, v, turns, lam = (np.array(x, order="C") for x in (seen.t, q, v, turns, lam))
    of_entries = row_slot, np.array(system.entry_body[:, 1]), np.array(force_slot, np.int64).reshape(-1, 2, 2)
    records = system.compiled, apart.compiled, pack(work)
    wrenches(t, q, v, turns, places, known, lam, *of_entries, out, *records)
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
