"""Scenarios of logins, sessions and faults."""

import re

from selenium.webdriver.support.ui import Select


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


def generation(page):
    return int(re.search(r"generation (\d+)", page.text("#session")).group(1))


def lost_answer(page):
    page.sign_in()
    before = generation(page)
    page.act("#lose")
    page.until(lambda: len(page.all("#history li")) == 5, "both requests")
    page.expect_title("Still signed in")
    assert "no answer" in page.history()[3], page.history()
    page.screenshot("lost-answer")
    assert generation(page) == before + 1, page.text("#session")
    page.all("#history button")[1].click()
    page.expect_title("The answer was lost")
    # The log tells the request id that the lost answer had.
    page.until(lambda: any("Gatehouse POST /api/auth/refresh 200" in line for line in page.log_lines()), "its line")
    page.until(lambda: any(line.split(" ", 1)[1].startswith("fault ") for line in page.log_lines()), "the fault's line")
    page.act("#me")
    page.expect_title("accepted")
    assert Select(page.one("#api-fault")).first_selected_option.text == "none"


def race(page):
    page.sign_in()
    page.act("#replay")
    page.until(lambda: "Replay" in page.history()[-1] and page.idle(), "the replay")
    page.expect_title("Accepted: the request raced")
    page.act("#me")
    page.expect_title("accepted")


def replay(page):
    page.sign_in()
    page.act("#replay")
    page.until(lambda: "Replay" in page.history()[-1] and page.idle(), "the replay")
    page.expect_title("Refused: refresh_token_reused")
    assert "ended: refresh_token_reused" in page.text("#session")
    page.act("#me")
    page.expect_title("Refused: session_revoked")


def proof_checks(page):
    """The results of `gatehouse dpop verify` for the selected request, by their check."""
    rows = page.script("""return [...document.querySelectorAll("#step [aria-label='Checks of the proof'] tbody tr")]
        .map((row) => [row.children[0].textContent, row.className])""")
    return dict(rows)


def bound(page):
    page.one("#bound").click()
    page.sign_in()
    page.expect_title("Signed in as a new user")
    assert "bound to the key" in page.text(".verdict"), page.text(".verdict")
    key = re.search(r"bound to (\S{43})", page.text("#session")).group(1)
    assert f"Key: bound to {key}" in page.text("#step"), "of the access token"
    assert proof_checks(page)["htm"] == proof_checks(page)["signature"] == "ok", proof_checks(page)
    page.act("#me")
    page.expect_title("accepted")
    assert '"htm": "GET"' in page.text("#step") and '"ath"' in page.text("#step"), "the proof is decoded"
    checks = proof_checks(page)
    assert "fault" not in checks.values() and checks["ath"] == checks["thumbprint"] == "ok", checks
    page.act("#lose")
    page.expect_title("Still signed in")
    assert "no answer" in page.history()[-2], page.history()
    page.open()
    page.act("#refresh")
    page.expect_title("New tokens")
    assert key in page.text("#session"), "a reload keeps the key"
    page.act("#export")
    page.expect_title("Everything that is held")
    page.act("#sign-out")
    page.expect_title("Signed out")
    page.sign_in("returning")
    assert "bound to " in page.text("#session") and key not in page.text("#session"), "each login has a new key"
    page.act("#delete")
    page.expect_title("The account is deleted")
    page.one("#bound").click()
    page.sign_in()
    assert "not bound" in page.text("#session")
    assert not page.one("#no-proof").is_displayed() and page.one("#replay").is_displayed()


def stolen(page):
    page.one("#bound").click()
    page.sign_in()
    page.act("#no-proof")
    page.expect_title("Refused: missing")
    assert "thief" in page.text(".verdict") and not proof_checks(page), page.text(".verdict")
    page.screenshot("stolen-without-proof")
    page.act("#same-proof")
    page.expect_title("Refused: replayed")
    assert "was used" in page.text("#step caption") and "fault" not in proof_checks(page).values(), proof_checks(page)
    page.act("#refresh")
    page.expect_title("New tokens")
    page.act("#other-key")
    page.expect_title("Refused: key")
    assert [check for check, state in proof_checks(page).items() if state == "fault"] == ["thumbprint"]
    assert "In the proof" in page.text(".verdict") and "session_key_mismatch" in page.text(".verdict")
    page.screenshot("stolen-with-another-key")
    assert "ended: a proof by another key" in page.text("#session")
    page.act("#refresh")
    page.expect_title("Refused: refresh_token_revoked")


