"""nginx with its production configuration, and behind it the server or the floor."""

import http.client
import json
import shutil
import signal
import ssl
import subprocess
import time

import machine
from fastcgi import Front
from processes import Fault, Running, accepts, free_port
from tokens import ACCESS, BUNDLE_ID, REFRESH

GUARDED_SITE = """location = /guarded {{
    include snippets/gatehouse-guard.conf;
    default_type text/plain;
    alias {file};
}}
"""

# Rate limits that no measurement reaches.
NO_LIMITS = [
    "LOGIN_RATE=1000000r/s", "LOGIN_BURST=1000000", "AUTH_RATE=1000000r/s", "AUTH_BURST=1000000",
    "API_RATE=1000000r/s", "API_BURST=1000000", "CONNECTIONS=65535"]


class FakeApple:
    """Publishes the key that signed the logins, and plays an OpenID provider and the gateway for codes."""

    def __init__(self, program, keys, folder):
        self.port = free_port()
        self.running = Running(
            "the fake Apple", [program, "serve", "--keys", keys, "--port", self.port], folder / "apple.log",
            env={"APPLE_BUNDLE_ID": BUNDLE_ID})
        try:
            self.running.wait_until(lambda: accepts(self.port))
        except Fault:
            self.running.stop()
            raise

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def stop(self):
        self.running.stop()


class Stand:
    """One nginx with one FastCGI server, whose store is SQLite unless a PostgreSQL is given."""

    def __init__(self, tools, folder, apple, postgresql=None):
        self.tools, self.folder, self.apple, self.postgresql = tools, folder, apple, postgresql
        self.port = free_port()
        self.socket = folder / "responder.sock"
        self.database = folder / "gatehouse.db"
        self.responder = self.nginx = None

    def server_environment(self):
        return {
            "GATEHOUSE_CONFIG": "", "SWIFT_BACKTRACE": "enable=no", "APP_ENV": "production",
            "LISTEN": f"unix:{self.socket}",
            "DATABASE_URL": self.postgresql.url() if self.postgresql else f"sqlite:{self.database}",
            "JWT_ACCESS_SECRET": ACCESS.text, "JWT_REFRESH_SECRET": REFRESH.text, "APPLE_BUNDLE_ID": BUNDLE_ID,
            "APPLE_JWKS_URL": f"{self.apple.origin}/auth/keys"}

    def start_server(self):
        self.start(Running(
            "gatehouse", [self.tools.gatehouse, "serve"], self.folder / "gatehouse.log",
            env=self.server_environment()))

    def start_floor(self, answers):
        """With one thread per processor, because no thread waits for a connection."""
        self.start(Running(
            "the floor", [self.tools.floor, self.socket, machine.CORES, answers], self.folder / "floor.log"))

    def start(self, responder):
        self.responder = responder
        responder.wait_until(lambda: accepts(self.socket))
        self.write_site()
        self.nginx = Running(
            "nginx", ["nginx", "-p", self.folder / "nginx", "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;"],
            self.folder / "nginx.log", goodbye=signal.SIGQUIT)
        self.nginx.wait_until(lambda: accepts(self.port))

    def write_site(self):
        target, checkout = self.folder / "nginx", self.tools.checkout
        subprocess.run(
            [checkout / "deploy/lib/render-nginx", target, checkout / "nginx/local.values",
             f"RESPONDER=unix:{self.socket}", f"LISTEN_HTTPS=127.0.0.1:{self.port}", "LISTEN_HTTPS_6=", "LISTEN_HTTP=",
             "LISTEN_HTTP_6=", f"HTTPS_ORIGIN=https://localhost:{self.port}", *NO_LIMITS], check=True)
        subprocess.run([checkout / "deploy/lib/certificate", target], check=True)
        guarded = target / "guarded.txt"
        guarded.write_text("guarded\n")
        (target / "gatehouse.d").mkdir(exist_ok=True)
        (target / "gatehouse.d/guarded.conf").write_text(GUARDED_SITE.format(file=guarded))

    def call(self, method, path, body=None, bearer=None):
        """Sends a request over TLS."""
        context = ssl.create_default_context(cafile=self.folder / "nginx/certificate.pem")
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=10, context=context)
        headers = {"Content-Type": "application/json"} if body else {}
        if bearer:
            headers["Authorization"] = f"Bearer {bearer}"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def used(self):
        """Seconds of processor time of the FastCGI server and of nginx."""
        front = [self.nginx.pid, *machine.children(self.nginx.pid)]
        return machine.cpu_seconds(self.responder.pid), sum(machine.cpu_seconds(pid) for pid in front)

    def database_seconds(self):
        """Seconds of processor time of the database server. SQLite is part of the FastCGI server."""
        return self.postgresql.cpu_seconds() if self.postgresql else 0.0

    def commits(self):
        """The transactions of the server so far, and the writes that shared them."""
        front = Front(self.socket)
        try:
            return commits_in(front.ask({
                "REQUEST_METHOD": "GET", "DOCUMENT_URI": "/metrics", "REMOTE_ADDR": "127.0.0.1"}).decode())
        finally:
            front.close()

    def unexpected_answers(self):
        """The number of failed answers by status in nginx's log. 499 is a connection that wrk closed at its end."""
        found = {}
        with open(self.folder / "nginx/logs/gatehouse.access.log", encoding="utf-8", errors="replace") as file:
            for line in file:
                status = line.partition('"status":')[2][:3]
                if not status.startswith("2") and status != "499":
                    found[status] = found.get(status, 0) + 1
        return found

    def stop(self):
        for running in (self.nginx, self.responder):
            if running:
                running.stop()


def commits_in(metrics):
    """The number of transactions, and of the writes in them."""
    values = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if line.startswith("gatehouse_store_commit_writes"))
    try:
        return [float(values[f"gatehouse_store_commit_writes_{name}"]) for name in ("count", "sum")]
    except KeyError as name:
        raise Fault(f"the server has no metric {name}") from None


def fresh_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def record_answers(stand, population, logins, folder):
    """Records one answer of the server to each request, for the floor."""
    access = first_line(population.access)
    bodies = {
        "me": stand.call("GET", "/api/users/me", bearer=access),
        "login": stand.call("POST", "/api/auth/apple", first_line(logins)),
        "refresh": stand.call("POST", "/api/auth/refresh", json.dumps({"refreshToken": first_line(population.refresh)}))}
    guarded = stand.call("GET", "/guarded", bearer=access)
    for name, (status, body) in [*bodies.items(), ("guarded", guarded)]:
        if status != 200:
            raise Fault(f"{name} answers {status}: {body[:300].decode(errors='replace')}")
    for name, (_, body) in bodies.items():
        (folder / name).write_bytes(body)


def first_line(path):
    with open(path, encoding="utf-8") as file:
        return file.readline().strip()


def wait_for_answer(client, deadline=30):
    """Seconds until the server answers."""
    began = time.perf_counter()
    while time.perf_counter() - began < deadline:
        try:
            client()
            return time.perf_counter() - began
        except (ConnectionError, FileNotFoundError):
            time.sleep(0.0005)
    raise Fault(f"the server did not answer within {deadline} s")
