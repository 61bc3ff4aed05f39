"""The direct formulations in every form: same motion, exact Jacobians, orders, conditioning and figures of spec 003."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from test_agreement import rolling_disc
from test_singular_positions import double_four_bar, exact_angle

import bricard.model as br
from bricard.compiled.handles import pack
from bricard.compiled.interfaces import OWN
from bricard.errors import IncompatibleMethods
from bricard.pairing import choose
from bricard.registry import FORMULATIONS, INTEGRATORS
from bricard.simulation import simulate
from bricard.system.assembler import assemble
from bricard.system.build import build
from bricard.system.system import System
from mechanisms import HERE, MILLIMETRES, four_bar, pendulum, rssr

DIRECT = ("index1", "index2", "index3", "ggl", "si1")
RESIDUAL, SEMI, MECHANICAL = "ResidualDae", "SemiExplicitDae", "MechanicalDae"
PAIRS = [(f, form) for f in DIRECT for form in FORMULATIONS[f].forms if form not in ("Ode", "SecondOrderOde")]
IMPLICIT = [pair for pair in PAIRS if pair[1] != MECHANICAL]
every_pair = pytest.mark.parametrize(("formulation", "form"), PAIRS)
every_implicit = pytest.mark.parametrize(("formulation", "form"), IMPLICIT)
S, J = 0.5, 1 / 12  # the physical pendulum of spec 003, section 6


def weight(t, q, v):
    return np.array([0.0 * q[0], -9.81 + 0.0 * q[0], 0.0 * q[0]])


def pivot(t, q):
    return np.array([q[0] - S * np.sin(q[2]), q[1] + S * np.cos(q[2])])


def pivot_rows(t, q):
    zero = 0.0 * q[0]
    return np.array([[1.0 + zero, zero, -S * np.cos(q[2])], [zero, 1.0 + zero, -S * np.sin(q[2])]])


def pivot_gamma(t, q, v):
    return v[2] * v[2] * np.array([-S * np.sin(q[2]), S * np.cos(q[2])])


@cache
def physical_pendulum():
    mass, q0 = np.diag([1.0, 1.0, J]), [S, 0.0, np.pi / 2]
    return System.from_functions(mass, weight, pivot, pivot_rows, pivot_gamma, q0=q0, v0=np.zeros(3))


def swing(phi, speed):
    """q and v of the physical pendulum."""
    s, c = S * np.sin(phi), S * np.cos(phi)
    return np.array([s, -c, phi]), speed * np.array([c, s, 1.0])


def breathing(t, q):
    return np.array([q[0] * q[0] + q[1] * q[1] - (1.0 + 0.2 * np.sin(3.0 * t)) * (1.0 + 0.2 * np.sin(3.0 * t))])


def spread(q):
    """A mass matrix that varies, to make d(M v')/dq count."""
    return np.array([[2.0 + q[0] * q[0], 0.1 * q[1]], [0.1 * q[1], 1.0 + 0.0 * q[0]]])


def fall(t, q, v):
    return np.array([1.0 + 0.0 * q[0], -9.81 - 0.3 * v[1]])


@cache
def breathing_hoop():
    """A point on a hoop whose radius is a function of time; derivatives by complex step."""
    return System.from_functions(spread, fall, breathing, q0=[0.8, 0.6], v0=[0.6, -0.8])


def body_axes(q):
    c, s = np.cos(q[2]), np.sin(q[2])
    return np.array([[c, -s, 0.0 * c], [s, c, 0.0 * c], [0.0 * c, 0.0 * c, 1.0 + 0.0 * c]])


def turning(t, q, v):
    return np.array([2.0 * v[1] * v[2] + 1.0, -2.0 * v[0] * v[2], 0.4 - 0.1 * v[2]])


def blade(t, q):
    return np.array([[0.0 * q[0], 1.0 + 0.0 * q[0], 0.3 + 0.1 * np.sin(q[0])]])


@cache
def sleigh():
    """Chaplygin's sleigh: velocities in body axes (T is not the identity), one nonholonomic row."""
    mass = np.diag([2.0, 2.0, 0.5])
    return System.from_functions(mass, turning, T=body_axes, A=blade, q0=[0.0, 0.0, 0.3], v0=[1.0, 0.0, 0.5])


@cache
def built(name):
    makers = {"pendulum": pendulum, "four-bar": four_bar, "rssr": rssr, "disc": rolling_disc}
    if name in makers:
        return build(makers[name]())
    model = rssr(speed=3.0)  # driven: no freedom is left, every row moves
    model.drive("drive", "A", br.Polynomial((0.0, 3.0, 5.0)))
    return build(model)


SYSTEMS = {
    "physical pendulum": physical_pendulum,
    "breathing hoop": breathing_hoop,
    "sleigh": sleigh,
    **{name: (lambda name=name: built(name)) for name in ("pendulum", "four-bar", "rssr", "driven", "disc")},
}
every_system = pytest.mark.parametrize("name", list(SYSTEMS))


@pytest.fixture(autouse=True)
def one_form(monkeypatch):
    """Integrators that take one form only, so that a test chooses it."""
    for form in (RESIDUAL, SEMI):
        monkeypatch.setitem(INTEGRATORS, form, replace(INTEGRATORS["radau5"], name=form, accepts=(form,)))
    monkeypatch.setitem(INTEGRATORS, MECHANICAL, replace(INTEGRATORS["generalized-alpha"], name=MECHANICAL))


def solved(system, duration, formulation, form, step, **options):
    options = {"output": 5, **options}
    if form != MECHANICAL:
        options.setdefault("newton_tolerance", 1e-14)
    return simulate(system, duration, formulation=formulation, integrator=form, step=step, **options)


@cache
def reference(name):
    return simulate(SYSTEMS[name](), 0.1, formulation="index1", integrator="rk4", step=0.1 / 512, output=5)


@every_pair
@every_system
def test_same_motion(name, formulation, form):
    """Radau's truncation errors: order 3 in the velocities of index 3; generalized-alpha has order 2."""
    exact, steps = reference(name), 512 if form == MECHANICAL else 32
    found = solved(SYSTEMS[name](), 0.1, formulation, form, 0.1 / steps)
    position, velocity = (1e-5, 1e-3) if form == MECHANICAL else (1e-8, 1e-3 if formulation == "index3" else 1e-7)
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=position)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=velocity)


