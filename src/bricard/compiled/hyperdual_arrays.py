"""Hyper-dual numbers in arrays of floats: four parts each, one number behind the other."""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from ..hyperdual.number import PARTS, HyperDual, lifted
from .hyperdual import HYPERDUAL, NUMBER, HyperDualType, as_number, made
from .pointers import PYTHON_ONLY
from .sided import SidedType, inner

if PYTHON_ONLY:

    def take(given, first, count):
        """The numbers first ... first + count - 1 of an array, as a tuple; `count` is a constant."""
        return tuple(HyperDual(*given[4 * i : 4 * i + 4]) for i in range(first, first + count))

    def store(out, values):
        """Write the numbers of a tuple (of tuples) to an array, one behind the other."""
        out[: 4 * _store_plain(out, 0, values)] += 0.0

    def store_slopes(out, values):
        """The same without the mixed parts."""
        mixed = out[3::4].copy()
        store(out, values)
        out[3::4] = mixed

    def _store_plain(out, place, values):
        if isinstance(values, (tuple, list)) or np.ndim(values):  # np.vectorize gives arrays without an axis
            for value in values:
                place = _store_plain(out, place, value)
            return place
        number = lifted(inner(values.item() if isinstance(values, np.ndarray) else values))
        out[4 * place : 4 * place + 4] = [number.x, number.a, number.b, number.ab]
        return place + 1
else:

    @intrinsic(prefer_literal=True)
    def take(typingctx, given, first, count):
        """The numbers first ... first + count - 1 of an array, as a tuple; `count` is a constant."""
        kind = types.UniTuple(HYPERDUAL, count.literal_value)

        def generate(context, builder, signature, values):
            data = context.make_array(signature.args[0])(context, builder, values[0]).data
            place = context.cast(builder, values[1], signature.args[1], types.intp)
            start = builder.mul(place, context.get_constant(types.intp, 4))
            numbers = []
            for k in range(kind.count):
                places = [builder.add(start, context.get_constant(types.intp, 4 * k + i)) for i in range(4)]
                parts = [builder.load(builder.gep(data, [place], inbounds=True)) for place in places]
                numbers.append(made(context, builder, parts))
            return context.make_tuple(builder, kind, numbers)

        return kind(given, first, count), generate

    def _storing(parts):
        def store(typingctx, out, values):
            _check_numbers(values)

            def generate(context, builder, signature, arguments):
                data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
                leaves = _leaves(builder, signature.args[1], arguments[1])
                for k, (kind, value) in enumerate(leaves):
                    if isinstance(kind, SidedType):
                        kind, value = HYPERDUAL, builder.extract_value(value, 0)
                    number = cgutils.create_struct_proxy(HYPERDUAL)(
                        context, builder, value=as_number(context, builder, kind, value)
                    )
                    for i, part in enumerate(parts):
                        place = cgutils.gep_inbounds(builder, data, 4 * k + i)
                        builder.store(getattr(number, part), place)
                return context.get_dummy_value()

            return types.void(out, values), generate

        return store

    @intrinsic
    def store(typingctx, out, values):
        """Write the numbers of a tuple (of tuples) to an array, one behind the other."""
        return _storing(PARTS)(typingctx, out, values)

    @intrinsic
    def store_slopes(typingctx, out, values):
        """The same without the mixed parts."""
        return _storing(PARTS[:3])(typingctx, out, values)


def _leaves(builder, kind, value):
    if not isinstance(kind, types.BaseTuple):
        return [(kind, value)]
    found = []
    for i, part in enumerate(kind):
        found += _leaves(builder, part, builder.extract_value(value, i))
    return found


def _check_numbers(kind):
    parts = list(kind) if isinstance(kind, types.BaseTuple) else [kind]
    for part in parts:
        if isinstance(part, types.BaseTuple):
            _check_numbers(part)
        elif not isinstance(part, (*NUMBER, HyperDualType, SidedType)):
            raise TypingError(f"it returns {part}, but numbers are needed")
