"""Runs scenarios of a web page in one browser: web.py BROWSER FOLDER ORIGIN INBOX CERTIFICATES OTHER_PORT SCENARIO..."""

import sys

import web_admin
import web_attacks
import web_development
import web_network
import web_passkeys
import web_sign_in
import web_tabs
from web_browser import Site


def scenario(name):
    modules = (web_sign_in, web_passkeys, web_development, web_tabs, web_network, web_attacks, web_admin)
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def browser(name, site, folder):
    # Each driver needs packages that the other one does not need.
    if name == "firefox":
        from firefox_browser import FirefoxBrowser
        return FirefoxBrowser(site, folder)
    from chromium_browser import ChromiumBrowser
    return ChromiumBrowser(site, folder)


def main():
    name, folder, origin, inbox, certificates, other_port, *scenarios = sys.argv[1:]
    page = browser(name, Site(origin, inbox, certificates, int(other_port)), folder)
    try:
        for each in scenarios:
            try:
                scenario(each)(page)
            except BaseException:
                print(f"{each} failed in {name}, at {page.url()}", file=sys.stderr)
                page.picture("failed-" + each)
                raise
            page.reset()
    finally:
        page.quit()


main()
