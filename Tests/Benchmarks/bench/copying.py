"""Copies the population of the SQLite database to PostgreSQL, so that both stores have the same rows and tokens."""

import contextlib
import sqlite3
import subprocess

from processes import Fault

# In the order of their foreign keys. Tables and columns have the same names in both stores.
TABLES = ["users", "auth_accounts", "refresh_tokens"]

# Those that no constraint needs: made after the rows, they take less time.
INDEXES = """SELECT indexdef FROM pg_indexes WHERE tablename IN ('users', 'auth_accounts', 'refresh_tokens')
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)"""


def line(columns):
    """An expression of SQLite for a row in the text format of COPY. Flags are 0 and 1 in SQLite, which PostgreSQL reads as
    booleans. No text of a population has a character that has to be escaped."""
    fields = [f"coalesce(iif(typeof({name}) = 'blob', '\\\\x' || hex({name}), {name}), '\\N')" for name in columns]
    return " || char(9) || ".join(fields) + " || char(10)"


def fill(postgresql, database, population, gatehouse):
    """Creates the schema with the program that is measured, and fills it."""
    postgresql.create(database)
    subprocess.run(
        [gatehouse, "migrate"], check=True, stdout=subprocess.DEVNULL,
        env={"DATABASE_URL": postgresql.url(database), "GATEHOUSE_CONFIG": ""})
    indexes = postgresql.query(INDEXES, database=database).splitlines()
    postgresql.query(*(f"DROP INDEX {index.split(' INDEX ')[1].split()[0]}" for index in indexes), database=database)
    with contextlib.closing(sqlite3.connect(f"file:{population.database}?mode=ro", uri=True)) as source:
        for table in TABLES:
            copy_table(source, table, postgresql, database)
    postgresql.query("SET maintenance_work_mem = '1GB'", *indexes, database=database)
    # Later copies of the database have its statistics, and rows that need no visit by VACUUM. Not of the empty tables: a
    # server that knows a table to be empty reads it as a whole until it is analyzed again.
    postgresql.query(f"VACUUM (FREEZE, ANALYZE) {', '.join(TABLES)}", database=database)


def copy_table(source, table, postgresql, database):
    """What is NULL in the first row is NULL in all."""
    first = source.execute(f"SELECT * FROM {table} LIMIT 1")
    names = [column[0] for column in first.description]
    columns = [name for name, value in zip(names, first.fetchone()) if value is not None]
    rows = source.execute(f"SELECT {line(columns)} FROM {table}")
    copy = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
    psql = subprocess.Popen(
        # Without checks of foreign keys.
        postgresql.psql(database, "-c", "SET session_replication_role = replica", "-c", copy),
        env=postgresql.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True)
    try:
        psql.stdin.writelines(row for row, in rows)
        psql.stdin.close()
    except BrokenPipeError:
        # psql says why.
        pass
    fault = psql.stderr.read()
    psql.stderr.close()
    if psql.wait() != 0:
        raise Fault(f"PostgreSQL did not take the rows of {table}: {fault[-1000:]}")
