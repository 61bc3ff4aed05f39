"""A chain of N rods with ball joints, hung at one end and released horizontally in a zigzag.

Energy is kept at the order of the method and the joints stay closed, however long the chain is.
"""

import numpy as np

import bricard as br

LENGTH, TILT = 1.0, 0.3


def build(count=10):
    model = br.Model(f"chain of {count}", gravity=(0, 0.5, -9.81))  # a side wind of gravity: the motion is spatial
    before, here = model.ground, np.zeros(3)
    for number in range(count):
        angle = TILT if number % 2 else -TILT
        there = here + LENGTH * np.array([np.cos(angle), 0.0, -np.sin(angle)])
        link = model.body(f"link {number + 1}", br.Rod(here, there, mass=1.0, radius=0.1))
        model.spherical(f"joint {number + 1}", before, link, point=here)
        before, here = link, there
    return model


def check(count=10):
    model = build(count)
    assert model.report().freedom == 3 * count

    def error(step):
        solution = br.simulate(model, 1.0, step=step)
        assert solution.constraint_errors.position.max() < 1e-9
        return solution, np.abs(solution.energy.error).max()

    (_, coarse), (solution, fine) = error(1e-3), error(5e-4)
    assert 1.8 < np.log2(coarse / fine) < 2.2  # generalized-alpha: order 2
    return solution


if __name__ == "__main__":
    print(check())
