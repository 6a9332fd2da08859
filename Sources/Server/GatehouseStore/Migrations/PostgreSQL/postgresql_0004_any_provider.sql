-- Operators add providers by settings, so no list of them belongs into the schema. Nodes of the version before cannot read an
-- account of another provider than Apple: configure providers when all nodes have this version.
ALTER TABLE auth_accounts
    DROP CONSTRAINT auth_accounts_provider_check,
    ADD COLUMN union_sub TEXT COLLATE "C"; -- the subject that all apps of the operator see at the provider
CREATE UNIQUE INDEX auth_accounts_by_union_sub ON auth_accounts (provider, union_sub) WHERE union_sub IS NOT NULL;
