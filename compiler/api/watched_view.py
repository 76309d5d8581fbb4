"""A view that is served, and drawn again whenever one of the files that it was made from is saved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from gridlang.compiler.api.viewed import View
from gridlang.compiler.drawing.page import scene_to_html, waiting_page
from gridlang.compiler.local_pages import TYPES, Answer, LocalServer
from gridlang.diagnostics import Diagnostic, GridError, in_order, render
from gridlang.files import FileState, file_state, files_looked_at
from gridlang.learners.reports.limits import LIMITS
from gridlang.terminal.console import json_text, report, say


class WatchedView:
    """The page of a view, and what is wrong with its files as they are now."""

    def __init__(self, file: str, draw: Callable[[], View]) -> None:
        self.file = file
        self.draw = draw
        self.page = b""
        # A page of an earlier server shall not take it for its own.
        self.version = time.time_ns() // 1_000_000
        self.problems: list[Diagnostic] = []
        self._read: dict[str, FileState] = {}
        self._last_look: dict[str, FileState] = {}
        self._drawn = False

    def answer(self, path: str) -> Answer | None:
        return Answer(TYPES["html"], self.page) if path == "/" else None

    def changed(self) -> bool:
        """Whether a file that was read is another now, and has been so for two looks."""
        now = {path: file_state(path) for path in self._read}
        at_rest, self._last_look = now == self._last_look, now
        return at_rest and now != self._read

    def draw_again(self) -> None:
        """A new page, or what stands in its way while the last one stays."""
        with files_looked_at() as self._read:
            try:
                view = self.draw()
                self.page = scene_to_html(view.scene(), self.version + 1).encode()
                self.problems = in_order(view.program.warnings)
            except GridError as error:
                self.problems = error.diagnostics
                if self._drawn:
                    return
                self.page = waiting_page(os.path.basename(self.file), self.version + 1).encode()
            else:
                self._drawn = True
            self.version += 1

    @property
    def failed(self) -> bool:
        return any(problem.is_error for problem in self.problems)

    def news(self, busy: bool = False) -> str:
        """What the page is told, in one line of JSON."""
        shown = self.problems[: LIMITS.problems]
        return json_text(
            {
                "page": self.version,
                "failed": self.failed,
                "busy": busy,
                "problems": [{"severity": each.severity, "text": render(each)} for each in shown],
                "more": len(self.problems) - len(shown),
            }
        )


def watch(file: str, draw: Callable[[], View], port: int, browser: bool) -> None:
    """Serves the view until Ctrl-C; GridError where the file itself cannot be read at all."""
    watched = WatchedView(file, draw)
    watched.draw_again()
    for problem in watched.problems:
        if problem.code == "G001" and problem.file == file:
            raise GridError([problem])
    with LocalServer(watched.answer, port) as server:

        def look() -> None:
            if watched.changed():
                server.tell(watched.news(busy=True))
                watched.draw_again()
                server.tell(watched.news())
                _tell(watched)

        server.tell(watched.news())
        _tell(watched)
        server.open(browser)
        server.serve(look, LIMITS.look_seconds)


def _tell(watched: WatchedView) -> None:
    """In the terminal: that it was drawn, or why not."""
    report(watched.problems, machine=False)
    what = "cannot be drawn; the page keeps the last version that could" if watched.failed else "drawn"
    say(f"{time.strftime('%H:%M:%S')} {watched.file}: {what}", err=True)
