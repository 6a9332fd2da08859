"""Counts the instructions of the whole server for one request with callgrind. In place of nginx, one persistent
connection sends the requests one after another, so that every run does the same work."""

import re
import shutil
import sqlite3

from asking import FIRST_BOUND, Asking
from fastcgi import Front
from inprocess import run
from processes import Fault, Running, accepts
from proofs import THUMBPRINT
from tokens import BUNDLE_ID

# In this order: a login needs a code that was sent.
REQUESTS = {
    "guard": Asking.guard, "me": Asking.me, "login known": Asking.login_known, "login new": Asking.login_new,
    "login openid": Asking.login_openid, "send code": Asking.send_code, "login code": Asking.login_code,
    "refresh": Asking.refresh_next, "refresh bound": Asking.refresh_bound, "refresh form": Asking.refresh_form}

# So many that what happens once in a while, such as another worker's first request, matters little.
COUNTED = {"guard": 500, "me": 500}
USUALLY_COUNTED = 100

# The first ones of each kind fill caches, and the server is still starting its threads. They are not counted.
FIRST = 20

# `Worker.serve` in the target FastCGI, as the compiler writes its name. Only what it calls is counted: other threads, such as
# maintenance, depend on the time and not on the requests.
SERVING = "*6WorkerC5serve*"

# An account of each user at the provider and one by phone number, and sessions that are bound to a key.
ADDED = [
    """INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, email_verified, client_id, created_at,
           updated_at)
       SELECT 'openid' || id, user_id, 'ACME', provider_user_id, email, email_verified, client_id, created_at, updated_at
       FROM auth_accounts WHERE provider = 'APPLE'""",
    """INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
       SELECT 'phone' || id, user_id, 'PHONE', '+86138' || substr(id, -4) || '0000', created_at, updated_at
       FROM auth_accounts WHERE provider = 'APPLE'""",
    f"UPDATE refresh_tokens SET jkt = '{THUMBPRINT}' WHERE id >= printf('sess_01BENCH%019d', {FIRST_BOUND})"]

PROVIDER = """KIND=openid
ISSUER={origin}/openid/acme
AUDIENCE={audience}
NONCE=if-sent
"""

# The one that the fake Apple knows.
SMS_SECRET = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ="


def count_requests(stand, requests, asking, profiles, say):
    """The instructions for a request of each kind. Leaves their profiles for callgrind_annotate in a folder."""
    server = CountedServer(stand, profiles)
    try:
        asking.front = Front(stand.socket, patience=120)
        for ask in requests.values():
            repeat(FIRST, ask, asking)
        return {name: counted(name, ask, asking, server, say) for name, ask in requests.items()}
    finally:
        server.stop()


def counted(name, ask, asking, server, say):
    say(f"counting instructions: {name}")
    server.tell("zero")
    count = COUNTED.get(name, USUALLY_COUNTED)
    repeat(count, ask, asking)
    return server.keep_profile(name) / count


def repeat(count, ask, asking):
    for _ in range(count):
        ask(asking)


class CountedServer:
    """A server in callgrind, which is told by vgdb what to count."""

    def __init__(self, stand, profiles):
        self.folder, self.output = stand.folder, profiles / "rest.callgrind"
        self.running = Running(
            "gatehouse", ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.output}", self.pipes(),
                          "--collect-atstart=no", f"--toggle-collect={SERVING}", stand.tools.stripped_gatehouse, "serve"],
            stand.folder / "callgrind.log", env=environment(stand))
        try:
            self.running.wait_until(lambda: accepts(stand.socket), seconds=120)
        except Fault:
            self.stop()
            raise

    def pipes(self):
        return f"--vgdb-prefix={self.folder / 'vgdb'}"

    def keep_profile(self, name):
        """Returns the instructions in it."""
        self.tell("dump")
        written, = self.output.parent.glob(f"{self.output.name}.*")
        kept = written.rename(self.output.with_name(f"{name.replace(' ', '-')}.callgrind"))
        count = int(re.search(r"^(?:summary|totals): (\d+)", kept.read_text(), re.MULTILINE)[1])
        if not count:
            raise Fault(f"nothing was counted: the program has no function {SERVING}")
        return count

    def tell(self, command):
        return run(["vgdb", self.pipes(), f"--pid={self.running.pid}", *command.split()]).stdout

    def stop(self):
        self.running.stop(patience=60)


def add_to(path):
    database = sqlite3.connect(path)
    with database:
        for statement in ADDED:
            database.execute(statement)
    database.close()


def environment(stand):
    """The fake Apple also plays the provider and the gateway for codes. With few workers, few requests are the first one of a
    worker. Otherwise Swift's hash tables depend on a random number."""
    providers = stand.folder / "providers"
    providers.mkdir()
    (providers / "acme.conf").write_text(PROVIDER.format(origin=stand.apple.origin, audience=BUNDLE_ID))
    return stand.server_environment() | {
        "PROVIDERS_DIR": str(providers), "SMS_URL": f"{stand.apple.origin}/sms", "SMS_SECRET": SMS_SECRET,
        "PHONE_COUNTRIES": "CN", "WORKERS": "4", "SWIFT_DETERMINISTIC_HASHING": "1"}


def profiles_folder(tools):
    folder = tools.home / "profiles"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
