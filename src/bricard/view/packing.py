"""Numbers packed for the page: many smooth curves in few bytes, with a stated accuracy.

A curve is rounded to whole multiples of its step (error at most half a step). The second differences of a smooth curve are
small numbers, so almost all of their upper bytes are zero; stored byte by byte they shrink well under deflate.

    whole numbers -> second differences along the last axis -> zigzag (0, -1, 1, -2, ...) -> four planes of bytes

`decode` in viewer/src/archive.js is the inverse. The same code packs the corners and triangles of meshes.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

__all__ = ["Archive", "deflated"]

LARGEST = 2**28  # second differences of whole numbers below this stay within 32 bits


class Archive:
    """Arrays, each with its place in one block of bytes, and a header that names them."""

    def __init__(self) -> None:
        self._planes: list[bytes] = []
        self._size = 0

    def add(self, values: Any, step: float) -> dict[str, Any]:
        """Store values (..., n), curves along the last axis, to within half a step; return what the header says of them."""
        array = np.atleast_1d(np.asarray(values, float))
        top = float(np.abs(array).max(initial=0.0))
        step = max(float(step), top / LARGEST, np.finfo(float).tiny)
        whole = np.rint(array / step).astype(np.int64)
        for _ in range(2):
            whole[..., 1:] -= whole[..., :-1].copy()
        zigzag = np.where(whole < 0, -2 * whole - 1, 2 * whole).astype("<u4")
        planes = np.ascontiguousarray(zigzag.ravel().view(np.uint8).reshape(-1, 4).T).tobytes()
        entry = {"at": self._size, "shape": array.shape, "step": step}
        self._planes.append(planes)
        self._size += len(planes)
        return entry

    def closed(self, header: dict[str, Any]) -> bytes:
        """Return the header (JSON, its length in 4 bytes before it) and the arrays behind it."""
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        return len(text).to_bytes(4, "little") + text + b"".join(self._planes)


def deflated(content: bytes) -> str:
    """Return bytes compressed (zlib) as base64 text."""
    return base64.b64encode(zlib.compress(content, 9 if len(content) < 2e6 else 6)).decode("ascii")
