"""Makes a database by the programs of a version, with what an upgrade must not lose, for OlderProgramTests.

usage: make-older-database.py GATEHOUSE FAKE-APPLE DATABASE_URL OUT

OUT.sql is the database, and OUT.json the tokens and codes that its clients have. The DATABASE_URL is that of an empty
database. What the version does not know yet is left out.
"""

import json
import os
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

gatehouse, fake_apple, database, out = sys.argv[1:]
folder = tempfile.mkdtemp()
known = subprocess.run([gatehouse, "serve", "--help"], capture_output=True, text=True, check=True).stdout
has = lambda name: re.search(r"^  %s " % name, known, re.M) is not None

# Those of TestSettings.
settings = {
    "APP_ENV": "development", "LISTEN": f"unix:{folder}/s", "DATABASE_URL": database,
    "JWT_ACCESS_SECRET": "an access secret of more than thirty-two bytes",
    "JWT_REFRESH_SECRET": "a refresh secret of more than thirty-two bytes", "APPLE_BUNDLE_ID": "com.example.app",
    "DEV_LOGIN_SECRET": "development-secret-of-older-databases", "REFRESH_TOKEN_TTL": "3650d", "SESSION_MAX_AGE": "3650d",
    "DATA_KEY": "b2xkZXItZGF0YWJhc2VzLWRhdGEta2V5LTMyLWJ5dGU",
}
optional = {
    "SMS_URL": "{apple}/sms", "SMS_SECRET": "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ=", "PHONE_COUNTRIES": "GB",
    # Nothing listens there: what is sent waits.
    "EVENTS_URL": "http://127.0.0.1:1/", "EVENTS_SECRET": "whsec_5WbX0kEsLlfzGqJrLiJxPqO7cXk2b1mD",
    "SMTP_URL": "smtp://127.0.0.1:1", "MAIL_FROM": "a@example.com",
}


def start(words, environment, log):
    return subprocess.Popen(words, env={"PATH": "/usr/bin:/bin", **environment}, stdout=open(log, "w"), stderr=subprocess.STDOUT)


def wait(what, condition):
    for _ in range(300):
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"{what} did not happen: {open(folder + '/log').read()}")


apple = start([fake_apple, "serve", "--port", "0", "--keys", folder + "/keys"], {"APPLE_BUNDLE_ID": "com.example.app"}, folder + "/apple")
address = wait("apple", lambda: re.search(r"http://127\.0\.0\.1:\d+", open(folder + "/apple").read())).group(0)
settings.update({
    "APPLE_JWKS_URL": address + "/auth/keys", "APPLE_TOKEN_URL": address + "/auth/token", "APPLE_TEAM_ID": "FAKEAPPLE1",
    "APPLE_REVOKE_URL": address + "/auth/revoke", "APPLE_KEY_ID": "DEVELOPER1",
    "APPLE_PRIVATE_KEY_FILE": folder + "/keys/AuthKey_DEVELOPER1.p8",
})
settings.update({name: value.replace("{apple}", address) for name, value in optional.items() if has(name)})
server = start([gatehouse, "serve"], settings, folder + "/log")
wait("server", lambda: os.path.exists(folder + "/s"))


def record(number, content):
    return struct.pack(">BBHHBB", 1, number, 1, len(content), 0, 0) + content


def ask(method, path, body=None, bearer=None):
    """The status and the body of an answer of the responder."""
    content = json.dumps(body).encode() if body is not None else b""
    pairs = {
        "REQUEST_METHOD": method, "DOCUMENT_URI": path, "REQUEST_ID": "older", "REMOTE_ADDR": "192.0.2.1",
        "CONTENT_LENGTH": str(len(content)), "CONTENT_TYPE": "application/json", "HTTP_USER_AGENT": "Older/1",
    }
    if bearer:
        pairs["HTTP_AUTHORIZATION"] = "Bearer " + bearer
    size = lambda n: bytes([n]) if n < 128 else struct.pack(">I", n | 1 << 31)
    parameters = b"".join(size(len(n)) + size(len(v)) + n.encode() + v.encode() for n, v in pairs.items())
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(folder + "/s")
        connection.sendall(
            record(1, b"\0\1\0\0\0\0\0\0") + record(4, parameters) + record(4, b"") + (record(5, content) if content else b"")
            + record(5, b""))
        raw = b""
        while chunk := connection.recv(65536):
            raw += chunk
    text, place = b"", 0
    while place + 8 <= len(raw):
        _, kind, _, length, padding, _ = struct.unpack(">BBHHBB", raw[place:place + 8])
        text += raw[place + 8:place + 8 + length] if kind == 6 else b""
        place += 8 + length + padding
    head, _, answer = text.partition(b"\r\n\r\n")
    status = int(re.search(rb"Status: (\d+)", head).group(1))
    if status >= 400:
        sys.exit(f"{method} {path}: {status} {answer}")
    return json.loads(answer or b"null")


def outside(path):
    return json.load(urllib.request.urlopen(address + path))


def login(name):
    return ask("POST", "/api/auth/dev-login", {"email": name + "@example.com", "devSecret": settings["DEV_LOGIN_SECRET"]})


def refresh(token):
    return ask("POST", "/api/auth/refresh", {"refreshToken": token})


def row(query):
    if database.startswith("sqlite:"):
        connection = sqlite3.connect(f"file:{database[7:]}?mode=ro", uri=True)
        return connection.execute(query).fetchone()
    return subprocess.run(["psql", "-qtA", database, "-c", query], capture_output=True, text=True, check=True).stdout.split() or None


facts = {}
ada = login("ada")
facts["confirmed"] = refresh(refresh(ada["refreshToken"])["refreshToken"])["refreshToken"]
bea = login("bea")["refreshToken"]
facts["lost"] = {"token": bea, "successor": refresh(bea)["refreshToken"]}
carl = ask("POST", "/api/auth/apple", outside("/mint"))
facts["apple"] = ask("POST", "/api/auth/apple", outside("/mint"))["refreshToken"]
exchanged = "SELECT count(*) FROM auth_accounts WHERE refresh_token IS NOT NULL"
wait("exchange", lambda: int(row(exchanged)[0]) == 2)
if "SMS_URL" in settings:
    code = ask("POST", "/api/auth/codes", {"channel": "phone", "to": "+447400123456"})
    facts["code"] = {"id": code["codeId"], "text": outside("/inbox?wait=5&to=%2B447400123456")["messages"][0]["code"]}
apple.send_signal(signal.SIGTERM)
apple.wait()
ask("DELETE", "/api/users/me", bearer=carl["accessToken"])
facts["deleted"] = carl["user"]["id"]
tables = ["apple_tasks"] + (["events"] if "EVENTS_URL" in settings else [])
facts["waiting"] = {table: int(row(f"SELECT count(*) FROM {table}")[0]) for table in tables}
facts["madeAt"] = int(time.time())
server.send_signal(signal.SIGTERM)
server.wait()

if database.startswith("sqlite:"):
    connection = sqlite3.connect(database[7:])
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    sql = "\n".join(connection.iterdump()) + f"\nPRAGMA user_version = {version};\n"
else:
    dumped = subprocess.run(
        ["pg_dump", "--no-owner", "--no-privileges", "--inserts", database], capture_output=True, text=True, check=True).stdout
    sql = "\n".join(line for line in dumped.split("\n") if line and not line.startswith(("--", "\\"))) + "\n"
open(out + ".sql", "w").write(sql)
json.dump(facts, open(out + ".json", "w"), indent=1, sort_keys=True)
