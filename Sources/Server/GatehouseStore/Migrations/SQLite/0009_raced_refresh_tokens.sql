-- What tells an old refresh token that lost a race from a stolen one: the secret from which the random parts of the
-- session's tokens are derived, and the generation with which the last burst of rotations began, with the moment at which
-- it was superseded. Sessions that are older than these columns get them with their next rotation.
ALTER TABLE refresh_tokens ADD COLUMN token_seed BLOB;
ALTER TABLE refresh_tokens ADD COLUMN burst_generation INTEGER;
ALTER TABLE refresh_tokens ADD COLUMN burst_at INTEGER;

-- How often a token of the session was repeated from another device than the one that rotated it.
ALTER TABLE refresh_tokens ADD COLUMN repeats_elsewhere INTEGER NOT NULL DEFAULT 0;
