"""The instructions of requests that the repository keeps, for comparison with those that are counted now."""

import json

from processes import Fault
from table import columns

# Between two runs, counts differ by less than a third of this.
LIMIT_PERCENT = 3


class KeptCounts:
    """A file of JSON with a line for each request."""

    def __init__(self, path):
        self.path = path

    def load(self):
        try:
            return json.loads(self.path.read_text())
        except (FileNotFoundError, ValueError):
            raise Fault(f"{self.path} is not a table of instructions: write it with deploy/bench --count --keep") from None

    def save(self, counts):
        """Rounded, because the last digits are noise."""
        self.path.write_text(json.dumps({name: round(count / 100) * 100 for name, count in counts.items()}, indent=1) + "\n")


class Comparison:
    def __init__(self, counts, kept):
        self.counts, self.kept = {name: round(count) for name, count in counts.items()}, kept
        self.both = [name for name in counts if name in kept]

    def change(self, name):
        return 100 * (self.counts[name] - self.kept[name]) / self.kept[name]

    def table(self):
        rows = [["one request to the server", "in the table", "now", ""]]
        for name, count in self.counts.items():
            has = name in self.kept
            rows.append([name, f"{self.kept[name]:,}" if has else "", f"{count:,}",
                         f"{self.change(name):+.1f} %" if has else ""])
        return columns(rows)

    def failures(self):
        grown = [
            f"{self.told(name)}: make it smaller, or update the table with deploy/bench --count --keep and say why in the "
            "commit" for name in self.both if self.change(name) > LIMIT_PERCENT]
        missing = [
            f"{name} is not in the table: add it with deploy/bench --count --keep"
            for name in self.counts if name not in self.kept]
        unknown = [
            f"{name} is in the table and not counted: remove it with deploy/bench --count --keep"
            for name in self.kept if name not in self.counts]
        return grown + missing + unknown

    def remarks(self):
        return [
            f"{self.told(name)}: update the table with deploy/bench --count --keep, so that it cannot grow again unnoticed"
            for name in self.both if self.change(name) < -LIMIT_PERCENT]

    def told(self, name):
        """What has happened to a request."""
        verb = "grew" if self.change(name) > 0 else "shrank"
        return (f"{name} {verb} by {abs(self.change(name)):.1f} %, from {self.kept[name]:,} to {self.counts[name]:,} "
                "instructions")
