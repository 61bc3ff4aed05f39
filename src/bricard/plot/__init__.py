"""Plots of solutions."""
