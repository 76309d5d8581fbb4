(** A check in whole numbers that every engine of some weights does what a table says. *)
From Coq Require Import Reals ZArith NArith List Bool Lra Lia.
From Gridlang Require Import Statement Vectors Engines Distances Simulates.
Import ListNotations.
Local Open Scope R_scope.

Definition others {A} (i : nat) (l : list A) : list A := firstn i l ++ skipn (S i) l.
Lemma in_others {A} (a : A) : forall l i j, nth_error l j = Some a -> j <> i -> In a (others i l).
Proof.
  unfold others. induction l as [|b l IH]; intros i [|j] H N; simpl in H; try discriminate.
  - injection H as ->. destruct i as [|i]; [congruence|]. left. reflexivity.
  - destruct i as [|i]; [apply nth_error_In in H; exact H|]. right. apply (IH i j H). congruence.
Qed.
Lemma forall2_nth {A B} (P : A -> B -> Prop) a b : Forall2 P a b -> forall i y, nth_error b i = Some y ->
  exists x, nth_error a i = Some x /\ P x y.
Proof. induction 1; intros [|i] z E; simpl in *; try discriminate; [injection E as <-; eauto | eauto]. Qed.
Lemma forall2_nth' {A B} (P : A -> B -> Prop) a b : Forall2 P a b -> forall i x, nth_error a i = Some x ->
  exists y, nth_error b i = Some y /\ P x y.
Proof. induction 1; intros [|i] z E; simpl in *; try discriminate; [injection E as <-; eauto | eauto]. Qed.
Lemma forall2_map {A B C} (P : B -> C -> Prop) (f : A -> B) a c :
  Forall2 (fun x y => P (f x) y) a c -> Forall2 P (map f a) c.
Proof. induction 1; simpl; constructor; assumption. Qed.

