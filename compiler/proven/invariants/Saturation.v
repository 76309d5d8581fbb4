(** The strip of (V12), computed from a table and its input clause. Nothing of this need be believed: what it gives is
    checked as any other strip is. *)
From Coq Require Import ZArith NArith List Bool.
From Gridlang Require Import Statement Joint Maps Windows Columns Closures Counted Conditions Strips Descents Starts
  Places Values.
Import ListNotations.
Local Open Scope N_scope.

(** A step again and again, until nothing is left to do, at most 2 ^ k times. *)
Fixpoint repeat_until {A} (k : nat) (is_done : A -> bool) (f : A -> A) (a : A) : A :=
  if is_done a then a else
  match k with O => f a | S k => repeat_until k is_done f (repeat_until k is_done f a) end.

(** * Places *)
Section Places.
  Variables (n : N) (i : inputs) (near far : N).
  Notation pieces := (i_pieces i).
  (** What is left, and what was counted; columns before (at most near) and after (at most far). *)
  Definition reading : Type := list clause * counters * N * N.
  Definition reading_eqb (a b : reading) : bool :=
    let '(c, A, f, r) := a in let '(c', A', f', r') := b in
    (f =? f') && (r =? r') && list_eqb clause_eqb c c' && if counters_eq_dec A A' then true else false.
  Definition reading_hash (a : reading) : positive :=
    let '(c, A, f, r) := a in Maps.key (counters_hash (mix (mix (N.of_nat (length c)) f) r) A).
  Fixpoint beginnings (l : list clause) : list (list clause) :=
    match l with [] => [] | d :: rest => l :: (if nullable d then beginnings rest else []) end.
  Definition rests (r : N) : list (option N) :=       (* None: this column was the last one *)
    (if r =? 0 then [None] else [Some (r - 1)]) ++ (if r =? far then [Some r] else []).
  Definition reads_on (a : reading) : list (symbol * option reading) :=
    let '(l, A, f, r) := a in
    match l with
    | [] => []
    | d :: others =>
        flat_map (fun s => let A' := count_symbol i A (length pieces - length l) s in flat_map (fun d' =>
          flat_map (fun later => match later with
            | None => if forallb nullable (d' :: others) && negb (is_refused i A') then [(s, None)] else []
            | Some r' => map (fun l' => (s, Some (l', A', N.min (f + 1) near, r'))) (beginnings (d' :: others))
            end) (rests r)) (derive s d)) (below n)
    end.
  Definition later_readings (a : reading) : list reading :=
    flat_map (fun m => match snd m with Some b => [b] | None => [] end) (reads_on a).
  Definition nothing_counted : counters := first_counts (counting i).
  Definition first_readings : list reading :=
    flat_map (fun l => map (fun r => (l, nothing_counted, 0, r)) (below (far + 1))) (beginnings pieces).
  Definition numbers_of (l : list reading) : reading -> list N :=
    let index := members _ (fun an => reading_hash (fst an)) (combine l (below (N.of_nat (length l)))) in
    fun a => map snd (filter (fun an => reading_eqb a (fst an)) (bucket _ index (reading_hash a))).
  (** Those from which an input may come to its end. *)
  Definition live_readings : list reading :=
    let all := found _ reading_hash reading_eqb (fun a => Some (later_readings a)) 20 first_readings in
    let number := numbers_of all in
    let numbered := combine all (below (N.of_nat (length all))) in
    let before := fold_left (fun m an => fold_left (fun m to => PM.add (Maps.key to) (snd an :: get [] m to) m)
                               (flat_map number (later_readings (fst an))) m) numbered (PM.empty _) in
    let last := filter (fun an => existsb (fun m => match snd m with None => true | _ => false end) (reads_on (fst an)))
      numbered in
    let live := members _ Maps.key (found _ Maps.key N.eqb (fun k => Some (get [] before k)) 20 (map snd last)) in
    map fst (filter (fun an => is_member _ Maps.key N.eqb live (snd an)) numbered).
  Definition told_of (a : reading) : told :=
    let '(l, _, f, r) := a in
    Told (N.of_nat (length pieces) + 1 - N.of_nat (length l)) (if f <? near then Some (Z.of_N f) else None)
         (if r <? far then Some (-1 - Z.of_N r)%Z else None).
  Definition after_told : list told :=
    map (fun k => Told (N.of_nat (length pieces) + 1) None (if k <? far then Some (Z.of_N k) else None))
      (below (far + 1)).
  Definition after_steps : list (list (list place)) :=
    map (fun k => map (fun s => if s =? 0 then [N.min (k + 1) far] else []) (below n)) (below (far + 1)).
  Definition steps_of (number : reading -> list place) (a : reading) : list (list place) :=
    let moves := reads_on a in
    map (fun s => flat_map (fun m => if fst m =? s then match snd m with None => [0] | Some b => number b end
      else []) moves) (below n).
  (** What is told of places, where inputs begin, and what follows. *)
  Definition places_for : list told * list place * list (list (list place)) :=
    let live := live_readings in
    let numbers := numbers_of live in
    let number a := map (N.add (far + 1)) (numbers a) in
    (after_told ++ map told_of live,
     (if forallb nullable pieces && negb (is_refused i nothing_counted) then [0] else []) ++
       flat_map number first_readings,
     after_steps ++ map (steps_of number) live).
