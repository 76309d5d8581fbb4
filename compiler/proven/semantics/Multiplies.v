(** Total correctness in words of numbers: on the digits of a, a sign, and the digits of b, an agent halts and leaves
    digits of a * b, or of what else its clause makes of both. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Machines.
Import ListNotations.

Lemma place_of_nth ds k : distinct_symbols ds = true -> (k < length ds)%nat ->
  place_in ds (nth k ds 0%N) = Some (Z.of_nat k).
Proof.
  revert k. induction ds as [|d ds IH]; intros k Hd Hk; cbn [length] in Hk; [lia|]. cbn [distinct_symbols] in Hd.
  apply andb_true_iff in Hd as [Hd1 Hd2]. cbn [place_in].
  destruct k as [|k]; cbn [nth]; [rewrite N.eqb_refl; reflexivity|].
  destruct (N.eqb_spec d (nth k ds 0%N)) as [E|_].
  - exfalso. apply negb_true_iff in Hd1. assert (existsb (N.eqb d) ds = true); [|congruence]. apply existsb_exists.
    exists (nth k ds 0%N). split; [apply nth_In; lia | apply N.eqb_eq; exact E].
  - rewrite IH by (auto; lia). cbn [option_map]. f_equal. lia.
Qed.
Lemma spells_snoc ds t s : spells ds (t ++ [s]) = spells_after ds (spells ds t) s.
Proof. unfold spells. rewrite fold_left_app. reflexivity. Qed.
Lemma written_spells ds most : distinct_symbols ds = true -> (2 <= length ds)%nat -> forall z after,
  (0 <= z < Z.of_nat (length ds) ^ Z.of_nat (S most))%Z ->
  exists t, written_in ds most z after = t ++ after /\ spells ds t = Some z /\ t <> [] /\ (forall s, In s t -> In s ds).
Proof.
  intros Hd Hlen. set (b := Z.of_nat (length ds)). assert (Hb : (2 <= b)%Z) by (unfold b; lia).
  assert (One : forall z, (0 <= z < b)%Z -> spells ds [nth (Z.to_nat z) ds 0%N] = Some z /\
    In (nth (Z.to_nat z) ds 0%N) ds).
  { intros z Hz. unfold b in Hz. split; [|apply nth_In; lia]. unfold spells. cbn [fold_left]. unfold spells_after.
    rewrite (place_of_nth ds (Z.to_nat z) Hd ltac:(lia)). f_equal. lia. }
  induction most as [|most IH]; intros z after Hz.
  - replace (b ^ Z.of_nat 1)%Z with b in Hz by (cbn; lia). cbn [written_in]. fold b. rewrite Z.mod_small by lia.
    destruct (One z Hz) as [H1 H2]. exists [nth (Z.to_nat z) ds 0%N]. split; [reflexivity|]. split; [exact H1|].
    split; [discriminate|]. intros s [<-|[]]. exact H2.
  - cbn [written_in]. fold b. destruct (Z.ltb_spec z b) as [Hlt|Hge].
    + rewrite Z.mod_small by lia. destruct (One z ltac:(lia)) as [H1 H2]. exists [nth (Z.to_nat z) ds 0%N].
      split; [reflexivity|]. split; [exact H1|]. split; [discriminate|]. intros s [<-|[]]. exact H2.
    + pose proof (Z.mod_pos_bound z b ltac:(lia)) as Hmod. destruct (One (z mod b)%Z Hmod) as [H1 H2].
      destruct (IH (z / b)%Z (nth (Z.to_nat (z mod b)) ds 0%N :: after)) as (t & Ht & Hs & Hne & Hin).
      { split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|].
        rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hz by lia. lia. }
      exists (t ++ [nth (Z.to_nat (z mod b)) ds 0%N]). split; [rewrite Ht, <- app_assoc; reflexivity|]. split.
      * assert (Hk : (Z.to_nat (z mod b) < length ds)%nat) by (unfold b in *; lia).
        rewrite spells_snoc, Hs. unfold spells_after. rewrite (place_of_nth ds _ Hd Hk). f_equal. fold b.
        rewrite Z2Nat.id by lia. pose proof (Z.div_mod z b ltac:(lia)). lia.
      * split; [destruct t; discriminate|]. intros s Hin'.
        apply in_app_or in Hin' as [Hin'|[<-|[]]]; [apply Hin; exact Hin' | exact H2].
Qed.
Lemma digits_of_ok ds z : distinct_symbols ds = true -> (2 <= length ds)%nat -> (0 <= z)%Z ->
  spells ds (digits_of ds z) = Some z /\ matches (number_piece ds) (digits_of ds z).
Proof.
  intros Hd Hlen Hz. unfold digits_of, in_digits. destruct (Z.ltb_spec z 0); [lia|].
  destruct (Nat.ltb_spec (length ds) 2); [lia|]. cbn [orb].
  destruct (written_spells ds (Z.to_nat (Z.log2 z)) Hd Hlen z []) as (t & Ht & Hs & Hne & Hin).
  { split; [exact Hz|]. destruct (Z.eq_dec z 0) as [->|Hnz]; [apply Z.pow_pos_nonneg; lia|].
    pose proof (Z.log2_spec z ltac:(lia)) as [_ Hlog]. rewrite Nat2Z.inj_succ, Z2Nat.id by (apply Z.log2_nonneg).
    eapply Z.lt_le_trans; [exact Hlog|]. apply Z.pow_le_mono_l. lia. }
  rewrite Ht, app_nil_r. split; [exact Hs|]. destruct t as [|s t]; [contradiction|]. unfold number_piece.
  change (s :: t) with ([s] ++ t). constructor; [constructor; apply Hin; left; reflexivity|].
  clear - Hin. assert (Hall : forall u, In u t -> In u ds) by (intros u Hu; apply Hin; right; exact Hu). clear Hin.
  induction t as [|u t IH]; [constructor|]. change (u :: t) with ([u] ++ t). constructor.
  - constructor. apply Hall. left. reflexivity.
  - apply IH. intros v Hv. apply Hall. right. exact Hv.
Qed.

(** On the digits of a, a sign, and the digits of b, it halts and leaves digits of what the clause makes of both. *)
Theorem on_numbers : forall T ds sign op,
  let o := Output_clause (Declared [number_piece ds; Cell [sign]; number_piece ds] ds [])
    (Operation op (Spelled 0) (Spelled 2)) in
  distinct_symbols ds = true -> (2 <= length ds)%nat ->
  (forall parts, declared (o_inputs o) parts ->
     exists n c, halts_after T n (input_world (concat parts)) 0 0 c /\
       exists r l, value_of o parts = Some r /\ stands (cells c) l /\ says (o_digits o) r l) ->
  forall a b z, (0 <= a)%Z -> (0 <= b)%Z -> operate op a b = Some z ->
  exists n c l, halts_after T n (input_world (digits_of ds a ++ sign :: digits_of ds b)) 0 0 c /\
    stands (cells c) l /\ l <> [] /\ spells ds l = Some z.
Proof.
  intros T ds sign op o Hd Hlen H a b z Ha Hb Hz.
  destruct (digits_of_ok ds a Hd Hlen Ha) as [Sa Ma]. destruct (digits_of_ok ds b Hd Hlen Hb) as [Sb Mb].
  destruct (H [digits_of ds a; [sign]; digits_of ds b]) as (n & c & Hc & r & l & Hv & Hst & Hsay).
  { split; [|intros e []]. constructor; [exact Ma|]. constructor; [constructor; left; reflexivity|].
    constructor; [exact Mb | constructor]. }
  cbn [concat] in Hc. rewrite app_nil_r in Hc. cbn [app] in Hc.
  assert (Em : members_of (number_piece ds) = ds).
  { unfold members_of, number_piece. cbn [cells_in app forallb]. rewrite same_text_refl. reflexivity. }
  unfold value_of in Hv. cbn [o_digits o_pieces i_digits i_pieces o_inputs o_value o map evaluate nth] in Hv.
  rewrite Em, Sa, Sb in Hv. cbn [option_map] in Hv.
  rewrite Hz in Hv. cbn [option_map] in Hv. injection Hv as <-. destruct Hsay as [Hne Hs]. exists n, c, l. auto.
Qed.
