"""Linear algebra: sparse factorisation with a fixed pattern, elimination order, rank decisions."""
