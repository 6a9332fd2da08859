"""Clients of a cluster that follow the rules of the API, while its parts fail.

    load.py FOLDER PORT AUTHORITY APPLE_PORT DSN

Each client signs in users, refreshes, reads the profile and asks for a guarded path. It uses the newest answered tokens,
and repeats a refresh without an answer with the same token. Each time FOLDER/phase changes, the report of the phase that
ends is written to FOLDER/NAME.json. The phase `end` ends the program, after every session has been used once more. DSN is
libpq's, for writes that show when there is a primary. All of Apple's logins are minted by the fake Apple.
"""
import asyncio
import json
import os
import random
import sys
import time
import urllib.request

from http_client import Client, Lost
from primary import Primary
from report import Report

CLIENTS = 64
# These only ask for the guarded path: the others all wait while the database does not answer.
GUARD_CLIENTS = 8
SESSIONS = 6
PAUSE = 0.03


class Session:
    def __init__(self, tokens):
        self.access, self.refresh = tokens["accessToken"], tokens["refreshToken"]


class Phone:
    """A client with some sessions, which uses one of them at a time."""

    def __init__(self, number, world):
        self.number, self.world = number, world
        # An address of its own, so that it has rate limits of its own.
        self.client, self.second = (
            Client(world.port, world.authority, f"127.1.{number // 200}.{number % 200 + 1}") for _ in range(2))
        self.sessions = []
        self.limit = 1 if number < GUARD_CLIENTS else SESSIONS

    async def run(self):
        await asyncio.sleep(random.random() * 0.5)
        while not self.world.is_over:
            await self.step()
            await asyncio.sleep(PAUSE * (0.5 + random.random()))
        for session in self.sessions:
            await self.until_answered(self.refresh, session)
            await self.until_answered(self.read, session)

    async def step(self):
        if not self.sessions or len(self.sessions) < self.limit and random.random() < 0.02:
            return await self.sign_in()
        session = random.choice(self.sessions)
        if self.number < GUARD_CLIENTS:
            return await self.read_guarded(session)
        action = random.choices([self.refresh, self.refresh_twice, self.read, self.read_guarded], [40, 4, 30, 26])[0]
        await action(session)

    async def until_answered(self, action, session):
        for _ in range(60):
            if await action(session):
                return
            await asyncio.sleep(0.2)
        self.world.report.violation("end", 0, "no answer within the last attempts")

    async def ask(self, kind, method, path, client=None, expected=(200,), **content):
        """The answer, or None if the request has to be repeated."""
        began = time.monotonic()
        try:
            answer = await (client or self.client).ask(method, path, **content)
        except Lost as lost:
            self.world.report.lost(kind, began, str(lost))
            return None
        self.world.report.answered(kind, began, answer, expected)
        if answer.status in (429, 502, 503, 504):
            await asyncio.sleep(min(float(answer.headers.get("retry-after", 1)), 0.5) * random.random())
        return answer if answer.status in expected else None

    async def sign_in(self):
        # The same body is repeated, as the API demands.
        body = await self.world.mint(f"{self.number}.{len(self.sessions)}.{random.getrandbits(40)}")
        for _ in range(100):
            answer = await self.ask("login", "POST", "/api/auth/apple", body=body)
            if answer:
                self.sessions.append(Session(answer.document))
                return
            if self.world.is_over:
                return
            await asyncio.sleep(0.1)

    async def refresh(self, session):
        answer = await self.ask("refresh", "POST", "/api/auth/refresh", body={"refreshToken": session.refresh})
        if answer:
            self.adopt(session, session.refresh, answer)
        return answer

    async def refresh_twice(self, session):
        """Two requests with one token at the same time, over two connections: both must get the same successor."""
        body = {"refreshToken": session.refresh}
        answers = await asyncio.gather(
            self.ask("refresh", "POST", "/api/auth/refresh", body=body),
            self.ask("refresh", "POST", "/api/auth/refresh", client=self.second, body=body))
        token = session.refresh
        for answer in filter(None, answers):
            self.adopt(session, token, answer)

    def adopt(self, session, token, answer):
        document = answer.document
        self.world.report.successor(token, document["refreshToken"])
        session.access, session.refresh = document["accessToken"], document["refreshToken"]

    async def read(self, session):
        return await self.ask("me", "GET", "/api/users/me", token=session.access)

    async def read_guarded(self, session):
        return await self.ask("guard", "GET", "/guarded/", token=session.access)


class World:
    def __init__(self, folder, port, authority, apple_port, dsn):
        self.folder, self.port, self.authority, self.apple_port = folder, int(port), authority, int(apple_port)
        self.is_over = False
        self.primary = Primary(dsn)
        self.report = Report()
        self.phase = "start"

    async def mint(self, subject):
        def fetch():
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.apple_port}/mint", json.dumps({"sub": subject}).encode())
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return json.load(opener.open(request, timeout=60))
        return await asyncio.get_running_loop().run_in_executor(None, fetch)

    async def follow_phases(self):
        while self.phase != "end":
            wanted = self.read_phase()
            if wanted != self.phase:
                self.end_phase()
                self.phase = wanted
            await asyncio.sleep(0.02)
        self.is_over = True

    def read_phase(self):
        try:
            with open(os.path.join(self.folder, "phase")) as file:
                return file.read().strip() or self.phase
        except FileNotFoundError:
            return self.phase

    def end_phase(self):
        path = os.path.join(self.folder, self.phase + ".json")
        with open(path + ".new", "w") as file:
            json.dump(self.report.document(self.primary), file)
        os.rename(path + ".new", path)
        self.report.start()

    async def run(self):
        self.primary.start()
        phones = [Phone(number, self) for number in range(CLIENTS)]
        tasks = [asyncio.create_task(phone.run()) for phone in phones]
        await self.follow_phases()
        await asyncio.gather(*tasks)
        self.end_phase()
        self.primary.stop()


if __name__ == "__main__":
    asyncio.run(World(*sys.argv[1:]).run())
