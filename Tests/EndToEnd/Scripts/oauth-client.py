"""Signs in through a browser as a program does that knows OAuth and not Gatehouse: with Authlib, oauthlib, or
requests_oauth2client, which binds its session to a key (DPoP) and revokes it.

usage: oauth-client.py LIBRARY SERVER CERTIFICATE PUBLIC-URL PROVIDER REDIRECT-URI

Plays the browser itself: it keeps the cookies of SERVER, sends the form of the stand-in's page, and follows each redirect.
Addresses of PUBLIC-URL lead to SERVER. Prints what it has got as JSON.
"""

import json
import os
import sys

import requests

library, server, certificate, public, provider, redirect = sys.argv[1:]
start = f"{server}/api/auth/{provider}/start"
exchange = f"{server}/api/auth/exchange"
me = f"{server}/api/users/me"
browser = requests.Session()
# A bundle in the environment would take the place of the certificate.
browser.trust_env = False
browser.verify = certificate


def follow(address):
    """The address of the app at which the browser arrives."""
    page = browser.get(address, allow_redirects=False).headers["Location"]
    callback = requests.post(page, data={"user": "ann", "action": "continue"}, allow_redirects=False).headers["Location"]
    return browser.get(callback.replace(public, server, 1), allow_redirects=False).headers["Location"]


def with_authlib():
    from authlib.integrations.requests_client import OAuth2Session

    session = OAuth2Session(
        "any", redirect_uri=redirect, scope="openid profile", code_challenge_method="S256",
        token_endpoint_auth_method="none")
    session.trust_env = False
    session.verify = certificate
    verifier = "authlib-" + "v" * 48
    address, state = session.create_authorization_url(start, code_verifier=verifier)
    token = session.fetch_token(
        exchange, authorization_response=follow(address), state=state, code_verifier=verifier)
    user = session.get(me).json()
    refreshed = session.refresh_token(exchange, refresh_token=token["refresh_token"])
    return token, user, refreshed, session.get(me).status_code


def with_oauthlib():
    from oauthlib.oauth2 import WebApplicationClient

    # It refuses the redirect addresses of apps and programs otherwise, which are not https.
    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    client = WebApplicationClient("any")
    verifier = client.create_code_verifier(64)
    challenge = client.create_code_challenge(verifier, "S256")
    address, _, _ = client.prepare_authorization_request(
        start, redirect_url=redirect, code_challenge=challenge, code_challenge_method="S256", state="the state")
    client.parse_request_uri_response(follow(address), state="the state")

    def post(prepared):
        url, headers, body = prepared
        answer = requests.post(url, headers=headers, data=body, verify=certificate)
        return client.parse_request_body_response(answer.text)

    token = post(client.prepare_token_request(exchange, redirect_url=redirect, code_verifier=verifier))
    url, headers, _ = client.add_token(me)
    user = requests.get(url, headers=headers, verify=certificate).json()
    refreshed = post(client.prepare_refresh_token_request(exchange, refresh_token=token["refresh_token"]))
    url, headers, _ = client.add_token(me)
    return token, user, refreshed, requests.get(url, headers=headers, verify=certificate).status_code


class PublicURL(requests.adapters.HTTPAdapter):
    """A proof has the address of the request, so the client sends its requests to the public one."""

    def send(self, request, **options):
        request.url = request.url.replace(public, server, 1)
        return super().send(request, **{**options, "verify": certificate})


def with_requests_oauth2client():
    from requests_oauth2client import OAuth2Client

    session = requests.Session()
    session.trust_env = False
    session.mount(public, PublicURL())
    client = OAuth2Client(
        token_endpoint=f"{public}/api/auth/exchange", revocation_endpoint=f"{public}/api/auth/revoke",
        authorization_endpoint=start, redirect_uri=redirect, client_id="any", session=session, testing=True)
    request = client.authorization_request(scope="profile", dpop=True)
    token = client.authorization_code(request.validate_callback(follow(str(request))), validate=False)

    def ask(token):
        return session.get(f"{public}/api/users/me", auth=token)

    user = ask(token).json()
    refreshed = client.refresh_token(token)
    status = ask(refreshed).status_code
    assert client.revoke_refresh_token(refreshed), "the revocation is refused"
    assert ask(refreshed).json()["code"] == "session_revoked"
    return token.as_dict(), user, refreshed.as_dict(), status


clients = {
    "authlib": with_authlib, "oauthlib": with_oauthlib, "requests_oauth2client": with_requests_oauth2client}
token, user, refreshed, status = clients[library]()
print(json.dumps({
    "tokenType": token["token_type"], "expiresIn": token["expires_in"], "user": user.get("id"),
    "rotated": refreshed["refresh_token"] != token["refresh_token"], "statusAfterRefresh": status}))
