"""Published inertias that miss the triangle inequality by little, and what `inertia_check` makes of them (V5)."""

import warnings

import numpy as np
import pytest

import bricard as br
from bricard.errors import ModelError, UnrealInertia

PUMA = (0.066, 0.086, 0.0125)  # link 3 of the Puma 560, in many collections


def declared(inertia, **options):
    return br.Model("m").body("b", mass=4.8, inertia=inertia, **options)


def test_v5_a_published_inertia_is_used_as_given_with_a_warning():
    with pytest.warns(UnrealInertia, match=r'"b": inertia .* by 0.0075 kg m\^2, 8.72 % .* \(0.0685, 0.0835, 0.015\)'):
        body = declared(PUMA)
    np.testing.assert_array_equal(body.inertia, np.diag(PUMA))
    with pytest.raises(ModelError, match=r'no real body.*inertia_check="nearest"'):
        declared(PUMA, inertia_check="error")
    with pytest.raises(ModelError, match=r"inertia_check must be 'error', 'warn', 'nearest', not 'no'[.]"):
        declared(PUMA, inertia_check="no")


@pytest.mark.parametrize("seed", range(20))
def test_v5_what_each_word_takes_and_refuses(seed):
    """Random tensors: up to 10 % of the largest moment with a warning, more only as the nearest real one."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(0.1, 1.0, 2)
    share = rng.uniform(0.0, 0.2)
    moments = np.array([*low, low.sum() / (1.0 - share)])
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = axes * moments @ axes.T
    tensor = 0.5 * (tensor + tensor.T)
    if share <= 0.1:
        with pytest.warns(UnrealInertia):
            np.testing.assert_array_equal(declared(tensor).inertia, tensor)
    else:
        with pytest.raises(ModelError, match="no real body"):
            declared(tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nearest = declared(tensor, inertia_check="nearest").inertia
        declared(nearest, inertia_check="error")
    found = np.linalg.eigvalsh(nearest)
    assert found[0] >= 0 and found[2] <= (found[0] + found[1]) * (1 + 1e-12)
    distance = np.linalg.norm(nearest - tensor)
    assert distance == pytest.approx((moments[2] - low.sum()) / np.sqrt(3), rel=1e-6, abs=1e-12)


def test_v5_a_negative_moment_is_taken_by_no_word_but_nearest():
    for check in ("error", "warn"):
        with pytest.raises(ModelError, match="negative principal moment"):
            declared((1.0, 1.0, -0.01), inertia_check=check)
    np.testing.assert_allclose(
        np.diag(declared((1.0, 1.0, -0.3), inertia_check="nearest").inertia), (1, 1, 0), atol=1e-12
    )


def test_v5_planar_data_point_to_planar():
    with pytest.raises(ModelError, match="planar=True"):
        declared((0, 0, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert declared((0, 0, 2.0), planar=True).inertia[2, 2] == 2.0


TOML = """name = "m"
[bodies.b]
mass = 4.8
inertia = [0.066, 0.086, 0.0125]
inertia_check = "{}"
"""
URDF = """<robot name="p"><link name="base"/><link name="b"><inertial><mass value="4.8"/>
<inertia ixx=".066" iyy=".086" izz=".0125" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="b"><joint name="j" axis="0 1 0"/>
<inertial pos="0 0 0" mass="4.8" diaginertia=".066 .086 .0125"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("format", ["toml", "urdf", "xml"])
def test_v5_files_have_the_same_words(format, tmp_path):
    def read(check):
        file = tmp_path / f"m.{format}"
        file.write_text({"toml": TOML.format(check), "urdf": URDF, "xml": MJCF}[format])
        if format == "toml":
            return br.load(file)
        return {"urdf": br.io.from_urdf, "xml": br.io.from_mjcf}[format](file, inertia_check=check)

    with pytest.warns(UnrealInertia):
        assert read("warn").bodies["b"].inertia[1, 1] == 0.086
    with pytest.raises(br.BricardError, match="no real body"):
        read("error")
    assert read("nearest").bodies["b"].inertia[1, 1] == pytest.approx(0.0835)
