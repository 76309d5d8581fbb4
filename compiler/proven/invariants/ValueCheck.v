(** (V12), the checker: the strip, what may stand beside the head, and the steps are computed; all of it is checked. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Joint Maps Windows Columns Strips Descents Starts Closures Places Polynomials Sums Unknowns Facts Values Invariants
  Beginning ClausePolynomials Stretches Ends Texts Goals Saturation.
Import ListNotations.
Local Open Scope N_scope.

(** What a certificate says. *)
Record proof := Proof {
  p_by_part : bool; p_systems : list system;
  p_nodes : list name -> list (state * Z * list N * list polynomial) }.   (* by the numbers of the unknowns *)
Record values := Values {
  v_low : Z; v_high : Z; v_row : Z; v_near : N; v_far : N; v_dim : bool;
  v_classes : list N; v_marks : list N; v_kinds : list N; v_proofs : list proof }.

(** What a proof must show of the row: that it spells the value, or how often a symbol stands in its text. *)
Inductive aim := Spells_value | Counts_symbol (s : symbol) (symbols : list symbol) (x : expression).

(** * What is computed, and need not be believed *)
Section Names.
  Variables (n : N) (pieces : list clause) (e : strip) (by_part : bool) (systems : list system).
  Definition class_numbers : list N := below (N.succ (fold_left N.max (s_classes e) 0)).
  Definition has_worth (s : system) (symbols : list symbol) : bool := existsb (fun x => negb (worth s x =? 0)%Z) symbols.
  Definition class_members (c : N) : list symbol := map fst (filter (fun sc => snd sc =? c) (combine (below n) (s_classes e))).
  Definition names_for : list name :=
    let scales := scales (get (System 1 1 (fun _ => 0%Z)) (array systems)) (ids systems) in
    let parts := below (N.of_nat (length pieces)) in
    let rows := seq 0 (s_height e) in
    let regions := if by_part then map Some (below (N.of_nat (length pieces) + 2)) else [None] in
    flat_map (fun i => map (Part_weight i) (below (N.succ (N.of_nat (length pieces))))) scales ++
    flat_map (fun i => map (Part_number i) parts) (ids systems) ++
    map Last_weight scales ++ map Head_weight scales ++
    flat_map (fun i => map (Cell_value i) rows) (ids systems) ++
    flat_map (fun is : N * system => let '(i, s) := is in
      flat_map (fun rt =>
        flat_map (fun j => if has_worth s (symbols_of_clause (nth (N.to_nat j) pieces Nothing))
                           then [Sum_beside i rt (Z.to_nat (- s_low e)) (Fresh (N.succ j))] else []) parts ++
        flat_map (fun r => flat_map (fun c => if has_worth s (class_members c) then map (fun j => Sum_beside i rt r (Worn c j)) regions else [])
                             class_numbers) rows) [false; true]) (combine (ids systems) systems).
End Names.

Definition node_hash (p : state) (y : Z) (c : list N) : positive := Maps.key (mixes (mix (mix 7 p) (zn y)) c).
Definition node_numbers (nodes : list (state * Z * list N * list polynomial)) : state -> Z -> list N -> N :=
  let table := members _ (fun ie => let '(_, (p, y, c, _)) := ie in node_hash p y c) (combine (map N.succ (below (N.of_nat (length nodes)))) nodes) in
  fun p y c => match find (fun ie => let '(_, (p', y', c', _)) := ie in (p =? p') && (y =? y')%Z && nlist_eqb c c') (bucket _ table (node_hash p y c)) with
               | Some (i, _) => i
               | None => 0
               end.

(** Sets of numbers that shrink until they are consistent; and masks that grow. *)
Definition entry_of : Type := N * N * (bool * bool * bool).       (* coarse number, the next; blank, a symbol, far *)
Definition holds_in {A} (m : PM.t A) (f : N) : bool := match PM.find (Maps.key f) m with Some _ => true | None => false end.
Definition greatest (ok : PM.t Datatypes.unit -> entry_of -> bool) (entries : list entry_of) : PM.t Datatypes.unit :=
  fst (repeat_until 16 (fun s : PM.t Datatypes.unit * bool => snd s)
    (fun s => fold_left (fun s en => let '(f, _, _) := en in
       if holds_in (fst s) f && negb (ok (fst s) en) then (PM.remove (Maps.key f) (fst s), false) else s) entries (fst s, true))
    (fold_left (fun m en => let '(f, _, _) := en in PM.add (Maps.key f) tt m) entries (PM.empty _), false)).
Definition grown (entries : list (N * N * N)) : PM.t N :=  (* coarse number, what stands there, the next *)
  fst (repeat_until 16 (fun s : PM.t N * bool => snd s)
    (fun s => fold_left (fun s en => let '(f, own, next) := en in
       let old := get 0 (fst s) f in let new := N.lor old (N.lor own (get 0 (fst s) next)) in
       if old =? new then s else (PM.add (Maps.key f) new (fst s), false)) entries (fst s, true))
    (PM.empty _, false)).

Definition pair_hash (a : N * N) : positive := Maps.key (mix (mix 7 (fst a)) (snd a)).
Definition pair_eqb (a b : N * N) : bool := (fst a =? fst b) && (snd a =? snd b).
Definition side_key (sd : bool) (K : N) : N := if sd then N.succ_double K else N.double K.
Definition by_side (grams : list gram) : PM.t (list gram) :=
  fold_left (fun m g => let '(sd, K, _, _) := g in let k := Maps.key (side_key sd K) in
    PM.add k (g :: match PM.find k m with Some l => l | None => [] end) m) grams (PM.empty _).
Definition two_keys {A} (d : A) (m : PM.t (PM.t A)) (sd : bool) (K f : N) : A :=
  match PM.find (Maps.key (side_key sd K)) m with Some l => get d l f | None => d end.


(** A function of numbers, computed once for each of some. *)
Definition noted (f : N -> bool) (l : list N) : N -> bool :=
  let table := array (map (fun c => (c, f c)) l) in
  fun c => match PM.find (Maps.key c) table with Some (c', b) => (c' =? c) && b | None => false end.
Lemma noted_ok f l c : noted f l c = true -> f c = true.
Proof.
  unfold noted. destruct (PM.find _ _) as [[c' b]|] eqn:E; [|discriminate]. apply array_from in E.
  apply in_map_iff in E as (x & Ex & _). injection Ex as <- <-. intros H. apply andb_true_iff in H as [H1 H2].
  apply N.eqb_eq in H1. subst x. exact H2.
Qed.

Section Check.
  Variables (n : N) (table : rules) (pieces : list clause) (digits : list symbol) (value : expression) (v : values).

  Definition allowed (a : aim) : symbol -> bool :=
    match a with Spells_value => is_digit digits | Counts_symbol _ symbols _ => fun s => existsb (N.eqb s) symbols end.

  (** * What is computed of a strip *)
  Section Strip.
    Variable e : strip.
    Variables (label_at : N -> label) (coarse_at : N -> N) (class_of : symbol -> N) (kind_of : state -> N) (told_at : N -> told).
    Variable rule : state -> symbol -> option entry.
    Variable row : nat.
    Definition coarse_told : PM.t told :=
      fold_left (fun m lc => PM.add (Maps.key (snd lc)) (told_at (place_of (fst lc))) m) (combine (s_labels e) (s_coarse e)) (PM.empty _).
    Definition halting_kinds : PM.t Datatypes.unit :=
      fold_left (fun m p => if existsb (halts_on rule p) (below n) then PM.add (Maps.key (kind_of p)) tt m else m)
        (below (N.of_nat (length (s_kinds e)))) (PM.empty _).
    (** The sides and coarse numbers of all columns that may stand beside the head where the agent halts. *)
    Definition beside_ends : buckets (N * N) :=
      let beyond := fold_left (fun m g => let '(sd, K, x, w) := g in
        let k := Maps.key (side_key sd K) in let row := match PM.find k m with Some l => l | None => PM.empty _ end in
        PM.add k (PM.add (Maps.key (coarse_at x)) (head_of w :: get [] row (coarse_at x)) row) m) (s_grams e) (PM.empty _) in
      let next := fun kf : N * N => Some (map (pair (fst kf)) (get [] (get (PM.empty _) beyond (fst kf)) (snd kf))) in
      let firsts := flat_map (fun el : Strips.element => let '(p, _, y, c, l, r) := el in
        match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
        | Some v => if existsb (halts_on rule p) (symbols_held n class_of v)
                    then [(side_key false (kind_of p), head_of l); (side_key true (kind_of p), head_of r)] else []
        | None => []
        end) (s_elements e) in
      members _ pair_hash (found _ pair_hash pair_eqb next 24 firsts).
    Definition levels (a : aim) : PM.t (PM.t level) :=
      let reached := beside_ends in
      let looks := once_each ([], 0, 0) (fun l => (shows_blank e class_of row (cells_of l), shows_symbol n e class_of row (allowed a) (cells_of l))) (s_labels e) in
      let far_right := once_each ([], 0, 0) (fun l => is_far told_at pieces l true) (s_labels e) in
      let far_left := once_each ([], 0, 0) (fun l => is_far told_at pieces l false) (s_labels e) in
      let sides := by_side (s_grams e) in
      fold_left (fun m k => match PM.find (Maps.key k) sides with
        | None => m
        | Some grams =>
            let far := if N.odd k then far_right else far_left in
            let entries := map (fun g : gram => let '(_, _, x, w) := g in
              let '(b, s) := looks x in (coarse_at x, head_of w, (b, s, far x)))
              (filter (fun g : gram => let '(_, _, x, _) := g in is_member _ pair_hash pair_eqb reached (k, coarse_at x)) grams) in
            let none := greatest (fun m en => let '(_, g, (b, _, _)) := en in b && holds_in m g) entries in
            let some := greatest (fun m en => let '(_, g, (_, s, _)) := en in s && (holds_in m g || holds_in none g)) entries in
            let later := greatest (fun m en => let '(_, g, (b, _, f)) := en in b && negb f && (holds_in m g || holds_in some g)) entries in
            let perhaps := greatest (fun m en => let '(_, g, (b, _, _)) := en in
              b && (holds_in m g || holds_in none g || holds_in some g || holds_in later g)) entries in
            let put l s m := PM.fold (fun k _ m => PM.add k l m) s m in
            PM.add (Maps.key k) (put Nothing_more none (put Stretch some (put Later later (put Perhaps_later perhaps (PM.empty _))))) m
        end) (flat_map (fun Ku => let K := N.pred (Npos (fst Ku)) in [N.double K; N.succ_double K]) (PM.elements halting_kinds)) (PM.empty _).

    Definition held_symbols : PM.t (list symbol) :=
      fold_left (fun m lc => let k := Maps.key (snd lc) in
        PM.add k (nodup N.eq_dec (row_symbols n class_of row (cells_of (fst lc)) ++ match PM.find k m with Some l => l | None => [] end)) m)
        (combine (s_labels e) (s_coarse e)) (PM.empty _).

    Variables (level_at : bool -> N -> N -> level) (told : N -> told) (mask_at : N -> N) (count : N).
    Definition units_for : list Ends.unit :=
      fold_left (fun us g => match unit_of label_at coarse_at told_at pieces told level_at g with
        | Some u => if existsb (unit_eqb u) us then us else u :: us
        | None => us
        end) (s_grams e) [].
    Variable units : list Ends.unit.
    Definition unit_mask (u : Ends.unit) : N :=
      fold_left (fun m iu => if unit_eqb u (snd iu) then N.setbit m (unit_bit count (fst iu)) else m) (numbered_units units) 0.
    Definition reaches : PM.t (PM.t N) :=
      PM.map (fun grams => grown (map (fun g : gram => let '(sd, K, x, w) := g in
        (coarse_at x, N.lor (mask_at x) (match unit_of label_at coarse_at told_at pieces told level_at g with Some u => unit_mask u | None => 0 end), head_of w)) grams))
        (by_side (s_grams e)).

    (** The steps that a strip may take, for the keys that must be verified. *)
    Variable key_of : N -> Strips.element -> symbol -> N -> Z -> Strips.element -> step_key.
    Variable ok : step_key -> bool.
    Variable needed : Strips.element -> bool.
    Definition tried : Type := buckets step_key * list step_key * buckets step_key.   (* right, with a list; wrong *)
    Definition try_key (t : tried) (k : step_key) : tried * bool :=
      let '(right_, l, wrong) := t in
      let h := key_hash k in
      if existsb (key_eqb k) (bucket _ right_ h) then (t, true)
      else if existsb (key_eqb k) (bucket _ wrong h) then (t, false)
      else if ok k then ((PM.add h (k :: bucket _ right_ h) right_, k :: l, wrong), true)
      else ((right_, l, PM.add h (k :: bucket _ wrong h) wrong), false).
    Definition try_step (t : tried) (a : Strips.element) (s : symbol) (c : N) (side : Z) (b : Strips.element) : tried :=
      if needed b then
        let '(t, found) := try_key t (key_of 1 a s c side b) in
        if found then t else
        let '(t, found) := try_key t (key_of 2 a s c side b) in
        if found then t else fst (try_key t (key_of 3 a s c side b))
      else t.
    Variables (number : label -> N) (aheads : buckets gram) (mark_of : state -> N) (many : symbol -> bool).
    Definition try_read (a : Strips.element) (t : tried) (s : symbol) : tried :=
      let '(p, _, y, c, l, r) := a in
      match rule p s with
      | None => t
      | Some (write, mv, p') =>
          if (write =? s) && move_eqb mv MS then t else
          let '(cells, place, _) := label_at c in
          let c' := number (map (dimmed class_of many) (set_nth (Z.to_nat (y - s_low e)) (Is write) cells), place, mark_of p + 1) in
          let aside sd first := fold_left (fun t g => let '(sd', K, x, w) := g in
            if Bool.eqb sd sd' && (K =? kind_of p) && (coarse_at x =? first)
            then try_step t a s c' (sg sd) (enter sd (p', y, coarse_at c') x (head_of w)) else t) (bucket _ aheads (one_ahead sd (kind_of p) first)) t in
          match mv with
          | MR => aside true (head_of r)
          | ML => aside false (head_of l)
          | _ => try_step t a s c' 0%Z (p', p', (y + dy mv)%Z, c', l, r)
          end
      end.
    Definition tried_steps : list step_key :=
      snd (fst (fold_left (fun t a => let '(_, _, y, c, _, _) := a in
        match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
        | Some x => fold_left (try_read a) (symbols_held n class_of x) t
        | None => t
        end) (s_elements e) (PM.empty _, [], PM.empty _))).

    (** All that were found right are right. *)
    Definition all_right (t : tried) : Prop := forall k, In k (snd (fst t)) -> ok k = true.
    Lemma fold_keeps {A B} (P : A -> Prop) (f : A -> B -> A) l : (forall a b, P a -> P (f a b)) -> forall a, P a -> P (fold_left f l a).
    Proof. intros H. induction l as [|b l IH]; intros a Ha; cbn [fold_left]; auto. Qed.
    Lemma try_key_right t k : all_right t -> all_right (fst (try_key t k)).
    Proof.
      destruct t as [[r l] w]. unfold try_key. destruct (existsb _ _); [auto|]. destruct (existsb _ _); [auto|].
      destruct (ok k) eqn:E; [|auto]. intros H k' [<-|Hin]; [exact E | exact (H k' Hin)].
    Qed.
    Lemma try_step_right t a s c side b : all_right t -> all_right (try_step t a s c side b).
    Proof.
      intros H. unfold try_step. destruct (needed b); [|exact H].
      pose proof (try_key_right t (key_of 1 a s c side b) H) as H1. destruct (try_key t _) as [t1 []]; [exact H1|].
      pose proof (try_key_right t1 (key_of 2 a s c side b) H1) as H2. destruct (try_key t1 _) as [t2 []]; [exact H2|].
      exact (try_key_right t2 _ H2).
    Qed.
    Lemma try_read_right a t s : all_right t -> all_right (try_read a t s).
    Proof.
      intros H. unfold try_read. destruct a as [[[[[p q] y] c] l] r]. destruct (rule p s) as [[[write mv] p']|]; [|exact H].
      destruct (_ && _); [exact H|]. destruct (label_at c) as [[cells place] mark].
      destruct mv; try (apply try_step_right; exact H);
        (apply fold_keeps; [|exact H]); intros t' [[[sd' K] x] w] H'; destruct (_ && _); auto using try_step_right.
    Qed.
    Lemma tried_steps_right k : In k tried_steps -> ok k = true.
    Proof.
      apply (fold_keeps all_right).
      - intros t [[[[[p q] y] c] l] r] H. destruct (nth_error _ _); [|exact H]. apply fold_keeps; [intros; apply try_read_right; assumption | exact H].
      - intros k' [].
    Qed.
  End Strip.

  (** * The check *)
  Definition check_proof (fuel : nat) (e : strip) (rights : list told) (row : nat) (a : aim) (p : proof) : bool :=
    let near := v_near v in
    let systems := p_systems p in
    let labels := array (s_labels e) in let label_at := get ([], 0, 0) labels in
    let coarses := array (s_coarse e) in let coarse_at := get 0 coarses in
    let classes := array (s_classes e) in let class_of := get 0 classes in
    let kinds := array (s_kinds e) in let kind_of := get 0 kinds in
    let steps := array (map array (s_steps e)) in
    let nexts := fun at_ s => get [] (get (PM.empty _) steps at_) s in
    let told_at := told_at e near rights in
    let rows := rows_of table in let rule := find_rule rows in
    let system_list := array systems in let system_at := get (System 1 1 (fun _ => 0%Z)) system_list in
    let names := names_for n pieces e (p_by_part p) systems in
    let name_list := array names in let name_at := get (Part_weight 0 0) name_list in
    let count := N.of_nat (length names) in
    let by_name := members N (fun v => name_hash (name_at v)) (below count) in
    let number := number_by name_at by_name in
    let mask_at := once_each ([], 0, 0) (group_mask class_of told_at name_at count) (s_labels e) in
    let right_mask := side_mask name_at count true in let left_mask := side_mask name_at count false in
    let worthless := noted (without_worth n class_of systems) (class_numbers e) in
    let always_so := always system_at (ids systems) name_at number pieces in
    let nodes := p_nodes p names in
    let node_number := node_numbers nodes in
    let node_polys := array ([] :: map (fun nd => let '(_, _, _, l) := nd in l) nodes) in let polys := get [] node_polys in
    let told_in := array (0 :: map (fun nd => let '(_, _, _, l) := nd in
          fold_left (fun m q => fold_left (fun m t => fold_left N.setbit (snd t) m) q m) l 0) nodes) in
    let mentioned := get 0 told_in in
    let coarse_tolds := coarse_told e told_at in let told := get (Told 0 None None) coarse_tolds in
    let level_list := levels e label_at coarse_at class_of kind_of told_at rule row a in let level_at := two_keys Unknown_level level_list in
    let units := units_for e label_at coarse_at told_at level_at told in
    let reach_list := reaches e label_at coarse_at told_at level_at told mask_at count units in let reach := two_keys 0 reach_list in
    let key_of := key_at e label_at class_of kind_of told_at pieces name_at count rule told reach node_number mentioned mask_at right_mask left_mask worthless in
    let problem := problem_ok e systems system_at name_at number count polys always_so in
    let by_label := members N (fun i => label_hash (label_at i)) (below (N.of_nat (length (s_labels e)))) in
    let label_number l := match find (fun i => label_eqb (label_at i) l) (bucket N by_label (label_hash l)) with Some i => i | None => 0 end in
    let aheads := members gram (fun g => let '(s, K, x, w) := g in one_ahead s K (coarse_at x)) (s_grams e) in
    let marks := array (v_marks v) in
    let manys := array (map (fun c => v_dim v && Nat.ltb 1 (length (filter (N.eqb c) (v_classes v)))) (v_classes v)) in
    let verified := tried_steps e label_at coarse_at class_of kind_of rule key_of problem
      (fun b => match polys (node_at label_at class_of node_number b) with [] => false | _ => true end)
      label_number aheads (get 0 marks) (get false manys) in
    let verified_set := members _ key_hash verified in
    systems_ok systems && grams_ok e label_at coarse_at told_at told reach mask_at &&
    check_columns Unasked n table table e (left_steps near) (left_starts e)
      (keeps e label_at class_of kind_of told_at pieces name_at count rule told reach node_number polys mentioned mask_at right_mask left_mask worthless
         (is_member _ key_hash key_eqb verified_set)) &&
    begins_ok n e rights class_of told_at pieces systems system_at name_at number count node_number polys nexts worthless always_so fuel &&
    levels_ok n e label_at coarse_at class_of told_at pieces row (allowed a) level_at &&
    match a with
    | Spells_value =>
        units_ok e label_at coarse_at told_at pieces count told reach level_at units &&
        ends_ok n e label_at class_of kind_of told_at pieces systems system_at name_at number count rule told reach node_number polys
          right_mask left_mask worthless always_so level_at units row digits value
    | Counts_symbol s symbols x =>
        let held := held_symbols e class_of row in
        let held_at := get [] held in
        forallb (pair_ok n label_at coarse_at class_of row level_at held_at) (s_grams e) &&
        at_ends n e label_at class_of rule (text_ok n e label_at class_of kind_of row symbols level_at held_at) &&
        counts_ok n e label_at class_of kind_of told_at pieces systems system_at name_at number count rule told reach node_number polys
          right_mask left_mask worthless always_so row s symbols x
    end.
  Definition counts_in (s : symbol) (symbols : list symbol) (p : proof) : bool :=
    match symbol_system (p_systems p) (get (System 1 1 (fun _ => 0%Z)) (array (p_systems p))) s symbols with Some _ => true | None => false end.
  Definition check_values (fuel : nat) : bool :=
    let '(told_list, starts, steps) := places_for n pieces (v_near v) (v_far v) in
    let e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps in
    let shown a := check_proof fuel e told_list (Z.to_nat (v_row v - v_low v)) a in
    let counted s symbols x := existsb (fun p => counts_in s symbols p && shown (Counts_symbol s symbols x) p) (v_proofs v) in
    match value with
    | Sorted (Part j) =>
        match symbols_of_clause (nth j pieces Nothing) with
        | [] => false
        | symbols => Nat.ltb j (length pieces) && forallb (fun s => counted s symbols (Count j [s])) (nodup N.eq_dec symbols)
        end
    | Repeat (Letters [c]) x => counted c [c] x
    | _ => existsb (shown Spells_value) (v_proofs v)
    end.

  (** * Soundness *)
  Definition shows_aim (y : Z) (a : aim) (parts : list (list symbol)) (w : world) : Prop :=
    match a with
    | Spells_value => exists z l, evaluate digits (map members_of pieces) value parts = Some (Number z) /\ stands w l /\ says digits (Number z) l
    | Counts_symbol s symbols x =>
        (exists a len, holds_text symbols w y a len) /\ forall a len, holds_text symbols w y a len ->
        evaluate digits (map members_of pieces) x parts = Some (Number (Z.of_nat (length (filter (N.eqb s) (text_in w y a len)))))
    end.
  Lemma proof_shows_aim fuel e rights row a p : s_descents e = [] -> check_proof fuel e rights row a p = true ->
    forall parts k c, Forall2 matches pieces parts -> halts_after (table_of table) k (input_world (concat parts)) 0 0 c ->
    shows_aim (y_row e row) a parts (cells c).
  Proof.
    intros Hno.
    unfold check_proof. set (label_at := get ([], 0, 0) (array (s_labels e))). set (coarse_at := get 0 (array (s_coarse e))).
    set (class_of := get 0 (array (s_classes e))). set (kind_of := get 0 (array (s_kinds e))).
    set (nexts := fun (at_ : place) (s : symbol) => get [] (get (PM.empty (list place)) (array (map array (s_steps e))) at_) s). set (told_at := told_at e (v_near v) rights).
    set (rule := find_rule (rows_of table)). set (system_at := get (System 1 1 (fun _ => 0%Z)) (array (p_systems p))).
    set (names := names_for _ _ _ _ _). set (name_at := get (Part_weight 0 0) (array names)). set (count := N.of_nat (length names)).
    set (number := number_by name_at _). set (mask_at := once_each _ _ _).
    set (right_mask := side_mask _ _ true). set (left_mask := side_mask _ _ false). set (worthless := noted _ _). set (always_so := always _ _ _ _ _).
    generalize (node_numbers (p_nodes p names)). intros node_number.
    set (polys := get [] (array ([] :: _))). set (mentioned := get 0 (array (0 :: _))). set (told := get (Told 0 None None) _).
    set (level_at := two_keys Unknown_level _). set (units := units_for _ _ _ _ _ _). set (reach := two_keys 0 _). set (held_at := get [] (held_symbols _ _ _)).
    set (verified := tried_steps _ _ _ _ _ _ _ _ _ _ _ _ _).
    assert (Hver : forallb (problem_ok e (p_systems p) system_at name_at number count polys always_so) verified = true).
    { apply forallb_forall. intros k Hk. exact (tried_steps_right _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hk). }
    clearbody verified level_at units reach told mentioned polys held_at.
    intros H.
    apply andb_true_iff in H as [H Hends]. apply andb_true_iff in H as [H Hlevels].
    apply andb_true_iff in H as [H Hbegin]. apply andb_true_iff in H as [H Hcols].
    apply andb_true_iff in H as [Hsys Hgrams].
    assert (Hcases : forall i, system_at i = System 1 1 (fun _ => 0%Z) \/ In (system_at i) (p_systems p)).
    { intros i. unfold system_at, get. destruct (PM.find (Maps.key i) (array (p_systems p))) eqn:E; [right; eapply array_from; exact E | left; reflexivity]. }
    assert (Hnumber : forall a u, number a = Some u -> name_at u = a) by (intros name u; apply number_by_ok).
    assert (Hmask : forall c, mask_at c = group_mask class_of told_at name_at count (label_at c)) by (intros c; apply once_each_is).
    assert (Hworth : forall c, worthless c = true -> without_worth n class_of (p_systems p) c = true) by (intros c; apply noted_ok).
    assert (Hrule : forall q s, rule q s = table_of table q s) by (intros q s; apply find_rows).
    assert (Hknown : forall k, is_member _ key_hash key_eqb (members _ key_hash verified) k = true -> In k verified).
    { intros k. apply is_member_sound. exact key_eqb_eq. }
    apply check_columns_runs in Hcols as (Hn & Hstart & D & Hsteps).
    intros parts k c Hparts (Hrun & Hhalt & Hbefore).
    destruct (invariant_runs Unasked (table_of table) (table_of table)
      (good n e label_at coarse_at class_of kind_of told_at system_at name_at node_number polys parts)) with
      (w := input_world (concat parts)) (x := 0%Z) (y := 0%Z) (n := k) (cl := c) as (q & _ & Hgood).
    - eapply (good_step n e label_at coarse_at class_of kind_of told_at pieces (p_systems p) system_at Hcases name_at number count Hnumber
        (table_of table) rule Hrule told reach node_number polys mentioned verified mask_at Hmask right_mask left_mask eq_refl eq_refl
        worthless Hworth always_so eq_refl _ Hknown Hsys Hgrams Hver parts Hparts); try reflexivity; [exact Hno | exact Hsteps].
    - eapply (first_good n e (v_near v) rights label_at coarse_at class_of kind_of told_at pieces (p_systems p) system_at Hcases name_at number count Hnumber
        node_number polys nexts worthless Hworth always_so eq_refl eq_refl eq_refl Hsys parts Hparts); try reflexivity; [exact Hbegin | exact Hstart].
    - exact Hrun.
    - exact Hbefore.
    - assert (Hon : halts_on rule (st c) (cells c (hx c) (hy c)) = true).
      { destruct Hhalt as [p' Hp]. unfold acts, reads in Hp. unfold halts_on. rewrite Hrule, Hp. apply N.eqb_refl. }
      destruct a as [|s symbols ex]; cbn [allowed shows_aim] in *.
      + apply andb_true_iff in Hends as [Hunits Hends].
        exact (result_here n e label_at coarse_at class_of kind_of told_at pieces (p_systems p) system_at Hcases name_at number count Hnumber
                  rule told reach node_number polys mask_at Hmask right_mask left_mask eq_refl eq_refl worthless Hworth always_so eq_refl
                  level_at units row digits value Hsys Hgrams Hlevels Hunits Hends parts Hparts _ _ _ _ _ Hgood Hon).
      + apply andb_true_iff in Hends as [Hends Hcounts]. apply andb_true_iff in Hends as [Hpairs Hends].
        destruct Hgood as (lab & lo & m & HI & Hp & Hb & Hf & Hx & Hv). split.
        * eapply (text_here n e label_at coarse_at class_of kind_of told_at pieces row symbols level_at held_at Hlevels Hpairs parts _ _ _ _ _ _ lo m);
            [symmetry; eapply same_length; exact Hparts | exact HI | exact Hp | exact Hb | exact Hf | exact Hx|].
          exact (at_ends_ok n e label_at coarse_at class_of kind_of rule _ _ _ _ _ _ HI _ Hon Hends).
        * intros first len. exact (counted_here n e label_at coarse_at class_of kind_of told_at pieces (p_systems p) system_at Hcases name_at number count Hnumber
            rule told reach node_number polys mask_at Hmask right_mask left_mask eq_refl eq_refl worthless Hworth always_so eq_refl
            row digits Hsys Hgrams parts Hparts _ _ _ _ _ _ lo m HI Hp Hb Hx Hv s symbols ex first len Hon Hcounts).
  Qed.

  Theorem check_values_sound fuel : check_values fuel = true -> leaves_output (table_of table) (Output_clause pieces digits value).
  Proof.
    unfold check_values. destruct (places_for n pieces (v_near v) (v_far v)) as [[rights starts] steps].
    set (e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps).
    assert (Hno : s_descents e = []) by reflexivity. clearbody e. generalize (Z.to_nat (v_row v - v_low v)). intros row H parts Hm k c Hh.
    assert (Counted : forall s symbols x, existsb (fun p => counts_in s symbols p && check_proof fuel e rights row (Counts_symbol s symbols x) p) (v_proofs v) = true ->
      shows_aim (y_row e row) (Counts_symbol s symbols x) parts (cells c)).
    { intros s symbols x Hc. apply existsb_exists in Hc as (p & _ & Hc). apply andb_true_iff in Hc as [_ Hc]. eapply proof_shows_aim; eassumption. }
    assert (Spelled_ : existsb (check_proof fuel e rights row Spells_value) (v_proofs v) = true ->
      exists r l, evaluate digits (map members_of pieces) value parts = Some r /\ stands (cells c) l /\ says digits r l).
    { intros Hs. apply existsb_exists in Hs as (p & _ & Hs). destruct (proof_shows_aim _ _ _ _ _ _ Hno Hs _ _ _ Hm Hh) as (z & l & Hz & Hl).
      exists (Number z), l. split; [exact Hz | exact Hl]. }
    unfold Output.value_of. cbn [o_digits o_pieces o_value].
    destruct value as [| | | | | | | | | | | | | | | |ex|text x]; try exact (Spelled_ H).
    - destruct ex as [| |j| | | | | | | | | | | | | | |]; try exact (Spelled_ H).
      destruct (symbols_of_clause (nth j pieces Nothing)) as [|s0 symbols'] eqn:Es; [discriminate|]. set (symbols := s0 :: symbols') in *.
      apply andb_true_iff in H as [Hj H]. apply Nat.ltb_lt in Hj. rewrite forallb_forall in H.
      assert (All : forall s, In s symbols -> shows_aim (y_row e row) (Counts_symbol s symbols (Count j [s])) parts (cells c)).
      { intros s Hs. apply Counted, H, nodup_In, Hs. }
      destruct (All s0 (or_introl eq_refl)) as [(a & len & Ht) _]. exists (Text (Output.sorted (nth j parts []))), (text_in (cells c) (y_row e row) a len).
      split; [reflexivity|]. split; [eapply text_stands; exact Ht|]. cbn [says]. eapply sorted_by_counts; [exact Ht | |].
      + rewrite <- Es. apply symbols_of_clause_ok. apply (each_pair _ _ _ _ _ Hm). exact Hj.
      + intros s Hs. destruct (All s Hs) as [_ Hc]. specialize (Hc a len Ht). cbn [evaluate] in Hc. injection Hc as Hc.
        rewrite count_one in Hc. lia.
    - destruct text as [|t| | | | | | | | | | | | | | | |]; try exact (Spelled_ H). destruct t as [|s [|? ?]]; try exact (Spelled_ H).
      destruct (Counted _ _ _ H) as [(a & len & Ht) Hc]. specialize (Hc a len Ht). cbn [evaluate]. rewrite Hc. eexists _, _.
      split; [reflexivity|]. split; [eapply text_stands; exact Ht | apply repeated_by_count; exact Ht].
  Qed.
End Check.
