"""Receives the text messages that Gatehouse posts to SMS_URL, verifies them, and gives each to a function that sends it.

The requests are signed as the Standard Webhooks specification says. Nothing here logs a number, a text or a code.
"""

import contextlib
import http.client
import json
import re
import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import Refusal, read_keys, setting, verify

# How long the ids of accepted messages are kept: a proxy in between may repeat a request. Longer than the time for which a
# request is valid.
ID_LIFETIME = 3600
LARGEST_BODY = 65536
# Gatehouse waits for 5 seconds.
GATEWAY_TIMEOUT = 4
CLIENT_TIMEOUT = 10
MOST_REQUESTS = 32


@dataclass(frozen=True)
class Message:
    to: str  # E.164, such as +8613800138000
    country: str  # ISO 3166, such as CN
    language: str
    text: str
    code: str | None  # None for a notice
    notice: str | None  # Such as phone_changed; later versions of Gatehouse may have others
    minutes: int | None  # How long a code is valid


# The client of Gatehouse gets 503 for each of them. What was certainly not sent (429, 403, 503) does not make the number wait;
# 403 is reported to the operator as a fault of the settings.
def limited(reason):
    return Refusal(429, reason)


def refused(reason):
    return Refusal(400, reason)


def misconfigured(reason):
    return Refusal(403, reason)


def unavailable(reason):
    return Refusal(503, reason)


def unanswered(reason):
    """The gateway may have sent the message."""
    return Refusal(504, reason)


# --- Settings ---------------------------------------------------------------------------------------------------------

def address_setting(name, default):
    """An address without a slash at its end. It gets credentials, so it is https, or on this machine."""
    address = setting(name, default).rstrip("/")
    parts = urllib.parse.urlsplit(address)
    if not parts.hostname or parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")):
        sys.exit(f"{name} must begin with https://")
    return address


# --- Messages ---------------------------------------------------------------------------------------------------------

