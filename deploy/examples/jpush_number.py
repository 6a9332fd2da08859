"""Exchanges tokens of one-tap sign-in by JPush's loginTokenVerify (极光认证). Apps name it `jpush`.

Settings: NUMBER_SECRET, JPUSH_APP_KEY, JPUSH_MASTER_SECRET, JPUSH_PRIVATE_KEY (of the public key that is configured at JPush: PEM,
or the base64 of PKCS #8), LISTEN (127.0.0.1:8481). It needs the program openssl.
"""

import base64
import binascii
import json
import os
import subprocess
import sys

from number_receiver import InvalidToken, of_the_mainland, serve
from sms_receiver import address_setting, ask, limited, misconfigured, reason, scalar, setting, unavailable

# https://docs.jiguang.cn/jverification/server/rest_api/code_description: no number for this token, a token that is expired, used
# or unknown, and a text that is none. That of an app with another key or package name is 9020, which is not on that page.
BAD_TOKENS = {8001, 9003, 9012, 9020, 1801}
LIMITS = {6005, 9005, 9006, 9007, 1804}
TEMPORARY = {9002, 9099, 2000}
DECRYPTION_TIMEOUT = 1


class JPush:
    def __init__(self):
        # https://docs.jiguang.cn/jverification/server/rest_api/loginTokenVerify_api
        self.url = address_setting("JPUSH_URL", "https://api.verification.jpush.cn") + "/v1/web/loginTokenVerify"
        credentials = setting("JPUSH_APP_KEY") + ":" + setting("JPUSH_MASTER_SECRET")
        self.authorization = "Basic " + base64.b64encode(credentials.encode()).decode()
        self.key = PrivateKey(setting("JPUSH_PRIVATE_KEY"))

    def number(self, token):
        headers = {"Content-Type": "application/json", "Authorization": self.authorization}
        status, answer = ask(self.url, headers, json.dumps({"loginToken": token}).encode())
        code = scalar(answer, "code")
        if status == 200 and code == 8000:
            return of_the_mainland(self.key.decrypt(answer.get("phone")))
        if code in BAD_TOKENS:
            raise InvalidToken(reason(status, code))
        if code in LIMITS or status == 429:
            raise limited(reason(status, code))
        if status in (401, 403) or isinstance(code, int) and code not in TEMPORARY and status < 500:
            # The credentials, the balance, or a service that is not open.
            raise misconfigured(reason(status, code))
        raise unavailable(reason(status, code))


class PrivateKey:
    """An RSA key in memory alone, which the program openssl reads: the library of Python has no RSA."""

    def __init__(self, text):
        if "-----BEGIN" not in text:
            text = f"-----BEGIN PRIVATE KEY-----\n{text.strip()}\n-----END PRIVATE KEY-----"
        self.file = os.memfd_create("key")
        os.write(self.file, text.encode() + b"\n")
        try:
            outcome = self.run(["openssl", "rsa", "-noout", "-in", self.path], b"")
        except FileNotFoundError:
            sys.exit("the program openssl is missing: apt install openssl")
        if outcome.returncode:
            sys.exit("JPUSH_PRIVATE_KEY is no private key of RSA")

    @property
    def path(self):
        return f"/proc/self/fd/{self.file}"

    def run(self, command, content):
        return subprocess.run(
            command, input=content, capture_output=True, timeout=DECRYPTION_TIMEOUT, pass_fds=[self.file])

    def decrypt(self, text):
        """The text that was encrypted by RSA with PKCS #1 v1.5, whose base64 this is."""
        try:
            content = base64.b64decode(text, validate=True)
        except (TypeError, binascii.Error):
            raise unavailable("no_number") from None
        command = ["openssl", "pkeyutl", "-decrypt", "-inkey", self.path, "-pkeyopt", "rsa_padding_mode:pkcs1"]
        outcome = self.run(command, content)
        # Some versions of openssl tell a wrong key by an error, and others by bytes that are no text.
        if outcome.returncode or not (outcome.stdout.isascii() and outcome.stdout.decode("ascii").isprintable()):
            raise misconfigured("private_key")
        return outcome.stdout.decode("ascii")


if __name__ == "__main__":
    serve({"jpush": JPush().number})
