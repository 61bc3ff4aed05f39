"""What RATTLE and the energy-momentum method conserve: on the spinning top of spec 004, free chains, linkages, rolling."""

from functools import cache

import numpy as np
import pytest

import bricard as br
import physical_pendulum
from bricard.simulation import simulate
from bricard.system.build import build
from mechanisms import rolling, six_bar

# the spinning top of spec 004, section 3.1 (8.2.3), 523.6 rad/s

LENGTH, MASS, ACROSS, ALONG, SPIN = 0.03993, 1.7355017e-2, 3.256544e-6, 1.99486e-6, 523.6


def top(tilt=0.0, pulse=False):
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    model = br.Model("top", gravity=(0, 0, -9.81))
    model.body("top", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), position=turn @ (0, 0, LENGTH), rotation=turn)
    model.spherical("tip", model.ground, "top", (0, 0, 0))
    if pulse:
        model.force("pulse", "top", force=(br.FunctionProfile(bump), 0.0, 0.0))
    model.start(body="top", angular_velocity=turn @ (0, 0, SPIN))
    return build(model)


def bump(t):
    return 0.01 * np.exp(-((t - 0.6) ** 2) / (2 * 0.1**2))


def kept(solution):
    """Largest relative errors of energy, spin about the own axis, and angular momentum about the vertical through the tip."""
    q, v, energy = solution.q, solution.v, solution.energy.kinetic + solution.energy.potential
    w, x, y, z = q[:, 3:7].T
    upwards = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])  # the vertical in the body
    vertical = MASS * (q[:, 0] * v[:, 1] - q[:, 1] * v[:, 0]) + np.array([ACROSS, ACROSS, ALONG]) @ (
        upwards * v[:, 3:6].T
    )
    return [np.abs(x / x[0] - 1).max() for x in (energy, v[:, 5], vertical)]


def test_energy_momentum_keeps_energy_spin_and_vertical_momentum_of_the_top_over_100_s():
    solution = simulate(top(tilt=0.3), 100.0, formulation="index3", integrator="energy-momentum", step=1e-3)
    assert kept(solution) == pytest.approx([0.0] * 3, abs=1e-12)  # asked for: 1e-8 and 1e-10, of energy and spin
    assert np.ptp(solution.q[:, 2]) > 0.05 * LENGTH  # it nods


def test_rattle_keeps_spin_and_angular_momentum_of_the_top_and_bounds_its_energy():
    errors = [
        kept(simulate(top(0.3), 10.0, formulation="overdetermined", integrator="rattle", step=h)) for h in (1e-3, 5e-4)
    ]
    assert np.max(errors, axis=0)[1:] == pytest.approx(0.0, abs=1e-11)
    assert errors[0][0] < 2e-6 and errors[0][0] / errors[1][0] == pytest.approx(4.0, rel=0.1)


@cache
def pulse_reference():
    end = simulate(top(pulse=True), 1.0, formulation="index1", integrator="dop853", rtol=1e-12, output=51)
    return end.q[:, :3]


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [
        ("index3", "energy-momentum"),
        ("overdetermined", "rattle"),
        ("index3-alf", "newmark"),
        ("index3", "generalized-alpha"),
    ],
)
def test_top_with_the_pulse_converges_quadratically(formulation, integrator):
    """Root mean square error of the centre of mass over 1 s; spec 004, section 3.2, has 3.06e-5 and 7.7e-6 m at its steps."""
    sizes, errors = (2e-4, 1e-4, 5e-5), []
    for h in sizes:
        end = simulate(top(pulse=True), 1.0, formulation=formulation, integrator=integrator, step=h, output=51)
        errors.append(np.sqrt(np.mean((end.q[:, :3] - pulse_reference()) ** 2)))
    assert np.abs(pulse_reference()[:, 0]).max() > 1e-3
    assert np.polyfit(np.log(sizes), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.2)


# what the conserving methods conserve


