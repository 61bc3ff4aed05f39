"""Nothing is searched for garbage while a function is compiled, and the user's own setting holds before and after."""

import gc

import pytest
from numba import types

from bricard.compiled.pointers import PYTHON_ONLY, Interface

pytestmark = pytest.mark.skipif(PYTHON_ONLY, reason="nothing is compiled in plain Python")
ONE = Interface(types.float64(types.float64))


@pytest.mark.parametrize("searched", [True, False])
def test_setting(searched, monkeypatch):
    seen = []

    def fails(signature):
        seen.append(gc.isenabled())
        raise KeyboardInterrupt

    pointer = ONE(lambda x: 2.0 * x)
    monkeypatch.setattr(pointer.function, "get_compile_result", fails)
    before = gc.isenabled()
    try:
        (gc.enable if searched else gc.disable)()
        with pytest.raises(KeyboardInterrupt):
            _ = pointer.address
        assert seen == [False]
        assert gc.isenabled() == searched
    finally:
        (gc.enable if before else gc.disable)()
