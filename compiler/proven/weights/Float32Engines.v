(** Engines that sum in float32 are engines of Engines.v. *)
From Coq Require Import Reals ZArith List Permutation Lra Lia.
From Flocq Require Import Core Relative.
From Gridlang Require Import Statement Vectors Engines Weights Float32.
Import ListNotations.
Local Open Scope R_scope.

Section Engines.
  Variables (W : weights) (right : rules).
  Hypothesis ok : check_weights W right = true.
  Hypothesis same_known : known_ok W right.

  Lemma fits_modest row h : fits W row = true -> fits W h = true ->
    Z.of_nat (length row) = dimensions W /\ length h = length row /\
    modest (IZR (largest_weight W) / IZR (denominator W)) (combine (numbers W row) (numbers W h)).
  Proof.
    destruct (checked_parts W right ok) as (_ & HS & _). unfold fits.
    rewrite !Bool.andb_true_iff, !Z.eqb_eq, !forallb_forall.
    intros [Lr Mr] [Lh Mh]. split; [exact Lr|]. split; [lia|]. unfold modest. apply Forall_forall. intros [a b] Hin.
    pose proof (in_combine_l _ _ _ _ Hin) as Ha. pose proof (in_combine_r _ _ _ _ Hin) as Hb. unfold numbers in *.
    apply in_map_iff in Ha as (za & <- & Ha). apply in_map_iff in Hb as (zb & <- & Hb). cbn [fst snd].
    assert (I : 0 < / IZR (denominator W)) by (apply Rinv_0_lt_compat, IZR_lt; exact HS).
    split; unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ _)), <- abs_IZR by lra; apply Rmult_le_compat_r; try lra;
      apply IZR_le, Z.leb_le; auto.
  Qed.

  Lemma float32_products rows h outs : forallb (fits W) rows = true -> fits W h = true ->
    products W float32 rows h outs -> products W (product W) rows h outs.
  Proof.
    destruct (checked_parts W right ok) as (Hd & HS & Hm & _). intros Hr Hh H.
    induction H as [|row out rows outs Hf H IH]; constructor.
    - simpl in Hr. apply Bool.andb_true_iff in Hr as [Hr _]. destruct (fits_modest row h Hr Hh) as (L1 & L2 & M).
      apply float32_product; unfold numbers; rewrite ?map_length; try assumption.
      apply Rmult_le_pos; [apply (IZR_le 0); exact Hm | apply Rlt_le, Rinv_0_lt_compat, IZR_lt; exact HS].
    - simpl in Hr. apply Bool.andb_true_iff in Hr as [_ Hr]. exact (IH Hr).
  Qed.

  Lemma known_fits p x h : known W p x = true -> nth_error (centres W) (N.to_nat p) = Some h ->
    fits W h = true /\ forallb (fits W) (A_of W x) = true /\ forallb (fits W) (B_of W x) = true /\
      forallb (fits W) (C_of W x) = true.
  Proof.
    intros K Hh. rewrite same_known in K. destruct (table_of right p x) as [e|] eqn:E; [|discriminate].
    apply table_in in E.
    destruct (checked_parts W right ok) as (_ & _ & _ & _ & Hs & _). unfold sizes_ok in Hs.
    rewrite !Bool.andb_true_iff in Hs. destruct Hs as [[_ Hc] Hs]. rewrite forallb_forall in Hc, Hs.
    split; [apply Hc; eapply nth_error_In; exact Hh|].
    specialize (Hs x). rewrite !forallb_app, !Bool.andb_true_iff in Hs. apply Hs. apply nodup_In, in_map_iff.
    exists (p, x, e). auto.
  Qed.

  (** Whatever sums in float32, in whatever order, is an engine. *)
  Theorem float32_engine : forall stands_for T, runs W float32 stands_for T -> engine W T.
  Proof.
    intros stands_for T [H0 H]. exists stands_for. split; [exact H0|]. intros p x K. specialize (H p x K).
    destruct (T p x) as [[[w m] q]|].
    - destruct H as (h & Hh & (outs & moves & Hb & Lb & Hc & Lc) & Hq).
      destruct (known_fits _ _ _ K Hh) as (Fh & FA & FB & FC).
      exists h. split; [exact Hh|].
      split; [exists outs, moves; repeat split; try assumption; apply float32_products; assumption|].
      destruct Hq as [Hq|(Hi & v & Hv & Hs)]; [left; exact Hq|]. right. split; [exact Hi|]. exists v.
      split; [apply float32_products; assumption | exact Hs].
    - destruct H as (h & Hh & Hs). destruct (known_fits _ _ _ K Hh) as (Fh & FA & FB & FC). exists h.
      split; [exact Hh|].
      destruct Hs as [(outs & moves & Hb & Hc & Hall)
        | (w & m & v & (outs & moves & Hb & Lb & Hc & Lc) & Hi & Hv & Hst)].
      + left. exists outs, moves. repeat split; try assumption; apply float32_products; assumption.
      + right. exists w, m, v. repeat split; try assumption; [|apply float32_products; assumption].
        exists outs, moves. repeat split; try assumption; apply float32_products; assumption.
  Qed.
End Engines.
