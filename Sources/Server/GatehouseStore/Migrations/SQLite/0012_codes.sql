-- The phone number of a user in E.164. It is the subject of the user's account at PHONE. Triggers copy it from there, so that
-- each statement that changes the account also changes the user.
ALTER TABLE users ADD COLUMN phone TEXT;

CREATE TRIGGER phone_linked AFTER INSERT ON auth_accounts WHEN NEW.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NEW.provider_user_id WHERE id = NEW.user_id;
END;

CREATE TRIGGER phone_unlinked AFTER DELETE ON auth_accounts WHEN OLD.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NULL WHERE id = OLD.user_id;
END;

CREATE TRIGGER phone_moved AFTER UPDATE OF user_id, provider_user_id ON auth_accounts WHEN NEW.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NULL WHERE id = OLD.user_id;
    UPDATE users SET phone = NEW.provider_user_id WHERE id = NEW.user_id;
END;

-- Codes that were sent to a phone number or a mail address, until they expire.
CREATE TABLE codes (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of the id that only the asking device has
    provider   TEXT NOT NULL,
    address    TEXT NOT NULL,
    seed       BLOB NOT NULL,        -- with the secret and the id, it gives the code, so that the same code can be sent again
    code_hash  BLOB NOT NULL,        -- an HMAC of the code
    tries      INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL
) STRICT;

-- What the limits count: one row for each message with a code. Addresses and networks are keyed hashes.
CREATE TABLE code_sends (
    id       INTEGER PRIMARY KEY,
    moment   INTEGER NOT NULL,
    code     BLOB NOT NULL,          -- the hash of the code's id
    provider TEXT NOT NULL,
    country  TEXT,
    address  BLOB NOT NULL,
    prefix   BLOB,                   -- of a phone number, without its last four digits
    prefix_network BLOB,             -- of the prefix and the network together
    client   BLOB,
    network  BLOB,
    used     INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1))
) STRICT;
CREATE INDEX code_sends_by_code ON code_sends (code);
CREATE INDEX code_sends_by_provider ON code_sends (provider, moment);
CREATE INDEX code_sends_by_country ON code_sends (country, moment) WHERE country IS NOT NULL;
CREATE INDEX code_sends_by_address ON code_sends (address, moment);
CREATE INDEX code_sends_by_prefix ON code_sends (prefix, moment) WHERE prefix IS NOT NULL;
CREATE INDEX code_sends_by_prefix_network ON code_sends (prefix_network, moment) WHERE prefix_network IS NOT NULL;
CREATE INDEX code_sends_by_client ON code_sends (client, moment) WHERE client IS NOT NULL;
CREATE INDEX code_sends_by_network ON code_sends (network, moment) WHERE network IS NOT NULL;
