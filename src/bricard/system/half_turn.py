"""Bushings at half a turn, where the rotation vector changes its sign and the torque jumps."""

import numpy as np

from .channels import poses

NEAR = 0.05  # rad


def half_turned(system, q):
    """A sentence on the bushing that stands next to half a turn with q (n_q,), or nothing."""
    forces = {} if system.model is None else system.model.forces
    bushings = [f for f in forces.values() if getattr(f, "function", None) == "bushing" and any(f.parameters[3:6])]
    if not bushings or not np.isfinite(q).all():
        return ""
    rotations = {name: R[0] for name, (_, R) in poses(system, q[None, :]).items()}
    for force in bushings:
        A, B = (rotations[frame.body.name] @ frame.rotation for frame in (force.frame_a, force.frame_b))
        left = np.pi - np.arccos(np.clip(0.5 * (np.trace(A.T @ B) - 1.0), -1.0, 1.0))
        if left < NEAR:
            return (
                f' The bushing "{force.name}" is {left:.2g} rad from half a turn, where its torque jumps. For bodies that '
                "turn so far take a hinge with a torsion, whose angle counts turns."
            )
    return ""
