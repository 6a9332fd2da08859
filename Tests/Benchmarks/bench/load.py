"""One measurement through nginx: a workload, a number of connections, a duration."""

import json
import os
import random
import subprocess
import time
from dataclasses import dataclass

import machine
from population import write_lines
from processes import Fault, Invalid


@dataclass(frozen=True)
class Workload:
    name: str
    pattern: str
    """The requests, repeated: see Load/load.lua."""
    logins: str = ""


# Of twenty requests of the mix, sixteen pass the guard, three refresh and one logs in.
WORKLOADS = [
    Workload("guard", "g"),
    Workload("me", "m"),
    Workload("login known", "l", logins="known"),
    Workload("login new", "l", logins="new"),
    Workload("refresh", "r"),
    Workload("mix", "gggrggggrgggglggrggg", logins="known"),
]


class Load:
    """wrk against a server that has just been started. Tokens that were used in the warm-up are not used again."""

    def __init__(self, stand, workload, connections, population, logins, is_floor=False):
        self.stand, self.workload, self.connections, self.is_floor = stand, workload, connections, is_floor
        self.population, self.logins = population, logins
        self.logins_used = 0
        with open(population.refresh, encoding="utf-8") as file:
            self.chains = file.read().split()
        # As users refresh: sessions that were opened one after the other share pages of the database.
        random.Random(len(self.chains)).shuffle(self.chains)

    def measure(self, warm_up, seconds):
        chains = self.split_chains(2 if warm_up else 1)
        if warm_up:
            self.check(self.run(warm_up, chains.pop())[0], "in the warm-up: ")
        return self.read_off(seconds, chains.pop())

    def split_chains(self, parts):
        share = len(self.chains) // parts
        if share <= self.connections:
            raise Fault(f"{len(self.chains)} sessions are too few for {self.connections} connections")
        return [self.chains[part * share:(part + 1) * share] for part in range(parts)]

    def run(self, seconds, chains):
        """The result of wrk and its processor time."""
        refresh = self.stand.folder / "chains"
        write_lines(refresh, chains)
        files = {"g": ("ACCESS", self.population.access), "m": ("ACCESS", self.population.access),
                 "l": ("LOGINS", self.logins), "r": ("REFRESH", refresh)}
        environment = {"PATH": os.environ["PATH"], "PATTERN": self.workload.pattern, "SKIP": str(self.logins_used)}
        if self.is_floor:
            environment |= {"AGAIN": "1", "SKIP": "0"}
        environment |= dict(files[letter] for letter in set(self.workload.pattern))
        wrk = subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", str(self.connections), "--duration", f"{seconds}s",
             "--timeout", "10s", "--script", str(self.stand.tools.script), f"https://127.0.0.1:{self.stand.port}"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output = wrk.stdout.read()
            _, status, usage = os.wait4(wrk.pid, 0)
            wrk.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if wrk.returncode is None:
                wrk.kill()
                wrk.wait()
            wrk.stdout.close()
        line = next((line for line in output.splitlines() if line.startswith("RESULT ")), None)
        if line is None:
            raise Fault(f"wrk printed no result for {self.workload.name}: {output[-1000:]}")
        result = json.loads(line.removeprefix("RESULT "))
        self.logins_used += result["used"]
        return result, usage.ru_utime + usage.ru_stime

    def read_off(self, seconds, chains):
        commits = None if self.is_floor else self.stand.commits()
        began, busy, (responder, front), database = (
            time.monotonic(), machine.machine_seconds(), self.stand.used(), self.stand.database_seconds())
        result, wrk = self.run(seconds, chains)
        wall, (busy_then, stolen_then), (responder_then, front_then), database_then = (
            time.monotonic() - began, machine.machine_seconds(), self.stand.used(), self.stand.database_seconds())
        self.check(result, "")
        if found := self.stand.unexpected_answers():
            raise Invalid(f"{self.workload.name} at {self.connections}: unexpected answers of nginx: " + ", ".join(
                f"{count} × {status}" for status, count in sorted(found.items())))
        responder, front, database = responder_then - responder, front_then - front, database_then - database
        others = busy_then - busy[0] - responder - front - wrk - database
        resident, most = machine.memory(self.stand.responder.pid)
        count = result["requests"]
        return {
            "requests": count, "requests_per_second": count / (result["micros"] / 1e6),
            "p50_ms": result["p50"] / 1e3, "p99_ms": result["p99"] / 1e3, "p999_ms": result["p999"] / 1e3,
            "max_ms": result["max"] / 1e3,
            "cpu_us": responder / count * 1e6, "nginx_cpu_us": front / count * 1e6, "wrk_cpu_us": wrk / count * 1e6,
            "database_cpu_us": database / count * 1e6, **self.batches(commits),
            "resident_bytes": resident, "most_resident_bytes": most,
            "others_percent": max(0.0, 100 * others / (wall * machine.CORES)),
            "stolen_percent": 100 * (stolen_then - busy[1]) / (wall * machine.CORES)}

    def batches(self, before):
        """The writes per transaction, unless there were none."""
        if not before:
            return {}
        commits, writes = (then - now for then, now in zip(self.stand.commits(), before))
        return {"writes_per_commit": writes / commits} if commits else {}

    def check(self, result, when):
        faults = []
        if result["dry"]:
            faults.append("all tokens were used: set a higher --pool")
        elif result["refused"]:
            faults.append(f"{result['refused']} requests failed")
        if result["broken"]:
            faults.append(f"{result['broken']} connections broke")
        if result["late"]:
            faults.append(f"{result['late']} answers took longer than 10 s")
        if not result["requests"]:
            faults.append("no request was answered")
        if faults:
            raise Invalid(f"{self.workload.name} at {self.connections}: {when}{'; '.join(faults)}")
