"""Faults on purpose: damaged files, interrupts, kills, broken caches. Each must end with a sentence or the right result."""
