(** Strips, what results they show, and rankings, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Windows Columns Strips Descents Starts Rankings Rows Results
  Certificate.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Definition plus_one (z : Z) : option N := if (z <? -1)%Z then None else Some (Z.to_N (z + 1)).
Definition known_of_number (z : Z) : known := if (z <? 0)%Z then Of_class (Z.to_N (-1 - z)) else Is (Z.to_N z).
Definition side_of (z : Z) : option bool :=
  if (z =? 1)%Z then Some true else if (z =? -1)%Z then Some false else None.

(** Places to the left of the input are below 0. *)
Definition place_number (count : N) (z : Z) : N :=
  if (z <? 0)%Z then left_place count (Z.to_N (-1 - z)) else right_place (Z.to_N z).
Definition label_of (height : nat) (count : N) (l : list Z) : option label :=
  let? (cs, l) := split height l in
  match l with
  | [at_; mark] => let? mark := plus_one mark in Some (map known_of_number cs, place_number count at_, mark)
  | _ => None
  end.
(** Those of each kind. *)
Definition grams_of (depth : nat) (side : bool) (l : list (list (headed N (list N)))) : option (list gram) :=
  let gram_of kind '(x ,, w) := let? _ := guard (Nat.eqb (List.length w) depth) in Some (side, kind, x, w) in
  let? l := all (fun k => all (gram_of (fst k)) (snd k)) (combine (below (N.of_nat (List.length l))) l) in
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
Definition elements_of (depth : nat) (e : headed N (headed N (headed Z (list N)))) : option (list Strips.element) :=
  let '(p ,, q ,, y ,, l) := e in
  let? _ := guard (negb (Nat.eqb (List.length l) 0)) in elements_with (List.length l) depth p q y l.
(** For each state a mark or a list of them; -1 - p for those of state p. *)
Definition mark_of (told : list json) (j : json) : option (N + list N) :=
  let? j := match j with
    | Int z => if (0 <=? z)%Z then Some j
        else let? _ := guard (-1 - z <? Z.of_nat (List.length told))%Z in nth_error told (Z.to_nat (-1 - z))
    | _ => Some j
    end in
  match j with List _ => let? l := of_json j in Some (inr l) | _ => let? m := of_json j in Some (inl m) end.
Definition descent_of (d : headed N (headed N (Z * N))) : option descent :=
  let '(p ,, q ,, (side, steps)) := d in
  let? side := side_of side in let? _ := guard (steps <=? 10000) in Some (p, q, side, N.to_nat steps).

Definition most_rows : Z := 1000.
Definition height_of (rows : Z * Z) : option nat :=
  let (low, high) := rows in
  let? _ := guard ((low <=? high) && (high - low <? most_rows))%Z in Some (Z.to_nat (high - low + 1)).
(** The columns of inputs; a strip of all worlds has none. *)
Definition columns_of (j : json) : option (list N * list (list (list N))) :=
  match j with
  | Null => Some ([], [])
  | _ =>
      let? starts := take "starts" j in let? steps := take "steps" j in
      let? _ := guard (match steps with [] => false | _ => true end) in Some (starts, steps)
  end.
Definition strip_of (j : json) : option strip :=
  let? rows := take "rows" j in let? height := height_of rows in
  let? depth := take "depth" j in let? _ := guard ((1 <=? depth) && (depth <? 100)) in let depth := N.to_nat depth in
  let? dim := take "dim" j in let? classes := take "classes" j in let? kinds := take "kinds" j in
  let? marks := take "marks" j in let? marks := all (mark_of marks) marks in
  let? columns := take "columns" j in let? (starts, steps) := columns_of columns in
  let? labels := take_all "labels" j (label_of height (N.of_nat (List.length steps))) in
    let? coarse := take "coarse" j in
  let? lefts := take "left" j in let? lefts := grams_of depth false lefts in
  let? rights := take "right" j in let? rights := grams_of depth true rights in
  let? elements := take_all "elements" j (elements_of depth) in let? descents := take_all "descents" j descent_of in
  let? _ := guard (Nat.eqb (List.length coarse) (List.length labels)) in
  Some (Strip (fst rows) height (pred depth) classes dim kinds marks labels coarse (lefts ++ rights)
    (List.concat elements) starts steps descents).

(** What is wanted in each place: a symbol, -1 to the left of a number, -2 for nothing. *)
Definition wanted_of (z : Z) : option wanted :=
  if (z =? -1)%Z then Some Leads else if (z =? -2)%Z then Some Empty
  else if (z <? 0)%Z then None else Some (Wants (Z.to_N z)).
Definition anchor_of (anchor : option (json * Z)) : option (option (bool * Z)) :=
  match anchor with
  | None => Some None
  | Some (side, at_) =>
      let? _ := guard (Z.abs at_ <=? 100)%Z in
      if is_text "start" side then Some (Some (false, at_)) else if is_text "end" side then Some (Some (true, at_))
        else None
  end.
Definition strip_and_result (j : json) : option (strip * told_result) :=
  let? s := strip_of j in let? j := field "result" j in let? anchor := take "anchor" j in
    let? anchor := anchor_of anchor in
  let? row := take "row" j in let? before := take "before" j in let? beside := take "beside" j in
  let? expects := take_all "expects" j wanted_of in let? expects_before := take_all "expects_before" j wanted_of in
  Some (s, Told_result row anchor before beside expects expects_before).

Fixpoint rank_of (l : list N) : option rank :=
  match l with
  | [] => Some []
  | k :: w :: l => let? l := rank_of l in Some ((k, w) :: l)
  | _ => None
  end.
Definition weight_of (w : headed N (headed Z (N * N))) : option (N * bool * N * N) :=
  let '(k ,, side ,, (l, w)) := w in let? side := side_of side in Some (k, side, l, w).
Definition ranking_of (j : json) : option ranking :=
  let? ranks := take_all "ranks" j rank_of in let? elements := take "elements" j in
  let? weights := take_all "weights" j weight_of in Some (Ranking ranks elements weights).
