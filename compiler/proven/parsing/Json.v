(** How the bytes of a file are read as JSON: an automaton with a stack, one byte at a time.
    Texts are lists of code points. Whole numbers alone, below 2^62; no key twice in one object. *)
From Coq Require Import ZArith NArith List Bool Ascii String.
Import ListNotations.
Local Open Scope N_scope.

Definition text := list N.
Definition text_of (s : string) : text := map N_of_ascii (list_ascii_of_string s).
Fixpoint text_eqb (a b : text) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => (x =? y) && text_eqb a b
  | _, _ => false
  end.
Inductive json :=
| Null
| Bool (b : bool)
| Int (z : Z)
| Str (s : text)
| List (l : list json)
| Obj (l : list (text * json)).

(** * The automaton *)

(** What a value stands in: the items before it, last first. *)
Inductive frame :=
| In_list (before : list json)
| In_object (before : list (text * json)) (key : text).

Inductive string_mode :=
| Plain
| Escape                              (* after a backslash *)
| Hex (more : nat) (code : N)         (* digits to come of \uXXXX, and those that came *)
| Low (seen : bool) (high : N)        (* after a high surrogate: a backslash, then a u *)
| Low_hex (more : nat) (code high : N)
| Bytes (more : nat) (code least : N). (* bytes to come of one code point in UTF-8 *)

Inductive mode :=
| Value
| Value_or_end                        (* after an opening bracket *)
| Key
| Key_or_end                          (* after an opening brace *)
| Colon (key : text)
| After                               (* after a value in a list or an object *)
| Finished (j : json)
| Chars (key : bool) (m : string_mode) (before : text)
| Minus
| Digits (negative : bool) (n : N)
| Word (rest : text) (j : json).

Definition state : Type := mode * list frame.

Definition complete (j : json) (stack : list frame) : state :=
  match stack with
  | [] => (Finished j, [])
  | In_list before :: stack => (After, In_list (j :: before) :: stack)
  | In_object before key :: stack => (After, In_object ((key, j) :: before) [] :: stack)
  end.

Definition is_space (c : N) : bool := (c =? 32) || (c =? 9) || (c =? 10) || (c =? 13).
Definition is_digit (c : N) : bool := (48 <=? c) && (c <=? 57).
Definition hex (c : N) : option N :=
  if is_digit c then Some (c - 48)
  else if (97 <=? c) && (c <=? 102) then Some (c - 87)
  else if (65 <=? c) && (c <=? 70) then Some (c - 55)
  else None.

