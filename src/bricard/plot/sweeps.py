"""Curves of kinematics and of inverse dynamics. Drawn like the plots of a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .plots import COLOURS, GREY, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = {"x": 0, "y": 1, "z": 2}


def draw_kinematics(found: Any, quantities: tuple[Any, ...], ax: Axes | None) -> Axes:
    """Joint coordinates and components of paths over the first driven coordinate; limit and branch points as dots."""
    ax = new_axes(ax)
    if not quantities:
        raise ModelError('plot: name what to draw, joint coordinates ("A.angle") or paths (("wheel", "y")).')
    first = found.coordinates[0]
    unit = _unit(found.model, first)
    units = []
    for quantity, colour in zip(quantities, COLOURS, strict=False):
        values, label, its = _values(found, quantity)
        units.append(its)
        ax.plot(found.s[:, 0], values, color=colour, label=f"{label} ({its})")
        for limit in found.limits:
            nearest = int(np.argmin(np.linalg.norm(found.q - limit.q, axis=1)))
            marker = "o" if limit.kind == "limit" else "D"
            ax.plot(limit.value[0], values[nearest], marker, color=colour, markersize=5)
    for limit in found.limits:
        ax.axvline(limit.value[0], color=GREY, linewidth=0.7, linestyle=":" if limit.kind == "limit" else "-")
    ax.set_xlabel(f"{first} ({unit})")
    ax.set_ylabel(" or ".join(dict.fromkeys(units)))
    return _finish(ax, f"{found.model.name}: kinematics", len(quantities))


def draw_loads(found: Any, ax: Axes | None) -> Axes:
    """Loads of inverse dynamics over time."""
    ax = new_axes(ax)
    model, units = found.motion.system.model, []
    for (name, load), colour in zip(found.loads.items(), COLOURS, strict=False):
        units.append("N m" if model.coordinate(name).unit == "angle" else "N")
        ax.plot(found.t, load, color=colour, label=f"{name} ({units[-1]})")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("load (" + ", ".join(dict.fromkeys(units)) + ")")
    return _finish(ax, f"{model.name}: loads of the prescribed motion", len(found.loads))


def _unit(model, coordinate):
    return "rad" if model.coordinate(coordinate).unit == "angle" else "m"


def _values(found, quantity):
    """Numbers (n,), label and unit of a coordinate or of a component of a path."""
    if isinstance(quantity, str):
        return found.joint(quantity), quantity, _unit(found.model, quantity)
    if isinstance(quantity, tuple) and len(quantity) in (2, 3) and quantity[1] in AXES:
        body, axis, *point = quantity
        return found.point(body, *point)[:, AXES[axis]], f"{getattr(body, 'name', body)}.{axis}", "m"
    raise ModelError(f'plot: {quantity!r} is neither a joint coordinate nor (body, "x", "y" or "z").')


def _finish(ax, title, columns):
    ax.set_title(title, loc="left", fontsize=11)
    ax.grid(True, color="#dddddd", linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=min(columns, 4), frameon=False)
    return ax
