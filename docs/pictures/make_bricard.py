"""Draws docs/pictures/bricard.png: the Bricard six-bar of `make demo` at four instants, with the paths of its hinges.

Run it from anywhere: `.venv/bin/python docs/pictures/make_bricard.py`. The model's y axis points up in the picture.
"""

from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import bricard as br

HERE = Path(__file__).resolve().parent
INSTANTS = (0.0, 0.8, 1.25, 2.0)  # s
COLOURS = ("#0b6aa8", "#e08214", "#2a8c55", "#c0392b", "#7b4fa3")
HINGES = {
    "P1": ("rod1", (0.5, 0, 0)),
    "P2": ("rod3", (0, 0, -0.5)),
    "P3": ("rod4", (0.5, 0, 0)),
    "P4": ("rod4", (-0.5, 0, 0)),
}
GROUND = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # P0 and P5
LIGHT = np.array([0.3, 0.8, 0.5]) / np.linalg.norm([0.3, 0.8, 0.5])  # towards the lamp, model axes


def upright(points):
    """Model axes to picture axes: a quarter turn that puts y upwards."""
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    return x, -z, y


def tube(start, end, radius, sides=20):
    """The surface (2, sides + 1, 3) of a straight tube, and the outward normals (sides, 3) of its facets."""
    along = (end - start) / np.linalg.norm(end - start)
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    angle = np.linspace(0, 2 * np.pi, sides + 1)[:, None]
    normal = np.cos(angle) * across + np.sin(angle) * np.cross(along, across)
    surface = np.stack([start + radius * normal, end + radius * normal])
    return surface, 0.5 * (normal[1:] + normal[:-1])


def draw_tube(ax, start, end, radius, colour):
    """One tube, shaded by hand: matplotlib's own shading is too dark for a white page."""
    surface, normals = tube(np.asarray(start), np.asarray(end), radius)
    bright = (0.72 + 0.38 * normals @ LIGHT)[:, None]
    faces = np.clip(bright * np.array(to_rgb(colour)), 0.0, 1.0)
    ax.plot_surface(*upright(surface), facecolors=faces[None], shade=False, linewidth=0, antialiased=False)


def draw_linkage(ax, points, axes):
    """Five rods, the hinge pins along their axes, and the fixed link."""
    chain = [GROUND[0], *points, GROUND[1]]
    draw_tube(ax, *GROUND, 0.02, "#9a9a9a")
    for start, end, colour in zip(chain, chain[1:], COLOURS, strict=False):
        draw_tube(ax, start, end, 0.042, colour)
    for point, axis in zip(chain, axes, strict=True):
        draw_tube(ax, point - 0.13 * axis, point + 0.13 * axis, 0.03, "#3a3a3a")


def main():
    """Simulate half a swing and draw it."""
    model = br.Model.load(HERE.parents[1] / "examples" / "bricard.toml")
    solution = br.simulate(model, 2.46, step=1e-3, progress=False)
    paths = {name: solution.point(*where) for name, where in HINGES.items()}
    figure = Figure(figsize=(10.6, 2.9), dpi=150)
    for column, t in enumerate(INSTANTS):
        ax = figure.add_axes((0.25 * column - 0.008, -0.09, 0.29, 1.2), projection="3d", computed_zorder=True)
        k = int(np.searchsorted(solution.t, t))
        for name, colour in zip(paths, COLOURS, strict=False):
            ax.plot(*upright(paths[name]), color=colour, linewidth=0.9, alpha=0.75)
        axes = []
        for joint in model.joints.values():
            body = joint.frame_b.body.name
            rotation = solution.poses[body][1][k]
            axes.append(rotation @ joint.frame_b.z)
        draw_linkage(ax, [paths[name][k] for name in paths], axes)
        ax.set_xlim(-1.0, 1.0)
        ax.set_ylim(-1.0, 1.0)
        ax.set_zlim(-1.85, 0.15)
        ax.set_box_aspect((1, 1, 1), zoom=1.12)
        ax.view_init(elev=20, azim=-60)
        ax.set_axis_off()
        ax.patch.set_visible(False)
        figure.text(0.25 * column + 0.125, 0.035, f"t = {t:.2f} s", ha="center", fontsize=10, color="#333333")
    figure.savefig(HERE / "bricard.png", facecolor="white")


if __name__ == "__main__":
    main()
