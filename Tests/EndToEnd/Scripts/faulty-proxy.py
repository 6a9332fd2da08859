"""A network between Gatehouse and a service that loses, doubles, delays and repeats requests.

usage: faulty-proxy.py PORT TARGET-PORT SEED LEDGER FAULTS

It does so to the first FAULTS requests, and then only passes on. No answer of the service is invented: a request that did not
reach it is not answered. The ledger has a word for each request, which says what was done.
"""

import http.client
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, TARGET, SEED, FAULTS = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[5])
WAYS = ["pass", "pass", "lose", "lose_answer", "double", "delay", "repeat_old"]

lock = threading.Lock()
chance = random.Random(SEED)
ledger = open(sys.argv[4], "a", encoding="utf-8")
count = 0
earlier = []  # What was passed on before: the path, the body and the header fields.


def choose():
    global count
    with lock:
        count += 1
        way = chance.choice(WAYS) if count <= FAULTS else "pass"
        ledger.write(way + "\n")
        ledger.flush()
        return way, chance.uniform(0.1, 0.6), chance.choice(earlier) if earlier else None


def pass_on(request):
    path, body, headers = request
    connection = http.client.HTTPConnection("127.0.0.1", TARGET, timeout=30)
    try:
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.close_connection = True
        request = (self.path, self.rfile.read(int(self.headers["content-length"])), dict(self.headers.items()))
        way, time_to_wait, old = choose()
        if way == "lose":
            return
        if way == "delay":
            time.sleep(time_to_wait)
        if way == "double":
            copies = [threading.Thread(target=pass_on, args=(request,)) for _ in range(2)]
            for copy in copies:
                copy.start()
            for copy in copies:
                copy.join()
        try:
            status, body = pass_on(request)
        except OSError:
            return
        with lock:
            earlier.append(request)
        # An old request arrives after newer ones, within the time in which it is valid.
        if way == "repeat_old" and old:
            pass_on(old)
        if way == "lose_answer":
            return
        self.send_response_only(status)
        if body:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
server.daemon_threads = True
server.serve_forever()
