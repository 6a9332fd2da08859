"""As much of FastCGI as it takes to ask one question at a socket."""

import socket
import struct

BEGIN, END, PARAMETERS, INPUT, OUTPUT = 1, 3, 4, 5, 6


def record(kind, content=b""):
    return struct.pack("!BBHHBx", 1, kind, 1, len(content), 0) + content


def pair(name, value):
    """Both are shorter than 128 bytes, so that a byte holds the length of each."""
    return bytes([len(name), len(value)]) + name.encode() + value.encode()


def ask(path, document):
    """What the responder at a Unix socket answers to GET: all of its output."""
    parameters = {"REQUEST_METHOD": "GET", "DOCUMENT_URI": document, "REMOTE_ADDR": "127.0.0.1"}
    question = (
        record(BEGIN, struct.pack("!HB5x", 1, 0))
        + record(PARAMETERS, b"".join(pair(*item) for item in parameters.items())) + record(PARAMETERS)
        + record(INPUT))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(path))
        connection.sendall(question)
        return read_answer(connection)


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
            raise ConnectionResetError("closed before its end")
        content += piece
    return content
