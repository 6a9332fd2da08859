"""Passkeys, by an authenticator that the browser plays."""

from development_proxy import DevelopmentProxy
from web_sign_in import sign_out

SIGNALS = """
window.signals = [];
for (const name of ["signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"]) {
    const signal = window.PublicKeyCredential?.[name];
    PublicKeyCredential[name] = (facts) => { signals.push([name, facts]); return signal?.call(PublicKeyCredential, facts); };
}
"""

# As before WebAuthn level 3, and as objects of a password manager.
OLDER = """
for (const name of ["parseCreationOptionsFromJSON", "parseRequestOptionsFromJSON"]) delete PublicKeyCredential[name];
PublicKeyCredential.prototype.toJSON = () => { throw new TypeError("Illegal invocation"); };
"""

# How often the page has opened a dialog of the browser, or has suggested passkeys.
COUNT = """
window.asked = 0;
const get = navigator.credentials.get;
navigator.credentials.get = (...words) => { asked += 1; return get.apply(navigator.credentials, words); };
"""

SIGN_UP = "return (await gatehouse.signUpWithPasskey({ nickname: args[0] })).user.id"
SIGN_IN = "return (await gatehouse.signInWithPasskey()).user.id"
SIGN_OUT = "await gatehouse.signOut()"


def passkey_page(browser):
    """A user of the example page signs up with a passkey alone, and signs in with it by the button."""
    browser.authenticator()
    browser.open()
    browser.until_visible("#passkey")
    browser.type("#new-name", "Ada")
    browser.press("#passkey button:not([type])")
    browser.until_visible("#signed-in")
    assert browser.text("#user-heading") == "Signed in as Ada"
    browser.until_text("#sessions", "Passkey")
    user = browser.text("#user")
    [cookie] = browser.session_cookies()
    assert cookie["httpOnly"] and "accessToken" not in browser.script("return JSON.stringify({ ...localStorage, ...sessionStorage })")
    browser.open()
    browser.until_visible("#signed-in")
    browser.script(COUNT)
    # Otherwise the authenticator takes the suggestion of the field at once.
    browser.answer_dialogs(False)
    sign_out(browser)
    until_asked(browser, 1)
    browser.answer_dialogs(True)
    browser.press("#passkey-sign-in")
    browser.until_visible("#signed-in")
    assert browser.text("#user") == user and browser.text("#error") == ""
    browser.check_silence()


def until_asked(browser, times):
    browser.until(lambda: browser.script("return asked") == times, f"asked {times} times")


def passkey_suggested(browser):
    """The field of the page suggests passkeys, and one of them signs in. So does each later sign-out."""
    browser.authenticator()
    browser.client()
    user = browser.run(SIGN_UP, "Ada")
    browser.run(SIGN_OUT)
    for _ in range(2):
        browser.open()
        browser.until_visible("#signed-in")
        assert user in browser.text("#user"), browser.text("#user")
        browser.answer_dialogs(False)
        sign_out(browser)
        browser.answer_dialogs(True)
    field = browser.script("return document.querySelector('#to').autocomplete")
    assert field == "username webauthn", field
    browser.check_silence()


