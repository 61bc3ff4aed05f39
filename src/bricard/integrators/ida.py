"""SUNDIALS IDA for F(t, y, y') = 0: backward differentiation of orders 1 to 5, variable step and order, in its own time loop.

The one method that is not stepped by compiled/march.py: it calls residual and Jacobian of the form itself, through the package
scikit-sundae (`pip install "bricard[sundials]"`). It is there to compare with, and for those who know it. Its error test looks at
components of index 1 only: multipliers, and the velocities of index 3, get tolerances that they always meet (the wheel does not
offer to leave algebraic components out). Newton's method of IDA ends by the same measure, and an error d left in positions of
index 3 is one of d / h in the velocities: so positions get a thousandth of the tolerance there. Independent rows are chosen at
the start and stay, and nothing is corrected on the way: no triggers, no breaks, no fixed steps. Each residual is a call of
Python; `bdf` is the same method without these limits.
Reference: Hindmarsh et al., SUNDIALS, ACM TOMS 31 (2005) 363-396; Brenan, Campbell and Petzold (1996); spec 003, section 8.
"""

from __future__ import annotations

import math
import re
import sys
import threading
import warnings
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import numpy as np

from ..compiled.handles import pack
from ..compiled.interfaces import SHOWN
from ..compiled.ledger import count_measures, follow, settle, step_settled
from ..compiled.march import EVALUATIONS, LOG_TURNS, OUTPUT, STEPS, TANGENTS, count_step, deliver, log
from ..compiled.status import FINISHED, NEWTON_FAILED, NOT_FINITE, RUNNING, STEP_TOO_SMALL
from ..errors import IncompatibleMethods
from ..formulations.shown import HELD_POSITION, HELD_VELOCITY
from .base import Integrator, by_index

ANYTHING = 1e30  # an absolute tolerance that is always met
SHARPER, SHARPEST = 1e-3, 1e-13  # factor of the tolerance of positions in index 3; the least that it may become
DENSE = 150  # up to so many unknowns the matrix is a dense one
REFUSED = (-2, -3)  # IDA: tolerance too tight for the machine, error test failed again and again
SPOKEN = re.compile(r"\n\[\w+, Error: .*?\n\n", re.DOTALL)  # what the wheel prints where IDA fails
ONE = threading.Lock()  # sys.stdout is the same for all threads


def derivatives(problem, state, y):
    """Consistent y' at the start: q', v', and multipliers where y holds their integrals."""
    system, y_dot = problem.system, np.zeros(y.size)
    o, n_rows = system.n_q + system.n_v, system.n_rows
    y_dot[: system.n_q] = system.kinematic_map(state.q) @ state.v
    y_dot[system.n_q : o] = state.a
    if problem.keep_lam < 0:
        y_dot[o : o + n_rows] = state.lam
    return y_dot


class Callbacks:
    """Residual and Jacobian of a form as IDA calls them: the arrays it gives must not be written to, ours may."""

    def __init__(self, problem, run, work):
        self.problem, self.run, self.work = problem, run, pack(work)
        self.status, n = RUNNING, run.y.size
        self._y, self._y_dot, self._r = np.zeros(n), np.zeros(n), np.zeros(n)
        rows, columns = problem.pattern
        self._kept = (rows >= 0) & (columns >= 0)
        self._rows = np.concatenate([rows[self._kept], np.arange(n)])
        self._columns = np.concatenate([columns[self._kept], np.arange(n)])
        self._places = np.zeros(0, np.int64)
        self._power = 1.0 - np.asarray(run.levels, float)

    def residual(self, t, y, y_dot, r):
        """F, or numbers that are none where the form says that it cannot be had."""
        self._y[:], self._y_dot[:] = y, y_dot
        function = self.problem.functions[0]
        status = function(t, self._y, self._y_dot, self._r, self.problem.system.compiled, self.work)
        self.run.counters[EVALUATIONS] += 1
        if status != RUNNING:
            self.status = status
        r[:] = self._r if status == RUNNING else math.nan

    def jacobian(self, t, y, y_dot, r, shift, matrix):
        """dF/dy + shift dF/dy' with the regularisation of the multipliers, dense or by the entries of `sparsity`."""
        self._y[:], self._y_dot[:], run = y, y_dot, self.run
        function = self.problem.functions[1]
        function(t, self._y, self._y_dot, run.jy, run.jp, self.problem.system.compiled, self.work)
        run.counters[TANGENTS] += 1
        values = np.concatenate([(run.jy + shift * run.jp)[self._kept], run.regularisation * shift**self._power])
        matrix[...] = 0.0
        np.add.at(matrix, (self._rows, self._columns) if matrix.ndim == 2 else self._places, values)

    def sparsity(self):
        """The pattern as a sparse matrix; from here on Jacobians are written by its entries."""
        from scipy.sparse import coo_array

        n = self.run.y.size
        entries = (self._rows.astype(np.int32), self._columns.astype(np.int32))
        pattern = coo_array((np.ones(self._rows.size), entries), (n, n)).tocsc()
        pattern.sort_indices()
        column = np.repeat(np.arange(n, dtype=np.int64), np.diff(pattern.indptr))
        self._places = np.searchsorted(column * n + pattern.indices, self._columns.astype(np.int64) * n + self._rows)
        return pattern


