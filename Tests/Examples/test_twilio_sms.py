import base64
import unittest
import urllib.parse

from support import NUMBER, TEXT, GatewayTest, notice

import twilio_sms

ACCOUNT = "AC" + "0" * 32
KEY, SECRET = "SK" + "1" * 32, "keysecret"


def verify(path, headers, content):
    expected = "Basic " + base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
    if headers["authorization"] != expected:
        return 401, {"code": 20003, "message": "Authenticate", "status": 401}
    if path != f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json":
        return 404, {"code": 20404, "status": 404}
    fields = dict(urllib.parse.parse_qsl(content.decode(), strict_parsing=True))
    if not fields.get("To") or not fields.get("Body") or not (fields.get("From") or fields.get("MessagingServiceSid")):
        return 400, {"code": 21604, "status": 400}
    return 201, {"sid": "SM1", "status": "queued"}


class Sending(GatewayTest):
    def setUp(self):
        self.start_with()

    def start_with(self, **changes):
        self.start(twilio_sms.Twilio, verify, **{
            "TWILIO_URL": "GATEWAY", "TWILIO_ACCOUNT_SID": ACCOUNT, "TWILIO_API_KEY": KEY,
            "TWILIO_API_KEY_SECRET": SECRET, "TWILIO_FROM": "+15005550006"} | changes)

    def sent(self):
        return dict(urllib.parse.parse_qsl(self.gateway.requests[-1][2].decode()))

    def test_the_text_of_gatehouse_is_sent(self):
        self.assertEqual(self.post(), (202, "accepted"))
        self.assertEqual(self.sent(), {"To": NUMBER, "Body": TEXT, "From": "+15005550006"})
        self.assertEqual(self.post(notice(), message_id="msg_2"), (202, "accepted"))
        self.assertEqual(self.sent()["Body"], "It changed.")
        self.assert_nothing_is_logged()

    def test_a_messaging_service_replaces_the_sender(self):
        self.start_with(TWILIO_MESSAGING_SERVICE_SID="MG1")
        self.post()
        self.assertEqual(self.sent(), {"To": NUMBER, "Body": TEXT, "MessagingServiceSid": "MG1"})

    def test_wrong_credentials_are_a_fault_of_the_settings(self):
        self.start_with(TWILIO_API_KEY_SECRET="other")
        self.assertEqual(self.post(), (403, "20003"))

    def test_an_account_that_is_none_ends_the_program(self):
        with self.assertRaisesRegex(SystemExit, "TWILIO_ACCOUNT_SID"):
            self.start_with(TWILIO_ACCOUNT_SID="AC/../x")

    def test_errors_have_the_status_that_gatehouse_understands(self):
        for status, code, expected in (
                (429, 20429, 429), (429, 20001, 429), (400, 21611, 429), (400, 21211, 400), (400, 21614, 400), (400, 21610, 400),
                (400, 21408, 403), (400, 21606, 403), (500, 20500, 503)):
            self.gateway.answer = status, {"code": code, "message": f"The number {NUMBER} is not valid", "status": status}
            self.assertEqual(self.post(), (expected, str(code)))
        self.assert_nothing_is_logged()

    def test_an_answer_that_is_not_of_the_gateway_is_unavailability(self):
        for answer in ((200, b"<html>"), (302, {}), (502, b"")):
            self.gateway.answer = answer
            self.assertEqual(self.post()[0], 503, answer)


if __name__ == "__main__":
    unittest.main()
