"""Integrators: one step of one form. base.py says how to add one."""
