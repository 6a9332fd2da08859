"""What the tests of deploy/examples share: the programs, a sender of signed messages, and fakes of gateways."""

import base64
import contextlib
import hashlib
import hmac
import http.client
import io
import json
import os
import pathlib
import sys
import threading
import time
import unittest
import unittest.mock
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "deploy/examples"))

import number_receiver  # noqa: E402
import sms_receiver  # noqa: E402

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()
NUMBER = "+8613800138000"
CODE = "042137"
TEXT = "[App] Your code is 042137."
# Of Aliyun.
KEY_ID, KEY_SECRET = "testid", "testsecret"


def body(**changes):
    data = {"to": NUMBER, "country": "CN", "code": CODE, "language": "en", "text": TEXT, "expiresIn": 600} | changes
    return json.dumps({"type": "sms.code", "timestamp": "2026-11-25T12:00:00Z", "data": data}).encode()


def notice(**changes):
    data = {"to": NUMBER, "country": "CN", "notice": "phone_changed", "language": "en", "text": "It changed."} | changes
    return json.dumps({"type": "sms.notice", "timestamp": "2026-11-25T12:00:00Z", "data": data}).encode()


def signed(content, message_id="msg_1", timestamp=None, key=KEY):
    """The header fields of a message."""
    timestamp = str(int(time.time()) if timestamp is None else timestamp)
    tag = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + content, "sha256")
    return {
        "content-type": "application/json", "webhook-id": message_id, "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + base64.b64encode(tag).decode()}


class Serving:
    """Serves on a port of this machine until it is closed."""

    def __init__(self, server):
        self.server, self.port = server, server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def post(port, content, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(connection):
        connection.request("POST", "/", content, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def aliyun_call(path, content, action):
    """The fault of a signed POST, as the documentation of Aliyun describes it, or None; and its parameters."""
    fields = urllib.parse.parse_qsl(content.decode(), keep_blank_values=True, strict_parsing=True)
    given = dict(fields)
    tag = given.pop("Signature", "")

    def percent(text):
        return urllib.parse.quote_plus(text).replace("+", "%20").replace("*", "%2A").replace("%7E", "~")

    query = "&".join(sorted(percent(name) + "=" + percent(value) for name, value in given.items()))
    text = "POST&%2F&" + percent(query)
    expected = base64.b64encode(hmac.new((KEY_SECRET + "&").encode(), text.encode(), hashlib.sha1).digest()).decode()
    fault = None
    if given.get("AccessKeyId") != KEY_ID:
        fault = 404, {"Code": "InvalidAccessKeyId.NotFound", "Message": "Specified access key is not found."}
    elif len(fields) != len(given) + 1 or path != "/" or tag != expected:
        fault = 400, {"Code": "SignatureDoesNotMatch", "Message": "Specified signature is not matched."}
    elif given.get("Action") != action or given.get("Version") != "2017-05-25" or given.get("Format") != "JSON":
        fault = 400, {"Code": "InvalidParameter"}
    return fault, given


class Gateway:
    """A server whose `check` gets the method, the path, the header fields and the body of a request, and returns the
    status and the JSON of the answer. It may be replaced by `answer`."""

    def __init__(self, check):
        self.check, self.answer, self.requests = check, None, []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                content = self.rfile.read(int(self.headers["content-length"]))
                checked = gateway.check(self.path, self.headers, content)
                gateway.requests.append((self.path, self.headers, content))
                status, value = gateway.answer or checked
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response_only(status)
                if status == 302:
                    self.send_header("Location", "/redirected")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                gateway.requests.append((self.path, self.headers, b""))
                self.send_error(404)

            def log_message(self, *_):
                pass

        self.serving = Serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        self.url = f"http://127.0.0.1:{self.serving.port}"


class ReceiverTest(unittest.TestCase):
    """Has a receiver that calls `send`, and its log."""

    def receive_with(self, send, keys=(KEY,)):
        self.receiver = Serving(sms_receiver.make_server(send, list(keys), "127.0.0.1:0"))
        self.addCleanup(self.receiver.close)
        self.log = io.StringIO()
        self.enterContext(contextlib.redirect_stderr(self.log))

    def post(self, content=None, headers=None, **options):
        content = body() if content is None else content
        status, answer = post(self.receiver.port, content, headers or signed(content, **options))
        return status, answer["result"]

    def assert_nothing_is_logged(self):
        for word in (NUMBER, NUMBER[3:], CODE, TEXT, "changed"):
            self.assertNotIn(word, self.log.getvalue())


class GatewayTest(ReceiverTest):
    """Has a receiver for a gateway, which is told to it by the environment."""

    def serve(self, sender):
        self.receive_with(sender.send)

    def start(self, make, check, **environment):
        self.gateway = Gateway(check)
        self.addCleanup(self.gateway.serving.close)
        variables = {name: value.replace("GATEWAY", self.gateway.url) for name, value in environment.items()}
        with unittest.mock.patch.dict(os.environ, variables):
            self.serve(make())


class NumberTest(GatewayTest):
    """The same for tokens of one-tap sign-in: `make` returns the vendors."""

    def serve(self, vendors):
        server = number_receiver.make_server(
            number_receiver.exchange(vendors), [KEY], "127.0.0.1:0", number_receiver.NumberReceiver)
        self.receiver = Serving(server)
        self.addCleanup(self.receiver.close)
        self.log = io.StringIO()
        self.enterContext(contextlib.redirect_stderr(self.log))

    def question(self, gateway, token):
        data = {"gateway": gateway, "token": token}
        return json.dumps({"type": "number.exchange", "timestamp": "2026-11-25T12:00:00Z", "data": data}).encode()

    def send(self, content, headers):
        return post(self.receiver.port, content, headers)

    def ask(self, gateway, token):
        content = self.question(gateway, token)
        return self.send(content, signed(content))

    def assert_nothing_is_logged(self, token):
        for word in (NUMBER, NUMBER[3:], token):
            self.assertNotIn(word, self.log.getvalue())