def bound_strictly(page):
    page.one("#bound").click()
    page.sign_in()
    page.expect_title("Signed in as a new user")
    assert [h.split(". ")[1] for h in page.history()][2:] == ["Sign in 401", "Sign in, with the nonce 200"], page.history()
    page.act("#me")
    page.expect_title("accepted")
    assert proof_checks(page)["nonce"] == "skipped", proof_checks(page)
    assert "dpop-nonce: " in page.text("#step"), "each answer has the next nonce"
    page.act("#sign-out")
    page.expect_title("Signed out")


def provider_logins(page):
    names = [option.text for option in Select(page.one("#provider")).options]
    assert names == ["Apple", "acme", "google", "qq", "wechat"], names
    for name in names[1:]:
        page.choose_provider(name)
        assert not page.one("input[value=returning]").is_enabled(), name
        assert not page.one("#editor").is_displayed(), "the editor is for Apple's claims"
        before = len(page.history())
        page.sign_in()
        page.expect_title("Signed in as a new user")
        steps = [h.split(". ")[1] for h in page.history()[before:]]
        challenge = ["Challenge 200"] if name in ("acme", "google") else []
        assert steps == [*challenge, f"Answer of {name} to the app 200", "Sign in 200"], steps
        assert f'"provider": "{name.upper()}"' in page.text("#step pre"), page.text("#step pre")
        assert "the provider’s SDK" in page.text("#step"), "the snippet of Swift"
        page.screenshot("signed-in-by-" + name)
        page.sign_in("returning")
        page.expect_title("the user is known")
        page.act("#me")
        page.expect_title("accepted")
    page.choose_provider("Apple")
    assert page.one("#editor").is_displayed() and not page.one("input[value=returning]").is_enabled()
    page.sign_in()
    page.expect_title("Signed in as a new user")


def provider_refusals(page):
    tokens = (("audience", "audience"), ("expired", "expired"), ("nonce", "nonce"), ("forged", "signature"))
    codes = (("used", "replayed"), ("expired", "code"))
    for name, presets in (("google", tokens), ("acme", tokens),
                          ("wechat", (*codes, ("app", "code"), ("secret", "provider_unavailable"))),
                          ("qq", (*codes, ("app", "client")))):
        page.choose_provider(name)
        for preset, reason in presets:
            page.sign_in(preset)
            page.expect_title("Refused: " + reason)
            assert page.all(".verdict dd")[0].text, "the cause"


def provider_links(page):
    assert page.one("#link").get_attribute("aria-disabled") == "true", "no user is signed in"
    page.sign_in()
    for name in ("acme", "google", "qq", "wechat"):
        page.choose_provider(name)
        page.act("#link")
        page.until(lambda: page.idle() and f"Link {name}" in page.history()[-1], "the link")
        page.expect_title("The login is linked")
    accounts = page.text("#step")
    for name in ("APPLE", "ACME", "GOOGLE", "QQ", "WECHAT"):
        assert f'"{name}"' in accounts, accounts
    user = re.search(r"user_\w+", page.text("#session")).group(0)
    page.sign_in("returning")
    page.expect_title("the user is known")
    assert user in page.text("#session"), "the linked login signs in the same user"
    for name in ("Apple", "acme", "google", "qq"):
        page.choose_provider(name)
        page.act("#unlink")
        page.expect_title("not linked any more")
    page.choose_provider("wechat")
    page.act("#unlink")
    page.expect_title("Refused: last_account")


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
    choose_fault(page, "#api-times", "until switched off")
    choose_fault(page, "#api-fault", "503")
    assert "On: 503" in page.text("#api-state")
    for _ in range(2):
        page.act("#me")
        page.expect_title("Refused: service_unavailable")
    assert "/console/faulty/api/users/me" in page.text("#step pre")
    choose_fault(page, "#api-fault", "none")
    assert page.text("#api-state") == "Off"
    page.act("#me")
    page.expect_title("accepted")
    choose_fault(page, "#api-times", "once")
    choose_fault(page, "#api-fault", "Lost answer")
    assert "On" in page.text("#api-state")
    page.act("#me")
    page.expect_title("No answer")
    page.until(lambda: page.text("#api-state") == "Off", "the fault is used up")
    assert page.text("#faulty-url") == page.origin + "/console/faulty"


def choose_fault(page, selector, text):
    """Chooses in a list, and waits until the servers know: a choice sends several requests."""
    page.script("document.querySelector('#announcement').textContent = ''")
    Select(page.one(selector)).select_by_visible_text(text)
    page.until(lambda: page.text("#announcement"), f"{text} is announced")


def apple_down(page):
    page.sign_in()
    choose_fault(page, "#apple-times", "until switched off")
    choose_fault(page, "#apple-fault", "Apple down")
    assert "On: Apple down" in page.text("#apple-state")
    page.one("#rotate").click()
    page.until(lambda: "new key" in page.text("#apple-state"), "Apple's new key")
    page.sign_in()
    page.expect_title("Refused: apple_keys_unavailable")


