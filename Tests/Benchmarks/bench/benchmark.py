"""One run of the benchmark, from the build to the figures."""

import contextlib
import time

import inprocess
from asking import Asking
from counting import REQUESTS, add_to, count_requests, profiles_folder
from growth import Growth
from load import WORKLOADS, Load
from pools import Pools
from population import Population
from processes import Fault, Invalid
from results import ratios, summarise
from stand import FakeApple, Stand, fresh_folder, record_answers
from stores import StoreComparison
from starting import measure_starts, stripped_bytes
from tools import machine_description

USERS, SESSIONS = 1000, 20_000
STARTS = 20
WARM_UP_SECONDS = 1

# The workloads and the connections that are measured with a large database.
SIZED_WORKLOADS, SIZED_CONNECTIONS = ["refresh", "login known"], 64


class Benchmark:
    def __init__(self, tools, options, say):
        self.tools, self.options, self.say = tools, options, say
        self.workloads = [workload for workload in WORKLOADS if workload.name in options.workloads]
        self.faults, self.warm_up = [], WARM_UP_SECONDS
        # Measurements through nginx, for the progress.
        self.done = self.total = 0
        self.pools = Pools(tools.home / "pools", tools.benchmarks, say)
        self.population = self.population_of(USERS, SESSIONS)
        self.apple = None

    def population_of(self, users, sessions):
        migrations = self.tools.checkout / "Sources/Server/GatehouseStore/Migrations/SQLite"
        return Population(self.tools.home / "databases", users, sessions, migrations)

    def run(self):
        options = self.options
        self.tools.build_all()
        result = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": self.tools.commit(),
            "machine": machine_description(),
            "options": {"rounds": options.rounds, "seconds": options.seconds, "build": self.tools.build},
            "binary_bytes": stripped_bytes(self.tools.gatehouse, self.tools.work)}
        if "in-process" in options.parts:
            result["in_process"] = self.in_process()
        if (options.growth or options.users or options.instructions or options.postgres
                or {"nginx", "starts"} & set(options.parts)):
            self.population.prepare(self.tools.gatehouse, self.say)
            with self.fake_apple():
                self.measure_server(result)
        result["faults"] = self.faults
        return result

    def count(self):
        """The instructions of each request, and nothing else."""
        self.tools.build_all()
        self.population.prepare(self.tools.gatehouse, self.say)
        with self.fake_apple():
            return self.instructions()

    def measure_server(self, result):
        if "starts" in self.options.parts:
            result["starts"] = self.starts(self.population)
        if "nginx" in self.options.parts:
            result["through_nginx"] = self.through_nginx()
            result["memory"] = memory_after_most(result["through_nginx"])
        if self.options.growth:
            result["growth"] = Growth(self).run()
        elif self.options.instructions:
            result["instructions"] = self.instructions()
        if self.options.postgres:
            result["stores"] = StoreComparison(self).run()
        elif self.options.users:
            result["sizes"] = self.sizes()

    @contextlib.contextmanager
    def fake_apple(self):
        # The first login generates the key.
        self.pools.of_users(USERS, 1)
        self.apple = FakeApple(self.tools.stand_in, self.pools.keys, self.tools.work)
        try:
            yield
        finally:
            self.apple.stop()

    # Within one process

    def in_process(self):
        milliseconds = 200 if self.options.quick else 2000
        found = {}
        names = inprocess.names(self.tools)
        for number, name in enumerate(names, 1):
            self.say(f"[{number}/{len(names)}] in one process: {name}")
            found[name] = inprocess.measure(self.tools, name, milliseconds, self.options.instructions)
        return found

    def instructions(self):
        logins = {"known": self.pools.of_users(USERS, 500), "new": self.pools.of_newcomers(500)}
        with self.stand(self.population) as stand:
            add_to(stand.database)
            asking = Asking(self.population, logins, self.apple)
            return count_requests(stand, REQUESTS, asking, profiles_folder(self.tools), self.say)

    # Through nginx

    def logins(self, kind, population):
        count = self.options.pool * (self.options.seconds + WARM_UP_SECONDS)
        if kind == "known":
            return self.pools.of_users(population.users, count)
        return self.pools.of_newcomers(count)

    def through_nginx(self):
        """Each round measures all workloads, so that a short disturbance affects one round and not one workload."""
        answers = self.recorded_answers()
        cells = [(workload, count) for workload in self.workloads for count in self.options.connections]
        measured = {(workload.name, count, side): [] for workload, count in cells for side in ("server", "floor")}
        self.total = self.options.rounds * len(cells) * 2
        for number in range(self.options.rounds):
            for workload, count in cells:
                for side in ("floor", "server"):
                    found = self.measure_cell(workload, count, self.population, answers if side == "floor" else None)
                    if found:
                        measured[workload.name, count, side].append(found)
                        self.tell(f"round {number + 1}, {side}", workload, count, found)
        return self.table_of(cells, measured)

    def table_of(self, cells, measured):
        table = {}
        for workload, count in cells:
            sides = {side: rounds for side in ("server", "floor") if (rounds := measured[workload.name, count, side])}
            if "server" not in sides:
                continue
            cell = {side: summarise(rounds) for side, rounds in sides.items()}
            cell["rounds"] = sides
            if "floor" in sides:
                cell["ratios"] = ratios(cell["server"], cell["floor"])
            table.setdefault(workload.name, {})[str(count)] = cell
        return table

    def tell(self, what, workload, count, found):
        self.say(f"[{self.done}/{self.total}] {what}: {workload.name} at {count}: "
                 f"{found['requests_per_second']:,.0f} requests/s, "
                 f"{found['cpu_us']:.1f} CPU µs, p99 {found['p99_ms']:.2f} ms, others {found['others_percent']:.0f}%")

    def recorded_answers(self):
        folder = fresh_folder(self.tools.work / "answers")
        with self.stand(self.population) as stand:
            stand.start_server()
            record_answers(stand, self.population, self.pools.of_users(USERS, 1), folder)
        return folder

    def measure_cell(self, workload, count, population, answers=None, postgresql=None):
        """With a new server and a fresh copy of the database. None when the measurement is not valid."""
        self.done += 1
        logins = self.logins(workload.logins, population) if workload.logins else None
        try:
            with self.stand(population, postgresql) as stand:
                if answers:
                    stand.start_floor(answers)
                else:
                    stand.start_server()
                load = Load(stand, workload, count, population, logins, is_floor=answers is not None)
                return load.measure(WARM_UP_SECONDS, self.options.seconds)
        except Invalid as fault:
            self.faults.append(("the floor, " if answers else "") + str(fault))
            self.say(f"FAILED: {self.faults[-1]}")
            return None

    @contextlib.contextmanager
    def stand(self, population, postgresql=None):
        stand = Stand(self.tools, fresh_folder(self.tools.work / "stand"), self.apple, postgresql)
        try:
            if postgresql:
                postgresql.refill()
            else:
                population.copy(stand.database)
            yield stand
        finally:
            stand.stop()

    # Starting, and size

    def starts(self, population):
        self.say(f"starting {STARTS} times with {population.users:,} users")
        with self.stand(population) as stand:
            return measure_starts(stand, STARTS)

    def sizes(self):
        populations = {"small": self.population, "large": self.population_of(self.options.users, self.options.sessions)}
        populations["large"].prepare(self.tools.gatehouse, self.say)
        workloads = [workload for workload in WORKLOADS if workload.name in SIZED_WORKLOADS]
        measured = {(name, workload.name): [] for name in populations for workload in workloads}
        self.done, self.total = 0, self.options.rounds * len(measured)
        for number in range(self.options.rounds):
            for workload in workloads:
                for name, population in populations.items():
                    if found := self.measure_cell(workload, SIZED_CONNECTIONS, population):
                        measured[name, workload.name].append(found)
                        self.tell(f"round {number + 1}, {population.users:,} users", workload, SIZED_CONNECTIONS, found)
        if not all(measured.values()):
            raise Fault("; ".join(self.faults))
        return {
            name: {
                "label": f"{population.users:,} users", "users": population.users, "sessions": population.sessions,
                "cells": {workload.name: summarise(measured[name, workload.name]) for workload in workloads},
                "starts": self.starts(population)}
            for name, population in populations.items()}


def memory_after_most(table):
    """The resident memory after the measurement with the most requests, and the maximum of all measurements."""
    found = [
        (measured["requests"], workload, measured) for workload, cells in table.items() for cell in cells.values()
        for measured in cell["rounds"].get("server", [])]
    if not found:
        return None
    requests, workload, measured = max(found, key=lambda entry: entry[0])
    return {
        "requests": requests, "workload": workload, "resident_bytes": measured["resident_bytes"],
        "most_resident_bytes": max(entry[2]["most_resident_bytes"] for entry in found)}
