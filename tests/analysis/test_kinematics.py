"""Kinematics, inverse dynamics and statics: the figures of spec 001 on the five-link suspension, and closed forms."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import AssemblyError, ModelError
from bricard.problems.suspension import CARRIER, CENTRE, CHASSIS, MASS, suspension
from bricard.system.channels import rotation_matrices
from mechanisms import four_bar

Z = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
POSITION = np.array(  # spec 001, section 4: x, y, e0, e1, e2, e3
    [
        [
            0.0028619984145182,
            0.68266809434389,
            0.99825968768510,
            0.0082084316024978,
            0.0019486317693048,
            0.058364547695428,
        ],
        [
            0.0045690646687569,
            0.74806984370625,
            0.99986666596932,
            -0.010362195555011,
            0.0088347262016064,
            0.0090123692570886,
        ],
        [0, 0.768, 1, 0, 0, 0],
        [
            -0.0055011465704894,
            0.75532282769073,
            0.99959034819908,
            0.024864050340880,
            -0.011591225362094,
            -0.0081583259616262,
        ],
        [
            -0.010793121123112,
            0.70505128215263,
            0.99630919790473,
            0.077872814013082,
            -0.022613643679776,
            -0.028150135481590,
        ],
    ]
)
VELOCITY = np.array(  # SDQ1, SDQ2, CDQ
    [
        [0.22145357617645, 1.1301273443153, -1.7286476340650, 1.1433235098992, -3.7472359775114],
        [-0.035270928743967, 0.37912627862464, 0.053761751961571, -0.12616435420576, -0.28463948015786],
        [-0.052311272265711, 0.033395661317201, 0.34210493287118, -0.21295861130320, -0.13528448552633],
        [-0.056277173233159, -0.29357265524878, 0.68929830101372, -0.24340850943962, -0.22260504918326],
        [-0.044510703968707, -0.76101000869866, 1.6610567039849, -0.14610654069649, -0.66977555826667],
    ]
)
REST = np.array(  # SDTT1, SDTT2, CDTT at z' = 0.3
    [
        [-1.7031423672966, -2.1772559272836, 9.3506905735735, -8.9656165424312, 22.675349979229],
        [-0.029738794043807, -0.36351400124110, 0.34852402124690, -0.13821925936210, 0.35438791475493],
        [-0.0075051253407821, -0.28487990417701, 0.23959105612350, -0.046204217329962, 0.0057134206775607],
        [0.00056388661806886, -0.32183811310371, 0.44318708416075, -0.0030517408183708, -0.17615713386555],
        [0.030619568971662, -0.60904661408437, 1.7382285007901, 0.29546930591008, -0.81836801271740],
    ]
)
DET_T = np.array([1.02255589381e-5, 5.94697493418e-5, 8.69953852745e-5, 8.72596307893e-5, 6.12630801164e-5])
M_EFF = np.array([42.653794884366, 13.824225404190, 12.212583754266, 13.546968003444, 21.381704325938])
LOWER, UPPER = -0.2139006408009, 0.2848253309876


def close(found, wanted, tolerance=1e-9):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def rod_errors(motion):
    """Largest error of the five rod lengths, m."""
    ends = np.stack([motion.point("wheel", x - CENTRE) for x in CARRIER])
    return np.abs(
        np.linalg.norm(ends - CHASSIS[:, None], axis=-1) - np.linalg.norm(CARRIER - CHASSIS, axis=1)[:, None]
    ).max()


@pytest.fixture(scope="module")
def sweep():
    return br.kinematics(suspension(), {"travel.z": Z})


@pytest.fixture(scope="module")
def curve():
    return br.kinematics(suspension(), "travel.z")


def test_spec_001_wheel_centre(sweep):
    close(sweep.point("wheel")[:, :2], POSITION[:, :2])


def test_spec_001_rotation(sweep):
    close(sweep.poses["wheel"][1], rotation_matrices(POSITION[:, 2:]))


def test_spec_001_velocity_coefficients(sweep):
    close(sweep.point_ratio("wheel")[:, :2, 0], VELOCITY[:, :2])
    close(sweep.turn_ratio("wheel")[:, :, 0], VELOCITY[:, 2:])
    close(sweep.ratio("travel.z")[:, 0], 1.0)
    close(sweep.ratio("travel.y")[:, 0], VELOCITY[:, 1])


def test_spec_001_acceleration_rest(sweep):
    close(sweep.acceleration("wheel", 0.3)[:, :2], REST[:, :2])
    close(sweep.angular_acceleration("wheel", 0.3), REST[:, 2:])
    twice = sweep.angular_acceleration("wheel", 0.6, 2.0) - 2.0 * sweep.turn_ratio("wheel")[:, :, 0]
    close(twice, 4.0 * REST[:, 2:])  # quadratic in z', linear in z''


def test_spec_001_effective_mass(sweep):
    close(sweep.mass[:, 0, 0], M_EFF)


def test_spec_001_determinant(sweep):
    """Rows of T are those of the rods times their lengths, without the column of z; turns in the world or in the carrier."""
    lengths = np.linalg.norm(CARRIER - CHASSIS, axis=1)
    system = suspension().build()
    rows = [system.jacobian(0.0, q).toarray()[:, [0, 1, 3, 4, 5]] for q in sweep.q]
    close([np.linalg.det(lengths[:, None] * T) * 1e5 for T in rows], DET_T * 1e5)


def test_spec_001_rod_lengths(sweep, curve):
    assert max(rod_errors(sweep), rod_errors(curve)) < 1e-12


def test_spec_001_folds(curve):
    assert [limit.kind for limit in curve.limits] == ["limit", "limit"]
    low, high = curve.range["travel.z"]
    close([low, high], [LOWER, UPPER], 1e-12)
    upper, lower = curve.limits if curve.limits[0].value > 0 else reversed(curve.limits)
    close(
        upper.q,
        [-0.007996211823, 0.573328208374, UPPER, 0.950065798284, 0.286414715880, 0.012508738576, -0.123227922634],
        1e-11,
    )
    close(
        lower.q,
        [-0.009749687975, 0.659412346476, LOWER, 0.988078156076, 0.037124399398, -0.033776146994, 0.145542118815],
        1e-11,
    )
    assert "turns back" in upper.text


def test_the_curve_closes_behind_both_folds(curve):
    assert curve.closed
    close(curve.q[0, :3], curve.q[-1, :3], 1e-8)
    between = (curve.s[:, 0] > 0.1) & (curve.s[:, 0] < 0.12)  # the same z belongs to two postures
    assert np.ptp(curve.point("wheel")[between, 1]) > 0.1


def test_effective_mass_grows_beyond_bounds_at_the_folds():
    near = br.kinematics(suspension(), {"travel.z": [-0.21, 0.28]})
    close(near.mass[:, 0, 0], [179.10, 284.19], 3e-5)


def test_a_range_beyond_the_fold_is_refused_with_its_end():
    with pytest.raises(AssemblyError, match=r'"travel.z" = 0.284825331 m.*Sweep less far'):
        br.kinematics(suspension(), {"travel.z": (0.0, 0.3)}, points=4)
    reached = br.kinematics(suspension(), {"travel.z": (0.0, 0.3)}, points=4, check=False)
    close(reached.s[-1], 0.2)
    close(reached.limits[-1].value, UPPER, 1e-12)


def test_spec_001_rod_midpoint(sweep):
    """Section 6: a hidden point, half-way on rod 5."""
    end, local = sweep.point("wheel", CARRIER[4] - CENTRE), CARRIER[4] - CENTRE
    middle, ratio = 0.5 * (CHASSIS[4] + end), 0.5 * sweep.point_ratio("wheel", local)[:, :, 0]
    close(middle[0], [0.1099032709017, 0.5194202080177, -0.2172516720776], 1e-12)
    close(ratio[0], [-0.01923887733676, 0.4386082338999, 0.5213718498148], 1e-12)
    close(middle[4], [0.1040981268809, 0.5397248201533, -0.01849291221698], 1e-12)
    close(ratio[4], [-0.01563100592151, -0.2692424934581, 0.4921574233734], 1e-12)


def test_spec_001_rods_with_mass():
    """Section 6: slender rods of 1 kg each, as bodies; and their midpoint."""
    heavy = br.kinematics(suspension(rod_mass=1.0), {"travel.z": [-0.2, 0.0, 0.2]})
    close(heavy.mass[:, 0, 0], [49.497542303099, 13.754153578608, 23.850175870784])
    close(heavy.point("rod 5")[0], [0.1099032709017, 0.5194202080177, -0.2172516720776], 1e-12)
    close(heavy.point_ratio("rod 5")[2, :, 0], [-0.01563100592151, -0.2692424934581, 0.4921574233734], 1e-11)


def test_spec_001_prescribed_motion():
    """Section 5.1: z = -0.2 + 0.4 t."""
    found = br.inverse_dynamics(suspension(), {"travel.z": br.Polynomial((-0.2, 0.4))}, np.linspace(0.0, 1.0, 41))
    motion = found.motion
    close(motion.point("wheel")[::10, :2], POSITION[:, :2])
    close(motion.velocity("wheel")[::10, :2], 0.4 * VELOCITY[:, :2])
    close(motion.angular_velocity("wheel")[::10], 0.4 * VELOCITY[:, 2:])
    close(motion.a[::10, :2], REST[:, :2] * 16 / 9)
    turns = np.einsum("nij,nj->ni", motion.poses["wheel"][1][::10], motion.a[::10, 3:6])
    close(turns, REST[:, 2:] * 16 / 9)
    assert rod_errors(motion) < 1e-12
    rates = [-2784.47405829 * 0.5 * 0.16]  # M_eff z'' + M_eff' z'^2 / 2 at z = -0.2
    close(found.load("travel.z")[:1], rates, 1e-10)
    close(np.gradient(motion.energy.kinetic, motion.t)[5:-5], found.power[5:-5], 2e-2)


def test_spec_001_springs_beside_the_rods_stay_unloaded():
    """Section 5.1: five springs between the ends of the rods; with 2 N/m their energy is the square of the elongation."""
    model = suspension()
    for k, (start, end) in enumerate(zip(CHASSIS, CARRIER, strict=True), 1):
        model.spring(f"spring {k}", model.ground, "wheel", start, end, stiffness=2.0)
    found = br.inverse_dynamics(model, {"travel.z": br.Polynomial((-0.2, 0.4))}, np.linspace(0.0, 1.0, 41))
    assert np.sqrt(found.motion.energy.potential.max()) < 1e-12


@pytest.mark.parametrize(
    ("k", "row"),  # spec 001, section 5.3: x, y, x', y', x'', y'', omega, omega'
    [
        (0, [0, 0.768,
             -0.06573628345996, 0.04196622570236, -0.1316846543895, -4.998492366306, 0.4299017375460, -0.2676116835155,
             -0.1700034983497, 4.203855896850, -0.8106975052599, 0.1002474699814]),
        (5, [-0.005501146570489, 0.7553228276907,
             -0.06124530061872, -0.3194891372681, 0.2295938251124, -3.076241421922, 0.7501492920878, -0.2648965198025,
             -0.2422565380104, 3.110867643646, 0.9207789789285, -1.439325455661]),
        (10, [-0.009502201488742, 0.7232290980268,
              -0.03210753839994, -0.3786513499613, 0.4172033068953, 2.059981165976, 0.7866150983010, -0.1296115431874,
              -0.2992381910157, -3.795386288772, 1.985722523459, 1.003921427120]),
        (15, [-0.01079312112311, 0.7050512821526,
              0, 0, 0.3514424318281, 6.008694184900, 0, 0, 0, -13.11517804489, 1.153611005669, 5.288335838089]),
        (45, [0.002861998414518, 0.6826680943439,
              0, 0, 1.748527352054, 8.923127848997, 0, 0, 0, -13.64885463768, 9.027320596136, -29.58698935645]),
    ],
)  # fmt: skip
def test_spec_001_sine_generator(k, row):
    phase = k * np.pi / 30
    z, rate, second = 0.2 * np.sin(phase), 0.4 * np.pi * np.cos(phase), -0.8 * np.pi**2 * np.sin(phase)
    found = br.kinematics(suspension(), {"travel.z": [z]})
    a, alpha = found.acceleration("wheel", rate, second)[0], found.angular_acceleration("wheel", rate, second)[0]
    v, w = found.velocity("wheel", rate)[0], found.angular_velocity("wheel", rate)[0]
    close(np.concatenate([found.point("wheel")[0, :2], v[:2], a[:2], w, alpha]), row)


@pytest.mark.parametrize(
    ("height", "speed", "force", "rods", "acceleration"),  # spec 001, section 4: tension, z''
    [
        (-0.2, 0.3, 0.0, [-22.11338375603, 95.69866782013, 108.7585262648, -98.91384474020, -56.32785574504], 2.937636216491),
        (0.0, 0.3, 0.0, [1.267856125726, 0.1510164906375, -0.4040751661275, 1.243986131847, 1.619847950623], 0.002866360763522),
        (0.0, 0.0, 100.0, [-3.044306278193, 9.334900170739, -3.005864461161, -4.343766233548, -0.7109382978343], 8.188275471607),
    ],
)  # fmt: skip
def test_spec_001_rod_forces(height, speed, force, rods, acceleration):
    model = suspension(height, speed)
    model.force("load", "wheel", force=(0, 0, force))
    start = br.simulate(model, 1e-3, step=1e-3)
    assert start.a[0, 2] == pytest.approx(acceleration, rel=1e-10)
    for k, tension in enumerate(rods):
        along = start.point("wheel", CARRIER[k] - CENTRE)[0] - CHASSIS[k]
        found = -start.reaction(f"rod {k + 1}").force[0] @ along / np.linalg.norm(along)
        assert found == pytest.approx(tension, rel=1e-9, abs=1e-9), k


FREE = np.array(  # spec 001, section 5.2: z, z', z'' at 0.1 s, 0.2 s, ...
    [
        [-0.16036141754762, 0.45876998441546, 0.8351541544],
        [-0.11117469358103, 0.51841064151511, 0.4269410856],
        [-0.057592461916544, 0.54958349497342, 0.2063012793],
        [-0.0019247192772308, 0.56061053726248, 0.01635536518],
        [0.053911717683228, 0.55306585526506, -0.1668992953],
        [0.10807804244691, 0.52718446390815, -0.3516249817],
        [0.15871898875622, 0.48237143227451, -0.5476857454],
        [0.20386037800754, 0.41674019734795, -0.7708890621],
        [0.24126102950141, 0.32694994153364, -1.029584694],
        [0.26837026301321, 0.21105251038874, -1.278374279],
    ]
)


@pytest.fixture(scope="module")
def free():
    return br.simulate(suspension(), 1.5, rtol=1e-12, integrator="dop853", output=np.linspace(0.0, 1.5, 16))


def test_spec_001_free_motion(free):
    close(free.joint("travel.z")[1:11], FREE[:, 0])
    close(free.joint_velocity("travel.z")[1:11], FREE[:, 1])
    close(free.a[1:11, 2], FREE[:, 2])


def test_spec_001_kinetic_energy(free):
    assert free.energy.kinetic[0] == pytest.approx(1.91942076979646, rel=1e-11)
    np.testing.assert_allclose(free.energy.kinetic, free.energy.kinetic[0], rtol=1e-9)


def test_spec_001_rod_lengths_of_the_free_motion(free):
    assert rod_errors(free) < 1e-12


def test_spec_001_second_branch(free):
    """The motion passes the upper fold at t = 1.153797 s; on the second branch z comes back in other postures."""
    close(free.joint("travel.z")[[12, 13, 15]], [0.2833594249, 0.2707462104, 0.2152900496], 2e-10)
    close(free.point("wheel")[13, :2], [-0.000243931, 0.540764712], 1e-9)
    close(free.point("wheel")[15, :2], [0.01461412, 0.54017352], 1e-8)
    close(
        free.poses["wheel"][1][15], rotation_matrices(np.array([0.82256598, 0.49659496, 0.16470002, -0.22282856])), 3e-8
    )


def test_spec_001_passages():
    events = br.simulate(
        suspension(),
        1.2,
        rtol=1e-11,
        integrator="dop853",
        triggers=[
            *(br.Trigger("travel.z", z, "rising", name=f"z = {z}") for z in (0.0, 0.2, 0.28)),
            br.Trigger("travel.z", 0.0, "falling", velocity=True, name="fold"),
        ],
    ).events
    times = {event.name: event.t for event in events}
    close(times["z = 0.0"], 0.4034331059286)
    close(times["z = 0.2"], 0.79081402542928)
    close(times["z = 0.28"], 1.0707917992921)
    assert times["fold"] == pytest.approx(1.153797, abs=1e-6)


def test_limits_of_a_rocker_are_the_triangle():
    """A crank that cannot turn round: it turns back where coupler and rocker are stretched."""
    crank, coupler, rocker, ground = 1.0, 0.6, 0.7, 1.0
    model = br.Model("double rocker", planar=True)
    angle = 0.5
    end = crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    gap = np.array([ground, 0.0, 0.0]) - end
    far = np.linalg.norm(gap)
    along = (far**2 + coupler**2 - rocker**2) / (2 * far)
    knee = end + along * gap / far + np.sqrt(coupler**2 - along**2) * np.array([-gap[1], gap[0], 0.0]) / far
    a = model.body("crank", br.Rod((0, 0, 0), end, mass=1.0))
    b = model.body("coupler", br.Rod(end, knee, mass=1.0))
    c = model.body("rocker", br.Rod(knee, (ground, 0, 0), mass=1.0))
    model.pin("A", model.ground, a, (0, 0, 0))
    model.pin("B", a, b, end)
    model.pin("C", b, c, knee)
    model.pin("D", c, model.ground, (ground, 0, 0))
    found = br.kinematics(model, "A")
    stretched = np.arccos((crank**2 + ground**2 - (coupler + rocker) ** 2) / (2 * crank * ground))
    folded = np.arccos((crank**2 + ground**2 - (coupler - rocker) ** 2) / (2 * crank * ground))
    assert found.closed
    angles = sorted({round(float(limit.value[0]) + angle, 10) for limit in found.limits})
    close([angles[-1], angles[0]], [stretched, folded if angles[0] > 0 else -stretched], 1e-9)


def test_branch_point_of_a_parallelogram():
    """At the flat position it can go on as a parallelogram or as an antiparallelogram."""
    model, angle = br.Model("parallelogram", planar=True), 0.7
    end = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    base = np.array([1.0, 0.0, 0.0])
    a = model.body("a", br.Rod((0, 0, 0), end, mass=1.0))
    b = model.body("b", br.Rod(end, base + end, mass=1.0))
    c = model.body("c", br.Rod(base + end, base, mass=1.0))
    model.pin("A", model.ground, a, (0, 0, 0))
    model.pin("B", a, b, end)
    model.pin("C", b, c, base + end)
    model.pin("D", c, model.ground, base)
    found = br.kinematics(model, {"A": (0.0, -1.2)}, points=5)
    assert [limit.kind for limit in found.limits] == ["branch"]
    close(found.limits[0].value, -angle, 1e-12)
    assert "more than one way" in found.limits[0].text


def test_two_driven_coordinates():
    """A planar arm with two links: the tip is the closed form, and so are its ratios."""
    model = br.Model("arm", planar=True)
    model.body("upper", br.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model.body("lower", br.Rod((1, 0, 0), (1.5, 0, 0), mass=1.0))
    model.pin("A", model.ground, "upper", (0, 0, 0))
    model.pin("B", "upper", "lower", (1, 0, 0))
    found = br.kinematics(model, {"A": (0.0, 1.0), "B": [0.0, 0.5, 1.5]}, points=3)
    a, b = found.s.T
    tip = (0.25, 0, 0)
    exact = np.column_stack([np.cos(a) + 0.5 * np.cos(a + b), np.sin(a) + 0.5 * np.sin(a + b)])
    close(found.point("lower", tip)[:, :2], exact, 1e-12)
    ratio = found.point_ratio("lower", tip)[:, :2]
    close(ratio[:, 0], -np.column_stack([exact[:, 1], 0.5 * np.sin(a + b)]), 1e-11)
    close(found.velocity("lower", (2.0, -1.0), tip)[:, 0], ratio[:, 0] @ [2.0, -1.0], 1e-12)


def test_a_whole_turn_closes():
    found = br.kinematics(four_bar(), "A")
    assert found.closed
    assert np.ptp(found.s) == pytest.approx(2 * np.pi, abs=1e-6)


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ({"travel.w": (0, 1)}, 'no coordinate "w"'),
        ({"travel.z": (0.0, np.nan)}, "finite numbers"),
        ({}, "sweep must be"),
        ({"travel.z": (0, 0.1), "travel.x": 0.0}, "1 more of them than the mechanism has freedoms"),
        ({"travel.z": [0.0, 0.1], "travel.x": [0.0, 0.1, 0.2]}, "different numbers"),
    ],
)
def test_bad_sweeps(sweep, words):
    with pytest.raises(ModelError, match=words):
        br.kinematics(suspension(), sweep)


def test_a_sweep_that_begins_at_a_dead_point_is_told():
    model = br.Model("slider-crank", planar=True)
    model.body("crank", br.Rod((0, 0, 0), (0.3, 0, 0), mass=1.0))
    model.body("rod", br.Rod((0.3, 0, 0), (1.3, 0, 0), mass=1.0))
    model.body("block", br.PointMass((1.3, 0, 0), mass=1.0))
    model.pin("A", model.ground, "crank", (0, 0, 0))
    model.pin("B", "crank", "rod", (0.3, 0, 0))
    model.pin("C", "rod", "block", (1.3, 0, 0))
    model.slider("D", model.ground, "block", (1.3, 0, 0), (1, 0, 0))
    with pytest.raises(AssemblyError, match=r'begins at a dead point, "D" = 0 m.*the side that is meant'):
        br.kinematics(model, {"D": (0.0, -0.1)})


def test_a_sweep_that_begins_at_a_branch_point_is_told():
    model = br.Model("flat parallelogram", planar=True)
    model.body("a", br.Rod((0, 0, 0), (0.5, 0, 0), mass=1.0))
    model.body("b", br.Rod((0.5, 0, 0), (1.5, 0, 0), mass=1.0))
    model.body("c", br.Rod((1.5, 0, 0), (1, 0, 0), mass=1.0))
    model.pin("A", model.ground, "a", (0, 0, 0))
    model.pin("B", "a", "b", (0.5, 0, 0))
    model.pin("C", "b", "c", (1.5, 0, 0))
    model.pin("D", "c", model.ground, (1, 0, 0))
    with pytest.raises(ModelError, match=r"is a branch point.*Draw it elsewhere"):
        br.kinematics(model, {"A": (0.0, 1.0)})


def test_a_run_driven_beyond_its_range_is_not_told_to_tighten_its_tolerance():
    model = suspension(0.0, 0.4)
    model.drive("lift", "travel.z", br.Polynomial((0.0, 0.4)))
    with pytest.raises(br.SimulationError, match=r"beyond its range\. br\.kinematics\(model, \.\.\.\) shows the range"):
        br.simulate(model, 1.0, rtol=1e-6)


def test_too_many_freedoms_are_counted():
    model = br.Model("free")
    model.body("b", br.Box((1, 1, 1), mass=1.0))
    model.free("f", model.ground, "b", (0, 0, 0))
    with pytest.raises(ModelError, match="leaves 5 more freedoms"):
        br.kinematics(model, {"f.x": (0, 1)})
    with pytest.raises(ModelError, match="leaves 5 more freedoms"):
        br.inverse_dynamics(model, {"f.x": 0.0}, [0.0])


def test_inverse_dynamics_is_the_closed_form_of_a_pendulum():
    model = br.Model("pendulum", planar=True)
    model.body("rod", mass=2.0, inertia=0.3, position=(0, -0.5, 0))
    model.pin("A", model.ground, "rod", (0, 0, 0))
    t = np.linspace(0.0, 1.0, 11)
    found = br.inverse_dynamics(model, {"A": br.Sine(0.8, 0.5)}, t)
    angle, second = 0.8 * np.sin(np.pi * t), -0.8 * np.pi**2 * np.sin(np.pi * t)
    close(found.load("A"), (0.3 + 2.0 * 0.25) * second + 2.0 * 9.81 * 0.5 * np.sin(angle), 1e-12)


def test_inverse_dynamics_beyond_the_range_of_motion():
    with pytest.raises(
        AssemblyError, match=r't = 0\.7\d* s \("travel.z" = 0\.28\d* m\).*ends at "travel.z" = 0\.284825331 m'
    ):
        br.inverse_dynamics(suspension(), {"travel.z": br.Polynomial((0.0, 0.4))}, np.linspace(0, 1, 21))


def test_equilibrium_with_preload_and_its_stiffness():
    """A quarter car: weight on the spring of the fifth rod; the stiffness is that of small loads."""
    model = suspension(0.05, 0.0, gravity=(0, 0, -9.81))
    model.spring("spring", model.ground, "wheel", (0.1, 0.5, 0.4), CARRIER[4], stiffness=2e4, length=0.55)
    rest = br.equilibrium(model)
    assert rest.stable
    assert rest.force("spring") < 0.0  # the wheel hangs on it
    z = rest.joint("travel.z")
    heights = []
    for load in (1.0, -1.0):
        model.forces.pop("load", None)
        model.force("load", "wheel", force=(0, 0, load))
        heights.append(br.equilibrium(model).joint("travel.z"))
    assert rest.stiffness_of("travel.z") == pytest.approx(2.0 / (heights[0] - heights[1]), rel=1e-6)
    along = br.kinematics(suspension(), {"travel.z": [z]}).point_ratio("wheel", CARRIER[4] - CENTRE)[0, :, 0]
    end = rest.at.point("wheel", CARRIER[4] - CENTRE)[0] - (0.1, 0.5, 0.4)
    lifting = rest.force("spring") * (end / np.linalg.norm(end)) @ along
    assert lifting == pytest.approx(MASS * 9.81, rel=1e-9)


def test_equilibrium_of_forces_that_balance_on_one_body():
    model = br.Model("hung")
    model.body("block", br.Box((0.1, 0.1, 0.1), mass=2.0))
    model.prismatic("slide", model.ground, "block", (0, 0, 0), (0, 0, 1))
    model.spring("s", model.ground, "block", (0, 0, 1), (0, 0, 0), stiffness=1e3)
    assert br.equilibrium(model).joint("slide") == pytest.approx(-2 * 9.81 / 1e3, rel=1e-12)


def test_plots(sweep, curve):
    assert len(curve.plot("travel.x", ("wheel", "y")).lines) >= 2
    found = br.inverse_dynamics(suspension(), {"travel.z": br.Polynomial((-0.2, 0.4))}, [0.0, 0.5])
    assert found.plot().get_xlabel() == "time (s)"
