(** Vectors of real numbers: lengths, distances, directions. *)
From Coq Require Import Reals List Lra.
From Gridlang Require Export Engines.
Import ListNotations.
Local Open Scope R_scope.

Lemma dot_self_nonneg a : 0 <= dot a a.
Proof. induction a; simpl; [lra | nra]. Qed.
Lemma norm_nonneg a : 0 <= norm a.
Proof. apply sqrt_pos. Qed.
Lemma norm_sq a : norm a * norm a = dot a a.
Proof. apply sqrt_sqrt, dot_self_nonneg. Qed.

Lemma sumsq a b : 0 <= a * a + b * b.
Proof. pose proof (Rle_0_sqr a). pose proof (Rle_0_sqr b). unfold Rsqr in *. lra. Qed.
Lemma cs2 a b A B : 0 <= A -> 0 <= B -> a * b + A * B <= sqrt (a * a + A * A) * sqrt (b * b + B * B).
Proof.
  intros HA HB. pose proof (sumsq a A) as Ha. pose proof (sumsq b B) as Hb. rewrite <- sqrt_mult by assumption.
  destruct (Rle_dec 0 (a * b + A * B)) as [H|H].
  - rewrite <- (sqrt_square (a * b + A * B)) by exact H. apply sqrt_le_1_alt.
    pose proof (Rle_0_sqr (a * B - b * A)). unfold Rsqr in *. lra.
  - pose proof (sqrt_pos ((a * a + A * A) * (b * b + B * B))). lra.
Qed.

(** Minkowski: [sub a c] is no longer than [sub a b] and [sub b c] together. *)
Lemma norm_triangle a : forall b c, length a = length b -> length b = length c ->
  norm (sub a c) <= norm (sub a b) + norm (sub b c).
Proof.
  induction a as [|x a IH]; intros [|y b] [|z c] H1 H2; simpl in *; try discriminate.
  - unfold norm. simpl. rewrite sqrt_0. lra.
  - injection H1 as H1. injection H2 as H2. specialize (IH b c H1 H2).
    assert (E : forall t v, norm (t :: v) = sqrt (t * t + norm v * norm v)) by (intros; rewrite norm_sq; reflexivity).
    rewrite !E.
    pose proof (norm_nonneg (sub a b)) as P. pose proof (norm_nonneg (sub b c)) as Q.
    pose proof (norm_nonneg (sub a c)) as W.
    set (A := norm (sub a b)) in *. set (B := norm (sub b c)) in *. set (C := norm (sub a c)) in *.
    set (u := x - y). set (v := y - z). replace (x - z) with (u + v) by (unfold u, v; ring).
    apply Rsqr_incr_0_var.
    2: { pose proof (sqrt_pos (u * u + A * A)). pose proof (sqrt_pos (v * v + B * B)). lra. }
    unfold Rsqr. rewrite sqrt_sqrt by apply sumsq.
    pose proof (cs2 u v A B P Q) as K.
    pose proof (sqrt_sqrt (u * u + A * A) (sumsq u A)) as S1. pose proof (sqrt_sqrt (v * v + B * B) (sumsq v B)) as S2.
    set (m := sqrt (u * u + A * A)) in *. set (k := sqrt (v * v + B * B)) in *.
    assert (C * C <= (A + B) * (A + B)) by nra. nra.
Qed.
Lemma norm_sub_sym a : forall b, norm (sub a b) = norm (sub b a).
Proof.
  intros b. unfold norm. f_equal. revert b. induction a; intros [|]; simpl; auto. rewrite IHa. ring.
Qed.
Lemma norm_scale s a : norm (scale s a) = Rabs s * norm a.
Proof.
  unfold norm. assert (E : dot (scale s a) (scale s a) = (s * s) * dot a a) by (induction a; simpl;
    [ring | rewrite IHa; ring]).
  rewrite E, sqrt_mult; [| apply Rle_0_sqr | apply dot_self_nonneg].
  f_equal. apply sqrt_Rsqr_abs.
