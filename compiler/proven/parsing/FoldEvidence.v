(** Folds, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Rows FoldedTape FoldedResults FoldedCheck Certificate StripEvidence.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Definition phase_of (n : N) : option phase :=
  nth_error [In_track false; In_track true; Between; To false; At false; To true; At true; Put_down; Put; Pick_up; Pick] (N.to_nat n).
Definition control_of (low : Z) (height : nat) (j : json) : option control :=
  match j with
  | List (p :: f :: y :: l) =>
      let? p := natural p in let? f := natural f in let? _ := guard (f <=? 10) in let? f := phase_of f in
      let? y := whole y in let? _ := guard ((low <=? y) && (y <? low + Z.of_nat height))%Z in
      let? l := all natural l in let? _ := guard (Nat.eqb (List.length l) height) in Some (p, f, y, l)
  | _ => None
  end.
Definition track_of_list (l : list Z) : option track :=
  if forallb (Z.eqb (-1)) l then Some None
  else let? l := all (fun z => if (z <? 0)%Z then None else Some (Z.to_N z)) l in Some (Some l).
Definition folded_column_of (height : nat) (j : json) : option FoldedTape.column :=
  let? l := each whole j in let? (one, l) := split height l in let? (two, l) := split height l in
  let? one := track_of_list one in let? two := track_of_list two in
  match l with
  | [w; where_] => let? w := wanted_of_number w in if (where_ <? 0)%Z then None else Some (one, two, (w, Z.to_N where_))
  | _ => None
  end.
Definition folded_grams_of (labels controls : nat) (j : json) : option (list (list (N * list N))) :=
  let row j := match j with
               | List (x :: w :: l) =>
                   let? x := natural x in let? _ := guard (x <? N.of_nat labels) in
                   let? l := all natural (w :: l) in Some (x, l)
               | _ => None
               end in
  let? l := each (each row) j in let? _ := guard (Nat.eqb (List.length l) controls) in Some l.
Definition is_fold (kind : json) : bool := is_text "folds" kind || is_text "conditioned folds" kind.
Definition fold_of (j : json) : option fold :=
  let? rows := field "rows" j in let? rows := each whole rows in
  let? (low, high) := match rows with [low; high] => Some (low, high) | _ => None end in
  let? _ := guard ((low <=? high) && (- most_rows <=? low) && (high <=? most_rows))%Z in
  let height := Z.to_nat (high - low + 1) in
  let? row := field "row" j in let? row := whole row in let? _ := guard ((low <=? row) && (row <=? high))%Z in
  let? stands := field "stands" j in
  let? stands := if is_text "first" stands then Some (In_part false) else if is_text "second" stands then Some (In_part true)
                 else if is_text "between" stands then Some In_between else None in
  let? shifts := field "shifts" j in let? shifts := each (each natural) shifts in
  let? _ := guard (forallb (fun l => Nat.eqb (List.length l) height) shifts) in
  let? controls := field "controls" j in let? controls := each (control_of low height) controls in
  let? labels := field "labels" j in let? labels := each (folded_column_of height) labels in
  let? coarse := field "coarse" j in let? coarse := each natural coarse in
  let grams name := let? l := field name j in folded_grams_of (List.length labels) (List.length controls) l in
  let? head_left := grams "head_left"%string in let? head_right := grams "head_right"%string in
  let? left := grams "left"%string in let? right := grams "right"%string in
  let? _ := guard (Nat.eqb (List.length coarse) (List.length labels)) in
  let? kind := field "kind" j in
  Some (Fold low height (Z.to_nat (row - low)) stands (is_text "conditioned folds" kind) shifts controls labels coarse
    (fun side => if side : bool then head_right else head_left) (fun side => if side : bool then right else left)).
