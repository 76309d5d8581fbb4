(** (V11): ranks that fall at each step, so that every run on a declared input ends. *)
From Coq Require Import ZArith NArith List Bool Lia Wf_nat.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts.
Import ListNotations.
Local Open Scope Z_scope.

(** * Lists of pairs, the first ones first; none is longer than M *)
Inductive less : list (nat * nat) -> list (nat * nat) -> Prop :=
| less_component k k' v v' l l' : (k' < k)%nat -> less ((k', v') :: l') ((k, v) :: l)
| less_value k v v' l l' : (v' < v)%nat -> less ((k, v') :: l') ((k, v) :: l)
| less_later k v l l' : less l' l -> less ((k, v) :: l') ((k, v) :: l).
Definition less_upto (M : nat) (a b : list (nat * nat)) : Prop := (length a <= M)%nat /\ less a b.

Lemma less_upto_wf M : forall l, Acc (less_upto M) l.
Proof.
  induction M as [|M IH]; intros l.
  - constructor. intros a [Hl Ha]. destruct Ha; simpl in Hl; lia.
  - destruct l as [|[k v] l]; [constructor; intros a [_ Ha]; inversion Ha|].
    revert v l. induction k as [k IHk] using lt_wf_ind. intros v.
    induction v as [v IHv] using lt_wf_ind. intros l. specialize (IH l) as A.
    induction A as [l _ IHl]. constructor. intros a [Hl Ha]. inversion Ha; subst.
    + apply IHk. assumption.
    + apply IHv. assumption.
    + apply IHl. split; [simpl in Hl; lia | assumption].
Qed.

(** * Sums over columns *)
Fixpoint sum (lo : Z) (m : nat) (f : Z -> Z) : Z :=
  match m with O => 0 | S m => f lo + sum (lo + 1) m f end.

Lemma sum_same m f g : forall lo, (forall X, lo <= X < lo + Z.of_nat m -> f X = g X) -> sum lo m f = sum lo m g.
Proof.
  induction m as [|m IH]; intros lo H; [reflexivity|]. cbn [sum]. rewrite (H lo) by lia. f_equal.
  apply IH. intros X HX. apply H. lia.
Qed.
Lemma sum_last m f : forall lo, sum lo (S m) f = sum lo m f + f (lo + Z.of_nat m).
Proof.
  induction m as [|m IH]; intros lo; [cbn [sum]; replace (lo + Z.of_nat 0) with lo by lia; lia|].
  change (sum lo (S (S m)) f) with (f lo + sum (lo + 1) (S m) f). rewrite IH. cbn [sum].
  replace (lo + 1 + Z.of_nat m) with (lo + Z.of_nat (S m)) by lia. lia.
Qed.
Lemma sum_wider lo m f : sum (lo - 1) (S (S m)) f = f (lo - 1) + sum lo m f + f (lo + Z.of_nat m).
Proof.
  change (sum (lo - 1) (S (S m)) f) with (f (lo - 1) + sum (lo - 1 + 1) (S m) f).
  replace (lo - 1 + 1) with lo by lia. rewrite sum_last. lia.
Qed.
Lemma sum_one_changed m f g a : forall lo, lo <= a < lo + Z.of_nat m ->
  (forall X, X <> a -> g X = f X) -> sum lo m g = sum lo m f + (g a - f a).
Proof.
  induction m as [|m IH]; intros lo Ha H; [lia|]. cbn [sum]. destruct (Z.eq_dec lo a) as [->|N].
  - rewrite (sum_same m g f (a + 1)) by (intros X HX; apply H; lia). lia.
  - rewrite (IH (lo + 1)) by (lia || exact H). rewrite (H lo) by exact N. lia.
Qed.
Lemma sum_natural m f : (forall X, 0 <= f X) -> forall lo, 0 <= sum lo m f.
Proof. intros H. induction m as [|m IH]; intros lo; cbn [sum]; [lia|]. specialize (H lo). specialize (IH (lo + 1)). lia.
Qed.

(** * Values *)
Definition rank : Type := list (N * N).               (* components and weights *)

Section Ranks.
  Variable weight : N -> bool -> N -> N.              (* of a column: component, whether right of the head, label *)

  Definition rise (side : Z) (left_behind come_to : N) (k : N) : Z :=
    if side =? 0 then 0
    else Z.of_N (weight k (side <? 0) left_behind) - Z.of_N (weight k (0 <? side) come_to).
  Fixpoint falls (side : Z) (left_behind come_to : N) (old new : rank) : bool :=
    match old, new with
    | (k, w) :: old, (k', w') :: new =>
        if (k' <? k)%N then true
        else if (k' =? k)%N then
          let r := Z.of_N w' - Z.of_N w + rise side left_behind come_to k in
          if r <? 0 then true else if r =? 0 then falls side left_behind come_to old new else false
        else false
    | _, _ => false
    end.

  Definition beside (k : N) (x : Z) (lab : Z -> N) (X : Z) : Z :=
    if X <? x then Z.of_N (weight k false (lab X)) else if X =? x then 0 else Z.of_N (weight k true (lab X)).
  Definition value (k : N) (lo : Z) (m : nat) (x : Z) (lab : Z -> N) : Z := sum lo m (beside k x lab).
  Definition weightless (lab : Z -> N) (lo : Z) (m : nat) : Prop :=
    forall X, X < lo \/ lo + Z.of_nat m <= X -> forall k sd, weight k sd (lab X) = 0%N.

  Lemma value_natural k lo m x lab : 0 <= value k lo m x lab.
  Proof. apply sum_natural. intros X. unfold beside. destruct (X <? x); [lia|]. destruct (X =? x); lia. Qed.

  Lemma value_after k lo m x lab c side : -1 <= side <= 1 -> lo <= x < lo + Z.of_nat m -> weightless lab lo m ->
    value k (lo - 1) (S (S m)) (x + side) (relabelled lab x c) =
    value k lo m x lab + rise side c (relabelled lab x c (x + side)) k.
  Proof.
    intros Hs Hx Hw. unfold value.
    assert (Hwide : sum (lo - 1) (S (S m)) (beside k x lab) = sum lo m (beside k x lab)).
    { rewrite sum_wider.
      replace (beside k x lab (lo - 1)) with 0; [replace (beside k x lab (lo + Z.of_nat m)) with 0; [lia|]|].
      - unfold beside. destruct (Z.ltb_spec (lo + Z.of_nat m) x); [lia|].
        destruct (Z.eqb_spec (lo + Z.of_nat m) x); [lia|]. rewrite Hw by lia. reflexivity.
      - unfold beside. destruct (Z.ltb_spec (lo - 1) x); [|lia]. rewrite Hw by lia. reflexivity. }
    rewrite <- Hwide. unfold rise.
    assert (Hother : forall X, X <> x -> relabelled lab x c X = lab X).
    { intros X HX. unfold relabelled. apply Z.eqb_neq in HX. rewrite HX. reflexivity. }
    assert (Hsame : relabelled lab x c x = c) by (unfold relabelled; rewrite Z.eqb_refl; reflexivity).
    destruct (Z.eqb_spec side 0) as [->|Hne].
    - rewrite Z.add_0_r, Z.add_0_r. apply sum_same. intros X _. unfold beside.
      destruct (Z.ltb_spec X x); [rewrite Hother by lia; reflexivity|].
      destruct (Z.eqb_spec X x); [reflexivity | rewrite Hother by lia; reflexivity].
    - set (x' := x + side).
      set (left_gone := fun X => if X =? x then Z.of_N (weight k (side <? 0) c) else beside k x lab X).
      rewrite (sum_one_changed (S (S m)) left_gone (beside k x' (relabelled lab x c)) x') by
        (unfold x'; (lia ||
          (intros X HX; unfold left_gone, beside;
           destruct (Z.eqb_spec X x) as [->|HXx]; [rewrite Hsame|rewrite (Hother X HXx)];
           destruct (Z.ltb_spec side 0); repeat match goal with |- context [?a <? ?b] => destruct (Z.ltb_spec a b) end;
           repeat match goal with |- context [?a =? ?b] => destruct (Z.eqb_spec a b) end; try lia; reflexivity))).
      rewrite (sum_one_changed (S (S m)) (beside k x lab) left_gone x) by
        (lia || (intros X HX; unfold left_gone; apply Z.eqb_neq in HX; rewrite HX; reflexivity)).
      unfold left_gone. rewrite Z.eqb_refl.
      replace (x' =? x) with false by (symmetry; apply Z.eqb_neq; unfold x'; lia).
      assert (E1 : beside k x lab x = 0).
      { unfold beside. destruct (Z.ltb_spec x x); [lia|]. rewrite Z.eqb_refl. reflexivity. }
      assert (E2 : beside k x' (relabelled lab x c) x' = 0).
      { unfold beside. destruct (Z.ltb_spec x' x'); [lia|]. rewrite Z.eqb_refl. reflexivity. }
      assert (E3 : beside k x lab x' = Z.of_N (weight k (0 <? side) (relabelled lab x c x'))).
      { rewrite Hother by (unfold x'; lia). unfold beside, x'.
        destruct (Z.ltb_spec (x + side) x), (Z.eqb_spec (x + side) x), (Z.ltb_spec 0 side); try lia; reflexivity. }
      rewrite E1, E2, E3. lia.
  Qed.

  Definition measure (r : rank) (lo : Z) (m : nat) (x : Z) (lab : Z -> N) : list (nat * nat) :=
    map (fun kw => (N.to_nat (fst kw), Z.to_nat (Z.of_N (snd kw) + value (fst kw) lo m x lab))) r.

  Lemma falls_less side c come_to lo m x lab lo' m' x' lab' :
    (forall k, value k lo' m' x' lab' = value k lo m x lab + rise side c come_to k) ->
    forall old new, falls side c come_to old new = true -> less (measure new lo' m' x' lab') (measure old lo m x lab).
  Proof.
    intros Hv. induction old as [|[k w] old IH]; intros [|[k' w'] new] H; simpl in H; try discriminate.
    cbn [measure map fst snd]. pose proof (value_natural k lo m x lab) as P1.
    destruct (N.ltb_spec k' k); [apply less_component; lia|].
    destruct (N.eqb_spec k' k) as [->|]; [|discriminate]. pose proof (value_natural k lo' m' x' lab') as P2.
    rewrite (Hv k) in *.
    destruct (Z.ltb_spec (Z.of_N w' - Z.of_N w + rise side c come_to k) 0).
    - apply less_value. lia.
    - destruct (Z.eqb_spec (Z.of_N w' - Z.of_N w + rise side c come_to k) 0); [|discriminate].
      replace (Z.of_N w' + (value k lo m x lab + rise side c come_to k)) with (Z.of_N w + value k lo m x lab) by lia.
      apply less_later. apply IH. exact H.
  Qed.
End Ranks.

(** * The checker *)
Record ranking := Ranking {
  r_ranks : list rank; r_elements : list N;           (* the rank of each element, by number *)
  r_weights : list (N * bool * N * N) }.              (* component, whether right of the head, label, weight *)

Definition weight_hash (k : N) (sd : bool) (l : N) : positive := Maps.key (mix (mix (if sd then 1 else 2)%N k) l).
Definition weight_by (m : buckets (N * bool * N * N)) (k : N) (sd : bool) (l : N) : N :=
  match find (fun e => let '(k', sd', l', _) := e in (k' =? k)%N && Bool.eqb sd' sd && (l' =? l)%N)
             (bucket _ m (weight_hash k sd l)) with
  | Some (_, w) => w
  | None => 0%N
  end.
Definition may_be_blank (l : label) : bool :=
  let '(cells, _, mark) := l in
  (mark =? 0)%N && forallb (fun v => match v with Is s => (s =? 0)%N | Of_class _ => true end) cells.
Definition rank_by (m : buckets (Strips.element * rank)) (longest : nat) (e : Strips.element) : rank :=
  match find (fun er => elem_eqb (fst er) e) (bucket _ m (elem_hash e)) with
  | Some (_, r) => firstn longest r
  | None => []
  end.

Definition longest_rank (l : list rank) : nat := fold_right (fun r m => Nat.max (length r) m) O l.

Definition check_ranking (n : N) (i : inputs) (left right : rules) (e : strip) (r : ranking) : bool :=
  let weights := members _ (fun w => let '(k, sd, l, _) := w in weight_hash k sd l) (r_weights r) in
  let weight := weight_by weights in
  let labels := array (s_labels e) in
  let ranks := array (r_ranks r) in
  let longest := longest_rank (r_ranks r) in
  let by_element := members _ (fun er => elem_hash (fst er))
    (combine (s_elements e) (map (get [] ranks) (r_elements r))) in
  let rank_of := rank_by by_element longest in
  forallb (fun w => let '(_, _, l, _) := w in negb (may_be_blank (get ([], 0%N, 0%N) labels l))) (r_weights r) &&
  forallb (fun d : descent => match snd d with O => true | _ => false end) (s_descents e) &&
  check_strip Unasked n i left right e (fun a _ label side b =>
    let '(_, _, _, come_to, _, _) := b in falls weight side label come_to (rank_of a) (rank_of b)).

Section Ends.
  Variables (L R : table) (D : state -> state -> Z -> Z -> world -> bool -> bool -> nat -> Prop).
  Hypothesis down : forall p q x y w sd last fuel, D p q x y w sd last fuel ->
     match joint_step Unasked L R p q (w x y) with
     | Bad => False
     | Done => last = true
     | Go s m p' q' => exists last' fuel', D p' q' (x + dx m) (y + dy m) (put w x y s) sd last' fuel' /\
         (last = true -> last' = true /\ fuel = S fuel')
     end.

  Definition ends_from (p : state) (x y : Z) (w : world) : Prop :=
    exists n c, run L n (Config p x y w) = Some c /\ (acts L c = None \/ halts L c).

  Lemma ends_here p q x y w : joint_step Unasked L R p q (w x y) = Done -> ends_from p x y w.
  Proof.
    intros H. exists O, (Config p x y w). split; [reflexivity|]. unfold halts, acts, reads. cbn [st hx hy cells].
    apply joint_done in H as [H | [p' H]]; rewrite H; eauto.
  Qed.
  Lemma ends_later p q x y w s m p' q' : joint_step Unasked L R p q (w x y) = Go s m p' q' ->
    ends_from p' (x + dx m) (y + dy m) (put w x y s) -> ends_from p x y w.
  Proof.
    intros H (n & c & Hr & He). apply joint_go in H as (EL & _ & _). exists (S n), c. split; [|exact He].
    rewrite run_S. unfold step, acts, reads. cbn [st hx hy cells]. rewrite EL. exact Hr.
  Qed.
  Lemma descent_ends fuel : forall p q x y w sd, D p q x y w sd true fuel -> ends_from p x y w.
  Proof.
    induction fuel as [|fuel IH]; intros p q x y w sd HD; pose proof (down _ _ _ _ _ _ _ _ HD) as H;
      destruct (joint_step Unasked L R p q (w x y)) as [| |s m p' q'] eqn:J; try contradiction;
      try (eapply ends_here; exact J); destruct H as (last' & fuel' & HD' & Hl);
      destruct (Hl eq_refl) as [-> E]; [discriminate|]. injection E as <-.
    eapply ends_later; [exact J|]. eapply IH. exact HD'.
  Qed.
End Ends.

Lemma blank_may_be low height place : may_be_blank (on_row_0 low height 0%N, place, 0%N) = true.
Proof.
  unfold may_be_blank, on_row_0. simpl. apply forallb_forall. intros v Hv. apply in_map_iff in Hv as (i & <- & _).
  destruct (low + Z.of_nat i =? 0); reflexivity.
Qed.

Theorem check_ranking_sound : forall n i left right e r,
  check_ranking n i left right e r = true ->
  forall parts, declared i parts -> ends (table_of left) (input_world (concat parts)) 0 0.
Proof.
  intros n i left right e r H parts Hdeclared. unfold check_ranking in H.
  set (weight := weight_by _) in H.
  set (longest := longest_rank (r_ranks r)) in H. set (rank_of := rank_by _ longest) in H.
  apply andb_true_iff in H as [H Hstrip]. apply andb_true_iff in H as [Hw Hd].
  rewrite forallb_forall in Hw, Hd.
  assert (Hending : forall d, In d (s_descents e) -> snd d = O).
  { intros d Hin. specialize (Hd d Hin). destruct (snd d); [reflexivity | discriminate]. }
  assert (Hblank : forall k sd l, may_be_blank (labels_of e l) = true -> weight k sd l = 0%N).
  { intros k sd l Hb. unfold weight, weight_by.
    destruct (find _ _) as [[[[k' sd'] l'] w]|] eqn:F; [|reflexivity]. exfalso.
    apply find_some in F as [Hin E]. apply andb_true_iff in E as [_ E]. apply N.eqb_eq in E. subst l'.
    apply members_from in Hin as [Hin|Hin]; [|unfold bucket in Hin; rewrite PM.gempty in Hin; exact Hin].
    specialize (Hw _ Hin). cbv beta iota in Hw. apply negb_true_iff in Hw. unfold labels_of in Hb. congruence. }
  assert (Hlong : forall a, (length (rank_of a) <= longest)%nat).
  { intros a. unfold rank_of, rank_by. destruct (find _ _) as [[? l]|]; [apply firstn_le_length | simpl; lia]. }
  apply check_strip_runs in Hstrip as (D & Hpaths & Hstart & Hstep & Hdown).
  set (here_ := here (s_d e) (coarse_of e)) in *.
  assert (G : forall mu, Acc (less_upto longest) mu -> forall p q x y w lab lo m,
            in_strip n e p q x y w lab -> lo <= x < lo + Z.of_nat m -> weightless weight lab lo m ->
            mu = measure weight (rank_of (here_ p q x y lab)) lo m x lab ->
            ends_from (table_of left) p x y w).
  { intros mu A. induction A as [mu _ IH]. intros p q x y w lab lo m HI Hx Hwl ->.
    specialize (Hstep _ _ _ _ _ _ HI).
    destruct (joint_step Unasked (table_of left) (table_of right) p q (w x y)) as [| |s mv p' q'] eqn:J;
      [contradiction | |].
    - eapply ends_here. exact J.
    - eapply ends_later; [exact J|]. destruct Hstep as [(c' & HI' & Hf) | (sd & last & f & HD & _ & Hl)].
      + change (falls weight (dx mv) c' (relabelled lab x c' (x + dx mv)) (rank_of (here_ p q x y lab))
                  (rank_of (here_ p' q' (x + dx mv) (y + dy mv) (relabelled lab x c'))) = true) in Hf.
        assert (Hdx : -1 <= dx mv <= 1) by (destruct mv; simpl; lia).
        eapply IH with (lo := lo - 1) (m := S (S m)); [|exact HI' | lia | | reflexivity].
        * split; [unfold measure; rewrite map_length; apply Hlong|].
          eapply falls_less; [|exact Hf]. intros k. apply value_after; assumption.
        * intros X HX k sd. unfold relabelled. destruct (Z.eqb_spec X x); [lia|]. apply Hwl. lia.
      + rewrite (Hl Hending) in HD. eapply descent_ends; [exact Hdown | exact HD]. }
  set (t := concat parts). destruct (Hpaths parts Hdeclared) as (Hsym & pl & Hpl & Hpath).
  destruct (Hstart t pl Hsym Hpl Hpath) as (lab & HI & Hfirst).
  eapply (G _ (less_upto_wf longest _)) with (lo := 0) (m := S (length t)); [exact HI | lia | | reflexivity].
  intros X HX k sd. apply Hblank. rewrite Hfirst. unfold first_label.
  destruct (Z.ltb_spec X 0); [apply blank_may_be|]. unfold row_symbol. rewrite nth_overflow by lia. apply blank_may_be.
Qed.
