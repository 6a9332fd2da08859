-- When a client first used the tokens of the current generation, and how often these tokens were returned again, the last
-- time to which device. Rows that are older than these columns count as unconfirmed, so that no client is logged out.
ALTER TABLE refresh_tokens ADD COLUMN confirmed_at INTEGER;
ALTER TABLE refresh_tokens ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refresh_tokens ADD COLUMN repeat_user_agent TEXT;
ALTER TABLE refresh_tokens ADD COLUMN repeat_address TEXT;
