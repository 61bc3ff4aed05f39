"""Numbers that tell on which sides of its kinks a function was, as a scalar type of Numba; see hyperdual/sided.py.

Each of them is a hyper-dual number and the address of the track; what is made of real numbers alone has address 0, and enters
nothing. Rules are those of hyper-dual numbers: a word for a Sided number is the same word for the number inside.
"""

import hashlib
import math
import operator
import sys
from pathlib import Path

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    register_model,
    type_callable,
)

from ..hyperdual import sides, words
from ..hyperdual.number import HyperDual
from ..hyperdual.sided import ADDED, MULTIPLIER, SHIFT, Sided, Track
from ..hyperdual.sided import inner as plain_inner
from .cache import fingerprint
from .hyperdual import HYPERDUAL, NO_ERRORS, NUMBER, HyperDualType, as_number, by_name, lifted
from .pointers import PYTHON_ONLY

__all__ = ["SIDED", "Sided", "SidedType", "inner", "sided"]


def _mark():
    """Fingerprint of all rules: those of hyper-dual numbers, of sides and their track, and this module."""
    files = sides.__file__, sys.modules[Track.__module__].__file__, __file__
    code = [compile(Path(str(file)).read_text(encoding="utf-8"), "", "exec") for file in files]
    return hashlib.sha256("\n".join([HyperDual.__fingerprint__, *map(fingerprint, code)]).encode()).hexdigest()[:16]


Sided.__fingerprint__ = _mark()


class SidedType(types.Type):
    """The type; the name of cached code changes with the rules."""

    def __init__(self):
        super().__init__(name=f"Sided_{Sided.__fingerprint__}")

    def unify(self, context, other):
        """Where a branch gives a real number and another one such a number, both give such numbers."""
        return self if isinstance(other, (*NUMBER, HyperDualType, SidedType)) else None

    def can_convert_from(self, context, other):
        """From all real numbers."""
        return Conversion.safe if isinstance(other, (*NUMBER, HyperDualType)) else None


SIDED = SidedType()


@type_callable(Sided)
def _type_call(context):
    return lambda number, track: SIDED


@register_model(SidedType)
class _Model(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("number", HYPERDUAL), ("track", types.int64)])


for _part in ("number", "track"):
    make_attribute_wrapper(SidedType, _part, _part)


@overload_attribute(SidedType, "real")
def _itself(number):
    return lambda number: number


def _made(context, builder, number, track):
    made = cgutils.create_struct_proxy(SIDED)(context, builder)
    made.number, made.track = number, track
    return made._getvalue()


@lower_builtin(Sided, HyperDualType, types.Integer)
def _make(context, builder, signature, values):
    return _made(context, builder, *values)


@lower_cast(types.Float, SidedType)
@lower_cast(types.Integer, SidedType)
@lower_cast(types.Boolean, SidedType)
@lower_cast(HyperDualType, SidedType)
def _cast(context, builder, given, wanted, value):
    return _made(context, builder, as_number(context, builder, given, value), context.get_constant(types.int64, 0))


if PYTHON_ONLY:

    def sided(number, track):
        """A hyper-dual number with a track (three integers)."""
        return Sided(number, track)

    inner = plain_inner
else:

    @intrinsic
    def sided(typingctx, number, track):
        """A hyper-dual number with a track (three integers)."""

        def generate(context, builder, signature, values):
            data = context.make_array(signature.args[1])(context, builder, values[1]).data
            return _made(context, builder, values[0], builder.ptrtoint(data, ir.IntType(64)))

        return SIDED(number, track), generate

    def inner(value):
        """The hyper-dual number of such a number, any other value as it is."""
        raise NotImplementedError  # only in compiled code

    @overload(inner)
    def _inner(value):
        return (lambda value: value.number) if isinstance(value, SidedType) else (lambda value: value)


