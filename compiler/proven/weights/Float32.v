(** Sums of products in float32, in any order, fused or not, flushed or not, are [product]s of Engines.v. *)
From Coq Require Import Reals ZArith List Permutation Lra Lia.
From Flocq Require Import Core Relative.
From Gridlang Require Import Statement Vectors Engines Weights.
Import ListNotations.
Local Open Scope R_scope.

Definition u : R := / IZR (2 ^ 24).              (* half of the last place of 1 *)
Definition tiny : R := / IZR (2 ^ 126).          (* the least normal number *)

(** float32 has 24 digits, and 2^-149 is its least number. Ties are broken in any way. *)
Definition nearest_float (ties : Z -> bool) (x : R) : R := round radix2 (FLT_exp (-149) 24) (Znearest ties) x.

(** What an operation gives whose exact result is x: the nearest float; zero, perhaps, below the normal numbers. *)
Definition rounds (x r : R) : Prop := (exists ties, r = nearest_float ties x) \/ (Rabs x < tiny /\ r = 0).
(** What it reads: numbers below the normal ones may be taken for zero. *)
Definition taken_for (x r : R) : Prop := r = x \/ (Rabs x < tiny /\ r = 0).

(** All ways to sum products: any tree of additions, in any order, with fused operations or without. *)
Inductive sums_to : list (R * R) -> R -> Prop :=
| one x y x' y' r : taken_for x x' -> taken_for y y' -> rounds (x' * y') r -> sums_to [(x, y)] r
| both l m a b r : sums_to l a -> sums_to m b -> rounds (a + b) r -> sums_to (l ++ m) r
| fused x y x' y' l a r :
    taken_for x x' -> taken_for y y' -> sums_to l a -> rounds (x' * y' + a) r -> sums_to ((x, y) :: l) r
| reordered l m r : Permutation l m -> sums_to l r -> sums_to m r.

(** * One operation *)
Lemma u_pos : 0 < u.
Proof. apply Rinv_0_lt_compat, IZR_lt. reflexivity. Qed.
Lemma tiny_pos : 0 < tiny.
Proof. apply Rinv_0_lt_compat, IZR_lt. reflexivity. Qed.

Lemma nearest_error ties x : Rabs (nearest_float ties x - x) <= u * Rabs x + tiny.
Proof.
  destruct (error_N_FLT radix2 (-149) 24 ltac:(lia) ties x) as (e & h & He & Hh & _ & Er).
  unfold nearest_float. rewrite Er. replace (x * (1 + e) + h - x) with (x * e + h) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, Rmult_comm. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|]. eapply Rle_trans; [exact He|]. unfold u_ro, u. simpl bpow. lra.
  - eapply Rle_trans; [exact Hh|]. unfold tiny. simpl bpow. lra.
Qed.
Lemma rounds_error x r : rounds x r -> Rabs (r - x) <= u * Rabs x + tiny.
Proof.
  intros [[ties ->]|[Hx ->]]; [apply nearest_error|]. rewrite Rminus_0_l, Rabs_Ropp.
  pose proof (Rmult_le_pos u (Rabs x) (Rlt_le _ _ u_pos) (Rabs_pos x)). lra.
Qed.

(** What is read is off by little, and no larger. *)
Lemma taken_product m x y x' y' : taken_for x x' -> taken_for y y' -> Rabs x <= m -> Rabs y <= m ->
  Rabs (x' * y' - x * y) <= tiny * m /\ Rabs (x' * y') <= Rabs (x * y).
Proof.
  intros Hx Hy Mx My. pose proof tiny_pos as Ht. pose proof (Rabs_pos x) as Px. pose proof (Rabs_pos y) as Py.
  assert (Z : forall a b, Rabs a < tiny -> Rabs b <= m -> Rabs (a * b) <= tiny * m).
  { intros a b Ha Hb. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; lra. }
  assert (Off : forall a b, a * b = 0 -> Rabs (x * y) <= tiny * m -> Rabs (a * b - x * y) <= tiny * m /\
    Rabs (a * b) <= Rabs (x * y)).
  { intros a b -> H. rewrite Rminus_0_l, Rabs_Ropp, Rabs_R0. split; [exact H | apply Rabs_pos]. }
  destruct Hx as [->|[Tx ->]], Hy as [->|[Ty ->]].
  - rewrite Rminus_eq_0, Rabs_R0. split; [apply Rmult_le_pos; lra | lra].
  - apply Off; [ring|]. rewrite Rmult_comm. apply Z; assumption.
  - apply Off; [ring|]. apply Z; assumption.
  - apply Off; [ring|]. apply Z; assumption.
