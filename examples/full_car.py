"""A car on four five-link suspensions, its left wheels over a bump: relative coordinates against absolute ones.

Relative: a free body and four users' joints (`br.UserJoint.implicit`), 10 velocities, no constraints. Absolute: five bodies and
twenty massless rods, 30 velocities, 20 rows. Both give the same motion. Run it to write full_car.png.
"""

import numpy as np
from numba import njit

import bricard as br
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, INERTIA, MASS, five_link_joint, mirrored

BODY, BODY_INERTIA = 1400.0, (520.0, 2300.0, 2500.0)  # kg, kg m^2
HEIGHT, AXLE = 0.25, 1.35  # m: centre of mass above the wheel centres, axles before and behind it
TOP, BOTTOM = (0.0, 0.56, 0.45), CARRIER[4]  # of the springs, in chassis and carrier, drawn on the left side
STIFFNESS, DAMPING, LENGTH = 3.5e4, 2.6e3, 0.71  # N/m, N s/m, m
TYRE, TYRE_DAMPING, GRIP = 2.0e5, 300.0, 1.0e5  # N/m vertical, N s/m, N/m along the ground
RADIUS, SPEED = 0.31, 15.0  # m, m/s
BUMP, PASSING, WIDTH = 0.04, 0.5, 0.04  # m, s, s
CORNERS = {"front left": (1, 1), "front right": (1, -1), "rear left": (-1, 1), "rear right": (-1, -1)}


@njit
def tyre(t, height, rate, passing):
    """Force (N) of a tyre on a road with a bump that it passes at a time (s)."""
    x = (t - passing) / WIDTH
    road = BUMP * np.exp(-x * x)
    climb = -2.0 * x / WIDTH * road
    return TYRE * (RADIUS + road - height) + TYRE_DAMPING * (climb - rate)


def front_tyre(t, height, rate):
    return tyre(t, height, rate, PASSING)


def rear_tyre(t, height, rate):
    return tyre(t, height, rate, PASSING + 2 * AXLE / SPEED)


def build(joints=True, rest=True):
    """The car, with users' joints or with massless rods; from its static equilibrium, or as drawn."""
    model = br.Model("car on four five-link suspensions")
    chassis = model.body("chassis", mass=BODY, inertia=BODY_INERTIA, position=(0, 0, HEIGHT))
    model.draw(chassis, br.Box((4.2, 0.9, 0.4), mass=BODY))  # only to be seen
    model.draw(chassis, br.Box((1.8, 0.8, 0.4), mass=BODY, position=(-0.2, 0, 0.4)))
    for name, (end, side) in CORNERS.items():
        place = np.array([end * AXLE, 0.0, 0.0])
        wheel = model.body(name, mass=MASS, inertia=INERTIA, position=place + mirrored(CENTRE, side))
        model.draw(wheel, br.Cylinder((0, -0.1, 0), (0, 0.1, 0), RADIUS, mass=MASS))
        frame = chassis.frame(chassis.point(place))
        if joints:
            model.user_joint(
                f"{name} suspension", chassis, wheel, five_link_joint(side), frame_a=frame, frame_b=wheel.frame()
            )
        else:
            for k, (start, stop) in enumerate(zip(mirrored(CHASSIS, side), mirrored(CARRIER, side), strict=True)):
                model.distance(f"{name} rod {k + 1}", chassis, wheel, place + start, place + stop)
        top, bottom = place + mirrored(TOP, side), place + mirrored(BOTTOM, side)
        model.spring(f"{name} spring", chassis, wheel, top, bottom, stiffness=STIFFNESS, damping=DAMPING, length=LENGTH)
        model.free(f"{name} travel", chassis, wheel, frame_a=frame, frame_b=wheel.frame())
        ground = model.ground.frame(place + mirrored(CENTRE, side) - (0, 0, RADIUS))
        model.free(f"{name} contact", model.ground, wheel, frame_a=ground, frame_b=wheel.frame())
        for axis in "xy":
            model.torsion(f"{name} grip {axis}", f"{name} contact.{axis}", stiffness=GRIP, damping=0.02 * GRIP)
        if side < 0:
            level = br.Linear(TYRE, TYRE_DAMPING, RADIUS)
            model.torsion(f"{name} tyre", f"{name} contact.z", law=level)
        else:
            model.torsion(f"{name} tyre", f"{name} contact.z", law=front_tyre if end > 0 else rear_tyre)
    if rest:
        at = br.equilibrium(build(joints=False, rest=False)).at
        for body in model.bodies:
            model.start(body=body, position=at.point(body)[0], rotation=at.poses[body][1][0])
    return model


def angles(solution):
    """Roll and pitch (degrees), nose up positive."""
    R = solution.poses["chassis"][1]
    return np.degrees(np.arctan2(R[:, 2, 1], R[:, 2, 2])), np.degrees(np.arcsin(R[:, 2, 0]))


def plot(solution):
    """Wheel travel at the four corners; heave, roll and pitch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.0), dpi=130, layout="constrained")
    travel, attitude = figure.subplots(2, 1, sharex=True)
    t = solution.t
    for name, colour in zip(CORNERS, ("#0b6aa8", "#e08214", "#2a8c55", "#c0392b"), strict=True):
        travel.plot(t, 1e3 * solution.joint(f"{name} travel.z"), color=colour, label=name)
    travel.set(ylabel="wheel travel (mm)", title="Left wheels over a bump at 15 m/s")
    roll, pitch = angles(solution)
    attitude.plot(t, roll, color="#7b4fa3", label="roll (degrees)")
    attitude.plot(t, pitch, color="#555555", label="pitch (degrees)")
    heave = solution.point("chassis")[:, 2]
    attitude.plot(t, 100.0 * (heave - heave[0]), color="#0b6aa8", label="heave (cm)")
    attitude.set(xlabel="time (s)")
    for axes in (travel, attitude):
        axes.grid(True, color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, ncols=2)
    return figure


def check():
    relative, absolute = build().build(coordinates="relative"), build(joints=False).build()
    assert (relative.n_v, relative.n_rows) == (10, 0)
    assert (absolute.n_v, absolute.n_rows) == (30, 20)
    first, second = (br.simulate(system, 1.5, rtol=1e-9, output=0.01) for system in (relative, absolute))
    for body in ("chassis", *CORNERS):
        assert np.abs(first.point(body) - second.point(body)).max() < 1e-6, body
    load = np.sum([second.reaction(f"front left rod {k}").force for k in range(1, 6)], axis=0)
    assert np.abs(first.reaction("front left suspension").force - load).max() < 1e-2
    roll, pitch = angles(first)
    assert np.abs(roll).max() > 0.3 and np.abs(pitch - pitch[0]).max() > 0.1
    return first


if __name__ == "__main__":
    print(build().build(coordinates="relative"))
    plot(br.simulate(build(), 2.0, coordinates="relative", rtol=1e-8, output=2e-3)).savefig("full_car.png")
    print(check())
