"""Proofs of a bound session (RFC 9449)."""

import hashlib
import json
import secrets
import time

from tokens import base64url

# P-256: the x coordinate of the base point, and the order of the group (FIPS 186).
BASE_X = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551

# The key of RFC 7515, appendix A.3.
JWK = {
    "crv": "P-256", "kty": "EC", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
PRIVATE = 0x8e9b109e719098bf980487df1f5d77e9cb29606ebed2263b5f57c213df84f4b2


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


THUMBPRINT = base64url(hashlib.sha256(compact(JWK)).digest())


def signature(signed):
    """ECDSA with the number 1 in place of a random one, whose point is the base point. This reveals the private key, which
    is public anyway, and saves the arithmetic of the curve."""
    number = int.from_bytes(hashlib.sha256(signed).digest(), "big")
    return BASE_X.to_bytes(32, "big") + ((number + BASE_X * PRIVATE) % ORDER).to_bytes(32, "big")


def proof(method, url):
    claims = {"jti": base64url(secrets.token_bytes(16)), "htm": method, "htu": url, "iat": int(time.time())}
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": JWK}
    signed = f"{base64url(compact(header))}.{base64url(compact(claims))}"
    return f"{signed}.{base64url(signature(signed.encode()))}"
