-- What owners are told about changes of their accounts. A row stays for two days, because notices to one user are counted.
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    provider   TEXT NOT NULL,    -- the channel: EMAIL or PHONE
    address    TEXT NOT NULL,    -- empty once it was sent
    moment     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER,          -- when it is sent; NULL once it was
    expires_at INTEGER NOT NULL  -- when the row is deleted
) STRICT;
CREATE INDEX notices_by_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_by_user ON notices (user_id, moment);
