"""Chromium, driven by Selenium."""

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from web_browser import PATIENCE, WATCH, Browser


class ChromiumBrowser(Browser):
    page_changed = WebDriverException

    def __init__(self, site, folder):
        super().__init__(site)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-proxy-server",
                         "ignore-certificate-errors", "window-size=1100,1000", f"user-data-dir={folder}"):
            options.add_argument("--" + argument)
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.watch()

    def watch(self):
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def authenticator(self):
        """A new device with passkeys for this tab, in place of the one before. It answers each dialog at once, unless
        `answer_dialogs` has said otherwise."""
        self.cdp("WebAuthn.disable")
        self.cdp("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
                   "isUserVerified": True, "automaticPresenceSimulation": True}
        self.device = self.cdp("WebAuthn.addVirtualAuthenticator", options=options)["authenticatorId"]

    def answer_dialogs(self, is_answering):
        """For the dialogs that begin from now on."""
        self.cdp("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.device, enabled=is_answering)

    def go(self, url):
        self.driver.get(url)

    def url(self):
        return self.driver.current_url

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait_for(self, code, *arguments):
        return self.driver.execute_async_script(code, *arguments)

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def type(self, selector, text):
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        element.clear()
        element.send_keys(text)

    def tab(self):
        return self.driver.current_window_handle

    def tabs(self):
        return self.driver.window_handles

    def new_tab(self):
        self.driver.switch_to.new_window("tab")
        self.watch()
        return self.tab()

    def use(self, tab):
        self.driver.switch_to.window(tab)

    def close(self):
        self.driver.close()

    def back(self):
        self.driver.back()

    def cookies(self):
        return self.driver.get_cookies()

    def delete_cookies(self):
        self.cdp("Network.clearBrowserCookies")

    def set_offline(self, is_offline):
        """For each tab, because Chromium emulates the network for one."""
        current = self.tab()
        for tab in self.driver.window_handles:
            self.use(tab)
            self.driver.set_network_conditions(offline=is_offline, latency=0, throughput=-1)
        self.use(current)

    def screenshot(self, path):
        self.driver.save_screenshot(path)

    def quit(self):
        self.driver.quit()
