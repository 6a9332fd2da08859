"""How cost grows with the number of users: the same requests and commands with databases of several sizes, in both
stores. Instructions and processor time, because they hardly depend on what else runs on the machine."""

import contextlib
import itertools
import json
import os
import random
import resource
import sqlite3
import subprocess
import time

import machine
from asking import Asking
from copying import fill
from counting import FIRST, USUALLY_COUNTED, count_requests
from fastcgi import Front
from population import apple_subject, relay_address, session_id, subject, user_id, write_lines
from postgresql import DATABASE, PostgreSQL
from processes import Fault, Running, accepts
from stand import Stand, fresh_folder
from starting import measure_starts
from stores import POSTGRESQL, SQLITE

SESSIONS_PER_USER = 2
WORKLOADS = {
    "me": Asking.me, "refresh": Asking.refresh_next, "login known": Asking.login_known, "login new": Asking.login_new,
    "logout": Asking.logout, "export": Asking.export}
STARTS, IMPORTED, EXPIRED = 10, 10_000, 5000

# A command or a request is repeated this often, or for this many seconds.
TIMES, SECONDS = 20, 10

UNITS = {"µs": 1e6, "ms": 1e3}

# In the SQL of both stores: the login of each session, and the identity tokens of every tenth as those of the last day.
HISTORY = [
    """INSERT INTO audit_events (moment, kind, actor, user_id, session_id, provider, address)
    SELECT created_at, 'login', 'user', user_id, id, 'APPLE', '192.0.2.1' FROM refresh_tokens ORDER BY id""",
    """INSERT INTO redemptions (hash, token_hash, moment, expires_at)
    SELECT token_hash, token_hash, created_at, expires_at FROM refresh_tokens WHERE id LIKE '%0'"""]
ADMINISTRATOR = "INSERT INTO users (id, role, created_at, updated_at) VALUES ('user_02ADMIN', 'ADMIN', {now}, {now})"


class Growth:
    def __init__(self, benchmark):
        self.benchmark, self.tools, self.say = benchmark, benchmark.tools, benchmark.say
        self.sizes, self.requests = benchmark.options.growth, 200 if benchmark.options.quick else 3000

    def run(self):
        """By store: for each figure, its value for each size."""
        found = {SQLITE: {}, POSTGRESQL: {}}
        for users in self.sizes:
            population = self.benchmark.population_of(users, SESSIONS_PER_USER * users)
            population.prepare(self.tools.gatehouse, self.say)
            for store, stand in ((SQLITE, self.benchmark.stand), (POSTGRESQL, self.postgresql_stand)):
                with stand(population) as chosen:
                    for name, value in Size(self, population, chosen).figures():
                        self.say(f"{users:,} users, {store}: {name}: {number(value)}")
                        found[store].setdefault(name, []).append(value)
        return {"sizes": self.sizes, "stores": found}

    @contextlib.contextmanager
    def postgresql_stand(self, population):
        """Without a template, for which a large database leaves no room."""
        with PostgreSQL(self.tools.home / "postgresql") as postgresql:
            fill(postgresql, DATABASE, population, self.tools.gatehouse)
            yield Stand(self.tools, fresh_folder(self.tools.work / "stand"), self.benchmark.apple, postgresql)