End Places.

(** * Elements and grams *)
Section Saturate.
  Variables (n : N) (table : rows) (low : Z) (height : nat).
  Variables (class_of : symbol -> N) (kind_of mark_of : Statement.state -> N) (many : symbol -> bool).
  Variables (near : N) (starts : list place) (count_places : N) (options : place -> list (symbol * place)).
  Definition dim_cell (v : known) : known := match v with Is s => if many s then Of_class (class_of s) else v
    | _ => v end.
  Definition rough (l : label) : label :=
    let '(cells, place, mark) := l in
      (map (fun v => Of_class (match v with Is s => class_of s | Of_class c => c end)) cells, place, mark).

  Definition numbers_by : Type := buckets (label * N).
  Definition look (m : numbers_by) (l : label) : option N :=
    option_map snd (find (fun e => label_eqb (fst e) l) (bucket _ m (label_hash l))).
  Definition note (m : numbers_by) (l : label) (i : N) : numbers_by :=
    let h := label_hash l in PM.add h ((l, i) :: bucket _ m h) m.

  Record state_of := State {
    by_label : numbers_by; label_list : list label; label_count : N; label_map : PM.t label;
    by_rough : numbers_by; rough_count : N; coarse_list : list N; coarse_map : PM.t N;
    elements_in : buckets Strips.element; element_list : list Strips.element; todo : list Strips.element;
    grams_in : buckets gram; gram_list : list gram; gram_ahead : buckets gram; gram_kind : PM.t (list gram);
    waiting : buckets (bool * N * N * (Statement.state * Z * N));
    flow_from : PM.t (list N) }.
  Definition nothing_yet : state_of :=
    State (PM.empty _) [] 0 (PM.empty _) (PM.empty _) 0 [] (PM.empty _) (PM.empty _) [] [] (PM.empty _) [] (PM.empty _)
      (PM.empty _) (PM.empty _) (PM.empty _).
  Definition at_or {A} (d : A) (m : PM.t A) (i : N) : A := get d m i.

  Definition add_label (st : state_of) (l : label) : state_of * N :=
    match look (by_label st) l with
    | Some i => (st, i)
    | None =>
        let i := label_count st in
        let r := rough l in
        let '(by_rough', rough_count', c) := match look (by_rough st) r with
          | Some c => (by_rough st, rough_count st, c)
          | None => (note (by_rough st) r (rough_count st), rough_count st + 1, rough_count st)
          end in
        (State (note (by_label st) l i) (l :: label_list st) (i + 1) (PM.add (Maps.key i) l (label_map st))
           by_rough' rough_count' (c :: coarse_list st) (PM.add (Maps.key i) c (coarse_map st))
           (elements_in st) (element_list st) (todo st) (grams_in st) (gram_list st) (gram_ahead st) (gram_kind st)
             (waiting st) (flow_from st), i)
    end.
  Definition coarse (st : state_of) (i : N) : N := at_or 0 (coarse_map st) i.

  Definition add_element (st : state_of) (el : Strips.element) : state_of :=
    let h := elem_hash el in
    let b := bucket _ (elements_in st) h in
    if existsb (elem_eqb el) b then st else
    State (by_label st) (label_list st) (label_count st) (label_map st) (by_rough st) (rough_count st) (coarse_list st)
      (coarse_map st)
      (PM.add h (el :: b) (elements_in st)) (el :: element_list st) (el :: todo st)
      (grams_in st) (gram_list st) (gram_ahead st) (gram_kind st) (waiting st) (flow_from st).
  Definition enter (side : bool) (comes : Statement.state * Z * N) (x beyond : N) : Strips.element :=
    let '(p, y, behind) := comes in
    if side then (p, p, y, x, [behind], [beyond]) else (p, p, y, x, [beyond], [behind]).
  Definition one_ahead (side : bool) (K a : N) : positive := ahead_hash side K [a].

  Definition add_gram_here (st : state_of) (side : bool) (K x beyond : N) : option state_of :=
    let g := (side, K, x, [beyond]) in
    let h := gram_hash g in
    let b := bucket _ (grams_in st) h in
    if existsb (gram_eqb g) b then None else
    let a := coarse st x in
    let ah := one_ahead side K a in
    let st' := State (by_label st) (label_list st) (label_count st) (label_map st) (by_rough st) (rough_count st)
      (coarse_list st) (coarse_map st)
      (elements_in st) (element_list st) (todo st) (PM.add h (g :: b) (grams_in st)) (g :: gram_list st)
      (PM.add ah (g :: bucket _ (gram_ahead st) ah) (gram_ahead st))
        (PM.add (Maps.key K) (g :: at_or [] (gram_kind st) K) (gram_kind st))
      (waiting st) (flow_from st) in
    Some (fold_left (fun st w => let '(sd, K', a', comes) := w in
      if Bool.eqb sd side && (K' =? K) && (a' =? a) then add_element st (enter side comes x beyond)
        else st) (bucket _ (waiting st) ah) st').
  (** With all kinds to which it flows. *)
  Definition add_gram (st : state_of) (side : bool) (K x beyond : N) : state_of :=
    snd (repeat_until 20 (fun w : list N * state_of => match fst w with [] => true | _ => false end)
      (fun w => match fst w with
        | [] => w
        | K :: more => match add_gram_here (snd w) side K x beyond with
                       | None => (more, snd w)
                       | Some st => (at_or [] (flow_from st) K ++ more, st)
                       end
        end) ([K], st)).
  Definition add_flow (st : state_of) (K K' : N) : state_of :=
    if (K =? K') || existsb (N.eqb K') (at_or [] (flow_from st) K) then st else
    let st' := State (by_label st) (label_list st) (label_count st) (label_map st) (by_rough st) (rough_count st)
      (coarse_list st) (coarse_map st)
      (elements_in st) (element_list st) (todo st) (grams_in st) (gram_list st) (gram_ahead st) (gram_kind st)
        (waiting st)
      (PM.add (Maps.key K) (K' :: at_or [] (flow_from st) K) (flow_from st)) in
    fold_left (fun st g => let '(sd, _, x, w) := g in add_gram st sd K' x (match w with a :: _ => a | [] => 0 end))
      (at_or [] (gram_kind st') K) st'.
  Definition await (st : state_of) (side : bool) (K a : N) (comes : Statement.state * Z * N) : state_of :=
    let ah := one_ahead side K a in
    let b := bucket _ (waiting st) ah in
    let same w := let '(sd, K', a', (p, y, c)) := w in let '(p', y', c') := comes in
      Bool.eqb sd side && (K' =? K) && (a' =? a) && (p =? p') && (y =? y')%Z && (c =? c') in
    if existsb same b then st else
    let st' := State (by_label st) (label_list st) (label_count st) (label_map st) (by_rough st) (rough_count st)
      (coarse_list st) (coarse_map st)
      (elements_in st) (element_list st) (todo st) (grams_in st) (gram_list st) (gram_ahead st) (gram_kind st)
      (PM.add ah ((side, K, a, comes) :: b) (waiting st)) (flow_from st) in
    fold_left (fun st g => let '(sd, K', x, w) := g in
      if Bool.eqb sd side && (K' =? K) && (coarse st x =? a)
      then add_element st (enter side comes x (match w with b :: _ => b | [] => 0 end))
        else st) (bucket _ (gram_ahead st') ah) st'.

  Definition after_write (l : label) (p : Statement.state) (y : Z) (s : symbol) : label :=
    let '(cells, place, _) := l in (map dim_cell (set_nth (Z.to_nat (y - low)) (Is s) cells), place, mark_of p + 1).
  Definition take_step (el : Strips.element) (st : state_of) (s : symbol) : state_of :=
    let '(p, _, y, c, l, r) := el in
    match find_rule table p s with
    | None => st
    | Some (write, mv, p') =>
        if (write =? s) && move_eqb mv MS then st else
        let st := add_flow st (kind_of p) (kind_of p') in
        let '(st, c') := add_label st (after_write (at_or ([], 0, 0) (label_map st) c) p y write) in
        let aside side ahead back :=
          let st := add_gram st (negb side) (kind_of p') c' back in
          await st side (kind_of p) ahead (p', y, coarse st c') in
        let first w := match w with a :: _ => a | [] => 0 end in
        match mv with
        | MR => aside true (first r) (first l)
        | ML => aside false (first l) (first r)
        | _ => add_element st (p', p', (y + dy mv)%Z, c', l, r)
        end
    end.
  Definition take_element (st : state_of) : state_of :=
    match todo st with
    | [] => st
    | el :: rest =>
        let st := State (by_label st) (label_list st) (label_count st) (label_map st) (by_rough st) (rough_count st)
          (coarse_list st) (coarse_map st)
          (elements_in st) (element_list st) rest (grams_in st) (gram_list st) (gram_ahead st) (gram_kind st)
            (waiting st) (flow_from st) in
        let '(p, _, y, c, _, _) := el in
        match nth_error (cells_of (at_or ([], 0, 0) (label_map st) c)) (Z.to_nat (y - low)) with
        | None => st
        | Some v => fold_left (take_step el) (symbols_held n class_of v) st
        end
    end.

  Definition fresh_label (s : symbol) (place : N) : label := (on_row_0 low height s, place, 0).
  Definition begin_left (st : state_of) : state_of :=
    fold_left (fun st k =>
      let '(st, x) := add_label st (fresh_label 0 (left_place count_places k)) in
      let '(st, b) := add_label st (fresh_label 0 (left_place count_places (N.min (k + 1) near))) in
      add_gram st false (kind_of 0) x (coarse st b)) (below (near + 1)) st.
  Definition begin_right (st : state_of) : state_of :=
    let '(st, before) := add_label st (fresh_label 0 (left_place count_places 0)) in
    let left := coarse st before in
    fold_left (fun st at_ => fold_left (fun st o =>
      let '(st, x) := add_label st (fresh_label (fst o) (right_place at_)) in
      fold_left (fun st o' =>
        let '(st, b) := add_label st (fresh_label (fst o') (right_place (snd o))) in
        let st := add_gram st true (kind_of 0) x (coarse st b) in
        if existsb (N.eqb at_) starts then add_element st (0, 0, 0%Z, x, [left], [coarse st b])
          else st) (options (snd o)) st)
      (options at_) st) (below count_places) st.
  Definition saturated : state_of :=
    repeat_until 24 (fun st => match todo st with [] => true | _ => false end) take_element
      (begin_right (begin_left nothing_yet)).
End Saturate.

Definition strip_for (n : N) (table : rows) (low high : Z) (dim : bool) (classes kinds marks : list N) (near : N)
    (starts : list place) (steps : list (list (list place))) : strip :=
  let height := Z.to_nat (high - low + 1) in
  let class_list := array classes in let kind_list := array kinds in let mark_list := array marks in
  let manys := array (map (fun c => dim && Nat.ltb 1 (length (filter (N.eqb c) classes))) classes) in
  let onward := array (map (fun row => flat_map (fun st : symbol * list place => map (pair (fst st)) (snd st))
    (combine (below n) row)) steps) in
  let st := saturated n table low height (get 0 class_list) (get 0 kind_list) (get 0 mark_list) (get false manys) near
    starts
              (N.of_nat (length steps)) (get [] onward) in
  Strip low height 0 classes dim kinds (map inl marks) (rev (label_list st)) (rev (coarse_list st)) (gram_list st)
    (element_list st)
    starts steps [].
