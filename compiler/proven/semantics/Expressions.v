(** The language of clauses: [evaluate] is the value of an expression on the parts of an input. Read of it what
    the clause at hand uses. *)
From Coq Require Import ZArith NArith List Bool.
Import ListNotations.
Local Open Scope Z_scope.

Definition symbol := N.

(** * Numbers in digits, of which the first is zero *)
Fixpoint place_in (l : list symbol) (s : symbol) : option Z :=
  match l with
  | [] => None
  | d :: l => if (d =? s)%N then Some 0 else option_map Z.succ (place_in l s)
  end.

(** The number that a text spells; None if it has another symbol than digits. *)
Definition spells_after (digits : list symbol) (so_far : option Z) (s : symbol) : option Z :=
  match so_far, place_in digits s with
  | Some n, Some d => Some (n * Z.of_nat (length digits) + d)
  | _, _ => None
  end.
Definition spells (digits t : list symbol) : option Z := fold_left (spells_after digits) t (Some 0).

(** A natural number as text, without zeros before it, with at most [most] + 1 digits. *)
Fixpoint written_in (digits : list symbol) (most : nat) (z : Z) (after : list symbol) : list symbol :=
  let base := Z.of_nat (length digits) in
  let text := nth (Z.to_nat (z mod base)) digits 0%N :: after in
  match most with
  | O => text
  | S most => if z <? base then text else written_in digits most (z / base) text
  end.
Definition in_digits (digits : list symbol) (z : Z) : option (list symbol) :=
  if (z <? 0) || (length digits <? 2)%nat then None
  else Some (written_in digits (Z.to_nat (Z.log2 z)) z []).
Definition digits_of (ds : list symbol) (z : Z) : list symbol := match in_digits ds z with Some t => t | None => [] end.
Fixpoint distinct_symbols (l : list symbol) : bool :=
  match l with [] => true | s :: l => negb (existsb (N.eqb s) l) && distinct_symbols l end.

(** * Texts *)
Fixpoint begins (x t : list symbol) : bool :=
  match x, t with
  | [], _ => true
  | a :: x, b :: t => (a =? b)%N && begins x t
  | _, [] => false
  end.
(** How often a text stands in another, from the left, none within another; [skip] of its symbols are taken. *)
Fixpoint count_in (x : list symbol) (skip : nat) (t : list symbol) : Z :=
  match t with
  | [] => 0
  | _ :: rest =>
      match skip with
      | S skip => count_in x skip rest
      | O => if begins x t then 1 + count_in x (pred (length x)) rest else count_in x 0 rest
      end
  end.
Fixpoint same_text (a b : list symbol) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => (x =? y)%N && same_text a b
  | _, _ => false
  end.
(** In the order of the alphabet. *)
Fixpoint insert (s : symbol) (t : list symbol) : list symbol :=
  match t with
  | [] => [s]
  | a :: t' => if (s <=? a)%N then s :: t else a :: insert s t'
  end.
Definition sorted (t : list symbol) : list symbol := fold_right insert [] t.
(** The symbol after [wait] others, and from there on each [step]-th. *)
Fixpoint taken (wait step : Z) (t : list symbol) : list symbol :=
  match t with
  | [] => []
  | s :: t => if wait <=? 0 then s :: taken (step - 1) step t else taken (wait - 1) step t
  end.
Definition repeated (t : list symbol) (n : Z) : list symbol := concat (repeat t (Z.to_nat n)).
Fixpoint without_blanks_before (t : list symbol) : list symbol :=
  match t with 0%N :: t => without_blanks_before t | _ => t end.
Definition without_blanks (t : list symbol) : list symbol :=
  rev (without_blanks_before (rev (without_blanks_before t))).

(** * A text that is itself an expression: numbers in the digits, + - * between them, and - before them *)
Inductive sign := Plus_sign | Minus_sign | Times_sign.
(** The sum of the terms before, the product before this number, its sign, and the number, if it has begun. *)
Definition sums : Type := Z * Z * Z * option Z.
Definition calculate (digits : list symbol) (signs : list (symbol * sign)) (so_far : option sums) (s : symbol) :
    option sums :=
  match so_far with
  | None => None
  | Some (total, term, negative, number) =>
      match place_in digits s with
      | Some d =>
          let n := match number with Some n => n | None => 0 end in
          Some (total, term, negative, Some (n * Z.of_nat (length digits) + d))
      | None =>
          match find (fun e => (fst e =? s)%N) signs, number with
          | Some (_, Minus_sign), None => Some (total, term, - negative, None)
          | Some (_, Times_sign), Some n => Some (total, term * negative * n, 1, None)
          | Some (_, Plus_sign), Some n => Some (total + term * negative * n, 1, 1, None)
          | Some (_, Minus_sign), Some n => Some (total + term * negative * n, -1, 1, None)
          | _, _ => None
          end
      end
  end.
