-- The columns of SQLite's migration of this name. Nodes of the version before do not find an account by its former subject: run
-- the import of a transfer when all nodes have this version.
ALTER TABLE auth_accounts
    ADD COLUMN former_sub TEXT COLLATE "C",    -- the subject before the last transfer
    ADD COLUMN transfer_team TEXT COLLATE "C", -- the team for which transfer_sub was made, if that is known
    ADD COLUMN transferred_at BIGINT,          -- when the subject of that team was asked for
    ADD COLUMN transfer_refused TEXT COLLATE "C"; -- the step and the team for which Apple does not move this user
