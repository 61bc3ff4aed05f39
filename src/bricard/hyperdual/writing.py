"""A function that was followed (following.py) as straight code: comparisons, and one assignment for each thing that is done."""

import builtins
import keyword
import operator
from types import FunctionType

import numpy as np

from .following import TRUTHS, Course, Term

FOLLOWED = ", followed>"  # how the names of the files end that such code seems to come from
MOST_LINES = 4000  # beyond which the function is compiled as it stands
SIGNS = {
    operator.add: "{} + {}",
    operator.sub: "{} - {}",
    operator.mul: "{} * {}",
    operator.truediv: "{} / {}",
    operator.pow: "{} ** {}",
    operator.mod: "{} % {}",
    operator.floordiv: "{} // {}",
    operator.neg: "-{}",
    operator.and_: "{} & {}",
    operator.or_: "{} | {}",
    operator.not_: "not {}",
    operator.lt: "{} < {}",
    operator.le: "{} <= {}",
    operator.gt: "{} > {}",
    operator.ge: "{} >= {}",
    operator.eq: "{} == {}",
    operator.ne: "{} != {}",
}


class Text:
    """Lines of code, and the things that they name."""

    def __init__(self, named):
        self.lines, self.named, self._words = [], dict(named), {}

    def name_of(self, thing, hint):
        """The name of a function or a constant array."""
        for name, known in self.named.items():
            if known is thing:
                return name
        name = f"{hint}_{len(self.named)}"
        self.named[name] = thing
        return name

    def operand(self, number, names):
        """A number in an expression."""
        if isinstance(number, Term):
            return names[number] if number in names else number.word
        if isinstance(number, np.ndarray):
            return self.name_of(number, "table")
        if isinstance(number, float) and (number != number or abs(number) == np.inf):
            return self.name_of(number, "constant")
        return f"({number!r})" if number < 0 or repr(number)[0] == "-" else repr(number)

    def expression(self, term, names):
        """One thing that is done."""
        given = [self.operand(number, names) for number in term.numbers]
        if term.word not in TRUTHS and term.word is not np.where:
            given = [
                f"(1 if {text} else 0)" if isinstance(number, Term) and number.word in TRUTHS else text
                for text, number in zip(given, term.numbers, strict=True)
            ]
        if term.word in SIGNS:
            return SIGNS[term.word].format(*given)
        if term.word in (np.where, np.interp):  # Numba's own ones would be taken for real numbers
            place = 1 if term.word is np.where else 0
            given[place] = f"lifted({given[place]})"
        return f"{self.name_of(term.word, term.word.__name__)}({', '.join(given)})"

    def assign(self, wanted, names, depth):
        """Lines for a term and what it needs, as far as not yet there."""
        todo = [wanted]
        while todo:
            term = todo[-1]
            if not isinstance(term, Term) or term in names or not term.numbers:
                todo.pop()
                continue
            missing = [n for n in term.numbers if isinstance(n, Term) and n.numbers and n not in names]
            if missing:
                todo += reversed(missing)
                continue
            name = f"v{len(self.lines)}"  # each its own, in all branches: it has one type then
            self.lines.append(f"{' ' * depth}{name} = {self.expression(term, names)}")
            names[term] = name
            todo.pop()

    def branch(self, ends, taken, names, depth):
        """Lines for the ends that lie beyond the first `taken` outcomes."""
        if len(ends[0].outcomes) == taken:
            self.end(ends[0], names, depth)
            return
        truth = ends[0].outcomes[taken][0]
        self.assign(truth, names, depth)
        for outcome, word in ((True, f"if {names[truth]}:"), (False, "else:")):
            self.lines.append(f"{' ' * depth}{word}")
            side = [end for end in ends if end.outcomes[taken][1] is outcome]
            self.branch(side, taken + 1, dict(names), depth + 1)

    def end(self, end, names, depth):
        """Lines of an end."""
        if end.raised is not None:
            kind = type(end.raised) if type(end.raised) in vars(builtins).values() else ValueError
            self.lines.append(f"{' ' * depth}raise {kind.__name__}({str(end.raised)!r})")
            return
        for row in end.rows:
            self.assign(row, names, depth)
        rows = iter([f"lifted({self.operand(row, names)})" for row in end.rows])
        self.lines.append(f"{' ' * depth}return {_nested(end.shape, rows)}")


def _nested(shape, rows):
    return next(rows) if shape == () else f"({''.join(_nested(inner, rows) + ', ' for inner in shape)})"


def written(course: Course, name: str, arguments, lifted) -> FunctionType | None:
    """The function of a Course, of the named arguments; None where its text would be too long.

    lifted : what makes any number one of those that the function is called with.
    """
    text = Text({"lifted": lifted})
    if sum(len(end.outcomes) + len(end.rows) for end in course.ends) > MOST_LINES:
        return None
    text.branch(course.ends, 0, {}, 2)
    if len(text.lines) > MOST_LINES:
        return None
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    body = "\n".join(text.lines)
    code = f"def make({', '.join(text.named)}):\n def {name}({', '.join(arguments)}):\n{body}\n return {name}"
    scope = {}
    exec(compile(code, f"<{name}{FOLLOWED}", "exec"), scope)
    return scope["make"](**text.named)
