(** Sums of products, and distances of directions, in whole numbers. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From Gridlang Require Import Statement Vectors.
Import ListNotations.
Local Open Scope R_scope.

Definition vec (s : R) (a : list Z) : list R := map (fun z => IZR z * s) a.
Fixpoint dotZ (a b : list Z) : Z := match a, b with x :: a, y :: b => (x * y + dotZ a b)%Z | _, _ => 0%Z end.
Definition absdotZ (a b : list Z) : Z := dotZ (map Z.abs a) (map Z.abs b).
(** The sum of the products, and of their absolute values, in one pass. *)
Fixpoint sums (a b : list Z) (s t : Z) : Z * Z :=
  match a, b with
  | x :: a, y :: b => let p := (x * y)%Z in sums a b (s + p)%Z (t + Z.abs p)%Z
  | _, _ => (s, t)
  end.
Definition move_is_stay (m : move) : bool := match m with MS => true | _ => false end.

Lemma sums_spec a : forall b s t, sums a b s t = ((s + dotZ a b)%Z, (t + absdotZ a b)%Z).
Proof.
  unfold absdotZ. induction a as [|x a IH]; intros [|y b] s t; cbn [sums dotZ map];
    try (rewrite !Z.add_0_r; reflexivity).
  rewrite IH, Z.abs_mul. f_equal; ring.
Qed.
Lemma dotZ_self a : (0 <= dotZ a a)%Z.
Proof. induction a as [|x a IH]; simpl; [lia | pose proof (Z.square_nonneg x); lia]. Qed.
Lemma absdotZ_nonneg a : forall b, (0 <= absdotZ a b)%Z.
Proof.
  unfold absdotZ. induction a as [|x a IH]; intros [|y b]; cbn [map dotZ]; try lia.
  specialize (IH b). pose proof (Z.mul_nonneg_nonneg _ _ (Z.abs_nonneg x) (Z.abs_nonneg y)). lia.
Qed.
Lemma dot_vec s t a : forall b, dot (vec s a) (vec t b) = IZR (dotZ a b) * (s * t).
Proof. induction a as [|x a IH]; intros [|y b]; simpl; try ring. rewrite IH, plus_IZR, mult_IZR. ring. Qed.
Lemma absdot_vec s a b : 0 <= s -> absdot (vec s a) (vec s b) = IZR (absdotZ a b) * (s * s).
Proof.
  intros Hs. unfold absdot, absdotZ. rewrite <- dot_vec. f_equal; unfold vec; rewrite !map_map; apply map_ext;
    intros z; rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq s Hs); reflexivity.
Qed.
Lemma scale_vec a b V : scale a (vec b V) = vec (a * b) V.
Proof. unfold scale, vec. rewrite map_map. apply map_ext. intros. ring. Qed.
Lemma vec_length a V : length (vec a V) = length V.
Proof. apply map_length. Qed.
Lemma sub_self a : sub a a = map (fun _ => 0) a.
Proof. induction a as [|x a IH]; simpl; [reflexivity|]. rewrite IH. f_equal. ring. Qed.
Lemma norm_zeros (a : list R) : norm (map (fun _ => 0) a) = 0.
Proof.
  unfold norm. replace (dot _ _) with 0; [apply sqrt_0|]. induction a as [|x a IH]; simpl; [reflexivity | lra].
Qed.

(** * The check *)
Definition T : Z := 2 ^ 40.                      (* distances are over this *)

Section Direction.
  Variables (G S D V_X : Z) (V : list Z).
  (** The squared distance of a direction to a centre [c], times S² T² and a length of V. *)
  Definition squared (length vc cc : Z) : Z := ((S * S + cc) * length * T * T - 2 * vc * S * T * T)%Z.
  (** Whether it is farther from a centre than [far]: [own], whose distance is at most [near], is far enough from that
      centre, as is
      known once for all vectors, or the vector itself is. Of a centre we know its square and its product with [own]. *)
  Definition far_ok (lo far near oo : Z) (b : list Z * Z * Z) : bool :=
    let '(c, cc, oc) := b in
    Nat.eqb (length c) (length V) &&
    (if ((far + near) * (far + near) * S * S <=? (oo + cc - 2 * oc) * T * T)%Z then true
     else (far * far * S * S * lo <=? squared lo (Z.max 0 (dotZ V c)) cc)%Z).
