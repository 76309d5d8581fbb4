(** (V10), the inputs: all folded inputs at once, by lines, which tell what may come next to the left. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Maps Strips Rows FoldedTape FoldedChains FoldedReadings.
Import ListNotations.
Local Open Scope Z_scope.

(** The reading's state; how the numbers compare so far: 0, 1 or 2; which of them may go on. *)
Inductive line := At_right | Line (s o : N) (a b : bool).
Definition line_eqb (l m : line) : bool :=
  match l, m with
  | At_right, At_right => true
  | Line s o a b, Line s' o' a' b' => (s =? s')%N && (o =? o')%N && Bool.eqb a a' && Bool.eqb b b'
  | _, _ => false
  end.
Lemma line_eqb_eq l m : line_eqb l m = true -> l = m.
Proof.
  destruct l, m; simpl; try discriminate; auto. rewrite !andb_true_iff, !N.eqb_eq. intros [[[-> ->] E] F].
  apply Bool.eqb_prop in E, F. congruence.
Qed.

Definition blank_cells (cs : cells_of_column) : bool := forallb (N.eqb 0) cs.
Definition blank_first (c : column) : bool := match c with (Some cs, _, _) => blank_cells cs | _ => false end.
Definition digit_first (c : column) : bool := match c with (Some cs, _, _) => negb (blank_cells cs) | _ => false end.

Section Lines.
  Variables (low : Z) (height : nat) (digits : list symbol) (r : reading) (orders : N -> bool).
  (* those that may be in the end *)
  Definition compares : bool := negb (forallb orders [0; 1; 2]%N).
  Definition order_after (o a b : N) : N :=
    if compares then match (a ?= b)%N with Lt => 0 | Eq => o | Gt => 2 end%N else o.
  Definition on_row_0 (s : symbol) : cells_of_column :=
    map (fun i => if low + Z.of_nat i =? 0 then s else 0%N) (seq 0 height).
  Definition cells_with (v : option N) : cells_of_column :=
    on_row_0 (match v with Some v => nth (N.to_nat v) digits 0%N | None => 0%N end).
  Definition or_zero (v : option N) : N := match v with Some v => v | None => 0%N end.
  Definition is_some (v : option N) : bool := match v with Some _ => true | None => false end.
  Definition each_digit : list N := below (N.of_nat (length digits)).
  Definition choices (more : bool) : list (option N) := None :: if more then map Some each_digit else [].

  (** What may come next to the left, each with the line after it. *)
  Definition read_column (s o : N) (where_ : N) (a b : option N) : column * line :=
    let '(s, w) := step_of_digits r s (or_zero a) (or_zero b) in
    ((Some (cells_with a), option_map (fun v => cells_with (Some v)) b, (w, where_)),
      Line s (order_after o (or_zero a) (or_zero b)) (is_some a) (is_some b)).
  Definition columns (l : line) : list (column * line) :=
    match l with
    | At_right =>
        ((None, Some (on_row_0 0%N), (Empty, 0%N)), At_right) ::
        flat_map (fun a => map (fun b => read_column (first_state r) 1 1%N (Some a) (Some b)) each_digit) each_digit
    | Line s o more_a more_b =>
        (if orders o then let '(s, w) := step_beyond r s in
          [((Some (on_row_0 0%N), None, (w, 3%N)), Line s o false false)] else []) ++
        flat_map (fun a => flat_map (fun b =>
          if is_some a || is_some b then [read_column s o 2%N a b] else []) (choices more_b)) (choices more_a)
    end.

  Variables (A B : list N).                            (* the digits of both, the lowest first *)
  Hypothesis A_digits : Forall (fun v => (v < N.of_nat (length digits))%N) A.
  Hypothesis B_digits : Forall (fun v => (v < N.of_nat (length digits))%N) B.
  Hypotheses (A_some : A <> []) (B_some : B <> []).
  Definition digit_of (l : list N) (j : nat) : N := nth j l 0%N.
  Definition longer : nat := Nat.max (length A) (length B).
  Definition where_at (j : nat) : N := if (j =? 0)%nat then 1%N else if (j <? longer)%nat then 2%N else 3%N.
  Definition want (z : Z) : wanted * N :=
    if 0 <? z then (Empty, 0%N)
    else let j := Z.to_nat (- z) in (want_at r (digit_of A) (digit_of B) longer j, where_at j).
  Definition first_tape (z : Z) : column :=
    if 0 <? z then (None, Some (on_row_0 0%N), want z)
    else let j := Z.to_nat (- z) in
      (Some (cells_with (nth_error A j)), option_map (fun v => cells_with (Some v)) (nth_error B j), want z).

  Definition order_at (j : nat) : N := if compares then state_at order_reading (digit_of A) (digit_of B) longer j
    else 1%N.
  Hypothesis allowed : forall j, (longer <= j)%nat -> orders (order_at j) = true.
  Definition line_at (j : nat) : line :=
    match j with
    | O => At_right
    | S i => Line (state_at r (digit_of A) (digit_of B) longer j) (order_at j) (i <? length A)%nat (i <? length B)%nat
    end.

  Lemma digit_in l j v : Forall (fun v => (v < N.of_nat (length digits))%N) l -> nth_error l j = Some v ->
    In v each_digit /\ digit_of l j = v.
  Proof.
    intros H E. split; [|unfold digit_of; apply nth_error_nth; exact E]. apply in_below.
    rewrite Forall_forall in H. apply H. eapply nth_error_In. exact E.
  Qed.
  Lemma or_zero_digit l j : or_zero (nth_error l j) = digit_of l j.
  Proof.
    unfold digit_of. destruct (nth_error l j) eqn:E; [symmetry; apply nth_error_nth; exact E|].
    apply nth_error_None in E. rewrite nth_overflow by exact E. reflexivity.
  Qed.
  Lemma is_some_below (l : list N) j : is_some (nth_error l j) = (j <? length l)%nat.
  Proof.
    destruct (Nat.ltb_spec j (length l)) as [L|L]; [|apply nth_error_None in L; rewrite L; reflexivity].
    apply nth_error_Some in L. destruct (nth_error l j); [reflexivity | congruence].
  Qed.
  Lemma in_choices l i : Forall (fun v => (v < N.of_nat (length digits))%N) l ->
    In (nth_error l (S i)) (choices (i <? length l)%nat).
  Proof.
    intros H. destruct (nth_error l (S i)) as [v|] eqn:E; [|left; reflexivity]. right.
    destruct (Nat.ltb_spec i (length l)) as [L|L]; [|assert (N : nth_error l (S i) <> None) by congruence;
      apply nth_error_Some in N; lia].
    apply in_map. exact (proj1 (digit_in l (S i) v H E)).
  Qed.

  Lemma order_next j : (j < longer)%nat -> order_at (S j) = order_after (order_at j) (digit_of A j) (digit_of B j).
  Proof.
    intros L. unfold order_at, order_after. destruct compares; [|reflexivity]. cbn [state_at].
    replace (j <? longer)%nat with true by (symmetry; apply Nat.ltb_lt; exact L). reflexivity.
  Qed.
  Lemma order_beyond j : (longer <= j)%nat -> order_at (S j) = order_at j.
  Proof.
    intros L. unfold order_at. destruct compares; [|reflexivity]. cbn [state_at].
    replace (j <? longer)%nat with false by (symmetry; apply Nat.ltb_ge; exact L). reflexivity.
  Qed.
  (** The line after a column of digits. *)
  Lemma read_column_at j : (j < longer)%nat ->
    read_column (state_at r (digit_of A) (digit_of B) longer j) (order_at j) (where_at j) (nth_error A j)
      (nth_error B j) =
    (first_tape (- Z.of_nat j), line_at (S j)).
  Proof.
    intros L. unfold read_column, first_tape, want. replace (0 <? - Z.of_nat j) with false by lia.
    replace (Z.to_nat (- - Z.of_nat j)) with j by lia. cbn [line_at]. rewrite !or_zero_digit, !is_some_below.
    rewrite order_next by exact L. cbn [state_at]. unfold want_at.
    replace (j <? longer)%nat with true by (symmetry; apply Nat.ltb_lt; exact L).
    destruct (step_of_digits r _ (digit_of A j) (digit_of B j)) as [s w]. reflexivity.
  Qed.
  Lemma line_path j : In (first_tape (- Z.of_nat j), line_at (S j)) (columns (line_at j)).
  Proof.
    destruct j as [|i].
    - assert (L : (0 < length A /\ 0 < length B)%nat) by (destruct A, B; simpl; try congruence; lia).
      rewrite <- read_column_at by (unfold longer; lia). right.
      replace (order_at 0) with 1%N by (unfold order_at; destruct compares; reflexivity).
      destruct (nth_error A 0) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
      destruct (nth_error B 0) as [b|] eqn:Eb; [|apply nth_error_None in Eb; lia].
      apply in_flat_map. exists a. split; [exact (proj1 (digit_in A 0 a A_digits Ea))|].
      apply (in_map (fun b => read_column (first_state r) 1 1%N (Some a) (Some b))).
      exact (proj1 (digit_in B 0 b B_digits Eb)).
    - cbn [line_at]. destruct (Nat.lt_ge_cases (S i) longer) as [L|L].
      + apply in_or_app. right. rewrite <- read_column_at by exact L. apply in_flat_map. exists (nth_error A (S i)).
        split; [apply in_choices; exact A_digits|]. apply in_flat_map. exists (nth_error B (S i)).
        split; [apply in_choices; exact B_digits|]. rewrite !is_some_below.
        unfold longer in L. replace (orb _ _) with true.
        * left. unfold where_at. replace (S i <? longer)%nat with true; [reflexivity|]. symmetry. apply Nat.ltb_lt.
          exact L.
        * symmetry. apply orb_true_iff. rewrite !Nat.ltb_lt. lia.
      + apply in_or_app. left. rewrite (allowed (S i) L). cbn [line_at]. rewrite (order_beyond (S i) L).
        unfold first_tape, want. destruct (Z.ltb_spec 0 (- Z.of_nat (S i))); [lia|].
        replace (Z.to_nat (- - Z.of_nat (S i))) with (S i) by lia.
        assert (La : (length A <= S i)%nat) by (unfold longer in L; lia).
        assert (Lb : (length B <= S i)%nat) by (unfold longer in L; lia).
        rewrite (proj2 (nth_error_None A (S i)) La), (proj2 (nth_error_None B (S i)) Lb).
        unfold want_at, where_at. cbn [state_at Nat.eqb option_map].
        replace (S i <? longer)%nat with false by (symmetry; apply Nat.ltb_ge; exact L).
        replace (S i <? length A)%nat with false by (symmetry; apply Nat.ltb_ge; exact La).
        replace (S i <? length B)%nat with false by (symmetry; apply Nat.ltb_ge; exact Lb).
        destruct (step_beyond r _) as [s w]. left. reflexivity.
  Qed.

  (** Lines that an input may come to, and from which it may come to its end *)
  Definition is_end (l : line) : bool := match l with Line _ _ false false => true | _ => false end.
  Variables all lines : list line.
  Hypothesis begun : In At_right all.
  Hypothesis closed : forall l c l', In l all -> In (c, l') (columns l) -> In l' all.
  Hypothesis alive : forall l, In l all -> is_end l = true \/ (exists c l', In (c, l') (columns l) /\ In l' lines) ->
    In l lines.
  Lemma on_lines j : In (line_at j) lines.
  Proof.
    assert (P : forall j, In (line_at j) all) by (induction j0 as [|j0 IH];
      [exact begun | eapply closed; [exact IH | apply line_path]]).
    assert (E : forall i, (longer <= i)%nat -> In (line_at (S i)) lines).
    { intros i Hi. apply alive; [apply P|]. left. cbn [line_at is_end]. unfold longer in Hi.
      replace (i <? length A)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
      replace (i <? length B)%nat with false by (symmetry; apply Nat.ltb_ge; lia). reflexivity. }
    assert (D : forall d j, (j + d = S longer)%nat -> In (line_at j) lines).
    { induction d as [|d IH]; intros i Hi; [rewrite Nat.add_0_r in Hi; subst i; apply E; lia|].
      apply alive; [apply P|]. right. exists (first_tape (- Z.of_nat i)), (line_at (S i)).
      split; [apply line_path | apply IH; lia]. }
    destruct (Nat.le_gt_cases j (S longer)) as [L|L]; [apply (D (S longer - j)%nat); lia|].
    destruct j as [|i]; [lia | apply E; lia].
  Qed.
  Lemma neighbours z : exists l l' l'', In l lines /\ In (first_tape z, l') (columns l) /\
    In l' lines /\ In (first_tape (z - 1), l'') (columns l') /\ In l'' lines.
  Proof.
    pose proof on_lines as P. pose proof (P O) as P0. cbn [line_at] in P0.
    assert (R : forall z, 0 < z -> In (first_tape z, At_right) (columns At_right)).
    { intros z1 Hz. left. unfold first_tape, want. replace (0 <? z1) with true by lia. reflexivity. }
    destruct (Z_lt_ge_dec 0 z) as [L|G].
    - exists At_right, At_right. destruct (Z.eq_dec z 1) as [->|N].
      + exists (line_at 1). repeat split; auto; try apply P. apply (line_path 0).
      + exists At_right. repeat split; auto. apply R. lia.
    - exists (line_at (Z.to_nat (- z))), (line_at (S (Z.to_nat (- z)))), (line_at (S (S (Z.to_nat (- z))))).
      pose proof (line_path (Z.to_nat (- z))) as P1. pose proof (line_path (S (Z.to_nat (- z)))) as P2.
      replace (- Z.of_nat (Z.to_nat (- z))) with z in P1 by lia.
      replace (- Z.of_nat (S (Z.to_nat (- z)))) with (z - 1) in P2 by lia. repeat split; auto.
  Qed.

  (** * The first head and all else *)
  Hypothesis row_0 : low <= 0 < low + Z.of_nat height.
  Hypothesis no_blank : ~ In 0%N digits.
  Lemma blank_row : blank_cells (on_row_0 0%N) = true.
  Proof.
    apply forallb_forall. intros s Hs. apply in_map_iff in Hs as (i & <- & _).
    destruct (low + Z.of_nat i =? 0); reflexivity.
  Qed.
  Lemma digit_row s : s <> 0%N -> blank_cells (on_row_0 s) = false.
  Proof.
    intros H. apply not_true_is_false. intros E. unfold blank_cells in E. rewrite forallb_forall in E. apply H.
    symmetry.
    apply N.eqb_eq, E. apply in_map_iff. exists (Z.to_nat (- low)).
    replace (low + Z.of_nat (Z.to_nat (- low)) =? 0) with true by (symmetry; apply Z.eqb_eq; lia).
    split; [reflexivity|]. apply in_seq. lia.
  Qed.
  Lemma firsts z : (blank_first (first_tape z) = (z <? 1 - Z.of_nat (length A))) /\
    (digit_first (first_tape z) = (1 - Z.of_nat (length A) <=? z) && (z <=? 0)).
  Proof.
    unfold first_tape. destruct (Z.ltb_spec 0 z) as [L|L]; cbn [blank_first digit_first].
    - assert (0 < length A)%nat by (destruct A; simpl; [congruence | lia]). lia.
    - unfold cells_with. destruct (nth_error A (Z.to_nat (- z))) as [v|] eqn:E.
      + assert (Lj : (Z.to_nat (- z) < length A)%nat) by (apply nth_error_Some; congruence).
        rewrite digit_row; [cbn [negb]; lia|]. intros N. apply no_blank. rewrite <- N. apply nth_In.
        rewrite Forall_forall in A_digits. apply nth_error_In in E. apply A_digits in E. lia.
      + apply nth_error_None in E. rewrite blank_row. cbn [negb]. lia.
  Qed.

  Variables (label_at : N -> column) (coarse : N -> N) (number_of_label : column -> option N).
  Hypothesis number_label_ok : forall c i, number_of_label c = Some i -> label_at i = c.
  Variables (heads : bool -> N -> rows_by_label) (grams : bool -> N -> N -> rows_by_label).
  (** Of a column and the next one to the left, for the first control. *)
  Definition pair_ok (k : N) (x : option N) (c : column) (x2 : option N) (c2 : column) : bool :=
    match x, x2 with
    | Some x, Some x2 =>
        implb (blank_first c) (has (grams false k (coarse x)) x [coarse x2]) &&
        implb (negb (blank_first c2)) (has (grams true k (coarse x2)) x2 [coarse x]) &&
        implb (digit_first c && blank_first c2) (has (heads false k) x [coarse x2]) &&
        implb (digit_first c2) (has (heads true k) x2 [coarse x])
    | _, _ => false
    end.
  Lemma first_stands k :
    (forall z, pair_ok k (number_of_label (first_tape z)) (first_tape z) (number_of_label (first_tape (z - 1)))
      (first_tape (z - 1)) = true) ->
    exists lab, (forall z, label_at (lab z) = first_tape z) /\
      stands_at coarse heads grams k (1 - Z.of_nat (length A)) lab.
  Proof.
    intros H. set (lab := fun z => match number_of_label (first_tape z) with Some i => i | None => 0%N end).
    assert (N : forall z, number_of_label (first_tape z) = Some (lab z)).
    { intros z. specialize (H z). unfold lab. destruct (number_of_label (first_tape z)); [reflexivity | discriminate]. }
    exists lab. split; [intros z; apply number_label_ok, N|].
    assert (P : forall z, _) by (intros z; specialize (H z); rewrite !N in H; cbn [pair_ok] in H;
      rewrite !(proj1 (firsts _)), !(proj2 (firsts _)), !andb_true_iff in H; exact H). clear H.
    assert (One : forall z w, In w [coarse (lab z)] -> w = coarse (lab z)) by (intros z w [<-|[]]; reflexivity).
    set (z0 := 1 - Z.of_nat (length A)) in *.
    assert (L0 : z0 <= 0) by (assert (0 < length A)%nat by (destruct A; simpl; [congruence | lia]); unfold z0; lia).
    split.
    - intros [|]; cbn [sg].
      + destruct (P (z0 + 1)) as [_ P4]. replace (z0 + 1 - 1) with z0 in P4 by lia.
        replace ((z0 <=? z0) && (z0 <=? 0)) with true in P4 by lia. eapply has_sound; [exact P4 | left; reflexivity].
      + destruct (P z0) as [[_ P3] _]. replace ((z0 <=? z0) && (z0 <=? 0) && (z0 - 1 <? z0)) with true in P3 by lia.
        eapply has_sound; [exact P3 | left; reflexivity].
    - intros [|] j Hj; cbn [sg] in *.
      + destruct (P (j + 1)) as [[[_ P2] _] _]. replace (j + 1 - 1) with j in P2 by lia.
        replace (j <? z0) with false in P2 by lia. eapply has_sound; [exact P2 | left; reflexivity].
      + destruct (P j) as [[[P1 _] _] _]. replace (j <? z0) with true in P1 by lia.
        eapply has_sound; [exact P1 | left; reflexivity].
  Qed.
End Lines.
