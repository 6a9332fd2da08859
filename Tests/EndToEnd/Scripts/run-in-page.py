"""Runs the JavaScript of a page of the documentation in Chromium, at an origin of its own, and prints the result."""

import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

url, folder, *scripts = sys.argv[1:]
options = webdriver.ChromeOptions()
options.binary_location = "/usr/bin/chromium"
for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-proxy-server",
                 "ignore-certificate-errors", f"user-data-dir={folder}"):
    options.add_argument("--" + argument)
driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
try:
    driver.set_script_timeout(60)
    # Each script runs in a new page, so that only the database of the browser is left of the ones before.
    for script in scripts:
        driver.get(url)
        print(driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {script} }})().then(done, (error) => done(String(error.stack)))"))
finally:
    driver.quit()
