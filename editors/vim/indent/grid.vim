" Indentation of .grid files: lines of declarations stand at the left, those of an alphabet or a state below them.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=GetGridIndent(v:lnum) nolisp nosmartindent autoindent
setlocal indentkeys=!^F,o,O,0),<:>
for s:word in ['agent', 'library', 'use', 'alphabet', 'let', 'input', 'output', 'start', 'state', 'test']
  execute 'setlocal indentkeys+=0=' . s:word
endfor
let b:undo_indent = 'setlocal indentexpr< indentkeys< lisp< smartindent< autoindent<'

if exists('*GetGridIndent')
  finish
endif

let s:header = '^\s*\%(agent\|library\|use\|alphabet\|let\|input\|output\|start\|state\|test\)\>'

function s:InText(line) abort
  return synIDattr(synID(a:line, 1, 1), 'name') =~# '^gridPicture'
endfunction

function s:Code(line) abort
  return substitute(getline(a:line), '"\%(\\.\|[^"\\]\)*"\|''\%(\\.\|[^''\\]\)*''\|#.*', '', 'g')
endfunction

function GetGridIndent(line) abort
  " A picture is as it is drawn, and a comment may belong to what follows, which nobody knows yet.
  if s:InText(a:line) || getline(a:line) =~# '^\s*\%("""\|#\)'
    return -1
  endif
  if getline(a:line) =~# s:header
    return 0
  endif
  let above = prevnonblank(a:line - 1)
  while above > 0 && (s:InText(above) || getline(above) =~# '^\s*#')
    let above = prevnonblank(above - 1)
  endwhile
  if above == 0
    return 0
  endif
  let code = s:Code(above)
  let open = count(code, '(') - count(code, ')')
  if open > 0
    return indent(above) + (getline(a:line) =~# '^\s*)' ? 0 : shiftwidth())
  endif
  if open < 0 || getline(a:line) =~# '^\s*)'
    return max([0, indent(above) - (code =~# '^\s*)' ? 0 : shiftwidth())])
  endif
  if code =~# '^\s*\%(alphabet\|state\)\>'
    return shiftwidth()
  endif
  return code =~# s:header ? 0 : indent(above)
endfunction
