" Settings for .grid files: comments, two spaces, names of files behind `from`, and what `gridlang` checks and formats.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal suffixesadd=.grid include=\\<from\\>
" :make checks the file, and gggqG lays it out.
setlocal makeprg=gridlang\ check\ %:S formatprg=gridlang\ fmt\ -
setlocal errorformat=%E%trror[G%n]:\ %m,%W%tarning[G%n]:\ %m,%I%tote[G%n]:\ %m,%C%*\\s-->\ %f:%l:%c,%C%*\\s=\ %m,%-C%.%#,%-G%.%#

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< expandtab< shiftwidth< softtabstop<'
      \ . ' suffixesadd< include< makeprg< formatprg< errorformat<'