@every_pair
@every_system
def test_keeps_what_it_says(name, formulation, form):
    """Without corrections: the levels that are kept hold to round-off, those that drift do not."""
    f, system = FORMULATIONS[formulation], SYSTEMS[name]()
    options = {"newton_tolerance": 1e-14, **({"correction": "none"} if f.drifts else {})}
    errors = solved(
        system, 0.1, formulation, form, 0.1 / (128 if form == MECHANICAL else 16), **options
    ).constraint_errors
    moves = name != "driven" and not system.record.velocity_level.all()
    for level in ("position", "velocity"):
        found = getattr(errors, level)[1:].max()
        if level in f.keeps:
            assert found <= 1e-11, level
        if level in f.drifts and moves:
            assert found > 1e-13, level


@pytest.mark.parametrize(("formulation", "form"), [pair for pair in PAIRS if FORMULATIONS[pair[0]].drifts])
def test_corrections_are_taken_by_every_form_that_drifts(formulation, form):
    found = solved(built("four-bar"), 0.1, formulation, form, 0.005, correction="mass")
    assert found.constraint_errors.position.max() <= 1e-11
    assert found.counters["corrections"] == found.counters["steps"]


def test_what_keeps_its_constraints_takes_no_correction():
    with pytest.raises(IncompatibleMethods, match="keeps its constraints itself"):
        simulate(pendulum(), 0.1, formulation="si1", integrator="radau5", step=0.01, correction="mass")


@every_pair
def test_massless_coupler(formulation, form):
    """Directions without mass of their own; 3 rows redundant."""
    system = build(four_bar(coupler_mass=0.0))
    exact = simulate(system, 0.1, formulation="index1", integrator="rk4", step=0.1 / 512, output=5)
    found = solved(system, 0.1, formulation, form, 0.1 / (512 if form == MECHANICAL else 32))
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-5 if form == MECHANICAL else 1e-8)


