"""Published solutions of the IFToMM library, as facts: method, author, step, error, CPU time and its processor.

As printed by Uriarte 2023 (tables 8.2, 8.4 and 8.5, sections 8.3 and 9.1) and on the pages of MBS-BOS. Errors are energy drifts
in J; 0 is what two decimals leave, None what is not told. Times are not scaled to other processors.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PUBLISHED", "Entry"]


class Entry(NamedTuple):
    """One published solution. step : s, or words. error : J. cpu_s : s."""

    method: str
    author: str
    step: float | str | None
    error: float | None
    cpu_s: float | None
    processor: str


XEON = "Intel Xeon E5-2637 v3, 3.5 GHz"
I5 = "Intel i5-4570"
CORE2 = "Intel Core 2 Duo E6550"
RYZEN = "AMD Ryzen 5 2600"
VARIABLE = "variable"

PUBLISHED = {
    "pendulum": (
        Entry("null-space Newmark, Fox-Goodwin", "H. Uriarte", 5e-4, 1.22185e-5, 0.4588041, XEON),
        Entry("MbsLab, natural coordinates", "F. Gonzalez", None, 4.85e-5, 0.53, "Intel i5-4250U"),
        Entry("OpenSim 3.2", "L. Tagliapietra", VARIABLE, 0.0, 0.64, I5),
        Entry("Biolim, relative coordinates", "F. Gonzalez", None, 9.17e-6, 0.03, "Intel i7-4790K"),
        Entry("DIMCD, Cartesian coordinates", "G. Urkullu", None, 3.61e-5, 0.0394, RYZEN),
    ),
    "double-four-bar": (
        Entry("null-space Newmark, Fox-Goodwin", "H. Uriarte", 0.01, None, 0.4, XEON),
        Entry("index-3 ALF, natural coordinates", "J. Cuadrado", 0.01, 0.09, 0.6, CORE2),
        Entry("index-3 ALF, relative coordinates", "A. Luaces", 0.01, 0.01, 1.7, CORE2),
        Entry("MbsLab, natural coordinates", "F. Gonzalez", 0.01, 0.09, 0.15, "Intel Core 2 Duo E8400"),
        Entry("OpenMBS, natural coordinates 2D", "R. Pastorino", 0.01, 0.09, 0.13, "BeagleBone Black"),
        Entry("index-3 ALF, natural coordinates 2D", "R. Pastorino", 0.01, 0.09, 0.0, "Intel i7-3740QM"),
        Entry("non-recursive Newton-Euler, minimal coordinates", "M. Burkhardt", VARIABLE, 0.0, 0.06, "Intel i7-3770"),
        Entry("MBDyn", "P. Masarati", 0.01, 0.09, 0.33, "Intel i7-2620M"),
        Entry("non-recursive Newton-Euler, minimal coordinates", "M. Burkhardt", 0.01, 0.0, 0.02, "Snapdragon S800"),
        Entry("non-recursive Newton-Euler, minimal coordinates", "M. Burkhardt", 0.01, 0.0, 0.0, "Intel i7-960"),
        Entry("SolidWorks", "C. Chaojie", 0.01, 0.0, 48.77, "Intel Core 2 Duo E8400"),
        Entry("OpenSim", "L. Tagliapietra", VARIABLE, 0.0, 0.46, I5),
        Entry("Biolim, relative coordinates", "F. Mouzo", 0.01, 0.03, 0.02, "Intel i7-6700K"),
        Entry("DIMCD, Cartesian coordinates", "G. Urkullu", 0.02, 0.09, 0.03, RYZEN),
    ),
    "andrews-iftomm": (Entry("OpenSim 3.2", "L. Tagliapietra", VARIABLE, None, 0.384, I5),),
    "bricard": (
        Entry("null-space Newmark, Fox-Goodwin", "H. Uriarte", 0.01, 6.89807e-4, 0.3479798, XEON),
        Entry("index-3 ALF, natural coordinates", "F. Gonzalez", 0.01, 0.0, 0.13, "Intel i7-3770"),
        Entry("OpenSim 3.2", "L. Tagliapietra", VARIABLE, 0.0, 0.26, I5),
        Entry("DIMCD, Cartesian coordinates", "G. Urkullu", 0.02, 0.0, 0.08, RYZEN),
    ),
    "slider-crank-rest": (Entry("central differences, quaternion", "H. Uriarte", 3e-3, 5e-4, 0.172, "not told"),),
}
