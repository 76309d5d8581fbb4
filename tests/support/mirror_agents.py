"""Agents that tell whether a word reads the same from both ends, each in its own way."""

from __future__ import annotations

# Bars over letters that were compared; where they differ it is stuck.
PALINDROMES = """
agent palindromes

alphabet
  letter = 'a' | 'b'
  '#'

input w = letter*
output accept if reverse(w) == w else stuck

start first

state first
  x in letter : write '#', R -> carry(x)
  '#' | _     : halt

state carry(x in letter)
  letter  : R
  '#' | _ : L -> compare(x)

state compare(x in letter)
  x   : write '#', L -> back
  '#' : halt

state back
  letter : L
  '#'    : R -> first
"""

# From the right end, on binary numbers; it goes on where digits differ, and says so at last, in digits.
FROM_THE_RIGHT = """
agent from_the_right

alphabet
  digit = 0..1

input a = digit+
output 0 if a != reverse(a) else 1

start seek(1)

state seek(ok in 0..1)
  digit : R
  _     : L -> last(ok)

state last(ok in 0..1)
  d in digit : write _, L -> carry(d, ok)
  _          : write ok -> done

state carry(d in digit, ok in 0..1)
  digit : L
  _     : R -> compare(d, ok)

state compare(d in digit, ok in 0..1)
  e in digit if e == d : write _, R -> seek(ok)
  e in digit if e != d : write _, R -> seek(0)
  _                    : write ok -> done

state done
  any : halt
"""

# Two letters at a time, between brackets; the verdict is a word.
BRACKETED = """
agent bracketed

alphabet
  letter = 'a' | 'b'
  '<'
  '>'
  said   = 'y' | 'e' | 's' | 'n' | 'o'

input '<', w = letter*, '>'
output "no" if not w == reverse(w) else "yes"

start open

state open
  '<' : write _, R -> first

state first
  x in letter : write _, R -> carry(x)
  '>'         : write 'y', R -> yes

state carry(x in letter)
  letter : R
  '>'    : write _, L -> take(x)

state take(x in letter)
  y in letter : write '>', L -> both(x, y)
  _           : write 'y', R -> yes

state both(x in letter, y in letter)
  letter if x == y : L -> back
  letter if x != y : R -> wrong
  _ if x == y      : R -> first
  _ if x != y      : R -> wrong

state back
  letter : L
  _      : R -> first

state wrong
  '>' : write _, L -> wipe

state wipe
  letter : write _, L
  _      : write 'n', R -> no

state no
  _ : write 'o' -> done

state yes
  _ : write 'e', R -> end

state end
  _ : write 's' -> done

state done
  any : halt
"""

# The same in numbers of two digits.
IN_NUMBERS = (
    BRACKETED.replace("said   = 'y' | 'e' | 's' | 'n' | 'o'", "digit  = 0..1")
    .replace('"no" if not w == reverse(w) else "yes"', "2 if not w == reverse(w) else 3")
    .replace("'y'", "1")
    .replace("'e', R -> end", "1 -> done")
    .replace("state end\n  _ : write 's' -> done\n", "")
    .replace("'n'", "1")
    .replace("'o'", "0")
)
