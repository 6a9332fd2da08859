import unittest

from goals import GOALS, measured_goals
from store_report import stores


def figures(**values):
    return {name: {"median": value, "range": [value, value], "rounds": 1} for name, value in values.items()}


def cell(rate=1000, cpu=20.0, database=40.0, p50=2.0, p99=6.0, others=0, **more):
    return figures(
        requests_per_second=rate, cpu_us=cpu, nginx_cpu_us=10.0, database_cpu_us=database, p50_ms=p50, p99_ms=p99,
        p999_ms=9.0, others_percent=others, stolen_percent=0, **more)


def comparison(**cells):
    """As a run has it, with refreshes at half the rate of pgbench and for a quarter of its processor time."""
    return {
        "version": "15.18", "settings": {"fsync": "on"}, "connections": 64, "users": 10, "sessions": 20,
        "pgbench": figures(transactions_per_second=2000, database_cpu_us=160.0, client_cpu_us=14.0, mean_ms=5.0),
        "cells": {
            "refresh": {"PostgreSQL": cell(writes_per_commit=12.5), "SQLite": cell(database=0.0)},
            "me": {"PostgreSQL": cell(rate=600), "SQLite": cell()}} | cells}


class Goals(unittest.TestCase):
    def values(self, found):
        return {goal.name.partition(" ")[0]: (value, goal.is_met(value)) for goal, value in measured_goals(found)}

    def test_they_are_ratios_to_pgbench_and_to_sqlite(self):
        found = comparison(guard={"PostgreSQL": cell(rate=900), "SQLite": cell()})
        self.assertEqual(self.values(found), {
            "PostgreSQL's": (0.25, True), "refreshes/s,": (0.5, False), "p99": (3, True), "me,": (0.6, True),
            "guard,": (0.9, False)})

    def test_what_was_not_measured_has_no_goal(self):
        found = comparison(me={"PostgreSQL": cell()})
        del found["pgbench"]
        self.assertEqual(list(self.values(found)), ["p99"])

    def test_a_ratio_of_exactly_the_limit_meets_the_goal(self):
        for goal in GOALS:
            self.assertTrue(goal.is_met(goal.limit), goal.name)


class TheTables(unittest.TestCase):
    def text(self, found=None, before=None, noisy=False):
        return stores({"stores": found or comparison()}, before, lambda side: noisy)

    def line(self, text, name):
        begin = name.split()
        return next(words for words in map(str.split, text.splitlines()) if words[:len(begin)] == begin)

    def test_a_run_without_a_comparison_has_none(self):
        self.assertEqual(stores({}, None, None), "")

    def test_the_settings_and_the_size_are_named(self):
        self.assertIn("fsync on\n10 users, 20 sessions, 64 connections", self.text())

    def test_each_store_has_a_line(self):
        text = self.text()
        self.assertEqual(self.line(text, "refresh PostgreSQL")[1:],
                         ["PostgreSQL", "1,000", "20.0", "40.0", "10.0", "2.00", "6.00", "9.00", "12.5", "0%"])
        self.assertEqual(self.line(text, "refresh SQLite")[1:],
                         ["SQLite", "1,000", "20.0", "10.0", "2.00", "6.00", "9.00", "0%"])

    def test_the_goals_say_whether_they_are_met(self):
        self.assertEqual(self.line(self.text(), "me, of")[-4:], ["0.60", "≥", "0.50", "met"])
        self.assertEqual(self.line(self.text(), "refreshes/s,")[-4:], ["0.50", "≥", "0.80", "missed"])

    def test_the_change_since_the_last_run_is_shown(self):
        text = self.text(before={"stores": comparison(me={"PostgreSQL": cell(rate=300, database=80.0)})})
        self.assertEqual(self.line(text, "me PostgreSQL")[-3:], ["(+100%)", "(+0%)", "(-50%)"])

    def test_a_measurement_that_other_programs_falsified_is_marked(self):
        self.assertIn("0%!", self.line(self.text(noisy=True), "me PostgreSQL"))


if __name__ == "__main__":
    unittest.main()