def failures(page):
    """A failure of the console's own process is shown until the next request to it succeeds."""
    header = page.text("#server")
    page.cdp("Network.enable")
    page.cdp("Network.setBlockedURLs", urls=["*/console/faults"])
    Select(page.one("#api-fault")).select_by_visible_text("503")
    page.until(lambda: "The console cannot do this: " in page.text("#failure"), "the failure")
    assert page.text("#server") == header
    page.cdp("Network.setBlockedURLs", urls=[])
    Select(page.one("#api-fault")).select_by_visible_text("none")
    page.until(lambda: page.text("#failure") == "", "the failure is over")
    page.script("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))")
    page.one("#copy-faulty").click()
    page.until(lambda: "Select the text" in page.text("#announcement"), "what to do instead")
    page.cdp("Network.setBlockedURLs", urls=["*/console/settings"])
    page.driver.get(page.origin + "/console/")
    page.until(lambda: "cannot be read" in page.text("#server"), "why nothing is there")
    assert "The console cannot do this: " in page.text("#failure")
    assert page.all("#actions button, #presets input, #faults select") == []
    assert not page.one("main").is_displayed()


def real_apple(page):
    assert "--real-apple" in page.text("#real-apple")
    assert not page.one("#login").is_displayed() and not page.all("#apple-fault")
    page.one("#token").send_keys("this is no token")
    page.act("#paste button")
    page.expect_title("Refused: malformed")
    page.until(lambda: "could not be fetched" in page.text("#step"), "why there is no table")
    page.screenshot("real-apple")


def send_code(page, to, channel="text message", button="#send-code"):
    """Asks for a code, and returns it from the inbox."""
    def messages():
        return [each for each in page.texts("#inbox li") if to.lower() in each]

    before = len(messages())
    Select(page.one("#channel")).select_by_visible_text(channel)
    page.one("#to").clear()
    page.one("#to").send_keys(to)
    page.act(button)
    page.until(lambda: len(messages()) > before, "the message has arrived")
    # The inbox may be drawn again at any moment, and begins with a notice to the owner at times.
    page.script("""[...document.querySelectorAll("#inbox li")].find((each) =>
        each.textContent.toLowerCase().includes(arguments[0]) && each.querySelector(".use")).querySelector(".use").click()""",
                to.lower())
    return page.one("#code").get_attribute("value")


def type_code(page, code):
    page.one("#code").clear()
    page.one("#code").send_keys(code)


def wrong(code):
    return "654321" if code == "123456" else "123456"


def codes(page):
    for button in ("send-again", "code-login", "code-bind", "code-join", "code-replace", "code-unbind"):
        assert page.one("#" + button).get_attribute("aria-disabled") == "true", button
    Select(page.one("#language")).select_by_visible_text("中文")
    code = send_code(page, "+8613800138000")
    page.expect_title("A code was sent")
    assert re.fullmatch(r"[0-9]{6}", code), code
    assert "验证码 " + code in page.texts("#inbox li")[0], page.texts("#inbox li")
    assert "Accept-Language: zh" in page.text("#step pre") and '"codeId"' in page.text("#step")
    assert ".phone(\"+8613800138000\")" in page.text("#step"), "the snippet of Swift"
    page.screenshot("code-sent")
    before = page.text("#code-state")
    page.until(lambda: page.text("#code-state") != before, "the time left counts down")
    assert "again in " in page.text("#code-state"), page.text("#code-state")
    page.act("#send-again")
    page.expect_title("Refused: too_many_codes")
    type_code(page, wrong(code))
    page.act("#code-login")
    page.expect_title("Refused: invalid_code")
    assert page.text("#session") == "No user is signed in."
    type_code(page, code)
    page.act("#code-login")
    page.expect_title("Signed in as a new user")
    page.screenshot("signed-in-by-code")
    page.act("#me")
    assert '"phone": "+8613800138000"' in page.text("#step"), page.text("#step")
    page.act("#code-login")
    page.expect_title("Refused: invalid_code")
    Select(page.one("#language")).select_by_visible_text("English")
    send_code(page, "Ada@Example.com", "mail")
    assert "is your code for" in page.text("#inbox .subject"), page.texts("#inbox li")
    page.act("#code-login")
    page.expect_title("Signed in as a new user")
    Select(page.one("#channel")).select_by_visible_text("text message")
    for to, title in (("+4915112345678", "country_not_served"), ("12", "invalid_request")):
        page.one("#to").clear()
        page.one("#to").send_keys(to)
        page.act("#send-code")
        page.expect_title("Refused: " + title)


