"""Processes that this program has started, and stops."""

import signal
import socket
import subprocess
import time


class Fault(Exception):
    """What keeps the benchmark from going on."""


class Invalid(Fault):
    """A measurement that has been made and is worth nothing."""


class Running:
    """A process with its log. It is told to end, too, should this one be killed."""

    def __init__(self, name, command, log, env=None, goodbye=signal.SIGTERM):
        self.name, self.log, self.goodbye = name, log, goodbye
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "--", *map(str, command)], stdin=subprocess.DEVNULL, stdout=file,
                stderr=file, env=env, start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def wait_until(self, holds, seconds=30):
        deadline = time.monotonic() + seconds
        while not holds():
            if self.process.poll() is not None:
                raise Fault(f"{self.name} has ended; its log is {self.log}")
            if time.monotonic() > deadline:
                raise Fault(f"{self.name} does not come up; its log is {self.log}")
            time.sleep(0.01)

    def stop(self):
        """Returns when it has ended."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(self.goodbye)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
