"""Sends standard input from an address to a port, optionally over TLS, and prints the response.

ask-from.py SOURCE TARGET PORT PROXY tls|plain

PROXY is a line of the PROXY protocol that is sent first, or empty.
"""

import socket
import sys

source, target, port, proxy, protocol = sys.argv[1:]
request = sys.stdin.buffer.read()
connection = socket.create_connection((target, int(port)), timeout=30, source_address=(source, 0))
if proxy:
    connection.sendall(proxy.encode() + b"\r\n")
if protocol == "tls":
    import ssl  # Takes longer than the rest.

    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    connection = context.wrap_socket(connection, server_hostname="api.example.com")
connection.sendall(request)
while True:
    piece = connection.recv(65536)
    if not piece:
        break
    sys.stdout.buffer.write(piece)
