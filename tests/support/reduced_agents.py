"""Agents whose output clauses cancel or replace letters, each in its own way."""

from __future__ import annotations

BALANCED = """
# Halts on brackets that match, and is stuck on others.
agent balanced
alphabet
  open = '(' | '['
  close = ')' | ']'
  used = '.'
input a = (open | close)*
output accept if cancel(a, "()", "[]") == "" else stuck
start seek
state seek
  open | used : R
  b in close : write '.', L -> partner(b)
  _ : L -> leftover
state partner(b in close)
  used : L
  open(b) : write '.', R -> seek
state leftover
  used : L
  _ : halt
"""

BACKSPACE = """
# Types letters; < takes the last one back.
agent backspace
alphabet
  letter = 'a' | 'b'
  erase  = '<'
  gone   = '.'
input w = (letter | erase)+
output cancel(cancel(w, "a<", "b<"), "<")
start read
state read
  letter | gone : R
  erase : write '.', L -> remove
  _ : L -> close
state remove
  gone : L
  letter : write '.', R -> read
  _ : R -> read
state close
  letter | gone : L
  _ : R -> pack
state pack
  letter : R
  gone : R -> seek
  _ : L -> wipe
state seek
  gone : R
  x in letter : write '.', L -> back(x)
  _ : L -> wipe
state back(x in letter)
  gone : L
  letter : R -> put(x)
  _ : R -> put(x)
state put(x in letter)
  gone : write x, R -> pack
state wipe
  gone : write _, L
  letter : halt
  _ : halt
"""

PARENTHESES = """
# Are the parentheses balanced? Leaves y or n.
agent paren
alphabet
  side = '(' | ')'
  mark = 'x'
  answer = 'y' | 'n'
input a = side*
output 'y' if cancel(a, "()") == "" else 'n'
start close
state close
  '(' : R
  'x' : R
  ')' : write 'x', L -> open
  _ : L -> check
state open
  'x' : L
  '(' : write 'x', R -> close
  _ : R -> bad
state check
  'x' : write _, L
  '(' : write _, L -> left
  _ : write 'y' -> halt
state left
  'x' | '(' : write _, L
  _ : write 'n' -> halt
state bad
  side | 'x' : R
  _ : L -> left2
state left2
  side | 'x' : write _, L
  _ : write 'n' -> halt
"""

REPLACED = """
# Writes b for a.
agent replaced
alphabet
  letter = 'a'..'c'
input w = letter+
output replace(w, "a", "b")
start go
state go
  'a' : write 'b', R
  letter except 'a' : R
  _ : halt
"""

REST = """
# Crosses out "ab" until none is left, and moves the rest together.
agent rest
alphabet
  letter = 'a' | 'b'
  gone = '.'
input w = letter*
output cancel(w, "ab")
start read
state read
  'a' | gone : R
  'b' : L -> before
  _ : L -> home
state before
  gone : L
  'a' : write '.', R -> clear
  'b' | _ : R -> pass
state pass
  gone : R
  'b' : R -> read
state clear
  gone : R
  'b' : write '.', R -> read
state home
  letter | gone : L
  _ : R -> pack
state pack
  letter : R
  gone : R -> seek
  _ : halt
state seek
  gone : R
  x in letter : write '.', L -> back(x)
  _ : L -> wipe
state back(x in letter)
  gone : L
  letter | _ : R -> put(x)
state put(x in letter)
  gone : write x, R -> pack
state wipe
  gone : write _, L
  letter | _ : halt
"""

UNDO = """
# Undo: u takes back the last of x and y that was not taken back. Keeps the rest, capital letters are done.
agent undo
alphabet
  key  = 'x' | 'y'
  done = marked(key, 'X')
  u    = 'u'
  hole = '.'
input keys = (key | u)*
output cancel(cancel(keys, "xu", "yu"), "u")
start read
state read
  k in key : write done(k), R
  u : write '.', L -> undo
  hole : R
  _ : L -> home
state undo
  hole : L
  done : write '.', R -> read
  _ : R -> read
state home
  done | hole : L
  _ : R -> pack
state pack
  k in done : write key(k), R
  hole : R -> seek
  _ : halt
state seek
  hole : R
  k in done : write '.', L -> carry(k)
  _ : L -> clean
state carry(k in done)
  hole : L
  key | _ : R -> drop(k)
state drop(k in done)
  hole : write key(k), R -> pack
state clean
  hole : write _, L
  key | _ : halt
"""
