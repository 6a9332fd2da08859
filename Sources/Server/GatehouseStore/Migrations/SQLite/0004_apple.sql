-- Identity tokens and nonces that have been used, until they are worth nothing by themselves.
CREATE TABLE redemptions (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of a token, or of a nonce
    token_hash BLOB NOT NULL,        -- of the token that it was used with
    moment     INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

ALTER TABLE auth_accounts ADD COLUMN client_id TEXT;
ALTER TABLE auth_accounts ADD COLUMN refresh_token BLOB; -- Apple's, encrypted
ALTER TABLE auth_accounts ADD COLUMN transfer_sub TEXT;
ALTER TABLE auth_accounts ADD COLUMN mail_forwarded INTEGER CHECK (mail_forwarded IN (0, 1));
ALTER TABLE auth_accounts ADD COLUMN notified_at INTEGER;
CREATE UNIQUE INDEX auth_accounts_by_transfer_sub ON auth_accounts (transfer_sub) WHERE transfer_sub IS NOT NULL;

-- What is still to be asked of Apple's servers.
CREATE TABLE apple_tasks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('exchange', 'revoke')),
    user_id    TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    secret     BLOB NOT NULL, -- an authorization code or a refresh token, encrypted
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;

CREATE INDEX apple_tasks_by_due ON apple_tasks (due_at);

-- Notifications of Apple's that have been acted on.
CREATE TABLE apple_notifications (
    place  INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,
    moment INTEGER NOT NULL
) STRICT;
