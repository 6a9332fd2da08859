import json
import unittest
import urllib.parse

from support import CODE, KEY_ID, KEY_SECRET, GatewayTest, aliyun_call, body, notice

import aliyun_sms


def verify(path, headers, content):
    """As the documentation of Aliyun describes a signed POST."""
    fault, given = aliyun_call(path, content, "SendSms")
    if fault:
        return fault
    parameters = json.loads(given.get("TemplateParam", "{}"))
    if not all(isinstance(value, str) and value.isalnum() for value in parameters.values()):
        return 200, {"Code": "isv.INVALID_JSON_PARAM"}
    return 200, {"Code": "OK", "Message": "OK", "BizId": "1^0"}


class TheSignature(unittest.TestCase):
    def test_it_is_the_one_of_the_documentation(self):
        parameters = {
            "Timestamp": "2016-02-23T12:46:24Z", "Format": "XML", "AccessKeyId": "testid", "Action": "DescribeRegions",
            "SignatureMethod": "HMAC-SHA1", "SignatureNonce": "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf",
            "Version": "2014-05-26", "SignatureVersion": "1.0"}
        self.assertEqual(aliyun_sms.signature("GET", parameters, "testsecret"), "OLeaidS1JvxuMvnyHOwuJ+uX5qY=")

    def test_all_but_unreserved_characters_are_encoded(self):
        self.assertEqual(aliyun_sms.encoded("a-_.~*+/ 签"), "a-_.~%2A%2B%2F%20%E7%AD%BE")


class Sending(GatewayTest):
    def setUp(self):
        self.start_with()

    def start_with(self, **changes):
        self.start(aliyun_sms.Aliyun, verify, **{
            "ALIYUN_URL": "GATEWAY", "ALIYUN_ACCESS_KEY_ID": KEY_ID, "ALIYUN_ACCESS_KEY_SECRET": KEY_SECRET,
            "ALIYUN_SIGN_NAME": "阿里 云*~", "ALIYUN_TEMPLATE": "SMS_1", "ALIYUN_CHANGED_TEMPLATE": "SMS_2"} | changes)

    def sent(self):
        return dict(urllib.parse.parse_qsl(self.gateway.requests[-1][2].decode()))

    def test_a_code_is_sent_with_its_template(self):
        self.assertEqual(self.post(), (202, "accepted"))
        sent = self.sent()
        self.assertEqual(
            (sent["PhoneNumbers"], sent["SignName"], sent["TemplateCode"]), ("13800138000", "阿里 云*~", "SMS_1"))
        self.assertEqual(json.loads(sent["TemplateParam"]), {"code": CODE})
        self.assert_nothing_is_logged()

    def test_a_notice_is_sent_with_another_template(self):
        self.assertEqual(self.post(notice(to="+85261234567", country="HK")), (202, "accepted"))
        self.assertEqual((self.sent()["PhoneNumbers"], self.sent()["TemplateCode"]), ("85261234567", "SMS_2"))
        self.assertNotIn("TemplateParam", self.sent())

    def test_each_request_has_another_nonce(self):
        self.post(message_id="msg_1")
        first = self.sent()["SignatureNonce"]
        self.post(message_id="msg_2")
        self.assertNotEqual(first, self.sent()["SignatureNonce"])

    def test_without_a_template_a_notice_is_refused(self):
        self.start_with(ALIYUN_CHANGED_TEMPLATE="")
        self.assertEqual(self.post(notice()), (400, "no_template"))
        self.assertEqual(self.post(notice(notice="later_version"), message_id="msg_2"), (400, "no_template"))
        self.assertEqual(self.gateway.requests, [])

    def test_wrong_credentials_are_a_fault_of_the_settings(self):
        self.start_with(ALIYUN_ACCESS_KEY_ID="other")
        self.assertEqual(self.post(), (403, "InvalidAccessKeyId.NotFound"))
        self.start_with(ALIYUN_ACCESS_KEY_SECRET="other")
        self.assertEqual(self.post(), (403, "SignatureDoesNotMatch"))

    def test_errors_have_the_status_that_gatehouse_understands(self):
        for status, code, expected in (
                (200, "isv.BUSINESS_LIMIT_CONTROL", 429), (200, "isv.DAY_LIMIT_CONTROL", 429),
                (400, "Throttling.User", 429), (200, "isv.MOBILE_NUMBER_ILLEGAL", 400),
                (200, "isv.SMS_SIGNATURE_ILLEGAL", 403), (200, "isv.SMS_TEMPLATE_ILLEGAL", 403),
                (200, "isv.OUT_OF_SERVICE", 403), (403, "Forbidden.RAM", 403), (200, "isp.SYSTEM_ERROR", 503),
                (503, "ServiceUnavailable", 503)):
            self.gateway.answer = status, {"Code": code, "Message": "13800138000 触发分钟级流控Permits:1"}
            self.assertEqual(self.post(), (expected, code))
        self.assert_nothing_is_logged()

    def test_an_answer_that_is_not_of_the_gateway_is_unavailability(self):
        for status, value in ((200, b"<html>"), (200, []), (302, {}), (500, b""), (200, {"Message": "OK"})):
            self.gateway.answer = status, value
            self.assertEqual(self.post()[0], 503)
        self.assertEqual([path for path, _, _ in self.gateway.requests], ["/"] * 5)

    def test_no_connection_is_unavailability(self):
        self.gateway.serving.close()
        self.assertEqual(self.post(body()), (503, "no_connection"))
