"""A formulation in quasi-velocities, looked at from outside."""

import numpy as np

from bricard.compiled.handles import pack
from bricard.compiled.status import RUNNING
from bricard.formulations import moving_frame as frame
from bricard.linalg.orthonormal import from_metric
from bricard.registry import FORMULATIONS
from bricard.system.assembler import assemble

METHODS = ("gram-schmidt", "mass-gram-schmidt", "general-projection")


class Probe:
    """A formulation at the start of a system: y, and its compiled functions as plain calls."""

    def __init__(self, system, method, **options):
        options.setdefault("correction", "none")
        self.system, self.state = system, assemble(system)
        self.problem = FORMULATIONS[method].forms["Ode"](system, **options)
        self.work = self.problem.work(self.state)
        self.y = self.problem.initial(self.state, self.work)
        self.packed = pack(self.work)

    def rhs(self, t, y):
        y_dot = np.zeros(y.size)
        assert self.problem.functions[0](t, y, y_dot, self.system.compiled, self.packed) == RUNNING
        return y_dot

    def velocity(self, t, y):
        return self.problem.full(t, y, self.work)[1]

    @property
    def basis(self):
        """The basis W (columns) and the rows S_d that the last call of rhs left."""
        dense, n = self.work.basis.dense, self.system.n_v
        W = dense[frame.VECTORS, :n, :n].copy()
        from_metric(dense[frame.METRIC], n, W, n)
        return W.T, dense[frame.TURN, : len(self.work.basis.n), :n].copy()
