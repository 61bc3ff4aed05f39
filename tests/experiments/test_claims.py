"""Spec 004, section 6: every claim has an experiment, and claims 5 to 12, 14 and 15 hold with the figures of the spec."""

from pathlib import Path

import numpy as np
import pytest

from bricard.experiments import EXPERIMENTS, orientation_sets, spinning_top, thesis_mechanisms
from bricard.experiments.claims import CLAIMS
from bricard.integrators.null_space_newmark import HOLDS, NULL_SPACE_NEWMARK
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.redundancy import redundancy

EPS = np.finfo(float).eps
PAGES = Path(__file__).parents[2] / "docs"


def drawn(result):
    """Axes with the figure of a result."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert result.draw is not None
    result.draw(ax)
    return ax


def test_every_claim_has_an_experiment_and_stands_in_the_documentation():
    """Claim 13 is contradicted by the source's own numbers: spec 004 says not to use it."""
    assert {claim.number for claim in CLAIMS} == set(range(1, 22)) - {13}
    text = (PAGES / "claims.md").read_text()
    for claim in CLAIMS:
        assert EXPERIMENTS[claim.experiment.name] is claim.experiment
        assert any(
            line.startswith(f"| {claim.number} |") and f"`{claim.experiment.name}`" in line
            for line in text.splitlines()
        )


def test_every_experiment_stands_in_the_documentation():
    text = (PAGES / "experiments.md").read_text()
    assert all(f"| `{name}` |" in text for name in EXPERIMENTS)


# claims 5 to 11

DRIFTS = {
    "A01 pendulum": (1.64e-5, 5e-5),
    "A01 pendulum, 0.5 ms": (6.87e-6, 5e-5),
    "four-bar": (0.0419, 0.1),
    "A02 double four-bar": (0.0769, 0.1),
    "A03 Andrews": (2.485e-6, 1e-5),
    "A04 Bricard": (4.47e-4, 1e-3),
    "slider-crank": (4.41e-4, 1e-3),
}


# Energy, J, that last digits decide about. The slider-crank has a step that ends beside a singular position, where the smallest
# singular value of G is 4e-5 of the largest. Newton's tolerance of 1e-12, divided by that and by the step of 1 ms,
# leaves 2.5e-5 m/s open in the direction that constraints hardly see there, with bodies of 1 kg at 2 m/s twice as many joules
OPEN = {"slider-crank": 1e-12 / 4e-5 / 1e-3 * 2.0}


@pytest.mark.parametrize("mechanism", list(DRIFTS))
def test_claims_6_to_11_energy(mechanism):
    """Below the bound of the IFToMM library, and unchanged from what we have measured."""
    measured, bound = DRIFTS[mechanism]
    drift = np.abs(thesis_mechanisms.solved(mechanism).energy.error).max()
    assert drift < bound
    assert drift == pytest.approx(measured, abs=0.02 * measured + OPEN.get(mechanism, 0.0))


@pytest.mark.parametrize("mechanism", list(thesis_mechanisms.CASES))
def test_claim_5_all_three_levels_hold_to_round_off(mechanism):
    errors, solution = thesis_mechanisms.levels(mechanism), thesis_mechanisms.solved(mechanism)
    for k in np.flatnonzero(errors["position"] >= 2e-14):
        # Newton's method converges quadratically, so that its last correction leaves rounding; beside a singular position only
        # linearly, and what it accepts there is its own tolerance
        assert sine(solution, k) < 1e-3, solution.t[k]
        assert errors["position"][k] < HOLDS * NULL_SPACE_NEWMARK.options["newton_tolerance"], solution.t[k]
    assert errors["velocity"].max() < 1e-14
    for k in np.flatnonzero(errors["acceleration"] >= 1e-10):
        # a step that ends beside a singular position: elimination meets a pivot of the size sine^2 there, and the solution of its
        # equations, G v' = gamma among them, carries EPS / sine^2 of their size
        assert errors["acceleration"][k] < EPS / sine(solution, k) ** 2, solution.t[k]


def sine(solution, k):
    """Smallest singular value of G in scaled rows and columns at a sample, a part of the largest; redundant rows do not count."""
    system, record = solution.system, solution.system.record
    G = system.jacobian(solution.t[k], solution.q[k], solution.v[k]).toarray()
    s = np.linalg.svd(record.row_scale[:, None] * G * np.sqrt(record.metric[: system.n_v]), compute_uv=False)
    return s[system.n_rows - redundancy(system, assemble(system)) - 1] / s[0]


