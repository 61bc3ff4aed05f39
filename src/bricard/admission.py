"""Whether methods take a system, numbers and options; what they do not take is refused with a sentence that says why."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import IncompatibleMethods, ModelError, NearlyRedundant, StartMoved, largest, suggest, warn
from .registry import FORMULATIONS
from .system.fit import misfit
from .system.moved import moved_words

NO_INERTIA = 1e-13  # smallest eigenvalue of M, scaled to a unit diagonal, that counts as inertia
MOST_STEPS = 1e10
TIGHTEST = 1e-14  # tolerance: round-off of double precision leaves no smaller one


def check_numbers(**numbers):
    """Raise where duration, step, tolerances, first or largest step of a run, by name, make no sense; None: not given."""
    for name, value in numbers.items():
        if value is None and name != "duration":
            continue
        number = finite_number(value, name)
        if number <= 0.0:
            raise ModelError(f"{name} is {value!r}; it must be a positive number.")
        if name in ("rtol", "atol") and number < TIGHTEST:
            raise ModelError(
                f"{name} is {number:g}: round-off of double precision leaves no tolerance below {TIGHTEST:g}. Take 1e-12 or more."
            )
    if numbers["step"] is not None:
        if numbers["first_step"] is not None or numbers["max_step"] is not None:
            raise IncompatibleMethods(
                "first_step and max_step are for steps that the integrator chooses; with step=... all are equal. Leave them."
            )
        if numbers["rtol"] is not None or numbers["atol"] is not None:
            raise IncompatibleMethods(
                "Give either step (fixed steps) or rtol and atol (the integrator chooses its steps)."
            )
        if numbers["duration"] / numbers["step"] > MOST_STEPS:
            raise ModelError(
                f"duration {numbers['duration']:g} s in steps of {numbers['step']:g} s are more than {MOST_STEPS:g} steps."
            )


def tell_misfit(system, state):
    """Warn where redundant rows fit only nearly."""
    found = misfit(system, state.t, state.q)
    if found.largest:
        warn(str(found), NearlyRedundant)


def tell_moved(moved):
    """Warn where the start was moved far so that the mechanism closes; moved : as of moved_to_close()."""
    words, far = moved_words(moved)
    if far:
        warn(words, StartMoved)


def check_admitted(chosen, system, form=None):
    """Raise IncompatibleMethods where the formulation `chosen` does not take a kind of row or mass that the system has.

    form : in which it is to be used; any of its forms if not given.
    """
    unfactorised = form in chosen.unfactorised if form is not None else bool(chosen.unfactorised)
    if system.n_v and not system.pattern.size and not unfactorised:
        fitting = ", ".join(f.name for f in FORMULATIONS.values() if f.unfactorised)
        raise IncompatibleMethods(
            f'The mass matrix of "{system.name}" in relative coordinates is too full to be factorised: the branches of its tree '
            f'are long. Formulation "{chosen.name}" needs that{f" in the form {form}" if form else ""}; use {fitting} with an '
            "explicit integrator such as dopri5, divide the branches by cutting a joint here and there (cut=...), or build with "
            'coordinates="absolute".'
        )
    if not chosen.nonholonomic and system.record.velocity_level.any():
        row = system.row_name(int(np.argmax(system.record.velocity_level)))
        fitting = ", ".join(f.name for f in FORMULATIONS.values() if f.nonholonomic)
        raise IncompatibleMethods(
            f'Formulation "{chosen.name}" takes holonomic constraints only; {row} constrains velocities. Use one of {fitting}.'
        )
    if not chosen.singular_mass:
        direction = without_inertia(system)
        if direction is not None:
            fitting = ", ".join(f.name for f in FORMULATIONS.values() if f.singular_mass)
            raise IncompatibleMethods(
                f'Formulation "{chosen.name}" needs the inverse of the mass matrix, which is singular: there is no inertia '
                f"of its own for {system.unknown_name(direction)}. Use one of {fitting}."
            )


def without_inertia(system):
    """The velocity that is most of a direction without mass at the start, or None where M is positive definite."""
    from scipy.sparse.csgraph import connected_components

    m = system.mass(system.start)
    diagonal = m.diagonal()
    if not diagonal.min(initial=1.0) > 0.0:
        return int(np.argmin(diagonal))
    scaled = m.multiply(1.0 / np.sqrt(diagonal)[:, None]).multiply(1.0 / np.sqrt(diagonal)).tocsr()
    count, block = connected_components(scaled, directed=False)
    members = np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block, minlength=count))[:-1])
    for own in (own for own in members if own.size > 1):
        values, vectors = np.linalg.eigh(scaled[own][:, own].toarray())
        if values[0] <= NO_INERTIA:
            return int(own[largest(vectors[:, 0])])
    return None


def formulation_options(chosen, options: dict[str, Any]):
    """Those of the `options` that belong to the formulation, numbers checked; they are taken out of `options`."""
    found = {key: options.pop(key) for key in list(options) if key in chosen.options}
    missing = [key for key in chosen.needs if found.get(key) is None]
    if missing:
        raise IncompatibleMethods(f'Formulation "{chosen.name}" needs the option {missing[0]}=...')
    for key, value in found.items():
        usual = chosen.options[key]
        if isinstance(usual, (int, float)) and not isinstance(usual, bool):
            found[key] = _number(chosen, key, value)
            if isinstance(usual, int) and found[key] != int(found[key]):
                raise ModelError(f"Option {key} of {chosen.name} is {value!r}; it must be a whole number.")
    return found


def integrator_options(chosen, method, options):
    """An integrator's options, in its order: those given, checked, and the defaults."""
    found = dict(method.options)
    for key, value in options.items():
        if key not in found:
            raise unknown_option(key, chosen, method)
        found[key] = _option(method, key, value)
    return found


