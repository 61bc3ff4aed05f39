"""One object of every public class, and all that it can tell: for round trips through pickles and processes."""

import hashlib
import inspect
import pkgutil
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType, MappingProxyType

import numpy as np
import travellers_functions as own

import bricard as br
from bricard import analysis, model, problems
from bricard.analysis.instant import Instant
from bricard.bench import compare, recommend
from bricard.compiled import records
from bricard.model.frozen import FrozenModel

ADDRESSES = ("methods", "kernels", "functions")  # of a record: other numbers in each process
INNER = {"Shape", "Profile", "Law", "Recipe", "Workers", "Watching", "Resets"}  # abstract, or never in a user's hands
INNER |= {"Container", "Constraining", "Forcing", "Joining", "Joint", "FrameJoint", "Immutable", "Source"}
INNER |= {"FrozenDict", "FrozenList"}
ASKED = ("energy", "constraint_errors", "a", "lam", "poses", "eigenvalues", "stable", "coefficients", "components")


def public_classes():
    """Class -> name: what the package shows, and what the modules behind its functions make of them."""
    found = {}
    parts = [name for _, name, _ in pkgutil.walk_packages(model.__path__, "bricard.model.")]
    homes = sorted({*br._HOMES.values(), *parts, "bricard.errors", "bricard.plot.plots", "bricard.view.page"})
    for module in (br, model, analysis, problems, *map(import_module, homes)):
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for kind in (getattr(module, name) for name in names):
            shown = "__all__" in vars(module) or getattr(kind, "__module__", "") == module.__name__
            if inspect.isclass(kind) and shown and kind.__name__ not in INNER:
                found[kind] = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
    return found


def mechanism():
    """A four-bar linkage with a motor, a spring and a law of our own."""
    m = br.Model("four-bar")
    crank = m.body("crank", br.Rod((0, 0, 0), (0, 0, 0.3), mass=1.0))
    link = m.body("link", br.Rod((0, 0, 0.3), (0.9, 0, 0.8), mass=2.0))
    rocker = m.body("rocker", br.Rod((0.9, 0, 0.8), (1, 0, 0), mass=2.0))
    bodies, points = (m.ground, crank, link, rocker, m.ground), ((0, 0, 0), (0, 0, 0.3), (0.9, 0, 0.8), (1, 0, 0))
    for name, a, b, point in zip("ABCD", bodies, bodies[1:], points, strict=False):
        m.revolute(name, a, b, point=point, axis=(0, 1, 0))
    m.torsion("spring", "D", law=own.law)
    m.motor("M", "A", 0.3)
    m.force("load", link, (0.4, 0, 0.5), (1, 0.2, 0))
    m.draw(crank, br.Box((0.1, 0.1, 0.1), mass=0))
    m.start(joint="A", velocity=-3.0)
    return m


def by_functions():
    """A pendulum as a System.from_functions."""
    return br.System.from_functions(
        np.eye(2), own.weight, own.circle, q0=(0.6, -0.8), v0=(0.0, 0.0), potential=own.height, name="by functions"
    )


def hanging():
    m = br.Model("rod")
    m.revolute("A", m.ground, m.body("rod", br.Rod((0, 0, 0), (0.1, 0, -1), mass=1.0)), (0, 0, 0), (0, 1, 0))
    m.motor("M", "A", 0.0)
    return m


@cache
def solution():
    return br.simulate(mechanism(), 0.2, output=20, rtol=1e-7, triggers=br.Trigger("A", at=-0.1))


