"""Pages of a development server, at http://localhost beside deploy/run."""

from development_proxy import DevelopmentProxy
from other_site import OtherSite


def client(browser, module="/gatehouse.js", **options):
    browser.run("window.gatehouse = new (await import(args[0])).Gatehouse(args[1])", module, options)


def sign_in_by_code(browser, name):
    """The result of the login: the user's id, or an error's code and text."""
    to = f"{name}-{browser.number}@example.com"
    code = browser.run("return (await gatehouse.sendCode('email', args[0])).codeId", to)
    return browser.run("""
        return gatehouse.signInWithCode(args[0], args[1]).then(({ user }) => user.id, ({ code, message }) => code + " " + message)""",
        code, browser.site.code(to))


def proxied_page(browser):
    """With the API at its own origin, the page signs in and keeps its session."""
    with DevelopmentProxy(browser.site) as origin:
        browser.go(origin + "/")
        client(browser)
        assert browser.run("return [await gatehouse.start(), gatehouse.state]") == [None, "signed-out"]
        browser.run("await gatehouse.signIn('acme', { returnTo: '/?list=2#last' })")
        browser.consent()
        browser.until(lambda: browser.url().startswith(origin + "/?code="), "back at the page")
        client(browser)
        user = browser.run("return (await gatehouse.start()).id")
        assert user.startswith("user_") and browser.url() == origin + "/?list=2#last", (user, browser.url())
        browser.go(origin + "/")
        client(browser)
        assert browser.run("return (await gatehouse.start()).id") == user
        assert browser.run("return (await (await gatehouse.fetch('/api/users/me')).json()).id") == user
        assert browser.run("return gatehouse.signOut()") is True
        assert not browser.session_cookies()
        assert sign_in_by_code(browser, "proxied").startswith("user_")
        browser.go(origin + "/")
        client(browser)
        assert browser.run("return (await gatehouse.start()).id").startswith("user_")


def plain_page(browser):
    """Without a proxy, http://localhost is another site than https://localhost for Chromium, which drops the cookie: the page is
    told so, instead of losing its session at the next reload. Firefox keeps it."""
    with OtherSite(port=browser.site.other_port) as origin:
        page = origin.replace("127.0.0.1", "localhost") + "/"

        def user():
            browser.go(page)
            client(browser, browser.site.origin + "/gatehouse.js")
            return browser.run("return (await gatehouse.start())?.id")

        assert user() is None
        result = sign_in_by_code(browser, "plain")
        if result.startswith("user_"):
            assert user() == result, result
        else:
            assert result.startswith("origin_not_allowed ") and "through a proxy" in result, result
            assert browser.script("return gatehouse.state") == "signed-out"
