-- The public keys by which users sign in. All of one user belong to the user's account at PASSKEY, and go with it.
CREATE TABLE passkeys (
    id              TEXT COLLATE "C" PRIMARY KEY,
    account_id      TEXT COLLATE "C" NOT NULL REFERENCES auth_accounts (id) ON DELETE CASCADE,
    credential_id   BYTEA NOT NULL UNIQUE, -- given by the authenticator
    public_key      BYTEA NOT NULL, -- in the form of COSE
    algorithm       BIGINT NOT NULL, -- its number at COSE
    sign_count      BIGINT NOT NULL,
    transports      TEXT COLLATE "C" NOT NULL, -- separated by spaces
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    aaguid          BYTEA NOT NULL, -- the model, which nothing has verified
    name            TEXT COLLATE "C", -- chosen by the user
    created_at      BIGINT NOT NULL,
    last_used_at    BIGINT
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);
