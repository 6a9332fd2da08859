"""A network that loses answers, is away, or has a login page of its own."""

from web_tabs import LOGOUT, ME, REFRESH

FAULTY = "/console/faulty"


def lost_answer(browser):
    """The answer of a refresh is lost, twice: the server has rotated, and the next attempt gets the same successor. The
    browser may repeat the request itself."""
    browser.open()
    browser.sign_in()
    browser.client(server=browser.site.origin + FAULTY)
    browser.site.fault("lost", REFRESH, times=2)
    assert browser.run("return (await gatehouse.restore()).id").startswith("user_")
    assert browser.site.ask(browser.site.origin + "/console/faults")["faults"] == []
    browser.open()
    browser.until_visible("#signed-in")


def offline(browser):
    """Without a network the user stays signed in, and a page that was loaded before goes on when it is back."""
    browser.open()
    browser.sign_in()
    first = browser.tab()
    browser.new_tab()
    browser.client()
    browser.run("await gatehouse.restore()")
    browser.set_offline(True)
    browser.use(first)
    browser.until_text("#notice", "You stay signed in")
    browser.later(3_600_000)
    browser.press("#me")
    browser.until_text("#notice", "The server cannot be reached")
    assert browser.is_visible("#signed-in") and browser.text("#error") == ""
    browser.set_offline(False)
    browser.until(lambda: not browser.is_visible("#notice"), "the page has noticed the network")
    browser.press("#me")
    browser.until_text("#answer", "user_")


def offline_start(browser):
    """A page that is loaded while the server cannot be reached does not know whether a user is signed in, until it can."""
    browser.open()
    browser.sign_in()
    browser.client()
    browser.set_offline(True)
    assert browser.run("return gatehouse.restore()") == "OfflineError offline"
    assert browser.script("return gatehouse.state") == "unknown"
    browser.set_offline(False)
    browser.until(lambda: browser.script("return gatehouse.state") == "signed-in", "the page asks again")


def offline_sign_out(browser):
    """A sign-out without a network holds in all tabs at once, also in pages that are loaded before it is delivered."""
    browser.open()
    browser.sign_in()
    first = browser.tab()
    second = browser.new_tab()
    browser.client()
    token = browser.run("await gatehouse.restore(); return gatehouse.accessToken()")
    browser.set_offline(True)
    browser.use(first)
    browser.press("#sign-out")
    browser.until_text("#notice", "The server is told when it can be reached.")
    assert browser.is_visible("#signed-out") and browser.session_cookies()
    browser.use(second)
    browser.until(lambda: browser.script("return gatehouse.state") == "signed-out", "the other tab is signed out")
    browser.set_offline(False)
    browser.until(lambda: not browser.session_cookies(), "the sign-out is delivered")
    assert status_of(browser, token) == 401


def sign_out_without_cookie(browser):
    """Where the browser does not send the cookie, the access token ends the session. Without either, the session goes on, and
    the page is not told otherwise."""
    for later in (0, 3_600_000):
        browser.open()
        browser.sign_in()
        browser.client()
        token = browser.run("await gatehouse.restore(); return gatehouse.accessToken()")
        browser.delete_cookies()
        browser.later(later)
        assert browser.run("return gatehouse.signOut()") is (later == 0)
        assert status_of(browser, token) == (401 if later == 0 else 200)
        assert browser.script("return [gatehouse.state, localStorage.length]") == ["signed-out", 0]
        # It does not end the session of a later login.
        browser.open()
        browser.sign_in()
        browser.open()
        browser.until_visible("#signed-in")
        browser.press("#sign-out")
        browser.until_visible("#signed-out")


def sign_out_with_expired_token(browser):
    """An access token that has expired does not keep the server from the cookie."""
    browser.open()
    browser.sign_in()
    browser.client("""
        const send = window.fetch;
        window.fetch = (input, init) => send(input, String(input).endsWith("/logout") && init.headers.Authorization
            ? { ...init, headers: { ...init.headers, Authorization: "Bearer expired" } } : init);""")
    token = browser.run("await gatehouse.restore(); return gatehouse.accessToken()")
    assert browser.run("return gatehouse.signOut()") is True
    assert status_of(browser, token) == 401 and not browser.session_cookies()


def sign_out_at_next_start(browser):
    """The page was closed before the sign-out could be delivered: the next one delivers it before anything else."""
    token = sign_out_undelivered(browser)
    browser.open()
    browser.until_visible("#signed-out")
    browser.until(lambda: not browser.session_cookies(), "the cookie is removed")
    requests = browser.script("return requests")
    assert LOGOUT in requests and REFRESH not in requests, requests
    assert status_of(browser, token) == 401


def sign_in_before_delivery(browser):
    """A sign-out that cannot be delivered does not end the session of a later login."""
    sign_out_undelivered(browser)
    to = f"later-{browser.number}@example.com"
    code = browser.run("return (await gatehouse.sendCode('email', args[0])).codeId", to)
    login = browser.run("return gatehouse.signInWithCode(args[0], args[1])", code, browser.site.code(to))
    assert login["user"]["email"] == to and browser.script("return gatehouse.state") == "signed-in"
    browser.open()
    browser.until_text("#user", to)


def sign_out_undelivered(browser):
    """In a page whose logouts fail. Returns the access token of the session, which goes on."""
    browser.open()
    browser.sign_in()
    browser.client("""
        const send = window.fetch;
        window.fetch = (input, init) =>
            String(input).endsWith("/logout") ? Promise.reject(new TypeError()) : send(input, init);
        window.setTimeout = queueMicrotask;""")
    token = browser.run("await gatehouse.restore(); return gatehouse.accessToken()")
    assert browser.run("return gatehouse.signOut()") is False
    assert status_of(browser, token) == 200
    return token


