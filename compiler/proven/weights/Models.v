(** How the bytes of a model are read as weights, and its codebook from those of a certificate. *)
From Coq Require Import ZArith NArith List Bool String Ascii.
From Gridlang Require Import Statement Json Certificate Engines.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

(** * Numbers: m and e stand for m 2^(e - 149) in a [float], for m 2^e elsewhere *)
Definition float : Type := Z * Z.

(** Four bytes, the lowest first; what is not finite is refused. *)
Definition float_of (a b c d : N) : option float :=
  let bits := a + 256 * (b + 256 * (c + 256 * d)) in
  let sign := bits / 2 ^ 31 in
  let exponent := bits / 2 ^ 23 mod 256 in
  let fraction := bits mod 2 ^ 23 in
  let? _ := guard (negb (exponent =? 255)) in
  let m := if exponent =? 0 then fraction else 2 ^ 23 + fraction in
  Some (if sign =? 0 then Z.of_N m else (- Z.of_N m)%Z, Z.of_N (N.max exponent 1 - 1)).

Fixpoint floats_of_bytes (l : list N) : option (list float) :=
  match l with
  | [] => Some []
  | a :: b :: c :: d :: l => let? x := float_of a b c d in let? l := floats_of_bytes l in Some (x :: l)
  | _ => None
  end.
(** The next floats of a text, last first. *)
Fixpoint next_floats (count : N) (s : string) (before : list float) : option (list float) :=
  if count =? 0 then Some before
  else
    match s with
    | String a (String b (String c (String d s))) =>
        let? x := float_of (N_of_ascii a) (N_of_ascii b) (N_of_ascii c) (N_of_ascii d) in
        next_floats (N.pred count) s (x :: before)
    | _ => None
    end.

Definition base64_digit (c : N) : option N :=
  if (65 <=? c) && (c <=? 90) then Some (c - 65)
  else if (97 <=? c) && (c <=? 122) then Some (c - 71)
  else if (48 <=? c) && (c <=? 57) then Some (c + 4)
  else if c =? 43 then Some 62
  else if c =? 47 then Some 63
  else None.
Fixpoint bytes_of_base64 (s : text) : option (list N) :=
  match s with
  | [] => Some []
  | [a; b; 61; 61] => let? a := base64_digit a in let? b := base64_digit b in Some [a * 4 + b / 16]
  | [a; b; c; 61] =>
      let? a := base64_digit a in let? b := base64_digit b in let? c := base64_digit c in
      Some [a * 4 + b / 16; b mod 16 * 16 + c / 4]
  | a :: b :: c :: d :: s =>
      let? a := base64_digit a in let? b := base64_digit b in let? c := base64_digit c in let? d := base64_digit d in
      let? l := bytes_of_base64 s in
      Some (a * 4 + b / 16 :: b mod 16 * 16 + c / 4 :: c mod 4 * 64 + d :: l)
  | _ => None
  end.

(** A hexadecimal float, as 0x1.8p-3. *)
Fixpoint decimal (n : N) (s : text) : option N :=
  match s with
  | [] => Some n
  | c :: s => if is_digit c && (n <? 10000) then decimal (n * 10 + (c - 48)) s else None
  end.
Fixpoint hexadecimal (m : N) (e : Z) (s : text) : option (Z * Z) :=
  match s with
  | 112 :: sign :: digits =>
      let? n := decimal 0 digits in
      if sign =? 43 then Some (Z.of_N m, (e + Z.of_N n)%Z)
      else if sign =? 45 then Some (Z.of_N m, (e - Z.of_N n)%Z)
      else None
  | c :: s => let? h := hex c in hexadecimal (m * 16 + h) (e - 4) s
  | [] => None
  end.
Definition hex_float (j : json) : option (Z * Z) :=
  match j with Str (48 :: 120 :: d :: 46 :: s) => let? h := hex d in hexadecimal h 0 s | _ => None end.

(** Numbers as whole ones over 2^(- low), where [low] is no larger than any exponent. *)
Definition lowest (l : list (Z * Z)) (low : Z) : Z :=
  fold_left (fun low x => if (fst x =? 0)%Z then low else Z.min low (snd x)) l low.
Definition whole_over (low : Z) (x : Z * Z) : Z := Z.shiftl (fst x) (snd x - low).

(** * A .safetensors file: eight bytes of length, a header in JSON, and data *)
Fixpoint skip (n : N) (s : string) : string :=
  match s with String _ s' => if n =? 0 then s else skip (N.pred n) s' | EmptyString => EmptyString end.
Fixpoint little_endian (bytes : nat) (s : string) : N :=
  match bytes, s with
  | S bytes, String c s => N_of_ascii c + 256 * little_endian bytes s
  | _, _ => 0
  end.
Record stored := Stored { header : json; data : string }.
Definition stored_of (bytes : string) : option stored :=
  let n := little_endian 8 bytes in
  let? _ := guard (n <? 100000000) in
  let? header := json_of (substring 0 (N.to_nat n) (skip 8 bytes)) in
  Some (Stored header (skip (8 + n) bytes)).

