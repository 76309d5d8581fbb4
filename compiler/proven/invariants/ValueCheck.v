(** (V12), the checker: the strip, what may stand beside the head, and the steps are computed; all of it is checked. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Joint Maps Windows Columns Strips Descents Starts Places Polynomials Sums Unknowns Facts Values Invariants
  Beginning Stretches Ends Goals Saturation.
Import ListNotations.
Local Open Scope N_scope.

(** What a certificate says. *)
Record proof := Proof {
  p_by_part : bool; p_systems : list system;
  p_nodes : list name -> list (state * Z * list N * list polynomial) }.   (* by the numbers of the unknowns *)
Record values := Values {
  v_low : Z; v_high : Z; v_row : Z; v_near : N; v_far : N; v_dim : bool;
  v_classes : list N; v_marks : list N; v_kinds : list N; v_proofs : list proof }.

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
    Definition levels : PM.t (PM.t level) :=
      let looks := once_each ([], 0, 0) (fun l => (shows_blank e class_of row (cells_of l), shows_symbol n e class_of row (is_digit digits) (cells_of l))) (s_labels e) in
      let far_right := once_each ([], 0, 0) (fun l => is_far told_at pieces l true) (s_labels e) in
      let far_left := once_each ([], 0, 0) (fun l => is_far told_at pieces l false) (s_labels e) in
      let sides := by_side (s_grams e) in
      fold_left (fun m k => match PM.find (Maps.key k) sides with
        | None => m
        | Some grams =>
            let far := if N.odd k then far_right else far_left in
            let entries := map (fun g : gram => let '(_, _, x, w) := g in
              let '(b, s) := looks x in (coarse_at x, head_of w, (b, s, far x))) grams in
            let none := greatest (fun m en => let '(_, g, (b, _, _)) := en in b && holds_in m g) entries in
            let some := greatest (fun m en => let '(_, g, (_, s, _)) := en in s && (holds_in m g || holds_in none g)) entries in
            let later := greatest (fun m en => let '(_, g, (b, _, f)) := en in b && negb f && (holds_in m g || holds_in some g)) entries in
            let put l s m := PM.fold (fun k _ m => PM.add k l m) s m in
            PM.add (Maps.key k) (put Nothing_more none (put Stretch some (put Later later (PM.empty _)))) m
        end) (flat_map (fun Ku => let K := N.pred (Npos (fst Ku)) in [N.double K; N.succ_double K]) (PM.elements halting_kinds)) (PM.empty _).

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
  Definition check_proof (fuel : nat) (e : strip) (rights : list told) (row : nat) (p : proof) : bool :=
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
    let level_list := levels e coarse_at class_of kind_of told_at rule row in let level_at := two_keys Unknown_level level_list in
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
    levels_ok n e label_at coarse_at class_of told_at pieces row (is_digit digits) level_at &&
    units_ok e label_at coarse_at told_at pieces count told reach level_at units &&
    ends_ok n e label_at class_of kind_of told_at pieces systems system_at name_at number count rule told reach node_number polys
      right_mask left_mask worthless always_so level_at units row digits value.
  Definition check_values (fuel : nat) : bool :=
    let '(told_list, starts, steps) := places_for n pieces (v_near v) (v_far v) in
    let e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps in
    existsb (check_proof fuel e told_list (Z.to_nat (v_row v - v_low v))) (v_proofs v).

  Theorem check_values_sound fuel : check_values fuel = true -> leaves_output (table_of table) (Output_clause pieces digits value).
  Proof.
    unfold check_values. destruct (places_for n pieces (v_near v) (v_far v)) as [[rights starts] steps].
    set (e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps).
    assert (Hno : s_descents e = []) by reflexivity. clearbody e.
    intros H. apply existsb_exists in H as (p & _ & H). revert H. generalize (Z.to_nat (v_row v - v_low v)). intros row.
    unfold check_proof. set (label_at := get ([], 0, 0) (array (s_labels e))). set (coarse_at := get 0 (array (s_coarse e))).
    set (class_of := get 0 (array (s_classes e))). set (kind_of := get 0 (array (s_kinds e))).
    set (nexts := fun (at_ : place) (s : symbol) => get [] (get (PM.empty (list place)) (array (map array (s_steps e))) at_) s). set (told_at := told_at e (v_near v) rights).
    set (rule := find_rule (rows_of table)). set (system_at := get (System 1 1 (fun _ => 0%Z)) (array (p_systems p))).
    set (names := names_for _ _ _ _ _). set (name_at := get (Part_weight 0 0) (array names)). set (count := N.of_nat (length names)).
    set (number := number_by name_at _). set (mask_at := once_each _ _ _).
    set (right_mask := side_mask _ _ true). set (left_mask := side_mask _ _ false). set (worthless := noted _ _). set (always_so := always _ _ _ _ _).
    generalize (node_numbers (p_nodes p names)). intros node_number.
    set (polys := get [] (array ([] :: _))). set (mentioned := get 0 (array (0 :: _))). set (told := get (Told 0 None None) _).
    set (level_at := two_keys Unknown_level _). set (units := units_for _ _ _ _ _ _). set (reach := two_keys 0 _).
    set (verified := tried_steps _ _ _ _ _ _ _ _ _ _ _ _ _).
    assert (Hver : forallb (problem_ok e (p_systems p) system_at name_at number count polys always_so) verified = true).
    { apply forallb_forall. intros k Hk. exact (tried_steps_right _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hk). }
    clearbody verified level_at units reach told mentioned polys.
    intros H.
    apply andb_true_iff in H as [H Hends]. apply andb_true_iff in H as [H Hunits]. apply andb_true_iff in H as [H Hlevels].
    apply andb_true_iff in H as [H Hbegin]. apply andb_true_iff in H as [H Hcols].
    apply andb_true_iff in H as [Hsys Hgrams].
    assert (Hcases : forall i, system_at i = System 1 1 (fun _ => 0%Z) \/ In (system_at i) (p_systems p)).
    { intros i. unfold system_at, get. destruct (PM.find (Maps.key i) (array (p_systems p))) eqn:E; [right; eapply array_from; exact E | left; reflexivity]. }
    assert (Hnumber : forall a u, number a = Some u -> name_at u = a) by (intros a u; apply number_by_ok).
    assert (Hmask : forall c, mask_at c = group_mask class_of told_at name_at count (label_at c)) by (intros c; apply once_each_is).
    assert (Hworth : forall c, worthless c = true -> without_worth n class_of (p_systems p) c = true) by (intros c; apply noted_ok).
    assert (Hrule : forall q s, rule q s = table_of table q s) by (intros q s; apply find_rows).
    assert (Hknown : forall k, is_member _ key_hash key_eqb (members _ key_hash verified) k = true -> In k verified).
    { intros k. apply is_member_sound. exact key_eqb_eq. }
    apply check_columns_runs in Hcols as (Hn & Hstart & D & Hsteps).
    intros parts Hparts k c (Hrun & Hhalt & Hbefore). cbn [o_pieces] in Hparts.
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
      destruct (result_here n e label_at coarse_at class_of kind_of told_at pieces (p_systems p) system_at Hcases name_at number count Hnumber
                  rule told reach node_number polys mask_at Hmask right_mask left_mask eq_refl eq_refl worthless Hworth always_so eq_refl
                  level_at units row digits value Hsys Hgrams Hlevels Hunits Hends parts Hparts _ _ _ _ _ Hgood Hon) as (z & l & Hz & Hst & Hsay).
      exists (Number z), l. split; [exact Hz|]. split; [exact Hst | exact Hsay].
  Qed.
End Check.
