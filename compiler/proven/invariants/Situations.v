(** (V12), (V13): what is known at an element is true; of words, that columns of one value are a series. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Sums
  Unknowns Facts Values Findings.
Import ListNotations.

Section True.
  Context {sc : scene} {un : unknowns} {fi : findings} {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Import Scene.
  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Notation meaning := (meaning system_at low class_of label_at told_at parts).
  Notation true_situation := (true_situation system_at low class_of label_at told_at name_at count same_worth parts).
  Notation all_places := (all_places parts).
  Local Open Scope Qc_scope.

  (** * Columns of one value *)
  Lemma there_own p q x y w lab sd Y u : telling = true -> in_strip p q x y w lab -> (0 < sg sd * (Y - x))%Z ->
    N.testbit (N.lor (cells_mask (label_at (lab Y))) (there sd (kind_of p) (coarse_at (lab (Y + sg sd)%Z)))) u = true ->
    N.testbit (there sd (kind_of p) (coarse_at (lab Y))) u = true.
  Proof.
    intros T HI HY Hu. pose proof all_grams as G. unfold grams_ok in G. rewrite forallb_forall in G.
    specialize (G _ (grams_here _ _ _ _ _ _ sd Y HI HY)). unfold gram_ok in G.
    apply andb_true_iff in G as [_ G]. rewrite T in G. cbn [negb orb] in G. eapply subset_bit; [exact G|]. exact Hu.
  Qed.
  Lemma there_here p q x y w lab sd X u : telling = true -> in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
    N.testbit (cells_mask (label_at (lab X))) u = true ->
      N.testbit (there sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true.
  Proof.
    intros T HI HX Hu.
    assert (G : forall k : nat, N.testbit (there sd (kind_of p) (coarse_at (lab (x + sg sd * Z.of_nat (S k))%Z))) u =
      true ->
              N.testbit (there sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true).
    { induction k as [|k IH]; intros H; [replace (x + sg sd)%Z with (x + sg sd * Z.of_nat 1)%Z by lia; exact H|].
      apply IH. eapply there_own; [exact T | exact HI | destruct sd; unfold sg; lia |]. rewrite N.lor_spec.
      apply orb_true_iff. right.
      replace (x + sg sd * Z.of_nat (S k) + sg sd)%Z with (x + sg sd * Z.of_nat (S (S k)))%Z by lia. exact H. }
    set (k := Z.to_nat (sg sd * (X - x) - 1)). apply (G k).
    replace (x + sg sd * Z.of_nat (S k))%Z with X by (unfold k; destruct sd; unfold sg in *; lia).
    eapply there_own; [exact T | exact HI | exact HX |]. rewrite N.lor_spec, Hu. reflexivity.
  Qed.
  Lemma class_here p q x y w lab X r : in_strip p q x y w lab -> (r < height)%nat ->
    class_at class_of (label_at (lab X)) r = Some (class_of (w X (low + Z.of_nat r)%Z)).
  Proof.
    intros (_ & _ & _ & Hfit & _) Hr. destruct (Hfit X r Hr) as (v & Hv & Hh). unfold class_at. rewrite Hv.
    cbn [option_map]. f_equal.
    destruct v; cbn [holds] in Hh; congruence.
  Qed.
  Lemma same_worth_ok i c z s : same_worth i c = Some z -> class_of s = c -> (s < n)%N -> worth (system_at i) s = z.
  Proof.
    intros H Hc Hs. apply same_worth_is in H. apply (one_worth_ok _ _ _ _ H). apply filter_In.
    split; [apply in_below; exact Hs | apply N.eqb_eq; exact Hc].
  Qed.
  Definition group_at (l : label) (r : nat) : option group :=
    if is_fresh l then Some (Fresh (in_part (told_at (place_of l))))
    else option_map (fun c => Worn c (Some (in_part (told_at (place_of l))))) (class_at class_of l r).
  Lemma in_group_is j fc r l : in_group class_of told_at (group_there j fc) r l = true <->
    group_at l r = Some (group_there j fc).
  Proof.
    destruct fc as [[] c], l as [[cs place] mark]; unfold group_there, group_at, in_group, is_fresh;
      cbn [fst snd place_of].
    - destruct (N.eqb_spec mark 0); cbn [andb]; [rewrite N.eqb_eq; split; [intros ->; reflexivity | congruence]|].
      split; [discriminate|]. destruct (class_at class_of (cs, place, mark) r); discriminate.
    - destruct (N.eqb_spec mark 0); cbn [andb negb]; [split; discriminate|].
      destruct (class_at class_of (cs, place, mark) r) as [c'|]; cbn [option_map andb]; [|split; discriminate].
      rewrite andb_true_iff, !N.eqb_eq. split; [intros [-> ->]; reflexivity | intros E; injection E; auto].
  Qed.
  Lemma sum_of_groups (on : bool) (amount : Qc) (r : nat) (l : label) gs : NoDup gs ->
    (forall g, In g gs -> in_group class_of told_at g r l = true <-> group_at l r = Some g) ->
    fold_right (fun g a => (if on && in_group class_of told_at g r l then amount else 0) + a) 0 gs =
    if on && existsb (fun g => in_group class_of told_at g r l) gs then amount else 0.
  Proof.
    induction 1 as [|g gs Hg Hn IH]; intros H; cbn [fold_right existsb]; [rewrite andb_false_r; reflexivity|].
    rewrite IH by (intros g' Hg'; apply H; right; exact Hg'). destruct on; cbn [andb]; [|ring].
    destruct (in_group class_of told_at g r l) eqn:E; cbn [orb]; [|destruct (existsb _ gs); ring].
    replace (existsb (fun g => in_group class_of told_at g r l) gs) with false; [ring|]. symmetry.
    destruct (existsb _ gs) eqn:Ex; [|reflexivity]. exfalso. apply existsb_exists in Ex as (g' & Hin & Eg). apply Hg.
    apply H in E; [|left; reflexivity]. apply H in Eg; [|right; exact Hin]. congruence.
  Qed.
  Notation form_value := (form_value system_at low class_of label_at told_at parts).
  Lemma form_value_app M0 M1 a b : form_value M0 M1 (a ++ b) = form_value M0 M1 a + form_value M0 M1 b.
  Proof. unfold Unknowns.form_value. induction a as [|t a IH]; cbn [app fold_right]; [ring|]. rewrite IH. ring. Qed.
  Lemma sums_of_groups lo m x w lab last d i sd r gs :
    form_value (Moment lo m x w lab last) (Moment lo m x w lab last)
      (timed false (map (fun g => (d, [Sum_beside i sd r g])) gs)) =
    whole d * sum lo m (fun X => fold_right (fun g a => beside (fun l => in_group class_of told_at g r (label_at l)) sd
      x lab (amount system_at low parts i r w) X + a) 0 gs).
  Proof.
    induction gs as [|g gs IH]; cbn [map timed];
      [unfold Unknowns.form_value; cbn [fold_right]; rewrite sum_zero by reflexivity; ring|].
    unfold Unknowns.form_value in *. cbn [fold_right map]. unfold timed in IH. rewrite IH. cbn [fold_right].
    rewrite sum_plus.
    unfold term_value, factor_value. cbn [fold_right fst snd map Unknowns.meaning m_lo m_size m_x m_world m_lab].
    unfold sum_beside. ring.
  Qed.
  Lemma stretch_true p q x y w lab lo m last (sd : bool) r i t : telling = true -> in_strip p q x y w lab -> all_places lab ->
    blank_beyond lo m w -> (r < height)%nat -> let h := part_here parts x in
    (if sd then (h <=? after_input pieces)%N else (1 <=? h)%N) = true ->
    In t (stretch_form sd h (there sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) r i) ->
    form_value (Moment lo m x w lab last) (Moment lo m x w lab last) (timed false t) = 0.
  Proof.
    intros T HI Hp Hb Hr h Hh Ht. unfold stretch_form in Ht. set (mask := there _ _ _) in Ht.
    set (some := cells_there mask h r) in Ht.
    destruct (worth_there i some) as [z|] eqn:Ez; [|contradiction]. destruct Ht as [<-|[]].
    set (a := over_ (system_at i)). set (b := under (system_at i)).
    pose proof HI as (Hover & _). pose proof (same_length _ _ _ _ _ parts_ok) as Hlen. unfold after_input in Hh.
    assert (Hz : z <> 0%Z /\ forall fc, In fc some -> same_worth i (snd fc) = Some z).
    { unfold worth_there in Ez. destruct some as [|fc0 rest] eqn:Es; [discriminate|]. rewrite <- Es in *.
      destruct (same_worth i (snd fc0)) as [z0|]; [|discriminate].
      destruct (forallb _ some && _) eqn:E; [|discriminate]. injection Ez as ->. apply andb_true_iff in E as [E1 E2].
      rewrite forallb_forall in E1.
      split; [intros ->; discriminate|]. intros fc Hfc. specialize (E1 fc Hfc).
      destruct (same_worth i (snd fc)) as [z'|]; [|discriminate].
      apply Z.eqb_eq in E1. congruence. }
    destruct Hz as [Hz0 Hz].
    set (yr := (low + Z.of_nat r)%Z).
    assert (Hpart : forall X, in_part (told_at (place_of (label_at (lab X)))) = part_here parts X) by (intros X;
      apply Hp).
    assert (Hside : forall X, on_side sd x X = true -> (0 < sg sd * (X - x))%Z).
    { intros X HX. unfold on_side, sg in *. destruct sd; apply Z.ltb_lt in HX; lia. }
    assert (Hin : forall X, on_side sd x X = true -> part_here parts X = h ->
      In (is_fresh (label_at (lab X)), class_of (w X yr)) some).
    { intros X HX HjX. apply filter_In. split.
      - apply in_prod; [destruct (is_fresh _); cbn; auto | apply nodup_In, in_map, in_below, Hover].
      - cbn [fst snd]. rewrite <- HjX, <- Hpart. unfold mask.
        eapply there_here; [exact T | exact HI | apply Hside; exact HX |].
        apply cells_mask_bit; [exact Hr|]. eapply class_here; eassumption. }
    assert (Hworth : forall X, on_side sd x X = true -> part_here parts X = h -> worth (system_at i) (w X yr) = z).
    { intros X HX HjX. eapply same_worth_ok; [exact (Hz _ (Hin X HX HjX)) | reflexivity | apply Hover]. }
    set (gs := nodup group_eq_dec (map (group_there h) some)).
    assert (Hgs : forall g, In g gs -> exists fc, In fc some /\ g = group_there h fc).
    { intros g Hg. apply nodup_In, in_map_iff in Hg as (fc & <- & Hfc). eauto. }
    set (inside_ := fun X => on_side sd x X && (part_here parts X =? h)%N).
    assert (Hcol : forall X,
      fold_right (fun g a => beside (fun l => in_group class_of told_at g r (label_at l)) sd x lab
      (amount system_at low parts i r w) X + a) 0 gs =
      if inside_ X then whole z * Unknowns.weight system_at parts i X else 0).
    { intros X. unfold beside.
      rewrite sum_of_groups; [|apply NoDup_nodup | intros g Hg; destruct (Hgs g Hg) as (fc & _ & ->);
        apply in_group_is].
      unfold inside_. destruct (on_side sd x X) eqn:Eo; cbn [andb]; [|reflexivity].
      destruct (N.eqb_spec (part_here parts X) h) as [Ej|Nj].
      - replace (existsb _ gs) with true; [unfold amount; fold yr; rewrite (Hworth X Eo Ej); reflexivity|]. symmetry.
        apply existsb_exists.
        exists (group_there h (is_fresh (label_at (lab X)), class_of (w X yr))).
        split; [apply nodup_In, in_map, Hin; assumption|].
        apply in_group_is. unfold group_at, group_there. cbn [fst snd]. rewrite Hpart, Ej.
        destruct (is_fresh (label_at (lab X))); [reflexivity|].
        rewrite (class_here _ _ _ _ _ _ X r HI Hr). reflexivity.
      - replace (existsb _ gs) with false; [reflexivity|]. symmetry. destruct (existsb _ gs) eqn:Ex; [|reflexivity].
        exfalso.
        apply existsb_exists in Ex as (g & Hg & Eg). destruct (Hgs g Hg) as (fc & _ & ->). apply in_group_is in Eg.
        apply Nj. rewrite <- Hpart.
        unfold group_at, group_there in Eg.
        destruct (is_fresh (label_at (lab X))), (fst fc); try discriminate; [congruence | | ];
          destruct (class_at class_of (label_at (lab X)) r); try discriminate; cbn [option_map] in Eg; congruence. }
    (* where they begin and end *)
    assert (Before : forall k X, (k <= length pieces)%nat -> (Z.of_nat (offset parts k) <= X)%Z <->
      (N.of_nat k < part_here parts X)%N).
    { intros k X Hk. split; [|apply part_here_from; lia]. intros H.
      destruct (N.lt_ge_cases (N.of_nat k) (part_here parts X)) as [|Hge]; [assumption|].
      pose proof (part_here_before parts X k ltac:(lia) Hge). lia. }
    set (s := if sd then (x + 1)%Z else Z.of_nat (offset parts (N.to_nat (N.pred h)))).
    set (f := if sd then Z.of_nat (offset parts (N.to_nat h)) else x).
    assert (Region : (s <= f)%Z /\ forall X, inside_ X = true <-> (s <= X < f)%Z).
    { unfold s, f, inside_, on_side, h in *. clear - Before Hh Hlen.
      pose proof (part_here_most parts x). destruct sd; apply N.leb_le in Hh.
      - pose proof (fun X => Before (N.to_nat (part_here parts x)) X ltac:(lia)) as B. pose proof (B x).
        split; [lia|]. intros X. rewrite andb_true_iff, Z.ltb_lt, N.eqb_eq. specialize (B X). split; [lia|]. intros HX.
        pose proof (part_here_grows parts x X ltac:(lia)). lia.
      - pose proof (fun X => Before (N.to_nat (N.pred (part_here parts x))) X ltac:(lia)) as B. pose proof (B x).
        split; [lia|]. intros X. rewrite andb_true_iff, Z.ltb_lt, N.eqb_eq. specialize (B X). split; [lia|]. intros HX.
        pose proof (part_here_grows parts X x ltac:(lia)). lia. }
    destruct Region as [Hsf Hregion]. set (k := Z.to_nat (f - s)).
    assert (Total : sum lo m (fun X => if inside_ X then whole z * Unknowns.weight system_at parts i X else 0) =
      sum s k (fun X => whole z * Unknowns.weight system_at parts i X)).
    { assert (Within : forall X, (s <= X < f)%Z -> (lo <= X < lo + Z.of_nat m)%Z).
      { intros X HX. apply Hregion in HX. unfold inside_ in HX. apply andb_true_iff in HX as [HX1 HX2].
        apply N.eqb_eq in HX2.
        destruct (Z_lt_dec X lo); [|destruct (Z_lt_dec X (lo + Z.of_nat m)); [lia|]]; exfalso; apply Hz0;
          rewrite <- (Hworth X HX1 HX2), (Hb X yr) by lia; apply blank_worth. }
      assert (Out : forall X, (X < s \/ f <= X)%Z -> inside_ X = false).
      { intros X HX. destruct (inside_ X) eqn:E; [|reflexivity]. apply Hregion in E. lia. }
      destruct (Z.eq_dec s f) as [E|Ne].
      - replace k with O by lia. cbn [sum]. apply sum_zero. intros X _. rewrite Out by lia. reflexivity.
      - pose proof (Within s ltac:(lia)). pose proof (Within (f - 1)%Z ltac:(lia)).
        rewrite (sum_within lo m _ s k); [|lia | lia |].
        + apply sum_same. intros X HX. replace (inside_ X) with true by (symmetry; apply Hregion; lia). reflexivity.
        + intros X HX. rewrite Out by lia. reflexivity. }
    unfold timed. rewrite map_app. fold (timed false (map (fun g => ((a - b)%Z, [Sum_beside i sd r g])) gs)).
    rewrite form_value_app, sums_of_groups.
    rewrite (sum_same m _ (fun X => if inside_ X then whole z * Unknowns.weight system_at parts i X else 0)) by
      (intros X _; apply Hcol). rewrite Total.
    assert (Ed : whole (a - b) = whole a - whole b).
    { replace (a - b)%Z with (a + - b)%Z by lia. rewrite whole_plus, whole_opp. ring. }
    rewrite Ed. unfold a, b. rewrite series by exact bases. replace (s + Z.of_nat k)%Z with f by lia. fold a b.
    set (W := Unknowns.weight system_at parts) in *.
    assert (Hscale : forall X, W (scale system_at ids i) X = W i X) by (intros X; apply scale_weight).
    unfold s, f, timed, Unknowns.form_value, term_value, factor_value.
    destruct sd; cbn [map fold_right fst snd Unknowns.meaning m_x]; fold W; rewrite !Hscale, !whole_opp, !whole_mult.
    - pose proof (weight_right system_at bases parts i x 1) as R. cbn [Qcpower] in R. fold W a b in R.
      change (Z.of_nat 1) with 1%Z in R. set (F := W i (Z.of_nat (offset parts (N.to_nat h)))).
      transitivity (whole z * (whole a * W i (x + 1)%Z - W i x * (whole b * 1))); [ring|]. rewrite R. ring.
    - ring.
  Qed.
  Lemma forms_true p q x y w lab lo m last deep t : in_strip p q x y w lab -> all_places lab ->
    blank_beyond lo m w ->
    In t (forms_at deep (kind_of p) (lab x) (coarse_at (lab (x + -1)%Z)) (coarse_at (lab (x + 1)%Z))) ->
    form_value (Moment lo m x w lab last) (Moment lo m x w lab last) (timed false t) = 0.
  Proof.
    intros HI Hp Hb Ht. unfold forms_at in Ht.
    destruct (deep && telling) eqn:T; [|contradiction]. apply andb_true_iff in T as [_ T].
    replace (in_part (told_at (place_of (label_at (lab x))))) with (part_here parts x) in Ht by (symmetry; apply Hp).
    assert (Side : forall sd,
      In t (side_forms sd (part_here parts x) (there sd (kind_of p) (coarse_at (lab (x + sg sd)%Z)))) ->
      form_value (Moment lo m x w lab last) (Moment lo m x w lab last) (timed false t) = 0).
    { intros sd H. unfold side_forms in H. match type of H with In _ (if ?c then _ else _) => destruct c eqn:E end;
        [|contradiction].
      apply in_flat_map in H as (r & Hr & H). apply in_flat_map in H as (i & _ & H). apply in_seq in Hr.
      eapply (stretch_true _ _ _ _ _ _ _ _ _ sd r); try eassumption. lia. }
    apply in_app_or in Ht as [Ht|Ht]; [exact (Side false Ht) | exact (Side true Ht)].
  Qed.
  Lemma cell_worth_ok i v s z : cell_worth system_at same_worth i v = Some z -> holds class_of v s -> (s < n)%N ->
    worth (system_at i) s = z.
  Proof. destruct v; cbn; [intros E ->; congruence | intros E Hs; apply (same_worth_ok _ _ _ _ E Hs)]. Qed.

  Variable last : Z.
  Lemma situation_true deep p q x y w lab lo m read : in_strip p q x y w lab -> all_places lab -> blank_beyond lo m w ->
    (read = None \/ read = Some (w x y)) ->
    true_situation (Moment lo m x w lab last) (situation_at deep (here (s_d e) coarse_at p q x y lab) read).
  Proof.
    intros HI Hp Hb Hread. pose proof HI as (Hover & Hy & Hout & Hfit & _ & _). unfold situation_at, here.
    cbn [near head_of]. split; [|split; [|split]]; cbn [s_cells s_zeros s_at s_forms].
    - intros r t Ht i z Ez. rewrite nth_error_map in Ht. destruct (nth_error _ r) as [v|] eqn:Ev in Ht; [|discriminate].
      cbn [option_map] in Ht. injection Ht as <-. cbn [Unknowns.meaning m_world m_x]. unfold amount.
      assert (Hr : (r < height)%nat).
      { destruct (Nat.lt_ge_cases r height) as [|Hge]; [assumption|]. exfalso.
        assert (nth_error (firstn height (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s)
          (cells_of (label_at (lab x)))
                  | None => cells_of (label_at (lab x)) end)) r = None) by (apply nth_error_None; rewrite firstn_length;
                    lia). congruence. }
      assert (Hh : holds class_of v (w x (low + Z.of_nat r)%Z)).
      { destruct (Hfit x r Hr) as (v0 & Hv0 & Hh0).
        assert (Hcases : nth_error (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s)
          (cells_of (label_at (lab x)))
                  | None => cells_of (label_at (lab x)) end) r = Some v).
        { clear - Ev Hr. revert Ev.
          generalize (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) (cells_of (label_at (lab x)))
                  | None => cells_of (label_at (lab x)) end). intros l. revert Hr. generalize height. intros h.
                  revert l r.
          induction h as [|h IH]; intros [|a l] [|r] Hr E; cbn in *; try lia; try discriminate; auto.
          eapply IH; [|exact E]. lia. }
        destruct read as [s|].
        - destruct Hread as [Hread|Hread]; [discriminate|]. injection Hread as ->.
          destruct (Nat.eq_dec r (Z.to_nat (y - low))) as [->|Ne].
          + rewrite (nth_set_same _ _ _ _ Hv0) in Hcases. injection Hcases as <-. cbn [holds]. f_equal.
            unfold inside in Hy. lia.
          + rewrite nth_set_other in Hcases by congruence. rewrite Hv0 in Hcases. injection Hcases as <-. exact Hh0.
        - rewrite Hv0 in Hcases. injection Hcases as <-. exact Hh0. }
      rewrite (cell_worth_ok _ _ _ _ Ez Hh (Hover _ _)). reflexivity.
    - intros v Hv Ht. rewrite left_mask_is, right_mask_is, N.lor_spec, !N.ldiff_spec in Ht.
      assert (G : forall sd, N.testbit (side_mask sd) v &&
        negb (N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) v) = true ->
                meaning (Moment lo m x w lab last) (name_at v) = 0).
      { intros sd E. apply andb_true_iff in E as [E1 E2]. apply negb_true_iff in E2. unfold side_mask in E1.
        rewrite mask_bit in E1 by exact Hv. destruct (name_at v) as [| | | | |i rt r g] eqn:En; try discriminate.
        apply eqb_prop in E1. subst rt. cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab].
        unfold sum_beside. apply sum_zero. intros X _. unfold beside. destruct (on_side sd x X) eqn:Eo; [|reflexivity].
        destruct (in_group class_of told_at g r (label_at (lab X))) eqn:Eg; [|reflexivity]. exfalso.
        rewrite <- (mask_at_bit _ _ _ _ _ _ Hv En) in Eg.
        assert (N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) v = true); [|congruence].
        eapply reach_here with (X := X); [exact HI | | exact Eg].
        unfold on_side, sg in *. destruct sd; [apply Z.ltb_lt in Eo | apply Z.ltb_lt in Eo]; lia. }
      apply orb_true_iff in Ht as [Ht|Ht]; [apply (G false) | apply (G true)]; exact Ht.
    - intros k d Hin. cbn [m_x]. eapply lies_at_ok; [exact parts_ok | apply Hp | | | exact Hin].
      + intros j E. injection E as <-. apply (coarse_told_here parts _ _ _ _ _ _ (x - 1)%Z HI Hp). lia.
      + intros j E. injection E as <-. apply (coarse_told_here parts _ _ _ _ _ _ (x + 1)%Z HI Hp). lia.
    - intros t Ht. eapply forms_true; [exact HI | exact Hp | exact Hb | exact Ht].
  Qed.
End True.
