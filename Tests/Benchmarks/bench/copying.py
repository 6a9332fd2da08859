"""Copies the population of the SQLite database to PostgreSQL, so that both stores have the same rows and tokens."""

import sqlite3
import subprocess

from postgresql import OWNER, TEMPLATE
from processes import Fault

# In the order of their foreign keys. Tables and columns have the same names in both stores.
TABLES = ["users", "auth_accounts", "refresh_tokens"]

ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def field(value):
    """A value in the text format of COPY. Flags are 0 and 1 in SQLite, which PostgreSQL reads as booleans."""
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    return str(value).translate(ESCAPES)


def line(row):
    return "\t".join(map(field, row)) + "\n"


def fill_template(postgresql, population, gatehouse):
    """Creates the schema with the program that is measured, and fills it."""
    postgresql.create_template()
    subprocess.run(
        [gatehouse, "migrate"], check=True, stdout=subprocess.DEVNULL,
        env={"DATABASE_URL": postgresql.url(TEMPLATE), "GATEHOUSE_CONFIG": ""})
    source = sqlite3.connect(f"file:{population.database}?mode=ro", uri=True)
    try:
        for table in TABLES:
            copy_table(source, table, postgresql)
    finally:
        source.close()
    # Later copies of the database have its statistics, and rows that need no visit by VACUUM. Not of the empty tables: a
    # server that knows a table to be empty reads it as a whole until it is analyzed again.
    postgresql.query(f"VACUUM (FREEZE, ANALYZE) {', '.join(TABLES)}", database=TEMPLATE)


def copy_table(source, table, postgresql):
    rows = source.execute(f"SELECT * FROM {table}")
    columns = ", ".join(column[0] for column in rows.description)
    psql = subprocess.Popen(
        postgresql.psql(TEMPLATE, "-c", f"COPY {table} ({columns}) FROM STDIN", user=OWNER),
        env=postgresql.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True)
    try:
        psql.stdin.writelines(map(line, rows))
        psql.stdin.close()
    except BrokenPipeError:
        # psql says why.
        pass
    fault = psql.stderr.read()
    psql.stderr.close()
    if psql.wait() != 0:
        raise Fault(f"PostgreSQL did not take the rows of {table}: {fault[-1000:]}")
