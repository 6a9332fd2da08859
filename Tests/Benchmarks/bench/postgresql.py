"""A PostgreSQL of the benchmark's own, in a folder, on a Unix socket. It is as durable as in production."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import machine
from processes import Fault, Running, as_user

DEBIAN_FOLDER = Path("/usr/lib/postgresql")
OWNER, TEMPLATE, DATABASE = "gatehouse", "filled", "gatehouse"

# Durable, and without a checkpoint within a measurement. The defaults of a setting are not repeated, except for those that
# decide about durability, which the report shows.
SETTINGS = {
    "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica",
    "shared_buffers": "256MB", "max_wal_size": "4GB", "checkpoint_timeout": "30min", "max_connections": "200"}


def programs_folder(root=DEBIAN_FOLDER):
    """Where Debian has the programs of the newest installed version."""
    found = [path.parent for path in root.glob("*/bin/pgbench") if path.parent.parent.name.isdigit()]
    if not found:
        raise Fault(f"there is no PostgreSQL in {root}: install the Debian package postgresql")
    return max(found, key=lambda path: int(path.parent.name))


def place_of_data(preferred, user):
    """A folder that the user can reach, as the home of root cannot be; created empty."""
    shutil.rmtree(preferred, ignore_errors=True)
    preferred.mkdir(parents=True)
    if not user:
        return preferred
    preferred.chmod(0o755)
    if subprocess.run([*as_user(user), "test", "-x", preferred], cwd="/", check=False).returncode != 0:
        preferred.rmdir()
        preferred = Path(tempfile.mkdtemp(prefix="gatehouse-bench.", dir="/var/tmp"))
    shutil.chown(preferred, user, pwd.getpwnam(user).pw_gid)
    preferred.chmod(0o700)
    return preferred


class PostgreSQL:
    """PostgreSQL refuses to run as root, so root starts it as the user of Debian's package."""

    def __init__(self, folder, settings=None):
        self.programs = programs_folder()
        self.user = "postgres" if os.geteuid() == 0 else None
        self.folder = place_of_data(folder, self.user)
        self.settings = SETTINGS | (settings or {})
        self.log = folder.parent / "postgresql.log"
        self.running = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.log.unlink(missing_ok=True)
        data = self.folder / "data"
        # Nothing of it is used after a crash of the machine, so initdb need not flush its files.
        self.command("initdb", "--pgdata", data, "--username=postgres", "--auth=trust", "--encoding=UTF8",
                     "--locale=C.UTF-8", "--no-sync", "--no-instructions")
        options = self.settings | {"listen_addresses": "", "unix_socket_directories": self.folder}
        self.running = Running(
            "PostgreSQL", [self.programs / "postgres", "-D", data, *(
                word for name, value in options.items() for word in ("-c", f"{name}={value}"))],
            self.log, user=self.user, goodbye=signal.SIGINT, env=self.environment())
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder]
        self.running.wait_until(
            lambda: subprocess.run(ready, env=self.environment(), check=False).returncode == 0)
        self.query(f"CREATE ROLE {OWNER} LOGIN")

    def environment(self):
        """Without libpq's variables, which may name another server."""
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def command(self, program, *arguments):
        outcome = subprocess.run(
            [*(as_user(self.user) if self.user else []), self.programs / program, *map(str, arguments)], cwd="/",
            env=self.environment(), capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise Fault(f"{program} failed: {outcome.stderr[-1000:]}")

    def url(self, database=DATABASE):
        return f"postgresql://{OWNER}@/{database}?host={self.folder}"

    def psql(self, database, *arguments, user="postgres"):
        return [self.programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", user,
                "-d", database, *arguments]

    def query(self, *statements, database="postgres"):
        """Each statement in its own transaction. Returns what psql prints."""
        outcome = subprocess.run(
            self.psql(database, *(word for statement in statements for word in ("-c", statement))),
            env=self.environment(), capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise Fault(f"PostgreSQL: {outcome.stderr[-1000:]}")
        return outcome.stdout.strip()

    def version(self):
        return self.query("SHOW server_version").split()[0]

    def create(self, database):
        self.query(f"CREATE DATABASE {database} OWNER {OWNER}")

    def refill(self):
        """Makes the database of a measurement from the template."""
        # With the checkpoint, the next measurement does not pay for writing these files.
        self.query(
            f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)",
            f"CREATE DATABASE {DATABASE} OWNER {OWNER} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY", "CHECKPOINT")

    def cpu_seconds(self):
        return machine.tree_seconds(self.running.pid)