@every_pair
@pytest.mark.parametrize("mechanism", [four_bar, rssr])
def test_units_do_not_matter(mechanism, formulation, form):
    """Metres and millimetres: the same turns. Rounding in the velocities of index 3 is eps/h."""
    here, there = (
        solved(build(mechanism(world)), 0.02, formulation, form, 0.002, newton_tolerance=1e-12)
        for world in (HERE, MILLIMETRES)
    )
    spins = here.system.record.column[:-1, 3:].ravel().astype(int)
    np.testing.assert_allclose(there.v[:, spins], here.v[:, spins], rtol=0, atol=1e-10)
    assert there.counters["iterations"] == pytest.approx(here.counters["iterations"], abs=2)


@every_pair
def test_passes_singular_positions(formulation, form):
    """The double four-bar in space, 6 rows redundant and more at t = 0.714 s. Generalized-alpha has an error of 2.4e-5 here."""
    step, accuracy = (1e-3, 1e-4) if form == MECHANICAL else (5e-3, 1e-6)
    found = solved(build(double_four_bar(False)), 1.0, formulation, form, step, newton_tolerance=1e-12)
    angle = exact_angle(1.0)
    end = found.point("bar 0", (0.5, 0, 0))[-1, :2]
    np.testing.assert_allclose(end, [np.cos(angle), np.sin(angle)], rtol=0, atol=accuracy)
    # Newton's method of Radau in index 3 gets through with the rows as they are
    assert found.counters["rebasings"] > 0


# Jacobians


class Dense:
    """F(t, y, y') of a problem and its Jacobians as dense arrays; H y' - F for a SemiExplicitDae."""

    def __init__(self, system, formulation, form, state=None):
        self.problem = FORMULATIONS[formulation].forms[form](system)
        self.state = assemble(system) if state is None else state.copy()  # arrays of a Solution are read only
        self.work = self.problem.work(self.state)
        self.packed, self.n = pack(self.work), self.problem.scale.size
        self.y = self.problem.initial(self.state, self.work)
        self.y_dot = np.zeros(self.n)
        n_q, n_v = system.n_q, system.n_v
        self.y_dot[:n_q] = system.kinematic_map(self.state.q) @ self.state.v
        self.y_dot[n_q : n_q + n_v] = self.state.a
        if formulation == "si1":
            self.y_dot[n_q + n_v : n_q + n_v + system.n_rows] = self.state.lam

    def residual(self, y, y_dot):
        out, system = np.zeros(self.n), self.problem.system.compiled
        if self.problem.form == RESIDUAL:
            self.problem.functions[0](self.state.t, y, y_dot, out, system, self.packed)
            return out
        self.problem.functions[0](self.state.t, y, out, system, self.packed)
        return self.problem.differential * y_dot - out

    def jacobians(self):
        """dF/dy and dF/dy', without the entries that keep the multipliers of redundant rows."""
        assert self.problem.pattern is not None
        rows, columns = self.problem.pattern
        jy, jp, system = np.zeros(rows.size), np.zeros(rows.size), self.problem.system.compiled
        if self.problem.form == RESIDUAL:
            self.problem.functions[1](self.state.t, self.y, self.y_dot, jy, jp, system, self.packed)
        else:
            self.problem.functions[1](self.state.t, self.y, jy, system, self.packed)
            jy *= -1.0
        dense = np.zeros((2, self.n, self.n))
        real = (rows >= 0) & (columns >= 0) & ~((rows == columns) & (np.abs(jy + jp) > 1e6))
        np.add.at(dense[0], (rows[real], columns[real]), jy[real])
        np.add.at(dense[1], (rows[real], columns[real]), jp[real])
        if self.problem.differential is not None:
            dense[1] += np.diag(self.problem.differential)
        return dense

    def differences(self):
        dense = np.zeros((2, self.n, self.n))
        for i in range(self.n):
            step = 1e-6 * np.eye(self.n)[i]
            dense[0][:, i] = self.residual(self.y + step, self.y_dot) - self.residual(self.y - step, self.y_dot)
            dense[1][:, i] = self.residual(self.y, self.y_dot + step) - self.residual(self.y, self.y_dot - step)
        return dense / 2e-6


def moving_state(name):
    """A state on the way, with velocities, accelerations and multipliers."""
    return simulate(SYSTEMS[name](), 0.05, formulation="index1", integrator="rk4", step=0.005).end


