"""Packed numbers come back within half a step, and smooth curves shrink."""

import json
import zlib

import numpy as np
import pytest

from bricard.view.packing import Archive, deflated


def unpacked(archive, entry):
    """What viewer/src/archive.js does."""
    content = archive.closed({"entry": entry})
    length = int.from_bytes(content[:4], "little")
    assert json.loads(content[4 : 4 + length])["entry"]["at"] == entry["at"]
    size = int(np.prod(entry["shape"]))
    planes = np.frombuffer(content[4 + length + entry["at"] :], np.uint8, 4 * size).reshape(4, size)
    zigzag = np.ascontiguousarray(planes.T).view("<u4").ravel().astype(np.int64)
    whole = np.where(zigzag % 2, -(zigzag + 1) // 2, zigzag // 2).reshape(entry["shape"])
    return np.cumsum(np.cumsum(whole, -1), -1) * entry["step"]


@pytest.mark.parametrize("shape", [(5,), (3, 1), (2, 3, 40), (0, 7)])
def test_round_trip(shape):
    values = np.random.default_rng(1).normal(size=shape)
    archive = Archive()
    archive.add([1.0, 2.0], 0.5)
    entry = archive.add(values, 1e-3)
    assert entry["step"] == 1e-3
    assert np.abs(unpacked(archive, entry) - values).max(initial=0.0) <= 0.5e-3 * (1 + 1e-9)


def test_a_step_that_is_too_fine_is_made_coarser_and_said():
    archive = Archive()
    values = 1e9 * np.random.default_rng(2).normal(size=50)
    entry = archive.add(values, 1e-9)
    assert entry["step"] > 1e-9
    assert np.abs(unpacked(archive, entry) - values).max() <= 0.5 * entry["step"] * (1 + 1e-9)


def test_smooth_curves_take_about_one_byte_each():
    t = np.linspace(0, 60, 3601)
    curves = np.sin(np.outer(np.linspace(1, 5, 20), t))
    archive = Archive()
    archive.add(curves, 2.0**-15)
    assert len(zlib.compress(archive.closed({}))) < 1.2 * curves.size


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ValueError):
        Archive().closed({"x": float("nan")})


def test_deflated_is_plain_text():
    assert deflated(b"x" * 1000).isascii()
