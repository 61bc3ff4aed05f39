"""Compiled physics: vectors, bodies, constraints, measures, forces. No Python objects inside."""
