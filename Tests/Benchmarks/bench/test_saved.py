import os
import tempfile
import unittest
from pathlib import Path

from processes import Fault
from saved import SavedRuns


class SavedRunsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = SavedRuns(Path(folder.name) / "runs")

    def test_a_saved_run_is_loaded_unchanged(self):
        self.runs.save("first", {"at": "now"})
        self.assertEqual(self.runs.load("first"), {"at": "now"})

    def test_the_last_run_is_the_one_saved_last_whatever_its_name(self):
        for place, name in enumerate(["b", "c", "a"]):
            os.utime(self.runs.save(name, {"name": name}), (place, place))
        self.assertEqual(self.runs.last(), ("a", {"name": "a"}))

    def test_without_runs_there_is_no_last_run(self):
        self.assertEqual(self.runs.last(), (None, None))

    def test_a_missing_run_is_refused_with_a_list_of_the_saved_runs(self):
        self.runs.save("first", {})
        with self.assertRaisesRegex(Fault, "there is no run second; saved runs: first"):
            self.runs.load("second")

    def test_a_path_is_not_accepted_as_a_name(self):
        for name in ("", "../x", "/x", "a/b", ".hidden", "a b", "a\n"):
            with self.assertRaises(Fault):
                self.runs.save(name, {})


if __name__ == "__main__":
    unittest.main()
