" Colours of .grid files: agents that live on a grid.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax sync minlines=200
syntax iskeyword @,48-57,_,192-255

" Words of one kind of line are contained in it; elsewhere they are names.
syntax keyword gridImport contained from
syntax keyword gridWhere contained where
syntax keyword gridAcceptance contained accept stuck
syntax keyword gridTestWord contained halts stuck loops after within steps step state
syntax keyword gridDeclaration contained agent library use alphabet let input output start state test
syntax match gridKind contained /:\s*\%(move\|class\|state\|word\)\>/hs=s+1

syntax keyword gridConditional if else
syntax keyword gridStatement write halt as
syntax keyword gridOperatorWord and or not div mod in except
syntax keyword gridAny any
syntax match gridBlank /\<_\>/
syntax match gridMove /\<[UDLRS]\>/
syntax match gridNumber /\<\d\+\%(_\d\+\)*\>/
syntax match gridOperator /->\|\.\.\|[=!<>]=\|[-<>=+*^|?]/
syntax match gridFunction /\<\%(reverse\|sorted\|join\|repeat\|cancel\|replace\|every\|count\|length\|number\|value\|text\|sqrt\|min\|max\|left\|right\|back\|marked\)\>\ze\s*(/
syntax match gridState /\%(->\s*\)\@<=\%(halt\>\)\@!\<\h\k*/
syntax match gridState /\%(\<as\s\+\)\@<=\%(halt\>\)\@!\<\h\k*/
syntax match gridClass /^\s*\zs\%(_\>\)\@!\h\k*\ze\s*=\%(=\)\@!/

syntax match gridEscape contained /\\./
syntax match gridHead contained /\[[^[:space:]\[\]]\]/
syntax region gridString start=/"/ skip=/\\./ end=/"/ end=/$/ oneline contains=gridEscape
syntax region gridSymbol start=/'/ skip=/\\./ end=/'/ end=/$/ oneline contains=gridEscape
syntax region gridPicture start=/"""/ end=/"""/ contains=gridHead keepend
syntax match gridComment /#.*/ contains=gridTodo,@Spell
syntax keyword gridTodo contained TODO FIXME XXX

syntax cluster gridParts contains=gridConditional,gridStatement,gridOperatorWord,gridAny,gridBlank,gridMove,gridNumber,gridOperator,gridFunction,gridState,gridString,gridSymbol,gridPicture,gridComment
syntax region gridAgentLine start=/^\s*\%(agent\|library\|use\)\>/ end=/$/ transparent contains=@gridParts,gridDeclaration,gridImport,gridKind,gridParentheses
syntax region gridStateLine start=/^\s*state\>/ end=/$/ transparent contains=@gridParts,gridDeclaration,gridKind,gridStateName,gridParentheses
syntax region gridInputLine start=/^\s*input\>/ end=/$/ transparent contains=@gridParts,gridDeclaration,gridWhere
syntax region gridOutputLine start=/^\s*output\>/ end=/$/ transparent contains=@gridParts,gridDeclaration,gridAcceptance
syntax region gridTestLine start=/^\s*test\>/ end=/$/ transparent contains=@gridParts,gridTest,gridTestWord
syntax match gridDeclarationWord /^\s*\zs\%(alphabet\|let\|start\)\>/
syntax match gridTest contained /^\s*\zstest\>/
syntax match gridStateName contained /\%(\<state\s\+\|,\s*\)\@<=\h\k*\ze\s*\%($\|[,(#]\)/
syntax region gridParentheses contained start=/(/ end=/)/ end=/^\ze\%(agent\|library\|use\|alphabet\|let\|input\|output\|start\|state\|test\)\>/ transparent contains=@gridParts,gridKind,gridParentheses,gridImport

highlight default link gridDeclaration Keyword
highlight default link gridDeclarationWord Keyword
highlight default link gridTest Keyword
highlight default link gridImport Include
highlight default link gridWhere Keyword
highlight default link gridAcceptance Constant
highlight default link gridTestWord Statement
highlight default link gridKind Type
highlight default link gridConditional Conditional
highlight default link gridStatement Statement
highlight default link gridOperatorWord Operator
highlight default link gridAny Constant
highlight default link gridBlank Constant
highlight default link gridMove Special
highlight default link gridNumber Number
highlight default link gridOperator Operator
highlight default link gridFunction Function
highlight default link gridState Identifier
highlight default link gridStateName Identifier
highlight default link gridClass Type
highlight default link gridEscape SpecialChar
highlight default link gridHead SpecialChar
highlight default link gridString String
highlight default link gridSymbol Character
highlight default link gridPicture String
highlight default link gridComment Comment
highlight default link gridTodo Todo

let b:current_syntax = 'grid'
