"""What a thesis claims and what we find: spec 004, section 6, each claim with the experiment that shows it.

Runs the experiments behind the claims (a few minutes) and prints our figure beside the published one. Claim 13 (limits of
Fox-Goodwin from printed matrices) contradicts itself in the source and is left out; `bricard experiment fox-goodwin` and
`br.analysis.largest_step` have what replaces it. Claim 20 holds in its corrected form only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .base import Experiment, Result
from .conditionally_explicit import CENTRAL_DIFFERENCES, CONDITIONALLY_EXPLICIT
from .driven_pendulum import CONSTRAINT_FORCES, FOX_GOODWIN
from .explicit_stability import EXPLICIT_STABILITY
from .orientation_sets import ORIENTATION_SETS
from .shock_wave import SHOCK_WAVE
from .spinning_top import TOP_CONVERGENCE
from .thesis_mechanisms import CONSTRAINT_LEVELS, ENERGY_DRIFTS, LEVELS

Rows = list[dict[str, Any]]
Answer = tuple[str, bool]  # our figure, whether the claim holds


class Claim(NamedTuple):
    """A claim of the source, the experiment that shows it, the published figure, and how ours is read from its rows."""

    number: int
    statement: str
    experiment: Experiment
    published: str
    read: Callable[[Rows], Answer]


def chosen(rows: Rows, **wanted: Any) -> Rows:
    """The rows with these entries."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def fails_everywhere(rows: Rows) -> Answer:
    """Claim 1."""
    verdicts = [row["verdict"] for row in chosen(rows, method="newmark, fox-goodwin")]
    failing = sum(verdict.startswith("fails") for verdict in verdicts)
    return f"fails at {failing} of {len(verdicts)} steps, 1 ms to 0.79 s", failing == len(verdicts)


def forces_grow(rows: Rows) -> Answer:
    """Claim 2."""
    index_3, regular = chosen(rows, method="newmark"), chosen(rows, method="null-space-newmark")
    largest = max(row["largest constraint force, N"] for row in regular)
    holds = index_3[-1]["verdict"].startswith("diverges") and largest < 10.0
    return f"index 3 {index_3[-1]['verdict']} with 9 N m; null space at most {largest:.3g} N", holds


def keeps_the_limit(rows: Rows) -> Answer:
    """Claim 3."""
    verdicts = {row["step, s"]: row["verdict"] for row in chosen(rows, method="null-space-newmark, fox-goodwin")}
    below, above = verdicts[0.78], verdicts[0.79]
    return f"0.78 s {below}, 0.79 s {above}", below == "stable" and above == "unstable"


def has_no_limit(rows: Rows) -> Answer:
    """Claim 4."""
    row = next(row for row in chosen(rows, method="null-space-newmark, trapezoidal") if row["step, s"] == 6.0)
    return f"6 s {row['verdict']}", row["verdict"] == "stable"


def holds_all_levels(rows: Rows) -> Answer:
    """Claim 5."""
    largest = [max(row[level] for row in rows) for level in LEVELS]
    return "at most " + ", ".join(f"{x:.0e}" for x in largest), max(largest[:2]) < 1e-13 and largest[2] < 1e-10


def drifts(mechanism: str) -> Callable[[Rows], Answer]:
    """Reads the drift of a mechanism; it is to lie within the bound of the library."""

    def read(rows):
        (row,) = chosen(rows, mechanism=mechanism)
        return f"{row['drift, J']:.4g} J", row["drift, J"] < row["bound, J"]

    return read


def converges(rows: Rows) -> Answer:
    """Claim 12: the first row has the short lever that a fast spin asks for."""
    short = rows[0]
    holds = all(abs(row["order"] - 2.0) < 0.15 for row in rows)
    return f"order {short['order']:.3f}, {short['times central differences']:.2f} times CD", holds


