"""What is public can be pickled, copied and sent to another process, or says that it cannot.

Addresses of compiled code mean nothing in another process: an object that keeps one crashes there, without a message. What
can crash is therefore done in processes of its own.
"""

import copy
import copyreg
import io
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import travellers_functions as own
from travellers import answered, by_functions, digest, failed, mechanism, public_classes, samples, solution, tangle

import bricard as br
from bricard.compiled.handles import duplicate, pack
from bricard.compiled.march import march
from bricard.compiled.pointers import PYTHON_ONLY, Bound
from bricard.errors import BricardError

HERE = Path(__file__).parent
STAYING = {br.problem(mechanism()).__class__}  # they hold addresses, and say that they cannot go
ERRORS = [kind for kind in public_classes() if issubclass(kind, (BricardError, Warning))]
SENT = [kind for kind in public_classes() if kind not in STAYING and kind not in ERRORS]
METHODS = multiprocessing.get_all_start_methods()


def everything():
    return [*samples().values(), *(kind("a sentence") for kind in ERRORS), by_functions()]


def alone(script, *arguments, path=(HERE,), hashes="0"):
    """What a script prints in a process of its own, which must not die."""
    folders = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), *map(str, path)]
    environment = os.environ | {"PYTHONHASHSEED": hashes, "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    command = [sys.executable, "-X", "faulthandler", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split()


@pytest.mark.parametrize("kind", SENT, ids=public_classes().get)
def test_every_public_class_has_a_traveller(kind):
    """A new public class belongs into travellers.samples(), or into STAYING with a sentence of its own."""
    assert kind in samples()


@pytest.mark.parametrize("method", METHODS)
def test_there_and_back_through_a_process(method):
    """Every public class tells the same in another process, and after it came back from there."""
    context, things = multiprocessing.get_context(method), everything()
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for thing, (there, back) in zip(things, pool.map(answered, things), strict=True):
            assert there == digest(thing), f"{type(thing).__name__} tells something else in the process"
            assert digest(back) == digest(thing), f"{type(thing).__name__} tells something else when it came back"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_all_protocols_of_pickle(protocol):
    for thing in everything():
        assert digest(pickle.loads(pickle.dumps(thing, protocol))) == digest(thing), type(thing).__name__


def test_cloudpickle_which_joblib_and_dask_use():
    cloudpickle = pytest.importorskip("cloudpickle")
    for thing in everything():
        assert digest(pickle.loads(cloudpickle.dumps(thing))) == digest(thing), type(thing).__name__


@pytest.mark.filterwarnings("ignore::UserWarning:joblib")  # of how many cores it sees
def test_joblib():
    """There and back through its own processes, by its own way to pickle."""
    joblib = pytest.importorskip("joblib")
    things = everything()
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(answered)(thing) for thing in things)
    for thing, (there, back) in zip(things, found, strict=True):
        assert there == digest(back) == digest(thing), type(thing).__name__


def test_dask():
    """By the serialisation of its distributed scheduler."""
    protocol = pytest.importorskip("distributed.protocol")
    for thing in everything():
        header, frames = protocol.serialize(thing)
        assert header["serializer"] == "pickle", header  # else its sentence about what cannot go stands in place of it
        assert digest(protocol.deserialize(header, frames)) == digest(thing), type(thing).__name__


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_tell_the_same(copied):
    for thing in everything():
        assert digest(copied(thing)) == digest(thing), type(thing).__name__


COPY = """
import copy, gc, pickle, sys
import numpy as np
import bricard as br
from travellers import mechanism, tangle
how = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}[sys.argv[1]]
for make in (mechanism, lambda: tangle(4)):
    first = make().build()
    reference = br.simulate(first, 0.1)
    energy, end = reference.energy.total.copy(), reference.q[-1].copy()
    other, result = how(first), how(reference)
    del first, reference
    gc.collect()
    rubbish = [np.random.rand(k) for k in range(1, 3000)], [make().build() for _ in range(10)]
    assert np.array_equal(br.simulate(other, 0.1).q[-1], end) and np.array_equal(result.energy.total, energy)
    br.simulate(result, 0.1)
print("alive")
"""


@pytest.mark.skipif(PYTHON_ONLY, reason="without compilation there are no addresses")
@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_a_copy_outlives_the_original(how):
    assert alone(COPY, how)[-1] == "alive"


