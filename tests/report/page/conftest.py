"""A real browser."""

import json
import shutil

import pytest

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class Browser:
    """Chromium, with what the tests ask of it."""

    def __init__(self, driver):
        self._driver = driver
        self.run = driver.execute_script
        self.log = driver.get_log

    def open(self, path):
        self.log("browser")
        self.log("performance")
        self._driver.get(path.as_uri())

    def devtools(self, command, **parameters):
        return self._driver.execute_cdp_cmd(command, parameters)

    def click(self, selector):
        self._driver.find_element("css selector", selector).click()

    def write(self, selector, text):
        self._driver.find_element("css selector", selector).send_keys(text)

    def requests(self):
        """Return the addresses asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    path = shutil.which("chromedriver")
    if chromium is None or path is None:
        pytest.skip("there is no Chromium with chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(path)) as driver:
        yield Browser(driver)
