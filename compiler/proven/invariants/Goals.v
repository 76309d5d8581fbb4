(** (V12): where the agent halts, the result spells what the output clause says. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Polynomials Elimination Sums
  Unknowns Facts Values Findings Expressions Situations Invariants Numerals
  ClausePolynomials Stretches Texts Ends.
Import ListNotations.

Section Goals.
  Context {sc : scene} {un : unknowns} {fi : findings} {ra : row_aim} {rl : row_levels}.
  Import Scene.
  Variable units : list unit.
  Variable digits : list symbol.
  Notation members := (map members_of pieces).
  Notation scale := (scale system_at ids).

  (** * The row as a polynomial *)
  Definition in_row (i : N) (v : N) : bool :=
    match name_at v with Sum_beside j _ r _ => (j =? i)%N && Nat.eqb r row | _ => false end.
  Definition row_sums (i : N) : list N := filter (in_row i) (below count).
  Definition row_terms (i : N) : list term :=
    (1%Z, [(false, Cell_value i row)]) :: map (fun v => (1%Z, [(false, name_at v)])) (row_sums i).
  Definition counted_once (i : N) (sd : bool) (l : label) : bool :=
    Nat.eqb 1 (length (filter (fun v => match name_at v with
                                         | Sum_beside _ rt r g => Bool.eqb rt sd && in_group class_of told_at g r l
                                         | _ => false
                                         end) (row_sums i))) ||
    match nth_error (cells_of l) row with
    | Some v => forallb (fun s => (worth (system_at i) s =? 0)%Z) (symbols_held n class_of v)
    | None => false
    end.
  Definition rows_ok (i : N) : bool :=
    Nat.ltb row height && forallb (fun g : gram => let '(sd, _, x, _) := g in counted_once i sd (label_at x))
      (s_grams e).

  Definition multipliers : list monomial :=
    [] :: map (fun v => [before v]) (filter (fun v => match name_at v with Part_weight _ _ => true
      | _ => false end) (below count)).
  Variable given : list polynomial.                   (* what the conditions of the inputs say is 0 *)
  Definition goal_ok (g : polynomial) (el : Strips.element) (read : symbol) (u : unit) : bool :=
    existsb (fun m =>
      implied (nonzero name_at)
        (always_so ++ given ++
         situation_facts system_at ids height name_at number count same_worth false
           (situation_at true el (Some read)) ++
         forms name_at number (flat_map (fun kd => map (at_fact system_at false Last_weight kd) (scales system_at ids))
           u))
        (map (renamed before) (polys (node_at el))) [scaled m g]) multipliers.
  Definition halts_on (p : state) (s : symbol) : bool :=
    match rule p s with Some (s', MS, _) => (s' =? s)%N | _ => false end.
  Definition stuck_on (p : state) (s : symbol) : bool := match rule p s with None => true | Some _ => false end.
  (** At every element, of reads that are asked for; at which the agent may halt. *)
  Definition at_reads (asked : state -> symbol -> bool) (ok : Strips.element -> symbol -> bool) : bool :=
    forallb (fun el : Strips.element => let '(p, _, y, c, _, _) := el in
      match nth_error (cells_of (label_at c)) (Z.to_nat (y - low)) with
      | Some v => forallb (fun s => negb (asked p s) || ok el s) (symbols_held n class_of v)
      | None => false
      end) (s_elements e).
  Definition at_ends : (Strips.element -> symbol -> bool) -> bool := at_reads halts_on.
  Variable skipped : Strips.element -> symbol -> bool.  (* where no run comes to *)
  (** A text spells a number, as it stands or backwards. *)
  Definition goal (x : expression) (i : N) : option polynomial :=
    match form name_at number (row_terms i), form name_at number [(1%Z, [(false, Last_weight (scale i))])],
      polynomial_of x with
    | Some t, Some w, Some p => Some (minus t (product w p))
    | _, _, _ => None
    end.
  Definition goal_system (back : bool) : option N := find (fun i => reads_in back i digits digits) ids.
  Definition ends_ok (back : bool) (x : expression) : bool :=
    match goal_system back with
    | Some i =>
        match goal x i with
        | Some g => rows_ok i && at_ends (fun el s => skipped el s || text_ok false el s &&
          forallb (goal_ok g el s) (end_units units (negb back) el s))
        | None => false
        end
    | None => false
    end.
  (** In the row, some symbols stand as often as a polynomial says. *)
  Definition counts_ok (one : symbol -> bool) (amount : option polynomial) : bool :=
    match find (fun i => counts i one symbols) ids with
    | Some i =>
        match form name_at number (row_terms i), amount with
        | Some t, Some p => rows_ok i && at_ends (fun el read => skipped el read || text_ok true el read &&
          goal_ok (minus t p) el read [])
        | _, _ => false
        end
    | None => false
    end.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis all_levels : levels_ok = true.
  Hypothesis all_views : forallb views_ok (s_grams e) = true.

  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Local Open Scope Qc_scope.

    Hypothesis given_ok : forall M g, In g given ->
      value (rho system_at low class_of label_at told_at parts name_at M M) g = 0.

    (** * The row *)
    Section At.
      Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat) (last : Z).
      Hypothesis now : present parts p q x y w lab lo m.
      Notation M := (Moment lo m x w lab last).

      Lemma row_total i : rows_ok i = true ->
        form_value system_at low class_of label_at told_at parts M M (row_terms i) = sum lo m
          (amount system_at low parts i row w).
      Proof.
        intros H. unfold rows_ok in H. apply andb_true_iff in H as [Hr Hg]. apply Nat.ltb_lt in Hr.
        rewrite forallb_forall in Hg.
        set (part := fun v X => match name_at v with
          | Sum_beside j rt r g => beside (fun l => in_group class_of told_at g r (label_at l)) rt x lab
            (amount system_at low parts j r w) X
          | _ => 0 end).
        assert (E1 : forall l, (forall v, In v l -> in_row i v = true) ->
          form_value system_at low class_of label_at told_at parts M M (map (fun v => (1%Z, [(false, name_at v)])) l) =
          sum lo m (fun X => fold_right (fun v a => part v X + a) 0 l)).
        { induction l as [|v l IH]; intros Hl; cbn [map].
          - symmetry. apply sum_zero. reflexivity.
          - assert (Hv := Hl v (or_introl eq_refl)). unfold in_row in Hv. unfold form_value. cbn [fold_right].
            fold (form_value system_at low class_of label_at told_at parts M M
              (map (fun v => (1%Z, [(false, name_at v)])) l)).
            rewrite IH by (intros u Hu; apply Hl; right; exact Hu).
            unfold term_value, factor_value. cbn [fold_right fst snd]. rewrite whole_1.
            rewrite sum_plus. f_equal. unfold part at 1. destruct (name_at v) as [| | | | |j rt r g]; try discriminate.
            cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab]. unfold sum_beside. rewrite Qcmult_1_l, Qcmult_1_r.
            reflexivity. }
        unfold row_terms, form_value. cbn [fold_right].
        fold (form_value system_at low class_of label_at told_at parts M M
          (map (fun v => (1%Z, [(false, name_at v)])) (row_sums i))).
        rewrite E1 by (intros v Hv; apply filter_In in Hv; apply Hv).
        unfold term_value, factor_value. cbn [fold_right fst snd Unknowns.meaning m_world m_x]. rewrite whole_1.
        set (A := amount system_at low parts i row w).
        rewrite (sum_same m _ (fun X => if (X =? x)%Z then 0 else A X)).
        { rewrite (sum_one_changed m (fun X => if (X =? x)%Z then 0 else A X) A x) by
            (exact (head_within now) || (intros X HX; apply Z.eqb_neq in HX; rewrite HX; reflexivity)).
          rewrite Z.eqb_refl. ring. }
        intros X _.
        assert (E2 : forall l, (forall v, In v l -> in_row i v = true) -> fold_right (fun v a => part v X + a) 0 l =
          whole (Z.of_nat (length (filter (fun v => match name_at v with
             | Sum_beside _ rt r g => on_side rt x X && in_group class_of told_at g r (label_at (lab X))
               | _ => false end) l))) * A X).
        { induction l as [|v l IH]; intros Hl; cbn [fold_right filter length];
            [change (whole (Z.of_nat 0)) with 0; ring|].
          rewrite IH by (intros u Hu; apply Hl; right; exact Hu). assert (Hv := Hl v (or_introl eq_refl)).
          unfold in_row in Hv.
          unfold part at 1. destruct (name_at v) as [| | | | |j rt r g]; try discriminate.
          apply andb_true_iff in Hv as [Hv1 Hv2]. apply N.eqb_eq in Hv1. apply Nat.eqb_eq in Hv2. subst j r.
          unfold beside.
          destruct (on_side rt x X && in_group class_of told_at g row (label_at (lab X))); cbn [length].
          - rewrite Nat2Z.inj_succ, <- Z.add_1_l, whole_plus, whole_1. unfold A. ring.
          - ring. }
        rewrite E2 by (intros v Hv; apply filter_In in Hv; apply Hv).
        destruct (Z.eqb_spec X x) as [->|HX].
        - replace (filter _ (row_sums i)) with (@nil N); [cbn [length]; change (whole (Z.of_nat 0)) with 0; ring|].
          symmetry. induction (row_sums i) as [|v l IHl]; [reflexivity|]. cbn [filter].
          destruct (name_at v) as [| | | | |j rt r g]; try exact IHl.
          assert (Hno : on_side rt x x = false) by (unfold on_side; destruct rt; apply Z.ltb_irrefl). rewrite Hno.
          exact IHl.
        - set (sd := (x <? X)%Z).
          assert (Hs : (0 < sg sd * (X - x))%Z) by (unfold sd; destruct (Z.ltb_spec x X); unfold sg; lia).
          specialize (Hg _ (grams_here _ _ _ _ _ _ sd X (inside_strip now) Hs)). cbv beta iota in Hg.
          unfold counted_once in Hg.
          apply orb_true_iff in Hg as [Hg|Hg].
          + apply Nat.eqb_eq in Hg. replace (filter _ (row_sums i)) with (filter (fun v => match name_at v with
                | Sum_beside _ rt r g => Bool.eqb rt sd && in_group class_of told_at g r (label_at (lab X))
                  | _ => false end) (row_sums i)).
            * rewrite <- Hg. change (Z.of_nat 1) with 1%Z. rewrite whole_1. ring.
            * apply filter_ext. intros v. destruct (name_at v) as [| | | | |j rt r g]; try reflexivity. f_equal.
              unfold sd, on_side. destruct rt, (Z.ltb_spec x X), (Z.ltb_spec X x); try reflexivity; lia.
          + destruct (inside_strip now) as (Hover & _ & _ & Hfit & _). destruct (Hfit X row Hr) as (v & Hv & Hh).
            rewrite Hv in Hg. rewrite forallb_forall in Hg.
            assert (Z0 : A X = 0).
            { unfold A, amount. specialize (Hg _ (held _ _ _ _ Hh (Hover _ _))). apply Z.eqb_eq in Hg.
              rewrite Hg, whole_0. ring. }
            rewrite Z0. ring.
      Qed.
    End At.

    Section Halted.
      Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
      Hypothesis now : present parts p q x y w lab lo m.
      Notation el := (here (s_d e) coarse_at p q x y lab).
      Hypothesis Hv : forall last, vanish parts (Moment lo m x w lab last)
        (polys (node_at el)).

      Lemma at_reads_ok asked ok : asked p (w x y) = true -> at_reads asked ok = true -> ok el (w x y) = true.
      Proof.
        clear - now. intros Hhalt H. unfold at_reads in H. rewrite forallb_forall in H.
        assert (Hin : In el (s_elements e)) by apply (inside_strip now).
        specialize (H _ Hin). cbv beta iota delta [here] in H.
        pose proof (inside_strip now) as (Hover & Hy & _ & Hfit & _). unfold inside in Hy.
        destruct (Hfit x (Z.to_nat (y - low)) ltac:(lia)) as (v & Hv0 & Hh). rewrite Hv0 in H.
        rewrite forallb_forall in H. replace (low + Z.of_nat (Z.to_nat (y - low)))%Z with y in Hh by lia.
        specialize (H _ (held _ _ _ _ Hh (Hover x y))). rewrite Hhalt in H. exact H.
      Qed.
      Lemma at_ends_ok ok : halts_on p (w x y) = true -> at_ends ok = true -> ok el (w x y) = true.
      Proof. apply at_reads_ok. Qed.
      (** A text that is not empty, and what is told of the column that counts 1. *)
      Lemma unit_here back : units_ok units (negb back) = true -> text_ok false el (w x y) = true ->
        levels_known (p := p) (x := x) (lab := lab) /\ exists a len v, (0 < len)%nat /\
          holds_text symbols w y_row a len /\
          In v (end_units units (negb back) el (w x y)) /\ @at_unit parts (unit_column back a len) v.
      Proof.
        clear - all_levels parts_ok now un_ok fi_ok. intros all_units Htext.
        destruct (text_here all_levels parts_ok now false Htext) as (K & a & len & Ht & Hlen).
        specialize (Hlen eq_refl).
        split; [exact K|]. set (b := unit_column back a len).
        destruct (end_units_ok units (negb back) all_levels all_units parts_ok now K false b Htext) as (v & Hv1 & Hat);
          [| |exists a, len, v; auto].
        - destruct Ht as [Hout Hin].
          assert (Hb : (a <= b < a + Z.of_nat len)%Z) by (unfold b, unit_column; destruct back; lia).
          split; [intros Y HY; apply Hout; auto|]. destruct (Hin b Hb) as [Hn Hs]. split; [exact Hn|].
          apply existsb_exists. exists (w b y_row). split; [exact Hs | apply N.eqb_refl].
        - intros X HX Y. apply Ht. unfold b, unit_column in HX. destruct back; cbn [negb sg] in HX; lia.
      Qed.
      Lemma goal_zero g u b : @at_unit parts b u -> goal_ok g el (w x y) u = true ->
        value (rho system_at low class_of label_at told_at parts name_at (Moment lo m x w lab b)
          (Moment lo m x w lab b)) g = 0.
      Proof.
        intros Hat H. unfold goal_ok in H. apply existsb_exists in H as (mu & Hmu & H).
        set (M := Moment lo m x w lab b). set (R := rho system_at low class_of label_at told_at parts name_at M M).
        assert (Hbase := bases).
        assert (Hzero : value R (scaled mu g) = 0).
        { eapply implied_sound; [| exact H | | | left; reflexivity].
          - intros k Hk. apply nonzero_rho; [exact Hbase | exact Hk].
          - intros f Hfin. apply in_app_or in Hfin as [Hfin|Hfin];
              [|apply in_app_or in Hfin as [Hfin|Hfin];
              [exact (given_ok M f Hfin)|apply in_app_or in Hfin as [Hfin|Hfin]]].
            + rewrite always_is in Hfin.
              eapply always_ok; [exact Hbase | exact number_ok | exact parts_ok | exact Hfin].
            + eapply (situation_facts_ok) with (late := false); [exact Hbase | exact number_ok | | exact Hfin].
              apply (situation_true parts parts_ok); [exact (inside_strip now) | exact (places now) | exact (blank now)
                | right; reflexivity].
            + eapply forms_ok; [exact number_ok | | exact Hfin]. intros t Ht.
              apply in_flat_map in Ht as ([k d] & Hkd & Ht).
              apply in_map_iff in Ht as (j & <- & _). eapply at_fact_ok; [exact Hbase | reflexivity |].
              exact (Hat k d Hkd).
          - intros P HP. apply in_map_iff in HP as (Q & <- & HQ). rewrite value_renamed.
            rewrite (value_ext _ (fun v => meaning M (name_at v))) by (intros k; apply rho_before). apply (Hv b).
            exact HQ. }
        rewrite value_scaled in Hzero. apply Qcmult_integral in Hzero as [Hzero|Hzero]; [exfalso | exact Hzero].
        unfold multipliers in Hmu. destruct Hmu as [<-|Hmu]; [discriminate Hzero|].
        apply in_map_iff in Hmu as (k & <- & Hk). apply filter_In in Hk as [_ Hk]. unfold Polynomials.value_of in Hzero.
        cbn [fold_right] in Hzero.
        rewrite Qcmult_1_r in Hzero. unfold R in Hzero. rewrite rho_before in Hzero.
        destruct (name_at k); try discriminate. exact (weight_nonzero system_at Hbase parts _ _ Hzero).
      Qed.

      (** All of the row is in its text. *)
      Lemma row_in_text i a len : holds_text symbols w y_row a len ->
        sum lo m (amount system_at low parts i row w) = sum a (length (text_in w y_row a len))
          (fun X => whole (worth (system_at i) (w X y_row)) * weight i X).
      Proof.
        intros (Hout & Hin). rewrite text_in_length.
        change (sum a len _) with (sum a len (amount system_at low parts i row w)).
        assert (Hblank : forall X, (X < a \/ a + Z.of_nat len <= X)%Z -> amount system_at low parts i row w X = 0) by
          (intros X HX; apply amount_blank, Hout; lia).
        destruct len as [|len]; [apply sum_zero; intros X _; apply Hblank; lia|]. apply sum_within.
        - destruct (Z_lt_dec a lo); [|lia]. exfalso. apply (Hin a); [lia|]. apply (blank now). lia.
        - destruct (Z_lt_dec (a + Z.of_nat len) (lo + Z.of_nat m)); [lia|]. exfalso.
          apply (Hin (a + Z.of_nat len)%Z); [lia|]. apply (blank now). lia.
        - exact Hblank.
      Qed.
      Lemma text_at a len k : (k < length (text_in w y_row a len))%nat ->
        w (a + Z.of_nat k)%Z y_row = nth k (text_in w y_row a len) 0%N.
      Proof. rewrite text_in_length. intros Hk. symmetry. apply text_in_nth. exact Hk. Qed.
      Lemma difference (c d : Qc) : c - d = 0 -> d = c.
      Proof. intros H. transitivity (c - (c - d)); [ring|]. rewrite H. ring. Qed.
      Definition fine_text : Prop := forall X, fine (view (w (X - 1)%Z y_row)) (view (w X y_row))
        (view (w (X + 1)%Z y_row)) = true.

      Hypothesis halted : halts_on p (w x y) = true.
      Hypothesis kept : skipped el (w x y) = false.
      (** How often some symbols stand in a text. *)
      Lemma counted_here one amount : counts_ok one amount = true -> fine_text /\
        (exists a len, holds_text symbols w y_row a len) /\
        exists P, amount = Some P /\ forall a len, holds_text symbols w y_row a len ->
        value (rho system_at low class_of label_at told_at parts name_at (Moment lo m x w lab x)
          (Moment lo m x w lab x)) P =
        whole (Z.of_nat (length (filter one (text_in w y_row a len)))).
      Proof.
        intros H. unfold counts_ok in H. destruct (find _ ids) as [i|] eqn:Ei; [|discriminate].
        apply find_some in Ei as [_ Hc]. destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
        destruct amount as [P|]; [|discriminate]. apply andb_true_iff in H as [Hrow H].
        apply (at_ends_ok _ halted) in H. cbv beta in H. rewrite kept in H. cbn [orb] in H.
        apply andb_true_iff in H as [Htext H].
        destruct (text_here all_levels parts_ok now true Htext) as (K & a0 & len0 & Ht0 & _).
        split; [exact (fine_here all_levels all_views now true Htext K)|]. split; [eauto|]. exists P.
        split; [reflexivity|]. intros a len Ht.
        apply (goal_zero _ [] x) in H; [|intros k d []]. set (M := Moment lo m x w lab x) in *.
        rewrite value_minus, (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et) in H.
        unfold M in H at 1 2. rewrite (row_total p q x y w lab lo m x now i Hrow), (row_in_text i a len Ht) in H.
        rewrite (sum_counted parts i one symbols (fun X => w X y_row) _ Hc
          (fun v Hu => proj2 (text_in_symbols _ _ _ _ _ _ Ht Hu)) a (text_at a len)) in H.
        apply difference. exact H.
      Qed.
      (** What a text spells. *)
      Theorem spelled_here back ex : symbols = digits -> units_ok units (negb back) = true -> ends_ok back ex = true ->
        fine_text /\ exists a len z, (0 < len)%nat /\ holds_text digits w y_row a len /\
          evaluate digits members ex parts = Some (Number z) /\
          spells digits (facing back (text_in w y_row a len)) = Some z.
      Proof.
        intros Es all_units H. unfold ends_ok in H. destruct (goal_system back) as [i|] eqn:Ei; [|discriminate].
        destruct (goal ex i) as [g|] eqn:Eg; [|discriminate]. apply andb_true_iff in H as [Hrow H].
        apply (at_ends_ok _ halted) in H. cbv beta in H. rewrite kept in H. cbn [orb] in H.
        apply andb_true_iff in H as [Htext H].
        destruct (unit_here back all_units Htext) as (K & a & len & v & Hlen & Ht & Hv1 & Hat).
        set (b := unit_column back a len) in *.
        split; [exact (fine_here all_levels all_views now false Htext K)|].
        rewrite forallb_forall in H. specialize (H v Hv1). pose proof (goal_zero g v b Hat H) as Hzero. clear H.
        set (M := Moment lo m x w lab b) in *.
        set (R := rho system_at low class_of label_at told_at parts name_at M M) in *.
        unfold goal in Eg. destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
        destruct (form name_at number [(1%Z, [(false, Last_weight (scale i))])]) as [wt|] eqn:Ew; [|discriminate].
        destruct (polynomial_of ex) as [P|] eqn:Ep; [|discriminate]. injection Eg as <-.
        destruct (polynomial_of_ok digits _ parts_ok M M _ _ Ep) as (z & Hz & HP).
        rewrite value_minus, value_product in Hzero. fold R in HP. rewrite HP in Hzero. unfold R in Hzero.
        rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et), (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Ew) in Hzero.
        unfold M in Hzero at 1 2.
        rewrite (row_total p q x y w lab lo m b now i Hrow), (row_in_text i a len Ht) in Hzero.
        assert (Hw : form_value system_at low class_of label_at told_at parts M M
          [(1%Z, [(false, Last_weight (scale i))])] = weight i b).
        { unfold form_value, term_value, factor_value. cbn [fold_right fst snd Unknowns.meaning m_last M].
          rewrite scale_weight, whole_1. ring. }
        rewrite Hw in Hzero. unfold goal_system in Ei. apply find_some in Ei as [_ Hreads]. unfold reads_in in Hreads.
        apply andb_true_iff in Hreads as [Hreads Hworth]. rewrite forallb_forall in Hworth. rewrite Es in Ht.
        assert (Hdigits : forall s, In s (text_in w y_row a len) -> In s digits) by (intros s Hs;
          apply (text_in_symbols _ _ _ _ _ _ Ht Hs)).
        destruct (place_in_some digits (facing back (text_in w y_row a len))) as [z' Hz'];
          [intros s Hs; apply Hdigits, (in_facing back), Hs|].
        rewrite (sum_spells parts i digits back (fun X => w X y_row) _ Hreads) with (z := z') in Hzero;
          [| |exact (text_at a len) | exact Hz'].
        - rewrite text_in_length in Hzero. fold b in Hzero. exists a, len, z. split; [exact Hlen|]. split; [exact Ht|].
          split; [exact Hz|].
          replace z with z'; [exact Hz'|]. apply whole_inj.
          apply (cancel _ _ (weight i b)); [apply weight_nonzero, bases|].
          transitivity (whole z' * weight i b - weight i b * whole z + weight i b * whole z); [ring|]. rewrite Hzero.
          ring.
        - intros s d Hs Hd. specialize (Hworth s (Hdigits s Hs)). rewrite Hd in Hworth. apply Z.eqb_eq. exact Hworth.
      Qed.
    End Halted.
  End Run.
End Goals.
