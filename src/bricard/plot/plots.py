"""Plots of a solution: `solution.plot.energy()` and its companions.

Each method draws into `ax` if one is given, otherwise into a new figure that belongs to no window (so that it works
without a display), and returns the Axes: `solution.plot.energy().figure.savefig("energy.png")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..interrupts import Waiting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..solution.solution import Solution

__all__ = ["Plots"]

BLUE, ORANGE, GREEN, RED, PURPLE, GREY = "#0b6aa8", "#e08214", "#2a8c55", "#c0392b", "#7b4fa3", "#555555"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, "#8c6d31", "#17a2b8", "#d6579a")
ROUND_OFF = 1e-17  # smaller errors are drawn here: a logarithmic axis has no zero
MOST = 8  # curves that can still be told apart


class Plots:
    """The plots of one solution."""

    def __init__(self, solution: Solution):
        self._solution = solution

    def energy(self, ax: Axes | None = None) -> Axes:
        """Kinetic, potential and total energy (J), and the start plus the work put in where there is any."""
        solution, ax = self._solution, new_axes(ax)
        t, energy = solution.t, solution.energy
        ax.plot(t, energy.kinetic, color=BLUE, label="kinetic")
        ax.plot(t, energy.potential, color=ORANGE, label="potential")
        ax.plot(t, energy.total, color="black", linewidth=1.8, label="total")
        if np.any(energy.work):
            ax.plot(t, energy.total[:1] + energy.work, color=RED, linestyle="--", label="start + work")
        largest = float(np.abs(energy.error).max(initial=0.0))
        return _finish(ax, t, "energy (J)", f"{solution.name}: energy, largest error {largest:.2g} J")

    def constraints(self, ax: Axes | None = None) -> Axes:
        """Largest constraint error of the three levels, in scaled rows, on a logarithmic axis."""
        solution, ax = self._solution, new_axes(ax)
        errors = solution.constraint_errors
        units = {"position": "1", "velocity": "1/s", "acceleration": "1/s²"}
        for (level, unit), colour in zip(units.items(), COLOURS, strict=False):
            values = np.maximum(getattr(errors, level), ROUND_OFF)
            ax.semilogy(solution.t, values, color=colour, linewidth=1.0, label=f"{level} ({unit})")
        label = f"error / characteristic length {solution.system.length:.3g} m, or rad"
        return _finish(ax, solution.t, label, f"{solution.name}: constraint errors")

    def joint(self, *coordinates: str, ax: Axes | None = None) -> Axes:
        """Joint coordinates by name ("A" or "A.angle"), in rad or m; the first few of the model if none is named."""
        solution, ax = self._solution, new_axes(ax)
        names = coordinates or solution.channels[:MOST]
        if not names:
            raise ModelError(f'Model "{solution.name}" has no joint coordinates to plot.')
        model, units = solution.system.model, []
        widths = np.linspace(
            1.4 + 0.6 * min(len(names) - 1, 4), 1.4, len(names)
        )  # equal curves hide each other otherwise
        for name, colour, width in zip(names, _colours(len(names)), widths, strict=True):
            values = solution.joint(name)
            units.append("rad" if model.coordinate(name).kind == "angle" else "m")
            ax.plot(solution.t, values, color=colour, linewidth=width, label=f"{name} ({units[-1]})")
        words = {"rad": "angle (rad)", "m": "displacement (m)"}
        label = " or ".join(words[unit] for unit in dict.fromkeys(units))
        more = len(solution.channels) - len(names) if not coordinates else 0
        rest = f" (and {more} more)" if more else ""
        return _finish(ax, solution.t, label, f"{solution.name}: joint coordinates{rest}")

    def reaction(self, joint: str, ax: Axes | None = None) -> Axes:
        """Force (N, full lines) and moment (N m, dashed, right axis) of a joint on its second body, world axes."""
        solution, ax = self._solution, new_axes(ax)
        reaction, name = solution.reaction(joint), getattr(joint, "name", joint)
        t = solution.t
        for values, axis, colour in zip(reaction.force.T, "xyz", COLOURS, strict=False):
            ax.plot(t, values, color=colour, label=f"$F_{axis}$")
        ax.plot(t, np.linalg.norm(reaction.force, axis=1), color="black", linewidth=1.0, label="$|F|$")
        title = f"{solution.name}: reaction in {name}" + ("" if reaction.unique else " (not unique: the smallest one)")
        handles = ax.get_lines()
        if np.abs(reaction.moment).max(initial=0.0) > 1e-9 * np.abs(reaction.force).max(initial=0.0):
            right = ax.twinx()
            for values, axis, colour in zip(reaction.moment.T, "xyz", COLOURS, strict=False):
                right.plot(t, values, color=colour, linestyle="--", linewidth=1.0, label=f"$M_{axis}$")
            right.set_ylabel("moment (N m), dashed")
            right.spines["top"].set_visible(False)
            handles = [*handles, *right.get_lines()]
        return _finish(ax, t, "force (N)", title, handles)

    def steps(self, ax: Axes | None = None) -> Axes:
        """Step size (s) over time, on a logarithmic axis."""
        solution, ax = self._solution, new_axes(ax)
        ends, step = solution.step_times, solution.provenance["step"]
        if ends.size:
            edges = np.concatenate([solution.t[:1], ends])
            ax.stairs(np.diff(edges), edges, color=BLUE, baseline=None, label="step size")
        elif step and solution.t.size:
            ax.plot(solution.t[[0, -1]], [step, step], color=BLUE, label=f"fixed step {step:g} s")
        ax.set_yscale("log")
        steps, rejected = solution.counters["steps"], solution.counters["rejected"]
        title = f"{solution.name}: {steps} steps" + (f", {rejected} rejected" if rejected else "")
        return _finish(ax, solution.t, "step size (s)", title)


def new_axes(ax: Axes | None) -> Axes:
    """`ax`, or the axes of a new figure that belongs to no window."""
    if ax is not None:
        return ax
    with Waiting():
        from matplotlib.figure import Figure

    return Figure(figsize=(7.5, 4.2), dpi=130, layout="constrained").add_subplot()


def _colours(count: int) -> tuple[Any, ...]:
    if count <= len(COLOURS):
        return COLOURS[:count]
    import matplotlib

    return tuple(matplotlib.colormaps["viridis"](x) for x in np.linspace(0.0, 0.92, count))


def _finish(ax: Axes, t: np.ndarray, label: str, title: str, handles: Any = None) -> Axes:
    """Labels, grid and legend, the same in all plots; the legend stands beside the curves, never on them."""
    ax.set_xlabel("time (s)")
    ax.set_ylabel(label)
    ax.set_title(title, loc="left", fontsize=11)
    ax.grid(True, color="#dddddd", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines["top"].set_visible(False)
    if t.size > 1:
        ax.set_xlim(t[0], t[-1])
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    if not handles:
        return ax
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=min(len(handles), 4), frameon=False
    )
    return ax