Qed.

(** * Sums *)
Definition exact (l : list (R * R)) : R := fold_right (fun p s => fst p * snd p + s) 0 l.
Definition absolute (l : list (R * R)) : R := fold_right (fun p s => Rabs (fst p * snd p) + s) 0 l.
Definition modest (m : R) (l : list (R * R)) : Prop := Forall (fun p => Rabs (fst p) <= m /\ Rabs (snd p) <= m) l.

Lemma exact_app l m : exact (l ++ m) = exact l + exact m.
Proof. induction l as [|p l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma absolute_app l m : absolute (l ++ m) = absolute l + absolute m.
Proof. induction l as [|p l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma exact_permutation l m : Permutation l m -> exact l = exact m /\ absolute l = absolute m.
Proof. induction 1 as [| ? ? ? ? [? ?] | | ? ? ? ? [? ?] ? [? ?]]; simpl; split; lra. Qed.
Lemma exact_absolute l : Rabs (exact l) <= absolute l.
Proof.
  induction l as [|p l IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Definition grown (n : nat) : R := (1 + u) ^ n.
Lemma grown_ge_1 n : 1 <= grown n.
Proof. apply pow_R1_Rle. pose proof u_pos. lra. Qed.
Lemma grown_more a b : (a <= b)%nat -> grown a <= grown b.
Proof. intros H. apply Rle_pow; [pose proof u_pos; lra | exact H]. Qed.

(** How far a sum of n products may be off: by rounding, and by underflow. *)
Definition off (n : nat) (m absolute : R) : R :=
  (grown n - 1) * absolute + ((2 + m) * INR n - 1) * grown n * tiny.

Lemma both_off a b m x y : (0 < a)%nat -> (0 < b)%nat -> 0 <= m -> 0 <= x -> 0 <= y ->
  (1 + u) * (off a m x + off b m y) + u * (x + y) + tiny <= off (a + b) m (x + y).
Proof.
  intros Ha Hb Hm Hx Hy. pose proof u_pos as Hu. pose proof tiny_pos as Ht.
  assert (G : forall k, (0 < k)%nat -> (0 < a + b - k)%nat -> (1 + u) * grown k <= grown (a + b)).
  { intros k _ Hk. change ((1 + u) * grown k) with (grown (S k)). apply grown_more. lia. }
  pose proof (G a Ha ltac:(lia)) as Ga. pose proof (G b Hb ltac:(lia)) as Gb. pose proof (grown_ge_1 (a + b)) as G1.
  assert (Ia : 1 <= INR a) by (apply (le_INR 1); lia). assert (Ib : 1 <= INR b) by (apply (le_INR 1); lia).
  unfold off. rewrite plus_INR. set (P := grown (a + b)) in *. set (p := grown a) in *. set (q := grown b) in *.
  assert (X : (1 + u) * ((p - 1) * x) + u * x <= (P - 1) * x).
  { replace ((1 + u) * ((p - 1) * x) + u * x) with (((1 + u) * p - 1) * x) by ring. apply Rmult_le_compat_r; lra. }
  assert (Y : (1 + u) * ((q - 1) * y) + u * y <= (P - 1) * y).
  { replace ((1 + u) * ((q - 1) * y) + u * y) with (((1 + u) * q - 1) * y) by ring. apply Rmult_le_compat_r; lra. }
  assert (Ma : 1 <= (2 + m) * INR a) by (pose proof (Rmult_le_compat 1 (2 + m) 1 (INR a)); lra).
  assert (Mb : 1 <= (2 + m) * INR b) by (pose proof (Rmult_le_compat 1 (2 + m) 1 (INR b)); lra).
  set (ma := (2 + m) * INR a) in *. set (mb := (2 + m) * INR b) in *.
  replace ((2 + m) * (INR a + INR b)) with (ma + mb) by (unfold ma, mb; ring).
  assert (A : (1 + u) * ((ma - 1) * p * tiny) <= (ma - 1) * P * tiny).
  { replace ((1 + u) * ((ma - 1) * p * tiny)) with ((ma - 1) * ((1 + u) * p) * tiny) by ring.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  assert (B : (1 + u) * ((mb - 1) * q * tiny) <= (mb - 1) * P * tiny).
  { replace ((1 + u) * ((mb - 1) * q * tiny)) with ((mb - 1) * ((1 + u) * q) * tiny) by ring.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  assert (C : tiny <= P * tiny) by (pose proof (Rmult_le_compat_r tiny 1 P); lra). lra.
Qed.
Lemma one_off m x : 0 <= m -> u * x + tiny * m + tiny <= off 1 m x.
Proof.
  intros Hm. pose proof u_pos as Hu. pose proof tiny_pos as Ht. unfold off, grown. simpl.
  assert (0 <= (1 + m) * u * tiny) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Lemma off_split a x e s : Rabs (a - s) <= e -> Rabs s <= x -> Rabs a <= x + e.
Proof.
  intros H Hs. replace a with (a - s + s) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Theorem sums_off m l r : sums_to l r -> 0 <= m -> modest m l ->
  (0 < length l)%nat /\ Rabs (r - exact l) <= off (length l) m (absolute l).
Proof.
  intros H Hm. pose proof u_pos as Hu. pose proof tiny_pos as Ht.
  induction H as [x y x' y' r Hx Hy Hr | l k a b r _ IHl _ IHk Hr | x y x' y' l a r Hx Hy _ IH Hr | l k r Hp _ IH];
    intros Hmod.
  - split; [simpl; lia|]. inversion Hmod as [|? ? [Mx My] _]; subst. cbn [fst snd] in *.
    destruct (taken_product m x y x' y' Hx Hy Mx My) as [T1 T2]. apply rounds_error in Hr.
    eapply Rle_trans; [|apply one_off; exact Hm]. simpl. rewrite !Rplus_0_r.
    replace (r - x * y) with (r - x' * y' + (x' * y' - x * y)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (u * Rabs (x' * y') <= u * Rabs (x * y)) by (apply Rmult_le_compat_l; lra). lra.
  - apply Forall_app in Hmod as [Ml Mk]. destruct (IHl Ml) as [Ll El]. destruct (IHk Mk) as [Lk Ek].
    rewrite app_length, exact_app, absolute_app. split; [lia|]. apply rounds_error in Hr.
    pose proof (exact_absolute l) as Al. pose proof (exact_absolute k) as Ak.
    pose proof (Rabs_pos (exact l)). pose proof (Rabs_pos (exact k)).
    eapply Rle_trans; [|apply both_off; lia || lra].
    set (ea := off (length l) m (absolute l)) in *. set (eb := off (length k) m (absolute k)) in *.
    pose proof (off_split _ _ _ _ El Al) as Ba. pose proof (off_split _ _ _ _ Ek Ak) as Bb.
    replace (r - (exact l + exact k)) with (r - (a + b) + ((a - exact l) + (b - exact k))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (a - exact l) (b - exact k)).
    pose proof (Rabs_triang a b).
    assert (u * Rabs (a + b) <= u * (absolute l + ea + (absolute k + eb))) by (apply Rmult_le_compat_l; lra). lra.
  - inversion Hmod as [|? ? [Mx My] Ml]; subst. cbn [fst snd] in *. destruct (IH Ml) as [Ll El].
    split; [simpl; lia|]. destruct (taken_product m x y x' y' Hx Hy Mx My) as [T1 T2]. apply rounds_error in Hr.
    pose proof (exact_absolute l) as Al. pose proof (Rabs_pos (exact l)). pose proof (Rabs_pos (x * y)) as Pxy.
    change (length ((x, y) :: l)) with (1 + length l)%nat.
    change (absolute ((x, y) :: l)) with (Rabs (x * y) + absolute l).
    change (exact ((x, y) :: l)) with (x * y + exact l).
    eapply Rle_trans; [|apply both_off; lia || lra]. pose proof (one_off m (Rabs (x * y)) Hm) as O1.
    set (ea := off (length l) m (absolute l)) in *. set (e1 := off 1 m (Rabs (x * y))) in *.
    pose proof (off_split _ _ _ _ El Al) as Ba. pose proof (Rabs_triang (x' * y') a).
    replace (r - (x * y + exact l)) with (r - (x' * y' + a) + ((x' * y' - x * y) + (a - exact l))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (x' * y' - x * y) (a - exact l)).
    assert (u * Rabs (x' * y' + a) <= u * (Rabs (x * y) + (absolute l + ea))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * Rabs (x * y)) by (apply Rmult_le_pos; lra).
    assert (0 <= u * e1) by (apply Rmult_le_pos; [lra|]; unfold e1 in *;
      assert (0 <= tiny * m) by (apply Rmult_le_pos; lra); lra).
    lra.
  - destruct (exact_permutation _ _ Hp) as [<- <-]. rewrite <- (Permutation_length Hp). apply IH.
    unfold modest in *. rewrite Forall_forall in *. intros p Hin. apply Hmod. eapply Permutation_in; eauto.
Qed.

(** * The error that Engines.v allows *)
Lemma grown_gamma n : INR n * u < 1 -> grown n * (1 - INR n * u) <= 1.
Proof.
  induction n as [|n IH]; intros H; [unfold grown; simpl; lra|]. pose proof u_pos as Hu. pose proof (pos_INR n) as Pn.
  rewrite S_INR in *. assert (Hn : INR n * u < 1) by lra. specialize (IH Hn). pose proof (grown_ge_1 n).
  change (grown (S n)) with ((1 + u) * grown n).
  replace ((1 + u) * grown n * (1 - (INR n + 1) * u)) with
    (grown n * (1 - INR n * u) - grown n * ((INR n + 1) * (u * u))) by ring.
  assert (0 <= grown n * ((INR n + 1) * (u * u))) by (repeat apply Rmult_le_pos; lra). lra.
Qed.
Lemma grown_2 n : (Z.of_nat n < 2 ^ 23)%Z -> grown n <= 2.
Proof.
  intros H. assert (Hn : INR n * u <= / 2).
  { rewrite INR_IZR_INZ. unfold u. apply Rmult_le_reg_r with (IZR (2 ^ 24)); [apply IZR_lt; lia|].
    rewrite Rmult_assoc, Rinv_l by (apply not_0_IZR; lia). rewrite Rmult_1_r.
    change (2 ^ 24)%Z with (2 * 2 ^ 23)%Z. rewrite mult_IZR. apply IZR_lt in H. lra. }
  pose proof (grown_gamma n ltac:(lra)) as G. pose proof (grown_ge_1 n).
  assert (grown n * / 2 <= grown n * (1 - INR n * u)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma gamma_bound n : (0 < Z.of_nat n < 2 ^ 23)%Z -> grown n - 1 <= IZR (Z.of_nat n) / IZR (2 ^ 24 - Z.of_nat n).
Proof.
  intros H. assert (P : 0 < IZR (2 ^ 24 - Z.of_nat n)) by (apply IZR_lt; lia). rewrite minus_IZR in *.
  set (N := IZR (Z.of_nat n)) in *.
  assert (E : INR n * u = N / IZR (2 ^ 24)) by (unfold N, u; rewrite INR_IZR_INZ; reflexivity).
  assert (B : 0 < IZR (2 ^ 24)) by (apply IZR_lt; lia).
  assert (L : INR n * u < 1).
  { rewrite E. apply Rmult_lt_reg_r with (IZR (2 ^ 24)); [exact B|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (grown_gamma n L) as G. rewrite E in G.
  apply Rmult_le_reg_r with (IZR (2 ^ 24) - N); [exact P|].
  replace (N / (IZR (2 ^ 24) - N) * (IZR (2 ^ 24) - N)) with N by (field; lra).
  replace (grown n * (1 - N / IZR (2 ^ 24))) with (grown n * (IZR (2 ^ 24) - N) / IZR (2 ^ 24)) in G by (field; lra).
  apply (Rmult_le_compat_r (IZR (2 ^ 24))) in G; [|lra]. unfold Rdiv in G. rewrite Rmult_assoc, Rinv_l in G by lra. lra.
Qed.
Lemma little_bound n m : 0 <= m -> (0 < Z.of_nat n < 2 ^ 23)%Z ->
  ((2 + m) * INR n - 1) * grown n * tiny <= 4 * IZR (Z.of_nat n) * (1 + m) / IZR (2 ^ 126).
Proof.
  intros Hm Hn. pose proof (grown_2 n ltac:(lia)) as G. pose proof (grown_ge_1 n). pose proof tiny_pos.
  unfold Rdiv. fold tiny. rewrite <- INR_IZR_INZ. apply Rmult_le_compat_r; [lra|].
  assert (I : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (K : 0 <= (2 + m) * INR n - 1) by (pose proof (Rmult_le_compat 1 (2 + m) 1 (INR n)); lra).
  apply Rle_trans with (((2 + m) * INR n - 1) * 2); [apply Rmult_le_compat_l; assumption|].
  assert (0 <= m * INR n) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma exact_combine a : forall b, length a = length b -> exact (combine a b) = dot a b /\
  absolute (combine a b) = absdot a b.
Proof.
  unfold absdot. induction a as [|x a IH]; intros [|y b] H; simpl in *; try discriminate; [auto|].
  destruct (IH b ltac:(congruence)) as [-> ->]. rewrite Rabs_mult. auto.
Qed.

(** A row times a vector, as float32 may sum it. *)
Definition float32 (row h : list R) (out : R) : Prop := sums_to (combine row h) out.

Theorem float32_product W row h out : (0 < dimensions W < 2 ^ 23)%Z ->
  Z.of_nat (length row) = dimensions W -> length h = length row ->
  let m := IZR (largest_weight W) / IZR (denominator W) in
  0 <= m -> modest m (combine row h) -> float32 row h out -> product W row h out.
Proof.
  intros Hd Hr Hh m Hm Hmod H. destruct (sums_off m _ _ H Hm Hmod) as [_ K].
  rewrite combine_length, Hh, Nat.min_id in K.
  destruct (exact_combine row h (eq_sym Hh)) as [E1 E2]. rewrite E1, E2 in K. unfold product.
  eapply Rle_trans; [exact K|].
  unfold off, rounding, underflow. fold m. rewrite <- Hr in *. apply Rplus_le_compat; [|apply little_bound; assumption].
  apply Rmult_le_compat_r; [rewrite <- E2; pose proof (exact_absolute (combine row h));
    pose proof (Rabs_pos (exact (combine row h))); lra|].
  apply gamma_bound. exact Hd.
Qed.

(** No sum on the way leaves the range of float32, which ends near 2^128. *)
Theorem sums_small m l r : sums_to l r -> 0 <= m -> m <= IZR (2 ^ 50) -> modest m l ->
  (Z.of_nat (length l) < 2 ^ 23)%Z ->
  Rabs r < IZR (2 ^ 127).
Proof.
  intros H Hm Hm2 Hmod Hn. destruct (sums_off m l r H Hm Hmod) as [Hl K].
  pose proof (off_split _ _ _ _ K (exact_absolute l)) as B. eapply Rle_lt_trans; [exact B|]. clear - Hm Hm2 Hmod Hn Hl.
  assert (A : absolute l <= INR (length l) * (m * m)).
  { clear Hn Hl. induction l as [|p l IH]; [simpl; lra|]. inversion Hmod as [|? ? [H1 H2] Ml]; subst.
    specialize (IH Ml).
    change (length (p :: l)) with (S (length l)). rewrite S_INR. simpl. rewrite Rabs_mult.
    assert (Rabs (fst p) * Rabs (snd p) <= m * m) by (apply Rmult_le_compat; try apply Rabs_pos; assumption). lra. }
  assert (A0 : 0 <= absolute l) by (pose proof (exact_absolute l); pose proof (Rabs_pos (exact l)); lra).
  pose proof (grown_2 _ Hn) as G. pose proof (grown_ge_1 (length l)) as G1.
  pose proof (little_bound (length l) m Hm ltac:(lia)) as U. unfold off.
  assert (N : INR (length l) <= IZR (2 ^ 23)) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
  pose proof (pos_INR (length l)) as N0.
  assert (M : m * m <= IZR (2 ^ 100)).
  { change (2 ^ 100)%Z with (2 ^ 50 * 2 ^ 50)%Z. rewrite mult_IZR. apply Rmult_le_compat; lra. }
  assert (Q : INR (length l) * (m * m) <= IZR (2 ^ 123)).
  { change (2 ^ 123)%Z with (2 ^ 23 * 2 ^ 100)%Z. rewrite mult_IZR. apply Rmult_le_compat; try assumption.
    apply Rmult_le_pos; lra. }
  assert (R1 : (grown (length l) - 1) * absolute l <= 1 * absolute l) by (apply Rmult_le_compat_r; lra).
  assert (V : 4 * IZR (Z.of_nat (length l)) * (1 + m) / IZR (2 ^ 126) <= IZR (2 ^ 123)).
  { apply Rmult_le_reg_r with (IZR (2 ^ 126)); [apply IZR_lt; lia|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by (apply not_0_IZR; lia).
    rewrite Rmult_1_r, <- INR_IZR_INZ. apply Rle_trans with (4 * IZR (2 ^ 23) * (1 + IZR (2 ^ 50))).
    - apply Rmult_le_compat; try lra.
    - rewrite <- plus_IZR, <- !mult_IZR. apply IZR_le. lia. }
  apply Rle_lt_trans with (3 * IZR (2 ^ 123)); [lra|]. rewrite <- mult_IZR. apply IZR_lt. lia.
Qed.
