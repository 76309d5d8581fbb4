(** (V12): where the agent halts, the result spells what the output clause says. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Starts Places Polynomials Elimination Sums Unknowns Facts Values Invariants Output ClausePolynomials Stretches Ends Texts.
Import ListNotations.

Section Goals.
  Variables (n : N) (e : strip).
  Variables (label_at : N -> label) (coarse_at : N -> N) (class_of : symbol -> N) (kind_of : state -> N) (told_at : N -> told).
  Variable pieces : list clause.
  Variables (systems : list system) (system_at : N -> system).
  Hypothesis system_cases : forall i, system_at i = System 1 1 (fun _ => 0%Z) \/ In (system_at i) systems.
  Variables (name_at : N -> name) (number : name -> option N) (count : N).
  Hypothesis number_ok : forall a v, number a = Some v -> name_at v = a.
  Variable T : table.
  Variable rule : state -> symbol -> option entry.
  Hypothesis rule_is : forall p s, rule p s = T p s.
  Variable coarse_told : N -> told.
  Variable reach : bool -> N -> N -> N.
  Variable node_number : state -> Z -> list N -> N.
  Variable polys : N -> list polynomial.
  Variable mask_at : N -> N.
  Hypothesis mask_is : forall c, mask_at c = group_mask class_of told_at name_at count (label_at c).
  Variables (right_mask left_mask : N).
  Hypothesis right_mask_is : right_mask = side_mask name_at count true.
  Hypothesis left_mask_is : left_mask = side_mask name_at count false.
  Variable worthless : N -> bool.
  Hypothesis worthless_is : forall c, worthless c = true -> without_worth n class_of systems c = true.
  Variable always_so : list polynomial.
  Hypothesis always_is : always_so = always system_at (ids systems) name_at number pieces.
  Variable level_at : bool -> N -> N -> level.
  Variable units : list unit.
  Variable row : nat.
  Variable digits : list symbol.
  Variable clause_value : expression.
  Notation low := (s_low e).
  Notation height := (s_height e).
  Notation ids := (ids systems).
  Notation members := (map members_of pieces).
  Notation scale := (scale system_at ids).
  Notation reads_in := (reads_in system_at).
  Notation counts := (counts system_at).
  Notation polynomial_of := (polynomial_of pieces systems system_at name_at number).
  Notation in_strip := (labelled n (s_low e) (s_height e) (s_d e) class_of kind_of label_at coarse_at (s_elements e) (s_grams e)).

  Definition is_digit (s : symbol) : bool := match place_in digits s with Some _ => true | None => false end.

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
  Definition goal_system : option N := find (fun i => reads_in i digits digits) ids.
  Definition rows_ok (i : N) : bool :=
    Nat.ltb row height && forallb (fun g : gram => let '(sd, _, x, _) := g in counted_once i sd (label_at x)) (s_grams e).

  Definition goal (i : N) : option polynomial :=
    match form name_at number (row_terms i), form name_at number [(1%Z, [(false, Last_weight (scale i))])], polynomial_of clause_value with
    | Some t, Some w, Some p => Some (minus t (product w p))
    | _, _, _ => None
    end.
  Definition multipliers : list monomial :=
    [] :: map (fun v => [before v]) (filter (fun v => match name_at v with Part_weight _ _ => true | _ => false end) (below count)).
  Definition goal_ok (g : polynomial) (el : Strips.element) (read : symbol) (u : unit) : bool :=
    existsb (fun m =>
      implied (nonzero name_at)
        (always_so ++
         situation_facts system_at ids height name_at number count false
           (situation_at e label_at kind_of told_at pieces coarse_told reach right_mask left_mask worthless el (Some read)) ++
         forms name_at number (flat_map (fun kd => map (at_fact system_at false Last_weight kd) (scales system_at ids)) u))
        (map (renamed before) (polys (node_at label_at class_of node_number el))) [scaled m g]) multipliers.
  Definition halts_on (p : state) (s : symbol) : bool :=
    match rule p s with Some (s', MS, _) => (s' =? s)%N | _ => false end.
  (** At every element in which the agent may halt. *)
  Definition at_ends (ok : Strips.element -> symbol -> bool) : bool :=
    forallb (fun el : Strips.element => let '(p, _, y, c, _, _) := el in
      match nth_error (cells_of (label_at c)) (Z.to_nat (y - low)) with
      | Some v => forallb (fun s => negb (halts_on p s) || ok el s) (symbols_held n class_of v)
      | None => false
      end) (s_elements e).
  Definition ends_ok : bool :=
    match goal_system with
    | Some i =>
        match goal i with
        | Some g => rows_ok i && at_ends (fun el s =>
            match end_units n e label_at class_of kind_of told_at pieces count coarse_told reach row is_digit level_at units el s with
            | Some us => forallb (goal_ok g el s) us
            | None => false
            end)
        | None => false
        end
    | None => false
    end.

  (** In the row, a symbol stands as often as an expression says. *)
  Definition symbol_system (s : symbol) (symbols : list symbol) : option N := find (fun i => counts i (N.eqb s) symbols) ids.
  Definition counts_ok (s : symbol) (symbols : list symbol) (x : expression) : bool :=
    match symbol_system s symbols with
    | Some i =>
        match form name_at number (row_terms i), polynomial_of x with
        | Some t, Some p => rows_ok i && at_ends (fun el read => goal_ok (minus t p) el read [])
        | _, _ => false
        end
    | None => false
    end.

  Hypothesis all_systems : systems_ok systems = true.
  Hypothesis all_grams : grams_ok e label_at coarse_at told_at coarse_told reach mask_at = true.
  Hypothesis all_levels : levels_ok n e label_at coarse_at class_of told_at pieces row is_digit level_at = true.
  Hypothesis all_units : units_ok e label_at coarse_at told_at pieces count coarse_told reach level_at units = true.
  Hypothesis all_ends : ends_ok = true.

  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Local Open Scope Qc_scope.

    (** * The row *)
    Section At.
      Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat) (last : Z).
      Hypothesis inside_strip : in_strip p q x y w lab.
      Hypothesis blank : blank_beyond lo m w.
      Hypothesis head_within : (lo <= x < lo + Z.of_nat m)%Z.
      Notation M := (Moment lo m x w lab last).

      Lemma row_total i : rows_ok i = true ->
        form_value system_at low class_of label_at told_at parts M M (row_terms i) = sum lo m (amount system_at low parts i row w).
      Proof.
        intros H. unfold rows_ok in H. apply andb_true_iff in H as [Hr Hg]. apply Nat.ltb_lt in Hr. rewrite forallb_forall in Hg.
        set (part := fun v X => match name_at v with
          | Sum_beside j rt r g => beside (fun l => in_group class_of told_at g r (label_at l)) rt x lab (amount system_at low parts j r w) X
          | _ => 0 end).
        assert (E1 : forall l, (forall v, In v l -> in_row i v = true) ->
          form_value system_at low class_of label_at told_at parts M M (map (fun v => (1%Z, [(false, name_at v)])) l) =
          sum lo m (fun X => fold_right (fun v a => part v X + a) 0 l)).
        { induction l as [|v l IH]; intros Hl; cbn [map].
          - symmetry. apply sum_zero. reflexivity.
          - assert (Hv := Hl v (or_introl eq_refl)). unfold in_row in Hv. unfold form_value. cbn [fold_right].
            fold (form_value system_at low class_of label_at told_at parts M M (map (fun v => (1%Z, [(false, name_at v)])) l)).
            rewrite IH by (intros u Hu; apply Hl; right; exact Hu).
            unfold term_value, factor_value. cbn [fold_right fst snd]. rewrite whole_1.
            rewrite sum_plus. f_equal. unfold part at 1. destruct (name_at v) as [| | | | |j rt r g]; try discriminate.
            cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab]. unfold sum_beside. rewrite Qcmult_1_l, Qcmult_1_r. reflexivity. }
        unfold row_terms, form_value. cbn [fold_right].
        fold (form_value system_at low class_of label_at told_at parts M M (map (fun v => (1%Z, [(false, name_at v)])) (row_sums i))).
        rewrite E1 by (intros v Hv; apply filter_In in Hv; apply Hv).
        unfold term_value, factor_value. cbn [fold_right fst snd Unknowns.meaning m_world m_x]. rewrite whole_1.
        set (A := amount system_at low parts i row w).
        rewrite (sum_same m _ (fun X => if (X =? x)%Z then 0 else A X)).
        { rewrite (sum_one_changed m (fun X => if (X =? x)%Z then 0 else A X) A x) by
            (exact head_within || (intros X HX; apply Z.eqb_neq in HX; rewrite HX; reflexivity)).
          rewrite Z.eqb_refl. ring. }
        intros X _.
        assert (E2 : forall l, (forall v, In v l -> in_row i v = true) -> fold_right (fun v a => part v X + a) 0 l =
          whole (Z.of_nat (length (filter (fun v => match name_at v with
             | Sum_beside _ rt r g => on_side rt x X && in_group class_of told_at g r (label_at (lab X)) | _ => false end) l))) * A X).
        { induction l as [|v l IH]; intros Hl; cbn [fold_right filter length]; [change (whole (Z.of_nat 0)) with 0; ring|].
          rewrite IH by (intros u Hu; apply Hl; right; exact Hu). assert (Hv := Hl v (or_introl eq_refl)). unfold in_row in Hv.
          unfold part at 1. destruct (name_at v) as [| | | | |j rt r g]; try discriminate.
          apply andb_true_iff in Hv as [Hv1 Hv2]. apply N.eqb_eq in Hv1. apply Nat.eqb_eq in Hv2. subst j r. unfold beside.
          destruct (on_side rt x X && in_group class_of told_at g row (label_at (lab X))); cbn [length].
          - rewrite Nat2Z.inj_succ, <- Z.add_1_l, whole_plus, whole_1. unfold A. ring.
          - ring. }
        rewrite E2 by (intros v Hv; apply filter_In in Hv; apply Hv).
        destruct (Z.eqb_spec X x) as [->|HX].
        - replace (filter _ (row_sums i)) with (@nil N); [cbn [length]; change (whole (Z.of_nat 0)) with 0; ring|].
          symmetry. induction (row_sums i) as [|v l IHl]; [reflexivity|]. cbn [filter].
          destruct (name_at v) as [| | | | |j rt r g]; try exact IHl.
          assert (Hno : on_side rt x x = false) by (unfold on_side; destruct rt; apply Z.ltb_irrefl). rewrite Hno. exact IHl.
        - set (sd := (x <? X)%Z). assert (Hs : (0 < sg sd * (X - x))%Z) by (unfold sd; destruct (Z.ltb_spec x X); unfold sg; lia).
          specialize (Hg _ (grams_here _ _ _ _ _ _ _ _ _ _ _ _ sd X inside_strip Hs)). cbv beta iota in Hg. unfold counted_once in Hg.
          apply orb_true_iff in Hg as [Hg|Hg].
          + apply Nat.eqb_eq in Hg. replace (filter _ (row_sums i)) with (filter (fun v => match name_at v with
                | Sum_beside _ rt r g => Bool.eqb rt sd && in_group class_of told_at g r (label_at (lab X)) | _ => false end) (row_sums i)).
            * rewrite <- Hg. change (Z.of_nat 1) with 1%Z. rewrite whole_1. ring.
            * apply filter_ext. intros v. destruct (name_at v) as [| | | | |j rt r g]; try reflexivity. f_equal.
              unfold sd, on_side. destruct rt, (Z.ltb_spec x X), (Z.ltb_spec X x); try reflexivity; lia.
          + destruct inside_strip as (Hover & _ & _ & Hfit & _). destruct (Hfit X row Hr) as (v & Hv & Hh).
            rewrite Hv in Hg. rewrite forallb_forall in Hg.
            assert (Z0 : A X = 0).
            { unfold A, amount. specialize (Hg _ (held _ _ _ _ Hh (Hover _ _))). apply Z.eqb_eq in Hg. rewrite Hg, whole_0. ring. }
            rewrite Z0. ring.
      Qed.
    End At.

    Section Halted.
      Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
      Hypothesis HI : in_strip p q x y w lab.
      Hypothesis Hp : all_places label_at told_at parts lab.
      Hypothesis Hb : blank_beyond lo m w.
      Hypothesis Hx : (lo <= x < lo + Z.of_nat m)%Z.
      Notation el := (here (s_d e) coarse_at p q x y lab).
      Hypothesis Hv : forall last, vanish e label_at class_of told_at system_at name_at parts (Moment lo m x w lab last)
        (polys (node_at label_at class_of node_number el)).

      Lemma at_ends_ok ok : halts_on p (w x y) = true -> at_ends ok = true -> ok el (w x y) = true.
      Proof.
        clear - HI. intros Hhalt H. unfold at_ends in H. rewrite forallb_forall in H. assert (Hin : In el (s_elements e)) by apply HI.
        specialize (H _ Hin). cbv beta iota delta [here] in H. pose proof HI as (Hover & Hy & _ & Hfit & _). unfold inside in Hy.
        destruct (Hfit x (Z.to_nat (y - low)) ltac:(lia)) as (v & Hv0 & Hh). rewrite Hv0 in H.
        rewrite forallb_forall in H. replace (low + Z.of_nat (Z.to_nat (y - low)))%Z with y in Hh by lia.
        specialize (H _ (held _ _ _ _ Hh (Hover x y))). rewrite Hhalt in H. exact H.
      Qed.
      Lemma goal_zero g u b : at_unit parts b u -> goal_ok g el (w x y) u = true ->
        value (rho system_at low class_of label_at told_at parts name_at (Moment lo m x w lab b) (Moment lo m x w lab b)) g = 0.
      Proof.
        intros Hat H. unfold goal_ok in H. apply existsb_exists in H as (mu & Hmu & H).
        set (M := Moment lo m x w lab b). set (R := rho system_at low class_of label_at told_at parts name_at M M).
        assert (Hbase := bases systems system_at system_cases all_systems).
        assert (Hzero : value R (scaled mu g) = 0).
        { eapply implied_sound; [| exact H | | | left; reflexivity].
          - intros k Hk. apply nonzero_rho; [exact Hbase | exact Hk].
          - intros f Hfin. apply in_app_or in Hfin as [Hfin|Hfin]; [|apply in_app_or in Hfin as [Hfin|Hfin]].
            + rewrite always_is in Hfin. eapply always_ok; [exact Hbase | exact number_ok | exact parts_ok | exact Hfin].
            + eapply (situation_facts_ok) with (late := false); [exact Hbase | exact number_ok | | exact Hfin].
              apply (situation_true n e label_at coarse_at class_of kind_of told_at pieces systems system_at system_cases name_at count coarse_told reach mask_at mask_is
                right_mask left_mask right_mask_is left_mask_is worthless worthless_is all_systems all_grams parts parts_ok); auto.
            + eapply forms_ok; [exact number_ok | | exact Hfin]. intros t Ht. apply in_flat_map in Ht as ([k d] & Hkd & Ht).
              apply in_map_iff in Ht as (j & <- & _). eapply at_fact_ok; [exact Hbase | reflexivity |]. exact (Hat k d Hkd).
          - intros P HP. apply in_map_iff in HP as (Q & <- & HQ). rewrite value_renamed.
            rewrite (value_ext _ (fun v => meaning M (name_at v))) by (intros k; apply rho_before). apply (Hv b). exact HQ. }
        rewrite value_scaled in Hzero. apply Qcmult_integral in Hzero as [Hzero|Hzero]; [exfalso | exact Hzero].
        unfold multipliers in Hmu. destruct Hmu as [<-|Hmu]; [discriminate Hzero|].
        apply in_map_iff in Hmu as (k & <- & Hk). apply filter_In in Hk as [_ Hk]. unfold Polynomials.value_of in Hzero. cbn [fold_right] in Hzero.
        rewrite Qcmult_1_r in Hzero. unfold R in Hzero. rewrite rho_before in Hzero.
        destruct (name_at k); try discriminate. exact (weight_nonzero system_at Hbase parts _ _ Hzero).
      Qed.

      (** How often a symbol stands in a text. *)
      Lemma counted_here s symbols ex a len : halts_on p (w x y) = true -> counts_ok s symbols ex = true -> holds_text symbols w (y_row e row) a len ->
        evaluate digits members ex parts = Some (Number (Z.of_nat (length (filter (N.eqb s) (text_in w (y_row e row) a len))))).
      Proof.
        intros Hhalt H Ht. unfold counts_ok in H. destruct (symbol_system s symbols) as [i|] eqn:Ei; [|discriminate].
        apply find_some in Ei as [_ Hc]. destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
        destruct (polynomial_of ex) as [P|] eqn:Ep; [|discriminate]. apply andb_true_iff in H as [Hrow H].
        apply (at_ends_ok _ Hhalt) in H. apply (goal_zero _ [] x) in H; [|intros k d []].
        set (M := Moment lo m x w lab x) in H.
        destruct (polynomial_of_ok _ _ _ system_cases _ _ number_ok all_systems digits low class_of label_at told_at _ parts_ok M M _ _ Ep) as (z & Hz & HP).
        rewrite value_minus, HP, (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et) in H.
        unfold M in H. rewrite (row_total p q x y w lab lo m x HI Hx i Hrow) in H. rewrite Hz. do 2 apply f_equal. apply whole_inj.
        assert (Hsum := sum_counted systems system_at system_cases all_systems parts i (N.eqb s) symbols (fun X => w X (y_row e row))
          (text_in w (y_row e row) a len) Hc (fun u Hu => proj2 (text_in_symbols _ _ _ _ _ _ Ht Hu)) a
          ltac:(intros k Hk; rewrite text_in_length in Hk; symmetry; apply text_in_nth; exact Hk)).
        etransitivity; [|exact Hsum]. clear Hsum. rewrite text_in_length. destruct Ht as (Hout & Hin & _).
        assert (Hblank : forall X, (X < a \/ a + Z.of_nat len <= X)%Z -> amount system_at low parts i row w X = 0).
        { intros X HX. eapply amount_blank; [exact system_cases | exact all_systems |]. apply Hout. lia. }
        assert (E : sum lo m (amount system_at low parts i row w) = sum a len (amount system_at low parts i row w)).
        { destruct len as [|len]; [apply sum_zero; intros X _; apply Hblank; lia|]. apply sum_within.
          - destruct (Z_lt_dec a lo); [|lia]. exfalso. apply (Hin a); [lia|]. apply Hb. lia.
          - destruct (Z_lt_dec (a + Z.of_nat len) (lo + Z.of_nat m)); [lia|]. exfalso. apply (Hin (a + Z.of_nat len)%Z); [lia|]. apply Hb. lia.
          - exact Hblank. }
        rewrite E in H. transitivity (sum a len (amount system_at low parts i row w) - (sum a len (amount system_at low parts i row w) - whole z)); [ring|].
        rewrite H. unfold amount, Stretches.y_row. ring.
      Qed.
    End Halted.

    (** Where the agent halts, the result is what the clause says. *)
    Theorem result_here p q x y w : good n e label_at coarse_at class_of kind_of told_at system_at name_at node_number polys parts p q x y w ->
      halts_on p (w x y) = true ->
      exists z l, evaluate digits members clause_value parts = Some (Number z) /\ stands w l /\ says digits (Number z) l.
    Proof.
      intros (lab & lo & m & HI & Hp & Hb & Hf & Hx & Hv) Hhalt. pose proof all_ends as H. unfold ends_ok in H.
      destruct goal_system as [i|] eqn:Ei; [|discriminate]. destruct (goal i) as [g|] eqn:Eg; [|discriminate].
      apply andb_true_iff in H as [Hrow H]. apply (at_ends_ok p q x y w lab HI _ Hhalt) in H. cbv beta in H.
      set (el := here (s_d e) coarse_at p q x y lab) in *.
      destruct (end_units n e label_at class_of kind_of told_at pieces count coarse_told reach row is_digit level_at units el (w x y)) as [us|] eqn:Eu; [|discriminate].
      destruct (end_units_ok n e label_at coarse_at class_of kind_of told_at pieces name_at count mask_at coarse_told reach row is_digit level_at units all_grams all_levels all_units
                  parts p q x y w lab lo m parts_ok HI Hp Hb Hf Hx us Eu) as (a & b & u & Hst & Hus & Hat).
      rewrite forallb_forall in H. specialize (H u Hus). pose proof (goal_zero p q x y w lab lo m HI Hp Hb Hv g u b Hat H) as Hzero. clear H.
      assert (Hbase := bases systems system_at system_cases all_systems).
      set (M := Moment lo m x w lab b) in *. set (R := rho system_at low class_of label_at told_at parts name_at M M) in *.
      unfold goal in Eg. destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
      destruct (form name_at number [(1%Z, [(false, Last_weight (scale i))])]) as [wt|] eqn:Ew; [|discriminate].
      destruct (polynomial_of clause_value) as [P|] eqn:Ep; [|discriminate]. injection Eg as <-.
      destruct (polynomial_of_ok _ _ _ system_cases _ _ number_ok all_systems digits low class_of label_at told_at _ parts_ok M M _ _ Ep) as (z & Hz & HP).
      rewrite value_minus, value_product in Hzero. fold R in HP. rewrite HP in Hzero.
      unfold R in Hzero. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et), (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Ew) in Hzero.
      pose proof (row_total p q x y w lab lo m b HI Hx i Hrow) as Htotal. fold M in Htotal. rewrite Htotal in Hzero.
      assert (Hw : form_value system_at low class_of label_at told_at parts M M [(1%Z, [(false, Last_weight (scale i))])] = weight i b).
      { unfold form_value, term_value, factor_value. cbn [fold_right fst snd Unknowns.meaning m_last M]. rewrite scale_weight, whole_1. ring. }
      rewrite Hw in Hzero.
      (* the stretch *)
      destruct Hst as (Hab & Hsym & Hblank). set (len := Z.to_nat (b - a + 1)).
      set (l := map (fun j => w (a + Z.of_nat j)%Z (y_row e row)) (seq 0 len)).
      assert (Hlen : length l = len) by (unfold l; rewrite map_length, seq_length; reflexivity).
      assert (Hnth : forall j, (j < len)%nat -> nth j l 0%N = w (a + Z.of_nat j)%Z (y_row e row)).
      { intros j Hj. unfold l. rewrite (nth_indep _ _ ((fun j => w (a + Z.of_nat j)%Z (y_row e row)) 0%nat)) by (rewrite map_length, seq_length; exact Hj).
        rewrite (map_nth (fun j => w (a + Z.of_nat j)%Z (y_row e row))), seq_nth by exact Hj. reflexivity. }
      assert (Hdigits : forall s, In s l -> place_in digits s <> None).
      { intros s Hs. unfold l in Hs. apply in_map_iff in Hs as (j & <- & Hj). apply in_seq in Hj.
        destruct (Hsym (a + Z.of_nat j)%Z ltac:(unfold len in Hj; lia)) as (_ & _ & Hal). unfold is_digit in Hal.
        destruct (place_in digits (w (a + Z.of_nat j)%Z (y_row e row))); [discriminate | discriminate Hal]. }
      destruct (place_in_some digits l Hdigits) as [z' Hz'].
      unfold goal_system in Ei. apply find_some in Ei as [_ Hreads]. unfold ClausePolynomials.reads_in in Hreads.
      apply andb_true_iff in Hreads as [Hreads Hworth]. apply andb_true_iff in Hreads as [Hu1 Ho1]. apply Z.eqb_eq in Hu1, Ho1. rewrite forallb_forall in Hworth.
      assert (Hsum : sum lo m (amount system_at low parts i row w) = whole z' * weight i b).
      { rewrite (sum_within lo m _ a len).
        - rewrite <- Hlen. replace b with (a + Z.of_nat (length l) - 1)%Z by (rewrite Hlen; unfold len; lia).
          apply (sum_spells system_at parts i digits Hbase Hu1 Ho1 (fun X => w X (y_row e row)) a l z').
          + intros j Hj. rewrite Hnth; [reflexivity|]. rewrite <- Hlen. exact Hj.
          + intros s d _ Hd. assert (Hin' : In s digits).
            { clear - Hd. revert d Hd. induction digits as [|c ds IH]; intros d Hd; cbn [place_in] in Hd; [discriminate|].
              destruct (N.eqb_spec c s) as [->|]; [left; reflexivity|]. destruct (place_in ds s) as [d'|]; [|discriminate]. right. eapply IH. reflexivity. }
            specialize (Hworth s Hin'). rewrite Hd in Hworth. apply Z.eqb_eq. exact Hworth.
          + exact Hz'.
        - destruct (Hsym a ltac:(lia)) as (_ & Hnb & _). destruct (Z_lt_dec a lo); [|lia]. exfalso. apply Hnb. apply Hb. lia.
        - destruct (Hsym b ltac:(lia)) as (_ & Hnb & _). destruct (Z_lt_dec b (lo + Z.of_nat m)); [unfold len; lia|]. exfalso. apply Hnb. apply Hb. lia.
        - intros X HX. eapply amount_blank; [exact system_cases | exact all_systems |]. apply Hblank. unfold len in HX. lia. }
      rewrite Hsum in Hzero.
      assert (Ezz : z' = z).
      { apply whole_inj. apply (cancel _ _ (weight i b)); [apply weight_nonzero; exact Hbase|].
        transitivity (whole z' * weight i b - weight i b * whole z + weight i b * whole z); [ring|]. rewrite Hzero. ring. }
      subst z'. exists z, l. split; [exact Hz|]. split.
      - exists (y_row e row), a. intros X Y. destruct (Z.eqb_spec Y (y_row e row)) as [->|HY].
        + cbn [andb]. destruct (Z.leb_spec a X) as [HaX|HaX].
          * destruct (Z_le_dec X b) as [HXb|HXb].
            -- rewrite Hnth by (unfold len; lia). f_equal. lia.
            -- rewrite nth_overflow by (rewrite Hlen; unfold len; lia). apply Hblank. lia.
          * apply Hblank. lia.
        + cbn [andb]. destruct (Z_lt_dec X a); [apply Hblank; lia|]. destruct (Z_lt_dec b X); [apply Hblank; lia|].
          destruct (Hsym X ltac:(lia)) as (Ho & _). apply Ho. exact HY.
      - cbn [says]. split; [|exact Hz']. intros E0. rewrite E0 in Hlen. cbn in Hlen. unfold len in Hlen. lia.
    Qed.
  End Run.
End Goals.
