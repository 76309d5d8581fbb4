(** Evidence of the kinds `reduced` and `reduced acceptance`, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Starts Unknowns Certificate Clauses StripEvidence ValueCheck ValueEvidence Tokens ReducedRuns ReducedCheck.
Import ListNotations.
Local Open Scope N_scope.

(** A letter; or U, F or N, with numbers of a side, a row, a class, a part, and whether it is read from its end. *)
Definition token_of (symbols : numbers) (parts : nat) (strip : values) (j : json) : option token :=
  let row y := let? _ := guard (y <=? v_high strip)%Z in row_number (v_low strip) y in
  match j with
  | Str [c] => let? a := number_of symbols [c] in Some (Letter a)
  | List (Str [kind] :: l) =>
      let? l := all Json.whole l in
      match l with
      | [y; back] => let? r := row y in let? back := side_number back in
          if kind =? 85 then Some (Named (Head r) false) else None
      | [side; j; back] => let? sd := side_number side in let? back := side_number back in
          let? _ := guard ((0 <=? j) && (j <? Z.of_nat parts))%Z in let? j := part_number j in let? r := row 0%Z in
          if kind =? 70 then Some (Named (Side sd r (Fresh j)) (Bool.eqb sd back)) else None
      | [side; y; c; back] => let? sd := side_number side in let? r := row y in let? back := side_number back in
          let? _ := guard ((0 <=? c)%Z && existsb (N.eqb (Z.to_N c)) (v_classes strip)) in
          if kind =? 78 then Some (Named (Side sd r (Worn (Z.to_N c) None)) (Bool.eqb sd back)) else None
      | _ => None
      end
  | _ => None
  end.
Definition says_of (symbols : numbers) (parts : nat) (strip : values) (j : json) : option says :=
  match j with
  | Bool b => Some (Says_empty b)
  | _ => let? ts := each (token_of symbols parts strip) j in Some (Says_word ts)
  end.
Definition spot_of (symbols : numbers) (parts : nat) (strip : values) (j : json) : option (spot * says) :=
  match j with
  | List [p; y; l; c; r; part; s] =>
      let? p := natural p in let? y := Json.whole y in
      let? l := each natural l in let? r := each natural r in
      let? c := if v_dim strip then each natural c else let? c := each Json.whole c in Some (map (fun z => known_n (known_of_number z)) c) in
      let? part := Json.whole part in let? part := part_number part in
      let? s := says_of symbols parts strip s in Some ((p, y, (l, c, r), part), s)
  | _ => None
  end.
Definition image_of (symbols : numbers) (j : json) : option symbol :=
  match j with Str [] => Some 0 | Str [c] => let? a := number_of symbols [c] in let? _ := guard (negb (a =? 0)) in Some a | _ => None end.
Definition reduced_of (symbols : numbers) (parts : nat) (j : json) : option reduced_evidence :=
  let? grain := grain_of j in let strip := grain true [] None in
  let? images := field "images" j in let? images := each (image_of symbols) images in
  let? _ := guard (Nat.eqb (List.length images) (List.length (v_classes strip))) in
  let? spots := field "invariants" j in let? spots := each (spot_of symbols parts strip) spots in
  Some (Reduced_evidence strip images spots).
