import unittest
import xml.etree.ElementTree

from plot import plot
from report import duration, report
from table import columns


def cell(rate, cpu, others=0):
    flat = {name: {"median": 1.0, "range": [1.0, 1.0]} for name in (
        "p50_ms", "p99_ms", "p999_ms", "stolen_percent")}
    return flat | {
        "requests_per_second": {"median": rate, "range": [rate, rate]}, "cpu_us": {"median": cpu, "range": [cpu, cpu]},
        "others_percent": {"median": others, "range": [others, others]}}


def run(rate=1000, cpu=20.0, others=0):
    return {
        "at": "2026-11-21T20:00:00Z", "commit": "abc", "machine": {"cores": 2, "processor": "a <fast> one"},
        "options": {"rounds": 3, "seconds": 5, "build": "release"},
        "in_process": {"sign": {"nanoseconds": 100, "nanoseconds_range": [99, 101], "allocations": 7}},
        "through_nginx": {"guard": {"64": {
            "server": cell(rate, cpu, others), "floor": cell(2000, 10.0),
            "ratios": {"requests_per_second": rate / 2000, "cpu_us": cpu / 10}}}}}


class TheTable(unittest.TestCase):
    def row(self, text, name):
        return next(line for line in text.splitlines() if line.startswith(name)).split()

    def test_it_shows_rates_and_ratios(self):
        self.assertEqual(self.row(report(run(), None, None), "guard")[:8],
                         ["guard", "64", "1,000", "0%", "0.50", "20.0", "0%", "2.00"])

    def test_it_shows_the_change_since_the_last_run(self):
        text = report(run(rate=1100, cpu=10.0), "before", run())
        self.assertEqual(self.row(text, "guard")[-2:], ["+10%", "-50%"])
        self.assertIn("since before (abc", text)

    def test_a_measurement_that_other_programs_falsified_is_marked(self):
        self.assertIn("40%!", self.row(report(run(others=40), None, None), "guard"))

    def test_differing_options_are_named(self):
        before = run()
        before["options"]["seconds"] = 1
        self.assertIn("different options: seconds", report(run(), "before", before))

    def test_parts_that_were_not_measured_are_left_out(self):
        half = run()
        del half["through_nginx"]
        self.assertNotIn("through nginx", report(half, None, None).partition("\n\n")[2])

    def test_a_large_database_is_compared_with_the_usual_one(self):
        sized = run()
        sized["sizes"] = {
            name: {"label": name, "cells": {"refresh": cell(rate, cpu)}, "starts": {"median_ms": 9, "range_ms": [9, 9]}}
            for name, rate, cpu in (("small", 1000, 10.0), ("large", 900, 12.0))}
        text = report(sized, None, None)
        self.assertEqual(self.row(text, "refresh, CPU")[3:], ["10.0", "0%", "12.0", "0%", "1.20"])

    def test_columns_are_aligned(self):
        self.assertEqual(columns([["a", "1"], ["long", "100"]]), "a       1\nlong  100")

    def test_durations_have_a_suitable_unit(self):
        self.assertEqual([duration(value) for value in (950, 31_250, 2_500_000, 12_000_000)],
                         ["950 ns", "31.2 µs", "2,500.0 µs", "12.0 ms"])


class ThePicture(unittest.TestCase):
    def test_it_is_well_formed_and_has_a_bar_for_each_side(self):
        root = xml.etree.ElementTree.fromstring(plot(run()))
        bars = [shape for shape in root.iter("{http://www.w3.org/2000/svg}rect") if shape.get("fill") == "#2f6f9f"]
        # One in each of the two panels, and one in the legend.
        self.assertEqual(len(bars), 3)


if __name__ == "__main__":
    unittest.main()
