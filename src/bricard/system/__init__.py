"""From a model to a frozen system: arrays, sparsity, topology report, consistent start."""
