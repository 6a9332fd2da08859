-- What others published and a restart must not lose: a few rows, each replaced as a whole.
CREATE TABLE documents (
    name       TEXT PRIMARY KEY,
    content    BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
