"""Firefox, driven by WebDriver BiDi, and by Marionette for passkeys."""

import base64
import json
import os
import pathlib
import subprocess
import time

from bidi import BiDi, Refused
from marionette import Marionette
from web_browser import PATIENCE, WATCH, Browser

PREFERENCES = """
user_pref("network.proxy.type", 0);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,#no-settings");
user_pref("app.normandy.enabled", false);
user_pref("marionette.port", 0);
user_pref("security.webauth.webauthn_enable_softtoken", true);
user_pref("security.webauth.webauthn_enable_usbtoken", false);
"""


class FirefoxBrowser(Browser):
    page_changed = Refused

    def __init__(self, site, folder):
        super().__init__(site)
        self.profile = pathlib.Path(folder)
        self.profile.mkdir(parents=True)
        (self.profile / "user.js").write_text(PREFERENCES)
        self.process = subprocess.Popen(
            ["/usr/bin/firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-debugging-port=0", "--profile", folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "MOZ_CRASHREPORTER_DISABLE": "1"})
        try:
            self.bidi = BiDi(self.port())
            self.bidi.send("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
            self.bidi.send("script.addPreloadScript", functionDeclaration="() => {" + WATCH + "}")
            self.context = self.tabs()[0]
            self.marionette, self.device = Marionette(int((self.profile / "MarionetteActivePort").read_text())), None
        except BaseException:
            self.end()
            raise

    def port(self):
        """Firefox writes the port that it has chosen to a file."""
        file, end = self.profile / "WebDriverBiDiServer.json", time.monotonic() + PATIENCE
        while True:
            try:
                return json.loads(file.read_text())["ws_port"]
            except (FileNotFoundError, ValueError):
                pass
            assert self.process.poll() is None, f"Firefox has ended with {self.process.returncode}"
            assert time.monotonic() < end, "Firefox does not start"
            time.sleep(0.05)

    def authenticator(self):
        """A new device with passkeys, in place of the one before. It answers each dialog at once."""
        if self.device:
            self.marionette.send("WebAuthn:RemoveVirtualAuthenticator", authenticatorId=self.device)
        self.device = self.marionette.send(
            "WebAuthn:AddVirtualAuthenticator", protocol="ctap2_1", transport="internal", hasResidentKey=True,
            hasUserVerification=True, isUserConsenting=True, isUserVerified=True)["value"]
        # Dialogs need a tab that has the focus, as the first one has not.
        if not self.script("return document.hasFocus()"):
            self.new_tab()

    def answer_dialogs(self, is_answering):
        """Firefox has no such device. It takes no suggestion by itself."""

    def ask(self, method, **parameters):
        return self.bidi.send("browsingContext." + method, context=self.context, **parameters)

    def go(self, url):
        # Firefox does not answer if the document before is still loading.
        self.until(lambda: self.script("return document.readyState") == "complete", "the page is loaded")
        self.ask("navigate", url=url, wait="complete")

    def url(self):
        # Of the document that is there: that of a navigation may still be loading.
        return self.script("return location.href")

    def call(self, function, *arguments):
        """Calls a JavaScript function that takes its arguments as JSON, and returns JSON or a promise of it."""
        result = self.bidi.send(
            "script.callFunction", functionDeclaration=function, awaitPromise=True, target={"context": self.context},
            arguments=[{"type": "string", "value": json.dumps(arguments)}], userActivation=True)
        if result["type"] == "exception":
            raise Refused(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def script(self, code, *arguments):
        return self.call(
            "(json) => JSON.stringify((function () { %s }).apply(null, JSON.parse(json)) ?? null)" % code, *arguments)

    def wait_for(self, code, *arguments):
        return self.call(
            "(json) => new Promise((done) => { (function () { %s }).apply(null, [...JSON.parse(json), done]); })"
            ".then((value) => JSON.stringify(value))" % code, *arguments)

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        node = self.ask("locateNodes", locator={"type": "css", "value": selector})["nodes"][0]
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        self.act("pointer", {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
                 {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def type(self, selector, text):
        self.script("const e = document.querySelector(arguments[0]); e.focus(); e.select()", selector)
        self.act("key", *({"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")))

    def act(self, device, *actions):
        self.bidi.send("input.performActions", context=self.context,
                       actions=[{"type": device, "id": device, "actions": list(actions)}])

    def tab(self):
        return self.context

    def tabs(self):
        return [context["context"] for context in self.bidi.send("browsingContext.getTree")["contexts"]]

    def new_tab(self):
        self.use(self.bidi.send("browsingContext.create", type="tab")["context"])
        return self.context

    def use(self, tab):
        self.context = tab
        self.ask("activate")

    def close(self):
        self.ask("close")

    def back(self):
        self.ask("traverseHistory", delta=-1)

    def cookies(self):
        found = self.bidi.send("storage.getCookies", partition={"type": "context", "context": self.context})["cookies"]
        return [{**cookie, "value": cookie["value"]["value"], "sameSite": cookie["sameSite"].capitalize()} for cookie in found]

    def delete_cookies(self):
        self.bidi.send("storage.deleteCookies", partition={"type": "context", "context": self.context})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("captureScreenshot")["data"]))

    def quit(self):
        try:
            self.bidi.send("browser.close")
            self.bidi.close()
        finally:
            self.end()

    def end(self):
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
