(** Evidence of the kinds `values`, `sorted` and `words`, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Polynomials Unknowns Certificate StripEvidence Computed ValueCheck Inequalities.
Import ListNotations.
Local Open Scope N_scope.

Definition system_of (j : json) : option system :=
  let? b := field "base" j in let? v := field "values" j in let? v := each Json.whole v in
  match b with
  | List [over; under] => let? over := Json.whole over in let? under := Json.whole under in
      let worths := array v in Some (System over under (fun s => get 0%Z worths s))
  | _ => None
  end.
Definition side_number (z : Z) : option bool := if (z =? 0)%Z then Some false else if (z =? 1)%Z then Some true else None.
Definition row_number (low z : Z) : option nat := if (low <=? z)%Z then Some (Z.to_nat (z - low)) else None.
Definition part_number (z : Z) : option N := if (z <? -1)%Z then None else Some (Z.to_N (z + 1)).

(** B, v, E, U, F or N, with numbers of a system, a side, a row, a class, a part. *)
Definition factor_of (low : Z) (by_part : bool) (j : json) : option name :=
  match j with
  | List (Str [kind] :: l) =>
      let? l := all Json.whole l in
      match l with
      | [i] => let i := Z.to_N i in if kind =? 69 then Some (Head_weight i) else None
      | [i; a] => let i := Z.to_N i in
          if kind =? 66 then Some (Part_weight i (Z.to_N a))
          else if kind =? 118 then Some (Part_number i (Z.to_N a))
          else if kind =? 85 then let? r := row_number low a in Some (Cell_value i r)
          else None
      | [i; side; j] => let i := Z.to_N i in let? side := side_number side in let? j := part_number j in
          if kind =? 70 then let? r := row_number low 0 in Some (Sum_beside i side r (Fresh j)) else None
      | [i; side; y; c; j] => let i := Z.to_N i in let? side := side_number side in let? r := row_number low y in
          let? j := part_number j in
          if kind =? 78 then Some (Sum_beside i side r (Worn (Z.to_N c) (if by_part then Some j else None))) else None
      | _ => None
      end
  | _ => None
  end.
Definition monomial_of (factors : PM.t name) (j : json) : option (list name) :=
  let? l := each natural j in all (fun i => PM.find (Maps.key i) factors) l.
Definition node_of (j : json) : option (node * list (list Z)) :=
  match j with
  | List (p :: y :: c :: rest) =>
      let? p := natural p in let? y := Json.whole y in let? c := each natural c in
      let? (part, polynomials) := match rest with
        | j :: l => match Json.whole j with Some z => let? part := part_number z in Some (Some part, l) | None => Some (None, rest) end
        | [] => Some (None, [])
        end in
      let? polynomials := all (each Json.whole) polynomials in Some ((p, y, c, part), polynomials)
  | _ => None
  end.

Definition numbered (names : list name) : list name -> option monomial :=
  let name_list := array names in
  let name_at := get (Part_weight 0 0) name_list in
  let by_name := members N (fun v => Unknowns.name_hash (name_at v)) (below (N.of_nat (List.length names))) in
  let number := number_by name_at by_name in
  fun l => fold_right (fun a m => match number a, m with Some v, Some m => Some (insert v m) | _, _ => None end) (Some []) l.
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
Definition nodes_from (monomials : list (list name)) (nodes : list (node * list (list Z))) (names : list name) : list (node * list polynomial) :=
  let known := array (map (numbered names) monomials) in
  map (fun nd => (fst nd, map (fun q => match polynomial_from known q with Some q => q | None => constant 1 end) (snd nd))) nodes.

Definition proof_of (low : Z) (j : json) : option proof :=
  let? by_part := field "by_part" j in let? by_part := truth by_part in
  let? systems := field "systems" j in let? systems := each system_of systems in
  let? factors := field "factors" j in let? factors := each (factor_of low by_part) factors in
  let? monomials := field "monomials" j in let? monomials := each (monomial_of (array factors)) monomials in
  let? nodes := field "invariants" j in let? nodes := each node_of nodes in
  Some (Proof by_part systems (nodes_from monomials nodes)).

(** A strip without its proofs. *)
Definition grain_of (j : json) : option (bool -> list proof -> option (list ending) -> values) :=
  let? rows := field "rows" j in let? rows := each Json.whole rows in
  let? (low, high) := match rows with [low; high] => Some (low, high) | _ => None end in
  let? _ := guard ((low <=? 0)%Z && (0 <=? high)%Z && (high - low <? most_rows)%Z) in
  let? row := field "row" j in let? row := Json.whole row in let? _ := guard ((low <=? row)%Z && (row <=? high)%Z) in
  let? near := field "near" j in let? near := natural near in
  let? far := field "far" j in let? far := natural far in let? _ := guard ((near <? 100) && (far <? 100)) in
  let? dim := field "dim" j in let? dim := truth dim in
  let? classes := field "classes" j in let? classes := each natural classes in
  let? _ := guard (forallb (fun c => c <? N.of_nat (List.length classes)) classes) in
  let? marks := field "marks" j in let? marks := each natural marks in
  let? kinds := field "kinds" j in let? kinds := each natural kinds in
  Some (Values low high row near far dim classes marks kinds).
(** Ends of (V16): a node, terms with numbers, and comparisons with numbers. *)
Definition term_of (low : Z) (by_part : bool) (j : json) : option (Z * list name) :=
  match j with List (z :: l) => let? z := Json.whole z in let? l := all (factor_of low by_part) l in Some (z, l) | _ => None end.
Definition comparison_of (read : json -> option expression) (j : json) : option (Z * expression) :=
  match j with List [z; e] => let? z := Json.whole z in let? e := read e in Some (z, e) | _ => None end.
Definition ending_of (low : Z) (by_part : bool) (read : json -> option expression) (j : json) : option ending :=
  match j with
  | List (p :: y :: c :: rest) =>
      let? p := natural p in let? y := Json.whole y in let? c := each natural c in
      let? (part, rest) := match rest with
        | j :: l => match Json.whole j with Some z => let? part := part_number z in Some (Some part, l) | None => Some (None, rest) end
        | [] => None
        end in
      match rest with
      | [terms; compared] =>
          let? terms := each (term_of low by_part) terms in let? compared := each (comparison_of read) compared in
          Some (Ending (p, y, c, part) terms compared)
      | _ => None
      end
  | _ => None
  end.
(** With ends, evidence has one proof. *)
Definition values_of (words : bool) (read : json -> option expression) (j : json) : option values :=
  let? grain := grain_of j in let low := v_low (grain words [] None) in
  let? proofs := field "proofs" j in let? proofs := each (proof_of low) proofs in
  match field "ends" j, proofs with
  | None, _ => Some (grain words proofs None)
  | Some ends, [p] => let? ends := each (ending_of low (p_by_part p) read) ends in Some (grain words proofs (Some ends))
  | Some _, _ => None
  end.
Definition inequalities_of (read : json -> option expression) (j : json) : option values :=
  let? kind := field "kind" j in let? _ := guard (is_text "inequalities" kind) in values_of false read j.
(** That it is about the symbols and states of a table: a partition of the symbols, and a mark and a kind for each state. *)
Definition grain_fits (symbols states : N) (v : values) : bool :=
  let one_each {A} (count : N) (l : list A) := N.of_nat (List.length l) =? count in
  let classes := v_classes v in
  one_each symbols classes && one_each states (v_marks v) && one_each states (v_kinds v) &&
  forallb (fun c => existsb (N.eqb c) classes) (below (fold_right N.max 0 classes)).
Definition thresholds_of (j : json) : option (list values) :=
  let? l := field "thresholds" j in each (values_of false (fun _ => None)) l.
