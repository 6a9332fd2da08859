-- What a transfer of the app between two developer teams of Apple needs: each team has subjects of its own.
ALTER TABLE auth_accounts ADD COLUMN former_sub TEXT;             -- the subject before the last transfer
ALTER TABLE auth_accounts ADD COLUMN transfer_team TEXT;          -- the team for which transfer_sub was made, if that is known
ALTER TABLE auth_accounts ADD COLUMN transferred_at INTEGER;      -- when the subject of that team was asked for
ALTER TABLE auth_accounts ADD COLUMN transfer_refused TEXT;       -- the step and the team for which Apple does not move this user
CREATE INDEX auth_accounts_by_former_sub ON auth_accounts (provider, former_sub) WHERE former_sub IS NOT NULL;
