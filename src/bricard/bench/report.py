"""The report of a comparison: one HTML file with its own style and script, no network, light and dark."""

from __future__ import annotations

import statistics
from html import escape
from importlib.resources import files

from .compare_table import Outcome
from .report_figures import COLOURED, conditioning_figure, cost_bars, drift_panels, seconds_text, styles, work_precision
from .report_words import call, grouped, not_run, recommendation

SHOWN = 30  # lines of the table before one asks for more


def html(comparison) -> str:
    """The whole file as text."""
    table = comparison.table
    style = styles(table)
    static = files("bricard.bench") / "static"
    sections = [
        _head(comparison),
        _section("Recommendation", _words(comparison, table)),
        _section("Work and precision", _work(comparison, style, table)),
        _section("Methods by time to the accuracy", _table(comparison, table, style)),
        _peers(comparison),
        _section("Drift", _drift(comparison, style)),
        _section("Orders", _orders(table)),
        _section("Conditioning", _conditioning(comparison)),
        _section("Cost of a step", f'<div class="narrow">{cost_bars(comparison, style)}</div>'),
        _section("Failures", _failures(comparison, table)),
        _section("Omissions", _omissions(comparison)),
    ]
    css, script = ((static / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    title = escape(f"Methods on {comparison.model}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>\n{css}</style></head>\n'
        f"<body><main>{''.join(sections)}</main><div id='tip' hidden></div><script>\n{script}</script></body></html>\n"
    )


def _section(title, body):
    name = title.lower().replace(" ", "-")
    return f'<section id="{name}"><h2>{escape(title)}</h2>{body}</section>\n' if body else ""


def _head(c):
    machine = c.machine
    reached = sum(outcome.seconds is not None for outcome in c.table)
    facts = {
        "motion": f"{c.span:g} s",
        "accuracy asked for": f"{c.accuracy:.0e}",
        "done": f"{len(c.rows)} runs of {len(c.table)} methods",
        "reach the accuracy": f"{reached}",
        "time": f"{c.seconds.get('run', 0.0):.0f} s of {c.budget:g} s, compiling {c.seconds.get('compile', 0.0):.0f} s",
        "machine": f"{machine.get('processor', '')}, {machine.get('cores', '?')} cores",
        "versions": ", ".join(f"{p} {machine[p]}" for p in ("bricard", "python", "numpy", "numba") if p in machine),
    }
    cells = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items())
    certain = c.reference.get("certain", False)
    mark = "certain" if certain else "not certain"
    words = escape(c.reference.get("text", "There is none yet."))
    state = '<p class="warning">Interrupted: this is what was known by then.</p>' if c.interrupted else ""
    return (
        f'<header><p class="over">bricard compare</p><h1>{escape(c.model)}</h1>{state}<dl>{cells}</dl>'
        f'<p class="reference"><span class="badge {"good" if certain else "poor"}">reference {mark}</span> {words} '
        f"{escape(c.reference.get('measure', ''))}</p></header>\n"
    )


def _words(c, table):
    sentences = recommendation(c)
    first = next((o for o in table if o.seconds is not None and o.firm), None)
    first = first or next((o for o in table if o.seconds is not None), None)
    code = f"<pre><code>{escape(call(c, first))}</code></pre>" if first is not None else ""
    others = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences[1:])
    lead = f'<p class="lead">{escape(sentences[0])}</p>' if sentences else ""
    return f'{lead}{code}<ul class="words">{others}</ul>'


def _work(c, style, table):
    coloured = [outcome.name for outcome in table if style[outcome.name] != "other"]
    items = "".join(f'<li class="{style[n]}" data-method="{escape(n)}">{escape(n)}</li>' for n in coloured)
    items += '<li class="other">all others: point at a curve</li>'
    items += '<li class="peer">other packages</li>' if c.peers else ""
    return f'{work_precision(c, style)}<ul class="legend">{items}</ul>'


COLUMNS = (
    ("", "left"),
    ("method", "left"),
    ("setting", "left"),
    ("time", ""),
    ("error", ""),
    ("steps", ""),
    ("µs/step", ""),
    ("order", ""),
    ("position", ""),
    ("velocity", ""),
    ("acceleration", ""),
    ("energy", ""),
)


