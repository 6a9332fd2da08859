"""Several tabs, which share one session."""

REFRESH, LOGOUT, ME = "/api/auth/refresh", "/api/auth/logout", "/api/users/me"


def one_session(browser):
    """Signing in and out in one tab does the same in the others."""
    first = browser.tab()
    browser.open()
    browser.until_visible("#signed-out")
    second = browser.new_tab()
    browser.open()
    browser.sign_in()
    browser.use(first)
    browser.until_visible("#signed-in")
    browser.press("#me")
    browser.until_text("#answer", "user_")
    browser.press("#sign-out")
    browser.until_visible("#signed-out")
    browser.use(second)
    browser.until_visible("#signed-out")


def one_refresh(browser):
    """Tabs that need a new access token at the same time send one refresh, and all get its token."""
    tabs = signed_in_tabs(browser, 3)
    for refreshes in (1, 2):
        for tab in tabs:
            browser.use(tab)
            browser.later(3_600_000)
        tokens = at_once(browser, tabs, "return gatehouse.accessToken()")
        assert len(set(tokens)) == 1 and "." in tokens[0], tokens
        assert total(browser, tabs, REFRESH) == refreshes, total(browser, tabs, REFRESH)


def restored_tabs(browser):
    """Tabs that a browser opens at its start, all at once, send one refresh."""
    tabs = signed_in_tabs(browser, 3, restores=False)
    users = at_once(browser, tabs, "return (await gatehouse.restore()).id")
    assert len(set(users)) == 1 and users[0].startswith("user_"), users
    assert (total(browser, tabs, REFRESH), total(browser, tabs, ME)) == (1, 1)


def rotation(browser):
    """Tabs that rotate the refresh token at the same time, again and again, stay signed in."""
    for before in (ALONE, ""):
        tabs = signed_in_tabs(browser, 2, before)
        results = at_once(browser, tabs, """
            const [now, statuses] = [Date.now, new Set()];
            for (let round = 1; round <= 8; round += 1) {
                Date.now = () => now() + round * 3_600_000;
                statuses.add((await gatehouse.fetch("/api/users/me")).status);
            }
            return [...statuses, gatehouse.state].join();""")
        assert results == ["200,signed-in"] * 2, results
        browser.reset()


# Tabs that do not hear of each other, and a browser without Web Locks.
ALONE = """
Object.defineProperty(navigator, "locks", { value: undefined });
const all = [];
window.BroadcastChannel = class {
    constructor() { all.push(this); }
    postMessage(data) { for (const other of all) if (other !== this) other.onmessage?.({ data }); }
};
"""


def late_answer(browser):
    """An answer that arrives after a sign-out in another tab does not sign in again."""
    for path, call in ((REFRESH, "accessToken"), (ME, "loadUser")):
        tabs = signed_in_tabs(browser, 2)
        browser.use(tabs[0])
        if path == REFRESH:
            browser.later(3_600_000)
        browser.script(HELD % path + f"window.result = gatehouse.{call}().catch((error) => error.code)")
        browser.until(lambda: browser.script("return window.isHeld"), "the answer has arrived")
        browser.use(tabs[1])
        browser.script("window.signedOut = gatehouse.signOut()")
        assert browser.script("return gatehouse.state") == "signed-out"
        browser.use(tabs[0])
        browser.until(lambda: browser.script("return gatehouse.state") == "signed-out", "the other tab is signed out")
        browser.script("window.release()")
        assert browser.run("return window.result") == "signed_out"
        browser.use(tabs[1])
        assert browser.run("return window.signedOut") is True
        assert not browser.session_cookies()
        for tab in tabs:
            browser.use(tab)
            assert browser.script("return gatehouse.state") == "signed-out"
        browser.reset()


# The page gets an answer from this path when it calls `release`.
HELD = """
const send = window.fetch;
window.fetch = async (input, init) => {
    const answer = await send(input, init);
    if (new URL(input.url ?? input, location).pathname !== "%s") return answer;
    window.isHeld = true;
    await new Promise((resolve) => { window.release = resolve; });
    return answer;
};
"""


def ended_elsewhere(browser):
    """A session that another device ends is over in all tabs at the next request of one of them."""
    tabs = signed_in_tabs(browser, 2)
    for tab in tabs:
        browser.use(tab)
        browser.script("gatehouse.onChange((change) => { window.change = change; })")
    end_session_elsewhere(browser)
    browser.use(tabs[0])
    assert browser.run("return gatehouse.fetch('/api/users/me')") == "SignedOutError signed_out"
    for tab in tabs:
        browser.use(tab)
        browser.until(lambda: browser.script("return gatehouse.state") == "signed-out", "the other tab is signed out")
        change = browser.script("return window.change")
        assert change == {"state": "signed-out", "user": None, "reason": "refresh_token_revoked"}, change
        assert browser.run("return gatehouse.accessToken().catch(({ reason }) => reason)") == "refresh_token_revoked"


