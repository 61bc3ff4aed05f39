"""Bricard: dynamics of constrained mechanical systems."""

__version__ = "0.1.0"
