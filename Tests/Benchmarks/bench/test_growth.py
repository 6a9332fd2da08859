import unittest
from unittest import mock

import growth


class TheTables(unittest.TestCase):
    def test_each_store_has_a_table_in_markdown_with_the_ratio_of_the_last_size_to_the_first(self):
        run = {"growth": {"sizes": [10_000, 1_000_000], "stores": {
            "SQLite": {"refresh, µs": [100.0, 150.0], "a second without requests, µs": [0.0, 1234.4]},
            "PostgreSQL": {"refresh, µs": [9.96, 9.96]}}}}
        self.assertEqual(growth.growth(run), """| SQLite | 10,000 users | 1,000,000 users | times |
| --- | ---: | ---: | ---: |
| refresh, µs | 100 | 150 | 1.5 |
| a second without requests, µs | 0.0 | 1,234 |  |

| PostgreSQL | 10,000 users | 1,000,000 users | times |
| --- | ---: | ---: | ---: |
| refresh, µs | 10.0 | 10.0 | 1.0 |""")

    def test_a_run_without_sizes_has_none(self):
        self.assertEqual(growth.growth({}), "")


class TheRepetitions(unittest.TestCase):
    def test_they_end_with_the_number_or_with_the_time_and_one_is_done_in_any_case(self):
        self.assertEqual(growth.repeat(3, lambda: None), 3)
        with mock.patch.object(growth, "SECONDS", 0):
            self.assertEqual(growth.repeat(3, lambda: None), 1)


class TheImportedUsers(unittest.TestCase):
    def test_no_two_have_the_same_line(self):
        self.assertEqual(len({growth.imported_user(place) for place in range(1000)}), 1000)


if __name__ == "__main__":
    unittest.main()
