"""The documentation as a site: `python docs/build.py` writes it to build/site.

    python docs/build.py --check      builds it, and checks every link and anchor, those of the README too
    python docs/build.py --serve      shows it at http://127.0.0.1:8000, and again at every change
    python docs/build.py --figure     runs the round trip anew, and draws its figure

It needs `pip install -c constraints.txt -e ".[docs]"`, and for the playground Node.js with npm, which fetches
what the page is made of when it is first built.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "site"
# Material tells at each start what MkDocs 2 will break; constraints.txt pins what is used here.
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="build it and check all links")
    what.add_argument("--serve", action="store_true", help="show it in a browser while writing")
    what.add_argument(
        "--figure", action="store_true", help="make docs/assets/round-trip.svg again from a real run"
    )
    options = parser.parse_args()
    if options.figure:
        from building.round_trip import make

        make()
        return 0
    if options.serve:
        if not (ROOT / "compiler" / "playground" / "dist" / "index.html").exists():
            build_playground()
        return _mkdocs("serve", "--dev-addr", "127.0.0.1:8000")
    # A check takes the playground that is there: building it is checked by its own tests.
    status = 0 if options.check else build_playground()
    status = status or _mkdocs("build", "--clean", "--quiet", *(["--strict"] if options.check else []))
    if status == 0 and options.check:
        return check()
    if status == 0:
        print(f"wrote {SITE.relative_to(ROOT)}")
    return status


def _mkdocs(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "mkdocs", *words], cwd=ROOT, env=ENVIRONMENT).returncode


def build_playground() -> int:
    """Builds the page that the site then takes along; without npm the site goes without it."""
    if not (ROOT / "compiler" / "playground" / "build.py").exists():
        return 0
    if not shutil.which("npm"):
        print("without the playground: it is made with npm, which comes with Node.js", file=sys.stderr)
        return 0
    return subprocess.run(
        [sys.executable, "-m", "gridlang.compiler.playground.build"], cwd=ROOT, env=ENVIRONMENT
    ).returncode


def check() -> int:
    """Prints links that lead nowhere; the exit status is 1 if there are any."""
    from building.links import broken_repository_links, broken_site_links

    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    broken = [*broken_site_links(SITE), *broken_repository_links(ROOT, pages)]
    print(*broken, sep="\n", end="\n" if broken else "")
    built = len(list(SITE.rglob("*.html")))
    print(
        f"{built} pages; {len(broken)} links are broken"
        if broken
        else f"{built} pages; every link leads somewhere"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
