"""Experiments: questions about methods, answered by one command each. base.py says how to add one."""

from .base import Experiment, Result
from .claims import CLAIMS_TABLE
from .conditionally_explicit import CENTRAL_DIFFERENCES, CONDITIONALLY_EXPLICIT
from .costs import COSTS
from .drift import DRIFT
from .driven_pendulum import CONSTRAINT_FORCES, FOX_GOODWIN
from .explicit_stability import EXPLICIT_STABILITY
from .lecture_table import LECTURE_TABLE
from .multiplier_spike import MULTIPLIER_SPIKE
from .newton_conditioning import NEWTON_CONDITIONING
from .orders import ORDERS
from .orientation_sets import ORIENTATION_SETS
from .quadratic_drift import QUADRATIC_DRIFT
from .shock_wave import SHOCK_WAVE
from .singular_positions import SINGULAR_POSITIONS
from .spinning_top import TOP_CONSERVATION, TOP_CONVERGENCE
from .thesis_mechanisms import CONSTRAINT_LEVELS, ENERGY_DRIFTS
from .work_precision import WORK_PRECISION

EXPERIMENTS = {
    e.name: e
    for e in (
        CENTRAL_DIFFERENCES,
        CLAIMS_TABLE,
        CONDITIONALLY_EXPLICIT,
        CONSTRAINT_FORCES,
        CONSTRAINT_LEVELS,
        COSTS,
        DRIFT,
        ENERGY_DRIFTS,
        EXPLICIT_STABILITY,
        FOX_GOODWIN,
        LECTURE_TABLE,
        MULTIPLIER_SPIKE,
        NEWTON_CONDITIONING,
        ORIENTATION_SETS,
        ORDERS,
        QUADRATIC_DRIFT,
        SHOCK_WAVE,
        SINGULAR_POSITIONS,
        TOP_CONSERVATION,
        TOP_CONVERGENCE,
        WORK_PRECISION,
    )
}

__all__ = ["EXPERIMENTS", "Experiment", "Result"]
