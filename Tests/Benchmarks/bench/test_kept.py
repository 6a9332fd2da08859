import tempfile
import unittest
from pathlib import Path

from kept import Comparison, KeptCounts
from processes import Fault


class WhatHasChanged(unittest.TestCase):
    def test_growth_of_three_percent_is_accepted(self):
        found = Comparison({"me": 103_000}, {"me": 100_000})
        self.assertEqual((found.failures(), found.remarks()), ([], []))

    def test_more_growth_fails_and_says_what_to_do(self):
        found = Comparison({"me": 103_100.4, "guard": 50_000}, {"me": 100_000, "guard": 50_000})
        self.assertEqual(found.failures(), [
            "me grew by 3.1 %, from 100,000 to 103,100 instructions: make it smaller, or update the table with "
            "deploy/bench --count --keep and say why in the commit"])

    def test_a_request_that_shrank_does_not_fail_and_asks_for_an_update(self):
        found = Comparison({"me": 96_000}, {"me": 100_000})
        self.assertEqual(found.failures(), [])
        self.assertEqual(found.remarks(), [
            "me shrank by 4.0 %, from 100,000 to 96,000 instructions: update the table with deploy/bench --count --keep, so "
            "that it cannot grow again unnoticed"])

    def test_shrinking_by_three_percent_is_no_remark(self):
        self.assertEqual(Comparison({"me": 97_000}, {"me": 100_000}).remarks(), [])

    def test_a_request_that_the_table_does_not_have_fails(self):
        found = Comparison({"me": 1000, "guard": 500}, {"me": 1000})
        self.assertEqual(found.failures(), ["guard is not in the table: add it with deploy/bench --count --keep"])

    def test_a_request_that_is_only_in_the_table_fails(self):
        found = Comparison({"me": 1000}, {"me": 1000, "guard": 500})
        self.assertEqual(
            found.failures(), ["guard is in the table and not counted: remove it with deploy/bench --count --keep"])

    def test_both_counts_are_shown_side_by_side(self):
        lines = Comparison({"me": 103_000, "guard": 500}, {"me": 100_000}).table().splitlines()
        self.assertEqual([line.split() for line in lines[1:]], [["me", "100,000", "103,000", "+3.0", "%"], ["guard", "500"]])


class TheTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "instructions.json"

    def test_it_has_a_line_for_each_request(self):
        KeptCounts(self.path).save({"login known": 718_680.4, "me": 84_467.9})
        self.assertEqual(self.path.read_text(), '{\n "login known": 718700,\n "me": 84500\n}\n')
        self.assertEqual(KeptCounts(self.path).load(), {"login known": 718_700, "me": 84_500})

    def test_without_it_the_command_that_writes_it_is_named(self):
        with self.assertRaisesRegex(Fault, "deploy/bench --count --keep"):
            KeptCounts(self.path).load()


if __name__ == "__main__":
    unittest.main()
