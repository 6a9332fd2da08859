-- A migration of its own: in one with the new columns, no login could read the accounts while the index is built.
CREATE INDEX auth_accounts_by_former_sub ON auth_accounts (provider, former_sub) WHERE former_sub IS NOT NULL;
