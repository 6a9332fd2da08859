"""Saved runs, for comparison with later ones."""

import json
import re

from processes import Fault

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class SavedRuns:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name, kind=".json"):
        if not NAME.fullmatch(name):
            raise Fault(f"{name!r} is not a name for a run: use letters, digits and . _ -")
        return self.folder / (name + kind)

    def save(self, name, run):
        path = self.path(name)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(run, indent=1) + "\n")
        draft.replace(path)
        return path

    def load(self, name):
        try:
            return json.loads(self.path(name).read_text())
        except FileNotFoundError:
            raise Fault(f"there is no run {name}; saved runs: {', '.join(self.names()) or 'none'}") from None
        except ValueError:
            raise Fault(f"{self.path(name)} is not a saved run") from None

    def names(self):
        """Oldest first."""
        found = sorted(self.folder.glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
        return [path.stem for path in found]

    def last(self):
        names = self.names()
        return (names[-1], self.load(names[-1])) if names else (None, None)
