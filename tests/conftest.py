"""Makes the module `mechanisms` importable from all test folders: pytest puts a conftest's folder on the path."""
