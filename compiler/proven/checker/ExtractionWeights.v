(** The check of weights as an OCaml program; whole numbers are those of zarith. *)
From Coq Require Import ZArith NArith Ascii Extraction ExtrOcamlBasic ExtrOcamlString ExtrOcamlZBigInt.
From Gridlang Require Import Learned.
Extraction Language OCaml.
Extract Constant N.eqb => "Big_int_Z.eq_big_int".
Extract Constant N.leb => "Big_int_Z.le_big_int".
Extract Constant N.ltb => "Big_int_Z.lt_big_int".
Extract Constant Z.leb => "Big_int_Z.le_big_int".
Extract Constant Z.ltb => "Big_int_Z.lt_big_int".
Extract Constant Z.shiftl => "Big_int_Z.(fun a n -> let n = int_of_big_int n in
  if n < 0 then shift_right_big_int a (- n) else shift_left_big_int a n)".
Extract Constant N_of_ascii => "(fun c -> Big_int_Z.big_int_of_int (Char.code c))".
Extraction "weights_core.ml" weights_verdict.
