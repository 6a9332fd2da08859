-- The column of SQLite's migration of this name. Nodes of the version before issue tokens without it, which count as a login of
-- one factor.
ALTER TABLE refresh_tokens
    ADD COLUMN methods TEXT COLLATE "C"; -- how the session was signed in