End Direction.

(** Whether a vector that is off [V] by no more than [X] / [G] is surely nearest to [own], and within reach. *)
Definition direction_ok (G S D : Z) (V : list Z) (X : Z) (own : list Z * Z) (others : list (list Z * Z * Z))
  (reach U : Z) : bool :=
  let VV := dotZ V V in
  let lo := Z.sqrt VV in
  let hi := (lo + 1)%Z in
  let measured := (D * 2 ^ 17)%Z in
  let delta := (2 * X * T / (G * lo - X) + 1 + measured)%Z in
  let VC := dotZ V (fst own) in
  let near := (Z.sqrt (squared S hi VC (snd own) / (S * S * hi)) + 1)%Z in
  let far := (near + 2 * delta + 1)%Z in
  ((0 <? lo) && (0 <=? X) && (X <? G * lo) && (0 <=? VC) && (0 <=? delta))%Z && Nat.eqb (length (fst own)) (length V) &&
  ((near + delta) * U <=? reach * T)%Z && forallb (far_ok S V lo far near (snd own)) others.

(** * Its meaning *)
Section Reals.
  Variables S T0 : R.
  Hypothesis HS : 0 < S.
  Hypothesis HT : 0 < T0.

  Definition distance2 (V C r : R) : R := 1 - 2 * (V * (/ r * / S)) + C * (/ S * / S).

  Lemma distance2_scaled V C r : 0 < r ->
    distance2 V C r * (S * S * r * T0 * T0) = (S * S + C) * r * T0 * T0 - 2 * V * S * T0 * T0.
  Proof. intros Hr. unfold distance2. field. lra. Qed.
  Lemma distance2_mono V C a b : 0 <= V -> 0 < a -> a <= b -> distance2 V C a <= distance2 V C b.
  Proof.
    intros HV Ha Hab. unfold distance2. assert (I : / b <= / a) by (apply Rinv_le_contravar; assumption).
    assert (IS : 0 < / S) by (apply Rinv_0_lt_compat; assumption).
    assert (V * (/ b * / S) <= V * (/ a * / S)) by (apply Rmult_le_compat_l; [assumption|apply Rmult_le_compat_r; lra]).
    lra.
  Qed.
  Lemma near_R C h V n r : 0 < r -> r <= h -> 0 <= V ->
    (S * S + C) * h * T0 * T0 - 2 * V * S * T0 * T0 <= n * n * S * S * h -> distance2 V C r <= n / T0 * (n / T0).
  Proof.
    intros Hr Hrh HV H. assert (Hh : 0 < h) by lra. eapply Rle_trans; [apply (distance2_mono V C r h); assumption|].
    apply Rmult_le_reg_r with (S * S * h * T0 * T0); [repeat apply Rmult_lt_0_compat; assumption|].
    rewrite distance2_scaled by assumption.
    replace (n / T0 * (n / T0) * (S * S * h * T0 * T0)) with (n * n * S * S * h) by (field; lra). exact H.
  Qed.
  Lemma far_R C l V V0 n r : 0 < l -> l <= r -> 0 <= V0 -> V <= V0 ->
    n * n * S * S * l <= (S * S + C) * l * T0 * T0 - 2 * V0 * S * T0 * T0 -> n / T0 * (n / T0) <= distance2 V C r.
  Proof.
    intros Hl Hlr HV0 HV H. assert (Hr : 0 < r) by lra.
    apply Rle_trans with (distance2 V0 C r).
    - eapply Rle_trans; [|apply (distance2_mono V0 C l r); assumption].
      apply Rmult_le_reg_r with (S * S * l * T0 * T0); [repeat apply Rmult_lt_0_compat; assumption|].
      rewrite distance2_scaled by assumption.
      replace (n / T0 * (n / T0) * (S * S * l * T0 * T0)) with (n * n * S * S * l) by (field; lra). exact H.
    - unfold distance2. assert (IS : 0 < / S) by (apply Rinv_0_lt_compat; assumption).
      assert (Ir : 0 < / r) by (apply Rinv_0_lt_compat; assumption).
      assert (V * (/ r * / S) <= V0 * (/ r * / S)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | assumption]).
      lra.
  Qed.
  (** How far a direction can be off. *)
  Lemma delta_R X G l r dl t : 0 < G -> 0 < t -> 0 <= X -> X < G * l -> l <= r -> 2 * X * T0 <= dl * (G * l - X) ->
    2 * (t / G * X) / (t * r - t / G * X) <= dl / T0.
  Proof.
    intros HG Ht HX Hl Hlr H. assert (P : 0 < G * l - X) by lra.
    assert (P' : G * l - X <= G * r - X) by (apply Rplus_le_compat_r, Rmult_le_compat_l; lra).
    replace (2 * (t / G * X) / (t * r - t / G * X)) with (2 * X * / (G * r - X)).
    2: { assert (t * (G * r - X) <> 0) by (apply Rmult_integral_contrapositive; lra).
         field. repeat split; try lra. all: intro Z; apply H0; lra. }
    apply Rle_trans with (2 * X * / (G * l - X)).
    - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    - apply Rmult_le_reg_r with ((G * l - X) * T0); [apply Rmult_lt_0_compat; assumption|].
      replace (2 * X * / (G * l - X) * ((G * l - X) * T0)) with (2 * X * T0) by (field; lra).
      replace (dl / T0 * ((G * l - X) * T0)) with (dl * (G * l - X)) by (field; lra). exact H.
  Qed.
End Reals.

Lemma root_le a b : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros Hb H. apply Rsqr_incr_0_var; assumption. Qed.
Lemma div_above a b : (0 < b)%Z -> (a <= (a / b + 1) * b)%Z.
Proof. intros Hb. pose proof (Z.div_mod a b ltac:(lia)). pose proof (Z.mod_pos_bound a b Hb). lia. Qed.
Lemma sqrt_above a : (a < (Z.sqrt a + 1) * (Z.sqrt a + 1))%Z.
Proof.
  destruct (Z.le_gt_cases 0 a) as [H|H]; [rewrite Z.add_1_r; exact (proj2 (Z.sqrt_spec a H))|].
  rewrite Z.sqrt_neg by assumption. lia.
Qed.
Lemma root_of_quotient a b : (0 < b)%Z -> (a <= (Z.sqrt (a / b) + 1) * (Z.sqrt (a / b) + 1) * b)%Z.
Proof.
  intros Hb. pose proof (div_above a b Hb). pose proof (sqrt_above (a / b)).
  apply Z.le_trans with ((a / b + 1) * b)%Z; [assumption|]. apply Z.mul_le_mono_nonneg_r; lia.
Qed.

Lemma squared_R S l vc cc : IZR (squared S l vc cc) =
  (IZR S * IZR S + IZR cc) * IZR l * IZR T * IZR T - 2 * IZR vc * IZR S * IZR T * IZR T.
Proof. unfold squared. rewrite minus_IZR, !mult_IZR, plus_IZR, mult_IZR. reflexivity. Qed.

Section Sound.
  Variables (S : Z) (V : list Z) (t : R).
  Hypothesis S_pos : (0 < S)%Z.
  Hypothesis t_pos : 0 < t.
  Let r := sqrt (IZR (dotZ V V)).
  Hypothesis r_pos : 0 < r.

  Lemma r_squared : r * r = IZR (dotZ V V).
  Proof. apply sqrt_sqrt, (IZR_le 0), dotZ_self. Qed.
  Lemma length_vec : norm (vec t V) = t * r.
  Proof.
    unfold norm. rewrite dot_vec, <- r_squared. replace (r * r * (t * t)) with ((t * r) * (t * r)) by ring.
    apply sqrt_square. apply Rmult_le_pos; lra.
  Qed.
  Lemma unit_vec : unit_of (vec t V) = vec (/ r) V.
  Proof. unfold unit_of. rewrite length_vec, scale_vec. f_equal. field. lra. Qed.
  Lemma distance_of c : length c = length V ->
    norm (sub (unit_of (vec t V)) (vec (/ IZR S) c)) * norm (sub (unit_of (vec t V)) (vec (/ IZR S) c)) =
    distance2 (IZR S) (IZR (dotZ V c)) (IZR (dotZ c c)) r.
  Proof.
    intros Hc. rewrite norm_sq, unit_vec, dot_sub by (rewrite !vec_length; congruence). rewrite !dot_vec, <- r_squared.
    unfold distance2. assert (IZR S <> 0) by (apply not_0_IZR; lia). field. split; lra || assumption.
  Qed.

  Lemma near_sound hi c near : r <= IZR hi -> (0 <= dotZ V c)%Z -> (0 <= near)%Z -> length c = length V ->
    (squared S hi (dotZ V c) (dotZ c c) <= near * near * (S * S * hi))%Z ->
    norm (sub (unit_of (vec t V)) (vec (/ IZR S) c)) <= IZR near / IZR T.
  Proof.
    intros Hhi HV Hn Hl H. assert (HT : 0 < IZR T) by (apply IZR_lt; reflexivity).
    apply root_le; [apply Rmult_le_pos; [apply (IZR_le 0); assumption | apply Rlt_le, Rinv_0_lt_compat; assumption]|].
    rewrite distance_of by assumption. apply near_R with (h := IZR hi); try assumption; try (apply IZR_lt; assumption).
    - apply (IZR_le 0). exact HV.
    - apply IZR_le in H. rewrite squared_R, !mult_IZR in H. lra.
  Qed.
  Lemma apart_sound own c far near : length own = length V -> length c = length V ->
    norm (sub (unit_of (vec t V)) (vec (/ IZR S) own)) <= IZR near / IZR T ->
    ((far + near) * (far + near) * S * S <= (dotZ own own + dotZ c c - 2 * dotZ own c) * T * T)%Z ->
    IZR far / IZR T <= norm (sub (unit_of (vec t V)) (vec (/ IZR S) c)).
  Proof.
    intros Ho Hc Hn H. assert (HT : 0 < IZR T) by (apply IZR_lt; reflexivity).
    assert (HS : 0 < IZR S) by (apply IZR_lt; exact S_pos).
    assert (Apart : IZR (far + near) / IZR T <= norm (sub (vec (/ IZR S) own) (vec (/ IZR S) c))).
    { apply root_le; [apply norm_nonneg|]. rewrite norm_sq, dot_sub by (rewrite !vec_length; congruence).
      rewrite !dot_vec.
      apply IZR_le in H. rewrite !mult_IZR, minus_IZR, mult_IZR, !plus_IZR in H. rewrite plus_IZR.
      apply Rmult_le_reg_r with (IZR S * IZR S * IZR T * IZR T);
        [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]|]; assumption|].
      match goal with |- ?x <= ?y => replace x with ((IZR far + IZR near) * (IZR far + IZR near) * IZR S * IZR S) by
        (field; lra);
        replace y with ((IZR (dotZ own own) + IZR (dotZ c c) - 2 * IZR (dotZ own c)) * IZR T * IZR T) by (field;
          lra) end. exact H. }
    pose proof (norm_triangle (vec (/ IZR S) own) (unit_of (vec t V)) (vec (/ IZR S) c)
      ltac:(rewrite unit_vec, !vec_length; congruence) ltac:(rewrite unit_vec, !vec_length; congruence)) as Tr.
    rewrite (norm_sub_sym (vec (/ IZR S) own) (unit_of (vec t V))) in Tr. rewrite plus_IZR in Apart. unfold Rdiv in *.
    rewrite Rmult_plus_distr_r in Apart. lra.
  Qed.
  Lemma far_sound lo far near own b : (0 < lo)%Z -> IZR lo <= r -> length own = length V ->
    norm (sub (unit_of (vec t V)) (vec (/ IZR S) own)) <= IZR near / IZR T ->
    b = (fst (fst b), dotZ (fst (fst b)) (fst (fst b)), dotZ own (fst (fst b))) ->
    far_ok S V lo far near (dotZ own own) b = true -> length (fst (fst b)) = length V /\
    IZR far / IZR T <= norm (sub (unit_of (vec t V)) (vec (/ IZR S) (fst (fst b)))).
  Proof.
    destruct b as [[c cc] oc]. cbn [fst snd]. intros Hlo Hr Ho Hn [= -> ->] H. unfold far_ok in H.
    apply andb_true_iff in H as [Hl H].
    apply Nat.eqb_eq in Hl. split; [exact Hl|].
    destruct (Z.leb_spec ((far + near) * (far + near) * S * S) ((dotZ own own + dotZ c c - 2 * dotZ own c) * T * T)) as
      [E|_].
    { apply (apart_sound own c far near Ho Hl Hn E). }
    apply Z.leb_le, IZR_le in H. rewrite squared_R, !mult_IZR in H.
    apply root_le; [apply norm_nonneg|]. rewrite distance_of by assumption.
    apply far_R with (l := IZR lo) (V0 := IZR (Z.max 0 (dotZ V c))); try assumption;
      try (apply IZR_lt; lia || reflexivity).
    - apply (IZR_le 0). lia.
    - apply IZR_le. lia.
  Qed.