def chain(planar, springs, gravity=(0, 0, 0)):
    """Two rods with a hinge, free."""
    z, middle = (0.0, 0.0) if planar else (0.2, 0.5), (0.0, 0.0, 1.0) if planar else (0.5, 0.2, 1.0)
    model = br.Model("chain", gravity=gravity, planar=planar)
    model.body("a", br.Rod((0, 0, 0), (1, 0, z[0]), mass=1.0, radius=0.05))
    model.body("b", br.Rod((1, 0, z[0]), (1.5, 1, z[1]), mass=2.0, radius=0.05))
    model.revolute("B", "a", "b", (1, 0, z[0]), middle)
    if springs:
        model.spring("S", "a", "b", (0.5, 0, 0.5 * z[0]), (1.25, 0.5, 0.5 * sum(z)), stiffness=50.0)
    model.start(body="a", angular_velocity=(0, 0, 3) if planar else (1, 2, 3))
    model.start(joint="B", velocity=5.0)
    return build(model)


def momenta(solution):
    """Momentum and angular momentum (samples, 6) of all bodies."""
    r, rows = solution.system.record, []
    for q, v in zip(solution.q, solution.v, strict=True):
        total = np.zeros(6)
        for b in range(r.n_bodies):
            o, u, J = r.q_start[b], r.column[b, 0], r.inertia[b].reshape(3, 3)
            x, p, spin = np.zeros(3), np.zeros(3), np.zeros(3)
            if r.planar[b]:
                x[:2], p[:2], spin[2] = q[o : o + 2], r.mass[b] * v[u : u + 2], J[2, 2] * v[u + 2]
            else:
                x[:], p[:] = q[o : o + 3], r.mass[b] * v[u : u + 3]
                spin = br.model.rotation_matrix(q[o + 3 : o + 7]) @ J @ v[u + 3 : u + 6]
            total += np.concatenate([p, np.cross(x, p) + spin])
        rows.append(total)
    return np.array(rows)


def energies(solution):
    return solution.energy.kinetic + solution.energy.potential


def assert_all_kept(solution, tolerance=1e-12):
    """Energy, momentum and angular momentum do not change."""
    energy, momentum = energies(solution), momenta(solution)
    assert np.abs(energy - energy[0]).max() < tolerance * solution.energy.kinetic.max()
    assert np.abs(momentum - momentum[0]).max() < tolerance * np.abs(momentum).max()


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("planar", [True, False])
def test_what_is_conserved_by_free_bodies(planar, springs):
    system = chain(planar, springs)
    exact = simulate(system, 10.0, formulation="index3", integrator="energy-momentum", step=0.01, output=201)
    assert_all_kept(exact)
    verlet = simulate(system, 10.0, formulation="overdetermined", integrator="rattle", step=0.01, output=201)
    energy, momentum = energies(verlet), momenta(verlet)
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(momentum).max()
    assert 1e-6 * energy[0] < np.abs(energy - energy[0]).max() < 0.01 * energy[0]


POINT, AXIS, ACROSS_AXIS = (0.6, 0.3, 0.1), (0.0, 0.6, 0.8), (1.0, 0.0, 0.0)
JOINTS = {
    "spherical": lambda m: m.spherical("A", "a", "b", POINT),
    "revolute": lambda m: m.revolute("A", "a", "b", POINT, AXIS),
    "torsion": lambda m: (m.revolute("A", "a", "b", POINT, AXIS), m.torsion("T", "A", stiffness=20.0)),
    "cylindrical": lambda m: (
        m.cylindrical("A", "a", "b", POINT, AXIS),
        m.torsion("S", "A.displacement", stiffness=9.0),
    ),
    "screw": lambda m: (m.cylindrical("A", "a", "b", POINT, AXIS), m.gear("G", "A.angle", "A.displacement", -3.0)),
    "prismatic": lambda m: (m.prismatic("A", "a", "b", POINT, AXIS), m.torsion("S", "A", stiffness=30.0)),
    "universal": lambda m: m.universal("A", "a", "b", POINT, AXIS, ACROSS_AXIS),
    "planar": lambda m: (
        m.planar("A", "a", "b", POINT, AXIS),
        m.spring("S", "a", "b", POINT, (1, 1, 1), stiffness=5.0),
    ),
    "fixed": lambda m: m.fixed("A", "a", "b", POINT),
    "distance": lambda m: m.distance("A", "a", "b", (0.3, 0.1, 0.0), (1.0, 0.4, 0.3)),
    "point_on_line": lambda m: m.point_on_line("A", "a", "b", POINT, AXIS),
    "point_on_plane": lambda m: m.point_on_plane("A", "a", "b", POINT, AXIS),
    "constant_angle": lambda m: (
        m.constant_angle("A", "a", "b", AXIS, (1, 0.2, 0)),
        m.spring("S", "a", "b", (0, 0, 0), (1.2, 0.5, 0.3), stiffness=8.0),
    ),
}


