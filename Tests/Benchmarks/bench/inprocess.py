"""Measurements in one process: time, allocations and, with --instructions, instructions."""

import json
import os
import re
import statistics
import subprocess
import tempfile

from processes import Fault

# The difference of two runs excludes the cost of the start.
FEW, MANY = 50, 250


def names(tools):
    return run([tools.benchmarks, "list"]).stdout.splitlines()


def measure(tools, name, milliseconds, instructions):
    """On a real disk, because the store is measured too. Each run has a new folder."""
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        batches = json.loads(run([tools.benchmarks, "time", name, str(milliseconds), folder]).stdout)["nanoseconds"]
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        counted = json.loads(run(
            [tools.benchmarks, "run", name, "200", folder], LD_PRELOAD=str(tools.allocations)).stdout)
    result = {
        "nanoseconds": statistics.median(batches), "nanoseconds_range": quartiles(batches), "batches": len(batches),
        "allocations": counted["allocations"]}
    if instructions:
        result["instructions"] = instructions_of(tools, name)
    return result


def instructions_of(tools, name):
    """An uncounted run makes the keys, because generating an RSA key takes a random number of instructions."""
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        run([tools.benchmarks, "run", name, "1", folder])
        few, many = (collected(tools, name, count, folder) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def quartiles(values):
    low, _, high = statistics.quantiles(values, n=4)
    return [low, high]


def collected(tools, name, count, folder):
    return collected_by_callgrind(run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tools.stripped_benchmarks, "run", name,
         str(count), folder]).stderr)


def collected_by_callgrind(told):
    found = re.search(r"Collected : (\d+)", told)
    if not found:
        raise Fault(f"callgrind reports no instructions: {told[-500:]}")
    return int(found[1])


def run(command, **environment):
    outcome = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=os.environ | environment, check=False)
    if outcome.returncode != 0:
        raise Fault(f"{command[0]} failed: {outcome.stderr[-1000:]}")
    return outcome
