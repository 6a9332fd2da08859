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

    def stop(self, patience=15):
        """Returns when it has ended."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(self.goodbye)
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts(place):
    """Whether somebody listens: at a port of this machine, or at a socket's path."""
    is_port = isinstance(place, int)
    with socket.socket(socket.AF_INET if is_port else socket.AF_UNIX) as knocking:
        knocking.settimeout(1)
        try:
            knocking.connect(("127.0.0.1", place) if is_port else str(place))
            return True
        except OSError:
            return False
