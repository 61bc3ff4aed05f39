"""Hyper-dual numbers as a scalar type of Numba; the rules are those of hyperdual/rules.py, which plain Python uses, too.

Numba knows nothing of a rule that has changed: what is compiled with such numbers names HyperDual somewhere, and its
fingerprint, like the name of the type, holds that of all rules (cache.py).
"""

import hashlib
import math
import operator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typeconv import Conversion
from numba.extending import (
    NativeValue,
    box,
    lower_builtin,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

from ..hyperdual import plain, rules, words
from ..hyperdual.number import PARTS, HyperDual, lifted
from .cache import fingerprint

__all__ = ["HYPERDUAL", "NUMBER", "HyperDual", "HyperDualType", "as_number", "lifted", "made"]

NUMBER = (types.Float, types.Integer, types.Boolean)
NO_ERRORS = {"error_model": "numpy"}  # 1/0 is infinite


def _mark():
    """Fingerprint of all rules: of the code of the modules that hold them, this one included."""
    sources = [find_spec(module.__name__).origin for module in (rules, words)] + [__file__]
    code = [compile(Path(source).read_text(encoding="utf-8"), "", "exec") for source in sources]
    return hashlib.sha256("\n".join(fingerprint(part) for part in code).encode()).hexdigest()[:16]


HyperDual.__fingerprint__ = _mark()


class HyperDualType(types.Type):
    """The type; the name of cached code changes with the rules."""

    def __init__(self):
        super().__init__(name=f"HyperDual_{HyperDual.__fingerprint__}")

    def unify(self, context, other):
        """Where a branch gives a real number and another one such a number, both give such numbers."""
        return self if isinstance(other, (*NUMBER, HyperDualType)) else None

    def can_convert_from(self, context, other):
        """From all real numbers."""
        return Conversion.safe if isinstance(other, NUMBER) else None


HYPERDUAL = HyperDualType()


@typeof_impl.register(HyperDual)
def _typeof(value, context):
    return HYPERDUAL


@type_callable(HyperDual)
def _type_call(context):
    return lambda x, a, b, ab: HYPERDUAL


@register_model(HyperDualType)
class _Model(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [(part, types.float64) for part in PARTS])


for _part in PARTS:
    make_attribute_wrapper(HyperDualType, _part, _part)


@overload_attribute(HyperDualType, "real")
def _itself(number):
    return lambda number: number


def made(context, builder, parts):
    """A number of four parts, in generated code."""
    number = cgutils.create_struct_proxy(HYPERDUAL)(context, builder)
    for name, part in zip(PARTS, parts, strict=True):
        setattr(number, name, part)
    return number._getvalue()


def as_number(context, builder, kind, value):
    """A value of any number type as such a number."""
    if isinstance(kind, HyperDualType):
        return value
    zero = context.get_constant(types.float64, 0.0)
    return made(context, builder, (context.cast(builder, value, kind, types.float64), zero, zero, zero))


@lower_builtin(HyperDual, *(types.Any,) * 4)
def _make(context, builder, signature, values):
    pairs = zip(values, signature.args, strict=True)
    return made(context, builder, [context.cast(builder, value, kind, types.float64) for value, kind in pairs])


@lower_cast(types.Float, HyperDualType)
@lower_cast(types.Integer, HyperDualType)
@lower_cast(types.Boolean, HyperDualType)
def _cast(context, builder, given, wanted, value):
    return as_number(context, builder, given, value)


@box(HyperDualType)
def _box(kind, value, c):
    number = cgutils.create_struct_proxy(HYPERDUAL)(c.context, c.builder, value=value)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(HyperDual))
    parts = [c.pyapi.float_from_double(getattr(number, part)) for part in PARTS]
    result = c.pyapi.call_function_objargs(cls, parts)
    for item in (*parts, cls):
        c.pyapi.decref(item)
    return result


@unbox(HyperDualType)
def _unbox(kind, value, c):
    parts = []
    for part in PARTS:
        item = c.pyapi.object_getattr_string(value, part)
        parts.append(c.pyapi.float_as_double(item))
        c.pyapi.decref(item)
    return NativeValue(made(c.context, c.builder, parts))


# rules --------------------------------------------------------------------------------------------------------


def are_numbers(*kinds):
    """Whether numbers are meant, one of them hyper-dual."""
    return any(isinstance(kind, HyperDualType) for kind in kinds) and all(
        isinstance(kind, (*NUMBER, HyperDualType)) for kind in kinds
    )


@overload(lifted)
def _lifted(value):
    if isinstance(value, HyperDualType):
        return lambda value: value
    if isinstance(value, NUMBER):
        return lambda value: HyperDual(float(value), 0.0, 0.0, 0.0)
    return None


def _named(word):
    """Register an implementation for a word, where the rule for its types is ours."""
    return overload(word, jit_options=NO_ERRORS)


def by_name(rule):
    """Let compiled code call the rule by its name."""

    def choose(*_):
        return rule

    overload(rule, jit_options=NO_ERRORS, strict=False)(choose)
    return rule


compose, interpolate = by_name(rules.compose), by_name(rules.interpolate)
maximum, minimum = rules.maximum, rules.minimum
for _rule in (rules.times, rules.power_of_constant, *words.ONE, *words.WHOLE, *words.TWO):
    by_name(_rule)


def _for_one(rule):
    def of_one(u):
        f, f1, f2 = rule(u.x)
        return compose(f, f1, f2, u)

    return lambda u: of_one if isinstance(u, HyperDualType) else None


def _for_whole(rule):
    return lambda u: rule if isinstance(u, HyperDualType) else None


def _scaled(u, s):
    return HyperDual(u.x * s, u.a * s, u.b * s, u.ab * s)


def _divided(u, s):
    return HyperDual(u.x / s, u.a / s, u.b / s, u.ab / s)