@every_implicit
@every_system
def test_jacobian(name, formulation, form):
    """Against differences. Left out on purpose: derivatives of gamma in q, and of Phi_t in q."""
    dense = Dense(SYSTEMS[name](), formulation, form, moving_state(name))
    found, exact = dense.jacobians(), dense.differences()
    n_q, n_rows = dense.problem.system.n_q, dense.problem.system.n_rows
    first = n_q + dense.problem.system.n_v * (2 if form == SEMI else 1)
    if formulation == "index1":
        exact[0][first : first + n_rows, :n_q] = 0.0
    if name == "breathing hoop" and formulation == "index1":  # rate + dG/dt lacks dPhi_t/dq, by definition of rate
        exact[0][first:, n_q : n_q + 2] = found[0][first:, n_q : n_q + 2]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-6 * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("name", ["physical pendulum", "rssr", "disc"])
def test_newton_contracts_with_the_square_of_the_step_where_gamma_is_not_derived(name):
    """Index 1, one implicit Euler step: spectral radius of I - J^-1 J_exact, with J = dF/dy + dF/dy' / h."""
    dense = Dense(SYSTEMS[name](), "index1", RESIDUAL, moving_state(name))
    found, exact = dense.jacobians(), dense.differences()
    contraction = []
    for h in (4e-3, 2e-3, 1e-3):
        error = np.linalg.solve(found[0] + found[1] / h, found[0] - exact[0] + (found[1] - exact[1]) / h)
        contraction.append(np.abs(np.linalg.eigvals(error)).max())
    slope = np.polyfit(np.log([4e-3, 2e-3, 1e-3]), np.log(contraction), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.1)
    assert contraction[-1] < 1e-3


# spec 003, sections 2.5 and 2.6

AT_1 = swing(-1.5626217180345, 0.49048553129888), np.array([-0.1804260137277, -2.453974944927])
ORDERS = {"index1": (5, 5, 5), "index2": (5, 5, 3), "index3": (5, 3, 2), "ggl": (5, 5, 3), "si1": (5, 5, None)}
QUOTED = {  # h -> errors of q, v, lam at t = 1
    ("index3", 0.05): (1.111693e-5, 5.0465e-4, 6.083e-2),
    ("index3", 0.025): (3.577603e-7, 6.3337e-5, 1.522e-2),
    ("ggl", 0.05): (6.339701e-6, 9.6276e-6, 1.042e-4),
    ("ggl", 0.025): (1.990940e-7, 3.0353e-7, 2.600e-5),
}


@cache
def errors(formulation, form, h):
    """Largest errors of q, v, lam of the physical pendulum at t = 1."""
    options = {"correction": "none"} if FORMULATIONS[formulation].drifts else {}
    found, ((q, v), lam) = solved(physical_pendulum(), 1.0, formulation, form, h, output=2, **options), AT_1
    assert found.counters["rejected"] == 0
    return tuple(float(np.abs(x).max()) for x in (found.q[-1] - q, found.v[-1] - v, found.lam[-1] - lam))


@every_implicit
def test_orders_of_radau(formulation, form):
    """Multipliers of index 2 come near to their order 3 only below h = 0.01."""
    for k, order in enumerate(ORDERS[formulation]):
        if order is not None:
            steps = (160, 320) if k == 2 and order == 3 else (20, 40, 80)
            found = [errors(formulation, form, 1.0 / n)[k] for n in steps]
            slope = np.polyfit(np.log(1.0 / np.array(steps)), np.log(found), 1)[0]
            assert slope == pytest.approx(order, abs=0.3), "q v lam".split()[k]


@pytest.mark.parametrize("form", [RESIDUAL, SEMI])
@pytest.mark.parametrize(("formulation", "h"), list(QUOTED))
def test_quoted_errors(formulation, h, form):
    """The digits that are printed; multipliers have four, and a fixed step must hit t = 1."""
    found, quoted = errors(formulation, form, h), QUOTED[formulation, h]
    np.testing.assert_allclose(found[0], quoted[0], rtol=2e-6)
    np.testing.assert_allclose(found[1:], quoted[1:], rtol=3e-4)