def _table(c, table, style):
    head = "".join(f'<th class="{side}">{escape(name)}</th>' for name, side in COLUMNS)
    lines = [_line(k, outcome, style, k >= SHOWN) for k, outcome in enumerate(table)]
    more = len(table) - SHOWN
    button = f'<button id="more" type="button">show {more} more</button>' if more > 0 else ""
    return (
        '<p>Time: computing time of the compiled march in the fastest run that meets the accuracy ("~": a finer rung misses it). '
        "Error, steps and errors of the three constraint levels and of the energy (J) are those of that run at its end; for a "
        'method that does not meet the accuracy, of its best run. Order: measured with fixed steps (stated). <input id="filter" '
        'placeholder="filter, such as dop853" aria-label="filter the table"></p>'
        f'<div class="scroll"><table id="methods"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        f"{button}"
    )


def _line(k, outcome: Outcome, style, hidden):
    row, cells = outcome.nearest, []
    name = f'<span class="dot {style[outcome.name]}"></span>{escape(outcome.name)}'
    cells += [
        ("left", str(k + 1) if outcome.seconds is not None else ""),
        ("left name", name),
        ("left", outcome.setting),
    ]
    if outcome.seconds is not None:
        cells.append(("strong", ("" if outcome.firm else "~ ") + seconds_text(outcome.seconds)))
    else:
        cells.append(("weak", "not reached" if outcome.best is not None else "fails"))
    if row is None:
        reason = max(outcome.failures, key=lambda text: outcome.failures[text], default="")
        cells.append(("left weak wide", escape(reason)))
        body = "".join(f'<td class="{side}">{text}</td>' for side, text in cells[:-1])
        body += f'<td class="{cells[-1][0]}" colspan="8">{cells[-1][1]}</td>'
    else:
        order = "" if outcome.order is None else f"{outcome.order:.1f}"
        numbers = [f"{row['error']:.1e}", str(row["steps"]), f"{1e6 * row['seconds_per_step']:.3g}"]
        numbers += [f"{order} ({outcome.stated})"]
        errors = [row[f"{key}_error"] for key in ("position", "velocity", "acceleration", "energy")]
        numbers += ["-" if error is None else f"{error:.0e}" for error in errors]
        cells += [("", number) for number in numbers]
        body = "".join(f'<td class="{side}">{text}</td>' for side, text in cells)
    more = ' class="more"' if hidden else ""
    return f'<tr{more} data-method="{escape(outcome.name)}">{body}</tr>'


def _peers(c):
    if not c.peers:
        return ""
    best = {}
    for row in c.peers:
        if row["ok"] and row["error"] is not None and row["error"] <= c.accuracy:
            name = row["method"]
            best[name] = min(best.get(name, row), row, key=lambda r: r["cpu_s"])
    lines = []
    for name in dict.fromkeys(row["method"] for row in c.peers):
        own = [row for row in c.peers if row["method"] == name]
        if name in best:
            text = f"{seconds_text(best[name]['cpu_s'])} ({best[name]['setting']}, error {best[name]['error']:.0e})"
        else:
            errors = [row["error"] for row in own if row["error"] is not None]
            text = f"not reached, smallest error {min(errors):.0e}" if errors else own[0]["reason"]
        lines.append(f'<tr><td class="left name">{escape(name)}</td><td class="left">{escape(text)}</td></tr>')
    body = (
        "<p>At recommended settings, in the same session, never scaled. Their errors are the largest difference of a body at the "
        "end from where the reference, or our most accurate run, ends.</p>"
        f"<table><tbody>{''.join(lines)}</tbody></table>"
    )
    return _section("Other packages", body)


def _drift(c, style):
    if not c.drift:
        return ""
    spare = [f"c{k}" for k in range(COLOURED) if f"c{k}" not in {style.get(name) for name in c.drift}]
    for name in c.drift:
        if style.get(name, "other") == "other" and spare:
            style = style | {name: spare.pop(0)}
    items = "".join(
        f'<li class="{style.get(name, "other")}" data-method="{escape(name)}">{escape(name)}</li>' for name in c.drift
    )
    return (
        "<p>Scaled constraint errors (lengths in characteristic lengths, angles in rad, per s and s²) and the error of the "
        "energy balance along the motion, at the setting of the table; samples are ends of steps. The work of "
        "dampers, motors, drivers and forces of your own is part of the balance.</p>"
        f'{drift_panels(c, style)}<ul class="legend">{items}</ul>'
    )


