"""Scenarios of the log, the snippets, and of what users need to read and operate the page."""

import json
import subprocess

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


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
    command = texts["As curl"].find_element(By.TAG_NAME, "code").get_attribute("textContent")
    answer = subprocess.run(["bash", "-c", command], capture_output=True, check=True, timeout=60).stdout
    assert json.loads(answer)["id"] in page.text("#session"), answer
    texts["As curl"].find_element(By.TAG_NAME, "summary").click()
    page.cdp("Browser.grantPermissions", origin=page.origin, permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    texts["As curl"].find_element(By.CSS_SELECTOR, "button.copy").click()
    page.until(lambda: page.text("#announcement") == "Copied", "the command was copied")
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
    for _ in range(100):
        element = page.driver.switch_to.active_element
        seen.add(element.get_attribute("id") or element.get_attribute("name") or element.text.strip())
        style = page.script("""const s = getComputedStyle(document.activeElement);
            return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1""")
        assert style, element.get_attribute("outerHTML")
        element.send_keys(Keys.TAB)
        if page.script("return document.activeElement === document.body"):
            break
    for wanted in ("view", "provider", "preset", "guest", "link", "join", "unlink", "Sign in", "Edit the claims", "channel", "to", "send-code", "code",
                   "code-login", "code-bind", "code-join", "code-replace", "inbox", "api-fault", "apple-fault", "rotate", "copy-faulty", "me",
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


def medium_window(page):
    """No empty space beside a long column, whole rows in the list of requests, and no invented time in the log."""
    page.cdp("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
    for _ in range(8):
        page.sign_in()
    boxes = {name: page.script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", "#" + name)
             for name in ("exchange", "logs", "history")}
    page.screenshot("medium")
    assert boxes["logs"]["left"] == boxes["exchange"]["left"], boxes
    assert 0 <= boxes["logs"]["top"] - boxes["exchange"]["bottom"] <= 20, boxes
    cut = page.script("""const list = document.querySelector("#history").getBoundingClientRect();
        return [...document.querySelectorAll("#history li")].map((row) => row.getBoundingClientRect())
            .filter(({ top, bottom }) => top < list.bottom - 1 && bottom > list.bottom + 1).length""")
    assert cut == 0, "rows are cut"
    page.one("input[name=lines][value=all]").click()
    page.until(lambda: any(line.startswith("no time fake Apple fake mail server") for line in page.log_lines()),
               "the lines of the start, which have no time")


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
