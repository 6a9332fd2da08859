"""Marionette, Firefox's own protocol: WebDriver BiDi has no virtual authenticators."""

import itertools
import json
import socket


class Marionette:
    def __init__(self, port):
        self.numbers = itertools.count(1)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.receive()

    def send(self, command, **parameters):
        """Sends a command that needs no session, and returns its result."""
        message = json.dumps([0, next(self.numbers), command, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self.receive()
        assert error is None, f"{command}: {error}"
        return result

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))
