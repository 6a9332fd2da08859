"""A receiver of events that behaves as it is told, and writes each request to a ledger before it answers.

usage: event-receiver.py PORT SECRET LEDGER BEHAVIOURS [--library]

BEHAVIOURS is a file with a word for each request, in the order of their arrival; the last word is for all that follow. The ledger
has a line of JSON for each request, and goes on after a restart. With --library, signatures are verified by the library of the
Standard Webhooks project, otherwise by deploy/examples/webhooks.py.
"""

import email.utils
import json
import os
import pathlib
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, SECRET, LEDGER, BEHAVIOURS = sys.argv[1:5]

if "--library" in sys.argv:
    from standardwebhooks.webhooks import Webhook

    def verify(body, headers):
        Webhook(SECRET).verify(body, {name.lower(): value for name, value in headers.items()})
else:
    sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "deploy/examples"))
    import webhooks

    def verify(body, headers):
        webhooks.verify(webhooks.read_keys(SECRET), headers, body, time.time())

lock = threading.Lock()
ledger = open(LEDGER, "a+", encoding="utf-8")
ledger.seek(0)
count = len(ledger.readlines())


def note(line):
    """Writes a line, and returns how this request is answered."""
    global count
    words = pathlib.Path(BEHAVIOURS).read_text(encoding="utf-8").split()
    with lock:
        behaviour = words[min(count, len(words) - 1)]
        count += 1
        line["behaviour"] = behaviour
        ledger.write(json.dumps(line) + "\n")
        ledger.flush()
        return behaviour


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        line = {"path": self.path, "id": self.headers["webhook-id"], "body": body.decode()}
        try:
            verify(body, self.headers)
            line["verified"] = True
        except Exception as error:
            line["verified"], line["error"] = False, f"{type(error).__name__} {error}"
        self.close_connection = True
        try:
            getattr(self, note(line))()
        except OSError:  # Gatehouse has closed the connection.
            pass

    def do_GET(self):
        note({"path": self.path, "id": None, "body": "{}", "verified": False})
        self.send_error(404)

    def status(self, status, *headers, body=b""):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def accept(self):
        self.status(204)

    def lie(self):
        self.status(200, ("Content-Type", "application/json"), body=b'{"error": "\xff\x00 not accepted')

    def flood(self):
        """Gigabytes."""
        self.send_response_only(200)
        self.send_header("Content-Length", str(8 << 30))
        self.end_headers()
        while True:
            self.wfile.write(bytes(1 << 20))

    def flood_of_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-Flood: " + b"x" * 8000 + b"\r\n")

    def no_http(self):
        self.wfile.write(b"\x16\x03\x01 200 OK\r\n\r\n")

    def drop(self):
        pass

    def fail(self):
        self.status(500, body=b"<html>" + b"x" * 100_000)

    def unknown(self):
        self.status(404)

    def redirect(self):
        self.status(307, ("Location", f"http://127.0.0.1:{PORT}/elsewhere"))

    def busy(self):
        self.status(429, ("Retry-After", "1"))

    def unavailable(self):
        self.status(503, ("Retry-After", email.utils.formatdate(time.time() + 2, usegmt=True)))

    def gone(self):
        self.status(410)

    def hold(self):
        """Until Gatehouse gives up."""
        while self.rfile.read(1):
            pass

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler)
server.daemon_threads = True
server.serve_forever()
