"""The programs that the benchmark runs."""

import os
import platform
import subprocess
from pathlib import Path

from processes import Fault


class Tools:
    def __init__(self, checkout, is_debug):
        self.checkout = checkout
        self.build = "debug" if is_debug else "release"
        self.home = checkout / ".build/bench"
        self.work = self.home / "work"
        self.script = checkout / "Tests/Benchmarks/Load/load.lua"
        products = checkout / ".build" / self.build
        self.gatehouse, self.benchmarks = products / "gatehouse", products / "GatehouseBenchmarks"
        self.stand_in = products / "stand-in"
        # Without debug information, which valgrind cannot read.
        self.stripped_gatehouse = self.home / "gatehouse.stripped"
        self.stripped_benchmarks = self.home / "GatehouseBenchmarks.stripped"
        self.floor, self.allocations = self.home / "floor", self.home / "allocations.so"
        self.work.mkdir(parents=True, exist_ok=True)

    def build_all(self):
        """The script shows its progress and its errors on standard error."""
        script = self.checkout / "deploy/lib/build-benchmark"
        if subprocess.run([script, self.build], stdin=subprocess.DEVNULL, check=False).returncode != 0:
            raise Fault("the programs cannot be built")

    def commit(self):
        """The commit that is measured; "-dirty" marks changes that are not committed."""
        outcome = subprocess.run(
            ["git", "-C", self.checkout, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
        return outcome.stdout.strip() or "without a commit"


def machine_description():
    processor = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            processor = value.strip()
            break
    return {"cores": os.cpu_count(), "processor": processor, "kernel": platform.release()}