def tangle(seed):
    """A random mechanism: bodies on a random tree, other joints between, springs, a law of our own; some of it planar."""
    rng = np.random.default_rng(seed)
    m, planar = br.Model(f"tangle {seed}", planar=bool(seed % 3 == 2)), seed % 3 == 2
    flat = np.array([1.0, 1.0, 0.0 if planar else 1.0])
    places = [flat * rng.normal(size=3) for _ in range(int(rng.integers(3, 8)))]
    for k, place in enumerate(places):
        inertia = float(rng.uniform(0.1, 1.0)) if planar else tuple(rng.uniform(1.0, 1.4, 3))
        m.body(f"b{k}", mass=float(rng.uniform(0.5, 2.0)), inertia=inertia, position=place)
    for k, place in enumerate(places):
        a = m.ground if k == 0 else f"b{int(rng.integers(k))}"
        kind = "pin" if planar else rng.choice(["revolute", "spherical", "cylindrical", "prismatic"])
        axis = {} if kind in ("pin", "spherical") else {"axis": rng.normal(size=3)}
        getattr(m, kind)(f"j{k}", a, f"b{k}", point=place + 0.2 * flat * rng.normal(size=3), **axis)
    m.spring("s", "b0", f"b{len(places) - 1}", places[0], places[-1] + 0.1, stiffness=10.0, damping=0.1)
    m.distance("loop", "b1", m.ground, places[1], 0.3 * flat)
    m.force("own", "b2", function=own.load, parameters=(0.2,))
    return m


def failed():
    """A SimulationError with what was computed."""
    try:
        br.simulate(mechanism(), 1.0, step=0.25, output=4, formulation="index1", integrator="euler", progress=False)
    except br.SimulationError as error:
        return error
    raise AssertionError("this run is meant to fail")


def crank():
    """A slider-crank, whose crank can be driven."""
    m = br.Model("slider-crank", planar=True)
    a = m.body("crank", br.Rod((0, 0, 0), (0.3, 0, 0), mass=1.0))
    b = m.body("rod", br.Rod((0.3, 0, 0), (1.3, 0, 0), mass=1.0))
    c = m.body("block", br.PointMass((1.3, 0, 0), mass=1.0))
    m.pin("A", m.ground, a, (0, 0, 0))
    m.pin("B", a, b, (0.3, 0, 0))
    m.pin("C", b, c, (1.3, 0, 0))
    m.slider("D", m.ground, c, (1.3, 0, 0), (1, 0, 0))
    return m


@cache
def samples():
    """Class -> an object of it, for every class of which users can hold one."""
    from declaring import declare_all

    m, s, full = mechanism(), solution(), mechanism()
    declare_all(full)
    rest, known = br.equilibrium(hanging(), stable=False), problems.get("flyball-governor")
    linear = br.linearise(hanging(), inputs="M", outputs=["A"], state=rest.state)
    measure, block, report = m.coordinate("A"), m.joints["A"].blocks()[0], m.report()
    own_force = m.copy().user_force("own", m.ground, "link", own.load, point=(0, 0, 0), parameters=(0.1,))
    zero = np.zeros(s.system.n_v), np.zeros(s.system.n_rows)
    chosen = br.recommend(m, accuracy=1e-4)
    again, certificate = br.rerun(s), br.certify(crank(), 0.02, samples=3, progress=False)
    comparison = compare.Comparison("m", 1.0, 1e-6, 60.0, rows=[{"method": "a", "error": 1e-3}])
    found = [
        *(full, full.build().model, *full.joints.values(), *full.forces.values(), s.plot, s.view()),
        *(
            m,
            s,
            s.system,
            s.end,
            s.energy,
            s.constraint_errors,
            s.reaction("A"),
            s.events[0],
            report,
            *report.__dict__.values(),
        ),
        *(m.bodies["crank"], m.bodies["crank"].frame((0.1, 0, 0)), m.bodies["crank"].shape, own_force, measure, block),
        *(m.wishes[0], *m.drawings, m.drawings[0].shape, m.forces["spring"].law, m.forces["load"], m.forces["M"]),
        *(
            br.Linear(1.0, 2.0),
            br.Table((0, 1, 2), (0, 1, 3)),
            br.TimeLaw(br.Sine(1, 2)),
            br.Sine(1, 2),
            br.Constant(3),
        ),
        *(br.Tabulated((0, 1, 2), (0, 1, 3)), br.SmoothStep(0, 1, 0, 2), br.Polynomial((1, 2)), model.StartValue()),
        *(br.FunctionProfile(own.swing), br.UserJoint.explicit(own.screw, {"angle": "angle"}, parameters=(0.1,))),
        *(br.Sphere((0, 0, 0), 1, mass=1), br.PointMass((0, 0, 0), 1), br.Cylinder((0, 0, 0), (0, 0, 1), 0.1, mass=1)),
        *(
            br.Capsule((0, 0, 0), (0, 0, 1), 0.1, mass=1),
            br.Ellipsoid((1, 2, 3), mass=1),
            br.Mesh("nowhere.stl", mass=0),
        ),
        *(br.Trigger(own.below, action=own.halved), rest, linear, br.kinematics(crank(), {"A": (0.0, 0.5)}, points=3)),
        *(br.kinematics(crank(), "D", points=9, check=False).limits[0], analysis.stability("newmark")),
        *(
            br.inverse_dynamics(crank(), {"A": br.Sine(0.1, 1.0)}, [0.0, 0.1, 0.2]),
            analysis.reduced(hanging(), rest.state),
        ),
        *(analysis.frequencies(crank(), 2), known, known.outputs[0], known.measures[0], known.references[0]),
        *(certificate, certificate.runs[0], certificate.errors["A.angle"]),
        *(again, chosen, comparison, compare.subject(m, 1.0), s.system.tangent(0.0, s.q[0], s.v[0], *zero), failed()),
        br.Interrupted("Interrupted at t = 0.2 s after 9 steps.", s),
        *(br.problem(m).expand(0.0, br.problem(m).initial()), recommend.Choice(1e-6, "speed", 1e-6, {}, False, False)),
    ]
    return {type(thing): thing for thing in found}


