"""What is built twice is built alike: from a model, and from one collection of elements in any order of elimination (T1)."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from bricard.compiled.handles import pack
from bricard.compiled.interfaces import VELOCITY
from bricard.linalg.kkt import evaluate
from bricard.system.build import assemble_records, build, collect
from bricard.system.channels import measure_value
from bricard.system.collect import Collection, Element, Row
from mechanisms import tangle

SEEDS = range(12)
COORDINATES = ("absolute", "relative")


def differing(one, other, path=""):
    """Names of the arrays in which two records differ."""
    if hasattr(one, "_fields"):
        pairs = [(getattr(one, f), getattr(other, f), f"{path}.{f}") for f in one._fields]
        return [name for pair in pairs for name in differing(*pair)]
    same = np.array_equal(np.asarray(one), np.asarray(other))
    return [] if same else [path]


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_builds_of_a_model_give_the_same_arrays(seed, coordinates):
    model = tangle(seed)
    one, other = (build(model, coordinates=coordinates) for _ in range(2))
    assert differing(one.record, other.record) == []
    assert one.measures == other.measures


@pytest.mark.parametrize("seed", SEEDS)
def test_a_collection_gives_the_same_arrays_again(seed):
    """Also after it was used for another order of elimination."""
    model = tangle(seed)
    collection = collect(model)
    first = assemble_records(model, collection)
    assemble_records(model, collection, frozenset({0, 2}))
    assert differing(first.record, assemble_records(model, collection).record) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_an_order_of_elimination_changes_no_equation(seed):
    model = tangle(seed)
    collection = collect(model)
    late = frozenset(np.random.default_rng(seed).choice(len(collection.groups), 2, replace=False).tolist())
    one, other = assemble_records(model, collection), assemble_records(model, collection, late)
    q, v = one.start, np.random.default_rng(seed).normal(size=one.n_v)
    for quantity in (lambda s: s.constraint(0.1, q), lambda s: s.gamma(0.1, q, v), lambda s: s.force(0.1, q, v)):
        np.testing.assert_array_equal(quantity(other), quantity(one))


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("seed", SEEDS)
def test_couplings_and_forces_act_on_their_own_coordinates(seed, coordinates):
    """The measure behind each number, as compiled code evaluates it, is the declared one, however often a system was built."""
    model = tangle(seed)
    system = build(model, coordinates=coordinates)
    work = system.work()
    evaluate(0.0, system.start, np.zeros(system.n_v), VELOCITY, system.compiled, pack(work))
    r = system.record
    rows = {row.joint: i for i, row in enumerate(system.rows)}
    value = {name: drawn(model, measure) for name, measure in coordinates_of(model).items()}

    def operands(row):
        (element,) = [e for e in range(r.first[r.stage[1]], r.first[r.stage[2]]) if r.row[e] == row]
        return work.value[[r.operand_a[element], r.operand_b[element]]]

    joints = model.joints
    np.testing.assert_allclose(operands(rows["drive"])[0], value[joints["drive"].coordinate], rtol=0, atol=1e-12)
    gear = [value[joints["gear"].coordinate_1], value[joints["gear"].coordinate_2]]
    np.testing.assert_allclose(operands(rows["gear"]), gear, rtol=0, atol=1e-12)
    on = [model.forces["twist"].measure, model.forces["motor"].measure, model.forces["spring"].measure]
    forces = range(r.first[r.stage[2]], r.first[r.stage[3]])
    found = [work.value[r.operand_a[e]] for e in forces]
    np.testing.assert_allclose(sorted(found), sorted(drawn(model, m) for m in on), rtol=0, atol=1e-12)


def coordinates_of(model):
    return {f"{joint.name}.{key}": m for joint in model.joints.values() for key, m in joint.coordinates().items()}


def drawn(model, measure):
    """Its value as the bodies are drawn."""
    return measure_value(measure, *((body.com_position, body.rotation) for body in measure.bodies))


@pytest.mark.parametrize("kind", [Element, Row, Collection])
def test_what_is_collected_cannot_be_changed(kind):
    one = object.__new__(kind)
    for field in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(one, field.name, None)


def test_the_parts_of_a_collection_are_tuples():
    collection = collect(tangle(0))
    assert all(isinstance(part, tuple) for part in (collection.elements, collection.rows, collection.groups))