def same_digits(rows: Rows) -> Answer:
    """Claim 14."""
    passed = chosen(rows, motion="type 1", verdict="passes") + chosen(rows, motion="type 2", verdict="passes")
    values = sorted({f"{row['error, J']:.4e}" for row in passed}, key=float)
    return " and ".join(values) + " J", values == ["8.0787e-06", "3.6089e-05"]


def only_two_survive(rows: Rows) -> Answer:
    """Claim 15, with our default among the survivors."""
    failed = {row["rotation"] for row in rows if row["verdict"] != "passes"}
    survivors = sorted({row["rotation"] for row in rows} - failed)
    (gibbs,) = chosen(rows, motion="type 3", rotation="gibbs")
    holds = survivors == ["group", "quaternion"] and gibbs["verdict"] == "passes"
    return f"{' and '.join(survivors)} pass all; Gibbs {gibbs['verdict']} type 3", holds


def does_not_cancel(rows: Rows) -> Answer:
    """Claim 16, at the step of the published figures."""
    (row,) = (row for row in rows if row["step, s"] == 1e-6)
    classic, ours = row["classic, J"], row["without cancellation, J"]
    return f"{ours:.1e} J, classic {classic:.1e} J at {row['step, s']:g} s", ours < 1e-3 * classic


def digits_of(name: str, published: dict[float, str], step: float, within: float) -> Callable[[Rows], Answer]:
    """Reads drifts of a method at a step by alpha; they are to be those published."""

    def read(rows):
        found = {alpha: chosen(rows, method=name, alpha=alpha)[0][f"h = {step:g}"] for alpha in published}
        holds = all(abs(found[alpha] / float(value) - 1.0) < within for alpha, value in published.items())
        return ", ".join(f"{value:.6g}" for value in found.values()) + f" J at {step:g} s", holds

    return read


def stable_to(name: str, limits: dict[float, float], within: float = 1e-3) -> Callable[[Rows], Answer]:
    """Reads the limits of h omega of a method by alpha; they are to be these."""

    def read(rows):
        found = [chosen(rows, method=name, alpha=alpha)[0]["stable to h omega"] for alpha in limits]
        holds = all(abs(a - b) <= within * max(b, 1.0) for a, b in zip(found, limits.values(), strict=True))
        return "stable to " + ", ".join(f"{limit:.5g}" for limit in found), holds

    return read


def doubles(rows: Rows) -> Answer:
    """Claim 21."""
    peaks, ripples = ([row[key] for row in rows] for key in ("peak, m/s", "ripple, m/s"))
    holds = all(abs(peak - 2.0) < 0.05 for peak in peaks) and ripples == sorted(ripples, reverse=True)
    return (
        f"{', '.join(f'{peak:.3f}' for peak in peaks)} m/s for {rows[0]['masses']} to {rows[-1]['masses']} masses",
        holds,
    )


