"""`import bricard` is light, and every public name is found."""

import subprocess
import sys

import pytest

import bricard as br


def test_import_loads_nothing_heavy():
    heavy = {"numba", "scipy", "matplotlib", "h5py", "xarray", "numpy", "rich", "typing"}
    code = (
        f"import sys; known = set(sys.modules); import bricard; sys.exit(' '.join({heavy} & set(sys.modules) - known))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.strip() == ""


@pytest.mark.parametrize("name", br.__all__)
def test_every_name_is_found(name):
    assert getattr(br, name).__name__.rpartition(".")[2] == name


@pytest.mark.parametrize("name", br.analysis.__all__)
def test_every_name_of_the_analysis_is_found(name):
    assert getattr(br.analysis, name).__name__ == name


def test_names_are_listed():
    assert set(br.__all__) <= set(dir(br))


def test_unknown_name():
    with pytest.raises(AttributeError, match="'bricard' has no attribute 'simulat'"):
        _ = br.simulat


@pytest.mark.parametrize(
    "first", ["import bricard.simulation", "from bricard.pairing import choose", "import bricard.cli.run"]
)
def test_simulate_is_the_function_whatever_was_imported_first(first):
    code = f"{first}\nimport bricard\nassert callable(bricard.simulate), bricard.simulate"
    subprocess.run([sys.executable, "-c", code], check=True)
