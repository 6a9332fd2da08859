import io
import types
import unittest

import pgbench
from processes import Fault


class TheScript(unittest.TestCase):
    def test_it_rotates_the_sessions_whose_tokens_are_known(self):
        population = types.SimpleNamespace(known_count=20_000, sessions=5_000_000)
        lines = pgbench.script(population).splitlines()
        self.assertEqual(lines[:2], [r"\set n random(0, 20000 - 1)", r"\set place :n * 5000000 / 20000"])
        self.assertTrue(lines[2].startswith("UPDATE refresh_tokens SET generation = generation + 1"))

    def test_each_variable_has_a_value(self):
        population = types.SimpleNamespace(known_count=2, sessions=2)
        for name in pgbench.VARIABLES:
            self.assertIn(f":{name}", pgbench.script(population))


class TheProgress(unittest.TestCase):
    def test_a_line_has_a_time_a_rate_and_a_latency(self):
        for line, values in (
                ("progress: 1.0 s, 11234.5 tps, lat 5.693 ms stddev 2.101, 0 failed\n", (1.0, 11234.5, 5.693)),
                ("progress: 12.0 s, 7.0 tps, lat 5.693 ms stddev 2.101\n", (12.0, 7.0, 5.693))):
            self.assertEqual(pgbench.progress(line), values)

    def test_other_lines_have_none(self):
        for line in ("pgbench (15.18)\n", "tps = 1.0 (without initial connection time)\n", ""):
            self.assertIsNone(pgbench.progress(line))

    def test_a_failed_transaction_ends_the_benchmark(self):
        with self.assertRaisesRegex(Fault, "transactions of pgbench failed"):
            pgbench.progress("progress: 1.0 s, 11234.5 tps, lat 5.693 ms stddev 2.101, 3 failed\n")


class Process:
    def __init__(self, status, *lines):
        self.stdout, self.status = io.StringIO("".join(lines)), status
        self.pid = 0

    def wait(self):
        return self.status


class Window(pgbench.Window):
    """Of a PostgreSQL that uses 1 s of processor time between two readings."""

    readings = 0

    def read(self):
        self.readings += 1
        return (10.0 * self.readings, 0.0), (1.0 * self.readings, 0.5 * self.readings)


def progress(seconds, rate, latency):
    return f"progress: {seconds:.1f} s, {rate} tps, lat {latency} ms stddev 0.0, 0 failed\n"


class TheMeasuredSeconds(unittest.TestCase):
    def test_the_warm_up_and_what_follows_are_left_out(self):
        found = pgbench.read_off(
            Process(0, "pgbench (15.18)\n", progress(1, 9, 99), progress(2, 9, 99), progress(3, 100, 1),
                    progress(4, 300, 3), progress(5, 7, 77)),
            Window(None, None), warm_up=2, seconds=2)
        self.assertEqual(found["transactions"], 400)
        self.assertEqual(found["transactions_per_second"], 200)
        self.assertEqual(found["database_cpu_us"], 2500)
        self.assertEqual(found["client_cpu_us"], 1250)
        self.assertEqual(found["mean_ms"], 2.5)

    def test_a_failure_is_reported_with_its_message(self):
        for process in (
                Process(1, "FATAL: no\n"), Process(0, "FATAL: no\n", progress(1, 9, 9)),
                Process(1, progress(1, 9, 9), progress(2, 9, 9), progress(3, 9, 9), "FATAL: no\n")):
            with self.assertRaisesRegex(Fault, "FATAL: no"):
                pgbench.read_off(process, Window(None, None), warm_up=1, seconds=2)


if __name__ == "__main__":
    unittest.main()
