(** (V10), the results: what a clause says of two numbers, and what the folded tape shows where LEFT halts. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Json Strips Rows FoldedTape FoldedChains FoldedReadings FoldedInputs.
Import ListNotations.
Local Open Scope Z_scope.

(** * Clauses: a sum of multiples, or a symbol by how the numbers compare *)
Inductive aim := To_add (k m c : Z) | To_compare (less equal more : symbol).

Fixpoint linear (e : expression) : option (Z * Z * Z) :=
  match e with
  | Constant z => Some (0, 0, z)
  | Spelled 0 => Some (1, 0, 0)
  | Spelled 2 => Some (0, 1, 0)
  | Operation Add a b =>
      let? (k, m, c) := linear a in let? (k', m', c') := linear b in Some (k + k', m + m', c + c')
  | Operation Sub a b =>
      let? (k, m, c) := linear a in let? (k', m', c') := linear b in Some (k - k', m - m', c - c')
  | Operation Mul a b =>
      let? (k, m, c) := linear a in let? (k', m', c') := linear b in
      if (k =? 0) && (m =? 0) then Some (c * k', c * m', c * c')
      else if (k' =? 0) && (m' =? 0) then Some (c' * k, c' * m, c' * c)
      else None
  | _ => None
  end.

(** An order is 0, 1 or 2: less, equal, greater. *)
Fixpoint holds_in (e : expression) (order : Z) : option bool :=
  match e with
  | Not a => let? a := holds_in a order in Some (negb a)
  | And a b => let? a := holds_in a order in let? b := holds_in b order in Some (a && b)
  | Either a b => let? a := holds_in a order in let? b := holds_in b order in Some (a || b)
  | Comparison c (Spelled 0) (Spelled 2) => Some (Expressions.compare c order 1)
  | Comparison c (Spelled 2) (Spelled 0) => Some (Expressions.compare c 1 order)
  | _ => None
  end.
Fixpoint chosen (e : expression) (order : Z) : option result :=
  match e with
  | Constant z => Some (Number z)
  | Letters t => Some (Text t)
  | If c a b => let? c := holds_in c order in if c then chosen a order else chosen b order
  | _ => None
  end.
Definition symbol_of (digits : list symbol) (v : result) : option symbol :=
  match v with
  | Number z => if (0 <=? z) && (z <? Z.of_nat (length digits)) then Some (nth (Z.to_nat z) digits 0%N) else None
  | Text t => match without_blanks t with [s] => Some s | _ => None end
  | Truth _ => None
  end.
Definition most_added : Z := 1000.
Definition aim_of (digits : list symbol) (e : expression) : option aim :=
  match linear e with
  | Some (k, m, c) => if (Z.abs k <=? most_added) && (Z.abs m <=? most_added) && (Z.abs c <=? most_added) then
    Some (To_add k m c) else None
  | None =>
      let said order := let? v := chosen e order in symbol_of digits v in
      let? less := said 0 in let? equal := said 1 in let? more := said 2 in Some (To_compare less equal more)
  end.

Section Meaning.
  Variables (digits : list symbol) (members : list (list symbol)) (parts : list (list symbol)) (a b : Z).
  Hypothesis a_is : evaluate digits members (Spelled 0) parts = Some (Number a).
  Hypothesis b_is : evaluate digits members (Spelled 2) parts = Some (Number b).

  Lemma linear_ok e : forall k m c, linear e = Some (k, m, c) ->
    evaluate digits members e parts = Some (Number (k * a + m * b + c)).
  Proof.
    induction e; intros k0 m0 c0 H; try discriminate.
    - injection H as <- <- <-. reflexivity.
    - destruct i as [|[|[|i]]]; try discriminate; injection H as <- <- <-; [rewrite a_is | rewrite b_is]; f_equal;
        f_equal; lia.
    - cbn [linear] in H; unfold bind in H. destruct o; try discriminate;
        (destruct (linear e1) as [[[k1 m1] c1]|]; [|discriminate]);
          (destruct (linear e2) as [[[k2 m2] c2]|]; [|discriminate]);
        cbn [evaluate]; rewrite (IHe1 _ _ _ eq_refl), (IHe2 _ _ _ eq_refl); cbn [operate option_map].
      1, 2: injection H as <- <- <-; f_equal; f_equal; lia.
      destruct ((k1 =? 0) && (m1 =? 0)) eqn:E1; [|destruct ((k2 =? 0) && (m2 =? 0)) eqn:E2; [|discriminate]];
        injection H as <- <- <-; f_equal; f_equal;
        [apply andb_true_iff in E1 as [E E'] | apply andb_true_iff in E2 as [E E']]; apply Z.eqb_eq in E, E'; subst;
          ring.
  Qed.

  Variable order : Z.
  Hypothesis order_is : (order = 0 /\ a < b) \/ (order = 1 /\ a = b) \/ (order = 2 /\ b < a).
  Lemma compare_order c : Expressions.compare c order 1 = Expressions.compare c a b /\
    Expressions.compare c 1 order = Expressions.compare c b a.
  Proof. destruct c; cbn [Expressions.compare]; split; lia. Qed.
  Lemma holds_in_ok e : forall t, holds_in e order = Some t -> evaluate digits members e parts = Some (Truth t).
  Proof.
    induction e; intros truth H; try discriminate.
    - cbn [holds_in] in H; unfold bind in H.
      assert (G : forall i j, evaluate digits members (Comparison c (Spelled i) (Spelled j)) parts =
        compared c (evaluate digits members (Spelled i) parts) (evaluate digits members (Spelled j) parts)) by
          reflexivity.
      destruct e1; try discriminate. destruct i as [|[|[|i]]]; try discriminate; destruct e2; try discriminate;
        destruct i as [|[|[|i]]]; try discriminate; injection H as <-; rewrite G, a_is, b_is; cbn [compared];
        [rewrite (proj1 (compare_order c)) | rewrite (proj2 (compare_order c))]; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e1 order) as [t1|]; [|discriminate].
      destruct (holds_in e2 order) as [t2|]; [|discriminate].
      injection H as <-. cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct t1; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e1 order) as [t1|]; [|discriminate].
      destruct (holds_in e2 order) as [t2|]; [|discriminate].
      injection H as <-. cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct t1; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e order) as [t1|]; [|discriminate]. injection H as <-.
      cbn [evaluate].
      rewrite (IHe _ eq_refl). reflexivity.
  Qed.
  Lemma chosen_ok e : forall v, chosen e order = Some v -> evaluate digits members e parts = Some v.
  Proof.
    induction e; intros v H; try discriminate; try exact H.
    cbn [chosen] in H; unfold bind in H. destruct (holds_in e1 order) as [t|] eqn:E; [|discriminate]. cbn [evaluate].
    rewrite (holds_in_ok _ _ E). destruct t; auto.
  Qed.
End Meaning.

Lemma symbol_of_says digits v s : (forall i, (i < length digits)%nat ->
  place_in digits (nth i digits 0%N) = Some (Z.of_nat i)) ->
  symbol_of digits v = Some s -> says digits v [s].
Proof.
  intros K. destruct v as [z|t|t]; cbn [symbol_of says]; try discriminate.
  - destruct ((0 <=? z) && (z <? Z.of_nat (length digits))) eqn:E; [|discriminate]. intros H. injection H as <-.
    split; [discriminate|]. cbn. rewrite K by lia. f_equal. lia.
  - destruct (without_blanks t) as [|u [|? ?]]; try discriminate. intros H. congruence.
Qed.

(** * Columns where LEFT halts *)
Inductive place := In_part (second : bool) | In_between.  (* where results stand *)
Definition is_place (p q : place) : bool :=
  match p, q with In_part s, In_part t => Bool.eqb s t | In_between, In_between => true | _, _ => false end.
(** All cells are blank, but in one row of that place. *)
Definition blank_but (here : bool) (at_ : nat) (t : track) : bool :=
  match t with Some cs => blank_cells (if here then put_nth at_ 0%N cs else cs) | None => true end.
Definition rest_blank (p : place) (at_ : nat) (between : cells_of_column) (c : column) : bool :=
  blank_but (is_place p In_between) at_ (Some between) &&
    blank_but (is_place p (In_part false)) at_ (track_of false c) &&
  blank_but (is_place p (In_part true)) at_ (track_of true c).
Definition cell_in (at_ : nat) (t : track) : symbol := match t with Some cs => nth at_ cs 0%N | None => 0%N end.
Definition verdict_of (less equal more : symbol) (w : wanted) : symbol :=
  match w with Wants 0 => less | Wants 1 => equal | _ => more end%N.

Definition number_kind (second : bool) (at_ : nat) (zero : symbol) (k : control) (c : column) : option held :=
  let '(_, _, _, between) := k in
  if rest_blank (In_part second) at_ between c then holding zero true (cell_in at_ (track_of second c)) (fst (snd c))
    else None.
Definition verdict_kind (at_ : nat) (less equal more : symbol) (k : control) (c : column) : option held :=
  let '(_, _, _, between) := k in
  if rest_blank In_between at_ between c &&
     (negb (snd (snd c) =? 3)%N || (nth at_ between 0%N =? verdict_of less equal more (fst (snd c)))%N)
  then Some Bare else None.

Section Halt.
  Variables (low : Z) (height at_ : nat) (off : bool -> Z) (want : Z -> wanted * N) (w : world) (x : Z) (p : place).
  Hypothesis at_row : (at_ < height)%nat.
  Hypothesis outside : blank_outside low height w.
  Notation col := (col low height).
  Notation tape := (folded low height off want w x x).
  Notation row := (low + Z.of_nat at_).
  Hypothesis blank : forall z, rest_blank p at_ (col w x) (tape z) = true.

  Lemma cell_at X : nth at_ (col w X) 0%N = w X row.
  Proof. apply nth_error_nth. rewrite col_nth by exact at_row. reflexivity. Qed.
  Lemma cells_blank v X Y : blank_outside low height v -> blank_cells (col v X) = true -> v X Y = 0%N.
  Proof.
    intros O H. destruct (Z_le_gt_dec low Y) as [L|]; [|apply O; unfold inside; lia].
    destruct (Z_lt_ge_dec Y (low + Z.of_nat height)) as [U|]; [|apply O; unfold inside; lia].
    unfold blank_cells in H. rewrite forallb_forall in H. symmetry. apply N.eqb_eq, H.
    apply nth_error_In with (n := Z.to_nat (Y - low)). apply col_reads. unfold inside. lia.
  Qed.
  Lemma blank_but_cell here X Y : blank_but here at_ (Some (col w X)) = true -> here = false \/ Y <> row -> w X Y = 0%N.
  Proof.
    intros H N. cbn [blank_but] in H. destruct here; [|apply cells_blank; assumption].
    replace at_ with (Z.to_nat (row - low)) in H by lia. rewrite put_nth_col in H by (unfold inside; lia).
    destruct N as [N|N]; [discriminate|].
    apply cells_blank with (Y := Y) in H; [|apply put_blank_outside; [unfold inside; lia | exact outside]].
    unfold put in H. apply Z.eqb_neq in N. rewrite N, andb_false_r in H. exact H.
  Qed.

  Definition in_place (X : Z) : bool := match p with In_between => X =? x | In_part s => 0 <? sg s * (X - x) end.
  Lemma track_there s X : 0 < sg s * (X - x) -> track_of s (tape (X - off s)) = Some (col w X).
  Proof.
    intros L. rewrite folded_track. unfold track_at. replace (X - off s + off s) with X by lia.
    destruct (Z.ltb_spec 0 (sg s * (X - x))); [reflexivity | lia].
  Qed.
  Lemma rest_is_blank X Y : in_place X = false \/ Y <> row -> w X Y = 0%N.
  Proof.
    assert (B : forall z, blank_but (is_place p In_between) at_ (Some (col w x)) = true /\
              forall s, blank_but (is_place p (In_part s)) at_ (track_of s (tape z)) = true).
    { intros z. specialize (blank z). unfold rest_blank in blank. rewrite !andb_true_iff in blank.
      destruct blank as [[B1 B2] B3]. split; [exact B1 | intros [|]; assumption]. }
    intros N. destruct (Z.eq_dec X x) as [->|NX].
    - apply (blank_but_cell _ _ _ (proj1 (B 0))). destruct N as [N|N]; [left | right; exact N].
      unfold in_place in N. destruct p; [reflexivity | rewrite Z.eqb_refl in N; discriminate].
    - assert (S : exists s, 0 < sg s * (X - x)) by (destruct (Z_lt_ge_dec X x); [exists false | exists true]; cbn [sg];
        lia).
      destruct S as [s L]. pose proof (proj2 (B (X - off s)) s) as H. rewrite (track_there s X L) in H.
      apply (blank_but_cell _ _ _ H). destruct N as [N|N]; [left | right; exact N].
      unfold in_place in N. destruct p as [t|]; [|reflexivity]. apply Z.ltb_ge in N.
      destruct s, t; cbn [sg is_place Bool.eqb] in *; (reflexivity || lia).
  Qed.
  Lemma number_cell s : p = In_part s -> forall z, cell_in at_ (track_of s (tape z)) = w (z + off s) row.
  Proof.
    intros Ep z. rewrite folded_track. unfold track_at.
    destruct (Z.ltb_spec 0 (sg s * (z + off s - x))); cbn [cell_in]; [apply cell_at|].
    symmetry. apply rest_is_blank. left. unfold in_place. rewrite Ep. apply Z.ltb_ge. assumption.
  Qed.
End Halt.
