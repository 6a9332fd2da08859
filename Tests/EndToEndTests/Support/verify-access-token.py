"""Verifies the access token on standard input as a service would that knows of Gatehouse what is public.

usage: verify-access-token.py KEY-SET-URL ALGORITHM ISSUER AUDIENCE

Prints the claims as JSON, or the name of the refusal, with exit status 1.
"""

import json
import socket
import sys

import jwt

url, algorithm, issuer, audience = sys.argv[1:]
socket.setdefaulttimeout(20)
token = sys.stdin.read()
try:
    # By the kid of the token's header.
    key = jwt.PyJWKClient(url).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token, key.key, algorithms=[algorithm], issuer=issuer, audience=audience,
        options={"require": ["iss", "aud", "exp"]})
except jwt.InvalidTokenError as refusal:
    print(type(refusal).__name__)
    sys.exit(1)
print(json.dumps(claims))
