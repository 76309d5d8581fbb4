(** (V12), the end: where the result stands, and where its last column lies. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Starts Places Polynomials Sums Unknowns Facts Values Invariants Output Stretches.
Import ListNotations.

Definition unit : Type := list (N * Z).               (* where a column lies: a part, and the columns after its first *)
Definition unit_eqb : unit -> unit -> bool := list_eqb (fun x y => (fst x =? fst y)%N && (snd x =? snd y)%Z).
Lemma unit_eqb_eq a b : unit_eqb a b = true -> a = b.
Proof.
  apply list_eqb_eq. intros [x1 x2] [y1 y2] E. cbn in E. apply andb_true_iff in E as [E1 E2].
  apply N.eqb_eq in E1. apply Z.eqb_eq in E2. congruence.
Qed.

Section Ends.
  Variables (n : N) (e : strip).
  Variables (label_at : N -> label) (coarse_at : N -> N) (class_of : symbol -> N) (kind_of : state -> N) (told_at : N -> told).
  Variable pieces : list clause.
  Variables (name_at : N -> name) (count : N) (mask_at : N -> N).
  Variable coarse_told : N -> told.
  Variable reach : bool -> N -> N -> N.
  Variable row : nat.
  Variable allowed : symbol -> bool.
  Variable level_at : bool -> N -> N -> level.
  Variable units : list unit.
  Notation low := (s_low e).
  Notation in_strip := (labelled n (s_low e) (s_height e) (s_d e) class_of kind_of label_at coarse_at (s_elements e) (s_grams e)).

  Definition unit_bit (i : nat) : N := (count + N.of_nat i)%N.
  Definition numbered_units : list (nat * unit) := combine (seq 0 (length units)) units.
  Definition has_unit (mask : N) (u : unit) : bool :=
    existsb (fun iu => unit_eqb u (snd iu) && N.testbit mask (unit_bit (fst iu))) numbered_units.
  Definition units_in (mask : N) : list unit :=
    map snd (filter (fun iu => N.testbit mask (unit_bit (fst iu))) numbered_units).
  Lemma has_unit_in mask u : has_unit mask u = true -> forall mask', (forall v, N.testbit mask v = true -> N.testbit mask' v = true) ->
    In u (units_in mask').
  Proof.
    intros H mask' Hm. apply existsb_exists in H as ([i u'] & Hin & E). cbn [fst snd] in E. apply andb_true_iff in E as [E1 E2].
    apply unit_eqb_eq in E1. subst u'. unfold units_in. apply in_map_iff. exists (i, u). split; [reflexivity|].
    apply filter_In. split; [exact Hin | apply Hm; exact E2].
  Qed.

  (** The column that a gram shows to be the last of a result. *)
  Definition unit_of (g : gram) : option unit :=
    let '(sd, K, x, w) := g in
    match sd, level_at sd K (coarse_at x), level_at sd K (head_of w) with
    | true, Stretch, Nothing_more =>
        Some (lies_at pieces None (told_at (place_of (label_at x))) (Some (in_part (coarse_told (head_of w)))))
    | false, Later, Stretch =>
        Some (lies_at pieces None (coarse_told (head_of w)) (Some (in_part (told_at (place_of (label_at x))))))
    | _, _, _ => None
    end.
  Definition units_ok : bool :=
    forallb (fun g => match unit_of g with
                      | Some u => let '(sd, K, x, _) := g in has_unit (reach sd K (coarse_at x)) u
                      | None => true
                      end) (s_grams e).

  Definition end_units (el : Strips.element) (read : symbol) : option (list unit) :=
    let '(p, _, y, c, l, r) := el in
    let K := kind_of p in
    let cells := set_nth (Z.to_nat (y - low)) (Is read) (cells_of (label_at c)) in
    let here := told_at (place_of (label_at c)) in
    let from sd first := Some (units_in (reach sd K first)) in
    if shows_symbol n e class_of row allowed cells then
      match level_at false K (head_of l), level_at true K (head_of r) with
      | Nothing_more, Nothing_more | Stretch, Nothing_more =>
          Some [lies_at pieces (Some (in_part (coarse_told (head_of l)))) here (Some (in_part (coarse_told (head_of r))))]
      | Nothing_more, Stretch | Stretch, Stretch => from true (head_of r)
      | _, _ => None
      end
    else if shows_blank e class_of row cells then
      match level_at false K (head_of l), level_at true K (head_of r) with
      | Nothing_more, Stretch | Nothing_more, Later => from true (head_of r)
      | Stretch, Nothing_more => Some [lies_at pieces None (coarse_told (head_of l)) (Some (in_part here))]
      | Later, Nothing_more => from false (head_of l)
      | _, _ => None
      end
    else None.

  Hypothesis all_grams : grams_ok e label_at coarse_at told_at coarse_told reach mask_at = true.
  Hypothesis all_levels : levels_ok n e label_at coarse_at class_of told_at pieces row allowed level_at = true.
  Hypothesis all_units : units_ok = true.

  Section At.
    Variables (parts : list (list symbol)) (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis inside_strip : in_strip p q x y w lab.
    Hypothesis places : all_places label_at told_at parts lab.
    Hypothesis blank : blank_beyond lo m w.
    Hypothesis fresh : fresh_beyond label_at lo m lab.
    Hypothesis head_within : (lo <= x < lo + Z.of_nat m)%Z.
    Notation symbol_column := (symbol_column e row allowed w).
    Notation blank_column := (blank_column w).
    Notation level_of := (level_of coarse_at kind_of level_at p x lab).
    Notation column := (column x).

    (** A result stands in columns a to b. *)
    Definition stands_from (a b : Z) : Prop :=
      (a <= b)%Z /\ (forall X, (a <= X <= b)%Z -> symbol_column X) /\ (forall X, (X < a \/ b < X)%Z -> blank_column X).
    Definition at_unit (b : Z) (u : unit) : Prop := forall k d, In (k, d) u -> b = (Z.of_nat (offset parts (N.to_nat k)) + d)%Z.

    Lemma lens : length parts = length pieces.
    Proof. symmetry. eapply same_length. exact parts_ok. Qed.

    Definition nothing_after := nothing_more n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip.
    Definition symbol_shown := shows_symbol_ok n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip.
    Definition blank_shown := shows_blank_ok n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip.

    (** To one side: a stretch that begins beside the head, perhaps empty. *)
    Lemma stretch_beside sd : level_of sd 1 = Nothing_more \/ level_of sd 1 = Stretch ->
      exists k, (1 <= k)%nat /\ (forall j, (1 <= j < k)%nat -> symbol_column (column sd j)) /\
        (forall j, (k <= j)%nat -> blank_column (column sd j)) /\ level_of sd k = Nothing_more /\
        (level_of sd 1 = Stretch -> (1 < k)%nat /\ level_of sd (k - 1) = Stretch).
    Proof.
      intros [H|H].
      - exists 1%nat. split; [lia|]. split; [intros; lia|]. split; [|split; [exact H | congruence]].
        eapply nothing_after; [|exact H]; lia.
      - destruct (stretch n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab lo m lens inside_strip places blank fresh head_within sd 1)
          as (k & Hk & Hs & He); [lia | exact H |].
        exists k. split; [lia|]. split; [intros j Hj; apply Hs; lia|]. split; [|split; [exact He | intros _; split; [exact Hk | apply Hs; lia]]].
        eapply nothing_after; [|exact He]; lia.
    Qed.
    (** Or one that begins later. *)
    Lemma stretch_somewhere sd : level_of sd 1 = Stretch \/ level_of sd 1 = Later ->
      exists i k, (1 <= i < k)%nat /\ (forall j, (1 <= j < i)%nat -> blank_column (column sd j)) /\
        (forall j, (i <= j < k)%nat -> symbol_column (column sd j)) /\ (forall j, (k <= j)%nat -> blank_column (column sd j)) /\
        level_of sd k = Nothing_more /\ level_of sd (k - 1) = Stretch /\ level_of sd i = Stretch /\
        (level_of sd 1 = Later -> (1 < i)%nat /\ level_of sd (i - 1) = Later).
    Proof.
      assert (G : forall i, (1 <= i)%nat -> level_of sd i = Stretch ->
        exists k, (i < k)%nat /\ (forall j, (i <= j < k)%nat -> symbol_column (column sd j)) /\ (forall j, (k <= j)%nat -> blank_column (column sd j)) /\
          level_of sd k = Nothing_more /\ level_of sd (k - 1) = Stretch).
      { intros i Hi H. destruct (stretch n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab lo m lens inside_strip places blank fresh head_within sd i Hi H)
          as (k & Hk & Hs & He). exists k. split; [exact Hk|]. split; [intros j Hj; apply Hs; lia|]. split; [|split; [exact He | apply Hs; lia]].
        eapply nothing_after; [|exact He]; lia. }
      intros [H|H].
      - destruct (G 1%nat ltac:(lia) H) as (k & Hk & Hs & Hb & He & Hl). exists 1%nat, k. split; [lia|].
        split; [intros; lia|]. split; [exact Hs|]. split; [exact Hb|]. split; [exact He|]. split; [exact Hl|]. split; [exact H | congruence].
      - destruct (later n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab lo m lens inside_strip places blank fresh head_within sd 1 ltac:(lia) H)
          as (i & Hi & Hb0 & Hs0). destruct (G i ltac:(lia) Hs0) as (k & Hk & Hs & Hb & He & Hl). exists i, k. split; [lia|].
        split; [intros j Hj; apply Hb0; lia|]. split; [exact Hs|]. split; [exact Hb|]. split; [exact He|]. split; [exact Hl|].
        split; [exact Hs0|]. intros _. split; [lia|]. apply Hb0. lia.
    Qed.

    Lemma gram_at sd X : (0 < sg sd * (X - x))%Z -> In (sd, kind_of p, lab X, near coarse_at (S (s_d e)) (sg sd) lab X) (s_grams e).
    Proof. apply grams_here with (1 := inside_strip). Qed.
    Lemma told_true X : X <> x -> true_place parts X (coarse_told (coarse_at (lab X))).
    Proof. intros HX. apply (coarse_told_here n e label_at coarse_at class_of kind_of told_at name_at count coarse_told reach mask_at _ _ eq_refl eq_refl all_grams
      parts p q x y w lab X inside_strip places HX). Qed.
    Definition nearer sd X u := reach_nearer n e label_at coarse_at class_of kind_of told_at name_at count coarse_told reach mask_at _ _ eq_refl eq_refl all_grams
      p q x y w lab sd X u inside_strip.
    Lemma unit_true jl t jr b : true_place parts b t -> (forall j, jl = Some j -> j = part_here parts (b - 1)) ->
      (forall j, jr = Some j -> j = part_here parts (b + 1)) -> at_unit b (lies_at pieces jl t jr).
    Proof. intros H1 H2 H3 k d Hin. eapply lies_at_ok; eauto. Qed.

    Lemma next_column sd k : (1 < k)%nat -> (column sd (k - 1) + sg sd)%Z = column sd k.
    Proof. unfold Stretches.column. destruct sd; unfold sg; lia. Qed.
    (** What a gram beside the head shows is known at the head. *)
    Lemma unit_known sd k u : (1 <= k)%nat ->
      unit_of (sd, kind_of p, lab (column sd k), near coarse_at (S (s_d e)) (sg sd) lab (column sd k)) = Some u ->
      In u (units_in (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z)))).
    Proof.
      intros Hk E. assert (Hb : (0 < sg sd * (column sd k - x))%Z) by (unfold Stretches.column; destruct sd; unfold sg; lia).
      pose proof all_units as Hu. unfold units_ok in Hu. rewrite forallb_forall in Hu. specialize (Hu _ (gram_at sd _ Hb)).
      rewrite E in Hu. eapply has_unit_in; [exact Hu|]. intros v Hv. exact (nearer _ _ _ Hb Hv).
    Qed.

    Lemma unit_right k : (1 < k)%nat -> level_of true (k - 1) = Stretch -> level_of true k = Nothing_more ->
      exists u, In u (units_in (reach true (kind_of p) (coarse_at (lab (x + 1)%Z)))) /\ at_unit (column true (k - 1)) u.
    Proof.
      intros Hk Hs He. eexists. split.
      - eapply (unit_known true (k - 1)); [lia|]. cbn [unit_of near head_of]. rewrite next_column by exact Hk.
        unfold Stretches.level_of in Hs, He. rewrite Hs, He. reflexivity.
      - set (b := column true (k - 1)). apply unit_true; [apply places | discriminate |]. intros j E. injection E as <-.
        replace (b + 1)%Z with (column true k) by (unfold b, Stretches.column, sg; lia).
        apply told_true. unfold Stretches.column, sg. lia.
    Qed.
    Lemma unit_left i : (1 < i)%nat -> level_of false (i - 1) = Later -> level_of false i = Stretch ->
      exists u, In u (units_in (reach false (kind_of p) (coarse_at (lab (x + -1)%Z)))) /\ at_unit (column false i) u.
    Proof.
      intros Hi Hl Hs. eexists. split.
      - eapply (unit_known false (i - 1)); [lia|]. cbn [unit_of near head_of]. rewrite next_column by exact Hi.
        unfold Stretches.level_of in Hs, Hl. rewrite Hs, Hl. reflexivity.
      - set (b := column false (i - 1)). apply unit_true; [apply told_true; unfold Stretches.column, sg; lia | discriminate |]. intros j E. injection E as <-.
        replace (column false i + 1)%Z with b by (unfold b, Stretches.column, sg; lia). apply places.
    Qed.

    Lemma head_fits : fits_cells e class_of w (set_nth (Z.to_nat (y - low)) (Is (w x y)) (cells_of (label_at (lab x)))) x.
    Proof.
      destruct inside_strip as (_ & Hy & _ & Hfit & _). intros i Hi. destruct (Hfit x i Hi) as (v & Hv & Hh).
      destruct (Nat.eq_dec i (Z.to_nat (y - low))) as [->|Ne].
      - exists (Is (w x y)). split; [eapply nth_set_same; exact Hv|]. cbn [holds]. f_equal. unfold inside in Hy. lia.
      - exists v. split; [rewrite nth_set_other by congruence; exact Hv | exact Hh].
    Qed.

    Lemma end_units_ok us : end_units (here (s_d e) coarse_at p q x y lab) (w x y) = Some us ->
      exists a b u, stands_from a b /\ In u us /\ at_unit b u.
    Proof.
      intros H. unfold end_units, here in H. cbn [near head_of] in H.
      change (level_at false (kind_of p) (coarse_at (lab (x + -1)%Z))) with (level_of false 1) in H.
      change (level_at true (kind_of p) (coarse_at (lab (x + 1)%Z))) with (level_of true 1) in H.
      set (cells := set_nth _ _ _) in H. pose proof head_fits as Hf. fold cells in Hf.
      assert (Hright : forall k, (1 <= k)%nat -> (forall j, (1 <= j < k)%nat -> symbol_column (column true j)) -> forall X, (x < X < x + Z.of_nat k)%Z -> symbol_column X).
      { intros k _ Hs X HX. replace X with (column true (Z.to_nat (X - x))) by (unfold Stretches.column, sg; lia). apply Hs. lia. }
      assert (Hleft : forall k, (1 <= k)%nat -> (forall j, (1 <= j < k)%nat -> symbol_column (column false j)) -> forall X, (x - Z.of_nat k < X < x)%Z -> symbol_column X).
      { intros k _ Hs X HX. replace X with (column false (Z.to_nat (x - X))) by (unfold Stretches.column, sg; lia). apply Hs. lia. }
      assert (Bright : forall k, (1 <= k)%nat -> (forall j, (k <= j)%nat -> blank_column (column true j)) -> forall X, (x + Z.of_nat k <= X)%Z -> blank_column X).
      { intros k Hk Hs X HX. replace X with (column true (Z.to_nat (X - x))) by (unfold Stretches.column, sg; lia). apply Hs. lia. }
      assert (Bleft : forall k, (1 <= k)%nat -> (forall j, (k <= j)%nat -> blank_column (column false j)) -> forall X, (X <= x - Z.of_nat k)%Z -> blank_column X).
      { intros k Hk Hs X HX. replace X with (column false (Z.to_nat (x - X))) by (unfold Stretches.column, sg; lia). apply Hs. lia. }
      destruct (shows_symbol n e class_of row allowed cells) eqn:Esym.
      - assert (Hx : symbol_column x).
        { eapply symbol_shown; [exact Hf | exact Esym]. }
        assert (Hll : level_of false 1 = Nothing_more \/ level_of false 1 = Stretch) by (destruct (level_of false 1), (level_of true 1); try discriminate; auto).
        assert (Hlr : level_of true 1 = Nothing_more \/ level_of true 1 = Stretch) by (destruct (level_of false 1), (level_of true 1); try discriminate; auto).
        destruct (stretch_beside false Hll) as (kl & Hkl & Sl & Bl & _). destruct (stretch_beside true Hlr) as (kr & Hkr & Sr & Br & Er & Lr).
        assert (Hstand : stands_from (x - Z.of_nat kl + 1) (x + Z.of_nat kr - 1)).
        { split; [lia|]. split.
          - intros X HX. destruct (Z.lt_total X x) as [Hlt|[->|Hgt]]; [apply (Hleft kl Hkl Sl); lia | exact Hx | apply (Hright kr Hkr Sr); lia].
          - intros X [HX|HX]; [apply (Bleft kl Hkl Bl); lia | apply (Bright kr Hkr Br); lia]. }
        exists (x - Z.of_nat kl + 1)%Z, (x + Z.of_nat kr - 1)%Z.
        destruct Hlr as [Hlr|Hlr]; rewrite Hlr in *.
        + assert (kr = 1)%nat.
          { destruct (Nat.eq_dec kr 1); [assumption|]. exfalso. destruct (Sr 1%nat ltac:(lia)) as (_ & Hnb & _). apply Hnb.
            apply (nothing_after true 1%nat ltac:(lia) Hlr 1%nat ltac:(lia)). }
          subst kr. assert (Eus : us = [lies_at pieces (Some (in_part (coarse_told (coarse_at (lab (x + -1)%Z))))) (told_at (place_of (label_at (lab x))))
              (Some (in_part (coarse_told (coarse_at (lab (x + 1)%Z)))))]) by (destruct Hll as [Hll|Hll]; rewrite Hll in H; congruence).
          eexists. split; [exact Hstand|]. split; [rewrite Eus; left; reflexivity|].
          replace (x + Z.of_nat 1 - 1)%Z with x by lia. apply unit_true; [apply places | |].
          * intros j E. injection E as <-. apply (told_true (x - 1)%Z). lia.
          * intros j E. injection E as <-. apply (told_true (x + 1)%Z). lia.
        + destruct (Lr eq_refl) as [Hk1 Hlk]. destruct (unit_right kr Hk1 Hlk Er) as (u & Hu & Hat).
          assert (Eus : us = units_in (reach true (kind_of p) (coarse_at (lab (x + 1)%Z)))) by (destruct Hll as [Hll|Hll]; rewrite Hll in H; congruence).
          exists u. split; [exact Hstand|]. split; [rewrite Eus; exact Hu|].
          replace (x + Z.of_nat kr - 1)%Z with (column true (kr - 1)) by (unfold Stretches.column, sg; lia). exact Hat.
      - destruct (shows_blank e class_of row cells) eqn:Eb; [|discriminate].
        assert (Hx : blank_column x).
        { eapply blank_shown; [exact Hf | exact Eb]. }
        assert (Hcases : (level_of false 1 = Nothing_more /\ (level_of true 1 = Stretch \/ level_of true 1 = Later)) \/
                         (level_of true 1 = Nothing_more /\ (level_of false 1 = Stretch \/ level_of false 1 = Later))).
        { destruct (level_of false 1), (level_of true 1); try discriminate; auto. }
        destruct Hcases as [[Hno Hsome]|[Hno Hsome]]; rewrite Hno in H.
        + destruct (stretch_somewhere true Hsome) as (i & k & Hik & B0 & S1 & B2 & Ek & Lk & _).
          assert (Bl : forall X, (X <= x - Z.of_nat 1)%Z -> blank_column X).
          { apply (Bleft 1%nat); [lia|]. eapply nothing_after; [|exact Hno]; lia. }
          assert (Eus : us = units_in (reach true (kind_of p) (coarse_at (lab (x + 1)%Z)))) by (destruct Hsome as [Hs|Hs]; rewrite Hs in H; congruence).
          destruct (unit_right k ltac:(lia) Lk Ek) as (u & Hu & Hat).
          exists (x + Z.of_nat i)%Z, (x + Z.of_nat k - 1)%Z, u. split; [|split; [rewrite Eus; exact Hu|]].
          * split; [lia|]. split.
            -- intros X HX. replace X with (column true (Z.to_nat (X - x))) by (unfold Stretches.column, sg; lia). apply S1. lia.
            -- intros X [HX|HX]; [|apply (Bright k ltac:(lia) B2); lia]. destruct (Z.lt_total X x) as [Hlt|[->|Hgt]]; [apply Bl; lia | exact Hx |].
               replace X with (column true (Z.to_nat (X - x))) by (unfold Stretches.column, sg; lia). apply B0. lia.
          * replace (x + Z.of_nat k - 1)%Z with (column true (k - 1)) by (unfold Stretches.column, sg; lia). exact Hat.
        + destruct (stretch_somewhere false Hsome) as (i & k & Hik & B0 & S1 & B2 & Ek & Lk & Li & Hlater).
          assert (Br : forall X, (x + Z.of_nat 1 <= X)%Z -> blank_column X).
          { apply (Bright 1%nat); [lia|]. eapply nothing_after; [|exact Hno]; lia. }
          assert (Hstand : stands_from (x - Z.of_nat k + 1) (x - Z.of_nat i)).
          { split; [lia|]. split.
            - intros X HX. replace X with (column false (Z.to_nat (x - X))) by (unfold Stretches.column, sg; lia). apply S1. lia.
            - intros X [HX|HX]; [apply (Bleft k ltac:(lia) B2); lia|]. destruct (Z.lt_total X x) as [Hlt|[->|Hgt]]; [|exact Hx | apply Br; lia].
              replace X with (column false (Z.to_nat (x - X))) by (unfold Stretches.column, sg; lia). apply B0. lia. }
          destruct Hsome as [Hs|Hs]; rewrite Hs in H.
          * assert (i = 1)%nat.
            { destruct (Nat.eq_dec i 1); [assumption|]. exfalso. specialize (B0 1%nat ltac:(lia)).
              pose proof (column_level n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip false 1 ltac:(lia)) as Hc.
              rewrite Hs in Hc. destruct Hc as [(_ & Hc & _) _]. apply Hc. apply B0. }
            subst i. do 3 eexists. split; [exact Hstand|]. split; [injection H as <-; left; reflexivity|].
            replace (x - Z.of_nat 1)%Z with (x - 1)%Z by lia. change (x + -1)%Z with (x - 1)%Z.
            apply unit_true; [apply told_true; lia | discriminate |]. intros j E. injection E as <-.
            replace (x - 1 + 1)%Z with x by lia. apply places.
          * destruct (Hlater Hs) as [Hi1 Hl]. destruct (unit_left i Hi1 Hl Li) as (u & Hu & Hat).
            exists (x - Z.of_nat k + 1)%Z, (x - Z.of_nat i)%Z, u. split; [exact Hstand|]. split; [injection H as <-; exact Hu|].
            replace (x - Z.of_nat i)%Z with (column false i) by (unfold Stretches.column, sg; lia). exact Hat.
    Qed.
  End At.
End Ends.
