"""Compares PostgreSQL with SQLite as the store of the server, and with pgbench."""

import pgbench
from copying import fill
from postgresql import TEMPLATE, PostgreSQL
from results import summarise

# Each round measures them in this order, next to each other.
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"

REFRESH = "refresh"


class StoreComparison:
    """Both stores have the same users and sessions."""

    def __init__(self, benchmark):
        self.benchmark, self.options, self.say = benchmark, benchmark.options, benchmark.say
        self.connections = self.options.store_connections
        self.population = benchmark.population
        if self.options.users:
            self.population = benchmark.population_of(self.options.users, self.options.sessions)
            self.population.prepare(benchmark.tools.gatehouse, self.say)

    def run(self):
        tools = self.benchmark.tools
        with PostgreSQL(tools.home / "postgresql") as postgresql:
            self.say(f"filling PostgreSQL {postgresql.version()}: {self.population.users:,} users, "
                     f"{self.population.sessions:,} sessions")
            fill(postgresql, TEMPLATE, self.population, tools.gatehouse)
            result = {
                "version": postgresql.version(), "settings": postgresql.settings, "connections": self.connections,
                "users": self.population.users, "sessions": self.population.sessions}
            return result | self.rounds(postgresql)

    def rounds(self, postgresql):
        """Each round measures all workloads, so that a short disturbance affects one round and not one workload."""
        workloads, rounds = self.benchmark.workloads, self.options.rounds
        transactions, measured = [], {workload.name: {SQLITE: [], POSTGRESQL: []} for workload in workloads}
        self.benchmark.done = 0
        self.benchmark.total = rounds * (2 * len(workloads) + (REFRESH in measured))
        for number in range(1, rounds + 1):
            for workload in workloads:
                if workload.name == REFRESH:
                    transactions.append(self.transactions(number, postgresql))
                for store, server in ((POSTGRESQL, postgresql), (SQLITE, None)):
                    found = self.benchmark.measure_cell(workload, self.connections, self.population, postgresql=server)
                    if found:
                        measured[workload.name][store].append(found)
                        self.tell(number, store, workload, found)
        result = {"cells": {
            workload: {store: summarise(found) | {"each": found} for store, found in stores.items() if found}
            for workload, stores in measured.items()}}
        return result | ({"pgbench": summarise(transactions) | {"each": transactions}} if transactions else {})

    def transactions(self, number, postgresql):
        self.benchmark.done += 1
        found = pgbench.measure(
            postgresql, self.population, self.connections, self.benchmark.warm_up, self.options.seconds,
            self.benchmark.tools.work)
        self.say(f"[{self.benchmark.done}/{self.benchmark.total}] round {number}, pgbench: rotations at "
                 f"{self.connections}: {found['transactions_per_second']:,.0f} transactions/s, "
                 f"{found['database_cpu_us']:.1f} CPU µs of PostgreSQL, others {found['others_percent']:.0f}%")
        return found

    def tell(self, number, store, workload, found):
        self.benchmark.tell(f"round {number}, {store}", workload, self.connections, found)
