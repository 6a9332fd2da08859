"""pgbench with the UPDATE of a rotation: what PostgreSQL does when each refresh is a transaction of its own."""

import re
import subprocess
import time

import machine
from postgresql import DATABASE, OWNER
from processes import Fault

THREADS = 2

# The id of one of the sessions with known tokens, which are those that refreshes through nginx rotate.
SCRIPT = """\\set n random(0, {known} - 1)
\\set place :n * {sessions} / {known}
UPDATE refresh_tokens SET generation = generation + 1, previous_hash = token_hash, token_hash = :hash,
    token_random = :random, rotated_at = :now, expires_at = :now, updated_at = :now, last_user_agent = :agent,
    last_address = :address, confirmed_at = NULL, repeats = 0, repeat_user_agent = NULL, repeat_address = NULL
WHERE id = 'sess_01BENCH' || lpad(:place, 19, '0') AND generation > 0 AND revoked_at IS NULL;
"""

VARIABLES = {
    "hash": r"\x" + "5a" * 32, "random": r"\x" + "a5" * 16, "agent": "Bench/1", "address": "127.0.0.1"}

PROGRESS = re.compile(r"progress: ([\d.]+) s, ([\d.]+) tps, lat ([\d.]+) ms stddev ([\d.]+)(?:, (\d+) failed)?")


def script(population):
    return SCRIPT.format(known=population.known_count, sessions=population.sessions)


def progress(line):
    """The time in seconds, the rate and the mean latency in milliseconds since the line before; None for another line."""
    found = PROGRESS.match(line)
    if not found:
        return None
    if int(found[5] or 0):
        raise Fault(f"transactions of pgbench failed: {line.strip()}")
    return float(found[1]), float(found[2]), float(found[3])


class Window:
    """What was used and done between two lines of progress."""

    def __init__(self, postgresql, pgbench):
        self.postgresql, self.pgbench = postgresql, pgbench
        self.began, self.transactions, self.milliseconds = None, 0.0, 0.0
        self.busy = self.used = None

    def read(self):
        return machine.machine_seconds(), (self.postgresql.cpu_seconds(), machine.cpu_seconds(self.pgbench.pid))

    def begin(self, seconds):
        self.began = self.last = seconds
        self.busy, self.used = self.read()

    def add(self, seconds, rate, latency):
        done = rate * (seconds - self.last)
        self.transactions += done
        self.milliseconds += latency * done
        self.last = seconds

    def end(self):
        (busy, stolen), (database, client) = self.read()
        database, client = database - self.used[0], client - self.used[1]
        whole = (self.last - self.began) * machine.CORES
        return {
            "transactions": round(self.transactions),
            "transactions_per_second": self.transactions / (self.last - self.began),
            "database_cpu_us": database / self.transactions * 1e6, "client_cpu_us": client / self.transactions * 1e6,
            "mean_ms": self.milliseconds / self.transactions,
            "others_percent": max(0.0, 100 * (busy - self.busy[0] - database - client) / whole),
            "stolen_percent": 100 * (stolen - self.busy[1]) / whole}


def measure(postgresql, population, connections, warm_up, seconds, folder):
    """Reads the processor time at the beginning and the end of the measured seconds, when all clients are connected."""
    postgresql.refill()
    file = folder / "rotation.sql"
    file.write_text(script(population))
    variables = VARIABLES | {"now": str(int(time.time()) * 1000)}
    pgbench = subprocess.Popen(
        [postgresql.programs / "pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j",
         str(min(THREADS, connections)), "-T", str(warm_up + seconds + 1), "-P", "1", "-f", file,
         *(word for name, value in variables.items() for word in ("-D", f"{name}={value}")),
         "-h", postgresql.folder, "-U", OWNER, DATABASE],
        env=postgresql.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, bufsize=1)
    try:
        return read_off(pgbench, Window(postgresql, pgbench), warm_up, seconds)
    finally:
        if pgbench.poll() is None:
            pgbench.kill()
            pgbench.wait()
        pgbench.stdout.close()


def read_off(pgbench, window, warm_up, seconds):
    result, told = None, []
    for text in pgbench.stdout:
        told.append(text)
        if result or not (mark := progress(text)):
            continue
        if window.began is not None:
            window.add(*mark)
            if mark[0] > warm_up + seconds - 0.5:
                result = window.end()
        elif mark[0] > warm_up - 0.5:
            window.begin(mark[0])
    if pgbench.wait() != 0 or not result:
        raise Fault(f"pgbench failed: {''.join(told)[-1000:]}")
    return result
