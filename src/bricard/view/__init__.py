"""Pictures that move: a model or a solution as one HTML file that needs nothing else."""
