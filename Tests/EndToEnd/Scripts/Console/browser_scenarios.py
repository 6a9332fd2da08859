"""Scenarios of signing in through a browser, step by step."""

import time

from selenium.webdriver.support.ui import Select

from look_scenarios import CONTRAST


def open_view(page):
    page.one("input[name=view][value=in-browser]").click()
    assert page.one("#stages").is_displayed() and not page.one("#login").is_displayed()


def choose(page, provider, way="json"):
    Select(page.one("#web-provider")).select_by_value(provider)
    Select(page.one("#way")).select_by_value(way)


def begin(page):
    """To the provider's page. The first step sends no request."""
    page.one("#make-secrets").click()
    page.until(lambda: page.idle() and "code_challenge" in page.text("#secrets"), "the secrets")
    page.act("#start-flow")
    page.expect_title("The browser goes to")
    page.act("#open-page")
    page.expect_title("asks the user")


def taken_apart(page, title):
    """The table about a part of the answer: the values by their names."""
    rows = page.script("""return [...document.querySelectorAll(`#step [aria-label^='${arguments[0]}'] tbody tr`)]
        .map((row) => [row.children[0].textContent, row.children[1].textContent])""", title)
    return dict(rows)


def browser_flow(page):
    """Every redirect of a sign-in with an OpenID provider, and the session that it opens."""
    open_view(page)
    for button in ("start-flow", "open-page", "follow-back", "exchange-code", "use-again", "web-refresh", "other-origin"):
        assert page.one("#" + button).get_attribute("aria-disabled") == "true", button
    choose(page, "acme")
    page.one("#make-secrets").click()
    page.until(lambda: page.idle() and "code_challenge" in page.text("#secrets"), "the secrets")
    verifier, challenge, state = page.texts("#secrets dd")
    assert page.history() == [], "the client alone makes them"
    page.act("#start-flow")
    assert page.history() == ["✓ 1. Start at acme 303"], page.history()
    assert challenge in page.text("#step pre") and verifier not in page.text("#step")
    location = taken_apart(page, "Location")
    assert location["address"].endswith("/openid/acme/authorize"), location
    assert location["redirect_uri"] == page.origin + "/api/auth/acme/callback"
    assert location["state"] != state, "Gatehouse has a state of its own"
    cookie = taken_apart(page, "Set-Cookie: the browser stores it")
    assert set(cookie) == {"__Host-gatehouse-login", "Path", "Secure", "HttpOnly", "SameSite", "Max-Age"}, cookie
    assert "__Host-gatehouse-login" in page.text("#cookies")
    page.screenshot("browser-start")
    page.act("#open-page")
    page.one("#page-user").clear()
    user = f"{time.time_ns()}@example.com"
    page.one("#page-user").send_keys(user)
    page.act("#continue")
    page.expect_title("acme sends the browser back")
    assert taken_apart(page, "Location")["state"] == location["state"]
    page.act("#follow-back")
    page.expect_title("The client gets a code")
    assert "Cookie: " in page.text("#step pre") and taken_apart(page, "Location")["state"] == state
    page.screenshot("browser-callback")
    page.act("#exchange-code")
    page.expect_title("Signed in as a new user")
    assert verifier in page.text("#step pre") and "user_" in page.text("#session")
    page.until(lambda: any("Gatehouse POST /api/auth/exchange 200" in line for line in page.log_lines()), "its line in the log")
    page.act("#web-refresh")
    page.expect_title("New tokens")
    page.act("#me")
    assert user in page.text("#step")
    choose(page, "google", "form")
    page.act("#all-stages")
    page.until(lambda: page.idle() and "Exchange the code" in page.history()[-1], "the last step")
    page.expect_title("Signed in")
    assert "access_token" in page.text("#step") and "grant_type=authorization_code" in page.text("#step pre")
    page.act("#web-refresh")
    assert "grant_type=refresh_token" in page.text("#step pre")
    page.expect_title("New tokens")