@pytest.mark.parametrize("joint", JOINTS)
def test_energy_momentum_keeps_all_momenta_with_each_joint(joint):
    """A body of three different moments of inertia and one of revolution, free, at 0.06 rad a step."""
    model = br.Model(joint, gravity=(0, 0, 0))
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    model.body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0, 0, 0), rotation=turn)
    model.body("b", mass=1.0, inertia=(0.15, 0.05, 0.15), position=(1.2, 0.5, 0.3), rotation=turn.T)
    JOINTS[joint](model)
    model.start(body="a", velocity=(0.1, 0.2, -0.3), angular_velocity=(1.0, -2.0, 2.0))
    model.start(body="b", velocity=(0.4, 0.2, 0.1), angular_velocity=(-1.0, 2.0, 1.5), weight=1.0)
    solution = simulate(build(model), 4.0, formulation="index3", integrator="energy-momentum", step=0.02)
    assert_all_kept(solution, 1e-11)
    assert solution.constraint_errors.position.max() < 1e-11


def test_energy_momentum_ends_where_velocities_miss_their_constraints():
    """At 0.35 rad a step they do by more and more, until a step does not converge; its parts took thousands of steps before they
    ended, with multipliers of 1e7."""
    model = br.Model("loop", gravity=(0, 0, 0))
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    model.body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0, 0, 0), rotation=turn)
    model.body("b", mass=1.0, inertia=(0.15, 0.05, 0.15), position=(1.2, 0.5, 0.3), rotation=turn.T)
    model.body("c", mass=0.7, inertia=(0.03, 0.03, 0.03), position=(1.8, 1.5, 0.1))
    model.spherical("A", "a", "b", (0.6, 0.3, 0.1))
    model.spherical("B", "b", "c", (1.5, 1.0, 0.2))
    model.distance("D", "c", "a", (1.8, 1.5, 0.3), (0, 0.2, 0.1))
    model.start(body="a", velocity=(0.1, 0.2, -0.3), angular_velocity=(1.0, -2.0, 2.0))
    model.start(body="b", angular_velocity=(0.7707962440716303, 1.3807361159336988, -2.842464506757253))
    model.start(body="c", velocity=(0.4, 0.2, 0.1), angular_velocity=(-1.0, 2.0, 1.5), weight=1.0)
    with pytest.raises(br.SimulationError, match=r"Newton's method did not converge.*Take a smaller step") as caught:
        simulate(build(model), 4.8, formulation="index3", integrator="energy-momentum", step=0.12)
    assert caught.value.solution.counters["rejected"] < 30
    assert np.abs(caught.value.solution.lam).max() < 1e3


def test_energy_momentum_keeps_energy_where_rows_are_exchanged():
    """The redundant row of the six-bar is another one from time to time."""
    solution = simulate(six_bar(), 2.0, formulation="index3", integrator="energy-momentum", step=0.005)
    assert solution.counters["rebasings"] > 0
    assert np.ptp(energies(solution)) < 1e-10 * solution.energy.kinetic.max()


