(** (V12), the start: every declared input begins where the polynomials are 0. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Conditions Starts Places Polynomials
  Elimination Sums Unknowns Facts Values Findings Situations Invariants.
Import ListNotations.

Definition filled {A} (l : list A) (m : PM.t A) (k : N) : PM.t A :=
  fst (fold_left (fun m a => (PM.add (Maps.key (snd m)) a (fst m), N.succ (snd m))) l (m, k)).
Lemma filled_elsewhere {A} (l : list A) : forall m k j, (k + N.of_nat (length l) <= j \/ j < k)%N ->
  PM.find (Maps.key j) (filled l m k) = PM.find (Maps.key j) m.
Proof.
  induction l as [|a l IH]; intros m k j H; [reflexivity|]. cbn [length] in H.
  change (filled (a :: l) m k) with (filled l (PM.add (Maps.key k) a m) (N.succ k)). rewrite IH by lia.
  apply PM.gso. intros E. apply Maps.key_inj in E. lia.
Qed.
Lemma filled_at {A} (l : list A) : forall m k i, (i < length l)%nat ->
  PM.find (Maps.key (k + N.of_nat i)) (filled l m k) = nth_error l i.
Proof.
  induction l as [|a l IH]; intros m k i Hi; cbn [length] in Hi; [lia|].
  change (filled (a :: l) m k) with (filled l (PM.add (Maps.key k) a m) (N.succ k)).
  destruct i as [|i]; cbn [nth_error].
  - rewrite filled_elsewhere by lia. rewrite N.add_0_r. apply PM.gss.
  - replace (k + N.of_nat (S i))%N with (N.succ k + N.of_nat i)%N by lia. apply IH. lia.
Qed.
Lemma array_nth {A} (d : A) l i : get d (array l) (N.of_nat i) = nth i l d.
Proof.
  unfold get. change (array l) with (filled l (PM.empty A) 0). destruct (Nat.lt_ge_cases i (length l)) as [Hi|Hi].
  - pose proof (filled_at l (PM.empty A) 0 i Hi) as H. cbn [N.add] in H. rewrite H, (nth_error_nth' l d Hi).
    reflexivity.
  - rewrite filled_elsewhere by lia. rewrite PM.gempty, nth_overflow by exact Hi. reflexivity.
Qed.

Lemma parts_symbols pieces parts : Forall2 matches pieces parts ->
  forall s, In s (concat parts) -> In s (flat_map symbols_of_clause pieces).
Proof.
  induction 1 as [|c u cs us Hm _ IH]; intros s Hs; [contradiction|]. cbn [concat flat_map] in *.
  apply in_app_or in Hs as [Hs|Hs]; apply in_or_app; [left; eapply symbols_of_clause_ok; eassumption | right; apply IH;
    exact Hs].
Qed.

Section Beginning.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Variables (declaration : inputs) (near_first : N) (rights : list told) (nexts : place -> symbol -> list place).
  Hypothesis told_is : told_at = told_in e near_first rights.
  Hypothesis nexts_is : nexts_of e = nexts.

  Definition first_zeros : N :=
    mask_of name_at count (fun a => match a with
      | Sum_beside _ rt _ g => negb rt || match g with Worn _ _ => true | Fresh _ => false end
      | _ => false
      end).
  Definition first_situation (c : place) (s : symbol) : situation :=
    Situation (map Some (on_row_0 low height s)) first_zeros
      (lies_at pieces (Some 0%N) (told_at (right_place c)) None) [].
  Definition first_node (c : place) (s : symbol) : N :=
    node_number 0%N 0%Z (classes_at (on_row_0 low height s, 0%N, 0%N)) (in_part (told_at (right_place c))).
  Definition start_ok (c : place) : bool :=
    forallb (fun s => is_nothing (nexts c s) ||
      implied (nonzero name_at)
        (always_so ++ fresh_facts system_at ids low name_at number pieces (in_part (told_at (right_place c))) ++
         situation_facts system_at ids height name_at number count same_worth false (first_situation c s))
        [] (map (renamed before) (polys (first_node c s)))) (below n).
  Definition begins_ok : bool :=
    let places := below (count_of e) in
    let right_told := get (Told 0 None None) (array rights) in
    (0 <? n)%N && (low <=? 0)%Z && (0 <? low + Z.of_nat height)%Z &&
    forallb (fun s => negb (s =? 0)%N) (flat_map symbols_of_clause pieces) &&
    covers_parts n nexts right_told pieces declaration (count_of e) (s_starts e) &&
    distances_ok n nexts right_told places (s_starts e) &&
    forallb start_ok (s_starts e).
  Definition left_starts : list (place * list place) := Conditions.alone (s_starts e).

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.

  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis parts_declared : declared declaration parts.
    Local Open Scope Qc_scope.

    Lemma told_right c : (c < count_of e)%N -> told_at (right_place c) = get (Told 0 None None) (array rights) c.
    Proof.
      intros H. rewrite told_is. unfold told_in, right_place. destruct (N.eqb_spec (N.succ c) 0); [lia|].
      destruct (N.leb_spec (N.succ c) (count_of e)); [rewrite N.pred_succ; reflexivity | lia].
    Qed.
    Lemma told_before k : told_at (left_place (count_of e) k) = told_left near_first k.
    Proof.
      rewrite told_is. unfold told_in, left_place. destruct (N.eqb_spec k 0) as [->|]; [reflexivity|].
      destruct (N.eqb_spec (count_of e + k) 0); [lia|]. destruct (N.leb_spec (count_of e + k) (count_of e)); [lia|].
      f_equal. lia.
    Qed.

    Lemma begins : begins_ok = true ->
      exists lefts pl, begins_with n nexts (get [] (array (left_steps near_first))) left_starts lefts pl (concat parts)
        /\
        In (pl O) (s_starts e) /\
        forall X, true_place parts X (told_at (place_at (count_of e) lefts pl X)).
    Proof.
      intros H. unfold begins_ok in H. apply andb_true_iff in H as [H Hst]. apply andb_true_iff in H as [H Hd].
      apply andb_true_iff in H as [H Hc]. apply andb_true_iff in H as [H Hnb].
      apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [Hn _]. apply N.ltb_lt in Hn.
      assert (Hall : forall s, In s (concat parts) -> In s (flat_map symbols_of_clause pieces)).
      { intros s. apply (parts_symbols _ _ parts_ok). }
      assert (Hblank : forall s, In s (concat parts) -> s <> 0%N).
      { intros s Hs. rewrite forallb_forall in Hnb. specialize (Hnb _ (Hall _ Hs)).
        apply negb_true_iff, N.eqb_neq in Hnb. exact Hnb. }
      destruct (covers_parts_sound _ _ _ _ _ _ _ Hc parts parts_declared) as (Hlt & pl & H0 & Hp & Hj).
      exists (fun i => N.min (N.of_nat i) near_first), pl. split; [|split; [exact H0|]].
      - split; [|split; [exact Hp | split; [|exact Hlt]]].
        + exists [0%N]. split; [|left; lia]. unfold left_starts, Conditions.alone. apply (in_map (fun s => (s, [0%N]))).
          exact H0.
        + intros i. unfold left_steps. set (f := fun k => [N.min (N.succ k) near_first]).
          replace (N.min (N.of_nat i) near_first) with (N.of_nat (N.to_nat (N.min (N.of_nat i) near_first))) by lia.
          rewrite array_nth. set (k := N.to_nat (N.min (N.of_nat i) near_first)).
          assert (Hk : (k < N.to_nat (N.succ near_first))%nat) by lia.
          rewrite (nth_indep _ _ (f 0%N)) by (rewrite below_is; rewrite !map_length, seq_length; exact Hk).
          rewrite (map_nth f). rewrite below_is. change 0%N with (N.of_nat 0) at 1.
          rewrite (map_nth N.of_nat), seq_nth by exact Hk.
          left. cbn [Nat.add]. lia.
      - intros X. unfold place_at. destruct (Z.ltb_spec X 0) as [HX|HX].
        + rewrite told_before. unfold told_left, true_place. cbn [in_part from_first from_end].
          split; [unfold part_here; apply Z.ltb_lt in HX; rewrite HX; reflexivity|]. split; [|discriminate].
          intros z. destruct (N.ltb_spec (N.min (N.of_nat (Z.to_nat (-1 - X))) near_first) near_first); [|discriminate].
          intros E. assert (Ez : z = (-1 - Z.of_N (N.min (N.of_nat (Z.to_nat (-1 - X))) near_first))%Z) by congruence.
          rewrite Ez, N.min_l by lia. lia.
        + set (i := Z.to_nat X). assert (EX : X = Z.of_nat i) by (unfold i; lia). rewrite EX.
          pose proof (path_step n nexts _ _ _ pl (concat parts) Hd H0 Hp Hlt i) as (Hin & _).
          assert (Hi : (pl i < count_of e)%N).
          { rewrite below_is in Hin. apply in_map_iff in Hin as (j & <- & Hjn). apply in_seq in Hjn. lia. }
          rewrite told_right by exact Hi. split; [|split].
          * rewrite Hj. unfold part_here. destruct (Z.ltb_spec (Z.of_nat i) 0); [lia|]. rewrite Nat2Z.id.
            unfold after_all. rewrite (same_length _ _ _ _ _ parts_ok). reflexivity.
          * intros z Hz. eapply from_first_ok; eauto.
          * intros z Hz. eapply from_end_ok; eauto.
    Qed.

    Lemma first_present before_ starts_ : labels_of e = label_at -> coarse_of e = coarse_at ->
      get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of -> begins_ok = true ->
        before_ = left_steps near_first -> starts_ = left_starts ->
      strip_begins n e before_ starts_ ->
      exists lefts pl lab, begins_with n nexts (get [] (array (left_steps near_first))) left_starts lefts pl
        (concat parts) /\ In (pl O) (s_starts e) /\
        (forall X, true_place parts X (told_at (place_at (count_of e) lefts pl X))) /\
        (forall X, label_at (lab X) = label_from low height (count_of e) (concat parts) lefts pl X) /\
        present parts 0%N 0%N 0%Z 0%Z (input_world (concat parts)) lab 0%Z (S (length (concat parts))).
    Proof.
      intros Hlb Ec Ecl Ek H -> -> Hb. unfold strip_begins, Starts.in_strip in Hb.
      rewrite Hlb, Ec, Ecl, Ek, nexts_is in Hb. destruct (begins H) as (lefts & pl & Hbegin & H0 & Hplaces).
      destruct (Hb _ _ _ Hbegin) as (lab & HI & Hlab & _). exists lefts, pl, lab. do 4 (split; [assumption|]).
      split; [exact HI | | | | lia].
      - intros X. rewrite Hlab. unfold label_from. cbn [place_of]. apply Hplaces.
      - intros X Y HX. unfold input_world. destruct (Z.eqb_spec Y 0); [|reflexivity].
        destruct (Z.leb_spec 0 X); [|reflexivity].
        cbn [andb]. unfold row_symbol. apply nth_overflow. lia.
      - intros X _. rewrite Hlab. reflexivity.
    Qed.
    Lemma first_good before_ starts_ : labels_of e = label_at -> coarse_of e = coarse_at ->
      get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of -> begins_ok = true ->
        before_ = left_steps near_first -> starts_ = left_starts ->
      strip_begins n e before_ starts_ ->
      good parts 0%N 0%N 0%Z 0%Z (input_world (concat parts)).
    Proof.
      intros Hlb Ec Ecl Ek H E1 E2 Hb.
      destruct (first_present _ _ Hlb Ec Ecl Ek H E1 E2 Hb) as (lefts & pl & lab & Hbegin & H0 & Hplaces & Hlab & now).
      pose proof now as [HI Hp _ _ _]. destruct Hbegin as (_ & Hpath & _ & Hsym). set (t := concat parts) in *.
      set (s := row_symbol t 0).
      exists lab, 0%Z, (S (length t)). split; [exact now|].
      unfold begins_ok in H. apply andb_true_iff in H as [H Hst]. apply andb_true_iff in H as [H _].
      apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [H _].
      apply andb_true_iff in H as [H Hhigh]. apply andb_true_iff in H as [Hn Hlow].
      apply N.ltb_lt in Hn. apply Z.leb_le in Hlow. apply Z.ltb_lt in Hhigh.
      rewrite forallb_forall in Hst. specialize (Hst _ H0). unfold start_ok in Hst. rewrite forallb_forall in Hst.
      specialize (Hst s (in_below _ _ (Hsym O))). apply orb_true_iff in Hst as [Hst|Hst].
      { specialize (Hpath O). fold s in Hpath. destruct (nexts (pl O) s); [contradiction | discriminate]. }
      assert (Hnode : node_at (here (s_d e) coarse_at 0%N 0%N 0 0 lab) = first_node (pl O) s).
      { unfold node_at, here, first_node. rewrite Hlab. unfold label_from. cbn. reflexivity. }
      rewrite Hnode. intros last P HP.
      set (M := Moment 0 (S (length t)) 0 (input_world t) lab last).
      set (R := rho system_at low class_of label_at told_at parts name_at M M).
      assert (E0 : forall Q,
        value R (renamed before Q) = value (fun v => meaning system_at low class_of label_at told_at parts M
        (name_at v)) Q).
      { intros Q. rewrite value_renamed. apply value_ext. intros v. apply rho_before. }
      rewrite <- E0. eapply implied_sound; [| exact Hst | | | apply in_map; exact HP].
      - intros v Hv. apply nonzero_rho; [exact bases | exact Hv].
      - assert (Hfresh : forall X, exists cs place, label_at (lab X) = (cs, place, 0%N) /\
          in_part (told_at place) = part_here parts X).
        { intros X. rewrite Hlab. unfold label_from. do 2 eexists. split; [reflexivity|]. apply Hplaces. }
        assert (Hhere : told_at (right_place (pl O)) = told_at (place_of (label_at (lab 0%Z)))).
        { rewrite Hlab. reflexivity. }
        intros f Hf. apply in_app_or in Hf as [Hf|Hf]; [|apply in_app_or in Hf as [Hf|Hf]].
        + rewrite always_is in Hf. eapply always_ok; [exact bases | exact number_ok | exact parts_ok | exact Hf].
        + rewrite Hhere in Hf. destruct (Hp 0%Z) as [Hpart _]. rewrite Hpart in Hf.
          eapply fresh_facts_ok; [exact bases | exact blank_worth | exact number_ok | exact parts_ok | exact Hlow
            | exact Hfresh | exact Hf].
        + eapply (situation_facts_ok) with (late := false); [exact bases | exact number_ok | | exact Hf].
          pose proof HI as (Hover & _ & _ & Hfit & _ & _). unfold first_situation.
          split; [|split; [|split]]; cbn [s_cells s_zeros s_at s_forms].
          * intros r u Hu i z Ez. rewrite nth_error_map in Hu.
            destruct (nth_error (on_row_0 low height s) r) as [v|] eqn:Ev; [|discriminate].
            cbn [option_map] in Hu. injection Hu as <-. cbn [Unknowns.meaning m_world m_x]. unfold amount.
            assert (Hr : (r < height)%nat).
            { rewrite <- (seq_length height 0).
              rewrite <- (map_length (fun i => if (low + Z.of_nat i =? 0)%Z then Is s else Is 0%N)).
              apply nth_error_Some. unfold on_row_0 in Ev. rewrite Ev. discriminate. }
            destruct (Hfit 0%Z r Hr) as (v' & Hv' & Hh).
            rewrite Hlab in Hv'. unfold label_from, cells_of in Hv'. cbn [fst Z.ltb Z.compare Z.to_nat] in Hv'.
            fold s in Hv'.
            rewrite Ev in Hv'. injection Hv' as <-.
            erewrite cell_worth_ok by eauto. reflexivity.
          * intros v Hv Ht. unfold first_zeros in Ht. rewrite mask_bit in Ht by exact Hv.
            destruct (name_at v) as [| | | | |i rt r g] eqn:En; try discriminate.
            unfold M. cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab]. unfold sum_beside. apply sum_zero.
            intros X HX. unfold beside.
            destruct (on_side rt 0 X) eqn:Eo; [|reflexivity]. cbn [andb].
            destruct g as [j|c j].
            -- rewrite orb_false_r in Ht. apply negb_true_iff in Ht. subst rt. unfold on_side in Eo.
               apply Z.ltb_lt in Eo. lia.
            -- destruct (Hfresh X) as (cs & place & El0 & _). rewrite El0. reflexivity.
          * intros k d Hin. cbn [m_x]. rewrite Hhere in Hin.
            eapply lies_at_ok; [exact parts_ok | apply Hp | | | exact Hin].
            -- intros j E. injection E as <-. unfold part_here. reflexivity.
            -- discriminate.
          * intros t_ [].
      - intros r [].
    Qed.
  End Run.
End Beginning.
