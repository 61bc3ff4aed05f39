"""`bricard list`: what there is to choose from, read from the registries."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from .console import Json, data, emit, listing, messages

__all__ = ["Family", "list_", "rows_of"]


class Family(StrEnum):
    """What can be listed."""

    formulations = "formulations"
    integrators = "integrators"
    corrections = "corrections"
    joints = "joints"
    forces = "forces"
    problems = "problems"
    experiments = "experiments"


COLUMNS = {
    Family.formulations: ("name", "aliases", "title", "index", "forms", "keeps", "drifts", "bounds"),
    Family.integrators: ("name", "title", "order", "adaptive", "accepts", "options"),
    Family.corrections: ("name", "title"),
    Family.joints: ("name", "title", "freedom"),
    Family.forces: ("name", "title"),
    Family.problems: ("name", "title", "span", "options", "provenance"),
    Family.experiments: ("name", "title", "source", "figure"),
}


def list_(
    family: Annotated[Family, typer.Argument(help="What to list.", show_default=False)],
    json: Json = False,
) -> None:
    """List formulations, integrators, corrections, joints, forces, problems or experiments."""
    rows = rows_of(family)
    if json:
        emit(rows)
    elif rows:
        data().print(listing(rows, COLUMNS[family]))
    else:
        messages().print(f"No {family.value} come with this version; see the folder examples/ of the repository.")


def rows_of(family: Family) -> list[dict[str, Any]]:
    """The members of a family, each as a dict with a name, a title and what else is known."""
    if family in (Family.joints, Family.forces):
        return _declarations(family)
    if family is Family.problems:
        return _problems()
    if family is Family.experiments:
        from ..experiments import EXPERIMENTS

        return [{key: getattr(e, key) for key in COLUMNS[family]} for e in EXPERIMENTS.values()]
    from .. import registry

    if family is Family.corrections:
        return [{"name": name, "title": _title(pointer)} for name, pointer in registry.CORRECTIONS.items()]
    if family is Family.integrators:
        keys = ("name", "title", "order", "orders", "adaptive", "accepts", "options", "references")
        return [
            {**{key: getattr(method, key) for key in keys}, "own_loop": method.external is not None}
            for method in registry.INTEGRATORS.values()
        ]
    keys = ("name", "aliases", "title", "index", "keeps", "drifts", "bounds", "options", "references")
    keys += ("nonholonomic", "singular_mass", "corrections", "cost")
    return [
        {**{key: getattr(method, key) for key in keys}, "forms": list(method.forms)}
        for method in registry.FORMULATIONS.values()
    ]


def _declarations(family: Family) -> list[dict[str, Any]]:
    """Joint or force types: the methods of a model that declare them."""
    import inspect

    from ..io.toml import FORCE_TYPES, JOINT_TYPES
    from ..model import Model, joints

    freedom = {
        kind.kind: kind.freedom for kind in vars(joints).values() if isinstance(kind, type) and hasattr(kind, "kind")
    }
    rows = []
    for name in JOINT_TYPES if family is Family.joints else FORCE_TYPES:
        method = getattr(Model, name)
        keywords = [key for key in inspect.signature(method).parameters if key not in ("self", "name")]
        row = {"name": name, "title": _title(method), "keywords": keywords}
        rows.append(row | ({"freedom": freedom.get(name)} if family is Family.joints else {}))
    return rows


def _problems() -> list[dict[str, Any]]:
    from ..problems import PROBLEMS

    keys = ("name", "title", "span", "provenance", "citations", "singular")
    return [
        {key: getattr(problem, key) for key in keys}
        | {
            "options": _options(problem.model),
            "measures": [
                {key: getattr(m, key) for key in ("name", "unit", "bound", "source")} for m in problem.measures
            ],
            "outputs": [{"name": output.name, "unit": output.unit} for output in problem.outputs],
            "references": [vars(reference) for reference in problem.references],
        }
        for problem in PROBLEMS.values()
    ]


def _options(function: Any) -> dict[str, Any]:
    """The keywords of a function with their defaults."""
    import inspect

    return {key: parameter.default for key, parameter in inspect.signature(function).parameters.items()}


def _title(thing: Any) -> str:
    """First sentence of a docstring, without the word Declare that all declarations begin with."""
    line = (getattr(thing, "__doc__", None) or "").strip().splitlines()
    return line[0].removeprefix("Declare ").rstrip(".") if line else ""
