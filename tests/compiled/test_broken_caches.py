"""The cache in a dozen broken environments, and after kill -9: the right result each time, and at most one warning (T21, M3)."""

import os

import pytest

from bricard.compiled.pointers import PYTHON_ONLY
from lab.faults import caches

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON_ONLY or os.name == "nt", reason="nothing is kept in plain Python; POSIX only"),
]


@pytest.fixture(scope="module")
def filled():
    with caches.filled() as found:
        yield found


@pytest.mark.parametrize("name", caches.ENVIRONMENTS)
def test_each_run_ends_with_the_right_result(filled, name):
    if caches.ENVIRONMENTS[name][1] and os.geteuid():
        pytest.skip("only root can make it")
    assert not caches.check(name, *filled)


def test_nothing_half_written_is_read_after_a_kill():
    assert caches.kills(8, 5, print)
