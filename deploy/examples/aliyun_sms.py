"""Sends Gatehouse's text messages by Aliyun's SendSms (version 2017-05-25).

Settings: SMS_SECRET, ALIYUN_ACCESS_KEY_ID, ALIYUN_ACCESS_KEY_SECRET, ALIYUN_SIGN_NAME, ALIYUN_TEMPLATE (its only variable
is ${code}), ALIYUN_CHANGED_TEMPLATE (of the notice to a former number, without variables; default none), LISTEN
(127.0.0.1:8480).
"""

import base64
import hmac
import json
import time
import urllib.parse
import uuid

from sms_receiver import address_setting, ask, limited, misconfigured, reason, refused, scalar, serve, setting, unavailable

# https://help.aliyun.com/document_detail/101346.html (API error codes)
LIMITS = {"isv.BUSINESS_LIMIT_CONTROL", "isv.DAY_LIMIT_CONTROL", "isv.MONTH_LIMIT_CONTROL"}
BAD_NUMBERS = {"isv.MOBILE_NUMBER_ILLEGAL", "isv.DOMESTIC_NUMBER_NOT_SUPPORTED"}
TEMPORARY = {"isp.SYSTEM_ERROR", "ServiceUnavailable", "InternalError"}


def encoded(text):
    """Percent-encoding in which only letters, digits and -_.~ stay as they are; quote() keeps these by itself."""
    return urllib.parse.quote(text, safe="")


def signature(method, parameters, secret):
    """https://help.aliyun.com/document_detail/25492.html (requests in RPC style and their signature, version 2)

    The sorted parameters are encoded, joined, and encoded again; the key of the HMAC ends with an ampersand.
    """
    query = "&".join(f"{encoded(name)}={encoded(value)}" for name, value in sorted(parameters.items()))
    text = f"{method}&{encoded('/')}&{encoded(query)}"
    return base64.b64encode(hmac.digest(f"{secret}&".encode(), text.encode(), "sha1")).decode()


def call(url, action, key_id, secret, parameters):
    """Asks an API of Aliyun whose version is 2017-05-25. Returns the status and the JSON object of the answer."""
    parameters = parameters | {
        "AccessKeyId": key_id, "Action": action, "Format": "JSON", "Version": "2017-05-25",
        "SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0", "SignatureNonce": str(uuid.uuid4()),
        "Timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    parameters["Signature"] = signature("POST", parameters, secret)
    body = urllib.parse.urlencode(parameters).encode()
    return ask(url, {"Content-Type": "application/x-www-form-urlencoded"}, body)


class Aliyun:
    def __init__(self):
        self.url = address_setting("ALIYUN_URL", "https://dysmsapi.aliyuncs.com") + "/"
        self.key_id, self.secret = setting("ALIYUN_ACCESS_KEY_ID"), setting("ALIYUN_ACCESS_KEY_SECRET")
        self.sign_name = setting("ALIYUN_SIGN_NAME")
        self.template, self.notices = setting("ALIYUN_TEMPLATE"), {"phone_changed": setting("ALIYUN_CHANGED_TEMPLATE", "")}

    def send(self, message):
        template = self.template if message.code else self.notices.get(message.notice)
        if not template:
            raise refused("no_template")
        parameters = {"PhoneNumbers": number(message.to), "SignName": self.sign_name, "TemplateCode": template}
        # The value is a text: a number would lose the zeros before it, and is not accepted.
        if message.code:
            parameters["TemplateParam"] = json.dumps({"code": message.code})
        check(*call(self.url, "SendSms", self.key_id, self.secret, parameters))


def number(text):
    """Numbers of the mainland are written without a prefix, others with the code of their country and without a plus sign."""
    return text.removeprefix("+86").removeprefix("+")


def check(status, answer):
    """An error of SendSms has status 200 as well: only the code OK is success."""
    code = scalar(answer, "Code")
    if status == 200 and code == "OK":
        return
    if code in LIMITS or str(code).startswith("Throttling") or status == 429:
        raise limited(reason(status, code))
    if code in BAD_NUMBERS:
        raise refused(reason(status, code))
    if code is None or code in TEMPORARY or status >= 500:
        raise unavailable(reason(status, code))
    # The key, its permissions, the balance, the sign name or the template.
    raise misconfigured(reason(status, code))


if __name__ == "__main__":
    serve(Aliyun().send)
