"""The programs that measure and are measured, built when they are older than their sources."""

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
        self.floor, self.allocations = self.home / "floor", self.home / "allocations.so"
        self.work.mkdir(parents=True, exist_ok=True)

    def build_all(self, say):
        say("building; the first time takes some minutes")
        for product in ("gatehouse", "GatehouseBenchmarks"):
            # As it is shipped: with Swift's library inside. A debug build is what the tests have made anyway.
            kind = [] if self.build == "debug" else ["--static-swift-stdlib"]
            self.run_logged(["swift", "build", "--package-path", self.checkout, "--configuration", self.build, *kind,
                             "--product", product, "--explicit-target-dependency-import-check", "error"])
        native = self.checkout / "Tests/Benchmarks/Native"
        self.run_logged(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.floor, native / "floor.c", "-lfcgi",
                         "-lpthread"])
        self.run_logged(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-shared", "-fPIC", "-o",
                         self.allocations, native / "allocations.c"])

    def run_logged(self, command):
        log = self.home / "build.log"
        with open(log, "wb") as file:
            outcome = subprocess.run(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
        if outcome.returncode != 0:
            faults = sorted({line for line in log.read_text().splitlines() if "error" in line})[:20]
            raise Fault("\n".join([f"{command[0]} does not build; all that it said: {log}", *faults]))

    def commit(self):
        """What is measured, with a mark where it is in no commit."""
        outcome = subprocess.run(
            ["git", "-C", self.checkout, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
        return outcome.stdout.strip() or "of no commit"


def machine_description():
    processor = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            processor = value.strip()
            break
    return {"cores": os.cpu_count(), "processor": processor, "kernel": platform.release()}
