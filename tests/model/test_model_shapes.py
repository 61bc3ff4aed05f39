"""Shapes and bodies: mass properties against sums over small pieces, and every wrong input named."""

import sys
from pathlib import Path

import numpy as np
import pytest

import bricard.model as br
from bricard.errors import ModelError
from bricard.model.body import make_body

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(12)


def box_points(size):
    """Quadrature points (n, 3) and weights (n,) of a block about its centre."""
    grid = np.array(np.meshgrid(*(0.5 * s * GAUSS for s in size), indexing="ij")).reshape(3, -1).T
    weights = np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS).ravel() * np.prod(size) / 8.0
    return grid, weights


def cylinder_points(radius, length):
    """The same for a cylinder along z."""
    points, weights = [], []
    for r, wr in zip(0.5 * radius * (GAUSS + 1.0), 0.5 * radius * WEIGHTS, strict=True):
        for z, wz in zip(0.5 * length * GAUSS, 0.5 * length * WEIGHTS, strict=True):
            for angle in 2.0 * np.pi * np.arange(12) / 12:
                points.append((r * np.cos(angle), r * np.sin(angle), z))
                weights.append(r * wr * wz * 2.0 * np.pi / 12)
    return np.array(points), np.array(weights)


def sphere_points(radius):
    """The same for a ball."""
    points, weights = [], []
    for r, wr in zip(0.5 * radius * (GAUSS + 1.0), 0.5 * radius * WEIGHTS, strict=True):
        for c, wc in zip(GAUSS, WEIGHTS, strict=True):
            for angle in 2.0 * np.pi * np.arange(12) / 12:
                s = np.sqrt(1.0 - c * c)
                points.append((r * s * np.cos(angle), r * s * np.sin(angle), r * c))
                weights.append(r * r * wr * wc * 2.0 * np.pi / 12)
    return np.array(points), np.array(weights)


def ellipsoid_points(radii):
    """The same for an ellipsoid, a stretched ball."""
    points, weights = sphere_points(1.0)
    return points * radii, weights * np.prod(radii)


def capsule_points(radius, length):
    """The same for a capsule along z: a cylinder, and a ball torn apart in the middle."""
    points, weights = [], []
    for r, wr in zip(0.5 * radius * (GAUSS + 1.0), 0.5 * radius * WEIGHTS, strict=True):
        for c, wc in zip(0.5 * (GAUSS + 1.0), 0.5 * WEIGHTS, strict=True):
            for angle in 2.0 * np.pi * np.arange(12) / 12:
                for side in (1.0, -1.0):
                    s = np.sqrt(1.0 - c * c)
                    points.append((r * s * np.cos(angle), r * s * np.sin(angle), side * (r * c + 0.5 * length)))
                    weights.append(r * r * wr * wc * 2.0 * np.pi / 12)
    tube, volume = cylinder_points(radius, length)
    return np.vstack([tube, points]), np.append(volume, weights)


def inertia_of(points, weights):
    squares = np.einsum("n,ni,ni->", weights, points, points)
    return squares * np.eye(3) - np.einsum("n,ni,nj->ij", weights, points, points)


START, END = np.array([0.1, 0.2, -0.3]), np.array([0.5, -0.4, 0.6])
LENGTH = float(np.linalg.norm(END - START))
X_FROM_Z = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # turns z to x

CASES = {
    "rod": (br.Rod(START, END, density=3.0, radius=0.2), cylinder_points(0.2, LENGTH), X_FROM_Z),
    "box": (br.Box((0.2, 0.3, 0.5), density=3.0), box_points((0.2, 0.3, 0.5)), np.eye(3)),
    "cylinder": (br.Cylinder(START, END, 0.3, density=3.0), cylinder_points(0.3, LENGTH), np.eye(3)),
    "sphere": (br.Sphere((1, 2, 3), 0.4, density=3.0), sphere_points(0.4), np.eye(3)),
    "ellipsoid": (br.Ellipsoid((0.2, 0.3, 0.5), density=3.0), ellipsoid_points((0.2, 0.3, 0.5)), np.eye(3)),
    "capsule": (br.Capsule(START, END, 0.3, density=3.0), capsule_points(0.3, LENGTH), np.eye(3)),
}


