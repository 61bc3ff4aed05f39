"""Curves of the analysis: stability of a method, natural frequencies along a motion. Drawn like the plots of a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, suggest
from .plots import COLOURS, GREY, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTITIES = {
    "radius": "spectral radius",
    "damping": "damping ratio of the computed motion",
    "period": "period elongation",
}


def draw_stability(found: Any, quantity: str, ratios: tuple[float, ...], ax: Axes | None) -> Axes:
    """Radius over h omega, damping or period elongation over h / period, for each damping ratio."""
    if quantity not in QUANTITIES:
        raise ModelError(
            f'There is no curve "{quantity}".{suggest(quantity, QUANTITIES)} Known: {", ".join(QUANTITIES)}.'
        )
    ax = new_axes(ax)
    for xi, colour in zip(ratios, COLOURS, strict=False):
        if quantity == "radius":
            z = np.geomspace(0.05, 100.0, 500)
            ax.semilogx(z, np.minimum(found.radius(z, xi), 2.0), color=colour, label=rf"$\xi$ = {xi:g}")
        else:
            z = 2 * np.pi * np.linspace(0.002, 0.4, 200)
            values = found.damping(z, xi) if quantity == "damping" else found.period_elongation(z, xi)
            ax.plot(z / (2 * np.pi), values, color=colour, label=rf"$\xi$ = {xi:g}")
    if quantity == "radius":
        ax.axhline(1.0, color=GREY, linewidth=0.8)
        ax.set_ylim(0.0, 1.6)
        limit = found.limit(ratios[0])
        if 0.0 < limit < np.inf:
            ax.axvline(limit, color=GREY, linewidth=0.8, linestyle=":")
            ax.annotate(f" {limit:.4g}", (limit, 0.05), color=GREY)
    shown = {key: value for key, value in found.options.items() if value is not None and "tolerance" not in key}
    options = ", ".join(f"{key} = {value if isinstance(value, str) else f'{value:g}'}" for key, value in shown.items())
    title = f"{found.integrator}{f' ({options})' if options else ''}: {QUANTITIES[quantity]}"
    return _finish(ax, r"$h \omega$" if quantity == "radius" else "h / period", QUANTITIES[quantity], title)


def draw_frequencies(found: Any, ax: Axes | None) -> Axes:
    """Natural frequencies over time, the largest in black."""
    ax = new_axes(ax)
    for k in range(found.omega.shape[1] - 1):
        ax.plot(found.t, found.omega[:, k], color=COLOURS[k % len(COLOURS)], linewidth=0.8)
    ax.plot(found.t, found.largest, color="black", label=f"largest, at most {found.peak:.4g} rad/s")
    return _finish(ax, "time (s)", "natural frequency (rad/s)", f"{found.name}: natural frequencies")


def _finish(ax, abscissa, ordinate, title):
    ax.set_xlabel(abscissa)
    ax.set_ylabel(ordinate)
    ax.set_title(title, loc="left", fontsize=11)
    ax.grid(True, color="#dddddd", linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, frameon=False)
    return ax
