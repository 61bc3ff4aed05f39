"""Which words of Python, math and NumPy mean which rule, for plain Python and for Numba."""

import builtins
import math
import operator

import numpy as np

from . import rules

# rules of one number, x -> (f, f', f'')
ONE = {
    rules.sin: (np.sin, math.sin),
    rules.cos: (np.cos, math.cos),
    rules.tan: (np.tan, math.tan),
    rules.exp: (np.exp, math.exp),
    rules.exp2: (np.exp2, math.exp2),
    rules.expm1: (np.expm1, math.expm1),
    rules.log: (np.log,),
    rules.log2: (np.log2, math.log2),
    rules.log10: (np.log10, math.log10),
    rules.log1p: (np.log1p, math.log1p),
    rules.sqrt: (np.sqrt, math.sqrt),
    rules.cbrt: (np.cbrt, math.cbrt),
    rules.square: (np.square,),
    rules.sinh: (np.sinh, math.sinh),
    rules.cosh: (np.cosh, math.cosh),
    rules.tanh: (np.tanh, math.tanh),
    rules.arcsin: (np.arcsin, math.asin),
    rules.arccos: (np.arccos, math.acos),
    rules.arctan: (np.arctan, math.atan),
    rules.arcsinh: (np.arcsinh, math.asinh),
    rules.arccosh: (np.arccosh, math.acosh),
    rules.arctanh: (np.arctanh, math.atanh),
    rules.erf: (math.erf,),
    rules.erfc: (math.erfc,),
    rules.absolute: (builtins.abs, np.absolute, np.fabs, math.fabs),
    rules.radians: (np.radians, np.deg2rad, math.radians),
    rules.degrees: (np.degrees, np.rad2deg, math.degrees),
}
# rules of one hyper-dual number
WHOLE = {
    rules.negative: (np.negative, operator.neg),
    rules.positive: (np.positive, operator.pos),
}
# rules of two hyper-dual numbers
TWO = {
    rules.add: (np.add, operator.add, operator.iadd),
    rules.subtract: (np.subtract, operator.sub, operator.isub),
    rules.multiply: (np.multiply, operator.mul, operator.imul),
    rules.divide: (np.divide, operator.truediv, operator.itruediv),
    rules.power: (np.power, np.float_power, math.pow, builtins.pow, operator.pow, operator.ipow),
    rules.modulo: (np.mod, operator.mod, operator.imod),
    rules.floor_divide: (np.floor_divide, operator.floordiv, operator.ifloordiv),
    rules.fmod: (np.fmod, math.fmod),
    rules.remainder: (math.remainder,),
    rules.arctan2: (np.arctan2, math.atan2),
    rules.hypot: (np.hypot, math.hypot),
    rules.copysign: (np.copysign, math.copysign),
    rules.heaviside: (np.heaviside,),
    rules.first_of_max: (builtins.max,),
    rules.first_of_min: (builtins.min,),
    rules.maximum: (np.maximum,),
    rules.minimum: (np.minimum,),
    rules.fmax: (np.fmax,),
    rules.fmin: (np.fmin,),
}
# what looks at the value alone and gives a real number or a truth
VALUE = (np.sign, np.floor, np.ceil, np.trunc, np.rint, np.isnan, np.isfinite, np.isinf, np.signbit)
VALUE += (math.isnan, math.isfinite, math.isinf)
SEVERAL = (builtins.max, builtins.min, math.hypot)  # of two numbers or more, from the first on
WHOLE_NUMBER = (math.floor, math.ceil, math.trunc)  # what gives a whole number
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
SIGNS = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.pow: "pow",
    operator.mod: "mod",
    operator.floordiv: "floordiv",
}
LOGIC = {np.logical_and: operator.and_, np.logical_or: operator.or_, np.logical_not: operator.not_}
# NumPy's functions of numbers -> the word that stands for them: an operator where there is one
OF_UFUNC = {
    **{word: word for named in ONE.values() for word in named if isinstance(word, np.ufunc)},
    **{word: named[1] for named in WHOLE.values() for word in named[:1]},
    **{
        word: named[1] if named[1:] and named[1] in SIGNS else word
        for named in TWO.values()
        for word in named
        if isinstance(word, np.ufunc)
    },
    **{word: word for word in VALUE if isinstance(word, np.ufunc)},
    **dict(
        zip((np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal), COMPARISONS, strict=True)
    ),
    **LOGIC,
    np.power: operator.pow,
    np.float_power: operator.pow,
}
