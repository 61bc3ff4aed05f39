"""Models from files of any format that we read: TOML, URDF, MJCF."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bricard.errors import FileFormatError
from bricard.io import toml
from bricard.io.mjcf import from_mjcf
from bricard.io.urdf import read_urdf
from bricard.io.xml import read as read_xml
from bricard.model.model import Model

__all__ = ["FORMATS", "is_urdf", "load", "read"]

FORMATS = {".toml": "TOML", ".urdf": "URDF", ".xml": "MJCF or URDF", ".mjcf": "MJCF"}


def load(path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None, *, code: bool = True) -> Model:
    """Return the model of a TOML, URDF or MJCF file.

    parameters : other values for some of the parameters of a TOML file. code : False refuses a file that names functions
    ("module:function"), for importing them runs their code: for files of others. `model.notes` says what of an imported file
    has no counterpart; `bricard.io.from_urdf` and `bricard.io.from_mjcf` have more options.
    """
    return read(path, parameters, code=code)[0]


def read(
    path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None, *, code: bool = True
) -> tuple[Model, dict[str, Any]]:
    """Return what `load` does, and the settings for its simulation, if the file has some."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".toml":
        return toml.load(file, parameters, code=code)
    if is_urdf(file):
        return read_urdf(file, parameters=parameters, code=code)
    if parameters:
        raise FileFormatError(f"{file}: only a TOML file has parameters; import this one to TOML first.")
    return from_mjcf(file), {}


def is_urdf(file: Path) -> bool:
    """Whether a file is URDF, as opposed to MJCF; another one is an error."""
    suffix = file.suffix.lower()
    if suffix not in FORMATS or suffix == ".toml":
        known = ", ".join(f"{end} ({name})" for end, name in FORMATS.items())
        raise FileFormatError(f'{file}: models are read from {known}, not from "{file.suffix}".')
    return suffix == ".urdf" or (suffix == ".xml" and read_xml(file).tag == "robot")