class Size:
    """The figures of one store with one number of users."""

    def __init__(self, growth, population, stand):
        self.requests, self.say, self.instructions = growth.requests, growth.say, growth.benchmark.options.instructions
        self.pools, self.gatehouse = growth.benchmark.pools, growth.tools.gatehouse
        self.population, self.stand, self.postgresql = population, stand, stand.postgresql

    def figures(self):
        for statement in HISTORY + ["VACUUM (ANALYZE) audit_events, redemptions"] * bool(self.postgresql):
            # Autovacuum comes within a minute.
            self.query(statement)
        # Without a new row, a server with a file and no second clock removes nothing.
        self.query(ADMINISTRATOR.format(now=int(time.time() * 1000)))
        yield "start to first answer, ms", measure_starts(self.stand, STARTS)["median_ms"]
        yield from self.of_requests()
        yield from self.of_commands()
        yield from self.of_removal()

    def of_requests(self):
        asking = self.asking()
        with self.serving() as server:
            asking.front = Front(self.stand.socket)
            for name, ask in WORKLOADS.items():
                yield from self.costs(name, lambda: repeat(self.requests, lambda: ask(asking)), server)
            asking.front.close()
            yield "resident memory after these, MB", machine.memory(server.pid)[0] / (1 << 20)
        if self.instructions:
            counts = count_requests(self.stand, WORKLOADS, asking, self.stand.folder, self.say)
            yield from ((f"{name}, instructions", count) for name, count in counts.items())

    def asking(self):
        count = self.requests + FIRST + USUALLY_COUNTED
        asking = Asking(self.population, {
            "known": self.pools.of_users(self.population.users, count), "new": self.pools.of_newcomers(count)})
        # Not of the sessions that end.
        asking.access = itertools.cycle(self.population.access.read_text().split()[::2])
        # As users refresh: sessions that were opened one after the other share pages of the database.
        chains = [*asking.refresh, *asking.bound][1::2]
        random.Random(len(chains)).shuffle(chains)
        asking.refresh = iter(chains)
        return asking

    @contextlib.contextmanager
    def serving(self):
        server = Running(
            "gatehouse", [self.gatehouse, "serve"], self.stand.folder / "gatehouse.log",
            env=self.stand.server_environment())
        try:
            server.wait_until(lambda: accepts(self.stand.socket))
            yield server
        finally:
            server.stop()

    def of_commands(self):
        middle = self.population.users // 2
        user, address = user_id(middle), relay_address(subject(middle))
        for words in (
                ["users", "list"], ["users", "list", "--before", user], ["users", "list", "--role", "ADMIN"],
                ["users", "show", user], ["users", "show", address], ["users", "sessions", user],
                ["audit", "--user", user], ["check"]):
            label = " ".join(words).replace(user, "ID").replace(address, "ADDRESS")
            yield from self.costs(label, lambda: repeat(TIMES, lambda: self.command(
                self.gatehouse, *words)), unit="ms")
        file = self.stand.folder / "users.jsonl"
        write_lines(file, map(imported_user, range(IMPORTED)))
        yield from self.costs("users import, for each user", lambda: self.command(
            self.gatehouse, "users", "import", file) or IMPORTED)
        yield from self.costs("backup, for each user", lambda: self.command(
            *self.backup_command()) or self.population.users)

    def command(self, *words):
        outcome = subprocess.run(
            list(map(str, words)), env=self.stand.server_environment() | {"PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        # What `check` finds on this machine is no failure of the command.
        if outcome.returncode > (1 if words[-1] == "check" else 0):
            raise Fault(f"{' '.join(map(str, words))} failed: {outcome.stderr[-1000:].decode(errors='replace')}")

    def backup_command(self):
        if self.postgresql:
            return [self.postgresql.programs / "pg_basebackup", "-D", "-", "-F", "tar", "-X", "fetch", "-c", "fast",
                    "-h", self.postgresql.folder, "-U", "postgres"]
        return [self.gatehouse, "backup", "--force", self.stand.folder / "backup.db"]

    def of_removal(self):
        first = f"refresh_tokens WHERE id < '{session_id(EXPIRED)}'"
        self.query(f"UPDATE {first.replace('WHERE', 'SET expires_at = 1 WHERE')}")
        with self.serving() as server:
            yield from self.costs("removal of an expired session", lambda: server.wait_until(
                lambda: self.query(f"SELECT count(*) FROM {first}") == "0", seconds=120, every=0.5) or EXPIRED, server)

    def query(self, statement):
        """The first column of the first row."""
        if self.postgresql:
            return self.postgresql.query(statement, database=DATABASE)
        with contextlib.closing(sqlite3.connect(self.stand.database, timeout=60)) as database, database:
            row = database.execute(statement).fetchone()
        return str(row[0]) if row else ""

    def costs(self, label, act, server=None, unit="µs"):
        """Processor time for each of the acts, whose number is returned, of the server or of the commands that end in it."""
        before = self.used(server)
        count = act()
        spent, of_postgresql = ((then - now) * UNITS[unit] / count for now, then in zip(before, self.used(server)))
        yield f"{label}, {unit}", spent
        if self.postgresql:
            yield f"{label}, {unit} of PostgreSQL", of_postgresql

    def used(self, server):
        if server:
            return machine.cpu_seconds(server.pid), self.stand.database_seconds()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime, self.stand.database_seconds()


def repeat(times, act):
    """How often it was done."""
    end, done = time.monotonic() + SECONDS, 0
    while not done or done < times and time.monotonic() < end:
        act()
        done += 1
    return done


def imported_user(place):
    return json.dumps({
        "identities": [{"provider": "apple", "subject": apple_subject("005555", place)}],
        "email": f"imported-{place}@example.com", "emailVerified": True})


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def growth(run):
    """Tables in Markdown. The last column is the ratio of the last size to the first."""
    if not (found := run.get("growth")):
        return ""
    return "\n\n".join(
        "\n".join("| " + " | ".join(row) + " |" for row in rows(store, found["sizes"], figures))
        for store, figures in found["stores"].items())


def rows(store, sizes, figures):
    yield [store, *(f"{users:,} users" for users in sizes), "times"]
    yield ["---", *["---:"] * (len(sizes) + 1)]
    for name, values in figures.items():
        yield [name, *map(number, values), f"{values[-1] / values[0]:.1f}" if values[0] else ""]
