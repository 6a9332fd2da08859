-- What a guest signs in by: the thumbprint of a device's key, or a random text that no client has. NULL for a user who is no
-- guest. The first account of a guest ends that, and triggers see to it, so that each statement that gives an account to a user
-- does, also one of the version before.
ALTER TABLE users ADD COLUMN guest_key TEXT;
CREATE UNIQUE INDEX users_by_guest_key ON users (guest_key) WHERE guest_key IS NOT NULL;

CREATE TRIGGER account_ends_guest AFTER INSERT ON auth_accounts
BEGIN
    UPDATE users SET guest_key = NULL WHERE id = NEW.user_id AND guest_key IS NOT NULL;
END;

CREATE TRIGGER moved_account_ends_guest AFTER UPDATE OF user_id ON auth_accounts WHEN OLD.user_id <> NEW.user_id
BEGIN
    UPDATE users SET guest_key = NULL WHERE id = NEW.user_id AND guest_key IS NOT NULL;
END;

-- Their access tokens say that they are a guest.
CREATE TRIGGER guest_ended AFTER UPDATE OF guest_key ON users
WHEN OLD.guest_key IS NOT NULL AND NEW.guest_key IS NULL AND OLD.status = NEW.status
BEGIN
    INSERT INTO revocations (moment, user_id) VALUES (unixepoch() * 1000, NEW.id);
END;
