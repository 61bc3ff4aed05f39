"""The machines of `make test-machines`: every level of every factor is there, and their processes see it (T27)."""

import os

from lab.processors import MACHINES, absent, probe


def test_every_level_of_every_factor_is_covered(tmp_path):
    there = [machine.environment(tmp_path) for machine in MACHINES.values()]
    names = {each.get("NUMBA_CPU_NAME", "host") for each in there}
    assert names == {"generic", "x86-64-v3", "host"}
    assert {"Haswell", "SkylakeX", "Zen"} <= {each["OPENBLAS_CORETYPE"] for each in there}
    assert {each["OPENBLAS_NUM_THREADS"] for each in there} == {"1", "2"}
    for without_fma in (True, False):
        assert without_fma in {"-FMA" in each.get("GLIBC_TUNABLES", "") for each in there}
        assert without_fma in {"-fma" in each.get("NUMBA_CPU_FEATURES", "") for each in there}


def test_a_machine_that_rounds_otherwise_shows_it():
    """Without the features of NumPy that this processor has, exp has other digits; a processor without any is what it is."""
    features = " ".join(absent(("V3", "V4", "AVX")))
    here, there = (probe(os.environ | {"NPY_DISABLE_CPU_FEATURES": words}).split() for words in ("", features))
    assert here[0] == there[0]
    assert len(there) == 3
