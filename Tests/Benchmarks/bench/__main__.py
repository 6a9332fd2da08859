"""The benchmark. Called by deploy/bench, whose --help describes it."""

import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmark import Benchmark
from kept import Comparison, KeptCounts
from load import WORKLOADS
from plot import plot
from processes import Fault
from report import report
from saved import NAME, SavedRuns
from tools import Tools

CHECKOUT = Path(__file__).resolve().parents[3]
KEPT = CHECKOUT / "Tests/Benchmarks/instructions.json"
PARTS = ["in-process", "nginx", "starts"]
WITH_GROWTH = {"--growth", "--quick", "--instructions", "--save", "--against", "--json", "--debug"}


def numbers(text):
    found = [int(part) for part in text.split(",")]
    if not found or min(found) < 1 or len(set(found)) != len(found):
        raise ValueError
    return found


def at_least_one(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def run_name(text):
    if not NAME.fullmatch(text):
        raise ValueError
    return text


def some_of(known):
    def parse(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise ValueError
        return [name for name in known if name in chosen]
    return parse


def options(arguments):
    parser = argparse.ArgumentParser(prog="deploy/bench", add_help=False, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", type=some_of(PARTS))
    parser.add_argument("--workloads", type=some_of([workload.name for workload in WORKLOADS]))
    parser.add_argument("--connections", type=numbers)
    parser.add_argument("--rounds", type=at_least_one)
    parser.add_argument("--seconds", type=at_least_one)
    parser.add_argument("--pool", type=at_least_one, default=8000)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--growth", type=numbers)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--users", type=at_least_one)
    parser.add_argument("--sessions", type=at_least_one)
    parser.add_argument("--save", type=run_name)
    parser.add_argument("--against", type=run_name)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--debug", action="store_true")
    chosen = parser.parse_args(arguments)
    usual = ([1, 16], 1, 1) if chosen.quick else ([1, 16, 64, 256], 3, 5)
    chosen.parts = chosen.parts or ([] if chosen.postgres or chosen.growth else PARTS)
    # The goals are for this number.
    chosen.store_connections = max(chosen.connections or [64])
    chosen.connections = chosen.connections or usual[0]
    chosen.rounds, chosen.seconds = chosen.rounds or usual[1], chosen.seconds or usual[2]
    chosen.workloads = chosen.workloads or [workload.name for workload in WORKLOADS]
    if chosen.count and set(arguments) - {"--count", "--keep"}:
        parser.error("--count goes with --keep alone")
    if chosen.keep and not chosen.count:
        parser.error("--keep goes with --count")
    if chosen.growth and {word.partition("=")[0] for word in arguments if word.startswith("--")} - WITH_GROWTH:
        parser.error(f"--growth goes only with {', '.join(sorted(WITH_GROWTH - {'--growth'}))}")
    if chosen.growth and min(chosen.growth) < 10_000:
        parser.error("--growth needs at least 10000 users")
    if (chosen.users is None) != (chosen.sessions is None):
        parser.error("--users and --sessions go together")
    if chosen.users and chosen.sessions < max(chosen.users, 20_000):
        parser.error("--sessions must be as many as users at least, and 20000")
    return chosen


def say(text):
    """Progress goes to standard error, the result to standard output."""
    print(text, file=sys.stderr, flush=True)


def count(chosen):
    kept = KeptCounts(KEPT)
    # A table that cannot be read is told before the counting.
    table = {} if chosen.keep else kept.load()
    counts = Benchmark(Tools(CHECKOUT, is_debug=False), chosen, say).count()
    if chosen.keep:
        kept.save(counts)
        print(KEPT.read_text(), end="")
        return 0
    comparison = Comparison(counts, table)
    print(comparison.table())
    for remark in comparison.remarks():
        say(f"NOTE: {remark}")
    for failure in comparison.failures():
        say(f"FAILED: {failure}")
    return 1 if comparison.failures() else 0


def main(arguments):
    chosen = options(arguments)
    if chosen.count:
        return count(chosen)
    # Builds without optimisation are only compared with each other.
    runs = SavedRuns(CHECKOUT / ".build/bench" / ("debug-runs" if chosen.debug else "runs"))
    now = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
    name = chosen.save or now
    last_name, last = (chosen.against, runs.load(chosen.against)) if chosen.against else runs.last()
    run = Benchmark(Tools(CHECKOUT, chosen.debug), chosen, say).run()
    if chosen.json:
        print(json.dumps(run, indent=1))
    else:
        print(report(run, last_name, last))
    if run["faults"]:
        for fault in run["faults"]:
            say(f"FAILED: {fault}")
        say("FAILED: this run is not saved, and its figures leave out the measurements that failed")
        return 1
    path = runs.save(name, run)
    say(f"\nsaved as {path.relative_to(CHECKOUT)}")
    if run.get("through_nginx"):
        picture = runs.path(name, ".svg")
        picture.write_text(plot(run))
        say(f"chart in {picture.relative_to(CHECKOUT)}")
    return 0


if __name__ == "__main__":
    # SystemExit runs the handlers that stop the processes.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except (Fault, OSError, subprocess.SubprocessError) as fault:
        sys.exit(say(f"deploy/bench: {fault}") or 3)
    except KeyboardInterrupt:
        sys.exit(130)
