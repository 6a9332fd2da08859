import contextlib
import sqlite3
import tempfile
import unittest
from pathlib import Path

import copying
import postgresql
from processes import Fault
from stand import commits_in


class TheProgramsOfDebian(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def install(self, version, program="pgbench"):
        path = self.root / version / "bin" / program
        path.parent.mkdir(parents=True)
        path.touch()
        return path.parent

    def test_the_newest_version_is_chosen_by_its_number(self):
        self.install("9")
        newest = self.install("15")
        self.install("bin")
        self.assertEqual(postgresql.programs_folder(self.root), newest)

    def test_clients_alone_are_not_enough(self):
        self.install("16", "psql")
        with self.assertRaisesRegex(Fault, "install the Debian package postgresql"):
            postgresql.programs_folder(self.root)


class TheRowsOfAPopulation(unittest.TestCase):
    def test_they_are_written_as_copy_reads_them(self):
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            row, = database.execute(
                f"SELECT {copying.line('abcde')} FROM (SELECT NULL AS a, 0 AS b, 'a' AS c, x'00ff' AS d, '' AS e)").fetchone()
        self.assertEqual(row, "\\N\t0\ta\t\\\\x00FF\t\n")


class TheBatches(unittest.TestCase):
    METRICS = """# TYPE gatehouse_store_commit_writes histogram
gatehouse_store_commit_writes_bucket{le="1"} 3
gatehouse_store_commit_writes_sum 250
gatehouse_store_commit_writes_count 10
gatehouse_store_commit_duration_seconds_count 11
"""

    def test_they_are_read_from_the_metrics(self):
        self.assertEqual(commits_in(self.METRICS), [10, 250])

    def test_a_server_without_the_metric_ends_the_benchmark(self):
        with self.assertRaisesRegex(Fault, "gatehouse_store_commit_writes_count"):
            commits_in("")


if __name__ == "__main__":
    unittest.main()
