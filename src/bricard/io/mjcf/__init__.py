"""Models from MJCF files, the format of MuJoCo."""

from bricard.io.mjcf.importing import from_mjcf

__all__ = ["from_mjcf"]
