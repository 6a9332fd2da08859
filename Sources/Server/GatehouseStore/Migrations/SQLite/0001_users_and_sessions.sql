-- Moments are milliseconds since 1970 in UTC. Ids sort by creation time, so rows are appended.

CREATE TABLE users (
    id                   TEXT PRIMARY KEY,
    email                TEXT,
    nickname             TEXT,
    avatar_url           TEXT,
    role                 TEXT NOT NULL DEFAULT 'USER' CHECK (role IN ('USER', 'ADMIN', 'SUPER_ADMIN')),
    status               TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DISABLED', 'DELETED')),
    onboarding_completed INTEGER NOT NULL DEFAULT 0 CHECK (onboarding_completed IN (0, 1)),
    last_login_at        INTEGER,
    last_login_provider  TEXT,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE auth_accounts (
    id                  TEXT PRIMARY KEY,
    user_id             TEXT NOT NULL REFERENCES users (id),
    provider            TEXT NOT NULL CHECK (provider IN ('DEV', 'APPLE')),
    provider_user_id    TEXT NOT NULL,
    email               TEXT,
    email_hint          TEXT, -- said by a client, proven by nobody
    is_private_email    INTEGER CHECK (is_private_email IN (0, 1)),
    real_user_status    INTEGER,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    UNIQUE (provider, provider_user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_accounts_by_user ON auth_accounts (user_id);

-- One row a session, for as long as it lives, describing its current token.
CREATE TABLE refresh_tokens (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users (id),
    provider       TEXT NOT NULL,
    client_id      TEXT NOT NULL,
    token_hash     BLOB NOT NULL,
    token_random   BLOB NOT NULL,
    previous_hash  BLOB,
    generation     INTEGER NOT NULL,
    rotated_at     INTEGER NOT NULL, -- when the current token was issued
    expires_at     INTEGER NOT NULL,
    revoked_at     INTEGER,
    revoke_reason  TEXT,
    user_agent     TEXT,
    address        TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_user ON refresh_tokens (user_id);

CREATE INDEX refresh_tokens_by_revocation ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
