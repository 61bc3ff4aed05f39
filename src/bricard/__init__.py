"""Bricard: dynamics of constrained mechanical systems.

    import bricard as br

    model = br.Model("pendulum")
    ...
    solution = br.simulate(model, 10.0)

A public name is loaded when it is first used: `import bricard` loads neither numba nor scipy nor matplotlib.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # checkers of types take it for true; the module typing would be half of the time of this import
if TYPE_CHECKING:
    from typing import Any

    from bricard import analysis, io, problems
    from bricard.analysis.certificate import Certificate
    from bricard.analysis.certify import certify
    from bricard.analysis.equilibrium import equilibrium
    from bricard.analysis.inverse_dynamics import inverse_dynamics
    from bricard.analysis.kinematics import kinematics
    from bricard.analysis.linearise import linearise
    from bricard.bench.compare import compare
    from bricard.bench.recommend import recommend
    from bricard.errors import (
        AssemblyError,
        BricardError,
        FileFormatError,
        IncompatibleMethods,
        Interrupted,
        ModelError,
        SimulationError,
        SingularMassError,
        UserFunctionError,
    )
    from bricard.io.loading import load
    from bricard.kernels import vectors
    from bricard.model import (
        Body,
        Box,
        Capsule,
        Constant,
        Cylinder,
        Ellipsoid,
        Frame,
        FunctionLaw,
        FunctionProfile,
        Linear,
        Mesh,
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
        UserJoint,
    )
    from bricard.ode import problem
    from bricard.repeat import rerun
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
    "Capsule",
    "Certificate",
    "Constant",
    "Cylinder",
    "Ellipsoid",
    "FileFormatError",
    "Frame",
    "FunctionLaw",
    "FunctionProfile",
    "IncompatibleMethods",
    "Interrupted",
    "Linear",
    "Mesh",
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
    "UserJoint",
    "analysis",
    "certify",
    "compare",
    "equilibrium",
    "inverse_dynamics",
    "io",
    "kinematics",
    "linearise",
    "load",
    "problem",
    "problems",
    "recommend",
    "report",
    "rerun",
    "simulate",
    "vectors",
]

_HOMES = {
    "Certificate": "bricard.analysis.certificate",
    "certify": "bricard.analysis.certify",
    "Solution": "bricard.solution.solution",
    "State": "bricard.system.state",
    "System": "bricard.system.system",
    "Trigger": "bricard.stepping.events",
    "equilibrium": "bricard.analysis.equilibrium",
    "inverse_dynamics": "bricard.analysis.inverse_dynamics",
    "kinematics": "bricard.analysis.kinematics",
    "compare": "bricard.bench.compare",
    "linearise": "bricard.analysis.linearise",
    "load": "bricard.io.loading",
    "problem": "bricard.ode",
    "recommend": "bricard.bench.recommend",
    "report": "bricard.system.report",
    "rerun": "bricard.repeat",
    "simulate": "bricard.simulation",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bricard.interrupts import Waiting

    homes = {
        "vectors": "bricard.kernels.vectors",
        **{part: f"bricard.{part}" for part in ("analysis", "io", "problems")},
    }
    if name in homes:
        with Waiting():
            return import_module(homes[name])
    home = "bricard.errors" if name.endswith(("Error", "Methods", "Interrupted")) else _HOMES.get(name, "bricard.model")
    with Waiting():  # what Ctrl-C has torn of numpy and numba cannot be imported again in this process
        globals()[name] = value = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
