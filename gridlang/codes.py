"""Every diagnostic code, with its cause and its cure; `docs/reference/errors.md` is made from this."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """What `gridlang explain` says about a code."""

    code: str
    title: str
    cause: str
    cure: str
    wrong: str = ""
    right: str = ""


_ALL = [
    Code(
        "G001",
        "a file cannot be read",
        "The file is missing, is a folder, is not UTF-8 text, or is larger than any source should be.",
        "Check the path; save the file as UTF-8 text.",
    ),
    Code(
        "G002",
        "a character means nothing here",
        "The character is not part of the language. Typographic quotes and arrows often slip in.",
        "Type the plain form that the hint shows; quote it if it is a symbol of your alphabet.",
        "  _ : R → go",
        "  _ : R -> go",
    ),
    Code(
        "G003",
        "a quote is never closed",
        "A string or symbol must end on its line, a picture at the next triple quote.",
        "Close it. The quote itself as a symbol is written '\\''.",
        '  test "12+3 = "15"',
        '  test "12+3" = "15"',
    ),
    Code(
        "G004",
        "a quoted text is not a symbol",
        "A symbol is exactly one printable character that is not a space.",
        "Write one character between single quotes; strings have double quotes.",
        "  sign = '+-'",
        "  sign = '+' | '-'",
    ),
    Code(
        "G006",
        "a number is too large",
        "Numbers have at most nine digits.",
        "Use a smaller number.",
        "state count(n in 0..99999999999)",
        "state count(n in 0..99)",
    ),
    Code(
        "G007",
        "parentheses do not match",
        "Inside parentheses a line continues, so one that is never closed swallows what follows.",
        "Close it, or remove the extra one.",
        "  _ : R -> carry(1",
        "  _ : R -> carry(1)",
    ),
    Code(
        "G008",
        "something is nested too deeply",
        "Expressions may be nested up to a fixed depth.",
        "Split the expression, or name a part of it with a parameter.",
    ),
    Code(
        "G009",
        "a file cannot be written",
        "The folder does not exist, is not writable, or the disk is full. Nothing was changed.",
        "Name another place with -o.",
    ),
    Code(
        "G010",
        "a line does not follow the grammar",
        "At the marked place something else was expected.",
        "Compare the line with the form in the hint, or with docs/reference/language.md.",
        "  digit R",
        "  digit : R",
    ),
    Code(
        "G011",
        "a line belongs to no declaration",
        "A line starts with a declaring word, or stands below `state` or `alphabet`.",
        "Correct the word, or move the line below its state.",
        "sate seek",
        "state seek",
    ),
    Code(
        "G012",
        "a declaration is missing",
        "An agent has an `agent` line, a `start` line and at least one state.",
        "Add the line that the hint shows.",
    ),
    Code(
        "G013",
        "a line is given twice",
        "There is one `agent`, one `start`, one `input` and one `output` line.",
        "Keep one of them.",
    ),
    Code(
        "G014",
        "an agent taken from a file declares more",
        '`agent add2 = add(base = 2) from "add.grid"` takes everything from that file.',
        "Keep only the `agent` line and tests, or copy the file and change it.",
    ),
    Code(
        "G020",
        "there is no such state",
        "A rule or the `start` line leads to a state that is not declared.",
        "Correct the name, or declare the state.",
        "  _ : R -> shfit",
        "  _ : R -> shift",
    ),
    Code(
        "G021",
        "there is nothing of that name",
        "No class, parameter, bound symbol or function of that name is visible here.",
        "Correct it; quote it if it is a symbol; bind it with `d in CLASS` if it is the symbol read.",
        "  digt : R",
        "  digit : R",
    ),
    Code(
        "G022",
        "a name is declared twice",
        "States, classes and parameters that are visible together need different names.",
        "Rename one of them.",
    ),
    Code(
        "G023",
        "a word of the language is used as a name",
        "Words such as `if`, `write` and `state` are reserved. So are the moves U D L R S, except as "
        "names of states.",
        'Choose another name. A state may also be quoted: state "if". `-> halt` needs no state.',
        "state write",
        "state writing",
    ),
    Code(
        "G024",
        "the number of arguments is wrong",
        "A state, class or function is used with more or fewer arguments than it takes.",
        "Give as many as the declaration in the hint has.",
        "state carry(c in 0..1)\n  _ : R -> carry",
        "state carry(c in 0..1)\n  _ : R -> carry(0)",
    ),
    Code(
        "G025",
        "something is of the wrong kind",
        "Symbols and numbers, conditions, moves, classes and states cannot stand for each other.",
        "Use what is expected; to use the symbol that was read, bind it: `d in digit : …`.",
        "  digit : write digit, R",
        "  d in digit : write d, R",
    ),
    Code(
        "G026",
        "there is no such parameter",
        "-D, or an importing line, names a parameter that the agent does not have.",
        "Use one of its parameters.",
    ),
    Code(
        "G027",
        "a parameter has no value",
        "A parameter of the agent has no default, and none was given.",
        "Give it with -D NAME=VALUE, or write a default: `base in 2..10 = 10`.",
    ),
    Code(
        "G030",
        "a value is out of range",
        "An argument is not among the values of its parameter. The message names the instance.",
        "Keep it in range with min, max or mod, exclude the case with a guard, or widen the range.",
        "state n(v in 0..3)\n  1 : R -> n(v+1)",
        "state n(v in 0..3)\n  1 if v < 3 : R -> n(v+1)",
    ),
    Code(
        "G031",
        "a symbol is not in the alphabet",
        "What is written or matched must be declared under `alphabet`. A computed number is a symbol "
        "of the class it was computed from.",
        "Declare the symbol, or keep the number within its class with mod.",
        "  d in digit : write d+1, R",
        "  d in digit : write (d+1) mod 10, R",
    ),
    Code(
        "G032",
        "a division by zero",
        "The right side of `div` or `mod` is 0.",
        "Exclude the case with a guard.",
    ),
    Code(
        "G033",
        "a class is empty or too large",
        "A class has at least one symbol, and an alphabet a thousand at most.",
        "Ranges go upwards: 0..9, 'a'..'z'.",
        "  digit = 9..0",
        "  digit = 0..9",
    ),
    Code(
        "G034",
        "a parameter of the agent is out of range",
        "The value given by -D, by an importing line or by the default is not in the declared range.",
        "Give a value in the range that the hint shows.",
    ),
    Code(
        "G035",
        "a letter of a word cannot stand here",
        "`rule[c]` is letter c of the word `rule`, counted from 0. The word has no such letter, or the "
        "letter is not the move or symbol needed here.",
        "Look up places from 0 to length(rule) - 1; give the word letters that fit.",
        "  c in digit : rule[c]",
        "  c in digit if c < length(rule) : rule[c]",
    ),
    Code(
        "G036",
        "a word cannot be written",
        '`write "bc", R` writes b, moves, writes c and moves again. So it needs symbols, and a move '
        "other than S.",
        "Say which way the head moves from symbol to symbol.",
        '  _ : write "bc" -> home',
        '  _ : write "bc", R -> home',
    ),
    Code(
        "G037",
        "a marked class cannot be made",
        "`seen = marked(digit, 'A')` declares as many new symbols as `digit` has, from A on. They must "
        "be printable and not in the alphabet yet.",
        "Start at another letter, as the hint shows; put the class on a line of its own under `alphabet`.",
        "  digit = 0..9\n  seen  = marked(digit, '5')",
        "  digit = 0..9\n  seen  = marked(digit, 'A')",
    ),
    Code(
        "G040",
        "two rules match the same symbol",
        "Agents are deterministic: in each state at most one rule may match each symbol.",
        "Narrow one with `except` or a guard, or use `else` for what the others leave.",
        "  digit : R\n  0     : halt",
        "  digit except 0 : R\n  0              : halt",
    ),
    Code(
        "G041",
        "an idle rule changes the state",
        "A step that keeps its symbol and stays is the halt, so it cannot lead to another state.",
        "`as NAME` does what that state would do here, without a step. Or move, or write another "
        "symbol. To end the run, write `halt`.",
        "  _ : S -> next",
        "  _ : as next",
    ),
    Code(
        "G042",
        "`as` goes in a circle",
        "Each of these states does as the next one does, and none does anything.",
        "Let one of them move, write or halt.",
    ),
    Code(
        "G043",
        "there are too many states",
        "A family declares more than a million states, or more than ten thousand are reached.",
        "Give its parameters smaller ranges; keep numbers on the grid instead of in the state.",
        "state count(n in 0..999999999)",
        "state count(n in 0..99)",
    ),
    Code(
        "G044",
        "a state is instantiated without end",
        "A state passes a state built from itself to itself, so each use makes a new one.",
        "Pass the parameter itself.",
        "state loop(next: state)\n  0 : R -> loop(loop(next))",
        "state loop(next: state)\n  0 : R -> loop(next)",
    ),
    Code(
        "G050",
        "an imported file is missing",
        "Paths are relative to the importing file.",
        "Correct the path.",
    ),
    Code(
        "G051",
        "files import each other in a circle",
        "An agent comes from a file that, in the end, comes from itself.",
        "Let one of the files declare the states.",
    ),
    Code(
        "G052",
        "an imported file lies outside",
        "Only files in the importing file's folder or below can be imported.",
        "Move or copy the file there.",
    ),
    Code(
        "G053",
        "an imported file defines another agent",
        "The name behind `=` is that of the agent in the file.",
        "Use the name in the hint.",
    ),
    Code(
        "G054",
        "a used state needs something of its file",
        "A state used from another file brings the states it leads to, but no classes or parameters of "
        "that file. Its symbols are those of the agent.",
        "Give the state a parameter for it.",
        "state walk\n  digit : R",
        "state walk(over: class)\n  over : R",
    ),
    Code(
        "G055",
        "a library is not an agent",
        "A file that starts with `library` holds states for other files. It has no start and no "
        "alphabet, so it cannot be run.",
        'Write an agent that uses its states: use walk from "walks.grid".',
    ),
    Code(
        "G060",
        "a state cannot be reached",
        "No chain of rules leads from the start state to it. It is left out of the table.",
        "Remove it, or lead a rule to it.",
    ),
    Code(
        "G061",
        "a name is never used",
        "A class, parameter or bound symbol is declared and never mentioned.",
        "Remove it, or start its name with _ to keep it.",
        "  d in digit : R",
        "  digit : R",
    ),
    Code(
        "G062",
        "a rule can never fire",
        "Its guard is false, or its class is empty, in every instance that is reached.",
        "Remove it, or correct its guard.",
    ),
    Code(
        "G063",
        "a state has no rule for a symbol",
        "Listed by `check --missing`. Reading such a symbol ends a run as stuck.",
        "Nothing is wrong if it never happens; `else : halt` covers the rest.",
    ),
    Code(
        "G064",
        "a state has no rules",
        "It is stuck on every symbol.",
        "Add rules below it; `any : halt` ends the run there. If that is all, remove it and lead to "
        "`halt` instead.",
        "  _ : R -> done\nstate done",
        "  _ : R -> halt",
    ),
    Code(
        "G065",
        "`|` stands between commas",
        "In `input`, `|` binds tighter than `,`: 'c', 'm' | 'd' is a c and then an m or a d.",
        "Put parentheses around the choice, or around each of the choices, their commas inside.",
        "input ('c', 'm' | 'c', 'd')?",
        "input (('c', 'm') | ('c', 'd'))?",
    ),
    Code(
        "G066",
        "no short input meets the condition",
        "The `where` condition is false for each of the shortest texts of the declared form.",
        "Correct the condition, or say more in the parts and less in `where`: rare inputs cannot be drawn.",
        "input a = digit+ where a < 0",
        "input a = digit+ where a > 0",
    ),
    Code(
        "G070",
        "a symbol is not in the alphabet",
        "An input, a picture or a test has a character that the agent does not know.",
        "Use the agent's symbols; the blank is written _.",
    ),
    Code(
        "G071",
        "an input is not of the declared form",
        "The `input` line says which strings may stand on the grid at the start, and what they must meet.",
        "Follow it, or run any world you like with --world FILE.",
    ),
    Code(
        "G072",
        "a picture has no start cell, or several",
        "The head has to start somewhere.",
        "Put brackets around one cell.",
        "__#__",
        "__[#]__",
    ),
    Code(
        "G073",
        "a file holds no world",
        "A world is read from a picture (.txt), Golly's run lengths (.rle) or an array (.npy). This "
        "file is damaged, of another kind than its name says, or too large.",
        "Write it again with `gridlang run … -o world.rle`, or see docs/guide/worlds.md.",
    ),
    Code(
        "G074",
        "a world does not fit this kind of file",
        "The ending chooses the format: .txt, .png, .npy or .rle. The first three hold every cell of "
        "the bounding box, which may be huge; .rle has at most 255 symbols beside the blank.",
        "Name a file of another kind with -o; an .rle file takes a box of any size.",
    ),
    Code(
        "G075",
        "hardly any input meets the condition",
        "Inputs are drawn until one meets the `where` condition, and none of very many did.",
        "Say more in the parts and less in `where`, or ask for shorter inputs.",
        "input a = digit+, '=', b = digit+ where a == 123456789",
        "input '1', '2', '3', '=', b = digit+",
    ),
    Code(
        "G080",
        "a file is not a table",
        "The JSON is damaged, of another format, or breaks a rule of tables.",
        "Make it again with `gridlang compile FILE --to table`.",
    ),
    Code(
        "G081",
        "a file is not a model",
        "The file is damaged, of another format or version, or its tensors do not fit together.",
        "Make it again with `gridlang compile`, or check the tool that wrote it.",
    ),
    Code(
        "G082",
        "learned weights are not a table",
        "The tensors were learned, so no states can be read off them directly.",
        "Run them with `gridlang run --engine dfst`.",
    ),
    Code(
        "G083",
        "an agent is too large for tensors",
        "Exact tensors grow with the square of the states; more than fifty million weights are not made.",
        "`gridlang compile --minimize` may find fewer states; tables and C programs have no such limit.",
    ),
    Code(
        "G085",
        "two alphabets differ",
        "Agents can be compared only if they know the same symbols.",
        "Give both the same alphabet; the order does not matter.",
    ),
    Code(
        "G086",
        "a smaller table failed its check",
        "A minimised table did not do what the original does. Nothing was written.",
        "This is a bug in gridlang: please report it with the file.",
    ),
    Code(
        "G088",
        "a layout would change the program",
        "`fmt` reads its own result before it writes, and this one is a different program. The file "
        "was not changed.",
        "This is a bug in gridlang: please report it with the line shown.",
    ),
    Code(
        "G090",
        "an input or output clause makes no sense",
        "`output` speaks of the named parts of `input`, with numbers, text and conditions.",
        "See docs/reference/language.md for its functions.",
        "input a = digit+\noutput b + 1",
        "input a = digit+\noutput a + 1",
    ),
    Code(
        "G100",
        "a file holds no traces",
        "The file is damaged, cut short, of another format, or its rows do not fit together.",
        "Make it again with `gridlang trace FILE`, or check the tool that wrote it.",
    ),
    Code(
        "G101",
        "traces have another alphabet",
        "All the traces of one agent speak of the same symbols; their order does not matter.",
        "Check that the traces belong to this agent.",
    ),
    Code(
        "G102",
        "traces are not of this agent",
        "Two traces read the same and act differently, or a trace shows what the agent would not do.",
        "Keep the traces of each agent apart; record them again if the agent has changed.",
    ),
    Code(
        "G103",
        "there is nothing to record",
        "No inputs were given, or the agent is stuck before its first step on all of them.",
        "Give inputs on which the agent does something; `gridlang run` shows what it does.",
    ),
    Code(
        "G104",
        "traces are too large",
        "All traces are padded to the longest, and together they would take gigabytes.",
        "Record fewer, or cut them with --steps.",
    ),
    Code(
        "G105",
        "no inputs can be drawn",
        "The agent has no `input` line.",
        "Use `gridlang trace --rule worlds`, or add an `input` line.",
    ),
    Code(
        "G110",
        "there is nothing to compare a model with",
        "A model is evaluated in lockstep with its expert, and this one does not carry the expert's source.",
        "Name the expert with --against FILE.",
    ),
    Code(
        "G111",
        "the inputs of an evaluation are too long",
        "Every repetition in the input clause gets the length asked for; nested ones multiply.",
        "Ask for a smaller length.",
    ),
    Code(
        "G120",
        "a recipe cannot be used",
        "A recipe is a small TOML file of known settings: lr, schedule, warmup, clip, decay, batch, "
        "iterations, least, beta1, beta2, epsilon, dim. A section such as [task.add2] changes some for "
        "one agent.",
        "Correct the setting named; docs/guide/training.md lists all of them.",
        "learning_rate = 0.001",
        "lr = 0.001",
    ),
    Code(
        "G121",
        "a run cannot be resumed",
        "This folder already has a run, its checkpoints are damaged, or it began with other traces, "
        "settings or seeds. Nothing was changed.",
        "Resume with --resume and the same settings, choose another output with -o, or start over with "
        "--restart.",
    ),
    Code(
        "G122",
        "a device cannot be used",
        "There is no GPU, PyTorch is not installed or was built without CUDA, or there is too little memory.",
        "Use --device cpu, which needs a C compiler and no PyTorch; or train fewer seeds at once.",
    ),
    Code(
        "G123",
        "there is nothing to train",
        "A model was given instead of traces, the traces do not say how many states the agent has, or "
        "the models are too many and too large for one run.",
        "Give traces (.npz) or an agent (.grid), the number of states with --dim, and fewer --seeds.",
    ),
    Code(
        "G130",
        "a folder holds another sweep",
        "A job of this name began here with other traces, settings or seeds. Nothing was changed.",
        "Sweep into another folder, or repeat the job's settings.",
    ),
    Code(
        "G131",
        "two runs in one folder",
        "Another `train`, `learn` or `sweep` is running in this folder; the message names its process. "
        "A lock ends with its process.",
        "Wait for it to end, or name another folder.",
    ),
    Code(
        "G132",
        "Ray cannot be used",
        "Ray is not installed, or no cluster answers at the address that --ray or RAY_ADDRESS gives.",
        "Install it with `pip install gridlang[ray]`; start a cluster with `ray start --head` and give "
        "its address as --ray HOST:PORT, or start one here with --ray local; or do without it: --ray "
        "none.",
    ),
    Code(
        "G133",
        "a worker has another version",
        "All machines of a cluster need the gridlang version that starts the sweep.",
        "Install the same version on all of them.",
    ),
    Code(
        "G134",
        "two parts of a sweep have one name",
        "Job folders are named after data files and recipes.",
        "Rename one, or sweep into two folders.",
    ),
    Code(
        "G140",
        "there are no declared inputs to compare on",
        "`equiv --scope inputs` compares on the inputs that LEFT declares, and LEFT has no `input` clause.",
        "Declare the inputs in LEFT's source, or compare on all worlds with `--scope worlds`.",
    ),
    Code(
        "G141",
        "an input clause is too large to compare on",
        "The clause is turned into an automaton that reads inputs from the left; it has too many states.",
        "Compare on all worlds with `--scope worlds`, or write a clause with fewer parts.",
    ),
    Code(
        "G142",
        "there is nothing to certify",
        "A certificate holds a proof or a difference. Neither was found.",
        "Try another `--scope`.",
    ),
    Code(
        "G143",
        "a strict claim cannot be made",
        "`equiv --strict` also asks that RIGHT is stuck wherever LEFT is. That is not known for what "
        "was never observed, or for a model that was not taught where to be stuck.",
        "Use another `--scope`, learn the model with `learn --strict`, or compare with the table that "
        "`gridlang extract` writes.",
    ),
    Code(
        "G150",
        "a model does not say what its inputs are",
        "Its metadata have no input clause that fits its symbols, so there are no inputs to explore.",
        "Explore it on worlds with --scope worlds, or name the expert with --against FILE.",
    ),
    Code(
        "G151",
        "the hidden vectors of a model do not settle",
        "A model that follows a state graph has finitely many clusters of hidden vectors. This one "
        "keeps showing new ones: it has not converged, or it drifts.",
        "Train longer, or on more inputs and worlds. `gridlang eval MODEL --largest` says how far it "
        "is right; `gridlang extract --longest N` uses inputs of up to N only.",
    ),
    Code(
        "G152",
        "the clusters of a model overlap",
        "Hidden vectors that cannot be told apart act differently, so no state graph is known: the "
        "model has not converged, or it drifts. A model that is consistently wrong is not refused.",
        "Train longer, or on more inputs and worlds. `gridlang eval MODEL --largest` says how far it "
        "is right; `gridlang extract --longest N` uses inputs of up to N only.",
    ),
    Code(
        "G153",
        "a model is not sure what to do",
        "In a converged model one output leads by far. This one decides by a hair's breadth, or, "
        "without declared inputs, nothing at all.",
        "Train longer. With --against FILE, a model without inputs is followed where its expert has rules.",
    ),
    Code(
        "G154",
        "the vectors of a model cannot be snapped",
        "Snapped inference replaces each hidden vector by the centre of its cluster, which requires "
        "that every step of every centre follows the extracted graph. Here one does not: the clusters "
        "are too wide.",
        "Train longer, or run the weights as they are, without --snap.",
    ),
    Code(
        "G155",
        "no bound is known for a strict model",
        "The bound on float errors says how long the largest output stays the largest. A strict model "
        "also decides by whether any output is positive, which the bound does not cover.",
        "Extract it without --bound, or run it with --snap.",
    ),
    Code(
        "G160",
        "a run of `learn` is already here",
        "The folder holds rounds of an earlier run. They can be resumed only with the same agent, "
        "recipe, seeds and scope.",
        "Add --resume, or name another folder with --run.",
    ),
    Code(
        "G161",
        "a file of a run cannot be read",
        "A file that `learn` wrote was changed or damaged.",
        "Remove it; --resume makes it again.",
    ),
    Code(
        "G171",
        "a graph cannot be drawn in time",
        "Drawing has a time limit. The graph was written as text instead, to a .dot file beside, "
        "unless there is one.",
        "Fold families with --fold, or draw the .dot file with another program.",
    ),
    Code(
        "G172",
        "there is no run here",
        "`report` reads the folders of `train`, `sweep` and `learn`, and records of "
        "`benchmarks/paper.py` and `benchmarks/proofs.py`. This is neither.",
        "Name the folder of the run: NAME.run beside the model, NAME.learn, or that of `sweep -o`; or "
        "a record.",
    ),
    Code(
        "G173",
        "a file of a run cannot be understood",
        "The files of a run are JSON with certain fields. This one was changed, damaged, or written by "
        "another version.",
        "Report on a run of this version, or restore the file.",
    ),
    Code(
        "G174",
        "nothing turns an SVG into a PNG",
        "PNG files are made from SVG by the library resvg-py, which is not installed or failed.",
        "`pip install resvg-py`; or use the SVG.",
    ),
    Code(
        "G208",
        "these traces cannot teach a network",
        "A network always outputs something, so it cannot learn where an agent is stuck.",
        "Learn it with `--method dfst`, or trace it without `--strict`.",
    ),
    Code(
        "G209",
        "a network is not a DFST",
        "Error bounds and snapping rely on the products of a DFST. A GRU, an LSTM or a transformer has "
        "other equations.",
        "Use the table that `gridlang extract` writes; or train a DFST.",
    ),
    Code(
        "G210",
        "a transformer has no states to extract",
        "Extraction follows vectors that recur. A transformer keeps its whole past, or a window of it, "
        "which never recurs.",
        "Train a recurrent network with `--method gru` or `lstm`, or a DFST; `gridlang eval` tests a "
        "transformer step by step.",
    ),
    Code(
        "G227",
        "no machine was found",
        "The smallest consistent machine has more states than allowed, or was not found in time.",
        "Give `train --method sat` more `--seconds` and `--most-states`, or fewer traces; or learn by "
        "another method.",
    ),
    Code(
        "G212",
        "a log cannot be understood",
        "A log is CSV, JSON lines, Abbadingo's format or AALpy's data, recognised by its ending or "
        "beginning. This one has an unexpected column, value or line.",
        "Correct the place shown.",
        "trace,letter,answer",
        "trace,input,output",
    ),
    Code(
        "G213",
        "a log is not that of an agent",
        "An agent halts at its first step that writes what it reads and stays, and has at most 1,000 "
        "symbols. These runs continue after such a step, end differently, or are too many or too long.",
        "Leave out steps in which nothing happens, and columns of measurements.",
    ),
    Code(
        "G214",
        "two runs of a log contradict each other",
        "They read the same up to some step and then act differently. One of them is noise, or the log "
        "lacks something that the machine saw.",
        "Learn from it as it is (a model does what most runs do), or correct the log.",
    ),
    Code(
        "G215",
        "a pickle is not read",
        "Reading a pickle runs whatever program is in it.",
        "Write the runs with `json.dump`, or as CSV.",
    ),
    Code(
        "G216",
        "a cell reads other than it was left",
        "In a log of runs on a grid, a cell holds what was last written there. This one does not.",
        "Learn from it as it is, if something else writes on the grid; or correct the log.",
    ),
    Code(
        "G200",
        "the language server needs pygls",
        "`gridlang lsp` needs the library pygls.",
        "Install it with `pip install gridlang[lsp]`, where the editor finds the command `gridlang`.",
    ),
    Code(
        "G190",
        "pages cannot be served here",
        "The port is taken by another program, or needs rights that you do not have.",
        "Leave out --port to use a free one.",
    ),
    Code(
        "G194",
        "the tool behind a file is not known",
        "`import` recognises files of turingmachine.io, JFLAP, bbchallenge and AALpy by their endings "
        "(.yaml, .jff, .bb, .dot) or beginnings.",
        "Say which it is with --from turingmachine, jflap, bbchallenge or mealy-dot.",
    ),
    Code(
        "G191",
        "a file of another tool cannot be understood",
        "The file is damaged, or uses a part of the format that is not supported: entities in XML, "
        "anchors in YAML, subgraphs in DOT.",
        "Save it again with its tool, or correct the place shown.",
    ),
    Code(
        "G192",
        "a machine of another tool is not an agent",
        "An agent is deterministic, has one head, and reads one symbol per step. This machine has "
        "several tapes, choices, or steps that read nothing.",
        "Change the machine with its tool: JFLAP, for instance, turns an automaton into a deterministic one.",
    ),
    Code(
        "G193",
        "an agent does not fit the format of another tool",
        "Turing machines keep to one row, bbchallenge has ten symbols and 25 states, and a Mealy "
        "machine goes over its input once, from left to right.",
        "Choose another target: `--to table` and `--to grid` express every agent.",
    ),
    Code(
        "G195",
        "a submission does not fit the inputs",
        "A submission runs on the expert's declared inputs, so its alphabet must have their symbols. "
        "It must not take its states from the expert's file.",
        "Declare the symbols named under `alphabet`.",
    ),
    Code(
        "G196",
        "an expert breaks its own `output` clause",
        "On this input the expert leaves something other than its `output` clause says, so one of them "
        "is wrong.",
        "Run `gridlang test` on the expert, and correct it or its clause.",
    ),
    Code(
        "G197",
        "there are no submissions, or far too many",
        "The named folders hold no files, or thousands. Hidden files and the expert do not count.",
        "Name the files of the class, or a folder with them.",
    ),
    Code(
        "G201",
        "there is no playground here, and it cannot be built",
        "The playground is a folder of static files, built with npm from a checkout, or contained in a "
        "wheel.",
        "In a checkout, with Node.js 20 or newer: `python -m compiler.playground.build`.",
    ),
    Code(
        "G202",
        "two traces read the same and act differently",
        "An agent acts the same after the same reads, so no agent made both traces: they are noisy, or "
        "of two agents. The message names the traces and the step.",
        "Use traces of one agent without noise, or `gridlang learn --noisy`.",
    ),
    Code(
        "G203",
        "a trace does not end as it says",
        "A trace that ends `halted` ends with a step that keeps its symbol and stays; no other step does.",
        "End the trace with that step, or say that it was cut.",
    ),
    Code(
        "G204",
        "the traces cannot be merged like this",
        "The order is `evidence` or `breadth`. Traces that need more states than a table may have "
        "hardly ever come from one agent.",
        "Use one of the two orders, and more traces.",
    ),
    Code(
        "G205",
        "the smallest machine needs python-sat",
        "`--method sat` needs the library python-sat.",
        "`pip install python-sat`, or `pip install 'gridlang[sat]'`.",
    ),
    Code(
        "G207",
        "the traces of a certificate cannot be found",
        "A certificate of minimality is about traces, which it binds by their digest and does not hold.",
        "Name their file: `gridlang verify NAME.minimality.json --traces traces.npz`.",
    ),
    Code(
        "G220",
        "traces are corrupted already",
        "These traces already contain noise, so the recorded rate would be wrong.",
        "Corrupt the original traces.",
    ),
    Code(
        "G221",
        "traces that show where an agent is stuck cannot be cleaned",
        "`learn --noisy` decodes reads, writes and moves. A step on which the agent is stuck has no "
        "write and no move.",
        "Record the traces without --strict.",
    ),
    Code(
        "G222",
        "the noise in traces is too strong",
        "The likeliest table still calls more than half of the reads, writes or moves noise: the right "
        "table was not found, or the traces are not of an agent.",
        "Give more traces, more --rounds, or --dim if the number of states is not known.",
    ),
]
CODES = {entry.code: entry for entry in _ALL}


def explanation(entry: Code) -> str:
    """The text of `gridlang explain CODE`."""
    parts = [f"{entry.code}: {entry.title}", "", entry.cause, "", f"Cure: {entry.cure}"]
    for title, sample in (("Instead of", entry.wrong), ("write", entry.right)):
        if sample:
            parts += ["", f"{title}:", "", *(f"    {line}" for line in sample.split("\n"))]
    return "\n".join(parts)


def reference() -> str:
    """The text of `docs/reference/errors.md`."""
    lines = [
        "# Diagnostics",
        "",
        "Every code that gridlang prints, with a cause and a cure. `gridlang explain CODE` shows the same.",
        "",
    ]
    for entry in CODES.values():
        lines += [f"## {entry.code}: {entry.title}", "", entry.cause, "", f"**Cure.** {entry.cure}", ""]
        for title, sample in (("Instead of", entry.wrong), ("write", entry.right)):
            if sample:
                lines += [title, "", "```", *sample.split("\n"), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(reference(), end="")
