"""Records as compiled code sees them: the same numbers, the same memory, kept alive, and nothing that is not what it says."""

import gc
from typing import NamedTuple

import numpy as np
import pytest
from numba import f8, i8

from bricard.compiled.handles import RecordType, pack, record_type
from bricard.compiled.pointers import PYTHON_ONLY, compiled
from bricard.compiled.records import CUBE, INDEX, MATRIX, VECTOR

pytestmark = pytest.mark.skipif(PYTHON_ONLY, reason="without compilation a record is its own twin")


class Inner(NamedTuple):
    """A record in a record."""

    count: i8
    values: VECTOR


class Outer(NamedTuple):
    """One field of each kind."""

    size: f8
    number: i8
    vector: VECTOR
    table: MATRIX
    cube: CUBE
    places: INDEX
    inner: Inner
    both: tuple[Inner, Inner]


record_type(Inner)
record_type(Outer)


@compiled
def total(record, other, out):
    """A number of which every field is a part."""
    out[0], out[1], out[2] = record.size, record.number, record.inner.count
    for i in range(record.vector.size):
        out[3] += record.vector[i] * record.inner.values[record.places[i]]
    out[4] = record.table[1, 2] + record.cube[1, 0, 1] + record.both[0].values[0] + record.both[1].values[other]
    record.vector[0] = -1.0


def outer():
    inners = [Inner(k, np.arange(3.0) + 10.0 * k) for k in range(3)]
    cube = np.arange(8.0).reshape(2, 2, 2)
    return Outer(
        2.5,
        -7,
        np.ones(3),
        np.arange(6.0).reshape(2, 3),
        cube,
        np.array([2, 0, 1], np.uint32),
        inners[0],
        tuple(inners[1:]),
    )


def test_compiled_code_sees_every_field_and_writes_into_the_arrays():
    record, out = outer(), np.zeros(5)
    total(pack(record), 2, out)
    assert out.tolist() == [2.5, -7.0, 0.0, 3.0, 5.0 + 5.0 + 10.0 + 22.0]
    assert record.vector[0] == -1.0


def test_a_handle_keeps_what_it_points_to():
    handle, out = pack(outer()), np.zeros(5)
    gc.collect()
    rubbish = [np.full(3, np.nan) for _ in range(1000)]
    total(handle, 2, out)
    assert out[3] == 3.0 and len(rubbish) == 1000


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("vector", np.ones(3, np.float32)),
        ("vector", np.ones(6)[::2]),
        ("vector", np.ones((3, 1))),
        ("table", np.asfortranarray(np.ones((2, 3)))),
        ("places", np.array([2, 0, 1])),
    ],
)
def test_an_array_of_another_kind_is_refused(field, wrong):
    """Compiled code would read it as what it is not."""
    with pytest.raises(TypeError, match="Outer got an array of the wrong kind"):
        pack(outer()._replace(**{field: wrong}))


def test_names_of_types_change_with_their_fields():
    """They are in the keys of cached code, which knows the places of the fields."""
    first, second = RecordType("A", {"a": f8, "b": i8}), RecordType("A", {"b": i8, "a": f8})
    assert first.name != second.name and first.name == RecordType("A", {"a": f8, "b": i8}).name
