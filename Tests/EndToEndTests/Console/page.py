"""Drives the console's page in Chromium: page.py SCENARIO ORIGIN FOLDER."""

import json
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
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


def first_steps(page):
    assert "Sign in" in page.text(".start")
    assert not page.one("input[value=returning]").is_enabled()
    page.screenshot("start")
    page.sign_in()
    page.expect_title("Signed in as a new user")
    assert [h.split(". ")[1] for h in page.history()] == [
        "Challenge 200", "Apple’s answer to the app 200", "Sign in 200"], page.history()
    assert "user_" in page.text("#session") and "generation" in page.text("#session")
    page.screenshot("signed-in")
    before = page.text("#session .expiry")
    page.until(lambda: page.text("#session .expiry") != before, "the time left counts down")
    page.act("#me")
    page.expect_title("accepted")
    assert "GET /api/users/me" in page.text("#step pre")
    page.act("#refresh")
    page.expect_title("New tokens")
    page.sign_in("returning")
    page.expect_title("the user is known")
    page.sign_in("2019")
    page.expect_title("new user")


def refusals(page):
    for preset, reason, change, check in (
            ("audience", "audience", "APPLE_BUNDLE_ID", "audience"), ("expired", "expired", "Sign in with Apple again", "times"),
            ("nonce", "nonce", "SHA-256", "nonce")):
        page.sign_in(preset)
        page.expect_title("Refused: " + reason)
        page.until(lambda: page.all("tr.fault"), "the table of the token")
        assert change in page.text(".verdict"), page.text(".verdict")
        rows = page.all("tr.fault")
        assert len(rows) == 1 and rows[0].text.startswith(check + " ✕ fault"), [r.text for r in rows]
        assert page.text("tr.fault td:last-child") in page.text(".verdict dd:last-child")
        assert "Refused: " + reason in page.text("#announcement")
        top = page.script("return document.querySelector('.verdict').getBoundingClientRect().top")
        assert 0 <= top < 600, top
        page.screenshot("refused-" + preset)
    assert page.text("#session") == "No user is signed in."


def claims_editor(page):
    page.choose("audience")
    page.one("#editor summary").click()
    assert page.one("#audience").get_attribute("value") == "com.example.other"
    claims = page.one("#claims")
    for text, message in (('{"email": ', "not JSON"), ("[]", "JSON object"), ("null", "JSON object")):
        claims.clear()
        claims.send_keys(text)
        page.one("#login button.primary").click()
        assert message in page.text("#claims-error"), page.text("#claims-error")
        assert claims.get_attribute("aria-invalid") == "true"
        assert page.driver.switch_to.active_element == claims
        assert page.all("#history li") == []
    claims.clear()
    claims.send_keys('{"iss": "https://issuer.example"}')
    page.one("#audience").clear()
    page.one("#audience").send_keys("com.example.app")
    page.act("#login button.primary")
    page.expect_title("Refused: issuer")
    assert page.text("#claims-error") == ""
    Select(page.one("#nonce")).select_by_value("none")
    claims.clear()
    page.act("#login button.primary")
    page.expect_title("Signed in")


def pasted_token(page):
    page.one("#pasted summary").click()
    page.one("#paste button").click()
    assert "Paste" in page.text("#token-error")
    page.one("#token").send_keys("{oops")
    page.one("#paste button").click()
    assert "not JSON" in page.text("#token-error")
    page.one("#token").clear()
    page.one("#token").send_keys("this is no token")
    page.act("#paste button")
    page.expect_title("Refused: malformed")
    page.until(lambda: page.all("tr.fault"), "the table of the token")
    body = page.driver.execute_async_script("""
        fetch("/console/apple/mint", {method: "POST", body: "{}"}).then((r) => r.text()).then(arguments[0])""")
    page.one("#token").clear()
    page.one("#token").send_keys(body)
    page.act("#paste button")
    page.expect_title("Signed in as a new user")


def lost_answer(page):
    page.sign_in()
    page.act("#lose")
    page.until(lambda: len(page.all("#history li")) == 5, "both requests")
    page.expect_title("Still signed in")
    assert "no answer" in page.history()[3], page.history()
    page.screenshot("lost-answer")
    assert "generation 2" in page.text("#session") or "generation 1" in page.text("#session"), page.text("#session")
    page.all("#history button")[1].click()
    page.expect_title("The answer was lost")
    # The log tells the request id that the lost answer had.
    page.until(lambda: any("Gatehouse POST /api/auth/refresh 200" in line for line in page.log_lines()), "its line")
    assert any(line.split(" ", 1)[1].startswith("fault ") for line in page.log_lines()), page.log_lines()
    page.act("#me")
    page.expect_title("accepted")
    assert Select(page.one("#api-fault")).first_selected_option.text == "none"