# of a number u and a real number s: less to compute than with s as such a number
WITH_REAL = {
    rules.add: lambda u, s: HyperDual(u.x + s, u.a, u.b, u.ab),
    rules.subtract: lambda u, s: HyperDual(u.x - s, u.a, u.b, u.ab),
    rules.multiply: _scaled,
    rules.divide: _divided,
    rules.power: rules.power_of_constant,
}
WITH_REAL = {rule: short if short is rules.power_of_constant else by_name(short) for rule, short in WITH_REAL.items()}
COMMUTING = (rules.add, rules.multiply)


def _for_two(rule):
    short = WITH_REAL.get(rule)

    def of_two(u, v):
        return rule(lifted(u), lifted(v))

    def with_real(u, v):
        return short(u, float(v))

    def real_with(u, v):
        return short(v, float(u))

    def choose(u, v):
        if not are_numbers(u, v):
            return None
        if short is not None and not isinstance(v, HyperDualType):
            return with_real
        if short is not None and rule in COMMUTING and not isinstance(u, HyperDualType):
            return real_with
        return of_two

    return choose


def _for_several(rule):
    """Of two or more numbers, from the first on."""

    def two(*numbers):
        return rule(lifted(numbers[0]), lifted(numbers[1]))

    def three(*numbers):
        return rule(rule(lifted(numbers[0]), lifted(numbers[1])), lifted(numbers[2]))

    def four(*numbers):
        front = rule(lifted(numbers[0]), lifted(numbers[1]))
        return rule(rule(front, lifted(numbers[2])), lifted(numbers[3]))

    def choose(*numbers):
        kinds = tuple(numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], (tuple, types.BaseTuple)) else numbers
        if not are_numbers(*kinds):
            return None
        if len(kinds) > 4 or kinds is not numbers:
            raise TypingError("max, min and hypot take two to four numbers here: nest the calls")
        return {2: two, 3: three, 4: four}.get(len(kinds))

    return choose


for _rule, _words in words.ONE.items():
    for _word in _words:
        _named(_word)(_for_one(_rule))
for _rule, _words in words.WHOLE.items():
    for _word in _words:
        _named(_word)(_for_whole(_rule))
for _rule, _words in words.TWO.items():
    for _word in _words:
        _named(_word)(_for_several(_rule) if _word in words.SEVERAL else _for_two(_rule))


def _for_value(word):
    def of_value(u):
        return word(u.x)

    return lambda u: of_value if isinstance(u, HyperDualType) else None


for _word in (*words.VALUE, *words.WHOLE_NUMBER):
    _named(_word)(_for_value(_word))


def _for_comparison(compare):
    def choose(u, v):
        first, second = isinstance(u, HyperDualType), isinstance(v, HyperDualType)
        if not are_numbers(u, v):
            return None
        if first and second:
            return lambda u, v: compare(u.x, v.x)
        return (lambda u, v: compare(u.x, v)) if first else (lambda u, v: compare(u, v.x))

    return choose


for _word in words.COMPARISONS:
    _named(_word)(_for_comparison(_word))


@_named(bool)
def _truth(u):
    return (lambda u: u.x != 0.0) if isinstance(u, HyperDualType) else None


@_named(operator.not_)
def _untruth(u):
    return (lambda u: u.x == 0.0) if isinstance(u, HyperDualType) else None


@_named(int)
def _whole(u):
    return (lambda u: int(u.x)) if isinstance(u, HyperDualType) else None


@_named(float)
def _real(u):
    if isinstance(u, HyperDualType):
        raise TypingError("float(x) would drop the derivatives of x: leave float() out")


@_named(round)
def _round(number, ndigits=None):
    if not isinstance(number, HyperDualType):
        return None
    if ndigits is None or isinstance(ndigits, (types.NoneType, types.Omitted)):
        return lambda number, ndigits=None: round(number.x)
    return lambda number, ndigits=None: round(number.x, ndigits)


def _np_round(a, decimals=0):
    if isinstance(a, HyperDualType):
        return lambda a, decimals=0: round(a.x, decimals)
    return None


_named(np.round)(_np_round)


def _logarithm(u):
    f, f1, f2 = log(u.x)
    return compose(f, f1, f2, u)


log, divide = rules.log, rules.divide
by_name(_logarithm)


@_named(math.log)
def _math_log(*numbers):
    if not are_numbers(*numbers):
        return None
    if len(numbers) == 1:
        return lambda *numbers: _logarithm(numbers[0])
    return lambda *numbers: divide(_logarithm(lifted(numbers[0])), _logarithm(lifted(numbers[1])))


@_named(np.where)
def _where(condition, x, y):
    if isinstance(condition, NUMBER) and are_numbers(x, y):
        return lambda condition, x, y: lifted(x) if condition else lifted(y)
    return None


@_named(np.clip)
def _clip(a, a_min, a_max):
    low, high = (not isinstance(limit, (types.NoneType, types.Omitted)) for limit in (a_min, a_max))
    if not are_numbers(a, *(limit for limit, given in ((a_min, low), (a_max, high)) if given)):
        return None
    if low and high:
        return lambda a, a_min, a_max: minimum(maximum(lifted(a), lifted(a_min)), lifted(a_max))
    if low:
        return lambda a, a_min, a_max: maximum(lifted(a), lifted(a_min))
    return lambda a, a_min, a_max: minimum(lifted(a), lifted(a_max))


@_named(np.interp)
def _interp(x, xp, fp):
    if not isinstance(x, HyperDualType):
        return None

    def interp(x, xp, fp):
        f, f1, f2 = interpolate(x.x, xp, fp)
        return compose(f, f1, f2, x)

    return interp


_ = plain  # gives HyperDual its operators in plain Python
