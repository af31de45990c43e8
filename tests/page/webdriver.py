"""Controls a browser under test: headless Chromium through the W3C WebDriver protocol, with the standard library."""

from __future__ import annotations

import base64
import json
import os
import re
import select
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "ArrowRight": "\ue014", "ArrowLeft": "\ue012", "ArrowDown": "\ue015", "Tab": "\ue004"}


class NotHere(Exception):
    """This machine has no browser for tests; the text names the missing part."""


class WebDriverError(Exception):
    """An error reported by the driver."""


def browser_programs() -> tuple[str, str]:
    chromium = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    if chromium is None:
        raise NotHere("no chromium; apt-get install chromium chromium-driver")
    if driver is None:
        raise NotHere("no chromedriver; apt-get install chromium-driver")
    return chromium, driver


def can_confine() -> bool:
    """Returns whether Chromium's own sandbox can work: not as root, and only with user namespaces."""
    unshare = shutil.which("unshare")
    if os.geteuid() == 0 or unshare is None:
        return False
    return subprocess.run([unshare, "--user", "true"], capture_output=True, check=False).returncode == 0


# Answers at the page's next change, or after a short time, since changes of a canvas cause no event.
NEXT_CHANGE = """
const done = arguments[arguments.length - 1];
const watcher = new MutationObserver(() => end());
const timer = setTimeout(() => end(), 250);
const end = () => { watcher.disconnect(); clearTimeout(timer); done(); };
watcher.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
"""


class Browser:
    """One Chromium with a fresh profile. Use as a context manager."""

    def __init__(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        chromium, driver = browser_programs()
        self._folder = TemporaryDirectory(prefix="kevolve-page-")
        self._base = ""
        self._driver = subprocess.Popen(
            [driver, "--port=0", "--log-level=SEVERE"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        arguments = [
            "--headless=new",
            f"--user-data-dir={self._folder.name}/profile",
            f"--window-size={width},{height}",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--hide-scrollbars",
        ]
        if not can_confine():
            arguments.append("--no-sandbox")  # it loads only pages of our own
        if dark:
            arguments.append("--force-dark-mode")
        try:
            self._wait_for_driver()
            started = self._ask(
                "POST",
                "/session",
                {
                    "capabilities": {
                        "alwaysMatch": {
                            "browserName": "chrome",
                            "goog:chromeOptions": {"binary": chromium, "args": arguments},
                            "goog:loggingPrefs": {"browser": "ALL"},
                            "timeouts": {"script": 60_000, "pageLoad": 30_000, "implicit": 0},
                        }
                    }
                },
            )
        except BaseException:
            self._end_driver()
            raise
        self._session = f"/session/{started['sessionId']}"
        self._size = (width, height)
        self._scheme = "dark" if dark else ""
        self._emulate()

    def _emulate(self) -> None:
        self.resize(*self._size)
        self.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": self._scheme}]})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        try:
            self._ask("DELETE", self._session)
        except (WebDriverError, OSError):
            pass
        self._end_driver()

    def forget(self) -> None:
        """Leaves the page in a fresh window, without what pages have stored, cached or written to the console."""
        new = self._ask("POST", f"{self._session}/window/new", {"type": "tab"})["handle"]
        self._ask("DELETE", f"{self._session}/window")
        self._ask("POST", f"{self._session}/window", {"handle": new})
        for command in ("Network.clearBrowserCookies", "Network.clearBrowserCache"):
            self.devtools(command, {})
        self.log()
        self._emulate()

    def _end_driver(self) -> None:
        self._driver.terminate()
        try:
            self._driver.wait(10)
        except subprocess.TimeoutExpired:
            self._driver.kill()
            self._driver.wait()
        for _ in range(50):  # waits for the browser's last writes
            try:
                self._folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def _wait_for_driver(self) -> None:
        """Waits until the driver reports its port, which it chose itself."""
        assert self._driver.stdout is not None
        said = b""
        end = time.monotonic() + 30
        while (left := end - time.monotonic()) > 0:
            if not select.select([self._driver.stdout], [], [], left)[0]:
                break
            more = os.read(self._driver.stdout.fileno(), 4096)
            said += more
            if found := re.search(rb"started successfully on port (\d+)", said):
                self._base = f"http://127.0.0.1:{int(found[1])}"
                return
            if not more:
                break
        raise WebDriverError(f"chromedriver does not start: {said.decode(errors='replace')}")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self._base + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            value = json.load(e)["value"]
            raise WebDriverError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    # --- operations of a test ---

    def open(self, url: str) -> None:
        self._ask("POST", f"{self._session}/url", {"url": url})

    def url(self) -> str:
        return str(self._ask("GET", f"{self._session}/url"))

    def reload(self) -> None:
        self._ask("POST", f"{self._session}/refresh")

    def run(self, script: str, *arguments: Any) -> Any:
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments: Any) -> Any:
        """Runs a script that calls its last argument when it is done."""
        return self._ask("POST", f"{self._session}/execute/async", {"script": script, "args": list(arguments)})

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        return self._ask("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width: int, height: int) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def find(self, selector: str) -> str:
        found = self._ask("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])

    def click(self, selector: str) -> None:
        self._ask("POST", f"{self._session}/element/{self.find(selector)}/click")

    def type(self, selector: str, text: str) -> None:
        self._ask("POST", f"{self._session}/element/{self.find(selector)}/value", {"text": text})

    def keys(self, *names: str) -> None:
        """Presses keys at the focused element."""
        actions = [
            {"type": kind, "value": KEYS.get(name, name)} for name in names for kind in ("keyDown", "keyUp")
        ]
        self._ask("POST", f"{self._session}/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click_at(self, x: int, y: int) -> None:
        steps = [
            {"type": "pointerMove", "x": x, "y": y, "duration": 0, "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._ask(
            "POST",
            f"{self._session}/actions",
            {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]},
        )

    def text(self, selector: str = "body") -> str:
        return str(self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def log(self) -> list[str]:
        """Returns console messages since the last call: errors, warnings, violations of the content policy."""
        entries = self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        return [f"{e['level']}: {e['message']}" for e in entries]

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("GET", f"{self._session}/screenshot")))

    def wait(self, what: str, holds: Callable[[], Any], limit_s: float = 30) -> Any:
        """Checks at every change of the page until it holds."""
        end = time.monotonic() + limit_s
        while True:
            value = holds()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"after {limit_s} s still not: {what}\n--- page ---\n{self.text()[:2000]}")
            try:
                self.run_async(NEXT_CHANGE)
            except WebDriverError:
                pass  # the page was left, which is a change as well

    def wait_text(self, text: str, selector: str = "body", limit_s: float = 30) -> None:
        self.wait(f"'{text}' in {selector}", lambda: text in self.text(selector), limit_s)

    def sign_in(self, url: str, token: str) -> None:
        self.open(url)
        self.wait("the token field", lambda: self.run("return !!document.querySelector('#token')"))
        self.type("#token", token)
        self.click("button[type=submit]")
        self.wait("signed in", lambda: self.run("return !!document.querySelector('header nav')"))
