"""Benchmarks: methods against each other and against other packages, with certified errors."""
