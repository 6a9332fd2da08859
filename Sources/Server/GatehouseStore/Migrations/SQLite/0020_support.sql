-- What support adds to entries of the audit trail: who has acted, and why. Other entries have no row here.
CREATE TABLE audit_acts (
    id         INTEGER PRIMARY KEY, -- of the entry
    moment     INTEGER NOT NULL,
    actor      TEXT,                -- the id of an administrator, or the operator's name
    reason     TEXT,
    request_id TEXT
) STRICT;
CREATE INDEX audit_acts_by_actor ON audit_acts (actor, id) WHERE actor IS NOT NULL;

-- What undoing a merge of two users needs. Personal data: a row is deleted after a day.
CREATE TABLE merges (
    id                   INTEGER PRIMARY KEY, -- of the entry in the audit trail
    user_id              TEXT NOT NULL,       -- who went away,
    other_id             TEXT NOT NULL,       -- and who stayed
    actor                TEXT,
    moment               INTEGER NOT NULL,
    accounts             TEXT NOT NULL,       -- the ids of those that have moved, with spaces between them
    email                TEXT,                -- the rows of both users as they were before
    email_verified       INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
    nickname             TEXT,
    avatar_url           TEXT,
    onboarding_completed INTEGER NOT NULL CHECK (onboarding_completed IN (0, 1)),
    last_login_at        INTEGER,
    last_login_provider  TEXT,
    other_email          TEXT,
    other_email_verified INTEGER NOT NULL CHECK (other_email_verified IN (0, 1)),
    other_nickname       TEXT,
    other_avatar_url     TEXT
) STRICT;
CREATE INDEX merges_by_user ON merges (user_id);

-- How often something happened: `482520 logins APPLE` is an hour since 1970, a series and its key. The rows that begin with
-- `cursor` say how far the tables that are counted have been counted.
CREATE TABLE statistics (
    id    TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- For a search by the beginning of a nickname.
CREATE INDEX users_by_nickname ON users (lower(nickname), id) WHERE nickname IS NOT NULL;
