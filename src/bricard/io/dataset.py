"""Solutions as labelled arrays: an xarray.Dataset with units in its attributes.

Dimensions: time, body, axis (x, y, z), component (w, x, y, z), coordinate (of joints). A system given by its functions
has no bodies and joints; then there are q and v, energies and constraint errors.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ..system.rotation import in_group

if TYPE_CHECKING:
    import xarray

    from ..solution.solution import Solution

__all__ = ["dataset"]

AXES, COMPONENTS = ("x", "y", "z"), ("w", "x", "y", "z")


def dataset(solution: Solution) -> xarray.Dataset:
    """Return the samples of a solution with names and units; vectors are in world axes, at the reference frames."""
    import xarray

    energy, errors = solution.energy, solution.constraint_errors
    scaled = "largest error of scaled rows: lengths in characteristic lengths, angles in radians"
    variables: dict[str, Any] = {
        "q": (("time", "position_index"), solution.q, {"long_name": "position coordinates"}),
        "v": (("time", "velocity_index"), solution.v, {"long_name": "velocities"}),
        "kinetic_energy": ("time", energy.kinetic, {"units": "J"}),
        "potential_energy": ("time", energy.potential, {"units": "J"}),
        "total_energy": ("time", energy.total, {"units": "J"}),
        "work": ("time", energy.work, {"units": "J", "long_name": "work of what is not conservative, since the start"}),
        "energy_error": ("time", energy.error, {"units": "J", "long_name": "total energy - its start - work"}),
        "position_error": ("time", errors.position, {"units": "1", "long_name": scaled}),
        "velocity_error": ("time", errors.velocity, {"units": "1/s", "long_name": scaled}),
        "acceleration_error": ("time", errors.acceleration, {"units": "1/s^2", "long_name": scaled}),
    }
    coordinates: dict[str, Any] = {"time": ("time", solution.t, {"units": "s"})}
    if solution.system.model is not None:
        variables |= _motion(solution)
        coordinates |= {"body": list(solution.system.model.bodies), "axis": list(AXES), "component": list(COMPONENTS)}
        units = ["rad" if solution.system.model.coordinate(name).kind == "angle" else "m" for name in solution.channels]
        coordinates |= {"coordinate": list(solution.channels), "coordinate_unit": ("coordinate", units)}
    return xarray.Dataset(variables, coordinates, _attributes(solution))


def _motion(solution: Solution) -> dict[str, Any]:
    """Poses and velocities of the bodies, and the coordinates of the joints."""
    n, bodies = solution.t.size, list(solution.system.model.bodies)

    def stacked(of_body: Any) -> np.ndarray:
        return np.stack([of_body(name) for name in bodies], 1)

    def joints(of_joint: Any) -> np.ndarray:
        return np.stack([of_joint(name) for name in solution.channels], 1) if solution.channels else np.zeros((n, 0))

    vector, channel = ("time", "body", "axis"), ("time", "coordinate")
    per_second = "coordinate_unit per second"
    return {
        "position": (vector, stacked(lambda name: solution.poses[name][0]), {"units": "m"}),
        "quaternion": (("time", "body", "component"), quaternions(solution), {"units": "1"}),
        "velocity": (vector, stacked(solution.velocity), {"units": "m/s"}),
        "angular_velocity": (vector, stacked(solution.angular_velocity), {"units": "rad/s"}),
        "joint": (channel, joints(solution.joint), {"units": "coordinate_unit"}),
        "joint_velocity": (channel, joints(solution.joint_velocity), {"units": per_second}),
    }


def quaternions(solution: Solution) -> np.ndarray:
    """Unit quaternions (n, bodies, 4) of the bodies, scalar first."""
    system, q, _ = in_group(solution.system, solution.q)
    record = system.record
    found = np.zeros((len(q), record.n_bodies, 4))
    for b in range(record.n_bodies):
        first = int(record.q_start[b])
        if record.planar[b]:
            found[:, b, 0], found[:, b, 3] = np.cos(0.5 * q[:, first + 2]), np.sin(0.5 * q[:, first + 2])
        else:
            part = q[:, first + 3 : first + 7]
            found[:, b] = part / np.linalg.norm(part, axis=1, keepdims=True)
    return found


def _attributes(solution: Solution) -> dict[str, Any]:
    """Plain attributes, so that the dataset can be written to NetCDF."""
    return {
        "model": solution.name,
        "status": solution.status,
        "characteristic_length": solution.system.length,
        "counters": json.dumps(solution.counters),
        "provenance": json.dumps(solution.provenance),
    }
