"""The JSON Schema accepts every model that the package reads, and rejects what it refuses."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from bricard.errors import FileFormatError
from bricard.io import toml
from bricard.io.schema import schema

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples").glob("*.toml"))
MODELS = [file for file in FILES if not file.name.endswith(".loops.toml")]
VALIDATOR = jsonschema.Draft202012Validator(schema())

HAND = """
name = "hand"
[parameters]
L = 0.3
[bodies.rod]
shape = "rod"
start = [0, 0, 0]
end = [0, "${L}", 0]
mass = 1
[bodies.block]
mass = 2
inertia = [1, 1, 1]
[joints.A]
type = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 0, 1]
[joints.run]
type = "drive"
coordinate = "A"
profile = {profile = "sine", amplitude = 1, frequency = 2}
[forces.M]
type = "motor"
coordinate = "A"
torque = {law = "linear", stiffness = 1}
[[start]]
joint = "A"
velocity = 1
[[drawings]]
body = "ground"
shape = "box"
size = [1, 1, 1]
mass = 0
[simulation]
duration = 1
"""
WRONG = {
    "an unknown key at the top": ('name = "hand"', 'nam = "hand"'),
    "other units": ('name = "hand"', 'units = "mm"'),
    "an unknown shape": ('"rod"\nstart', '"rodd"\nstart'),
    "an unknown key of a body": ("mass = 1\n", "mas = 1\n"),
    "a text for a number": ("mass = 1\n", 'mass = "heavy"\n'),
    "a missing end": ('end = [0, "${L}", 0]\n', ""),
    "a body without inertia": ("inertia = [1, 1, 1]\n", ""),
    "two numbers for a vector": ("axis = [0, 0, 1]", "axis = [0, 1]"),
    "an unknown joint": ('"revolute"', '"revolut"'),
    "a joint without type": ('type = "revolute"\n', ""),
    "one body only": ('["ground", "rod"]', '["ground"]'),
    "an unknown profile": ('"sine"', '"sin"'),
    "an incomplete profile": (", frequency = 2", ""),
    "an unknown law": ('"linear"', '"lineer"'),
    "an unknown wish": ("velocity = 1", "speed = 1"),
    "a drawing of nobody": ('body = "ground"\n', ""),
    "an unknown setting": ("duration = 1", "duraton = 1"),
    "a bad name of a parameter": ("L = 0.3", '"L 1" = 0.3'),
}


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_example_is_valid(file):
    VALIDATOR.validate(tomllib.loads(file.read_text()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_example_refers_to_the_schema(file):
    assert file.read_text().startswith("#:schema ../docs/bricard.schema.json\n")


def test_the_model_by_hand_is_valid():
    VALIDATOR.validate(tomllib.loads(HAND))
    toml.loads(HAND, "hand.toml")


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_are_rejected(what):
    old, new = WRONG[what]
    assert old in HAND
    text = HAND.replace(old, new, 1)
    assert not VALIDATOR.is_valid(tomllib.loads(text))
    if "simulation" not in what and "setting" not in what:  # the table of settings is checked when it is used
        with pytest.raises(FileFormatError):
            toml.loads(text, "hand.toml")


def test_the_schema_itself_is_valid():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("folder", ["docs", "src/bricard/io"])
def test_the_stored_schema_is_up_to_date(folder):
    stored = json.loads((ROOT / folder / "bricard.schema.json").read_text(encoding="utf-8"))
    assert stored == schema(), "run `make pages`"


def test_every_keyword_has_a_type():
    """A keyword that the schema does not know may be anything there; name its kind in bricard/io/schema.py."""
    made = schema()
    tables = [
        case["then"]
        for family in ("joints", "forces")
        for case in made["properties"][family]["additionalProperties"]["allOf"]
    ]
    unknown = {key for table in tables for key, kind in table["properties"].items() if not kind}
    assert not unknown
