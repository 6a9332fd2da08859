"""Writes to the database all the time, so that it is known when there was a primary."""
import threading
import time

import psycopg2


class Primary:
    """A write that is acknowledged proves a primary. A member that hangs does not delay the writes of the other's thread."""

    def __init__(self, dsn):
        # One host and port for each member.
        self.members = [part for part in dsn.split(";")]
        self.writes = []
        self.lock = threading.Lock()
        self.is_over = threading.Event()

    def start(self):
        for member in self.members:
            threading.Thread(target=self.write_all_the_time, args=(member,), daemon=True).start()

    def stop(self):
        self.is_over.set()

    def write_all_the_time(self, member):
        connection = None
        while not self.is_over.is_set():
            try:
                connection = connection or self.connect(member)
                with connection.cursor() as cursor:
                    began = time.monotonic()
                    cursor.execute("INSERT INTO probe VALUES (1)")
                with self.lock:
                    self.writes.append((began, time.monotonic()))
            except psycopg2.Error:
                if connection:
                    connection.close()
                connection = None
            time.sleep(0.05)
        if connection:
            connection.close()

    def connect(self, member):
        connection = psycopg2.connect(
            member, target_session_attrs="read-write", connect_timeout=2,
            options="-c statement_timeout=1000 -c synchronous_commit=on")
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS probe (number int)")
        return connection

    def outage(self, since):
        """The longest time without an acknowledged write since then: its begin and its end."""
        with self.lock:
            moments = sorted(acknowledged for _, acknowledged in self.writes if acknowledged >= since)
        moments = [since, *moments, time.monotonic()]
        return max(zip(moments, moments[1:]), key=lambda gap: gap[1] - gap[0])