End Sound.

Lemma length_between V : let lo := Z.sqrt (dotZ V V) in
  IZR lo <= sqrt (IZR (dotZ V V)) /\ sqrt (IZR (dotZ V V)) <= IZR (lo + 1).
Proof.
  cbv zeta. pose proof (dotZ_self V) as H. pose proof (Z.sqrt_spec _ H) as K. cbv zeta in K. rewrite <- Z.add_1_r in K.
  pose proof (Z.sqrt_nonneg (dotZ V V)) as P.
  split; apply root_le; try apply sqrt_pos; try (apply (IZR_le 0); lia);
    rewrite sqrt_sqrt by (apply (IZR_le 0); exact H); rewrite <- mult_IZR; apply IZR_le; lia.
Qed.

Theorem direction_ok_sound G S D V X own others reach U v t distance :
  (0 < G)%Z -> (0 < S)%Z -> (0 < U)%Z -> 0 < t ->
  direction_ok G S D V X own others reach U = true -> snd own = dotZ (fst own) (fst own) ->
  length v = length V -> norm (sub v (vec t V)) <= t / IZR G * IZR X ->
  (forall b, In b others -> b = (fst (fst b), dotZ (fst (fst b)) (fst (fst b)), dotZ (fst own) (fst (fst b))) /\
     Rabs (distance (fst (fst b)) - norm (sub (unit_of v) (vec (/ IZR S) (fst (fst b))))) <= IZR D / IZR (2 ^ 23)) ->
  Rabs (distance (fst own) - norm (sub (unit_of v) (vec (/ IZR S) (fst own)))) <= IZR D / IZR (2 ^ 23) ->
  distance (fst own) <= IZR reach / IZR U /\ forall b, In b others -> distance (fst own) < distance (fst (fst b)).
