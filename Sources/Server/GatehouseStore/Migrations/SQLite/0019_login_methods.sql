-- How a session was signed in, as `amr` of its access tokens. NULL for a login without a word for it, and for one that is older
-- than this column.
ALTER TABLE refresh_tokens ADD COLUMN methods TEXT;
