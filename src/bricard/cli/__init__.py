"""The command line: `bricard run | check | list | warmup | doctor`."""
