"""A mail server for tests.

Its argument is a JSON object; each member is optional:
  tls          "implicit" or "starttls", with "certificate" and "key"
  auth         the mechanisms that EHLO names
  replies      replies by step, such as {"RCPT": "450 4.2.1 later"}; several lines are separated by \\n
  hang         the step at which it stops to answer
Steps: CONNECT, EHLO, STARTTLS, AUTH, MAIL, RCPT, DATA, MESSAGE, NOOP, QUIT.

Prints its port, and then one JSON object for each thing that happens.
"""

import base64
import json
import socket
import ssl
import sys
import threading

options = json.loads(sys.argv[1])
output = threading.Lock()


def record(**event):
    with output:
        print(json.dumps(event), flush=True)


class Conversation:
    def __init__(self, connection):
        self.connection = connection
        self.received = b""
        self.has_tls = False

    def run(self):
        if options.get("tls") == "implicit":
            self.start_tls()
        self.answer("CONNECT", "220 test ready")
        while True:
            line = self.line()
            if line is None:
                return
            self.handle(line)

    def start_tls(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.has_tls = True
        record(tls=True)

    def handle(self, line):
        words = line.split(" ")
        verb = words[0].upper()
        record(command=verb if verb == "AUTH" else line)
        if verb in ("EHLO", "HELO"):
            self.answer("EHLO", "\n".join(self.hello()))
        elif verb == "STARTTLS":
            self.answer("STARTTLS", "220 go ahead")
            if "STARTTLS" not in options.get("replies", {}):
                self.start_tls()
        elif verb == "AUTH":
            self.authenticate(words)
        elif verb == "DATA":
            self.data()
        elif verb == "QUIT":
            self.answer("QUIT", "221 bye")
            self.connection.close()
            raise ConnectionError
        else:
            self.answer(verb, "250 2.0.0 ok")

    def hello(self):
        lines = ["test", "SIZE 1000000", "8BITMIME"]
        if options.get("tls") == "starttls" and not self.has_tls:
            lines.append("STARTTLS")
        elif options.get("auth"):
            lines.append("AUTH " + " ".join(options["auth"]))
        return [f"250-{line}" for line in lines[:-1]] + [f"250 {lines[-1]}"]

    def authenticate(self, words):
        mechanism = words[1].upper()
        first = words[2] if len(words) > 2 else None
        if mechanism == "PLAIN":
            text = self.decoded(first or self.ask("334 "))
            _, user, password = text.split("\0")
        else:
            user = self.decoded(first or self.ask("334 VXNlcm5hbWU6"))
            password = self.decoded(self.ask("334 UGFzc3dvcmQ6"))
        record(login=[mechanism, user, password])
        self.answer("AUTH", "235 2.7.0 accepted")

    def data(self):
        if self.answer("DATA", "354 go ahead"):
            return
        lines = []
        while (line := self.line()) != ".":
            if line is None:
                return
            lines.append(line[1:] if line.startswith(".") else line)
        record(message="\r\n".join(lines) + "\r\n")
        self.answer("MESSAGE", "250 2.0.0 taken")

    def ask(self, reply):
        self.send(reply)
        return self.line()

    @staticmethod
    def decoded(text):
        return base64.b64decode(text).decode()

    def answer(self, step, usual):
        """Whether the reply is another one than the usual."""
        if options.get("hang") == step:
            record(hanging=step)
            while self.connection.recv(4096):
                pass
            raise ConnectionError
        reply = options.get("replies", {}).get(step)
        self.send(reply or usual)
        return reply is not None

    def send(self, reply):
        self.connection.sendall((reply.replace("\n", "\r\n") + "\r\n").encode())

    def line(self):
        while b"\r\n" not in self.received:
            piece = self.connection.recv(65536)
            if not piece:
                return None
            self.received += piece
        line, self.received = self.received.split(b"\r\n", 1)
        return line.decode("utf-8", "replace")


def serve(connection):
    try:
        Conversation(connection).run()
    except OSError as error:
        record(closed=type(error).__name__)


listener = socket.create_server(("127.0.0.1", 0))
record(port=listener.getsockname()[1])
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted,), daemon=True).start()
