-- When a client first used the tokens of the current generation, and how often they were returned again until then. Sessions
-- that are older than this column count as unconfirmed until their next use, so that no client is logged out.
ALTER TABLE refresh_tokens ADD COLUMN confirmed_at INTEGER;
ALTER TABLE refresh_tokens ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
