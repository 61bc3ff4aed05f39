"""Double pendulum with stiff rotational spring-dampers (after Negrut; spec 004, section 8.2.2).

Rods of 1 m, 36 kg and 1.5 m, 2.4 kg; the first joint has 400 N m/rad and 15 N m s/rad, the second 3e5 and 5e4: rates between 1
and 3e4 per second. The source gives no data; these are the candidate of spec 004, annex B, with a start that is ours.
"""

from ..model import Model, Rod
from .base import Mechanism, energy_balance, joint, joint_velocity

ROD_1, ROD_2 = (1.0, 36.0), (1.5, 2.4)  # m, kg


def stiff_double_pendulum() -> Model:
    """Horizontal at the start, at rest, springs without load."""
    model = Model("stiff double pendulum", planar=True)
    knee, end = (ROD_1[0], 0, 0), (ROD_1[0] + ROD_2[0], 0, 0)
    model.body("rod 1", Rod((0, 0, 0), knee, mass=ROD_1[1]))
    model.body("rod 2", Rod(knee, end, mass=ROD_2[1]))
    model.pin("O", model.ground, "rod 1", (0, 0, 0))
    model.pin("K", "rod 1", "rod 2", knee)
    model.torsion("spring 1", "O", stiffness=400.0, damping=15.0)
    model.torsion("spring 2", "K", stiffness=3e5, damping=5e4)
    return model


STIFF_DOUBLE_PENDULUM = Mechanism(
    name="stiff-double-pendulum",
    title="Double pendulum with stiff rotational spring-dampers",
    model=stiff_double_pendulum,
    span=5.0,
    provenance="ours; candidate of spec 004, annex B, for the double pendulum of Negrut",
    citations=("Uriarte 2023, PhD thesis, UPV/EHU", "Gavrea, Negrut and Potra 2005"),
    outputs=(joint("O"), joint_velocity("O")),
    measures=(energy_balance(1e-3, "ours"),),
)
