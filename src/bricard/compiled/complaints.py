"""Numba's complaints about a user's function, as a sentence that says which function it is and what to do."""

import re
from pathlib import Path

from ..errors import UserFunctionError

ALLOWED = (
    "Such a function takes numbers, tuples, numpy's functions of numbers, and functions decorated with numba.njit; see "
    "docs/own-joints-and-forces.md."
)


def users_functions(function):
    """The functions in the closure of a compiled one, at any depth, that are not the package's own."""
    found = []
    for cell in getattr(function, "py_func", function).__closure__ or ():
        inner = getattr(cell.cell_contents, "py_func", None)
        if inner is not None:
            own = inner.__module__.startswith("bricard.")
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


def complaint(function, error):
    """The UserFunctionError for an error of Numba's in compiling `function`; that error itself where no user's code is in it."""
    functions, text = users_functions(function), str(error)
    if not functions:
        return error
    unknown = re.search(r"(?:Untyped global name|NameError: name|global name) '(\w+)'", text)
    if unknown:
        what = f'it uses "{unknown[1]}", which is not compiled. Decorate that with numba.njit, or write it out'
    elif re.search(r"<built-in function (lt|le|gt|ge)>.*?complex", text, re.DOTALL):
        what = "it compares numbers that are complex while derivatives are taken. Compare real parts, as in `if t.real < 1.0:`"
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        what = next(line for line in lines if not line.startswith("Failed in nopython")).rstrip(".:")
        what += next((f" {line[4:]}" for line in lines if line.startswith(">>> ")), "")
    names = " or ".join(
        f'"{f.__name__}" ({Path(f.__code__.co_filename).name}, line {f.__code__.co_firstlineno})'
        for f in blamed(functions, text)
    )
    return UserFunctionError(f"The function {names} cannot be compiled: {what}. {ALLOWED}")
