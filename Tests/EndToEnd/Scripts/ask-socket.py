"""Asks a responder at a unix socket as one user of the machine after another, and prints the status of each answer.

usage: ask-socket.py SOCKET PATH forwarded|direct USER...

A USER is a number. Another one than the caller's needs root. `forwarded` sends the address of a client, as a web server does.
"""

import os
import socket
import struct
import sys

path, document, kind, *users = sys.argv[1:]


def record(number, content):
    return struct.pack(">BBHHBB", 1, number, 1, len(content), 0, 0) + content


def request():
    pairs = {"REQUEST_METHOD": "GET", "DOCUMENT_URI": document, "REQUEST_ID": "of-a-user"}
    if kind == "forwarded":
        pairs["REMOTE_ADDR"] = "127.0.0.1"
    parameters = b"".join(
        bytes([len(name), len(value)]) + name.encode() + value.encode() for name, value in pairs.items())
    return record(1, b"\0\1\0\0\0\0\0\0") + record(4, parameters) + record(4, b"") + record(5, b"")


def ask():
    """The status line of the answer, after the record's header."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(path)
        connection.sendall(request())
        return connection.recv(4096)[8:].split(b" ")[1].decode()


for user in users:
    if int(user) != os.geteuid():
        # In a process of its own: the user cannot be changed back.
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setresgid(int(user), int(user), int(user))
            os.setresuid(int(user), int(user), int(user))
            print(ask(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    else:
        print(ask(), flush=True)
