(** (V10), the results: what a clause says of two numbers, and what the folded tape shows where LEFT halts. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Json FoldedTape FoldedChains FoldedReadings FoldedInputs.
Import ListNotations.
Local Open Scope Z_scope.

(** * Clauses: a sum of multiples, or a symbol by how the numbers compare *)
Inductive aim := To_add (k m c : N) | To_compare (less equal more : symbol).

Fixpoint linear (e : expression) : option (N * N * N) :=
  match e with
  | Constant z => if z <? 0 then None else Some (0, 0, Z.to_N z)%N
  | Spelled 0 => Some (1, 0, 0)%N
  | Spelled 2 => Some (0, 1, 0)%N
  | Operation Add a b =>
      let? (k, m, c) := linear a in let? (k', m', c') := linear b in Some (k + k', m + m', c + c')%N
  | Operation Mul a b =>
      let? (k, m, c) := linear a in let? (k', m', c') := linear b in
      if ((k =? 0) && (m =? 0))%N then Some (c * k', c * m', c * c')%N
      else if ((k' =? 0) && (m' =? 0))%N then Some (c' * k, c' * m, c' * c)%N
      else None
  | _ => None
  end.

(** An order is 0, 1 or 2: less, equal, greater. *)
Fixpoint holds_in (e : expression) (order : Z) : option bool :=
  match e with
  | Not a => let? a := holds_in a order in Some (negb a)
  | And a b => let? a := holds_in a order in let? b := holds_in b order in Some (a && b)
  | Either a b => let? a := holds_in a order in let? b := holds_in b order in Some (a || b)
  | Comparison c (Spelled 0) (Spelled 2) => Some (Output.compare c order 1)
  | Comparison c (Spelled 2) (Spelled 0) => Some (Output.compare c 1 order)
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
Definition most_added : N := 1000.
Definition aim_of (digits : list symbol) (e : expression) : option aim :=
  match linear e with
  | Some (k, m, c) => if ((k <=? most_added) && (m <=? most_added) && (c <=? most_added))%N then Some (To_add k m c) else None
  | None =>
      let said order := let? v := chosen e order in symbol_of digits v in
      let? less := said 0 in let? equal := said 1 in let? more := said 2 in Some (To_compare less equal more)
  end.

Section Meaning.
  Variables (digits : list symbol) (members : list (list symbol)) (parts : list (list symbol)) (a b : Z).
  Hypothesis a_is : evaluate digits members (Spelled 0) parts = Some (Number a).
  Hypothesis b_is : evaluate digits members (Spelled 2) parts = Some (Number b).

  Lemma linear_ok e : forall k m c, linear e = Some (k, m, c) ->
    evaluate digits members e parts = Some (Number (Z.of_N k * a + Z.of_N m * b + Z.of_N c)).
  Proof.
    induction e; intros k0 m0 c0 H; try discriminate.
    - cbn in H. destruct (Z.ltb_spec z 0); [discriminate|]. injection H as <- <- <-. cbn [evaluate]. f_equal. f_equal. lia.
    - destruct i as [|[|[|i]]]; try discriminate; injection H as <- <- <-; [rewrite a_is | rewrite b_is]; f_equal; f_equal; lia.
    - cbn [linear] in H; unfold bind in H. destruct o; try discriminate;
        (destruct (linear e1) as [[[k1 m1] c1]|]; [|discriminate]); (destruct (linear e2) as [[[k2 m2] c2]|]; [|discriminate]);
        cbn [evaluate]; rewrite (IHe1 _ _ _ eq_refl), (IHe2 _ _ _ eq_refl); cbn [operate option_map].
      + injection H as <- <- <-. f_equal. f_equal. lia.
      + destruct ((k1 =? 0) && (m1 =? 0))%N eqn:E1; [|destruct ((k2 =? 0) && (m2 =? 0))%N eqn:E2; [|discriminate]];
          injection H as <- <- <-; f_equal; f_equal;
          [apply andb_true_iff in E1 as [E E'] | apply andb_true_iff in E2 as [E E']];
          apply N.eqb_eq in E, E'; subst; rewrite !N2Z.inj_mul; ring.
  Qed.

  Variable order : Z.
  Hypothesis order_is : (order = 0 /\ a < b) \/ (order = 1 /\ a = b) \/ (order = 2 /\ b < a).
  Lemma compare_order c : Output.compare c order 1 = Output.compare c a b /\ Output.compare c 1 order = Output.compare c b a.
  Proof. destruct c; cbn [Output.compare]; split; lia. Qed.
  Lemma holds_in_ok e : forall t, holds_in e order = Some t -> evaluate digits members e parts = Some (Truth t).
  Proof.
    induction e; intros truth H; try discriminate.
    - cbn [holds_in] in H; unfold bind in H.
      assert (G : forall i j, evaluate digits members (Comparison c (Spelled i) (Spelled j)) parts =
        compared c (evaluate digits members (Spelled i) parts) (evaluate digits members (Spelled j) parts)) by reflexivity.
      destruct e1; try discriminate. destruct i as [|[|[|i]]]; try discriminate; destruct e2; try discriminate;
        destruct i as [|[|[|i]]]; try discriminate; injection H as <-; rewrite G, a_is, b_is; cbn [compared];
        [rewrite (proj1 (compare_order c)) | rewrite (proj2 (compare_order c))]; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e1 order) as [t1|]; [|discriminate]. destruct (holds_in e2 order) as [t2|]; [|discriminate].
      injection H as <-. cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct t1; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e1 order) as [t1|]; [|discriminate]. destruct (holds_in e2 order) as [t2|]; [|discriminate].
      injection H as <-. cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct t1; reflexivity.
    - cbn [holds_in] in H; unfold bind in H. destruct (holds_in e order) as [t1|]; [|discriminate]. injection H as <-. cbn [evaluate].
      rewrite (IHe _ eq_refl). reflexivity.
  Qed.
  Lemma chosen_ok e : forall v, chosen e order = Some v -> evaluate digits members e parts = Some v.
  Proof.
    induction e; intros v H; try discriminate; try exact H.
    cbn [chosen] in H; unfold bind in H. destruct (holds_in e1 order) as [t|] eqn:E; [|discriminate]. cbn [evaluate].
    rewrite (holds_in_ok _ _ E). destruct t; auto.
  Qed.
End Meaning.

Lemma symbol_of_says digits v s : (forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i)) ->
  symbol_of digits v = Some s -> says digits v [s].
Proof.
  intros K. destruct v as [z|t|t]; cbn [symbol_of says]; try discriminate.
  - destruct ((0 <=? z) && (z <? Z.of_nat (length digits))) eqn:E; [|discriminate]. intros H. injection H as <-.
    split; [discriminate|]. cbn. rewrite K by lia. f_equal. lia.
  - destruct (without_blanks t) as [|u [|? ?]]; try discriminate. intros H. congruence.
Qed.

(** * Columns where LEFT halts *)
Definition blank_track (t : track) : bool := match t with Some cs => blank_cells cs | None => true end.
Definition blank_but (at_ : nat) (t : track) : bool := match t with Some cs => blank_cells (put_nth at_ 0%N cs) | None => true end.
Definition cell_in (at_ : nat) (t : track) : symbol := match t with Some cs => nth at_ cs 0%N | None => 0%N end.

Definition number_kind (second : bool) (at_ : nat) (zero : symbol) (k : control) (c : column) : option kind :=
  let '(_, _, _, between) := k in
  let '(one, two, (wanted, _)) := c in
  let '(here, other) := if second then (two, one) else (one, two) in
  if blank_cells between && blank_track other && blank_but at_ here then held zero (cell_in at_ here) wanted else None.
Definition verdict_of (less equal more : symbol) (order : Z) : symbol :=
  if order =? 0 then less else if order =? 1 then equal else more.
Definition verdict_kind (at_ : nat) (less equal more : symbol) (k : control) (c : column) : option kind :=
  let '(_, _, _, between) := k in
  let '(one, two, (wanted, where_)) := c in
  let told := nth at_ between 0%N in
  if blank_track one && blank_track two && blank_but at_ (Some between) &&
     (negb (where_ =? 3)%N || (told =? verdict_of less equal more wanted)%N)
  then Some Behind else None.

Section Tracks.
  Variables (low : Z) (height : nat) (one_at two_at : Z) (want : Z -> Z * N) (w : world) (x : Z).
  Let col := col low height.
  Let folded := folded low height one_at two_at want.
  Lemma first_track X : X < x -> folded w x x (X - one_at) = (Some (col w X), snd (fst (folded w x x (X - one_at))), want (X - one_at)).
  Proof.
    intros L. unfold folded, FoldedTape.folded. replace (X - one_at + one_at) with X by lia.
    destruct (Z.ltb_spec X x); [reflexivity | lia].
  Qed.
  Lemma second_track X : x < X -> folded w x x (X - two_at) = (fst (fst (folded w x x (X - two_at))), Some (col w X), want (X - two_at)).
  Proof.
    intros L. unfold folded, FoldedTape.folded. replace (X - two_at + two_at) with X by lia.
    destruct (Z.ltb_spec x X); [reflexivity | lia].
  Qed.

End Tracks.

Section Halt.
  Variables (low : Z) (height at_ : nat) (one_at two_at : Z) (want : Z -> Z * N).
  Hypothesis at_row : (at_ < height)%nat.
  Let col := col low height.
  Let folded := folded low height one_at two_at want.
  Let row := low + Z.of_nat at_.
  Variables (w : world) (x : Z) (p : Grid.state) (f : phase) (y : Z).
  Hypothesis outside : blank_outside low height w.

  Lemma cell_blank X cs Y : cs = col w X -> blank_cells cs = true -> w X Y = 0%N.
  Proof.
    intros -> H. destruct (Z_le_gt_dec low Y) as [L|]; [|apply outside; unfold inside; lia].
    destruct (Z_lt_ge_dec Y (low + Z.of_nat height)) as [U|]; [|apply outside; unfold inside; lia].
    unfold blank_cells in H. rewrite forallb_forall in H. symmetry. apply N.eqb_eq, H.
    apply nth_error_In with (n := Z.to_nat (Y - low)). unfold col. apply col_reads. unfold inside. lia.
  Qed.
  Lemma cell_blank_but X Y : blank_cells (put_nth at_ 0%N (col w X)) = true -> Y <> row -> w X Y = 0%N.
  Proof.
    intros H N. replace at_ with (Z.to_nat (row - low)) in H by (unfold row; lia). unfold col in H.
    rewrite put_nth_col in H by (unfold inside, row; lia).
    assert (O : blank_outside low height (put w X row 0%N)) by (apply put_blank_outside; [unfold inside, row; lia | exact outside]).
    destruct (Z_le_gt_dec low Y) as [L|]; [|apply outside; unfold inside; lia].
    destruct (Z_lt_ge_dec Y (low + Z.of_nat height)) as [U|]; [|apply outside; unfold inside; lia].
    unfold blank_cells in H. rewrite forallb_forall in H.
    assert (E : (0 =? put w X row 0 X Y)%N = true).
    { apply H. apply nth_error_In with (n := Z.to_nat (Y - low)). apply col_reads. unfold inside. lia. }
    unfold put in E. rewrite Z.eqb_refl in E. apply Z.eqb_neq in N. rewrite N in E. cbn [andb] in E. apply N.eqb_eq in E. auto.
  Qed.
  Lemma cell_at X : nth at_ (col w X) 0%N = w X row.
  Proof. apply nth_error_nth. unfold col. rewrite col_nth by exact at_row. reflexivity. Qed.
  (** A number in one track: all else is blank. *)
  Variables (second : bool) (zero : symbol).
  Let off := if second then two_at else one_at.
  Hypothesis numbers : forall z, exists u, number_kind second at_ zero (p, f, y, col w x) (folded w x x z) = Some u.
  Lemma number_told z : blank_cells (col w x) = true /\
    let '(one, two, _) := folded w x x z in
    blank_track (if second then one else two) = true /\ blank_but at_ (if second then two else one) = true.
  Proof.
    destruct (numbers z) as [u Hu]. unfold number_kind in Hu. destruct (folded w x x z) as [[one two] [wanted where_]].
    destruct second; (destruct (_ && _ && _) eqn:E; [|discriminate]); apply andb_true_iff in E as [E E3];
      apply andb_true_iff in E as [E1 E2]; auto.
  Qed.
  Lemma number_alone X Y : Y <> row -> w X Y = 0%N.
  Proof.
    intros N. destruct (Z_lt_ge_dec X x) as [L|G]; [|destruct (Z.eq_dec X x) as [->|NX]].
    - destruct (number_told (X - one_at)) as [_ H]. unfold folded in H; rewrite first_track in H by exact L. destruct H as [H1 H2].
      destruct second; [eapply cell_blank; [reflexivity | exact H1] | eapply cell_blank_but; eauto].
    - destruct (number_told 0) as [H _]. eapply cell_blank; [reflexivity | exact H].
    - destruct (number_told (X - two_at)) as [_ H]. unfold folded in H; rewrite second_track in H by lia. destruct H as [H1 H2].
      destruct second; [eapply cell_blank_but; eauto | eapply cell_blank; [reflexivity | exact H1]].
  Qed.
  Lemma number_cell z u : number_kind second at_ zero (p, f, y, col w x) (folded w x x z) = Some u ->
    held zero (w (z + off) row) (fst (want z)) = Some u.
  Proof.
    intros Hu. unfold number_kind in Hu. pose proof number_told as Told. clear numbers.
    assert (E : cell_in at_ (if second then snd (fst (folded w x x z)) else fst (fst (folded w x x z))) = w (z + off) row).
    { unfold off. destruct second; unfold folded, FoldedTape.folded; cbn [fst snd].
      - destruct (Z.ltb_spec x (z + two_at)) as [L|L]; cbn [cell_in]; [apply cell_at|]. symmetry.
        destruct (Z.eq_dec (z + two_at) x) as [->|N]; [destruct (Told 0) as [H _]; eapply cell_blank; [reflexivity | exact H]|].
        destruct (Told (z + two_at - one_at)) as [_ H]. unfold folded in H; rewrite first_track in H by lia. destruct H as [H _].
        eapply cell_blank; [reflexivity | exact H].
      - destruct (Z.ltb_spec (z + one_at) x) as [L|L]; cbn [cell_in]; [apply cell_at|]. symmetry.
        destruct (Z.eq_dec (z + one_at) x) as [->|N]; [destruct (Told 0) as [H _]; eapply cell_blank; [reflexivity | exact H]|].
        destruct (Told (z + one_at - two_at)) as [_ H]. unfold folded in H; rewrite second_track in H by lia. destruct H as [H _].
        eapply cell_blank; [reflexivity | exact H]. }
    rewrite <- E. unfold folded, FoldedTape.folded in *. cbn [fst snd] in *. destruct (want z) as [wanted where_].
    destruct second; (destruct (_ && _ && _); [exact Hu | discriminate]).
  Qed.
End Halt.

Section Verdict.
  Variables (low : Z) (height at_ : nat) (one_at two_at : Z) (want : Z -> Z * N).
  Hypothesis at_row : (at_ < height)%nat.
  Variables (w : world) (x : Z) (p : Grid.state) (f : phase) (y : Z) (less equal more : symbol).
  Hypothesis outside : blank_outside low height w.
  Hypothesis verdicts : forall z, exists u,
    verdict_kind at_ less equal more (p, f, y, col low height w x) (folded low height one_at two_at want w x x z) = Some u.
  Lemma verdict_told z : let '(one, two, (wanted, where_)) := folded low height one_at two_at want w x x z in
    blank_track one = true /\ blank_track two = true /\ blank_but at_ (Some (col low height w x)) = true /\
    (where_ = 3%N -> w x (low + Z.of_nat at_) = verdict_of less equal more wanted).
  Proof.
    destruct (verdicts z) as [u Hu]. unfold verdict_kind in Hu.
    destruct (folded low height one_at two_at want w x x z) as [[one two] [wanted where_]].
    destruct (_ && _ && _ && _) eqn:E; [|discriminate]. rewrite !andb_true_iff in E. destruct E as [[[E1 E2] E3] E4].
    repeat split; auto. intros ->. cbn [N.eqb Pos.eqb negb orb] in E4. apply N.eqb_eq in E4.
    rewrite cell_at in E4 by exact at_row. exact E4.
  Qed.
  Lemma verdict_alone X Y : X <> x \/ Y <> low + Z.of_nat at_ -> w X Y = 0%N.
  Proof.
    intros N. destruct (Z_lt_ge_dec X x) as [L|G]; [|destruct (Z.eq_dec X x) as [->|NX]].
    - pose proof (verdict_told (X - one_at)) as H. rewrite first_track in H by exact L.
      destruct (want (X - one_at)) as [wanted where_]. destruct H as [H _]. eapply cell_blank; [exact at_row | exact outside | reflexivity | exact H].
    - pose proof (verdict_told 0) as H. destruct (folded low height one_at two_at want w x x 0) as [[one two] [wanted where_]].
      destruct H as (_ & _ & H & _). eapply cell_blank_but; [exact at_row | exact outside | exact H | tauto].
    - pose proof (verdict_told (X - two_at)) as H. rewrite second_track in H by lia.
      destruct (want (X - two_at)) as [wanted where_]. destruct H as (_ & H & _). eapply cell_blank; [exact at_row | exact outside | reflexivity | exact H].
  Qed.
End Verdict.
