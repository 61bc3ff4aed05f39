"""State: one consistent instant of a system."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.unchanging import FrozenDict, FrozenList


@dataclass(frozen=True, eq=False)
class State:
    """Time (s), q (n_q,), v (n_v,), a = v' (n_v,), lam (n_rows,), and the counted value of each measure in use.

    totals : what a run has counted up to there: the angles of `system.angles` (rad), coordinates of users' joints, the
        work (J); empty where none has.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    turn: np.ndarray = field(default_factory=lambda: np.zeros(0))
    extra: np.ndarray | None = None  # numbers of the integrator's own, for going on with the same one
    totals: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def copy(self):
        """A State with arrays of its own, which can be written."""
        values: list[Any] = [np.array(x) if isinstance(x, np.ndarray) else x for x in self._values()]
        return State(*values)

    def read_only(self):
        """A State with the same arrays, which cannot be written through it."""
        return State(*(read_only(x) for x in self._values()))

    def _values(self) -> list[Any]:
        return [getattr(self, item.name) for item in fields(self)]


def read_only(value: Any) -> Any:
    """A view of an array that cannot be written through it, dicts and lists as they are now; anything else as it is."""
    if type(value) is dict:
        return FrozenDict({key: read_only(item) for key, item in value.items()})
    if type(value) is list:
        return FrozenList(map(read_only, value))
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def check_sizes(system, **arrays):
    """Raise where arrays, by name, are not as many finite numbers as the system has q, v, a or lam; None is let through."""
    sizes = {"q": system.n_q, "v": system.n_v, "a": system.n_v, "lam": system.n_rows}
    for name, given in arrays.items():
        if given is None:
            continue
        try:
            array = np.asarray(given, float)
        except (TypeError, ValueError):
            raise ModelError(f"{name} is {given!r}; it must be {sizes[name]} numbers.") from None
        if array.shape != (sizes[name],) or not np.isfinite(array).all():
            raise ModelError(
                f"{name} has shape {array.shape}{'' if np.isfinite(array).all() else ' and is not finite'}; system "
                f'"{system.name}" in {system.coordinates} coordinates has {sizes[name]} numbers in {name}, all finite.'
            )


def check_state(system, state, where):
    """The state, with arrays of its own; raises where it is no State of the system."""
    if not isinstance(state, State):
        raise ModelError(f"{where}: state must be a State, such as solution.end or solution.at(t), not {state!r}.")
    try:
        check_sizes(system, q=state.q, v=state.v)
    except ModelError as error:
        raise ModelError(f"{where}: the state belongs to another system: {error}") from None
    if state.turn.size not in (0, system.n_measures):
        raise ModelError(
            f"{where}: the state belongs to another system: it counts {state.turn.size} measures, not {system.n_measures}."
        )
    return state.copy()
