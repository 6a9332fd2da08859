"""A client of the installed API over TLS and with keep-alive connections.

    client.py login            logs in with Apple, reads the profile, refreshes and logs out; prints the status of each step
    client.py load FOLDER      signs in users, reads their profiles and refreshes in many threads until FOLDER/stop exists;
                               FOLDER/running is created once all threads run. At the end uses every session once more that a thread has left.
                               Prints the number of requests, each failed one, and each that was repeated because the kept
                               connection was closed before an answer, as an HTTP client repeats it
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
# Each thread leaves its session after so many rounds, and signs in another user.
ROUNDS = 40


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
            # The answer to a refresh has no user.
            self.tokens = self.tokens | json.loads(text)
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
    counts, failures, repeated, ready = [0] * THREADS, [], [], threading.Barrier(THREADS + 1)
    stop = os.path.join(folder, "stop")
    over = threading.Event()

    def work(number):
        client, left = Client(), []

        def ask(step):
            began = time.time()
            counts[number] += 1
            try:
                try:
                    status, text = step()
                except (ConnectionResetError, BrokenPipeError):
                    repeated.append(f"{began:.3f} {step.__name__}")
                    client.connection.close()
                    status, text = step()
                if status == 200:
                    return text
                failures.append(f"{began:.3f} {step.__name__} {status} {text!r}")
            except Exception as error:
                failures.append(f"{began:.3f} {step.__name__} {error!r}")
                client.connection.close()

        ask(client.sign_in)
        ready.wait()
        rounds = 0
        while not over.is_set():
            # As many writes as reads.
            ask(client.me)
            ask(client.refresh)
            rounds += 1
            if rounds % ROUNDS == 0:
                left.append(client.tokens)
                ask(client.sign_in)
            time.sleep(0.005)
        for client.tokens in left:
            user = client.tokens["user"]["id"]
            ask(client.refresh)
            if user not in str(ask(client.me)):
                failures.append(f"{user} has no session any more")

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
    for request in repeated:
        print("repeated", request)


if sys.argv[1] == "login":
    login()
else:
    load(sys.argv[2])
