(** (V12): the unknowns of a proof, what is computed of a strip for it, and what is therefore known at an element. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Sums
  Unknowns Facts Values.
Import ListNotations.

Class unknowns := Numbered {
  systems : list system; system_at : N -> system; name_at : N -> name; number : name -> option N; count : N }.
Definition no_system : system := System 1 1 (fun _ => 0%Z).
Definition ids {un : unknowns} : list N := below (N.of_nat (length systems)).
Definition systems_ok {un : unknowns} : bool :=
  forallb (fun s => negb (over_ s =? 0)%Z && (- under s <? over_ s)%Z && (0 <? under s)%Z && (worth s 0%N =? 0)%Z)
    systems.
Class unknowns_ok (un : unknowns) : Prop := Numbered_ok {
  system_cases : forall i, system_at i = no_system \/ In (system_at i) systems;
  number_ok : forall a v, number a = Some v -> name_at v = a;
  all_systems : systems_ok = true }.

Lemma bases `{unknowns_ok} i : (over_ (system_at i) <> 0 /\ 0 < under (system_at i))%Z.
Proof.
  pose proof all_systems as A. unfold systems_ok in A. rewrite forallb_forall in A.
  destruct (system_cases i) as [->|Hin]; [cbn; lia|].
  specialize (A _ Hin). rewrite !andb_true_iff, negb_true_iff, Z.eqb_neq, Z.ltb_lt in A. destruct A as [[[A _] B] _].
  split; [exact A | apply Z.ltb_lt; exact B].
Qed.
Lemma blank_worth `{unknowns_ok} i : worth (system_at i) 0%N = 0%Z.
Proof.
  pose proof all_systems as A. unfold systems_ok in A. rewrite forallb_forall in A.
  destruct (system_cases i) as [->|Hin]; [reflexivity|].
  specialize (A _ Hin). apply andb_true_iff in A as [_ A]. apply Z.eqb_eq. exact A.
Qed.

Section Masks.
  Context {sc : scene} {un : unknowns}.
  Import Scene.
  Definition group_mask (l : label) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ _ r g => in_group class_of told_at g r l
      | _ => false end).
  Definition side_mask (side : bool) : N :=
    mask_of name_at count (fun a => match a with Sum_beside _ rt _ _ => Bool.eqb rt side | _ => false end).
End Masks.

(** * Cells that may stand somewhere: whether fresh, the part, the class, the row *)
Section Cells.
  Context {sc : scene}.
  Import Scene.
  Definition all_classes : list N := nodup N.eq_dec (map class_of (below n)).
  Definition cell_bit (is_fresh : bool) (j c : N) (r : nat) : N :=
    let k := ((j * (N.succ n) + c) * N.of_nat height + N.of_nat r)%N in if is_fresh then N.succ_double k
      else N.double k.
  Definition is_fresh (l : label) : bool := (snd l =? 0)%N.
  Definition cells_mask (l : label) : N :=
    fold_left (fun m r => match class_at class_of l r with
      | Some c => N.setbit m (cell_bit (is_fresh l) (in_part (told_at (place_of l))) c r)
      | None => m
      end) (seq 0 height) 0%N.
  Lemma cells_mask_bit l r c : (r < height)%nat -> class_at class_of l r = Some c ->
    N.testbit (cells_mask l) (cell_bit (is_fresh l) (in_part (told_at (place_of l))) c r) = true.
  Proof.
    intros Hr Hc. unfold cells_mask.
    assert (G : forall rows m, In r rows \/ N.testbit m (cell_bit (is_fresh l) (in_part (told_at (place_of l))) c r) =
      true ->
      N.testbit (fold_left (fun m r => match class_at class_of l r with
        | Some c => N.setbit m (cell_bit (is_fresh l) (in_part (told_at (place_of l))) c r) | None => m end) rows m)
        (cell_bit (is_fresh l) (in_part (told_at (place_of l))) c r) = true).
    { induction rows as [|k rows IH]; intros m H; cbn [fold_left]; [destruct H as [[]|H]; exact H|]. apply IH.
      destruct H as [[->|H]|H]; [right; rewrite Hc; apply N.setbit_eq | left; exact H | right].
      destruct (class_at class_of l k); [|exact H]. rewrite N.setbit_eqb, H. apply orb_true_r. }
    apply G. left. apply in_seq. lia.
  Qed.
  Definition class_symbols (c : N) : list symbol := filter (fun s => (class_of s =? c)%N) (below n).
End Cells.

Definition head_of (w : list N) : N := match w with a :: _ => a | [] => 0%N end.

