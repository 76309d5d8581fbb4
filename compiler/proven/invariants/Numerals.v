(** Numbers as texts: [in_digits] is the only spelling that has no zeros before it. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Multiplies.
Import ListNotations.
Local Open Scope Z_scope.

Lemma spells_some digits t s z : spells digits (t ++ [s]) = Some z ->
  exists z' d, spells digits t = Some z' /\ place_in digits s = Some d /\ z = z' * Z.of_nat (length digits) + d.
Proof.
  rewrite spells_snoc. unfold spells_after. destruct (spells digits t) as [z'|]; [|discriminate].
  destruct (place_in digits s) as [d|]; [|discriminate]. intros E. injection E as <-. eauto.
Qed.
Lemma place_in_is digits s d : place_in digits s = Some d -> 0 <= d < Z.of_nat (length digits) /\
  nth (Z.to_nat d) digits 0%N = s.
Proof.
  revert d. induction digits as [|c l IH]; intros d H; cbn [place_in] in H; [discriminate|].
  destruct (N.eqb_spec c s) as [->|_].
  - injection H as <-. cbn [length]. split; [lia | reflexivity].
  - destruct (place_in l s) as [d'|]; [|discriminate]. injection H as <-. destruct (IH d' eq_refl) as [Hd Hn].
    cbn [length]. split; [lia|].
    replace (Z.to_nat (Z.succ d')) with (S (Z.to_nat d')) by lia. exact Hn.
Qed.
Lemma place_in_digits digits s : In s digits -> place_in digits s <> None.
Proof.
  induction digits as [|c l IH]; intros H E; [exact H|]. cbn [place_in] in E.
  destruct (N.eqb_spec c s) as [->|Ne]; [discriminate|].
  destruct H as [H|H]; [contradiction|]. destruct (place_in l s); [discriminate | exact (IH H eq_refl)].
Qed.
Lemma place_in_some digits t : (forall s, In s t -> In s digits) -> exists z, spells digits t = Some z.
Proof.
  induction t as [|s t IH] using rev_ind; intros H; [exists 0; reflexivity|].
  destruct IH as [z Hz]; [intros u Hu; apply H; apply in_or_app; left; exact Hu|].
  rewrite spells_snoc, Hz. unfold spells_after. destruct (place_in digits s) as [d|] eqn:E; [eauto|].
  exfalso. apply (place_in_digits digits s); [apply H; apply in_or_app; right; left; reflexivity | exact E].
Qed.

Section Digits.
  Variable digits : list symbol.
  Notation base := (Z.of_nat (length digits)).
  Hypothesis many : (2 <= length digits)%nat.
  Definition begins_with_zero (t : list symbol) : Prop := place_in digits (hd 0%N t) = Some 0.

  Lemma spells_positive t z : t <> [] -> ~ begins_with_zero t -> spells digits t = Some z -> 1 <= z.
  Proof.
    revert z. induction t as [|s t IH] using rev_ind; intros z Hne H0 Hz; [congruence|].
    apply spells_some in Hz as (z' & d & Hz & Hd & ->). destruct (place_in_is _ _ _ Hd) as [Hr _]. destruct t as [|a t].
    - injection Hz as <-. unfold begins_with_zero in H0. cbn [app hd] in H0. rewrite Hd in H0.
      assert (d <> 0) by congruence. lia.
    - specialize (IH z' ltac:(discriminate) H0 Hz). nia.
  Qed.
  Lemma written_only t : forall z most after, t <> [] -> ((1 < length t)%nat -> ~ begins_with_zero t) ->
    spells digits t = Some z ->
    z < 2 ^ Z.of_nat (S most) -> written_in digits most z after = t ++ after.
  Proof.
    induction t as [|s t IH] using rev_ind; intros z most after Hne H0 Hz Hmost; [congruence|].
    apply spells_some in Hz as (z' & d & Hz & Hd & ->). destruct (place_in_is _ _ _ Hd) as [Hr Hn].
    rewrite <- app_assoc. cbn [app].
    assert (Emod : (z' * base + d) mod base = d) by (rewrite Z.add_comm, Z.mod_add, Z.mod_small; lia).
    assert (Ediv : (z' * base + d) / base = z') by (rewrite Z.add_comm, Z.div_add, Z.div_small; lia).
    destruct t as [|a t].
    - injection Hz as <-. destruct most; cbn [app written_in]; rewrite Emod, Hn; [reflexivity|].
      destruct (Z.ltb_spec (0 * base + d) base); [reflexivity | lia].
    - assert (Hz0 : ~ begins_with_zero (a :: t)) by (apply H0; rewrite app_length; cbn; lia).
      pose proof (spells_positive (a :: t) z' ltac:(discriminate) Hz0 Hz) as Hp.
      destruct most as [|most]; [change (2 ^ Z.of_nat 1) with 2 in Hmost; nia|].
      cbn [written_in]. rewrite Emod, Ediv, Hn. destruct (Z.ltb_spec (z' * base + d) base); [nia|].
      apply IH; [discriminate | auto | exact Hz |].
      rewrite (Nat2Z.inj_succ (S most)), Z.pow_succ_r in Hmost by lia. nia.
  Qed.
  Theorem in_digits_only t z : t <> [] -> ((1 < length t)%nat -> ~ begins_with_zero t) -> spells digits t = Some z ->
    in_digits digits z = Some t.
  Proof.
    intros Hne H0 Hz. assert (0 <= z).
    { clear - Hz. revert z Hz. induction t as [|s t IH] using rev_ind; intros z Hz; [injection Hz as <-; lia|].
      apply spells_some in Hz as (z' & d & Hz & Hd & ->). specialize (IH _ Hz). apply place_in_is in Hd as [Hd _]. nia.
      }
    unfold in_digits. destruct (Z.ltb_spec z 0); [lia|]. destruct (Nat.ltb_spec (length digits) 2); [lia|]. cbn [orb].
    f_equal.
    rewrite <- (app_nil_r t). apply written_only; [exact Hne | exact H0 | exact Hz|].
    destruct (Z.eq_dec z 0) as [->|]; [reflexivity|]. rewrite Nat2Z.inj_succ, Z2Nat.id by apply Z.log2_nonneg.
    apply Z.log2_spec. lia.
  Qed.
End Digits.
