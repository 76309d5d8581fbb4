(** The evidence of a certificate, by its kind, and its claims of LEFT alone. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Windows Strips Starts Rankings Differences Results FoldedResults
  FoldedCheck Certificate
  StripEvidence FoldEvidence.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Inductive evidence :=
| By_windows (radius : option N) (l : list Windows.element)
| By_strip (e : strip)
| By_difference (input : option (list symbol)) (place : option (Z * Z))
    (cells : option (list (Z * Z * symbol))) (l : list shown).

Fixpoint cells_of (l : list Z) : option window :=
  match l with
  | [] => Some []
  | x :: y :: s :: l => let? _ := guard (0 <=? s)%Z in let? l := cells_of l in Some ((x, y, Z.to_N s) :: l)
  | _ => None
  end.
Definition window_of (e : headed N (headed N (list Z))) : option Windows.element :=
  let '(p ,, q ,, l) := e in let? w := cells_of l in Some (p, q, w).

Definition symbol_of (symbols : numbers) (j : json) : option symbol := let? s := letters j in number_of symbols s.
Definition deed_of (symbols : numbers) (d : option (json * json)) : option deed :=
  match d with
  | None => Some None
  | Some (s, m) => let? s := symbol_of symbols s in let? m := letters m in let? m := move_of m in Some (Some (s, m))
  end.
Definition world_cell_of (symbols : numbers) (c : headed Z (Z * json)) : option (Z * Z * symbol) :=
  let '(x ,, (y, s)) := c in let? s := symbol_of symbols s in Some (x, y, s).
Definition difference_of (symbols : numbers) (j : json) : option evidence :=
  let? reads := take_all "reads" j (symbol_of symbols) in
  let? left := take_all "left" j (deed_of symbols) in let? right := take_all "right" j (deed_of symbols) in
  let? _ := guard (Nat.eqb (List.length reads) (List.length left) && Nat.eqb (List.length reads) (List.length right)) in
  let? input := field "input" j in
  let? input := match input with Null => Some None | _ => let? s := letters input in let? l := letters_of symbols s in
    Some (Some l) end in
  let? at_ := take "start" j in let? cells := take "cells" j in
  let? cells := match cells with None => Some None | Some l => let? l := all (world_cell_of symbols) l in
    Some (Some l) end in
  Some (By_difference input at_ cells (combine (combine reads left) right)).

Definition evidence_of (symbols : numbers) (e : json) : option evidence :=
  let? kind := field "kind" e in
  if is_text "windows" kind then
    let? radius := take "radius" e in let? l := take_all "elements" e window_of in Some (By_windows radius l)
  else if is_text "strips" kind then let? s := strip_of e in Some (By_strip s)
  else if is_text "difference" kind then difference_of symbols e
  else None.

(** That no run of LEFT on a declared input comes to some ends: which way its clause chooses, the ends, among them
    rules, and what shows it. *)
Record never := Never_to { assume : list bool; no_stuck : bool; no_endless : bool; no_wrong : bool;
  unused : list (Statement.state * symbol); shown_by : json }.
Definition never_of (j : json) : option never :=
  let? ways := take "assume" j in let? ends := take "ends" j in let? e := field "evidence" j in
  let has name := existsb (is_text name) ends in
  let? rules := all of_json (filter (fun e => match e with List _ => true | _ => false end) ends) in
  let known := List.length (filter has ["stuck"; "endless"; "wrong"]) in
  let? _ := guard (Nat.eqb (known + List.length rules) (List.length ends)) in
  let? _ := guard (match ends with [] => false | _ => true end) in
  let? _ := guard (match rules, ways with [], _ => true | _, [] => has "stuck" | _, _ => false end) in
  Some (Never_to ways (has "stuck") (has "endless") (has "wrong") rules e).

Definition ranking_in (e : json) : option (strip * ranking) :=
  let? s := field "strip" e in let? kind := field "kind" s in let? _ := guard (is_text "strips" kind) in
  let? s := strip_of s in let? r := field "ranking" e in let? r := ranking_of r in Some (s, r).
