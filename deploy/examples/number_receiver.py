"""Receives the questions of one-tap sign-in that Gatehouse posts to NUMBER_URL, verifies them, and exchanges each token for a
number.

The requests are signed as the Standard Webhooks specification says. The answer is {"phone": "+86…"} or {"error":
"invalid_token"}. Nothing here logs a number or a token. Nothing here remembers a token: Gatehouse asks about each once, and the
vendors accept each once.
"""

import contextlib
import json
import re
import sys

from sms_receiver import Receiver, make_server, refused, setting, unavailable
from webhooks import Refusal, read_keys


# What `gatehouse check` names as the gateway.
CHECK = "gatehouse-check"


class InvalidToken(Exception):
    """The vendor does not accept the token, with its code for the log."""


def read_question(body):
    """Returns the gateway and the token."""
    try:
        question = json.loads(body)
        gateway, token = question["data"]["gateway"], question["data"]["token"]
        if question["type"] == "number.exchange" and isinstance(gateway, str) and isinstance(token, str) and token:
            return gateway, token
    except (ValueError, KeyError, TypeError):
        pass
    raise refused("malformed")


class NumberReceiver(Receiver):
    """POST to any path. The server's attribute `send` takes the gateway and the token, and returns the number in E.164."""

    def do_POST(self):
        self.message_id = None
        try:
            question = read_question(self.read_signed_body())
            with self.place():
                number = self.server.send(*question)
            status, reason, answer = 200, "number", {"phone": number}
        except InvalidToken as fault:
            status, reason, answer = 200, f"invalid_token {fault}", {"error": "invalid_token"}
        except Refusal as refusal:
            status, reason, answer = refusal.status, refusal.reason, {"error": refusal.reason}
        except Exception as error:  # Its text could contain a part of the question.
            status, reason, answer = 500, type(error).__name__, {"error": "failed"}
        print(f"{self.message_id or '-'} {status} {reason}", file=sys.stderr, flush=True)
        self.answer_with(status, answer)


def of_the_mainland(digits):
    """The number in E.164. The vendors know the carriers of the mainland alone, and tell its national digits."""
    if not isinstance(digits, str) or not re.fullmatch(r"1[0-9]{10}", digits):
        raise unavailable("no_number")
    return "+86" + digits


def exchange(vendors):
    """A function for `make_server`. `vendors` has for each gateway that apps name a function from the token to the number."""
    def number(gateway, token):
        if gateway == CHECK:
            check(vendors, token)
        if gateway not in vendors:
            raise InvalidToken("unknown_gateway")
        return vendors[gateway](token)
    return number


def check(vendors, token):
    """Each vendor has to refuse the made-up token of `gatehouse check`: a wrong key ends with another answer."""
    for number in vendors.values():
        with contextlib.suppress(InvalidToken):
            number(token)


def serve(vendors):
    listen = setting("LISTEN", "127.0.0.1:8481")
    make_server(exchange(vendors), read_keys(setting("NUMBER_SECRET")), listen, NumberReceiver).serve_forever()
