-- What support adds to entries of the audit trail: who has acted, and why. Other entries have no row here.
CREATE TABLE audit_acts (
    id         BIGINT PRIMARY KEY,      -- of the entry
    moment     BIGINT NOT NULL,
    actor      TEXT COLLATE "C",        -- the id of an administrator, or the operator's name
    reason     TEXT COLLATE "C",
    request_id TEXT COLLATE "C"
);
CREATE INDEX audit_acts_by_actor ON audit_acts (actor, id) WHERE actor IS NOT NULL;

-- What undoing a merge of two users needs. Personal data: a row is deleted after a day.
CREATE TABLE merges (
    id                   BIGINT PRIMARY KEY, -- of the entry in the audit trail
    user_id              TEXT COLLATE "C" NOT NULL, -- who went away,
    other_id             TEXT COLLATE "C" NOT NULL, -- and who stayed
    actor                TEXT COLLATE "C",
    moment               BIGINT NOT NULL,
    accounts             TEXT COLLATE "C" NOT NULL, -- the ids of those that have moved, with spaces between them
    email                TEXT COLLATE "C",          -- the rows of both users as they were before
    email_verified       BOOLEAN NOT NULL,
    nickname             TEXT COLLATE "C",
    avatar_url           TEXT COLLATE "C",
    onboarding_completed BOOLEAN NOT NULL,
    last_login_at        BIGINT,
    last_login_provider  TEXT COLLATE "C",
    other_email          TEXT COLLATE "C",
    other_email_verified BOOLEAN NOT NULL,
    other_nickname       TEXT COLLATE "C",
    other_avatar_url     TEXT COLLATE "C"
);
CREATE INDEX merges_by_user ON merges (user_id);

-- How often something happened: `482520 logins APPLE` is an hour since 1970, a series and its key. The rows that begin with
-- `cursor` say how far the tables that are counted have been counted.
CREATE TABLE statistics (
    id    TEXT COLLATE "C" PRIMARY KEY,
    count BIGINT NOT NULL
);

-- For a search by the beginning of a nickname. While it is built, no login can write.
CREATE INDEX users_by_nickname ON users (lower(nickname), id) WHERE nickname IS NOT NULL;
