import contextlib
import http.client
import io
import json
import pathlib
import tempfile
import threading
import time
import unittest

from support import KEY, Serving, signed

import comments

OTHER_KEY = b"o" * 24
ADA, BOB, CHLOE = ("user_" + letter * 26 for letter in "ABC")


def user(name, nickname, second=0, status="ACTIVE"):
    return {"id": name, "nickname": nickname, "status": status, "updatedAt": f"2026-11-25T12:00:{second:02}.000Z"}


def created(name, nickname, second=0):
    return {"type": "user.created", "data": {"userId": name, "user": user(name, nickname, second)}}


def updated(name, nickname, second):
    return {"type": "user.updated", "data": {"userId": name, "user": user(name, nickname, second)}}


def deleted(name, joined=None):
    data = {"userId": name, "user": user(name, None, 59, "DELETED"), "joinedUserId": joined}
    return {"type": "user.deleted", "data": data}


class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name) / "comments.db")
        self.serving = Serving(comments.make_server(self.path, [OTHER_KEY, KEY], "127.0.0.1:0"))
        self.addCleanup(self.serving.close)
        self.log = io.StringIO()
        self.enterContext(contextlib.redirect_stderr(self.log))
        self.events = 0

    def ask(self, method, path, content=None, headers=None):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.serving.port, timeout=30)) as connection:
            connection.request(method, path, content, headers or {})
            response = connection.getresponse()
            body = response.read()
            return response.status, json.loads(body) if body else None

    def tell(self, event, event_id=None, **options):
        self.events += 1
        content = json.dumps(event).encode()
        return self.ask("POST", "/events", content, signed(content, event_id or f"evt_{self.events}", **options))

    def write(self, name, text="Hello"):
        return self.ask("POST", "/comments", json.dumps({"text": text}), {"X-User-Id": name})[0]

    def shown(self):
        status, answer = self.ask("GET", "/comments")
        self.assertEqual(status, 200)
        return [(comment["userId"], comment["nickname"], comment["text"]) for comment in reversed(answer["comments"])]

    def rows(self, table):
        with contextlib.closing(self.serving.server.comments.connect()) as database:
            return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


class Commenting(ServiceTest):
    def test_a_comment_is_shown_with_the_nickname_of_its_user(self):
        self.assertEqual(self.tell(created(ADA, "Ada")), (204, None))
        self.assertEqual([self.write(ADA, "Grüße"), self.write(BOB)], [201, 201])
        self.assertEqual(self.shown(), [(ADA, "Ada", "Grüße"), (BOB, None, "Hello")])

    def test_a_request_that_has_not_passed_the_guard_is_refused(self):
        for name in ("", "user_", ADA + "A", ADA.lower(), f"{ADA}, {BOB}"):
            self.assertEqual(self.write(name), 401)
        self.assertEqual(self.shown(), [])

    def test_a_comment_has_a_text(self):
        for content in (b"", b"{", b"[]", b"{}", b'{"text":""}', b'{"text":1}', json.dumps({"text": "x" * 2001})):
            self.assertEqual(self.ask("POST", "/comments", content, {"X-User-Id": ADA})[0], 400)
        self.assertEqual(self.write(ADA, "x" * 2000), 201)

    def test_other_paths_and_large_bodies_are_refused(self):
        self.assertEqual(self.ask("GET", "/events")[0], 404)
        self.assertEqual(self.ask("POST", "/")[0], 404)
        self.assertEqual(self.ask("POST", "/events", headers={"Content-Length": "65537"})[0], 413)

    def test_nothing_of_a_request_is_logged(self):
        self.write(ADA, "secret text")
        self.tell(created(ADA, "secret name"))
        self.ask("GET", "/secret")
        self.assertNotIn("secret", self.log.getvalue())


