(** The evidence of a certificate, by its kind. *)
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
| By_same                                             (* both tables are the same one *)
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

(** Evidence of what LEFT leaves may show it to be never stuck, too; and so of any RIGHT that has the same table. *)
Definition shows_both (e : json) : bool :=
  match field "kind" e with Some k => is_text "results" k || is_fold k | None => false end.

Definition evidence_of (j : json) : option evidence :=
  let? symbols := numbers_in j in
  let? e := field "evidence" j in
  let? kind := field "kind" e in
  if is_text "pairs" kind then let? l := take_all "pairs" e window_of in Some (By_windows None l)
  else if is_text "windows" kind then
    let? radius := take "radius" e in let? l := take_all "elements" e window_of in Some (By_windows radius l)
  else if is_text "strips" kind then let? s := strip_of e in Some (By_strip s)
  else if is_text "difference" kind then difference_of symbols e
  else if shows_both e then Some By_same else None.

(** What shows that LEFT's runs end: a strip of its own, or the one of the evidence, and ranks. *)
Definition halting_of (j : json) : option (option strip * ranking) :=
  let? t := field "total" j in let? h := field "halting" t in let? own := take "strip" h in
  let? own := match own with
    | None => Some None
    | Some s => let? kind := field "kind" s in let? _ := guard (is_text "strips" kind) in let? s := strip_of s in
      Some (Some s)
    end in
  let? r := field "ranking" h in let? r := ranking_of r in Some (own, r).

(** The evidence of what LEFT leaves: LEFT's own, or that of the certificate. *)
Definition output_evidence (j : json) : option json :=
  let? t := field "total" j in let? own := field "output" t in
  let? e := field "evidence" j in
  match own with
  | Null => if shows_both e then Some e else None
  | _ => if shows_both e then None else Some own
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
