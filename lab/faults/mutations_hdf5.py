"""Files of results with objects of other kinds, sizes and texts: each in good order for libhdf5, and wrong for us."""

from __future__ import annotations

import json
import random
from pathlib import Path

import h5py
import numpy as np

from .mutations import JUNK

__all__ = ["mutant_of_hdf5"]


def mutant_of_hdf5(seed: bytes, rng: random.Random, file: Path) -> None:
    """Write a file with some of its datasets and attributes replaced, resized or left out."""
    file.write_bytes(seed)
    with h5py.File(file, "r+") as content:
        for _ in range(rng.choice([1, 1, 2])):
            holders = [content, content["end"]] if isinstance(content.get("end"), h5py.Group) else [content]
            holder = rng.choice(holders)
            if rng.random() < 0.4 and len(holder.attrs):
                _attribute(holder, rng.choice(sorted(holder.attrs)), rng)
            elif len(holder):
                _dataset(holder, rng.choice(sorted(holder)), rng)


def _attribute(holder: h5py.Group, name: str, rng: random.Random) -> None:
    old = holder.attrs[name]
    del holder.attrs[name]
    kind = rng.randrange(4)
    if kind == 0:
        return
    if kind == 1 and isinstance(old, str):
        holder.attrs[name] = json.dumps(rng.choice(JUNK), default=str)
    elif kind == 2:
        holder.attrs[name] = rng.choice([-1, 0, 1e300, np.nan, True, "", "{" * 3000, "[" * 3000, "\x7f", np.arange(3)])
    else:
        holder.attrs[name] = "".join(rng.sample(str(old), len(str(old))))


def _dataset(holder: h5py.Group, name: str, rng: random.Random) -> None:
    old = holder[name][()] if isinstance(holder[name], h5py.Dataset) else None
    del holder[name]
    match rng.randrange(9):
        case 0:
            return
        case 1:
            holder.create_group(name)
        case 2:
            holder.create_dataset(name, shape=(10 ** rng.choice([3, 9, 15]),), dtype=float, chunks=(1000,))
        case 3:
            holder[name] = np.array(rng.choice([[], [[1.0]], [np.nan] * 5, 3.0, [[[1.0]]]]))
        case 4:
            holder[name] = json.dumps(rng.choice(JUNK), default=str)
        case 5:
            holder.create_dataset(name, (10**9,), float, external=[("/dev/zero", 0, 8 * 10**9)])
        case 6:
            holder[name] = rng.choice(
                [h5py.SoftLink("/" + name), h5py.SoftLink("/"), h5py.ExternalLink("/dev/zero", "/t")]
            )
        case 7 if isinstance(old, np.ndarray) and old.size:
            holder[name] = old[: rng.randrange(len(old))]
        case _:
            holder[name] = np.array(old).astype("S9") if isinstance(old, np.ndarray) else b"\xff\xfe"
