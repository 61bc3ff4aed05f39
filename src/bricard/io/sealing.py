"""A seal behind an HDF5 file: the checksum of all bytes before it.

libhdf5 takes a file at its word: a few damaged bytes can keep it in an endless loop or end the process, and neither can be
stopped from Python. So a file of ours is compared with its seal before libhdf5 sees it. One without a seal (of an
earlier version, or changed by another program, which cuts the seal off) is read by a process of its own first, under a time
limit. So is a file of strangers, who could seal anything.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from bricard.errors import FileFormatError

__all__ = ["is_sealed", "rehearse", "sealed"]

MARK = b"bricard: SHA-256 of what stands before: "
BLOCK = 2**20  # bytes read at once
PATIENCE = 30.0  # s for a process to start and to read a small file
SPEED = 1e6  # bytes/s that any disk reads

# Isolated: the working folder, where a file of a stranger may lie, is not searched for modules; what we import is.
REHEARSAL = """
import os, sys
sys.path[:] = sys.argv[2].split(os.pathsep)
from bricard.io.results import contents
contents(sys.argv[1])
"""


def sealed(image: bytes) -> bytes:
    """Return the bytes of a file with the seal behind them."""
    return image + MARK + hashlib.sha256(image).digest()


def is_sealed(file: Path) -> bool:
    """Whether a file has a seal; one that does not fit is an error."""
    length = len(MARK) + hashlib.sha256().digest_size
    left = file.stat().st_size - length
    if left < 0:
        return False
    seen = hashlib.sha256()
    with file.open("rb") as stream:
        while left > 0 and (block := stream.read(min(BLOCK, left))):
            seen.update(block)
            left -= len(block)
        seal = stream.read()
    if not seal.startswith(MARK):
        return False
    if seal[len(MARK) :] != seen.digest():
        raise FileFormatError(f"{file}: some bytes of this file have changed since it was written: copy it again.")
    return True


def rehearse(file: Path) -> None:
    """Read a file in a process of its own; an error if that does not end by itself. Other errors come when it is read here."""
    if not sys.executable:
        return  # a program that Python is a part of
    command = [sys.executable, "-I", "-c", REHEARSAL, str(file.resolve()), os.pathsep.join(filter(None, sys.path))]
    limit = PATIENCE + file.stat().st_size / SPEED
    try:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit).returncode
    except subprocess.TimeoutExpired:
        raise FileFormatError(f"{file}: reading it did not end within {limit:.0f} s: the file is damaged.") from None
    if code not in (0, 1):
        raise FileFormatError(f"{file}: libhdf5 ended the process that read it (code {code}): the file is damaged.")