class Verifying(ServiceTest):
    def test_only_signed_events_of_now_have_an_effect(self):
        event = created(ADA, "Ada")
        self.assertEqual(self.ask("POST", "/events", json.dumps(event)), (401, {"error": "unsigned"}))
        self.assertEqual(self.tell(event, key=b"x" * 24), (401, {"error": "wrong_signature"}))
        for offset in (-301, 400):
            self.assertEqual(self.tell(event, timestamp=int(time.time()) + offset), (401, {"error": "wrong_time"}))
        self.assertEqual((self.rows("users"), self.rows("events")), (0, 0))

    def test_each_of_two_secrets_is_accepted(self):
        for key in (KEY, OTHER_KEY):
            self.assertEqual(self.tell(created(ADA, "Ada"), key=key)[0], 204)

    def test_a_malformed_event_is_refused_and_its_id_not_kept(self):
        bad = user(ADA, "Ada") | {"nickname": 1}
        for event in (1, [], {}, {"type": "user.created"}, {"type": "user.created", "data": 1},
                      {"type": "user.deleted", "data": {}}, {"type": "user.updated", "data": {"userId": ADA, "user": {}}},
                      {"type": "user.updated", "data": {"userId": ADA, "user": bad}}):
            self.assertEqual(self.tell(event, "evt_x"), (400, {"error": "malformed"}))
        self.assertEqual(self.tell(created(ADA, "Ada"), "evt_x")[0], 204)

    def test_an_event_of_another_type_and_one_without_a_user_are_accepted(self):
        self.assertEqual(self.tell({"type": "user.promoted", "data": {"userId": ADA, "user": None}})[0], 204)
        self.assertEqual(self.tell({"type": "user.updated", "data": {"userId": ADA, "user": None}})[0], 204)


class Following(ServiceTest):
    def test_an_id_that_was_there_before_has_no_effect(self):
        self.tell(created(ADA, "Ada"), "evt_1")
        self.assertEqual(self.tell(updated(ADA, "Other", 9), "evt_1")[0], 204)
        self.write(ADA)
        self.assertEqual(self.shown(), [(ADA, "Ada", "Hello")])

    def test_an_older_nickname_does_not_replace_a_newer_one(self):
        for event in (updated(ADA, "Newer", 2), created(ADA, "Old", 0), updated(ADA, "Older", 1)):
            self.tell(event)
        self.write(ADA)
        self.assertEqual(self.shown(), [(ADA, "Newer", "Hello")])

    def test_nothing_is_left_of_a_deleted_user_in_any_order(self):
        self.write(ADA), self.write(BOB)
        self.tell(deleted(ADA))
        self.tell(updated(ADA, "Ada", 1))
        self.assertEqual(self.write(ADA), 403)
        self.assertEqual(self.shown(), [(BOB, None, "Hello")])
        self.assertEqual(self.rows("users"), 0)

    def test_what_a_user_wrote_goes_to_the_one_whom_they_join(self):
        self.write(ADA), self.write(BOB)
        self.tell(created(BOB, "Bob"))
        self.tell(deleted(ADA, BOB))
        self.assertEqual(self.write(ADA, "late"), 201)
        self.assertEqual(self.shown(), [(BOB, "Bob", "Hello"), (BOB, "Bob", "Hello"), (BOB, "Bob", "late")])

    def test_it_is_deleted_with_that_user_whichever_event_comes_first(self):
        for events in ((deleted(ADA, BOB), deleted(BOB)), (deleted(BOB), deleted(ADA, BOB))):
            self.setUp()
            self.write(ADA), self.write(BOB), self.write(CHLOE)
            for event in events:
                self.tell(event)
            self.assertEqual(self.shown(), [(CHLOE, None, "Hello")])

    def test_it_follows_several_joins_in_any_order_and_a_circle_ends(self):
        for events in ((deleted(ADA, BOB), deleted(BOB, CHLOE)), (deleted(BOB, CHLOE), deleted(ADA, BOB))):
            self.setUp()
            self.write(ADA), self.write(BOB)
            for event in events:
                self.tell(event)
            self.assertEqual([row[0] for row in self.shown()], [CHLOE, CHLOE])
        self.tell(deleted(CHLOE, ADA))
        self.assertEqual(self.write(ADA), 403)

    def test_the_same_event_at_the_same_time_has_one_effect(self):
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(self.tell(created(ADA, "Ada"), "evt_1")[0]))
            for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((answers, self.rows("events")), ([204] * 8, 1))

    def test_ids_are_forgotten_after_a_week(self):
        store = self.serving.server.comments
        self.assertTrue(store.receive("evt_1", created(ADA, "Ada"), 0))
        self.assertFalse(store.receive("evt_1", created(ADA, "Ada"), comments.ID_LIFETIME))
        self.assertTrue(store.receive("evt_2", created(ADA, "Ada"), comments.ID_LIFETIME + 1))
        self.assertEqual(self.rows("events"), 1)

    def test_the_id_is_not_kept_where_the_effect_fails(self):
        store = self.serving.server.comments
        with self.assertRaises(KeyError):
            store.receive("evt_1", {"type": "user.deleted", "data": {}}, 0)
        self.assertEqual(self.rows("events"), 0)
