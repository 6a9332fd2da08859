-- The key to which a login has bound its session (RFC 7638 thumbprint), and the proofs of it that were used in the last
-- minutes. Sessions that are older than these columns, and those whose login had no proof, have neither.
ALTER TABLE refresh_tokens ADD COLUMN jkt TEXT;
ALTER TABLE refresh_tokens ADD COLUMN used_proofs BLOB;
