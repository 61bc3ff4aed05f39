"""The fixed set of runs behind `make ab`, and the process that runs one of them whenever its name comes in.

Only public names that older revisions have too; problems of the library are taken from the tree itself. Three kinds:
march: the compiled loop alone, on a System that is built once; call: all of `br.simulate(model, ...)`, building and starting
included; assembly: build and start alone.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

KINDS = ("march", "call", "assembly")
AT_LEAST = 0.04  # CPU seconds of one answer: shorter runs are repeated, the clock and the caches are not to be seen


class Case(NamedTuple):
    """One run: its kind, and a function without arguments that returns (CPU seconds, steps or None)."""

    kind: str
    prepare: Callable


def march(problem, duration, coordinates="absolute", **options):
    """The march of a library problem, its System built once."""

    def prepare():
        import bricard as br
        from bricard.problems import get

        system = get(problem).model().build(coordinates=coordinates)

        def run():
            solution = br.simulate(system, duration, output=[duration], **options)
            return solution.seconds["march_cpu"], solution.counters["steps"]

        return run

    return Case("march", prepare)


def call(problem, duration, **options):
    """All of simulate(model, ...) with 100 samples."""

    def prepare():
        import bricard as br
        from bricard.problems import get

        def run():
            model = get(problem).model()
            began = time.process_time()
            solution = br.simulate(model, duration, output=duration / 100.0, **options)
            return time.process_time() - began, solution.counters["steps"]

        return run

    return Case("call", prepare)


def assembly(problem, coordinates="absolute"):
    """Build a model and assemble its start."""

    def prepare():
        import bricard as br
        from bricard.problems import get

        def run():
            model = get(problem).model()
            began = time.process_time()
            br.problem(model.build(coordinates=coordinates), "index1").initial()
            return time.process_time() - began, None

        return run

    return Case("assembly", prepare)


CASES = {
    "march four-bar index1 dopri5": march("four-bar", 5.0, rtol=1e-8),
    "march double-four-bar index3 generalized-alpha": march(
        "double-four-bar", 1.0, formulation="index3", integrator="generalized-alpha", step=1e-3
    ),
    "march double-four-bar ggl radau5": march(
        "double-four-bar", 1.0, formulation="ggl", integrator="radau5", rtol=1e-6
    ),
    "march bricard index1 rk4": march("bricard", 1.0, formulation="index1", integrator="rk4", step=1e-3),
    "march bricard relative dop853": march("bricard", 5.0, "relative", integrator="dop853", rtol=1e-8),
    "march andrews ggl bdf": march("andrews-iftomm", 0.05, formulation="ggl", integrator="bdf", rtol=1e-6),
    "march suspension relative dopri5": march("suspension", 0.5, "relative", rtol=1e-6),
    "march rolling-disc index1 dopri5": march("rolling-disc", 2.0, rtol=1e-8),
    "march flyball-governor index3 gen.-alpha": march(
        "flyball-governor", 0.2, formulation="index3", integrator="generalized-alpha", step=1e-3
    ),
    "march spinning-top null-space-newmark": march("spinning-top", 0.2, integrator="null-space-newmark", step=1e-3),
    "march stewart-platform svd dopri5": march("stewart-platform", 0.5, formulation="svd", rtol=1e-6),
    "march chain relative dopri5": march("chain", 0.5, "relative", rtol=1e-6),
    "call four-bar": call("four-bar", 1.0),
    "call double-four-bar": call("double-four-bar", 1.0),
    "call bricard": call("bricard", 1.0),
    "call rssr radau5": call("rssr", 0.5, formulation="ggl", integrator="radau5", rtol=1e-6),
    "call stewart-platform": call("stewart-platform", 0.5),
    "assembly double-four-bar": assembly("double-four-bar"),
    "assembly bricard relative": assembly("bricard", "relative"),
    "assembly suspension": assembly("suspension"),
    "assembly stewart-platform": assembly("stewart-platform"),
}


def answered(run):
    """One answer: the mean CPU seconds of as many runs as last AT_LEAST together."""
    total, count, steps = 0.0, 0, None
    while total < AT_LEAST:
        seconds, steps = run()
        total, count = total + seconds, count + 1
    return {"seconds": total / count, "steps": steps}


def serve():
    """Read names of cases, one a line, and write an answer for each, as JSON."""
    runs = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if name not in runs:
                    runs[name] = CASES[name].prepare()
                answer = answered(runs[name])
        except Exception as error:  # what an older revision cannot do is said, and the other cases go on
            answer = {"failed": f"{type(error).__name__}: {str(error)[:100]}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