def finite_number(value, name):
    """A finite number, or an error that names it."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, (str, bool)) or not np.isfinite(number):
        raise ModelError(f"{name} is {value!r}; it must be a finite number.")
    return number


def _number(chosen, key, value):
    low, high = chosen.ranges.get(key, (-np.inf, np.inf))
    number = finite_number(value, f"Option {key} of {chosen.name}")
    _check_range(chosen, key, number, low, high)
    return number


def _option(method, key, value):
    """One option of an integrator, checked: a number, True or False, or one of its names."""
    default, text = method.options[key], f"Option {key} of {method.name} is {value!r}; it must"
    if isinstance(default, bool):
        if not isinstance(value, (bool, np.bool_)):
            raise ModelError(f"{text} be True or False.")
        return bool(value)
    if isinstance(default, str):
        if value not in method.ranges[key]:
            raise ModelError(
                f"{text} be one of {', '.join(method.ranges[key])}.{suggest(str(value), method.ranges[key])}"
            )
        return value
    if default is None and value is None:
        return None
    number = finite_number(value, f"option {key}")
    low, *others, high = method.ranges.get(key, (-np.inf, np.inf))
    if others and number not in (low, *others, high):
        raise ModelError(f"{text} be one of {', '.join(map(str, (low, *others, high)))}.")
    explicit = " With beta = 0 positions are explicit: that is central-difference, or null-space-newmark."
    _check_range(method, key, number, low, high, explicit if key == "beta" and number == 0.0 else "")
    if isinstance(default, int) and number != round(number):
        raise ModelError(f"Option {key} of {method.name} is {number:g}; it must be a whole number.")
    return number


def _check_range(owner, key, number, low, high, remedy=""):
    if not low <= number <= high:
        raise ModelError(
            f"Option {key} of {owner.name} is {number:g}; it must lie between {low:g} and {high:g}.{remedy}"
        )


def unknown_option(key, chosen, method):
    """The error for an option that neither the formulation nor the integrator has."""
    known = [*chosen.options, *method.options]
    return IncompatibleMethods(
        f'Unknown option "{key}".{suggest(key, known)} Options of {chosen.name}: {", ".join(chosen.options) or "none"}; '
        f"of {method.name}: {', '.join(method.options) or 'none'}."
    )
