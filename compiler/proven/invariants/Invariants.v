(** (V12): polynomials that are 0 at the start, and stay so at every step. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Descents Starts Places Polynomials Elimination Sums Unknowns Facts Values.
Import ListNotations.

Section Invariants.
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
  Notation low := (s_low e).
  Notation height := (s_height e).
  Definition ids : list N := below (N.of_nat (length systems)).
  (** The elements and grams of the strip stand for a world. *)
  Notation in_strip := (labelled n (s_low e) (s_height e) (s_d e) class_of kind_of label_at coarse_at (s_elements e) (s_grams e)).

  (** * Data that need not be believed *)
  Variable coarse_told : N -> told.                   (* where a column lies, by its coarse number *)
  Variable reach : bool -> N -> N -> N.               (* by side, kind and coarse number: what may stand from there on *)
  Variable node_number : state -> Z -> list N -> N.
  Variable polys : N -> list polynomial.
  Variable mentioned : N -> N.                        (* the unknowns in the polynomials of a node *)
  Variable verified : list step_key.

  Definition systems_ok : bool :=
    forallb (fun s => (0 <? over_ s)%Z && (0 <? under s)%Z && (worth s 0%N =? 0)%Z) systems.
  Lemma bases : systems_ok = true -> forall i, (0 < over_ (system_at i) /\ 0 < under (system_at i))%Z.
  Proof.
    unfold systems_ok. rewrite forallb_forall. intros H i. destruct (system_cases i) as [->|Hin]; [cbn; lia|].
    specialize (H _ Hin). apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [H1 H2].
    apply Z.ltb_lt in H1, H2. auto.
  Qed.
  Lemma blank_worth : systems_ok = true -> forall i, worth (system_at i) 0%N = 0%Z.
  Proof.
    unfold systems_ok. rewrite forallb_forall. intros H i. destruct (system_cases i) as [->|Hin]; [reflexivity|].
    specialize (H _ Hin). apply andb_true_iff in H as [_ H]. apply Z.eqb_eq. exact H.
  Qed.

  Definition group_mask (l : label) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ _ r g => in_group class_of told_at g r l | _ => false end).
  Variable mask_at : N -> N.
  Hypothesis mask_is : forall c, mask_at c = group_mask (label_at c).
  Lemma mask_at_bit c v i rt r g : (v < count)%N -> name_at v = Sum_beside i rt r g ->
    N.testbit (mask_at c) v = in_group class_of told_at g r (label_at c).
  Proof.
    intros Hv En. rewrite mask_is. unfold group_mask. rewrite mask_bit by exact Hv. rewrite En. reflexivity.
  Qed.
  Definition side_mask (side : bool) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ rt _ _ => Bool.eqb rt side | _ => false end).
  Variables (right_mask left_mask : N).
  Hypothesis right_mask_is : right_mask = side_mask true.
  Hypothesis left_mask_is : left_mask = side_mask false.
  Definition sums_mask : N := N.lor right_mask left_mask.

  Definition head_of (w : list N) : N := match w with a :: _ => a | [] => 0%N end.
  Definition gram_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    told_eqb (coarse_told (coarse_at x)) (told_at (place_of (label_at x))) &&
    subset (N.lor (mask_at x) (reach sd K (head_of w))) (reach sd K (coarse_at x)).
  Definition grams_ok : bool := forallb gram_ok (s_grams e).

  (** * What is known at an element *)
  Definition without_worth (c : N) : bool :=
    forallb (fun s => negb (class_of s =? c)%N || forallb (fun y => (worth y s =? 0)%Z) systems) (below n).
  Variable worthless : N -> bool.
  Hypothesis worthless_is : forall c, worthless c = true -> without_worth c = true.
  Definition known_symbol (v : known) : option symbol :=
    match v with Is s => Some s | Of_class c => if worthless c then Some 0%N else None end.
  Definition situation_at (el : Strips.element) (read : option symbol) : situation :=
    let '(p, _, y, c, l, r) := el in
    let cells := cells_of (label_at c) in
    let cells := match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) cells | None => cells end in
    let K := kind_of p in
    Situation (map known_symbol (firstn height cells))
      (N.lor (N.ldiff left_mask (reach false K (head_of l))) (N.ldiff right_mask (reach true K (head_of r))))
      (lies_at pieces (Some (in_part (coarse_told (head_of l)))) (told_at (place_of (label_at c))) (Some (in_part (coarse_told (head_of r))))).

  Definition write_of (p : state) (read : symbol) : symbol :=
    match rule p read with Some (s, _, _) => s | None => 0%N end.
  Definition classes_at (l : label) : list N := map (fun v => match v with Is s => class_of s | Of_class c => c end) (cells_of l).
  Definition node_at (el : Strips.element) : N :=
    let '(p, _, y, c, _, _) := el in node_number p y (classes_at (label_at c)).
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
  Definition trimmed (rows : list bool) (cells : list (option symbol)) : list (option symbol) :=
    map (fun bc : bool * option symbol => if fst bc then snd bc else None) (combine rows cells).
  (** With more and more facts. *)
  Definition key_at (level : N) (a : Strips.element) (read : symbol) (c : N) (side : Z) (b : Strips.element) : step_key :=
    let '(na, nb) := (node_at a, node_at b) in
    let told := N.lor (mentioned na) (mentioned nb) in
    let sums := N.land told sums_mask in
    let h := shape_at a read c side b sums in
    let '(sa, sb) := (situation_at a (Some read), situation_at b None) in
    let rows left := map (row_matters told left) (seq 0 height) in
    let cells_a := trimmed (rows (h_left h)) (s_cells sa) in
    let cells_b := trimmed (rows (h_entered h)) (s_cells sb) in
    if (level =? 1)%N then Step_key na nb h (Situation cells_a 0 []) (Situation [] 0 [])
    else let '(za, zb) := (N.land (s_zeros sa) sums, N.land (s_zeros sb) sums) in
         if (level =? 2)%N then Step_key na nb h (Situation cells_a za []) (Situation cells_b zb [])
         else Step_key na nb h (Situation cells_a za (s_at sa)) (Situation cells_b zb (s_at sb)).
  Variable always_so : list polynomial.
  Hypothesis always_is : always_so = always system_at ids name_at number pieces.
  Definition problem_ok (k : step_key) : bool :=
    implied (nonzero name_at)
      (always_so ++ shape_facts system_at ids height name_at number count (k_shape k) ++
       situation_facts system_at ids height name_at number count false (k_before k) ++
       situation_facts system_at ids height name_at number count true (k_after k))
      (map (renamed before) (polys (k_from k))) (map (renamed (after name_at)) (polys (k_to k))).
  Variable known : step_key -> bool.
  Hypothesis known_is : forall k, known k = true -> In k verified.
  Definition keeps : follow_rule :=
    fun a read c side b =>
      let '(_, _, _, ca, _, _) := a in
      (place_of (label_at c) =? place_of (label_at ca))%N &&
      (is_nothing (polys (node_at b)) ||
       if known (key_at 1 a read c side b) then true
       else if known (key_at 2 a read c side b) then true else known (key_at 3 a read c side b)).

  (** * Truth along a run *)
  Hypothesis all_systems : systems_ok = true.
  Hypothesis all_grams : grams_ok = true.
  Hypothesis all_verified : forallb problem_ok verified = true.

  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Notation true_situation := (true_situation system_at low class_of label_at told_at name_at count parts).
    Notation true_shape := (true_shape system_at low height class_of label_at told_at name_at count parts).
    Notation true_place := (true_place parts).
    Local Open Scope Qc_scope.

    Definition all_places (lab : Z -> N) : Prop := forall X, true_place X (told_at (place_of (label_at (lab X)))).
    Definition blank_beyond (lo : Z) (m : nat) (w : world) : Prop := forall X Y, (X < lo \/ lo + Z.of_nat m <= X)%Z -> w X Y = 0%N.
    Definition fresh_beyond (lo : Z) (m : nat) (lab : Z -> N) : Prop :=
      forall X, (X < lo \/ lo + Z.of_nat m <= X)%Z -> snd (label_at (lab X)) = 0%N.
    Definition vanish (M : moment) (l : list polynomial) : Prop :=
      forall P, In P l -> value (fun v => meaning M (name_at v)) P = 0.
    Definition good (p q : state) (x y : Z) (w : world) : Prop :=
      exists lab lo m, in_strip p q x y w lab /\ all_places lab /\ blank_beyond lo m w /\ fresh_beyond lo m lab /\ (lo <= x < lo + Z.of_nat m)%Z /\
        forall last, vanish (Moment lo m x w lab last) (polys (node_at (here (s_d e) coarse_at p q x y lab))).

    Lemma grams_here p q x y w lab sd X : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
      In (sd, kind_of p, lab X, near coarse_at (S (s_d e)) (sg sd) lab X) (s_grams e).
    Proof. intros (_ & _ & _ & _ & _ & H). apply H. Qed.

    Lemma reach_own p q x y w lab sd Y u : in_strip p q x y w lab -> (0 < sg sd * (Y - x))%Z ->
      N.testbit (N.lor (mask_at (lab Y)) (reach sd (kind_of p) (coarse_at (lab (Y + sg sd)%Z)))) u = true ->
      N.testbit (reach sd (kind_of p) (coarse_at (lab Y))) u = true.
    Proof.
      intros HI HY Hu. unfold grams_ok in all_grams. rewrite forallb_forall in all_grams.
      pose proof (all_grams _ (grams_here _ _ _ _ _ _ sd Y HI HY)) as G. unfold gram_ok in G.
      apply andb_true_iff in G as [_ G]. eapply subset_bit; [exact G|]. exact Hu.
    Qed.
    (** What may stand from a column on may stand from each nearer one on. *)
    Lemma reach_nearer p q x y w lab sd X u : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
      N.testbit (reach sd (kind_of p) (coarse_at (lab X))) u = true ->
      N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true.
    Proof.
      intros HI HX Hu.
      assert (G : forall k : nat, N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd * Z.of_nat (S k))%Z))) u = true ->
                N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true).
      { induction k as [|k IH]; intros H; [replace (x + sg sd)%Z with (x + sg sd * Z.of_nat 1)%Z by lia; exact H|].
        apply IH. eapply reach_own; [exact HI | destruct sd; unfold sg; lia |]. rewrite N.lor_spec. apply orb_true_iff. right.
        replace (x + sg sd * Z.of_nat (S k) + sg sd)%Z with (x + sg sd * Z.of_nat (S (S k)))%Z by lia. exact H. }
      set (k := Z.to_nat (sg sd * (X - x) - 1)).
      apply (G k). replace (x + sg sd * Z.of_nat (S k))%Z with X by (unfold k; destruct sd; unfold sg in *; lia). exact Hu.
    Qed.
    Lemma reach_here p q x y w lab sd X u : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
      N.testbit (mask_at (lab X)) u = true -> N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true.
    Proof.
      intros HI HX Hu. eapply reach_nearer; [exact HI | exact HX |]. eapply reach_own; [exact HI | exact HX |].
      rewrite N.lor_spec, Hu. reflexivity.
    Qed.
    Lemma coarse_told_here p q x y w lab X : in_strip p q x y w lab -> all_places lab -> X <> x ->
      true_place X (coarse_told (coarse_at (lab X))).
    Proof.
      intros HI Hp HX. unfold grams_ok in all_grams. rewrite forallb_forall in all_grams.
      set (sd := (x <? X)%Z). assert (Hs : (0 < sg sd * (X - x))%Z) by (unfold sd; destruct (Z.ltb_spec x X); unfold sg; lia).
      pose proof (all_grams _ (grams_here _ _ _ _ _ _ sd X HI Hs)) as G.
      unfold gram_ok in G. apply andb_true_iff in G as [G _]. apply told_eqb_eq in G. rewrite G. apply Hp.
    Qed.

    Lemma amount_blank i r w X : w X (low + Z.of_nat r)%Z = 0%N -> amount system_at low parts i r w X = 0.
    Proof. intros H. unfold amount. rewrite H, blank_worth by exact all_systems. rewrite whole_0. ring. Qed.

    Lemma known_symbol_ok v s u : known_symbol v = Some u -> holds class_of v s -> (s < n)%N ->
      forall i, worth (system_at i) s = worth (system_at i) u.
    Proof.
      destruct v as [t|c]; cbn [known_symbol holds]; intros Hk Hh Hs i; [injection Hk as <-; congruence|].
      destruct (worthless c) eqn:E; [|discriminate]. injection Hk as <-. rewrite (blank_worth all_systems).
      apply worthless_is in E. unfold without_worth in E. rewrite forallb_forall in E. specialize (E s (in_below _ _ Hs)). rewrite Hh, N.eqb_refl in E. cbn [negb orb] in E.
      rewrite forallb_forall in E. destruct (system_cases i) as [->|Hin]; [reflexivity|]. apply Z.eqb_eq. apply E. exact Hin.
    Qed.

    Section Last.
    Variable last : Z.
    Lemma situation_true p q x y w lab lo m read : in_strip p q x y w lab -> all_places lab -> blank_beyond lo m w ->
      (read = None \/ read = Some (w x y)) ->
      true_situation (Moment lo m x w lab last) (situation_at (here (s_d e) coarse_at p q x y lab) read).
    Proof.
      intros HI Hp Hb Hread. pose proof HI as (Hover & Hy & Hout & Hfit & _ & _). unfold situation_at, here.
      cbn [near head_of]. split; [|split]; cbn [s_cells s_zeros s_at].
      - intros r t Ht i. rewrite nth_error_map in Ht. destruct (nth_error _ r) as [v|] eqn:Ev in Ht; [|discriminate].
        cbn [option_map] in Ht. injection Ht as Ht. cbn [Unknowns.meaning m_world m_x]. unfold amount.
        assert (Hr : (r < height)%nat).
        { destruct (Nat.lt_ge_cases r height) as [|Hge]; [assumption|]. exfalso.
          assert (nth_error (firstn height (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) (cells_of (label_at (lab x)))
                    | None => cells_of (label_at (lab x)) end)) r = None) by (apply nth_error_None; rewrite firstn_length; lia). congruence. }
        assert (Hh : holds class_of v (w x (low + Z.of_nat r)%Z)).
        { destruct (Hfit x r Hr) as (v0 & Hv0 & Hh0).
          assert (Hcases : nth_error (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) (cells_of (label_at (lab x)))
                    | None => cells_of (label_at (lab x)) end) r = Some v).
          { clear - Ev Hr. revert Ev. generalize (match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) (cells_of (label_at (lab x)))
                    | None => cells_of (label_at (lab x)) end). intros l. revert Hr. generalize height. intros h. revert l r.
            induction h as [|h IH]; intros [|a l] [|r] Hr E; cbn in *; try lia; try discriminate; auto. eapply IH; [|exact E]. lia. }
          destruct read as [s|].
          - destruct Hread as [Hread|Hread]; [discriminate|]. injection Hread as ->.
            destruct (Nat.eq_dec r (Z.to_nat (y - low))) as [->|Ne].
            + rewrite (nth_set_same _ _ _ _ Hv0) in Hcases. injection Hcases as <-. cbn [holds]. f_equal. unfold inside in Hy. lia.
            + rewrite nth_set_other in Hcases by congruence. rewrite Hv0 in Hcases. injection Hcases as <-. exact Hh0.
          - rewrite Hv0 in Hcases. injection Hcases as <-. exact Hh0. }
        rewrite (known_symbol_ok v _ t Ht Hh (Hover _ _)). reflexivity.
      - intros v Hv Ht. rewrite left_mask_is, right_mask_is, N.lor_spec, !N.ldiff_spec in Ht.
        assert (G : forall sd, N.testbit (side_mask sd) v && negb (N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) v) = true ->
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
        + intros j E. injection E as <-. apply (coarse_told_here _ _ _ _ _ _ (x - 1)%Z HI Hp). lia.
        + intros j E. injection E as <-. apply (coarse_told_here _ _ _ _ _ _ (x + 1)%Z HI Hp). lia.
    Qed.

    Lemma trimmed_nth rows cells r t : nth_error (trimmed rows cells) r = Some (Some t) -> nth_error cells r = Some (Some t).
    Proof.
      unfold trimmed. revert rows r. induction cells as [|c cells IH]; intros [|b rows] [|r] H; cbn in *; try discriminate; [|eapply IH; exact H].
      destruct b; [exact H | discriminate].
    Qed.
    Lemma situation_less M s cells zeros at_ : true_situation M s ->
      (forall r t, nth_error cells r = Some (Some t) -> nth_error (s_cells s) r = Some (Some t)) ->
      (forall v, N.testbit zeros v = true -> N.testbit (s_zeros s) v = true) ->
      (forall kd, In kd at_ -> In kd (s_at s)) -> true_situation M (Situation cells zeros at_).
    Proof. intros (H1 & H2 & H3) A B C. split; [|split]; cbn [s_cells s_zeros s_at]; auto. Qed.

    Lemma on_side_shift rt x side : on_side rt (x + side) x = on_side rt side 0 /\ on_side rt x (x + side) = on_side rt 0 side.
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
                  (Shape (Z.to_nat (y - low)) s (dx mv) sums (N.land (mask_at c) sums) (N.land (mask_at (lab' (x + dx mv)%Z)) sums)) i r).
      { intros i r. unfold column_value, amount. cbn [h_row h_write m_x m_world Unknowns.meaning]. unfold amount, put. rewrite Z.eqb_refl. cbn [andb].
        destruct (Nat.eqb_spec r (Z.to_nat (y - low))) as [->|Ne].
        - replace (low + Z.of_nat (Z.to_nat (y - low)) =? y)%Z with true by (symmetry; apply Z.eqb_eq; lia). reflexivity.
        - replace (low + Z.of_nat r =? y)%Z with false by (symmetry; apply Z.eqb_neq; lia). reflexivity. }
      rewrite Hw. split; [exact Hdx|]. split; [reflexivity|]. split.
      - cbn [h_side]. intros E i r _. cbn [Unknowns.meaning m_world m_x]. rewrite E, Z.add_0_r.
        rewrite E in Hcol. rewrite Z.add_0_r in Hcol. fold lab'. rewrite Hcol. reflexivity.
      - intros v i rt r g Hv Hs En. rewrite En. cbn [h_sums h_side h_left h_entered] in *. cbn [Unknowns.meaning m_lo m_size m_x m_world m_lab].
        rewrite sum_beside_after with (lab := lab) (amount := amount system_at low parts i r w).
        + destruct (on_side_shift rt x (dx mv)) as [-> ->]. fold lab'. rewrite Hl', Hcol.
          rewrite !N.land_spec, Hs, !andb_true_r. rewrite (mask_at_bit c _ _ _ _ _ Hv En), (mask_at_bit (lab' (x + dx mv)%Z) _ _ _ _ _ Hv En).
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
      true_shape M0 M1 (k_shape k) /\ true_situation M0 (k_before k) /\ true_situation M1 (k_after k) /\ k_from k = node_at a /\ k_to k = node_at b.
    Proof.
      intros HI Hp Hb Hx HI' Hp' HT M0 M1 a b k.
      assert (Hb' : blank_beyond (lo - 1) (S (S m)) (put w x y s)).
      { intros X Y HX. unfold put. replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb]. apply Hb. lia. }
      pose proof (situation_true p q x y w lab lo m (Some (w x y)) HI Hp Hb (or_intror eq_refl)) as Sa.
      pose proof (situation_true p' q' (x + dx mv)%Z (y + dy mv)%Z (put w x y s) (relabelled lab x c) (lo - 1)%Z (S (S m)) None HI' Hp' Hb' (or_introl eq_refl)) as Sb.
      fold a in Sa. fold b in Sb. fold M0 in Sa. fold M1 in Sb.
      set (sums := N.land (N.lor (mentioned (node_at a)) (mentioned (node_at b))) sums_mask).
      pose proof (shape_true p q x y w lab lo m s mv p' q' c sums HI Hb Hx HT) as Sh. fold a b M0 M1 in Sh.
      assert (Land : forall z v, N.testbit (N.land z sums) v = true -> N.testbit z v = true).
      { intros z v H. rewrite N.land_spec in H. apply andb_true_iff in H as [H _]. exact H. }
      unfold k, key_at. fold sums.
      destruct (level =? 1)%N; [|destruct (level =? 2)%N]; cbn [k_shape k_before k_after k_from k_to];
        (split; [exact Sh|]); (split; [|split; [|split; reflexivity]]);
        (eapply situation_less; [exact Sa || exact Sb | | |]); cbn [s_cells s_zeros s_at];
        try (intros r t Ht; first [eapply trimmed_nth; exact Ht | destruct r; discriminate]);
        try (intros v Ht; first [eapply Land; exact Ht | rewrite N.bits_0 in Ht; discriminate]);
        try (intros kd Hin; first [exact Hin | contradiction]).
    Qed.

    Lemma problem_sound k M0 M1 : problem_ok k = true -> true_shape M0 M1 (k_shape k) ->
      true_situation M0 (k_before k) -> true_situation M1 (k_after k) -> vanish M0 (polys (k_from k)) -> vanish M1 (polys (k_to k)).
    Proof.
      intros H Hsh Hb Ha Hv P HP. unfold problem_ok in H.
      set (R := rho system_at low class_of label_at told_at parts name_at M0 M1).
      assert (E0 : forall Q, value R (renamed before Q) = value (fun v => meaning M0 (name_at v)) Q).
      { intros Q. rewrite value_renamed. apply value_ext. intros v. apply rho_before. }
      assert (E1 : forall Q, value R (renamed (after name_at) Q) = value (fun v => meaning M1 (name_at v)) Q).
      { intros Q. rewrite value_renamed. apply value_ext. intros v. apply rho_after. }
      rewrite <- E1. eapply implied_sound; [| exact H | | | apply in_map; exact HP].
      - intros v Hn. apply nonzero_rho; [apply bases; exact all_systems | exact Hn].
      - intros f Hf. apply in_app_or in Hf as [Hf|Hf]; [|apply in_app_or in Hf as [Hf|Hf]; [|apply in_app_or in Hf as [Hf|Hf]]].
        + rewrite always_is in Hf. eapply always_ok; [apply bases; exact all_systems | exact number_ok | exact parts_ok | exact Hf].
        + eapply shape_facts_ok; [apply bases; exact all_systems | exact number_ok | exact Hsh | exact Hf].
        + eapply (situation_facts_ok) with (late := false); [apply bases; exact all_systems | exact number_ok | exact Hb | exact Hf].
        + eapply (situation_facts_ok) with (late := true); [apply bases; exact all_systems | exact number_ok | exact Ha | exact Hf].
      - intros r Hr. apply in_map_iff in Hr as (Q & <- & HQ). rewrite E0. apply Hv. exact HQ.
    Qed.

    End Last.

    (** A step of a run keeps what is good. *)
    Lemma good_step D : s_descents e = [] -> labels_of e = label_at -> coarse_of e = coarse_at ->
      get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of ->
      strip_steps Unasked n T T e keeps D -> forall p q x y w, good p q x y w ->
      match joint_step Unasked T T p q (w x y) with
      | Bad => False
      | Done => True
      | Go s m p' q' => good p' q' (x + dx m) (y + dy m) (put w x y s)
      end.
    Proof.
      intros Hno El Ec Ecl Ek [Hstep _] p q x y w (lab & lo & m & HI & Hp & Hb & Hf & Hx & Hv). unfold Starts.in_strip in Hstep. rewrite El, Ec, Ecl, Ek in Hstep. specialize (Hstep _ _ _ _ _ _ HI).
      destruct (joint_step Unasked T T p q (w x y)) as [| |s mv p' q'] eqn:J; [exact Hstep | exact Hstep |].
      destruct Hstep as [(c & HI' & Hk) | (sd & l & f & _ & Hsome & _)]; [|contradiction].
      apply joint_go in J as (HT & _ & _). unfold keeps in Hk. cbn [here] in Hk.
      apply andb_true_iff in Hk as [Hplace Hk]. apply N.eqb_eq in Hplace.
      set (lab' := relabelled lab x c) in *.
      assert (Hp' : all_places lab').
      { intros X. unfold lab', relabelled. destruct (Z.eqb_spec X x) as [->|]; [rewrite Hplace|]; apply Hp. }
      exists lab', (lo - 1)%Z, (S (S m)). split; [exact HI'|]. split; [exact Hp'|]. split; [|split; [|split]].
      - intros X Y HX. unfold put. replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb]. apply Hb. lia.
      - intros X HX. unfold lab', relabelled. destruct (Z.eqb_spec X x); [lia|]. apply Hf. lia.
      - assert (-1 <= dx mv <= 1)%Z by (destruct mv; cbn; lia). lia.
      - intros last. set (a := here (s_d e) coarse_at p q x y lab) in *.
        set (b := here (s_d e) coarse_at p' q' (x + dx mv) (y + dy mv) lab') in *.
        apply orb_true_iff in Hk as [Hk|Hk].
        + destruct (polys (node_at b)) as [|P l] eqn:Ep; [|discriminate]. intros Q [].
        + assert (Hsome : exists level, known (key_at level a (w x y) c (dx mv) b) = true).
          { destruct (known (key_at 1 a (w x y) c (dx mv) b)) eqn:K1; [eauto|].
            destruct (known (key_at 2 a (w x y) c (dx mv) b)) eqn:K2; [eauto|]. eauto. }
          destruct Hsome as [level Hin]. apply known_is in Hin.
          rewrite forallb_forall in all_verified. specialize (all_verified _ Hin).
          destruct (key_true last level p q x y w lab lo m s mv p' q' c HI Hp Hb Hx HI' Hp' HT) as (Sh & Sa & Sb & Ef & Et).
          fold lab' a b in Sh, Sa, Sb, Ef, Et. rewrite <- Et.
          eapply problem_sound; [exact all_verified | exact Sh | exact Sa | exact Sb |]. rewrite Ef. apply Hv.
    Qed.
  End Run.
End Invariants.
