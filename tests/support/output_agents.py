"""Agents whose output clauses can be said column by column, or on a folded tape, and are proven."""

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
  digit = 0..3
input a = digit+
output a mod 3
start rest(0)
state rest(r in 0..2)
  d in digit : write _, R -> rest((4*r + d) mod 3)
  _          : write r, R -> done
state done
  any : halt
"""
TALLY = """
agent tally
alphabet
  bit = 0..1
  sign = '+'
input a = bit+, sign, b = bit+
output a + b
start seek
state seek
  bit | sign : R
  _         : L -> less
state less  # takes one from b, until there is nothing left of it
  0   : write 1, L
  1   : write 0, L -> back
  sign : R -> clean
state back
  bit : L
  sign : L -> more
state more  # and gives it to a
  0 | _ : write 1, R -> seek
  1     : write 0, L
state clean
  bit : write _, R
  _   : L -> end
state end
  _   : L
  sign : write _, L -> done
state done
  any : halt
"""
LENGTH = """
agent length
alphabet
  letter = 'a'..'b'
  one = '1'
input w = letter*
output repeat('1', length(w))
start go
state go
  letter : write '1', R
  _      : R -> halt
"""
LATE = """
agent late
alphabet
  letter = 'a'..'b'
input w = 'a'*
output reverse(w)
start go(0)
state go(n in 0..14)  # errs on the fifteenth
  'a' if n < 14  : R -> go(n + 1)
  'a' if n == 14 : write 'b', R -> halt
  _              : R -> halt
"""
WEIGH = """
agent weigh
alphabet
  digit = 0..2
  sign = '+' | '-'
input a = digit+, '+' | '-', b = digit+
output 2 * b + a + 1
start again(0)
state again(n in 0..1)  # one more for a, or two for each of b
  digit               : R
  sign if n == 0 : L -> more(1)
  sign if n == 1 : R -> seek
state more(n in 0..1)
  0 | _ : write 1, R -> again(n)
  1     : write 2, R -> again(n)
  2     : write 0, L
state seek
  digit : R
  _     : L -> less
state less
  0         : write 2, L
  d in 1..2 : write d - 1, L -> back
  sign : R -> clean
state back
  digit     : L
  sign : L -> more(0)
state clean
  digit : write _, R
  _     : L -> end
state end
  _         : L
  sign : write _, L -> done
state done
  any : halt
"""
ON_STRIPS = {"parity": PARITY, "words": WORDS, "double": DOUBLE, "half": HALF, "copy": COPY, "rest": REST}
FOLDED = {"tally": TALLY, "weigh": WEIGH}
AGENTS = {**ON_STRIPS, **FOLDED}
TWICE = """
agent twice
alphabet
  one  = '1'
  mark = 'x' | 'y'  # strokes, and their copies
input a = one+
output repeat("1", 2 * length(a))
start next
state next
  one  : write 'x', R -> copy
  mark : R
  _    : L -> clean
state copy
  one | 'y' : R
  _         : write 'y', L -> back
state back
  one | 'y' : L
  'x'       : R -> next
state clean
  mark : write '1', L
  one  : L
  _    : R -> halt
"""
