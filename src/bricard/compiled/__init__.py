"""The machinery of the compiled layer: pieces compiled once, combined by address (docs/signatures.md)."""
