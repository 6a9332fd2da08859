"""A service behind the guard: comments of users, in a database of its own, which follows Gatehouse's events.

    POST /comments  {"text": "…"}   the user of X-User-Id writes one
    GET /comments                   the last 100, with the nicknames of their users
    POST /events                    Gatehouse says what happened to a user; nginx must not pass it on from outside

Settings: EVENTS_SECRET, DATABASE (comments.db), LISTEN (127.0.0.1:3000).
"""

import json
import re
import signal
import sqlite3
import sys
import time
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import Refusal, read_keys, setting, verify

LARGEST_BODY = 65536
LONGEST_TEXT = 2000
CLIENT_TIMEOUT = 10
# How long the ids of events are kept, in seconds. Gatehouse sends an event again for three days.
ID_LIFETIME = 7 * 86400

SCHEMA = """
CREATE TABLE IF NOT EXISTS comments (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS comments_user ON comments (user_id);
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, nickname TEXT, updated_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deleted_users (id TEXT PRIMARY KEY, joined_id TEXT);
CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL);
"""


# --- The database -----------------------------------------------------------------------------------------------------

class Comments:
    def __init__(self, path):
        self.path = path
        with closing(self.connect()) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(SCHEMA)

    def connect(self):
        return sqlite3.connect(self.path, isolation_level=None, timeout=5)

    @contextmanager
    def writing(self):
        """A transaction: on the disk when it ends, or not at all."""
        with closing(self.connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database

    def add(self, user, text, now):
        with self.writing() as database:
            # A request may have passed the guard just before the user was deleted, and be late.
            owner = present_owner(database, user)
            if owner is None:
                raise Refusal(403, "deleted_user")
            row = database.execute(
                "INSERT INTO comments (user_id, text, created_at) VALUES (?, ?, ?)", (owner, text, moment(now)))
            return {"id": row.lastrowid, "userId": owner, "text": text}

    def latest(self):
        with closing(self.connect()) as database:
            rows = database.execute("""
                SELECT c.id, c.user_id, u.nickname, c.text, c.created_at
                FROM comments c LEFT JOIN users u ON u.id = c.user_id ORDER BY c.id DESC LIMIT 100""")
            return [dict(zip(("id", "userId", "nickname", "text", "createdAt"), row)) for row in rows]

    def receive(self, event_id, event, now):
        """Returns whether the event is new. Its id and its effect are written in one transaction."""
        with self.writing() as database:
            database.execute("DELETE FROM events WHERE received_at < ?", (now - ID_LIFETIME,))
            try:
                database.execute("INSERT INTO events (id, received_at) VALUES (?, ?)", (event_id, now))
            except sqlite3.IntegrityError:
                return False
            apply(database, event)
            return True


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


# --- Events -----------------------------------------------------------------------------------------------------------

# Gatehouse sends the events of a user in their order. Those of two users have none, and what was sent again may come late, so
# each effect also fits in another order: deleted users are remembered, by their ids alone.

def apply(database, event):
    # Later versions of Gatehouse may have other types.
    if event["type"] == "user.deleted":
        delete(database, event["data"]["userId"], event["data"].get("joinedUserId"))
    elif event["type"] in ("user.created", "user.updated"):
        update(database, event["data"]["user"])


def update(database, user):
    """Keeps the nickname. `user` is as it was when the event was sent, and is None if it had been removed by then."""
    if user is None or user["status"] == "DELETED" or is_deleted(database, user["id"]):
        return
    database.execute("""
        INSERT INTO users (id, nickname, updated_at) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET nickname = excluded.nickname, updated_at = excluded.updated_at
        WHERE excluded.updated_at >= updated_at""", (user["id"], user["nickname"], user["updatedAt"]))


def delete(database, user, joined):
    """Removes what there is of the user, or gives it to the user whom this one has joined."""
    database.execute("INSERT OR REPLACE INTO deleted_users (id, joined_id) VALUES (?, ?)", (user, joined))
    database.execute("DELETE FROM users WHERE id = ?", (user,))
    owner = present_owner(database, user)
    if owner is None:
        database.execute("DELETE FROM comments WHERE user_id = ?", (user,))
    else:
        database.execute("UPDATE comments SET user_id = ? WHERE user_id = ?", (owner, user))


def present_owner(database, user):
    """The user themself, or whom they have joined; None if that user has been deleted."""
    seen = set()
    while user is not None and user not in seen:
        seen.add(user)
        row = database.execute("SELECT joined_id FROM deleted_users WHERE id = ?", (user,)).fetchone()
        if row is None:
            return user
        user = row[0]
    return None


def is_deleted(database, user):
    return database.execute("SELECT 1 FROM deleted_users WHERE id = ?", (user,)).fetchone() is not None


def read_event(body):
    """The event, or a Refusal if what is used of it is not there."""
    try:
        event = json.loads(body)
        data, user = event["data"], event["data"].get("user")
        texts = [event["type"], data["userId"], data.get("joinedUserId") or ""]
        if user is not None:
            texts += [user["id"], user["status"], user["updatedAt"], user["nickname"] or ""]
        if all(isinstance(text, str) for text in texts):
            return event
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise Refusal(400, "malformed")


# --- Serving ----------------------------------------------------------------------------------------------------------

class Handler(BaseHTTPRequestHandler):
    """The server's attributes `comments` and `keys` are set by `make_server`."""

    timeout = CLIENT_TIMEOUT

    def do_GET(self):
        self.respond({"/": lambda: (200, {}), "/comments": lambda: (200, {"comments": self.server.comments.latest()})})

    def do_POST(self):
        self.respond({"/comments": self.add_comment, "/events": self.receive_event})

    def respond(self, routes):
        self.detail = "-"
        try:
            if self.path not in routes:
                raise Refusal(404, "not_found")
            status, value = routes[self.path]()
        except Refusal as refusal:
            self.close_connection = True
            self.detail, (status, value) = refusal.reason, (refusal.status, {"error": refusal.reason})
        except Exception as error:  # Its text could contain a part of the request.
            self.detail, (status, value) = type(error).__name__, (500, {"error": "failed"})
        if self.path != "/":
            print(f"{self.command} {self.path if self.path in routes else '-'} {status} {self.detail}",
                  file=sys.stderr, flush=True)
        self.answer(status, value)

    def add_comment(self):
        user = self.headers.get("x-user-id", "")
        if not re.fullmatch(r"user_[0-9A-Z]{26}", user):
            raise Refusal(401, "no_user")
        try:
            text = json.loads(self.read_body())["text"]
        except (ValueError, KeyError, TypeError):
            text = None
        if not isinstance(text, str) or not 1 <= len(text) <= LONGEST_TEXT:
            raise Refusal(400, "text")
        return 201, self.server.comments.add(user, text, time.time())

    def receive_event(self):
        body = self.read_body()
        event_id = verify(self.server.keys, self.headers, body, time.time())
        event = read_event(body)
        self.detail = event_id if self.server.comments.receive(event_id, event, int(time.time())) else "repeated"
        return 204, None

    def read_body(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch(r"[0-9]{1,6}", length) or int(length) > LARGEST_BODY:
            raise Refusal(413, "length")
        body = self.rfile.read(int(length))
        if len(body) != int(length):
            raise Refusal(400, "incomplete")
        return body

    def answer(self, status, value):
        body = b"" if value is None else json.dumps(value, ensure_ascii=False).encode() + b"\n"
        try:
            self.send_response_only(status)
            if value is not None:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # The client does not wait any more.
            self.close_connection = True

    def log_message(self, *_):
        """Not the lines of the base class, which contain what a client sends."""


def make_server(path, keys, listen):
    host, _, port = listen.rpartition(":")
    server = ThreadingHTTPServer((host or "127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    server.comments, server.keys = Comments(path), keys
    return server


if __name__ == "__main__":
    # What is not committed when the process ends is sent again by Gatehouse.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    make_server(
        setting("DATABASE", "comments.db"), read_keys(setting("EVENTS_SECRET")), setting("LISTEN", "127.0.0.1:3000")
    ).serve_forever()
