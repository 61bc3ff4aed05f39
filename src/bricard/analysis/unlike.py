"""Methods that share little, so that an error of one is not an error of the other too.

Kinds of integrators use other values of the equations: explicit stages, a history of explicit steps, implicit stages, blocks of
implicit steps, differences of a history. Formulations differ in what they hold and what they solve for. Two methods are unlike if
both differ.
"""

from __future__ import annotations

from typing import NamedTuple

from ..admission import check_admitted
from ..errors import IncompatibleMethods
from ..registry import FORMULATIONS

KINDS = {
    "dop853": "explicit",
    "adams": "multistep",
    "radau": "implicit",
    "radau5": "implicit",
    "gamd": "blocks",
    "bdf": "differences",
}


class Pair(NamedTuple):
    """A formulation with an integrator that chooses its steps."""

    formulation: str
    integrator: str

    @property
    def kind(self) -> str:
        """What kind of integrator it has."""
        return KINDS[self.integrator]

    def unlike(self, other: Pair) -> bool:
        """Whether neither the formulation nor the kind of integrator is that of `other`."""
        return self.kind != other.kind and self.formulation != other.formulation

    def __str__(self) -> str:
        return f"{self.formulation} + {self.integrator}"


# the most accurate first, as far as measured on the problems of the library
PAIRS = (
    Pair("index1", "dop853"),
    Pair("gram-schmidt", "adams"),
    Pair("projection", "adams"),
    Pair("ggl", "gamd"),
    Pair("index2", "radau"),
    Pair("index1", "adams"),
    Pair("ggl", "radau5"),
)
STIFF = (
    Pair("index1", "radau"),
    Pair("ggl", "gamd"),
    Pair("ggl", "bdf"),
    Pair("index2", "radau"),
    Pair("index1", "gamd"),
    Pair("index1", "dop853"),
    Pair("gram-schmidt", "adams"),
)


def admitted(pairs: tuple[Pair, ...], system) -> list[Pair]:
    """The pairs whose formulation takes all that a system has, in their order."""
    return [pair for pair in pairs if _takes(pair, system)]


def unlike_first(pairs: list[Pair], first: Pair) -> list[Pair]:
    """All pairs but `first`, those unlike it before those that share a formulation or a kind of integrator with it."""
    others = [pair for pair in pairs if pair != first]
    return sorted(others, key=lambda pair: (not pair.unlike(first), pair.kind == first.kind))


def _takes(pair, system):
    try:
        check_admitted(FORMULATIONS[pair.formulation], system)
    except IncompatibleMethods:
        return False
    return True
