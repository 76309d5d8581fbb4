(** (V12): polynomials that are 0 stay so at every step. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Elimination
  Sums Unknowns Facts Values Findings Situations.
Import ListNotations.

Section Invariants.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Definition sums_mask : N := N.lor right_mask left_mask.
  Definition write_of (p : state) (read : symbol) : symbol :=
    match rule p read with Some (s, _, _) => s | None => 0%N end.
  Definition classes_at (l : label) : list N := map (fun v => match v with Is s => class_of s | Of_class c => c end)
    (cells_of l).
  Definition node_at (el : Strips.element) : N :=
    let '(p, _, y, c, _, _) := el in
      node_number p y (classes_at (label_at c)) (in_part (told_at (place_of (label_at c)))).
  Definition shape_at (a : Strips.element) (read : symbol) (c : N) (side : Z) (b : Strips.element) (sums : N) : shape :=
    let '(p, _, y, _, _, _) := a in let '(_, _, _, cb, _, _) := b in
    Shape (Z.to_nat (y - low)) (write_of p read) side sums (N.land (mask_at c) sums) (N.land (mask_at cb) sums).

  (** Rows in which something that matters stands. *)
  Definition row_matters (told : N) (sums : N) (r : nat) : bool :=
    existsb (fun v => match name_at v with
                      | Cell_value _ r' => Nat.eqb r r' && N.testbit told v
                      | Sum_beside _ _ r' _ => Nat.eqb r r' && N.testbit sums v
                      | _ => false
                      end) (below count).
  Definition trimmed (rows : list bool) (cells : list (option known)) : list (option known) :=
    map (fun bc : bool * option known => if fst bc then snd bc else None) (combine rows cells).
  (** The unknowns that matter: those in polynomials, and the sums in what is known. *)
  Definition sums_in (s : situation) : N :=
    fold_left (fun m t => fold_left (fun m cl => fold_left (fun m a =>
      match a with Sum_beside _ _ _ _ => match number a with Some v => N.setbit m v | None => m end
        | _ => m end) (snd cl) m) t m) (s_forms s) 0%N.
  Definition told_by (na nb : N) (sa sb : situation) : N :=
    N.lor (N.lor (mentioned na) (mentioned nb)) (N.lor (sums_in sa) (sums_in sb)).
  (** With more and more facts. *)
  Definition key_at (level : N) (a : Strips.element) (read : symbol) (c : N) (side : Z) (b : Strips.element) : step_key
    :=
    let '(na, nb) := (node_at a, node_at b) in
    let deep := (level =? 3)%N in
    let '(sa, sb) := (situation_at deep a (Some read), situation_at deep b None) in
    let told := told_by na nb sa sb in
    let sums := N.land told sums_mask in
    let h := shape_at a read c side b sums in
    let rows left := map (row_matters told left) (seq 0 height) in
    let cells_a := trimmed (rows (h_left h)) (s_cells sa) in
    let cells_b := trimmed (rows (h_entered h)) (s_cells sb) in
    if (level =? 1)%N then Step_key na nb h (Situation cells_a 0 [] []) (Situation [] 0 [] [])
    else let '(za, zb) := (N.land (s_zeros sa) sums, N.land (s_zeros sb) sums) in
         if (level =? 2)%N then Step_key na nb h (Situation cells_a za [] []) (Situation cells_b zb [] [])
         else Step_key na nb h (Situation cells_a za (s_at sa) (s_forms sa))
           (Situation cells_b zb (s_at sb) (s_forms sb)).
  Definition problem_ok (k : step_key) : bool :=
    implied (nonzero name_at)
      (always_so ++ shape_facts system_at ids height name_at number count (k_shape k) ++
       situation_facts system_at ids height name_at number count same_worth false (k_before k) ++
       situation_facts system_at ids height name_at number count same_worth true (k_after k))
      (map (renamed before) (polys (k_from k))) (map (renamed (after name_at)) (polys (k_to k))).
  Variables (known : step_key -> bool) (skipped : Strips.element -> symbol -> bool).
  (** But for what no run comes to. *)
  Definition keeps : follow_rule :=
    fun a read c side b =>
      let '(_, _, _, ca, _, _) := a in
      (place_of (label_at c) =? place_of (label_at ca))%N &&
      (skipped a read || is_nothing (polys (node_at b)) ||
       if known (key_at 1 a read c side b) then true
       else if known (key_at 2 a read c side b) then true else known (key_at 3 a read c side b)).

  (** * Truth along a run *)
  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Variable T : table.
  Hypothesis rule_is : forall p s, rule p s = T p s.
  Variable verified : list step_key.
  Hypothesis known_is : forall k, known k = true -> In k verified.
  Hypothesis all_verified : forallb problem_ok verified = true.

  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Notation true_situation := (true_situation system_at low class_of label_at told_at name_at count same_worth parts).
    Notation true_shape := (true_shape system_at low height class_of label_at told_at name_at count parts).
    Notation all_places := (all_places parts).
    Local Open Scope Qc_scope.

    Definition vanish (M : moment) (l : list polynomial) : Prop :=
      forall P, In P l -> value (fun v => meaning M (name_at v)) P = 0.
    Definition good (p q : state) (x y : Z) (w : world) : Prop :=
      exists lab lo m, present parts p q x y w lab lo m /\ forall last,
        vanish (Moment lo m x w lab last) (polys (node_at (here (s_d e) coarse_at p q x y lab))).

    Section Last.
    Variable last : Z.
    Lemma trimmed_nth rows cells r t : nth_error (trimmed rows cells) r = Some (Some t) ->
      nth_error cells r = Some (Some t).
    Proof.
      unfold trimmed. revert rows r.
      induction cells as [|c cells IH]; intros [|b rows] [|r] H; cbn in *; try discriminate; [|eapply IH; exact H].
      destruct b; [exact H | discriminate].
    Qed.
    Lemma situation_less M s cells zeros at_ forms_ : true_situation M s ->
      (forall r t, nth_error cells r = Some (Some t) -> nth_error (s_cells s) r = Some (Some t)) ->
      (forall v, N.testbit zeros v = true -> N.testbit (s_zeros s) v = true) ->
      (forall kd, In kd at_ -> In kd (s_at s)) -> (forall t, In t forms_ -> In t (s_forms s)) ->
        true_situation M (Situation cells zeros at_ forms_).
    Proof.
      intros (H1 & H2 & H3 & H4) A B C D. split; [|split; [|split]]; cbn [s_cells s_zeros s_at s_forms]; eauto.
    Qed.

    Lemma on_side_shift rt x side : on_side rt (x + side) x = on_side rt side 0 /\
      on_side rt x (x + side) = on_side rt 0 side.
    Proof.
      unfold on_side. destruct rt; split.
      - destruct (Z.ltb_spec (x + side) x), (Z.ltb_spec side 0); try reflexivity; lia.
      - destruct (Z.ltb_spec x (x + side)), (Z.ltb_spec 0 side); try reflexivity; lia.
      - destruct (Z.ltb_spec x (x + side)), (Z.ltb_spec 0 side); try reflexivity; lia.
      - destruct (Z.ltb_spec (x + side) x), (Z.ltb_spec side 0); try reflexivity; lia.
    Qed.

    Lemma shape_true p q x y w lab lo m s mv p' q' c sums :
      in_strip p q x y w lab -> blank_beyond lo m w -> (lo <= x < lo + Z.of_nat m)%Z ->
      T p (w x y) = Some (s, mv, p') ->
      true_shape (Moment lo m x w lab last)
        (Moment (lo - 1) (S (S m)) (x + dx mv) (put w x y s) (relabelled lab x c) last)
        (shape_at (here (s_d e) coarse_at p q x y lab) (w x y) c (dx mv)
           (here (s_d e) coarse_at p' q' (x + dx mv) (y + dy mv) (relabelled lab x c)) sums).
    Proof.
      intros HI Hb Hx HT. pose proof HI as (Hover & Hy & Hout & Hfit & _ & _). unfold inside in Hy.
      unfold shape_at, here. cbn [h_row h_write h_side h_sums h_left h_entered].
      set (lab' := relabelled lab x c).
      assert (Hl' : lab' x = c) by (unfold lab', relabelled; rewrite Z.eqb_refl; reflexivity).
      assert (Ho : forall X, X <> x -> lab' X = lab X).
      { intros X HX. unfold lab', relabelled. apply Z.eqb_neq in HX. rewrite HX. reflexivity. }
      assert (Hw : write_of p (w x y) = s).
      { unfold write_of. rewrite rule_is, HT. reflexivity. }
      assert (Hdx : (-1 <= dx mv <= 1)%Z) by (destruct mv; cbn; lia).
      assert (Hcol : forall i r, amount system_at low parts i r (put w x y s) x =
                column_value system_at low class_of label_at told_at parts (Moment lo m x w lab last)
                  (Shape (Z.to_nat (y - low)) s (dx mv) sums (N.land (mask_at c) sums)
                    (N.land (mask_at (lab' (x + dx mv)%Z)) sums)) i r).
      { intros i r. unfold column_value, amount. cbn [h_row h_write m_x m_world Unknowns.meaning]. unfold amount, put.
        rewrite Z.eqb_refl. cbn [andb].
        destruct (Nat.eqb_spec r (Z.to_nat (y - low))) as [->|Ne].
        - replace (low + Z.of_nat (Z.to_nat (y - low)) =? y)%Z with true by (symmetry; apply Z.eqb_eq; lia).
          reflexivity.
        - replace (low + Z.of_nat r =? y)%Z with false by (symmetry; apply Z.eqb_neq; lia). reflexivity. }
      rewrite Hw. split; [exact Hdx|]. split; [reflexivity|]. split.
      - cbn [h_side]. intros E i r _. cbn [Unknowns.meaning m_world m_x]. rewrite E, Z.add_0_r.
        rewrite E in Hcol. rewrite Z.add_0_r in Hcol. fold lab'. rewrite Hcol. reflexivity.
      - intros v i rt r g Hv Hs En. rewrite En. cbn [h_sums h_side h_left h_entered] in *.
        cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab].
        rewrite sum_beside_after with (lab := lab) (amount := amount system_at low parts i r w).
        + destruct (on_side_shift rt x (dx mv)) as [-> ->]. fold lab'. rewrite Hl', Hcol.
          rewrite !N.land_spec, Hs, !andb_true_r.
          rewrite (mask_at_bit c _ _ _ _ _ Hv En), (mask_at_bit (lab' (x + dx mv)%Z) _ _ _ _ _ Hv En).
          reflexivity.
        + exact Hdx.
        + exact Hx.
        + exact Ho.
        + intros X HX. unfold amount, put. apply Z.eqb_neq in HX. rewrite HX. reflexivity.
        + intros X HX. apply amount_blank. apply Hb. exact HX.
    Qed.

    Lemma key_true level p q x y w lab lo m s mv p' q' c :
      in_strip p q x y w lab -> all_places lab -> blank_beyond lo m w -> (lo <= x < lo + Z.of_nat m)%Z ->
      in_strip p' q' (x + dx mv) (y + dy mv) (put w x y s) (relabelled lab x c) -> all_places (relabelled lab x c) ->
      T p (w x y) = Some (s, mv, p') ->
      let M0 := Moment lo m x w lab last in
      let M1 := Moment (lo - 1) (S (S m)) (x + dx mv) (put w x y s) (relabelled lab x c) last in
      let a := here (s_d e) coarse_at p q x y lab in
      let b := here (s_d e) coarse_at p' q' (x + dx mv) (y + dy mv) (relabelled lab x c) in
      let k := key_at level a (w x y) c (dx mv) b in
      true_shape M0 M1 (k_shape k) /\ true_situation M0 (k_before k) /\ true_situation M1 (k_after k) /\
        k_from k = node_at a /\ k_to k = node_at b.
    Proof.
      intros HI Hp Hb Hx HI' Hp' HT M0 M1 a b k.
      assert (Hb' : blank_beyond (lo - 1) (S (S m)) (put w x y s)).
      { intros X Y HX. unfold put. replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb].
        apply Hb. lia. }
      pose proof (situation_true parts parts_ok last (level =? 3)%N p q x y w lab lo m (Some (w x y)) HI Hp Hb
        (or_intror eq_refl)) as Sa.
      pose proof (situation_true parts parts_ok last (level =? 3)%N p' q' (x + dx mv)%Z (y + dy mv)%Z (put w x y s)
        (relabelled lab x c) (lo - 1)%Z (S (S m)) None HI' Hp' Hb' (or_introl eq_refl)) as Sb.
      fold a in Sa. fold b in Sb. fold M0 in Sa. fold M1 in Sb.
      set (sa := situation_at (level =? 3)%N a (Some (w x y))) in *.
      set (sb := situation_at (level =? 3)%N b None) in *.
      set (sums := N.land (told_by (node_at a) (node_at b) sa sb) sums_mask).
      pose proof (shape_true p q x y w lab lo m s mv p' q' c sums HI Hb Hx HT) as Sh. fold a b M0 M1 in Sh.
      assert (Land : forall z v, N.testbit (N.land z sums) v = true -> N.testbit z v = true).
      { intros z v H. rewrite N.land_spec in H. apply andb_true_iff in H as [H _]. exact H. }
      unfold k, key_at. fold sa sb. fold sums.
      destruct (level =? 1)%N; [|destruct (level =? 2)%N]; cbn [k_shape k_before k_after k_from k_to];
        (split; [exact Sh|]); (split; [|split; [|split; reflexivity]]);
        (eapply situation_less; [exact Sa || exact Sb | | | |]); cbn [s_cells s_zeros s_at s_forms];
        try (intros r t Ht; first [eapply trimmed_nth; exact Ht | destruct r; discriminate]);
        try (intros v Ht; first [eapply Land; exact Ht | rewrite N.bits_0 in Ht; discriminate]);
        try (intros kd Hin; first [exact Hin | contradiction]).
    Qed.

    Lemma problem_sound k M0 M1 : problem_ok k = true -> true_shape M0 M1 (k_shape k) ->
      true_situation M0 (k_before k) -> true_situation M1 (k_after k) -> vanish M0 (polys (k_from k)) ->
        vanish M1 (polys (k_to k)).
    Proof.
      intros H Hsh Hb Ha Hv P HP. unfold problem_ok in H.
      set (R := rho system_at low class_of label_at told_at parts name_at M0 M1).
      assert (E0 : forall Q, value R (renamed before Q) = value (fun v => meaning M0 (name_at v)) Q).
      { intros Q. rewrite value_renamed. apply value_ext. intros v. apply rho_before. }
      assert (E1 : forall Q, value R (renamed (after name_at) Q) = value (fun v => meaning M1 (name_at v)) Q).
      { intros Q. rewrite value_renamed. apply value_ext. intros v. apply rho_after. }
      rewrite <- E1. eapply implied_sound; [| exact H | | | apply in_map; exact HP].
      - intros v Hn. apply nonzero_rho; [exact bases | exact Hn].
      - intros f Hf. apply in_app_or in Hf as [Hf|Hf];
          [|apply in_app_or in Hf as [Hf|Hf]; [|apply in_app_or in Hf as [Hf|Hf]]].
        + rewrite always_is in Hf. eapply always_ok; [exact bases | exact number_ok | exact parts_ok | exact Hf].
        + eapply shape_facts_ok; [exact bases | exact number_ok | exact Hsh | exact Hf].
        + eapply (situation_facts_ok) with (late := false); [exact bases | exact number_ok | exact Hb | exact Hf].
        + eapply (situation_facts_ok) with (late := true); [exact bases | exact number_ok | exact Ha | exact Hf].
      - intros r Hr. apply in_map_iff in Hr as (Q & <- & HQ). rewrite E0. apply Hv. exact HQ.
    Qed.

    End Last.

    (** A step of a run keeps what is good. *)
    Definition unreached : Prop := forall p q x y w lab lo m, present parts p q x y w lab lo m ->
      let el := here (s_d e) coarse_at p q x y lab in
      (forall last, vanish (Moment lo m x w lab last) (polys (node_at el))) -> skipped el (w x y) = false.
    Lemma good_step D : unreached -> s_descents e = [] -> labels_of e = label_at -> coarse_of e = coarse_at ->
      get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of ->
      strip_steps Unasked n T T e keeps D -> forall p q x y w, good p q x y w ->
      match joint_step Unasked T T p q (w x y) with
      | Bad => False
      | Done => True
      | Go s m p' q' => good p' q' (x + dx m) (y + dy m) (put w x y s)
      end.
    Proof.
      intros Hskip Hno El Ec Ecl Ek [Hstep _] p q x y w (lab & lo & m & now & Hv). pose proof now as [HI Hp Hb _ Hx].
      unfold Starts.in_strip in Hstep. rewrite El, Ec, Ecl, Ek in Hstep. specialize (Hstep _ _ _ _ _ _ HI).
      destruct (joint_step Unasked T T p q (w x y)) as [| |s mv p' q'] eqn:J; [exact Hstep | exact Hstep |].
      destruct Hstep as [(c & HI' & Hk) | (sd & l & f & _ & Hsome & _)]; [|contradiction].
      apply joint_go in J as (HT & _ & _). unfold keeps in Hk. cbn [here] in Hk.
      apply andb_true_iff in Hk as [Hplace Hk]. apply N.eqb_eq in Hplace.
      pose proof (present_step parts _ _ _ _ _ _ _ _ _ _ _ _ _ now HI' Hplace) as now'.
      set (lab' := relabelled lab x c) in *.
      exists lab', (lo - 1)%Z, (S (S m)). split; [exact now'|]. pose proof (places now') as Hp'.
      - intros last. set (a := here (s_d e) coarse_at p q x y lab) in *.
        set (b := here (s_d e) coarse_at p' q' (x + dx mv) (y + dy mv) lab') in *.
        change (_ || _) with (skipped a (w x y) || is_nothing (polys (node_at b)) ||
          if known (key_at 1 a (w x y) c (dx mv) b) then true
          else if known (key_at 2 a (w x y) c (dx mv) b) then true else known (key_at 3 a (w x y) c (dx mv) b)) in Hk.
        rewrite (Hskip _ _ _ _ _ _ _ _ now Hv : skipped a (w x y) = false) in Hk. cbn [orb] in Hk.
        apply orb_true_iff in Hk as [Hk|Hk].
        + destruct (polys (node_at b)) as [|P l] eqn:Ep; [|discriminate]. intros Q [].
        + assert (Hsome : exists level, known (key_at level a (w x y) c (dx mv) b) = true).
          { destruct (known (key_at 1 a (w x y) c (dx mv) b)) eqn:K1; [eauto|].
            destruct (known (key_at 2 a (w x y) c (dx mv) b)) eqn:K2; [eauto|]. eauto. }
          destruct Hsome as [level Hin]. apply known_is in Hin.
          rewrite forallb_forall in all_verified. specialize (all_verified _ Hin).
          destruct (key_true last level p q x y w lab lo m s mv p' q' c HI Hp Hb Hx HI' Hp' HT) as
            (Sh & Sa & Sb & Ef & Et).
          fold lab' a b in Sh, Sa, Sb, Ef, Et. rewrite <- Et.
          eapply problem_sound; [exact all_verified | exact Sh | exact Sa | exact Sb |]. rewrite Ef. apply Hv.
    Qed.
  End Run.
End Invariants.
