"""Makes the module `mechanisms` importable from all test folders: pytest puts a conftest's folder on the path.

LAPACK on one thread: on small matrices its threads wait for each other, much longer than the work takes on a busy machine.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
