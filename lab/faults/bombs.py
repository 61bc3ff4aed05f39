"""Small files that ask for much, and things that are no files: each is refused with a sentence, soon and in little memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["BOMBS", "make"]

MANY = 20_000
JOINT = '<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/></joint>'
LINK = '<link name="l{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
BODY = "[bodies.{0}]\nmass = 1\ninertia = [1, 1, 1]\n"
FORCE = '[forces.F]\ntype = "force"\nbody = "{0}"\nforce = [0, 0, 0]'
LAUGHS = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))


def _text(suffix: str, text: str | bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        file = folder / f"bomb{suffix}"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return write


def _link(suffix: str, target: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / f"bomb{suffix}").symlink_to(target)
        return folder / f"bomb{suffix}"

    return write


def _pipe(suffix: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        os.mkfifo(folder / f"bomb{suffix}")
        return folder / f"bomb{suffix}"

    return write


def _folder(suffix: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / f"bomb{suffix}").mkdir()
        return folder / f"bomb{suffix}"

    return write


def _mjcf(inside: str) -> str:
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def _includes(count: int, twice: bool) -> Callable[[Path], Path]:
    """Files in a row that each include the next one, once or twice."""

    def write(folder: Path) -> Path:
        for k in range(count):
            one = f'<include file="{k + 1}.xml"/>' if k < count - 1 else "<worldbody/>"
            (folder / f"{k}.xml").write_text(f"<mujoco>{one * (2 if twice else 1)}</mujoco>", encoding="utf-8")
        return folder / "0.xml"

    return write


def _include(target: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "loop.xml").symlink_to("loop.xml")
        (folder / "folder.xml").mkdir()
        os.mkfifo(folder / "pipe.xml")
        return _text(".xml", f'<mujoco><include file="{target}"/></mujoco>')(folder)

    return write


def _chain(links: int) -> str:
    joints = "".join(JOINT.format(k, k + 1) for k in range(links - 1))
    return f"<robot>{''.join(LINK.format(k) for k in range(links))}{joints}</robot>"


SUFFIXES = (".toml", ".urdf", ".xml", ".mjcf", ".h5")
BOMBS: dict[str, Callable[[Path], Path]] = {
    **{f"/dev/zero {s}": _link(s, "/dev/zero") for s in SUFFIXES},
    **{f"a pipe {s}": _pipe(s) for s in SUFFIXES},
    **{f"a folder {s}": _folder(s) for s in SUFFIXES},
    **{f"a loop of links {s}": _link(s, f"bomb{s}") for s in SUFFIXES},
    **{f"nowhere {s}": _link(s, "nowhere") for s in SUFFIXES},
    **{f"empty {s}": _text(s, "") for s in SUFFIXES if s != ".toml"},
    **{f"zeros {s}": _text(s, bytes(10**6)) for s in SUFFIXES},
    **{f"too large {s}": _text(s, b" " * 40 * 10**6) for s in SUFFIXES},
    **{f"UTF-16 {s}": _text(s, '<robot name="x"/>'.encode("utf-16")[:-3]) for s in SUFFIXES},
    "latin-1": _text(".toml", 'name = "Käfig"'.encode("latin-1")),
    "no name for a suffix": _text(".txt", "name = 1"),
    "a key of 20,000 parts": _text(".toml", "a." * MANY + "a = 1"),
    "a heading of 20,000 parts": _text(".toml", "[" + "a . " * MANY + "a]"),
    "quoted parts": _text(".toml", '"a"."b".' * MANY + "a = 1"),
    "brackets": _text(".toml", "a = " + "[" * 10**6),
    "closed brackets": _text(".toml", "a = " + "[" * 10**5 + "]" * 10**5),
    "tables in tables": _text(".toml", "a = " + "{a=" * 10**5),
    "an integer of 10^6 digits": _text(".toml", "a = " + "9" * 10**6),
    "a power": _text(".toml", '[parameters]\na = "${9**9**9**9}"'),
    "brackets in a formula": _text(".toml", f'[parameters]\na = "${{{"(" * 400}}}"'),
    "a row of parameters": _text(
        ".toml", "[parameters]\np0 = 1\n" + "".join(f'p{k + 1} = "${{p{k}}}"\n' for k in range(MANY))
    ),
    "a name of 10^6 letters": _text(".toml", f"[bodies.{'a' * 10**6}]\nmass = 1"),
    "near names of 10^5 letters": _text(".toml", BODY.format("ab" * 50_000) + FORCE.format("ba" * 50_000)),
    "20,000 near names": _text(".toml", "".join(BODY.format(f"body{k}") for k in range(MANY)) + FORCE.format("bady")),
    "20,000 unknown keys": _text(".toml", "[bodies.a]\n" + "".join(f"k{k} = 1\n" for k in range(MANY))),
    "texts that do not end": _text(".toml", 'a = """' + '\\"' * 10**6),
    "elements in elements": _text(".urdf", "<a>" * 10**6),
    "links in links": _text(".urdf", "<robot>" + "<link>" * 5000 + "</link>" * 5000 + "</robot>"),
    "bodies in bodies": _text(".xml", _mjcf("<body>" * 5000 + "</body>" * 5000)),
    "classes in classes": _text(
        ".xml",
        "<mujoco><default>"
        + "".join(f'<default class="c{k}">' for k in range(5000))
        + "</default>" * 5001
        + "</mujoco>",
    ),
    "a billion laughs": _text(".urdf", f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>'),
    "one long entity": _text(".xml", f'<!DOCTYPE r [<!ENTITY a "{"a" * 10**5}">]><mujoco model="{"&a;" * 10**5}"/>'),
    "an entity of another file": _text(
        ".urdf", '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]><robot>&a;</robot>'
    ),
    "an unknown entity": _text(".urdf", "<robot>&nothing;</robot>"),
    "an unknown encoding": _text(".urdf", '<?xml version="1.0" encoding="wrong"?><robot/>'),
    "an encoding of no text": _text(".urdf", '<?xml version="1.0" encoding="base64"?><robot/>'),
    "a row of 10^6 numbers": _text(".xml", _mjcf(f'<body pos="{"0 " * 10**6}"/>')),
    "includes itself": _include("bomb.xml"),
    "includes /dev/zero": _include("/dev/zero"),
    "includes a pipe": _include("pipe.xml"),
    "includes a folder": _include("folder.xml"),
    "includes a loop of links": _include("loop.xml"),
    "includes a name too long": _include("a" * 5000),
    "includes that double": _includes(40, True),
    "includes in a row": _includes(1000, False),
    "a name too long": lambda folder: folder / f"{'a' * 5000}.toml",
}
LARGE: dict[str, Callable[[Path], Path]] = {  # without fault: they take time in proportion to their size
    "a chain of links": _text(".urdf", _chain(2000)),
    "links beside each other": _text(".urdf", _chain(2) + " " * 10**7),
    "bodies without names": _text(".xml", _mjcf('<body><joint/><geom size="1"/></body>' * 3000)),
    "geoms": _text(".xml", _mjcf("<body><joint/>" + '<geom size="1"/>' * MANY + "</body>")),
    "a mark of the order of bytes": _text(".toml", b"\xef\xbb\xbf" + BODY.format("a").encode()),
}


def make(name: str, folder: Path) -> Path:
    """Write one of BOMBS or LARGE into a folder."""
    return (BOMBS | LARGE)[name](folder)