def _orders(table):
    by_integrator: dict[str, list[Outcome]] = {}
    for outcome in table:
        if outcome.order is not None:
            by_integrator.setdefault(outcome.integrator, []).append(outcome)
    lines = []
    for name, found in sorted(by_integrator.items(), key=lambda entry: -entry[1][0].stated):
        orders = sorted(outcome.order for outcome in found if outcome.order is not None)
        lines.append(
            f'<tr><td class="left name">{escape(name)}</td><td>{found[0].stated}</td><td>{statistics.median(orders):.1f}</td>'
            f"<td>{orders[0]:.1f} … {orders[-1]:.1f}</td><td>{len(orders)}</td></tr>"
        )
    if not lines:
        return "<p>No method of fixed steps has three rungs between coarse and round-off: no order can be fitted.</p>"
    head = "<tr><th class='left'>integrator</th><th>stated</th><th>median</th><th>range</th><th>formulations</th></tr>"
    return (
        "<p>Slope of the error over the step, fitted to the finest rungs above round-off; of fixed steps only, for tolerances "
        "choose steps that vary. Singular positions and stiffness lower it; index 3, above all, does so by itself.</p>"
        f'<div class="scroll narrow"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def _conditioning(c):
    found = c.conditioning
    if not found:
        return "<p>Not looked at: the system has no constraint rows, is too large for dense matrices, or the time was spent.</p>"
    dips = ", ".join(f"{t:.3g} s" for t in found["singular"])
    words = f"Singular positions are passed near t = {dips}." if dips else "No singular position is met on the way."
    newton = "".join(
        f'<tr><td class="left name">{escape(n)}</td><td>{v:.1e}</td></tr>'
        for n, v in sorted(found["newton"].items(), key=lambda e: e[1])
    )
    return (
        f"<p>{escape(words)}</p>{conditioning_figure(found, c.span)}"
        f"<p>Condition of the Newton matrix at the start with a step of {found['step']:.2g} s, by formulation:</p>"
        f'<div class="scroll narrow"><table><tbody>{newton}</tbody></table></div>'
    )


def _failures(c, table):
    lines = [
        f'<tr><td class="left name">{escape(name)}</td><td class="left">for the reference</td>'
        f'<td class="left wide">{escape(reason)}</td></tr>'
        for name, reason in c.reference.get("failed", {}).items()
    ]
    for outcome in table:
        for reason, count in outcome.failures.items():
            times = f"{count} of {outcome.runs} runs"
            lines.append(
                f'<tr><td class="left name">{escape(outcome.name)}</td><td class="left">{times}</td>'
                f'<td class="left wide">{escape(reason)}</td></tr>'
            )
    if not lines:
        return "<p>None.</p>"
    return (
        f"<details><summary>{len(lines)} entries: method, how often, why</summary>"
        f'<div class="scroll"><table><tbody>{"".join(lines)}</tbody></table></div></details>'
    )


def _omissions(c):
    parts, lists = [], []
    if c.not_run:
        lists.append((f"{not_run(c)}:", [f"{f} with {', '.join(i)}" for f, i in grouped(c.not_run).items()]))
    if c.omitted:
        reasons: dict[str, list[str]] = {}
        for name, reason in c.omitted.items():
            reasons.setdefault(reason.rstrip("."), []).append(name)
        lines = [
            "; ".join(f"{f} with {', '.join(i)}" if i else f for f, i in grouped(names).items()) + f": {reason}"
            for reason, names in reasons.items()
        ]
        lists.append(("Left out:", lines))
    stopped: dict[str, int] = {}
    for reason in c.ended.values():
        stopped[reason] = stopped.get(reason, 0) + 1
    if stopped:
        parts.append("Ladders ended because: " + "; ".join(f"{why} ({n} methods)" for why, n in stopped.items()) + ".")
    parts.append(
        "Every method ran with its default options and correction; options of your own may do better. Times are the best of a "
        "few runs beside other processes of this comparison: differences below a factor of 1.3 mean nothing."
    )
    if not c.peers:
        parts.append("Other packages were not asked for (--peers).")
    listed = (f"<p>{head}</p><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" for head, lines in lists)
    return "".join(listed) + "".join(f"<p>{escape(part)}</p>" for part in parts)
