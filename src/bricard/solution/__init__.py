"""Solution: what a simulation gives, and how it is looked at."""
