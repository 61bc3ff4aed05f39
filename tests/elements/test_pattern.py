"""Patterns of G and K are those of what rows depend on along every branch, not only on the one where the model is drawn."""

import numpy as np
import pytest

import bricard as br
from bricard.hyperdual.course import course_of
from bricard.hyperdual.dependence import dependence
from bricard.kernels.functions import Pose, arguments_of
from bricard.system.user_pattern import bits_of, joint_structure

PLACES = [(side, i) for side in range(2) for i in range(3)]  # points of a, then of b


def row_of(chosen, product, switch):
    """A row: a sum of coordinates; where the coordinate `switch` of b is positive, a product of two others instead."""
    (s_1, i_1), (s_2, i_2) = product

    def row(t, a, b, p):
        sides = a.x, b.x
        if b.x[switch] > 0.0:
            return (sides[s_1][i_1] * sides[s_2][i_2] + p[0],)
        return (sum((k + 2.0) * sides[s][i] for k, (s, i) in enumerate(chosen)),)

    return row


def drawn(seed):
    """Twenty rows: (function, places of the first branch, places of the second, the coordinate that decides)."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(20):
        order = [PLACES[i] for i in rng.permutation(6)]
        chosen, product = tuple(order[: rng.integers(1, 4)]), tuple(order[4:])
        switch = int(rng.integers(3))
        rows.append((row_of(chosen, product, switch), chosen, product, switch))
    return rows


def columns(places):
    return [6 * side + i for side, i in places]


@pytest.mark.parametrize("seed", [3, 14])
def test_twenty_rows_with_two_branches(seed):
    """G and its pattern have the columns of both branches, K those of the second one, which the start does not take."""
    rng = np.random.default_rng(seed)
    rows = drawn(seed)
    model = br.Model("rows")
    centres = ((-2.0, -3.0, -1.0), (-1.0, -2.0, -3.0))
    balls = [model.body(f"ball {i}", br.Sphere(c, 0.1, mass=1.0)) for i, c in enumerate(centres)]
    for number, (function, *_) in enumerate(rows):
        model.joint(f"row {number}", *balls, function, rows=1, parameters=(1.0,))
    system = model.build()
    for q in (system.start.copy(), system.start.copy()):
        x = rng.uniform(0.5, 2.0, 6) * rng.choice([-1.0, 1.0], 6)
        q[[0, 1, 2]], q[[7, 8, 9]] = x[:3], x[3:]
        wanted = np.zeros((20, 12))
        for number, (_, chosen, product, switch) in enumerate(rows):
            if x[3 + switch] > 0.0:
                one, other = (3 * side + i for side, i in product)
                wanted[number, columns(product)] = x[other], x[one]
            else:
                wanted[number, columns(chosen)] = 2.0 + np.arange(len(chosen))
        np.testing.assert_allclose(system.jacobian(0.0, q).toarray(), wanted, atol=1e-13)
    for function, chosen, product, _ in rows:
        g, k = joint_structure(dependence(course_of(function, arguments_of(Pose, 1)), bits_of))
        assert set(np.flatnonzero(g[0])) == set(columns(chosen)) | set(columns(product)) | turns(chosen + product)
        translations = k[np.ix_(columns(PLACES), columns(PLACES))]
        one, other = (PLACES.index(place) for place in product)
        assert translations.sum() == 2 and translations[one, other]


def turns(places):
    """Turns of a body move its points."""
    return {6 * side + 3 + i for side, _ in places for i in range(3)}
