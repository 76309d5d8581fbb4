(** What is known of the unknowns at an element of a strip, and what a step does to them, as polynomials that are 0. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Maps Windows Columns Strips Places Polynomials Sums Unknowns.
Import ListNotations.

(** What is known at an element: cells of the head's column, sums that are 0, and that the head is a number of columns
    after the first one of a part; and sums of products of unknowns that are 0. *)
Record situation := Situation { s_cells : list (option known); s_zeros : N; s_at : list (N * Z);
  s_forms : list (list (Z * list name)) }.
Definition timed (late : bool) (t : list (Z * list name)) : list term :=
  map (fun cl => (fst cl, map (pair late) (snd cl))) t.
(** A step: the head's row, what it writes, to which side it goes; the sums that matter, those that the column which
    it leaves is in, and those that the column which it enters was in. *)
Record shape := Shape { h_row : nat; h_write : symbol; h_side : Z; h_sums : N; h_left : N; h_entered : N }.

Lemma same_length A B (R : A -> B -> Prop) a b : Forall2 R a b -> length a = length b.
Proof. induction 1; simpl; congruence. Qed.

Section Facts.
  Variable system_at : N -> system.
  Variable ids : list N.                              (* of the systems *)
  Hypothesis bases : forall i, (over_ (system_at i) <> 0 /\ 0 < under (system_at i))%Z.
  Hypothesis blank_worth : forall i, worth (system_at i) 0%N = 0%Z.
  Variables (low : Z) (height : nat) (class_of : symbol -> N) (label_at : N -> label) (told_at : N -> told).
  Variables (name_at : N -> name) (number : name -> option N) (count : N).
  Hypothesis number_ok : forall a v, number a = Some v -> name_at v = a.
  Variable pieces : list clause.
  Variable same_worth : N -> N -> option Z.           (* by system and class: what all its symbols are worth *)
  Notation forms := (forms name_at number).

  (** The first system with the same base, which has the same weights. *)
  Definition same_base (i j : N) : bool :=
    ((over_ (system_at i) =? over_ (system_at j)) && (under (system_at i) =? under (system_at j)))%Z.
  Definition scale (i : N) : N := match find (fun j => same_base j i) ids with Some j => j | None => i end.
  Definition scales : list N := filter (fun i => (scale i =? i)%N) ids.

  (** * Facts as terms *)
  Definition at_fact (late : bool) (head : N -> name) (kd : N * Z) (i : N) : list term :=
    let '(k, d) := kd in
    let '(a, b) := if (0 <=? d)%Z then (over_ (system_at i), under (system_at i))
      else (under (system_at i), over_ (system_at i)) in
    [((a ^ Z.abs d)%Z, [(late, head i)]); ((- b ^ Z.abs d)%Z, [(late, Part_weight i k)])].
  Definition cell_worth (i : N) (v : known) : option Z :=
    match v with Is s => Some (worth (system_at i) s) | Of_class c => same_worth i c end.
  Definition cell_fact (late : bool) (r : nat) (v : known) (i : N) : list (list term) :=
    match cell_worth i v with
    | Some z => [[(1%Z, [(late, Cell_value i r)]); ((- z)%Z, [(late, Head_weight (scale i))])]]
    | None => []
    end.
  Definition cell_facts (late : bool) (cells : list (option known)) : list (list term) :=
    flat_map (fun rc => match snd rc with Some v => flat_map (cell_fact late (fst rc) v) ids | None => [] end)
      (combine (seq 0 height) cells).
  Definition zero_facts (late : bool) (zeros : N) : list polynomial :=
    map (fun v => unknown (if late then after name_at v else before v)) (filter (N.testbit zeros) (below count)).
  Definition situation_facts (late : bool) (s : situation) : list polynomial :=
    zero_facts late (s_zeros s) ++
    forms (cell_facts late (s_cells s) ++ flat_map (fun kd => map (at_fact late Head_weight kd) scales) (s_at s) ++
      map (timed late) (s_forms s)).

  Definition column_term (h : shape) (c : Z) (i : N) (r : nat) : term :=
    if Nat.eqb r (h_row h) then ((c * worth (system_at i) (h_write h))%Z, [(false, Head_weight (scale i))])
    else (c, [(false, Cell_value i r)]).
  Definition sum_fact (h : shape) (v : N) : list term :=
    match name_at v with
    | Sum_beside i rt r g =>
        [(1%Z, [(true, name_at v)]); ((-1)%Z, [(false, name_at v)])] ++
        (if on_side rt (h_side h) 0 && N.testbit (h_left h) v then [column_term h (-1) i r] else []) ++
        (if on_side rt 0 (h_side h) && N.testbit (h_entered h) v then [(1%Z, [(true, Cell_value i r)])] else [])
    | _ => []
    end.
  Definition head_fact (h : shape) (i : N) : list term :=
    let '(a, b) := if (h_side h =? 0)%Z then (1, 1)%Z
                   else if (0 <? h_side h)%Z then (over_ (system_at i), under (system_at i))
                   else (under (system_at i), over_ (system_at i)) in
    [(a, [(true, Head_weight i)]); ((- b)%Z, [(false, Head_weight i)])].
  Definition still_facts (h : shape) : list (list term) :=
    if (h_side h =? 0)%Z then
      flat_map (fun i => map (fun r => [(1%Z, [(true, Cell_value i r)]); column_term h (-1) i r]) (seq 0 height)) ids
    else [].
  Definition shape_facts (h : shape) : list polynomial :=
    forms (map (head_fact h) scales ++ still_facts h ++ map (sum_fact h) (filter (N.testbit (h_sums h)) (below count))).

  (** * What is always so *)
  Fixpoint is_cell (c : clause) : bool :=
    match c with
    | Cell _ => true
    | Or a b => is_cell a && is_cell b
    | Then a b => match b with Nothing => is_cell a | _ => false end
    | _ => false
    end.
  Lemma is_cell_length c t : matches c t -> is_cell c = true -> length t = 1%nat.
  Proof.
    induction 1; simpl; intros E; try discriminate; auto.
    - destruct b; try discriminate. inversion H0; subst. rewrite app_nil_r. auto.
    - apply andb_true_iff in E as [E1 E2]. auto.
    - apply andb_true_iff in E as [E1 E2]. auto.
  Qed.
  (** What all symbols of a piece are worth, if it is the same and tells what the part spells. *)
  Definition worth_of_piece (i : N) (c : clause) : option Z :=
    match symbols_of_clause c with
    | [] => Some 0%Z
    | s :: l =>
        let z := worth (system_at i) s in
        if forallb (fun s => (worth (system_at i) s =? z)%Z) l && ((z =? 0)%Z || is_cell c) then Some z else None
    end.
  Definition piece_facts (late : bool) : list (list term) :=
    flat_map (fun kc => let '(k, c) := kc in
      (if is_cell c then map (fun i => [(under (system_at i), [(late, Part_weight i k)]);
                                        ((- over_ (system_at i))%Z, [(late, Part_weight i (N.succ k))])]) scales
                                          else []) ++
      flat_map (fun i => match worth_of_piece i c with
                         | Some z => [[(1%Z, [(late, Part_number i k)]); ((- z)%Z, [])]]
                         | None => []
                         end) ids) (combine (below (N.of_nat (length pieces))) pieces).
  Definition is_1 (late : bool) (a : name) : list term := [(1%Z, [(late, a)]); ((-1)%Z, [])].
  Definition unit_facts (i : N) : list (list term) :=
    if (over_ (system_at i) =? under (system_at i))%Z then
      map (fun late => is_1 late (Head_weight i)) [true; false] ++ [is_1 false (Last_weight i)] ++
      map (fun k => is_1 false (Part_weight i k)) (below (N.succ (N.of_nat (length pieces))))
    else [is_1 false (Part_weight i (if below_1 system_at i then 0 else N.of_nat (length pieces))%N)].
  (** Two systems of inverse bases share the weight that tells the length of the input. *)
  Definition inverse (i j : N) : bool :=
    ((over_ (system_at i) =? under (system_at j)) && (under (system_at i) =? over_ (system_at j)) &&
      (under (system_at i) <? over_ (system_at i)))%Z.
  Definition inverse_facts : list (list term) :=
    map (fun ij => [(1%Z, [(false, Part_weight (fst ij) 0)]);
      ((- (1))%Z, [(false, Part_weight (snd ij) (N.of_nat (length pieces)))])])
      (filter (fun ij => inverse (fst ij) (snd ij)) (list_prod scales scales)).
  Definition always : list polynomial := forms (piece_facts false ++ flat_map unit_facts scales ++ inverse_facts).

  (** What all of some symbols are worth, if it is the same. *)
  Definition one_worth (i : N) (l : list symbol) : option Z :=
    match l with
    | [] => None
    | s :: l => let z := worth (system_at i) s in if forallb (fun s => (worth (system_at i) s =? z)%Z) l then Some z
      else None
    end.
  Lemma one_worth_ok i l z : one_worth i l = Some z -> forall s, In s l -> worth (system_at i) s = z.
  Proof.
    destruct l as [|t l]; cbn [one_worth]; [discriminate|]. destruct (forallb _ l) eqn:E; [|discriminate]. intros H.
    injection H as <-.
    rewrite forallb_forall in E. intros s [->|Hs]; [reflexivity | apply Z.eqb_eq, E, Hs].
  Qed.
  (** A part of symbols that are worth the same is a series. *)
  Definition series_facts (here : N) : list (list term) :=
    let row := Z.to_nat (- low) in
    flat_map (fun i => if (over_ (system_at i) =? under (system_at i))%Z then [] else
      flat_map (fun j => match one_worth i (symbols_of_clause (nth (N.to_nat j) pieces Nothing)) with
        | Some z =>
            let d := (over_ (system_at i) - under (system_at i))%Z in
            [(d, [(false, Sum_beside i true row (Fresh (N.succ j)))]) ::
             (if (here =? N.succ j)%N then [(d, [(false, Cell_value i row)])] else []) ++
             [((- (z * over_ (system_at i)))%Z, [(false, Part_weight (scale i) j)]);
              ((z * over_ (system_at i))%Z, [(false, Part_weight (scale i) (N.succ j))])]]
        | None => []
        end) (below (N.of_nat (length pieces)))) ids.
  (** At the start all that is worth something is in parts of the input; the head is in part [here]. *)
  Definition fresh_facts (here : N) : list polynomial :=
    let row := Z.to_nat (- low) in
    forms (flat_map (fun i => map (fun j =>
      let '(c, d, k) := if below_1 system_at i then (1%Z, 1%Z, j)
        else (under (system_at i), over_ (system_at i), N.succ j) in
      (c, [(false, Sum_beside i true row (Fresh (N.succ j)))]) ::
      (if (here =? N.succ j)%N then [(c, [(false, Cell_value i row)])] else []) ++
      [((- d)%Z, [(false, Part_number i j); (false, Part_weight (scale i) k)])]) (below (N.of_nat (length pieces)))) ids
        ++ series_facts here).

  Section True.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Notation rho := (rho system_at low class_of label_at told_at parts name_at).
    Notation form_value := (form_value system_at low class_of label_at told_at parts).
    Local Open Scope Qc_scope.

    Lemma same_base_weight i j : same_base i j = true -> forall X, weight i X = weight j X.
    Proof.
      unfold same_base. intros H X. apply andb_true_iff in H as [H1 H2]. apply Z.eqb_eq in H1, H2.
      unfold Unknowns.weight, base, anchor, below_1. rewrite H1, H2. reflexivity.
    Qed.
    Lemma scale_weight i X : weight (scale i) X = weight i X.
    Proof.
      unfold scale. destruct (find _ ids) as [j|] eqn:E; [|reflexivity]. apply find_some in E as [_ E].
      apply same_base_weight. exact E.
    Qed.

    Definition true_situation (M : moment) (s : situation) : Prop :=
      (forall r v, nth_error (s_cells s) r = Some (Some v) -> forall i z, cell_worth i v = Some z ->
         meaning M (Cell_value i r) = whole z * weight i (m_x M)) /\
      (forall v, (v < count)%N -> N.testbit (s_zeros s) v = true -> meaning M (name_at v) = 0) /\
      (forall k d, In (k, d) (s_at s) -> m_x M = (Z.of_nat (offset parts (N.to_nat k)) + d)%Z) /\
      (forall t, In t (s_forms s) -> form_value M M (timed false t) = 0).
    Lemma timed_value M0 M1 late t : form_value M0 M1 (timed late t) =
      form_value (if late then M1 else M0) (if late then M1 else M0) (timed false t).
    Proof.
      induction t as [|[c l] t IH]; [reflexivity|]. unfold Unknowns.form_value in *. cbn [timed map fold_right] in *.
      fold (timed late t). fold (timed false t).
      rewrite IH. f_equal. unfold term_value. cbn [fst snd]. f_equal. clear. induction l as [|a l IH]; [reflexivity|].
      cbn [map fold_right]. rewrite IH. f_equal.
    Qed.
    Definition column_value (M : moment) (h : shape) (i : N) (r : nat) : Qc :=
      if Nat.eqb r (h_row h) then whole (worth (system_at i) (h_write h)) * weight i (m_x M)
        else meaning M (Cell_value i r).
    Definition true_shape (M0 M1 : moment) (h : shape) : Prop :=
      (-1 <= h_side h <= 1)%Z /\ m_x M1 = (m_x M0 + h_side h)%Z /\
      (h_side h = 0%Z -> forall i r, (r < height)%nat -> meaning M1 (Cell_value i r) = column_value M0 h i r) /\
      (forall v i rt r g, (v < count)%N -> N.testbit (h_sums h) v = true -> name_at v = Sum_beside i rt r g ->
         meaning M1 (name_at v) = meaning M0 (name_at v)
           + when (on_side rt (h_side h) 0 && N.testbit (h_left h) v) (column_value M0 h i r)
           - when (on_side rt 0 (h_side h) && N.testbit (h_entered h) v) (meaning M1 (Cell_value i r))).

    Lemma at_fact_ok M0 M1 (late : bool) head X k d i :
      meaning (if late then M1 else M0) (head i) = weight i X ->
      X = (Z.of_nat (offset parts (N.to_nat k)) + d)%Z -> form_value M0 M1 (at_fact late head (k, d) i) = 0.
    Proof.
      intros Hh HX. unfold at_fact. set (O := Z.of_nat (offset parts (N.to_nat k))) in *.
      assert (P : forall a b, whole a ^ Z.to_nat (Z.abs d) * weight i X - whole b ^ Z.to_nat (Z.abs d) * weight i O = 0
        ->
        form_value M0 M1 [((a ^ Z.abs d)%Z, [(late, head i)]); ((- b ^ Z.abs d)%Z, [(late, Part_weight i k)])] = 0).
      { intros a b E. unfold Unknowns.form_value, term_value, factor_value. cbn [fold_right fst snd].
        change (Unknowns.meaning system_at low class_of label_at told_at parts (if late then M1
          else M0) (Part_weight i k)) with (weight i O).
        rewrite Hh. replace (Z.abs d) with (Z.of_nat (Z.to_nat (Z.abs d))) by lia.
        rewrite whole_opp, !whole_power. etransitivity; [|exact E]. ring. }
      destruct (Z.leb_spec 0 d) as [Hd|Hd]; apply P.
      - pose proof (weight_right system_at bases parts i O (Z.to_nat (Z.abs d))) as W.
        replace (O + Z.of_nat (Z.to_nat (Z.abs d)))%Z with X in W by lia. rewrite <- W. ring.
      - pose proof (weight_right system_at bases parts i X (Z.to_nat (Z.abs d))) as W.
        replace (X + Z.of_nat (Z.to_nat (Z.abs d)))%Z with O in W by lia. rewrite <- W. ring.
    Qed.

    Lemma in_rows {A} h (l : list A) r x : In (r, x) (combine (seq 0 h) l) -> nth_error l r = Some x.
    Proof.
      assert (G : forall h a l, In (r, x) (combine (seq a h) l) -> nth_error l (r - a) = Some x /\ (a <= r)%nat).
      { induction h0 as [|h0 IH]; intros a k H; simpl in H; [contradiction|]. destruct k as [|y k]; [contradiction|].
        destruct H as [H|H]; [injection H as <- <-; rewrite Nat.sub_diag; auto|].
        apply IH in H as [H1 H2]. split; [|lia]. replace (r - a)%nat with (S (r - S a)) by lia. exact H1. }
      intros H. apply G in H as [H _]. rewrite Nat.sub_0_r in H. exact H.
    Qed.

    Lemma situation_facts_ok M0 M1 (late : bool) s : true_situation (if late then M1 else M0) s ->
      forall p, In p (situation_facts late s) -> value (rho M0 M1) p = 0.
    Proof.
      intros (Hc & Hz & Ha & Hf) p Hp. unfold situation_facts in Hp. apply in_app_or in Hp as [Hp|Hp].
      - unfold zero_facts in Hp. apply in_map_iff in Hp as (v & <- & Hv). apply filter_In in Hv as [Hv Ht].
        rewrite value_unknown. assert (Hlt : (v < count)%N).
        { rewrite below_is in Hv. apply in_map_iff in Hv as (j & <- & Hj). apply in_seq in Hj. lia. }
        specialize (Hz v Hlt Ht). destruct late; [rewrite rho_after | rewrite rho_before]; exact Hz.
      - eapply forms_ok; [exact number_ok | | exact Hp]. clear p Hp. intros t Ht. apply in_app_or in Ht as [Ht|Ht].
        + unfold cell_facts in Ht. apply in_flat_map in Ht as ([r c] & Hin & Ht). cbn [fst snd] in Ht.
          destruct c as [v|]; [|contradiction]. apply in_flat_map in Ht as (i & _ & Ht). unfold cell_fact in Ht.
          destruct (cell_worth i v) as [z|] eqn:Ez; [|contradiction]. destruct Ht as [<-|[]].
          apply in_rows in Hin. specialize (Hc r v Hin i z Ez).
          unfold Unknowns.form_value, term_value, factor_value. cbn [fold_right fst snd].
          assert (Hh : meaning (if late then M1 else M0) (Head_weight (scale i)) = weight i
            (m_x (if late then M1 else M0))).
          { cbn [Unknowns.meaning]. apply scale_weight. }
          rewrite Hh. rewrite Hc. rewrite whole_opp, whole_1. ring.
        + apply in_app_or in Ht as [Ht|Ht].
          * apply in_flat_map in Ht as ([k d] & Hin & Ht). apply in_map_iff in Ht as (i & <- & _).
            eapply at_fact_ok; [reflexivity | apply Ha; exact Hin].
          * apply in_map_iff in Ht as (u & <- & Hu). rewrite timed_value. apply Hf. exact Hu.
    Qed.

    Lemma column_term_ok M0 M1 h c i r : term_value system_at low class_of label_at told_at parts M0 M1
      (column_term h c i r) = whole c * column_value M0 h i r.
    Proof.
      unfold column_term, column_value, term_value.
      destruct (Nat.eqb r (h_row h)); cbn [fst snd fold_right]; unfold factor_value; cbn [fst snd].
      - assert (Hh : meaning M0 (Head_weight (scale i)) = weight i (m_x M0)) by (cbn [Unknowns.meaning];
          apply scale_weight).
        rewrite Hh, whole_mult. ring.
      - ring.
    Qed.

    Lemma shape_facts_ok M0 M1 h : true_shape M0 M1 h -> forall p, In p (shape_facts h) -> value (rho M0 M1) p = 0.
    Proof.
      intros (Hs & Hx & Hstill & Hsum) p Hp. eapply forms_ok; [exact number_ok | | exact Hp]. clear p Hp. intros t Ht.
      apply in_app_or in Ht as [Ht|Ht]; [|apply in_app_or in Ht as [Ht|Ht]].
      - apply in_map_iff in Ht as (i & <- & _). unfold head_fact.
        assert (P : forall a b, whole a * weight i (m_x M1) = whole b * weight i (m_x M0) ->
          form_value M0 M1 [(a, [(true, Head_weight i)]); ((- b)%Z, [(false, Head_weight i)])] = 0).
        { intros a b E. unfold Unknowns.form_value, term_value, factor_value. cbn [fold_right fst snd Unknowns.meaning].
          rewrite whole_opp. transitivity (whole a * weight i (m_x M1) - whole b * weight i (m_x M0)); [ring|].
          rewrite E. ring. }
        destruct (Z.eqb_spec (h_side h) 0) as [E|Ne].
        + apply P. rewrite Hx, E, Z.add_0_r. reflexivity.
        + destruct (Z.ltb_spec 0 (h_side h)); apply P; rewrite Hx.
          * replace (h_side h) with (Z.of_nat 1) by lia.
            pose proof (weight_right system_at bases parts i (m_x M0) 1) as W.
            cbn [Qcpower] in W. transitivity (weight i (m_x M0) * (whole (under (system_at i)) * 1)); [rewrite W|];
              ring.
          * replace (h_side h) with (-1)%Z by lia.
            pose proof (weight_right system_at bases parts i (m_x M0 + -1) 1) as W.
            replace (m_x M0 + -1 + Z.of_nat 1)%Z with (m_x M0) in W by lia. cbn [Qcpower] in W.
            transitivity (weight i (m_x M0 + -1) * (whole (under (system_at i)) * 1)); [ring|]. rewrite W. ring.
      - unfold still_facts in Ht. destruct (Z.eqb_spec (h_side h) 0) as [E|]; [|contradiction].
        apply in_flat_map in Ht as (i & _ & Ht). apply in_map_iff in Ht as (r & <- & Hr). apply in_seq in Hr.
        unfold Unknowns.form_value. cbn [fold_right]. rewrite column_term_ok.
        unfold term_value, factor_value. cbn [fold_right fst snd]. rewrite (Hstill E i r) by lia.
        change (-1)%Z with (- (1))%Z. rewrite whole_opp, whole_1. ring.
      - apply in_map_iff in Ht as (v & <- & Hv). apply filter_In in Hv as [Hv Ht]. unfold sum_fact.
        assert (Hlt : (v < count)%N).
        { rewrite below_is in Hv. apply in_map_iff in Hv as (j & <- & Hj). apply in_seq in Hj. lia. }
        destruct (name_at v) as [| | | | |i rt r g] eqn:En; try reflexivity.
        specialize (Hsum v i rt r g Hlt Ht En). rewrite En in Hsum.
        assert (App : forall a b, form_value M0 M1 (a ++ b) = form_value M0 M1 a + form_value M0 M1 b).
        { intros a b. unfold Unknowns.form_value. induction a as [|t a IH]; cbn [app fold_right]; [ring|]. rewrite IH.
          ring. }
        rewrite !App. set (a := on_side rt (h_side h) 0 && _) in *. set (b := on_side rt 0 (h_side h) && _) in *.
        assert (Ea : form_value M0 M1 (if a then [column_term h (-1) i r] else []) = - when a (column_value M0 h i r)).
        { unfold Unknowns.form_value. destruct a; cbn [fold_right when]; [|ring]. rewrite column_term_ok.
          change (-1)%Z with (- (1))%Z. rewrite whole_opp, whole_1. ring. }
        assert (Eb : form_value M0 M1 (if b then [(1%Z, [(true, Cell_value i r)])] else []) = when b
          (meaning M1 (Cell_value i r))).
        { unfold Unknowns.form_value. destruct b; cbn [fold_right when]; [|ring]. unfold term_value, factor_value.
          cbn [fold_right fst snd].
          rewrite whole_1. ring. }
        rewrite Ea, Eb. unfold Unknowns.form_value, term_value, factor_value. cbn [fold_right fst snd].
        rewrite Hsum. change (-1)%Z with (- (1))%Z. rewrite whole_opp, whole_1. ring.
    Qed.

    (** * What is always so *)
    Lemma piece_at k c : In (k, c) (combine (below (N.of_nat (length pieces))) pieces) ->
      exists u, nth_error parts (N.to_nat k) = Some u /\ matches c u /\ (N.to_nat k < length parts)%nat.
    Proof.
      intros H. assert (G : forall pieces parts a, Forall2 matches pieces parts ->
        In (k, c) (combine (map N.of_nat (seq a (length pieces))) pieces) ->
        exists u, nth_error parts (N.to_nat k - a) = Some u /\ matches c u /\ (a <= N.to_nat k < a + length parts)%nat).
      { clear. intros ps qs a F. revert a.
        induction F as [|d u ps qs Hd F IH]; intros a H; simpl in H; [contradiction|].
        destruct H as [H|H].
        - injection H as <- <-. exists u. rewrite Nat2N.id, Nat.sub_diag. split; [reflexivity|].
          split; [exact Hd | simpl; lia].
        - apply IH in H as (v & Hv & Hm & Hlt). exists v.
          replace (N.to_nat k - a)%nat with (S (N.to_nat k - S a)) by lia.
          split; [exact Hv|]. split; [exact Hm | simpl; lia]. }
      rewrite below_is in H. rewrite Nat2N.id in H. destruct (G _ _ O parts_ok H) as (u & Hu & Hm & Hlt).
      rewrite Nat.sub_0_r in Hu. exists u. split; [exact Hu|]. split; [exact Hm | lia].
    Qed.
    Lemma offset_next ps k u : nth_error ps k = Some u -> offset ps (S k) = (offset ps k + length u)%nat.
    Proof.
      unfold offset. revert k. induction ps as [|v ps IH]; intros [|k] H; simpl in H; try discriminate.
      - injection H as ->. simpl. rewrite app_nil_r. reflexivity.
      - specialize (IH k H). cbn [firstn concat] in *. rewrite !app_length. lia.
    Qed.
    Lemma nth_concat ps k u j : nth_error ps k = Some u -> (j < length u)%nat ->
      nth (offset ps k + j) (concat ps) 0%N = nth j u 0%N.
    Proof.
      unfold offset. revert k. induction ps as [|v ps IH]; intros [|k] H Hj; simpl in H; try discriminate.
      - injection H as ->. simpl. apply app_nth1. exact Hj.
      - cbn [firstn concat]. rewrite app_length, app_nth2 by lia. rewrite <- (IH k H Hj). f_equal. unfold offset. lia.
    Qed.
    Lemma part_text_at k u : nth_error parts (N.to_nat k) = Some u -> part_text parts k = u.
    Proof. intros H. unfold part_text. apply nth_error_nth. exact H. Qed.

    Lemma part_sum_same i k u z : nth_error parts (N.to_nat k) = Some u ->
      (forall s, In s u -> worth (system_at i) s = z) -> (z = 0%Z \/ length u = 1%nat) ->
      part_sum system_at parts i k = whole z * part_unit system_at parts i k.
    Proof.
      intros Hu Hz Hcase. unfold part_sum. rewrite (part_text_at _ _ Hu).
      assert (Hrow : forall X,
        (Z.of_nat (offset parts (N.to_nat k)) <= X < Z.of_nat (offset parts (N.to_nat k)) + Z.of_nat (length u))%Z ->
                worth (system_at i) (row_symbol (concat parts) (Z.to_nat X)) = z).
      { intros X HX. apply Hz. unfold row_symbol. set (j := (Z.to_nat X - offset parts (N.to_nat k))%nat).
        replace (Z.to_nat X) with (offset parts (N.to_nat k) + j)%nat by lia.
        rewrite (nth_concat _ _ _ _ Hu) by lia. apply nth_In. lia. }
      destruct Hcase as [->|Hone].
      - rewrite sum_zero; [rewrite whole_0; ring|]. intros X HX. rewrite Hrow by exact HX. rewrite whole_0. ring.
      - rewrite Hone in *. cbn [sum]. rewrite Hrow by lia. unfold part_unit. rewrite (offset_next _ _ _ Hu), Hone.
        replace (Z.of_nat (offset parts (N.to_nat k) + 1) - 1)%Z with (Z.of_nat (offset parts (N.to_nat k))) by lia.
        destruct (below_1 system_at i); ring.
    Qed.

    Lemma two_terms M0 M1 a f b g : form_value M0 M1 [(a, [f]); ((- b)%Z, g)] =
      whole a * factor_value system_at low class_of label_at told_at parts M0 M1 f -
      whole b * fold_right (fun f a => factor_value system_at low class_of label_at told_at parts M0 M1 f * a) 1 g.
    Proof. unfold Unknowns.form_value, term_value. cbn [fold_right fst snd]. rewrite whole_opp. ring. Qed.
    Lemma is_1_ok M0 M1 (late : bool) a : meaning (if late then M1 else M0) a = 1 -> form_value M0 M1 (is_1 late a) = 0.
    Proof.
      intros H. unfold is_1. change (-1)%Z with (- (1))%Z. rewrite two_terms. unfold factor_value.
      cbn [fst snd fold_right].
      rewrite H, whole_1. ring.
    Qed.

    Lemma inverse_facts_ok M0 M1 t : In t inverse_facts -> form_value M0 M1 t = 0.
    Proof.
      intros H. apply in_map_iff in H as ([i j] & <- & H). apply filter_In in H as [_ H]. cbn [fst snd] in *.
      unfold inverse in H. apply andb_true_iff in H as [H Hlt]. apply andb_true_iff in H as [Ho Hu].
      apply Z.eqb_eq in Ho, Hu. apply Z.ltb_lt in Hlt. rewrite two_terms. unfold factor_value.
      cbn [fst snd fold_right Unknowns.meaning].
      rewrite Nat2N.id, (same_length _ _ _ _ _ parts_ok), offset_all.
      change (Z.of_nat (offset parts (N.to_nat 0))) with 0%Z.
      unfold Unknowns.weight, anchor, below_1.
      replace (over_ (system_at i) <? under (system_at i))%Z with false by (symmetry; apply Z.ltb_ge; lia).
      replace (over_ (system_at j) <? under (system_at j))%Z with true by (symmetry; apply Z.ltb_lt; lia).
      set (k := length (concat parts)). rewrite Z.sub_0_r, Z.sub_0_l.
      assert (E : base system_at j = / base system_at i).
      { unfold base. rewrite <- Ho, <- Hu. field.
        split; solve [apply over_nonzero; exact bases | apply under_nonzero; exact bases]. }
      assert (P : power (base system_at j) (- Z.of_nat k) = power (base system_at i) (Z.of_nat k)).
      { unfold power. rewrite E. destruct (Z.leb_spec 0 (Z.of_nat k)); [|lia]. destruct (Z.leb_spec 0 (- Z.of_nat k)).
        - replace k with O by lia. reflexivity.
        - rewrite Z.opp_involutive. f_equal. field. split; [apply base_nonzero; exact bases | discriminate]. }
      rewrite P, whole_1. ring.
    Qed.
    Lemma always_ok M0 M1 : forall p, In p always -> value (rho M0 M1) p = 0.
    Proof.
      intros p Hp. eapply forms_ok; [exact number_ok | | exact Hp]. clear p Hp. intros t Ht.
      apply in_app_or in Ht as [Ht|Ht].
      - unfold piece_facts in Ht. apply in_flat_map in Ht as ([k c] & Hin & Ht).
        apply piece_at in Hin as (u & Hu & Hm & Hlt).
        apply in_app_or in Ht as [Ht|Ht].
        + destruct (is_cell c) eqn:Ec; [|contradiction]. apply in_map_iff in Ht as (i & <- & _).
          rewrite two_terms. unfold factor_value. cbn [fst snd fold_right Unknowns.meaning].
          rewrite N2Nat.inj_succ, (offset_next _ _ _ Hu), (is_cell_length _ _ Hm Ec), Nat2Z.inj_add.
          pose proof (weight_right system_at bases parts i (Z.of_nat (offset parts (N.to_nat k))) 1) as W.
          cbn [Qcpower] in W.
          transitivity (weight i (Z.of_nat (offset parts (N.to_nat k))) * (whole (under (system_at i)) * 1) -
                        whole (over_ (system_at i)) * 1 * weight i (Z.of_nat (offset parts (N.to_nat k)) + Z.of_nat 1));
                          [ring|].
          rewrite W. ring.
        + apply in_flat_map in Ht as (i & _ & Ht). unfold worth_of_piece in Ht.
          assert (Hs : forall s, In s u -> In s (symbols_of_clause c)) by (intros s; apply symbols_of_clause_ok;
            exact Hm).
          assert (P : forall z, part_sum system_at parts i k = whole z * part_unit system_at parts i k ->
                    form_value M0 M1 [(1%Z, [(false, Part_number i k)]); ((- z)%Z, [])] = 0).
          { intros z E. rewrite two_terms. unfold factor_value. cbn [fst snd fold_right Unknowns.meaning].
            rewrite E, whole_1.
            field. unfold part_unit. destruct (below_1 system_at i); apply weight_nonzero; exact bases. }
          destruct (symbols_of_clause c) as [|s0 l].
          * destruct Ht as [<-|[]]. apply P. apply part_sum_same with (u := u); [exact Hu | | left; reflexivity].
            intros s Hin. destruct (Hs s Hin).
          * destruct (forallb _ l && _) eqn:E; [|contradiction]. destruct Ht as [<-|[]]. apply P.
            apply andb_true_iff in E as [E1 E2]. rewrite forallb_forall in E1.
            apply part_sum_same with (u := u); [exact Hu | |].
            -- intros s Hin. destruct (Hs s Hin) as [<-|Hl]; [reflexivity|]. apply Z.eqb_eq, E1. exact Hl.
            -- apply orb_true_iff in E2 as [E2|E2]; [left; apply Z.eqb_eq; exact E2 | right; eapply is_cell_length;
                 eassumption].
      - apply in_app_or in Ht as [Ht|Ht]; [|apply inverse_facts_ok; exact Ht].
        apply in_flat_map in Ht as (i & _ & Ht). unfold unit_facts in Ht.
        destruct (Z.eqb_spec (over_ (system_at i)) (under (system_at i))) as [E|_].
        + assert (W : forall X, weight i X = 1).
          { intros X. unfold Unknowns.weight. replace (base system_at i) with 1; [apply power_one|].
            unfold base. rewrite E. field. apply under_nonzero. exact bases. }
          apply in_app_or in Ht as [Ht|Ht].
          * apply in_map_iff in Ht as (late & <- & _). apply is_1_ok. cbn [Unknowns.meaning]. apply W.
          * destruct Ht as [<-|Ht]; [apply is_1_ok; cbn [Unknowns.meaning]; apply W|].
            apply in_map_iff in Ht as (k & <- & _). apply is_1_ok. cbn [Unknowns.meaning]. apply W.
        + destruct Ht as [<-|[]]. apply is_1_ok. cbn [Unknowns.meaning]. unfold Unknowns.weight, anchor.
          destruct (below_1 system_at i).
          * change (N.to_nat 0) with O. unfold offset. cbn [firstn concat length]. apply power_0.
          * rewrite Nat2N.id, (same_length _ _ _ _ _ parts_ok), offset_all, Z.sub_diag. apply power_0.
    Qed.


    (** * At the start *)
    Lemma part_here_is X j : (j < length parts)%nat ->
      (part_here parts X =? N.succ (N.of_nat j))%N = ((Z.of_nat (offset parts j) <=? X) &&
        (X <? Z.of_nat (offset parts (S j))))%Z.
    Proof.
      intros Hj. destruct (N.eqb_spec (part_here parts X) (N.succ (N.of_nat j))) as [E|Ne]; symmetry.
      - apply andb_true_iff. split.
        + apply Z.leb_le. apply part_here_from; [lia|]. rewrite E. lia.
        + apply Z.ltb_lt. apply part_here_before; [lia|]. rewrite E. lia.
      - apply andb_false_iff. destruct (N.lt_total (part_here parts X) (N.succ (N.of_nat j))) as [H|[H|H]];
          [|contradiction|].
        + left. apply Z.leb_gt. apply part_here_before; [lia|]. lia.
        + right. apply Z.ltb_ge. apply part_here_from; [lia|]. lia.
    Qed.

    Variables (lab : Z -> N) (last : Z).
    Hypothesis row_0 : (low <= 0)%Z.
    Hypothesis fresh : forall X, exists cs place, label_at (lab X) = (cs, place, 0%N) /\
      in_part (told_at place) = part_here parts X.
    Definition first_moment : moment := Moment 0 (S (length (concat parts))) 0 (input_world (concat parts)) lab last.

    Lemma first_amount i X : amount system_at low parts i (Z.to_nat (- low)) (input_world (concat parts)) X =
      if (0 <=? X)%Z then whole (worth (system_at i) (row_symbol (concat parts) (Z.to_nat X))) * weight i X else 0.
    Proof.
      unfold amount. replace (low + Z.of_nat (Z.to_nat (- low)))%Z with 0%Z by lia. unfold input_world.
      cbn [Z.eqb andb].
      destruct (0 <=? X)%Z; [reflexivity|]. rewrite blank_worth, whole_0. ring.
    Qed.
    Lemma first_sum i j : (j < length parts)%nat ->
      meaning first_moment (Sum_beside i true (Z.to_nat (- low)) (Fresh (N.succ (N.of_nat j)))) +
        when (part_here parts 0 =? N.succ (N.of_nat j))%N (meaning first_moment (Cell_value i (Z.to_nat (- low)))) =
      part_sum system_at parts i (N.of_nat j).
    Proof.
      intros Hj. cbn [Unknowns.meaning first_moment m_lo m_size m_x m_world m_lab]. unfold sum_beside. cbn [sum].
      destruct (nth_error parts j) as [u|] eqn:Hu; [|apply nth_error_None in Hu; lia].
      set (g := amount system_at low parts i (Z.to_nat (- low)) (input_world (concat parts))).
      set (f := fun X => when (part_here parts X =? N.succ (N.of_nat j))%N (g X)).
      assert (Ec : forall X, in_group class_of told_at (Fresh (N.succ (N.of_nat j))) (Z.to_nat (- low))
        (label_at (lab X)) =
                (part_here parts X =? N.succ (N.of_nat j))%N).
      { intros X. destruct (fresh X) as (cs & place & El & Ep). rewrite El. unfold in_group. rewrite Ep. reflexivity. }
      assert (E1 : forall X, (0 < X)%Z ->
        beside (fun l => in_group class_of told_at (Fresh (N.succ (N.of_nat j))) (Z.to_nat (- low)) (label_at l))
                true 0 lab g X = f X).
      { intros X HX. unfold beside, f, on_side. apply Z.ltb_lt in HX. rewrite HX, Ec. reflexivity. }
      rewrite (sum_same _ _ f) by (intros X HX; apply E1; lia).
      replace (beside _ true 0 lab g 0) with 0 by (unfold beside, on_side; rewrite Z.ltb_irrefl; reflexivity).
      transitivity (sum 0 (S (length (concat parts))) f);
        [cbn [sum]; change (f 0%Z) with (when (part_here parts 0 =? N.succ (N.of_nat j))%N (g 0%Z)); ring|].
      unfold part_sum. rewrite (part_text_at _ u) by (rewrite Nat2N.id; exact Hu). rewrite Nat2N.id.
      pose proof (offset_next _ _ _ Hu) as Hn. pose proof (offset_le parts (S j) (length parts) ltac:(lia)) as Hle.
      rewrite offset_all in Hle.
      rewrite (sum_within 0 _ f (Z.of_nat (offset parts j)) (length u)); [| lia | lia |].
      - apply sum_same. intros X HX. unfold f. rewrite part_here_is by exact Hj.
        destruct (Z.leb_spec (Z.of_nat (offset parts j)) X); [|lia].
        destruct (Z.ltb_spec X (Z.of_nat (offset parts (S j)))); [|lia].
        cbn [andb when]. unfold g. rewrite first_amount. destruct (Z.leb_spec 0 X); [reflexivity | lia].
      - intros X HX. unfold f. rewrite part_here_is by exact Hj.
        destruct (Z.leb_spec (Z.of_nat (offset parts j)) X), (Z.ltb_spec X (Z.of_nat (offset parts (S j))));
          try reflexivity. lia.
    Qed.
    Lemma series_facts_ok M1 t : In t (series_facts (part_here parts 0)) -> form_value first_moment M1 t = 0.
    Proof.
      intros Ht. apply in_flat_map in Ht as (i & _ & Ht).
      destruct (Z.eqb_spec (over_ (system_at i)) (under (system_at i))); [contradiction|].
      apply in_flat_map in Ht as (j & Hj & Ht).
      assert (Hlt : (N.to_nat j < length pieces)%nat).
      { rewrite below_is in Hj. apply in_map_iff in Hj as (k & <- & Hk). apply in_seq in Hk. rewrite Nat2N.id. lia. }
      destruct (one_worth i _) as [z|] eqn:Ez; [|contradiction]. destruct Ht as [<-|[]].
      pose proof (same_length _ _ _ _ _ parts_ok) as Hlen.
      pose proof (first_sum i (N.to_nat j) ltac:(lia)) as S. rewrite N2Nat.id in S.
      destruct (nth_error parts (N.to_nat j)) as [u|] eqn:Hu; [|apply nth_error_None in Hu; lia].
      assert (Hm : forall s, In s u -> worth (system_at i) s = z).
      { intros s Hs. apply (one_worth_ok _ _ _ Ez).
        assert (Hc : nth_error pieces (N.to_nat j) = Some (nth (N.to_nat j) pieces Nothing)) by (apply nth_error_nth';
          exact Hlt).
        eapply symbols_of_clause_ok; [|exact Hs]. clear - parts_ok Hu Hc. revert Hu Hc.
        generalize (nth (N.to_nat j) pieces Nothing). generalize (N.to_nat j).
        induction parts_ok as [|a b ps qs Hab F IH]; intros [|k] c Hu Hc; cbn in *; try discriminate;
          [injection Hu as <-; injection Hc as <-; exact Hab | exact (IH F k c Hu Hc)]. }
      assert (P : (whole (over_ (system_at i)) - whole (under (system_at i))) * part_sum system_at parts i j =
        whole z * whole (over_ (system_at i)) * (weight i (Z.of_nat (offset parts (N.to_nat j))) - weight i
          (Z.of_nat (offset parts (N.to_nat (N.succ j)))))).
      { rewrite N2Nat.inj_succ, (offset_next _ _ _ Hu), Nat2Z.inj_add, <- series by exact bases. f_equal.
        unfold part_sum. rewrite (part_text_at _ _ Hu).
        apply sum_same. intros X HX. f_equal. f_equal. apply Hm. unfold row_symbol.
        set (k := (Z.to_nat X - offset parts (N.to_nat j))%nat).
        replace (Z.to_nat X) with (offset parts (N.to_nat j) + k)%nat by lia. rewrite (nth_concat _ _ _ _ Hu) by lia.
        apply nth_In. lia. }
      rewrite <- S in P. clear S. unfold Unknowns.form_value.
      set (A := meaning first_moment (Sum_beside i true (Z.to_nat (- low)) (Fresh (N.succ j)))) in *.
      set (C := meaning first_moment (Cell_value i (Z.to_nat (- low)))) in *.
      assert (Hw : forall k, meaning first_moment (Part_weight (scale i) k) = weight i
        (Z.of_nat (offset parts (N.to_nat k)))).
      { intros k. cbn [Unknowns.meaning]. apply scale_weight. }
      set (d := (over_ (system_at i) - under (system_at i))%Z).
      assert (Ed : whole d = whole (over_ (system_at i)) - whole (under (system_at i))).
      { unfold d. replace (over_ (system_at i) - under (system_at i))%Z with
          (over_ (system_at i) + - under (system_at i))%Z by lia. rewrite whole_plus, whole_opp. ring. }
      rewrite <- Ed in P.
      destruct (part_here parts 0 =? N.succ j)%N; cbn [app fold_right when] in *; unfold term_value, factor_value;
        cbn [fold_right fst snd];
        fold A C; rewrite !Hw, whole_opp, whole_mult.
      - transitivity (whole d * (A + C) - whole z * whole (over_ (system_at i)) *
          (weight i (Z.of_nat (offset parts (N.to_nat j))) - weight i (Z.of_nat (offset parts (N.to_nat (N.succ j))))));
          [ring|].
        rewrite P. ring.
      - transitivity (whole d * (A + 0) - whole z * whole (over_ (system_at i)) *
          (weight i (Z.of_nat (offset parts (N.to_nat j))) - weight i (Z.of_nat (offset parts (N.to_nat (N.succ j))))));
          [ring|].
        rewrite P. ring.
    Qed.
    Lemma fresh_facts_ok M1 : forall p, In p (fresh_facts (part_here parts 0)) -> value (rho first_moment M1) p = 0.
    Proof.
      intros p Hp. eapply forms_ok; [exact number_ok | | exact Hp]. clear p Hp. intros t Ht.
      apply in_app_or in Ht as [Ht|Ht]; [|apply series_facts_ok; exact Ht].
      apply in_flat_map in Ht as (i & _ & Ht). apply in_map_iff in Ht as (j & Et & Hj).
      assert (Hlt : (N.to_nat j < length parts)%nat).
      { rewrite below_is in Hj. apply in_map_iff in Hj as (k & <- & Hk). apply in_seq in Hk. rewrite Nat2N.id.
        rewrite <- (same_length _ _ _ _ _ parts_ok). lia. }
      pose proof (first_sum i (N.to_nat j) Hlt) as S. rewrite N2Nat.id in S.
      pose proof (part_number_ok system_at bases low class_of label_at told_at parts first_moment i j) as PN.
      rewrite <- S in PN. clear S.
      assert (P : forall c d k, whole c * part_unit system_at parts i j = whole d * weight i
        (Z.of_nat (offset parts (N.to_nat k))) ->
        form_value first_moment M1 ((c, [(false, Sum_beside i true (Z.to_nat (- low)) (Fresh (N.succ j)))]) ::
          (if (part_here parts 0 =? N.succ j)%N then [(c, [(false, Cell_value i (Z.to_nat (- low)))])] else []) ++
          [((- d)%Z, [(false, Part_number i j); (false, Part_weight (scale i) k)])]) = 0).
      { intros c d k E. unfold Unknowns.form_value.
        set (A := meaning first_moment (Sum_beside i true (Z.to_nat (- low)) (Fresh (N.succ j)))) in *.
        set (C := meaning first_moment (Cell_value i (Z.to_nat (- low)))) in *.
        set (V := meaning first_moment (Part_number i j)) in *.
        assert (Hw : meaning first_moment (Part_weight (scale i) k) = weight i (Z.of_nat (offset parts (N.to_nat k)))).
        { cbn [Unknowns.meaning]. apply scale_weight. }
        assert (E0 : whole c * (A + when (part_here parts 0 =? N.succ j)%N C) - whole d * V * weight i
          (Z.of_nat (offset parts (N.to_nat k))) = 0).
        { rewrite <- PN. transitivity (V * (whole c * part_unit system_at parts i j) - whole d * V * weight i
            (Z.of_nat (offset parts (N.to_nat k)))); [ring|].
          rewrite E. ring. }
        destruct (part_here parts 0 =? N.succ j)%N; cbn [app fold_right when] in *; unfold term_value, factor_value;
          cbn [fold_right fst snd];
          fold A C V; rewrite Hw, whole_opp; (etransitivity; [|exact E0]); ring. }
      subst t. destruct (below_1 system_at i) eqn:Eb; apply P.
      - unfold part_unit. rewrite Eb. ring.
      - unfold part_unit. rewrite Eb. rewrite N2Nat.inj_succ. set (O := Z.of_nat (offset parts (S (N.to_nat j)))).
        pose proof (weight_right system_at bases parts i (O - 1) 1) as W.
        replace (O - 1 + Z.of_nat 1)%Z with O in W by lia. cbn [Qcpower] in W.
        transitivity (weight i (O - 1) * (whole (under (system_at i)) * 1)); [ring|]. rewrite W. ring.
    Qed.
  End True.

End Facts.
