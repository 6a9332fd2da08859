# Signs in with the client that openapi-python-client has generated, and prints what the answers say.
#
#   use-generated-client.py ORIGIN CERTIFICATE <LOGIN
import json
import ssl
import sys

from generated_client import AuthenticatedClient, Client
from generated_client.api.sessions import list_sessions, log_out, refresh
from generated_client.api.signing_in import sign_in_with_apple
from generated_client.api.the_user import get_user, update_user
from generated_client.models import AppleLoginRequest, ProfileChange, RefreshRequest

origin, certificate = sys.argv[1:]
tls = ssl.create_default_context(cafile=certificate)
anonymous = Client(origin, verify_ssl=tls)


def client(token):
    return AuthenticatedClient(origin, token=token, verify_ssl=tls)


login = sign_in_with_apple.sync(client=anonymous, body=AppleLoginRequest.from_dict(json.load(sys.stdin)))
pair = refresh.sync(client=anonymous, body=RefreshRequest(login.refresh_token))
me = client(pair.access_token)
user = update_user.sync(client=me, body=ProfileChange(nickname="Ada"))
session = list_sessions.sync(client=me).sessions[0]
problem = get_user.sync(client=client("x.y.z"))
status = log_out.sync_detailed(client=me).status_code
print(repr(user.role), user.status, session.provider, user.nickname, problem.code, status)
