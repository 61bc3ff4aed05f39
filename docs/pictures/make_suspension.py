"""Draws the pictures of the vehicle examples: suspension.png, quarter-car.png, full-car.png.

Run it from anywhere: `.venv/bin/python docs/pictures/make_suspension.py`.
"""

import sys
from pathlib import Path

import bricard as br

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples"))

import full_car  # noqa: E402
import quarter_car  # noqa: E402
import suspension  # noqa: E402

suspension.plot(*suspension.sweeps()).savefig(HERE / "suspension.png")
quarter_car.plot(br.simulate(quarter_car.build(), 2.5, rtol=1e-8, output=2e-3)).savefig(HERE / "quarter-car.png")
car = br.simulate(full_car.build(), 2.0, coordinates="relative", rtol=1e-8, output=2e-3)
full_car.plot(car).savefig(HERE / "full-car.png")

curve = br.kinematics(br.problems.suspension(), "travel.z")
curve.plot(("wheel", "x"), "travel.y").figure.savefig(HERE / "suspension-curve.png")
