"""Bricard: dynamics of constrained mechanical systems.

    import bricard as br

    model = br.Model("pendulum")
    ...
    solution = br.simulate(model, 10.0)

A public name is loaded when it is first used: `import bricard` loads neither numba nor scipy nor matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bricard import analysis
    from bricard.analysis.linearise import linearise
    from bricard.errors import (
        AssemblyError,
        BricardError,
        FileFormatError,
        IncompatibleMethods,
        ModelError,
        SimulationError,
        SingularMassError,
        UserFunctionError,
    )
    from bricard.model import (
        Body,
        Box,
        Constant,
        Cylinder,
        Frame,
        FunctionLaw,
        FunctionProfile,
        Linear,
        Model,
        PointMass,
        Polynomial,
        Rod,
        Sine,
        SmoothStep,
        Sphere,
        Table,
        Tabulated,
        TimeLaw,
    )
    from bricard.ode import problem
    from bricard.simulation import simulate
    from bricard.solution.solution import Solution
    from bricard.stepping.events import Trigger
    from bricard.system.report import report
    from bricard.system.state import State
    from bricard.system.system import System

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "Body",
    "Box",
    "BricardError",
    "Constant",
    "Cylinder",
    "FileFormatError",
    "Frame",
    "FunctionLaw",
    "FunctionProfile",
    "IncompatibleMethods",
    "Linear",
    "Model",
    "ModelError",
    "PointMass",
    "Polynomial",
    "Rod",
    "SimulationError",
    "Sine",
    "SingularMassError",
    "SmoothStep",
    "Solution",
    "Sphere",
    "State",
    "System",
    "Table",
    "Tabulated",
    "TimeLaw",
    "Trigger",
    "UserFunctionError",
    "analysis",
    "linearise",
    "problem",
    "report",
    "simulate",
]

_HOMES = {
    "Solution": "bricard.solution.solution",
    "State": "bricard.system.state",
    "System": "bricard.system.system",
    "Trigger": "bricard.stepping.events",
    "linearise": "bricard.analysis.linearise",
    "problem": "bricard.ode",
    "report": "bricard.system.report",
    "simulate": "bricard.simulation",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "analysis":
        return import_module("bricard.analysis")
    home = "bricard.errors" if name.endswith(("Error", "Methods")) else _HOMES.get(name, "bricard.model")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