Qed.
Lemma sub_scale s a : forall b, sub (scale s a) (scale s b) = scale s (sub a b).
Proof. induction a; intros [|]; simpl; auto. f_equal; [ring | apply IHa]. Qed.
Lemma sub_zero a : norm a = norm (sub a (map (fun _ => 0) a)).
Proof. unfold norm. f_equal. induction a; simpl; [reflexivity|]. rewrite IHa. ring. Qed.
Lemma norm_diff a b : length a = length b -> norm a <= norm b + norm (sub a b).
Proof.
  intros H. rewrite (sub_zero a), (sub_zero b).
  assert (Z : map (fun _ : R => 0) a = map (fun _ : R => 0) b).
  { revert b H. induction a; intros [|] H; simpl in *; try discriminate; auto. f_equal. apply IHa. congruence. }
  rewrite Z. pose proof (norm_triangle a b (map (fun _ => 0) b) H ltac:(rewrite map_length; reflexivity)). lra.
Qed.
Lemma scale_length s a : length (scale s a) = length a.
Proof. apply map_length. Qed.

(** The direction of a vector that is off by no more than e is off by no more than 2 e / (|v| - e). *)
Lemma scale_diff s t a : sub (scale s a) (scale t a) = scale (s - t) a.
Proof. induction a; simpl; auto. f_equal; [ring | apply IHa]. Qed.
Lemma direction_off v v' e : length v = length v' -> norm (sub v' v) <= e -> e < norm v ->
  norm (sub (unit_of v') (unit_of v)) <= 2 * e / (norm v - e).
Proof.
  intros Hl He Hv. pose proof (norm_nonneg (sub v' v)) as P.
  assert (H1 : norm v <= norm v' + e).
  { pose proof (norm_diff v v' Hl). rewrite norm_sub_sym in H. lra. }
  assert (H2 : norm v' <= norm v + e) by (pose proof (norm_diff v' v (eq_sym Hl)); lra).
  assert (Pv : 0 < norm v) by lra. assert (Pv' : 0 < norm v') by lra.
  pose proof (norm_triangle (unit_of v') (scale (/ norm v') v) (unit_of v)
     ltac:(unfold unit_of; rewrite !scale_length; auto) ltac:(unfold unit_of; rewrite !scale_length; auto)) as T.
  unfold unit_of in *. rewrite sub_scale, scale_diff, !norm_scale in T.
  assert (I' : 0 < / norm v') by (apply Rinv_0_lt_compat; exact Pv').
  rewrite (Rabs_pos_eq (/ norm v')) in T by lra.
  assert (A1 : / norm v' * norm (sub v' v) <= e / (norm v - e)).
  { apply Rle_trans with (/ norm v' * e); [nra|]. unfold Rdiv. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (A2 : Rabs (/ norm v' - / norm v) * norm v <= e / (norm v - e)).
  { assert (E : / norm v' - / norm v = (norm v - norm v') * / norm v' * / norm v) by (field; lra).
    rewrite E, !Rabs_mult, (Rabs_pos_eq (/ norm v')), (Rabs_pos_eq (/ norm v)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
    replace (Rabs (norm v - norm v') * / norm v' * / norm v * norm v) with (Rabs (norm v - norm v') * / norm v') by
      (field; lra).
    apply Rle_trans with (e * / norm v').
    - apply Rmult_le_compat_r; [lra|]. apply Rabs_le. lra.
    - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  replace (2 * e / (norm v - e)) with (e / (norm v - e) + e / (norm v - e)) by (unfold Rdiv; ring). lra.
Qed.

Lemma abs_le a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs. destruct (Rcase_abs a); lra. Qed.

Lemma dot_sub a : forall b, length a = length b ->
  dot (sub a b) (sub a b) = dot a a - 2 * dot a b + dot b b.
Proof. induction a as [|x a IH]; intros [|y b] H; simpl in *; try discriminate; [ring|]. rewrite IH by congruence. ring.
Qed.
