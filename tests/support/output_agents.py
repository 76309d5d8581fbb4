"""Agents whose output clauses can be said column by column, and are proven."""

PARITY = """
agent parity
alphabet
  bit = 0..1
input a = bit+
output 1 if count(a, 1) mod 2 == 1 else 0
start go(0)
state go(p in 0..1)  # eats the word and leaves the parity behind it
  b in bit : write _, R -> go((p + b) mod 2)
  _        : write p, L -> done
state done
  any : halt
"""
WORDS = """
agent words
alphabet
  bit = 0..1
  letter = 'e' | 'o' | 'v' | 'n' | 'd'
input a = bit+
output "odd" if a mod 2 == 1 else "even"
start first
state first  # the verdict begins where the input did
  any : as seek
state seek
  bit : R
  _   : L -> last
state last
  0 : write _, L -> back(0)
  1 : write _, L -> back(1)
state back(p in 0..1)
  bit : write _, L
  _   : R -> say(p, 0)
state say(p in 0..1, i in 0..4)
  any if p == 1 and i == 0 : write 'o', R -> say(p, 1)
  any if p == 1 and i == 1 : write 'd', R -> say(p, 2)
  any if p == 1 and i == 2 : write 'd', R -> say(p, 4)
  any if p == 0 and i == 0 : write 'e', R -> say(p, 1)
  any if p == 0 and i == 1 : write 'v', R -> say(p, 2)
  any if p == 0 and i == 2 : write 'e', R -> say(p, 3)
  any if p == 0 and i == 3 : write 'n', R -> say(p, 4)
  any if i == 4            : halt
"""
DOUBLE = """
agent double
alphabet
  digit = 0..2
input a = digit+
output 2 * a + 1
start seek
state seek
  digit : R
  _     : L -> carry(1)
state carry(c in 0..1)
  d in digit  : write (2*d + c) mod 3, L -> carry((2*d + c) div 3)
  _ if c == 0 : halt
  _ if c > 0  : write c, L -> carry(0)
"""
HALF = """
agent half
alphabet
  digit = 0..9
input a = digit+
output a div 2
start rest(0)
state rest(r in 0..1)
  d in digit : write (10*r + d) div 2, R -> rest((10*r + d) mod 2)
  _          : halt
"""
COPY = """
agent copy
alphabet
  letter = 'a' | 'b'
  mark   = 'x'
input a = letter+, 'x'
output a
start go
state go  # wipes the mark
  letter : R
  mark   : write _, L -> back
state back
  letter : L
  _      : halt
"""
REST = """
agent rest
alphabet
  digit = 0..9
input a = digit+
output a mod 7
start rest(0)
state rest(r in 0..6)
  d in digit : write _, R -> rest((10*r + d) mod 7)
  _          : write r, R -> done
state done
  any : halt
"""
AGENTS = {"parity": PARITY, "words": WORDS, "double": DOUBLE, "half": HALF, "copy": COPY, "rest": REST}
