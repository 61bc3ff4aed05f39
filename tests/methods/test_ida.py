"""SUNDIALS IDA in its own loop: error against tolerance, every form, redundant rows, sparse matrices, refusals, failures."""

import sys
from functools import cache

import numpy as np
import pytest

import bricard as br
from bricard.errors import IncompatibleMethods, ModelError, SimulationError
from bricard.integrators.ida import DENSE, Callbacks, derivatives, quiet
from bricard.registry import FORMULATIONS, INTEGRATORS
from bricard.simulation import simulate
from bricard.stepping.start import start_run
from bricard.system.assembler import assemble
from mechanisms import four_bar, pendulum, rssr, six_bar
from physical_pendulum import errors, exact, system

FORMS = ("index1", "ggl", "si1", "index2", "index3")
METHOD = {"integrator": "ida"}


@cache
def reference(mechanism):
    return simulate(mechanism(), 0.25, rtol=1e-12, formulation="index1", integrator="dop853", output=6)


@pytest.fixture
def wheel():
    pytest.importorskip(
        "sksundae", reason='the package scikit-sundae is not installed: pip install "bricard[sundials]"'
    )


def callbacks(model, formulation):
    """Callbacks at the start of a run, with the Problem, State and y."""
    problem = FORMULATIONS[formulation].forms["ResidualDae"](
        model.build(), **({"correction": "none"} if FORMULATIONS[formulation].drifts else {})
    )
    state = assemble(problem.system)
    work = problem.work(state)
    run = start_run(problem, INTEGRATORS["ida"], state, work, 1.0, 0.0, np.array([0.0, 1.0]), {"order": 5})
    return Callbacks(problem, run, work), problem, state, run


# ---- what needs no wheel ----


def test_it_is_marked_as_driving_its_own_loop():
    assert [name for name, method in INTEGRATORS.items() if method.external is not None] == ["ida"]
    assert INTEGRATORS["ida"].step is None


@pytest.mark.parametrize("formulation", FORMS)
@pytest.mark.parametrize("mechanism", [rssr, four_bar])
def test_start_is_consistent(mechanism, formulation):
    calls, problem, state, run = callbacks(mechanism(), formulation)
    r = np.zeros(run.y.size)
    calls.residual(0.0, run.y, derivatives(problem, state, run.y), r)
    assert np.abs(r).max() <= 1e-8 * (1.0 + np.abs(state.lam).max())


@pytest.mark.parametrize("formulation", FORMS)
def test_jacobian_is_the_derivative_and_sparse_is_dense(formulation):
    """At the start: away from the solution, the forms leave out what vanishes there (and index1 the derivative of gamma)."""
    calls, problem, state, run = callbacks(rssr(), formulation)
    rng, n, shift, step = np.random.default_rng(4), run.y.size, 30.0, 1e-6
    y, y_dot = run.y.copy(), derivatives(problem, state, run.y)
    dense, direction, r = np.zeros((n, n)), rng.normal(size=n), np.zeros((2, n))
    run.regularisation[:] = 0.0
    calls.jacobian(0.0, y, y_dot, r, shift, dense)
    for k, s in enumerate((step, -step)):
        calls.residual(0.0, y + s * direction, y_dot + s * shift * direction, r[k])
    difference = (r[0] - r[1]) / (2 * step)
    if formulation != "index1":
        np.testing.assert_allclose(dense @ direction, difference, rtol=0, atol=1e-5 * np.abs(difference).max())
    pattern = calls.sparsity()
    calls.jacobian(0.0, y, y_dot, r, shift, pattern.data)
    np.testing.assert_array_equal(pattern.toarray(), dense)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"step": 0.01}, "does not take step"),
        ({"triggers": br.Trigger("A")}, "does not take triggers"),
        ({"breaks": [0.1]}, "does not take breaks"),
        ({"correction": "mass", "formulation": "index1"}, 'does not take correction="mass"'),
    ],
)
def test_what_its_loop_does_not_take(options, text):
    with pytest.raises(IncompatibleMethods, match=f"drives its own loop, which {text}"):
        simulate(pendulum(), 0.5, **METHOD, **options)


def test_without_the_wheel_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae.ida", None)
    with pytest.raises(IncompatibleMethods, match=r'pip install "bricard\[sundials\]"'):
        simulate(pendulum(), 0.5, **METHOD)


# ---- runs ----


