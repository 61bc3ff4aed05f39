"""How a System was made: enough to make it again, in another process too, with the same arrays bit for bit."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelChanged, warn
from ..model.frozen import changes
from ..model.model import Model
from ..model.travelling import Immutable, packed, unpacked


@dataclass(frozen=True, eq=False)
class Recipe(Immutable):
    """make(**arguments) is the System.

    make : `build`, or `from_functions`. arguments : its keywords; of `build` a frozen model and the choices. live : the model
    that the frozen one is a copy of, while it exists in this process.
    """

    name: str
    make: Callable[..., Any]
    arguments: dict[str, Any]
    live: list[Any] = field(default_factory=list)

    @classmethod
    def of_model(cls, make: Callable[..., Any], live: Model, **arguments: Any) -> Recipe:
        """Return the recipe of `build(live, ...)`."""
        own = [] if live is arguments["model"] else [weakref.ref(live)]
        return cls(live.name, make, arguments, own)

    def made(self) -> Any:
        """Return the System, made anew."""
        return self.make(**self.arguments)

    def warn_of_changes(self) -> None:
        """Warn, once, where the model was changed after the System was built."""
        live = self.live[0]() if self.live else None
        found = changes(self.arguments["model"], live) if live is not None else []
        if found:
            self.live.clear()
            shown = "; ".join(found[:5]) + (f"; and {len(found) - 5} more" if len(found) > 5 else "")
            warn(
                f'Model "{self.name}" was changed after this System was built ({shown}). The System stays as it was: simulate '
                "the model, or build it again, for the changes to count.",
                ModelChanged,
            )

    def __getstate__(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "make": self.make,
            "arguments": {key: packed(value) for key, value in self.arguments.items()},
            "live": [],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["arguments"] = {key: unpacked(value) for key, value in state["arguments"].items()}
        self.__dict__.update(state)
