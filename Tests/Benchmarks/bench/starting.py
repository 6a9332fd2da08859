"""The time from the start of the server to its first answer, and the size of the program."""

import statistics
import subprocess
import time

from fastcgi import ask_for_health
from processes import Running
from stand import wait_for_answer


def measure_starts(stand, times):
    """Milliseconds, with the database of the stand."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        server = Running(
            "gatehouse", [stand.tools.gatehouse, "serve"], stand.folder / "starts.log", env=stand.server_environment())
        try:
            wait_for_answer(lambda: ask_for_health(stand.socket))
            found.append(1000 * (time.perf_counter() - began))
        finally:
            server.stop()
    return {"median_ms": statistics.median(found), "range_ms": [min(found), max(found)], "times": times}


def stripped_bytes(program, folder):
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    size = stripped.stat().st_size
    stripped.unlink()
    return size