def known_address(browser):
    """A new user with the address of another user can be undone for ten minutes. No other user is deleted instead."""
    older = new_users(browser)
    browser.open()
    browser.press("#as-before")
    browser.until_visible("#signed-out")
    browser.sign_in()
    assert user_here(browser) == older
    sign_out(browser)

    browser.number += 10_000
    older = new_users(browser)
    browser.client(ALONE)
    assert browser.run("return [(await gatehouse.restore()).id === args[0], gatehouse.knownAddress]", older) == [False, True]
    first = browser.tab()
    browser.new_tab()
    sign_out(browser)
    browser.sign_in()
    browser.use(first)
    browser.later(3_600_000)
    assert browser.script("return gatehouse.knownAddress") is False
    browser.script("""
        const [name, value] = Object.entries(sessionStorage).find(([name]) => name.endsWith("new user"));
        sessionStorage.setItem(name, JSON.stringify({ ...JSON.parse(value), end: 8e15 }));""")
    assert browser.script("return gatehouse.knownAddress") is True
    assert browser.run("return gatehouse.discardNewUser()") == "SignedOutError signed_out"
    assert user_here(browser) == older


def new_users(browser):
    """Signs in as two users with one proven address. Returns the first; the second one stays signed in."""
    browser.open()
    browser.sign_in()
    older = user_here(browser)
    sign_out(browser)
    browser.client(ALONE)
    to = f"user-{browser.number}@example.com"
    code = browser.run("return (await gatehouse.sendCode('email', args[0])).codeId", to)
    browser.run("await gatehouse.signInWithCode(args[0], args[1])", code, browser.site.code(to))
    return older


def sign_out(browser):
    browser.open()
    browser.press("#sign-out")
    browser.until_visible("#signed-out")


def user_here(browser):
    browser.client(ALONE)
    return browser.run("return (await gatehouse.restore()).id")


def kept_page(browser):
    """A page that the browser shows again, without loading it, asks whether its user is still signed in."""
    browser.open()
    browser.sign_in()
    first = browser.tab()
    # A page that waits for an answer is not kept.
    browser.until_text("#sessions", "This browser")
    browser.script("window.isKept = true; location.assign('/gatehouse.js')")
    browser.until(lambda: "gatehouse.js" in browser.url(), "another page")
    end_session_elsewhere(browser)
    browser.use(first)
    browser.back()
    browser.until_visible("#signed-out")
    assert browser.script("return window.isKept"), browser.script(
        "return JSON.stringify(performance.getEntriesByType('navigation')[0])")


def end_session_elsewhere(browser):
    """As another device does, of which the tabs do not hear."""
    browser.new_tab()
    browser.client(ALONE)
    assert browser.run("""
        await gatehouse.restore();
        const { sessions } = await (await gatehouse.fetch("/api/users/me/sessions")).json();
        const own = sessions.find(({ current }) => current).id;
        return (await gatehouse.fetch(`/api/users/me/sessions/${own}`, { method: "DELETE" })).status""") == 204


# --- Tabs of the test -----------------------------------------------------------------------------------------------------


def signed_in_tabs(browser, count, before="", restores=True):
    """Tabs with a bare page and a client each."""
    browser.open()
    browser.sign_in()
    tabs = [browser.tab()] + [browser.new_tab() for _ in range(count - 1)]
    for tab in tabs:
        browser.use(tab)
        browser.client(before)
        if restores:
            assert browser.run("return (await gatehouse.restore()).id").startswith("user_")
            browser.script("window.requests = []")
    return tabs


def at_once(browser, tabs, code):
    """The results of the code, which all tabs run when the first of them changes what is stored."""
    run = "window.result = (async () => { %s })().catch((e) => `${e.name} ${e.code}`);" % code
    for tab in tabs[1:]:
        browser.use(tab)
        # Chromium tells a page of changes only after the page has read what is stored.
        browser.script("window.result = undefined; onstorage = ({ key }) => {"
                       " if (key === 'go') { %s } }; localStorage.getItem('go')" % run)
    browser.use(tabs[0])
    browser.script("localStorage.go = Math.random();" + run)
    results = []
    for tab in tabs:
        browser.use(tab)
        browser.until(lambda: browser.script("return Boolean(window.result)"), "the tab has begun")
        results.append(browser.run("return window.result"))
    return results


def total(browser, tabs, path):
    """How many requests all tabs have sent to the path."""
    number = 0
    for tab in tabs:
        browser.use(tab)
        number += browser.requested(path)
    return number
