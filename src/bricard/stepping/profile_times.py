"""Times at which the profiles of a model are not smooth: steps end at some of them, the sum of work is divided at all."""

from dataclasses import fields, is_dataclass

from ..model.profiles import Profile, SmoothStep, Tabulated


def break_times(model) -> set[float]:
    """Times (s) at which profiles of a model have a kink: ends of smooth steps and of tables. Empty without a model."""
    found: set[float] = set()
    for profile in profiles_of(model):
        if isinstance(profile, SmoothStep):
            found |= {profile.t_start, profile.t_end}
        elif isinstance(profile, Tabulated):
            found |= {profile.time[0], profile.time[-1]}
    return found


def knot_times(model) -> set[float]:
    """Times (s) at which the third derivative of a profile jumps, and with it the slope of a drive's power."""
    inner = {time for profile in profiles_of(model) if isinstance(profile, Tabulated) for time in profile.time}
    return break_times(model) | inner


def profiles_of(model) -> list[Profile]:
    """All profiles of the joints and forces of a model. Empty without a model."""
    found: list[Profile] = []
    if model is not None:
        for element in (*model.joints.values(), *model.forces.values()):
            _collect_profiles(element, found)
    return found


def _collect_profiles(part, found):
    if isinstance(part, Profile):
        found.append(part)
    elif isinstance(part, (tuple, list)):
        for item in part:
            _collect_profiles(item, found)
    elif is_dataclass(part):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, (tuple, list)) or is_dataclass(value):
                _collect_profiles(value, found)
