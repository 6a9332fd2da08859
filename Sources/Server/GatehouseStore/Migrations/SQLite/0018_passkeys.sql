-- The public keys by which users sign in. All of one user belong to the user's account at PASSKEY, and go with it.
CREATE TABLE passkeys (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES auth_accounts (id) ON DELETE CASCADE,
    credential_id   BLOB NOT NULL UNIQUE, -- given by the authenticator
    public_key      BLOB NOT NULL,        -- in the form of COSE
    algorithm       INTEGER NOT NULL,     -- its number at COSE
    sign_count      INTEGER NOT NULL,
    transports      TEXT NOT NULL,        -- separated by spaces
    backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
    backed_up       INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
    aaguid          BLOB NOT NULL,        -- the model, which nothing has verified
    name            TEXT,                 -- chosen by the user
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER
) STRICT;
CREATE INDEX passkeys_by_account ON passkeys (account_id);
