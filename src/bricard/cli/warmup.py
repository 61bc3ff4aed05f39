"""`bricard warmup`: compile everything ahead, so that no later simulation has to wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.progress import Progress

from .console import Json, data, emit, listing, messages

__all__ = ["pieces", "warmup"]


def warmup(json: Json = False) -> None:
    """Compile every element and every pair of formulation and integrator, or load them from the cache."""
    from ..compiled.cache_folder import root
    from .compiling import Compiling

    began, rows = time.perf_counter(), []
    jobs = list(pieces())
    with Progress(console=messages(), transient=True) as bar, Compiling(quiet=True) as compiling:
        task = bar.add_task("compiling", total=len(jobs))
        for name, job in jobs:
            bar.update(task, description=name)
            start, count = time.perf_counter(), compiling.count
            job()
            seconds = round(time.perf_counter() - start, 3)
            rows.append({"name": name, "compiled": compiling.count - count, "seconds": seconds})
            bar.advance(task)
    total = round(time.perf_counter() - began, 3)
    if json:
        emit({"pieces": rows, "compiled": compiling.count, "seconds": total, "folder": str(root())})
    else:
        data().print(listing(rows, ("name", "compiled", "seconds")))
        data().print(f"{compiling.count} functions compiled in {total:.1f} s, kept in {root()}", markup=False)


def pieces() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that can be compiled ahead: a name and a function that does it, for each part."""
    from ..registry import FORMULATIONS, INTEGRATORS
    from ..simulation import simulate
    from ..system.assembler import assemble

    yield "elements", _elements
    yield "rolling, knife edge, bushing", lambda: _functions().build()
    yield "wishes for the start", lambda: assemble(_wishes().build())
    yield "topology report", lambda: _pendulum().report()
    for formulation in FORMULATIONS.values():
        for integrator in INTEGRATORS.values():
            form = next((form for form in formulation.forms if form in integrator.accepts), None)
            if form is None:
                continue
            pair: dict[str, Any] = {"formulation": formulation.name, "integrator": integrator.name}
            for correction in formulation.corrections if form == "Ode" else (None,):
                name = " + ".join([*pair.values(), *([f"correction {correction}"] if correction else [])])
                options = {**pair, "correction": correction, "progress": False}
                yield name, lambda options=options: simulate(_pendulum(), 0.02, step=0.01, **options)
            if integrator.adaptive:
                yield (
                    f"{formulation.name} + {integrator.name}, adaptive",
                    lambda pair=pair: _look(simulate(_pendulum(), 0.02, progress=False, **pair)),
                )


def _look(solution: Any) -> None:
    """All that a solution computes from its samples."""
    solution.summary()
    solution.reaction("hinge")
    solution.at(0.01)


def _elements() -> None:
    """The kernel of every element type, every profile and every force law."""
    from ..kernels import laws, profiles
    from ..system.elements import TYPES

    pointers = [element.kernel for element in TYPES.values()]
    pointers += [*profiles.PROFILES.values(), *laws.LAWS.values(), *map(laws.of_profile, profiles.PROFILES.values())]
    for pointer in pointers:
        _ = pointer.address


def _pendulum() -> Any:
    from ..model import Model, Rod

    model = Model("warm-up")
    rod = model.body("rod", Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.revolute("hinge", model.ground, rod, point=(0, 0, 0), axis=(0, 1, 0))
    model.start(joint="hinge", velocity=1.0)
    return model


def _wishes() -> Any:
    """A free body for which all is wished that can be."""
    from ..model import Model, Sphere

    model, vector = Model("wishes"), (0.1, 0.2, 0.3)
    ball = model.body("ball", Sphere((0, 0, 0), 1.0, mass=1.0))
    model.start(body=ball, position=vector, rotation=(1, 0, 0, 0), velocity=vector, angular_velocity=vector)
    model.start(point=(ball, (1, 0, 0)), velocity=vector, weight=1.0)
    return model


def _functions() -> Any:
    """A model with those of our elements that are given by functions."""
    from ..model import Cylinder, Model

    model = Model("functions")
    disc = model.body("disc", Cylinder((0, -0.1, 1), (0, 0.1, 1), 1.0, mass=1.0))
    sledge = model.body("sledge", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.rolling_disc("rolling", disc, 1.0, axis=(0, 1, 0))
    model.knife_edge("edge", sledge, point=(0, 0, 0), direction=(0, 1, 0))
    model.bushing("bushing", disc, sledge, (0, 0, 0), stiffness=(1.0,) * 6)
    return model
