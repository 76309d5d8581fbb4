"""The local server: it answers this machine alone, and nothing outside its folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from gridlang.compiler.commands import play
from gridlang.compiler.local_pages import HERE, Answer, LocalServer, folder_pages
from gridlang.diagnostics import GridError


def asked(server: LocalServer, path: str, method: str = "GET", **headers: str) -> HTTPResponse:
    connection = HTTPConnection(HERE, server.server_port, timeout=60)
    connection.putrequest(method, path, skip_host="host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def test_a_folder_is_served_with_types_and_nothing_outside_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "deep").mkdir(parents=True)
    for name in (
        "index.html",
        "code.mjs",
        "python.wasm",
        "deep/index.html",
        "über 1.txt",
        ".hidden",
        "odd.xyz",
    ):
        (site / name).write_text(name, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    (site / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "site2").mkdir()
    (tmp_path / "site2" / "x.txt").write_text("secret")
    with LocalServer(folder_pages(site)) as server:
        for path, content_type in (
            ("/", "text/html; charset=utf-8"),
            ("/?v=2", "text/html; charset=utf-8"),
            ("/deep/", "text/html; charset=utf-8"),
            ("/code.mjs", "text/javascript; charset=utf-8"),
            ("/python.wasm", "application/wasm"),
            ("/%C3%BCber%201.txt", "text/plain; charset=utf-8"),
            ("/odd.xyz", "application/octet-stream"),
        ):
            answer = asked(server, path)
            assert (answer.status, answer.headers["Content-Type"]) == (200, content_type)
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.read().decode() in os.listdir(site) or path == "/deep/"
        for path in (
            "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/deep/../../secret.txt", "//etc/passwd",
            "/%2fetc/passwd", "/.hidden", "/link.txt", "/../site2/x.txt", "/no", "/deep", "/%00", "/" + "a" * 5000, "/%ff",
        ):  # fmt: skip
            answer = asked(server, path)
            assert answer.status == 404 and b"secret" not in answer.read(), path
        assert asked(server, "/code.mjs", "HEAD").read() == b""
        assert asked(server, "/code.mjs", "POST").status == 501


def test_other_names_for_this_machine_are_refused() -> None:
    with LocalServer({"/": Answer("text/plain", b"mine")}.get) as server:
        for host in (f"{HERE}:{server.server_port}", f"localhost:{server.server_port}"):
            assert asked(server, "/", host=host).read() == b"mine"
        for host in ("evil.example", f"evil.example:{server.server_port}", f"{HERE}:1", HERE, ""):
            answer = asked(server, "/", host=host)
            assert answer.status == 403 and b"mine" not in answer.read()


def test_a_port_that_is_taken_is_refused_with_a_cure() -> None:
    with LocalServer({}.get) as server, pytest.raises(GridError) as error:
        LocalServer({}.get, server.server_port)
    assert error.value.diagnostics[0].code == "G190" and "--port" in error.value.diagnostics[0].hint


SERVING = """
from gridlang.compiler.local_pages import *
with LocalServer({}.get) as server:
    server.open(browser=False)
    server.serve()
"""


def test_ctrl_c_ends_it_quietly_while_a_connection_is_open() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVING], stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": "."}
    ) as process:
        assert process.stderr
        port = int(process.stderr.readline().split(b":")[2].split(b"/")[0])
        connection = HTTPConnection(HERE, port, timeout=60)
        connection.request("GET", "/")
        connection.getresponse()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)  # The connection stays open: who waits for its end hangs.
        assert said.strip() == b"" and process.returncode == 0


def test_play_saves_the_files_that_it_opened_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "mine.grid"
    file.write_text("agent mine\n", encoding="utf-8")
    opened = play.opened_by_name((str(file),))
    with LocalServer(lambda _: None, writes=partial(play.save, opened)) as server:
        for path, origin, status in (
            ("/files/mine.grid", server.url[:-1], 200),
            ("/files/other.grid", server.url[:-1], 403),
            ("/files/mine.grid", "http://elsewhere.example", 403),
        ):
            text = f"# {status}\n"
            wanted = Request(f"{server.url}{path[1:]}", text.encode(), {"Origin": origin}, method="PUT")
            if status == 200:
                assert urlopen(wanted).status == 200
            else:
                with pytest.raises(HTTPError):
                    urlopen(wanted)
    assert file.read_text(encoding="utf-8") == "# 200\n"
