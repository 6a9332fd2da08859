import hashlib
import hmac
import json
import re
import time
import unittest

from support import CODE, NUMBER, GatewayTest, notice

import tencent_sms

SECRET_ID, SECRET_KEY = "AKIDexample", "examplekey"


def error(code):
    return 200, {"Response": {"Error": {"Code": code, "Message": NUMBER}, "RequestId": "1"}}


def status(code):
    return 200, {"Response": {"SendStatusSet": [{"Code": code, "Message": NUMBER, "PhoneNumber": NUMBER}]}}


def verify(path, headers, content):
    """As the documentation of Tencent Cloud describes TC3-HMAC-SHA256."""
    form = (r"TC3-HMAC-SHA256 Credential=([^/]+)/(\d{4}-\d\d-\d\d)/sms/tc3_request, "
            r"SignedHeaders=([a-z;-]+), Signature=([0-9a-f]{64})")
    match = re.fullmatch(form, headers["authorization"])
    if not match:
        return error("AuthFailure.InvalidAuthorization")
    secret_id, date, names, tag = match.groups()
    timestamp = headers["x-tc-timestamp"]
    if secret_id != SECRET_ID:
        return error("AuthFailure.SecretIdNotFound")
    if abs(time.time() - int(timestamp)) > 300 or date != time.strftime("%Y-%m-%d", time.gmtime(int(timestamp))):
        return error("AuthFailure.SignatureExpire")
    if not {"content-type", "host"} <= set(names.split(";")):
        return error("AuthFailure.SignatureFailure")
    fields = "".join(f"{name}:{headers[name].strip().lower()}\n" for name in sorted(names.split(";")))
    canonical = f"POST\n{path}\n\n{fields}\n{names}\n{hashlib.sha256(content).hexdigest()}"
    text = (f"TC3-HMAC-SHA256\n{timestamp}\n{date}/sms/tc3_request\n"
            f"{hashlib.sha256(canonical.encode()).hexdigest()}")

    def sign(key, message):
        return hmac.new(key, message.encode(), hashlib.sha256)

    key = sign(sign(sign(b"TC3" + SECRET_KEY.encode(), date).digest(), "sms").digest(), "tc3_request").digest()
    if sign(key, text).hexdigest() != tag:
        return error("AuthFailure.SignatureFailure")
    if (headers["x-tc-action"], headers["x-tc-version"], headers["x-tc-region"]) != ("SendSms", "2021-01-11", "ap-guangzhou"):
        return error("InvalidAction")
    return status("Ok")


class TheSignature(unittest.TestCase):
    def test_it_is_the_one_of_the_documentation(self):
        content = rb'{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}'
        # The documentation prints its key with these asterisks, and has computed the signature with them.
        value = tencent_sms.authorization(
            "AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******", "Gu5t9xGARNpq86cd98joQYCN3*******", "cvm",
            "cvm.tencentcloudapi.com", content, 1551113065)
        self.assertEqual(
            value,
            "TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******/2019-02-25/cvm/tc3_request, "
            "SignedHeaders=content-type;host, "
            "Signature=2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c")


class Sending(GatewayTest):
    def setUp(self):
        self.start_with()

    def start_with(self, **changes):
        self.start(tencent_sms.Tencent, verify, **{
            "TENCENT_URL": "GATEWAY", "TENCENT_SECRET_ID": SECRET_ID, "TENCENT_SECRET_KEY": SECRET_KEY,
            "TENCENT_APP_ID": "1400006666", "TENCENT_TEMPLATE": "1", "TENCENT_CHANGED_TEMPLATE": "2",
            "TENCENT_SIGN_NAME": "腾讯云"} | changes)

    def sent(self):
        return json.loads(self.gateway.requests[-1][2])

    def test_a_code_is_sent_with_its_template(self):
        self.assertEqual(self.post(), (202, "accepted"))
        self.assertEqual(self.sent(), {
            "PhoneNumberSet": [NUMBER], "SmsSdkAppId": "1400006666", "TemplateId": "1", "SignName": "腾讯云",
            "TemplateParamSet": [CODE]})
        self.assert_nothing_is_logged()

    def test_the_minutes_are_a_parameter_on_demand(self):
        self.start_with(TENCENT_TEMPLATE_MINUTES="yes")
        self.post()
        self.assertEqual(self.sent()["TemplateParamSet"], [CODE, "10"])

    def test_a_notice_is_sent_with_another_template(self):
        self.assertEqual(self.post(notice()), (202, "accepted"))
        self.assertEqual((self.sent()["TemplateId"], self.sent()["TemplateParamSet"]), ("2", []))

    def test_without_a_template_a_notice_is_refused(self):
        self.start_with(TENCENT_CHANGED_TEMPLATE="")
        self.assertEqual(self.post(notice()), (400, "no_template"))
        self.assertEqual(self.post(notice(notice="later_version"), message_id="msg_2"), (400, "no_template"))
        self.assertEqual(self.gateway.requests, [])

    def test_wrong_credentials_are_a_fault_of_the_settings(self):
        self.start_with(TENCENT_SECRET_ID="other")
        self.assertEqual(self.post(), (403, "AuthFailure.SecretIdNotFound"))
        self.start_with(TENCENT_SECRET_KEY="other")
        self.assertEqual(self.post(), (403, "AuthFailure.SignatureFailure"))

    def test_errors_have_the_status_that_gatehouse_understands(self):
        for answer, expected in (
                (status("LimitExceeded.PhoneNumberThirtySecondLimit"), 429),
                (status("LimitExceeded.PhoneNumberDailyLimit"), 429), (error("RequestLimitExceeded.IPLimitExceeded"), 429),
                (status("InvalidParameterValue.IncorrectPhoneNumber"), 400),
                (status("FailedOperation.PhoneNumberInBlacklist"), 400),
                (status("FailedOperation.SignatureIncorrectOrUnapproved"), 403),
                (status("FailedOperation.InsufficientBalanceInSmsPackage"), 403),
                (error("UnauthorizedOperation.RequestPermissionDeny"), 403), (error("InternalError.Timeout"), 503)):
            self.gateway.answer = answer
            self.assertEqual(self.post()[0], expected, answer)
        self.assert_nothing_is_logged()

    def test_an_answer_that_is_not_of_the_gateway_is_unavailability(self):
        for answer in (
                (200, b"<html>"), (200, {}), (200, {"Response": []}), (200, {"Response": {"SendStatusSet": []}}),
                (200, {"Response": {"SendStatusSet": ["Ok"]}}), (302, {}), (500, {}), (500, status("Ok")[1])):
            self.gateway.answer = answer
            self.assertEqual(self.post()[0], 503, answer)
