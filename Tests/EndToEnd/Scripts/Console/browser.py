"""The console's page in Chromium, and what a user can see and do there."""

import os

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

PATIENCE = 60


class Page:
    def __init__(self, origin, folder):
        self.origin = origin
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-proxy-server",
                         "ignore-certificate-errors", "window-size=1500,1000", f"user-data-dir={folder}"):
            options.add_argument("--" + argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        # Every violation of the security policy, also one that the console does not report.
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
            window.violations = [];
            document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
            addEventListener("error", (e) => violations.push(e.message));
            addEventListener("unhandledrejection", (e) => violations.push(String(e.reason)));""")
        self.open()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def open(self):
        self.driver.get(self.origin + "/console/")
        self.until(lambda: "Loading" not in self.text("#server") and self.all("#actions button"), "the page has started")

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        # In one step: the page replaces elements at any time.
        return self.script("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText.replace(/\\s+/g, ' '))", selector)

    def until(self, condition, what):
        WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: condition(), what)

    def idle(self):
        return self.script(
            "return document.querySelector('#login button, #paste button').getAttribute('aria-disabled') === 'false'")

    def act(self, selector, keys=None):
        """Presses a button, and waits until the last of its requests is answered."""
        before = len(self.all("#history li"))
        element = self.one(selector)
        if keys:
            element.send_keys(keys)
        else:
            self.script("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()
        self.until(lambda: len(self.all("#history li")) > before and self.idle(), f"{selector} has been answered")

    def choose(self, preset):
        self.one(f"input[value='{preset}']").click()

    def sign_in(self, preset="new"):
        self.choose(preset)
        self.act("#login button.primary")

    def choose_provider(self, name):
        Select(self.one("#provider")).select_by_visible_text(name)

    def title(self):
        return self.text(".verdict .title")

    def history(self):
        """The requests so far, the first one first."""
        return self.texts("#history button")[::-1]

    def expect_title(self, part):
        assert part in self.title(), f"{part!r} is not in {self.title()!r}"

    def log_lines(self):
        return self.texts("#log summary")

    def screenshot(self, name):
        folder = os.environ.get("GATEHOUSE_SCREENSHOTS")
        if folder:
            self.driver.save_screenshot(f"{folder}/{name}.png")

    def check_silence(self):
        assert self.script("return window.violations") == [], self.script("return window.violations")
        # Chromium reports each refused request; anything else is a fault of the page.
        entries = [e["message"] for e in self.driver.get_log("browser") if e["source"] != "network"]
        assert entries == [], entries
