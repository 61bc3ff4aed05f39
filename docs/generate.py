"""Pages of methods and mechanisms, and the schema of model files, written from the source: `make pages`.

A test compares them with the files. Each method's page is the docstring of its module and what the registry knows;
docs/formulations.md and docs/integrators.md compare them all. Each page of the gallery is the docstring of a mechanism, with its
picture; docs/gallery/mechanisms.toml says which.
"""

import ast
import json
import sys
import tomllib
from importlib import import_module
from inspect import signature
from pathlib import Path

from bricard.experiments import EXPERIMENTS
from bricard.io.schema import schema
from bricard.problems import PROBLEMS
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


def text_of(docstring):
    """A docstring as Markdown: its first line is the title's sentence, indented lines are code."""
    lines, code, out = docstring.strip().splitlines(), False, []
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
        "errors of other levels": f.bounds or "none",
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
    return f"{NOTE}# {f.title}\n\n{text_of(module.__doc__)}\n\n| | |\n|---|---|\n{table}\n\n## References\n\n{references}\n"


def pairs():
    """The table of pairs: the form in which a formulation and an integrator meet."""
    lines = [f"| | {' | '.join(INTEGRATORS)} |", "|" + "---|" * (len(INTEGRATORS) + 1)]
    for f in FORMULATIONS.values():
        forms = (next((form for form in f.forms if form in i.accepts), "-") for i in INTEGRATORS.values())
        lines.append(f"| {f.name} | {' | '.join(forms)} |")
    return "\n".join(lines)


COLUMNS = (
    "name",
    "forms",
    "index",
    "keeps",
    "drifts",
    "errors of other levels",
    "nonholonomic",
    "singular M",
    "cost of an evaluation",
)
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
        levels = (listed(f.forms), str(f.index), listed(f.keeps), listed(f.drifts), f.bounds or "-")
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


SHARED = dict.fromkeys(("ce3", "ce4", "ce5"), "conditionally_explicit")  # integrators of one file


def steps_of(i):
    """What an integrator does with its step size."""
    if i.external is not None:
        return "adaptive"
    return "fixed or adaptive" if i.adaptive else "fixed"


def integrator_page(i):
    """The page of one integrator."""
    module = import_module(f"bricard.integrators.{SHARED.get(i.name, i.name.replace('-', '_'))}")
    fitting = [
        f"[{f.name}](../formulations/{f.name}.md)" for f in FORMULATIONS.values() if set(f.forms) & set(i.accepts)
    ]
    rows = {
        "name": f"`{i.name}`",
        "order": str(i.order),
        "steps": steps_of(i),
        "forms": listed(i.accepts),
        "options": options_of(i),
        "formulations": listed(fitting),
    }
    table = "\n".join(f"| {key} | {value} |" for key, value in rows.items())
    references = "\n".join(f"* {reference}" for reference in i.references)
    return f"{NOTE}# {i.title}\n\n{text_of(module.__doc__)}\n\n| | |\n|---|---|\n{table}\n\n## References\n\n{references}\n"


def integrators_page():
    """The table of all integrators."""
    columns = ("name", "", "order", "steps", "forms", "options")
    table = row(columns) + "|" + "---|" * len(columns) + "\n"
    for i in INTEGRATORS.values():
        name = f"[{i.name}](integrators/{i.name}.md)"
        table += row((name, i.title, str(i.order), steps_of(i), listed(i.accepts), options_of(i)))
    words = "By the word for `integrator=`. Which formulations offer a form: [formulations](formulations.md)."
    return f"{NOTE}# Integrators\n\n{words}\n\n{table}"


def experiments_page():
    """The table of all experiments."""
    table = row(("name", "question", "source", "figure")) + "|---|---|---|---|\n"
    table += "".join(row((f"`{e.name}`", e.title, e.source, "yes" if e.figure else "")) for e in EXPERIMENTS.values())
    words = """`bricard experiment NAME` runs one and prints its table; `--json` and `--markdown` write it for other programs and
pages, `--figure FILE` draws it. [What a thesis claims and what we find](claims.md) goes through one source claim by claim."""
    return f"{NOTE}# Experiments\n\n{words}\n\n{table}"


def problems_page():
    """The table of all problems, with what each is judged by and known to."""
    table = row(("name", "problem", "span", "options", "judged by", "reference", "data")) + "|---" * 7 + "|\n"
    for p in PROBLEMS.values():
        options = (
            ", ".join(f"`{key} = {value.default}`" for key, value in signature(p.model).parameters.items()) or "none"
        )
        measures = (
            "; ".join(f"{m.name} at most {m.bound:g} {m.unit} ({m.source})" for m in p.measures) or "its reference"
        )
        known = [f"{r.time:g} s, {r.accuracy:.0e} (`{r.generator}`)" for r in p.references if not r.options]
        table += row(
            (f"`{p.name}`", p.title, f"{p.span:g} s", options, measures, known[-1] if known else "none", p.provenance)
        )
    return f"{NOTE}# Problems\n\n{PROBLEMS_TEXT}\n\n{table}"


