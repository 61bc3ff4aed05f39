"""Lists and dicts that do not change: of models that were built, of what was declared, and of what was computed."""

from __future__ import annotations

from typing import Any, NoReturn

from bricard.errors import ModelError

__all__ = ["FrozenDict", "FrozenList", "refuse"]


def refuse(self: Any, *arguments: object, **keywords: object) -> NoReturn:
    """Stand in place of whatever would change an object."""
    raise ModelError(
        "The model of a System or a Solution does not change, nor does what was declared or computed. Change the model that it "
        "was built from, or a copy (system.model.copy()), and build again; of other things that are kept take a copy."
    )


class FrozenDict(dict[str, Any]):
    """A dict that does not change."""

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = refuse

    def __reduce__(self):
        return FrozenDict, (dict(self),)

    def __copy__(self) -> dict[str, Any]:
        return dict(self)


class FrozenList(list[Any]):
    """A list that does not change."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = extend = insert = refuse
    pop = remove = clear = sort = reverse = refuse

    def __reduce__(self):
        return FrozenList, (list(self),)

    def __copy__(self) -> list[Any]:
        return list(self)
