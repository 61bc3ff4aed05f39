"""The tests as other processors would run them: `make test-machines`, or `python -m lab.processors --help`.

What rounds differently from one processor to another, and what stands for it here:

    compiled kernels     NUMBA_CPU_NAME, NUMBA_CPU_FEATURES: instructions that LLVM may use
    sin, exp, pow        GLIBC_TUNABLES: the C library has variants with and without fused multiply-add
    BLAS and LAPACK      OPENBLAS_CORETYPE: kernels add up in another order; OPENBLAS_NUM_THREADS
    NumPy's loops        NPY_DISABLE_CPU_FEATURES: exp and pow with AVX-512 are others

Every level of every factor is in at least one of MACHINES. A machine has a folder below build/machines, with compiled code of its
own, the output of pytest, and results.json: a folder of tests that was run with this very tree is not run again, unless it
failed. A machine whose instructions this processor lacks is left out, and says so.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "machines"
NUMERICAL = ("analysis", "compiled", "elements", "experiments", "linalg", "methods", "model", "problems", "system")
TESTS = (*(f"tests/{folder}" for folder in NUMERICAL), "tests/docs/test_pages.py")
HOST = {}
V3 = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
V3_WITHOUT_FMA = V3 | {"NUMBA_CPU_FEATURES": "-fma"}
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
LIBRARY_WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"}


class Machine(NamedTuple):
    """A processor: its OpenBLAS kernels, environment of kernels and C library, NumPy's features (a word of each), threads."""

    blas: str
    code: dict
    library: dict
    numpy_without: tuple  # words in the names of NumPy's features that it lacks
    threads: int
    needs: str  # a flag of /proc/cpuinfo

    def environment(self, folder):
        """Variables of its processes."""
        found = self.code | self.library
        found |= {"OPENBLAS_CORETYPE": self.blas, "NPY_DISABLE_CPU_FEATURES": " ".join(absent(self.numpy_without))}
        found |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(self.threads))
        return os.environ | found | {"BRICARD_CACHE_DIR": str(folder / "cache")}


NO_AVX512, BASELINE = ("V4", "AVX512"), ("V3", "V4", "AVX", "FMA")
MACHINES = {
    "haswell": Machine("Haswell", V3, {}, NO_AVX512, 1, "avx2"),
    "skylake": Machine("SkylakeX", HOST, {}, (), 2, "avx512f"),
    "zen": Machine("Zen", HOST, {}, NO_AVX512, 2, "avx2"),
    "sandybridge": Machine("Sandybridge", V3_WITHOUT_FMA, LIBRARY_WITHOUT_FMA, BASELINE, 1, "avx2"),
    "generic": Machine("Nehalem", GENERIC, LIBRARY_WITHOUT_FMA, BASELINE, 2, "sse4_2"),
}
# prints digests of what a processor rounds: C library, BLAS, NumPy's loops; the same three numbers are the same machine
PROBE = """
import hashlib, math, numpy as np, scipy.linalg
x = np.random.default_rng(0).uniform(-10, 10, 10000)
a = x.reshape(100, 100)
parts = [np.array([math.sin(v) for v in x]), np.concatenate([a @ a, scipy.linalg.qr(a)[1]]), np.exp(x)]
print(*(hashlib.md5(np.ascontiguousarray(p).tobytes()).hexdigest()[:6] for p in parts))
"""


def absent(words):
    """NumPy's features that contain one of the words."""
    from numpy._core import _multiarray_umath as umath

    return [name for name in umath.__cpu_dispatch__ if any(word in name for word in words)]


def flags():
    """Instructions that this processor has, as /proc/cpuinfo names them."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    return next((set(line.split(":")[1].split()) for line in lines if line.startswith("flags")), set())


def tree():
    """A digest of this tree: revision and changes."""
    words = [["git", "rev-parse", "HEAD"], ["git", "diff", "HEAD"]]
    found = [subprocess.run(word, cwd=ROOT, capture_output=True, check=True).stdout for word in words]
    return hashlib.sha256(b"".join(found)).hexdigest()[:16]


def probe(environment):
    """What a machine rounds, in three short digests."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROBE], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def run_tests(tests, folder, environment, more):
    """Run pytest as a machine: counts, names of failures and seconds, as results.json holds them."""
    stem = tests.removeprefix("tests/").replace("/", "-")
    report, began = folder / f"{stem}.xml", time.monotonic()
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-rfE", "--tb=short", f"--junitxml={report}", *more, tests]
    with open(folder / f"{stem}.log", "w") as log:
        status = subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT).returncode
    found = {"passed": 0, "failed": [], "seconds": round(time.monotonic() - began)}
    if not report.exists():
        return found | {"failed": [f"pytest ended with {status}: see {folder / stem}.log"]}
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            found["failed"].append(f"{case.get('classname')}::{case.get('name')}")
        else:
            found["passed"] += case.find("skipped") is None
    if status != 0 and not found["failed"]:
        found["failed"].append(f"pytest ended with {status}: see {folder / stem}.log")
    return found


def run_machine(name, tests, again, more):
    """Run folders of tests as one machine, print a line for each; the number of failures."""
    folder = RESULTS / name
    folder.mkdir(parents=True, exist_ok=True)
    environment, file, failures = MACHINES[name].environment(folder), folder / "results.json", 0
    known = json.loads(file.read_text()) if file.exists() else {}
    print(f"{name}: digits of library, BLAS, NumPy {probe(environment)} (here {probe(dict(os.environ))})", flush=True)
    for each in tests:
        key = " ".join([each, *more])
        found = known.get(key, {})
        if again or found.get("tree") != tree() or found["failed"]:
            known[key] = found = run_tests(each, folder, environment, more) | {"tree": tree()}
            file.write_text(json.dumps(known, indent=1))
        count, failures = len(found["failed"]), failures + len(found["failed"])
        print(f"  {each:28} {found['passed']:5} passed {count:4} failed {found['seconds']:5} s", flush=True)
        for failed in found["failed"]:
            print(f"      {failed}", flush=True)
    return failures


def main():
    """Run the tests as each machine; exit code 1 where any fails."""
    parser = argparse.ArgumentParser(description="Run the numerical tests as other processors.")
    parser.add_argument("machines", nargs="*", help=f"which: {', '.join(MACHINES)}; all if none is named")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders or files instead of the numerical ones")
    parser.add_argument("--again", action="store_true", help="run what has passed already, too")
    parser.add_argument("--processes", type=int, default=2, help="of pytest (2)")
    parser.add_argument("--select", default="", help="pytest's -k")
    given = parser.parse_args()
    unknown = [name for name in given.machines if name not in MACHINES]
    if unknown:
        parser.error(f"no machine {', '.join(unknown)}; there are {', '.join(MACHINES)}")
    more = ["-n", str(given.processes), "--dist", "loadfile"] if given.processes > 1 else []
    more += ["-k", given.select] if given.select else []
    failures, lines = 0, []
    for name in given.machines or MACHINES:
        if MACHINES[name].needs not in flags():
            lines.append(f"{name}: left out, this processor has no {MACHINES[name].needs}")
            continue
        count = run_machine(name, given.tests, given.again, more)
        failures += count
        lines.append(f"{name}: {count} failed")
    print(*lines, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
