"""Sends Gatehouse's text messages by Twilio's Messages resource (version 2010-04-01), with the text that Gatehouse writes.

Settings: SMS_SECRET, TWILIO_ACCOUNT_SID, TWILIO_API_KEY and TWILIO_API_KEY_SECRET (or the account's SID and auth token),
TWILIO_FROM (a number or a name) or TWILIO_MESSAGING_SERVICE_SID, LISTEN (127.0.0.1:8480).
"""

import base64
import re
import sys
import urllib.parse

from sms_receiver import address_setting, ask, limited, misconfigured, reason, refused, serve, setting, unavailable

# https://www.twilio.com/docs/errors: a number that is not one, that is no mobile phone, that cannot be reached, or whose
# owner has answered STOP.
BAD_NUMBERS = {21211, 21214, 21217, 21265, 21610, 21612, 21614, 21635}
# Too many requests, and a full queue of the sender.
LIMITS = {20429, 21611, 14107}


class Twilio:
    def __init__(self):
        account = setting("TWILIO_ACCOUNT_SID")
        if not re.fullmatch(r"AC[0-9a-f]{32}", account):
            sys.exit("TWILIO_ACCOUNT_SID must be AC and 32 hexadecimal digits")
        base = address_setting("TWILIO_URL", "https://api.twilio.com")
        # Without .json the answer is XML: https://www.twilio.com/docs/usage/twilios-response
        self.url = f"{base}/2010-04-01/Accounts/{account}/Messages.json"
        credentials = setting("TWILIO_API_KEY", account) + ":" + setting("TWILIO_API_KEY_SECRET")
        self.authorization = "Basic " + base64.b64encode(credentials.encode()).decode()
        self.sender = sender()

    def send(self, message):
        form = urllib.parse.urlencode({"To": message.to, "Body": message.text, **self.sender}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": self.authorization}
        check(*ask(self.url, headers, form))


def sender():
    service = setting("TWILIO_MESSAGING_SERVICE_SID", "")
    return {"MessagingServiceSid": service} if service else {"From": setting("TWILIO_FROM")}


def check(status, answer):
    """An accepted message is created and queued: 201."""
    code = answer.get("code")
    if status == 201:
        return
    if status == 429 or code in LIMITS:
        raise limited(reason(status, code))
    if code in BAD_NUMBERS:
        raise refused(reason(status, code))
    if status >= 500 or status < 400:
        raise unavailable(reason(status, code))
    # The key, the sender, the account, or a country that the account does not send to.
    raise misconfigured(reason(status, code))


if __name__ == "__main__":
    serve(Twilio().send)
