(** Strips, what results they show, and rankings, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Windows Columns Strips Descents Starts Rankings Rows Results Certificate.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Definition plus_one (z : Z) : option N := if (z <? -1)%Z then None else Some (Z.to_N (z + 1)).
Definition known_of_number (z : Z) : known := if (z <? 0)%Z then Of_class (Z.to_N (-1 - z)) else Is (Z.to_N z).

(** Places to the left of the input are below 0. *)
Definition place_number (count : N) (z : Z) : N :=
  if (z <? 0)%Z then left_place count (Z.to_N (-1 - z)) else right_place (Z.to_N z).
Definition label_of (height : nat) (count : N) (j : json) : option label :=
  let? l := each whole j in let? (cs, l) := split height l in
  match l with
  | [at_; mark] => let? mark := plus_one mark in Some (map known_of_number cs, place_number count at_, mark)
  | _ => None
  end.
Definition gram_of (depth : nat) (side : bool) (kind : N) (j : json) : option gram :=
  let? l := each natural j in
  match l with
  | x :: w => if Nat.eqb (List.length w) depth then Some (side, kind, x, w) else None
  | [] => None
  end.
Definition grams_of (depth : nat) (side : bool) (j : json) : option (list gram) :=
  let? l := items j in
  let? l := all (fun k => each (gram_of depth side (fst k)) (snd k))
                (combine (below (N.of_nat (List.length l))) l) in
  Some (List.concat l).
(** An entry has states and a row, and the columns of one element or more. *)
Fixpoint elements_with (most depth : nat) (p q : N) (y : Z) (l : list N) : option (list Strips.element) :=
  match most, l with
  | _, [] => Some []
  | O, _ => None
  | S most, _ =>
      let? (near, l) := split depth l in
      match l with
      | c :: l =>
          let? (far, l) := split depth l in
          let? others := elements_with most depth p q y l in Some ((p, q, y, c, near, far) :: others)
      | [] => None
      end
  end.
Definition elements_of (depth : nat) (j : json) : option (list Strips.element) :=
  match j with
  | List (p :: q :: y :: l) =>
      let? p := natural p in let? q := natural q in let? y := whole y in
      let? l := all natural l in let? _ := guard (negb (Nat.eqb (List.length l) 0)) in elements_with (List.length l) depth p q y l
  | _ => None
  end.
(** For each state a mark or a list of them; -1 - p for those of state p. *)
Definition mark_of_json (told : list json) (j : json) : option (N + list N) :=
  let? j := match j with
    | Int z => if (0 <=? z)%Z then Some j
        else let? _ := guard (-1 - z <? Z.of_nat (List.length told))%Z in nth_error told (Z.to_nat (-1 - z))
    | _ => Some j
    end in
  match j with List l => let? l := all natural l in Some (inr l) | _ => let? m := natural j in Some (inl m) end.
Definition side_of (z : Z) : option bool :=
  if (z =? 1)%Z then Some true else if (z =? -1)%Z then Some false else None.
Definition descent_of (j : json) : option descent :=
  match j with
  | List [p; q; side; steps] =>
      let? p := natural p in let? q := natural q in let? side := whole side in let? side := side_of side in
      let? steps := natural steps in let? _ := guard (steps <=? 10000) in Some (p, q, side, N.to_nat steps)
  | _ => None
  end.

Definition most_rows : Z := 1000.
(** The columns of inputs; a strip of all worlds has none. *)
Definition columns_of (j : json) : option (list N * list (list (list N))) :=
  match j with
  | Null => Some ([], [])
  | _ =>
      let? starts := field "starts" j in let? starts := each natural starts in
      let? steps := field "steps" j in let? steps := each (each (each natural)) steps in
      let? _ := guard (match steps with [] => false | _ => true end) in Some (starts, steps)
  end.
Definition strip_of (j : json) : option strip :=
  let? rows := field "rows" j in let? rows := each whole rows in
  let? (low, high) := match rows with [low; high] => Some (low, high) | _ => None end in
  let? _ := guard ((low <=? high) && (high - low <? most_rows))%Z in
  let height := Z.to_nat (high - low + 1) in
  let? depth := field "depth" j in let? depth := natural depth in
  let? _ := guard ((1 <=? depth) && (depth <? 100)) in
  let depth := N.to_nat depth in
  let? dim := field "dim" j in let? dim := truth dim in
  let? classes := field "classes" j in let? classes := each natural classes in
  let? kinds := field "kinds" j in let? kinds := each natural kinds in
  let? marks := field "marks" j in let? marks := items marks in
  let? marks := all (mark_of_json marks) marks in
  let? columns := field "columns" j in let? (starts, steps) := columns_of columns in
  let? labels := field "labels" j in let? labels := each (label_of height (N.of_nat (List.length steps))) labels in
  let? coarse := field "coarse" j in let? coarse := each natural coarse in
  let? lefts := field "left" j in let? lefts := grams_of depth false lefts in
  let? rights := field "right" j in let? rights := grams_of depth true rights in
  let? elements := field "elements" j in let? elements := each (elements_of depth) elements in
  let? descents := field "descents" j in let? descents := each descent_of descents in
  let? _ := guard (Nat.eqb (List.length coarse) (List.length labels)) in
  Some (Strip low height (pred depth) classes dim kinds marks labels coarse (lefts ++ rights) (List.concat elements) starts steps descents).

(** What is wanted in each place: a symbol, -1 to the left of a number, -2 for nothing. *)
Definition wanted_of_number (z : Z) : option wanted :=
  if (z =? -1)%Z then Some Leads else if (z =? -2)%Z then Some Empty
  else if (z <? 0)%Z then None else Some (Wants (Z.to_N z)).
Definition wanted_of (j : json) : option wanted := let? z := whole j in wanted_of_number z.
Definition anchor_of (j : json) : option (option (bool * Z)) :=
  match j with
  | Null => Some None
  | List [side; at_] =>
      let? at_ := whole at_ in let? _ := guard (Z.abs at_ <=? 100)%Z in
      if is_text "start" side then Some (Some (false, at_)) else if is_text "end" side then Some (Some (true, at_)) else None
  | _ => None
  end.
Definition told_result_of (j : json) : option told_result :=
  let? j := field "result" j in
  let? row := field "row" j in let? row := whole row in
  let? anchor := field "anchor" j in let? anchor := anchor_of anchor in
  let? before := field "before" j in let? before := each (each natural) before in
  let? beside := field "beside" j in let? beside := each (each natural) beside in
  let? expects := field "expects" j in let? expects := each wanted_of expects in
  let? expects_before := field "expects_before" j in let? expects_before := each wanted_of expects_before in
  Some (Told_result row anchor before beside expects expects_before).
Definition strip_and_result (j : json) : option (strip * told_result) :=
  let? s := strip_of j in let? t := told_result_of j in Some (s, t).

Fixpoint pairs_of_list (l : list N) : option rank :=
  match l with
  | [] => Some []
  | k :: w :: l => let? l := pairs_of_list l in Some ((k, w) :: l)
  | _ => None
  end.
Definition rank_of (j : json) : option rank := let? l := each natural j in pairs_of_list l.
Definition weight_of (j : json) : option (N * bool * N * N) :=
  match j with
  | List [k; side; l; w] =>
      let? k := natural k in let? side := whole side in let? side := side_of side in
      let? l := natural l in let? w := natural w in Some (k, side, l, w)
  | _ => None
  end.
Definition ranking_of (j : json) : option ranking :=
  let? ranks := field "ranks" j in let? ranks := each rank_of ranks in
  let? elements := field "elements" j in let? elements := each natural elements in
  let? weights := field "weights" j in let? weights := each weight_of weights in
  Some (Ranking ranks elements weights).
