"""The methods that a comparison runs: every pair of formulation and integrator that the registry allows for a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..admission import check_admitted
from ..errors import IncompatibleMethods
from ..registry import FORMULATIONS, INTEGRATORS

FREE = ("index1", "index3", "ggl")  # formulations worth running where nothing is constrained: one of each form
# Usual cost of an evaluation in units of index1 (`bricard experiment costs`), and of an error of 1e-6 in units of dop853
EVALUATION = {
    "index1": 1.0,
    "multiplier-elimination": 1.0,
    "hybrid": 1.3,
    "projection": 2.0,
    "augmented-lagrangian": 2.0,
}
EVALUATION |= {
    "index3": 1.5,
    "index2": 1.5,
    "ggl": 2.0,
    "si1": 2.0,
    "overdetermined": 1.5,
    "index3-alf": 2.0,
    "baumgarte": 3.0,
}
ACCURACY = {
    "dop853": 1.0,
    "dopri5": 1.3,
    "adams": 1.4,
    "rkf45": 1.7,
    "rk4": 2.0,
    "radau": 3.0,
    "radau5": 3.5,
    "bdf": 4.5,
}
ACCURACY |= {"gamd": 5.0, "sdirk": 5.0, "generalized-alpha": 5.5, "ida": 6.0, "rattle": 6.0, "trapezoidal": 7.0}


@dataclass(frozen=True)
class Method:
    """One pair on one kind of coordinates. `adaptive` ladders go over tolerances, the others over numbers of steps."""

    formulation: str
    integrator: str
    form: str
    adaptive: bool
    order: int
    coordinates: str = "absolute"

    @property
    def name(self) -> str:
        """How reports call it."""
        pair = f"{self.formulation} + {self.integrator}"
        return pair if self.coordinates == "absolute" else f"{pair}, {self.coordinates}"

    @property
    def family(self) -> str:
        """What kind of integration it is: explicit steps, an implicit DAE method, or a structural one."""
        return {
            "Ode": "explicit",
            "SecondOrderOde": "explicit",
            "ResidualDae": "implicit",
            "SemiExplicitDae": "implicit",
        }.get(self.form, "structural")


def methods(systems: dict[str, Any]) -> tuple[list[Method], dict[str, str]]:
    """All pairs for systems by kind of coordinates, the most promising first; and what is left out, with the reason."""
    found, omitted = [], {}
    for coordinates, system in systems.items():
        for formulation in FORMULATIONS.values():
            suffix = "" if coordinates == "absolute" else f", {coordinates}"
            if not system.n_rows and formulation.name not in FREE:
                omitted[f"other formulations{suffix}"] = (
                    "there are no constraint rows left, so that they are all the same"
                )
                continue
            if formulation.needs:
                omitted[formulation.name + suffix] = (
                    f"it needs the option {formulation.needs[0]}=..., which only you know"
                )
                continue
            try:
                check_admitted(formulation, system)
            except IncompatibleMethods as error:
                omitted[formulation.name + suffix] = str(error)
                continue
            for integrator in INTEGRATORS.values():
                form = next((form for form in formulation.forms if form in integrator.accepts), None)
                if form is None:
                    continue
                if integrator.external is not None and not _installed(integrator.name):
                    omitted[f"{formulation.name} + {integrator.name}{suffix}"] = "its package is not installed"
                    continue
                adaptive, order = integrator.adaptive, integrator.order
                found.append(Method(formulation.name, integrator.name, form, adaptive, order, coordinates))
    return sorted(found, key=promise), omitted


def promise(method: Method) -> float:
    """Rank of a method before anything has been measured here: the product of what its two sides usually cost."""
    return EVALUATION.get(method.formulation, 6.0) * ACCURACY.get(method.integrator, 10.0)


def _installed(integrator: str) -> bool:
    from importlib.util import find_spec

    return integrator != "ida" or find_spec("sksundae") is not None