READ = """
import pickle, sys
import bricard as br
from travellers import digest
for thing in pickle.load(open(sys.argv[1], "rb")):
    print(digest(thing))
    if isinstance(thing, br.Solution):
        assert "system" not in vars(pickle.loads(pickle.dumps(thing))), "the System is built when it is first needed"
        assert br.simulate(thing, 0.01, step=1e-3).ok and br.simulate(thing.system, 0.01, step=1e-3).ok
"""


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_random_mechanisms_come_back_bit_for_bit(tmp_path, coordinates):
    """Also where Python orders its sets otherwise."""
    systems = [tangle(seed).build(coordinates=coordinates) for seed in range(12)]
    things = [*systems, br.simulate(systems[3], 0.05, output=3)]
    (tmp_path / "things.pkl").write_bytes(pickle.dumps(things))
    assert alone(READ, tmp_path / "things.pkl", hashes="7") == [digest(thing) for thing in things]


def test_choices_of_a_system_travel():
    model = mechanism()
    for choices in (
        {"coordinates": "relative", "cut": "B"},
        {"rotation": "rotation-vector"},
        {"rotation": "quaternion"},
    ):
        system = model.build(**choices)
        back = pickle.loads(pickle.dumps(system))
        assert digest(back) == digest(system)
        assert (back.coordinates, back.cut, back.rotation) == (system.coordinates, system.cut, system.rotation)


def test_a_linkage_travels():
    inner = mechanism()
    joint = br.UserJoint.from_linkage(inner, (inner.ground, inner.bodies["rocker"]), {"turn": "A"})
    host = br.Model("host")
    base, arm = (host.body(name, br.Box((0.1, 0.1, 0.1), mass=1.0)) for name in ("base", "arm"))
    host.spherical("hold", host.ground, base, point=(0, 0, 0))
    host.user_joint("linkage", base, arm, joint, point=(0, 0, 0))
    system = host.build()
    assert digest(pickle.loads(pickle.dumps(system))) == digest(system)
    assert digest(pickle.loads(pickle.dumps(joint))) == digest(joint)


@pytest.mark.parametrize("how", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_a_solution_that_was_loaded_without_its_model_travels(tmp_path, how):
    """Its samples do, and it says what is missing wherever it comes to."""
    model = mechanism()
    model.motor("own", "B", lambda t, x, xdot: -x)
    result = br.simulate(model, 0.02, output=3)
    result.save(tmp_path / "r.h5")
    back = how(br.Solution.load(tmp_path / "r.h5"))
    assert back.q.tobytes() == result.q.tobytes() and back.name == "four-bar"
    with pytest.raises(br.ModelError, match="without its model"):
        back.energy  # noqa: B018
    back.save(tmp_path / "again.h5")
    again = br.Solution.load(tmp_path / "again.h5", model=model)
    assert again.energy.total.tobytes() == result.energy.total.tobytes()


def test_an_error_brings_its_solution():
    error = failed()
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == str(error) and np.array_equal(back.solution.q, error.solution.q)
    assert back.solution.energy.total.tobytes() == error.solution.energy.total.tobytes()


@pytest.mark.skipif(PYTHON_ONLY, reason="without compilation there are no addresses")
@pytest.mark.parametrize("how", [pickle.dumps, copy.copy, copy.deepcopy], ids=lambda how: how.__name__)
def test_what_holds_addresses_refuses_to_leave(how):
    system = solution().system
    for thing in (system.compiled, system.record, system.work(), march, br.problem(mechanism())):
        with pytest.raises(TypeError, match=r"addresses .* cannot be copied or pickled\. Copy or send the Model"):
            how(thing)


class EarlyPickler(pickle.Pickler):
    """Writes Systems and what holds addresses as early versions did: attribute by attribute."""

    def reducer_override(self, thing):
        if isinstance(thing, br.System):
            return copyreg.__newobj__, (br.System,), {"name": thing.name, "compiled": thing.compiled}
        if isinstance(thing, Bound):
            return copyreg.__newobj__, (type(thing),), (None, {"address": 4711})
        return NotImplemented


@pytest.mark.skipif(PYTHON_ONLY, reason="without compilation there are no addresses")
def test_pickles_of_early_versions_are_refused():
    """They hold addresses, and whoever used what they held crashed."""
    system = mechanism().build()
    for thing in (system, system.compiled, march, [system]):
        stream = io.BytesIO()
        EarlyPickler(stream).dump(thing)
        with pytest.raises(TypeError, match="early version of bricard"):
            pickle.loads(stream.getvalue())


def test_a_derived_system_refuses_to_leave():
    derived = solution().system.with_record(refinements=3)
    for how in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"derived from another one .* take the one that was built"):
            how(derived)