@pytest.mark.parametrize("name", ["physical pendulum", "four-bar", "disc"])
def test_si1_and_ggl_are_the_same_method(name):
    """Stages of Radau IIA use the multipliers of that stage alone: lam and sigma' run through the same values."""
    first, second = (solved(SYSTEMS[name](), 0.2, f, RESIDUAL, 0.01) for f in ("ggl", "si1"))
    np.testing.assert_allclose(second.q, first.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(second.v, first.v, rtol=0, atol=1e-11)


CONDITION = {  # h -> I3, I2, SI2, SI1, I3 scaled, SI2 scaled
    1e-2: (1.005e6, 1.006e4, 1.451e4, 3.10e2, 11.0, 10.9),
    1e-3: (1.001e9, 1.001e6, 1.431e6, 3.07e3, 11.1, 10.7),
    1e-4: (1.000e12, 1.000e8, 1.429e8, 3.07e4, 11.1, 10.7),
    1e-5: (1.000e15, 1.000e10, 1.429e10, 3.07e5, 11.1, 10.7),
}


@cache
def newton_matrices(h):
    """Formulation -> dF/dy, dF/dy' of the physical pendulum at the end of one step from t = 0.3."""
    state = simulate(physical_pendulum(), 0.3 + h, formulation="index1", integrator="dopri5", rtol=1e-12).end
    return {f: Dense(physical_pendulum(), f, RESIDUAL, state).jacobians() for f in ("index3", "index2", "ggl", "si1")}


@pytest.mark.parametrize("h", list(CONDITION))
def test_conditioning_of_the_newton_matrix(h):
    """Table 2.5, which is for one step of BDF1 from t = 0.3. Beyond 1e13 the number itself is a matter of rounding."""
    found = [np.linalg.cond(jy + jp / h) for jy, jp in newton_matrices(h).values()]
    for value, quoted in zip(found, CONDITION[h][:4], strict=True):
        assert value == pytest.approx(quoted, rel=1e-3 if quoted < 1e12 else 0.05 if quoted < 1e13 else 0.5)


@pytest.mark.parametrize("h", list(CONDITION))
def test_conditioning_is_only_scaling(h):
    """Rows times (h, h^2, 1), unknowns (q, v/h, lam/h^2) in index 3; rows times (h, h, 1, 1), unknowns (q, v, lam/h, mu/h)."""
    scalings = {"index3": ((1, 2, 0), (0, -1, -2)), "ggl": ((1, 1, 0, 0), (0, 0, -1, -1))}
    for (formulation, (rows, columns)), quoted in zip(scalings.items(), CONDITION[h][4:], strict=True):
        jy, jp = newton_matrices(h)[formulation]
        sizes = (3, 3, 2, 2)[: len(rows)]
        left, right = (np.repeat(h ** np.array(powers, float), sizes) for powers in (rows, columns))
        assert np.linalg.cond(left[:, None] * (jy + jp / h) * right) == pytest.approx(quoted, abs=0.06)


@every_implicit
def test_tiny_steps(formulation, form):
    """h = 1e-5: no scaling is needed where nothing is exchanged. Rounding in v is eps/h in index 3, in lam eps/h^2."""
    options = {"output": 2, "newton_tolerance": 1e-12}
    found = solved(built("rssr"), 0.002, formulation, form, 1e-5, **options)
    exact = simulate(built("rssr"), 0.002, formulation="index1", integrator="dopri5", rtol=1e-12, output=2)
    assert found.counters["rejected"] == 0
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=1e-8 if formulation == "index3" else 1e-11)


# the double pendulum of spec 003, section 7

L1, L2, M1, M2 = 1.0, 0.8, 2.0, 1.0


def two_weights(t, q, v):
    zero = 0.0 * q[0]
    return np.array([zero, zero - M1 * 9.81, zero, zero, zero - M2 * 9.81, zero])


def two_pins(t, q):
    """Pivot on the ground, then the joint: r1 + R1 s0 and r1 + R1 s1 - r2 - R2 s2."""
    x1, y1 = 0.5 * L1 * np.sin(q[2]), 0.5 * L1 * np.cos(q[2])
    x2, y2 = 0.5 * L2 * np.sin(q[5]), 0.5 * L2 * np.cos(q[5])
    return np.array([q[0] - x1, q[1] + y1, q[0] + x1 - q[3] + x2, q[1] - y1 - q[4] - y2])


