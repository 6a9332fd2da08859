"""A service that protects a resource with Authlib, and asks Gatehouse about each token that it gets (RFC 7662).

usage: introspecting-service.py ENDPOINT

Reads the service's own token and the token of a client, each on a line. Prints what the client gets as JSON.
"""

import json
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2 import OAuth2Error, OAuth2Request, ResourceProtector
from authlib.oauth2.rfc7662 import IntrospectTokenValidator

own, token = sys.stdin.read().split("\n")[:2]


class Validator(IntrospectTokenValidator):
    def introspect_token(self, text):
        session = OAuth2Session("any", token={"access_token": own, "token_type": "Bearer"})
        session.trust_env = False
        answer = session.post(sys.argv[1], data={"token": text, "token_type_hint": "access_token"}, timeout=20)
        answer.raise_for_status()
        return answer.json()


protector = ResourceProtector()
protector.register_token_validator(Validator())
request = OAuth2Request("GET", "https://service.example.com/", headers={"Authorization": "Bearer " + token})
try:
    claims = protector.validate_request(None, request)
    print(json.dumps({"status": 200, "user": claims["sub"]}))
except OAuth2Error as error:
    print(json.dumps({"status": error.status_code, "error": error.error}))
