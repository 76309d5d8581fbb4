(** The clauses of a table, as their trees are read. Like Statement.v, this must be believed. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Maps Windows.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

(** * Names by number: the place of each in a list, in which none stands twice *)
Definition name_hash (s : text) : positive := Maps.key (fold_left mix s 7).
Definition numbers : Type := PM.t (list (text * N)).
Definition number_of (m : numbers) (s : text) : option N :=
  match find (fun e => text_eqb s (fst e)) (bucket _ m (name_hash s)) with Some (_, i) => Some i | None => None end.
Fixpoint number_all (i : N) (m : numbers) (l : list text) : option numbers :=
  match l with
  | [] => Some m
  | s :: l =>
      match number_of m s with
      | Some _ => None
      | None => let h := name_hash s in number_all (N.succ i) (PM.add h ((s, i) :: bucket _ m h) m) l
      end
  end.
Definition numbering (l : list text) : option numbers := number_all 0 (PM.empty _) l.

Definition letter (j : json) : option text := match j with Str [c] => Some [c] | _ => None end.
Definition is_text (s : string) (j : json) : bool := match j with Str t => text_eqb (text_of s) t | _ => false end.

(** * Input clauses, which are trees *)
Definition cell_of (symbols : numbers) (s : text) : option clause :=
  match s with
  | [] => None
  | _ => let? l := all (fun c => number_of symbols [c]) s in Some (Cell l)
  end.
Definition one_of (l : list clause) : option clause :=
  match l with [] => None | c :: l => Some (fold_left Or l c) end.

Fixpoint clause_of (symbols : numbers) (j : json) : option clause :=
  let all_of := fix all_of (l : list json) : option (list clause) :=
    match l with
    | [] => Some []
    | j :: l => let? c := clause_of symbols j in let? l := all_of l in Some (c :: l)
    end in
  match j with
  | Str s => cell_of symbols s
  | List (Str [kind] :: l) =>
      let? cs := all_of l in
      if kind =? 44 then match cs with [] => None | _ => Some (fold_right Then Nothing cs) end
      else if kind =? 124 then one_of cs
      else match cs with
           | [c] => if kind =? 43 then Some (Then c (Many c))
                    else if kind =? 42 then Some (Many c)
                    else if kind =? 63 then Some (Or Nothing c)
                    else None
           | _ => None
           end
  | _ => None
  end.
Definition pieces_of (symbols : numbers) (table : json) : option (list clause) :=
  let? j := field "input" table in
  let? l := each (clause_of symbols) j in
  match l with [] => None | _ => Some l end.

(** * Output clauses, which are trees too *)
Definition letters_of (symbols : numbers) (s : text) : option (list symbol) := all (fun c => number_of symbols [c]) s.
Definition are_digits (symbols : numbers) (l : list symbol) : bool :=
  (2 <=? N.of_nat (List.length l)) && distinct_symbols l &&
  match number_of symbols (text_of "-") with Some minus => negb (existsb (N.eqb minus) l) | None => true end.
Definition signs_of (symbols : numbers) : list (symbol * sign) :=
  flat_map (fun e => match number_of symbols (text_of (fst e)) with Some s => [(s, snd e)] | None => [] end)
    [("+"%string, Plus_sign); ("-"%string, Minus_sign); ("*"%string, Times_sign)].

Fixpoint named {A} (names : list (string * A)) (kind : text) : option A :=
  match names with
  | [] => None
  | (name, a) :: names => if text_eqb (text_of name) kind then Some a else named names kind
  end.
Definition pairings : list (string * (expression -> expression -> expression)) :=
  [("+"%string, Operation Add); ("-"%string, Operation Sub); ("*"%string, Operation Mul); ("div"%string, Operation Div);
   ("mod"%string, Operation Mod); ("=="%string, Comparison Equal); ("!="%string, Comparison Unequal);
   ("<"%string, Comparison Less); ("<="%string, Comparison At_most); (">"%string, Comparison More);
   (">="%string, Comparison At_least); ("and"%string, And); ("or"%string, Either); ("repeat"%string, Repeat)].
Definition singles : list (string * (expression -> expression)) :=
  [("text"%string, Written); ("not"%string, Not); ("reverse"%string, Reverse); ("sorted"%string, Sorted)].
Definition triples : list (string * (expression -> expression -> expression -> expression)) :=
  [("if"%string, If); ("every"%string, Every)].

(** A quantity of a part; the number that a text spells backwards is one too. *)
Definition quantity_of (symbols : numbers) (digits : list symbol) (members : list (list symbol)) (kind : text)
    (of_ : expression) : option expression :=
  let is name := text_eqb (text_of name) kind in
  let spelling i := are_digits symbols (nth i members []) in
  match of_ with
  | Part i =>
      if is "number" then let? _ := guard (spelling i) in Some (Spelled i)
      else if is "length" then Some (Length i)
      else if is "value" then
        let? _ := guard (match digits with [] => false | _ => true end) in Some (Calculated i (signs_of symbols))
      else None
  | Reverse (Part i) => let? _ := guard (is "number" && spelling i) in Some (Backwards i)
  | _ => None
  end.

Fixpoint expression_of (symbols : numbers) (digits : list symbol) (members : list (list symbol)) (j : json) :
    option expression :=
  let read := expression_of symbols digits members in
  match j with
  | Int z => if (z <? 0)%Z then None else Some (Constant z)
  | Str s => let? t := letters_of symbols s in Some (Letters t)
  | List (Str kind :: l) =>
      if text_eqb (text_of "join") kind then
        (fix joined l := match l with
         | [] => None
         | [a] => read a
         | a :: l => let? a := read a in let? b := joined l in Some (Join a b)
         end) l
      else match l with
      | [a] =>
          if text_eqb (text_of "part") kind then
            let? i := natural a in let? _ := guard (i <? N.of_nat (List.length members)) in Some (Part (N.to_nat i))
          else
            let? a := read a in
            match named singles kind with
            | Some make => Some (make a)
            | None => quantity_of symbols digits members kind a
            end
      | [a; b] =>
          let? a := read a in
          if text_eqb (text_of "count") kind then
            match a, b with
            | Part i, Str (c :: s) => let? t := letters_of symbols (c :: s) in Some (Count i t)
            | _, _ => None
            end
          else let? b := read b in let? make := named pairings kind in Some (make a b)
      | [c; a; b] =>
          let? make := named triples kind in let? c := read c in let? a := read a in let? b := read b in
            Some (make c a b)
      | _ => None
      end
  | _ => None
  end.

(** Digits are none, or at least two, each once, without the blank. *)
Definition symbols_of_digits (symbols : numbers) (table : json) : option (list symbol) :=
  let? j := field "output" table in
  let? digits := field "digits" j in let? digits := letters digits in let? digits := letters_of symbols digits in
  let? _ := guard (match digits with [] => true | _ => are_digits symbols digits && negb (existsb (N.eqb 0) digits) end)
    in
  Some digits.

(** Conditions that must all hold. Those that are no expression leave no input out, nor do any without an output
    clause. *)
Fixpoint conjuncts (j : json) : list json :=
  match j with
  | Null => []
  | List [Str kind; a; b] => if text_eqb (text_of "and") kind then conjuncts a ++ conjuncts b else [j]
  | _ => [j]
  end.
Definition is_null (j : option json) : bool := match j with None | Some Null => true | _ => false end.
Definition inputs_of (symbols : numbers) (table : json) : option inputs :=
  let? pieces := pieces_of symbols table in
  match field "where" table, field "output" table with
  | None, _ | Some Null, _ | _, Some Null =>
      Some (Declared pieces match symbols_of_digits symbols table with Some digits => digits | None => [] end [])
  | Some w, _ =>
      let? digits := symbols_of_digits symbols table in
      let read j := match expression_of symbols digits (map members_of pieces) j with Some e => [e] | None => [] end in
      Some (Declared pieces digits (flat_map read (conjuncts w)))
  end.
(** Of an acceptor: in which cases it halts. *)
Fixpoint ending_of (read : json -> option expression) (j : json) : option expression :=
  match j with
  | List [Str kind] =>
      let yes := Comparison Equal (Constant 0) (Constant 0) in
      if text_eqb (text_of "accept") kind then Some yes
      else if text_eqb (text_of "stuck") kind then Some (Not yes) else None
  | List [Str kind; c; a; b] =>
      let? _ := guard (text_eqb (text_of "if") kind) in
      let? c := read c in let? a := ending_of read a in let? b := ending_of read b in Some (If c a b)
  | _ => None
  end.
Definition output_of (accepts : bool) (symbols : numbers) (table : json) : option output_clause :=
  let? i := inputs_of symbols table in
  let? digits := symbols_of_digits symbols table in
  let? j := field "output" table in let? tree := field "value" j in
  let read := expression_of symbols digits (map members_of (i_pieces i)) in
  let? e := if accepts then ending_of read tree else read tree in
  Some (Output_clause i e).