def test_work_is_duplicated_with_arrays_of_its_own():
    work = solution().system.work()
    other = duplicate(work)
    assert other.kkt.a is not work.kkt.a and not np.shares_memory(other.q if hasattr(other, "q") else other.x, work.x)
    other.kkt.a[:] = 1.0
    assert not work.kkt.a.any() and pack(other) is not pack(work)


def test_arrays_come_back_read_only():
    back = pickle.loads(pickle.dumps(mechanism()))
    for array in (
        back.bodies["crank"].inertia,
        back.bodies["crank"].shape.com,
        back.gravity,
        back.joints["A"].frame_a.position,
    ):
        assert not array.flags.writeable


# users' functions


FUNCTION = """
import pickle, sys
law = pickle.load(open(sys.argv[1], "rb"))
print(law.function.__module__, law.function(0.0, 1.0, 0.0))
"""


def test_a_function_is_found_in_the_folder_of_its_module(tmp_path):
    """Another process does not have that folder on its path."""
    (tmp_path / "law.pkl").write_bytes(pickle.dumps(br.FunctionLaw(own.law)))
    assert alone(FUNCTION, tmp_path / "law.pkl", path=()) == ["travellers_functions", "-3.0"]


@pytest.mark.parametrize("stiffness", [2.0, 5.0])
def test_other_functions_travel_by_cloudpickle(tmp_path, stiffness):
    pytest.importorskip("cloudpickle")
    law = br.FunctionLaw(lambda t, x, xdot: -stiffness * x)
    (tmp_path / "law.pkl").write_bytes(pickle.dumps(law))
    assert alone(FUNCTION, tmp_path / "law.pkl", path=())[1] == str(-stiffness)


def test_without_cloudpickle_there_is_a_sentence(monkeypatch):
    for name in ("cloudpickle", "joblib.externals.cloudpickle"):
        monkeypatch.setitem(sys.modules, name, None)
    model = mechanism()
    model.motor("own", "B", lambda t, x, xdot: -x)
    for thing in (model, model.build(), br.simulate(model, 0.01)):
        with pytest.raises(br.UserFunctionError, match=r"lambda.* cannot be pickled: .* install cloudpickle"):
            pickle.dumps(thing)
        assert digest(copy.deepcopy(thing)) == digest(thing)  # copies stay in this process


SCRIPT = """
import multiprocessing, pickle, sys
from concurrent.futures import ProcessPoolExecutor
import bricard as br
from travellers import mechanism

def law(t, x, xdot):
    return -2.0 * x

def worked(_):
    model = mechanism()
    model.torsion("of the script", "C", law=law)
    result = br.simulate(model, 0.01, step=1e-3)
    result.save(sys.argv[2] + ".h5")
    with open(sys.argv[2] + ".pkl", "wb") as file:
        pickle.dump((model, result), file)
    return result

if __name__ == "__main__":
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        result = next(pool.map(worked, [0]))
    again = br.rerun(result)
    assert again.same and not again.changed, again.changed
    print("fine")
"""
READ_ELSEWHERE = """
import pickle, sys
import bricard as br
with open(sys.argv[1] + ".pkl", "rb") as file:
    model, result = pickle.load(file)
assert model.forces["of the script"].law.function(0.0, 1.0, 0.0) == -2.0
assert br.rerun(result).same
try:
    br.Solution.load(sys.argv[1] + ".h5").energy
except br.ModelError as error:
    assert "the function 'law' cannot be saved" in str(error), error
    print("told")
"""


@pytest.mark.parametrize("method", METHODS)
def test_functions_of_the_script_travel_from_its_workers(method, tmp_path):
    """A worker calls the script otherwise, and no other process knows it by that name."""
    pytest.importorskip("cloudpickle")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(HERE)])}
    command = [sys.executable, str(script), method, str(tmp_path / method)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["fine"], done.stderr[-3000:]
    assert alone(READ_ELSEWHERE, tmp_path / method) == ["told"]
