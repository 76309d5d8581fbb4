"""The playground in a tab of a real browser."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from gridlang.compiler.language_server.handlers import ERROR
from gridlang.compiler.playground.service import answer
from tests.programs import ROOT
from tests.support.browser import DESK

INCREMENT = (ROOT / "examples" / "increment.grid").read_text(encoding="utf-8")


def ask(method: str, source: str, name: str = "a.grid", told: list[Any] | None = None, **params: Any) -> Any:
    """What Python answers about a source in the playground, without a browser; the words of a refusal."""
    say("textDocument/didOpen", name, source)
    result = say(method, name, source, told, **params)
    say("textDocument/didClose", name)
    return result


def say(method: str, name: str, text: str = "", told: list[Any] | None = None, **params: Any) -> Any:
    """What Python answers to one message about a document; what it tells on the way is put into `told`."""

    def heard(found: str) -> None:
        if told is not None:
            told.append(json.loads(found))

    document = {"uri": Path(name).resolve().as_uri(), "version": 0, "text": text}
    message = {"method": method, "params": {"textDocument": document, **params}}
    reply = json.loads(answer(json.dumps(message), heard))
    return reply["result"] if "result" in reply else reply["error"]["message"]


def errors(source: str, name: str = "a.grid") -> list[str]:
    """What is wrong with a source."""
    items = ask("textDocument/diagnostic", source, name)["items"]
    return [each["message"] for each in items if each["severity"] == ERROR]


class Playground:
    """The playground in a tab, and everything that it said and asked for."""

    def __init__(self, browser: Any, url: str, viewport: dict[str, int] = DESK, **options: Any) -> None:
        self.url = url
        self.said: list[str] = []
        self.asked: list[str] = []
        self.context = browser.new_context(viewport=viewport, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.clock.install()
        self.page.goto(url)

    @property
    def frame(self) -> Any:
        """The replay of what is typed, once it is there."""
        until = time.monotonic() + 120
        while self.busy:
            assert time.monotonic() < until, "the replay is busy still"
            self.page.wait_for_timeout(50)
        return self.page.locator("#scene")

    @property
    def busy(self) -> bool:
        return bool(self.page.evaluate("document.querySelector('#stage').ariaBusy !== 'false'"))

    @property
    def source(self) -> str:
        lines = self.page.locator(".cm-line").all_inner_texts()
        return "\n".join(line.removesuffix("\n") for line in lines)

    def holds(self, source: str) -> None:
        """Waits until this source is in the editor, which a page fills in after it has loaded."""
        until = time.monotonic() + 60
        while self.source.strip() != source.strip() and time.monotonic() < until:
            self.page.wait_for_timeout(50)
        assert self.source.strip() == source.strip()

    def wait_for_python(self) -> None:
        self.page.wait_for_selector("body[data-python=ready]")

    def open(self, name: str) -> None:
        self.page.click("#menu-open")
        self.page.locator("#menu .file", has=self.page.locator(f"b:text-is('{name}')")).click()

    def write(self, source: str) -> None:
        self.page.click(".cm-content")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)

    def shows(self, words: str) -> None:
        """The replay is that of a source with these words."""
        self.frame.locator("#source", has_text=words).wait_for(state="attached")

    def wait(self, condition: str) -> None:
        until = time.monotonic() + 120
        while not self.page.evaluate(condition):
            assert time.monotonic() < until, condition
            self.page.wait_for_timeout(50)

    def check_quiet(self) -> None:
        """No script spoke up, and no other host was asked for anything."""
        assert self.said == [], self.said
        others = [url for url in self.asked if not url.startswith((self.url, "data:", "blob:", "about:"))]
        assert others == []
