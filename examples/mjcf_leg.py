"""A leg with a closed loop from an MJCF file: what MuJoCo holds by stiff springs, joints hold exactly here."""

from pathlib import Path

import numpy as np

import bricard as br

FILE = Path(__file__).with_name("leg.xml")


def build():
    return br.load(FILE)


def check():
    model = build()
    assert model.report().freedom == 3  # rail, hip pitch, and one of the loop

    solution = br.simulate(model, 1.0, rtol=1e-8)
    assert solution.constraint_errors.position.max() < 1e-9
    assert np.abs(solution.joint("ankle") + 0.5 * solution.joint("knee")).max() < 1e-9
    assert np.abs(solution.energy.error).max() < 1e-5 * np.ptp(solution.energy.kinetic)
    return solution


if __name__ == "__main__":
    print(*build().notes, sep="\n")
    print(build().report())
    print(check())
