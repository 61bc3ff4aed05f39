"""Quarter car over a bump: a five-link suspension with spring and damper on its fifth rod, rods with mass, a linear tyre.

The suspension is a joint made from a linkage (`br.UserJoint.from_linkage`): its inner rods are bodies, so the spring can stand on
one of them. The car starts from its static equilibrium. Run it to write quarter_car.png.
"""

import numpy as np

import bricard as br
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS, suspension

BODY, ROD = 350.0, 0.8  # kg, a quarter of the body; each rod
TOP = (0.105, 0.56, 0.42)  # of the spring, in the chassis
MIDDLE = 0.5 * (CHASSIS[4] + CARRIER[4])
STIFFNESS, DAMPING, TYRE, TYRE_DAMPING = 9.0e4, 6.0e3, 2.0e5, 200.0  # N/m, N s/m
RADIUS = 0.31  # m, of the tyre without load
BUMP, PASSING, WIDTH = 0.05, 0.6, 0.05  # height (m), time (s), half of its duration (s)


def linkage():
    """The five-link suspension with spring and damper between chassis and fifth rod, as a joint with the coordinate z."""
    model = suspension(0.0, 0.0, rod_mass=ROD)
    model.spring("spring", model.ground, "rod 5", TOP, MIDDLE, stiffness=STIFFNESS, damping=DAMPING, length=0.62)
    return br.UserJoint.from_linkage(model, ("ground", "wheel"), {"z": "travel.z"})


def bump(t):
    """Height of the road under the wheel (m)."""
    x = (t - PASSING) / WIDTH
    return BUMP * np.exp(-x * x)


def build(rest=True):
    """The car, from its static equilibrium or as drawn."""
    model = br.Model("quarter car")
    body = model.body("body", br.Box((0.8, 0.5, 0.3), mass=BODY, position=(0, 0.1, 0.25)))
    wheel = model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    patch = model.body("road", br.Box((0.3, 0.3, 0.02), mass=1.0, position=(0, CENTRE[1], -RADIUS)))
    model.prismatic("body", model.ground, body, (0, 0.1, 0.25), (0, 0, 1))
    model.prismatic("road", model.ground, patch, (0, CENTRE[1], -RADIUS), (0, 0, 1))
    model.drive("profile", "road", bump)
    model.user_joint(
        "suspension", body, wheel, linkage(), frame_a=body.frame(body.point((0, 0, 0))), frame_b=wheel.frame()
    )
    model.free("tyre", patch, wheel, frame_a=patch.frame(), frame_b=wheel.frame())
    model.torsion("tyre", "tyre.z", stiffness=TYRE, damping=TYRE_DAMPING, angle=RADIUS)
    if rest:
        state = br.equilibrium(build(rest=False))
        for joint in ("body", "suspension.z"):
            model.start(joint=joint, position=state.joint(joint))
    return model


def plot(solution):
    """Height of road, wheel and body; travel; force of the spring."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 7.0), dpi=130, layout="constrained")
    heights, travel, force = figure.subplots(3, 1, sharex=True)
    t = solution.t
    for name, values, colour in (
        ("road", solution.joint("road"), "#555555"),
        ("wheel", solution.point("wheel")[:, 2] - solution.point("wheel")[0, 2], "#e08214"),
        ("body", solution.joint("body") - solution.joint("body")[0], "#0b6aa8"),
    ):
        heights.plot(t, 1e3 * values, color=colour, label=name)
    heights.set(ylabel="height (mm)", title="Quarter car over a bump")
    travel.plot(t, 1e3 * solution.joint("suspension.z"), color="#2a8c55")
    travel.set(ylabel="wheel travel (mm)")
    length = np.linalg.norm(solution.point("body", (0.105, 0.46, 0.17)) - solution.point("suspension/rod 5"), axis=1)
    force.plot(t, 1e-3 * STIFFNESS * (0.62 - length), color="#c0392b", label="spring on the fifth rod")
    force.plot(t, 1e-3 * TYRE * (RADIUS - solution.joint("tyre.z")), color="#7b4fa3", label="tyre")
    force.set(xlabel="time (s)", ylabel="force (kN)")
    for axes in (heights, travel, force):
        axes.grid(True, color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    heights.legend(frameon=False)
    force.legend(frameon=False)
    return figure


def check():
    state = br.equilibrium(build(rest=False))
    assert state.stable
    weight = 9.81 * (BODY + MASS + 5 * ROD)
    assert abs(TYRE * (RADIUS - state.joint("tyre.z")) - weight) < 1e-6 * weight  # the tyre carries everything

    model = build()
    solution = br.simulate(model, 3.0, rtol=1e-7)
    still = solution.t < PASSING - 6 * WIDTH
    assert np.abs(solution.joint("body")[still] - solution.joint("body")[0]).max() < 1e-6  # at rest until the bump
    assert 0.01 < np.ptp(solution.joint("suspension.z")) < 0.2
    assert abs(solution.joint("body")[-1] - solution.joint("body")[0]) < 3e-3  # it comes to rest again
    assert np.abs(solution.energy.error).max() < 1e-2 * 0.5 * TYRE * BUMP**2
    return solution


if __name__ == "__main__":
    model = build()
    print(model.report())
    plot(br.simulate(model, 2.0, rtol=1e-7, output=2e-3)).savefig("quarter_car.png")
    print(check())
