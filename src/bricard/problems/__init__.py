"""Benchmark mechanisms, ready to run. base.py says how to add one."""

from .andrews import ANDREWS
from .base import Mechanism
from .bricard import BRICARD
from .double_four_bar import DOUBLE_FOUR_BAR
from .double_pendulum import DOUBLE_PENDULUM
from .halved_slider_crank import HALVED_SLIDER_CRANK
from .parallelogram import PARALLELOGRAM
from .pendulum import PENDULUM
from .physical_pendulum import PHYSICAL_PENDULUM
from .slider_crank_thesis import SLIDER_CRANK_THESIS
from .spatial_slider_crank import SPATIAL_SLIDER_CRANK

PROBLEMS = {
    m.name: m
    for m in (
        PHYSICAL_PENDULUM,
        PARALLELOGRAM,
        SPATIAL_SLIDER_CRANK,
        HALVED_SLIDER_CRANK,
        DOUBLE_PENDULUM,
        DOUBLE_FOUR_BAR,
        SLIDER_CRANK_THESIS,
        PENDULUM,
        BRICARD,
        ANDREWS,
    )
}

__all__ = ["PROBLEMS", "Mechanism"]
