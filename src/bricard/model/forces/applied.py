"""Applied loads: force and torque on one body, constant or given in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bricard.model.body import Body
from bricard.model.frames import Frame
from bricard.model.profiles import Constant, Profile
from bricard.model.travelling import Immutable

__all__ = ["AppliedForce"]


@dataclass(frozen=True, eq=False)
class AppliedForce(Immutable):
    """A force (N) at the origin of a frame and a torque (N m), three profiles each.

    axes : "world", or "body" for loads that turn with the body (components in body axes).
    """

    kind: ClassVar[str] = "force"
    name: str
    frame: Frame
    force: tuple[Profile, Profile, Profile]
    torque: tuple[Profile, Profile, Profile]
    axes: str

    @property
    def body(self) -> Body:
        """The loaded body."""
        return self.frame.body

    @property
    def bodies(self) -> tuple[Body]:
        """The loaded body, as a tuple of one."""
        return (self.body,)

    @property
    def point(self) -> np.ndarray:
        """Point of attack (3,), relative to the centre of mass, in body axes (m)."""
        return self.frame.point

    def declaration(self) -> dict[str, Any]:
        """Return the keywords with which the model makes this force again."""
        table = {"type": self.kind, "body": self.body, "frame": self.frame, "axes": self.axes}
        for key, profiles in (("force", self.force), ("torque", self.torque)):
            table[key] = [p.value if isinstance(p, Constant) else p for p in profiles]
        return table
