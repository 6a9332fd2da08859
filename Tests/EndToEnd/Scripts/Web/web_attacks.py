"""What pages of other sites, addresses made by an attacker, and scripts in the page find."""

import re

from other_site import OtherSite

EXCHANGE = "/api/auth/exchange"


def foreign_code(browser):
    """A code in the address of a sign-in that this tab has not begun is not exchanged: it could be an attacker's, who would
    have the user act in the attacker's account."""
    browser.open("/example/?code=c29tZSBjb2Rl&state=c29tZSBzdGF0ZQ&page=2#part")
    browser.until_visible("#signed-out")
    assert browser.requested(EXCHANGE) == 0
    # The user is told, and the address has no code any more.
    browser.until_text("#error", "This tab has not begun this sign-in")
    assert browser.url() == browser.site.origin + "/example/?page=2", browser.url()
    # Elsewhere these parameters are not the library's.
    browser.open("/example/example.css?code=a&state=b")
    browser.client_here(redirectURI=browser.site.origin + "/example/")
    assert browser.run("return gatehouse.finishSignIn()") is None and "code=a" in browser.url()
    # Nor while this tab has begun one, with another state.
    own = begin(browser)
    browser.open(f"/example/?code={'c' * 43}&state={'s' * 43}")
    browser.until_visible("#signed-out")
    assert browser.requested(EXCHANGE) == 0 and browser.script("return sessionStorage.length") == 1
    # Nor in another tab.
    first = browser.tab()
    browser.new_tab()
    browser.open(f"/example/?code={'c' * 43}&state={own}")
    browser.until_visible("#signed-out")
    assert browser.requested(EXCHANGE) == 0
    # In its own tab it is exchanged once, and the address has neither code nor state from then on.
    browser.use(first)
    browser.open(f"/example/?code={'c' * 43}&state={own}&iss=https://issuer.example&page=2")
    browser.until_visible("#error")
    assert browser.requested(EXCHANGE) == 1 and browser.url() == browser.site.origin + "/example/?page=2", browser.url()
    browser.open(f"/example/?code={'c' * 43}&state={own}")
    browser.until_visible("#signed-out")
    assert browser.requested(EXCHANGE) == 0


def other_issuer(browser):
    """With `issuer`, an answer of another server is refused (RFC 9207)."""
    browser.open()
    for issuer in ("https://evil.example", None):
        own = begin(browser)
        browser.open("/example/example.css?state=" + own + "&code=c" + (f"&iss={issuer}" if issuer else ""))
        browser.client_here(issuer="https://honest.example")
        assert browser.run("return gatehouse.finishSignIn()") == "SignInError invalid_issuer"
        assert browser.requested(EXCHANGE) == 0


def begin(browser):
    """The state of a sign-in that the tab has begun."""
    browser.open()
    browser.press("[data-provider=acme]")
    browser.until_visible("[name=user]")
    browser.open("/example/example.css")
    return browser.script("return JSON.parse(Object.values(sessionStorage)[0]).state")


def return_to(browser):
    """A sign-in goes on to an address of the page's origin, and never to another one."""
    browser.client(redirectURI=browser.site.origin + "/example/")
    other = browser.site.origin.replace("localhost", "127.0.0.1")
    for address in ("https://evil.example/", "//evil.example", "/\\\\evil.example", "javascript:alert(1)", other,
                    "blob:" + browser.site.origin + "/a", browser.site.origin.replace("https", "http") + "/"):
        result = browser.run("return gatehouse.signIn('acme', { returnTo: args[0] })", address)
        assert result == "GatehouseError invalid_return_address", (address, result)
        assert browser.script("return sessionStorage.length") == 0
    browser.run("await gatehouse.signIn('acme', { returnTo: '/example/example.css?a=1#b' })")
    browser.consent()
    browser.until(lambda: browser.url() == browser.site.origin + "/example/example.css?a=1#b", "the address to return to")