@pytest.mark.parametrize("kind", CASES)
def test_mass_is_density_times_volume(kind):
    shape, (_, weights), _ = CASES[kind]
    assert shape.mass == pytest.approx(3.0 * weights.sum(), rel=1e-12)


@pytest.mark.parametrize("kind", CASES)
def test_inertia_is_the_integral_over_the_volume(kind):
    shape, (points, weights), turn = CASES[kind]
    np.testing.assert_allclose(shape.inertia, inertia_of(points @ turn.T, 3.0 * weights), rtol=1e-12, atol=1e-14)


def test_two_halves_of_a_rod_make_the_rod():
    whole = br.Rod((0, 0, 0), (2, 0, 0), mass=2.0, radius=0.1)
    half = br.Rod((0, 0, 0), (1, 0, 0), mass=1.0, radius=0.1)
    steiner = half.mass * 0.5**2 * np.diag([0, 1, 1])
    np.testing.assert_allclose(whole.inertia, 2 * (half.inertia + steiner), rtol=1e-14)


def test_axes_of_rod_and_cylinder():
    along = (END - START) / LENGTH
    np.testing.assert_allclose(br.Rod(START, END, mass=1).rotation[:, 0], along, atol=1e-15)
    np.testing.assert_allclose(br.Cylinder(START, END, 0.1, mass=1).rotation[:, 2], along, atol=1e-15)


@pytest.mark.parametrize("end", [(1, 0, 0), (0, -1, 0), (0.6, 0.8, 0), (0, 0, 1), (0, 0, -1), (1e-9, 0, 1)])
def test_axes_of_a_rod_are_a_rotation(end):
    R = br.Rod((0, 0, 0), end, mass=1).rotation
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    if end[2] == 0:
        assert R[:, 2].tolist() == [0, 0, 1]


def test_default_radius_is_told():
    assert "radius 0.02 m" in br.Rod((0, 0, 0), (2, 0, 0), mass=1).describe()


def test_massless_link_and_point_mass():
    assert not br.Rod((0, 0, 0), (1, 0, 0), mass=0).inertia.any()
    assert not br.PointMass((0, 0, 0), 2.0).inertia.any()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: br.Rod((0, 0, 0), (0, 0, 0), mass=1), "rod: the two points coincide"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0)), "rod: give either mass"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass=1, density=1), "rod: give either mass"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass=-1), "rod: mass must not be negative, but is -1"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass=float("nan")), "rod: mass must be a finite number"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass=float("inf")), "rod: mass must be a finite number"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass="1"), "rod: mass must be a number"),
        (lambda: br.Rod((0, 0), (1, 0, 0), mass=1), "rod: start must be 3 numbers"),
        (lambda: br.Rod((0, 0, "0"), (1, 0, 0), mass=1), "rod: start must be 3 numbers"),
        (lambda: br.Rod((0, 0, 0), (1, 0, 0), mass=1, radius=0), "rod: radius must be greater than zero"),
        (lambda: br.Box((1, 0, 1), mass=1), "box: every edge"),
        (lambda: br.Box((1, 1, 1), mass=1, rotation=np.diag([1, 1, -1])), "box: rotation is left-handed"),
        (lambda: br.Box((1, 1, 1), mass=1, rotation=2 * np.eye(3)), "box: rotation is not orthonormal"),
        (lambda: br.Cylinder((0, 0, 0), (1, 0, 0), -1, mass=1), "cylinder: radius must be greater"),
        (lambda: br.Sphere((0, 0, 0), 10**400, mass=1), "sphere: radius must be a finite number"),
        (lambda: br.PointMass((0, 0, 0), None), "point_mass: give either mass"),
    ],
)
def test_wrong_shapes(make, expected):
    with pytest.raises(ModelError) as caught:
        make()
    assert expected in str(caught.value)


