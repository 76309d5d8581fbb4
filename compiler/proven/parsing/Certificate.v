(** What a certificate claims, as its bytes are read; what evidence it has. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Windows Columns Strips Descents Starts Rankings Differences Rows Results.
From Gridlang Require Import FoldedTape FoldedResults FoldedCheck.
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

Fixpoint distinct_symbols (l : list N) : bool :=
  match l with [] => true | s :: l => negb (existsb (N.eqb s) l) && distinct_symbols l end.

(** * Tables *)
Definition move_of (s : text) : option move :=
  if text_eqb s (text_of "U") then Some MU
  else if text_eqb s (text_of "D") then Some MD
  else if text_eqb s (text_of "L") then Some ML
  else if text_eqb s (text_of "R") then Some MR
  else if text_eqb s (text_of "S") then Some MS
  else None.

Definition rule_of (symbols states : numbers) (j : json) : option (Grid.state * symbol * entry) :=
  match j with
  | List [Str p; Str s; Str w; Str m; Str q] =>
      let? p := number_of states p in let? s := number_of symbols s in let? w := number_of symbols w in
      let? m := move_of m in let? q := number_of states q in
      let? _ := guard (negb ((s =? w) && Joint.move_eqb m MS) || (p =? q)) in
      Some (p, s, (w, m, q))
  | _ => None
  end.

(** No pair of a state and a symbol has two rules. *)
Fixpoint once (m : rows) (r : rules) : bool :=
  match r with
  | [] => true
  | (p, s, e) :: r =>
      match find_rule m p s with
      | Some _ => false
      | None => once (PM.add (Maps.key p) (PM.add (Maps.key s) e (row m p)) m) r
      end
  end.

Definition letter (j : json) : option text := match j with Str [c] => Some [c] | _ => None end.
Definition is_text (s : string) (j : json) : bool := match j with Str t => text_eqb (text_of s) t | _ => false end.

(** The symbols of a table; the first is the blank. *)
Definition symbols_of (table : json) : option (list text) :=
  let? l := field "symbols" table in let? l := each letter l in
  let? blank := field "blank" table in
  let? _ := guard (is_text "_" blank && match l with [c] :: _ => (c =? 95) | _ => false end) in
  Some l.

(** Rules by the numbers of LEFT's symbols; state 0 is the start. *)
Definition rules_of (symbols : numbers) (table : json) : option (N * rules) :=
  let? l := field "states" table in let? l := each letters l in let? states := numbering l in
  let? start := field "start" table in let? start := letters start in
  let? first := number_of states start in let? _ := guard (first =? 0) in
  let? r := field "rules" table in let? r := each (rule_of symbols states) r in
  let? _ := guard (once (PM.empty _) r) in
  Some (N.of_nat (List.length l), r).

(** * Input clauses, which are trees *)
Definition cell_of (symbols : numbers) (s : text) : option clause :=
  match s with
  | [] => None
  | _ => let? l := all (fun c => number_of symbols [c]) s in Some (Cell l)
  end.
Definition one_after_another (l : list clause) : clause := fold_right Then Nothing l.
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
      if kind =? 44 then match cs with [] => None | _ => Some (one_after_another cs) end
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
Definition input_of (symbols : numbers) (table : json) : option clause :=
  let? l := pieces_of symbols table in Some (one_after_another l).

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
  | List [Str kind; a] =>
      if text_eqb (text_of "part") kind then
        let? i := natural a in let? _ := guard (i <? N.of_nat (List.length members)) in Some (Part (N.to_nat i))
      else
        let? a := read a in
        match named singles kind with
        | Some make => Some (make a)
        | None => quantity_of symbols digits members kind a
        end
  | List [Str kind; a; b] =>
      let? a := read a in
      if text_eqb (text_of "count") kind then
        match a, b with
        | Part i, Str (c :: s) => let? t := letters_of symbols (c :: s) in Some (Count i t)
        | _, _ => None
        end
      else let? b := read b in let? make := named pairings kind in Some (make a b)
  | List [Str kind; c; a; b] =>
      let? _ := guard (text_eqb (text_of "if") kind) in
      let? c := read c in let? a := read a in let? b := read b in Some (If c a b)
  | _ => None
  end.

(** Digits are none, or at least two, each once, without the blank. *)
Definition output_of (symbols : numbers) (table : json) : option output_clause :=
  let? pieces := pieces_of symbols table in
  let? j := field "output" table in
  let? digits := field "digits" j in let? digits := letters digits in let? digits := letters_of symbols digits in
  let? _ := guard (match digits with [] => true | _ => are_digits symbols digits && negb (existsb (N.eqb 0) digits) end) in
  let? tree := field "value" j in let? e := expression_of symbols digits (map members_of pieces) tree in
  Some (Output_clause pieces digits e).

(** * The claim *)
Record claim := Claim {
  alphabet : N;                                       (* how many symbols *)
  left_states : N; right_states : N;
  left : rules; right : rules;
  equal : bool;                                       (* or different *)
  stuck : stuckness;
  at_scope : scope;
  halting : bool;
  leaves : option output_clause }.                    (* what LEFT leaves where it halts, if that is claimed *)

Definition LEFT (c : claim) : table := table_of (left c).
Definition RIGHT (c : claim) : table := table_of (right c).

Definition no_claim : claim := Claim 0 0 0 [] [] true Unasked Worlds false None.

(** Every run of LEFT on a declared input ends; it halts where it is claimed to be never stuck. *)
Definition left_ends (c : claim) : Prop :=
  match at_scope c with
  | Inputs i => forall t, matches i t ->
      match stuck c with
      | Never => exists n e, run (LEFT c) n (start (input_world t) 0 0) = Some e /\ halts (LEFT c) e
      | _ => ends (LEFT c) (input_world t) 0 0
      end
  | _ => False
  end.

Definition holds (c : claim) : Prop :=
  (if equal c then equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c)
   else ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c)) /\
  (halting c = true -> left_ends c) /\
  match leaves c with Some o => leaves_output (LEFT c) o | None => True end.

