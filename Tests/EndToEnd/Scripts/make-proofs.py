"""Makes DPoP proofs with Authlib, as other clients would. Reads an order in each line, and writes a line for it.

An order is a JSON object:

    key         name of a key, which is made when it is first named; its type follows a colon: device:P-256
    algorithm   signs the proof; by default that of the key
    claims      claims besides jti, htm, htu, iat and ath, or in their place
    without     names of claims, or header.NAME for members of the header, that are left out
    header      members of the header, in the same way
    method, url, token, age    htm, htu, the access token for ath, and how many seconds ago iat is
    texts       the header, the claims as texts, in place of all above; @JWK@ is the public key, @NOW@ the time
    secret      text that signs by HMAC, in place of the key
    signature   a fault of the signature: none, flipped, zero, der, short, other (by another key)

The answer is {"proof": ..., "thumbprint": ..., "jwk": the public key, "privateKey": the private one}, or {"error": ...}.
"""

import base64
import hashlib
import json
import os
import sys
import time

from authlib.jose import ECKey, JsonWebSignature, OctKey, OKPKey, RSAKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

ALGORITHMS = {"P-256": "ES256", "P-384": "ES384", "secp256k1": "ES256K", "Ed25519": "EdDSA", "RSA": "RS256"}
SIGNERS = JsonWebSignature.ALGORITHMS_REGISTRY
keys = {}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def made_key(kind):
    if kind == "RSA":
        return RSAKey.generate_key(2048, is_private=True)
    key = (OKPKey if kind == "Ed25519" else ECKey).generate_key(kind, is_private=True)
    # Authlib 1.2 leaves out leading zeros of a coordinate, which RFC 7518, section 6.2.1.2, does not allow.
    jwk = key.as_dict(is_private=True)
    return key if len({len(jwk[name]) for name in "xyd" if name in jwk}) == 1 else made_key(kind)


def key_named(name):
    if name not in keys:
        keys[name] = made_key(name.rpartition(":")[2])
    return keys[name]


def header_of(order, key, algorithm):
    header = {"typ": "dpop+jwt", "alg": algorithm, "jwk": key.as_dict(is_private=False)}
    return header | order.get("header", {})


def claims_of(order):
    claims = {
        "jti": base64url(os.urandom(16)), "htm": order["method"], "htu": order["url"],
        "iat": int(time.time()) - order.get("age", 0),
    }
    if "token" in order:
        claims["ath"] = base64url(hashlib.sha256(order["token"].encode()).digest())
    return claims | order.get("claims", {})


def signed(order, header, claims, key, algorithm):
    """The parts of the token that Authlib makes. It refuses to make most of the wrong ones, so these are put together here,
    and only their signature is Authlib's."""
    kind = order.get("signature")
    refused = kind or "texts" in order or "secret" in order or "crit" in header or header.get("alg") != algorithm
    if not refused:
        token = JsonWebSignature([algorithm]).serialize_compact(header, json.dumps(claims).encode(), key)
        return token.decode()
    texts = order.get("texts") or [json.dumps(header), json.dumps(claims)]
    jwk, now = json.dumps(key.as_dict(is_private=False)), str(int(time.time()))
    text = ".".join(base64url(part.replace("@JWK@", jwk).replace("@NOW@", now).encode()) for part in texts)
    signing_key = OctKey.import_key(order["secret"]) if "secret" in order else key
    if kind == "other":
        signing_key = made_key(order["key"].rpartition(":")[2])
    signer = SIGNERS[algorithm]
    signature = signer.sign(text.encode(), signer.prepare_key(signing_key))
    return text + "." + base64url(with_fault(signature, kind))


def with_fault(signature, kind):
    half = len(signature) // 2
    numbers = [int.from_bytes(part, "big") for part in (signature[:half], signature[half:])]
    return {
        "none": lambda: b"",
        "flipped": lambda: bytes([signature[0] ^ 1]) + signature[1:],
        "zero": lambda: bytes(len(signature)),
        "der": lambda: encode_dss_signature(*numbers),
        "short": lambda: signature[:-1],
    }.get(kind, lambda: signature)()


def answer(order):
    key = key_named(order["key"])
    kind = order["key"].rpartition(":")[2]
    algorithm = order.get("algorithm", ALGORITHMS[kind])
    header, claims = header_of(order, key, algorithm), claims_of(order)
    for name in order.get("without", []):
        part, _, member = name.rpartition(".")
        del (header if part else claims)[member]
    return {
        "proof": signed(order, header, claims, key, algorithm), "thumbprint": key.thumbprint(),
        "jwk": key.as_dict(is_private=False), "privateKey": key.as_dict(is_private=True),
    }


for line in sys.stdin:
    try:
        made = answer(json.loads(line))
    except Exception as error:
        made = {"error": repr(error)}
    print(json.dumps(made), flush=True)
