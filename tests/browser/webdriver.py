"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol: the few calls that the tests need."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

T = TypeVar("T")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which the protocol hands out an element."""
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
)
_PASSING = {"element not interactable", "element click intercepted", "stale element reference"}
_PATIENCE = 60.0
"""Seconds for something to appear, on a slow and busy machine."""


def chromium() -> str | None:
    """Return the Chromium to drive, or None where it or its driver is not installed."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return found if shutil.which("chromedriver") else None


class NotYetError(Exception):
    """An element is covered, moving, or was just replaced."""


class Page:
    """The one window of a browser."""

    def __init__(self, driver: str, session: str) -> None:
        self._address = f"{driver}/session/{session}"

    def open(self, url: str) -> None:
        """Go to an address."""
        self._ask("url", url=url)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script's body in the page, and return what it returns."""
        return self._ask("execute/sync", script=script, args=list(arguments))

    def find(self, selector: str) -> list[str]:
        """Return the elements that a CSS selector matches now."""
        found = self._ask("elements", using="css selector", value=selector)
        return [each[ELEMENT] for each in found]

    def click(self, selector: str) -> None:
        """Click on the first element that a CSS selector matches, once it is there and can be clicked on."""
        self._do(selector, "click")

    def type(self, selector: str, text: str) -> None:
        """Replace what stands in a field."""
        self._do(selector, "clear")
        self._do(selector, "value", text=text)

    def _do(self, selector: str, what: str, **body: Any) -> None:
        def done() -> bool:
            found = self.find(selector)
            try:
                if found:
                    self._ask(f"element/{found[0]}/{what}", **body)
            except NotYetError:
                return False
            return bool(found)

        self.wait(done, f"{what} of {selector}")

    def insert(self, text: str) -> None:
        """Put text where the cursor is, as if pasted: an editor does not add brackets or words of its own to it."""
        self._ask("goog/cdp/execute", cmd="Input.insertText", params={"text": text})

    def drop(self, target: str, name: str, content: str | bytes) -> None:
        """Let a file fall onto the element that a CSS selector matches."""
        data = content if isinstance(content, bytes) else content.encode()
        self.run(
            """
            const [target, name, content] = arguments, data = new DataTransfer()
            data.items.add(new File([Uint8Array.from(atob(content), each => each.charCodeAt(0))], name))
            for (const type of ['dragenter', 'dragover', 'drop'])
              document.querySelector(target).dispatchEvent(
                new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}))
            """,
            target,
            name,
            base64.b64encode(data).decode(),
        )

    def wait(self, look: Callable[[], T], what: str) -> T:
        """Return what `look` finds, once it finds something.

        Raises:
            TimeoutError: It has found nothing for a minute.
        """
        deadline = time.monotonic() + _PATIENCE
        while not (found := look()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not appear; the page says: {self.text()[:2000]}")
            time.sleep(0.2)
        return found

    def text(self) -> str:
        """Return all words on the page."""
        return str(self.run("return document.body.innerText"))

    def screenshot(self, file: Path) -> None:
        """Save a picture of the window."""
        file.write_bytes(base64.b64decode(self._ask("screenshot")))

    def _ask(self, what: str, /, **body: Any) -> Any:
        if what == "screenshot":
            return _answer(Request(f"{self._address}/{what}"))
        return _answer(Request(f"{self._address}/{what}", data=json.dumps(body).encode()))


@contextmanager
def browser(folder: Path, *, width: int = 1600, height: int = 1000) -> Iterator[Page]:
    """Run a Chromium with a profile of its own in `folder`."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        address = f"http://127.0.0.1:{_port(driver)}"
        options = {
            "binary": chromium(),
            "args": [*_FLAGS, f"--user-data-dir={folder}", f"--window-size={width},{height}"],
        }
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        session = _answer(Request(f"{address}/session", data=json.dumps(wanted).encode()))["sessionId"]
        try:
            yield Page(address, session)
        finally:
            _answer(Request(f"{address}/session/{session}", method="DELETE"))
    finally:
        driver.terminate()
        driver.wait(20)
        if driver.stdout:
            driver.stdout.close()


def _port(driver: subprocess.Popen[str]) -> int:
    assert driver.stdout
    for line in driver.stdout:
        if "started successfully on port" in line:
            return int(line.rstrip(". \n").rpartition(" ")[2])
    raise OSError("chromedriver did not start")


def _answer(request: Request) -> Any:
    request.add_header("Content-Type", "application/json")
    try:
        with urlopen(request, timeout=_PATIENCE) as response:
            return json.load(response)["value"]
    except HTTPError as error:
        with error:
            told = error.read().decode()
        passing = json.loads(told)["value"]["error"] in _PASSING
        raise (NotYetError if passing else RuntimeError)(told[:1000]) from error
