"""The client side of FastCGI."""

import socket
import struct

BEGIN, END, PARAMETERS, INPUT, OUTPUT = 1, 3, 4, 5, 6


def record(kind, content=b""):
    return struct.pack("!BBHHBx", 1, kind, 1, len(content), 0) + content


def length(count):
    return bytes([count]) if count < 128 else struct.pack("!I", count | 0x8000_0000)


def pair(name, value):
    return length(len(name)) + length(len(value)) + name.encode() + value.encode()


class Front:
    """A persistent connection to the server on a Unix socket, which sends one request after another."""

    def __init__(self, path, patience=10):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(patience)
        try:
            self.connection.connect(str(path))
        except OSError:
            self.close()
            raise

    def ask(self, parameters, body=b""):
        """The complete output: headers, an empty line, a body."""
        self.connection.sendall(
            record(BEGIN, struct.pack("!HB5x", 1, 1))
            + record(PARAMETERS, b"".join(pair(*item) for item in parameters.items())) + record(PARAMETERS)
            + (record(INPUT, body) if body else b"") + record(INPUT))
        return read_answer(self.connection)

    def close(self):
        self.connection.close()


def ask_for_health(path):
    front = Front(path)
    try:
        return front.ask({"REQUEST_METHOD": "GET", "DOCUMENT_URI": "/healthz", "REMOTE_ADDR": "127.0.0.1"})
    finally:
        front.close()


def read_answer(connection):
    output = b""
    while True:
        _, kind, _, length, padding = struct.unpack("!BBHHBx", read(connection, 8))
        content = read(connection, length)
        read(connection, padding)
        if kind == OUTPUT:
            output += content
        if kind == END:
            return output


def read(connection, count):
    content = b""
    while len(content) < count:
        piece = connection.recv(count - len(content))
        if not piece:
            raise ConnectionResetError("the connection was closed within a record")
        content += piece
    return content