def read_message(body):
    try:
        event = json.loads(body)
        data, is_code = event["data"], event["type"] == "sms.code"
        message = Message(
            to=data["to"], country=data["country"], language=data["language"], text=data["text"],
            code=data["code"] if is_code else None, notice=None if is_code else str(data.get("notice", "")),
            minutes=data["expiresIn"] // 60 if is_code else None)
        if re.fullmatch(r"\+[1-9][0-9]{6,14}", message.to) and (not is_code or re.fullmatch(r"[0-9]+", message.code)):
            return message
    except (ValueError, KeyError, TypeError):
        pass
    raise refused("malformed")


class Deliveries:
    """Sends each message once: Gatehouse sends one again, with the same id, if it did not get the answer."""

    def __init__(self):
        self.changed = threading.Condition()
        self.accepted, self.under_way = {}, set()

    def deliver(self, message_id, now, send):
        """Returns whether the message has been sent by this call."""
        with self.changed:
            # The outcome of the first request decides about a repeat.
            self.changed.wait_for(lambda: message_id not in self.under_way)
            self.accepted = {key: time for key, time in self.accepted.items() if time > now - ID_LIFETIME}
            if message_id in self.accepted:
                return False
            self.under_way.add(message_id)
        try:
            send()
            with self.changed:
                self.accepted[message_id] = now
        finally:
            with self.changed:
                self.under_way.remove(message_id)
                self.changed.notify_all()
        return True


# --- Serving ----------------------------------------------------------------------------------------------------------

class Receiver(BaseHTTPRequestHandler):
    """POST to any path. The server's attributes `keys`, `deliveries`, `places` and `send` are set by `make_server`."""

    timeout = CLIENT_TIMEOUT

    def do_POST(self):
        self.message_id = None
        try:
            status, reason = 202, "accepted" if self.receive() else "repeated"
        except Refusal as refusal:
            status, reason = refusal.status, refusal.reason
        except Exception as error:  # Its text could contain a part of the message.
            status, reason = 500, type(error).__name__
        # The id is logged only if it is Gatehouse's.
        print(f"{self.message_id or '-'} {status} {reason}", file=sys.stderr, flush=True)
        self.answer(status, reason)

    def receive(self):
        """Returns whether the message has been sent now."""
        message = read_message(self.read_signed_body())
        with self.place():
            return self.server.deliveries.deliver(self.message_id, time.time(), lambda: self.server.send(message))

    @contextlib.contextmanager
    def place(self):
        """Few requests wait for the gateway at a time. Taken when the request is verified, or a stranger could hold all."""
        if not self.server.places.acquire(blocking=False):
            raise unavailable("crowded")
        try:
            yield
        finally:
            self.server.places.release()

    def read_signed_body(self):
        body = self.read_body()
        self.message_id = verify(self.server.keys, self.headers, body, time.time())
        return body

    def read_body(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch(r"[0-9]{1,6}", length) or int(length) > LARGEST_BODY:
            self.close_connection = True
            raise Refusal(413, "length")
        return self.rfile.read(int(length))

    def answer(self, status, reason):
        self.answer_with(status, {"result": reason})

    def answer_with(self, status, value):
        body = json.dumps(value).encode()
        try:
            self.send_response_only(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # Gatehouse does not wait any more.
            self.close_connection = True

    def log_message(self, *_):
        """Not the lines of the base class, which contain what a client sends."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # A burst waits to be accepted. Beyond it, connections are reset.
    request_queue_size = 128

    def handle_error(self, *_):
        print(f"- - {type(sys.exception()).__name__}", file=sys.stderr, flush=True)


def make_server(send, keys, listen, receiver=Receiver):
    """A server that calls `send` with each Message. It raises a Refusal if the gateway does not accept it."""
    host, _, port = listen.rpartition(":")
    try:
        server = Server((host or "127.0.0.1", int(port)), receiver)
    except (ValueError, OverflowError):
        sys.exit("LISTEN must be address:port, such as 127.0.0.1:8480")
    except OSError as error:
        sys.exit(f"LISTEN: {error.strerror}")
    server.send, server.keys, server.deliveries = send, keys, Deliveries()
    server.places = threading.Semaphore(MOST_REQUESTS)
    return server


def serve(send):
    server = make_server(send, read_keys(setting("SMS_SECRET")), setting("LISTEN", "127.0.0.1:8480"))
    server.serve_forever()


# --- Asking a gateway -------------------------------------------------------------------------------------------------

class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the credentials elsewhere."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def ask(address, headers, body):
    """Posts to the gateway. Returns the status and the JSON object of the answer, which is {} for any other answer."""
    request = urllib.request.Request(address, data=body, headers=headers)
    try:
        deadline = time.monotonic() + GATEWAY_TIMEOUT
        with answer_of(request) as response:
            return response.status, as_object(read_until(deadline, response))
    except urllib.error.URLError as error:
        # Only without a connection is it certain that nothing was sent.
        certain = isinstance(error.reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))
        raise (unavailable("no_connection") if certain else unanswered("no_answer")) from None
    except (OSError, http.client.HTTPException):
        raise unanswered("no_answer") from None


def answer_of(request):
    try:
        return opener.open(request, timeout=GATEWAY_TIMEOUT)
    except urllib.error.HTTPError as error:
        return error


def read_until(deadline, response):
    """The body. The limit of a socket is that of each byte."""
    body = b""
    while part := response.read1(LARGEST_BODY - len(body)):
        body += part
        if time.monotonic() > deadline:
            raise unanswered("no_answer")
    return body


def as_object(body):
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def scalar(answer, name):
    value = answer.get(name)
    return value if isinstance(value, (str, int)) else None


def reason(status, code):
    """For the log: the code of the gateway, or the status of an answer without one."""
    return f"status_{status}" if code is None else word(code)


def word(value):
    """Anything that is not like a code could contain a number."""
    text = str(value)
    return text if re.fullmatch(r"[A-Za-z][A-Za-z._]{1,79}|[0-9]{4,5}", text) else "unknown"
