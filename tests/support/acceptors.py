"""Acceptors: agents whose verdict is whether they halt or are stuck."""

from __future__ import annotations

from gridlang.loading import loads

# It halts on binary multiples of three and is stuck on all other numbers.
DIV3 = loads("""
agent div3
alphabet
  bit = 0..1
input bit+
start rest(0)
state rest(r in 0..2)
  b in bit    : R -> rest((2 * r + b) mod 3)
  _ if r == 0 : halt
""").table
# The same, with a clause that says so.
THIRDS = """
agent thirds
alphabet
  bit = 0..1
input a = bit+
output accept if a mod 3 == 0 else stuck
start rest(0)
state rest(n in 0..2)
  b in bit : R -> rest((2*n + b) mod 3)
  _ if n == 0 : halt
"""
# It halts on all of them.
EVERYTHING = loads("""
agent everything
alphabet
  bit = 0..1
input bit+
start go
state go
  bit : R
  _   : halt
""").table