Definition stuck_of (s : text) : option stuckness :=
  if text_eqb s (text_of "unasked") then Some Unasked
  else if text_eqb s (text_of "same") then Some Same
  else if text_eqb s (text_of "never") then Some Never
  else None.
Definition scope_of (symbols : numbers) (table : json) (s : text) : option scope :=
  if text_eqb s (text_of "worlds") then Some Worlds
  else if text_eqb s (text_of "inputs") then let? c := input_of symbols table in Some (Inputs c)
  else if text_eqb s (text_of "table") then Some Reads
  else if text_eqb s (text_of "observed") then Some Observed
  else None.

(** The sentence of a claim, which the file must have word for word. *)
Definition sentence (equal : bool) (s : scope) (k : stuckness) (halting output : bool) : string :=
  ((if equal then "RIGHT does what LEFT does " else "RIGHT does not do what LEFT does ") ++
  match s with
  | Worlds => "on every world, from every start cell"
  | Inputs _ => "on every declared input of LEFT"
  | Reads => "on every sequence of reads"
  | Observed => "on every sequence of reads that RIGHT was observed on"
  end ++
  match k, equal with
  | Unasked, _ => ""
  | Same, true => ", and is stuck wherever LEFT is"
  | Same, false => ", or is not stuck where LEFT is"
  | Never, true => ", and LEFT is never stuck"
  | Never, false => ", or LEFT is stuck"
  end ++
  match k, halting with
  | _, false => ""
  | Never, true => ", and LEFT halts"
  | _, true => ", and every run of LEFT ends"
  end ++
  match output, halting with
  | false, _ => ""
  | true, false => ", and where LEFT halts it leaves what its output clause says"
  | true, true => " and leaves what its output clause says"
  end)%string.

Definition tables_of (j : json) : option (json * json) :=
  let? l := field "left" j in let? l := field "table" l in
  let? r := field "right" j in let? r := field "table" r in Some (l, r).

Definition claim_of (j : json) : option claim :=
  let? format := field "format" j in let? _ := guard (is_text "gridlang-certificate/4" format) in
  let? (l, r) := tables_of j in
  let? names := symbols_of l in let? symbols := numbering names in
  let? others := symbols_of r in let? other := numbering others in
  let? _ := guard (Nat.eqb (List.length names) (List.length others)) in
  let? (left_states, left) := rules_of symbols l in
  let? (right_states, right) := rules_of symbols r in
  let? c := field "claim" j in
  let? equal := field "equivalent" c in let? equal := truth equal in
  let? k := field "stuck" c in let? k := letters k in let? k := stuck_of k in
  let? s := field "scope" c in let? s := letters s in let? s := scope_of symbols l s in
  let? halting := field "halts" c in let? halting := truth halting in
  let? output := field "output" c in let? output := truth output in
  let? _ := guard (negb output || match equal, s, k with true, Inputs _, Never => true | _, _, _ => false end) in
  let? leaves := if output then let? o := output_of symbols l in Some (Some o) else Some None in
  let? says := field "says" c in let? _ := guard (is_text (sentence equal s k halting output) says) in
  let? _ := guard (match s, k with Observed, Same | Observed, Never => false | _, _ => true end) in
  let? _ := guard (forallb (fun n => match number_of other n with Some _ => true | None => false end) names) in
  Some (Claim (N.of_nat (List.length names)) left_states right_states left right equal k s halting leaves).

