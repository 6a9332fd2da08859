"""Sends Gatehouse's text messages by Tencent Cloud's SendSms (version 2021-01-11).

Settings: SMS_SECRET, TENCENT_SECRET_ID, TENCENT_SECRET_KEY, TENCENT_APP_ID (SmsSdkAppId), TENCENT_TEMPLATE (its parameters
are the code and, with TENCENT_TEMPLATE_MINUTES=yes, the minutes for which it is valid), TENCENT_CHANGED_TEMPLATE (of the
notice to a former number, without parameters; default none), TENCENT_SIGN_NAME (required in the mainland; default none),
TENCENT_REGION (ap-guangzhou), LISTEN (127.0.0.1:8480).
"""

import hashlib
import hmac
import json
import time
import urllib.parse

from sms_receiver import address_setting, ask, limited, misconfigured, reason, refused, serve, setting, unavailable

SERVICE = "sms"
CONTENT_TYPE = "application/json; charset=utf-8"

# https://cloud.tencent.com/document/api/382/59177 (error codes of sending)
BAD_NUMBERS = {"InvalidParameterValue.IncorrectPhoneNumber", "FailedOperation.PhoneNumberInBlacklist"}


def authorization(secret_id, secret_key, service, host, body, timestamp):
    """https://www.tencentcloud.com/document/product/267/37447 (signature version 3, TC3-HMAC-SHA256)

    The signed header fields are content-type and host, whose values are in lower case.
    """
    date = time.strftime("%Y-%m-%d", time.gmtime(timestamp))
    scope = f"{date}/{service}/tc3_request"
    signed = "content-type;host"
    request = "\n".join([
        "POST", "/", "", f"content-type:{CONTENT_TYPE}", f"host:{host}", "", signed, hashlib.sha256(body).hexdigest()])
    text = "\n".join(["TC3-HMAC-SHA256", str(timestamp), scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"TC3{secret_key}".encode()
    for part in (date, service, "tc3_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    tag = hmac.digest(key, text.encode(), "sha256").hex()
    return f"TC3-HMAC-SHA256 Credential={secret_id}/{scope}, SignedHeaders={signed}, Signature={tag}"


class Tencent:
    def __init__(self):
        self.url = address_setting("TENCENT_URL", "https://sms.tencentcloudapi.com") + "/"
        self.secret_id, self.secret_key = setting("TENCENT_SECRET_ID"), setting("TENCENT_SECRET_KEY")
        self.app_id, self.sign_name = setting("TENCENT_APP_ID"), setting("TENCENT_SIGN_NAME", "")
        self.template, self.notices = setting("TENCENT_TEMPLATE"), {"phone_changed": setting("TENCENT_CHANGED_TEMPLATE", "")}
        self.names_minutes = setting("TENCENT_TEMPLATE_MINUTES", "no") == "yes"
        self.region = setting("TENCENT_REGION", "ap-guangzhou")

    def send(self, message):
        template = self.template if message.code else self.notices.get(message.notice)
        if not template:
            raise refused("no_template")
        body = json.dumps(self.parameters(message, template)).encode()
        check(*ask(self.url, self.headers(body), body))

    def parameters(self, message, template):
        values = [message.code] if message.code else []
        if message.code and self.names_minutes:
            values.append(str(message.minutes))
        return {
            "PhoneNumberSet": [message.to], "SmsSdkAppId": self.app_id, "TemplateId": template,
            "SignName": self.sign_name, "TemplateParamSet": values,
        }

    def headers(self, body):
        timestamp, host = int(time.time()), urllib.parse.urlsplit(self.url).netloc
        return {
            "Content-Type": CONTENT_TYPE, "Host": host, "X-TC-Action": "SendSms", "X-TC-Version": "2021-01-11",
            "X-TC-Region": self.region, "X-TC-Timestamp": str(timestamp),
            "Authorization": authorization(self.secret_id, self.secret_key, SERVICE, host, body, timestamp),
        }


def check(status, answer):
    """An answer has an error, or a status for each number, which is Ok for an accepted one. Both have HTTP status 200."""
    response = answer.get("Response")
    response = response if isinstance(response, dict) else {}
    error, statuses = response.get("Error"), response.get("SendStatusSet")
    item = error or (statuses[0] if isinstance(statuses, list) and statuses else {})
    code = item.get("Code") if isinstance(item, dict) else None
    if status == 200 and code == "Ok":
        return
    kind = str(code).partition(".")[0]
    if kind in ("LimitExceeded", "RequestLimitExceeded") or status == 429:
        raise limited(reason(status, code))
    if code in BAD_NUMBERS:
        raise refused(reason(status, code))
    if code is None or kind == "InternalError" or status >= 500:
        raise unavailable(reason(status, code))
    # The key, its permissions, the balance, the app, the sign name or the template.
    raise misconfigured(reason(status, code))


if __name__ == "__main__":
    serve(Tencent().send)
