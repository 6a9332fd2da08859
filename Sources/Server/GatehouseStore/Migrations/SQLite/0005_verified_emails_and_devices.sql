-- Whether a provider has confirmed that the address belongs to the user. Unknown for rows that are older than this.
ALTER TABLE users ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1));
ALTER TABLE auth_accounts ADD COLUMN email_verified INTEGER CHECK (email_verified IN (0, 1));
ALTER TABLE auth_accounts ADD COLUMN real_user_status_hint INTEGER; -- said by a client

-- The device of the last rotation; the other two columns have that of the login.
ALTER TABLE refresh_tokens ADD COLUMN last_user_agent TEXT;
ALTER TABLE refresh_tokens ADD COLUMN last_address TEXT;

-- SHA-256 of the identity token that opened the session, or that linked the account.
ALTER TABLE refresh_tokens ADD COLUMN identity_token_hash BLOB;
ALTER TABLE auth_accounts ADD COLUMN identity_token_hash BLOB;
ALTER TABLE redemptions ADD COLUMN closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1));

-- What ends on purpose takes the grace of the user's identity tokens with it, whichever statement ends it: a session those
-- of the session and of the user's accounts, an account those of the account and of the user's sessions. The limit of
-- sessions is no such end: a login that is repeated because its answer was lost may have reached it.
CREATE TRIGGER revoked_session_closes_redemptions AFTER UPDATE OF revoked_at ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND NEW.revoke_reason IS NOT 'session_limit'
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = NEW.identity_token_hash
        OR hash IN (SELECT identity_token_hash FROM auth_accounts WHERE user_id = NEW.user_id);
END;

CREATE TRIGGER removed_session_closes_redemption AFTER DELETE ON refresh_tokens
WHEN OLD.identity_token_hash IS NOT NULL
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = OLD.identity_token_hash;
END;

CREATE TRIGGER removed_account_closes_redemptions AFTER DELETE ON auth_accounts
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = OLD.identity_token_hash
        OR hash IN (SELECT identity_token_hash FROM refresh_tokens WHERE user_id = OLD.user_id);
END;

-- Identities that disabled users had when they were removed: keyed hashes, so that a login is recognised and nothing
-- personal is kept.
CREATE TABLE barred_identities (
    hash    BLOB PRIMARY KEY,
    user_id TEXT NOT NULL,
    moment  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