@cache
def double_pendulum():
    mass = np.diag([M1, M1, M1 * L1**2 / 12, M2, M2, M2 * L2**2 / 12])
    knee = np.array([L1 * np.sin(1.0), -L1 * np.cos(1.0)])
    end = knee + np.array([L2 * np.sin(-0.5), -L2 * np.cos(-0.5)])
    q = [*(0.5 * knee), 1.0, *(0.5 * (knee + end)), -0.5]
    return System.from_functions(mass, two_weights, two_pins, q0=q, v0=np.zeros(6))


TABLE_7 = {  # t -> angles, angular velocities, multipliers
    0.25: (
        (0.6673602630209, -0.07430409614395),
        (-2.891764405204, 4.382947316724),
        (21.9033034128, -28.6828861963, -3.71250291193, 12.7502286152),
    ),
    0.5: (
        (-0.2185924873732, 1.071285023504),
        (-2.934175778059, 0.7629053514738),
        (-6.66370117867, -32.1755611312, -0.050225597754, 5.22775258248),
    ),
    1.0: (
        (-0.4213005907511, -1.546702080951),
        (1.258151204911, -6.089774197783),
        (-5.6270614472, -27.1659870889, 10.3528733179, 3.69356916533),
    ),
    2.0: (
        (-0.01040424227704, 1.602167899956),
        (-1.20522864795, 6.211840254732),
        (-3.19966925291, -23.5089411643, -5.98586169591, 2.5318583855),
    ),
    3.0: (
        (-0.4450722941468, 7.43721884537),
        (1.255335704881, 6.14420183868),
        (-9.73168061994, -19.3761497612, -3.5788200351, 4.35919083081),
    ),
}


@pytest.mark.parametrize("formulation", ["ggl", "index2", "si1"])
def test_table_7(formulation):
    """Reactions from the acceleration level; gamma by complex step has eight digits."""
    times = [0.0, *TABLE_7]
    options = {"integrator": "radau5", "step": 1e-3, "newton_tolerance": 1e-14}
    found = simulate(double_pendulum(), 3.0, formulation=formulation, output=times, **options)
    for k, (angles, speeds, multipliers) in enumerate(TABLE_7.values(), start=1):
        np.testing.assert_allclose(found.q[k, [2, 5]], angles, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.v[k, [2, 5]], speeds, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.reaction_multipliers[k], multipliers, rtol=0, atol=1e-6)


# data


def test_hooks_and_functions_have_their_places():
    """A form's own functions begin at OWN; every one of them is there."""
    for formulation, form in PAIRS:
        table = FORMULATIONS[formulation].forms[form](physical_pendulum()).table
        assert (table[OWN:] != 0).all() and (table[:2] != 0).all()


def test_levels():
    """The index of each component; nonholonomic rows are one lower in index 3."""
    expected = {
        ("index3", RESIDUAL): [1, 2, 3],
        ("index3", SEMI): [1, 2, 3, 3],
        ("index2", RESIDUAL): [1, 1, 2],
        ("index2", SEMI): [1, 1, 2, 2],
        ("index1", RESIDUAL): [1, 1, 1],
        ("index1", SEMI): [1, 1, 1, 1],
        ("ggl", RESIDUAL): [1, 1, 2, 2],
        ("ggl", SEMI): [1, 1, 2, 2, 2],
        ("si1", RESIDUAL): [1, 1, 1, 1],
    }
    for (formulation, form), levels in expected.items():
        problem = FORMULATIONS[formulation].forms[form](physical_pendulum())
        sizes = [3, 3, 3, 2, 2] if form == SEMI else [3, 3, 2, 2]
        np.testing.assert_array_equal(problem.levels, np.repeat(levels, sizes[: len(levels)]))
        assert (problem.differential is None) == (form == RESIDUAL)
    levels = FORMULATIONS["index3"].forms[RESIDUAL](built("disc")).levels
    assert levels is not None
    np.testing.assert_array_equal(levels[-3:], 3 - built("disc").record.velocity_level.astype(int))


def test_what_is_chosen_to_fit():
    """Formulations prefer their first form, and integrators the formulation that prefers theirs."""
    assert choose("index3", None, 0.01)[1].name == "generalized-alpha"
    assert "Ode" in choose("index1", None, 0.01)[1].accepts
    assert choose(None, "radau5", 0.01)[0].name == "ggl"
    assert choose("index1", "radau5", 0.01)[2] == RESIDUAL
