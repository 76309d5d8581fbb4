"""Agents that compare two things of any length, by taking one off each until one of them is used up."""

from __future__ import annotations

# Takes a stroke off both ends, and is stuck where the second number is larger.
STROKES = """
agent strokes

alphabet
  one = '1'
  minus = '-'{more}

input a = one*, minus, b = one*{where}
output {output}

start right

state right
  one | minus : R
  _           : L -> cut_last

state cut_last
  one   : write _, L -> left
  minus : {enough}

state left
  one | minus : L
  _           : R -> cut_first

state cut_first
  one   : write _, R -> right
{short}
"""
LONGER = " where length(a) >= length(b)"
DIFFERENCE = 'repeat("1", length(a) - length(b))'
MONUS = STROKES.format(more="", where=LONGER, output=DIFFERENCE, enough="write _ -> halt", short="")
# With more strokes on the right it would run for ever.
ENDLESS = MONUS.replace("write _, R -> right", "write _, R -> right\n  minus : L -> left")
DISTANCE = STROKES.format(
    more="",
    where="",
    output=f'{DIFFERENCE} if length(a) >= length(b) else repeat("1", length(b) - length(a))',
    enough="write _ -> halt",
    short="  minus : write '1' -> halt",
)
WIPES = """
state wipe_left
  one : write _, L
  _   : halt

state wipe_right
  one : write _, R
  _   : halt
"""
LARGER = STROKES.format(
    more="\n  'y'\n  'n'",
    where="",
    output='"y" if length(a) >= length(b) else "n"',
    enough="write 'y', L -> wipe_left",
    short="  minus : write 'n', R -> wipe_right\n" + WIPES,
)
SAME_LENGTH = STROKES.format(
    more="",
    where="",
    output="accept if length(a) == length(b) else stuck",
    enough="write _, L -> end",
    short="\nstate end\n  _ : halt",
)

# As many of one letter as of the other, in any order.
SAME_COUNT = """
agent same_count

alphabet
  letter = 'a' | 'b'
  'x'

input w = letter*
output accept if count(w, "a") == count(w, "b") else stuck

start next

state next
  'x'         : R
  l in letter : write 'x', R -> other(l)
  _           : halt

state other(l in letter)
  l | 'x'         : R
  letter except l : write 'x', L -> back

state back
  any except _ : L
  _            : R -> next
"""
MAJORITY = """
agent majority

alphabet
  bit = 0..1
  'x'
  'y'
  'n'

input w = bit*
output "y" if count(w, "1") > count(w, "0") else "n"

start next

state next
  'x'      : R
  b in bit : write 'x', R -> other(b)
  _        : L -> wipe('n')

state other(b in bit)
  b | 'x'      : R
  bit except b : write 'x', L -> back
  _            : L -> wipe('y' if b == 1 else 'n')

state back
  any except _ : L
  _            : R -> next

state wipe(answer in 'y' | 'n')
  bit | 'x' : write _, L
  _         : write answer -> halt
"""

# Leaves the second of two words, which are of one length.
SECOND = """
agent second

alphabet
  one = '1'
  minus = '-'

input a = one*, minus, b = one+ where length(a) == length(b)
output repeat("1", length(a))

start first

state first
  one   : write _, R
  minus : write _, R -> done

state done
  one : halt
"""

ODD = """
agent odd

alphabet
  bit = 0..1

input a = bit+
output 1 if count(a, 1) mod 2 == 1 else 0

start even

state even
  0 : R
  1 : write 0, R -> odd
  _ : halt

state odd
  0 : R
  1 : write 0, R -> even
  _ : write 1 -> halt
"""

STROKES = """
agent strokes

alphabet
  one = 1
  '+'

input a = one+, '+', b = one+
output join(a, reverse(b))

start first

state first
  1 : write _, R -> rest

state rest
  1   : R
  '+' : write 1 -> halt
"""
