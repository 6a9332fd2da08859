import io
import os
import socket
import threading
import time
import unittest
from unittest import mock

import support
from support import KEY, SECRET, ReceiverTest, body, notice, signed

import sms_receiver

OTHER_KEY = b"o" * 24


class TheSignature(unittest.TestCase):
    """The example of the reference libraries."""

    ID, TIME, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    TAG = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    def verify(self, signature=TAG, now=TIME, content=BODY, timestamp=str(TIME)):
        keys = sms_receiver.read_keys("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        headers = {"webhook-id": self.ID, "webhook-timestamp": timestamp, "webhook-signature": signature}
        return sms_receiver.verify(keys, headers, content, now)

    def test_the_published_example_is_valid(self):
        self.assertEqual(self.verify(), self.ID)

    def test_one_of_several_is_enough_with_either_separator(self):
        for list in (f"v1,AAAA {self.TAG}", f"{self.TAG} v1,AAAA", f"v1,AAAA, {self.TAG}", f"{self.TAG}, v1a,x"):
            self.assertEqual(self.verify(list), self.ID)

    def test_others_are_refused(self):
        for signature in ("", "v1,", "v1,AAAA", self.TAG[3:], self.TAG.replace("v1", "v2"), "v1,é", " , "):
            with self.subTest(signature), self.assertRaises(sms_receiver.Refusal) as raised:
                self.verify(signature)
            self.assertEqual(raised.exception.status, 401)

    def test_it_is_of_this_body(self):
        with self.assertRaisesRegex(sms_receiver.Refusal, "wrong_signature"):
            self.verify(content=self.BODY + b" ")

    def test_the_time_is_at_most_five_minutes_away(self):
        for offset in (-300, 300):
            self.assertEqual(self.verify(now=self.TIME + offset), self.ID)
        for offset in (-301, 301):
            with self.assertRaisesRegex(sms_receiver.Refusal, "wrong_time"):
                self.verify(now=self.TIME + offset)

    def test_the_time_is_a_number(self):
        for text in ("x", "1.0", "-1", "1" * 13, "１６１４２６５３３０"):
            with self.subTest(text), self.assertRaisesRegex(sms_receiver.Refusal, "wrong_time"):
                self.verify(timestamp=text)


class TheSettings(unittest.TestCase):
    def test_each_of_several_secrets_is_a_key(self):
        other = "whsec_b29vb29vb29vb29vb29vb29vb29vb29v"
        self.assertEqual(sms_receiver.read_keys(f" {SECRET}\n{other}\n"), [KEY, OTHER_KEY])

    def test_a_malformed_secret_ends_the_program_without_being_shown(self):
        for secret in ("secret", "whsec_c2VjcmV0", "whsec_!", "whsec_é", SECRET[6:], "whsec_" + "c2VjcmV0" * 11):
            with self.subTest(secret), self.assertRaises(SystemExit) as raised:
                sms_receiver.read_keys(secret)
            self.assertNotIn(secret, str(raised.exception))

    def test_a_value_may_be_in_a_file(self):
        with mock.patch.dict(os.environ, {"A_FILE": __file__}):
            self.assertTrue(sms_receiver.setting("A").startswith("import io\n"))

    def test_a_missing_one_ends_the_program(self):
        with mock.patch.dict(os.environ, clear=True):
            self.assertEqual(sms_receiver.setting("A", "default"), "default")
            self.assertRaisesRegex(SystemExit, "A is not set", sms_receiver.setting, "A")

    def test_what_cannot_be_used_ends_the_program_with_its_name(self):
        for file, message in ("/nowhere", "A_FILE: No such file"), ("/proc/self/exe", "A_FILE: no text"):
            with mock.patch.dict(os.environ, {"A_FILE": file}):
                self.assertRaisesRegex(SystemExit, message, sms_receiver.setting, "A")
        for listen in ("127.0.0.1", "127.0.0.1:x", "localhost:99999", "192.0.2.1:8480"):
            self.assertRaisesRegex(SystemExit, "LISTEN", sms_receiver.make_server, None, [KEY], listen)

    def test_credentials_are_sent_by_https_or_within_this_machine(self):
        for address in ("https://sms.example.com", "http://127.0.0.1:8000", "http://localhost"):
            self.assertEqual(sms_receiver.address_setting("A", address + "/"), address)
        for address in ("http://sms.example.com", "http://127.0.0.1.example.com", "ftp://localhost", "x", "https://"):
            self.assertRaises(SystemExit, sms_receiver.address_setting, "A", address)


class Receiving(ReceiverTest):
    def setUp(self):
        self.sent = []
        self.receive_with(self.sent.append)

    def test_a_code_is_passed_on(self):
        self.assertEqual(self.post(), (202, "accepted"))
        self.assertEqual(self.sent, [sms_receiver.Message(
            to=support.NUMBER, country="CN", language="en", text=support.TEXT, code="042137", notice=None, minutes=10)])
        self.assertEqual(self.log.getvalue(), "msg_1 202 accepted\n")

    def test_a_notice_is_passed_on(self):
        self.assertEqual(self.post(notice()), (202, "accepted"))
        self.assertEqual((self.sent[0].code, self.sent[0].notice), (None, "phone_changed"))
        self.assertEqual(self.post(notice().replace(b"sms.", b"later."), message_id="msg_2"), (202, "accepted"))
        self.assert_nothing_is_logged()

    def test_a_repeated_message_is_not_passed_on_again(self):
        self.post()
        self.assertEqual(self.post(timestamp=int(time.time()) - 1), (202, "repeated"))
        self.assertEqual(self.post(message_id="msg_2"), (202, "accepted"))
        self.assertEqual(len(self.sent), 2)

    def test_an_unsigned_message_is_refused(self):
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            headers = signed(body())
            del headers[name]
            self.assertEqual(self.post(headers=headers), (401, "unsigned"))
        self.assertEqual(self.post(key=OTHER_KEY), (401, "wrong_signature"))
        self.assertEqual(self.post(timestamp=0), (401, "wrong_time"))
        self.assertEqual(self.sent, [])

    def test_a_malformed_message_is_refused(self):
        for content in (
                b"", b"[]", b"{", b"\xff", body(to="13800138000"), body(to=1), body(code="x"), body(code=None),
                body(expiresIn="x"), b'{"type":"sms.code"}'):
            self.assertEqual(self.post(content), (400, "malformed"))
        self.assertEqual(self.sent, [])
        self.assert_nothing_is_logged()

    def test_a_large_body_is_refused_without_being_read(self):
        self.assertEqual(self.post(headers={"content-length": "65537"}), (413, "length"))

    def test_each_of_several_keys_is_accepted(self):
        self.receive_with(self.sent.append, [OTHER_KEY, KEY])
        self.assertEqual(self.post(), (202, "accepted"))
        self.assertEqual(self.post(message_id="msg_2", key=OTHER_KEY), (202, "accepted"))

    def test_too_many_requests_at_a_time_are_refused(self):
        self.receiver.server.places = threading.Semaphore(0)
        self.assertEqual(self.post(), (503, "crowded"))
        self.assertEqual(self.sent, [])

    def test_a_request_that_is_not_verified_yet_takes_no_place(self):
        self.receiver.server.places = threading.Semaphore(1)
        with socket.create_connection(("127.0.0.1", self.receiver.port)) as stranger:
            stranger.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
            self.assertEqual(self.post(), (202, "accepted"))


class Failing(ReceiverTest):
    def test_a_message_that_the_gateway_refused_is_sent_again(self):
        outcomes = [sms_receiver.limited("slow"), sms_receiver.unavailable("down"), None]

        def send(_):
            outcome = outcomes.pop(0)
            if outcome:
                raise outcome

        self.receive_with(send)
        self.assertEqual([self.post() for _ in range(4)], [
            (429, "slow"), (503, "down"), (202, "accepted"), (202, "repeated")])

    def test_an_error_of_the_program_shows_nothing_of_the_message(self):
        def send(message):
            raise ValueError(message.to + message.code)

        self.receive_with(send)
        self.assertEqual(self.post(), (500, "ValueError"))
        self.assert_nothing_is_logged()


class Remembering(unittest.TestCase):
    def test_ids_are_forgotten_after_an_hour(self):
        deliveries = sms_receiver.Deliveries()
        self.assertTrue(deliveries.deliver("a", 0, lambda: None))
        self.assertFalse(deliveries.deliver("a", 3599, lambda: None))
        self.assertTrue(deliveries.deliver("b", 3601, lambda: None))
        self.assertEqual(list(deliveries.accepted), ["b"])

    def test_a_repeat_waits_for_the_outcome_of_the_first_request(self):
        deliveries, waits, outcomes = sms_receiver.Deliveries(), threading.Event(), []
        wait_for = deliveries.changed.wait_for

        def repeat():
            outcomes.append(deliveries.deliver("a", 0, lambda: self.fail("sent twice")))

        thread = threading.Thread(target=repeat)

        def send():
            deliveries.changed.wait_for = lambda condition: (waits.set(), wait_for(condition))
            thread.start()
            self.assertTrue(waits.wait(10))

        self.assertTrue(deliveries.deliver("a", 0, send))
        thread.join(10)
        self.assertEqual(outcomes, [False])


class TheAnswer(unittest.TestCase):
    def test_one_that_comes_byte_by_byte_is_waited_for_as_long_as_any(self):
        class Slow(io.BytesIO):
            def read1(self, _):
                return self.read(1)

        self.assertEqual(sms_receiver.read_until(time.monotonic() + 60, Slow(b"{}")), b"{}")
        with self.assertRaises(sms_receiver.Refusal) as raised:
            sms_receiver.read_until(time.monotonic() - 1, Slow(b"{}"))
        self.assertEqual(raised.exception.status, 504)


class CodesInTheLog(unittest.TestCase):
    def test_what_could_be_a_number_or_a_text_is_not_logged(self):
        for value in ("isv.BUSINESS_LIMIT_CONTROL", 21211, "LimitExceeded.PhoneNumberDailyLimit"):
            self.assertEqual(sms_receiver.word(value), str(value))
        for value in (None, "", "+8613800138000", "13800138000", "042137", 42137000, "a b", "a\n", {}, "a" * 81):
            self.assertEqual(sms_receiver.word(value), "None" if value is None else "unknown")