def test_energy_momentum_where_steps_are_cut():
    """Beside singular positions. Rows that are exchanged there move positions by what they gape, and the potential energy with
    them: by 2e-7 of the energy in motion, where it was 7e-10 before rows were met at once."""
    model = br.problems.get("double-four-bar").model()
    solution = simulate(model, 2.0, formulation="index3", integrator="energy-momentum", step=0.01)
    assert 0 < solution.counters["rejected"] < 40
    assert np.ptp(solution.energy.error) < 1e-6 * solution.energy.kinetic.max()


def test_energy_momentum_keeps_the_momentum_about_the_axis_of_a_carousel():
    """A swing on a turntable in gravity, with a spring: the momentum about the vertical is the only one that is kept."""
    model = br.Model("carousel", gravity=(0, 0, -9.81))
    model.body("table", mass=3.0, inertia=(0.4, 0.5, 0.8), position=(0.1, 0, 0))
    model.body("swing", br.Rod((1, 0, 0), (1.2, 0.3, -0.5), mass=1.0, radius=0.03))
    model.revolute("A", model.ground, "table", (0, 0, 0), (0, 0, 1))
    model.spherical("B", "table", "swing", (1, 0, 0))
    model.spring("S", "table", "swing", (0, 0, 0), (1.2, 0.3, -0.5), stiffness=20.0)
    model.start(joint="A", velocity=4.0)
    solution = simulate(build(model), 5.0, formulation="index3", integrator="energy-momentum", step=0.01)
    energy, momentum = energies(solution), momenta(solution)
    assert np.ptp(energy) < 1e-12 * solution.energy.kinetic.max()
    assert np.ptp(momentum[:, 5]) < 1e-12 * np.abs(momentum[:, 5]).max() < 1e-10 * np.ptp(momentum[:, 3])


def test_energy_momentum_keeps_energy_with_redundant_rows_and_with_a_variable_mass_matrix():
    linkage = simulate(six_bar(), 2.0, formulation="index3", integrator="energy-momentum", step=0.005)
    energy = energies(linkage)
    assert np.abs(energy - energy[0]).max() < 1e-9 * linkage.energy.kinetic.max()
    pendulum = build(swing(), rotation="cardan")
    energy = energies(simulate(pendulum, 1.0, formulation="index3", integrator="energy-momentum", step=0.005))
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy.max()


def swing():
    model = br.Model("swing", gravity=(0, 0, -9.81))
    model.body("a", br.Rod((0, 0, 0), (0.5, 0.1, 0.2), mass=1.0, radius=0.1))
    model.body("b", br.Rod((0.5, 0.1, 0.2), (0.9, 0.5, 0.1), mass=1.0, radius=0.1))
    model.spherical("A", model.ground, "a", (0, 0, 0))
    model.revolute("B", "a", "b", (0.5, 0.1, 0.2), (0.3, 1, 0.2))
    model.start(joint="B", velocity=3.0)
    return model


def test_energy_balance_of_energy_momentum_with_a_stiffening_spring_and_a_damper():
    """In each step T + V changes by the power of the damper at the mean velocity."""
    damping, h = np.array([0.3, 0.1]), 0.02
    system = br.System.from_functions(
        np.diag([1.0, 2.0]),
        lambda t, q, v: np.array([-5.0 * q[0] * q[0] * q[0] - 0.3 * v[0], -2.0 * q[1] - 0.1 * v[1]]),
        lambda t, q: np.array([q[0] * q[0] + q[1] * q[1] - 1.0]),
        potential=lambda q: 1.25 * q[0] * q[0] * q[0] * q[0] + q[1] * q[1],
        q0=[0.6, 0.8],
        v0=[1.6, -1.2],
    )
    solution = simulate(system, 5.0, formulation="index3", integrator="energy-momentum", step=h)
    mean = 0.5 * (solution.v[1:] + solution.v[:-1])
    energy = energies(solution)
    assert np.ptp(energy) > 0.1
    assert np.diff(energy) == pytest.approx(-h * (mean**2) @ damping, abs=1e-13)