def replay(page):
    page.sign_in()
    page.act("#replay")
    page.until(lambda: "Replay" in page.history()[-1] and page.idle(), "the replay")
    page.expect_title("Refused: refresh_token_reused")
    assert "ended: refresh_token_reused" in page.text("#session")
    page.act("#me")
    page.expect_title("Refused: session_revoked")


def sign_out_and_delete(page):
    page.sign_in()
    page.act("#sign-out")
    page.expect_title("Signed out")
    assert page.text("#session") == "No user is signed in."
    steps = len(page.all("#history li"))
    page.one("#me").click()
    assert len(page.all("#history li")) == steps, "a disabled button does nothing"
    page.sign_in("returning")
    page.expect_title("the user is known")
    page.act("#delete")
    page.expect_title("The account is deleted")
    page.sign_in("returning")
    page.expect_title("Signed in as a new user")


def notification_and_export(page):
    page.sign_in()
    page.act("#export")
    page.expect_title("Everything that is held")
    Select(page.one("#notification")).select_by_visible_text("consent-revoked")
    page.act("#notify")
    page.until(lambda: page.history()[-1].endswith("200") and "Notification: consent" in page.history()[-1], "its answer")
    page.act("#me")
    page.expect_title("Refused: session_revoked")


def faults(page):
    page.sign_in()
    Select(page.one("#api-fault")).select_by_visible_text("503")
    Select(page.one("#api-times")).select_by_visible_text("until switched off")
    page.until(lambda: "On: 503" in page.text("#api-state"), "the fault is on")
    for _ in range(2):
        page.act("#me")
        page.expect_title("Refused: service_unavailable")
    assert "/console/faulty/api/users/me" in page.text("#step pre")
    Select(page.one("#api-fault")).select_by_visible_text("none")
    page.until(lambda: page.text("#api-state") == "Off", "the fault is off")
    page.act("#me")
    page.expect_title("accepted")
    Select(page.one("#api-times")).select_by_visible_text("once")
    Select(page.one("#api-fault")).select_by_visible_text("Lost answer")
    page.until(lambda: "On" in page.text("#api-state"), "the fault is on")
    page.act("#me")
    page.expect_title("No answer")
    page.until(lambda: page.text("#api-state") == "Off", "the fault is used up")
    assert page.text("#faulty-url") == page.origin + "/console/faulty"


def apple_down(page):
    page.sign_in()
    Select(page.one("#apple-times")).select_by_visible_text("until switched off")
    Select(page.one("#apple-fault")).select_by_visible_text("Apple down")
    page.until(lambda: "On: Apple down" in page.text("#apple-state"), "the fault is on")
    page.one("#rotate").click()
    page.until(lambda: "new key" in page.text("#apple-state"), "Apple's new key")
    page.sign_in()
    page.expect_title("Refused: apple_keys_unavailable")


def log_filter(page):
    page.sign_in()
    wanted = ["Gatehouse POST /api/auth/apple 200", "nginx POST /api/auth/apple 200"]
    page.until(lambda: all(any(w in line for line in page.log_lines()) for w in wanted), "the lines of the login")
    assert not any("challenge" in line for line in page.log_lines()), page.log_lines()
    page.one("input[name=lines][value=all]").click()
    page.until(lambda: any("challenge" in line for line in page.log_lines()), "all lines")
    assert any("fake Apple POST /mint 200" in line for line in page.log_lines()), page.log_lines()
    page.one("input[name=source][value=nginx]").click()
    assert not any(" nginx " in line for line in page.log_lines()), page.log_lines()
    page.one("input[name=lines][value=step]").click()
    page.all("#history button")[1].click()
    assert all("challenge" not in line for line in page.log_lines())
    assert any("fake Apple POST /mint 200" in line for line in page.log_lines()), page.log_lines()
    token = page.script("return JSON.parse(sessionStorage.getItem('gatehouse-console')).session.refreshToken")
    assert token not in page.text("#log")