def told(thing, seen=()):
    """All that an object can tell, as nested tuples of texts, numbers and bytes; the same in every process."""
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, np.ascontiguousarray(thing).tobytes()
    if isinstance(thing, Path):
        return str(thing)
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(thing)
    if any(thing is other for other in seen):
        return "seen before"
    seen = (*seen, thing)
    if isinstance(thing, (dict, MappingProxyType)):
        return [(told(key, seen), told(value, seen)) for key, value in thing.items()]
    if hasattr(thing, "_fields"):
        fields = [
            name for name in thing._fields if not (type(thing).__module__ == records.__name__ and name in ADDRESSES)
        ]
        return [(name, told(getattr(thing, name), seen)) for name in fields]
    if isinstance(thing, (tuple, list)):
        return [told(part, seen) for part in thing]
    if isinstance(thing, (set, frozenset)):
        return sorted(map(str, thing))
    if isinstance(thing, (FunctionType, type)) or (callable(thing) and hasattr(thing, "py_func")):
        return thing.__qualname__
    if isinstance(thing, br.System):
        names = (
            "name",
            "rows",
            "start",
            "start_velocity",
            "coordinates",
            "rotation",
            "cut",
            "record",
            "model",
            "mass_values",
        )
        return [(name, told(getattr(thing, name), seen)) for name in names]
    if isinstance(thing, BaseException):
        return [type(thing).__name__, str(thing), told(vars(thing), seen)]
    kept = {k: v for k, v in vars(thing).items() if not isinstance(getattr(type(thing), k, None), cached_property)}
    if isinstance(thing, br.Solution):
        kept = {name: getattr(thing, name) for name in thing.__dataclass_fields__}
    asked = {name: getattr(thing, name) for name in ASKED if hasattr(type(thing), name)}
    kind = "Model" if isinstance(thing, FrozenModel) else type(thing).__name__
    return [kind, [(k, told(v, seen)) for k, v in (kept | asked).items() if not isinstance(v, Instant)]]


def digest(thing):
    """A short text that differs where anything differs that the object can tell."""
    return hashlib.sha256(repr(told(thing)).encode()).hexdigest()


def answered(thing):
    """What another process makes of an object: what it can tell there, and the object itself on its way back."""
    return digest(thing), thing
