"""Tokens that the server accepts, because they are signed with the secrets of the benchmark."""

import base64
import hashlib
import hmac
import json
import secrets


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Secret:
    """A secret as in the server's settings, and the key id that the server derives from it."""

    def __init__(self, text):
        self.text = text
        self.key = text.encode()
        self.key_id = base64url(hmac.digest(self.key, b"gatehouse key id", "sha256")[:6])

    def token(self, kind, claims):
        header = {"alg": "HS256", "kid": self.key_id, "typ": kind}
        head, body = (base64url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
        signed = f"{head}.{body}"
        return f"{signed}.{base64url(hmac.digest(self.key, signed.encode(), 'sha256'))}"


ACCESS = Secret("an access secret that is worth nothing 0123456789")
REFRESH = Secret("a refresh secret that is worth nothing 012345678")
BUNDLE_ID = "com.example.app"

REFRESH_LIFETIME = 30 * 86_400


def access_token(user, session, now):
    """Valid for half a day: longer than any run, and not longer than the server accepts."""
    return ACCESS.token("at+jwt", {
        "iss": "gatehouse", "aud": "gatehouse", "client_id": BUNDLE_ID, "sub": user, "sid": session, "role": "USER",
        "iat": now, "exp": now + 43_200, "jti": "at_01BENCH" + secrets.token_hex(10)[:19].upper()})


def refresh_token(user, session, now):
    return REFRESH.token("rt+jwt", {
        "sub": user, "sid": session, "gen": 1, "jti": base64url(secrets.token_bytes(16)), "iat": now,
        "exp": now + REFRESH_LIFETIME})


def digest(token):
    """The hash of a refresh token that the server stores."""
    return hashlib.sha256(token.encode()).digest()
