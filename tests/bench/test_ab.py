"""The statistics of `make ab`: no false alarm for equal trees, a real loss is seen, outliers do not rule."""

import math
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def ab():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import ab as module
    finally:
        sys.path.pop(0)
    return module


def ratios(seed, factor, cases=10, pairs=30):
    """Logarithms of ratios as a busy machine gives them: 3 % of noise, one pair in ten 1.5 times too long on one side."""
    rng = random.Random(seed)

    def one():
        outlier = rng.choice((-1, 1)) * math.log(1.5) if rng.random() < 0.1 else 0.0
        return math.log(factor) + rng.gauss(0.0, 0.03) + outlier

    return [[one() for _ in range(pairs)] for _ in range(cases)]


def test_interval_holds_the_true_ratio(ab):
    held = 0
    for seed in range(40):
        _, low, high = ab.interval(ratios(seed, 1.01, cases=4), random.Random(0))
        held += low <= 1.01 <= high
    assert held >= 34  # 95 % of 40 is 38; fewer than 34 has a probability below 1 %


def test_a_loss_of_five_percent_is_above_the_limit(ab):
    _, low, _ = ab.interval(ratios(1, 1.05), random.Random(0))
    assert low > ab.LIMIT


def test_equal_trees_are_below_the_limit(ab):
    _, _, high = ab.interval(ratios(2, 1.0), random.Random(0))
    assert high < ab.LIMIT


def test_an_unknown_revision_ends_with_a_sentence(ab):
    with pytest.raises(SystemExit, match='"no-such-revision" is no revision'):
        ab.checked_out("no-such-revision")
