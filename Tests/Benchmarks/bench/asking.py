"""The requests whose instructions are counted."""

import collections
import itertools
import json

from population import relay_address, subject
from processes import Fault
from proofs import proof

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

REFRESH_URL = "https://localhost/api/auth/refresh"

# The first of the sessions with known tokens that are bound to the key of the proofs.
FIRST_BOUND = 10_000


def number_and_network(user):
    """The phone number of a user, and an address from which a code is asked for. No two numbers differ in the last four
    digits only, and no two addresses are of one network, because the limits count such ones together."""
    return f"+86138{user:04d}0000", f"10.{user // 256}.{user % 256}.1"


class Asking:
    """Sends the requests of a workload and checks the answers."""

    def __init__(self, population, logins, apple=None):
        self.front, self.apple = None, apple
        self.access = itertools.cycle(population.access.read_text().split())
        tokens = population.refresh.read_text().split()
        self.refresh, self.bound = iter(tokens[:FIRST_BOUND]), iter(tokens[FIRST_BOUND:])
        self.logins = {kind: iter(path.read_text().splitlines()) for kind, path in logins.items()}
        self.subjects = map(subject, range(population.users))
        self.addresses, self.codes = map(number_and_network, range(population.users)), collections.deque()

    def guard(self):
        self.expect("204", GUARD | {"HTTP_AUTHORIZATION": f"Bearer {next(self.access)}"})

    def me(self):
        self.expect("200", USUAL | line("GET", "/api/users/me") | {
            "HTTP_AUTHORIZATION": f"Bearer {next(self.access)}"})

    def export(self):
        self.expect("200", USUAL | line("GET", "/api/users/me/export") | {
            "HTTP_AUTHORIZATION": f"Bearer {next(self.access)}"})

    def logout(self):
        self.post("/api/auth/logout", compact({"refreshToken": next(self.refresh)}), "204")

    def login_known(self):
        self.post("/api/auth/apple", next(self.logins["known"]))

    def login_new(self):
        self.post("/api/auth/apple", next(self.logins["new"]))

    def login_openid(self):
        name = next(self.subjects)
        minted = self.apple.ask("POST", "/openid/acme/mint", {"sub": name, "email": relay_address(name)})
        self.post("/api/auth/identity", compact({"provider": "acme"} | minted))

    def send_code(self):
        number, network = next(self.addresses)
        sent = self.post("/api/auth/codes", compact({"channel": "phone", "to": number}), "202", REMOTE_ADDR=network)
        message = self.apple.ask("GET", f"/inbox?to={number}")["messages"][0]
        self.codes.append((json.loads(sent)["codeId"], message["code"]))

    def login_code(self):
        identifier, code = self.codes.popleft()
        self.post(f"/api/auth/codes/{identifier}", compact({"code": code}))

    def refresh_next(self):
        self.post("/api/auth/refresh", compact({"refreshToken": next(self.refresh)}))

    def refresh_bound(self):
        self.post("/api/auth/refresh", compact({"refreshToken": next(self.bound)}), HTTP_DPOP=proof("POST", REFRESH_URL),
                  GATEHOUSE_DPOP_TARGET=f"POST {REFRESH_URL}")

    def refresh_form(self):
        """As an OAuth library does it."""
        self.post("/api/auth/exchange", f"grant_type=refresh_token&refresh_token={next(self.refresh)}",
                  CONTENT_TYPE="application/x-www-form-urlencoded")

    def post(self, path, body, status="200", **more):
        return self.expect(status, USUAL | line("POST", path) | {
            "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))} | more, body.encode())

    def expect(self, status, parameters, body=b""):
        answer = self.front.ask(parameters, body)
        if not answer.startswith(f"Status: {status}".encode()):
            raise Fault(f"{parameters['DOCUMENT_URI']} answers {answer[:200].decode(errors='replace')}")
        return answer.partition(b"\r\n\r\n")[2]


def line(method, path):
    return {"REQUEST_METHOD": method, "DOCUMENT_URI": path, "REQUEST_URI": path}


def compact(value):
    return json.dumps(value, separators=(",", ":"))