def body(**options):
    planar = options.pop("planar", False)
    return br.Model(planar=planar).body("bob", options.pop("shape", None), **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "mass is missing"),
        ({"mass": 1}, "inertia is missing"),
        ({"mass": -1, "inertia": (1, 1, 1)}, "mass must not be negative"),
        ({"mass": 1, "inertia": 3}, "inertia must be a 3x3 matrix"),
        ({"mass": 1, "inertia": (1, 1, 3)}, "1, 1, 3 kg m^2 the largest exceeds the sum"),
        ({"mass": 1, "inertia": (1, 1, -1)}, "negative principal moment: -1, 1, 1"),
        ({"mass": 1, "inertia": ((1, 0.1, 0), (0, 1, 0), (0, 0, 1))}, "not symmetric: entries differ by 0.1"),
        ({"mass": 1, "inertia": ((1, 2, 3), (4, 5))}, "inertia must be a 3x3 matrix"),
        ({"mass": 1, "inertia": (1, 1, float("nan"))}, "inertia must be 3 numbers, all finite"),
        ({"mass": 1, "inertia": (1, 1, 1), "com": (0, 1)}, "com must be 3 numbers"),
        ({"mass": 1, "inertia": (1, 1, 1), "rotation": (1, 0, 0)}, "rotation must be a 3x3 matrix or a quaternion"),
        ({"mass": 1, "inertia": (1, 1, 1), "rotation": (0, 0, 0, 0)}, "rotation is zero"),
        ({"shape": br.PointMass((0, 0, 0), 1), "mass": 1}, "mass follows from the shape"),
        ({"shape": br.PointMass((0, 0, 0), 1), "com": (0, 0, 0)}, "com follows from the shape"),
        ({"shape": "rod"}, "shape must be a Rod"),
        ({"shape": br.PointMass((0, 0, 1), 1), "planar": True}, "stands at z = 1 m"),
        ({"shape": br.Cylinder((-1, 0, 0), (1, 0, 0), 0.1, mass=1), "planar": True}, "z axis is tilted"),
        ({"shape": br.Box((1, 1, 1), mass=1, rotation=(1, 0.1, 0, 0)), "planar": True}, "z axis is tilted"),
    ],
)
def test_wrong_bodies(options, expected):
    with pytest.raises(ModelError) as caught:
        body(**options)
    assert 'body "bob"' in str(caught.value)
    assert expected in str(caught.value)


def test_body_axes_of_a_shape_sit_at_its_centre():
    box = br.Box((1, 2, 3), mass=2.0, position=(0.1, 0.2, 0.3), rotation=(1, 0.2, 0.3, 0.4))
    bob = body(shape=box)
    assert bob.position.tolist() == [0.1, 0.2, 0.3]
    assert bob.rotation.tolist() == box.rotation.tolist()
    assert bob.com.tolist() == [0, 0, 0]


def test_position_moves_a_shape():
    bob = body(shape=br.Rod((0, 0, 0), (1, 0, 0), mass=1), position=(0, 0, 5), rotation=(1, 0, 0, 0))
    assert bob.com_position.tolist() == [0, 0, 5]


def test_inertia_axes_turn_the_tensor():
    axes = br.rotation_matrix((1, 0.2, 0.3, 0.4))
    bob = body(mass=1, inertia=(1, 2, 2.5), inertia_axes=axes)
    np.testing.assert_allclose(axes.T @ bob.inertia @ axes, np.diag([1, 2, 2.5]), atol=1e-15)


def test_a_thin_lamina_is_at_the_edge_of_the_triangle_inequality():
    assert body(mass=1, inertia=(0.1, 0.2, 0.3)).mass == 1


def test_planar_body_needs_one_number_only():
    assert body(mass=1, inertia=0.3, planar=True).inertia[2, 2] == 0.3


