(** Columns have weights, the powers of a base; sums of value times weight over the columns beside the head. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Polynomials.
Import ListNotations.
Local Open Scope Qc_scope.

(** * Powers *)
Definition power (b : Qc) (z : Z) : Qc := if (0 <=? z)%Z then b ^ Z.to_nat z else (/ b) ^ Z.to_nat (- z).
Lemma power_0 b : power b 0 = 1. Proof. reflexivity. Qed.
Lemma power_step b z : b <> 0 -> power b (z + 1) = b * power b z.
Proof.
  intros Hb. unfold power. destruct (Z.leb_spec 0 z), (Z.leb_spec 0 (z + 1)); try lia.
  - replace (Z.to_nat (z + 1)) with (S (Z.to_nat z)) by lia. reflexivity.
  - replace (Z.to_nat (z + 1)) with O by lia. replace (Z.to_nat (- z)) with 1%nat by lia. cbn [Qcpower]. field.
    exact Hb.
  - replace (Z.to_nat (- z)) with (S (Z.to_nat (- (z + 1)))) by lia. cbn [Qcpower]. field. exact Hb.
Qed.
Lemma power_nat b z k : b <> 0 -> power b (z + Z.of_nat k) = b ^ k * power b z.
Proof.
  intros Hb. induction k as [|k IH]; [rewrite Z.add_0_r; cbn; ring|].
  replace (z + Z.of_nat (S k))%Z with (z + Z.of_nat k + 1)%Z by lia. rewrite power_step, IH by exact Hb. cbn [Qcpower].
  ring.
Qed.
Lemma power_nonzero b z : b <> 0 -> power b z <> 0.
Proof.
  intros Hb. assert (P : forall a k, a <> 0 -> a ^ k <> 0).
  { intros a k Ha. induction k as [|k IH]; cbn; [discriminate|]. intros E. apply Qcmult_integral in E as [E|E]; auto. }
  unfold power. destruct (0 <=? z)%Z; apply P; [exact Hb|]. intros E.
  assert (E1 : b * / b = 1) by (field; exact Hb). rewrite E in E1. replace (b * 0) with 0 in E1 by ring. discriminate.
Qed.
Lemma power_one z : power 1 z = 1.
Proof.
  unfold power. replace (/ 1) with 1 by reflexivity.
  destruct (0 <=? z)%Z; [generalize (Z.to_nat z) | generalize (Z.to_nat (- z))]; intros k; induction k as [|k IH]; cbn;
    rewrite ?IH; reflexivity.
Qed.

(** * Sums over columns *)
Fixpoint sum (lo : Z) (m : nat) (f : Z -> Qc) : Qc :=
  match m with O => 0 | S m => f lo + sum (lo + 1) m f end.
Lemma sum_same m f g : forall lo, (forall X, (lo <= X < lo + Z.of_nat m)%Z -> f X = g X) -> sum lo m f = sum lo m g.
Proof.
  induction m as [|m IH]; intros lo H; [reflexivity|]. cbn [sum]. rewrite (H lo) by lia. f_equal.
  apply IH. intros X HX. apply H. lia.
Qed.
Lemma sum_zero m f : forall lo, (forall X, (lo <= X < lo + Z.of_nat m)%Z -> f X = 0) -> sum lo m f = 0.
Proof.
  induction m as [|m IH]; intros lo H; [reflexivity|]. cbn [sum]. rewrite (H lo), IH by (lia || (intros; apply H; lia)).
  ring.
Qed.
Lemma sum_plus m f g : forall lo, sum lo m (fun X => f X + g X) = sum lo m f + sum lo m g.
Proof. induction m as [|m IH]; intros lo; cbn [sum]; [ring|]. rewrite IH. ring. Qed.
Lemma sum_app a b f : forall lo, sum lo (a + b) f = sum lo a f + sum (lo + Z.of_nat a) b f.
Proof.
  induction a as [|a IH]; intros lo; cbn [Nat.add sum]; [rewrite Z.add_0_r; ring|].
  rewrite IH. replace (lo + 1 + Z.of_nat a)%Z with (lo + Z.of_nat (S a))%Z by lia. ring.
Qed.
Lemma sum_wider lo m f : sum (lo - 1) (S (S m)) f = f (lo - 1)%Z + sum lo m f + f (lo + Z.of_nat m)%Z.
Proof.
  replace (S (S m)) with (1 + (m + 1))%nat by lia. rewrite sum_app. cbn [sum].
  replace (lo - 1 + Z.of_nat 1)%Z with lo by lia. rewrite sum_app. cbn [sum]. ring.
Qed.
Lemma sum_one_changed m f g a : forall lo, (lo <= a < lo + Z.of_nat m)%Z ->
  (forall X, X <> a -> g X = f X) -> sum lo m g = sum lo m f + (g a - f a).
Proof.
  induction m as [|m IH]; intros lo Ha H; [lia|]. cbn [sum]. destruct (Z.eq_dec lo a) as [->|N].
  - rewrite (sum_same m g f (a + 1)) by (intros X HX; apply H; lia). ring.
  - rewrite (IH (lo + 1)%Z) by (lia || exact H). rewrite (H lo) by exact N. ring.
Qed.
(** A sum of which all but a stretch is 0. *)
Lemma sum_within lo m f lo' m' : (lo <= lo')%Z -> (lo' + Z.of_nat m' <= lo + Z.of_nat m)%Z ->
  (forall X, (X < lo' \/ lo' + Z.of_nat m' <= X)%Z -> f X = 0) -> sum lo m f = sum lo' m' f.
Proof.
  intros H1 H2 H0. set (a := Z.to_nat (lo' - lo)). set (b := (m - a - m')%nat).
  replace m with (a + (m' + b))%nat by lia. rewrite sum_app, sum_app.
  rewrite (sum_zero a) by (intros X HX; apply H0; lia). replace (lo + Z.of_nat a)%Z with lo' by lia.
  rewrite (sum_zero b) by (intros X HX; apply H0; lia). ring.
Qed.

(** * Beside the head *)
Section Beside.
  Variable counted : N -> bool.                       (* which labels are counted *)
  Definition on_side (right : bool) (x X : Z) : bool := if right then (x <? X)%Z else (X <? x)%Z.
  Definition beside (right : bool) (x : Z) (lab : Z -> N) (amount : Z -> Qc) (X : Z) : Qc :=
    if on_side right x X && counted (lab X) then amount X else 0.
  Definition sum_beside (right : bool) (lo : Z) (m : nat) (x : Z) (lab : Z -> N) (amount : Z -> Qc) : Qc :=
    sum lo m (beside right x lab amount).

  Definition when (b : bool) (q : Qc) : Qc := if b then q else 0.

  (** The head's column is relabelled, its amount changes, and the head goes to a side. *)
  Lemma sum_beside_after right lo m x lab lab' amount amount' side :
    (-1 <= side <= 1)%Z -> (lo <= x < lo + Z.of_nat m)%Z ->
    (forall X, X <> x -> lab' X = lab X) -> (forall X, X <> x -> amount' X = amount X) ->
    (forall X, (X < lo \/ lo + Z.of_nat m <= X)%Z -> amount X = 0) ->
    sum_beside right (lo - 1) (S (S m)) (x + side) lab' amount' =
    sum_beside right lo m x lab amount
      + when (on_side right (x + side) x && counted (lab' x)) (amount' x)
      - when (on_side right x (x + side) && counted (lab' (x + side)%Z)) (amount' (x + side)%Z).
  Proof.
    intros Hs Hx Hl Ha H0. unfold sum_beside.
    assert (Hwide : sum (lo - 1) (S (S m)) (beside right x lab amount) = sum lo m (beside right x lab amount)).
    { rewrite sum_wider. unfold beside at 1 3. rewrite !H0 by lia. destruct (_ && _), (_ && _); ring. }
    rewrite <- Hwide. set (x' := (x + side)%Z).
    destruct (Z.eq_dec side 0) as [E|Ne].
    - assert (x' = x) by (unfold x'; lia). rewrite H.
      assert (Hno : on_side right x x = false) by (unfold on_side; destruct right; apply Z.ltb_irrefl).
      rewrite Hno. cbn [andb when].
      replace (_ + 0 - 0) with (sum (lo - 1) (S (S m)) (beside right x lab amount)) by ring.
      apply sum_same. intros X _. unfold beside. destruct (Z.eq_dec X x) as [->|N]; [rewrite Hno; reflexivity|].
      rewrite Hl, Ha by exact N. reflexivity.
    - set (moved := fun X => if (X =? x)%Z then when (on_side right x' x && counted (lab' x)) (amount' x)
                             else beside right x lab amount X).
      rewrite (sum_one_changed (S (S m)) moved (beside right x' lab' amount') x').
      2: unfold x'; lia.
      2: { intros X HX. unfold moved, beside, when. destruct (Z.eqb_spec X x) as [->|N]; [reflexivity|].
           rewrite Hl, Ha by exact N. replace (on_side right x' X) with (on_side right x X); [reflexivity|].
           unfold on_side, x' in *. destruct right.
           - destruct (Z.ltb_spec x X), (Z.ltb_spec (x + side) X); try reflexivity; lia.
           - destruct (Z.ltb_spec X x), (Z.ltb_spec X (x + side)); try reflexivity; lia. }
      rewrite (sum_one_changed (S (S m)) (beside right x lab amount) moved x).
      2: lia.
      2: { intros X HX. unfold moved. apply Z.eqb_neq in HX. rewrite HX. reflexivity. }
      assert (E1 : beside right x lab amount x = 0).
      { unfold beside, on_side. destruct right; rewrite Z.ltb_irrefl; reflexivity. }
      assert (E2 : beside right x' lab' amount' x' = 0).
      { unfold beside, on_side. destruct right; rewrite Z.ltb_irrefl; reflexivity. }
      assert (E3 : moved x' = when (on_side right x x' && counted (lab' x')) (amount' x')).
      { unfold moved. replace (x' =? x)%Z with false by (symmetry; apply Z.eqb_neq; unfold x'; lia).
        unfold beside, when. rewrite Hl, Ha by (unfold x'; lia). reflexivity. }
      assert (E4 : moved x = when (on_side right x' x && counted (lab' x)) (amount' x)).
      { unfold moved. rewrite Z.eqb_refl. reflexivity. }
      rewrite E1, E2, E3, E4. ring.
  Qed.
End Beside.
