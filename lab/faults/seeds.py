"""Files without fault, that the mutations begin with: every format, every kind of element."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from ..campaign import declaring, generator

__all__ = ["FORMATS", "result", "texts"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FORMATS = ("toml", "urdf", "xml", "h5")
MODELS = 40  # mechanisms of the campaign that are looked at for TOML files

URDF = """<robot name="two">
<link name="base"/>
<link name="a"><inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.2"/></inertial>
<visual><geometry><cylinder radius="0.1" length="1"/></geometry></visual></link>
<link name="c"><inertial><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.2"/></inertial></link>
<link name="tip"/>
<joint name="A" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1"
velocity="1"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="B" type="prismatic"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="C" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><mimic joint="A" multiplier="2"/></joint>
<joint name="D" type="fixed"><parent link="c"/><child link="tip"/></joint>
</robot>
"""


@cache
def texts(kind: str) -> tuple[bytes, ...]:
    """Return the texts of a format."""
    if kind == "toml":
        return ((EXAMPLES / "bricard.toml").read_bytes(), *_mechanisms())
    if kind == "urdf":
        return (EXAMPLES / "arm.urdf").read_bytes(), URDF.encode()
    return ((EXAMPLES / "leg.xml").read_bytes(),)


def _mechanisms() -> list[bytes]:
    """Mechanisms of the campaign without functions of users: these cost a compilation each."""
    from bricard import ModelError
    from bricard.io import toml

    found = []
    for index in range(MODELS):
        try:
            text = toml.dumps(declaring.model(generator.draw(5, index)), {"duration": 0.01, "step": 0.005})
        except ModelError:
            continue
        if "lab.campaign" not in text:
            found.append(text.encode())
    return found


@cache
def result() -> bytes:
    """Return the bytes of a file of results."""
    import tempfile

    import bricard as br

    model = br.Model("pendulum")
    model.revolute("A", model.ground, model.body("rod", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0)), (0, 0, 0), (0, 1, 0))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.h5"
        br.simulate(model, 0.1, output=np.linspace(0.0, 0.1, 5), triggers=br.Trigger("A", at=0.01)).save(file)
        return file.read_bytes()
