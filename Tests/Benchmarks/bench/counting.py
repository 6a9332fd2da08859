"""Counts the instructions of the whole server for one request with callgrind. In place of nginx, one persistent
connection sends the requests one after another, so that every run does the same work."""

import itertools
import json
import shutil

from fastcgi import Front
from inprocess import collected_by_callgrind
from processes import Fault, Running, accepts

# The difference of two runs excludes the cost of start and stop.
FEW, MANY = 50, 250

# The parameters that nginx/snippets/gatehouse-api.conf sends.
USUAL = {
    "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "SERVER_NAME": "localhost", "SERVER_PORT": "443",
    "REQUEST_SCHEME": "https", "HTTPS": "on", "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": "40000", "QUERY_STRING": "",
    "CONTENT_TYPE": "", "CONTENT_LENGTH": "", "REQUEST_ID": "0123456789abcdef0123456789abcdef",
    "HTTP_X_REQUEST_ID": "0123456789abcdef0123456789abcdef", "HTTP_HOST": "localhost", "HTTP_USER_AGENT": "Bench/1",
    "HTTP_PROXY": ""}

# The parameters that gatehouse-internal.conf sends for the guard.
GUARD = {
    "REQUEST_METHOD": "GET", "DOCUMENT_URI": "/api/auth/verify", "CONTENT_LENGTH": "", "REMOTE_ADDR": "127.0.0.1",
    "REQUEST_ID": "0123456789abcdef0123456789abcdef", "HTTP_PROXY": ""}


class Asking:
    """Sends the requests of a workload and checks the answers."""

    def __init__(self, front, population, logins):
        self.front = front
        self.access = itertools.cycle(population.access.read_text().split())
        self.refresh = iter(population.refresh.read_text().split())
        self.logins = {kind: iter(path.read_text().splitlines()) for kind, path in logins.items()}

    def ask(self, workload):
        {"guard": self.guard, "me": self.me, "refresh": self.refresh_next, "login known": lambda: self.login("known"),
         "login new": lambda: self.login("new")}[workload]()

    def guard(self):
        self.expect("204", GUARD | {"HTTP_AUTHORIZATION": f"Bearer {next(self.access)}"})

    def me(self):
        self.expect("200", USUAL | self.line("GET", "/api/users/me") | {
            "HTTP_AUTHORIZATION": f"Bearer {next(self.access)}"})

    def login(self, kind):
        self.post("/api/auth/apple", next(self.logins[kind]))

    def refresh_next(self):
        self.post("/api/auth/refresh", json.dumps({"refreshToken": next(self.refresh)}, separators=(",", ":")))

    def post(self, path, body):
        self.expect("200", USUAL | self.line("POST", path) | {
            "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))}, body.encode())

    def line(self, method, path):
        return {"REQUEST_METHOD": method, "DOCUMENT_URI": path, "REQUEST_URI": path}

    def expect(self, status, parameters, body=b""):
        answer = self.front.ask(parameters, body)
        if not answer.startswith(f"Status: {status}".encode()):
            raise Fault(f"{parameters['DOCUMENT_URI']} answers {answer[:200].decode(errors='replace')}")


COUNTED = ["guard", "me", "login known", "login new", "refresh"]


def instructions_of_request(workload, stand, population, logins, profile):
    """Keeps the profile of the longer run for callgrind_annotate."""
    counts = []
    for count in (FEW, MANY):
        population.copy(stand.database)
        counts.append(counted_run(workload, count, stand, population, logins, profile))
    return (counts[1] - counts[0]) / (MANY - FEW)


def counted_run(workload, count, stand, population, logins, profile):
    log = stand.folder / "callgrind.log"
    log.unlink(missing_ok=True)
    server = Running(
        "gatehouse", ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
                      stand.tools.stripped_gatehouse, "serve"], log, env=stand.server_environment())
    try:
        server.wait_until(lambda: accepts(stand.socket), seconds=120)
        front = Front(stand.socket, patience=120)
        asking = Asking(front, population, logins)
        for _ in range(count):
            asking.ask(workload)
        front.close()
    finally:
        server.stop(patience=60)
    return collected_by_callgrind(log.read_text(errors="replace"))


def profiles_folder(tools):
    folder = tools.home / "profiles"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
