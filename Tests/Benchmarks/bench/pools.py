"""Logins with Apple that are minted in advance, because each is valid once."""

import subprocess
import time

from population import apple_subject, subject

KEEP_SECONDS = 20 * 86_400


def newcomer(number):
    """A subject that is in no database."""
    return apple_subject("009999", number)


class Pools:
    def __init__(self, folder, benchmarks, say):
        self.folder, self.benchmarks, self.say = folder, benchmarks, say
        self.keys = folder / "apple"
        folder.mkdir(parents=True, exist_ok=True)

    def of_newcomers(self, count):
        return self.pool("new", count, lambda: (newcomer(number) for number in range(count)))

    def of_users(self, users, count):
        """Logins of all users in a scattered order; with more logins than users, a user has several tokens."""
        step = 7919 if users % 7919 else 1
        return self.pool(f"known-{users}", count, lambda: (subject(i * step % users) for i in range(count)))

    def pool(self, name, count, subjects):
        path = self.folder / name
        if not self.is_good(path, count):
            self.say(f"minting {count:,} logins ({name})")
            subprocess.run(
                [self.benchmarks, "mint", self.keys, path, str(count)], check=True, text=True,
                input="\n".join(subjects()) + "\n")
        return path

    def is_good(self, path, count):
        key = self.keys / "apple-key.pem"
        if not path.exists() or not key.exists():
            return False
        made = path.stat().st_mtime
        if made < key.stat().st_mtime or time.time() - made > KEEP_SECONDS:
            return False
        with open(path, "rb") as file:
            return sum(1 for _ in file) >= count
