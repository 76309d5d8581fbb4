(** (V10), the end: what a clause says of two numbers stands where LEFT halts. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Columns Strips Rows.
From Gridlang Require Import FoldedTape FoldedChains FoldedReadings FoldedInputs FoldedResults FoldedCheck FoldedWorld.
Import ListNotations.
Local Open Scope Z_scope.

Definition kinds_of (e : fold) (digits : list symbol) (a : aim) : option (control -> column -> option held) :=
  match a, d_stands e with
  | To_add _ _ _, In_part second => Some (number_kind second (d_row e) (nth 0 digits 0%N))
  | To_compare less equal more, In_between => Some (verdict_kind (d_row e) less equal more)
  | _, _ => None
  end.
Definition reading_of (digits : list symbol) (a : aim) : reading :=
  match a with To_add k m c => sum_reading digits k m c | To_compare _ _ _ => order_reading end.

Definition allowed_by (conditions : list expression) (order : N) : bool :=
  forallb (fun c => match holds_in c (Z.of_N order) with Some false => false | _ => true end) conditions.
Definition orders_of (e : fold) (conditions : list expression) : N -> bool := if d_conditioned e then
  allowed_by conditions else fun _ => true.
Definition fine_for (a : aim) (s : N) : bool := match a with To_add _ _ _ => 0 <=? as_carry s
  | To_compare _ _ _ => true end.

Section Says.
  Variables (digits : list symbol) (members : list (list symbol)) (value_ : expression) (a s b : list symbol) (e : fold)
    (aim_ : aim).
  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Hypothesis big : (2 <= length digits)%nat.
  Hypothesis no_blank : ~ In 0%N digits.
  Hypotheses (a_digits : forall s, In s a -> In s digits) (b_digits : forall s, In s b -> In s digits)
    (a_some : a <> []) (b_some : b <> []).
  Hypotheses (one_members : nth 0 members [] = digits) (two_members : nth 2 members [] = digits).
  Hypothesis row_ok : (d_row e < d_height e)%nat.
  Let A := values_of digits a.
  Let B := values_of digits b.
  Let J := longer A B.
  Let number (l : list N) : Z := value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of l j)) J.
  Let parts := [a; s; b].

  Lemma spelled_one : evaluate digits members (Spelled 0) parts = Some (Number (number A)).
  Proof.
    cbn [evaluate]. rewrite one_members. cbn [nth parts].
    rewrite (values_spelled digits known a a_digits J); [reflexivity|].
    unfold J, longer, A. rewrite !values_length. lia.
  Qed.
  Lemma spelled_two : evaluate digits members (Spelled 2) parts = Some (Number (number B)).
  Proof.
    cbn [evaluate]. rewrite two_members. cbn [nth parts].
    rewrite (values_spelled digits known b b_digits J); [reflexivity|].
    unfold J, longer, B. rewrite !values_length. lia.
  Qed.
  Lemma digits_end j : (J <= j)%nat -> digit_of A j = 0%N /\ digit_of B j = 0%N.
  Proof. unfold J, longer, digit_of. intros H. split; apply nth_overflow; lia. Qed.
  Lemma some_digit : (0 < J)%nat.
  Proof.
    assert (0 < length a)%nat by (destruct a; [congruence | cbn [length]; lia]).
    unfold J, longer, A. rewrite values_length. lia.
  Qed.

  (** How both compare, from all their digits on. *)
  Lemma order_met j : (J <= j)%nat -> let o := state_at order_reading (digit_of A) (digit_of B) J j in (o <= 2)%N /\
    ((Z.of_N o = 0 /\ number A < number B) \/ (Z.of_N o = 1 /\ number A = number B) \/
      (Z.of_N o = 2 /\ number B < number A)).
  Proof.
    intros Hj.
    assert (Below : forall l j, Forall (fun v => (v < N.of_nat (length digits))%N) l ->
      Z.of_N (digit_of l j) < Z.of_nat (length digits)).
    { intros l i Hl. unfold digit_of. destruct (nth_in_or_default i l 0%N) as [H | ->]; [|lia].
      rewrite Forall_forall in Hl. apply Hl in H. lia. }
    destruct (order_ok digits (digit_of A) (digit_of B) J digits_end big
                (fun j => Below A j (values_below digits known a a_digits))
                  (fun j => Below B j (values_below digits known b b_digits)) j) as [Lo O].
    assert (EJ : forall l, (forall j, (J <= j)%nat -> digit_of l j = 0%N) ->
              value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of l j)) j = number l).
    { intros l H. apply value_more; [|exact Hj]. intros i Hi. rewrite H by exact Hi. reflexivity. }
    cbv beta in O. rewrite (EJ A), (EJ B) in O by (intros; apply digits_end; assumption). split; [exact Lo|].
    destruct (state_at order_reading (digit_of A) (digit_of B) J j) as [|[q|[q|q|]|]]; lia.
  Qed.
  Lemma order_is j : (J <= j)%nat -> let o := state_at order_reading (digit_of A) (digit_of B) J j in
    (Z.of_N o = 0 /\ number A < number B) \/ (Z.of_N o = 1 /\ number A = number B) \/
      (Z.of_N o = 2 /\ number B < number A).
  Proof. intros H. exact (proj2 (order_met j H)). Qed.
  (** Conditions leave out those that compare otherwise. *)
  Lemma orders_met conditions j : (J <= j)%nat ->
    (forall e, In e conditions -> evaluate digits members e parts <> Some (Truth false)) ->
    allowed_by conditions (state_at order_reading (digit_of A) (digit_of B) J j) = true.
  Proof.
    intros Hj Hc. unfold allowed_by. apply forallb_forall. intros c Hin. set (o := state_at _ _ _ _ _).
    destruct (holds_in c (Z.of_N o)) as [[]|] eqn:E; try reflexivity. exfalso. apply (Hc c Hin).
    eapply holds_in_ok; [exact spelled_one | exact spelled_two | exact (order_is j Hj) | exact E].
  Qed.

  Variables (w : world) (x y : Z) (off : bool -> Z) (p : state) (f : phase).
  Hypothesis outside : blank_outside (d_low e) (d_height e) w.
  Hypothesis left_blank : exists lo, forall x y, x < lo -> w x y = 0%N.
  Let tape := folded (d_low e) (d_height e) off (want (reading_of digits aim_) A B) w x x.

  Lemma adds k m c : aim_ = To_add k m c -> linear value_ = Some (k, m, c) ->
    0 <= as_carry (state_at (sum_reading digits k m c) (digit_of A) (digit_of B) J J) -> forall second,
    (forall j, exists u v, number_kind second (d_row e) (nth 0 digits 0%N) (p, f, y, col (d_low e) (d_height e) w x)
      (tape j) = Some u /\
       number_kind second (d_row e) (nth 0 digits 0%N) (p, f, y, col (d_low e) (d_height e) w x) (tape (j + 1)) = Some v
         /\ ordered u v = true) ->
    exists v l, evaluate digits members value_ parts = Some v /\ stands w l /\ says digits v l.
  Proof.
    intros Ea El Hborrow second Hk.
    assert (N : forall z, rest_blank (In_part second) (d_row e) (col (d_low e) (d_height e) w x) (tape z) = true).
    { intros z. destruct (Hk z) as (u & _ & H & _). unfold number_kind in H.
      destruct (rest_blank _ _ _ _); [reflexivity | discriminate]. }
    pose proof (number_cell _ _ _ _ _ w x _ row_ok outside N second eq_refl) as Cell. destruct left_blank as [lo Hlo].
    set (row := d_low e + Z.of_nat (d_row e)) in *. set (zero := nth 0 digits 0%N) in *.
    assert (H : forall z, exists u v,
      holding zero true (w (z + off second) row) (wants_at digits (digit_of A) (digit_of B) J k m c z) = Some u /\
      holding zero true (w (z + 1 + off second) row) (wants_at digits (digit_of A) (digit_of B) J k m c (z + 1)) = Some
        v /\ ordered u v = true).
    { intros z. destruct (Hk z) as (u & v & Hu & Hv & Ho). exists u, v. unfold number_kind in Hu, Hv.
      rewrite N in Hu, Hv.
      rewrite Cell in Hu, Hv. unfold tape, folded, want in Hu, Hv. cbn [snd] in Hu, Hv. rewrite Ea in Hu, Hv.
      fold J in Hu, Hv.
      unfold wants_at. split; [|split; [|exact Ho]]; [destruct (0 <? z); exact Hu | destruct (0 <? z + 1); exact Hv]. }
    set (W := fun X => wants_at digits (digit_of A) (digit_of B) J k m c (X - off second)).
    exists (Number (k * number A + m * number B + c)).
    destruct (result_held digits zero w row (fun X => w X row) W
                (fun X => match holding zero true (w X row) (W X) with Some u => u | None => Bare end) true lo
                (Number (k * number A + m * number B + c))) as (l & Hl).
    - intros X Y. destruct (Z.eqb_spec Y row) as [->|NY]; [reflexivity|].
      apply (rest_is_blank _ _ _ _ _ w x _ row_ok outside N). right. exact NY.
    - intros X. destruct (H (X - off second)) as (u & _ & Hu & _).
      replace (X - off second + off second) with X in Hu by lia.
      unfold W. rewrite Hu. reflexivity.
    - intros _ X. destruct (H (X - off second)) as (u & v & Hu & Hv & Ho).
      replace (X - off second + off second) with X in Hu by lia.
      replace (X - off second + 1 + off second) with (X + 1) in Hv by lia. unfold W. rewrite Hu.
      replace (X + 1 - off second) with (X - off second + 1) by lia. rewrite Hv. exact Ho.
    - intros X HX. apply Hlo. exact HX.
    - intros _. split; [apply (known 0%nat); lia|]. intros E0. apply no_blank. rewrite <- E0. apply nth_In. lia.
    - apply sum_shown; [exact digits_end | exact big | exact Hborrow | exact known | lia].
    - exists l. split; [|exact Hl]. apply (linear_ok digits members parts _ _ spelled_one spelled_two). exact El.
  Qed.

  Lemma compares less equal more : aim_ = To_compare less equal more -> aim_of digits value_ = Some aim_ ->
    (forall j, exists u v, verdict_kind (d_row e) less equal more (p, f, y, col (d_low e) (d_height e) w x)
      (tape j) = Some u /\
       verdict_kind (d_row e) less equal more (p, f, y, col (d_low e) (d_height e) w x) (tape (j + 1)) = Some v /\
         ordered u v = true) ->
    exists v l, evaluate digits members value_ parts = Some v /\ stands w l /\ says digits v l.
  Proof.
    intros Ea El Hk.
    assert (N : forall z, rest_blank In_between (d_row e) (col (d_low e) (d_height e) w x) (tape z) = true /\
      (snd (want (reading_of digits aim_) A B z) = 3%N ->
       w x (d_low e + Z.of_nat (d_row e)) = verdict_of less equal more (fst (want (reading_of digits aim_) A B z)))).
    { intros z. destruct (Hk z) as (u & _ & H & _). unfold verdict_kind in H.
      destruct (rest_blank _ _ _ _); [|discriminate].
      split; [reflexivity|]. intros E3. unfold tape, folded in H. cbn [snd] in H.
      rewrite E3, cell_at in H by exact row_ok.
      cbn [N.eqb Pos.eqb negb orb andb] in H. destruct (N.eqb_spec (w x (d_low e + Z.of_nat (d_row e)))
        (verdict_of less equal more (fst (want (reading_of digits aim_) A B z)))); [assumption | discriminate]. }
    set (order := state_at order_reading (digit_of A) (digit_of B) J (S J)).
    assert (Lo : (order <= 2)%N) by (apply (order_met (S J)); lia).
    assert (Hord := order_is (S J) ltac:(lia)). fold order in Hord.
    destruct (N (- Z.of_nat J)) as [_ V]. unfold want, reading_of in V. rewrite Ea in V. fold J in V.
    destruct (Z.ltb_spec 0 (- Z.of_nat J)); [lia|].
    replace (Z.to_nat (- - Z.of_nat J)) with J in V by lia. cbn [fst snd] in V.
    unfold where_at in V. fold J in V. pose proof some_digit as P.
    replace (J =? 0)%nat with false in V by (symmetry; apply Nat.eqb_neq; lia).
    rewrite Nat.ltb_irrefl in V. specialize (V eq_refl).
    assert (Ew : want_at order_reading (digit_of A) (digit_of B) J J = Wants order).
    { unfold want_at, order. cbn [state_at]. rewrite Nat.ltb_irrefl. reflexivity. }
    rewrite Ew in V. set (told := verdict_of less equal more (Wants order)) in *.
    unfold aim_of in El. destruct (linear value_) as [[[k m] c]|]; [destruct (_ && _ && _); congruence|].
    unfold Json.bind in El.
    destruct (match chosen value_ 0 with Some v => symbol_of digits v | None => None end) as [l0|] eqn:E0;
      [|discriminate].
    destruct (match chosen value_ 1 with Some v => symbol_of digits v | None => None end) as [l1|] eqn:E1;
      [|discriminate].
    destruct (match chosen value_ 2 with Some v => symbol_of digits v | None => None end) as [l2|] eqn:E2;
      [|discriminate].
    rewrite Ea in El. injection El as -> -> ->.
    assert (C : exists v, chosen value_ (Z.of_N order) = Some v /\ symbol_of digits v = Some told).
    { assert (O3 : order = 0%N \/ order = 1%N \/ order = 2%N) by lia. unfold told. clear - O3 E0 E1 E2. clearbody order.
      destruct O3 as [-> | [-> | ->]]; cbn [verdict_of Z.of_N];
        [destruct (chosen value_ 0) | destruct (chosen value_ 1) | destruct (chosen value_ 2)]; try discriminate; eauto.
        }
    destruct C as (v & Cv & Sv). exists v, [told]. split; [|split].
    - exact (chosen_ok digits members parts _ _ spelled_one spelled_two (Z.of_N order) Hord value_ v Cv).
    - assert (Alone : forall X Y, X <> x \/ Y <> d_low e + Z.of_nat (d_row e) -> w X Y = 0%N).
      { intros X Y D. apply (rest_is_blank _ _ _ _ _ w x In_between row_ok outside (fun z => proj1 (N z))).
        destruct D as [D|D]; [left; apply Z.eqb_neq; exact D | right; exact D]. }
      exists (d_low e + Z.of_nat (d_row e)), x. intros X Y.
      destruct (Z.eqb_spec Y (d_low e + Z.of_nat (d_row e))) as [->|NY]; cbn [andb]; [|apply Alone; right; exact NY].
      destruct (Z.leb_spec x X); [|apply Alone; left; lia].
      destruct (Z.eq_dec X x) as [->|NX]; [rewrite Z.sub_diag; exact V|].
      rewrite nth_overflow by (cbn [length]; lia). apply Alone. left. exact NX.
    - apply symbol_of_says; assumption.
  Qed.
End Says.
