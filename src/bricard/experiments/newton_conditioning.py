"""How ill-conditioned the Newton matrix of BDF1 gets as the step shrinks, by form, and that this is a matter of scaling only.

The matrix dF/dy + (1/h) dF/dy' of the physical pendulum at the end of a step from t = 0.3 s: its condition grows with h^-3
(index 3), h^-2 (index 2, GGL), h^-1 (SI1). With rows and unknowns multiplied by powers of h - index 3: rows (h, h^2, 1), unknowns
(q, v/h, lam/h^2); GGL: rows (h, h, 1, 1), unknowns (q, v, lam/h, mu/h) - it is bounded. Elimination in a fixed order, as here,
gives the same digits with and without that scaling.

The structural methods have it as an option: of generalized-alpha with scaled=False the matrix [(M + c_v D) / c_q + K, G^T; G, 0],
whose condition grows with h^-4, with scaled=True, the default, [M + c_v D + c_q K, G^T; G, 0], whose condition is bounded; c_v
and c_q are proportional to h and h^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import REFRESH, TANGENT, VELOCITY
from ..formulations.mechanical import assemble
from ..linalg.kkt import evaluate
from ..problems.physical_pendulum import exact, physical_pendulum_functions
from ..registry import FORMULATIONS, INTEGRATORS
from ..system.assembler import complete
from .base import Experiment, Result, labelled

STRUCTURAL = "generalized-alpha"
START, STEPS = 0.3, (1e-2, 1e-3, 1e-4, 1e-5)  # s
FORMS = ("index3", "index2", "ggl", "si1")
# powers of h for the rows and for the unknowns, by block
SCALING = {"index3": ((1, 2, 0), (0, -1, -2)), "ggl": ((1, 1, 0, 0), (0, 0, -1, -1))}
BLOCKS = (3, 3, 2, 2)  # q, v, lam, mu


def jacobians(form: str, t: float) -> tuple[np.ndarray, np.ndarray]:
    """dF/dy and dF/dy' (n, n) of a formulation at the exact state of time t."""
    system = physical_pendulum_functions()
    q, v, _ = exact(t)
    state = complete(system, 0.0, q, v)
    problem = FORMULATIONS[form].forms["ResidualDae"](system)
    assert problem.pattern is not None
    work = problem.work(state)
    y = problem.initial(state, work)
    y_dot = np.zeros(y.size)
    y_dot[: q.size], y_dot[q.size : q.size + v.size] = v, state.a
    if form == "si1":
        y_dot[q.size + v.size :][: state.lam.size] = state.lam
    rows, columns = problem.pattern
    entries = np.zeros((2, rows.size))
    problem.functions[1](0.0, y, y_dot, entries[0], entries[1], problem.system.compiled, pack(work))
    dense = np.zeros((2, y.size, y.size))
    inside = (rows >= 0) & (columns >= 0) & ~((rows == columns) & (np.abs(entries).sum(axis=0) > 1e6))
    for matrix, values in zip(dense, entries, strict=True):
        np.add.at(matrix, (rows[inside], columns[inside]), values[inside])
    return dense[0], dense[1]


def conditions(h: float) -> dict[str, float]:
    """Condition numbers by form, and those of the scaled matrices."""
    found = {}
    for form in FORMS:
        jy, jp = jacobians(form, START + h)
        matrix = jy + jp / h
        found[form] = float(np.linalg.cond(matrix))
        if form in SCALING:
            left, right = (np.repeat(h ** np.array(powers, float), BLOCKS[: len(powers)]) for powers in SCALING[form])
            found[f"{form}, scaled"] = float(np.linalg.cond(left[:, None] * matrix * right))
    for scaled in (False, True):
        found[f"{STRUCTURAL}, scaled={scaled}"] = float(np.linalg.cond(structural_matrix(h, scaled)))
    return found


def structural_matrix(h: float, scaled: bool) -> np.ndarray:
    """The Newton matrix (n, n) of generalized-alpha at the end of the same step, as the integrator assembles it."""
    system, method = physical_pendulum_functions(), INTEGRATORS[STRUCTURAL]
    q, v, _ = exact(START + h)
    state, record = complete(system, 0.0, q, v), system.record
    work = FORMULATIONS["index3"].forms["MechanicalDae"](system).work(state)
    work.lam[:], work.u[: v.size] = state.lam, state.a
    packed = pack(work)
    evaluate(0.0, q, v, VELOCITY | TANGENT | REFRESH, system.compiled, packed)
    alpha_m, alpha_f, gamma, beta = method.compiled_options(method.options)[:4]
    ratio = (1.0 - alpha_f) / (1.0 - alpha_m)
    assemble(h * gamma * ratio, h * h * beta * ratio, scaled, 0.0, np.zeros(v.size), system.compiled, packed)
    m, rows, columns = work.kkt.a, record.n_v + record.g_row.astype(int), record.g_column.astype(int)
    matrix = np.zeros((v.size + system.n_rows,) * 2)
    matrix[record.m_row.astype(int), record.m_column.astype(int)] = m[record.m_slot]
    matrix[rows, columns], matrix[columns, rows] = m[record.g_slot], m[record.gt_slot]
    return matrix


def run() -> Result:
    """Rows: step; columns: condition by form. The last row has the powers of h."""
    found = {h: conditions(h) for h in STEPS}
    rows: list[dict[str, Any]] = [{"step": h, **values} for h, values in found.items()]
    columns = tuple(found[STEPS[0]])
    first, last = found[STEPS[0]], found[STEPS[2]]
    slope = {c: float(np.log(last[c] / first[c]) / np.log(STEPS[2] / STEPS[0])) for c in columns}
    rows.append({"step": "power of h", **slope})

    def draw(ax):
        for column in columns:
            style = "--" if column.endswith(("scaled", "True")) else "-"
            width = 4.0 if column == "index3, scaled" else 1.5  # GGL's lies on it
            ax.loglog(STEPS, [found[h][column] for h in STEPS], style, linewidth=width, marker="o", label=column)
        labelled(ax, "BDF1 on the physical pendulum", "step (s)", "condition of the Newton matrix")

    return Result(("step", *columns), rows, NOTES, draw)


NOTES = (
    "2-norm condition of dF/dy + dF/dy' / h. Beyond 1e13 the number itself is a matter of rounding.",
    "What the scaling does not change: elimination without pivoting, in a fixed order, gives the same digits either way.",
)

NEWTON_CONDITIONING = Experiment(
    name="newton-conditioning",
    title="Condition of the Newton matrix as the step shrinks, by form, with and without scaling",
    source="spec 003, section 2.5",
    run=run,
)
