"""What notebooks show: a model as tree, loops, report and picture; a solution as figures, plots and moving picture."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable
from typing import Any

from ..errors import BricardError, ModelError
from ..system.topology import connects
from .page import model_page, solution_page

__all__ = ["model_html", "solution_html"]

MOST = 60  # bodies in the tree, and names in a list
SMALL, LARGE = 340, 480  # heights (pixels) of the pictures


def model_html(model: Any) -> str:
    """Return tree, loops, report and picture of a model as HTML."""
    if not model.bodies:
        return f"<p>{_text(model)}: no bodies yet.</p>"
    try:
        report = model.report()
    except BricardError as error:  # a model under construction
        return f"<p>{_text(model)}</p><p>{_text(error)}</p>{_tree(model)}"
    rows = {
        "degrees of freedom": f"{report.freedom} (Gruebler's count gives {report.gruebler})",
        "velocities, rows": f"{report.velocities}, {report.rows}, of them independent {report.rank}",
        "redundant rows": _names(report.redundant) or "none",
        "closed loops": _names(" - ".join(loop) for loop in report.loops) or "none",
        "characteristic length": f"{report.length:.4g} m",
    }
    if report.smallest is not None:
        rows["distance to singularity"] = f"{report.smallest:.3g}"
    if report.singular:
        rows["warning"] = "the starting position is singular"
    if report.problem:
        rows["not assembled"] = report.problem
    counts = f"{len(model.bodies)} bodies, {len(model.joints)} joints, {len(model.forces)} forces"
    return (
        f"<h4>{_text(model.name)}</h4><p>{counts}</p>{_table(rows)}"
        f"<details><summary>Tree</summary>{_tree(model)}</details>{model_page(model).frame(SMALL)}"
    )


def solution_html(solution: Any) -> str:
    """Return the main figures, plots and the moving picture of a solution as HTML."""
    try:
        summary = solution.summary()
    except ModelError as error:  # a file without its model
        return f"<p>{_text(solution)}</p><p>{_text(error)}</p>"
    used = summary["provenance"]
    rows = {
        "status": summary["status"],
        "method": f"{used.get('formulation', '')} + {used.get('integrator', '')}",
        "samples": f"{summary['samples']} to t = {summary['t']:.6g} s, {summary.get('steps', 0)} steps",
        "energy error": f"{summary['energy_error']:.2e} J of {summary['energy_size']:.3g} J",
        "position error": f"{summary['position_error']:.2e} x {summary['characteristic_length']:.3g} m, or rad",
        "velocity error": f"{summary['velocity_error']:.2e} x {summary['characteristic_length']:.3g} m/s, or rad/s",
    }
    picture = solution_page(solution).frame(LARGE) if solution.system.model is not None and solution.t.size else ""
    return f"<h4>{_text(solution.name)}</h4>{_table(rows)}{picture}{_plots(solution)}"


def _plots(solution: Any) -> str:
    """Energy and constraint errors as SVG, for readers without scripts as well."""
    if solution.t.size < 2:
        return ""
    pictures = []
    for plot in (solution.plot.energy, solution.plot.constraints):
        figure, text = plot().figure, io.StringIO()
        figure.set_size_inches(5.6, 3.1)
        figure.savefig(text, format="svg", bbox_inches="tight")
        svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', 'width="100%"', text.getvalue(), count=1)
        pictures.append(f'<div style="flex:1;min-width:300px;background:#fff">{svg[svg.index("<svg") :]}</div>')
    return (
        '<details><summary>Plots</summary><div style="display:flex;flex-wrap:wrap;gap:8px">'
        f"{''.join(pictures)}</div></details>"
    )


def _tree(model: Any) -> str:
    """Bodies as nested lists, from the ground outwards, each with the joint that holds it."""
    joints = [joint for joint in model.joints.values() if connects(joint)]
    near: dict[Any, list[tuple[Any, Any]]] = {body: [] for body in [model.ground, *model.bodies.values()]}
    for joint in joints:
        a, b = joint.bodies[:2]
        near[a].append((b, joint))
        near[b].append((a, joint))
    reached: set[Any] = set()
    closing = dict.fromkeys(joint.name for joint in joints)

    def branch(root: Any, by: str) -> str:
        """The subtree of a body; deep chains need a stack of their own."""
        text, todo = [], [(root, by, "open")]
        while todo:
            body, note, state = todo.pop()
            if state == "close":
                text.append("</ul></li>")
                continue
            if body in reached:
                continue
            reached.add(body)
            joint = note.partition("|")[0]
            closing.pop(joint, None)
            label = f" <small>by {_text(joint)} ({_text(note.partition('|')[2])})</small>" if note else ""
            text.append(f"<li>{_text(body.name)}{label}<ul>")
            todo.append((body, "", "close"))
            todo += [(other, f"{j.name}|{j.kind.replace('_', ' ')}", "open") for other, j in reversed(near[body])]
        return "".join(text)

    if len(model.bodies) > MOST:
        return f"<p>{len(model.bodies)} bodies: too many for a tree.</p>"
    text = branch(model.ground, "")
    for body in model.bodies.values():
        if body not in reached:
            text += branch(body, "|free")
    rest = f"<p>Joints that close loops: {_names(closing)}.</p>" if closing else ""
    return f"<ul>{text}</ul>{rest}"


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return "; ".join(listed[:MOST]) + more


def _table(rows: dict[str, str]) -> str:
    cells = "".join(
        f'<tr><th style="text-align:left">{_text(key)}</th><td style="text-align:left">{_text(value)}</td></tr>'
        for key, value in rows.items()
    )
    return f"<table>{cells}</table>"


def _text(value: Any) -> str:
    return html.escape(str(value))