def one_tap(page):
    assert page.one("#number-bind").get_attribute("aria-disabled") == "true"
    page.act("#number-login")
    page.expect_title("Signed in as a new user")
    assert '"phone": "+8613800138000"' in page.text("#step") and "numberToken: token" in page.text("#step")
    page.act("#number-bind")
    page.expect_title("The number is bound to the user")


def codes_again(page):
    code = send_code(page, "+8613800138000")
    page.until(lambda: "It may be sent again." in page.text("#code-state"), "the wait is over")
    assert send_code(page, "+8613800138000", button="#send-again") == code
    page.expect_title("The same code was sent again")
    page.act("#code-login")
    page.expect_title("Signed in as a new user")
    page.until(lambda: "It may be sent again." in page.text("#code-state"), "the wait is over")
    assert send_code(page, "+8613800138001", button="#send-again") != code
    page.expect_title("A new code was sent")


def codes_bound(page):
    """Binds a number, replaces it, and joins the user of another one."""
    page.one("#bound").click()
    page.sign_in()
    first, second = "+8613800138000", "+8613800138001"
    send_code(page, first)
    page.act("#code-bind")
    page.expect_title("The address is bound")
    page.act("#me")
    assert f'"phone": "{first}"' in page.text("#step")
    send_code(page, second)
    page.act("#code-bind")
    page.expect_title("Refused: provider")
    page.act("#code-replace")
    page.expect_title("The address was replaced")
    page.until(lambda: any("was replaced" in text and first in text for text in page.texts("#inbox li")), "the notice")
    page.screenshot("replaced")
    user = page.text("#session code")
    # A user has one account of each provider, so two users of Apple cannot be joined.
    page.choose_provider("google")
    page.sign_in()
    assert page.text("#session code") != user
    page.until(lambda: "It may be sent again." in page.text("#code-state"), "the wait is over")
    send_code(page, second)
    page.act("#code-bind")
    page.expect_title("Refused: identity")
    page.act("#code-join")
    page.expect_title("The users are joined")
    assert page.text("#session code") == user, page.text("#session")
    page.act("#me")
    page.expect_title("accepted")
    page.act("#code-unbind")
    page.expect_title("The address is not bound any more")


def passkeys(page):
    page.cdp("WebAuthn.enable")
    device = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
              "isUserVerified": True, "automaticPresenceSimulation": True}
    page.cdp("WebAuthn.addVirtualAuthenticator", options=device)
    assert page.one("#passkey-add").get_attribute("aria-disabled") == "true", "no user is there"
    page.one("#passkey-name").send_keys("Ada")
    page.act("#passkey-signup")
    page.expect_title("Signed in as a new user")
    assert page.text("#session dd").startswith("Ada "), page.text("#session")
    assert [h.split(". ")[1] for h in page.history()] == ["Challenge for a passkey 200", "Sign up 200"], page.history()
    parts = " ".join(page.texts("#step .taken-apart tr"))
    for part in ("type webauthn.create", "origin " + page.origin, "UV yes", "AT yes", "rpIdHash 49960de5880e8c687434"):
        assert part in parts, (part, parts)
    page.screenshot("passkey-sign-up")
    page.act("#passkey-list")
    assert len(page.all("#passkey option")) == 1
    page.act("#passkey-delete")
    page.expect_title("Refused: last_account")
    page.act("#sign-out")
    for sends, reason in (("another signature", "signature"), ("another origin", "origin"),
                          ("another credential id", "unknown"), ("it twice", "challenge")):
        Select(page.one("#passkey-answer")).select_by_visible_text(sends)
        page.act("#passkey-login")
        page.expect_title("Refused: " + reason)
    # The first of the two was accepted.
    assert "Sign in with the passkey 200" in page.history()[-2], page.history()
    assert "type webauthn.get" in " ".join(page.texts("#step .taken-apart tr"))
    other = page.cdp("WebAuthn.addVirtualAuthenticator", options={**device, "transport": "usb"})
    page.one("#passkey-name").clear()
    page.one("#passkey-name").send_keys("The key in the drawer")
    page.act("#passkey-add")
    page.until(lambda: len(page.all("#passkey option")) == 2 and page.idle(), "the list")
    Select(page.one("#passkey")).select_by_visible_text("The key in the drawer")
    page.act("#passkey-delete")
    page.until(lambda: len(page.all("#passkey option")) == 1 and page.idle(), "the list")
    page.cdp("WebAuthn.removeVirtualAuthenticator", **other)
    # A session that is bound to a key of the page.
    page.one("#bound").click()
    Select(page.one("#passkey-answer")).select_by_visible_text("the answer")
    page.act("#passkey-login")
    page.expect_title("the user is known")
    assert "bound to the key" in page.text(".verdict"), page.text(".verdict")
