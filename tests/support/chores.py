"""Work that ends in each of the ways that work can; it imports nothing, since each process that does it starts anew."""

import os
import time


def chore(what: str) -> str:
    if what == "fails":
        raise ValueError("no such luck")
    if what == "dies":
        os._exit(7)
    if what == "lasts":
        time.sleep(60)
    return what.upper()
