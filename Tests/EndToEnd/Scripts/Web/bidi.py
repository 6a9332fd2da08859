"""WebDriver BiDi, the protocol that Firefox speaks itself: Debian 12 has no geckodriver, which Selenium would need."""

import itertools
import json

import websocket


class Refused(Exception):
    """The browser has not carried a command out."""


class BiDi:
    def __init__(self, port):
        self.numbers = itertools.count(1)
        # A browser refuses the Origin that the library would send.
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/session", timeout=120, suppress_origin=True, http_no_proxy=["127.0.0.1"])

    def send(self, method, **parameters):
        """Sends a command, such as browsingContext.navigate, and returns its result."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                break
        if answer["type"] != "success":
            raise Refused(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def close(self):
        self.socket.close()
