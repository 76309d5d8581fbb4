(** (V16): where the agent would be stuck, a sum would be 0 that is above 0. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Counted Statement Joint Maps Windows Columns Strips Starts Places Polynomials Elimination
  Sums Unknowns Facts Values Findings Expressions Situations Invariants Numerals
  ClausePolynomials Stretches Texts Ends Goals Saturation Computed.
Import ListNotations.

(** * The cases of a condition: comparisons that hold together *)
Definition contrary (c : comparator) : comparator :=
  match c with
  | Equal => Unequal | Unequal => Equal | Less => At_least | At_least => Less | More => At_most | At_most => More
  end.
Definition both {A} (a b : list (list A)) : list (list A) := flat_map (fun x => map (app x) b) a.
Definition either_way (c : comparator) : list comparator := match c with Unequal => [Less; More] | _ => [c] end.
Fixpoint cases_of (holds : bool) (e : expression) : list (list expression) :=
  match e with
  | Not a => cases_of (negb holds) a
  | And a b => if holds then both (cases_of true a) (cases_of true b) else cases_of false a ++ cases_of false b
  | Either a b => if holds then cases_of true a ++ cases_of true b else both (cases_of false a) (cases_of false b)
  | If c a b => both (cases_of true c) (cases_of holds a) ++ both (cases_of false c) (cases_of holds b)
  | Comparison k a b => map (fun k => [Comparison k a b]) (either_way (if holds then k else contrary k))
  | _ => []
  end.
(** How many there are, so that no more are made than can be looked at. *)
Fixpoint count_cases (holds : bool) (e : expression) : N :=
  match e with
  | Not a => count_cases (negb holds) a
  | And a b => if holds then count_cases true a * count_cases true b else count_cases false a + count_cases false b
  | Either a b => if holds then count_cases true a + count_cases true b else count_cases false a * count_cases false b
  | If c a b => count_cases true c * count_cases holds a + count_cases false c * count_cases holds b
  | _ => 2
  end%N.
Definition most_cases : N := 64.

(** * Numbers that are not below 0 *)
Section Order.
  Local Open Scope Qc_scope.
  Lemma nonneg_plus a b : 0 <= a -> 0 <= b -> 0 <= a + b.
  Proof. intros Ha Hb. replace 0 with (0 + 0) by ring. apply Qcplus_le_compat; assumption. Qed.
  Lemma nonneg_mult a b : 0 <= a -> 0 <= b -> 0 <= a * b.
  Proof. intros Ha Hb. replace 0 with (0 * b) by ring. apply Qcmult_le_compat_r; assumption. Qed.
  Lemma nonneg_whole z : (0 <= z)%Z -> 0 <= whole z.
  Proof. intros H. unfold Qcle, whole, Q2Qc. cbn [this]. rewrite !Qred_correct. unfold Qle, inject_Z. cbn. lia. Qed.
  Lemma nonneg_inverse a : 0 <= a -> 0 <= / a.
  Proof. intros H. unfold Qcle in *. change (this 0) with 0%Q in *. change (this (/ a)) with (Qred (/ this a)).
  rewrite Qred_correct. apply Qinv_le_0_compat. exact H. Qed.
  Lemma nonneg_power b z : 0 <= b -> 0 <= power b z.
  Proof.
    intros H. assert (P : forall a k, 0 <= a -> 0 <= a ^ k).
    { intros a k Ha. induction k as [|k IH]; cbn [Qcpower]; [discriminate|]. apply nonneg_mult; assumption. }
    unfold power. destruct (0 <=? z)%Z; apply P; [exact H | apply nonneg_inverse; exact H].
  Qed.
  Lemma nonneg_sum m f : forall lo, (forall X, 0 <= f X) -> 0 <= sum lo m f.
  Proof. induction m as [|m IH]; intros lo H; cbn [sum]; [discriminate|]. apply nonneg_plus; auto. Qed.
  Lemma none_left a b : 0 <= a -> 0 <= b -> a + b = 0 -> a = 0.
  Proof.
    intros Ha Hb E. apply Qcle_antisym; [|exact Ha]. rewrite <- E. replace a with (a + 0) at 1 by ring.
    apply Qcplus_le_compat; [apply Qcle_refl | exact Hb].
  Qed.
End Order.

(** What a certificate has for a node, as it is read: a sum, with weights first, and comparisons. *)
Record ending := Ending { e_node : node; e_terms : list (Z * list name); e_compared : list (Z * expression) }.

Section Inequalities.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Notation members := (map members_of pieces).

  (** Comparisons of sums that have polynomials. *)
  Fixpoint is_known (e : expression) : bool :=
    match e with
    | Not a => is_known a
    | And a b | Either a b => is_known a && is_known b
    | If c a b => is_known c && is_known a && is_known b
    | Comparison _ a b => match polynomial_of a, polynomial_of b with Some _, Some _ => true | _, _ => false end
    | _ => false
    end.
  Definition cases_together (conditions : list expression) : list (list expression) :=
    fold_right (fun e l => if is_known e && (N.of_nat (length l) * count_cases true e <=? most_cases)%N then
      both (cases_of true e) l else l) [[]] conditions.

  (** What a comparison says is not below 0; an equality, that it is 0. *)
  Definition gap (e : expression) : option polynomial :=
    match e with
    | Comparison k a b =>
        match polynomial_of a, polynomial_of b, k with
        | Some a, Some b, Less => Some (minus (minus b a) (constant 1))
        | Some a, Some b, At_most => Some (minus b a)
        | Some a, Some b, More => Some (minus (minus a b) (constant 1))
        | Some a, Some b, (At_least | Equal) => Some (minus a b)
        | _, _, _ => None
        end
    | _ => None
    end.
  Definition is_equality (e : expression) : bool := match e with Comparison Equal _ _ => true | _ => false end.
  Fixpoint gaps (l : list (Z * expression)) : option polynomial :=
    match l with
    | [] => Some []
    | (z, e) :: l =>
        match gap e, gaps l with
        | Some g, Some p => if (0 <=? z)%Z || is_equality e then Some (plus (product (constant z) g) p) else None
        | _, _ => None
        end
    end.
  Definition named_term (t : Z * list name) : term := (fst t, map (pair false) (snd t)).
  Definition is_positive (l : list (Z * list name)) : bool :=
    match l with
    | [] => false
    | first :: _ => forallb is_weight (snd first) && forallb (fun t => (0 <? fst t)%Z) l
    end.
  Definition end_form (en : ending) : option polynomial :=
    match form name_at number (map named_term (e_terms en)), gaps (e_compared en) with
    | Some t, Some g => if is_positive (e_terms en) then Some (plus t g) else None
    | _, _ => None
    end.
  Definition read_ends (ends : list ending) : list (node * polynomial * list expression) :=
    flat_map (fun en => match end_form en with Some g => [(e_node en, g, map snd (e_compared en))]
      | None => [] end) ends.

  Definition are_ends (ends : list ending) : bool := forallb (fun en => match end_form en with Some _ => true
    | None => false end) ends.

  Definition is_node_of (nd : node) (el : Strips.element) : bool :=
    let '(p, y, classes, part) := nd in let '(p', _, y', c, _, _) := el in
    (p =? p')%N && (y =? y')%Z && same_text classes (classes_at (label_at c)) &&
    match part with Some j => (j =? in_part (told_at (place_of (label_at c))))%N | None => true end.
  Definition in_case (case : list expression) (e : expression) : bool :=
    existsb (fun e' => if expression_eq_dec e e' then true else false) case.
  Definition excluded (ends : list (node * polynomial * list expression)) (cases : list (list expression))
    (el : Strips.element) (read : symbol) : bool :=
    let zero := filter (fun en => let '(nd, g, _) := en in is_node_of nd el && goal_ok [] g el read []) ends in
    forallb (fun case => existsb (fun en => forallb (in_case case) (snd en)) zero) cases.
  (** No base is below 0, and no symbol that may stand somewhere is worth less. *)
  Definition signs_ok : bool :=
    forallb (fun s => (0 <? over_ s)%Z &&
      forallb (fun x => (0 <=? worth s x)%Z) (below n ++ flat_map symbols_of_clause pieces)) systems.

  (** Equalities among the conditions. *)
  Definition equalities (conditions : list expression) : list polynomial :=
    flat_map (fun e => if is_equality e then match gap e with Some g => [g] | None => [] end else []) conditions.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Variable digits : list symbol.
  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Notation says e := (evaluate digits members e parts).
  Notation meaning := (meaning system_at low class_of label_at told_at parts).

  Definition is_case (case : list expression) : Prop := forall e, In e case -> says e = Some (Truth true).
  Lemma both_case a b x y : In x a -> In y b -> is_case x -> is_case y -> exists z, In z (both a b) /\ is_case z.
  Proof.
    intros Hx Hy Cx Cy. exists (x ++ y). split.
    - apply in_flat_map. exists x. split; [exact Hx|]. apply in_map. exact Hy.
    - intros e He. apply in_app_or in He as [He|He]; auto.
  Qed.
  Lemma known_case e : is_known e = true -> exists b, says e = Some (Truth b) /\ exists case, In case (cases_of b e) /\
    is_case case.
  Proof.
    induction e; cbn [is_known]; try discriminate; intros H.
    - destruct (polynomial_of e1) as [pa|] eqn:Ea; [|discriminate].
      destruct (polynomial_of e2) as [pb|] eqn:Eb; [|discriminate].
      set (M := Moment 0 0 0 (fun _ _ => 0%N) (fun _ => 0%N) 0).
      destruct (polynomial_of_ok digits parts parts_ok M M _ _ Ea) as (za & Za & _).
      destruct (polynomial_of_ok digits parts parts_ok M M _ _ Eb) as (zb & Zb & _).
      assert (K : forall k, says (Comparison k e1 e2) = Some (Truth (compare k za zb))) by (intros k; cbn [evaluate];
        rewrite Za, Zb; reflexivity).
      exists (compare c za zb). split; [apply K|]. set (k := if compare c za zb then c else contrary c).
      assert (T : compare k za zb = true).
      { unfold k. destruct (compare c za zb) eqn:E; [exact E|]. destruct c; cbn [compare contrary] in *; lia. }
      assert (Some_ : exists k', In k' (either_way k) /\ compare k' za zb = true).
      { destruct k; try (eexists; split; [left; reflexivity | exact T]). cbn [compare] in T.
        destruct (Z.lt_total za zb) as [L|[L|L]]; [exists Less; split; [left; reflexivity | cbn; lia] | lia
          | exists More; split; [right; left; reflexivity | cbn; lia]]. }
      destruct Some_ as (k' & Hk & T'). exists [Comparison k' e1 e2].
      split; [cbn [cases_of]; fold k; apply (in_map (fun k => [Comparison k e1 e2])); exact Hk|].
      intros x [<-|[]]. rewrite K, T'. reflexivity.
    - apply andb_true_iff in H as [Ha Hb]. destruct (IHe1 Ha) as (a & Ea & ca & Ia & Ca).
      destruct (IHe2 Hb) as (b & Eb & cb & Ib & Cb).
      cbn [evaluate]. rewrite Ea. destruct a.
      + exists b. split; [exact Eb|]. destruct b; cbn [cases_of]; [eapply both_case; eassumption|]. exists cb.
        split; [apply in_or_app; right; exact Ib | exact Cb].
      + exists false. split; [reflexivity|]. exists ca. split; [apply in_or_app; left; exact Ia | exact Ca].
    - apply andb_true_iff in H as [Ha Hb]. destruct (IHe1 Ha) as (a & Ea & ca & Ia & Ca).
      destruct (IHe2 Hb) as (b & Eb & cb & Ib & Cb).
      cbn [evaluate]. rewrite Ea. destruct a.
      + exists true. split; [reflexivity|]. exists ca. split; [apply in_or_app; left; exact Ia | exact Ca].
      + exists b. split; [exact Eb|]. destruct b; cbn [cases_of]; [|eapply both_case; eassumption]. exists cb.
        split; [apply in_or_app; right; exact Ib | exact Cb].
    - destruct (IHe H) as (a & Ea & case & Hc & Cc). cbn [evaluate]. rewrite Ea. exists (negb a). split; [reflexivity|].
      exists case. split; [cbn [cases_of]; rewrite negb_involutive; exact Hc | exact Cc].
    - apply andb_true_iff in H as [H Hb]. apply andb_true_iff in H as [Hc Ha].
      destruct (IHe1 Hc) as (c & Ec & cc & Ic & Cc).
      destruct (IHe2 Ha) as (a & Ea & ca & Ia & Ca). destruct (IHe3 Hb) as (b & Eb & cb & Ib & Cb). cbn [evaluate].
      rewrite Ec. destruct c.
      + exists a. split; [exact Ea|]. destruct (both_case _ _ _ _ Ic Ia Cc Ca) as (z & Hz & Cz). exists z.
        split; [apply in_or_app; left; exact Hz | exact Cz].
      + exists b. split; [exact Eb|]. destruct (both_case _ _ _ _ Ic Ib Cc Cb) as (z & Hz & Cz). exists z.
        split; [apply in_or_app; right; exact Hz | exact Cz].
  Qed.
  Lemma some_case conditions : (forall e, In e conditions -> says e <> Some (Truth false)) -> exists case,
    In case (cases_together conditions) /\ is_case case.
  Proof.
    induction conditions as [|e l IH]; intros H; [exists []; split; [left; reflexivity | intros e []]|].
    destruct IH as (case & Hc & Cc); [intros x Hx; apply H; right; exact Hx|]. cbn [cases_together fold_right].
    fold (cases_together l).
    destruct (is_known e && _) eqn:K; [|exists case; auto]. apply andb_true_iff in K as [K _].
    destruct (known_case e K) as ([] & E & own & Ho & Co); [eapply both_case; eassumption|]. exfalso.
    apply (H e); [left; reflexivity | exact E].
  Qed.

  Section At.
    Variable M : moment.
    Notation R := (rho system_at low class_of label_at told_at parts name_at M M).
    Local Open Scope Qc_scope.
    Lemma gap_ok e g : gap e = Some g -> says e = Some (Truth true) -> 0 <= value R g /\
      (is_equality e = true -> value R g = 0).
    Proof.
      destruct e; try discriminate. cbn [gap]. destruct (polynomial_of e1) as [pa|] eqn:Ea; [|discriminate].
      destruct (polynomial_of e2) as [pb|] eqn:Eb; [|destruct c; discriminate].
      destruct (polynomial_of_ok digits parts parts_ok M M _ _ Ea) as (za & Za & Va).
      destruct (polynomial_of_ok digits parts parts_ok M M _ _ Eb) as (zb & Zb & Vb).
      cbn [evaluate]. rewrite Za, Zb. cbn [compared]. intros Hg T. assert (T' : compare c za zb = true) by congruence.
      clear T. revert Hg T'.
      assert (D : forall z z', whole z - whole z' = whole (z - z')) by (intros z z';
        replace (z - z')%Z with (z + - z')%Z by lia; rewrite whole_plus, whole_opp; ring).
      assert (E : value R (constant 1) = whole 1) by apply value_constant.
      destruct c; cbn [compare is_equality]; intros Hg T; try discriminate; injection Hg as <-; rewrite !value_minus,
        ?E, Va, Vb, !D; split; try discriminate;
        try (apply nonneg_whole; lia).
      intros _. replace (za - zb)%Z with 0%Z by lia. reflexivity.
    Qed.
    Lemma equalities_ok conditions : (forall e, In e conditions -> says e <> Some (Truth false)) -> forall g,
      In g (equalities conditions) -> value R g = 0.
    Proof.
      intros H g Hg. apply in_flat_map in Hg as (e & He & Hg). destruct (is_equality e) eqn:Q; [|contradiction].
      destruct (gap e) as [g'|] eqn:G; [|contradiction].
      destruct Hg as [<-|[]]. apply (gap_ok e g' G); [|exact Q]. specialize (H e He).
      destruct e as [| | | | | | | | | |c a b| | | | | | | | | ]; try discriminate.
      assert (K : is_known (Comparison c a b) = true) by (cbn [gap is_known] in *; destruct (polynomial_of a);
        [|discriminate]; destruct (polynomial_of b); [reflexivity | destruct c; discriminate]).
      destruct (known_case _ K) as ([] & E & _); [exact E | contradiction].
    Qed.
    Lemma gaps_ok l : forall g, gaps l = Some g -> is_case (map snd l) -> 0 <= value R g.
    Proof.
      induction l as [|[z e] l IH]; intros g H C; cbn [gaps] in H; [injection H as <-; discriminate|].
      destruct (gap e) as [p|] eqn:Ep; [|discriminate]. destruct (gaps l) as [q|] eqn:Eq; [|discriminate].
      destruct (_ || _) eqn:S in H; [|discriminate]. injection H as <-.
      rewrite value_plus, value_product, value_constant. destruct (gap_ok e p Ep (C e (or_introl eq_refl))) as [P Z0].
      apply nonneg_plus; [|apply IH; [reflexivity | intros x Hx; apply C; right; exact Hx]].
      apply orb_true_iff in S as [S|S]; [apply nonneg_mult; [apply nonneg_whole; lia | exact P]|]. rewrite (Z0 S).
      replace (whole z * 0) with 0 by ring. apply Qcle_refl.
    Qed.
  End At.

  Section Signs.
    Hypothesis signs : signs_ok = true.
    Local Open Scope Qc_scope.
    Lemma system_signs i : (0 < over_ (system_at i))%Z /\ forall s, (s < n)%N \/
      In s (flat_map symbols_of_clause pieces) -> (0 <= worth (system_at i) s)%Z.
    Proof.
      destruct (system_cases i) as [->|Hin]; [cbn; split; [lia | intros; lia]|]. unfold signs_ok in signs.
      rewrite forallb_forall in signs. specialize (signs _ Hin).
      apply andb_true_iff in signs as [Ho Hw]. rewrite forallb_forall in Hw. split; [lia|]. intros s Hs.
      assert (I : In s (below n ++ flat_map symbols_of_clause pieces)) by (apply in_or_app; destruct Hs as [Hs|Hs];
        [left; apply in_below; exact Hs | right; exact Hs]).
      specialize (Hw _ I). lia.
    Qed.
    Lemma nonneg_weight i X : 0 <= weight system_at parts i X.
    Proof.
      unfold weight. apply nonneg_power. unfold base, Qcdiv. destruct (system_signs i) as [Ho _]. pose proof (bases i).
      apply nonneg_mult; [apply nonneg_whole; lia | apply nonneg_inverse, nonneg_whole; lia].
    Qed.
    Lemma nonneg_meaning M a : (forall X Y, (m_world M X Y < n)%N) -> 0 <= meaning M a.
    Proof.
      intros Hw. assert (A : forall i r X, 0 <= amount system_at low parts i r (m_world M) X).
      { intros i r X. unfold amount. apply nonneg_mult; [|apply nonneg_weight]. apply nonneg_whole.
        apply (proj2 (system_signs i)). left. apply Hw. }
      destruct a; cbn [Unknowns.meaning]; [apply nonneg_weight | | apply nonneg_weight | apply nonneg_weight
        | apply A |].
      - unfold Qcdiv. apply nonneg_mult.
        + unfold part_sum, part_text. destruct (Nat.ltb_spec (N.to_nat j) (length pieces)) as [Hj|Hj].
          * rewrite (sum_same _ _
              (fun X => if ((Z.of_nat (offset parts (N.to_nat j)) <=? X) &&
              (X <? Z.of_nat (offset parts (N.to_nat j)) + Z.of_nat (length (nth (N.to_nat j) parts []))))%Z
               then whole (worth (system_at i) (row_symbol (concat parts) (Z.to_nat X))) * weight system_at parts i X
                 else 0)).
            -- apply nonneg_sum. intros X. destruct (_ && _) eqn:E; [|discriminate].
               apply andb_true_iff in E as [E1 E2]. apply nonneg_mult; [|apply nonneg_weight].
               apply nonneg_whole. apply (proj2 (system_signs i)). right.
               set (k := Z.to_nat (X - Z.of_nat (offset parts (N.to_nat j)))).
               replace (Z.to_nat X) with (Z.to_nat (Z.of_nat (offset parts (N.to_nat j)) + Z.of_nat k)) by lia.
               rewrite (part_symbol_at parts parts_ok (N.to_nat j) k Hj ltac:(lia)). apply in_flat_map.
               exists (piece (N.to_nat j)).
               split; [apply nth_In; exact Hj|]. destruct (piece_part parts parts_ok (N.to_nat j) Hj) as [Hm _].
               apply (symbols_of_clause_ok _ _ Hm), nth_In. lia.
            -- intros X HX. replace (_ && _) with true; [reflexivity|]. symmetry. apply andb_true_iff. lia.
          * rewrite nth_overflow; [discriminate|]. rewrite <- (same_length _ _ _ _ _ parts_ok). exact Hj.
        + apply nonneg_inverse. unfold part_unit. destruct (below_1 system_at i); apply nonneg_weight.
      - unfold sum_beside. apply nonneg_sum. intros X. unfold beside. destruct (_ && _); [apply A | discriminate].
    Qed.

    Variable M : moment.
    Hypothesis over : forall X Y, (m_world M X Y < n)%N.
    Lemma nonneg_factors l : 0 <= fold_right (fun f a => factor_value system_at low class_of label_at told_at parts M M
      f * a) 1 l.
    Proof. induction l as [|[late a] l IH]; cbn [fold_right]; [discriminate|].
    apply nonneg_mult; [unfold factor_value; destruct late; apply nonneg_meaning; exact over | exact IH]. Qed.
    Lemma positive_terms l : is_positive l = true ->
      exists a b, form_value system_at low class_of label_at told_at parts M M (map named_term l) = a + b /\ 0 <= a /\
        a <> 0 /\ 0 <= b.
    Proof.
      destruct l as [|[z fs] l]; [discriminate|]. cbn [is_positive forallb fst snd]. intros H.
      apply andb_true_iff in H as [Hw H]. apply andb_true_iff in H as [Hz Hl].
      cbn [map]. unfold form_value. cbn [fold_right]. eexists _, _. split; [reflexivity|].
      assert (T : forall t, (0 < fst t)%Z -> 0 <= term_value system_at low class_of label_at told_at parts M M
        (named_term t)).
      { intros [z' fs'] Ht. unfold term_value, named_term. cbn [fst snd] in *.
        apply nonneg_mult; [apply nonneg_whole; lia | apply nonneg_factors]. }
      split; [apply (T (z, fs)); cbn; lia|]. split.
      - unfold term_value, named_term. cbn [fst snd]. intros E.
        apply Qcmult_integral in E as [E|E]; [apply (whole_nonzero z) in E; [contradiction | lia]|].
        revert E. clear - Hw un_ok. induction fs as [|a fs IH]; cbn [map fold_right]; [discriminate|].
        cbn [forallb] in Hw. apply andb_true_iff in Hw as [Ha Hw].
        intros E. apply Qcmult_integral in E as [E|E]; [|exact (IH Hw E)]. revert E. unfold factor_value. cbn [fst snd].
        apply is_weight_nonzero; [exact bases | exact Ha].
      - induction l as [|t l IHl]; cbn [map fold_right]; [discriminate|]. cbn [forallb] in Hl.
        apply andb_true_iff in Hl as [Ht Hl].
        apply nonneg_plus; [apply T; lia | apply IHl; exact Hl].
    Qed.
  End Signs.

  (** What is excluded is not there. *)
  Theorem excluded_never conditions ends p q x y w lab lo m : signs_ok = true ->
    (forall e, In e conditions -> says e <> Some (Truth false)) ->
    present parts p q x y w lab lo m ->
      (forall last, vanish parts (Moment lo m x w lab last) (polys (node_at (here (s_d e) coarse_at p q x y lab)))) ->
    excluded (read_ends ends) (cases_together conditions) (here (s_d e) coarse_at p q x y lab) (w x y) = true -> False.
  Proof.
    intros Hs Hc now Hv H. destruct (some_case conditions Hc) as (case & Hin & Cc). unfold excluded in H.
    rewrite forallb_forall in H. specialize (H _ Hin).
    apply existsb_exists in H as ([[nd g] compared] & Hen & Hall). apply filter_In in Hen as [Hen Hzero].
    apply andb_true_iff in Hzero as [_ Hzero].
    apply in_flat_map in Hen as (en & _ & Hen). destruct (end_form en) as [g'|] eqn:Ef; [|contradiction].
    destruct Hen as [E|[]]. injection E as _ E1 E2. subst g' compared.
    unfold end_form in Ef. destruct (form name_at number (map named_term (e_terms en))) as [t|] eqn:Et; [|discriminate].
    destruct (gaps (e_compared en)) as [gs|] eqn:Eg; [|discriminate].
    destruct (is_positive (e_terms en)) eqn:Ep; [|discriminate]. injection Ef as <-.
    set (M := Moment lo m x w lab x).
    pose proof (goal_zero [] parts parts_ok ltac:(intros ? ? []) p q x y w lab lo m now Hv (plus t gs) [] x
      ltac:(intros ? ? []) Hzero) as Z0. fold M in Z0.
    assert (Hover : forall X Y, (m_world M X Y < n)%N) by apply (inside_strip now).
    rewrite value_plus, (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et) in Z0.
    destruct (positive_terms Hs M Hover _ Ep) as (a & b & E & Ha & Na & Hb). rewrite E in Z0.
    assert (Hg : (0 <= value (rho system_at low class_of label_at told_at parts name_at M M) gs)%Qc).
    { apply (gaps_ok M _ _ Eg). intros e' He'. rewrite forallb_forall in Hall. specialize (Hall _ He').
      unfold in_case in Hall. apply existsb_exists in Hall as (e'' & Hin' & He).
      destruct (expression_eq_dec e' e''); [subst; apply Cc; exact Hin' | discriminate]. }
    apply Na. rewrite <- Qcplus_assoc in Z0. eapply none_left; [exact Ha | | exact Z0]. apply nonneg_plus; assumption.
  Qed.
End Inequalities.
