"""What researchers of methods and we ourselves run; it uses the package, never the other way."""
