(** Evidence of the kinds `values`, `sorted`, `words` and `inequalities`, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Polynomials Unknowns Certificate Clauses StripEvidence Computed
  ValueCheck
  Inequalities NeverStuck.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

Definition system_of (j : json) : option system :=
  let? (over, under) := take "base" j in let? v := take "values" j in
  let worths := array v in Some (System over under (fun s => Maps.get 0%Z worths s)).
Definition side_number (z : Z) : option bool := if (z =? 0)%Z then Some false else if (z =? 1)%Z then Some true
  else None.
Definition row_number (low z : Z) : option nat := if (low <=? z)%Z then Some (Z.to_nat (z - low)) else None.
Definition part_number (z : Z) : option N := if (z <? -1)%Z then None else Some (Z.to_N (z + 1)).

(** B, v, E, U, F or N, with numbers of a system, a side, a row, a class, a part. *)
Definition factor_of (low : Z) (by_part : bool) (f : headed json (headed Z (list Z))) : option name :=
  let '(kind ,, i ,, l) := f in let is k := is_text k kind in let i := Z.to_N i in
  match l with
  | [] => if is "E" then Some (Head_weight i) else None
  | [a] =>
      if is "B" then Some (Part_weight i (Z.to_N a)) else if is "v" then Some (Part_number i (Z.to_N a))
      else if is "U" then let? r := row_number low a in Some (Cell_value i r) else None
  | [side; j] =>
      let? side := side_number side in let? j := part_number j in
      if is "F" then let? r := row_number low 0 in Some (Sum_beside i side r (Fresh j)) else None
  | [side; y; c; j] =>
      let? side := side_number side in let? r := row_number low y in let? j := part_number j in
      if is "N" then Some (Sum_beside i side r (Worn (Z.to_N c) (if by_part then Some j else None))) else None
  | _ => None
  end.
(** A node may name a part; what else is said of it follows. *)
Definition node_of {A} `{Readable A} (n : headed N (headed Z (headed (list N) (list json)))) : option (node * list A) :=
  let '(p ,, y ,, c ,, rest) := n in
  let? (part, rest) := match rest with
    | j :: l => match Json.whole j with Some z => let? part := part_number z in Some (Some part, l)
      | None => Some (None, rest) end
    | [] => Some (None, [])
    end in
  let? l := all of_json rest in Some ((p, y, c, part), l).

Definition numbered (names : list name) : list name -> option monomial :=
  let name_list := array names in
  let name_at := get (Part_weight 0 0) name_list in
  let by_name := members N (fun v => Unknowns.name_hash (name_at v)) (below (N.of_nat (List.length names))) in
  let number := number_by name_at by_name in
  fun l => fold_right (fun a m => match number a, m with Some v, Some m => Some (insert v m) | _, _ => None end)
    (Some []) l.
Fixpoint polynomial_from (monomials : PM.t (option monomial)) (l : list Z) : option polynomial :=
  match l with
  | [] => Some []
  | m :: c :: l =>
      match PM.find (Maps.key (Z.to_N m)) monomials, polynomial_from monomials l with
      | Some (Some m), Some p => Some (plus (of_term c m) p)
      | _, _ => None
      end
  | _ => None
  end.
(** What cannot be read is the polynomial 1, which is never 0. *)
Definition nodes_from (monomials : list (list name)) (nodes : list (node * list (list Z))) (names : list name) : list
  (node * list polynomial) :=
  let known := array (map (numbered names) monomials) in
  map (fun nd => (fst nd, map (fun q => match polynomial_from known q with Some q => q | None => constant 1 end)
    (snd nd))) nodes.

Definition proof_of (low : Z) (j : json) : option proof :=
  let? by_part := take "by_part" j in let? systems := take_all "systems" j system_of in
  let? factors := take_all "factors" j (factor_of low by_part) in let named := array factors in
  let? monomials := take_all "monomials" j (all (fun i => PM.find (Maps.key i) named)) in
  let? nodes := take_all "invariants" j node_of in Some (Proof by_part systems (nodes_from monomials nodes)).

(** A strip without its proofs. *)
Definition grain_of (j : json) : option (bool -> list proof -> option (list ending) -> values) :=
  let? (low, high) := take "rows" j in
  let? _ := guard ((low <=? 0)%Z && (0 <=? high)%Z && (high - low <? most_rows)%Z) in
  let? row := take "row" j in let? _ := guard ((low <=? row)%Z && (row <=? high)%Z) in
  let? near := take "near" j in let? far := take "far" j in let? _ := guard ((near <? 100) && (far <? 100)) in
  let? dim := take "dim" j in let? classes := take "classes" j in let? marks := take "marks" j in
    let? kinds := take "kinds" j in
  let? _ := guard (forallb (fun c => c <? N.of_nat (List.length classes)) classes) in
  Some (Values low high row near far dim classes marks kinds).
(** Ends of (V16): a node, terms with numbers, and comparisons with numbers. *)
Definition ending_of (low : Z) (by_part : bool) (read : json -> option expression) (j : json) : option ending :=
  let? n := of_json j in let? (n, rest) := node_of n in
  match rest with
  | [terms; compared] =>
      let? terms := of_json terms in
      let? terms := all (fun '(z ,, l) => let? l := all (factor_of low by_part) l in Some (z, l)) terms in
      let? compared := of_json compared in
      let? compared := all (fun '(z, e) => let? e := read e in Some (z, e)) compared in Some (Ending n terms compared)
  | _ => None
  end.
(** With ends, evidence has one proof. *)
Definition values_of (words : bool) (read : json -> option expression) (j : json) : option values :=
  let? grain := grain_of j in let low := v_low (grain words [] None) in
  let? proofs := take_all "proofs" j (proof_of low) in
  match field "ends" j, proofs with
  | None, _ => Some (grain words proofs None)
  | Some ends, [p] => let? ends := each (ending_of low (p_by_part p) read) ends in Some (grain words proofs (Some ends))
  | Some _, _ => None
  end.
Definition inequalities_of (read : json -> option expression) (j : json) : option values :=
  let? kind := field "kind" j in let? _ := guard (is_text "inequalities" kind) in values_of false read j.
(** That it is about the symbols and states of a table: a partition of the symbols, and a mark and a kind for each
    state. *)
Definition grain_fits (symbols states : N) (v : values) : bool :=
  let one_each {A} (count : N) (l : list A) := N.of_nat (List.length l) =? count in
  let classes := v_classes v in
  one_each symbols classes && one_each states (v_marks v) && one_each states (v_kinds v) &&
  forallb (fun c => existsb (N.eqb c) classes) (below (fold_right N.max 0 classes)).
Definition thresholds_of (j : json) : option (list values) :=
  let? l := field "thresholds" j in each (values_of false (fun _ => None)) l.