def test_energy_and_levels_have_tables_and_figures():
    drifts, levels = thesis_mechanisms.run_drifts(), thesis_mechanisms.run_levels()
    assert [row["mechanism"] for row in drifts.rows] == list(DRIFTS)
    assert len(drawn(drifts).patches) == len(DRIFTS)
    assert len(drawn(levels).patches) == 3 * len(thesis_mechanisms.CASES)


def test_claim_11_with_the_work_of_the_torque_by_its_angle():
    """The balance as the source has it, (8.3): T + V - E0 - torque (beta - beta0); ours integrates the power."""
    solution = thesis_mechanisms.solved("A03 Andrews")
    energy = solution.energy.kinetic + solution.energy.potential
    gained = 0.033 * (solution.joint("O") - solution.joint("O")[0])
    assert np.abs(energy - energy[0] - gained).max() == pytest.approx(2.48e-6, rel=0.02)


# claim 12


def test_claim_12_top_converges_quadratically():
    result = spinning_top.run_convergence(steps=(2.5e-4, 1.25e-4))
    assert [row["order"] for row in result.rows] == pytest.approx([2.0] * len(result.rows), abs=0.1)
    assert len(drawn(result).get_lines()) == len(result.rows) + 1


def test_top_keeps_energy_and_spin():
    """Issue 4 asks for 1e-8 and 1e-10 over 100 s; tests/methods/test_conserving.py runs that long."""
    result = spinning_top.run_conservation(duration=5.0)
    rows = {row["method"]: row for row in result.rows}
    assert max(rows["energy-momentum"][words] for words in ("energy", "spin", "vertical momentum")) < 1e-12
    assert rows["rattle"]["spin"] < 1e-12 and rows["rattle"]["vertical momentum"] < 1e-12
    assert rows["rattle"]["energy"] > 1e-8 < rows["null-space-newmark, lever 0.1"]["energy"]
    assert len(drawn(result).get_lines()) == 3 * len(result.rows)
    assert sum("vertical momentum" in line.get_label() for line in drawn(result).get_lines()) == len(result.rows)


# claims 14 and 15

# motion -> the sets that fail in it
FAIL = {
    "type 1": set(),
    "type 2": {"euler-zxz", "euler-rodrigues", "gibbs"},
    "type 3": {"euler-zxz"},
    "slider-crank, xy": {"euler-zxz", "euler-rodrigues", "gibbs"},
    "slider-crank, xz": {"euler-rodrigues", "gibbs"},
}
ERRORS = {"type 1": 8.0787e-06, "type 2": 3.60886e-5}  # J, [P]


@pytest.fixture(scope="module")
def motions():
    return orientation_sets.run()


@pytest.mark.parametrize("motion", list(orientation_sets.CASES))
def test_claims_14_and_15_rotation_parameters(motions, motion):
    """Tables 9.1 to 9.4. Our default and the quaternion pass everywhere; a set that fails names its singular position."""
    rows = [row for row in motions.rows if row["motion"] == motion]
    assert {row["rotation"] for row in rows if row["verdict"] != "passes"} == FAIL[motion]
    for row in rows:
        if row["verdict"] == "passes":
            assert row["error, J"] < 1e-3
            assert motion not in ERRORS or row["error, J"] == pytest.approx(ERRORS[motion], rel=1e-5)
        else:
            assert "singular" in row["why"] and 'rotation="group"' in row["why"]


def test_type_3_has_the_angle_and_the_work_of_the_source(motions):
    """3.136 rad and 0.058 J; the error of the energy balance is that of type 2."""
    for row in motions.rows:
        if row["motion"] == "type 3" and row["verdict"] == "passes":
            assert row["main angle, rad"] == pytest.approx(3.136, abs=5e-4)
            assert row["change, J"] == pytest.approx(0.058, abs=5e-4)
            assert row["error, J"] == pytest.approx(3.613e-5, rel=1e-3)
    assert len(drawn(motions).patches) == len(motions.rows)


def test_twist_of_the_thin_rod_changes_nothing():
    """The row against twist bears no load: the path is that of the pendulum without it, with a little inertia."""
    free = orientation_sets.swung(np.pi / 4)
    solution = simulate(free, 1.0, step=1e-3, formulation="overdetermined", integrator="central-difference")
    assert np.abs(solution.lam[:, -1]).max() < 1e-12
