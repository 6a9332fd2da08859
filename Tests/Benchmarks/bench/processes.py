"""Processes that this program starts and stops."""

import pwd
import signal
import socket
import subprocess
import time


class Fault(Exception):
    """An error that ends the benchmark."""


class Invalid(Fault):
    """An error that makes one measurement invalid."""


def as_user(name):
    """The beginning of a command that runs as another user."""
    group = str(pwd.getpwnam(name).pw_gid)
    return ["setpriv", "--reuid", name, "--regid", group, "--init-groups"]


class Running:
    """A process with a log. The kernel ends it when this program is killed."""

    def __init__(self, name, command, log, env=None, goodbye=signal.SIGTERM, user=None):
        self.name, self.log, self.goodbye = name, log, goodbye
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                [*(as_user(user) if user else ["setpriv"]), "--pdeathsig", "TERM", "--", *map(str, command)],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=env, start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def wait_until(self, holds, seconds=30, every=0.01):
        deadline = time.monotonic() + seconds
        while not holds():
            if self.process.poll() is not None:
                raise Fault(f"{self.name} ended; its log is {self.log}")
            if time.monotonic() > deadline:
                raise Fault(f"{self.name} is not ready after {seconds} s; its log is {self.log}")
            time.sleep(every)

    def stop(self, patience=15):
        """Returns when the process has ended."""
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
    """Whether a server listens on a port of this machine or on the path of a Unix socket."""
    is_port = isinstance(place, int)
    with socket.socket(socket.AF_INET if is_port else socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(("127.0.0.1", place) if is_port else str(place))
            return True
        except OSError:
            return False