def test_names():
    model = br.Model()
    model.body("a", br.PointMass((0, 0, 0), 1))
    for name, expected in (("a", "is taken"), ("ground", "does not move"), ("", "printable"), (3, "printable")):
        with pytest.raises(ModelError, match=expected):
            model.body(name, br.PointMass((0, 0, 0), 1))


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        body(shape=br.PointMass((0, 0, 0), 1)).position[0] = 1.0


def test_make_body_is_what_the_model_uses():
    nothing = dict.fromkeys(("inertia", "com", "inertia_axes", "position", "rotation", "mass"))
    assert make_body("x", br.PointMass((1, 2, 3), 1), False, **nothing).com_position.tolist() == [1, 2, 3]


STL = Path(__file__).with_name("tetrahedron.stl")


def test_mesh_has_the_inertia_of_a_tetrahedron():
    """Unit right tetrahedron: volume 1/6, centre at 1/4; about the origin the integrals are x^2: 1/60, xy: 1/120."""
    mesh = br.Mesh(STL, density=6.0)
    about_origin = 6.0 * (3 / 60 * np.eye(3) - (np.eye(3) / 60 + (np.ones((3, 3)) - np.eye(3)) / 120))
    centre = np.full(3, 0.25)
    steiner = mesh.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    assert mesh.mass == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(mesh.com, centre, rtol=1e-14)
    np.testing.assert_allclose(mesh.inertia, about_origin - steiner, rtol=0, atol=1e-15)


def test_mesh_keeps_the_frame_of_its_file():
    turn = br.rotation_matrix((1, 2, 3, 4))
    body = br.Model().body("b", br.Mesh(STL, mass=2.0, scale=0.1, position=(1, 2, 3), rotation=turn))
    np.testing.assert_allclose(body.com_position, np.array([1, 2, 3]) + turn @ np.full(3, 0.025), rtol=1e-14)
    np.testing.assert_array_equal(body.position, (1, 2, 3))
    corners, triangles = body.shape.triangles
    assert (corners.max(), triangles.shape) == (pytest.approx(0.1), (4, 3))


def test_mirrored_mesh_has_a_volume_too():
    mesh = br.Mesh(STL, density=6.0, scale=(-1, 1, 1))
    assert mesh.mass == pytest.approx(1.0, rel=1e-14)
    assert mesh.com[0] == pytest.approx(-0.25, rel=1e-14)


def test_a_mesh_that_is_only_drawn_is_not_read():
    assert br.Mesh("nowhere.stl", mass=0.0).inertia.max() == 0.0


def test_meshes_that_cannot_be_used(tmp_path):
    (tmp_path / "torn.stl").write_text("\n".join(STL.read_text().splitlines()[:15]) + "\nendsolid tetrahedron\n")
    (tmp_path / "text.stl").write_text("no mesh")
    for path, words in (("torn.stl", "not closed"), ("text.stl", "text.stl"), ("none.stl", "there is no file")):
        with pytest.raises(ModelError, match=words):
            br.Mesh(tmp_path / path, mass=1.0)
    for options, words in (({"scale": 0}, "scale"), ({"scale": (1, 2)}, "3 numbers"), ({"rotation": 1}, "rotation")):
        with pytest.raises(ModelError, match=words):
            br.Mesh(STL, mass=1.0, **options)
    with pytest.raises(ModelError, match="path must name a file"):
        br.Mesh(3, mass=1.0)


def test_mesh_without_trimesh_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ModelError, match=r"pip install 'bricard\[mesh\]'"):
        br.Mesh(STL, mass=1.0)


def test_drawings_belong_to_a_body_of_the_model():
    model = br.Model()
    drawing = model.draw("ground", br.Box((1, 1, 1), mass=0.0))
    assert (model.drawings, drawing.body) == ([drawing], model.ground)
    with pytest.raises(ModelError, match="must be a shape"):
        model.draw(model.ground, "box")
    with pytest.raises(ModelError, match="there is no body"):
        model.draw("arm", br.Box((1, 1, 1), mass=0.0))
