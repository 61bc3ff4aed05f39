"""Formulations: what an integrator sees of a system. base.py says how to add one."""