Proof.
  intros HG HS HU Ht H Ho Hv He Hb Hown. destruct own as [own oo]. cbn [fst snd] in *. subst oo.
  unfold direction_ok in H. cbn [fst snd] in H. cbv zeta in H.
  destruct (length_between V) as [Hlo Hhi]. set (lo := Z.sqrt (dotZ V V)) in *.
  set (near := (Z.sqrt _ + 1)%Z) in H. set (q := (2 * X * T / (G * lo - X) + 1)%Z) in H.
  set (delta := (q + D * 2 ^ 17)%Z) in H. rewrite !andb_true_iff in H.
  destruct H as [[[[[[[H1 H2] H3] H4] _] H5] H6] H7].
  apply Z.ltb_lt in H1, H3. apply Z.leb_le in H2, H4, H6. apply Nat.eqb_eq in H5.
  set (r := sqrt (IZR (dotZ V V))) in *. assert (Hr : 0 < r) by (apply Rlt_le_trans with (2 := Hlo), IZR_lt; exact H1).
  assert (HT : 0 < IZR T) by (apply IZR_lt; reflexivity).
  assert (Hnear : norm (sub (unit_of (vec t V)) (vec (/ IZR S) own)) <= IZR near / IZR T).
  { apply near_sound with (hi := (lo + 1)%Z); try assumption;
      [unfold near; pose proof (Z.sqrt_nonneg (squared S (lo + 1) (dotZ V own) (dotZ own own) / (S * S * (lo + 1))));
      lia|].
    apply root_of_quotient. repeat apply Z.mul_pos_pos; lia. }
  assert (Hoff : norm (sub (unit_of v) (unit_of (vec t V))) <= IZR q / IZR T).
  { eapply Rle_trans; [apply direction_off with (e := t / IZR G * IZR X)|].
    - rewrite vec_length. congruence.
    - exact He.
    - rewrite length_vec by assumption. fold r. unfold Rdiv. rewrite Rmult_assoc. apply Rmult_lt_compat_l; [exact Ht|].
      apply IZR_lt in H3. rewrite mult_IZR in H3. assert (HG' : 0 < IZR G) by (apply IZR_lt; exact HG).
      apply Rmult_lt_reg_l with (IZR G); [exact HG'|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      apply Rlt_le_trans with (1 := H3). apply Rmult_le_compat_l; lra.
    - rewrite length_vec by assumption. fold r. apply IZR_lt in H3. rewrite mult_IZR in H3.
      apply delta_R with (l := IZR lo); try assumption; try (apply IZR_lt; assumption); [apply (IZR_le 0); exact H2|].
      pose proof (div_above (2 * X * T) (G * lo - X)) as K. rewrite <- !mult_IZR, <- minus_IZR, <- mult_IZR.
      apply IZR_le. fold q in K.
      apply K. apply lt_IZR. rewrite minus_IZR, mult_IZR. lra. }
  assert (Hm : IZR D / IZR (2 ^ 23) = IZR (D * 2 ^ 17) / IZR T).
  { unfold T. change (2 ^ 40)%Z with (2 ^ 17 * 2 ^ 23)%Z. rewrite !mult_IZR.
    assert (IZR (2 ^ 23) <> 0) by (apply not_0_IZR; lia). assert (IZR (2 ^ 17) <> 0) by (apply not_0_IZR; lia). field.
    split; assumption. }
  rewrite Hm in *. assert (Hd : IZR delta / IZR T = IZR q / IZR T + IZR (D * 2 ^ 17) / IZR T).
  { unfold delta. rewrite plus_IZR. field. lra. }
  assert (Lu : length (unit_of v) = length V) by (unfold unit_of; rewrite scale_length; exact Hv).
  assert (Lv : length (unit_of (vec t V)) = length V) by (unfold unit_of; rewrite scale_length; apply vec_length).
  assert (Hclose : distance own <= IZR (near + delta) / IZR T).
  { apply abs_le in Hown. rewrite plus_IZR. unfold Rdiv in *. rewrite Rmult_plus_distr_r.
    pose proof (norm_triangle (unit_of v) (unit_of (vec t V)) (vec (/ IZR S) own) ltac:(congruence)
      ltac:(rewrite vec_length; congruence)). lra. }
  split.
  - eapply Rle_trans; [exact Hclose|]. assert (HU' : 0 < IZR U) by (apply IZR_lt; exact HU).
    apply IZR_le in H6. rewrite !mult_IZR in H6.
    apply Rmult_le_reg_r with (IZR T * IZR U); [apply Rmult_lt_0_compat; assumption|].
    replace (IZR (near + delta) / IZR T * (IZR T * IZR U)) with (IZR (near + delta) * IZR U) by (field; lra).
    replace (IZR reach / IZR U * (IZR T * IZR U)) with (IZR reach * IZR T) by (field; lra). exact H6.
  - intros b Hin. destruct (Hb b Hin) as [Hcc Hdist]. rewrite forallb_forall in H7.
    destruct (far_sound S V t HS Ht Hr lo _ near own b H1 Hlo H5 Hnear Hcc (H7 b Hin)) as [Lb Hfar].
    apply abs_le in Hdist.
    pose proof (norm_triangle (unit_of (vec t V)) (unit_of v) (vec (/ IZR S) (fst (fst b))) ltac:(congruence)
      ltac:(rewrite vec_length; congruence)) as Tr.
    rewrite (norm_sub_sym (unit_of (vec t V)) (unit_of v)) in Tr. unfold Rdiv in *. rewrite plus_IZR in Hclose.
    replace (near + 2 * delta + 1)%Z with (near + delta + (delta + 1))%Z in Hfar by ring.
    rewrite !plus_IZR, !Rmult_plus_distr_r in Hfar. rewrite Rmult_plus_distr_r in Hclose.
    pose proof (Rinv_0_lt_compat _ HT). lra.
Qed.
