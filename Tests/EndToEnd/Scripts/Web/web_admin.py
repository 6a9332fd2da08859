"""The page for administrators: the tasks of support, scripts in what users control, old sign-ins, and how it looks."""

import contextlib
import http.server
import os
import random
import shlex
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

from other_site import OtherSite
from web_browser import BARE
from web_sign_in import CONTRAST

ATTACK = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"
PHONE_DEVICE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"


# --- Those who use it -------------------------------------------------------------------------------------------------


def administrator(browser, language="en"):
    """Opens the page as a super administrator, by the command that the page shows to a user who is none."""
    browser.open(BARE)
    browser.script("localStorage.setItem('gatehouse-admin-language', arguments[0])", language)
    browser.open("/admin/")
    browser.press("[data-provider=acme]")
    browser.consent()
    browser.until(lambda: browser.is_visible("#query") and browser.text("h2"), "the page has an answer")
    browser.until(lambda: browser.is_visible("#command") or browser.is_visible(".plots"), "a user is refused or let in")
    if browser.is_visible("#command"):
        run(browser.text("#command"))
        browser.open("/admin/")
        browser.until_visible(".plots")


def run(command):
    """A command on the server."""
    words = shlex.split(command)
    assert words[0] == "gatehouse", words
    subprocess.run([os.environ["GATEHOUSE"]] + words[1:], check=True, timeout=60, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def database(browser):
    """The server's own, to make what only time makes."""
    connection = sqlite3.connect(os.path.dirname(browser.site.certificates) + "/gatehouse.db", timeout=30)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def number():
    return f"+8613812{random.randrange(10 ** 6):06}"


def ask_for_code(browser, to):
    """Where the code is redeemed, and the code. The inbox of a user also has news of the account."""
    def codes():
        inbox = browser.site.ask(f"{browser.site.inbox}?to=" + urllib.request.quote(to))
        return [message["code"] for message in inbox["messages"] if "code" in message]

    before = len(codes())
    channel = "email" if "@" in to else "phone"
    sent = browser.site.ask(browser.site.origin + "/api/auth/codes", {"channel": channel, "to": to})
    browser.until(lambda: len(codes()) > before, "the code has arrived")
    return browser.site.origin + "/api/auth/codes/" + sent["codeId"], codes()[0]


def sign_up(browser, to, agent=PHONE_DEVICE, nickname=None):
    """Signs a user in by a code, on a device of their own."""
    address, code = ask_for_code(browser, to)
    return browser.site.ask(address, {"code": code, "nickname": nickname}, {"User-Agent": agent})


def status_of(browser, url, body=None, headers=()):
    try:
        browser.site.ask(url, body, headers)
        return 200
    except urllib.error.HTTPError as error:
        return error.code


def is_signed_in(browser, login):
    token = {"Authorization": "Bearer " + login["accessToken"]}
    return status_of(browser, browser.site.origin + "/api/users/me", headers=token) == 200


def find(browser, words, reason="Ticket 4710"):
    browser.type("#query", words)
    browser.type("#purpose", reason)
    browser.press("#search button")


def open_user(browser, words):
    """By the search alone, as a person does: one who is found is shown."""
    find(browser, words)
    browser.until_visible(".history, .columns")


def is_settled(browser):
    """Whether the page has all of the view: it asks for all before it shows any."""
    return browser.script("return !document.querySelector('#main').hasAttribute('aria-busy')")


def open_view(browser, view):
    """Also the view that is shown already, which the page then asks for again."""
    browser.script("document.querySelector('#main').textContent = ''")
    browser.script(
        f"location.hash === '#/{view}' ? dispatchEvent(new Event('hashchange')) : location.hash = '#/{view}'")
    browser.until(lambda: is_settled(browser) and browser.text("#main"), view)


def confirm(browser, reason="Ticket 4711"):
    browser.until_visible("dialog #reason")
    browser.type("#reason", reason)
    browser.press("dialog form > .acts button:first-child")
    browser.until(lambda: not browser.is_visible("dialog"), "the act is done")


def said(browser):
    return browser.script("return document.querySelector('#announcement').textContent")


# --- Who may ----------------------------------------------------------------------------------------------------------


def admin_refused(browser):
    """A user without the role learns how to get it, and nothing about this server. The page has no data before."""
    browser.open("/admin/")
    browser.until_visible("#main .ways button")
    assert not browser.is_visible("#search") and not browser.is_visible("nav")
    browser.press("[data-provider=google]")
    # Another person than the administrator of the other scenarios.
    browser.number += 10_000
    browser.consent()
    browser.number -= 10_000
    browser.until_visible("#command")
    assert "gatehouse users role user_" in browser.text("#command")
    requests = browser.script("return performance.getEntriesByType('resource').map((e) => e.name).join(' ')")
    assert "/api/admin/" not in requests, requests
    # Nor at another address of the page.
    browser.open("/admin/#/deliveries")
    browser.until_visible("#command")
    assert browser.text("h2") == "This page is not for this user"
    browser.check_silence()


def admin_old_login(browser):
    """An old sign-in, and one that is not strong enough, lead to a new one, and from there back to where it was asked for."""
    administrator(browser)
    for code, words in (("login_too_old", "more than an hour ago"), ("insufficient_authentication", "by a passkey")):
        browser.open("/admin/#/audit")
        browser.until_visible(".history")
        browser.script("""
            const send = window.fetch;
            window.fetch = async (input, init) => new URL(input.url ?? input, location).pathname.startsWith("/api/admin/")
                ? new Response(JSON.stringify({ status: 401, code: arguments[0], detail: "" }),
                    { status: 401, headers: { "Content-Type": "application/problem+json" } })
                : send(input, init);""".replace("arguments[0]", repr(code)))
        browser.script("location.hash = '#/users'")
        browser.until_text(".notice", words)
        if code == "insufficient_authentication":
            browser.until_visible("[data-provider=passkey]")
            assert not browser.is_visible("[data-provider=acme]"), "a way that is not strong enough"
            continue
        browser.press("[data-provider=acme]")
        browser.consent()
        browser.until_text("h2", "The newest users")
        assert browser.url().endswith("/admin/#/users"), browser.url()
    browser.check_silence()


# --- The five tasks ---------------------------------------------------------------------------------------------------


def admin_refusals(browser):
    """Find who signs in by a number, and say why they were refused."""
    phone = number()
    sign_up(browser, phone)
    address, code = ask_for_code(browser, phone)
    assert status_of(browser, address, {"code": "000000" if code != "000000" else "111111"}) == 401
    administrator(browser)
    browser.until(lambda: shows_refusal(browser, phone), "the refusal is shown")
    assert phone in browser.text(".columns")
    browser.check_silence()


def shows_refusal(browser, phone):
    # Refusals are written to the audit trail some seconds after they happened.
    open_user(browser, phone)
    browser.until_text(".columns", "What happened lately")
    browser.until(lambda: is_settled(browser), "the user is shown")
    return "refused: the code was wrong, used or expired" in browser.text(".columns")


def admin_lost_device(browser):
    """Sign a lost device out, and no other one."""
    phone = number()
    lost, kept = sign_up(browser, phone, "LostPhone/1.0 (Android 15)"), sign_up(browser, phone)
    administrator(browser)
    open_user(browser, phone)
    browser.press("[aria-label='Sign out LostPhone on Android']")
    confirm(browser)
    browser.until(lambda: "LostPhone" not in browser.text(".columns > div"), "the device is gone")
    assert not is_signed_in(browser, lost) and is_signed_in(browser, kept)
    assert said(browser) == "The device is signed out."
    browser.press("#act-sign-out")
    confirm(browser)
    browser.until_text(".columns", "Not signed in on any device.")
    assert not is_signed_in(browser, kept)
    browser.until_text(".history", "Ticket 4711")
    browser.check_silence()


def admin_disable(browser):
    """Disable with a reason, and enable. Without a reason nothing happens, and a role is a super administrator's to give."""
    phone = number()
    login = sign_up(browser, phone)
    administrator(browser)
    open_user(browser, phone)
    browser.press("#act-disable")
    assert browser.script("return document.querySelector('#reason').value") == "Ticket 4710", "the reason of the look"
    browser.script("document.querySelector('#reason').value = ''")
    browser.press("dialog button.danger")
    browser.until_text("dialog .fault", "at least three letters")
    assert browser.script("return document.activeElement.id") == "reason"
    assert is_signed_in(browser, login)
    confirm(browser, "Ticket 4712: spam")
    browser.until_text("h2", "disabled")
    assert not is_signed_in(browser, login)
    address, code = ask_for_code(browser, phone)
    assert status_of(browser, address, {"code": code}) == 403
    browser.until_text(".history", "Ticket 4712: spam")
    browser.press("#act-enable")
    confirm(browser)
    browser.until_visible("#act-disable")
    sign_up(browser, phone)
    browser.press("#act-role")
    browser.script("document.querySelector('dialog select').value = 'ADMIN'")
    confirm(browser)
    browser.until_text("h2", "administrator")
    # Not to oneself.
    find(browser, f"user-{browser.number}@example.com")
    browser.until_text("#main", "This is you")
    assert browser.script("return [...document.querySelectorAll('.acts [id^=act-]')].map((e) => e.id)") == ["act-sign-out"]
    open_view(browser, "audit/" + login["user"]["id"])
    browser.until_text(".history", "Reason: Ticket 4710")
    browser.check_silence()


def admin_merge(browser):
    """Merge two users of one person, look at what moves before, and undo it. Then delete, with the name typed."""
    mail, phone = f"merge-{random.randrange(10 ** 9)}@example.com", number()
    sign_up(browser, mail), sign_up(browser, phone)
    administrator(browser)
    open_user(browser, mail)
    browser.press("#act-merge")
    browser.until_visible("dialog #into")
    browser.type("#reason", "One person")
    browser.press("dialog button.danger")
    browser.until_text("dialog .fault", "First choose the other user")
    browser.type("#into", phone)
    browser.press("#look")
    browser.until_text(".preview", "the way to sign in by mail address")
    browser.picture("admin-merge")
    browser.press("dialog button.danger")
    browser.until(lambda: not browser.is_visible("dialog") and phone in browser.text(".columns"), "the one who stays is shown")
    browser.until_text(".columns", mail)
    browser.until_text(".history", "Merge: another user went into this one")
    again = sign_up(browser, mail)
    # The one who went away is found by the id in the audit trail, and comes back.
    with database(browser) as connection:
        gone = connection.execute(
            "SELECT user_id FROM audit_events WHERE kind = 'users_merged' AND detail LIKE 'into%' AND detail LIKE '%' || ?",
            (again["user"]["id"],)).fetchone()[0]
    find(browser, gone)
    browser.press("#act-unmerge")
    confirm(browser)
    browser.until_visible("#act-merge")
    assert sign_up(browser, mail)["user"]["id"] == gone
    browser.press("#act-delete")
    browser.until_visible("dialog #reason")
    browser.type("#reason", "The user asked for it")
    browser.press("dialog button.danger")
    browser.until_text("dialog .fault", "another one")
    browser.type("dialog input", mail)
    browser.press("dialog button.danger")
    browser.until_text("h2", "deleted")
    browser.check_silence()


def admin_dead_letter(browser):
    """Send an event again that was not delivered."""
    login = sign_up(browser, number())
    administrator(browser)
    with database(browser) as connection:
        # What three days without an answer make.
        connection.execute(
            "UPDATE events SET attempts = 9, dead_at = ?, fault = 'HTTP 500' WHERE receiver = 'default' AND user_id = ?",
            (int(time.time() * 1000), login["user"]["id"]))
    browser.until(lambda: has_letters(browser), "the overview tells of the events")
    browser.press(".notice a")
    browser.until_text("h2", "Deliveries")
    browser.until_text("#letters", login["user"]["id"])
    received.clear()
    with OtherSite(port=browser.site.other_port, page=Receiver):
        count = browser.script("return document.querySelectorAll('#letters li').length")
        browser.press("#letters li:first-child button")
        confirm(browser)
        browser.until(lambda: browser.script("return document.querySelectorAll('#letters li').length") == count - 1, "it is sent")
        browser.until(lambda: received, "the receiver has it")
    browser.check_silence()


def has_letters(browser):
    browser.open("/admin/")
    browser.until_visible(".plots")
    return "Events that could not be delivered" in browser.text("#main")


received = []


class Receiver(http.server.BaseHTTPRequestHandler):
    """A service that is back."""

    def do_POST(self):
        received.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


# --- What users control -----------------------------------------------------------------------------------------------


def admin_scripts(browser):
    """A nickname, a device and a reason with a script in them are shown as text, in every view."""
    mail = f"attack-{random.randrange(10 ** 9)}@example.com"
    login = sign_up(browser, mail, ATTACK, ATTACK)
    hidden = sign_up(browser, number(), "\u202egnp.exe".encode().decode("latin-1"), "\u202egnp.exe")
    administrator(browser)
    open_user(browser, mail)
    assert ATTACK in browser.text("h2"), browser.text("h2")
    browser.press("#act-disable")
    browser.until_text("dialog h2", ATTACK)
    confirm(browser, ATTACK)
    browser.until_text(".history", "Reason: " + ATTACK)
    browser.press("#act-enable")
    confirm(browser)
    browser.press("#act-merge")
    browser.until_visible("dialog #into")
    browser.type("#into", hidden["user"]["id"])
    browser.press("#look")
    browser.until_text(".preview", "stays and gets")
    browser.press("dialog form > .acts button:last-child")
    find(browser, "<img src=x")
    browser.until_text("h2", "<img" if browser.is_visible(".columns") else "Users found for")
    for view in ("users", "audit", "deliveries", f"user/{hidden['user']['id']}", "user/%3Cimg%20src=x%20onerror=alert(1)%3E", "%3Cscript%3E"):
        open_view(browser, view)
        check_harmless(browser, view)
    browser.open("/admin/#/user/" + login["user"]["id"])
    browser.until_text(".history", ATTACK)
    check_harmless(browser, "user")


def check_harmless(browser, view):
    found = browser.script("return [...document.querySelectorAll('main img, main script, dialog img, header img')].length")
    assert found == 0, view
    assert browser.script("return document.title") != "hacked", view
    assert not set("\u202e\u202d") & set(browser.text("body")), view
    browser.check_silence()


# --- Its looks --------------------------------------------------------------------------------------------------------


def admin_look(browser):
    """Text has a contrast of 4.5 or more in both schemes and both languages, everything has a name, and a narrow window has no
    scroll bar. With the keyboard alone: the search, the dialog and back."""
    sign_up(browser, number(), nickname="A" * 60)
    for language in ("en", "zh"):
        browser.reset()
        browser.cdp("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=False)
        administrator(browser, language)
        assert browser.script("return document.documentElement.lang") == {"en": "en", "zh": "zh-CN"}[language]
        for view, ready in (("", ".plots"), ("users", ".users"), ("deliveries", ".rows"), ("audit", ".history")):
            browser.open("/admin/#/" + view)
            browser.until_visible(ready)
            check_looks(browser, f"{view or 'overview'}-{language}")
        browser.open("/admin/#/users")
        browser.press(".users li:nth-child(2) a")
        browser.until_visible(".columns")
        check_looks(browser, f"user-{language}")
        keyboard(browser)
        browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.check_silence()


def check_looks(browser, name):
    for scheme in ("light", "dark"):
        browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        faint = browser.script(CONTRAST)
        assert faint == [], (name, scheme, faint)
        browser.picture(f"admin-{name}-{scheme}")
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth"), name
    unnamed = browser.script("""return [...document.querySelectorAll('button, input, select, textarea, [role=region], svg[role=img]')]
        .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label'))).map((e) => e.outerHTML)""")
    assert unnamed == [], (name, unnamed)
    levels = browser.script("return [...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))")
    assert levels[:2] == [1, 2] and levels.count(1) == 1 and levels.count(2) == 1, (name, levels)
    assert browser.script("return document.activeElement.tagName") == "H2", "a screen reader says what is shown"


def keyboard(browser):
    from selenium.webdriver.common.keys import Keys

    def active():
        return browser.driver.switch_to.active_element

    browser.script("document.querySelector('#act-disable').focus()")
    active().send_keys(Keys.ENTER)
    browser.until(lambda: browser.script("return document.activeElement.id") == "reason", "the focus is in the dialog")
    for _ in range(8):
        active().send_keys(Keys.TAB)
        inside = browser.script("return document.activeElement === document.body || !!document.activeElement.closest('dialog')")
        assert inside, "the focus stays in the dialog"
    browser.script("document.querySelector('#reason').focus()")
    active().send_keys(Keys.ESCAPE)
    browser.until(lambda: browser.script("return document.activeElement.id") == "act-disable", "the focus is back")
    browser.script("document.querySelector('#query').focus()")
    active().send_keys("nobody has this", Keys.TAB, "Ticket 4710", Keys.ENTER)
    browser.until(lambda: "nobody has this" in browser.text("h2"), "the search is done")
    browser.script("document.activeElement.blur()")
    browser.driver.find_element("css selector", "body").send_keys(Keys.TAB)
    visible = browser.script("""const s = getComputedStyle(document.activeElement);
        return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1""")
    assert visible, "the focus is visible"