def status_of(browser, token):
    return browser.run("return (await fetch('/api/users/me', { headers: { Authorization: `Bearer ${args[0]}` } })).status", token)


# In place of the server: `answers` is a list of [status, body, headers].
ANSWERS = """
const real = window.fetch;
window.answers = [];
window.sent = [];
window.fetch = async (input, init) => {
    const answer = window.answers.shift();
    window.sent.push({ path: new URL(input.url ?? input, location).pathname, origin: new URL(input.url ?? input, location).origin,
        token: input.headers?.get?.("Authorization") ?? null, body: input.body === undefined ? null : await input.clone?.().text() });
    if (!answer) return real(input, init);
    const [status, body, headers] = answer;
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
};
window.setTimeout = queueMicrotask;
"""


def signed_in(browser):
    browser.open()
    browser.sign_in()
    browser.client(ANSWERS)
    browser.run("await gatehouse.restore(); Date.now = ((now) => () => now() + 3_600_000)(Date.now)")


def strange_answers(browser):
    """Only a refusal of Gatehouse ends the session: not the pages of a captive portal, nor a server that is busy."""
    signed_in(browser)
    page = [401, "<h1>Log in to the network</h1>", {"Content-Type": "text/html"}]
    for answer in (page, [403, {"code": 7}, {}], [200, "<h1>Welcome</h1>", {}], [401, "null", {}],
                   [503, {"code": "storage_unavailable"}, {"Retry-After": "1"}]):
        result = browser.run("window.answers = Array(3).fill(args[0]); return gatehouse.accessToken()", answer)
        expected = answer[1]["code"] if answer[0] == 503 else "unexpected_answer"
        assert result == f"GatehouseError {expected}", (answer, result)
        assert browser.script("return [gatehouse.state, answers.length]") == ["signed-in", 0]
    browser.later(2_000)
    # A longer pause is left to the caller, and until its end nothing is asked.
    busy = [429, {"code": "too_many_requests"}, {"Retry-After": "60"}]
    for _ in range(2):
        wait = browser.run("""
            window.answers = [args[0]].slice(window.hasAsked ? 1 : 0);
            [window.hasAsked, window.sent] = [true, []];
            return gatehouse.accessToken().catch((error) => [error.retryAfter, error.isTemporary, answers.length])""", busy)
        assert wait == [60_000, True, 0], wait
    assert browser.script("return sent") == []
    browser.later(61_000)
    assert "." in browser.run("return gatehouse.accessToken()")
    browser.later(3_600_000)
    # The answer to a lost answer brings no time: the next refresh does.
    empty = [200, {"accessToken": "a.b.c", "refreshToken": None, "tokenType": "Bearer", "expiresIn": 0}, {}]
    browser.script("[window.answers, window.sent] = [[arguments[0]], []]", empty)
    assert len(browser.run("return gatehouse.accessToken()")) > 100
    assert browser.script("return sent.map(({ path }) => path)") == [REFRESH, REFRESH]
    browser.later(3_600_000)
    for code in ("refresh_token_reused", "user_disabled"):
        refused = [403 if code == "user_disabled" else 401, {"code": code}, {}]
        assert browser.run("window.answers = [args[0]]; return gatehouse.accessToken()", refused) == "SignedOutError signed_out"
        assert browser.script("return gatehouse.state") == "signed-out"
        assert browser.run("return (await gatehouse.restore()).id").startswith("user_")
        browser.later(3_600_000)


def requests(browser):
    """A request is repeated once, after a refresh, and the access token goes to the server alone."""
    signed_in(browser)
    problem = {"Content-Type": "application/problem+json"}
    expired, old = [401, {"code": "access_token_expired"}, problem], [401, {"code": "login_too_old"}, problem]
    own = [401, "no", {}]

    def send(answers, path="/api/users/me", init=None):
        status = browser.run("""
            [window.answers, window.sent] = [args[0], []];
            return (await gatehouse.fetch(args[1], args[2])).status""", answers, path, init)
        return status, [each["path"] for each in browser.script("return sent")]

    browser.run("await gatehouse.accessToken()")
    assert send([]) == (200, [ME])
    assert send([expired]) == (200, [ME, REFRESH, ME])
    assert send([old]) == (401, [ME])
    body = {"method": "PATCH", "body": '{"nickname":"Ann"}', "headers": {"Content-Type": "application/json"}}
    assert send([expired], init=body) == (200, [ME, REFRESH, ME])
    assert browser.run("return (await gatehouse.loadUser()).nickname") == "Ann"
    # Then the browser is told the name, for the passkeys that the user may have.
    browser.until(lambda: browser.requested("/api/users/me/passkeys"), "the passkeys are listed")
    # A service with a 401 of its own causes one refresh, and not one for each request.
    assert send([own, None, own]) == (401, [ME, REFRESH, ME])
    assert send([own]) == (401, [ME])
    assert send([[403, {"code": "insufficient_role"}, problem]]) == (403, [ME])
    # Not to another origin, and not by an address that only looks like the server's.
    for url in ("https://api.example.com/x", browser.site.origin.replace("localhost", "localhost.example.com"),
                browser.site.origin.replace("https", "http")):
        result = send([[200, "", {}]], url)
        assert result[0] == 200, (url, result)
        assert browser.script("return sent[0].token") is None, url
    assert browser.run("""
        window.answers = [args[0]];
        const body = new ReadableStream({ start: (stream) => { stream.enqueue(new Uint8Array(1)); stream.close(); } });
        return (await gatehouse.fetch("/api/users/me", { method: "PATCH", body, duplex: "half" })).status""", expired) == 401