def passkey_account(browser):
    """The page adds, names and deletes passkeys, and tells the browser which there are. The last way to sign in stays."""
    browser.authenticator()
    browser.open()
    browser.press("#passkey button:not([type])")
    browser.until_text("#passkeys", "Not used yet")
    browser.script(SIGNALS)
    # The device has one.
    browser.press("#passkey-add")
    browser.until_text("#error", "has a passkey of this user already")
    browser.authenticator()
    browser.press("#passkey-add")
    browser.until(lambda: names(browser)[1:], "the passkey is added")
    browser.picture("example-passkeys")
    added = names(browser)[1]
    assert added.endswith(" on Linux"), added
    facts = dict(browser.script("return signals"))
    accepted = facts["signalAllAcceptedCredentials"]
    assert len(accepted["allAcceptedCredentialIds"]) == 2 and accepted["rpId"] == "localhost", accepted
    assert facts["signalCurrentUserDetails"]["userId"] == accepted["userId"]
    browser.type("#passkeys li:last-child input", "The key in the drawer")
    browser.script("document.activeElement.blur()")
    browser.until(lambda: browser.script(RENAMED), "it has a name")
    browser.open()
    browser.until(lambda: names(browser)[1:] == ["The key in the drawer"], "the name is kept")
    browser.script(SIGNALS)
    browser.press("#passkeys li:last-child button")
    browser.until(lambda: len(names(browser)) == 1, "it is deleted")
    unknown = [one["credentialId"] for name, one in browser.script("return signals") if name == "signalUnknownCredential"]
    assert unknown == [accepted["allAcceptedCredentialIds"][1]], unknown
    browser.press("#passkeys button")
    browser.until_visible("#error")
    assert len(names(browser)) == 1, browser.text("#error")
    # A new name of the user is told.
    browser.client_here()
    browser.script(SIGNALS)
    browser.run("""
        await gatehouse.start();
        const headers = { "Content-Type": "application/json" };
        await gatehouse.fetch("/api/users/me", { method: "PATCH", headers, body: '{"nickname": "Grace"}' });
        await gatehouse.loadUser()""")
    browser.until(lambda: "Grace" in str(browser.script("return signals")), "the name is told")
    # And a new passkey, also by a page without a list.
    browser.authenticator()
    browser.run("signals.length = 0; await gatehouse.addPasskey()")
    assert len(dict(browser.script("return signals"))["signalAllAcceptedCredentials"]["allAcceptedCredentialIds"]) == 2


RENAMED = "return performance.getEntriesByType('resource').some(({ name }) => /me\\/passkeys\\/(?!options)\\w+$/.test(name))"


def names(browser):
    return browser.script("return [...document.querySelectorAll('#passkeys input')].map((input) => input.value)")


def passkey_unknown(browser):
    """A passkey that the server does not know is refused, and the browser is told not to offer it any more."""
    browser.authenticator()
    browser.client()
    browser.run(SIGN_UP, "Ada")
    # Those of this user are deleted on another device.
    browser.run("""
        await gatehouse.fetch("/api/users/me", { method: "DELETE" });
        await gatehouse.signOut().catch(() => {})""")
    browser.script(SIGNALS)
    assert browser.run(SIGN_IN) == "GatehouseError invalid_passkey"
    [(name, facts)] = browser.script("return signals")
    assert name == "signalUnknownCredential" and facts["rpId"] == "localhost" and len(facts["credentialId"]) > 20, facts
    # It has forgotten it.
    browser.until(lambda: browser.run(SIGN_IN) == "PasskeyError access_denied", "no passkey is there")


OFFER = """
window.offer = gatehouse.signInWithPasskey({ mediation: "conditional", signal: (window.end = new AbortController()).signal })
    .then((login) => login && login.user.id, ({ code }) => code)"""


def passkey_dialogs(browser):
    """One dialog at a time: the suggestions give way to it, and come back after it. A sign-in ends them."""
    browser.authenticator()
    browser.client()
    user = browser.run(SIGN_UP, "Ada")
    browser.run(SIGN_OUT)
    browser.script(COUNT)
    browser.answer_dialogs(False)
    browser.script(OFFER)
    until_asked(browser, 1)
    # A dialog that ends without a passkey, by its own signal.
    browser.script("window.dialog = gatehouse.signInWithPasskey({ signal: (window.stop = new AbortController()).signal })"
                   ".catch(({ name, code }) => [name, code])")
    until_asked(browser, 2)
    browser.script("stop.abort()")
    assert browser.run("return dialog") == ["PasskeyError", "aborted"]
    until_asked(browser, 3)
    assert browser.run("return Promise.race([offer, new Promise((end) => setTimeout(end, 300, 'waits'))])") == "waits"
    # A second dialog ends the first one.
    browser.script("window.first = gatehouse.signInWithPasskey().catch(({ code }) => code)")
    until_asked(browser, 4)
    browser.answer_dialogs(True)
    assert browser.run(SIGN_IN) == user and browser.run("return first") == "aborted"
    # And the sign-in ends the suggestions.
    assert browser.run("return offer") is None
    # So does their own signal, and a sign-in in another tab.
    browser.run(SIGN_OUT)
    browser.answer_dialogs(False)
    browser.script(OFFER)
    until_asked(browser, 6)
    browser.script("end.abort()")
    assert browser.run("return offer") is None
    browser.script(OFFER)
    until_asked(browser, 7)
    first = browser.tab()
    browser.new_tab()
    browser.authenticator()
    browser.client()
    browser.run(SIGN_UP, "Grace")
    browser.run(SIGN_OUT)
    assert browser.run(SIGN_IN)
    browser.use(first)
    assert browser.run("return offer") is None and browser.script("return gatehouse.state") == "signed-in"
    browser.check_silence()


