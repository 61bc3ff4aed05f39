"""Makes the shared module `mechanisms` importable from all test folders: pytest puts the folder of a conftest on the path."""
