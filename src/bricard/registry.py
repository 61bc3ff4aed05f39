"""Every formulation, integrator, controller and correction, by name. Listings, docs, tests and benchmarks read these."""

from typing import NamedTuple

from .formulations.augmented_lagrangian import AUGMENTED_LAGRANGIAN
from .formulations.baumgarte import BAUMGARTE
from .formulations.coordinate_partitioning import COORDINATE_PARTITIONING
from .formulations.corrections import CORRECTIONS
from .formulations.general_projection import GENERAL_PROJECTION
from .formulations.ggl import GGL
from .formulations.gram_schmidt import GRAM_SCHMIDT
from .formulations.householder import HOUSEHOLDER
from .formulations.hybrid import HYBRID
from .formulations.index1 import INDEX1
from .formulations.index2 import INDEX2
from .formulations.index3 import INDEX3
from .formulations.index3_alf import INDEX3_ALF
from .formulations.mass_gram_schmidt import MASS_GRAM_SCHMIDT
from .formulations.multiplier_elimination import MULTIPLIER_ELIMINATION
from .formulations.overdetermined import OVERDETERMINED
from .formulations.penalty import PENALTY
from .formulations.projection import PROJECTION
from .formulations.pseudo_inverse_1 import PSEUDO_INVERSE_1
from .formulations.pseudo_inverse_2 import PSEUDO_INVERSE_2
from .formulations.qr import QR
from .formulations.schur import SCHUR
from .formulations.scott import SCOTT
from .formulations.si1 import SI1
from .formulations.svd import SVD
from .formulations.zero_eigenvalue import ZERO_EIGENVALUE
from .integrators.adams import ADAMS
from .integrators.bdf import BDF
from .integrators.central_difference import CENTRAL_DIFFERENCE
from .integrators.collocation import COLLOCATION
from .integrators.conditionally_explicit import CE3, CE4, CE5
from .integrators.dop853 import DOP853
from .integrators.dopri5 import DOPRI5
from .integrators.energy_momentum import ENERGY_MOMENTUM
from .integrators.euler import EULER
from .integrators.gamd import GAMD
from .integrators.generalized_alpha import GENERALIZED_ALPHA
from .integrators.heun import HEUN
from .integrators.hht import HHT
from .integrators.ida import IDA
from .integrators.newmark import NEWMARK
from .integrators.null_space_newmark import NULL_SPACE_NEWMARK
from .integrators.radau import RADAU
from .integrators.radau5 import RADAU5
from .integrators.rattle import RATTLE
from .integrators.rk4 import RK4
from .integrators.rkf45 import RKF45
from .integrators.sdirk import SDIRK
from .integrators.trapezoidal import TRAPEZOIDAL
from .integrators.wilson_theta import WILSON_THETA
from .stepping.controllers import CONTROLLERS

FORMULATIONS = {
    f.name: f
    for f in (
        # multipliers kept
        INDEX1,
        INDEX2,
        INDEX3,
        GGL,
        SI1,
        OVERDETERMINED,
        # dependent coordinates
        MULTIPLIER_ELIMINATION,
        BAUMGARTE,
        PENALTY,
        AUGMENTED_LAGRANGIAN,
        INDEX3_ALF,
        PROJECTION,
        PSEUDO_INVERSE_1,
        PSEUDO_INVERSE_2,
        SCOTT,
        GENERAL_PROJECTION,
        # independent coordinates
        COORDINATE_PARTITIONING,
        HYBRID,
        QR,
        SVD,
        ZERO_EIGENVALUE,
        SCHUR,
        GRAM_SCHMIDT,
        MASS_GRAM_SCHMIDT,
        HOUSEHOLDER,
    )
}
INTEGRATORS = {
    i.name: i
    for i in (
        EULER,
        HEUN,
        RK4,
        RKF45,
        DOPRI5,
        DOP853,
        ADAMS,
        RADAU5,
        RADAU,
        GAMD,
        SDIRK,
        TRAPEZOIDAL,
        BDF,
        IDA,
        NEWMARK,
        HHT,
        GENERALIZED_ALPHA,
        WILSON_THETA,
        COLLOCATION,
        ENERGY_MOMENTUM,
        RATTLE,
        NULL_SPACE_NEWMARK,
        CENTRAL_DIFFERENCE,
        CE3,
        CE4,
        CE5,
    )
}


class Default(NamedTuple):
    """What is taken for a form where the user names nothing: formulation, adaptive integrator, integrator of fixed step."""

    formulation: str
    adaptive: str | None
    fixed: str


DEFAULTS = {
    "Ode": Default("index1", "dopri5", "rk4"),
    "SecondOrderOde": Default("index1", None, "central-difference"),
    "ResidualDae": Default("ggl", "bdf", "radau5"),
    "SemiExplicitDae": Default("ggl", "bdf", "radau5"),
    "MechanicalDae": Default("index3", None, "generalized-alpha"),
    "OverdeterminedDae": Default("overdetermined", None, "null-space-newmark"),
}

__all__ = ["CONTROLLERS", "CORRECTIONS", "DEFAULTS", "FORMULATIONS", "INTEGRATORS"]
