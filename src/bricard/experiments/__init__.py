"""Experiments: questions about methods, answered by one command each. base.py says how to add one."""

from .base import Experiment, Result
from .conditionally_explicit import CENTRAL_DIFFERENCES, CONDITIONALLY_EXPLICIT
from .costs import COSTS
from .drift import DRIFT
from .driven_pendulum import CONSTRAINT_FORCES, FOX_GOODWIN
from .lecture_table import LECTURE_TABLE
from .multiplier_spike import MULTIPLIER_SPIKE
from .newton_conditioning import NEWTON_CONDITIONING
from .quadratic_drift import QUADRATIC_DRIFT
from .shock_wave import SHOCK_WAVE
from .singular_positions import SINGULAR_POSITIONS

EXPERIMENTS = {
    e.name: e
    for e in (
        CENTRAL_DIFFERENCES,
        CONDITIONALLY_EXPLICIT,
        CONSTRAINT_FORCES,
        COSTS,
        DRIFT,
        FOX_GOODWIN,
        LECTURE_TABLE,
        MULTIPLIER_SPIKE,
        NEWTON_CONDITIONING,
        QUADRATIC_DRIFT,
        SHOCK_WAVE,
        SINGULAR_POSITIONS,
    )
}

__all__ = ["EXPERIMENTS", "Experiment", "Result"]
