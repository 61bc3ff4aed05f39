"""How well conditioned a mechanism and the equations of its formulations are, along the motion.

* Smallest singular value of the scaled constraint rows (dimensionless): 0 at a singular position.
* Condition of the scaled KKT matrix [M G^T; G 0] of the independent rows: what the explicit methods solve.
* Condition of the Newton matrix dF/dy + dF/dy'/h by formulation, at one step size: what the implicit methods solve. Lengths are
  in characteristic lengths and masses in units of the largest; the powers of h are left as they are: their growth with the
  index of the equations is what this shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..errors import BricardError
from ..formulations.base import position_scale, velocity_scale
from ..linalg.rank import rank, singular_values
from ..registry import FORMULATIONS
from ..simulation import simulate
from ..system.assembler import assemble
from ..system.report import scaled_jacobian

SAMPLES, LARGEST = (
    480,
    240,
)  # instants; velocities and rows of the largest system for which dense matrices are looked at
NEAR = 0.1  # a smallest singular value that falls below this share of its median marks a singular position


def conditioning(systems, span: float, few: bool = False, limit: float = 0.0) -> dict[str, Any]:
    """t, smallest singular value, KKT condition (n,); singular positions (times); Newton conditions by formulation.

    few : only a few instants. `limit` (s) is watched by Workers.
    """
    system = systems["absolute"]
    if max(system.n_v, system.n_rows) > LARGEST or not system.n_rows:
        return {}
    try:
        solution = simulate(system, span, rtol=1e-6, output=5 if few else SAMPLES + 1, check=False, progress=False)
    except BricardError:
        return {}
    t, smallest, condition = [], [], []
    number = None
    for time, q, v in zip(solution.t, solution.q, solution.v, strict=True):
        if not np.isfinite(q).all():
            break
        values = singular_values(scaled_jacobian(system, q, v))
        number = rank(values) if number is None else number
        t.append(float(time))
        smallest.append(float(values[number - 1]))
        condition.append(_kkt(system, q, v, number))
    return {
        "t": t,
        "smallest": smallest,
        "kkt": condition,
        "singular": _dips(np.array(t), np.array(smallest)),
        "newton": _newton(system, span / 1000.0),
        "step": span / 1000.0,
    }


def _kkt(system, q, v, number):
    """Condition of the KKT matrix of the independent rows: of its singular values, those that belong to them."""
    scale = velocity_scale(system)
    mass = system.mass(q).toarray() * scale * scale[:, None]
    mass /= max(np.abs(np.diag(mass)).max(), 1e-300)
    jacobian = scaled_jacobian(system, q, v)
    rows = jacobian.shape[0]
    values = np.linalg.svd(np.block([[mass, jacobian.T], [jacobian, np.zeros((rows, rows))]]), compute_uv=False)
    return float(values[0] / max(values[system.n_v + number - 1], 1e-300))


def _dips(t, values):
    """Times at which the values fall to nothing: where lines through the two neighbours on either side meet near zero."""
    limit, found = NEAR * float(np.median(values)) if values.size else 0.0, []
    for k in range(2, values.size - 2):
        if values[k] > min(values[k - 1], values[k + 1]):
            continue
        left, right = (np.polyfit(t[place], values[place], 1) for place in ([k - 2, k - 1], [k + 1, k + 2]))
        if not left[0] < 0.0 < right[0]:
            continue
        when = (right[1] - left[1]) / (left[0] - right[0])
        if t[k - 1] <= when <= t[k + 1] and np.polyval(left, when) < limit:
            found.append(float(when))
    return found


def _newton(system, h):
    """Formulation -> 2-norm condition of its Newton matrix at the start, with a step h."""
    state = assemble(system)
    found = {}
    for formulation in FORMULATIONS.values():
        make = formulation.forms.get("ResidualDae")
        if make is None:
            continue
        try:
            problem = make(system)
        except BricardError:
            continue
        work = problem.work(state)
        y = problem.initial(state, work)
        y_dot = np.zeros(y.size)
        y_dot[: system.n_q] = system.kinematic_map(state.q) @ state.v
        y_dot[system.n_q : system.n_q + system.n_v] = state.a
        assert problem.pattern is not None  # every ResidualDae has one
        rows, columns = problem.pattern
        entries = np.zeros((2, rows.size))
        problem.functions[1](state.t, y, y_dot, entries[0], entries[1], problem.system.compiled, pack(work))
        inside = (rows >= 0) & (columns >= 0) & (rows < y.size) & (columns < y.size)
        matrix = np.zeros((y.size, y.size))
        np.add.at(matrix, (rows[inside], columns[inside]), entries[0][inside] + entries[1][inside] / h)
        scale = np.concatenate([position_scale(system), velocity_scale(system), np.ones(y.size)])[: y.size]
        values = np.linalg.svd(matrix * scale, compute_uv=False)
        values = values[: y.size - 2 * _dependent(system, state)]
        found[formulation.name] = float(values[0] / max(values[-1], 1e-300))
    return found


def _dependent(system, state):
    return system.n_rows - rank(singular_values(scaled_jacobian(system, state.q, state.v)))
