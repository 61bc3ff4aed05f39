"""Every pair of the registry: allowed ones run on the pendulum and the four-bar, forbidden ones are refused."""

import numpy as np
import pytest

from bricard.errors import IncompatibleMethods, ModelError
from bricard.registry import CORRECTIONS, FORMULATIONS, INTEGRATORS
from bricard.simulation import simulate
from mechanisms import four_bar, pendulum

PAIRS = [(f, i) for f in FORMULATIONS for i in INTEGRATORS]
ALLOWED = [(f, i) for f, i in PAIRS if any(form in INTEGRATORS[i].accepts for form in FORMULATIONS[f].forms)]
FORBIDDEN = [pair for pair in PAIRS if pair not in ALLOWED]


def test_something_is_allowed_and_something_forbidden():
    assert ALLOWED and FORBIDDEN
    assert {f for f, _ in ALLOWED} == set(FORMULATIONS)
    assert {i for _, i in ALLOWED} == set(INTEGRATORS)


@pytest.mark.parametrize("mechanism", [pendulum, four_bar])
@pytest.mark.parametrize(("formulation", "integrator"), ALLOWED)
def test_allowed_pair_runs(mechanism, formulation, integrator):
    if INTEGRATORS[integrator].external is not None:
        pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    if FORMULATIONS[formulation].needs:
        with pytest.raises(IncompatibleMethods, match="needs the option"):
            simulate(mechanism(), 0.1, formulation=formulation, integrator=integrator, step=0.01)
        return
    step = None if INTEGRATORS[integrator].adaptive else 2e-5 if INTEGRATORS[integrator].order == 1 else 0.002
    solution = simulate(mechanism(), 0.1, formulation=formulation, integrator=integrator, step=step)
    assert solution.ok, solution.status
    assert solution.t[-1] == pytest.approx(0.1)
    assert np.abs(solution.energy.error).max() <= 2e-3 * solution.energy.kinetic.max()


@pytest.mark.parametrize(("formulation", "integrator"), FORBIDDEN)
def test_forbidden_pair_is_refused_with_what_fits(formulation, integrator):
    with pytest.raises(IncompatibleMethods) as caught:
        simulate(pendulum(), 0.1, formulation=formulation, integrator=integrator, step=0.01)
    text = str(caught.value)
    for f, i in ALLOWED:
        assert f != formulation or i in text
        assert i != integrator or f in text


@pytest.mark.parametrize("formulation", [f for f, x in FORMULATIONS.items() if "Ode" not in x.forms and not x.drifts])
def test_correction_is_for_ode_forms_and_for_what_drifts(formulation):
    with pytest.raises(IncompatibleMethods, match='correction="mass" is for Ode forms'):
        simulate(pendulum(), 0.1, formulation=formulation, correction="mass", step=0.01)


@pytest.mark.parametrize("correction", list(CORRECTIONS))
def test_corrections_run(correction):
    formulation = "index1" if correction in FORMULATIONS["index1"].corrections else "gram-schmidt"
    assert simulate(pendulum(), 0.02, formulation=formulation, step=0.01, correction=correction).ok


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"formulation": "index4"}, IncompatibleMethods, 'Did you mean "index[123]"'),
        ({"integrator": "radua5"}, IncompatibleMethods, 'Did you mean "radau5"'),
        ({"correction": "mas", "formulation": "index1"}, IncompatibleMethods, 'Did you mean "mass"'),
        ({"rh": 0.5}, IncompatibleMethods, 'Unknown option "rh".*rho'),
        ({"rho": float("nan")}, ModelError, "rho is nan"),
        ({"step": -1.0}, ModelError, "step is -1.0"),
        ({"step": None, "integrator": "rk4"}, IncompatibleMethods, "fixed step: give step"),
        ({"step": None, "rtol": 0.0}, ModelError, "rtol is 0.0"),
        ({"output": 1}, ModelError, "output is 1: at least two samples"),
        ({"output": [5.0]}, ModelError, "output times"),
    ],
)
def test_wrong_options(options, error, text):
    with pytest.raises(error, match=text):
        simulate(pendulum(), 0.1, **({"step": 0.01} | options))
