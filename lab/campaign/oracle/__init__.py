"""The independent oracle: plain NumPy and SciPy, maximal coordinates, written from the declarations only.

It shares no code with the package. Positions of centres of mass and unit quaternions, velocities and angular velocities in world
axes; every constraint row is a sum of measures minus a function of time; accelerations by Gauss' principle with a pivoted QR
factorisation, so that redundant rows do no harm; DOP853 with projections after each step.
"""