@contextmanager
def quiet():
    """The wheel prints the failures of IDA, which is not to be told otherwise; they end a run with a sentence of ours instead.

    All else that is printed meanwhile, by functions of the user or by other threads, is passed on.
    """
    with ONE:
        heard = StringIO()
        try:
            with redirect_stdout(heard):
                yield
        finally:
            others = SPOKEN.sub("", heard.getvalue())
            if others:
                sys.stdout.write(others)


def drive(problem, state, run, work, update):
    """The whole run; `update(t, steps, rejected)` tells how far it is. A status."""
    try:
        from sksundae.ida import IDA
    except ImportError as error:
        raise IncompatibleMethods(
            'Integrator "ida" needs the package scikit-sundae: pip install "bricard[sundials]".'
        ) from error
    if not run.y.size:
        raise IncompatibleMethods(
            f'Nothing can move in model "{problem.system.name}", and IDA takes no equations without unknowns: take bdf or radau5.'
        )
    clock, counters, calls, packed = run.clock, run.counters, Callbacks(problem, run, work), pack(run)
    judged = np.isfinite(run.scale) & (run.levels == 1)
    rtol, atol = run.tolerance if run.levels.max(initial=1) < 3 else np.maximum(SHARPER * run.tolerance, SHARPEST)
    options = {"linsolver": "dense"} if run.y.size <= DENSE else {"linsolver": "sparse", "sparsity": calls.sparsity()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a pattern beside a Jacobian is what it wants for sparse matrices
        solver = IDA(
            calls.residual,
            jacfn=calls.jacobian,
            rtol=rtol,
            atol=np.where(judged, atol * np.where(judged, run.scale, 1.0), ANYTHING),
            first_step=clock[1],
            min_step=clock[2],
            max_step=clock[4],
            max_order=int(run.options[0]),
            **options,
        )
    with quiet():
        solver.init_step(clock[0], run.y.copy(), derivatives(problem, state, run.y))
    work.options[[HELD_POSITION, HELD_VELOCITY]] = (
        np.inf
    )  # inside of steps its states hold the constraints as at their ends
    status = show(problem, run, work, run.y)
    functions, form, system, own = np.zeros(3, np.int64), problem.table, problem.system.compiled, pack(work)
    while status == RUNNING and counters[OUTPUT] < run.out_t.size:
        with quiet():
            result = solver.step(clock[6], method="onestep", tstop=clock[6])
        if not result.success:
            return failed(result, calls.status)
        if not np.isfinite(result.y).all():
            return NOT_FINITE
        t, h, last = float(clock[0]), float(result.t - clock[0]), result.t >= run.out_t[-1]
        run.y_new[:] = result.y
        while status == RUNNING and counters[OUTPUT] < run.out_t.size and run.out_t[counters[OUTPUT]] < result.t:
            now = float(run.out_t[counters[OUTPUT]])
            settle(functions, form, t, h, (now - t) / h, packed, system, own)
            status = show(problem, run, work, solver.step(now, method="normal").y)
        if h > 0.0:
            settle(functions, form, t, h, 1.0, packed, system, own)
            step_settled(packed)
            clock[0], clock[1] = result.t, h
            run.y[:] = run.y_new
            count_measures(form[2], clock[0], run.y, system, own)
            unsure = follow(form[2], clock[0], h, run.y, packed, system, own)
            if unsure >= 0:
                log(clock[0], LOG_TURNS, unsure, packed)
            count_step(clock[0], packed)
        if last and status == RUNNING:
            status = show(problem, run, work, run.y)
        update(clock[0], int(counters[STEPS]), 0)
    return FINISHED if status == RUNNING else status


def show(problem, run, work, y):
    """Deliver the next output. A status."""
    y, system, packed = np.array(y), problem.system.compiled, pack(work)
    if problem.after_step is not None:
        problem.after_step(float(run.out_t[run.counters[OUTPUT]]), y, SHOWN, system, packed)
    return deliver(problem.table[2], y, pack(run), system, packed)


def failed(result, status):
    """Our status for a failure of IDA: that of the form if it has one."""
    if status != RUNNING:
        return status
    return STEP_TOO_SMALL if result.status in REFUSED else NEWTON_FAILED


IDA = Integrator(
    name="ida",
    title="SUNDIALS IDA, orders 1 to 5, implicit, adaptive; drives its own loop",
    damps=True,
    accepts=("ResidualDae",),
    order=5,
    orders={k: by_index((k, k, k), (k, k, k), (k, k, k - 1)) for k in range(1, 6)},  # steps change all the time
    error_order=6,
    external=drive,
    references=("Hindmarsh et al. 2005, doi:10.1145/1089014.1089020",),
    options={"order": 5},
    ranges={"order": (1.0, 5.0)},
)
