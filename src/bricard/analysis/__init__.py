"""Analysis of a mechanism at one instant: equilibrium, linearised equations."""
