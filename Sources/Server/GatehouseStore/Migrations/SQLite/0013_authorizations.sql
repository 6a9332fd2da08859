-- Sign-ins that have sent a browser to a provider's page, until the browser comes back.
CREATE TABLE authorization_requests (
    id             INTEGER PRIMARY KEY,
    hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the state that the provider sends back
    provider       TEXT NOT NULL,
    browser        BLOB NOT NULL,        -- SHA-256 of the value in the browser's cookie
    nonce          TEXT NOT NULL,
    code_verifier  TEXT NOT NULL,        -- for the provider
    redirect_uri   TEXT NOT NULL,
    code_challenge TEXT NOT NULL,        -- of the app
    app_state      TEXT,
    expires_at     INTEGER NOT NULL
) STRICT;

-- Codes of sign-ins through a browser, which an app exchanges for tokens. They are kept for a while after their use, so that
-- a second use is recognised.
CREATE TABLE authorization_codes (
    id             INTEGER PRIMARY KEY,
    hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the code
    redirect_uri   TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    proof          BLOB NOT NULL,        -- the proven identity, encrypted with the code and a secret; empty after the use
    session_id     TEXT,                 -- the session that the first use has opened
    expires_at     INTEGER NOT NULL
) STRICT;
