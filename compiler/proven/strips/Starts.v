(** (V8) on declared inputs: the checker as a whole. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Machines Conditions.
From Gridlang Require Export FirstWorld.
Import ListNotations.

Record strip := Strip {
  s_low : Z; s_height : nat; s_d : nat;                  (* rows low .. low + height - 1; depth d + 1 *)
  s_classes : list N; s_dim : bool; s_kinds : list N;
  s_marks : list (N + list N);                           (* one mark, or one for each that is found, none first *)
  s_labels : list label; s_coarse : list N;
  s_grams : list gram; s_elements : list Strips.element;
  s_starts : list place; s_steps : list (list (list place));
  s_descents : list descent }.

(** * Equality and hashes *)
Definition known_eqb (a b : known) : bool :=
  match a, b with Is s, Is t | Of_class s, Of_class t => (s =? t)%N | _, _ => false end.
Lemma known_eqb_eq a b : known_eqb a b = true -> a = b.
Proof. destruct a, b; try discriminate; intros E; apply N.eqb_eq in E; congruence. Qed.
Definition label_eqb (a b : label) : bool :=
  let '(c, p, m) := a in let '(c', p', m') := b in (p =? p')%N && (m =? m')%N && list_eqb known_eqb c c'.
Lemma label_eqb_eq a b : label_eqb a b = true -> a = b.
Proof.
  destruct a as [[c p] m], b as [[c' p'] m']. simpl. rewrite !andb_true_iff, !N.eqb_eq. intros [[-> ->] H].
  do 2 f_equal. revert H. apply list_eqb_eq, known_eqb_eq.
Qed.
Definition gram_eqb (a b : gram) : bool :=
  let '(s, K, x, w) := a in let '(s', K', x', w') := b in
  Bool.eqb s s' && (K =? K')%N && (x =? x')%N && same_text w w'.
Lemma gram_eqb_eq a b : gram_eqb a b = true -> a = b.
Proof.
  destruct a as [[[s K] x] w], b as [[[s' K'] x'] w']. simpl. rewrite !andb_true_iff, !N.eqb_eq, same_text_eq.
  intros [[[H ->] ->] ->]. apply eqb_prop in H. congruence.
Qed.
Definition elem_eqb (a b : Strips.element) : bool :=
  let '(p, q, y, c, l, r) := a in let '(p', q', y', c', l', r') := b in
  (p =? p')%N && (q =? q')%N && (y =? y')%Z && (c =? c')%N && same_text l l' && same_text r r'.
Lemma elem_eqb_eq a b : elem_eqb a b = true -> a = b.
Proof.
  destruct a as [[[[[p q] y] c] l] r], b as [[[[[p' q'] y'] c'] l'] r']. simpl.
  rewrite !andb_true_iff, !N.eqb_eq, Z.eqb_eq, !same_text_eq.
  intros [[[[[-> ->] ->] ->] ->] ->]. reflexivity.
Qed.
Definition pair_eqb (a b : N * N) : bool := (fst a =? fst b)%N && (snd a =? snd b)%N.
Lemma pair_eqb_eq a b : pair_eqb a b = true -> a = b.
Proof.
  destruct a, b. unfold pair_eqb. simpl. rewrite andb_true_iff, !N.eqb_eq. intros [-> ->]. reflexivity.
Qed.

Definition known_n (v : known) : N := match v with Is s => N.double s | Of_class c => N.succ (N.double c) end.
Definition label_hash (l : label) : positive := let '(c, p, m) := l in
  Maps.key (mixes (mix (mix 7 p) m) (map known_n c)).
Definition gram_hash (g : gram) : positive :=
  let '(s, K, x, w) := g in Maps.key (mixes (mix (mix (if s then 1 else 2)%N K) x) w).
Definition elem_hash (e : Strips.element) : positive :=
  let '(p, q, y, c, l, r) := e in Maps.key (mixes (mixes (mix (mix (mix (mix 7 p) q) (zn y)) c) l) r).
Definition pair_hash (a : N * N) : positive := Maps.key (mix (mix 7 (fst a)) (snd a)).
Definition ahead_hash (side : bool) (K : N) (a : list N) : positive :=
  Maps.key (mixes (mix (if side then 1 else 2)%N K) a).

Definition nub_pairs (l : list (N * N)) : list (N * N) :=
  snd (fold_left (fun m a => if is_member _ pair_hash pair_eqb (fst m) a then m
                             else (let h := pair_hash a in PM.add h (a :: bucket _ (fst m) h) (fst m), a :: snd m))
                 l (PM.empty _, [])).

(** * The checker *)
Definition follow_rule : Type := Strips.element -> symbol -> N -> Z -> Strips.element -> bool.
Definition coarse_of (e : strip) : N -> N := get 0%N (array (s_coarse e)).
Definition longest_descent : nat := N.to_nat 10000.

Definition mark_by (marks : PM.t (N + PM.t N)) (p : state) (before : N) : option N :=
  match PM.find (Maps.key p) marks with
  | Some (inl m) => Some (N.succ m)
  | Some (inr l) => option_map N.succ (PM.find (Maps.key before) l)
  | None => None
  end.

(** [more] is what else is asked of one element that follows another; [first] is asked of how runs begin. *)
Definition first_rule : Type := (label -> option N) -> (Strips.element -> bool) -> (gram -> bool) -> bool.
Definition check_moves (k : stuckness) (n : N) (left right : rules) (e : strip) (more : follow_rule)
  (first : first_rule) : bool :=
  let L := rows_of left in
  let R := rows_of right in
  let classes := array (s_classes e) in
  let class_of := get 0%N classes in
  let count_of cl := length (filter (N.eqb cl) (s_classes e)) in
  let manys := array (map (fun cl => s_dim e && Nat.ltb 1 (count_of cl)) (s_classes e)) in
  let many := get false manys in
  let kinds := array (s_kinds e) in
  let kind_of := get 0%N kinds in
  let marks := array (map (fun m => match m with inl m => inl m | inr l => inr (array l) end) (s_marks e)) in
  let mark_of := mark_by marks in
  let labels := array (s_labels e) in
  let label_at := get ([], 0%N, 0%N) labels in
  let coarses := array (s_coarse e) in
  let coarse_at := get 0%N coarses in
  let by_label := members N (fun i => label_hash (label_at i)) (below (N.of_nat (length (s_labels e)))) in
  let number l := find (fun i => label_eqb (label_at i) l) (bucket N by_label (label_hash l)) in
  let elements := members _ elem_hash (s_elements e) in
  let is_element := is_member _ elem_hash elem_eqb elements in
  let follows a s label side b := is_element b && more a s label side b in
  let grams := members _ gram_hash (s_grams e) in
  let is_gram := is_member _ gram_hash gram_eqb grams in
  let aheads := members gram (fun g => let '(s, K, x, w) := g in ahead_hash s K (coarse_at x :: firstn (s_d e) w))
    (s_grams e) in
  let ahead s K a := bucket gram aheads (ahead_hash s K a) in
  let going := nub_pairs (flat_map (fun el : Strips.element => let '(p, q, y, c, _, _) := el in
       match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
       | None => []
       | Some v => flat_map (fun s => match joint_step k (find_rule L) (find_rule R) p q s with
                                      | Go _ _ p' _ => [(kind_of p, kind_of p')] | _ => [] end)
                                        (symbols_held n class_of v)
       end) (s_elements e)) in
  let is_flow := is_member _ pair_hash pair_eqb (members _ pair_hash going) in
  let descends := is_descent (s_descents e) in
  writes_below n left && first number is_element is_gram &&
  forallb (flow_ok (s_grams e) is_gram) going &&
  forallb (descent_ok k (find_rule L) (find_rule R) longest_descent (s_descents e)) (s_descents e) &&
  forallb (Strips.element_ok k n (find_rule L) (find_rule R) (s_low e) (s_height e) (s_d e) class_of many kind_of
    mark_of
             label_at coarse_at number is_gram is_flow follows descends ahead) (s_elements e).

(** On inputs; [before] and [starts] tell of places to the left of them. *)
Definition labels_of (e : strip) : N -> label := get ([], 0%N, 0%N) (array (s_labels e)).
Definition kinds_of (e : strip) : state -> N := get 0%N (array (s_kinds e)).
Definition nexts_of (e : strip) : place -> symbol -> list place :=
  let steps := array (map array (s_steps e)) in fun at_ s => get [] (get (PM.empty _) steps at_) s.
Definition count_of (e : strip) : N := N.of_nat (length (s_steps e)).
Definition check_columns (k : stuckness) (n : N) (left right : rules) (e : strip) (before : list (list place))
    (starts : list (place * list place)) (more : follow_rule) : bool :=
  check_moves k n left right e more (fun number is_element is_gram =>
    first_ok n (s_low e) (s_height e) (s_d e) (kinds_of e 0%N) (coarse_of e) number is_element is_gram
      (nexts_of e) (count_of e) (get [] (array before)) (N.of_nat (length before)) starts).

(** Nothing is told of the columns to the left. *)
Definition check_strip (k : stuckness) (n : N) (i : inputs) (left right : rules) (e : strip) (more : follow_rule) : bool
  :=
  covers_inputs n (nexts_of e) (count_of e) (s_starts e) (fun _ => Empty) i (fun _ => Empty) &&
  check_columns k n left right e nothing_before (alone (s_starts e)) more.

(** What a checked strip gives: every input begins with labels, and each step of both sides keeps them, or
    enters a descent. *)
Definition in_strip (n : N) (e : strip) : state -> state -> Z -> Z -> world -> (Z -> N) -> Prop :=
  labelled n (s_low e) (s_height e) (s_d e) (get 0%N (array (s_classes e))) (get 0%N (array (s_kinds e)))
    (labels_of e) (coarse_of e) (s_elements e) (s_grams e).
Definition strip_steps (k : stuckness) (n : N) (L R : table) (e : strip) (more : follow_rule)
    (D : state -> state -> Z -> Z -> world -> bool -> bool -> nat -> Prop) : Prop :=
  (forall p q x y w lab, in_strip n e p q x y w lab ->
     match joint_step k L R p q (w x y) with
     | Bad => False
     | Done => True
     | Go s m p' q' =>
         (exists c, in_strip n e p' q' (x + dx m)%Z (y + dy m)%Z (put w x y s) (relabelled lab x c) /\
            more (here (s_d e) (coarse_of e) p q x y lab) (w x y) c (dx m)
                 (here (s_d e) (coarse_of e) p' q' (x + dx m) (y + dy m) (relabelled lab x c)) = true) \/
         (exists sd last fuel, D p' q' (x + dx m)%Z (y + dy m)%Z (put w x y s) sd last fuel /\ s_descents e <> [] /\
            ((forall d, In d (s_descents e) -> snd d = O) -> last = true))
     end) /\
  (forall p q x y w sd last fuel, D p q x y w sd last fuel ->
     match joint_step k L R p q (w x y) with
     | Bad => False
     | Done => last = true
     | Go s m p' q' => exists last' fuel', D p' q' (x + dx m)%Z (y + dy m)%Z (put w x y s) sd last' fuel' /\
         (last = true -> last' = true /\ fuel = S fuel')
     end).

Definition strip_begins (n : N) (e : strip) (before : list (list place)) (starts : list (place * list place)) : Prop :=
  forall t pl lefts, begins_with n (nexts_of e) (get [] (array before)) starts lefts pl t ->
    exists lab, in_strip n e 0%N 0%N 0%Z 0%Z (input_world t) lab /\
      (forall X, labels_of e (lab X) = label_from (s_low e) (s_height e) (count_of e) t lefts pl X) /\
      forall i, (pl i < count_of e)%N.
Definition strip_runs (k : stuckness) (n : N) (i : inputs) (L R : table) (e : strip) (more : follow_rule)
    (D : state -> state -> Z -> Z -> world -> bool -> bool -> nat -> Prop) : Prop :=
  (forall parts, declared i parts -> (forall j, (row_symbol (concat parts) j < n)%N) /\
     exists pl, In (pl O) (s_starts e) /\ path (nexts_of e) pl (concat parts)) /\
  (forall t pl, (forall i, (row_symbol t i < n)%N) -> In (pl O) (s_starts e) -> path (nexts_of e) pl t ->
     exists lab, in_strip n e 0%N 0%N 0%Z 0%Z (input_world t) lab /\
       forall X, labels_of e (lab X) = first_label (s_low e) (s_height e) t pl X) /\
  strip_steps k n L R e more D.

Definition begins_by (e : strip) (first : first_rule) : Prop := exists number is_element is_gram,
  (forall l i, number l = Some i -> labels_of e i = l) /\ (forall x, is_element x = true -> In x (s_elements e)) /\
  (forall g, is_gram g = true -> In g (s_grams e)) /\ first number is_element is_gram = true.
Theorem check_moves_runs k n left right e more first : check_moves k n left right e more first = true ->
  begins_by e first /\ exists D, strip_steps k n (table_of left) (table_of right) e more D.
Proof.
  intros H. unfold check_moves in H.
  set (L := rows_of left) in H. set (R := rows_of right) in H.
  set (class_of := get 0%N (array (s_classes e))) in H.
  set (many := get false (array (map _ (s_classes e)))) in H.
  set (kind_of := get 0%N (array (s_kinds e))) in H.
  set (mark_of := mark_by _) in H.
  set (label_at := get ([], 0%N, 0%N) (array (s_labels e))) in H.
  set (coarse_at := get 0%N (array (s_coarse e))) in H.
  set (number := fun l => find _ (bucket N (members N (fun i => label_hash (label_at i)) _) (label_hash l))) in H.
  set (is_element := is_member _ elem_hash elem_eqb (members _ elem_hash (s_elements e))) in H.
  set (follows := fun a s label side b => is_element b && more a s label side b) in H.
  set (is_gram := is_member _ gram_hash gram_eqb (members _ gram_hash (s_grams e))) in H.
  set (ahead := fun s K a => bucket gram (members gram _ (s_grams e)) (ahead_hash s K a)) in H.
  set (going := nub_pairs (flat_map _ (s_elements e))) in H.
  apply andb_true_iff in H as [H Hel]. apply andb_true_iff in H as [H Hde]. apply andb_true_iff in H as [H Hfl].
  apply andb_true_iff in H as [Hwr Hfirst].
  rewrite forallb_forall in Hel, Hfl, Hde.
  assert (number_ok : forall l i, number l = Some i -> label_at i = l).
  { intros l i E. apply find_some in E as [_ E]. apply label_eqb_eq in E. exact E. }
  assert (is_element_ok : forall x, is_element x = true -> In x (s_elements e)).
  { intros x. apply is_member_sound. exact elem_eqb_eq. }
  assert (is_gram_ok : forall x, is_gram x = true -> In x (s_grams e)).
  { intros x. apply is_member_sound. exact gram_eqb_eq. }
  assert (ahead_ok : forall sd K x w, In (sd, K, x, w) (s_grams e) ->
            In (sd, K, x, w) (ahead sd K (coarse_at x :: firstn (s_d e) w))).
  { intros sd K x w Hin. unfold ahead.
    exact (members_complete _ (fun g : gram => let '(s, K, x, w) := g in
      ahead_hash s K (coarse_at x :: firstn (s_d e) w)) _ _ Hin). }
  assert (J : forall p q s, joint_step k (table_of left) (table_of right) p q s = joint_step k (find_rule L)
    (find_rule R) p q s).
  { intros p q s. unfold joint_step, L, R. rewrite !find_rows. reflexivity. }
  split; [exists number, is_element, is_gram; auto|].
  exists (in_descent k (find_rule L) (find_rule R) (s_descents e)). split.
  - intros p q x y w lab HI. rewrite J.
    pose proof (strips_step k n (find_rule L) (find_rule R) (s_low e) (s_height e) (s_d e) class_of many kind_of mark_of
      label_at coarse_at number number_ok (s_elements e) (s_grams e) going is_gram
      (is_member _ pair_hash pair_eqb (members _ pair_hash going)) follows
      (fun a s label side b => more a s label side b = true)) as S.
    specialize (S) with (is_descent := is_descent (s_descents e)) (ahead := ahead).
    assert (F : forall a s label side b, follows a s label side b = true -> In b (s_elements e) /\
      more a s label side b = true).
    { intros a s label side b Hf. apply andb_true_iff in Hf as [H1 H2]. auto. }
    specialize (S F is_gram_ok).
    assert (FL : forall f, is_member _ pair_hash pair_eqb (members _ pair_hash going) f = true -> In f going).
    { intros f. apply is_member_sound. exact pair_eqb_eq. }
    assert (Wr : forall p s s' m p', find_rule L p s = Some (s', m, p') -> (s' < n)%N).
    { intros p0 s s' m p' E. unfold L in E. rewrite find_rows in E. eapply writes_below_sound; eauto. }
    specialize (S FL ahead_ok Wr Hel Hfl p q x y w lab HI).
    destruct (joint_step k (find_rule L) (find_rule R) p q (w x y)) as [| |s m p' q']; [exact S | exact S |].
    destruct S as [S | (Hdx & Hins & Hdesc & Hblank)]; [left; exact S|]. right.
    destruct HI as (_ & Hy & _). unfold inside in *.
    assert (Hm : exists sd, dy m = sg sd).
    { destruct m; simpl in *; [exists false | exists true | | |]; try reflexivity; exfalso; lia. }
    destruct Hm as [sd Esd]. exists sd. rewrite Esd in *.
    assert (Hsome : s_descents e <> []) by (intros E0; rewrite E0 in Hdesc; discriminate).
    destruct (enters k (find_rule L) (find_rule R) longest_descent (s_descents e)) with
      (p := p') (q := q') (x := (x + dx m)%Z) (y := (y + sg sd)%Z) (w := put w x y s) (sd := sd) as
        (last & f & HD & Hl);
      [exact Hde | exact Hdesc | |].
    { intros X Y HY. apply Hblank. unfold sg in *. destruct sd; lia. }
    exists last, f. split; [exact HD|]. split; [exact Hsome | exact Hl].
  - intros p q x y w sd last f HD. rewrite J. eapply descent_reads; [exact Hde | exact HD].
Qed.

Theorem check_columns_runs k n left right e before starts more :
  check_columns k n left right e before starts more = true ->
  (0 < n)%N /\ strip_begins n e before starts /\ exists D, strip_steps k n (table_of left) (table_of right) e more D.
Proof.
  intros H. apply check_moves_runs in H as ((number & is_element & is_gram & H1 & H2 & H3 & Hf) & H).
  split; [|split; [intros t pl lefts Hbegin; eapply first_stands; eauto; reflexivity | exact H]].
  unfold first_ok in Hf. do 6 (apply andb_true_iff in Hf as [Hf _]). apply N.ltb_lt. exact Hf.
Qed.

Theorem check_strip_runs k n i left right e more :
  check_strip k n i left right e more = true ->
  exists D, strip_runs k n i (table_of left) (table_of right) e more D.
Proof.
  intros H. apply andb_true_iff in H as [Hcov H]. apply check_columns_runs in H as (Hn & Hbegin & D & Hsteps).
  exists D. split; [|split; [|exact Hsteps]].
  - intros parts Hd. destruct (covers_inputs_sound _ _ _ _ _ _ _ Hcov parts Hd) as (Hs & pl & H0 & Hp & _). eauto.
  - intros t pl Hsym Hpl Hpath. destruct (Hbegin t pl (fun _ => 0%N)) as (lab & HI & Hlab & _).
    + split; [exists [0%N]; split; [apply (in_map (fun s => (s, [0%N]))); exact Hpl | left; reflexivity]|].
      split; [exact Hpath|]. split; [left; reflexivity | exact Hsym].
    + exists lab. split; [exact HI|]. intros X. rewrite Hlab. unfold label_from, place_at, first_label.
      destruct (X <? 0)%Z; reflexivity.
Qed.

Definition check_strips k n i left right e : bool :=
  check_strip k n i left right e (fun _ _ _ _ _ => true).

Theorem check_strips_sound : forall k n i left right e,
  check_strips k n i left right e = true ->
  forall parts, declared i parts -> does_what k (table_of left) (table_of right) (input_world (concat parts)) 0 0.
Proof.
  intros k n i left right e H parts Hd. apply check_strip_runs in H as (D & Hpaths & Hstart & Hstep & Hdown).
  eapply invariant_sound with (I := fun p q x y w =>
    (exists lab, in_strip n e p q x y w lab) \/ (exists sd last f, D p q x y w sd last f)).
  - intros p q x y w [[lab HI] | (sd & last & f & HD)].
    + specialize (Hstep _ _ _ _ _ _ HI). destruct (joint_step k _ _ p q (w x y)); auto.
      destruct Hstep as [(c' & HI' & _) | HD]; [left; eauto | right].
      destruct HD as (sd & last & f & HD & _). eauto.
    + specialize (Hdown _ _ _ _ _ _ _ _ HD). destruct (joint_step k _ _ p q (w x y)); auto.
      destruct Hdown as (last' & f' & HD' & _). right. eauto.
  - left. destruct (Hpaths parts Hd) as (Hsym & pl & Hpl & Hpath).
    destruct (Hstart _ pl Hsym Hpl Hpath) as (lab & HI & _). eauto.
Qed.