Definition after (stack : list frame) (c : N) : option state :=
  match stack with
  | In_list before :: stack' =>
      if c =? 44 then Some (Value, stack)
      else if c =? 93 then Some (complete (List (rev' before)) stack')
      else None
  | In_object before _ :: stack' =>
      if c =? 44 then Some (Key, stack)
      else if c =? 125 then Some (complete (Obj (rev' before)) stack')
      else None
  | [] => None
  end.

Definition value (stack : list frame) (c : N) : option state :=
  if c =? 34 then Some (Chars false Plain [], stack)
  else if c =? 91 then Some (Value_or_end, In_list [] :: stack)
  else if c =? 123 then Some (Key_or_end, In_object [] [] :: stack)
  else if c =? 45 then Some (Minus, stack)
  else if is_digit c then Some (Digits false (c - 48), stack)
  else if c =? 110 then Some (Word (text_of "ull") Null, stack)
  else if c =? 116 then Some (Word (text_of "rue") (Bool true), stack)
  else if c =? 102 then Some (Word (text_of "alse") (Bool false), stack)
  else None.

Definition escape (c : N) : option N :=
  if (c =? 34) || (c =? 92) || (c =? 47) then Some c
  else if c =? 98 then Some 8
  else if c =? 102 then Some 12
  else if c =? 110 then Some 10
  else if c =? 114 then Some 13
  else if c =? 116 then Some 9
  else None.

Definition is_surrogate (c : N) : bool := (55296 <=? c) && (c <? 57344).
Definition is_high (c : N) : bool := (55296 <=? c) && (c <? 56320).
Definition is_low (c : N) : bool := (56320 <=? c) && (c <? 57344).

(** One byte inside of a text: the new mode, and the text with what is whole of it. *)
Definition chars (m : string_mode) (before : text) (c : N) : option (string_mode * text) :=
  match m with
  | Plain =>
      if c =? 92 then Some (Escape, before)
      else if c <? 32 then None
      else if c <? 128 then Some (Plain, c :: before)
      else if c <? 194 then None
      else if c <? 224 then Some (Bytes 0 (c - 192) 128, before)
      else if c <? 240 then Some (Bytes 1 (c - 224) 2048, before)
      else if c <? 245 then Some (Bytes 2 (c - 240) 65536, before)
      else None
  | Bytes more code least =>
      if (128 <=? c) && (c <? 192) then
        let code := code * 64 + (c - 128) in
        match more with
        | S more => Some (Bytes more code least, before)
        | O => if (code <? least) || (1114111 <? code) || is_surrogate code then None
               else Some (Plain, code :: before)
        end
      else None
  | Escape =>
      if c =? 117 then Some (Hex 3 0, before)
      else match escape c with Some c => Some (Plain, c :: before) | None => None end
  | Hex more code =>
      match hex c, more with
      | None, _ => None
      | Some h, S more => Some (Hex more (code * 16 + h), before)
      | Some h, O =>
          let code := code * 16 + h in
          if is_high code then Some (Low false code, before)
          else if is_low code then None
          else Some (Plain, code :: before)
      end
  | Low false high => if c =? 92 then Some (Low true high, before) else None
  | Low true high => if c =? 117 then Some (Low_hex 3 0 high, before) else None
  | Low_hex more code high =>
      match hex c, more with
      | None, _ => None
      | Some h, S more => Some (Low_hex more (code * 16 + h) high, before)
      | Some h, O =>
          let code := code * 16 + h in
          if is_low code then Some (Plain, 65536 + (high - 55296) * 1024 + (code - 56320) :: before) else None
      end
  end.

Definition number_limit : N := 4611686018427387904.
Definition number (negative : bool) (n : N) : option json :=
  if (number_limit <=? n) || (negative && (n =? 0)) then None
  else Some (Int (if negative then - Z.of_N n else Z.of_N n)%Z).

(** The end of a text that is a key, or a value. *)
Definition end_of_text (key : bool) (before : text) (stack : list frame) : option state :=
  let s := rev' before in
  if key then
    match stack with
    | In_object fields _ :: _ =>
        if existsb (fun f => text_eqb s (fst f)) fields then None else Some (Colon s, stack)
    | _ => None
    end
  else Some (complete (Str s) stack).

Definition step (s : state) (c : N) : option state :=
  let '(m, stack) := s in
  match m with
  | Chars key Plain before =>
      if c =? 34 then end_of_text key before stack
      else match chars Plain before c with Some (m, b) => Some (Chars key m b, stack) | None => None end
  | Chars key m before =>
      match chars m before c with Some (m, b) => Some (Chars key m b, stack) | None => None end
  | Digits negative n =>
      if is_digit c then
        if (n =? 0) || (number_limit <=? n) then None else Some (Digits negative (n * 10 + (c - 48)), stack)
      else
        match number negative n with
        | None => None
        | Some j =>
            match complete j stack with
            | (Finished j, stack) => if is_space c then Some (Finished j, stack) else None
            | (m, stack) => if is_space c then Some (m, stack) else after stack c
            end
        end
  | Minus => if is_digit c then Some (Digits true (c - 48), stack) else None
  | Word (d :: rest) j =>
      if c =? d then match rest with [] => Some (complete j stack) | _ => Some (Word rest j, stack) end else None
  | Word [] _ => None
  | _ =>
      if is_space c then Some s
      else
        match m with
        | Value => value stack c
        | Value_or_end => if c =? 93 then after stack c else value stack c
        | Key => if c =? 34 then Some (Chars true Plain [], stack) else None
        | Key_or_end => if c =? 34 then Some (Chars true Plain [], stack) else if c =? 125 then after stack c else None
        | Colon key =>
            if c =? 58 then
              match stack with In_object before _ :: stack => Some (Value, In_object before key :: stack)
                | _ => None end
            else None
        | After => after stack c
        | _ => None
        end
  end.

Fixpoint read (s : state) (bytes : string) : option json :=
  match bytes with
  | EmptyString =>
      match s with
      | (Finished j, []) => Some j
      | (Digits negative n, []) => number negative n
      | _ => None
      end
  | String c bytes => match step s (N_of_ascii c) with Some s => read s bytes | None => None end
  end.

Definition json_of (bytes : string) : option json := read (Value, []) bytes.

(** * Looking into what was read *)
Definition field (name : string) (j : json) : option json :=
  match j with
  | Obj l => match find (fun f => text_eqb (text_of name) (fst f)) l with Some (_, j) => Some j | None => None end
  | _ => None
  end.
Definition items (j : json) : option (list json) := match j with List l => Some l | _ => None end.
Definition whole (j : json) : option Z := match j with Int z => Some z | _ => None end.
Definition natural (j : json) : option N :=
  match j with Int z => if (z <? 0)%Z then None else Some (Z.to_N z) | _ => None end.
Definition letters (j : json) : option text := match j with Str s => Some s | _ => None end.
Definition truth (j : json) : option bool := match j with Bool b => Some b | _ => None end.

Definition bind {A B} (a : option A) (f : A -> option B) : option B :=
  match a with Some a => f a | None => None end.
Notation "'let?' x ':=' a 'in' b" := (bind a (fun x => b)) (at level 200, x pattern, right associativity).
Definition guard (b : bool) : option unit := if b then Some tt else None.

Fixpoint all {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: l => let? b := f a in let? l := all f l in Some (b :: l)
  end.
Definition each {B} (f : json -> option B) (j : json) : option (list B) := let? l := items j in all f l.

(** The first n, and the rest. *)
Fixpoint split {A} (n : nat) (l : list A) : option (list A * list A) :=
  match n, l with
  | O, _ => Some ([], l)
  | S n, a :: l => let? (x, y) := split n l in Some (a :: x, y)
  | _, [] => None
  end.

(** * Values by the type that is wanted of them *)
Class Readable A := of_json : json -> option A.
#[export] Instance reads_json : Readable json := Some.
#[export] Instance reads_natural : Readable N := natural.
#[export] Instance reads_whole : Readable Z := whole.
#[export] Instance reads_truth : Readable bool := truth.
#[export] Instance reads_list {A} `{Readable A} : Readable (list A) := each of_json.
#[export] Instance reads_null {A} `{Readable A} : Readable (option A) :=
  fun j => match j with Null => Some None | _ => let? a := of_json j in Some (Some a) end.
#[export] Instance reads_pair {A B} `{Readable A, Readable B} : Readable (A * B) :=
  fun j => match j with List [a; b] => let? a := of_json a in let? b := of_json b in Some (a, b) | _ => None end.
(** The first of a list, and what the others are. *)
Inductive headed A B := Headed (a : A) (l : B).
Arguments Headed {A B}.
Notation "a ,, l" := (Headed a l) (at level 60, right associativity).
#[export] Instance reads_headed {A B} `{Readable A, Readable B} : Readable (headed A B) :=
  fun j => match j with List (a :: l) => let? a := of_json a in let? l := of_json (List l) in Some (a ,, l)
    | _ => None end.
Definition take {A} `{Readable A} (name : string) (j : json) : option A := let? v := field name j in of_json v.
Definition take_all {A B} `{Readable A} (name : string) (j : json) (f : A -> option B) : option (list B) :=
  let? l := take name j in all f l.
