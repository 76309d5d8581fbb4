(** Runs as Statement.v defines them, to be compared with the simulator that users have. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Rows Certificate Evidence Differing Check.
Import ListNotations.

Definition seen_of (c : config) : N * Z * Z * symbol := (st c, hx c, hy c, reads c).

(** A state, the head's place and what it reads, after each number of steps up to n; shorter if it is stuck. *)
Fixpoint shown_run (T : table) (w : world) (x y : Z) (n : nat) : list (N * Z * Z * symbol) :=
  match n with
  | O => []
  | S n => shown_run T w x y n ++ match run T n (start w x y) with Some c => [seen_of c] | None => [] end
  end.

(** Of a file with a table, cells and a start: the same for a number of steps. *)
Definition run_file (bytes : string) (n : N) : option (list (N * Z * Z * symbol)) :=
  let? j := json_of bytes in
  let? t := field "table" j in let? names := symbols_of t in let? symbols := numbering names in
  let? (_, r) := rules_of symbols t in
  let? cells := take_all "cells" j (world_cell_of symbols) in let? (x, y) := take "start" j in
  Some (shown_run (table_of r) (seen_at (plane_of cells)) x y (N.to_nat n)).

(** Whether a text says a result. *)
Definition says_b (digits : list symbol) (r : result) (l : list symbol) : bool :=
  match r with
  | Number z => match l, spells digits l with _ :: _, Some n => (n =? z)%Z | _, _ => false end
  | Text t => same_text l (without_blanks t)
  | Truth _ => false
  end.

(** Of a file with a table, the texts of the parts of inputs, and a text for each: whether there is a value,
    and whether the text says it. *)
Definition answer_file (bytes : string) : option (list (bool * bool)) :=
  let? j := json_of bytes in
  let? t := field "table" j in let? names := symbols_of t in let? symbols := numbering names in
  let? o := output_of false symbols t in
  let text_in j := let? s := letters j in letters_of symbols s in
  take_all "asked" j (fun '(parts, shown) =>
    let? parts := all text_in parts in let? l := text_in shown in
    match value_of o parts with
    | Some r => Some (true, says_b (o_digits o) r l)
    | None => Some (false, false)
    end).
