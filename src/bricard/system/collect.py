"""From the declarations of a model to a flat list of elements for the compiled layer."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compiled import users
from ..compiled.pointers import Pointer
from ..kernels import functions, laws, profiles
from ..kernels.branches import Kind, with_branches
from ..kernels.builtin_functions import FUNCTIONS
from ..model.blocks import Measure
from ..model.functions import FunctionElement
from . import user_potential
from .elements import TYPES, ElementType, function_type
from .user_check import check_function, check_law, check_profile
from .user_joint import MEMORY, element_numbers
from .user_pattern import arguments_of, arguments_of_potential, joint_structure, mask_of, pairs_of, rows_of


@dataclass(frozen=True)
class Element:
    """One element: its type, operands (two bodies or two measures), parameters, function and first constraint row.

    Operands get numbers where the arrays are written: elements do not know in which order they are sorted.
    """

    type: ElementType
    bodies: tuple  # whose columns the pattern refers to, two per twelve columns
    operands: tuple
    parameters: tuple
    function: Pointer | None = None
    row: int = 0
    measure: Measure | None = None  # that it evaluates
    force: str = ""  # name of the force that it belongs to


@dataclass(frozen=True)
class Row:
    """One constraint row: which joint it belongs to, a short label, its unit, and its level."""

    joint: str
    label: str
    unit: str
    velocity_level: bool
    owner: str = "joint"  # or "body", for the unit norm of its quaternion


@dataclass(frozen=True)
class Collection:
    """All elements of a model. Several systems are built from one, so nothing in it can be changed."""

    elements: tuple[Element, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple, ...]  # (first row, last row, bodies) of each joint, for the ordering
    memory: int  # numbers that elements keep between calls


@dataclass
class Collector:
    """Collects the elements of a model, one joint and one force after the other."""

    start: Callable[[Measure], Any]  # the value of a measure as drawn
    length: float  # characteristic, m
    wished: dict  # measure -> value at which it is to start
    elements: list[Element] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    groups: list[tuple] = field(default_factory=list)
    measures: dict = field(default_factory=dict)  # in use, each of them once: measure -> None
    types: dict = field(default_factory=dict)  # element types made for users' functions, by function
    memory: int = 0

    def collection(self):
        """What has been collected, with the elements that evaluate the measures in use."""
        elements = [self._measuring(measure) for measure in self.measures] + self.elements
        return Collection(tuple(elements), tuple(self.rows), tuple(self.groups), self.memory)

    def constraint(self, name, blocks):
        """Add the rows of one joint."""
        first = len(self.rows)
        bodies = []
        for block in blocks:
            level = block.element is not None and block.element.kind == "nonholonomic"
            self._block(name, block)
            bodies += [b for m in block.measures for b in m.bodies] or list(block.bodies)
            self.rows += [Row(name, label, unit, level) for label, unit in zip(block.labels, block.units, strict=True)]
        if len(self.rows) > first:
            self.groups.append((first, len(self.rows), tuple(dict.fromkeys(bodies))))

    def _block(self, name, block):
        row = len(self.rows)
        if block.kernel == "coupling":
            self._coupling(name, block.measures, block.ratios, block.profile, row)
        elif block.kernel == "distance":
            from ..model.profiles import Constant

            measure = Measure("distance", block.bodies, block.parameters[:6])
            self._coupling(name, (measure,), (1.0,), Constant(block.parameters[6]), row)
        elif block.kernel == "function":
            self._function(block.element, row)
        elif block.kernel == "user":
            self.elements.append(
                Element(TYPES[f"user {block.rows}"], block.bodies, block.bodies, self._kept(block.element), row=row)
            )
        else:
            self.elements.append(Element(TYPES[block.kernel], block.bodies, block.bodies, block.parameters, row=row))

    def _coupling(self, name, measures, ratios, profile, row):
        if profile.kind == "start":
            from ..model.profiles import Constant

            profile = Constant(sum(r * self.start(m) for m, r in zip(measures, ratios, strict=True)))
        self.measures |= dict.fromkeys(measures)
        pointer, parameters = compiled_profile(profile, name)
        parameters = (len(measures), *ratios, *(0.0,) * (2 - len(ratios)), *parameters)
        bodies = tuple(b for m in measures for b in m.bodies)
        kind = TYPES[f"coupling {len(measures)}"]
        self.elements.append(Element(kind, bodies, (measures[0], measures[-1]), parameters, pointer, row))

    def _function(self, element, row=0):
        built_in, both = isinstance(element.function, str), None not in (element.function, element.potential)
        own = element.function, element.potential, element.jacobian
        key = (element.kind, *own, element.rows, len(element.parameters))
        if key not in self.types:
            if built_in:
                element = replace(element, function=FUNCTIONS[element.function])
            else:
                check_function(element)
            found, kind = rows_of(element), "potential" if element.function is None else element.kind
            structure = joint_structure(found) if kind in ("joint", "potential") else None
            made = function_type(kind, element.rows, structure)
            self.types[key] = made, compiled_function(element), mask_of(found), pairs_of(found, kind)
        if both:
            user_potential.check_load(element, self.length)
        kind, pointer, mask, pairs = self.types[key]
        header = (*np.concatenate(element.points), element.rows, mask, element.jacobian is not None, *pairs)
        numbers = (*map(float, header), *element.parameters)
        self.elements.append(Element(kind, element.bodies, element.bodies, numbers, pointer, row))

    def _measuring(self, measure):
        """The element that evaluates a measure."""
        kind, parameters = TYPES["user coordinate" if measure.kind == "user" else measure.kind], measure.parameters
        if measure.kind == "user":
            parameters = self._kept(measure.joint, int(measure.parameters[0]))
        return Element(kind, measure.bodies, measure.bodies, parameters, measure=measure)

    def _kept(self, joint, which=0):
        """Numbers of an element of a user's joint, which keeps some in memory of its own."""
        first, self.memory = self.memory, self.memory + MEMORY
        return (first, which, *element_numbers(joint))

    def force(self, force):
        """Add one force."""
        first = len(self.elements)
        self._force(force)
        self.elements[first:] = [replace(element, force=force.name) for element in self.elements[first:]]

    def _force(self, force):
        if force.kind == "force" and hasattr(force, "axes"):
            self._applied(force)
        elif force.kind == "spring" and force.law.kind == "linear" and force.law.free == 0.0:
            ends, numbers = (force.frame_a, force.frame_b), (force.law.stiffness, force.law.damping)
            self._function(FunctionElement(force.name, "force", "point_spring", *ends, numbers, 8, ()))
        elif hasattr(force, "law"):
            place = self.wished.get(force.measure, self.start(force.measure))
            pointer, parameters = compiled_law(force.law, force.name, float(place))
            if force.law.kind == "function" and None not in (force.law.function, force.law.potential):
                user_potential.check_law(force, float(self.start(force.measure)), self.length)
            self.measures[force.measure] = None
            kind, pair = TYPES["coordinate force"], (force.measure, force.measure)
            self.elements.append(Element(kind, force.measure.bodies, pair, parameters, pointer))
        else:
            self._function(force)

    def _applied(self, force):
        for is_torque, parts in ((0.0, force.force), (1.0, force.torque)):
            for axis, profile in enumerate(parts):
                if profile.kind == "constant" and profile.parameters[0] == 0.0:
                    continue
                pointer, numbers = compiled_profile(profile, force.name)
                direction = tuple(float(i == axis) for i in range(3))
                in_body = 1.0 if force.axes == "body" else 0.0
                parameters = (is_torque, in_body, *force.point, *direction, *numbers)
                bodies = (force.body, force.body)
                self.elements.append(Element(TYPES["applied"], bodies, bodies, parameters, pointer))


