import unittest

from results import Change, change, differing_options, ratios, spread, summarise


def figure(median, low, high):
    return {"median": median, "range": [low, high]}


class FromRoundsToARun(unittest.TestCase):
    def test_a_figure_is_the_median_of_its_rounds_with_their_range(self):
        found = summarise([{"cpu_us": value} | OTHERS for value in (30, 10, 11)])
        self.assertEqual(found["cpu_us"], figure(11, 10, 30) | {"rounds": 3})

    def test_the_spread_is_the_range_in_percent_of_the_median(self):
        self.assertEqual(spread(figure(10, 9, 12)), 30)

    def test_a_single_round_has_no_spread_and_its_change_may_be_noise(self):
        one = {"rounds": 1}
        self.assertIsNone(spread(figure(10, 10, 10) | one))
        self.assertEqual(str(Change(figure(20, 20, 20) | one, figure(10, 9, 11))), "(+100%)")

    def test_a_figure_of_zero_has_no_spread(self):
        self.assertEqual(spread(figure(0, 0, 0)), 0)

    def test_ratios_are_computed_from_medians(self):
        server = {"requests_per_second": figure(900, 1, 2000), "cpu_us": figure(30, 20, 40)}
        floor = {"requests_per_second": figure(1000, 1, 2000), "cpu_us": figure(20, 20, 40)}
        self.assertEqual(ratios(server, floor), {"requests_per_second": 0.9, "cpu_us": 1.5})

    def test_a_floor_too_fast_for_the_clock_gives_no_ratio(self):
        nothing = {"requests_per_second": figure(1, 1, 1), "cpu_us": figure(0, 0, 0)}
        self.assertIsNone(ratios(nothing, nothing)["cpu_us"])


OTHERS = dict.fromkeys((
    "requests_per_second", "p50_ms", "p99_ms", "p999_ms", "max_ms", "nginx_cpu_us", "wrk_cpu_us", "resident_bytes",
    "most_resident_bytes", "others_percent", "stolen_percent"), 0)


class WhatHasChanged(unittest.TestCase):
    def test_a_change_beyond_the_ranges_of_both_runs_is_certain(self):
        self.assertEqual(str(Change(figure(80, 78, 82), figure(100, 95, 105))), "-20%")

    def test_a_change_within_the_ranges_may_be_noise(self):
        self.assertEqual(str(Change(figure(100, 90, 130), figure(110, 105, 120))), "(-9%)")

    def test_an_equal_single_round_is_no_change(self):
        self.assertEqual(str(Change(figure(7, 7, 7), figure(7, 7, 7))), "(+0%)")

    def test_a_change_from_zero_is_not_divided(self):
        self.assertEqual(Change(figure(7, 7, 7), figure(0, 0, 0)).percent, 0)

    def test_a_figure_of_only_one_run_is_not_compared(self):
        now = {"guard": {"64": {"server": figure(1, 1, 1)}}}
        for before in (None, {}, {"guard": {}}, {"guard": {"16": {}}}):
            self.assertEqual(change(now, before, "guard", "64", "server"), "")

    def test_options_that_differ_are_named(self):
        now, before = {"options": {"rounds": 3, "seconds": 5}}, {"options": {"rounds": 3}}
        self.assertEqual(differing_options(now, before), ["seconds"])


if __name__ == "__main__":
    unittest.main()
