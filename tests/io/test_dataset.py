"""Solutions as xarray datasets: names, units, and the same numbers as the solution itself."""

import numpy as np
import pytest
from machines import solved

from bricard.system.channels import rotation_matrices


@pytest.fixture(scope="module")
def pair():
    solution = solved()
    return solution, solution.to_xarray()


def test_dimensions(pair):
    solution, data = pair
    sizes = {name: data.sizes[name] for name in ("time", "body", "axis", "coordinate")}
    assert sizes == {"time": solution.t.size, "body": 2, "axis": 3, "coordinate": 2}


def test_positions_by_name(pair):
    solution, data = pair
    assert np.array_equal(data.position.sel(body="load"), solution.point("load"))


def test_velocities_by_name(pair):
    solution, data = pair
    assert np.array_equal(data.velocity.sel(body="cart", axis="x"), solution.velocity("cart")[:, 0])


def test_quaternions_are_the_rotations(pair):
    solution, data = pair
    R = rotation_matrices(data.quaternion.sel(body="load").values)
    assert np.allclose(R, solution.poses["load"][1], rtol=0, atol=1e-15)


def test_joints_by_name_with_units(pair):
    solution, data = pair
    rail = data.joint.sel(coordinate="rail.displacement")
    assert (rail.coordinate_unit.item(), rail.values.tolist()) == ("m", solution.joint("rail").tolist())


def test_every_variable_has_units_or_a_name(pair):
    assert all("units" in variable.attrs or "long_name" in variable.attrs for variable in pair[1].values())


def test_energy_error(pair):
    solution, data = pair
    assert np.array_equal(data.energy_error, solution.energy.error)


def test_it_can_be_written_to_netcdf(pair, tmp_path):
    attributes = {key: type(value) for key, value in pair[1].attrs.items()}
    assert set(attributes.values()) <= {str, float, int}
