(** (V4): product states with some known cells around the head; without a radius, none. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps.
Import ListNotations.

Definition cell : Type := Z * Z * N.  (* as seen from the head; what stands there *)
Definition window := list cell.
Definition element : Type := state * state * window.

(** What a window says of a world and a head. *)
Definition stands_for (K : window) (x y : Z) (w : world) : Prop :=
  forall a b s, In (a, b, s) K -> w (x + a)%Z (y + b)%Z = s.

(** * One way to write each window: sorted *)
Definition before (c d : cell) : bool :=
  let '(a, b, _) := c in let '(a', b', _) := d in
  match (a ?= a')%Z with Lt => true | Gt => false | Eq => (b <=? b')%Z end.
Fixpoint insert (c : cell) (K : window) : window :=
  match K with
  | [] => [c]
  | d :: K' => if before c d then c :: K else d :: insert c K'
  end.
Definition sorted (K : window) : window := fold_right insert [] K.

Lemma in_insert c d K : In c (insert d K) -> c = d \/ In c K.
Proof.
  induction K as [|e K IH]; simpl; [intuition congruence|].
  destruct (before d e); simpl; intuition congruence.
Qed.
Lemma in_sorted c K : In c (sorted K) -> In c K.
Proof.
  induction K as [|d K IH]; simpl; [tauto|]. intros H. apply in_insert in H as [->|H]; auto.
Qed.

(** * Step *)
Definition at_head (c : cell) : bool := let '(a, b, _) := c in ((a =? 0) && (b =? 0))%Z.
Definition under_head (K : window) : option symbol :=
  match find at_head K with Some (_, s) => Some s | None => None end.
Definition shifted (m : move) (K : window) : window :=
  map (fun c => let '(a, b, s) := c in ((a - dx m)%Z, (b - dy m)%Z, s)) K.
Definition written (s : symbol) (K : window) : window :=
  (0%Z, 0%Z, s) :: filter (fun c => negb (at_head c)) K.
Definition kept (r : option N) (K : window) : window :=
  match r with
  | None => []
  | Some r => filter (fun c => let '(a, b, _) := c in (Z.abs a + Z.abs b <=? Z.of_N r)%Z) K
  end.
Definition next_window (r : option N) (m : move) (s : symbol) (K : window) : window :=
  sorted (kept r (shifted m (written s K))).

Lemma stands_for_next r m s K x y w : stands_for K x y w ->
  stands_for (next_window r m s K) (x + dx m) (y + dy m) (put w x y s).
Proof.
  intros H a b t Hin. apply in_sorted in Hin.
  assert (Hs : In (a, b, t) (shifted m (written s K))).
  { destruct r as [r|]; [apply filter_In in Hin as [Hin _]; exact Hin | destruct Hin]. }
  apply in_map_iff in Hs as ([[a' b'] t'] & E & Hin'). injection E as <- <- <-.
  replace (x + dx m + (a' - dx m))%Z with (x + a')%Z by lia.
  replace (y + dy m + (b' - dy m))%Z with (y + b')%Z by lia.
  unfold put. destruct Hin' as [E|Hin'].
  - injection E as <- <- <-. rewrite !Z.add_0_r, !Z.eqb_refl. reflexivity.
  - apply filter_In in Hin' as [Hin' Hn]. unfold at_head in Hn.
    replace (x + a' =? x)%Z with (a' =? 0)%Z by (destruct (Z.eqb_spec a' 0), (Z.eqb_spec (x + a') x); lia).
    replace (y + b' =? y)%Z with (b' =? 0)%Z by (destruct (Z.eqb_spec b' 0), (Z.eqb_spec (y + b') y); lia).
    apply negb_true_iff in Hn. rewrite Hn. apply H. exact Hin'.
Qed.

Lemma under_head_reads K x y w s : stands_for K x y w -> under_head K = Some s -> w x y = s.
Proof.
  intros H E. unfold under_head in E. destruct (find at_head K) as [[[a b] t]|] eqn:F; [|discriminate].
  injection E as <-. apply find_some in F as [Hin Ha]. simpl in Ha.
  apply andb_true_iff in Ha as [E1 E2]. apply Z.eqb_eq in E1, E2. subst.
  specialize (H _ _ _ Hin). rewrite !Z.add_0_r in H. exact H.
Qed.

(** * The checker *)
Definition cell_eqb (c d : cell) : bool :=
  let '(a, b, s) := c in let '(a', b', s') := d in ((a =? a')%Z && (b =? b')%Z && (s =? s')%N).
Definition element_eqb (e f : element) : bool :=
  let '(p, q, K) := e in let '(p', q', K') := f in
  ((p =? p')%N && (q =? q')%N && list_eqb cell_eqb K K').

Lemma element_eqb_eq e f : element_eqb e f = true -> e = f.
Proof.
  destruct e as [[p q] K], f as [[p' q'] K']. simpl. rewrite !andb_true_iff, !N.eqb_eq. intros [[-> ->] H]. f_equal.
  revert H. apply list_eqb_eq. intros [[a b] s] [[a' b'] s']. simpl. rewrite !andb_true_iff, !Z.eqb_eq, N.eqb_eq.
  intros [[-> ->] ->]. reflexivity.
Qed.

(** Most of a check is this, so it walks over the bits of [v] alone. *)
Definition mix (h v : N) : N := match h with N0 => v | Npos p => N.lxor (Npos p~0~0~0~0) v end.
Definition mixes (h : N) (l : list N) : N := fold_left mix l h.
Definition zn (z : Z) : N := match z with Z0 => 0 | Zpos p => Npos p~0 | Zneg p => Npos p~1 end.
Definition hash (e : element) : positive :=
  let '(p, q, K) := e in
  Maps.key (fold_left (fun h c => let '(a, b, s) := c in mix (mix (mix h (zn a)) (zn b)) s) K (mix (mix 7 p) q)).

Section Check.
  Variables (observed : bool) (k : stuckness) (n : N) (L R : table) (radius : option N).

  Definition symbols_under (K : window) : list symbol :=
    match under_head K with Some s => [s] | None => below n end.

  Definition follows_ok (set : buckets element) (K : window) (j : joint) : bool :=
    match j with
    | Bad => false
    | Done => true
    | Go s m p q => is_member element hash element_eqb set (p, q, next_window radius m s K)
    end.

  Definition element_ok (set : buckets element) (e : element) : bool :=
    let '(p, q, K) := e in
    forallb (fun s => follows_ok set K (observed_step observed k L R p q s)) (symbols_under K).
End Check.

Definition writes_below (n : N) (r : rules) : bool := forallb (fun u => let '(_, (s, _, _)) := u in (s <? n)%N) r.

Definition written_one_way (e : element) : element := let '(p, q, K) := e in (p, q, sorted K).

Definition check_windows (observed : bool) (k : stuckness) (n : N) (left right : rules) (radius : option N)
    (elements : list element) : bool :=
  let elements := map written_one_way elements in
  let set := members element hash elements in
  let L := rows_of left in
  let R := rows_of right in
  writes_below n left &&
  is_member element hash element_eqb set (0%N, 0%N, []) &&
  forallb (element_ok observed k n (find_rule L) (find_rule R) radius set) elements.

Lemma writes_below_sound n r : writes_below n r = true ->
  forall p s s' m q, table_of r p s = Some (s', m, q) -> (s' < n)%N.
Proof.
  intros H. induction r as [|[[p1 s1] [[s2 m2] q2]] r IH]; simpl in *; intros p s s' m q E; [discriminate|].
  apply andb_true_iff in H as [H1 H2]. apply N.ltb_lt in H1.
  destruct ((p =? p1) && (s =? s1))%N.
  - injection E as <- <- <-. exact H1.
  - eapply IH; eauto.
Qed.

Theorem check_windows_sound : forall k n left right radius elements,
  check_windows false k n left right radius elements = true ->
  forall w, over n w -> forall x y, does_what k (table_of left) (table_of right) w x y.
Proof.
  intros k n left right radius els H w Hw x y. unfold check_windows in H.
  set (els' := map written_one_way els) in H. clearbody els'.
  apply andb_true_iff in H as [H Hall]. apply andb_true_iff in H as [Hwr Hstart].
  apply is_member_sound in Hstart; [|exact element_eqb_eq].
  rewrite forallb_forall in Hall.
  apply invariant_sound with
    (I := fun p q x y w => over n w /\ exists K, In (p, q, K) els' /\ stands_for K x y w).
  2: { split; [exact Hw|]. exists []. split; [exact Hstart|]. intros a b s []. }
  clear x y w Hw. intros p q x y w [Hw (K & Hin & HK)].
  specialize (Hall _ Hin). simpl in Hall. rewrite forallb_forall in Hall.
  assert (Hs : In (w x y) (symbols_under n K)).
  { unfold symbols_under. destruct (under_head K) eqn:E.
    - left. symmetry. eapply under_head_reads; eauto.
    - apply in_below, Hw. }
  specialize (Hall _ Hs). rewrite all_observed in Hall. unfold joint_step in *. rewrite !find_rows in Hall.
  destruct (joint_of k (w x y) (table_of left p (w x y)) (table_of right q (w x y))) as [| |s m p' q'] eqn:J;
    simpl in Hall; [discriminate | exact Logic.I |].
  apply is_member_sound in Hall as Hm; [|exact element_eqb_eq].
  split.
  - intros a b. unfold put. destruct ((a =? x) && (b =? y))%Z; [|apply Hw].
    unfold joint_of in J. destruct (table_of left p (w x y)) as [[[s1 m1] p1]|] eqn:EL.
    + eapply writes_below_sound in EL; [|exact Hwr].
      destruct (table_of right q (w x y)) as [[[s2 m2] q2]|]; [|discriminate].
      destruct ((s1 =? s2)%N && move_eqb m1 m2); [|discriminate].
      destruct ((s1 =? w x y)%N && move_eqb m1 MS); [discriminate|]. injection J as <- <- <- <-. exact EL.
    + destruct k; [discriminate | | discriminate]. destruct (table_of right q (w x y)); discriminate.
  - eexists. split; [exact Hm|]. apply stands_for_next. exact HK.
Qed.
