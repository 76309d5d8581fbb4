(** Words as numbers: where no digit is 0, words with the same number are the same. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement.
Import ListNotations.
Local Open Scope Z_scope.

Section Words.
  Variables (radix : Z) (digit : symbol -> Z).
  (** The first symbol counts 1. *)
  Fixpoint word_number (t : list symbol) : Z :=
    match t with [] => 0 | s :: t => digit s + radix * word_number t end.
  Lemma word_number_app a b : word_number (a ++ b) = word_number a + radix ^ Z.of_nat (length a) * word_number b.
  Proof.
    induction a as [|s a IH]; [change (Z.of_nat (length (@nil symbol))) with 0; cbn [app word_number]; lia|].
    cbn [app length word_number]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
  Qed.

  Variable symbols : list symbol.
  Definition are_digits : bool :=
    forallb (fun s => (1 <=? digit s) && (digit s <? radix) &&
      forallb (fun t => negb (digit s =? digit t) || (s =? t)%N) symbols) symbols.
  Hypothesis ok : are_digits = true.
  Lemma digit_range s : In s symbols -> 1 <= digit s < radix.
  Proof.
    intros H. pose proof ok as K. unfold are_digits in K. rewrite forallb_forall in K. specialize (K s H).
    apply andb_true_iff in K as [K _]. apply andb_true_iff in K as [K1 K2]. apply Z.leb_le in K1. apply Z.ltb_lt in K2.
    lia.
  Qed.
  Lemma digit_injective s t : In s symbols -> In t symbols -> digit s = digit t -> s = t.
  Proof.
    intros H Ht E. pose proof ok as K. unfold are_digits in K. rewrite forallb_forall in K. specialize (K s H).
    apply andb_true_iff in K as [_ K]. rewrite forallb_forall in K. specialize (K t Ht). rewrite E, Z.eqb_refl in K.
    apply N.eqb_eq. exact K.
  Qed.
  Lemma word_number_nonnegative t : (forall s, In s t -> In s symbols) -> 0 <= word_number t.
  Proof.
    induction t as [|s t IH]; intros H; cbn [word_number]; [lia|]. pose proof (digit_range s (H s (or_introl eq_refl))).
    specialize (IH (fun u Hu => H u (or_intror Hu))). nia.
  Qed.
  Lemma word_number_positive s t : (forall u, In u (s :: t) -> In u symbols) -> 0 < word_number (s :: t).
  Proof.
    intros H. cbn [word_number]. pose proof (digit_range s (H s (or_introl eq_refl))).
    pose proof (word_number_nonnegative t (fun u Hu => H u (or_intror Hu))). nia.
  Qed.
  Theorem word_number_injective a : forall b, (forall s, In s a -> In s symbols) ->
    (forall s, In s b -> In s symbols) ->
    word_number a = word_number b -> a = b.
  Proof.
    induction a as [|s a IH]; intros [|t b] Ha Hb E.
    - reflexivity.
    - pose proof (word_number_positive t b Hb). change (word_number []) with 0 in E. lia.
    - pose proof (word_number_positive s a Ha). change (word_number []) with 0 in E. lia.
    - pose proof (digit_range s (Ha s (or_introl eq_refl))) as Hs.
      pose proof (digit_range t (Hb t (or_introl eq_refl))) as Ht.
      cbn [word_number] in E.
      assert (Ed : digit s = digit t).
      { rewrite <- (Z.mod_small (digit s) radix), <- (Z.mod_small (digit t) radix) by lia.
        rewrite <- (Z.mod_add (digit s) (word_number a) radix), <- (Z.mod_add (digit t) (word_number b) radix) by lia.
        rewrite !(Z.mul_comm (word_number _)). rewrite E. reflexivity. }
      f_equal.
      + apply digit_injective; [apply Ha; left; reflexivity | apply Hb; left; reflexivity | exact Ed].
      + apply IH; [intros u Hu; apply Ha; right; exact Hu | intros u Hu; apply Hb; right; exact Hu |]. nia.
  Qed.
End Words.