def browser_apple(page):
    """Apple's page posts a form, and the session of a page is in a cookie."""
    open_view(page)
    choose(page, "apple", "cookie")
    begin(page)
    assert page.all("#page-name") and page.all("#page-hide_email")
    page.one("#page-user").clear()
    page.one("#page-user").send_keys(f"{time.time_ns()}@example.com")
    page.act("#continue")
    form = taken_apart(page, "The form")
    assert {"address", "state", "code", "id_token", "user"} <= set(form), form
    page.screenshot("browser-apple-form")
    page.act("#follow-back")
    page.expect_title("The client gets a code")
    request = page.text("#step pre")
    assert request.startswith("POST ") and "Sec-Fetch-Site: cross-site" in request, request
    assert "__Host-gatehouse-login" in request, "SameSite=None comes with the form"
    page.act("#exchange-code")
    page.expect_title("Signed in as a new user")
    assert '"refreshToken": null' in page.text("#step"), page.text("#step")
    assert taken_apart(page, "Set-Cookie")["SameSite"] == "Lax"
    assert "in the cookie" in page.text("#session")
    assert page.one("#refresh").get_attribute("aria-disabled") == "true", "the page has no refresh token"
    page.screenshot("browser-cookie")
    page.act("#web-refresh")
    page.expect_title("New tokens")
    page.act("#other-origin")
    page.expect_title("Refused: origin_not_allowed")
    page.screenshot("browser-origin")
    page.act("#web-refresh")
    page.expect_title("New tokens")
    page.act("#web-sign-out")
    page.expect_title("Signed out")
    assert taken_apart(page, "Set-Cookie: the browser removes it")["Max-Age"] == "0"
    assert "__Host-gatehouse=" not in page.text("#cookies") and page.text("#session") == "No user is signed in."


def browser_attacks(page):
    open_view(page)
    choose(page, "acme")
    page.one("#make-secrets").click()
    page.until(page.idle, "the secrets")
    page.act("#start-elsewhere")
    page.expect_title("Refused: invalid_redirect_uri")
    # In development the page says what came, as text.
    answer = page.texts("#step pre")[1]
    assert not taken_apart(page, "Location") and 'href="https://evil' not in answer and "<dd>" in answer, answer
    page.act("#start-unhashed")
    page.expect_title("The client gets an error: invalid_request")
    begin(page)
    page.act("#continue")
    for button, title in (("other-browser", "Refused: invalid_state"), ("other-state", "Refused: invalid_state")):
        page.act("#" + button)
        page.until(lambda: page.idle() and "Callback" in page.history()[-1], "the callback")
        page.expect_title(title)
        assert "What it means" in page.text(".verdict"), page.text(".verdict")
        page.screenshot("browser-" + button)
    page.act("#follow-back")
    page.expect_title("The client gets a code")
    page.act("#wrong-verifier")
    page.expect_title("Refused: invalid_grant")
    page.act("#exchange-code")
    page.expect_title("Signed in")
    page.act("#use-again")
    page.until(lambda: page.idle() and "Me" in page.history()[-1], "the request after it")
    assert "Use the code again 400" in page.history()[-2], page.history()
    page.expect_title("Refused: session_revoked")
    assert "ended: its code was used twice" in page.text("#session")
    page.screenshot("browser-used-again")


def browser_forgeries(page):
    """What the provider's page answers wrongly, and what the client is told of it."""
    open_view(page)
    for provider, forgery, error in (
            ("acme", "nonce", "invalid_identity"), ("acme", "iss", "invalid_identity"),
            ("apple", "forged", "invalid_identity"), ("google", "error", "server_error"),
            ("wechat", "code", "invalid_identity")):
        choose(page, provider)
        begin(page)
        Select(page.one("#forgery")).select_by_value(forgery)
        page.act("#continue")
        page.until(lambda: page.idle() and "Continue" in page.history()[-1], "the answer")
        assert "Wrong on purpose" in page.text(".verdict"), page.text(".verdict")
        page.act("#follow-back")
        page.expect_title("The client gets an error: " + error)
    for provider in ("apple", "acme", "qq", "wechat"):
        choose(page, provider)
        begin(page)
        page.act("#cancel")
        page.act("#follow-back")
        page.expect_title("The client gets an error: access_denied")


def browser_looks(page):
    """Text has a contrast of 4.5 or more, every control has a name, and a narrow window shows all of it."""
    open_view(page)
    choose(page, "apple", "cookie")
    page.act("#all-stages")
    page.until(lambda: page.idle() and "Exchange" in page.history()[-1], "the last step")
    for scheme in ("light", "dark"):
        page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.screenshot("browser-" + scheme)
        assert page.script(CONTRAST) == [], (scheme, page.script(CONTRAST))
    unnamed = page.script("""return [...document.querySelectorAll('button, input, select, pre[tabindex]')]
        .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label'))).map((e) => e.outerHTML)""")
    assert unnamed == [], unnamed
    page.cdp("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    page.act("#web-refresh")
    top = page.script("return document.querySelector('.verdict').getBoundingClientRect().top")
    assert 0 <= top < 600, f"the result is in sight: {top}"
    page.screenshot("browser-narrow")
    assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    page.open()
    assert "in the cookie" in page.text("#session"), "a reload keeps the cookies"
    open_view(page)
    page.act("#web-refresh")
    page.expect_title("New tokens")