@intrinsic
def enter(typingctx, track, outcome, seen, points):
    """Enter an outcome (a number or a truth) into the track at an address: its mark, and what is added to the two counts."""

    def generate(context, builder, signature, values):
        word = ir.IntType(64)
        address, outcome, seen, points = values
        with builder.if_then(builder.icmp_signed("!=", address, word(0))):
            start = builder.inttoptr(address, word.as_pointer())

            def place(slot):
                return builder.gep(start, [word(int(slot))])

            outcome = context.cast(builder, outcome, signature.args[1], types.float64)
            plain = builder.fadd(outcome, outcome.type(0.0))  # -0 counts as 0
            mark = builder.xor(builder.load(place(Track.MARK)), builder.bitcast(plain, word))
            mixed = builder.mul(builder.add(mark, word(ADDED)), word(MULTIPLIER))
            mixed = builder.xor(mixed, builder.lshr(mixed, word(SHIFT)))
            counts = builder.icmp_signed("!=", seen, word(0))
            builder.store(builder.select(counts, mixed, builder.load(place(Track.MARK))), place(Track.MARK))
            for slot, more in ((Track.SEEN, seen), (Track.POINTS, points)):
                builder.store(builder.add(builder.load(place(slot)), more), place(slot))
        return context.get_dummy_value()

    return types.void(types.int64, outcome, types.int64, types.int64), generate


@overload(lifted)
def _lifted(value):
    return (lambda value: value) if isinstance(value, SidedType) else None


def shared(u, v):
    """The track of two values."""
    raise NotImplementedError  # only in compiled code


@overload(shared)
def _shared(u, v):
    if isinstance(u, SidedType) and isinstance(v, SidedType):
        return lambda u, v: u.track if u.track != 0 else v.track
    return (lambda u, v: u.track) if isinstance(u, SidedType) else (lambda u, v: v.track)


def wrapped(result, track):
    """What a rule has given, with its track."""
    raise NotImplementedError  # only in compiled code


@overload(wrapped)
def _wrapped(result, track):
    if isinstance(result, HyperDualType):
        return lambda result, track: Sided(result, track)
    return lambda result, track: result


# words ----------------------------------------------------------------------------------------------------------------------


def are_sided(*kinds):
    """Whether numbers are meant, one of them Sided."""
    return any(isinstance(kind, SidedType) for kind in kinds) and all(
        isinstance(kind, (*NUMBER, HyperDualType, SidedType)) for kind in kinds
    )


def _one(word):
    side, point, outcome = sides.SIDES.get(word), sides.POINTS.get(word), word in sides.OUTCOMES
    if outcome and point is not None:

        def called(u):
            result = word(u.number)
            enter(u.track, result, 1, 1 if point(u.number) else 0)
            return result
    elif outcome:

        def called(u):
            result = word(u.number)
            enter(u.track, result, 1, 0)
            return result
    elif side is not None and point is not None:

        def called(u):
            enter(u.track, side(u.number.x), 1, 1 if point(u.number) else 0)
            return Sided(word(u.number), u.track)
    elif point is not None:

        def called(u):
            enter(u.track, 0.0, 0, 1 if point(u.number) else 0)
            return Sided(word(u.number), u.track)
    else:

        def called(u):
            return Sided(word(u.number), u.track)

    return lambda u: called if isinstance(u, SidedType) else None


def _two(word):
    side, point, outcome = sides.SIDES.get(word), sides.POINTS.get(word), word in sides.OUTCOMES
    if outcome:

        def called(u, v):
            result = word(inner(u), inner(v))
            enter(shared(u, v), result, 1, 0)
            return result
    elif side is not None and point is not None:

        def called(u, v):
            p, q = lifted(inner(u)), lifted(inner(v))
            enter(shared(u, v), side(p.x, q.x), 1, 1 if point(p, q) else 0)
            return Sided(word(p, q), shared(u, v))
    elif side is not None:

        def called(u, v):
            p, q = lifted(inner(u)), lifted(inner(v))
            enter(shared(u, v), side(p.x, q.x), 1, 0)
            return Sided(word(p, q), shared(u, v))
    elif point is not None:

        def called(u, v):
            enter(shared(u, v), 0.0, 0, 1 if point(lifted(inner(u)), lifted(inner(v))) else 0)
            return Sided(word(inner(u), inner(v)), shared(u, v))
    else:

        def called(u, v):
            return Sided(word(inner(u), inner(v)), shared(u, v))

    return lambda u, v: called if are_sided(u, v) else None


