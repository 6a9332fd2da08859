import unittest

from support import KEY_ID, KEY_SECRET, NUMBER, NumberTest, aliyun_call

import aliyun_number


class AFake:
    """Dypnsapi as its documentation describes it: a token of another app, an unknown, a used and an expired one are refused."""

    def __init__(self):
        self.tokens = {"good": "13800138000"}

    def check(self, path, headers, content):
        fault, fields = aliyun_call(path, content, "GetMobile")
        if fault:
            return fault
        token = fields.get("AccessToken", "")
        if token == "of-another-service":
            return 200, {"Code": "isv.TOKEN_UNAUTHORIZED_USED", "Message": "越权使用的Token"}
        if token == "of-another-app":
            return 200, {"Code": "isv.INVALID_APP", "Message": "App"}
        if token not in self.tokens:
            return 200, {"Code": "isv.TOKEN_INVALID", "Message": "令牌无效", "RequestId": "1"}
        return 200, {
            "Code": "OK", "Message": "请求成功", "RequestId": "1",
            "GetMobileResultDTO": {"Mobile": self.tokens.pop(token)}}


class Exchanging(NumberTest):
    def setUp(self):
        self.start_with()

    def start_with(self, **changes):
        self.fake = AFake()
        self.start(lambda: {"aliyun": aliyun_number.Aliyun().number}, self.fake.check, **{
            "ALIYUN_URL": "GATEWAY", "ALIYUN_ACCESS_KEY_ID": KEY_ID, "ALIYUN_ACCESS_KEY_SECRET": KEY_SECRET} | changes)

    def test_a_token_is_exchanged_once(self):
        self.assertEqual(self.ask("aliyun", "good"), (200, {"phone": NUMBER}))
        self.assertEqual(self.ask("aliyun", "good"), (200, {"error": "invalid_token"}))
        self.assert_nothing_is_logged("good")

    def test_tokens_that_are_not_valid_are_told_as_such(self):
        for token in ("unknown", "of-another-app", "of-another-service"):
            self.assertEqual(self.ask("aliyun", token), (200, {"error": "invalid_token"}), token)
        self.assertIn("200 invalid_token isv.TOKEN_INVALID", self.log.getvalue())

    def test_the_token_of_another_gateway_is_not_handed_on(self):
        for gateway in ("jpush", "Aliyun", ""):
            self.assertEqual(self.ask(gateway, "good"), (200, {"error": "invalid_token"}))
        self.assertEqual(self.gateway.requests, [])

    def test_wrong_credentials_are_a_fault_of_the_settings_which_gatehouse_check_finds(self):
        self.assertEqual(self.ask("gatehouse-check", "made-up"), (200, {"error": "invalid_token"}))
        self.start_with(ALIYUN_ACCESS_KEY_SECRET="other")
        for gateway in ("aliyun", "gatehouse-check"):
            self.assertEqual(self.ask(gateway, "good"), (403, {"error": "SignatureDoesNotMatch"}))

    def test_errors_have_the_status_that_gatehouse_understands(self):
        for status, code, expected in (
                (400, "Throttling.User", 429), (400, "Throttling.System", 429), (200, "isp.QPS_LIMIT", 429),
                (400, "UnknowError", 503), (200, "isv.RAM_PERMISSION_DENY", 403), (200, "isv.OUT_OF_SERVICE", 403),
                (200, "isv.VERIFY_SCHEME_NOT_EXIST", 403), (200, "isp.SYSTEM_ERROR", 503), (503, "ServiceUnavailable", 503)):
            self.gateway.answer = status, {"Code": code, "Message": NUMBER}
            self.assertEqual(self.ask("aliyun", "good"), (expected, {"error": code}))
        self.assert_nothing_is_logged("good")

    def test_a_text_that_no_library_made_is_an_invalid_token(self):
        for code in ("isv.ACCESS_CODE_ILLEGAL", "isv.CSRF_CHECK_FAILED"):
            self.gateway.answer = 200, {"Code": code}
            self.assertEqual(self.ask("aliyun", "good"), (200, {"error": "invalid_token"}))

    def test_an_answer_without_a_number_is_unavailability(self):
        for status, value in (
                (200, b"<html>"), (200, []), (302, {}), (500, b""), (200, b"[" * 60000), (200, {"Code": []}),
                (200, {"Code": "OK"}),
                (200, {"Code": "OK", "GetMobileResultDTO": []}),
                (200, {"Code": "OK", "GetMobileResultDTO": {"Mobile": "139****1234"}}),
                (200, {"Code": "OK", "GetMobileResultDTO": {"Mobile": 13800138000}})):
            self.gateway.answer = status, value
            self.assertEqual(self.ask("aliyun", "good")[0], 503, value)
        self.assertIn("503 status_500", self.log.getvalue())


if __name__ == "__main__":
    unittest.main()
