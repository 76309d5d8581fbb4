(** (V12): the unknowns of a proof, what is computed of a strip for it, and what is therefore known at an element. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Descents Starts Places Polynomials Sums Unknowns Facts Values.
Import ListNotations.

Class unknowns := Numbered {
  systems : list system; system_at : N -> system; name_at : N -> name; number : name -> option N; count : N }.
Definition no_system : system := System 1 1 (fun _ => 0%Z).
Definition ids {un : unknowns} : list N := below (N.of_nat (length systems)).
Definition systems_ok {un : unknowns} : bool :=
  forallb (fun s => (0 <? over_ s)%Z && (0 <? under s)%Z && (worth s 0%N =? 0)%Z) systems.
Class unknowns_ok (un : unknowns) : Prop := Numbered_ok {
  system_cases : forall i, system_at i = no_system \/ In (system_at i) systems;
  number_ok : forall a v, number a = Some v -> name_at v = a;
  all_systems : systems_ok = true }.

Lemma bases `{unknowns_ok} i : (0 < over_ (system_at i) /\ 0 < under (system_at i))%Z.
Proof.
  pose proof all_systems as A. unfold systems_ok in A. rewrite forallb_forall in A. destruct (system_cases i) as [->|Hin]; [cbn; lia|].
  specialize (A _ Hin). apply andb_true_iff in A as [A _]. apply andb_true_iff in A as [A1 A2]. apply Z.ltb_lt in A1, A2. auto.
Qed.
Lemma blank_worth `{unknowns_ok} i : worth (system_at i) 0%N = 0%Z.
Proof.
  pose proof all_systems as A. unfold systems_ok in A. rewrite forallb_forall in A. destruct (system_cases i) as [->|Hin]; [reflexivity|].
  specialize (A _ Hin). apply andb_true_iff in A as [_ A]. apply Z.eqb_eq. exact A.
Qed.

Section Masks.
  Context {sc : scene} {un : unknowns}.
  Import Scene.
  Definition group_mask (l : label) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ _ r g => in_group class_of told_at g r l | _ => false end).
  Definition side_mask (side : bool) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ rt _ _ => Bool.eqb rt side | _ => false end).
  Definition without_worth (c : N) : bool :=
    forallb (fun s => negb (class_of s =? c)%N || forallb (fun y => (worth y s =? 0)%Z) systems) (below n).
End Masks.

Definition head_of (w : list N) : N := match w with a :: _ => a | [] => 0%N end.

