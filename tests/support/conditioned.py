"""Agents whose inputs meet a condition that finite machines decide."""

DECREMENT = """
agent decrement(base in 2..10 = 2)
alphabet
  digit = 0..base-1
input a = digit+ where {}
output a - 1
start seek
state seek
  digit : R
  _     : L -> less
state less
  0                   : write base - 1, L
  d in digit if d > 0 : write d - 1, R -> halt
"""
PAIRS = """
agent pairs
alphabet
  letter = 'a'..'b'
input w = letter+ where length(w) mod 2 == 0
output w
start one
state one
  letter : R -> two
  _      : L -> halt
state two
  letter : R -> one
"""
