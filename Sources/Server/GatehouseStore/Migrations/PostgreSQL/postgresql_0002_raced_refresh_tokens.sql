-- The columns of SQLite's migration of this name. Nodes of the version before leave them as they are: a token that such a
-- node has issued is not derived from the seed, so it counts as raced only while it is the previous one.
ALTER TABLE refresh_tokens
    ADD COLUMN token_seed BYTEA, -- from which the random parts of the session's tokens are derived
    ADD COLUMN burst_generation BIGINT, -- the generation with which the last burst of rotations began
    ADD COLUMN burst_at BIGINT, -- when that generation was superseded
    ADD COLUMN repeats_elsewhere BIGINT NOT NULL DEFAULT 0; -- repeats from another device than the one that rotated
