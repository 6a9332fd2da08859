"""A small HTTP/1.1 client for asyncio that keeps its connection. It sends each request once and never repeats it."""
import asyncio
import json
import ssl


class Lost(Exception):
    """No answer: the connection failed or the time is over. The request may have been executed."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def document(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


class Client:
    def __init__(self, port, authority, address, timeout=30):
        self.port, self.address, self.timeout = port, address, timeout
        self.context = ssl.create_default_context(cafile=authority)
        self.reader = self.writer = None

    async def ask(self, method, path, token=None, body=None):
        try:
            return await asyncio.wait_for(self._exchange(method, path, token, body), self.timeout)
        except (OSError, EOFError, ValueError, asyncio.TimeoutError, ssl.SSLError) as error:
            self.close()
            raise Lost(type(error).__name__) from error

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def _exchange(self, method, path, token, body):
        if not self.writer:
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, ssl=self.context, server_hostname="localhost", local_addr=(self.address, 0))
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "User-Agent: Load/1"]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        content = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        return await self._answer()

    async def _answer(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await self._body(status, headers)
        if headers.get("connection") == "close":
            self.close()
        return Answer(status, headers, body)

    async def _body(self, status, headers):
        if status in (204, 304):
            return b""
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(headers["content-length"]))
        pieces = []
        while True:
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            pieces.append((await self.reader.readexactly(size + 2))[:-2])
            if size == 0:
                return b"".join(pieces)
