"""What refers to nothing, or loads what does not move, is refused by name; a joint that only measures changes no start."""

import pytest

import bricard as br
from bricard.errors import FileFormatError, ModelError


def chain(n=2):
    model, last = br.Model("chain"), None
    for k in range(n):
        body = model.body(f"b{k}", br.Rod((k, 0, 0), (k + 1, 0, 0), mass=1.0))
        model.revolute(f"J{k}", last or model.ground, body, point=(k, 0, 0), axis=(0, 1, 0))
        last = body
    return model


def test_a_body_that_was_taken_out(tmp_path):
    model = chain()
    model.bodies.pop("b0")
    for what in (model.build, model.report, lambda: model.save(tmp_path / "chain.toml")):
        with pytest.raises(ModelError, match='joint "J0" needs the body "b0", which is not in the model any more'):
            what()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["gear", "torsion", "wish"])
def test_a_joint_that_was_taken_out(kind):
    model = chain()
    if kind == "gear":
        model.gear("G", "J0", "J1", 2.0)
    elif kind == "torsion":
        model.torsion("G", "J0", stiffness=1.0)
    else:
        model.start(joint="J0", position=0.1)
    del model.joints["J0"]
    with pytest.raises(ModelError, match='the joint of the coordinate "J0", which is not in the model'):
        model.build()


def test_what_can_be_no_load_disc_or_file(tmp_path):
    model = chain()
    with pytest.raises(ModelError, match='force "F": the ground does not move'):
        model.force("F", "ground", force=(1, 0, 0))
    with pytest.raises(ModelError, match='joint "R": the disc lies flat'):
        model.rolling_disc("R", "b0", 1.0, axis=(0, 0, 1))
    with pytest.raises(FileFormatError, match=r"chain\.json: models are written as TOML"):
        model.save(tmp_path / "chain.json")


@pytest.mark.parametrize("output", [1e-9, 10**10])
def test_more_samples_than_memory(output):
    with pytest.raises(ModelError, match=r"asks for 1e\+\d+ samples of \d+ numbers"):
        br.simulate(chain(), 1.0 if output < 1 else 0.1, output=output)


@pytest.mark.parametrize("coordinates", ["absolute", "relative"])
def test_a_free_joint_that_only_measures(coordinates):
    """The chain stays a tree: what is not wished stays as drawn and at rest (V1)."""
    model = chain(3)
    model.free("tip", model.ground, "b2", point=(3, 0, 0))
    model.start(joint="J0", position=0.5, velocity=1.0)
    run = br.simulate(model, 0.01, coordinates=coordinates, output=2)
    assert run.joint("J0")[0] == pytest.approx(0.5, abs=1e-12) and run.joint_velocity("J0")[0] == pytest.approx(
        1.0, abs=1e-12
    )
    for joint in ("J1", "J2"):
        assert abs(run.joint(joint)[0]) < 1e-12 and abs(run.joint_velocity(joint)[0]) < 1e-12


def test_a_free_joint_that_places_a_body_is_no_measure():
    model = br.Model("floating", gravity=(0, 0, 0))
    for k in range(2):
        model.body(f"b{k}", br.Rod((k, 0, 0), (k + 1, 0, 0), mass=1.0))
    model.revolute("J", "b0", "b1", point=(1, 0, 0), axis=(0, 1, 0))
    model.free("base", model.ground, "b0", point=(0, 0, 0))
    model.start(joint="J", velocity=1.0)
    run = br.simulate(model, 0.01, output=2)
    assert abs(run.point("b0")[0] - run.point("b0")[1]).max() < 1e-3 and abs(run.v[0][:6]).max() < 1e-12
