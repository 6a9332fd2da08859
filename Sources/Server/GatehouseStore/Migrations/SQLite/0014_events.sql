-- The services that are told what happens to users. Servers write the receivers of their settings here, so that each write,
-- also one of a command or of another node, queues events for them.
CREATE TABLE event_receivers (
    name       TEXT PRIMARY KEY,
    types      TEXT NOT NULL,    -- with a space before and after each; * for all
    seen_at    INTEGER NOT NULL, -- when a server last had it in its settings
    stopped_at INTEGER,          -- since when it wants no more events
    resumed_at INTEGER, -- when an operator last had events sent at once
    holder     TEXT,             -- the node that sends to it,
    held_until INTEGER           -- and for how long
) STRICT;

-- The outbox: a row for each event and each receiver that has not been told.
CREATE TABLE events (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    receiver   TEXT NOT NULL,
    id         TEXT NOT NULL,    -- the same for all receivers
    type       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    session_id TEXT,
    detail     TEXT,             -- the provider, the changed members, the user who was joined, or the reason
    moment     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER, -- when it is sent again; NULL for at once
    expires_at INTEGER, -- when it is given up; NULL before the first failure
    dead_at    INTEGER,          -- when it was given up
    fault      TEXT              -- why the last attempt failed
) STRICT;

CREATE INDEX events_waiting ON events (receiver, number) WHERE dead_at IS NULL;
CREATE INDEX events_waiting_by_user ON events (receiver, user_id, number) WHERE dead_at IS NULL;
CREATE INDEX events_dead ON events (receiver, number) WHERE dead_at IS NOT NULL;
