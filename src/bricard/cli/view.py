"""`bricard view`: a result or a model as one HTML page, written or served."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ModelError
from .check import NoCode, declared
from .completion import models
from .console import Json, data, emit, messages

__all__ = ["view"]

RESULTS = (".h5", ".hdf5")


def view(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT.h5|MODEL.toml|PROBLEM",
            help="Result of `bricard run`, model file, or a name of `bricard list problems`.",
            show_default=False,
            autocompletion=models(".h5", ".hdf5", ".toml", ".urdf", ".xml", ".mjcf"),
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.html", help="Page to write; NAME.html in the working folder if not given."
        ),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on this computer instead, until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of --serve; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    still: Annotated[
        bool, typer.Option("--start", help="Show the assembled start of a model, simulate nothing.")
    ] = False,
    fps: Annotated[float, typer.Option(help="Frames per second of playing.")] = 60.0,
    no_code: NoCode = False,
    json: Json = False,
) -> None:
    """Show a mechanism in the browser: one HTML file that works offline.

    A model file with a table `simulation`, or a problem, is simulated first; without such a table its start is shown.
    """
    if serve and output is not None:
        raise ModelError("Give either --output FILE.html or --serve, not both.")
    if serve and json:
        raise ModelError("--json tells which file was written; with --serve there is none.")
    page = _page(file, still, fps, not no_code)
    if serve:
        _serve(page, port, browser)
        return
    target = output or Path(f"{file.stem}.html")
    target.parent.mkdir(parents=True, exist_ok=True)
    page.save(target)
    if json:
        emit({"file": str(target), "model": page.name, "bytes": target.stat().st_size})
    else:
        data().print(f"wrote {target}", markup=False)
    if browser:
        _open(target.resolve().as_uri())


def _page(file: Path, still: bool, fps: float, code: bool) -> Any:
    from ..simulation import simulate
    from ..solution.solution import Solution
    from ..system.system import System
    from ..view.page import model_page, solution_page
    from .compiling import Compiling
    from .run import merged

    with Compiling():
        if file.suffix in RESULTS:
            if still:
                raise ModelError("--start shows the start of a model: give a model file, not a result.")
            return solution_page(Solution.load(file, code=code), fps=fps)
        what, table = declared(file, code=code)
        if isinstance(what, System):
            raise ModelError(f'Problem "{file}" is given by its functions: it has no bodies and joints to show.')
        if still or "duration" not in table:
            return model_page(what)
        solution = simulate(what, **merged(table, {}, file), check=False)
        if not solution.ok:
            messages().print(solution.status, style="red", markup=False)
        return solution_page(solution, fps=fps)


def _serve(page: Any, port: int, browser: bool) -> None:
    from ..view.server import PageServer

    with PageServer(page, port) as server:
        data().print(f"serving {server.address} until Ctrl-C", markup=False)
        if browser:
            _open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            messages().print("Stopped.", markup=False)


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        messages().print(f"No browser was found here; open {address} yourself.", markup=False)
