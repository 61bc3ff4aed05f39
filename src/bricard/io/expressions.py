"""Parameters of model files: `"${L1/2}"` stands for a number computed from the table `parameters`.

    [parameters]
    L1 = 0.3
    half = "${L1/2}"
    [bodies.crank]
    end = ["${L1*cos(30*deg)}", 0, "${25*mm}"]

An expression is the whole text of a value. It knows numbers, parameters, + - * / ** and brackets, the functions
sin, cos, tan, asin, acos, atan, atan2, sqrt, abs, min, max, the constant pi, and units as factors to SI: mm, cm, inch, deg,
rpm, kN. A parameter of the same name goes before these. Nothing else can be written, so an expression cannot
run code. (A function that a file names, "module:function", can: `code=False` refuses it.)
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from bricard.errors import ModelError, suggest

__all__ = ["CONSTANTS", "FUNCTIONS", "is_expression", "parameters_of", "resolved"]

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt")
} | {"abs": abs, "min": min, "max": max}
CONSTANTS = {
    "pi": math.pi,
    "mm": 1e-3,
    "cm": 1e-2,
    "inch": 0.0254,
    "deg": math.pi / 180.0,
    "rpm": math.pi / 30.0,
    "kN": 1e3,
}
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
LONGEST = 1000  # characters of one expression
LARGEST_POWER = 1000.0


def is_expression(value: object) -> bool:
    """Whether a value of a file is a text `${...}`."""
    return isinstance(value, str) and value.startswith("${") and value.endswith("}")


def parameters_of(table: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Return the numbers of a table of parameters; they may refer to each other. `given` replaces some of them."""
    for name in given or {}:
        if name not in table:
            raise ModelError(f'there is no parameter "{name}".{suggest(name, table)} The file has {_listed(table)}.')
    texts, found = {**table, **(given or {})}, {}
    for name in texts:
        _parameter(name, texts, found, ())
    return found


def _parameter(name: str, texts: Mapping[str, Any], found: dict[str, float], open_: tuple[str, ...]) -> float:
    """Compute one parameter and those that it needs."""
    if name in found:
        return found[name]
    if name in open_:
        raise ModelError(f"[parameters] {name}: depends on itself: {' -> '.join((*open_, name))}.")
    if name in CONSTANTS or name in FUNCTIONS:
        what = "a function" if name in FUNCTIONS else f"{CONSTANTS[name]:.6g}"
        raise ModelError(f"[parameters] {name}: this name means {what} in expressions; choose another one.")
    if not name.isidentifier():
        raise ModelError(f'[parameters]: "{name}" is no name that an expression can use; take letters, digits and _.')
    value = texts[name]
    if is_expression(value):

        def look_up(other: str) -> float | None:
            return _parameter(other, texts, found, (*open_, name)) if other in texts else None

        value = _evaluate(value, look_up, texts, f"[parameters] {name}")
    elif isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise ModelError(f'[parameters] {name} must be a finite number or a text "${{...}}", not {value!r}.')
    found[name] = value
    return value


def resolved(value: Any, parameters: Mapping[str, float], where: str = "") -> Any:
    """Return a copy of a value of a file, lists included, with numbers in place of its expressions."""
    if isinstance(value, list):
        return [resolved(item, parameters, where) for item in value]
    if is_expression(value):
        return _evaluate(value, parameters.get, parameters, where)
    if isinstance(value, str) and "${" in value:
        raise ModelError(f'{where}: "{value}" must be one expression "${{...}}" and nothing around it.')
    return value


def _evaluate(text: str, look_up: Callable[[str], float | None], known: Mapping[str, Any], where: str) -> float:
    """Compute the text `${...}`."""
    inner = text[2:-1].strip()
    try:
        if len(inner) > LONGEST:
            raise ValueError(f"it has more than {LONGEST} characters")
        tree = ast.parse(inner, mode="eval").body
        value = _compute(tree, look_up, known)
    except SyntaxError:
        raise ModelError(f'{where}: "{text}" is not a formula.') from None
    except ModelError as error:
        raise ModelError(f'{where}: "{text}": {error}') from None
    except (ValueError, TypeError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ModelError(f'{where}: "{text}" cannot be computed: {error}.') from None
    if isinstance(value, complex) or not _finite(value):
        raise ModelError(f'{where}: "{text}" is no finite real number.')
    return value


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _compute(node: ast.AST, look_up: Callable[[str], float | None], known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            value = look_up(name)
            if value is None:
                value = CONSTANTS.get(name)
            if value is None:
                raise ModelError(f'there is no parameter "{name}".{suggest(name, [*known, *CONSTANTS])}')
            return value
        case ast.UnaryOp(op=sign, operand=part) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](_compute(part, look_up, known))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            a, b = _compute(left, look_up, known), _compute(right, look_up, known)
            if isinstance(sign, ast.Pow):
                if abs(b) > LARGEST_POWER:
                    raise ValueError(f"the power {b} is too large")
                a = float(a)  # integers would grow without bound
            return OPERATORS[type(sign)](a, b)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_compute(argument, look_up, known) for argument in arguments))
        case ast.Call(func=ast.Name(id=name)):
            raise ModelError(f'there is no function "{name}".{suggest(name, FUNCTIONS)} Known: {", ".join(FUNCTIONS)}.')
    raise ModelError("only numbers, parameters, + - * / ** and brackets, and a few functions can stand here.")


def _listed(table: Mapping[str, Any]) -> str:
    return ", ".join(table) or "none"
