(** The evidence of a certificate, by its kind. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Windows Strips Starts Rankings Differences Results FoldedResults FoldedCheck Certificate
  StripEvidence FoldEvidence.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Inductive evidence :=
| By_pairs (l : list (Grid.state * Grid.state))
| By_windows (radius : N) (l : list Windows.element)
| By_strip (e : strip)
| By_fold (e : fold)
| By_results (e : strip) (t : told_result)
| By_difference (input : option (list symbol)) (place : option (Z * Z))
    (cells : option (list (Z * Z * symbol))) (l : list shown).

Definition pair_of (j : json) : option (N * N) :=
  match j with List [p; q] => let? p := natural p in let? q := natural q in Some (p, q) | _ => None end.

Fixpoint cells_of_list (l : list json) : option window :=
  match l with
  | [] => Some []
  | x :: y :: s :: l =>
      let? x := whole x in let? y := whole y in let? s := natural s in
      let? l := cells_of_list l in Some ((x, y, s) :: l)
  | _ => None
  end.
Definition window_of (j : json) : option Windows.element :=
  match j with
  | List (p :: q :: l) => let? p := natural p in let? q := natural q in let? w := cells_of_list l in Some (p, q, w)
  | _ => None
  end.

Definition deed_of (symbols : numbers) (j : json) : option deed :=
  match j with
  | Null => Some None
  | List [Str s; Str m] => let? s := number_of symbols s in let? m := move_of m in Some (Some (s, m))
  | _ => None
  end.
Fixpoint shown_of (symbols : numbers) (reads left right : list json) : option (list shown) :=
  match reads, left, right with
  | [], [], [] => Some []
  | Str s :: reads, l :: left, r :: right =>
      let? s := number_of symbols s in let? l := deed_of symbols l in let? r := deed_of symbols r in
      let? rest := shown_of symbols reads left right in Some ((s, l, r) :: rest)
  | _, _, _ => None
  end.
Definition place_of (j : json) : option (option (Z * Z)) :=
  match j with
  | Null => Some None
  | List [x; y] => let? x := whole x in let? y := whole y in Some (Some (x, y))
  | _ => None
  end.
Definition world_cell_of (symbols : numbers) (j : json) : option (Z * Z * symbol) :=
  match j with
  | List [x; y; Str s] => let? x := whole x in let? y := whole y in let? s := number_of symbols s in Some (x, y, s)
  | _ => None
  end.
Definition difference_of (symbols : numbers) (j : json) : option evidence :=
  let? reads := field "reads" j in let? reads := items reads in
  let? left := field "left" j in let? left := items left in
  let? right := field "right" j in let? right := items right in
  let? steps := shown_of symbols reads left right in
  let? input := field "input" j in
  let? input := match input with
                | Null => Some None
                | Str s => let? l := all (fun c => number_of symbols [c]) s in Some (Some l)
                | _ => None
                end in
  let? at_ := field "start" j in let? at_ := place_of at_ in
  let? cells := field "cells" j in
  let? cells := match cells with
                | Null => Some None
                | _ => let? l := each (world_cell_of symbols) cells in Some (Some l)
                end in
  Some (By_difference input at_ cells steps).

Definition evidence_of (j : json) : option evidence :=
  let? symbols := numbers_in j in
  let? e := field "evidence" j in
  let? kind := field "kind" e in
  if is_text "pairs" kind then let? l := field "pairs" e in let? l := each pair_of l in Some (By_pairs l)
  else if is_text "windows" kind then
    let? radius := field "radius" e in let? radius := natural radius in
    let? l := field "elements" e in let? l := each window_of l in Some (By_windows radius l)
  else if is_text "strips" kind then let? s := strip_of e in Some (By_strip s)
  else if is_fold kind then let? f := fold_of e in Some (By_fold f)
  else if is_text "results" kind then let? (s, t) := strip_and_result e in Some (By_results s t)
  else if is_text "difference" kind then difference_of symbols e
  else None.

(** What shows that LEFT's runs end: a strip of its own, or the one of the evidence, and ranks. *)
Definition halting_of (j : json) : option (option strip * ranking) :=
  let? t := field "total" j in let? h := field "halting" t in
  let? own := field "strip" h in
  let? own := match own with
    | Null => Some None
    | _ => let? kind := field "kind" own in let? _ := guard (is_text "strips" kind) in let? s := strip_of own in Some (Some s)
    end in
  let? r := field "ranking" h in let? r := ranking_of r in Some (own, r).

Definition shows_output (e : json) : bool :=
  match field "kind" e with Some k => is_text "results" k || is_fold k | None => false end.

(** The evidence of what LEFT leaves: LEFT's own, or that of the certificate. *)
Definition output_evidence (j : json) : option json :=
  let? t := field "total" j in let? own := field "output" t in
  let? e := field "evidence" j in
  match own with
  | Null => if shows_output e then Some e else None
  | _ => if shows_output e then None else Some own
  end.

(** Whether there is evidence of halting and of outputs just where they are claimed. *)
Definition total_fits (j : json) (c : claim) : bool :=
  match field "total" j with
  | Some t =>
      match field "halting" t with
      | Some Null => negb (halting c)
      | Some _ => halting c
      | None => false
      end &&
      match leaves c, ends_as c, output_evidence j with
      | Some _, _, Some _ | _, Some _, Some _ => true
      | None, None, None => match field "output" t with Some Null => true | _ => false end
      | _, _, _ => false
      end
  | None => false
  end.
