"""Signing in at the example page, by every way that it offers."""


def every_provider(browser):
    browser.open()
    browser.until_visible("#ways button")
    providers = browser.script("return [...document.querySelectorAll('#ways button')].map((b) => b.dataset.provider)")
    assert providers == ["acme", "apple", "google", "qq", "wechat"], providers
    for provider in providers:
        browser.sign_in(provider)
        assert browser.url() == browser.site.origin + "/example/", browser.url()
        assert "user_" in browser.text("#user"), browser.text("#user")
        browser.until_text("#sessions", "This browser")
        browser.press("#me")
        browser.until_text("#answer", '"status": "ACTIVE"')
        assert browser.text("#expiry").startswith(("13 min", "14 min", "15 min")), browser.text("#expiry")
        browser.check_silence()
        sign_out(browser)


def sign_out(browser):
    browser.press("#sign-out")
    browser.until_visible("#signed-out")
    browser.until(lambda: not browser.session_cookies(), "the cookie is removed")


def reload(browser):
    """The session outlives the page. Nothing repeats the sign-in: the address has no code, and no pending sign-in is left."""
    browser.open()
    browser.sign_in("google")
    user = browser.text("#user")
    assert browser.script("return sessionStorage.length") == 0
    browser.open()
    browser.until_visible("#signed-in")
    assert browser.text("#user") == user
    assert "/api/auth/exchange" not in browser.script("return performance.getEntriesByType('resource').map((e) => e.name)")
    sign_out(browser)
    browser.open()
    browser.until_visible("#signed-out")
    assert browser.text("#error") == ""


def cancelled(browser):
    browser.open()
    for provider in ("apple", "google", "wechat"):
        browser.press(f"[data-provider={provider}]")
        browser.press("[name=action][value=cancel]")
        browser.until_text("#error", "You have cancelled the sign-in.")
        browser.until_visible("#signed-out")
        assert browser.url() == browser.site.origin + "/example/", browser.url()
    # It does not end the session that the user has.
    browser.sign_in("google")
    browser.script("history.replaceState(null, '', '/example/?page=2#part')")
    start = browser.run("""
        const { Gatehouse } = await import("/gatehouse.js");
        new Gatehouse({ redirectURI: location.origin + "/example/" }).signIn("google")""")
    assert start is None, start
    browser.press("[name=action][value=cancel]")
    browser.until_text("#error", "You have cancelled the sign-in.")
    browser.until_visible("#signed-in")


def anonymous(browser):
    """A visit without a session is no error in the browser's console."""
    # That of the scenarios before, which a new document does not empty.
    browser.driver.get_log("browser")
    browser.open()
    browser.until_visible("#signed-out")
    browser.until_visible("#ways button")
    lines = browser.driver.get_log("browser")
    assert lines == [], lines
    assert browser.text("#notice") == "" and browser.text("#error") == ""


def temporary(browser):
    """A provider that does not answer is a temporary error."""
    browser.client(redirectURI=browser.site.origin + "/example/")
    browser.run("await gatehouse.signIn('acme')")
    browser.until_visible("[name=user]")
    browser.open("/example/example.css")
    state = browser.script("return JSON.parse(Object.values(sessionStorage)[0]).state")
    browser.open("/example/example.css?error=temporarily_unavailable&state=" + state)
    browser.client_here()
    error = browser.run("return gatehouse.finishSignIn().catch(({ name, code, isTemporary }) => [name, code, isTemporary])")
    assert error == ["SignInError", "temporarily_unavailable", True], error


def codes(browser):
    browser.open()
    for channel, to in (("phone", f"+861381234{browser.number:04}"), ("email", f"code-{browser.number}@example.com")):
        browser.press(f"[name=channel][value={channel}]")
        browser.type("#to", to)
        browser.press("#code-request button")
        browser.until_visible("#code-login")
        assert browser.text("#sent-to") == to
        code = browser.site.code(to)
        browser.type("#code", "000000" if code != "000000" else "111111")
        browser.press("#code-login .primary")
        browser.until_visible("#error")
        browser.type("#code", code)
        browser.press("#code-login .primary")
        browser.until_visible("#signed-in")
        assert to in browser.text("#user"), browser.text("#user")
        browser.open()
        browser.until_visible("#signed-in")
        sign_out(browser)


def guest(browser):
    """A guest becomes a user by a code, with the same id."""
    to = f"guest-{browser.number}@example.com"
    browser.open()
    browser.until_visible("#guest")
    browser.press("#guest")
    browser.until_visible("#guest-part")
    assert browser.text("#user-heading") == "Signed in as a guest"
    guest = browser.text("#user dd")
    browser.press("[name=channel][value=email]")
    browser.type("#to", to)
    browser.press("#code-request button")
    browser.until_visible("#code-login")
    browser.type("#code", browser.site.code(to))
    browser.press("#code-login .primary")
    browser.until(lambda: to in browser.text("#user"), "the address is linked")
    assert browser.text("#user dd") == guest, "the id has changed"
    browser.until(lambda: browser.script("return document.querySelector('#guest-part').hidden"), "the guest is a user")
    browser.open()
    browser.until_visible("#signed-in")
    assert browser.text("#user dd") == guest
    sign_out(browser)


def documented(browser):
    """The page of the documentation."""
    browser.open("/example/documented/")
    acme = "#ways button:first-child"
    browser.until_text(acme, "Continue with acme")
    browser.press(acme)
    browser.press("[name=action][value=cancel]")
    browser.until_text(acme, "Continue with acme")
    assert browser.text("#notice") == ""
    browser.press(acme)
    browser.consent()
    browser.until_visible("#signed-in")
    browser.script("window.prompt = () => 'Ada'")
    browser.press("#change")
    browser.until(lambda: browser.text("#name") == "Ada", "the name has changed")
    browser.press("#sign-out")
    browser.until_visible("#signed-out")
    browser.check_silence()


def look(browser):
    """Text has a contrast of 4.5 or more in both schemes, everything has a name, and a narrow window has no scroll bar."""
    browser.open()
    browser.until_visible("#ways button")
    for page in ("signed-out", "signed-in"):
        for scheme in ("light", "dark"):
            browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            faint = browser.script(CONTRAST)
            assert faint == [], (page, scheme, faint)
            browser.picture(f"example-{page}-{scheme}")
        unnamed = browser.script("""return [...document.querySelectorAll('button, input')].filter((e) =>
            !(e.labels?.length || e.textContent.trim())).map((e) => e.outerHTML)""")
        assert unnamed == [], unnamed
        browser.cdp("Emulation.setDeviceMetricsOverride", width=320, height=700, deviceScaleFactor=1, mobile=False)
        assert browser.script("return document.documentElement.scrollWidth <= innerWidth"), page
        browser.picture(f"example-{page}-narrow")
        browser.cdp("Emulation.clearDeviceMetricsOverride")
        if page == "signed-out":
            browser.sign_in()
            browser.until_text("#sessions", "This browser")
            focus = browser.script("return document.activeElement.id")
            assert focus == "user-heading", "a screen reader says that the page has changed"
    browser.check_silence()


CONTRAST = """
const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((n) => n / 255)
    .map((n) => n <= .03928 ? n / 12.92 : ((n + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility()
    && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
  .map((e) => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.tagName, e.className, e.textContent.slice(0, 30)]; })
  .filter(([ratio]) => ratio < 4.5);
"""
