"""`bricard doctor`: is everything in place, and where does it live?"""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer

from .console import Json, data, emit

__all__ = ["doctor", "examine"]

PACKAGES = (
    "bricard",
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "matplotlib",
    "h5py",
    "xarray",
    "tomlkit",
    "typer",
    "rich",
)
OPTIONAL = {"scikit-sundae": "sundials", "trimesh": "mesh", "pyarrow": "parquet"}  # package: extra that brings it


def doctor(json: Json = False) -> None:
    """Show versions, the compile cache, threads and whether compilation works. Exit code 1 if something is wrong."""
    found = examine()
    if json:
        emit(found)
    else:
        console = data()
        for section, values in found.items():
            if isinstance(values, dict):
                console.print(section, style="bold", markup=False)
                for key, value in values.items():
                    console.print(f"  {key:<18} {value}", markup=False)
        for problem in found["problems"]:
            console.print(f"problem: {problem}", style="red", markup=False)
        if not found["problems"]:
            console.print("All is well.", style="green")
    if found["problems"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Everything that a bug report needs, and the list of problems."""
    problems: list[str] = []
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name, problems) for name in PACKAGES}},
        "optional": {name: _optional(name, extra) for name, extra in OPTIONAL.items()},
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory": _memory(),
            "executable": sys.executable,
        },
        "cache": _cache(problems),
        "compilation": _compilation(problems),
        "problems": problems,
    }


def _version(name: str, problems: list[str]) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        problems.append(f"The package {name} is not installed: run pip install {name}.")
        return "missing"


def _optional(name: str, extra: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return f"not installed; pip install 'bricard[{extra}]'"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (ValueError, OSError, AttributeError):
        return "unknown"


def _cache(problems: list[str]) -> dict[str, Any]:
    from ..compiled.cache_folder import contents, folder, root

    place = folder()
    if place.obstacle:
        problems.append(
            f"Compiled code cannot be kept ({place.obstacle}): set BRICARD_CACHE_DIR to a folder that can be written."
        )
    files = contents()
    size = sum(size for _, size, _ in files)
    return {"folder": str(root()), "files": len(files), "size": f"{size / 1e6:.1f} MB"}


def _compilation(problems: list[str]) -> dict[str, Any]:
    """Whether Numba compiles a function that is not cached, and the settings that matter."""
    import numba

    from ..compiled.pointers import PYTHON_ONLY

    began, works = time.perf_counter(), False
    try:
        works = numba.njit(lambda x: 2.0 * x + 1.0)(20.5) == 42.0
    except Exception as error:
        problems.append(f"Numba cannot compile ({type(error).__name__}: {error}): reinstall numba and llvmlite.")
    if PYTHON_ONLY:
        problems.append("NUMBA_DISABLE_JIT is set: all runs as plain Python, some hundred times slower. Unset it.")
    variables = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {
        "works": works,
        "seconds": round(time.perf_counter() - began, 3),
        "disabled": PYTHON_ONLY,
        "threads": numba.get_num_threads(),
        **{name: os.environ[name] for name in variables if name in os.environ},
    }
