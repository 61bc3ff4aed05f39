"""The Bricard six-bar linkage (IFToMM A04), from the file of `make demo`: mobile although counting says it is not."""

from pathlib import Path

import numpy as np

import bricard as br

P3_AT_9_S = (
    0.5390642884948139,
    -1.6384533082403687,
    0.1577353783580957,
)  # tree of five angles, rtol 1e-12; good to 1e-12


def build():
    return br.Model.load(Path(__file__).with_name("bricard.toml"))


def check():
    model = build()
    report = model.report()
    assert (report.gruebler, report.freedom, len(report.redundant)) == (0, 1, 1)

    def error(**options):
        """Distance of joint P3, on rod 4, from its reference (m)."""
        solution = br.simulate(model, 9.0, **options)
        return solution, np.linalg.norm(solution.point("rod4", (0.5, 0, 0))[-1] - P3_AT_9_S)

    (_, coarse), (solution, fine) = error(step=2e-3), error(step=1e-3)
    assert 1.9 < np.log2(coarse / fine) < 2.1  # generalized-alpha: order 2
    assert np.abs(solution.energy.error).max() < 1e-3  # J, the bound of the benchmark
    assert solution.constraint_errors.position.max() < 1e-10

    adaptive, far = error(rtol=1e-8)
    assert far < 1e-5
    assert np.abs(adaptive.energy.error).max() < 1e-4
    return solution


if __name__ == "__main__":
    print(build().report())
    print(check())