def passkey_renewed(browser):
    """While the suggestions wait, they get a new challenge before theirs ends. A server that does not answer ends nothing."""
    browser.authenticator()
    browser.client("""
        const ask = window.fetch;
        window.fetch = async (...words) => {
            const answer = await ask(...words);
            if (!String(words[0]).endsWith("/passkey/options")) return answer;
            if (requests.length === 3) return new Response("{}", { status: 502 });
            const json = await answer.json();
            json.publicKey.timeout = 1000;
            return new Response(JSON.stringify(json));
        };""")
    user = browser.run(SIGN_UP, "Ada")
    browser.run(SIGN_OUT)
    browser.answer_dialogs(False)
    browser.script("""
        const wait = setTimeout;
        window.setTimeout = (action, time, ...words) => wait(action, Math.min(time, 2500), ...words);
        requests.length = 0;""" + OFFER)
    browser.until(lambda: browser.script("return requests.length") == 3, "new challenges")
    assert browser.run("await new Promise((end) => setTimeout(end, 500)); return requests.length") == 3, "not asked at once"
    browser.answer_dialogs(True)
    assert browser.run("return offer") == user
    assert browser.script("return requests.length") == 5, "after the one without an answer another one, and the login"


def passkey_older_browser(browser):
    """Without the JSON of WebAuthn level 3 the module writes it itself."""
    browser.authenticator()
    browser.client(OLDER)
    user = browser.run(SIGN_UP, "Ada")
    assert user.startswith("user_"), user
    browser.run(SIGN_OUT)
    assert browser.run(SIGN_IN) == user
    browser.run(SIGN_OUT)
    # And a browser without passkeys says so.
    browser.client("delete window.PublicKeyCredential")
    assert browser.run(SIGN_IN) == "PasskeyError no_passkeys"
    assert browser.run("return gatehouse.signInWithPasskey({ mediation: 'conditional' })") is None


def passkey_documented(browser):
    """The page of the documentation, with what its section about passkeys adds."""
    browser.authenticator()
    browser.open("/example/documented-passkeys/")
    browser.until_visible("#passkey")
    browser.type("#new-name", "Ada")
    browser.press("#passkey button:not([type])")
    browser.until_text("#name", "Ada")
    browser.until_text("#passkeys", "A passkey Rename")
    browser.script("window.prompt = () => 'My phone'")
    browser.press("#passkeys button")
    browser.until_text("#passkeys", "My phone")
    browser.authenticator()
    browser.press("#passkey-add")
    browser.until_text("#passkeys", "Added on ")
    browser.press("#passkeys button:last-child")
    browser.until(lambda: "My phone" not in browser.text("#passkeys"), "it is deleted")
    # The last way to sign in stays.
    browser.press("#passkeys button:last-child")
    browser.until_text("#notice", "This has failed.")
    browser.script("document.querySelector('#notice').textContent = ''")
    browser.script(COUNT)
    browser.answer_dialogs(False)
    browser.press("#sign-out")
    until_asked(browser, 1)
    browser.answer_dialogs(True)
    browser.press("#passkey-sign-in")
    browser.until_text("#name", "Ada")
    assert browser.text("#notice") == ""
    browser.check_silence()


def passkey_beside(browser):
    """A page of a development server has passkeys as well, and a page that is not of the domain has none."""
    with DevelopmentProxy(browser.site) as origin:
        browser.authenticator()
        browser.go(origin + "/")
        browser.client_here()
        user = browser.run(SIGN_UP, "Ada")
        assert user.startswith("user_"), user
        browser.run(SIGN_OUT)
        assert browser.run(SIGN_IN) == user
        assert [one["name"] for one in browser.run("return gatehouse.passkeys()")] == [None]
        browser.run(SIGN_OUT)
    browser.go(browser.site.origin.replace("localhost", "127.0.0.1") + "/example/example.css")
    browser.client_here()
    assert browser.run(SIGN_IN) == "PasskeyError wrong_domain"
