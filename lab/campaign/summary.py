"""What a campaign has shown, as text: counts, the coverage table, reasons of ends, failures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from . import forces, joints
from .board import PROFILES
from .combinations import FAMILIES
from .judge import kind_of

FAILURES = ("disagree", "crash", "hang")
LAWS = ("linear", "table", "time", "function")


def elements() -> list[str]:
    """Return all kinds that the generator draws."""
    return sorted({*joints.BETWEEN, *joints.COUPLING, *forces.BETWEEN, *forces.COUPLING})


def outcomes(records: list[dict[str, Any]]) -> Counter:
    """Count the outcomes of all runs, and mechanisms that were refused as "ended"."""
    found = Counter(run["outcome"] for record in records for run in record.get("runs", ()))
    found["ended"] += sum("refused" in record for record in records)
    found["broken"] += sum("broken" in record for record in records)
    return found


def coverage(records: list[dict[str, Any]]) -> str:
    """Return the table of elements by families of combinations: agreeing runs of mechanisms with that element."""
    rows: dict[str, Counter] = {}
    for record in records:
        functions = [f"  {name}" for name in record.get("functions", ())]
        for name in {*record.get("kinds", ()), *functions}:
            rows.setdefault(name, Counter())["mechanisms"] += 1
            rows[name].update(run["family"] for run in record["runs"] if run["outcome"] == "agree")
    names = [*elements(), *(f"  profile {p}" for p in PROFILES), *(f"  law {law}" for law in LAWS), "  potential"]
    lines = [f"{'element':24}{'mechanisms':>11}" + "".join(f"{name:>15}" for name in FAMILIES)]
    for name in names:
        row = rows.get(name, Counter())
        lines.append(f"{name:24}{row['mechanisms']:11d}" + "".join(f"{row[family]:15d}" for family in FAMILIES))
    lines += [f"{name:24}    missing: {why}" for name, why in joints.MISSING.items()]
    return "\n".join(lines)


def text(records: list[dict[str, Any]], seconds: float) -> str:
    """Return the whole summary."""
    found, runs = outcomes(records), [run for record in records for run in record.get("runs", ())]
    spent = sum(record.get("seconds", 0.0) for record in records)
    lines = [
        coverage(records),
        "",
        f"{len(records)} mechanisms, {len(runs)} runs, {spent:.0f} s of CPU, {seconds:.0f} s now",
    ]
    lines += [
        f"  {name:10} {found[name]:7d}" for name in ("agree", "ended", "no oracle", *FAILURES, "broken") if found[name]
    ]
    rough = [run["excess"] for run in runs if run["outcome"] == "agree" and run.get("excess", 0.0) > 1.0]
    if rough:
        lines.append(
            f"  of those that agree {len(rough)} are beyond 10 times rtol, by up to {max(rough):.2g}, and converge"
        )
    ends = Counter(kind_of(run["reason"]) for run in runs if run["outcome"] == "ended")
    ends.update(kind_of(record["refused"]) for record in records if "refused" in record)
    lines += ["", "ended:"] + [f"  {count:6d}  {reason}" for reason, count in ends.most_common()]
    warned = Counter(name for run in runs for name in run.get("warned", ()))
    lines += ["", "warned:"] + [f"  {count:6d}  {name}" for name, count in warned.most_common()]
    lines += ["", "failed:"] + [
        f"  {record['seed']} {record['index']}  {run['outcome']}: {run['reason']}  {run['run']}"
        for record in records
        for run in record.get("runs", ())
        if run["outcome"] in FAILURES
    ]
    lines += [
        f"  {record['index']}  broken: {record['broken'].splitlines()[-1]}" for record in records if "broken" in record
    ]
    return "\n".join(lines)
