"""What the scenarios of a web page need of a browser."""

import json
import os
import random
import ssl
import time
import urllib.request

PATIENCE = 60

# Run in each page before its own scripts, where the browser can: what the security policy of the page has refused, its
# errors, and the paths that its scripts have requested.
WATCH = """
if (!window.requests) {
    [window.requests, window.faults] = [[], []];
    document.addEventListener("securitypolicyviolation", (e) => faults.push(`refused ${e.violatedDirective}`));
    addEventListener("error", (e) => faults.push(e.message));
    addEventListener("unhandledrejection", (e) => faults.push(String(e.reason)));
    const send = window.fetch;
    window.fetch = (input, init) => {
        requests.push(new URL(input.url ?? input, location).pathname);
        return send(input, init);
    };
}
"""

# A page of the server's origin with nothing in it.
BARE = "/example/example.css"


class Browser:
    """A browser with a profile of its own. ChromiumBrowser and FirefoxBrowser have what the drivers do."""

    def __init__(self, site):
        self.site = site
        # Browsers that share the server have users of their own.
        self.number = random.randrange(10_000)

    # --- Pages

    def open(self, path="/example/"):
        self.go(self.site.origin + path)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                result = condition()
            # The page changed while it was asked.
            except self.page_changed:
                result = None
            if result:
                return result
            assert time.monotonic() < end, f"{what}: {self.url()} {self.text('body')[:600]}"
            time.sleep(0.05)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def is_visible(self, selector):
        return self.script("return document.querySelector(arguments[0])?.checkVisibility() ?? false", selector)

    def until_visible(self, selector):
        self.until(lambda: self.is_visible(selector), f"{selector} is visible")

    def until_text(self, selector, part):
        self.until(lambda: part in self.text(selector), f"{selector} says {part!r}")

    def press(self, selector):
        self.until_visible(selector)
        self.click(selector)

    # --- Scripts in a page

    def run(self, code, *arguments):
        """The result of the body of an asynchronous function with `args`. An error becomes its name and code."""
        return self.wait_for(
            f"""const done = arguments[arguments.length - 1];
            (async (...args) => {{ {code} }})(...[...arguments].slice(0, -1))
                .then((value) => done(value ?? null), (e) => done(`${{e.name}} ${{e.code ?? e.message}}`));""", *arguments)

    def client(self, before="", **options):
        """Opens a bare page with a client of the library, as `gatehouse`. `before` runs before the library is loaded."""
        self.open(BARE)
        self.client_here(before, **options)

    def client_here(self, before="", **options):
        self.script(WATCH + before)
        self.run("window.gatehouse = new (await import('/gatehouse.js')).Gatehouse(args[0])", options)

    def requested(self, path):
        """How often the scripts of this page have requested the path."""
        return self.script("return window.requests.filter((path) => path === arguments[0]).length", path)

    def later(self, milliseconds):
        """Sets the clock of the page."""
        self.script("const [now, more] = [Date.now, arguments[0]]; Date.now = () => now() + more", milliseconds)

    def check_silence(self):
        faults = self.script("return window.faults ?? []")
        assert faults == [], faults

    # --- The session

    def sign_in(self, provider="acme"):
        """At the provider's page, which the button of the example page leads to."""
        self.press(f"[data-provider={provider}]")
        self.consent()
        self.until_visible("#signed-in")

    def consent(self):
        self.until_visible("[name=user]")
        self.type("[name=user]", f"user-{self.number}@example.com")
        self.click("[name=action][value=continue]")

    def session_cookies(self):
        return [cookie for cookie in self.cookies() if cookie["name"] == "__Host-gatehouse"]

    def picture(self, name):
        folder = os.environ.get("GATEHOUSE_SCREENSHOTS")
        if folder:
            self.screenshot(f"{folder}/{name}.png")

    def reset(self):
        """One tab without a session, a cookie or anything stored."""
        first, *others = self.tabs()
        for tab in others:
            self.use(tab)
            self.close()
        self.use(first)
        self.open(BARE)
        self.script("localStorage.clear(); sessionStorage.clear()")
        self.delete_cookies()


class Site:
    """The server of the scenarios."""

    def __init__(self, origin, inbox, certificates, other_port):
        self.origin = origin
        self.inbox = inbox
        # The folder of certificate.pem and its key.
        self.certificates = certificates
        # Of a page of another origin, which is in CORS_ORIGINS.
        self.other_port = other_port

    def ask(self, url, body=None, headers=()):
        request = urllib.request.Request(
            url, headers={"Content-Type": "application/json", **dict(headers)},
            data=None if body is None else json.dumps(body).encode())
        # The certificate is of an authority for development.
        with urllib.request.urlopen(request, timeout=PATIENCE, context=ssl._create_unverified_context()) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def fault(self, fault, path, times=1):
        """Has the console change answers of the API below /console/faulty."""
        self.ask(self.origin + "/console/faults", {"fault": fault, "path": path, "times": times})

    def code(self, to):
        """The code that has arrived at the address."""
        messages = self.ask(f"{self.inbox}?wait=30&to=" + urllib.request.quote(to))["messages"]
        return messages[0]["code"]
