"""Verifies a message with the library of the Standard Webhooks project, as a gateway would.

usage: verify-webhook.py SECRET <MESSAGE

The message is JSON with `headers`, an object, and `body`, a text. Prints the verified body, or the name of the error with
exit status 1.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

message = json.load(sys.stdin)
try:
    print(json.dumps(Webhook(sys.argv[1]).verify(message["body"], message["headers"])))
except WebhookVerificationError as error:
    print(type(error).__name__)
    sys.exit(1)
