"""The figures of a report, as SVG: work and precision, drift, conditioning, cost per step."""

from __future__ import annotations

import statistics

from .compare_table import Outcome, words
from .report_axes import Axes, bars

COLOURED = 8  # methods with a colour of their own; the others are grey until one points at them
ROUND_OFF = 1e-17


def styles(table: list[Outcome]) -> dict[str, str]:
    """Method -> style: c0, c1, ... for the best, at most two of one integrator; "other" for the rest."""
    found, count = {}, {}
    for outcome in table:
        seen = count.get(outcome.integrator, 0)
        if len(found) < COLOURED and outcome.firm and seen < 2:
            found[outcome.name] = f"c{len(found)}"
            count[outcome.integrator] = seen + 1
    return {outcome.name: found.get(outcome.name, "other") for outcome in table}


def seconds_text(seconds: float | None) -> str:
    """A time in words."""
    if seconds is None:
        return "-"
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (float("inf"), 1.0, "s")):
        if seconds < limit:
            return f"{factor * seconds:.3g} {unit}"
    return ""


def work_precision(comparison, style: dict[str, str]) -> str:
    """Error over computing time, one curve per method; other packages with hollow marks."""
    curves: dict[str, list[dict]] = {}
    for row in comparison.rows:
        if row["ok"] and row["error"]:
            curves.setdefault(row["method"], []).append(row)
    foreign: dict[str, list[dict]] = {}
    for row in comparison.peers:
        if row["ok"] and row["error"]:
            foreign.setdefault(row["method"], []).append(row)
    everything = [row for rows in (*curves.values(), *foreign.values()) for row in rows]
    if not everything:
        return "<p>No run has both ended and an error to show.</p>"
    times = [max(row["cpu_s"], 1e-6) for row in everything]
    errors = [min(max(row["error"], 1e-15), 10.0) for row in everything]
    axes = Axes(
        960,
        520,
        (min(times), max(times)),
        (min(errors), max(errors)),
        log_x=True,
        log_y=True,
        x_label="computing time of the compiled march (s)",
        y_label="error at the end",
    )
    axes.level(comparison.accuracy, f"accuracy asked for: {comparison.accuracy:.0e}")
    for name, rows in sorted(curves.items(), key=lambda entry: style[entry[0]] != "other"):
        rows.sort(key=lambda row: row["level"])
        axes.curve([(max(r["cpu_s"], 1e-6), max(r["error"], 1e-15)) for r in rows], style[name], name)
        for row in rows:
            tip = f"{name}\n{words(row['kind'], row['setting'])}\nerror {row['error']:.1e}\n{seconds_text(row['cpu_s'])}, "
            tip += f"{row['steps']} steps"
            axes.point(max(row["cpu_s"], 1e-6), max(row["error"], 1e-15), style[name], tip, name)
    for name, rows in foreign.items():
        axes.curve([(r["cpu_s"], r["error"]) for r in rows], "peer", name)
        for row in rows:
            tip = f"{name}\n{row['setting']}\nerror {row['error']:.1e}\n{seconds_text(row['cpu_s'])}"
            axes.point(row["cpu_s"], row["error"], "peer", tip, name, 4.2)
    return axes.svg("Work-precision figure: error at the end over computing time, one curve for each method")


def drift_panels(comparison, style: dict[str, str]) -> str:
    """Four panels: the three constraint levels and the energy over time."""
    titles = {
        "position": "constraint, position level",
        "velocity": "constraint, velocity level",
        "acceleration": "constraint, acceleration level",
        "energy": "energy, share of its size",
    }
    panels = []
    for key, title in titles.items():
        values = [v for found in comparison.drift.values() for v in found[key] if v > ROUND_OFF]
        if not values:
            continue
        low, high = max(min(values), ROUND_OFF), max(values)
        axes = Axes(
            470, 270, (0.0, comparison.span), (low, high), log_y=True, x_label="t (s)", y_label="error", title=title
        )
        for name, found in sorted(comparison.drift.items(), key=lambda entry: style.get(entry[0]) != "other"):
            points = [(t, max(v, low)) for t, v in zip(found["t"], found[key], strict=True)]
            axes.curve(points, style.get(name, "other"), name)
            for t, v in points[1::4]:
                axes.point(
                    t, v, style.get(name, "other") + " faint", f"{name}\nt = {t:.3g} s\n{title}: {v:.1e}", name, 5
                )
        panels.append(axes.svg(f"Drift: {title} over time"))
    return f'<div class="panels">{"".join(panels)}</div>'


def conditioning_figure(found, span: float) -> str:
    """Smallest singular value of the constraint rows and condition of the KKT matrix over time, singular positions marked."""
    panels = []
    for key, title, label in (
        ("smallest", "distance to a singular position", "smallest singular value"),
        ("kkt", "condition of the KKT matrix", "condition number"),
    ):
        values = [v for v in found[key] if v > 0.0]
        axes = Axes(
            470, 270, (0.0, span), (min(values), max(values)), log_y=True, x_label="t (s)", y_label=label, title=title
        )
        for t in found["singular"]:
            axes.moment(t, f"singular position near t = {t:.3g} s")
        axes.curve(list(zip(found["t"], found[key], strict=True)), "c0")
        for t, v in list(zip(found["t"], found[key], strict=True))[::8]:
            axes.point(t, v, "c0 faint", f"t = {t:.3g} s\n{label} {v:.2e}", "", 5)
        panels.append(axes.svg(title))
    return f'<div class="panels">{"".join(panels)}</div>'


def cost_bars(comparison, style: dict[str, str], count: int = 20) -> str:
    """Median time of a step for the first methods of the table."""
    by_method: dict[str, list[float]] = {}
    for row in comparison.rows:
        if row["ok"]:
            by_method.setdefault(row["method"], []).append(row["seconds_per_step"])
    entries = []
    for outcome in comparison.table[:count]:
        if outcome.name in by_method:
            seconds = statistics.median(by_method[outcome.name])
            tip = f"{outcome.name}\n{1e6 * seconds:.3g} µs per step, rejected steps counted"
            entries.append((outcome.name, 1e6 * seconds, style[outcome.name], tip))
    return bars(sorted(entries, key=lambda entry: entry[1]), "µs")
