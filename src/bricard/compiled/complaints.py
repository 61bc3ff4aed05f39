"""Numba's complaints about a user's function, as a sentence that says which function it is and what to do."""

import re
from pathlib import Path

from ..errors import UserFunctionError
from ..hyperdual.writing import FOLLOWED

ALLOWED = "docs/functions.md says what may be written."
ARRAYS = (
    "it makes an array of its arguments. Write tuples: with `from bricard import vectors`, vectors.subtract(b.x, a.x), "
    "vectors.dot(d, d), vectors.norm(d), vectors.cross(d, e), vectors.rotate(b.R, d)"
)
# what is found in the text of Numba's error, and what to say of it
KNOWN = (
    (
        r"searchsorted\(|attribute '(?:bisect|searchsorted)\w*' of type Module",
        "it searches a table in too many ways. Take np.interp(x, knots, values), or a br.Table",
    ),
    (r"unsupported opcode \(IMPORT_NAME\)", "it imports a module. Import it outside of the function"),
    (r"Unsupported use of cell variable", "a function inside of it calls itself. Write that as a loop"),
    (r"float\(HyperDual", "it calls float(x), which would drop the derivatives of x. Leave float() out"),
    (r"\b(?:array|asarray|zeros_like|norm|dot|cross|matmul)\(.*HyperDual|array\(list", ARRAYS),
    (r"(?:complex|str)\(HyperDual", "it makes a text or a complex number of an argument. Work with numbers"),
    (r">>> lifted\((.*?)\)\n", "it returns {0}, but one number is needed"),
    (r">>> store\(.*?, (?!Tuple|UniTuple)(.*?)\)\n", "it returns {0}. Return a tuple of numbers"),
    (r"it returns (.*?), but numbers are needed", "it returns {0} among its numbers. Return a tuple of numbers"),
    (r"max, min and hypot take two", "max, min and hypot take two to four numbers here. Nest the calls"),
    (r"assigned to variable '(\w+)' in globals", 'it uses the global list "{0}". Make that a tuple'),
    (
        r"Function\(<[\w-]+ (?:function |')?([\w.]+).*\) found for signature:\s*>>> \w+\(.*HyperDual",
        "it calls {0}, of which no derivative is known",
    ),
)


def users_functions(function):
    """The functions in the closure of a compiled one, at any depth, that are not the package's own."""
    found = []
    for cell in getattr(function, "py_func", function).__closure__ or ():
        inner = getattr(cell.cell_contents, "py_func", None)
        if inner is not None:
            own = (inner.__module__ or "").startswith("bricard.")
            found += users_functions(inner) if own else [inner]
    return list(dict.fromkeys(found))


def blamed(functions, text):
    """Those of the functions whose lines the text of the error names; all of them if it names none."""
    places = {(Path(file).name, int(line)) for file, line in re.findall(r'File "(.*?)", line (\d+)', text)}
    named = []
    for function in functions:
        code = function.__code__
        lines = [line for *_, line in code.co_lines() if line]
        if any(file == Path(code.co_filename).name and min(lines) <= line <= max(lines) for file, line in places):
            named.append(function)
    return named or functions


def unknown_name(functions, name):
    """What to say of a global name that compiled code does not take."""
    values = [vars_of(function).get(name) for function in functions]
    value = next((value for value in values if value is not None), None)
    if value is None:
        return f'it uses "{name}", which is not defined'
    if isinstance(value, (dict, list, set)):
        return f'it uses the global {type(value).__name__} "{name}". Make that a tuple, or global numbers'
    if hasattr(value, "py_func"):
        return f'it calls "{name}", which cannot be compiled: if that calls itself, write it as a loop'
    return f'it uses "{name}", {value!r}, which compiled code does not take. Write it out with def, or take a table'


def vars_of(function):
    """Global names and those of a closure."""
    closed = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return function.__globals__ | {name: cell.cell_contents for name, cell in closed}


def line_of(function, text):
    """The line of a function that the text of an error names, or its first one."""
    code = function.__code__
    lines = {line for *_, line in code.co_lines() if line}
    places = re.findall(r'File "(.*?)", line (\d+)', text)
    named = [int(line) for file, line in places if Path(file).name == Path(code.co_filename).name]
    inside = [line for line in named if line in lines and line != code.co_firstlineno]
    return inside[0] if inside else code.co_firstlineno


def complaint(function, error):
    """The UserFunctionError for an error of Numba's in compiling `function`; that error itself where no user's code is in it."""
    functions, text = users_functions(function), str(error)
    if not functions or isinstance(error, UserFunctionError):
        return error
    unknown = re.search(r"(?:Untyped global name|NameError: name|global name|freevar) '(\w+)'", text)
    if unknown:
        return refusal(functions, unknown_name(functions, unknown[1]), text)
    known = ((re.search(pattern, text), words) for pattern, words in KNOWN)
    what = next((words.format(*found.groups()) for found, words in known if found), None)
    if what is None and re.search(r"<built-in function (lt|le|gt|ge)>.*?complex", text, re.DOTALL):
        what = "it compares numbers that are complex while derivatives are taken. Compare real parts, as in `if t.real < 1.0:`"
    if what is None:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        what = next(line for line in lines if not line.startswith("Failed in nopython")).rstrip(".:")
        what += next((f" {line[4:]}" for line in lines if line.startswith(">>> ")), "")
    return refusal(functions, what, text)


def refusal(functions, what, text):
    """The sentence: which function, where, what, and where the docs are."""
    what = re.sub(r"HyperDual_\w+", "number", what)
    names = " or ".join(f'"{f.__name__}"{_place(f, text)}' for f in blamed(functions, text))
    return UserFunctionError(f"The function {names} cannot be compiled: {what}; {ALLOWED}")


def _place(function, text):
    """File and line in brackets; nothing of straight code that we have written ourselves (hyperdual/writing.py)."""
    file = function.__code__.co_filename
    return "" if file.endswith(FOLLOWED) else f" ({Path(file).name}, line {line_of(function, text)})"
