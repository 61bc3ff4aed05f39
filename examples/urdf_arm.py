"""A palletising arm from a URDF file, its parallelogram closed by a joint of the TOML file beside it.

The rod keeps the forearm parallel to the lever of the drive, wherever the upper arm stands.
"""

from pathlib import Path

import numpy as np

import bricard as br

FILE = Path(__file__).with_name("arm.urdf")


def build():
    return br.load(FILE)


def check():
    model = build()
    report = model.report()
    assert (report.freedom, len(report.redundant)) == (3, 3)  # turn, shoulder, drive; parallel axes

    solution = br.simulate(model, 0.6, rtol=1e-9)
    parallel = solution.joint("shoulder") + solution.joint("elbow") - solution.joint("drive")
    assert np.abs(parallel - parallel[0]).max() < 1e-9
    assert np.ptp(solution.joint("drive")) > 0.5
    assert np.abs(solution.energy.error).max() < 1e-6 * np.ptp(solution.energy.kinetic)
    return solution


if __name__ == "__main__":
    print(*build().notes, sep="\n")
    print(build().report())
    print(check())
