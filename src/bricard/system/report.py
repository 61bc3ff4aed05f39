"""The topology report: bodies, loops, degrees of freedom, redundant rows by joint name, distance to singularity."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..errors import AssemblyError
from ..interrupts import whole
from ..linalg.rank import dependent_rows, rank, singular_values
from ..model.drawing import missing_meshes
from .assembler import assemble, moved_to_close, settle
from .build import build
from .doubts import doubts
from .fit import DENSE, misfit, scaled_jacobian
from .moved import moved_words
from .regularise import count_weak, row_sizes
from .topology import gruebler, loops
from .tree import outside_joints

FREE = "free"  # in the place of a joint's name
WIDE = 100  # characters of a branch that are shown


@dataclass(frozen=True)
class Report:
    """What a model is made of and how it can move. All ranks are of rows made dimensionless by the characteristic length."""

    model: str
    bodies: dict[str, str]
    joints: dict[str, str]
    loops: list[list[str]]
    velocities: int
    rows: int
    gruebler: int
    rank: int
    freedom: int
    redundant: list[str]
    length: float
    smallest: float | None  # smallest singular value that counts: the distance to the next singular position
    singular: bool
    assembled: bool
    problem: str | None = None
    velocity_level: int = 0
    notes: list[str] = field(default_factory=list)
    tree: dict[str, tuple[str, str]] | None = None  # of relative coordinates: body -> (parent, joint)
    cut: list[str] = field(default_factory=list)  # joints that are imposed as constraints on the others
    conditions: list[str] = field(default_factory=list)  # drives, gears and rolling, imposed too

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f'Model "{self.model}"']
        lines.append(f"  {len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.loops)} closed loops")
        lines += [f"    {name}: {text}" for name, text in list(self.bodies.items())[:20]]
        lines += [f"    ... and {len(self.bodies) - 20} more bodies"] if len(self.bodies) > 20 else []
        lines += [f"    loop: {' - '.join(loop)}" for loop in self.loops[:10]]
        lines += [f"    ... and {len(self.loops) - 10} more loops"] if len(self.loops) > 10 else []
        lines += self._tree_lines() if self.tree is not None else []
        lines.append(f"  velocities {self.velocities}, constraint rows {self.rows}, of them independent {self.rank}")
        if self.velocity_level:
            lines.append(f"    {self.velocity_level} of the rows are nonholonomic (velocity level)")
        lines.append(f"  degrees of freedom {self.freedom} (Gruebler's count gives {self.gruebler})")
        if self.redundant:
            lines.append(f"  {len(self.redundant)} redundant rows: they are handled, reactions there are not unique")
            lines += [f"    {name}" for name in self.redundant[:12]]
            lines += [f"    ... and {len(self.redundant) - 12} more"] if len(self.redundant) > 12 else []
        lines.append(f"  characteristic length {self.length:.4g} m")
        if self.smallest is not None:
            lines.append(f"  distance to singularity {self.smallest:.3g} (smallest singular value of the scaled rows)")
        if self.singular:
            lines.append("  WARNING: the starting position is singular: nearby, more rows are independent than there")
        if not self.assembled:
            lines.append(f"  NOT ASSEMBLED: {self.problem}")
        return "\n".join(lines + [f"  {note}" for note in self.notes])

    def _tree_lines(self):
        """Branches of the tree, each begun where it leaves another one; the cut joints."""
        assert self.tree is not None
        branches, last = [], None
        for body, (parent, joint) in self.tree.items():
            if parent == last:
                branches[-1] += f" -[{joint}]- {body}"
            else:
                branches.append(f"{parent} -[{joint}]- {body}")
            last = body
        free = sum(joint == FREE for _, joint in self.tree.values())
        counts = [f"{len(self.tree) - free} joints in the tree", f"{len(self.cut)} cut"]
        counts += [f"{free} free {'body' if free == 1 else 'bodies'}"] if free else []
        counts += [f"{len(self.conditions)} drives, gears or rolling"] if self.conditions else []
        lines = [f"  relative coordinates: {', '.join(counts)}"]
        lines += [f"    {branch if len(branch) <= WIDE else branch[:WIDE] + ' ...'}" for branch in branches[:12]]
        lines += [f"    ... and {len(branches) - 12} more branches"] if len(branches) > 12 else []
        named = {"cut": self.cut, "drives, gears or rolling": self.conditions}
        return lines + [f"    {what}: {', '.join(names)}" for what, names in named.items() if names]


@whole
def report(model, coordinates="absolute", cut=()):
    """The Report of a model at its assembled start; in relative coordinates with its spanning tree and cut joints."""
    system = build(model, coordinates=coordinates, cut=cut)
    problem = None
    try:
        state = assemble(system)
        q, v = state.q, state.v
    except AssemblyError as error:
        q, v, problem = system.start, np.zeros(system.n_v), str(error)
    moved = moved_words(moved_to_close(system)) if problem is None else ("", False)
    number, redundant, smallest = _rank_at(system, q, v)
    outside = outside_joints(model, system.tree) if system.tree else ([], [])
    singular = problem is None and system.n_rows <= DENSE and _rank_nearby(system, q, v) > number
    return Report(
        model=model.name,
        bodies={body.name: _describe(body) for body in model.bodies.values()},
        joints={joint.name: joint.kind for joint in model.joints.values()},
        loops=[list(loop.joints) for loop in loops(model)],
        velocities=system.n_v,
        rows=system.n_rows,
        gruebler=gruebler(system),
        rank=number,
        freedom=system.n_v - number,
        redundant=redundant,
        length=system.length,
        smallest=smallest,
        singular=singular,
        assembled=problem is None,
        problem=problem,
        velocity_level=int(system.record.velocity_level.sum()),
        notes=[
            *([f"{'WARNING: ' if moved[1] else ''}{words}"] if (words := moved[0]) else []),
            *([f"WARNING: {words}"] if (words := str(misfit(system, 0.0, q))) else []),
            *(f"note: {doubt}" for doubt in doubts(model)),
            *missing_meshes(model.drawings),
        ],
        tree={node.body.name: (node.parent.name, _joint_name(node)) for node in system.tree} if system.tree else None,
        cut=outside[0],
        conditions=outside[1],
    )


def _joint_name(node):
    return FREE if node.joint is None else node.joint.name


def _describe(body):
    text = body.shape.describe() if body.shape is not None else f"mass {body.mass:.6g} kg"
    return text + (", planar" if body.planar else "")


def _rank_at(system, q, v):
    """Rank, names of the redundant rows, smallest singular value that counts."""
    if not system.n_rows:
        return 0, [], None
    if system.n_rows > DENSE:
        weak = count_weak(system, q)
        return system.n_rows - weak, [f"{weak} rows (too many rows to name them one by one)"] if weak else [], None
    scaled = scaled_jacobian(system, q, v)
    values = singular_values(scaled)
    sizes = row_sizes(system, q)
    number = rank(values, sizes.max(initial=0.0))
    redundant = [system.row_name(i) for i in dependent_rows(scaled, sizes)] if number < system.n_rows else []
    return number, redundant, float(values[number - 1]) if number else None


def _rank_nearby(system, q, v):
    """Rank a little way along the admissible motions, where a singular start shows more independent rows."""
    scaled, natural = scaled_jacobian(system, q, v), row_sizes(system, q).max(initial=0.0)
    _, values, vectors = np.linalg.svd(scaled)
    free = vectors[rank(values, natural) :].T
    if not free.shape[1]:
        return rank(values, natural)
    columns = np.where(system.translations, system.length, 1.0)
    direction = (free @ np.random.default_rng(4).normal(size=free.shape[1])) * columns
    try:
        near, _ = settle(system, 0.0, system.retract(q, 0.02 * direction / np.abs(direction / columns).max()), 0.0 * v)
    except AssemblyError:
        return rank(values, natural)
    return rank(singular_values(scaled_jacobian(system, near, v)), natural)