def snippets(page):
    page.sign_in()
    page.act("#me")
    texts = {e.find_element(By.TAG_NAME, "summary").text: e for e in page.all("#step details.part")}
    assert "curl -sS" in texts["As curl"].get_attribute("textContent")
    assert page.origin + "/api/users/me" in texts["As curl"].get_attribute("textContent")
    assert "client.user()" in texts["As Swift"].get_attribute("textContent")
    texts["As curl"].find_element(By.TAG_NAME, "summary").click()
    page.cdp("Browser.grantPermissions", origin=page.origin, permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    texts["As curl"].find_element(By.CSS_SELECTOR, "button.copy").click()
    page.until(lambda: "Copied" in texts["As curl"].text, "the command was copied")
    tokens = page.all("#step details.token")
    assert len(tokens) == 1 and "Access token" in tokens[0].text and "valid for" in tokens[0].text
    tokens[0].find_element(By.TAG_NAME, "summary").click()
    assert '"gen"' in tokens[0].text and "issued" in tokens[0].text


def keyboard(page):
    """Everything can be reached and used without a mouse, and the focus is visible."""
    body = page.one("body")
    body.send_keys(Keys.TAB)
    assert page.script("return document.activeElement.className") == "skip"
    seen = set()
    for _ in range(80):
        element = page.driver.switch_to.active_element
        seen.add(element.get_attribute("id") or element.get_attribute("name") or element.text.strip())
        style = page.script("""const s = getComputedStyle(document.activeElement);
            return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1""")
        assert style, element.get_attribute("outerHTML")
        element.send_keys(Keys.TAB)
        if page.script("return document.activeElement === document.body"):
            break
    for wanted in ("preset", "Sign in", "Edit the claims", "api-fault", "apple-fault", "rotate", "copy-faulty", "me",
                   "refresh", "lose", "replay", "sign-out", "export", "delete", "notification", "notify", "lines", "source",
                   "log"):
        assert wanted in seen, f"{wanted} is not among {seen}"
    page.one("input[value=new]").send_keys(Keys.ARROW_DOWN)
    assert page.one("input[value='2019']").is_selected(), "the disabled preset is skipped"
    page.act("input[value='2019']", Keys.ENTER)
    page.expect_title("Signed in")
    page.act("#me", Keys.SPACE)
    page.expect_title("accepted")
    assert page.script("return document.activeElement.id") == "me", "the focus stays"
    unnamed = page.script("""return [...document.querySelectorAll('button, input, select, textarea, pre[tabindex]')]
        .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label')))
        .map((e) => e.outerHTML)""")
    assert unnamed == [], unnamed
    levels = [int(e.tag_name[1]) for e in page.all("h1, h2, h3, h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels


def narrow_window(page):
    page.cdp("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    for preset in ("new", "audience"):
        page.sign_in(preset)
        top = page.script("return document.querySelector('.verdict').getBoundingClientRect().top")
        assert 0 <= top < 600, f"the result is in sight: {top}"
        page.screenshot("narrow-" + preset)
        page.one("#editor summary").click()
        wide = page.script("""return [...document.querySelectorAll('body *')].filter((e) =>
            e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll, .skip')).map((e) => e.outerHTML.slice(0, 80))""")
        assert page.script("return document.documentElement.scrollWidth <= innerWidth"), wide
        page.one("#editor summary").click()


def colour_schemes(page):
    """Text has a contrast of 4.5 or more in both schemes."""
    page.sign_in()
    page.sign_in("audience")
    page.until(lambda: page.all("tr.fault"), "the table of the token")
    backgrounds = set()
    for scheme in ("light", "dark"):
        page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.screenshot("scheme-" + scheme)
        backgrounds.add(page.script("return getComputedStyle(document.body).backgroundColor"))
        faint = page.script(CONTRAST)
        assert faint == [], (scheme, faint)
    assert len(backgrounds) == 2


CONTRAST = """
const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((n) => n / 255)
    .map((n) => n <= .03928 ? n / 12.92 : ((n + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility()
    && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && !e.closest('[aria-disabled=true], :disabled, .preset:has(:disabled)'))
  .map((e) => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.tagName, e.className, e.textContent.slice(0, 30)]; })
  .filter(([ratio]) => ratio < 4.5);
"""


def reload(page):
    page.sign_in()
    session = page.text("#session code")
    page.open()
    assert page.text("#session code") == session
    page.act("#me")
    page.expect_title("accepted")


def hostile_text(page):
    """What a token or an answer contains is shown as text."""
    page.one("#editor summary").click()
    page.one("#claims").clear()
    attack = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    page.one("#claims").send_keys(json.dumps({"aud": attack, "email": attack}))
    page.act("#login button.primary")
    page.expect_title("Refused: audience")
    page.until(lambda: page.all("tr.fault"), "the table of the token")
    assert attack in page.text("#step")
    assert page.all("#step img, #step script, #log img") == []


def real_apple(page):
    assert "--real-apple" in page.text("#real-apple")
    assert not page.one("#login").is_displayed() and not page.all("#apple-fault")
    page.one("#token").send_keys("this is no token")
    page.act("#paste button")
    page.expect_title("Refused: malformed")
    page.until(lambda: "could not be fetched" in page.text("#step"), "why there is no table")
    page.screenshot("real-apple")


def main():
    scenario, origin, folder = sys.argv[1:]
    page = Page(origin, folder)
    try:
        globals()[scenario](page)
        page.check_silence()
    except BaseException:
        page.screenshot("failed-" + scenario)
        print(page.title(), page.history(), page.text("#announcement"), file=sys.stderr)
        raise
    finally:
        page.driver.quit()


main()
