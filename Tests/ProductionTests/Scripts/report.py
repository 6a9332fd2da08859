"""What the clients have seen during a phase."""
import time


class Report:
    def __init__(self):
        # Over all phases: the successor of each refresh token.
        self.successors = {}
        self.start()

    def start(self):
        self.began = time.monotonic()
        self.counts, self.longest, self.violations = {}, {}, []
        self.lost_answers, self.served = {}, {}
        self.without_retry_after = 0

    def answered(self, kind, began, answer, expected):
        now = time.monotonic()
        key = f"{kind} {answer.status}"
        self.counts[key] = self.counts.get(key, 0) + 1
        self.longest[key] = max(self.longest.get(key, 0), now - began)
        if answer.status in expected:
            self.served.setdefault(kind, []).append(now)
        elif answer.status in (429, 502, 503, 504):
            self.without_retry_after += "retry-after" not in answer.headers
        else:
            code = answer.document.get("code") or answer.body[:80].decode("latin-1")
            self.violation(kind, answer.status, code)

    def lost(self, kind, began, reason):
        self.lost_answers[f"{kind} {reason}"] = self.lost_answers.get(f"{kind} {reason}", 0) + 1

    def violation(self, kind, status, detail):
        self.violations.append(f"{time.monotonic() - self.began:.2f} s: {kind} {status} {detail}")

    def successor(self, token, successor):
        if self.successors.setdefault(token, successor) != successor:
            self.violation("refresh", 200, "fork: another successor of the same token")

    def document(self, primary):
        lost_at, back_at = primary.outage(self.began)
        return {
            "answers": self.counts, "longest": {key: round(time, 2) for key, time in self.longest.items()},
            "lost": self.lost_answers, "violations": self.violations[:50],
            "withoutRetryAfter": self.without_retry_after,
            # The longest time without a primary, and what happened then.
            "withoutPrimary": round(back_at - lost_at, 2),
            "servedAfter": {kind: self.first_after(back_at, kind) for kind in ("refresh", "me")},
            "guardGap": round(self.longest_gap("guard"), 2), "refreshGap": round(self.longest_gap("refresh"), 2),
        }

    def first_after(self, moment, kind):
        """Seconds until the first good answer; None if there was none."""
        return next((round(max(0, at - moment), 2) for at in self.served.get(kind, []) if at >= moment - 0.05), None)

    def longest_gap(self, kind):
        moments = [self.began, *self.served.get(kind, []), time.monotonic()]
        return max(later - earlier for earlier, later in zip(moments, moments[1:]))
