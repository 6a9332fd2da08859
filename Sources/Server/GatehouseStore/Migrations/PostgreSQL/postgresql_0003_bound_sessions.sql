-- The columns of SQLite's migration of this name. Nodes of the version before know no keys: they answer a bound session as
-- one that is not bound, so begin to bind sessions when all nodes have this version.
ALTER TABLE refresh_tokens
    ADD COLUMN jkt TEXT COLLATE "C", -- the key to which the login has bound the session (RFC 7638 thumbprint)
    ADD COLUMN used_proofs BYTEA; -- the proofs of the key that were used in the last minutes