PROBLEMS_TEXT = """Ready mechanisms: `br.problems.get(NAME)` gives the problem, with its model, span, outputs, measures,
references and citations; `br.problems.bricard()` and the like give what `br.simulate` takes. `bricard run NAME` simulates one,
`bricard list problems --json` tells everything, `bricard bench iftomm` judges those of the IFToMM library as the library does.

References come from generators in the folder `references/` of the repository, with their accuracy (the relative error of the
worst value); each problem's digits are in `src/bricard/problems/references/`. Data that no source gives are ours, and say so."""


GALLERY_TEXT = """Mechanisms that are ready to run. Each has a page with its story, one command that shows it, and its source.
The quickest way to a model of your own is to change one of these. The tests run all of them.

A good first look: `bricard view bricard --open`."""


def mechanisms():
    """The entries of gallery/mechanisms.toml with name, file, docstring and command."""
    entries = tomllib.loads((HERE / "gallery" / "mechanisms.toml").read_text(encoding="utf-8"))["mechanism"]
    for entry in entries:
        if "problem" in entry:
            p = PROBLEMS[entry["problem"]]
            file = Path(sys.modules[p.model.__module__].__file__ or "")
            entry |= {"name": p.name, "command": f"bricard view {p.name} --open"}
        else:
            file = HERE.parent / "examples" / f"{entry['example']}.py"
            entry |= {"name": entry["example"].replace("_", "-"), "command": f"python examples/{file.name}"}
        entry["file"] = file.resolve().relative_to(HERE.parent).as_posix()
        entry["text"] = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return entries


def mechanism_page(entry):
    """The page of one mechanism; the site adds the source itself."""
    facts = {}
    if "problem" in entry:
        p = PROBLEMS[entry["problem"]]
        facts = {"data": p.provenance, "singular positions": p.singular or "none on its way"}
        facts["judged by"] = "; ".join(f"{m.name} at most {m.bound:g} {m.unit}" for m in p.measures) or "its reference"
        known = [f"{r.time:g} s, to {r.accuracy:.0e}" for r in p.references if not r.options]
        facts |= {"reference": known[-1] if known else "none", "read more": "; ".join(p.citations) or "here only"}
    table = "| | |\n|---|---|\n" + "".join(map(row, facts.items())) + "\n" if facts else ""
    picture = f"![{entry['title']}](../pictures/gallery/{entry['name']}.webp)"
    source = f"## Source\n\n[{entry['file']}](../../{entry['file']})\n"
    shown = f"```sh\n{entry['command']}\n```"
    return f"{NOTE}# {entry['title']}\n\n{picture}\n\n{text_of(entry['text'])}\n\n{shown}\n\n{table}{source}"


def gallery_page(entries, columns=3):
    """The gallery: a picture, a name and a line for each mechanism."""
    cells = [
        f"[![{e['title']}](pictures/gallery/{e['name']}.webp)](gallery/{e['name']}.md)<br>"
        f"**[{e['title']}](gallery/{e['name']}.md)**<br>{e['look']}"
        for e in entries
    ]
    cells += [""] * (-len(cells) % columns)
    lines = [row([" "] * columns), row(["---"] * columns)]
    lines += [row(cells[k : k + columns]) for k in range(0, len(cells), columns)]
    return f"{NOTE}# Gallery\n\n{GALLERY_TEXT}\n\n{''.join(lines)}"


def pages():
    """Path -> text of every generated page."""
    found = {HERE / "formulations" / f"{f.name}.md": formulation_page(f) for f in FORMULATIONS.values()}
    found |= {HERE / "integrators" / f"{i.name}.md": integrator_page(i) for i in INTEGRATORS.values()}
    entries = mechanisms()
    found |= {HERE / "gallery" / f"{entry['name']}.md": mechanism_page(entry) for entry in entries}
    found[HERE / "gallery.md"] = gallery_page(entries)
    found[HERE / "formulations.md"] = formulations_page()
    found[HERE / "integrators.md"] = integrators_page()
    found[HERE / "experiments.md"] = experiments_page()
    found[HERE / "problems.md"] = problems_page()
    text = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    found |= {folder / "bricard.schema.json": text for folder in (HERE, HERE.parent / "src" / "bricard" / "io")}
    return found


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
