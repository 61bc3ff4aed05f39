"""Random mechanisms against an independent oracle: `make campaign N=1000 SEED=1`, see `__main__.py`."""
