"""A client of the installed API over TLS and with keep-alive connections.

    client.py login            logs in with Apple, reads the profile, refreshes and logs out; prints the status of each step
    client.py load FOLDER      reads the profile and refreshes in many threads until FOLDER/stop exists; FOLDER/running is
                               created once all threads run. Prints the number of requests and each failed one
"""
import http.client
import json
import os
import ssl
import sys
import threading
import time
import urllib.request

APPLE = "http://127.0.0.1:8444"
THREADS = 8


class Client:
    def __init__(self):
        context = ssl.create_default_context(cafile="/etc/gatehouse/tls/self-signed.pem")
        self.connection = http.client.HTTPSConnection("localhost", timeout=60, context=context)
        self.tokens = {}

    def ask(self, method, path, body=None):
        headers = {}
        if body is not None:
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        if "accessToken" in self.tokens:
            headers["Authorization"] = "Bearer " + self.tokens["accessToken"]
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        text = response.read()
        if response.status == 200 and b"refreshToken" in text:
            self.tokens = json.loads(text)
        return response.status, text

    def sign_in(self):
        with urllib.request.urlopen(APPLE + "/mint", timeout=60) as minted:
            return self.ask("POST", "/api/auth/apple", json.load(minted))

    def refresh(self):
        return self.ask("POST", "/api/auth/refresh", {"refreshToken": self.tokens["refreshToken"]})

    def me(self):
        return self.ask("GET", "/api/users/me")


def login():
    client = Client()
    steps = [client.sign_in, client.me, client.refresh, client.me, lambda: client.ask("POST", "/api/auth/logout")]
    statuses = []
    # The steps after a refused one need its response.
    while steps and (not statuses or statuses[-1] < 400):
        statuses.append(steps.pop(0)()[0])
    print(*statuses)


def load(folder):
    counts, failures, ready = [0] * THREADS, [], threading.Barrier(THREADS + 1)
    stop = os.path.join(folder, "stop")
    over = threading.Event()

    def work(number):
        client = Client()
        status, text = client.sign_in()
        if status != 200:
            failures.append(f"login {status} {text!r}")
        ready.wait()
        while not over.is_set():
            # As many writes as reads.
            for step in (client.me, client.refresh):
                began = time.time()
                try:
                    status, text = step()
                    if status != 200:
                        failures.append(f"{began:.3f} {step.__name__} {status} {text!r}")
                except Exception as error:
                    failures.append(f"{began:.3f} {step.__name__} {error!r}")
                    client.connection.close()
                counts[number] += 1
            time.sleep(0.005)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    ready.wait(120)
    open(os.path.join(folder, "running"), "w").close()
    # Bounds the wait in case FOLDER/stop is never created.
    for _ in range(3000):
        if os.path.exists(stop):
            break
        with open(os.path.join(folder, "requests"), "w") as file:
            file.write(f"{sum(counts)}\n")
        time.sleep(0.1)
    over.set()
    for thread in threads:
        thread.join(90)
    print("requests", sum(counts))
    for failure in failures:
        print("failed", failure)


if sys.argv[1] == "login":
    login()
else:
    load(sys.argv[2])
