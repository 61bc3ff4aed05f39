"""Benchmark problems, ready to run; base.py says how to add one.

br.problems.get("bricard")            the problem: model, span, outputs, measures, references, citations
br.simulate(br.problems.bricard(), 10.0)    its model; each is a function of its name, some take options
"""

from ..errors import ModelError, suggest
from .andrews import ANDREWS_IFTOMM, ANDREWS_TESTSET, andrews_iftomm, andrews_testset
from .base import Measure, Mechanism, Output, Reference
from .bennett import BENNETT, bennett
from .bicycle import BICYCLE, bicycle
from .bricard import BRICARD, bricard
from .car_axis import CAR_AXIS, car_axis
from .chain import CHAIN, chain
from .double_four_bar import DOUBLE_FOUR_BAR, double_four_bar
from .double_pendulum import DOUBLE_PENDULUM, double_pendulum
from .driven_pendulum import DRIVEN_PENDULUM, driven_pendulum
from .flyball_governor import FLYBALL_GOVERNOR, flyball_governor
from .four_bar import FOUR_BAR, four_bar
from .four_bar_spring import FOUR_BAR_SPRING, four_bar_spring
from .gyroscope import GYROSCOPE, gyroscope
from .halved_slider_crank import HALVED_SLIDER_CRANK, halved_slider_crank
from .moving_pendulum import MOVING_PENDULUM, moving_pendulum
from .n_four_bar import N_FOUR_BAR, n_four_bar
from .parallelogram import PARALLELOGRAM, parallelogram
from .pendulum import PENDULUM, pendulum
from .physical_pendulum import PHYSICAL_PENDULUM, physical_pendulum
from .rolling_disc import ROLLING_DISC, rolling_disc
from .rssr import RSSR, rssr
from .shock_wave_chain import SHOCK_WAVE_CHAIN, shock_wave_chain
from .slider_crank_peer import SLIDER_CRANK_PEER, slider_crank_peer
from .slider_crank_rest import SLIDER_CRANK_REST, slider_crank_rest
from .slider_crank_thesis import SLIDER_CRANK_THESIS, slider_crank_thesis
from .spatial_slider_crank import SPATIAL_SLIDER_CRANK, spatial_slider_crank
from .spinning_top import SPINNING_TOP, spinning_top
from .stewart_platform import STEWART_PLATFORM, stewart_platform
from .stiff_double_pendulum import STIFF_DOUBLE_PENDULUM, stiff_double_pendulum
from .suspension import SUSPENSION, suspension

PROBLEMS = {
    problem.name: problem
    for problem in (
        # IFToMM library
        PENDULUM,
        DOUBLE_FOUR_BAR,
        N_FOUR_BAR,
        ANDREWS_TESTSET,
        ANDREWS_IFTOMM,
        BRICARD,
        FLYBALL_GOVERNOR,
        BICYCLE,
        FOUR_BAR_SPRING,
        # test set for initial value problems (with andrews-testset)
        CAR_AXIS,
        # sources of the methods
        PHYSICAL_PENDULUM,
        DOUBLE_PENDULUM,
        MOVING_PENDULUM,
        DRIVEN_PENDULUM,
        STIFF_DOUBLE_PENDULUM,
        SPINNING_TOP,
        SUSPENSION,
        FOUR_BAR,
        SHOCK_WAVE_CHAIN,
        PARALLELOGRAM,
        SPATIAL_SLIDER_CRANK,
        HALVED_SLIDER_CRANK,
        SLIDER_CRANK_THESIS,
        SLIDER_CRANK_REST,
        # further closed loops, chains and rolling bodies
        SLIDER_CRANK_PEER,
        CHAIN,
        RSSR,
        BENNETT,
        STEWART_PLATFORM,
        ROLLING_DISC,
        GYROSCOPE,
    )
}


def get(name: str) -> Mechanism:
    """The problem of a name, "double-four-bar" or "double_four_bar"; an unknown name raises an error that suggests one."""
    key = name.replace("_", "-") if isinstance(name, str) else name
    if key not in PROBLEMS:
        raise ModelError(f'There is no problem "{name}".{suggest(str(key), PROBLEMS)} Known: {", ".join(PROBLEMS)}.')
    return PROBLEMS[key]


__all__ = [
    "PROBLEMS",
    "Measure",
    "Mechanism",
    "Output",
    "Reference",
    "andrews_iftomm",
    "andrews_testset",
    "bennett",
    "bicycle",
    "bricard",
    "car_axis",
    "chain",
    "double_four_bar",
    "double_pendulum",
    "driven_pendulum",
    "flyball_governor",
    "four_bar",
    "four_bar_spring",
    "get",
    "gyroscope",
    "halved_slider_crank",
    "moving_pendulum",
    "n_four_bar",
    "parallelogram",
    "pendulum",
    "physical_pendulum",
    "rolling_disc",
    "rssr",
    "shock_wave_chain",
    "slider_crank_peer",
    "slider_crank_rest",
    "slider_crank_thesis",
    "spatial_slider_crank",
    "spinning_top",
    "stewart_platform",
    "stiff_double_pendulum",
    "suspension",
]