(** * Evidence *)
Inductive evidence :=
| By_pairs (l : list (Grid.state * Grid.state))
| By_windows (radius : N) (l : list Windows.element)
| By_strip (e : strip)
| By_fold (e : fold)
| By_results (e : strip) (t : told_result)
| By_difference (input : option (list symbol)) (place : option (Z * Z))
    (cells : option (list (Z * Z * symbol))) (l : list shown).

Definition pair_of (j : json) : option (N * N) :=
  match j with List [p; q] => let? p := natural p in let? q := natural q in Some (p, q) | _ => None end.

Fixpoint cells_of_list (l : list json) : option window :=
  match l with
  | [] => Some []
  | x :: y :: s :: l =>
      let? x := whole x in let? y := whole y in let? s := natural s in
      let? l := cells_of_list l in Some ((x, y, s) :: l)
  | _ => None
  end.
Definition window_of (j : json) : option Windows.element :=
  match j with
  | List (p :: q :: l) => let? p := natural p in let? q := natural q in let? w := cells_of_list l in Some (p, q, w)
  | _ => None
  end.

Fixpoint split {A} (n : nat) (l : list A) : option (list A * list A) :=
  match n, l with
  | O, _ => Some ([], l)
  | S n, a :: l => let? (x, y) := split n l in Some (a :: x, y)
  | _, [] => None
  end.
Definition plus_one (z : Z) : option N := if (z <? -1)%Z then None else Some (Z.to_N (z + 1)).
Definition known_of_number (z : Z) : known := if (z <? 0)%Z then Of_class (Z.to_N (-1 - z)) else Is (Z.to_N z).

(** Places to the left of the input are below 0. *)
Definition place_number (count : N) (z : Z) : N :=
  if (z <? 0)%Z then left_place count (Z.to_N (-1 - z)) else right_place (Z.to_N z).
Definition label_of (height : nat) (count : N) (j : json) : option label :=
  let? l := each whole j in let? (cs, l) := split height l in
  match l with
  | [at_; mark] => let? mark := plus_one mark in Some (map known_of_number cs, place_number count at_, mark)
  | _ => None
  end.
Definition gram_of (depth : nat) (side : bool) (kind : N) (j : json) : option gram :=
  let? l := each natural j in
  match l with
  | x :: w => if Nat.eqb (List.length w) depth then Some (side, kind, x, w) else None
  | [] => None
  end.
Definition grams_of (depth : nat) (side : bool) (j : json) : option (list gram) :=
  let? l := items j in
  let? l := all (fun k => each (gram_of depth side (fst k)) (snd k))
                (combine (below (N.of_nat (List.length l))) l) in
  Some (List.concat l).
Definition element_of (depth : nat) (j : json) : option Strips.element :=
  match j with
  | List (p :: q :: y :: l) =>
      let? p := natural p in let? q := natural q in let? y := whole y in
      let? l := all natural l in let? (near, l) := split depth l in
      match l with
      | c :: far => if Nat.eqb (List.length far) depth then Some (p, q, y, c, near, far) else None
      | [] => None
      end
  | _ => None
  end.
Definition mark_of_json (j : json) : option (N + list N) :=
  match j with List l => let? l := all natural l in Some (inr l) | _ => let? m := natural j in Some (inl m) end.
Definition side_of (z : Z) : option bool :=
  if (z =? 1)%Z then Some true else if (z =? -1)%Z then Some false else None.
Definition descent_of (j : json) : option descent :=
  match j with
  | List [p; q; side; steps] =>
      let? p := natural p in let? q := natural q in let? side := whole side in let? side := side_of side in
      let? steps := natural steps in let? _ := guard (steps <=? 10000) in Some (p, q, side, N.to_nat steps)
  | _ => None
  end.