Definition calculated (digits : list symbol) (signs : list (symbol * sign)) (t : list symbol) : option Z :=
  match fold_left (calculate digits signs) t (Some (0, 1, 1, None)) with
  | Some (total, term, negative, Some n) => Some (total + term * negative * n)
  | _ => None
  end.

(** * Expressions *)
Inductive operator := Add | Sub | Mul | Div | Mod.
Inductive comparator := Equal | Unequal | Less | At_most | More | At_least.
Inductive expression :=
| Constant (z : Z)
| Letters (t : list symbol)
| Part (i : nat)                                      (* the text of part i of the input *)
| Spelled (i : nat)                                   (* the number it spells, in the symbols of its cells *)
| Backwards (i : nat)                                 (* what it spells backwards *)
| Length (i : nat)
| Count (i : nat) (t : list symbol)
| Calculated (i : nat) (signs : list (symbol * sign))      (* of the expression that part i is *)
| Written (e : expression)                            (* a number as text *)
| Operation (o : operator) (a b : expression)
| Comparison (c : comparator) (a b : expression)
| And (a b : expression)
| Either (a b : expression)
| Not (a : expression)
| If (condition a b : expression)
| Reverse (a : expression)
| Sorted (a : expression)
| Repeat (a n : expression)
| Every (a first step : expression)                   (* of a text the symbols at some places, counted from 1 *)
| Join (a b : expression).                            (* texts, one behind the other *)

Inductive result := Number (z : Z) | Text (t : list symbol) | Truth (b : bool).

Definition operate (o : operator) (a b : Z) : option Z :=
  match o with
  | Add => Some (a + b)
  | Sub => Some (a - b)
  | Mul => Some (a * b)
  | Div => if b =? 0 then None else Some (a / b)
  | Mod => if b =? 0 then None else Some (a mod b)
  end.
Definition compare (c : comparator) (a b : Z) : bool :=
  match c with
  | Equal => a =? b | Unequal => negb (a =? b)
  | Less => a <? b | At_most => a <=? b | More => b <? a | At_least => b <=? a
  end.
Definition compared (c : comparator) (a b : option result) : option result :=
  match a, b, c with
  | Some (Number a), Some (Number b), _ => Some (Truth (compare c a b))
  | Some (Text a), Some (Text b), Equal => Some (Truth (same_text a b))
  | Some (Text a), Some (Text b), Unequal => Some (Truth (negb (same_text a b)))
  | _, _, _ => None
  end.

(** The value of an expression; None where it has none. [members] are the symbols of the cells of each part. *)
Fixpoint evaluate (digits : list symbol) (members : list (list symbol)) (e : expression) (parts : list (list symbol)) :
    option result :=
  let value a := evaluate digits members a parts in
  let part i := nth i parts [] in
  match e with
  | Constant z => Some (Number z)
  | Letters t => Some (Text t)
  | Part i => Some (Text (part i))
  | Spelled i => option_map Number (spells (nth i members []) (part i))
  | Backwards i => option_map Number (spells (nth i members []) (rev (part i)))
  | Length i => Some (Number (Z.of_nat (length (part i))))
  | Count i t => Some (Number (count_in t 0 (part i)))
  | Calculated i signs => option_map Number (calculated digits signs (part i))
  | Written a => match value a with Some (Number z) => option_map Text (in_digits digits z) | _ => None end
  | Operation o a b =>
      match value a, value b with
      | Some (Number a), Some (Number b) => option_map Number (operate o a b)
      | _, _ => None
      end
  | Comparison c a b => compared c (value a) (value b)
  | And a b => match value a with Some (Truth true) => value b | Some (Truth false) => Some (Truth false)
    | _ => None end
  | Either a b => match value a with Some (Truth false) => value b | Some (Truth true) => Some (Truth true)
    | _ => None end
  | Not a => match value a with Some (Truth b) => Some (Truth (negb b)) | _ => None end
  | If c a b => match value c with Some (Truth true) => value a | Some (Truth false) => value b | _ => None end
  | Reverse a => match value a with Some (Text t) => Some (Text (rev t)) | _ => None end
  | Sorted a => match value a with Some (Text t) => Some (Text (sorted t)) | _ => None end
  | Repeat a n =>
      match value a, value n with
      | Some (Text t), Some (Number n) => Some (Text (repeated t n))
      | _, _ => None
      end
  | Every a n k =>
      match value a, value n, value k with
      | Some (Text t), Some (Number n), Some (Number k) => if (1 <=? n) && (1 <=? k) then
        Some (Text (taken (n - 1) k t)) else None
      | _, _, _ => None
      end
  | Join a b => match value a, value b with Some (Text a), Some (Text b) => Some (Text (a ++ b)) | _, _ => None end
  end.
