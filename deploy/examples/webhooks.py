"""Verifies requests that are signed as the Standard Webhooks specification says, such as Gatehouse's."""

import base64
import hmac
import os
import re
import sys

# How far the time of a request may be from the time here, in seconds.
TOLERANCE = 300


class Refusal(Exception):
    """Why a request is refused: the status for Gatehouse, and a word for the log without anything of the request."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status, self.reason = status, reason


def setting(name, default=None):
    """The value of the variable NAME, or the content of the file that NAME_FILE names."""
    value = os.environ.get(name, "").strip()
    if not value and os.environ.get(name + "_FILE"):
        try:
            with open(os.environ[name + "_FILE"], encoding="utf-8") as file:
                value = file.read().strip()
        except (OSError, ValueError) as error:
            sys.exit(f"{name}_FILE: {getattr(error, 'strerror', None) or 'no text in UTF-8'}")
    if value or default is not None:
        return value or default
    sys.exit(f"{name} is not set: set it, or {name}_FILE")


def read_keys(text):
    """The keys of secrets such as whsec_…, which spaces or newlines separate. Several are for a rotation."""
    keys = []
    for secret in text.split():
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except ValueError:
            key = b""
        if not secret.startswith("whsec_") or not 24 <= len(key) <= 64:
            sys.exit("a key must be whsec_ and base64 of 24 to 64 bytes")
        keys.append(key)
    return keys


def verify(keys, headers, body, now):
    """Returns the id of the request, or raises a Refusal."""
    message_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise Refusal(401, "unsigned")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE:
        raise Refusal(401, "wrong_time")
    content = f"{message_id}.{timestamp}.".encode() + body
    tags = [base64.b64encode(hmac.digest(key, content, "sha256")) for key in keys]
    # The specification separates signatures by a space; some senders add a comma.
    for entry in signatures.split():
        version, _, tag = entry.rstrip(",").partition(",")
        if version == "v1" and any([hmac.compare_digest(tag.encode(), own) for own in tags]):
            return message_id
    raise Refusal(401, "wrong_signature")
