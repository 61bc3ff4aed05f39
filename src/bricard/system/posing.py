"""Where the search for a start begins, and whether it ended in the pose that was meant.

Rows that keep axes parallel are satisfied by axes of opposite sense too. So the search starts with the wished poses put in, the
bodies that hang on a wished one carried along, and its end is compared with what was drawn.
"""

from collections import deque

import numpy as np

from ..errors import AssemblyError
from ..model.frames import quaternion
from .channels import poses

CLEAR = 0.5  # cosine from which on a drawn axis has a sense


def posed(system, model):
    """The drawn q (n_q) with wished positions and rotations of bodies put in; the others move with the nearest wished body."""
    wishes = {w.body.name: w for w in model.wishes if w.body is not None and _has_pose(w)}
    if not wishes:
        return system.start.copy()
    q, r, source = system.start.copy(), system.record, _nearest(model, wishes)
    for number, body in enumerate(model.bodies.values()):
        wish = wishes.get(source.get(body.name))
        if wish is None:
            continue
        turn = _rotation(wish) @ wish.body.rotation.T
        rotation = turn @ body.rotation
        centre = _centre(wish) + turn @ (body.com_position - wish.body.com_position)
        o = int(r.q_start[number])
        if body.planar:
            angle, meant = np.arctan2(rotation[1, 0], rotation[0, 0]), q[o + 2] + np.arctan2(turn[1, 0], turn[0, 0])
            q[o : o + 3] = [centre[0], centre[1], angle + 2 * np.pi * np.round((meant - angle) / (2 * np.pi))]
        else:
            q[o : o + 7] = np.concatenate([centre, quaternion(rotation)])
    return q


def check_axes(system, model, q):
    """Raise if a joint closed with an axis of one body against that of the other, unlike it is drawn."""
    drawn, found = poses(system, system.start[None, :]), poses(system, q[None, :])
    for joint in model.joints.values():
        for axis in getattr(joint, "parallel", ""):
            before, after = _cosine(joint, axis, drawn), _cosine(joint, axis, found)
            if abs(before) > CLEAR and before * after < 0.0:
                raise AssemblyError(
                    f'The start was found with joint "{joint.name}" turned over: its {axis} axes are drawn '
                    f"{'in the same' if before > 0 else 'in opposite'} sense and came out the other way, which its rows cannot "
                    "tell apart. Draw the bodies nearer to the wished start, or wish for the pose of another body of the chain."
                )


def _has_pose(wish):
    return wish.rotation is not None or (wish.position is not None and wish.measure is None)


def _rotation(wish):
    return np.asarray(wish.rotation, float) if wish.rotation is not None else wish.body.rotation


def _centre(wish):
    """Wished place (3,) of the centre of mass, m."""
    if wish.position is None:
        return wish.body.com_position
    point = np.zeros(3) if wish.point is None else np.asarray(wish.point, float)
    return np.asarray(wish.position, float) + _rotation(wish) @ (wish.body.com - point)


def _nearest(model, wishes):
    """Body name -> name of the wished body, or of the ground, that is the fewest joints away."""
    neighbours = {}
    for joint in model.joints.values():
        names = [body.name for body in joint.bodies]
        for name in names:
            neighbours.setdefault(name, []).extend(other for other in names if other != name)
    source = {name: name for name in (*wishes, model.ground.name)}
    queue = deque(source)
    while queue:
        name = queue.popleft()
        for other in neighbours.get(name, ()):
            if other not in source:
                source[other] = source[name]
                queue.append(other)
    return source


def _cosine(joint, axis, pose):
    """Cosine of the angle between the axes of that letter of both frames of a joint."""
    a, b = joint.frame_a, joint.frame_b
    return float((pose[a.body.name][1][0] @ getattr(a, axis)) @ (pose[b.body.name][1][0] @ getattr(b, axis)))
