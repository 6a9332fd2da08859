-- Operators add providers by settings, so no list of them belongs into the schema. A check can be changed only in the text of
-- the schema; no row is touched:
-- https://sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (provider IN (''DEV'', ''APPLE''))', '')
WHERE type = 'table' AND name = 'auth_accounts';

-- Ends it, and has this connection read the schema again.
PRAGMA writable_schema = RESET;

-- The subject that all apps of the operator see at the provider, where it has one.
ALTER TABLE auth_accounts ADD COLUMN union_sub TEXT;
CREATE UNIQUE INDEX auth_accounts_by_union_sub ON auth_accounts (provider, union_sub) WHERE union_sub IS NOT NULL;
