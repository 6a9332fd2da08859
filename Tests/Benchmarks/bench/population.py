"""Databases with many users, filled with SQL, and tokens of some of the users."""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import time

from tokens import BUNDLE_ID, REFRESH_LIFETIME, access_token, digest, refresh_token

# The number of sessions with known tokens, which are spread evenly over all sessions.
KNOWN_SESSIONS = 20_000

# A filled database and its tokens are used again for this long.
KEEP_SECONDS = 7 * 86_400

# From here on, indexes are made after the rows. Their pages are full, so a login splits more: --count has fewer users.
MANY_USERS = 10_000


def user_id(number):
    return f"user_01BENCH{number:019d}"


def session_id(number):
    return f"sess_01BENCH{number:019d}"


def apple_subject(team, number):
    """A subject at Apple. Scattered like real subjects, so that lookups reach every part of the index."""
    return f"{team}.{number * 2654435761 % 2**32:08x}{number:024x}.0930"


def subject(number):
    return apple_subject("001234", number)


SUBJECT_IN_SQL = "printf('001234.%08x%024x.0930', n * 2654435761 & 4294967295, n)"
RELAY_CHARACTERS = "abcdefghjkmnpqrstvwxyz0123456789"


def relay_address(subject):
    """The address that the fake Apple derives from the subject. With another one, each login would update the account."""
    name = hashlib.sha256(subject.encode()).digest()[:10]
    return "".join(RELAY_CHARACTERS[byte % 32] for byte in name) + "@privaterelay.appleid.com"


EMAIL_IN_SQL = f"relay_address({SUBJECT_IN_SQL})"


class Population:
    """A database with a number of users and sessions, which is made once and then copied."""

    def __init__(self, folder, users, sessions, migrations):
        content = [path.read_bytes() for path in sorted(migrations.rglob("*.sql"))] + ["".join(FILLING).encode()]
        schema = hashlib.sha256(b"".join(content))
        self.users, self.sessions = users, sessions
        self.folder = folder / f"{users}-{sessions}-{schema.hexdigest()[:8]}"
        self.database = self.folder / "gatehouse.db"
        self.access, self.refresh = self.folder / "access", self.folder / "refresh"
        self.made = self.folder / "made.json"

    @property
    def is_fresh(self):
        return self.made.exists() and time.time() - json.loads(self.made.read_text())["at"] < KEEP_SECONDS

    @property
    def known_count(self):
        return min(KNOWN_SESSIONS, self.sessions)

    def copy(self, target):
        for path in target.parent.glob(target.name + "*"):
            path.unlink()
        shutil.copyfile(self.database, target)
        # Otherwise the next measurement would wait for this write to reach the disk.
        with open(target, "rb") as file:
            os.fsync(file.fileno())

    def prepare(self, gatehouse, say):
        """Fills the database unless it is recent, and writes new access tokens, which expire soon."""
        if not self.is_fresh:
            say(f"filling a database: {self.users:,} users, {self.sessions:,} sessions")
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            subprocess.run(
                [gatehouse, "migrate"], check=True, stdout=subprocess.DEVNULL,
                env={"DATABASE_URL": f"sqlite:{self.database}", "GATEHOUSE_CONFIG": ""})
            self.fill()
        now = int(time.time()) - 60
        write_lines(self.access, (access_token(user, session, now) for user, session in self.known()))

    def known(self):
        """The users and sessions with known tokens."""
        count = self.known_count
        for number in range(count):
            place = number * self.sessions // count
            yield user_id(place % self.users), session_id(place)

    def fill(self):
        now = int(time.time()) - 60
        values = {
            "users": self.users, "sessions": self.sessions, "now": now * 1000, "client": BUNDLE_ID,
            "expires": (now + REFRESH_LIFETIME) * 1000}
        database = sqlite3.connect(self.database)
        database.create_function("relay_address", 1, relay_address, deterministic=True)
        # No other process uses the database yet, and after a crash it is made again.
        for setting in ("journal_mode = MEMORY", "synchronous = OFF", "cache_size = -524288"):
            database.execute(f"PRAGMA {setting}")
        with database, without_indexes(database) if self.users >= MANY_USERS else contextlib.nullcontext():
            for statement in FILLING:
                database.execute(statement, values)
            tokens = [(refresh_token(user, session, now), session) for user, session in self.known()]
            database.executemany(
                "UPDATE refresh_tokens SET token_hash = ? WHERE id = ?",
                ((digest(token), session) for token, session in tokens))
        database.execute("PRAGMA journal_mode = WAL")
        database.close()
        write_lines(self.refresh, (token for token, _ in tokens))
        self.made.write_text(json.dumps({"at": now}))


@contextlib.contextmanager
def without_indexes(database):
    """Indexes that are made afterwards are sorted, and not written in the order of the rows."""
    indexes = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").fetchall()
    for name, _ in indexes:
        database.execute(f"DROP INDEX {name}")
    yield
    for _, sql in indexes:
        database.execute(sql)


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines))


NUMBERS = "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < {}) "

FILLING = [
    "INSERT INTO users (id, email, email_verified, last_login_at, last_login_provider, created_at, updated_at) "
    + NUMBERS.format(":users")
    + f"""SELECT printf('user_01BENCH%019d', n), {EMAIL_IN_SQL}, 1, :now, 'APPLE', :now, :now
         FROM number""",
    "INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, email_verified, "
    "is_private_email, client_id, created_at, updated_at) "
    + NUMBERS.format(":users")
    + f"""SELECT printf('acct_01BENCH%019d', n), users.id, 'APPLE', {SUBJECT_IN_SQL}, users.email, 1, 1, :client, :now, :now
         FROM number CROSS JOIN users ON users.id = printf('user_01BENCH%019d', n)""",
    "INSERT INTO refresh_tokens (id, user_id, provider, client_id, token_hash, token_random, generation, rotated_at, "
    "expires_at, user_agent, address, created_at, updated_at) "
    + NUMBERS.format(":sessions")
    + """SELECT printf('sess_01BENCH%019d', n), printf('user_01BENCH%019d', n % :users), 'APPLE', :client,
         randomblob(32), randomblob(16), 1, :now, :expires, 'Example/1.0 (iPhone; iOS 26.1)', '192.0.2.1', :now, :now
         FROM number""",
]
