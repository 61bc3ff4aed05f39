"""Experiments: questions about methods, answered by one command each. base.py says how to add one."""

from .base import Experiment, Result
from .costs import COSTS
from .drift import DRIFT
from .lecture_table import LECTURE_TABLE
from .singular_positions import SINGULAR_POSITIONS

EXPERIMENTS = {e.name: e for e in (COSTS, DRIFT, LECTURE_TABLE, SINGULAR_POSITIONS)}

__all__ = ["EXPERIMENTS", "Experiment", "Result"]
