"""Summarises the rounds of a run, and compares two runs."""

import statistics

FIGURES = [
    "requests_per_second", "p50_ms", "p99_ms", "p999_ms", "max_ms", "cpu_us", "nginx_cpu_us", "wrk_cpu_us",
    "database_cpu_us", "writes_per_commit", "resident_bytes", "most_resident_bytes", "others_percent", "stolen_percent",
    # Of pgbench.
    "transactions", "transactions_per_second", "client_cpu_us", "mean_ms"]


def summarise(rounds):
    """The median and the range of each figure that the rounds have."""
    return {
        figure: {"median": statistics.median(values), "range": [min(values), max(values)], "rounds": len(values)}
        for figure in FIGURES if (values := [measured[figure] for measured in rounds if figure in measured])}


def ratios(server, floor):
    """The rate and the processor time of the server relative to the floor, by their medians."""
    return {
        "requests_per_second": divide(
            server["requests_per_second"]["median"], floor["requests_per_second"]["median"]),
        "cpu_us": divide(server["cpu_us"]["median"], floor["cpu_us"]["median"])}


def divide(a, b):
    return a / b if b else None


def spread(figure):
    """The range in percent of the median; None for a single round."""
    if figure.get("rounds") == 1:
        return None
    low, high = figure["range"]
    return 100 * (high - low) / figure["median"] if figure["median"] else 0.0


class Change:
    """The change of a figure. It may be noise when the ranges overlap or one of them comes from a single round."""

    def __init__(self, now, before):
        self.percent = 100 * (now["median"] / before["median"] - 1) if before["median"] else 0.0
        overlap = now["range"][0] <= before["range"][1] and before["range"][0] <= now["range"][1]
        self.may_be_noise = overlap or 1 in (now.get("rounds"), before.get("rounds"))

    def __str__(self):
        text = f"{self.percent:+.0f}%"
        return f"({text})" if self.may_be_noise else text


def change(now, before, *path):
    """The change of the figure at a path; empty when one of the runs does not have the figure."""
    for name in path:
        now, before = (level.get(name) if isinstance(level, dict) else None for level in (now, before))
    return Change(now, before) if now and before else ""


def ranged(entry, name):
    """Joins a figure and its range, which have two names in the run."""
    if not entry or name not in entry:
        return None
    return {"median": entry[name], "range": entry.get(f"{name}_range", [entry[name], entry[name]])}


def differing_options(now, before):
    return [name for name in now["options"] if now["options"][name] != before["options"].get(name)]