(** Computed, and need not be believed: what may stand where, and the polynomials of each node. *)
Class findings := Findings {
  reach : bool -> N -> N -> N;                        (* by side, kind and coarse number: what may stand from there on *)
  node_number : state -> Z -> list N -> N -> N;       (* by state, row, classes and part of the head's column *)
  polys : N -> list polynomial;
  mentioned : N -> N;                                 (* the unknowns in the polynomials of a node *)
  mask_at : N -> N;
  right_mask : N; left_mask : N;
  worthless : N -> bool;
  always_so : list polynomial }.

Section Findings.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Definition gram_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    told_eqb (coarse_told (coarse_at x)) (told_at (place_of (label_at x))) &&
    subset (N.lor (mask_at x) (reach sd K (head_of w))) (reach sd K (coarse_at x)).
  Definition grams_ok : bool := forallb gram_ok (s_grams e).

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

End Findings.

Class findings_ok (sc : scene) (un : unknowns) (fi : findings) : Prop := Findings_ok {
  mask_is : forall c, mask_at c = group_mask (label_at c);
  right_mask_is : right_mask = side_mask true;
  left_mask_is : left_mask = side_mask false;
  worthless_is : forall c, worthless c = true -> without_worth c = true;
  always_is : always_so = always system_at ids name_at number pieces;
  all_grams : grams_ok = true }.

(** * It is true *)
Section True.
  Context {sc : scene} {un : unknowns} {fi : findings} {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Import Scene.
  Lemma mask_at_bit c v i rt r g : (v < count)%N -> name_at v = Sum_beside i rt r g ->
    N.testbit (mask_at c) v = in_group class_of told_at g r (label_at c).
  Proof.
    intros Hv En. rewrite mask_is. unfold group_mask. rewrite mask_bit by exact Hv. rewrite En. reflexivity.
  Qed.
  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Notation meaning := (meaning system_at low class_of label_at told_at parts).
  Notation true_situation := (true_situation system_at low class_of label_at told_at name_at count parts).
  Notation true_place := (true_place parts).
  Local Open Scope Qc_scope.

  Definition all_places (lab : Z -> N) : Prop := forall X, true_place X (told_at (place_of (label_at (lab X)))).
  Definition blank_beyond (lo : Z) (m : nat) (w : world) : Prop := forall X Y, (X < lo \/ lo + Z.of_nat m <= X)%Z -> w X Y = 0%N.
  Definition fresh_beyond (lo : Z) (m : nat) (lab : Z -> N) : Prop :=
    forall X, (X < lo \/ lo + Z.of_nat m <= X)%Z -> snd (label_at (lab X)) = 0%N.
  Record present (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat) : Prop := Present {
    inside_strip : in_strip p q x y w lab;
    places : all_places lab;
    blank : blank_beyond lo m w;
    fresh : fresh_beyond lo m lab;
    head_within : (lo <= x < lo + Z.of_nat m)%Z }.

  Lemma grams_here p q x y w lab sd X : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
    In (sd, kind_of p, lab X, near coarse_at (S (s_d e)) (sg sd) lab X) (s_grams e).
  Proof. intros (_ & _ & _ & _ & _ & H). apply H. Qed.

  Lemma reach_own p q x y w lab sd Y u : in_strip p q x y w lab -> (0 < sg sd * (Y - x))%Z ->
    N.testbit (N.lor (mask_at (lab Y)) (reach sd (kind_of p) (coarse_at (lab (Y + sg sd)%Z)))) u = true ->
    N.testbit (reach sd (kind_of p) (coarse_at (lab Y))) u = true.
  Proof.
    intros HI HY Hu. pose proof all_grams as G. unfold grams_ok in G. rewrite forallb_forall in G.
    specialize (G _ (grams_here _ _ _ _ _ _ sd Y HI HY)). unfold gram_ok in G.
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
    intros HI Hp HX. pose proof all_grams as G. unfold grams_ok in G. rewrite forallb_forall in G.
    set (sd := (x <? X)%Z). assert (Hs : (0 < sg sd * (X - x))%Z) by (unfold sd; destruct (Z.ltb_spec x X); unfold sg; lia).
    specialize (G _ (grams_here _ _ _ _ _ _ sd X HI Hs)).
    unfold gram_ok in G. apply andb_true_iff in G as [G _]. apply told_eqb_eq in G. rewrite G. apply Hp.
  Qed.

  Lemma amount_blank i r w X : w X (low + Z.of_nat r)%Z = 0%N -> amount system_at low parts i r w X = 0.
  Proof. intros H. unfold amount. rewrite H, blank_worth. rewrite whole_0. ring. Qed.

  Lemma known_symbol_ok v s u : known_symbol v = Some u -> holds class_of v s -> (s < n)%N ->
    forall i, worth (system_at i) s = worth (system_at i) u.
  Proof.
    destruct v as [t|c]; cbn [known_symbol holds]; intros Hk Hh Hs i; [injection Hk as <-; congruence|].
    destruct (worthless c) eqn:E; [|discriminate]. injection Hk as <-. rewrite blank_worth.
    apply worthless_is in E. unfold without_worth in E. rewrite forallb_forall in E. specialize (E s (in_below _ _ Hs)). rewrite Hh, N.eqb_refl in E. cbn [negb orb] in E.
    rewrite forallb_forall in E. destruct (system_cases i) as [->|Hin]; [reflexivity|]. apply Z.eqb_eq. apply E. exact Hin.
  Qed.

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

End True.
Arguments inside_strip {_ _ _ _ _ _ _ _ _ _} _.
Arguments places {_ _ _ _ _ _ _ _ _ _} _.
Arguments blank {_ _ _ _ _ _ _ _ _ _} _.
Arguments fresh {_ _ _ _ _ _ _ _ _ _} _.
Arguments head_within {_ _ _ _ _ _ _ _ _ _} _.