def _several(word):
    """Of two or more numbers, from the first on."""
    two = by_name(_two(word)(SIDED, SIDED))

    def pair(*numbers):
        return two(numbers[0], numbers[1])

    def three(*numbers):
        return two(two(numbers[0], numbers[1]), numbers[2])

    def four(*numbers):
        return two(two(two(numbers[0], numbers[1]), numbers[2]), numbers[3])

    return lambda *numbers: {2: pair, 3: three, 4: four}.get(len(numbers)) if are_sided(*numbers) else None


def _comparison(compare):
    def called(u, v):
        result = compare(inner(u), inner(v))
        enter(shared(u, v), result, 1, 0)
        return result

    return lambda u, v: called if are_sided(u, v) else None


def _register(word, choose):
    overload(word, jit_options=NO_ERRORS)(choose)


for _rule in {*sides.SIDES.values(), *sides.POINTS.values(), sides.side_of_zero, sides.piece}:
    by_name(_rule)
for _words in words.ONE.values():
    for _word in _words:
        _register(_word, _one(_word))
for _words in words.WHOLE.values():
    for _word in _words:
        _register(_word, _one(_word))
for _word in (*words.VALUE, *words.WHOLE_NUMBER):
    _register(_word, _one(_word))
for _words in words.TWO.values():
    for _word in _words:
        _register(_word, _several(_word) if _word in words.SEVERAL else _two(_word))
for _word in words.COMPARISONS:
    _register(_word, _comparison(_word))


@overload(bool)
def _truth(u):
    def truth(u):
        result = u.number.x != 0.0
        enter(u.track, result, 1, 0)
        return result

    return truth if isinstance(u, SidedType) else None


@overload(operator.not_)
def _untruth(u):
    return (lambda u: not bool(u)) if isinstance(u, SidedType) else None


@overload(int)
def _whole(u):
    def whole(u):
        result = int(u.number.x)
        enter(u.track, result, 1, 0)
        return result

    return whole if isinstance(u, SidedType) else None


@overload(round)
def _round(number, ndigits=None):
    if not isinstance(number, SidedType):
        return None

    def rounded(number, ndigits=None):
        result = round(number.number, ndigits)
        enter(number.track, result, 1, 0)
        return result

    def to_whole(number, ndigits=None):
        result = round(number.number)
        enter(number.track, result, 1, 0)
        return result

    return to_whole if ndigits is None or isinstance(ndigits, (types.NoneType, types.Omitted)) else rounded


@overload(np.round)
def _np_round(a, decimals=0):
    def rounded(a, decimals=0):
        result = round(a.number.x, decimals)
        enter(a.track, result, 1, 0)
        return result

    return rounded if isinstance(a, SidedType) else None


@overload(math.log)
def _log(*numbers):
    if not are_sided(*numbers):
        return None
    if len(numbers) == 1:
        return lambda *numbers: Sided(math.log(numbers[0].number), numbers[0].track)
    return lambda *numbers: Sided(
        math.log(lifted(inner(numbers[0])), lifted(inner(numbers[1]))), shared(numbers[0], numbers[1])
    )


@overload(np.where)
def _where(condition, x, y):
    if not isinstance(condition, (*NUMBER, SidedType)) or not are_sided(x, y):
        return None

    def where(condition, x, y):
        return Sided(lifted(inner(x)) if condition else lifted(inner(y)), shared(x, y))

    return where


@overload(np.clip)
def _clip(a, a_min, a_max):
    low, high = (not isinstance(limit, (types.NoneType, types.Omitted)) for limit in (a_min, a_max))
    if not are_sided(a, *(limit for limit, given in ((a_min, low), (a_max, high)) if given)):
        return None
    if low and high:
        return lambda a, a_min, a_max: np.minimum(np.maximum(a, a_min), a_max)
    return (lambda a, a_min, a_max: np.maximum(a, a_min)) if low else (lambda a, a_min, a_max: np.minimum(a, a_max))


piece = sides.piece


@overload(np.interp)
def _interp(x, xp, fp):
    def interp(x, xp, fp):
        enter(x.track, piece(x.number.x, xp), 1, 0)
        return Sided(np.interp(x.number, xp, fp), x.track)

    return interp if isinstance(x, SidedType) else None
