-- The indexes of SQLite's migration of this name, but that of accounts. While they are built, no login can write.
CREATE INDEX users_by_email ON users (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX users_by_role ON users (role, id) WHERE role <> 'USER';
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'ACTIVE';