Definition most_rows : Z := 1000.
(** The columns of inputs; a strip of all worlds has none. *)
Definition columns_of (j : json) : option (list N * list (list (list N))) :=
  match j with
  | Null => Some ([], [])
  | _ =>
      let? starts := field "starts" j in let? starts := each natural starts in
      let? steps := field "steps" j in let? steps := each (each (each natural)) steps in
      let? _ := guard (match steps with [] => false | _ => true end) in Some (starts, steps)
  end.
Definition strip_of (j : json) : option strip :=
  let? rows := field "rows" j in let? rows := each whole rows in
  let? (low, high) := match rows with [low; high] => Some (low, high) | _ => None end in
  let? _ := guard ((low <=? high) && (high - low <? most_rows))%Z in
  let height := Z.to_nat (high - low + 1) in
  let? depth := field "depth" j in let? depth := natural depth in
  let? _ := guard ((1 <=? depth) && (depth <? 100)) in
  let depth := N.to_nat depth in
  let? dim := field "dim" j in let? dim := truth dim in
  let? classes := field "classes" j in let? classes := each natural classes in
  let? kinds := field "kinds" j in let? kinds := each natural kinds in
  let? marks := field "marks" j in let? marks := each mark_of_json marks in
  let? columns := field "columns" j in let? (starts, steps) := columns_of columns in
  let? labels := field "labels" j in let? labels := each (label_of height (N.of_nat (List.length steps))) labels in
  let? coarse := field "coarse" j in let? coarse := each natural coarse in
  let? lefts := field "left" j in let? lefts := grams_of depth false lefts in
  let? rights := field "right" j in let? rights := grams_of depth true rights in
  let? elements := field "elements" j in let? elements := each (element_of depth) elements in
  let? descents := field "descents" j in let? descents := each descent_of descents in
  let? _ := guard (Nat.eqb (List.length coarse) (List.length labels)) in
  Some (Strip low height (pred depth) classes dim kinds marks labels coarse (lefts ++ rights) elements starts steps descents).

(** What is wanted in each place: a symbol, -1 to the left of a number, -2 for nothing. *)
Definition wanted_of_number (z : Z) : option wanted :=
  if (z =? -1)%Z then Some Leads else if (z =? -2)%Z then Some Empty
  else if (z <? 0)%Z then None else Some (Wants (Z.to_N z)).
Definition wanted_of (j : json) : option wanted := let? z := whole j in wanted_of_number z.
Definition anchor_of (j : json) : option (option (bool * Z)) :=
  match j with
  | Null => Some None
  | List [side; at_] =>
      let? at_ := whole at_ in let? _ := guard (Z.abs at_ <=? 100)%Z in
      if is_text "start" side then Some (Some (false, at_)) else if is_text "end" side then Some (Some (true, at_)) else None
  | _ => None
  end.
Definition told_result_of (j : json) : option told_result :=
  let? j := field "result" j in
  let? row := field "row" j in let? row := whole row in
  let? anchor := field "anchor" j in let? anchor := anchor_of anchor in
  let? before := field "before" j in let? before := each (each natural) before in
  let? beside := field "beside" j in let? beside := each (each natural) beside in
  let? expects := field "expects" j in let? expects := each wanted_of expects in
  let? expects_before := field "expects_before" j in let? expects_before := each wanted_of expects_before in
  Some (Told_result row anchor before beside expects expects_before).
Definition strip_and_result (j : json) : option (strip * told_result) :=
  let? s := strip_of j in let? t := told_result_of j in Some (s, t).

Fixpoint pairs_of_list (l : list N) : option rank :=
  match l with
  | [] => Some []
  | k :: w :: l => let? l := pairs_of_list l in Some ((k, w) :: l)
  | _ => None
  end.
Definition rank_of (j : json) : option rank := let? l := each natural j in pairs_of_list l.
Definition weight_of (j : json) : option (N * bool * N * N) :=
  match j with
  | List [k; side; l; w] =>
      let? k := natural k in let? side := whole side in let? side := side_of side in
      let? l := natural l in let? w := natural w in Some (k, side, l, w)
  | _ => None
  end.
Definition ranking_of (j : json) : option ranking :=
  let? ranks := field "ranks" j in let? ranks := each rank_of ranks in
  let? elements := field "elements" j in let? elements := each natural elements in
  let? weights := field "weights" j in let? weights := each weight_of weights in
  Some (Ranking ranks elements weights).

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
  Some (Fold low height (Z.to_nat (row - low)) stands shifts controls labels coarse
    (fun side => if side : bool then head_right else head_left) (fun side => if side : bool then right else left)).

