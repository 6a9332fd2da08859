-- What has ended while access tokens for it were still out there, in the order of commits. Servers read what has been
-- added since they last looked, so a number is never used again.
CREATE TABLE revocations (
    place      INTEGER PRIMARY KEY AUTOINCREMENT,
    moment     INTEGER NOT NULL,
    session_id TEXT,
    user_id    TEXT, -- whose role or status has changed
    CHECK ((session_id IS NULL) <> (user_id IS NULL))
) STRICT;

-- The log writes itself, so that nobody can end something and forget to say so.
CREATE TRIGGER session_revoked AFTER UPDATE OF revoked_at ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
BEGIN
    INSERT INTO revocations (moment, session_id) VALUES (unixepoch() * 1000, NEW.id);
END;

CREATE TRIGGER session_removed AFTER DELETE ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND OLD.expires_at > unixepoch() * 1000
BEGIN
    INSERT INTO revocations (moment, session_id) VALUES (unixepoch() * 1000, OLD.id);
END;

CREATE TRIGGER user_standing_changed AFTER UPDATE OF role, status ON users
WHEN OLD.role <> NEW.role OR OLD.status <> NEW.status
BEGIN
    INSERT INTO revocations (moment, user_id) VALUES (unixepoch() * 1000, NEW.id);
END;

CREATE TRIGGER user_removed AFTER DELETE ON users
BEGIN
    INSERT INTO revocations (moment, user_id) VALUES (unixepoch() * 1000, OLD.id);
END;

INSERT INTO revocations (moment, session_id)
SELECT revoked_at, id FROM refresh_tokens WHERE revoked_at IS NOT NULL ORDER BY revoked_at;

DROP INDEX refresh_tokens_by_revocation;

CREATE TABLE audit_events (
    id         INTEGER PRIMARY KEY,
    moment     INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    user_id    TEXT,
    session_id TEXT,
    provider   TEXT,
    address    TEXT,
    user_agent TEXT,
    detail     TEXT,
    count      INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX audit_events_by_user ON audit_events (user_id) WHERE user_id IS NOT NULL;
