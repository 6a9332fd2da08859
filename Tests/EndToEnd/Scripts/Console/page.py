"""Runs a scenario of the console's page in Chromium: page.py SCENARIO ORIGIN FOLDER."""

import sys

import browser_scenarios
import flow_scenarios
import look_scenarios
from browser import Page


def main():
    scenario, origin, folder = sys.argv[1:]
    page = Page(origin, folder)
    try:
        modules = (flow_scenarios, browser_scenarios, look_scenarios)
        next(getattr(module, scenario) for module in modules if hasattr(module, scenario))(page)
        page.check_silence()
    except BaseException:
        page.screenshot("failed-" + scenario)
        print(page.title(), page.history(), page.text("#announcement"), file=sys.stderr)
        raise
    finally:
        page.driver.quit()


main()
