(** What a certificate claims, as its bytes are read. Like Statement.v, this must be believed. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Windows.
From Gridlang Require Export Clauses.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

(** * Tables *)
Definition move_of (s : text) : option move :=
  if text_eqb s (text_of "U") then Some MU
  else if text_eqb s (text_of "D") then Some MD
  else if text_eqb s (text_of "L") then Some ML
  else if text_eqb s (text_of "R") then Some MR
  else if text_eqb s (text_of "S") then Some MS
  else None.

Definition rule_of (symbols states : numbers) (j : json) : option (Statement.state * symbol * entry) :=
  match j with
  | List [Str p; Str s; Str w; Str m; Str q] =>
      let? p := number_of states p in let? s := number_of symbols s in let? w := number_of symbols w in
      let? m := move_of m in let? q := number_of states q in
      let? _ := guard (negb ((s =? w) && Joint.move_eqb m MS) || (p =? q)) in
      Some (p, s, (w, m, q))
  | _ => None
  end.

(** No pair of a state and a symbol has two rules. *)
Fixpoint once (m : rows) (r : rules) : bool :=
  match r with
  | [] => true
  | (p, s, e) :: r =>
      match find_rule m p s with
      | Some _ => false
      | None => once (PM.add (Maps.key p) (PM.add (Maps.key s) e (row m p)) m) r
      end
  end.

(** The symbols of a table; the first is the blank. *)
Definition symbols_of (table : json) : option (list text) :=
  let? l := field "symbols" table in let? l := each letter l in
  let? blank := field "blank" table in
  let? _ := guard (is_text "_" blank && match l with [c] :: _ => (c =? 95) | _ => false end) in
  Some l.

(** Rules by the numbers of LEFT's symbols; state 0 is the start. *)
Definition rules_of (symbols : numbers) (table : json) : option (N * rules) :=
  let? l := field "states" table in let? l := each letters l in let? states := numbering l in
  let? start := field "start" table in let? start := letters start in
  let? first := number_of states start in let? _ := guard (first =? 0) in
  let? r := field "rules" table in let? r := each (rule_of symbols states) r in
  let? _ := guard (once (PM.empty _) r) in
  Some (N.of_nat (List.length l), r).

(** * The claim *)
Definition no_claim : claim := Claim 0 0 0 [] [] true Unasked Worlds false None None.

Definition stuck_of (s : text) : option stuckness :=
  if text_eqb s (text_of "unasked") then Some Unasked
  else if text_eqb s (text_of "same") then Some Same
  else if text_eqb s (text_of "never") then Some Never
  else None.
Definition scope_of (symbols : numbers) (table : json) (s : text) : option scope :=
  if text_eqb s (text_of "worlds") then Some Worlds
  else if text_eqb s (text_of "inputs") then let? i := inputs_of symbols table in Some (Inputs i)
  else if text_eqb s (text_of "table") then Some Reads
  else if text_eqb s (text_of "observed") then Some Observed
  else None.

(** The sentence of a claim, which the file must have word for word; [accepts] of an acceptor. *)
Definition sentence (equal : bool) (s : scope) (k : stuckness) (halting output accepts : bool) : string :=
  ((if equal then "RIGHT does what LEFT does " else "RIGHT does not do what LEFT does ") ++
  match s with
  | Worlds => "on every world, from every start cell"
  | Inputs _ => "on every declared input of LEFT"
  | Reads => "on every sequence of reads"
  | Observed => "on every sequence of reads that RIGHT was observed on"
  end ++
  match k, equal with
  | Unasked, _ => ""
  | Same, true => ", and is stuck wherever LEFT is"
  | Same, false => ", or is not stuck where LEFT is"
  | Never, true => ", and LEFT is never stuck"
  | Never, false => ", or LEFT is stuck"
  end ++
  match k, halting with
  | _, false => ""
  | Never, true => ", and LEFT halts"
  | _, true => ", and every run of LEFT ends"
  end ++
  if accepts then " as its output clause says" else
  match output, halting with
  | false, _ => ""
  | true, false => ", and where LEFT halts it leaves what its output clause says"
  | true, true => " and leaves what its output clause says"
  end)%string.

Definition tables_of (j : json) : option (json * json) :=
  let? l := field "left" j in let? l := field "table" l in
  let? r := field "right" j in let? r := field "table" r in Some (l, r).

Definition numbers_in (j : json) : option numbers :=
  let? (l, _) := tables_of j in let? names := symbols_of l in numbering names.

Definition claim_of (j : json) : option claim :=
  let? format := field "format" j in let? _ := guard (is_text "gridlang-certificate/6, listed" format) in
  let? (l, r) := tables_of j in
  let? names := symbols_of l in let? symbols := numbering names in
  let? others := symbols_of r in let? other := numbering others in
  let? _ := guard (Nat.eqb (List.length names) (List.length others)) in
  let? (left_states, left) := rules_of symbols l in
  let? (right_states, right) := rules_of symbols r in
  let? c := field "claim" j in
  let? equal := field "equivalent" c in let? equal := truth equal in
  let? k := field "stuck" c in let? k := letters k in let? k := stuck_of k in
  let? s := field "scope" c in let? s := letters s in let? s := scope_of symbols l s in
  let? halting := field "halts" c in let? halting := truth halting in
  let? output := field "output" c in let? output := truth output in
  let? _ := guard (equal || is_null (field "where" l)) in  (* a difference is shown of any input *)
  let? says := field "says" c in
  let accepts := output && halting && is_text (sentence equal s k halting output true) says in
  let? _ := guard (accepts || is_text (sentence equal s k halting output false) says) in
  let? _ := guard (negb output || match equal, s, k with true, Inputs _, Never => true | true, Inputs _, _ => accepts
    | _, _, _ => false end) in
  let? clause := if output then let? o := output_of accepts symbols l in Some (Some o) else Some None in
  let? _ := guard (match s, k with Observed, Same | Observed, Never => false | _, _ => true end) in
  let? _ := guard (forallb (fun n => match number_of other n with Some _ => true | None => false end) names) in
  Some (Claim (N.of_nat (List.length names)) left_states right_states left right equal k s halting
    (if accepts then None else clause) (if accepts then clause else None)).
