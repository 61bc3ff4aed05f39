"""Reading and writing models and results; `bricard.load` reads a model of any format."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bricard.interrupts import Waiting

if TYPE_CHECKING:
    from bricard.io.mjcf import from_mjcf
    from bricard.io.urdf import from_urdf

__all__ = ["from_mjcf", "from_urdf"]

_HOMES = {"from_mjcf": "bricard.io.mjcf", "from_urdf": "bricard.io.urdf"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with Waiting():
        return getattr(import_module(_HOMES[name]), name)
