"""Every setter and every declaring method of a model, found by themselves: a result is the same after all of them; and what was
declared cannot be changed, for a System shares it with the live model."""

import contextlib
import copy
from functools import cached_property
from types import FunctionType

import numpy as np
from declaring import declare_all, linkage
from test_results_stay import all_of
from travellers import digest, mechanism, samples

import bricard as br
from bricard.model.frozen import FrozenModel
from bricard.model.travelling import Immutable
from bricard.model.unchanging import FrozenDict, FrozenList

SETTING = {"gravity": (0, 0, -1.0), "name": "other", "is_planar": True, "ground": None}
SETTING |= {key: {} for key in ("bodies", "joints", "forces", "parameters")}
SETTING |= {key: [] for key in ("wishes", "drawings", "notes")}


def content(model):
    """What a model holds, by the name of the attribute."""
    return {name: part for name, part in vars(model).items() if isinstance(part, (dict, list)) and part}


def declares(kind):
    return issubclass(kind, Immutable) and not kind.__module__.startswith("bricard.problems")


def settable(thing):
    """Names of all attributes that an object has or keeps, and of those that its class lets one set."""
    kinds = type(thing).__mro__
    slots = {name for kind in kinds for name in vars(kind).get("__slots__", ()) if hasattr(thing, name)}
    own = {name for name in getattr(thing, "__dict__", {}) if not name.startswith("_")}
    kept = {n for kind in kinds for n, a in vars(kind).items() if isinstance(a, cached_property) and n[0] != "_"}
    return own | slots | kept | {n for kind in kinds for n, a in vars(kind).items() if getattr(a, "fset", None)}


def changeable(thing, path, seen):
    """What of a declared object, and of all that it holds, could be changed."""
    if id(thing) in seen or isinstance(thing, (type, FunctionType, FrozenModel)):
        return
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        if thing.flags.writeable:
            yield path
    elif isinstance(thing, (dict, list, set)) and not isinstance(thing, (FrozenDict, FrozenList)):
        yield path
    elif isinstance(thing, (dict, list, tuple)):
        for key, part in thing.items() if isinstance(thing, dict) else enumerate(thing):
            yield from changeable(part, f"{path}[{key!r}]", seen)
    elif type(thing).__module__.startswith("bricard"):
        for name in settable(thing):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(thing, name, getattr(thing, name))
                yield f"{path}.{name}"
            yield from changeable(getattr(thing, name), f"{path}.{name}", seen)


def test_nothing_that_was_declared_can_be_changed():
    """A System shares it with the live model."""
    model = mechanism()
    declare_all(model)
    model.user_joint("a linkage", "crank", "rocker", linkage(), point=(0, 0, 0))
    declared = {n: list(part.values() if isinstance(part, dict) else part) for n, part in content(model).items()}
    assert all(declared.values())
    held = [changeable(thing, f"{name}[{k}]", {}) for name, part in declared.items() for k, thing in enumerate(part)]
    made = [changeable(thing, kind.__name__, {}) for kind, thing in samples().items() if declares(kind)]
    assert len(made) > 20 and not [path for found in (*held, *made) for path in found]


def test_a_linkage_is_what_it_was_when_it_was_made():
    """Whatever becomes of its model."""
    inner, hosts = mechanism(), [mechanism(), mechanism()]
    joint = linkage(inner)
    for host in hosts:
        host.user_joint("linkage", "crank", "rocker", joint, point=(0, 0, 0))
        inner.gravity, inner.name = (0, 0, -1.0), "other"
        inner.spring(f"late {len(inner.forces)}", inner.ground, "rocker", (0, 0, 0), (0.9, 0, 0.8), stiffness=500.0)
    assert digest(hosts[0]) == digest(hosts[1])


def test_after_all_that_a_model_can_be_told_a_result_is_the_same(tmp_path):
    model = mechanism()
    result = br.simulate(model, 0.1, output=8)
    before, first = all_of(copy.deepcopy(result), tmp_path), digest(model)
    declare_all(model)
    for name in settable(model):
        setattr(model, name, SETTING[name])  # a new one has no value there, and fails
    assert digest(model) != first
    assert all_of(result, tmp_path) == before
    loaded = br.Solution.load(tmp_path / "saved.h5")
    assert all_of(loaded, tmp_path) == before and loaded.energy.error.tobytes() == result.energy.error.tobytes()
