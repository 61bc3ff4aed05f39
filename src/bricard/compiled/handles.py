"""Records in compiled code: a pointer to a table of the numbers, arrays and further records of a NamedTuple.

The table is made in Python, in words of eight bytes: a number is one word, a record the address of its own table, an
array the seven or more words with which Numba describes it. Nothing in a table ever changes, so that the optimiser may read a
field once and keep it (`invariant.load`); the arrays belong to Python, so that compiled code counts no references to them. With
structrefs, which do, half of the time of a small mechanism went into counting.
"""

import hashlib
from functools import cache
from typing import get_args

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, models, register_model, unbox
from numba.np.numpy_support import as_dtype

from .cache import fingerprint
from .pointers import PYTHON_ONLY, Bound, cannot_leave, compiled

_types = {}  # of the records, by their NamedTuple


class RecordType(types.Type):
    """The compiled type of a record. Its name changes with the fields, and so do the names of cached code."""

    def __init__(self, name, fields):
        self.fields = fields  # name -> compiled type
        text = f"{fields}{fingerprint(field_value)}"
        super().__init__(f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:8]}")


@register_model(RecordType)
class _RecordModel(models.OpaqueModel):
    """A pointer."""


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record, name):
        return record.fields.get(name)


def words(kind):
    """How many words of eight bytes a field takes."""
    if isinstance(kind, types.Array):
        return 5 + 2 * kind.ndim
    return len(kind) if isinstance(kind, types.BaseTuple) else 1


def field_value(context, builder, record, pointer, name):
    """The value of a field: loads that the optimiser may move and join, and arrays without a count of references."""
    first = sum(words(kind) for kind in list(record.fields.values())[: list(record.fields).index(name)])
    kind, constant = record.fields[name], builder.module.add_metadata([])

    def word(k, form):
        place = cgutils.gep_inbounds(builder, builder.bitcast(pointer, ir.IntType(64).as_pointer()), first + k)
        value = builder.load(builder.bitcast(place, form.as_pointer()))
        value.set_metadata("invariant.load", constant)
        return value

    if isinstance(kind, types.BaseTuple):
        parts = [word(k, context.get_value_type(part)) for k, part in enumerate(kind)]
        return context.make_tuple(builder, kind, parts)
    if not isinstance(kind, types.Array):
        return word(0, context.get_value_type(kind))
    array, size = context.make_array(kind)(context, builder), ir.IntType(64)
    array.meminfo, array.parent = (cgutils.get_null_value(part.type) for part in (array.meminfo, array.parent))
    array.nitems, array.itemsize, array.data = word(2, size), word(3, size), word(4, array.data.type)
    array.shape = cgutils.pack_array(builder, [word(5 + d, size) for d in range(kind.ndim)])
    array.strides = cgutils.pack_array(builder, [word(5 + kind.ndim + d, size) for d in range(kind.ndim)])
    return array._getvalue()


@lower_getattr_generic(RecordType)
def _lower_attribute(context, builder, record, pointer, name):
    return field_value(context, builder, record, pointer, name)


@unbox(RecordType)
def _unbox_record(record, handle, c):
    address = c.pyapi.object_getattr_string(handle, "address")
    pointer = c.builder.inttoptr(c.pyapi.long_as_ulonglong(address), c.context.get_value_type(record))
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


class Handle(Bound):
    """The compiled twin of a record: its table, and what the table points to, kept alive."""

    __slots__ = ("_numba_type_", "address", "parts", "table")

    def __init__(self, kind, table, parts):
        self._numba_type_, self.table, self.parts = kind, table, parts
        self.address = table.ctypes.data


def _compiled_type(kind):
    """The compiled type of a field: an array or number, a record, or a tuple of records."""
    parts = get_args(kind)
    return types.Tuple([_compiled_type(part) for part in parts]) if parts else _types.get(kind, kind)


def record_type(record):
    """Make the compiled type of a NamedTuple whose annotations are compiled types or such NamedTuples.

    Records hold addresses in arrays of integers: `duplicate` copies them inside of this process, pickle and copy do not.
    """
    record.__reduce_ex__ = record.__copy__ = record.__deepcopy__ = _refuse_to_leave
    fields = {name: _compiled_type(kind) for name, kind in record.__annotations__.items()}
    _types[record] = RecordType(record.__name__, fields)
    return _types[record]


def _refuse_to_leave(record, protocol=None):
    raise TypeError(cannot_leave(record))


def duplicate(record):
    """A record with arrays of its own, records in it too."""
    if isinstance(record, np.ndarray):
        return record.copy()
    if not isinstance(record, tuple):
        return record
    parts = [duplicate(part) for part in record]
    return type(record)(*parts) if type(record) in _types else tuple(parts)


def pack(record):
    """The compiled twin of a record, sharing its arrays; records in it, and tuples of them, too. In plain Python the record."""
    if PYTHON_ONLY:
        return record
    kind, table, parts = _types[type(record)], [], []
    for value, (look, number) in zip(record, _layout(kind), strict=True):
        if look is not None:
            try:
                table += (0, 0, value.size, value.itemsize, look(value), *value.shape, *value.strides)
            except TypeError as error:
                raise TypeError(
                    f"{type(record).__name__} got an array of the wrong kind, {value.dtype}: {error}"
                ) from error
            parts.append(value)
        elif number is not None:
            table.append(int(number(value).view(np.int64)))
        else:
            own = [pack(part) for part in (value if type(value) is tuple else (value,))]
            table += [part.address for part in own]
            parts += own
    return Handle(kind, np.array(table, np.int64), parts)


@cache
def _layout(record):
    """For each field a function for the address of an array, one that makes a number of its kind, or neither: a record."""
    return [
        (
            _address_of(kind) if isinstance(kind, types.Array) else None,
            as_dtype(kind).type if isinstance(kind, types.Number) else None,
        )
        for kind in record.fields.values()
    ]


@intrinsic
def _data(typingctx, array):
    def generate(context, builder, signature, values):
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.intp))

    return types.intp(array), generate


def _address(array):
    return _data(array)


@cache
def _address_of(kind):
    """A compiled function from arrays of just this kind to their addresses: six times as fast as asking NumPy."""
    found = compiled(_address)
    found.compile((kind,))
    found.disable_compile()
    return found
