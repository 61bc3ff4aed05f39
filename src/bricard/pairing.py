"""What goes together: formulation, integrator, the form in which they meet, the correction and when it is made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .admission import finite_number, formulation_options, integrator_options
from .errors import IncompatibleMethods, ModelError, suggest
from .formulations.base import Formulation
from .integrators.base import Integrator
from .registry import CORRECTIONS, DEFAULTS, FORMULATIONS, INTEGRATORS


class Pair(NamedTuple):
    """A formulation and an integrator with all that a run needs to know of them.

    form : in which they meet. schedule : when the correction is made, see schedule_of. options, numbers : those of the
    formulation that were given; all those of the integrator.
    """

    formulation: Formulation
    integrator: Integrator
    form: str
    correction: str
    schedule: tuple[float, ...]
    options: dict[str, Any]
    numbers: dict[str, Any]

    @property
    def held(self):
        """Whether the equations hold the constraints by themselves, without corrections."""
        return not corrected(self.form, self.formulation)

    def problem(self, system):
        """The equations of a system in the form of the pair."""
        correction = {} if self.held else {"correction": self.correction}
        return self.formulation.forms[self.form](system, **self.options, **correction)


def pair_up(chosen, method, form, correction, every, tolerance, options):
    """The Pair of what choose() gives: correction, its schedule and the options checked."""
    options, correction = dict(options), correction_of(form, correction, chosen)
    own = formulation_options(chosen, options)
    numbers = integrator_options(chosen, method, options)
    return Pair(chosen, method, form, correction, schedule_of(correction, every, tolerance), own, numbers)


def choose(formulation, integrator, step, form=None):
    """The formulation, the integrator and the form in which they meet; what is None is chosen to fit."""
    if formulation is None and integrator is None:
        formulation = "index1" if step is None else "index3"
    elif formulation is None:
        formulation = DEFAULTS[named(INTEGRATORS, integrator, "integrator").accepts[0]].formulation
    chosen = named(FORMULATIONS, formulation, "formulation")
    if integrator is None:
        usual = [DEFAULTS[form].adaptive if step is None else DEFAULTS[form].fixed for form in chosen.forms]
        integrator = next((name for name in usual if name), DEFAULTS[next(iter(chosen.forms))].fixed)
    method = named(INTEGRATORS, integrator, "integrator")
    common = [name for name in chosen.forms if name in method.accepts]
    if not common:
        others = [i.name for i in INTEGRATORS.values() if any(f in i.accepts for f in chosen.forms)]
        fitting = [f.name for f in FORMULATIONS.values() if any(form in method.accepts for form in f.forms)]
        jacobian = " An implicit method needs a Jacobian, which an Ode does not come with; index1 offers one."
        missing = tuple(chosen.forms) == ("Ode",) and "ResidualDae" in method.accepts
        raise IncompatibleMethods(
            f'Formulation "{chosen.name}" offers the form {" or ".join(chosen.forms)}; integrator "{method.name}" takes '
            f"{' or '.join(method.accepts)}. With {chosen.name} use {', '.join(others) or 'none yet'}; "
            f"with {method.name} use {', '.join(fitting)}.{jacobian if missing else ''}"
        )
    if form is not None and form not in common:
        raise IncompatibleMethods(
            f'"{chosen.name}" and "{method.name}" do not meet in the form "{form}".{suggest(form, common)} '
            f"They meet in {' or '.join(common)}."
        )
    return chosen, method, form or common[0]


def named(registry, name, family):
    """An entry of a registry, by its name or one of its aliases, or an error that suggests one."""
    entries = registry | {alias: entry for entry in registry.values() for alias in getattr(entry, "aliases", ())}
    if not isinstance(name, str) or name not in entries:
        known = ", ".join(registry)
        raise IncompatibleMethods(f'There is no {family} "{name}".{suggest(name, entries)} Known: {known}.')
    return entries[name]


def corrected(form, chosen):
    """Whether a form of a formulation takes corrections: every Ode, and every form of what drifts."""
    return form in ("Ode", "SecondOrderOde") or bool(chosen.drifts)


def correction_of(form, correction, chosen):
    """The name of the correction for a form of a formulation; None: its own choice."""
    if not corrected(form, chosen):
        if correction not in (None, "none"):
            raise IncompatibleMethods(
                f'correction="{correction}" is for Ode forms and for what drifts; formulation "{chosen.name}" keeps its '
                "constraints itself here."
            )
        return "none"
    correction = chosen.correction if correction is None else correction
    if not isinstance(correction, str) or correction not in CORRECTIONS:
        near = suggest(correction, CORRECTIONS)
        raise IncompatibleMethods(f'There is no correction "{correction}".{near} Known: {", ".join(CORRECTIONS)}.')
    if correction not in chosen.corrections:
        raise IncompatibleMethods(
            f'Formulation "{chosen.name}" does not take correction="{correction}"; it takes {", ".join(chosen.corrections)}.'
        )
    return correction


def external_correction(method, correction, step, triggers, breaks, kinks):
    """The correction of a method that drives its own loop: none. Raises where that loop is asked for what it cannot do."""
    asked = {"step=...": step is not None, "triggers": bool(triggers), "breaks": len(breaks) > 0}
    asked |= {f'kinks="{kinks}"': kinks is not None}
    asked |= {f'correction="{correction}"': correction not in (None, "none")}
    for key, given in asked.items():
        if given:
            raise IncompatibleMethods(
                f'Integrator "{method.name}" drives its own loop, which does not take {key}. Take bdf in its place, or leave it.'
            )
    return "none"


def schedule_of(correction, every, tolerance):
    """Numbers of work.schedule: every so many steps (0: never), errors of position and velocity that are tolerated."""
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise ModelError(f"correction_every is {every!r}; it must be a whole number of steps, at least 1.")
    limits = tolerance if isinstance(tolerance, (tuple, list)) else (tolerance, tolerance)
    numbers = [finite_number(limit, "correction_tolerance") for limit in limits]
    if len(numbers) != 2 or min(numbers) < 0.0:
        raise ModelError(
            f"correction_tolerance is {tolerance!r}; give one number, or one for position and one for velocity."
        )
    if correction in ("none", "pi"):
        if every != 1 or max(numbers) > 0.0:
            raise IncompatibleMethods(
                f'correction_every and correction_tolerance say when a correction is made; correction="{correction}" makes none.'
            )
        return 0, *numbers
    return int(every), *numbers