@pytest.mark.parametrize("formulation", FORMS)
def test_error_follows_the_tolerance(wheel, formulation):
    """Control of the error per step gives errors rtol^(k / (k + 1)), k being the order, here 3 to 5: exponents from 3/4 to 1.

    IDA chooses steps and orders by thresholds, so that last digits scatter errors by a factor of 3 about that. A slope from five
    tolerances a decade apart then has the standard error ln 3 / (ln 10 sqrt(10)) = 0.15.
    """
    tolerances, found = 10.0 ** -np.arange(5.0, 10.0), []
    for rtol in tolerances:
        solution = simulate(system(), 2.0, rtol=rtol, formulation=formulation, output=21, **METHOD)
        assert solution.counters["steps"] >= 100 and solution.counters["tangents"] > 0
        found.append(max(np.abs(q - exact(t)[0]).max() for t, q in zip(solution.t, solution.q, strict=True)))
        assert found[-1] <= 3 * 1e2 * tolerances[0] * (rtol / tolerances[0]) ** 0.75
    assert 0.75 - 0.15 <= np.polyfit(np.log(tolerances), np.log(found), 1)[0] <= 1.0 + 0.15


@pytest.mark.parametrize("mechanism", [rssr, four_bar, six_bar])
@pytest.mark.parametrize("formulation", FORMS)
def test_closed_loops_with_and_without_redundant_rows(wheel, mechanism, formulation):
    solution = simulate(mechanism(), 0.25, rtol=1e-8, formulation=formulation, output=6, **METHOD)
    atol = 1e-5 if formulation == "index3" else 2e-6
    np.testing.assert_allclose(solution.q, reference(mechanism).q, rtol=0, atol=atol)
    assert solution.constraint_errors.position.max() <= (1e-4 if formulation == "index1" else 1e-6)
    assert np.all(np.diff(solution.step_times) > 0.0) and solution.step_times.size == solution.counters["steps"]


def chain(links=8):
    model = br.Model("chain")
    body = model.ground
    for k in range(links):
        link = model.body(f"link {k}", br.Rod((0.2 * k, 0, 0), (0.2 * k + 0.2, 0, 0), mass=0.3, radius=0.01))
        model.revolute(f"J{k}", body, link, (0.2 * k, 0, 0), (0, 1, 0))
        body = link
    return model


def test_large_systems_take_sparse_matrices(wheel):
    model = chain()
    solution = simulate(model, 0.2, rtol=1e-7, formulation="ggl", output=3, **METHOD)
    assert solution.system.n_q + solution.system.n_v + 2 * solution.system.n_rows > DENSE
    other = simulate(model, 0.2, rtol=1e-11, formulation="index1", integrator="dop853", output=3)
    np.testing.assert_allclose(solution.q, other.q, rtol=0, atol=1e-5)


def test_highest_order_is_an_option(wheel):
    one, five = (
        simulate(system(), 0.3, rtol=1e-5, formulation="ggl", order=k, output=2, **METHOD).counters["steps"]
        for k in (1, 5)
    )
    assert one > 5 * five
    with pytest.raises(ModelError, match="must lie between 1 and 5"):
        simulate(system(), 0.3, order=6, **METHOD)


def test_output_between_the_steps_and_going_on(wheel):
    solution = simulate(system(), 1.0, rtol=1e-8, formulation="ggl", output=2001, **METHOD)
    assert solution.t.size == 2001 > solution.counters["steps"]
    off = [np.abs(q - exact(t)[0]).max() for t, q in zip(solution.t, solution.q, strict=True)]
    assert max(off) <= 3e-6
    half = simulate(system(), 0.5, rtol=1e-8, formulation="ggl", output=2, **METHOD)
    assert errors(simulate(half, 0.5, rtol=1e-8, formulation="ggl", output=2, **METHOD), 1.0)[0] <= 3e-6


def test_a_locking_mechanism_ends_with_our_sentence(wheel):
    """A crank that is driven further than its loop reaches."""
    model = rssr(speed=3.0)
    model.drive("turning", "A", br.Polynomial((0.0, 3.0)))
    model.distance("strut", model.ground, "rocker", (0.5, 0.5, 1.0), (0.9, 0.6, 0.5))
    with pytest.raises((SimulationError, br.AssemblyError)):
        simulate(model, 2.0, rtol=1e-6, formulation="ggl", **METHOD)


def hole(t, x, rate):
    return 1e-3 / (1.5 - t) + 0.0 * x


def test_a_force_that_grows_beyond_all_bounds_ends_the_run(wheel, capfd):
    """With a sentence of ours, and nothing on the terminal."""
    model = pendulum()
    model.motor("M", "A", hole)
    with pytest.raises(SimulationError, match=r"at t = 1\.(49|5)") as caught:
        simulate(model, 2.0, rtol=1e-6, formulation="ggl", **METHOD)
    assert not caught.value.solution.ok
    assert 1.4 < caught.value.solution.t[-1] <= 1.5
    assert "IDA" not in "".join(capfd.readouterr())


def test_only_the_words_of_ida_are_left_out(capsys):
    with pytest.raises(KeyboardInterrupt), quiet():
        print("before")
        print("\n[IDAHandleFailure, Error: -3] At t = 1.5 and h = 2e-12, the error test failed.\n")
        print("after\n")
        raise KeyboardInterrupt
    print("end")
    assert capsys.readouterr().out == "before\nafter\n\nend\n"