Section Weights.
  Variable W : weights.
  Let d := dimensions W.
  Let S := denominator W.

  (** * Enclosures of products, over G S² *)
  Definition G : Z := 2 ^ 24 - d.
  Definition little : Z := (4 * d * (S + largest_weight W) * S * G / 2 ^ 126 + 1)%Z.
  Definition error (absolute : Z) : Z := (d * absolute + little)%Z.
  Definition enclosure (row h : list Z) : Z * Z :=
    let '(s, a) := sums row h 0 0 in let e := error a in ((G * s - e)%Z, (G * s + e)%Z).

  (** * The check of one rule *)
  Definition leads (l : list (Z * Z)) (w : nat) : bool :=
    match nth_error l w with
    | Some (low, _) => forallb (fun b => (snd b <? low)%Z) (others w l)
    | None => false
    end.
  Definition positive (l : list (Z * Z)) (w : nat) : bool :=
    match nth_error l w with Some (low, _) => (0 <? low)%Z | None => false end.

  (** Centres with their squares; and with each, all of these, with their products with it. *)
  Definition page : Type := (list Z * Z) * list (list Z * Z * Z).
  Definition squares : list (list Z * Z) := map (fun c => (c, dotZ c c)) (centres W).
  Definition pages (squares : list (list Z * Z)) : list page :=
    map (fun own => (own, map (fun b => (b, dotZ (fst own) (fst b))) squares)) squares.
  Definition book : list page := pages squares.
  Definition snap_ok (book : list page) (V : list Z) (X : Z) (q : N) : bool :=
    match nth_error book (N.to_nat q), nth_error (reaches W) (N.to_nat q) with
    | Some (own, all), Some reach =>
        direction_ok G S (d + 16) V X own (others (N.to_nat q) all) reach (reach_denominator W)
    | _, _ => false
    end.
  Definition step_ok (book : list page) (rows : list (list Z)) (h : list Z) (q : N) : bool :=
    let l := map (fun row => sums row h 0 0) rows in
    let E := map (fun sa => error (snd sa)) l in
    snap_ok book (map fst l) (Z.sqrt (dotZ E E) + 1) q.

  Definition rule_ok (book : list page) (u : state * symbol * entry) : bool :=
    let '(p, x, (w, m, q)) := u in
    match nth_error (centres W) (N.to_nat p) with
    | None => false
    | Some h =>
        let outs := map (fun row => enclosure row h) (B_of W x) in
        let moves := map (fun row => enclosure row h) (C_of W x) in
        leads outs (N.to_nat w) && leads moves (place m) &&
        (positive outs (N.to_nat w) || positive moves (place m)) &&
        (if ((w =? x)%N && move_is_stay m)%bool then (q =? p)%N else step_ok book (A_of W x) h q)
    end.

  Definition known_ok (right : rules) : Prop :=
    forall p x, known W p x = match table_of right p x with Some _ => true | None => false end.

  (** Rows and centres have a number for each dimension, and none is larger than said, or than 2^50. *)
  Definition fits (row : list Z) : bool :=
    (Z.of_nat (length row) =? d)%Z && forallb (fun z => Z.abs z <=? largest_weight W)%Z row.
  Definition sizes_ok (right : rules) : bool :=
    (largest_weight W <=? 2 ^ 50 * S)%Z && forallb fits (centres W) &&
    forallb (fun x => forallb fits (A_of W x ++ B_of W x ++ C_of W x))
      (nodup N.eq_dec (map (fun u => snd (fst u)) right)).

  Definition check_weights (right : rules) : bool :=
    let b := book in
    ((0 <? d) && (d <? 2 ^ 23) && (0 <? S) && (0 <=? largest_weight W) && (0 <? reach_denominator W))%Z &&
    sizes_ok right && snap_ok b (h0 W) 0 0%N && forallb (rule_ok b) right.

  (** * Soundness *)
  Hypothesis d_pos : (0 < d)%Z.
  Hypothesis d_small : (d < 2 ^ 23)%Z.
  Hypothesis S_pos : (0 < S)%Z.
  Hypothesis largest_nonneg : (0 <= largest_weight W)%Z.
  Hypothesis reach_pos : (0 < reach_denominator W)%Z.

  Let s := / IZR S.
  Let k := s * s / IZR G.

  Lemma G_pos : (0 < G)%Z.
  Proof. unfold G. change (2 ^ 24)%Z with (2 * 2 ^ 23)%Z. lia. Qed.
  Lemma GR_pos : 0 < IZR G.
  Proof. apply IZR_lt, G_pos. Qed.
  Lemma s_pos : 0 < s.
  Proof. apply Rinv_0_lt_compat, IZR_lt. exact S_pos. Qed.
  Lemma k_pos : 0 < k.
  Proof. pose proof s_pos. pose proof GR_pos. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption. Qed.
  Lemma k_G : s * s = k * IZR G.
  Proof. pose proof GR_pos. unfold k. field. lra. Qed.
  Lemma numbers_vec a : numbers W a = vec s a.
  Proof. reflexivity. Qed.

  Lemma underflow_little : underflow W <= IZR little * k.
  Proof.
    pose proof s_pos as Hs. pose proof GR_pos as HG. assert (HS : IZR S <> 0) by (apply not_0_IZR; lia).
    set (a := (4 * d * (S + largest_weight W) * S * G)%Z).
    assert (E : underflow W = IZR a / IZR (2 ^ 126) * k).
    { unfold underflow, k, s, a. fold d S. rewrite !mult_IZR, plus_IZR.
      assert (IZR (2 ^ 126) <> 0) by (apply not_0_IZR; lia). field. repeat split; lra || assumption. }
    rewrite E. apply Rmult_le_compat_r; [apply Rlt_le, k_pos|]. unfold little. fold a.
    assert (P : 0 < IZR (2 ^ 126)) by (apply IZR_lt; lia).
    apply Rmult_le_reg_r with (IZR (2 ^ 126)); [exact P|].
    replace (IZR a / IZR (2 ^ 126) * IZR (2 ^ 126)) with (IZR a) by (field; lra).
    rewrite <- mult_IZR. apply IZR_le. pose proof (Z.div_mod a (2 ^ 126) ltac:(lia)).
    pose proof (Z.mod_pos_bound a (2 ^ 126) ltac:(lia)). lia.
  Qed.

  Lemma product_error row h out : product W (numbers W row) (numbers W h) out ->
    Rabs (out - IZR (dotZ row h) * (s * s)) <= IZR (error (absdotZ row h)) * k.
  Proof.
    intros H. unfold product in H. rewrite !numbers_vec in H. pose proof s_pos as Hs.
    rewrite dot_vec, absdot_vec in H by lra. eapply Rle_trans; [exact H|].
    unfold error. rewrite plus_IZR, mult_IZR, Rmult_plus_distr_r. apply Rplus_le_compat; [|apply underflow_little].
    apply Req_le. unfold rounding, k. fold d. fold G. pose proof GR_pos. field. lra.
  Qed.

  Definition within (b : Z * Z) (out : R) : Prop := IZR (fst b) * k <= out <= IZR (snd b) * k.
  Lemma enclosed row h out : product W (numbers W row) (numbers W h) out -> within (enclosure row h) out.
  Proof.
    intros H. apply product_error, abs_le in H. rewrite k_G in H. unfold within, enclosure. rewrite sums_spec.
    cbn [fst snd]. rewrite !Z.add_0_l, minus_IZR, plus_IZR, mult_IZR. lra.
  Qed.
  Lemma all_enclosed rows h outs : products W (product W) rows h outs ->
    Forall2 within (map (fun row => enclosure row h) rows) outs.
  Proof.
    intros H. apply forall2_map. induction H as [|row out rows outs Hp H IH]; constructor; [apply enclosed|];
      assumption.
  Qed.
  Lemma rounding_nonneg : 0 <= rounding W.
  Proof. unfold rounding. fold d. fold G.
  apply Rmult_le_pos; [apply (IZR_le 0); lia | apply Rlt_le, Rinv_0_lt_compat, GR_pos]. Qed.
  Lemma underflow_nonneg : 0 <= underflow W.
  Proof.
    unfold underflow. fold d S. pose proof s_pos as Hs. fold s. assert (0 <= IZR d) by (apply (IZR_le 0); lia).
    assert (0 <= IZR (largest_weight W) * s) by (apply Rmult_le_pos; [apply (IZR_le 0); lia | lra]).
    apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, IZR_lt; lia]. apply Rmult_le_pos; unfold Rdiv; fold s; lra.
  Qed.
  Lemma exact_products rows h : products W (product W) rows h (map (fun row => dot (numbers W row) (numbers W h)) rows).
  Proof.
    pose proof s_pos as Hs. induction rows as [|row rows IH]; constructor; [|exact IH].
    unfold product. rewrite Rminus_eq_0, Rabs_R0, !numbers_vec, absdot_vec by lra.
    apply Rplus_le_le_0_compat; [|apply underflow_nonneg]. apply Rmult_le_pos; [apply rounding_nonneg|].
    apply Rmult_le_pos; [apply (IZR_le 0), absdotZ_nonneg | apply Rmult_le_pos; lra].
  Qed.

  (** ** Decisions *)
  Lemma leads_apart l outs w i o : leads l w = true -> Forall2 within l outs -> nth_error outs i = Some o -> i <> w ->
    exists ow, nth_error outs w = Some ow /\ o < ow.
  Proof.
    intros H Hf Hi N. unfold leads in H. destruct (nth_error l w) as [[low high]|] eqn:Ew; [|discriminate].
    destruct (forall2_nth' _ _ _ Hf _ _ Ew) as (ow & How & Hw).
    destruct (forall2_nth _ _ _ Hf _ _ Hi) as (b & Hb & Hin).
    exists ow. split; [exact How|]. rewrite forallb_forall in H. specialize (H b (in_others _ _ _ _ Hb N)).
    apply Z.ltb_lt, IZR_lt in H. unfold within in *. cbn [fst] in Hw. pose proof k_pos.
    apply (Rmult_lt_compat_r k) in H; [lra | assumption].
  Qed.
  Lemma leads_only l outs w i : leads l w = true -> Forall2 within l outs -> largest outs i -> i = w.
  Proof.
    intros H Hf (o & Hi & Hmax). destruct (Nat.eq_dec i w) as [|N]; [assumption|].
    destruct (leads_apart _ _ _ _ _ H Hf Hi N) as (ow & How & Hlt). specialize (Hmax _ _ How). lra.
  Qed.
  Lemma leads_largest l outs w : leads l w = true -> Forall2 within l outs -> largest outs w.
  Proof.
    intros H Hf. assert (Ew : exists b, nth_error l w = Some b).
    { unfold leads in H. destruct (nth_error l w); [eauto | discriminate]. }
    destruct Ew as [b Eb]. destruct (forall2_nth' _ _ _ Hf _ _ Eb) as (ow & How & _). exists ow. split; [exact How|].
    intros j other Hj. destruct (Nat.eq_dec j w) as [->|N]; [right; congruence|].
    destruct (leads_apart _ _ _ _ _ H Hf Hj N) as (ow' & How' & Hlt). assert (ow' = ow) by congruence. subst. lra.
  Qed.
  Lemma positive_not_all l outs w : positive l w = true -> Forall2 within l outs -> exists o, In o outs /\ 0 < o.
  Proof.
    intros H Hf. unfold positive in H. destruct (nth_error l w) as [[low high]|] eqn:E; [|discriminate].
    destruct (forall2_nth' _ _ _ Hf _ _ E) as (o & Ho & Hw). exists o. split; [eapply nth_error_In; exact Ho|].
    apply Z.ltb_lt, IZR_lt in H. unfold within in Hw. cbn [fst] in Hw. pose proof k_pos.
    apply (Rmult_lt_compat_r k) in H; [lra | assumption].
  Qed.

  (** ** Snapping *)
  Definition firmly (v : list R) (q : N) : Prop := forall distance, measures W v distance ->
    exists own, nth_error (centres W) (N.to_nat q) = Some own /\ distance own <= reach W q /\
      forall q' c, nth_error (centres W) (N.to_nat q') = Some c -> q' <> q -> distance own < distance c.

  Lemma snap_ok_firm V X q v t : 0 < t -> snap_ok book V X q = true -> length v = length V ->
    norm (sub v (vec t V)) <= t / IZR G * IZR X -> firmly v q.
  Proof.
    intros Ht H Hl He distance HD. unfold snap_ok, book, pages, squares in H. rewrite !nth_error_map in H.
    destruct (nth_error (centres W) (N.to_nat q)) as [own|] eqn:Eo; [|discriminate].
    destruct (nth_error (reaches W) (N.to_nat q)) as [r|] eqn:Er; [|discriminate]. cbn [option_map fst] in H.
    rewrite map_map in H.
    exists own. split; [reflexivity|].
    destruct (direction_ok_sound G S (d + 16) V X (own, dotZ own own) _ r _ v t distance G_pos S_pos reach_pos Ht H
      eq_refl Hl He) as [Hr Ho].
    - intros b Hb. unfold others in Hb. assert (Hb' : In b (map (fun c => (c, dotZ c c, dotZ own c)) (centres W))).
      { apply in_app_iff in Hb as [Hb|Hb].
        - rewrite <- (firstn_skipn (N.to_nat q) (map _ _)). apply in_app_iff. left. exact Hb.
        - rewrite <- (firstn_skipn (Datatypes.S (N.to_nat q)) (map _ _)). apply in_app_iff. right. exact Hb. }
      apply in_map_iff in Hb' as (c & <- & Hc). split; [reflexivity|]. exact (HD c Hc).
    - exact (HD own (nth_error_In _ _ Eo)).
    - split.
      + unfold reach. rewrite (nth_error_nth _ _ 0%Z Er). exact Hr.
      + intros q' c Hc N. apply (Ho (c, dotZ c c, dotZ own c)). apply in_others with (j := N.to_nat q').
        * rewrite nth_error_map, Hc. reflexivity.
        * intros E. apply N2Nat.inj in E. congruence.
  Qed.

  Lemma firm_snaps_there v q : firmly v q -> snaps W v q.
  Proof.
    intros F. exists (fun c => norm (sub (unit_of v) (numbers W c))).
    assert (M : measures W v (fun c => norm (sub (unit_of v) (numbers W c)))).
    { intros c _. rewrite Rminus_eq_0, Rabs_R0. unfold measuring. fold d.
      apply Rmult_le_pos; [apply (IZR_le 0); lia | apply Rlt_le, Rinv_0_lt_compat, IZR_lt; lia]. }
    destruct (F _ M) as (own & Eo & Hr & Ho). exists own. repeat split; try assumption.
    intros c Hc. apply In_nth_error in Hc as [i Hi]. rewrite <- (Nat2N.id i) in Hi.
    destruct (N.eq_dec (N.of_nat i) q) as [<-|N]; [right; congruence | left; exact (Ho _ _ Hi N)].
  Qed.
  Lemma firm_snaps_nowhere_else v q q' : firmly v q -> snaps W v q' -> q' = q.
  Proof.
    intros F (distance & c & HD & (Hc & Hmin) & _). destruct (F _ HD) as (own & Eo & _ & Ho).
    destruct (N.eq_dec q' q) as [|N]; [assumption|exfalso].
    specialize (Ho _ _ Hc N). specialize (Hmin own (nth_error_In _ _ Eo)). lra.
  Qed.
  Lemma firm_strays_not v q : firmly v q -> ~ strays W v.
  Proof.
    intros F (distance & q' & c & HD & (Hc & Hmin) & Hfar). destruct (F _ HD) as (own & Eo & Hr & Ho).
    destruct (N.eq_dec q' q) as [->|N].
    - assert (c = own) by congruence. subst. lra.
    - specialize (Ho _ _ Hc N). specialize (Hmin own (nth_error_In _ _ Eo)). lra.
  Qed.

  Lemma products_off rows h v : products W (product W) rows h v ->
    let E := map (fun row => error (absdotZ row h)) rows in let V := map (fun row => dotZ row h) rows in
    dot (sub v (vec (s * s) V)) (sub v (vec (s * s) V)) <= IZR (dotZ E E) * (k * k) /\ length v = length V.
  Proof.
    cbv zeta. induction 1 as [|row out rows outs Hp H [IH IL]]; cbn [map sub dot dotZ length vec];
      [split; [lra | reflexivity]|].
    split; [|rewrite map_length in *; congruence]. change (map (fun z : Z => IZR z * (s * s))) with (vec (s * s)).
    apply product_error in Hp. rewrite plus_IZR, mult_IZR, Rmult_plus_distr_r. apply Rplus_le_compat; [|exact IH].
    set (e := IZR (error (absdotZ row h))) in *. set (o := out - IZR (dotZ row h) * (s * s)) in *.
    replace (e * e * (k * k)) with (Rsqr (e * k)) by (unfold Rsqr; ring).
    apply neg_pos_Rsqr_le; apply abs_le in Hp; lra.
  Qed.
  Lemma step_ok_firm rows h q v : step_ok book rows h q = true -> products W (product W) rows h v -> firmly v q.
  Proof.
    intros H Hp. unfold step_ok in H. rewrite !map_map in H. destruct (products_off _ _ _ Hp) as [Hoff Hl].
    set (V := map (fun row => dotZ row h) rows) in *. set (E := map (fun row => error (absdotZ row h)) rows) in *.
    replace (map (fun row => fst (sums row h 0 0)) rows) with V in H
      by (apply map_ext; intros row; rewrite sums_spec; reflexivity).
    replace (map (fun row => error (snd (sums row h 0 0))) rows) with E in H
      by (apply map_ext; intros row; rewrite sums_spec; reflexivity).
    pose proof s_pos as Hs. assert (Hs2 : 0 < s * s) by (apply Rmult_lt_0_compat; assumption).
    apply (snap_ok_firm _ _ _ _ _ Hs2 H Hl). fold k. pose proof k_pos as Hk.
    assert (HX : 0 <= IZR (Z.sqrt (dotZ E E) + 1)) by (apply (IZR_le 0); pose proof (Z.sqrt_nonneg (dotZ E E)); lia).
    apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr. rewrite norm_sq.
    eapply Rle_trans; [exact Hoff|].
    replace (k * IZR (Z.sqrt (dotZ E E) + 1) * (k * IZR (Z.sqrt (dotZ E E) + 1)))
      with (IZR (Z.sqrt (dotZ E E) + 1) * IZR (Z.sqrt (dotZ E E) + 1) * (k * k)) by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. rewrite <- mult_IZR. apply IZR_le.
    apply Z.lt_le_incl, sqrt_above.
  Qed.
  Lemma h0_firm : snap_ok book (h0 W) 0 0%N = true -> firmly (numbers W (h0 W)) 0%N.
  Proof.
    intros H. apply (snap_ok_firm (h0 W) 0 0%N _ s s_pos H (map_length _ _)).
    change (norm (sub (vec s (h0 W)) (vec s (h0 W))) <= s / IZR G * 0). rewrite sub_self, Rmult_0_r. apply Req_le.
    apply norm_zeros.
  Qed.

  (** ** Rules *)
  Lemma stay_idle x w m : ((w =? x)%N && move_is_stay m)%bool = true <-> idle x w m.
  Proof.
    unfold idle. rewrite andb_true_iff, N.eqb_eq. destruct m; simpl; split; intros [? ?]; split; congruence.
  Qed.
  Lemma place_inj a b : place a = place b -> a = b.
  Proof. destruct a, b; simpl; congruence. Qed.

  Section Rule.
    Variables (p : state) (x w : symbol) (m : move) (q : state).
    Hypothesis ok : rule_ok book (p, x, (w, m, q)) = true.

    Lemma rule_parts : exists h, nth_error (centres W) (N.to_nat p) = Some h /\
      (forall outs, products W (product W) (B_of W x) h outs -> largest outs (N.to_nat w) /\ forall i, largest outs i ->
        i = N.to_nat w) /\
      (forall moves, products W (product W) (C_of W x) h moves -> largest moves (place m) /\ forall i,
        largest moves i -> i = place m) /\
      (forall outs moves, products W (product W) (B_of W x) h outs -> products W (product W) (C_of W x) h moves ->
        ~ Forall (fun o => o <= 0) (outs ++ moves)) /\
      (idle x w m -> q = p) /\
      (~ idle x w m -> forall v, products W (product W) (A_of W x) h v -> firmly v q).
    Proof.
      unfold rule_ok in ok. destruct (nth_error (centres W) (N.to_nat p)) as [h|]; [|discriminate].
      apply andb_true_iff in ok as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
      exists h. split; [reflexivity|]. split; [|split; [|split; [|split]]].
      - intros outs Hp. apply all_enclosed in Hp. split; [eapply leads_largest | intros i; eapply leads_only]; eauto.
      - intros outs Hp. apply all_enclosed in Hp. split; [eapply leads_largest | intros i; eapply leads_only]; eauto.
      - intros outs moves Hb Hc Hall. apply all_enclosed in Hb, Hc. rewrite Forall_forall in Hall.
        apply orb_true_iff in H3 as [H3|H3]; eapply positive_not_all in H3; eauto; destruct H3 as (o & Hin & Hpos);
          assert (o <= 0) by (apply Hall, in_or_app; auto); lra.
      - intros Hi. apply stay_idle in Hi. rewrite Hi in H4. apply N.eqb_eq. exact H4.
      - intros Hi v Hv. destruct (_ && _)%bool eqn:E in H4; [apply stay_idle in E; contradiction|].
        eapply step_ok_firm; eauto.
    Qed.

    Lemma rule_only w' m' q' : may_do W (product W) p x w' m' q' -> (w', m', q') = (w, m, q).
    Proof.
      destruct rule_parts as (h & Eh & Hw & Hm & _ & Hi & Hs).
      intros (h' & Eh' & (outs & moves & Hb & Lb & Hc & Lc) & Hq).
      assert (h' = h) by congruence. subst h'. apply (proj2 (Hw _ Hb)), N2Nat.inj in Lb.
      apply (proj2 (Hm _ Hc)), place_inj in Lc. subst.
      destruct Hq as [[Id ->]|[Id (v & Hv & Hsn)]]; [rewrite (Hi Id); reflexivity|].
      rewrite (firm_snaps_nowhere_else _ _ _ (Hs Id v Hv) Hsn). reflexivity.
    Qed.
    Lemma rule_goes_on : ~ may_stop W (product W) p x.
    Proof.
      destruct rule_parts as (h & Eh & Hw & Hm & Hpos & _ & Hs).
      intros (h' & Eh' & [(outs & moves & Hb & Hc & Hall)
        | (w' & m' & v & (outs & moves & Hb & Lb & Hc & Lc) & Id & Hv & Hst)]);
        assert (h' = h) by congruence; subst h'; [exact (Hpos _ _ Hb Hc Hall)|].
      apply (proj2 (Hw _ Hb)), N2Nat.inj in Lb. apply (proj2 (Hm _ Hc)), place_inj in Lc. subst.
      exact (firm_strays_not _ _ (Hs Id v Hv) Hst).
    Qed.
    Lemma rule_may : may_do W (product W) p x w m q.
    Proof.
      destruct rule_parts as (h & Eh & Hw & Hm & _ & Hi & Hs). exists h. split; [exact Eh|]. split.
      - do 2 eexists. repeat split; try apply exact_products; [apply Hw | apply Hm]; apply exact_products.
      - destruct (((w =? x)%N && move_is_stay m)%bool) eqn:E.
        + left. apply stay_idle in E. auto.
        + right. assert (Id : ~ idle x w m) by (rewrite <- stay_idle; congruence). split; [exact Id|].
          eexists. split; [apply exact_products|]. apply firm_snaps_there, (Hs Id), exact_products.
    Qed.
  End Rule.
End Weights.

Lemma table_in r : forall p x e, table_of r p x = Some e -> In (p, x, e) r.
Proof.
  induction r as [|[[p1 x1] e1] r IH]; simpl; intros p x e E; [discriminate|].
  destruct ((p =? p1) && (x =? x1))%N eqn:B; [|auto].
  apply andb_true_iff in B as [B1 B2]. apply N.eqb_eq in B1, B2. injection E as <-. subst. auto.
Qed.

Section Checked.
  Variables (W : weights) (right : rules).
  Hypothesis ok : check_weights W right = true.
  Hypothesis same_known : known_ok W right.

  Lemma checked_parts : (0 < dimensions W < 2 ^ 23)%Z /\ (0 < denominator W)%Z /\ (0 <= largest_weight W)%Z /\
    (0 < reach_denominator W)%Z /\ sizes_ok W right = true /\ snap_ok W (book W) (h0 W) 0 0%N = true /\
    forall p x e, table_of right p x = Some e -> rule_ok W (book W) (p, x, e) = true.
  Proof.
    unfold check_weights in ok. cbv zeta in ok. rewrite !andb_true_iff in ok.
    destruct ok as [[[[[[[H1 H2] H3] H4] H5] H8] H6] H7].
    apply Z.ltb_lt in H1, H2, H3, H5. apply Z.leb_le in H4. repeat split; try assumption.
    intros p x e E. rewrite forallb_forall in H7. apply H7, table_in, E.
  Qed.

  Lemma runs_follow stands_for T (too : Prop) : runs W (product W) stands_for T ->
    (too -> forall p x, known W (stands_for p) x = false -> T p x = None) ->
    follows too (fun q p => stands_for p = q) (table_of right) T.
  Proof.
    destruct checked_parts as ([Hd1 Hd2] & HS & Hm & Hr & _ & H0 & Hrules). intros [Hs HT] Hcare. split.
    - eapply firm_snaps_nowhere_else; [|exact Hs]. apply h0_firm; assumption.
    - intros q p x <-. pose proof (same_known (stands_for p) x) as K.
      destruct (table_of right (stands_for p) x) as [[[w m] q]|] eqn:E; [|intros t; exact (Hcare t p x K)].
      specialize (HT p x K). specialize (Hrules _ _ _ E). destruct (T p x) as [[[w' m'] q']|].
      + exists q'. eapply rule_only in HT; eauto. injection HT as -> -> ->. auto.
      + exfalso. eapply rule_goes_on in HT; eauto.
  Qed.

  (** Every engine does what was shown of the table. *)
  Theorem engines_do_what : forall k n s LEFT T, asks_for_stops k s = false -> engine W T ->
    equivalent k n s LEFT (table_of right) -> equivalent k n s LEFT T.
  Proof.
    intros k n s LEFT T Hk [stands_for HT].
    apply (equivalent_follows False _ k n s LEFT _ T (runs_follow stands_for T False HT ltac:(contradiction))).
    rewrite Hk. discriminate.
  Qed.
  Theorem careful_engines_do_what : forall k n s LEFT T, careful_engine W T ->
    equivalent k n s LEFT (table_of right) <-> equivalent k n s LEFT T.
  Proof.
    intros k n s LEFT T (stands_for & HT & Hcare).
    assert (F : follows True (fun q p => stands_for p = q) (table_of right) T) by (apply runs_follow; auto).
    split; [apply (equivalent_follows True _ k n s LEFT _ _ F)
      | apply (equivalent_follows True _ k n s LEFT _ _ (follows_back _ _ _ F))];
      intros _; exact Logic.I.
  Qed.

  (** The table itself is such an engine: there are some. *)
  Theorem table_is_engine : careful_engine W (table_of right).
  Proof.
    destruct checked_parts as ([Hd1 Hd2] & HS & Hm & Hr & _ & H0 & Hrules). exists (fun p => p). split; [split|].
    - apply firm_snaps_there; try assumption. apply h0_firm; assumption.
    - intros p x K. rewrite same_known in K. destruct (table_of right p x) as [[[w m] q]|] eqn:E; [|discriminate].
      apply rule_may; auto.
    - intros p x K. rewrite same_known in K. destruct (table_of right p x); [discriminate | reflexivity].
  Qed.
End Checked.
