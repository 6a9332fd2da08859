"""The goals of the server on PostgreSQL, as ratios to pgbench and to SQLite in the same run."""

import operator
from dataclasses import dataclass
from typing import Callable

from results import divide
from stores import POSTGRESQL, REFRESH, SQLITE


@dataclass(frozen=True)
class Goal:
    name: str
    sign: str
    limit: float
    value: Callable
    """The ratio, of a comparison's figures. Raises KeyError when one of them was not measured."""

    def is_met(self, value):
        return {"≤": operator.le, "≥": operator.ge}[self.sign](value, self.limit)


def median(found, *path):
    for name in path:
        found = found[name]
    return found["median"]


def cell(found, workload, store, figure):
    return median(found, "cells", workload, store, figure)


def to_pgbench(figure, figure_of_pgbench):
    return lambda found: divide(cell(found, REFRESH, POSTGRESQL, figure), median(found, "pgbench", figure_of_pgbench))


def to_sqlite(workload):
    return lambda found: divide(
        cell(found, workload, POSTGRESQL, "requests_per_second"), cell(found, workload, SQLITE, "requests_per_second"))


def latencies(found):
    return divide(cell(found, REFRESH, POSTGRESQL, "p99_ms"), cell(found, REFRESH, POSTGRESQL, "p50_ms"))


GOALS = [
    Goal("PostgreSQL's CPU for a refresh, × that for a transaction of pgbench", "≤", 0.5,
         to_pgbench("database_cpu_us", "database_cpu_us")),
    Goal("refreshes/s, of pgbench's transactions/s", "≥", 0.8,
         to_pgbench("requests_per_second", "transactions_per_second")),
    Goal("p99 of refreshes, × their p50", "≤", 4, latencies),
    Goal("me, of the requests/s on SQLite", "≥", 0.5, to_sqlite("me")),
    # It asks no database. The rest is noise.
    Goal("guard, of the requests/s on SQLite", "≥", 0.95, to_sqlite("guard")),
]


def measured_goals(found):
    """Each goal with its ratio, where the figures for it were measured."""
    for goal in GOALS:
        try:
            value = goal.value(found)
        except KeyError:
            continue
        if value is not None:
            yield goal, value