def hanging(damping=0.0, rate=0.0):
    """A rod on a hinge, below it."""
    model = br.Model("rod", gravity=(0, 0, -9.81))
    model.body("a", br.Rod((0, 0, 0), (0, 0, -1), mass=1.0, radius=0.05))
    model.revolute("A", model.ground, "a", (0, 0, 0), (0, 1, 0))
    if damping:
        model.torsion("T", "A", stiffness=2.0, damping=damping)
        model.start(joint="A", position=0.5)
    model.start(joint="A", velocity=rate)
    return build(model)


@pytest.mark.parametrize(("damping", "rate"), [(0.0, 0.0), (0.0, 1e-10), (0.0, 1e-6), (3.0, 0.0)])
@pytest.mark.parametrize("h", [0.01, 0.001])
def test_energy_momentum_at_rest(damping, rate, h):
    """Rounding divided by a power that vanishes was a force of any size; reactions are the weight."""
    solution = simulate(hanging(damping, rate), 20.0, formulation="index3", integrator="energy-momentum", step=h)
    assert solution.counters["rejected"] == 0
    assert np.abs(solution.lam[-20:]).max() == pytest.approx(9.81, rel=1e-6)


def test_energy_momentum_keeps_energy_in_rolling():
    energy = energies(simulate(rolling(), 5.0, formulation="index3", integrator="energy-momentum", step=0.005))
    assert np.abs(energy - energy[0]).max() < 1e-10 * energy[0]


def test_energy_of_rattle_does_not_drift():
    """Over 10^5 steps the error of the second half is that of the first."""
    system = physical_pendulum.system()
    solution = simulate(system, 500.0, formulation="overdetermined", integrator="rattle", step=0.005, output=10_001)
    v, y = solution.v, solution.q[:, 1]
    error = 0.5 * (v[:, 0] ** 2 + v[:, 1] ** 2 + physical_pendulum.J * v[:, 2] ** 2) + physical_pendulum.GRAVITY * y
    first, second = (np.abs(half - error[0]).max() for half in np.split(error[1:], 2))
    assert first < 1e-3 and second == pytest.approx(first, rel=0.02)


def test_rattle_keeps_all_levels_and_energy_momentum_positions():
    solution = simulate(six_bar(), 1.0, formulation="overdetermined", integrator="rattle", step=0.002)
    errors = solution.constraint_errors
    assert errors.position.max() < 1e-12 and errors.velocity.max() < 1e-11 and errors.acceleration.max() < 1e-9
    solution = simulate(six_bar(), 1.0, formulation="index3", integrator="energy-momentum", step=0.002)
    assert solution.constraint_errors.position.max() < 1e-12


@pytest.mark.parametrize("along", [0.0, 1e-12])
def test_rattle_with_a_rod_without_inertia_about_its_own_axis(along):
    """In axes of the body that are turned, rounding leaves a moment of inertia that is no number to divide by."""
    turn = np.linalg.qr([[1.0, 0.3, -0.2], [0.4, 1.0, 0.5], [-0.1, 0.2, 1.0]])[0]
    model = br.Model("rods", gravity=(0, 0, -9.81))
    model.body("a", mass=2.0, inertia=turn @ np.diag([0.1, 0.1, along]) @ turn.T, position=(0.5, 0, 0))
    model.body("b", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(1.3, 0.2, 0))
    model.revolute("A", model.ground, "a", (0, 0, 0), (0, 1, 0.3))
    model.spherical("B", "a", "b", (1, 0, 0))
    model.start(joint="A", velocity=3.0)
    system = build(model)
    exact = simulate(system, 0.5, integrator="dop853", rtol=1e-10, output=2).q[-1]
    errors = [
        np.abs(simulate(system, 0.5, integrator="rattle", step=h, output=2).q[-1] - exact).max() for h in (4e-3, 2e-3)
    ]
    assert errors[0] < 1e-2 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
