"""Long closed chains in relative coordinates: divided into sections, so that their mass matrix stays sparse."""

import numpy as np
import pytest

import bricard as br
from bricard.errors import IncompatibleMethods
from bricard.system.tree import SECTION, depths
from trees import chain

KINDS = ("absolute", "relative")


def hanging(links, planar=True):
    """A chain on an arc between two points of the ground; in space its hinges turn about two axes in turn."""
    model = br.Model("hanging chain", gravity=(0, -9.81, 0), planar=planar)
    angle = np.linspace(0.0, np.pi, links + 1)
    points = links / np.pi * np.column_stack([-np.cos(angle), -np.sin(angle), 0.0 * angle])
    last = model.ground
    for k in range(links):
        body = model.body(f"link {k}", br.Rod(points[k], points[k + 1], mass=1.0, radius=0.1))
        axis = (0, 0, 1) if planar or k % 2 else np.cross(points[k + 1] - points[k], (0, 0, 1))
        model.revolute(f"J{k}", last, body, point=points[k], axis=axis)
        last = body
    model.spherical("end", last, model.ground, point=points[-1])
    model.start(joint="J0", velocity=0.1)
    return model


@pytest.mark.parametrize(("links", "planar"), [(1200, True), (150, False)])
def test_long_closed_chains_move_as_in_absolute_coordinates(links, planar):
    model = hanging(links, planar)
    absolute, relative = (
        br.simulate(model, 0.02, coordinates=kind, step=2e-3, integrator="rk4", output=3) for kind in KINDS
    )
    assert relative.system.n_v < 0.5 * absolute.system.n_v
    for k in range(0, links, 7):
        body, joint = f"link {k}", f"J{k}"  # joints of the tree, and cut ones
        assert np.abs(absolute.point(body) - relative.point(body)).max() < 1e-10 * links
        force, other = absolute.reaction(joint).force, relative.reaction(joint).force
        assert np.abs(force - other).max() < 1e-8 * np.abs(force).max()


def test_sections_are_short_and_the_report_shows_them():
    model = hanging(1200)
    system = model.build(coordinates="relative")
    assert depths(model, system.tree).max() <= SECTION
    cut = model.report(coordinates="relative").cut
    assert len(cut) == 1 + sum(node.joint is None for node in system.tree)  # one closes the loop
    assert system.n_v - system.n_rows == 1200 - 2


def test_the_work_grows_linearly_with_the_links():
    products = [hanging(links).build(coordinates="relative").pattern.t_start[-1] for links in (600, 1200)]
    assert products[1] < 2.1 * products[0]


def test_short_closed_chains_and_open_ones_keep_their_joints():
    assert hanging(60).build(coordinates="relative").n_v == 60
    assert chain(600).build(coordinates="relative").n_v == 600


def test_an_implicit_integrator_takes_a_divided_chain():
    model = hanging(300)
    options = {"step": 5e-3, "formulation": "index3", "integrator": "generalized-alpha", "output": 3}
    absolute, relative = (br.simulate(model, 0.02, coordinates=kind, **options) for kind in KINDS)
    assert np.abs(absolute.point("link 150") - relative.point("link 150")).max() < 1e-6


def test_a_long_open_chain_can_be_divided_by_hand():
    """Its mass matrix is never made, which implicit integrators need; cut joints divide it."""
    options = {"step": 5e-3, "formulation": "index3", "integrator": "generalized-alpha", "output": 3}
    model = chain(600)
    with pytest.raises(IncompatibleMethods, match="divide the branches by cutting a joint here and there"):
        br.simulate(model, 0.01, coordinates="relative", **options)
    cut = [f"J{k}" for k in range(20, 600, 20)]
    assert br.simulate(model, 0.01, coordinates="relative", cut=cut, **options).ok
