"""Exchanges tokens of one-tap sign-in by Aliyun's GetMobile (号码认证, Dypnsapi, version 2017-05-25). Apps name it `aliyun`.

Settings: NUMBER_SECRET, ALIYUN_ACCESS_KEY_ID, ALIYUN_ACCESS_KEY_SECRET, LISTEN (127.0.0.1:8481).
"""

from aliyun_sms import call
from number_receiver import InvalidToken, of_the_mainland, serve
from sms_receiver import address_setting, limited, misconfigured, reason, scalar, setting, unavailable

# https://help.aliyun.com/document_detail/85198.htm (API return codes): an expired, used or wrong token, one of another service of
# theirs, one of another app, and a text that is none. The last two are not on that page: the API answers so to a text that no
# library made.
BAD_TOKENS = {
    "isv.TOKEN_INVALID", "isv.TOKEN_UNAUTHORIZED_USED", "isv.INVALID_APP", "isv.INVALID_PARAMETERS", "isv.ACCESS_CODE_ILLEGAL",
    "isv.CSRF_CHECK_FAILED"}
LIMITS = {"isv.BUSINESS_LIMIT_CONTROL", "isp.QPS_LIMIT"}
# https://help.aliyun.com/document_detail/610987.html has UnknowError, written like that.
TEMPORARY = {"isp.SYSTEM_ERROR", "isp.UNKNOWN", "ServiceUnavailable", "InternalError", "UnknowError"}


class Aliyun:
    def __init__(self):
        self.url = address_setting("ALIYUN_URL", "https://dypnsapi.aliyuncs.com") + "/"
        self.key_id, self.secret = setting("ALIYUN_ACCESS_KEY_ID"), setting("ALIYUN_ACCESS_KEY_SECRET")

    def number(self, token):
        """https://help.aliyun.com/document_detail/115500.html: a token is good once, for 2 minutes (China Mobile) to 30
        (China Unicom). An error has status 200 as well."""
        status, answer = call(self.url, "GetMobile", self.key_id, self.secret, {"AccessToken": token})
        code = scalar(answer, "Code")
        if status == 200 and code == "OK":
            result = answer.get("GetMobileResultDTO")
            return of_the_mainland(result.get("Mobile") if isinstance(result, dict) else None)
        if code in BAD_TOKENS:
            raise InvalidToken(reason(status, code))
        if code in LIMITS or str(code).startswith("Throttling") or status == 429:
            raise limited(reason(status, code))
        if code is None or code in TEMPORARY or status >= 500:
            raise unavailable(reason(status, code))
        # The key, its permissions, the balance, or the scheme of the app.
        raise misconfigured(reason(status, code))


if __name__ == "__main__":
    serve({"aliyun": Aliyun().number})
