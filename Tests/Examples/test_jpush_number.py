import base64
import json
import subprocess
import tempfile
import unittest

from support import KEY, NUMBER, NumberTest, signed

import jpush_number

APP_KEY, MASTER_SECRET = "7d431e42dfa6a6d693ac2d04", "5e987ac6d2e04d95a9d8f0d1"


def openssl(*arguments, content=b""):
    return subprocess.run(["openssl", *arguments], input=content, capture_output=True, check=True).stdout


PRIVATE_KEY = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-quiet").decode()
PUBLIC_KEY = openssl("pkey", "-pubout", content=PRIVATE_KEY.encode())
OTHER_KEY = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-quiet").decode()


def encrypted(text):
    """By the public key that the operator has configured, as JPush does it."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(PUBLIC_KEY)
        file.flush()
        content = openssl(
            "pkeyutl", "-encrypt", "-pubin", "-inkey", file.name, "-pkeyopt", "rsa_padding_mode:pkcs1", content=text.encode())
        return base64.b64encode(content).decode()


class AFake:
    """loginTokenVerify as its documentation describes it."""

    def __init__(self):
        self.tokens = {"good": "13800138000"}

    def check(self, path, headers, content):
        expected = "Basic " + base64.b64encode(f"{APP_KEY}:{MASTER_SECRET}".encode()).decode()
        if path != "/v1/web/loginTokenVerify" or headers.get("content-type") != "application/json":
            return 404, {}
        if "authorization" not in headers:
            return 200, {"code": 9010, "content": "miss auth"}
        if headers["authorization"] != expected:
            return 200, {"code": 9011, "content": "auth failed"}
        body = json.loads(content)
        if not set(body) <= {"loginToken", "exID"} or not isinstance(body.get("loginToken"), str):
            return 200, {"code": 9012, "content": "parameter invalid"}
        if body["loginToken"] not in self.tokens:
            return 200, {"code": 8001, "content": "get phone fail"}
        return 200, {
            "id": 117270465679982592, "code": 8000, "content": "get phone success", "exID": "",
            "phone": encrypted(self.tokens.pop(body["loginToken"]))}


class Exchanging(NumberTest):
    def setUp(self):
        self.start_with()

    def start_with(self, **changes):
        self.fake = AFake()
        self.start(lambda: {"jpush": jpush_number.JPush().number}, self.fake.check, **{
            "JPUSH_URL": "GATEWAY", "JPUSH_APP_KEY": APP_KEY, "JPUSH_MASTER_SECRET": MASTER_SECRET,
            "JPUSH_PRIVATE_KEY": PRIVATE_KEY} | changes)

    def test_a_token_is_exchanged_once_and_its_number_decrypted(self):
        self.assertEqual(self.ask("jpush", "good"), (200, {"phone": NUMBER}))
        self.assertEqual(self.ask("jpush", "good"), (200, {"error": "invalid_token"}))
        self.assert_nothing_is_logged("good")

    def test_the_key_may_be_the_base64_of_the_documentation(self):
        lines = [line for line in PRIVATE_KEY.splitlines() if "-----" not in line]
        self.start_with(JPUSH_PRIVATE_KEY="".join(lines))
        self.assertEqual(self.ask("jpush", "good"), (200, {"phone": NUMBER}))

    def test_another_private_key_and_wrong_credentials_are_faults_of_the_settings(self):
        self.start_with(JPUSH_PRIVATE_KEY=OTHER_KEY)
        self.assertEqual(self.ask("jpush", "good"), (403, {"error": "private_key"}))
        self.start_with(JPUSH_MASTER_SECRET="other")
        self.assertEqual(self.ask("jpush", "good"), (403, {"error": "9011"}))

    def test_a_text_that_is_no_key_ends_the_program_without_being_shown(self):
        elliptic = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256").decode()
        for text in ("secret-key", elliptic):
            with self.assertRaises(SystemExit) as raised:
                jpush_number.PrivateKey(text)
            self.assertNotIn(text, str(raised.exception))

    def test_errors_have_the_status_that_gatehouse_understands(self):
        for status, code, expected in (
                (200, 6005, 429), (200, 9007, 429), (200, 1804, 429), (200, 9018, 403), (200, 9031, 403), (200, 9004, 403), (401, None, 403),
                (200, 9099, 503), (200, 2000, 503), (500, 9004, 503)):
            self.gateway.answer = status, {"code": code, "content": NUMBER}
            self.assertEqual(self.ask("jpush", "good")[0], expected, code)
        for code in (8001, 9003, 9012, 9020):
            self.gateway.answer = 200, {"code": code, "content": ""}
            self.assertEqual(self.ask("jpush", "good"), (200, {"error": "invalid_token"}))
        self.assert_nothing_is_logged("good")

    def test_an_answer_without_a_number_is_unavailability(self):
        for status, value in (
                (200, b"<html>"), (200, []), (302, {}), (200, {"code": "8000"}), (200, {"code": 8000}),
                (200, {"code": 8000, "phone": 1}), (200, {"code": 8000, "phone": "!"}),
                (200, {"code": 8000, "phone": encrypted("8613800138000")}),
                (200, {"code": 8000, "phone": encrypted("138 0013 8000")})):
            self.gateway.answer = status, value
            self.assertEqual(self.ask("jpush", "good")[0], 503, value)


class TheQuestion(NumberTest):
    def setUp(self):
        self.start(lambda: {"jpush": lambda token: self.fail("it was exchanged")}, lambda *_: (500, {}))

    def test_one_that_is_not_signed_or_not_readable_is_refused_before_the_vendor_is_asked(self):
        content = self.question("jpush", "good")
        self.assertEqual(self.send(content, signed(content, key=KEY[::-1] + b"x")), (401, {"error": "wrong_signature"}))
        self.assertEqual(self.send(content, signed(content, timestamp=1)), (401, {"error": "wrong_time"}))
        self.assertEqual(self.send(content, {}), (401, {"error": "unsigned"}))
        for other in (
                b"{}", b"[]", b"x", self.question("jpush", ""), self.question("jpush", 1), self.question(None, "good"),
                content.replace(b"number.exchange", b"sms.code")):
            self.assertEqual(self.send(other, signed(other)), (400, {"error": "malformed"}))


if __name__ == "__main__":
    unittest.main()
