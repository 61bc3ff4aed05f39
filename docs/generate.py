"""Pages of formulations and corrections, written from the registry: `make pages`. A test compares them with the files.

Each method's page is the docstring of its module and what the registry knows; docs/formulations.md compares them all.
"""

from importlib import import_module
from pathlib import Path

from bricard.registry import CORRECTIONS, FORMULATIONS, INTEGRATORS

HERE = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/generate.py from the source: change it there, then `make pages`. -->\n\n"
NOT_IMPLEMENTED = {
    "Natural coordinates (points and vectors instead of rotation parameters)": (
        "a choice of coordinates, not of a treatment of constraints; `System.from_functions` takes a model written in them"
    ),
    "Park and Chiou's staggered stabilisation": (
        "a partitioned explicit-implicit scheme for the multipliers; the corrections and the augmented Lagrangian do the same "
        "work with one parameter less"
    ),
    "Hamiltonian (canonical) augmented Lagrangian of Bayo and Avello": (
        "needs momenta as unknowns throughout; `augmented-lagrangian` and `index3-alf` cover its uses"
    ),
    "Borri's embedded projection": "equivalent to `general-projection` with position and velocity corrections",
    "Kurdila's penalised energies": "a family of penalty methods with proofs of stability; `penalty` has the same equations",
    "Floating frame of reference for flexible bodies": "bodies are rigid here",
}


def text_of(module):
    """The docstring of a module as Markdown: its first line is the title's sentence, indented lines are code."""
    lines, code, out = (module.__doc__ or "").strip().splitlines(), False, []
    for line in lines[1:]:
        indented = line.startswith("    ")
        if indented and not code:
            out.append("```text")
        elif code and line.strip() and not indented:
            out[-1:] = ["```", ""]  # the fence takes the place of the empty line before the text
        code = indented or (code and not line.strip())
        out.append(line[4:] if code else line)
    if code:
        out.append("```")
    return "\n".join([lines[0], *out]).strip()


def listed(values):
    """A comma-separated cell."""
    return ", ".join(values) or "none"


def options_of(method):
    """The options with their defaults, or "none"."""
    return ", ".join(f"`{key} = {value}`" for key, value in method.options.items()) or "none"


def formulation_page(f):
    """The page of one formulation."""
    module = import_module(f"bricard.formulations.{f.name.replace('-', '_')}")
    fitting = [i.name for i in INTEGRATORS.values() if any(form in i.accepts for form in f.forms)]
    rows = {
        "name": f"`{f.name}`" + (f" (also `{'`, `'.join(f.aliases)}`)" if f.aliases else ""),
        "forms": listed(f.forms),
        "index": str(f.index),
        "keeps": listed(f.keeps),
        "drifts": listed(f.drifts),
        "nonholonomic rows": "yes" if f.nonholonomic else "refused",
        "mass matrix may be singular": "yes" if f.singular_mass else "refused",
        "cost of an evaluation": f.cost,
        "options": options_of(f),
        "integrators": listed(fitting),
        "corrections": (listed(f.corrections) + f"; default {f.correction}")
        if "Ode" in f.forms or f.drifts
        else "keeps itself",
    }
    table = "\n".join(f"| {key} | {value} |" for key, value in rows.items())
    references = "\n".join(f"* {reference}" for reference in f.references)
    return f"{NOTE}# {f.title}\n\n{text_of(module)}\n\n| | |\n|---|---|\n{table}\n\n## References\n\n{references}\n"


def pairs():
    """The table of pairs: the form in which a formulation and an integrator meet."""
    lines = [f"| | {' | '.join(INTEGRATORS)} |", "|" + "---|" * (len(INTEGRATORS) + 1)]
    for f in FORMULATIONS.values():
        forms = (next((form for form in f.forms if form in i.accepts), "-") for i in INTEGRATORS.values())
        lines.append(f"| {f.name} | {' | '.join(forms)} |")
    return "\n".join(lines)


COLUMNS = ("name", "forms", "index", "keeps", "drifts", "nonholonomic", "singular M", "cost of an evaluation")
INTRODUCTION = """# Formulations

Every way to treat the constraints, by the word for `formulation=`. *Keeps* are the constraint levels that hold to round-off or
to the tolerance of an iteration, *drifts* those that do not without a correction. `bricard experiment drift`,
`singular-positions`, `costs` and `lecture-table` measure them.
"""
CORRECTING = """`correction=` of an Ode form: after every step, every `correction_every` steps, or where an error exceeds
`correction_tolerance`."""


def row(cells):
    """One line of a table."""
    return "| " + " | ".join(cells) + " |\n"


def formulations_page():
    """The comparison of all formulations."""
    table = row(COLUMNS) + "|" + "---|" * len(COLUMNS) + "\n"
    for f in FORMULATIONS.values():
        words = ("yes" if answer else "no" for answer in (f.nonholonomic, f.singular_mass))
        levels = (listed(f.forms), str(f.index), listed(f.keeps), listed(f.drifts))
        table += row((f"[{f.name}](formulations/{f.name}.md)", *levels, *words, f.cost))
    corrections = "".join(row((name, (piece.__doc__ or "").splitlines()[0])) for name, piece in CORRECTIONS.items())
    omitted = "".join(map(row, NOT_IMPLEMENTED.items()))
    parts = (
        NOTE + INTRODUCTION,
        table,
        f"## Pairs\n\nThe form in which a formulation and an integrator meet.\n\n{pairs()}\n",
        f"## Corrections\n\n{CORRECTING}\n\n| name | |\n|---|---|\n{corrections}",
        f"## What is surveyed and not implemented\n\n| method | why not |\n|---|---|\n{omitted}",
    )
    return "\n".join(parts)


def integrators_page():
    """The table of all integrators."""
    columns = ("name", "", "order", "steps", "forms", "options", "references")
    table = row(columns) + "|" + "---|" * len(columns) + "\n"
    for i in INTEGRATORS.values():
        steps = "fixed or adaptive" if i.adaptive else "fixed"
        table += row(
            (f"`{i.name}`", i.title, str(i.order), steps, listed(i.accepts), options_of(i), listed(i.references))
        )
    words = "By the word for `integrator=`. Which formulations offer a form: [formulations](formulations.md)."
    return f"{NOTE}# Integrators\n\n{words}\n\n{table}"


def pages():
    """Path -> text of every generated page."""
    found = {HERE / "formulations" / f"{f.name}.md": formulation_page(f) for f in FORMULATIONS.values()}
    found[HERE / "formulations.md"] = formulations_page()
    found[HERE / "integrators.md"] = integrators_page()
    return found


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
