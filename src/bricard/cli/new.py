"""`bricard new`: a commented model that runs, to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelError
from .console import Json, data, emit

__all__ = ["STARTER", "new"]

STARTER = """\
# A crank, a coupler and a rocker: a four-bar linkage. Change it into your own mechanism.
#
#   bricard check {file}      degrees of freedom, loops, redundant joints
#   bricard run {file}        simulate it and say how good the result is
#   bricard view {file}       see it move
#   bricard list joints       what there is to join bodies with; `bricard list forces`
#
# Lengths in m, masses in kg, times in s, angles in rad, forces in N. An expression "${{...}}" is computed: it knows the
# parameters below, + - * / **, sqrt, sin, cos, pi, and units as factors: "${{25*mm}}", "${{30*deg}}", "${{120*rpm}}".

name = "{name}"
units = "SI"
gravity = [0, -9.81, 0]   # the mechanism lies in the x-y plane

[parameters]              # bricard run {file} --set crank=0.25
crank = 0.3
ground = 1.0
height = 0.8              # of the joint C

# Bodies are drawn where they stand at the start; mass or density gives their inertia.
[bodies.crank]
shape = "rod"
start = [0, 0, 0]
end = [0, "${{crank}}", 0]
mass = 1

[bodies.coupler]
shape = "rod"
start = [0, "${{crank}}", 0]
end = [0.9, "${{height}}", 0]
mass = 2

[bodies.rocker]
shape = "rod"
start = [0.9, "${{height}}", 0]
end = ["${{ground}}", 0, 0]
radius = "${{15*mm}}"
density = 2700

# Joints are placed in the world at the start. The fourth one closes the loop; nothing special is needed for that.
[joints.A]
type = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = [0, 0, 1]

[joints.B]
type = "revolute"
bodies = ["crank", "coupler"]
point = [0, "${{crank}}", 0]
axis = [0, 0, 1]

[joints.C]
type = "revolute"
bodies = ["coupler", "rocker"]
point = [0.9, "${{height}}", 0]
axis = [0, 0, 1]

[joints.D]
type = "revolute"
bodies = ["rocker", "ground"]
point = ["${{ground}}", 0, 0]
axis = [0, 0, 1]

[forces.brake]            # a damper in the hinge D
type = "torsion"
coordinate = "D"
damping = 0.05

[[start]]                 # wishes for the start; the rest is assembled
joint = "A"
velocity = "${{-60*rpm}}"

[simulation]              # options of `bricard run` stand before these
duration = 5
rtol = 1e-8
"""


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the model, or path of the file.", show_default=False)
    ],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    json: Json = False,
) -> None:
    """Write a commented starter model, NAME.toml, that runs as it is."""
    file = Path(name) if name.endswith(".toml") else Path(f"{name}.toml")
    title = file.name.removesuffix(".toml").strip()
    if not title or not title.isprintable() or any(letter in title for letter in '"\\'):
        raise ModelError(f'"{name}" is no name for a model: take printable letters, without quotes.')
    if file.exists() and not force:
        raise ModelError(f"{file} is there already: choose another name, or give --force to write over it.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(STARTER.format(name=title, file=file), encoding="utf-8", newline="\n")
    if json:
        emit({"file": str(file)})
    else:
        data().print(f"wrote {file}. See it move: bricard view {file}", markup=False)
