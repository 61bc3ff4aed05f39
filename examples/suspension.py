"""Five-link front suspension: wheel path, camber and toe over the travel of the wheel, and steering by the rack.

No dynamics: `br.kinematics` drives the height of the wheel, or height and rack, through their range. The third rod is the tie
rod; its inner end sits on a rack that slides across the car. Run it to write suspension.png.
"""

import numpy as np

import bricard as br
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS

TIE_ROD = 2
TRAVEL = (-0.1, 0.1)  # m
RACK = (-0.05, 0.05)


def build():
    """The suspension with a rack: two degrees of freedom."""
    model = br.Model("five-link front suspension", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=MASS, inertia=INERTIA, position=CENTRE)
    rack = model.body("rack", br.Box((0.03, 0.4, 0.03), mass=2.0, position=CHASSIS[TIE_ROD]))
    model.prismatic("rack", model.ground, rack, CHASSIS[TIE_ROD], (0, 1, 0))
    model.free("travel", model.ground, wheel, frame_a=model.ground.frame(), frame_b=wheel.frame())
    for k in range(5):
        model.distance(f"rod {k + 1}", rack if k == TIE_ROD else model.ground, wheel, CHASSIS[k], CARRIER[k])
    return model


def camber(found):
    """How far the top of the wheel leans outwards (degrees)."""
    return -np.degrees(np.arcsin(found.poses["wheel"][1][:, 2, 1]))


def toe(found):
    """How far the front of the wheel points inwards (degrees)."""
    axis = found.poses["wheel"][1][:, :, 1]
    return np.degrees(np.arctan2(axis[:, 0], axis[:, 1]))


def sweeps():
    """Travel with the rack in the middle; steering at three heights."""
    model = build()
    travel = br.kinematics(model, {"travel.z": TRAVEL, "rack": 0.0}, points=81)
    steering = {z: br.kinematics(model, {"travel.z": z, "rack": np.linspace(*RACK, 41)}) for z in (-0.06, 0.0, 0.06)}
    return travel, steering


def plot(travel, steering):
    """Four panels: path, camber and toe over travel, steering angle over rack."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 7.0), dpi=130, layout="constrained")
    (path, lean), (aim, steer) = figure.subplots(2, 2)
    height, wheel = 1e3 * travel.s[:, 0], 1e3 * travel.point("wheel")
    path.plot(wheel[:, 0], height, color="#0b6aa8", label="x, forwards")
    path.plot(wheel[:, 1] - 1e3 * CENTRE[1], height, color="#e08214", label="y, outwards")
    path.set(xlabel="wheel centre against the design position (mm)", ylabel="wheel travel z (mm)", title="wheel path")
    lean.plot(camber(travel), height, color="#2a8c55")
    lean.set(xlabel="camber (degrees)", ylabel="wheel travel z (mm)", title="camber")
    aim.plot(toe(travel), height, color="#c0392b")
    aim.set(xlabel="toe-in (degrees)", ylabel="wheel travel z (mm)", title="toe (bump steer)")
    for (z, found), colour in zip(steering.items(), ("#0b6aa8", "#555555", "#e08214"), strict=True):
        steer.plot(1e3 * found.s[:, 1], toe(found), color=colour, label=f"z = {1e3 * z:+.0f} mm")
    steer.set(xlabel="rack displacement (mm)", ylabel="steering angle, toe-in positive (degrees)", title="steering")
    for axes in (path, lean, aim, steer):
        axes.grid(True, color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    path.legend(frameon=False)
    steer.legend(frameon=False)
    return figure


def check():
    model = build()
    assert model.report().freedom == 2
    travel, steering = sweeps()
    alone = br.kinematics(br.problems.suspension(), {"travel.z": travel.s[:, 0]})  # without a rack, the rod fixed
    assert np.abs(travel.point("wheel") - alone.point("wheel")).max() < 1e-12
    assert np.abs(camber(travel)).max() < 4.0 and np.ptp(toe(steering[0.0])) > 20.0
    ratio = travel.point_ratio("wheel")[40, :, 0]  # at the design position, against the figures of spec 001
    assert np.abs(ratio - [-0.052311272265711, 0.033395661317201, 1.0]).max() < 1e-9

    model.start(joint="travel.z", position=0.05, velocity=0.2)
    model.start(joint="rack", velocity=0.1)
    solution = br.simulate(model, 0.3, rtol=1e-9)
    assert np.abs(solution.energy.error).max() < 1e-8
    return solution


if __name__ == "__main__":
    plot(*sweeps()).savefig("suspension.png")
    print(check())
