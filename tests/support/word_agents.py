"""Agents that make words of words, each in its own way."""

from __future__ import annotations

LEFT_COPY = """
# Writes a word a second time in front of itself, from its last letter on.
agent left_copy
alphabet
  letter = 'a'..'c'
  done   = marked(letter, 'A')
input w = letter+
output join(w, w)
start right
state right
  letter : R
  done   : L -> take
  _      : L -> take
state take
  x in letter : write done(x), L -> carry(x)
  done : L
  _ : R -> restore
state carry(x in letter)
  letter | done : L
  _ : write done(x), R -> skip
state skip
  done : R
  letter : R -> right
  _ : L -> restore
state restore
  x in done : write letter(x), L
  letter : L
  _ : halt
"""

MIRROR = """
# Writes a word backwards behind itself.
agent mirror
alphabet
  letter = 'a' | 'b'
  done   = marked(letter, 'A')
input w = letter+
output join(w, reverse(w))
start right
state right
  letter : R
  done | _ : L -> take
state take
  x in letter : write done(x), R -> carry(x)
  _ : R -> restore
state carry(x in letter)
  done : R
  _ : write done(x), L -> back
state back
  done : L
  letter | _ : R -> last
state last
  done : L -> take
state restore
  x in done : write letter(x), R
  _ : halt
"""

BEHIND = """
# Turns a word around behind itself, and wipes it: the last letter goes first.
agent behind
alphabet
  letter = 'a' | 'b' | 'c'
  gone = '.'
input w = letter+
output reverse(w)
start right
state right
  letter : R
  _ : write '.', L -> take
state take
  x in letter : write '.', R -> carry(x)
  gone : L
  _ : R -> wipe
state carry(x in letter)
  letter | gone : R
  _ : write x, L -> back
state back
  letter : L
  gone : L -> take
state wipe
  gone : write _, R
  letter : halt
"""

GLUE = """
# Moves the second word to the first one: ab#ba becomes abba.
agent glue
alphabet
  letter = 'a' | 'b'
  sign = '#'
input a = letter+, '#', b = letter+
output join(a, b)
start find
state find
  letter : R
  sign : R -> pull
state pull
  x in letter : write '#', L -> put(x)
  _ : L -> last
state put(x in letter)
  sign : write x, R -> on
state on
  sign : R -> pull
state last
  sign : write _, L -> last
  letter : halt
"""

LENGTHS = """
agent lengths
alphabet
  letter = 'a' | 'b'
input w = letter+
output join(w, repeat('a', length(w)))
start only
state only
  letter : R
  _ : halt
"""

EVENS_FIRST = """
# The letters at even places come first; those at odd places stay, as capitals, and make room.
agent evens_first
alphabet
  letter  = 'a' | 'b'
  capital = marked(letter, 'A')
input w = letter+
output join(every(w, 2, 2), every(w, 1, 2))
start odd
state odd
  x in letter : write capital(x), R -> even
  _           : L -> restore
state even
  x in letter : write _, L -> front(x)
  _           : L -> restore
state front(x in letter)
  capital    : L
  letter | _ : R -> push(x)
state push(x in letter | capital)
  y in capital : write x, R -> push(y)
  _            : write x, R -> odd
state restore
  x in capital : write letter(x), L
  letter | _   : halt
"""

ODDS_ALONE = """
# Only the letters at odd places remain, moved together.
agent odds_only
alphabet
  letter  = 'a' | 'b'
  gap = '.'
input w = letter+
output every(w, 1, 2)
start odd
state odd
  x in letter : write '.', L -> front(x)
  _           : L -> wipe
state front(x in letter)
  gap : L
  letter | _ : R -> put(x)
state put(x in letter)
  gap : write x, R -> back
state back
  gap : R
  letter : write '.', R -> odd
  _ : L -> wipe
state wipe
  gap : write _, L
  letter : halt
"""

ROTATE = """
# Carries the first letter to the end.
agent rotate
alphabet
  letter = 'a'..'c'
input x = letter, w = letter*
output join(w, x)
start take
state take
  l in letter : write _, R -> carry(l)
state carry(l in letter)
  letter : R
  _ : write l -> done
state done
  any : halt
"""

COUNTED = """
# Leaves two letters and the digits behind them as they are.
agent counted
alphabet
  digit  = 0..1
  letter = 'a' | 'b'
input w = letter{2}, x = digit+
output join(w, x)
start go
state go
  digit | letter : R
  _ : halt
"""