def compiled_function(element):
    """The pointer of the function of an element, and of its Jacobian or potential."""
    given, kind = (element.function, arguments_of(element)), Kind.POSES if element.kind == "joint" else Kind.MOTIONS
    if element.potential is not None:
        stored = element.potential, arguments_of_potential(element)
        if element.function is None:
            return with_branches(users.pointer(functions.of_potential, (stored,)), Kind.POTENTIAL, stored[0])
        made = users.pointer(functions.of_load_and_potential, (given, stored))
    elif element.jacobian is not None:
        made = users.pointer(functions.of_poses_and_jacobian, (given, (element.jacobian, given[1])))
    else:
        made = users.pointer(functions.of_poses if element.kind == "joint" else functions.of_motions, (given,))
    return made if element.function in FUNCTIONS.values() else with_branches(made, kind, given[0])


def compiled_profile(profile: Any, name: str):
    """The compiled profile of a declared one, and its parameters."""
    if profile.kind == "function":
        check_profile(profile.function, name)
        return profiles.of_function(profile.function), ()
    parameters = profile.parameters
    if profile.kind == "polynomial":
        parameters = (len(parameters), *parameters)
    if profile.kind == "tabulated":
        parameters = (len(profile.time), *parameters)
    return profiles.PROFILES[profile.kind], parameters


def compiled_law(law: Any, name: str, start: float):
    """The compiled law of a declared one, whose coordinate is drawn at `start`, and its parameters."""
    if law.kind == "function":
        check_law(law, name, start)
        if law.potential is None:
            return laws.of_function(law.function), ()
        if law.function is None:
            return laws.of_potential(law.potential), ()
        return laws.of_function_and_potential(law.function, law.potential), ()
    if law.kind == "time":
        pointer, parameters = compiled_profile(law.profile, name)
        return laws.of_profile(pointer), parameters
    parameters = law.parameters
    if law.kind == "table":
        parameters = (parameters[0], len(law.x), *parameters[1:])
    return laws.LAWS[law.kind], parameters