Definition deed_of (symbols : numbers) (j : json) : option deed :=
  match j with
  | Null => Some None
  | List [Str s; Str m] => let? s := number_of symbols s in let? m := move_of m in Some (Some (s, m))
  | _ => None
  end.
Fixpoint shown_of (symbols : numbers) (reads left right : list json) : option (list shown) :=
  match reads, left, right with
  | [], [], [] => Some []
  | Str s :: reads, l :: left, r :: right =>
      let? s := number_of symbols s in let? l := deed_of symbols l in let? r := deed_of symbols r in
      let? rest := shown_of symbols reads left right in Some ((s, l, r) :: rest)
  | _, _, _ => None
  end.
Definition place_of (j : json) : option (option (Z * Z)) :=
  match j with
  | Null => Some None
  | List [x; y] => let? x := whole x in let? y := whole y in Some (Some (x, y))
  | _ => None
  end.
Definition world_cell_of (symbols : numbers) (j : json) : option (Z * Z * symbol) :=
  match j with
  | List [x; y; Str s] => let? x := whole x in let? y := whole y in let? s := number_of symbols s in Some (x, y, s)
  | _ => None
  end.
Definition difference_of (symbols : numbers) (j : json) : option evidence :=
  let? reads := field "reads" j in let? reads := items reads in
  let? left := field "left" j in let? left := items left in
  let? right := field "right" j in let? right := items right in
  let? steps := shown_of symbols reads left right in
  let? input := field "input" j in
  let? input := match input with
                | Null => Some None
                | Str s => let? l := all (fun c => number_of symbols [c]) s in Some (Some l)
                | _ => None
                end in
  let? at_ := field "start" j in let? at_ := place_of at_ in
  let? cells := field "cells" j in
  let? cells := match cells with
                | Null => Some None
                | _ => let? l := each (world_cell_of symbols) cells in Some (Some l)
                end in
  Some (By_difference input at_ cells steps).

Definition evidence_of (j : json) : option evidence :=
  let? (l, _) := tables_of j in let? names := symbols_of l in let? symbols := numbering names in
  let? e := field "evidence" j in
  let? kind := field "kind" e in
  if is_text "pairs" kind then let? l := field "pairs" e in let? l := each pair_of l in Some (By_pairs l)
  else if is_text "windows" kind then
    let? radius := field "radius" e in let? radius := natural radius in
    let? l := field "elements" e in let? l := each window_of l in Some (By_windows radius l)
  else if is_text "strips" kind then let? s := strip_of e in Some (By_strip s)
  else if is_text "folds" kind then let? f := fold_of e in Some (By_fold f)
  else if is_text "results" kind then let? (s, t) := strip_and_result e in Some (By_results s t)
  else if is_text "difference" kind then difference_of symbols e
  else None.

(** What shows that LEFT's runs end: a strip of its own, or the one of the evidence, and ranks. *)
Definition halting_of (j : json) : option (option strip * ranking) :=
  let? t := field "total" j in let? h := field "halting" t in
  let? own := field "strip" h in
  let? own := match own with
    | Null => Some None
    | _ => let? kind := field "kind" own in let? _ := guard (is_text "strips" kind) in let? s := strip_of own in Some (Some s)
    end in
  let? r := field "ranking" h in let? r := ranking_of r in Some (own, r).

Definition shows_output (e : json) : bool :=
  match field "kind" e with Some k => is_text "results" k || is_text "folds" k | None => false end.

(** The evidence of what LEFT leaves: LEFT's own, or that of the certificate. *)
Definition output_evidence (j : json) : option json :=
  let? t := field "total" j in let? own := field "output" t in
  let? e := field "evidence" j in
  match own with
  | Null => if shows_output e then Some e else None
  | _ => if shows_output e then None else Some own
  end.

(** Whether there is evidence of halting and of outputs just where they are claimed. *)
Definition total_fits (j : json) (c : claim) : bool :=
  match field "total" j with
  | Some t =>
      match field "halting" t with
      | Some Null => negb (halting c)
      | Some _ => halting c
      | None => false
      end &&
      match leaves c, output_evidence j with
      | Some _, Some _ => true
      | None, None => match field "output" t with Some Null => true | _ => false end
      | _, _ => false
      end
  | None => false
  end.
