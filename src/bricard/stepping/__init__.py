"""Step size control and initial step."""
