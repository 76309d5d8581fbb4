(** Folds, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Rows FoldedTape FoldedResults FoldedCheck Certificate StripEvidence.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Definition phase_of (n : N) : option phase :=
  let? _ := guard (n <=? 10) in
  nth_error [In_track false; In_track true; Between; To false; At false; To true; At true; Put_down; Put; Pick_up;
    Pick] (N.to_nat n).
Definition control_of (low : Z) (height : nat) (c : headed N (headed N (headed Z (list N)))) : option control :=
  let '(p ,, f ,, y ,, l) := c in let? f := phase_of f in
  let? _ := guard ((low <=? y) && (y <? low + Z.of_nat height))%Z in
  let? _ := guard (Nat.eqb (List.length l) height) in Some (p, f, y, l).
Definition track_of (l : list Z) : option track :=
  if forallb (Z.eqb (-1)) l then Some None
  else let? l := all (fun z => if (z <? 0)%Z then None else Some (Z.to_N z)) l in Some (Some l).
Definition folded_column_of (height : nat) (l : list Z) : option FoldedTape.column :=
  let? (one, l) := split height l in let? (two, l) := split height l in
  let? one := track_of one in let? two := track_of two in
  match l with
  | [w; where_] => let? w := wanted_of w in if (where_ <? 0)%Z then None else Some (one, two, (w, Z.to_N where_))
  | _ => None
  end.
Definition folded_gram_of (labels : nat) (g : headed N (headed N (list N))) : option (N * list N) :=
  let '(x ,, w ,, l) := g in let? _ := guard (x <? N.of_nat labels) in Some (x, w :: l).
Definition is_fold (kind : json) : bool := is_text "folds" kind || is_text "conditioned folds" kind.
Definition fold_of (j : json) : option fold :=
  let? (low, high) := take "rows" j in
  let? _ := guard ((low <=? high) && (- most_rows <=? low) && (high <=? most_rows))%Z in
  let height := Z.to_nat (high - low + 1) in
  let? row := take "row" j in let? _ := guard ((low <=? row) && (row <=? high))%Z in
  let? stands := field "stands" j in
  let? stands := if is_text "first" stands then Some (In_part false) else if is_text "second" stands then
    Some (In_part true)
                 else if is_text "between" stands then Some In_between else None in
  let? shifts := take "shifts" j in let? _ := guard (forallb (fun l => Nat.eqb (List.length l) height) shifts) in
  let? controls := take_all "controls" j (control_of low height) in
  let? labels := take_all "labels" j (folded_column_of height) in
  let? coarse := take "coarse" j in let? _ := guard (Nat.eqb (List.length coarse) (List.length labels)) in
  let grams name :=
    let? l := take_all name j (all (folded_gram_of (List.length labels))) in
    let? _ := guard (Nat.eqb (List.length l) (List.length controls)) in Some l in
  let? head_left := grams "head_left"%string in let? head_right := grams "head_right"%string in
  let? left := grams "left"%string in let? right := grams "right"%string in let? kind := field "kind" j in
  Some (Fold low height (Z.to_nat (row - low)) stands (is_text "conditioned folds" kind) shifts controls labels coarse
    (fun side => if side : bool then head_right else head_left) (fun side => if side : bool then right else left)).
