"""Reference ends of the cases of `bricard bench peers`, in extended precision where a case has one degree of freedom.

Four-bars and slider-crank are reduced by hand to J(x) x'' + J'(x) x'^2 / 2 + V'(x) = 0 and integrated by Taylor series of 25
digits (mpmath). Chains (absolute angles, tridiagonal elimination) and the Bricard linkage (five angles, closure by least
squares, projected every 10 ms) are those of the survey of other packages: two formulations, agreeing to the accuracy that is
stored with them. Andrews' angles are the 128-bit solution of references/ (published digits carry only nine).

    python references/peer_cases.py       # prints the entries of src/bricard/bench/peers.json
"""

import json

from mpmath import cos, mp, mpf, odefun, sin, sqrt

mp.dps = 25
GRAVITY = mpf("9.81")


def four_bar(loops, span):
    """Top of the first bar (x, y) of the N-four-bar: all uprights turn alike."""
    bars, tops = mpf(loops + 1), mpf(loops)
    rate = GRAVITY * (bars / 2 + tops) / (bars / 3 + tops)
    x = odefun(lambda t, y: [y[1], -rate * cos(y[0])], 0, [mp.pi / 2, mpf(-1)], tol=mpf("1e-20"))(span)[0]
    return [mp.nstr(cos(x), 20), mp.nstr(sin(x), 20)]


def slider_crank(span):
    """Crank pin (x, y); all masses 1 kg; the slider moves along x."""
    crank, rod, speed = mpf("0.5"), mpf(1), mpf(-8)

    def acceleration(x, w):
        s, c = sin(x), cos(x)
        sb = -crank * s / rod  # sine of the rod's angle b, and its derivatives by the crank's angle
        cb = sqrt(1 - sb * sb)
        b1 = -crank * c / (rod * cb)
        b2 = (crank * s / rod + sb * b1 * b1) / cb
        pin = (-crank * s, crank * c), (-crank * c, -crank * s)  # derivatives of the pin
        half = [[pin[0][0] - rod / 2 * sb * b1, pin[0][1] + rod / 2 * cb * b1]]
        half.append([pin[1][0] - rod / 2 * (cb * b1**2 + sb * b2), pin[1][1] + rod / 2 * (cb * b2 - sb * b1**2)])
        slider = pin[0][0] - rod * sb * b1, pin[1][0] - rod * (cb * b1**2 + sb * b2)
        inertia = crank**2 / 3 + half[0][0] ** 2 + half[0][1] ** 2 + rod**2 / 12 * b1**2 + slider[0] ** 2
        slope = half[0][0] * half[1][0] + half[0][1] * half[1][1] + rod**2 / 12 * b1 * b2 + slider[0] * slider[1]
        return -(slope * w * w + GRAVITY * crank * c) / inertia

    x = odefun(lambda t, y: [y[1], acceleration(*y)], 0, [mp.pi / 2, speed], tol=mpf("1e-18"))(span)[0]
    return [mp.nstr(crank * cos(x), 20), mp.nstr(crank * sin(x), 20)]


if __name__ == "__main__":
    found = {"fourbar2": four_bar(2, 10), "fourbar40": four_bar(40, 10), "slidercrank": slider_crank(5)}
    print(json.dumps(found, indent=1))
