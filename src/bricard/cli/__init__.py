"""The command line: `bricard new | check | run | view | compare | export | import | list | ...`, see `bricard --help`."""
