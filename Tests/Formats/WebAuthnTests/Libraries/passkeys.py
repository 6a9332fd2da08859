"""Makes and verifies answers of authenticators with other libraries: python-fido2 and py_webauthn.

usage: passkeys.py make             prints answers, made with the classes of python-fido2 and the keys of cryptography
       passkeys.py verify <ANSWERS  prints for each pair of answers whether each library accepts it

Answers are a list of objects with `challenge` (base64url), `registration` and `assertion`, both in the JSON of `toJSON`.
"""

import base64
import json
import os
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2 import cose
from fido2.server import Fido2Server
from fido2.utils import sha256
from fido2.webauthn import (
    AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData, PublicKeyCredentialRpEntity)
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes

RP_ID = "example.org"
ORIGIN = "https://example.org"


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def credential(identity, **response):
    return {
        "id": text(identity), "rawId": text(identity), "type": "public-key", "clientExtensionResults": {},
        "response": {name: text(value) for name, value in response.items()},
    }


KEYS = [
    (cose.ES256, lambda: ec.generate_private_key(ec.SECP256R1()), lambda key, m: key.sign(m, ec.ECDSA(hashes.SHA256()))),
    (cose.EdDSA, ed25519.Ed25519PrivateKey.generate, lambda key, m: key.sign(m)),
    (cose.RS256, lambda: rsa.generate_private_key(65537, 2048), lambda key, m: key.sign(m, padding.PKCS1v15(), hashes.SHA256())),
]


def answers(kind, generate, sign, flags, counter, extensions, is_attested):
    key, identity, challenge = generate(), os.urandom(32), os.urandom(32)
    public = kind.from_cryptography_key(key.public_key())
    flags |= 0x80 if extensions else 0
    new = AttestedCredentialData.create(os.urandom(16), identity, public)
    data = AuthenticatorData.create(sha256(RP_ID.encode()), flags | 0x40, counter, new, extensions)
    client = CollectedClientData.create(type="webauthn.create", challenge=challenge, origin=ORIGIN, cross_origin=False)
    statement = {"alg": kind.ALGORITHM, "sig": sign(key, data + sha256(client))} if is_attested else {}
    attestation = AttestationObject.create("packed" if is_attested else "none", data, statement)
    registration = credential(identity, clientDataJSON=client, attestationObject=attestation)
    client = CollectedClientData.create(type="webauthn.get", challenge=challenge, origin=ORIGIN, cross_origin=False)
    counter += 1 if counter else 0
    data = AuthenticatorData.create(sha256(RP_ID.encode()), flags, counter, b"", extensions)
    signature = sign(key, data + sha256(client))
    assertion = credential(identity, clientDataJSON=client, authenticatorData=data, signature=signature, userHandle=b"ann")
    return {"challenge": text(challenge), "registration": registration, "assertion": assertion}


def make():
    return [
        answers(*key, flags, counter, extensions, is_attested)
        for key in KEYS
        for flags in (0x05, 0x1D)
        for counter in (0, 41)
        for extensions in (None, {"credProtect": 2, "hmac-secret": True})
        for is_attested in (False, True)
    ]


def verify_with_fido2(pair):
    server = Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="Example"))
    state = {"challenge": pair["challenge"], "user_verification": "required"}
    new = server.register_complete(state, pair["registration"]).credential_data
    server.authenticate_complete(state, [new], pair["assertion"])


def verify_with_py_webauthn(pair):
    expected = {
        "expected_challenge": base64url_to_bytes(pair["challenge"]), "expected_rp_id": RP_ID, "expected_origin": ORIGIN,
        "require_user_verification": True,
    }
    new = verify_registration_response(credential=pair["registration"], **expected)
    verify_authentication_response(
        credential=pair["assertion"], credential_public_key=new.credential_public_key,
        credential_current_sign_count=new.sign_count, **expected)


def is_accepted(verify, pair):
    try:
        verify(pair)
    except Exception as error:  # Some malformed answers end in an IndexError.
        return f"{type(error).__name__}: {error}"
    return True


if sys.argv[1:] == ["make"]:
    print(json.dumps(make()))
else:
    print(json.dumps([
        {"fido2": is_accepted(verify_with_fido2, pair), "webauthn": is_accepted(verify_with_py_webauthn, pair)}
        for pair in json.load(sys.stdin)
    ]))
