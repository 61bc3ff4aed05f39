"""Rows that only come too early in the order of elimination are not taken for redundant ones."""

import numpy as np
import pytest

import bricard as br
from lab.campaign.declaring import model
from lab.campaign.generator import draw


@pytest.mark.parametrize("index", [375, 1147, 1526])
def test_rows_that_come_too_early_are_delayed_until_none_is_taken_for_redundant(index):
    """Mechanisms of seed 90210. Delaying one joint made another one weak, so that the first order was kept with a row too few.

    Their starts were refused: "a singular position, and its velocity belongs to no motion". The rank of G says that they are not.
    """
    drawn = draw(90210, index)
    system = model(drawn).build()
    record = system.record
    G = system.jacobian(0.0, system.start, np.zeros(system.n_v)).toarray()
    values = np.linalg.svd(record.row_scale[:, None] * G * np.sqrt(record.metric[:-1]), compute_uv=False)
    independent = int((values > 1e-10 * values[0]).sum())
    assert values[independent - 1] > 1e-3 * values[0]  # no matter of opinion
    assert record.redundant == system.n_rows - independent
    assert br.simulate(system, drawn.duration, rtol=1e-6, output=2).ok
