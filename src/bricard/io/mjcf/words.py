"""The words of MJCF: which sections, elements and attributes there are, so that one that is misspelt is not overlooked.

Checked is what the import reads; sections without a counterpart (actuators, sensors, pictures) may hold anything. Words that
only older versions of MuJoCo know are among them.

Reference: the XML reference of MuJoCo, mujoco.readthedocs.io.
"""

from __future__ import annotations

from collections.abc import Collection
from xml.etree.ElementTree import Element

from bricard.errors import ModelError, suggest
from bricard.io.xml import shown

__all__ = ["check"]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TURN = "quat axisangle euler xyaxes zaxis"
SECTIONS = _words(
    "compiler option size statistic visual default custom asset worldbody contact deformable equality tendon actuator "
    "sensor keyframe extension"
)
IN_BODY = _words(
    "body frame joint freejoint inertial geom site camera light composite flexcomp attach replicate plugin"
)
IN_DEFAULT = _words(
    "default mesh material joint geom site camera light pair equality tendon general motor position velocity "
    "intvelocity damper cylinder muscle adhesion dcmotor plugin"
)
IN_EQUALITY = _words("connect weld joint tendon flex flexvert flexstrain distance")
COMPILER = _words(
    "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull coordinate "
    "discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough "
    "savecanonical savecompiled saveinertial settotalmass strippath texturedir usethread"
)
OPTION = _words(
    "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio integrator "
    "iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations "
    "noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver "
    "timestep tolerance viscosity wind"
)
FLAG = _words(
    "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent "
    "frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe "
    "sensor sensornoise sleep speculative spring warmstart"
)
ATTRIBUTES = {
    "body": _words(f"name childclass pos {TURN} mocap gravcomp sleep user"),
    "frame": _words(f"name childclass pos {TURN}"),
    "inertial": _words(f"pos {TURN} mass diaginertia fullinertia"),
    "joint": _words(
        "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit solreffriction "
        "solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref springyield armature "
        "damping frictionloss user"
    ),
    "freejoint": _words("name group align"),
    "geom": _words(
        f"name class type pos {TURN} contype conaffinity condim group priority size material friction mass density "
        "shellinertia solmix solref solimp margin gap fromto hfield mesh fitscale rgba fluidshape fluidcoef user adhesion "
        "castshadow surfacevel"
    ),
    "site": _words(f"name class type group pos {TURN} material size fromto mesh rgba user"),
    "mesh": _words(
        "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal maxhullvert inertia "
        "builtin params material"
    ),
    "key": _words("name time qpos qvel act mpos mquat ctrl plastic"),
}
OF_EQUALITY = {
    kind: _words(f"name class active solref solimp {own}")
    for kind, own in (
        ("connect", "body1 body2 anchor site1 site2"),
        ("weld", "body1 body2 anchor relpose torquescale site1 site2"),
        ("joint", "joint1 joint2 polycoef"),
    )
}
BOOLEAN = _words("true false")
BOOLEANS = _words(
    "alignfree autolimits balanceinertia convexhull discardvisual exactmeshinertia fitaabb fusestatic savecanonical "
    "savecompiled saveinertial strippath usethread"
)
CHOICES: dict[str, dict[str, tuple[str, ...]]] = {
    "compiler": dict.fromkeys(BOOLEANS, BOOLEAN)
    | {"angle": ("degree", "radian"), "inertiafromgeom": (*BOOLEAN, "auto"), "coordinate": ("local", "global")},
    "flag": dict.fromkeys(FLAG, ("enable", "disable")),
    "body": {"mocap": BOOLEAN},
    "joint": {"limited": (*BOOLEAN, "auto"), "actuatorgravcomp": BOOLEAN},
    "geom": {"shellinertia": BOOLEAN},
    "mesh": {"inertia": ("convex", "exact", "legacy", "shell")},
}
EQUALITY = {"active": BOOLEAN}


def check(root: Element) -> None:
    """Complain about the first section, element or attribute that MJCF does not have."""
    for section in root:
        _known(section.tag, SECTIONS, "section", f"<{root.tag}>")
        match section.tag:
            case "compiler":
                _attributes(section, COMPILER)
            case "option":
                _attributes(section, OPTION)
                for flags in section.findall("flag"):
                    _attributes(flags, FLAG)
            case "default":
                _default(section)
            case "worldbody":
                _body(section)
            case "asset" | "keyframe":
                for part in section:
                    if part.tag in ("mesh", "key"):
                        _attributes(part, ATTRIBUTES[part.tag])
            case "equality":
                for part in section:
                    _known(part.tag, IN_EQUALITY, "element", "<equality>")
                    if part.tag in OF_EQUALITY:
                        _attributes(part, OF_EQUALITY[part.tag])
                    _choices(part, EQUALITY)


def _body(body: Element) -> None:
    for part in body:
        _known(part.tag, IN_BODY, "element", shown(body))
        if part.tag in ATTRIBUTES:
            _attributes(part, ATTRIBUTES[part.tag])
        if part.tag in ("body", "frame"):
            _body(part)


def _default(default: Element) -> None:
    for part in default:
        _known(part.tag, IN_DEFAULT, "element", "<default>")
        if part.tag == "default":
            _default(part)
        elif part.tag == "equality":
            _choices(part, EQUALITY)
        elif part.tag in ATTRIBUTES:
            _attributes(part, ATTRIBUTES[part.tag])


def _attributes(element: Element, known: Collection[str]) -> None:
    for key in element.attrib:
        _known(key, known, "attribute", shown(element))
    _choices(element, CHOICES.get(element.tag, {}))


def _choices(element: Element, choices: dict[str, tuple[str, ...]]) -> None:
    for key, words in choices.items():
        value = element.get(key, words[0])
        if value not in words:
            near = suggest(value, words)
            raise ModelError(f'{shown(element)}: {key} must be one of {", ".join(words)}, not "{value}".{near}')


def _known(word: str, known: Collection[str], kind: str, where: str) -> None:
    if word not in known:
        raise ModelError(f'{where}: there is no {kind} "{word}" in MJCF.{suggest(word, known)}')