Definition tensor (name : string) (shape : list N) (s : stored) : option (list float) :=
  let? t := field name (header s) in
  let? type := field "dtype" t in let? _ := guard (is_text "F32" type) in
  let? sizes := field "shape" t in let? sizes := each natural sizes in
  let? _ := guard (text_eqb sizes shape) in
  let? offsets := field "data_offsets" t in let? offsets := each natural offsets in
  let count := fold_left N.mul shape 1 in
  match offsets with
  | [from; to] =>
      let? _ := guard (to =? from + 4 * count) in
      let? l := next_floats count (skip from (data s)) [] in Some (rev' l)
  | _ => None
  end.

(** Metadata are texts; some hold JSON. *)
Definition utf8 (c : N) : list N :=
  if c <? 128 then [c]
  else if c <? 2048 then [192 + c / 64; 128 + c mod 64]
  else if c <? 65536 then [224 + c / 4096; 128 + c / 64 mod 64; 128 + c mod 64]
  else [240 + c / 262144; 128 + c / 4096 mod 64; 128 + c / 64 mod 64; 128 + c mod 64].
Definition string_of (s : text) : string := string_of_list_ascii (map ascii_of_N (flat_map utf8 s)).
Definition metadata (name : string) (s : stored) : option text :=
  let? m := field "__metadata__" (header s) in let? t := field name m in letters t.
Definition names (name : string) (s : stored) : option (list text) :=
  let? t := metadata name s in let? j := json_of (string_of t) in each letters j.

(** Its symbols; the blank, which may be another, is called _. *)
Definition model_symbols (s : stored) : option (list text) :=
  let? l := names "symbols" s in
  let blank := match metadata "blank" s with Some b => b | None => [95] end in
  Some (map (fun n => if text_eqb n blank then [95] else n) l).

(** * Weights *)
Fixpoint pieces {A} (count size : nat) (l : list A) : option (list (list A)) :=
  match count with
  | O => match l with [] => Some [] | _ => None end
  | S count => let? (a, l) := split size l in let? l := pieces count size l in Some (a :: l)
  end.
Definition chosen {A} (order : list N) (l : list A) : option (list A) := all (fun i => nth_error l (N.to_nat i)) order.
Definition largest_of (l : list Z) (m : Z) : Z := fold_left (fun m z => Z.max m (Z.abs z)) l m.

(** The tensors of a model, its symbols in this order, its moves in the order U D L R S. *)
Definition weights_in (model : string) (symbols : list text) (right : rules) (snapping : json) : option weights :=
  let? format := field "format" snapping in let? _ := guard (is_text "gridlang-snapping/2" format) in
  let? dimensions := field "dimensions" snapping in let? dimensions := natural dimensions in
  let? centres := field "centres" snapping in let? centres := letters centres in
  let? centres := bytes_of_base64 centres in let? centres := floats_of_bytes centres in
  let? reaches := field "reach" snapping in let? reaches := each hex_float reaches in
  let? s := stored_of model in
  let? format := metadata "format" s in let? _ := guard (text_eqb format (text_of "gridlang-dfst/1")) in
  let? own := model_symbols s in let? numbered := numbering own in
  let? _ := guard (Nat.eqb (List.length own) (List.length symbols)) in
  let? order := all (number_of numbered) symbols in
  let? moves := names "moves" s in let? moved := numbering moves in
  let? _ := guard (Nat.eqb (List.length moves) 5) in
  let? moves := all (number_of moved) (map (fun m => text_of m) ["U"; "D"; "L"; "R"; "S"]) in
  let k := N.of_nat (List.length symbols) in
  let? A := tensor "A" [k; dimensions; dimensions] s in
  let? B := tensor "B" [k; k; dimensions] s in
  let? C := tensor "C" [k; 5; dimensions] s in
  let? h := tensor "h0" [dimensions] s in
  let low := lowest centres (lowest h (lowest C (lowest B (lowest A 149)))) in
  let whole := map (whole_over low) in
  let d := N.to_nat dimensions in
  let size := List.length symbols in
  let rows n l := let? l := pieces size (n * d) (whole l) in all (pieces n d) l in
  let? As := rows d A in let? As := chosen order As in
  let? Bs := rows size B in let? Bs := chosen order Bs in let? Bs := all (chosen order) Bs in
  let? Cs := rows 5%nat C in let? Cs := chosen order Cs in let? Cs := all (chosen moves) Cs in
  let? points := pieces (List.length reaches) d (whole centres) in
  let most := largest_of (whole centres) (largest_of (whole C) (largest_of (whole B) (largest_of (whole A) 0))) in
  let least := lowest reaches 0 in
  let? _ := guard (-2000 <? least)%Z in
  Some (Weights (Z.of_N dimensions) (2 ^ (149 - low))
          (fun x => nth (N.to_nat x) As []) (fun x => nth (N.to_nat x) Bs []) (fun x => nth (N.to_nat x) Cs [])
          (whole h) most points (2 ^ (- least)) (map (whole_over least) reaches)
          (fun p x => match table_of right p x with Some _ => true | None => false end)).

(** The weights that a certificate is about, its symbols by their numbers in the claim. *)
Definition weights_of (certificate : json) (model : string) : option weights :=
  let? c := claim_of certificate in
  let? (l, _) := tables_of certificate in let? symbols := symbols_of l in
  let? r := field "right" certificate in let? snapping := field "snapping" r in
  weights_in model symbols (right c) snapping.