def no_token_to_find(browser):
    """No script finds a token in what the browser stores, nor in addresses."""
    browser.open()
    browser.sign_in()
    browser.client()
    access = browser.run("await gatehouse.restore(); return gatehouse.accessToken()")
    cookie, = browser.session_cookies()
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"], cookie["path"]) == (True, True, "Lax", "/"), cookie
    assert cookie["domain"] == "localhost", cookie
    found = browser.run("""return JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href,
        document.referrer, history.state, await indexedDB.databases(), await caches.keys(),
        performance.getEntriesByType("resource").map(({ name }) => name), gatehouse, Object.values(gatehouse)])""")
    for token in (access, cookie["value"]):
        assert token not in found and token.split(".")[1] not in found, found
    assert "__Host" not in found and "code=" not in found, found
    browser.open()
    browser.until_visible("#signed-in")
    content = browser.script("return document.documentElement.outerHTML")
    assert "eyJ" not in content


def other_pages(browser):
    """No page of another site or another origin gets a token, rotates the cookie, or signs the user out."""
    browser.open()
    browser.sign_in()
    cookie = browser.session_cookies()[0]["value"]
    api = browser.site.origin + "/api/auth/"
    for site in (OtherSite(), OtherSite(browser.site.certificates)):
        with site as origin:
            browser.go(origin)
            for path in ("refresh", "logout"):
                for mode in ("cors", "no-cors"):
                    result = browser.run("""
                        const answer = await fetch(args[0], { method: "POST", credentials: "include", mode: args[1] });
                        return answer.type""", api + path, mode)
                    assert result == "opaque" if mode == "no-cors" else result.startswith("TypeError"), result
                # A form needs no permission, and a browser may send cookies with it.
                browser.go(origin)
                browser.script("""
                    const form = document.createElement("form");
                    Object.assign(form, { method: "post", action: arguments[0] });
                    document.body.append(form);
                    form.submit();""", api + path)
                browser.until(lambda: browser.url().startswith(api) and browser.text("body"), "the answer to the form")
                browser.go(origin)
        browser.open("/example/example.css")
        assert browser.session_cookies()[0]["value"] == cookie
    browser.open()
    browser.until_visible("#signed-in")


def other_origin(browser):
    """A page of an origin in CORS_ORIGINS signs in at the server, and shares the session with the server's own pages."""
    with OtherSite(browser.site.certificates, browser.site.other_port) as origin:
        page = origin + "/"

        def client():
            browser.run("""
                const { Gatehouse } = await import(args[0] + "/gatehouse.js");
                window.gatehouse = new Gatehouse()""", browser.site.origin)

        browser.go(page)
        client()
        assert browser.run("return gatehouse.start()") is None
        assert "acme" in browser.run("return (await gatehouse.ways()).web")
        browser.run("await gatehouse.signIn('acme')")
        browser.consent()
        browser.until(lambda: browser.url().startswith(page), "back at the page")
        client()
        user = browser.run("return (await gatehouse.start()).id")
        assert user.startswith("user_") and browser.url() == page, (user, browser.url())
        browser.go(page)
        client()
        assert browser.run("return (await gatehouse.start()).id") == user
        assert browser.run("return (await (await gatehouse.fetch('/api/users/me')).json()).id") == user
        browser.open()
        browser.until_visible("#signed-in")
        browser.go(page)
        client()
        assert browser.run("await gatehouse.restore(); return gatehouse.signOut()") is True
        browser.open()
        browser.until_visible("#signed-out")


def types(browser):
    """The types have every name of the library, and no other."""
    browser.client()
    declared = browser.run("return (await fetch('/gatehouse.d.ts')).text()")
    exported, members = browser.run("""
        const module = await import("/gatehouse.js");
        return [Object.keys(module), Object.getOwnPropertyNames(module.Gatehouse.prototype)]""")
    assert set(re.findall(r"export class (\w+)", declared)) == set(exported), exported
    own = declared[declared.index("export class Gatehouse {"):]
    assert set(re.findall(r"^  (?:readonly )?(\w+)[(:]", own, re.MULTILINE)) == set(members), members
