"""Verifies the access token on standard input with the public key set, as another service would.

usage: verify-access-token.py KEY-SET-URL ALGORITHM ISSUER AUDIENCE

Prints the claims as JSON, or the name of the error with exit status 1.
"""

import json
import socket
import sys

import jwt

url, algorithm, issuer, audience = sys.argv[1:]
socket.setdefaulttimeout(20)
token = sys.stdin.read()
try:
    # Selects the key by the kid in the header.
    key = jwt.PyJWKClient(url).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token, key.key, algorithms=[algorithm], issuer=issuer, audience=audience,
        options={"require": ["iss", "aud", "exp"]})
except jwt.InvalidTokenError as error:
    print(type(error).__name__)
    sys.exit(1)
print(json.dumps(claims))
