"""`python -m gridlang`."""

from gridlang.cli import main

main()
