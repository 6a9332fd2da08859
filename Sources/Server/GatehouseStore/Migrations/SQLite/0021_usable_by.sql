-- As PostgreSQL's table of this name: whether the program of a version before can go on with this schema. The version itself is
-- in `PRAGMA user_version`.
CREATE TABLE gatehouse_schema (
    usable_by INTEGER NOT NULL -- the oldest schema version whose program works with this schema
) STRICT;
INSERT INTO gatehouse_schema (usable_by) VALUES (21);