(** Computed, and need not be believed: what may stand where, and the polynomials of each node. *)
Class findings := Findings {
  reach : bool -> N -> N -> N;
    (* by side, kind and coarse number: what may stand from there on *)
  node_number : state -> Z -> list N -> N -> N;       (* by state, row, classes and part of the head's column *)
  polys : N -> list polynomial;
  mentioned : N -> N;                                 (* the unknowns in the polynomials of a node *)
  mask_at : N -> N;
  right_mask : N; left_mask : N;
  telling : bool;                                     (* whether columns of one value are told: of words *)
  there : bool -> N -> N -> N;
    (* by side, kind and coarse number: the cells that may stand from there on *)
  same_worth : N -> N -> option Z;                    (* by system and class: what all its symbols are worth *)
  always_so : list polynomial }.

Section Findings.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Definition gram_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    told_eqb (coarse_told (coarse_at x)) (told_at (place_of (label_at x))) &&
    subset (N.lor (mask_at x) (reach sd K (head_of w))) (reach sd K (coarse_at x)) &&
    (negb telling || subset (N.lor (cells_mask (label_at x)) (there sd K (head_of w))) (there sd K (coarse_at x))).
  Definition grams_ok : bool := forallb gram_ok (s_grams e).

  (** The columns of the head's part on one side, where all cells of a row that may stand there are worth the same. *)
  Definition cells_there (mask : N) (j : N) (r : nat) : list (bool * N) :=
    filter (fun fc => N.testbit mask (cell_bit (fst fc) j (snd fc) r)) (list_prod [true; false] all_classes).
  Definition group_there (j : N) (fc : bool * N) : group := if fst fc then Fresh j else Worn (snd fc) (Some j).
  Definition worth_there (i : N) (some : list (bool * N)) : option Z :=
    match some with
    | [] => None
    | fc :: _ => match same_worth i (snd fc) with
        | Some z => if forallb (fun fc => match same_worth i (snd fc) with Some z' => (z' =? z)%Z
          | None => false end) some && negb (z =? 0)%Z then Some z else None
        | None => None
        end
    end.
  Definition stretch_form (sd : bool) (here mask : N) (r : nat) (i : N) : list (list (Z * list name)) :=
    let some := cells_there mask here r in
    match worth_there i some with
    | Some z =>
        let '(a, b, k) := (over_ (system_at i), under (system_at i), scale system_at ids i) in
        [map (fun g => ((a - b)%Z, [Sum_beside i sd r g])) (nodup group_eq_dec (map (group_there here) some)) ++
         if sd then [((- (z * b))%Z, [Head_weight k]); ((z * a)%Z, [Part_weight k here])]
         else [((- (z * a))%Z, [Part_weight k (N.pred here)]); ((z * a)%Z, [Head_weight k])]]
    | None => []
    end.
  Definition side_forms (sd : bool) (here mask : N) : list (list (Z * list name)) :=
    if if sd then (here <=? after_input pieces)%N else (1 <=? here)%N
    then flat_map (fun r => flat_map (stretch_form sd here mask r) ids) (seq 0 height) else [].
  Definition forms_at (deep : bool) (K c l r : N) : list (list (Z * list name)) :=
    if deep && telling then
      let here := in_part (told_at (place_of (label_at c))) in
      side_forms false here (there false K l) ++ side_forms true here (there true K r)
    else [].
  (** With sums of products, if it is [deep]. *)
  Definition situation_at (deep : bool) (el : Strips.element) (read : option symbol) : situation :=
    let '(p, _, y, c, l, r) := el in
    let cells := cells_of (label_at c) in
    let cells := match read with Some s => set_nth (Z.to_nat (y - low)) (Is s) cells | None => cells end in
    let K := kind_of p in
    Situation (map Some (firstn height cells))
      (N.lor (N.ldiff left_mask (reach false K (head_of l))) (N.ldiff right_mask (reach true K (head_of r))))
      (lies_at pieces (Some (in_part (coarse_told (head_of l)))) (told_at (place_of (label_at c)))
        (Some (in_part (coarse_told (head_of r)))))
      (forms_at deep K c (head_of l) (head_of r)).

End Findings.

Class findings_ok (sc : scene) (un : unknowns) (fi : findings) : Prop := Findings_ok {
  mask_is : forall c, mask_at c = group_mask (label_at c);
  right_mask_is : right_mask = side_mask true;
  left_mask_is : left_mask = side_mask false;
  same_worth_is : forall i c z, same_worth i c = Some z -> one_worth system_at i (class_symbols c) = Some z;
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
  Notation true_place := (true_place parts).
  Local Open Scope Qc_scope.

  Definition all_places (lab : Z -> N) : Prop := forall X, true_place X (told_at (place_of (label_at (lab X)))).
  Definition blank_beyond (lo : Z) (m : nat) (w : world) : Prop := forall X Y, (X < lo \/ lo + Z.of_nat m <= X)%Z ->
    w X Y = 0%N.
  Definition fresh_beyond (lo : Z) (m : nat) (lab : Z -> N) : Prop :=
    forall X, (X < lo \/ lo + Z.of_nat m <= X)%Z -> snd (label_at (lab X)) = 0%N.
  Record present (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat) : Prop := Present {
    inside_strip : in_strip p q x y w lab;
    places : all_places lab;
    blank : blank_beyond lo m w;
    fresh : fresh_beyond lo m lab;
    head_within : (lo <= x < lo + Z.of_nat m)%Z }.

  Lemma present_step p q x y w lab lo m s mv p' q' c : present p q x y w lab lo m ->
    in_strip p' q' (x + dx mv) (y + dy mv) (put w x y s) (relabelled lab x c) ->
      place_of (label_at c) = place_of (label_at (lab x)) ->
    present p' q' (x + dx mv) (y + dy mv) (put w x y s) (relabelled lab x c) (lo - 1) (S (S m)).
  Proof.
    intros [HI Hp Hb Hf Hx] HI' Hplace. split; [exact HI' | | | |].
    - intros X. unfold relabelled. destruct (Z.eqb_spec X x) as [->|]; [rewrite Hplace|]; apply Hp.
    - intros X Y HX. unfold put. replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb].
      apply Hb. lia.
    - intros X HX. unfold relabelled. destruct (Z.eqb_spec X x); [lia|]. apply Hf. lia.
    - assert (-1 <= dx mv <= 1)%Z by (destruct mv; cbn; lia). lia.
  Qed.

  Lemma grams_here p q x y w lab sd X : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
    In (sd, kind_of p, lab X, near coarse_at (S (s_d e)) (sg sd) lab X) (s_grams e).
  Proof. intros (_ & _ & _ & _ & _ & H). apply H. Qed.

  Lemma reach_own p q x y w lab sd Y u : in_strip p q x y w lab -> (0 < sg sd * (Y - x))%Z ->
    N.testbit (N.lor (mask_at (lab Y)) (reach sd (kind_of p) (coarse_at (lab (Y + sg sd)%Z)))) u = true ->
    N.testbit (reach sd (kind_of p) (coarse_at (lab Y))) u = true.
  Proof.
    intros HI HY Hu. pose proof all_grams as G. unfold grams_ok in G. rewrite forallb_forall in G.
    specialize (G _ (grams_here _ _ _ _ _ _ sd Y HI HY)). unfold gram_ok in G.
    apply andb_true_iff in G as [G _]. apply andb_true_iff in G as [_ G]. eapply subset_bit; [exact G|]. exact Hu.
  Qed.
  (** What may stand from a column on may stand from each nearer one on. *)
  Lemma reach_nearer p q x y w lab sd X u : in_strip p q x y w lab -> (0 < sg sd * (X - x))%Z ->
    N.testbit (reach sd (kind_of p) (coarse_at (lab X))) u = true ->
    N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true.
  Proof.
    intros HI HX Hu.
    assert (G : forall k : nat, N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd * Z.of_nat (S k))%Z))) u =
      true ->
              N.testbit (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) u = true).
    { induction k as [|k IH]; intros H; [replace (x + sg sd)%Z with (x + sg sd * Z.of_nat 1)%Z by lia; exact H|].
      apply IH. eapply reach_own; [exact HI | destruct sd; unfold sg; lia |]. rewrite N.lor_spec. apply orb_true_iff.
      right.
      replace (x + sg sd * Z.of_nat (S k) + sg sd)%Z with (x + sg sd * Z.of_nat (S (S k)))%Z by lia. exact H. }
    set (k := Z.to_nat (sg sd * (X - x) - 1)).
    apply (G k). replace (x + sg sd * Z.of_nat (S k))%Z with X by (unfold k; destruct sd; unfold sg in *; lia).
    exact Hu.
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
    set (sd := (x <? X)%Z).
    assert (Hs : (0 < sg sd * (X - x))%Z) by (unfold sd; destruct (Z.ltb_spec x X); unfold sg; lia).
    specialize (G _ (grams_here _ _ _ _ _ _ sd X HI Hs)).
    unfold gram_ok in G. apply andb_true_iff in G as [G _]. apply andb_true_iff in G as [G _]. apply told_eqb_eq in G.
    rewrite G. apply Hp.
  Qed.

  Lemma amount_blank i r w X : w X (low + Z.of_nat r)%Z = 0%N -> amount system_at low parts i r w X = 0.
  Proof. intros H. unfold amount. rewrite H, blank_worth. rewrite whole_0. ring. Qed.

End True.
Arguments inside_strip {_ _ _ _ _ _ _ _ _ _} _.
Arguments places {_ _ _ _ _ _ _ _ _ _} _.
Arguments blank {_ _ _ _ _ _ _ _ _ _} _.
Arguments fresh {_ _ _ _ _ _ _ _ _ _} _.
Arguments head_within {_ _ _ _ _ _ _ _ _ _} _.