THIRD = 4 / 3
CLAIMS = (
    Claim(1, "Index-3 Newmark with Fox-Goodwin fails at any step", FOX_GOODWIN, "fails", fails_everywhere),
    Claim(2, "Index-3 trapezoidal rule degrades with the load", CONSTRAINT_FORCES, "diverges at 9 N m", forces_grow),
    Claim(3, "The null space keeps the limit of Fox-Goodwin", FOX_GOODWIN, "0.78 stable, 0.79 not", keeps_the_limit),
    Claim(4, "Trapezoidal rule stable at 6 s", FOX_GOODWIN, "stable", has_no_limit),
    Claim(5, "Three constraint levels to round-off", CONSTRAINT_LEVELS, "1e-14 to 1e-10", holds_all_levels),
    Claim(6, "A01, trapezoidal, 1 ms", ENERGY_DRIFTS, "below 5e-5 J", drifts("A01 pendulum")),
    Claim(7, "A01, Fox-Goodwin, 0.5 ms", ENERGY_DRIFTS, "1.22185e-5 J", drifts("A01 pendulum, 0.5 ms")),
    Claim(8, "A02 through its singular positions", ENERGY_DRIFTS, "below 0.1 J", drifts("A02 double four-bar")),
    Claim(9, "A04 Bricard", ENERGY_DRIFTS, "6.89807e-4 J", drifts("A04 Bricard")),
    Claim(10, "Slider-crank", ENERGY_DRIFTS, "below 1e-3 J", drifts("slider-crank")),
    Claim(11, "A03 Andrews", ENERGY_DRIFTS, "below 1e-5 J", drifts("A03 Andrews")),
    Claim(12, "Top at 523.6 rad/s: quadratic convergence", TOP_CONVERGENCE, "order 2, 2.1 times CD", converges),
    Claim(14, "Pendulum by central differences", ORIENTATION_SETS, "8.078e-6 and 3.6e-5 J", same_digits),
    Claim(15, "Only the quaternion passes all motions", ORIENTATION_SETS, "Gibbs passes type 3", only_two_survive),
    Claim(16, "Central differences without cancellation", CENTRAL_DIFFERENCES, "2.3e-11, 3.7e-7 J", does_not_cancel),
    Claim(
        17,
        "ce3 with alpha = 1, 4/3, 2: accuracy",
        CONDITIONALLY_EXPLICIT,
        "2.00492e-05, 1.27955e-05, 3.85689e-06 J",
        digits_of("ce3", {1.0: "2.00492e-05", THIRD: "1.27955e-05", 2.0: "3.85689e-06"}, 1e-3, 5e-6),
    ),
    Claim(
        17,
        "ce3 with alpha = 1, 4/3, 2: stability",
        EXPLICIT_STABILITY,
        "2, 1.549, 1.1547",
        stable_to("ce3", {1.0: 2.0, THIRD: 1.549, 2.0: 1.1547}),
    ),
    Claim(
        18,
        "ce4 with alpha = 1/4, 3/4: accuracy",
        CONDITIONALLY_EXPLICIT,
        "8.67265e-7, 4.33641e-07 J",
        digits_of("ce4", {0.25: "8.67265e-7", 0.75: "4.33641e-7"}, 1e-3, 5e-6),
    ),
    Claim(
        18,
        "ce4 with alpha = 1/4, 3/4, 5/4: stability",
        EXPLICIT_STABILITY,
        "1.264911, 1.7310, unstable",
        stable_to("ce4", {0.25: 1.264911, 0.75: 1.731, 1.25: 0.0}),
    ),
    Claim(
        19,
        "ce5: accuracy, fourth order",
        CONDITIONALLY_EXPLICIT,
        "6.71276e-11 J",
        digits_of("ce5", {0.8: "6.71276e-11"}, 1e-3, 0.01),
    ),
    Claim(
        20,
        "ce5: alpha = 4/5 unstable (published as stable to 1), alpha = 0 stable to sqrt(2)",
        EXPLICIT_STABILITY,
        "1 (wrong)",
        stable_to("ce5", {0.8: 0.0, 0.0: 1.41421}),
    ),
    Claim(21, "Shock wave: the free end moves twice as fast", SHOCK_WAVE, "2 m/s", doubles),
)


def run() -> Result:
    """Rows: claim."""
    needed = {claim.experiment.name: claim.experiment for claim in CLAIMS}
    found = {name: experiment.run().rows for name, experiment in needed.items()}
    rows = []
    for claim in CLAIMS:
        ours, holds = claim.read(found[claim.experiment.name])
        row = {"claim": claim.number, "statement": claim.statement, "experiment": claim.experiment.name}
        rows.append(row | {"ours": ours, "published": claim.published, "holds": "yes" if holds else "no"})
    return Result(("claim", "statement", "experiment", "ours", "published", "holds"), rows, NOTES)


NOTES = ("Each experiment prints its whole table, and draws its figure with --figure.",)

CLAIMS_TABLE = Experiment(
    name="claims",
    title="Every claim of a thesis with the experiment that shows it, our figure and the published one",
    source="spec 004, section 6",
    run=run,
    figure=False,
)
