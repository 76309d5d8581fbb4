(** (V10), the readings: two numbers, two digits at a time from the right, and what a result must hold. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Rows FoldedChains.
Import ListNotations.
Local Open Scope Z_scope.

(** * Numbers as digits, the lowest first *)
Fixpoint value (base : Z) (f : nat -> Z) (n : nat) : Z :=
  match n with O => 0 | S n => f O + base * value base (fun i => f (S i)) n end.

Lemma value_last base n : forall f, value base f (S n) = value base f n + base ^ Z.of_nat n * f n.
Proof.
  induction n as [|n IH]; intros f; [cbn [value]; change (base ^ Z.of_nat 0) with 1; lia|].
  change (value base f (S (S n))) with (f O + base * value base (fun i => f (S i)) (S n)). rewrite IH. cbn [value].
  rewrite (Nat2Z.inj_succ n), Z.pow_succ_r by lia. ring.
Qed.
Lemma value_more base f n m : (forall i, (n <= i)%nat -> f i = 0) -> (n <= m)%nat -> value base f m = value base f n.
Proof.
  intros H L. induction L as [|m L IH]; [reflexivity|]. rewrite value_last, IH, (H m L). ring.
Qed.
Lemma value_bound base f n : 0 < base -> (forall i, 0 <= f i < base) -> 0 <= value base f n < base ^ Z.of_nat n.
Proof.
  intros Hb H. induction n as [|n IH]; [cbn; lia|]. rewrite value_last, Nat2Z.inj_succ, Z.pow_succ_r by lia.
  specialize (H n). nia.
Qed.

Lemma worth_value digits n : forall (w : nat -> wanted) f,
  (forall i, (i < n)%nat -> digit_of digits (w i) = Some (f i)) ->
  worth digits (map w (rev (seq 0 n))) = Some (value (Z.of_nat (length digits)) f n).
Proof.
  induction n as [|n IH]; intros w f H; [reflexivity|]. cbn [seq rev].
  rewrite <- seq_shift, <- map_rev, map_app, map_map.
  unfold worth in *. rewrite fold_left_app, (IH (fun i => w (S i)) (fun i => f (S i))) by (intros; apply H; lia).
  cbn [map fold_left]. unfold worth_after. rewrite H by lia. cbn [value]. f_equal. lia.
Qed.
Lemma spells_value digits n (s : nat -> symbol) f : (forall i, (i < n)%nat -> place_in digits (s i) = Some (f i)) ->
  spells digits (map s (rev (seq 0 n))) = Some (value (Z.of_nat (length digits)) f n).
Proof.
  intros H. rewrite <- (worth_value digits n (fun i => Wants (s i)) f H). unfold spells, worth. generalize (Some 0).
  induction (rev (seq 0 n)) as [|i l IH]; intros o; [reflexivity | apply IH].
Qed.
Lemma columns_reversed (W : Z -> wanted) n : columns W (1 - Z.of_nat n) n = map (fun j => W (- Z.of_nat j))
  (rev (seq 0 n)).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite seq_S, rev_app_distr. cbn [Nat.add rev app map]. rewrite <- IH.
  change (S n) with (1 + n)%nat. rewrite columns_app. unfold columns at 1. cbn [seq map app Z.of_nat].
  f_equal; [f_equal; lia|].
  f_equal. lia.
Qed.

(** * Readings *)
Record reading := Reading {
  first_state : N;
  step_of_digits : N -> N -> N -> N * wanted;
    (* a state and two digits: the next one, and what is wanted *)
  step_beyond : N -> N * wanted }.                          (* to the left of both *)

(** A carry may be below 0; as a state it is a natural number. *)
Definition as_state (z : Z) : N := if z <? 0 then N.succ_double (Z.to_N (-1 - z)) else N.double (Z.to_N z).
Definition as_carry (n : N) : Z := if N.odd n then -1 - Z.of_N (N.div2 n) else Z.of_N (N.div2 n).
Lemma carry_back z : as_carry (as_state z) = z.
Proof.
  unfold as_carry, as_state. destruct (Z.ltb_spec z 0).
  - replace (N.odd (N.succ_double (Z.to_N (-1 - z)))) with true by (destruct (Z.to_N (-1 - z)); reflexivity).
    rewrite N.div2_succ_double. lia.
  - replace (N.odd (N.double (Z.to_N z))) with false by (destruct (Z.to_N z); reflexivity). rewrite N.div2_double. lia.
Qed.
Definition sum_reading (digits : list symbol) (k m c : Z) : reading :=
  let base := Z.of_nat (length digits) in
  let step s a b := let n := k * Z.of_N a + m * Z.of_N b + as_carry s in
    (as_state (n / base), Wants (nth (Z.to_nat (n mod base)) digits 0%N)) in
  Reading (as_state c) step (fun s => if as_carry s =? 0 then (as_state 0, Leads) else step s 0%N 0%N).
Definition order_reading : reading :=
  let step s a b := let o := match (a ?= b)%N with Lt => 0%N | Eq => s | Gt => 2%N end in (o, Wants o) in
  Reading 1 step (fun s => step s 0%N 0%N).

Section Read.
  Variables (r : reading) (a b : nat -> N) (len : nat).
  Hypothesis ended : forall j, (len <= j)%nat -> a j = 0%N /\ b j = 0%N.
  Fixpoint state_at (j : nat) : N :=
    match j with
    | O => first_state r
    | S j => fst (if (j <? len)%nat then step_of_digits r (state_at j) (a j) (b j) else step_beyond r (state_at j))
    end.
  Definition want_at (j : nat) : wanted :=
    snd (if (j <? len)%nat then step_of_digits r (state_at j) (a j) (b j) else step_beyond r (state_at j)).
End Read.

Section Numbers.
  Variables (digits : list symbol) (a b : nat -> N) (len : nat).
  Hypothesis ended : forall j, (len <= j)%nat -> a j = 0%N /\ b j = 0%N.
  Let base := Z.of_nat (length digits).
  Let number (f : nat -> N) : nat -> Z := fun j => Z.of_N (f j).
  Hypothesis big : (2 <= length digits)%nat.

  (** (F2): the last two that differ decide. *)
  Lemma order_ok : (forall j, number a j < base) -> (forall j, number b j < base) ->
    forall J, let o := state_at order_reading a b len J in
    (o <= 2)%N /\ match o with
    | 0%N => value base (number a) J < value base (number b) J
    | 1%N => value base (number a) J = value base (number b) J
    | _ => value base (number b) J < value base (number a) J
    end.
  Proof.
    intros Ha Hb. induction J as [|J IH]; [cbn; lia|]. cbn [state_at] in *.
    assert (E : (if (J <? len)%nat then step_of_digits order_reading (state_at order_reading a b len J) (a J) (b J)
                 else step_beyond order_reading (state_at order_reading a b len J)) =
                step_of_digits order_reading (state_at order_reading a b len J) (a J) (b J)).
    { destruct (Nat.ltb_spec J len); [reflexivity|]. destruct (ended J) as [-> ->]; [lia | reflexivity]. }
    rewrite E. rewrite !value_last. cbn [order_reading step_of_digits fst].
    assert (Pa := value_bound base (number a) J ltac:(unfold base; lia) ltac:(intros i; specialize (Ha i);
      unfold number in *; lia)).
    assert (Pb := value_bound base (number b) J ltac:(unfold base; lia) ltac:(intros i; specialize (Hb i);
      unfold number in *; lia)).
    set (P := base ^ Z.of_nat J) in *. unfold number in *.
    destruct (N.compare_spec (a J) (b J)) as [->|L|L].
    - destruct IH as [IH1 IH]. split; [exact IH1|].
      destruct (state_at order_reading a b len J) as [|[p|p|]]; lia.
    - split; [lia|]. nia.
    - split; [lia|]. nia.
  Qed.

  (** (F1): carries. *)
  Variables (k m c : Z).
  Let r := sum_reading digits k m c.
  Let carry (j : nat) : Z := as_carry (state_at r a b len j).
  Let total (j : nat) : Z := k * number a j + m * number b j + carry j.
  Let wd (j : nat) : Z := total j mod base.

  Lemma none_left j : (len <= j)%nat -> total j = carry j.
  Proof. intros H. unfold total, number. destruct (ended j H) as [-> ->]. lia. Qed.
  Lemma sum_next j : carry (S j) = total j / base.
  Proof.
    unfold carry at 1. cbn [state_at].
    destruct (Nat.ltb_spec j len) as [L|L]; [cbn [r sum_reading step_of_digits fst]; apply carry_back|].
    rewrite (none_left j L). cbn [r sum_reading step_beyond]. fold (carry j).
    destruct (Z.eqb_spec (carry j) 0) as [->|]; cbn [fst]; rewrite carry_back; [reflexivity|]. f_equal.
    change (Z.of_N 0) with 0. lia.
  Qed.
  Lemma sum_wants j : want_at r a b len j = Wants (nth (Z.to_nat (wd j)) digits 0%N) \/
    ((len <= j)%nat /\ want_at r a b len j = Leads /\ wd j = 0).
  Proof.
    unfold want_at. destruct (Nat.ltb_spec j len) as [L|L]; [left; reflexivity|].
    unfold wd. rewrite (none_left j L). cbn [r sum_reading step_beyond]. fold (carry j).
    destruct (Z.eqb_spec (carry j) 0) as [->|]; [right; auto|]. left. cbn [snd]. do 4 f_equal. change (Z.of_N 0) with 0.
    lia.
  Qed.
  Lemma sum_so_far J : value base wd J + base ^ Z.of_nat J * carry J = k * value base (number a) J + m * value base
    (number b) J + c.
  Proof.
    induction J as [|J IH].
    - cbn [value]. change (base ^ Z.of_nat 0) with 1. unfold carry. cbn [state_at r sum_reading first_state].
      rewrite carry_back. lia.
    - rewrite !value_last, Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite sum_next.
      pose proof (Z.div_mod (total J) base ltac:(unfold base; lia)) as E. fold (wd J) in E.
      set (q := total J / base) in *. set (P := base ^ Z.of_nat J) in *.
      transitivity (value base wd J + P * (base * q + wd J)); [ring|]. rewrite <- E. unfold total.
      replace (value base wd J) with (k * value base (number a) J + m * value base (number b) J + c - P * carry J) by
        lia. ring.
  Qed.
  Hypothesis nothing_borrowed : 0 <= carry len.
  Lemma carry_ends J : (len + Z.to_nat (carry len) <= J)%nat -> carry J = 0.
  Proof.
    assert (G : forall i, 0 <= carry (len + i) /\ (carry (len + i) + Z.of_nat i <= carry len \/ carry (len + i) = 0)).
    { induction i as [|i [IH0 IH]]; [rewrite Nat.add_0_r; lia|].
      rewrite Nat.add_succ_r, sum_next, (none_left (len + i)) by lia.
      assert (B : 1 < base) by (unfold base; lia). split; [apply Z.div_pos; lia|].
      destruct (Z.eq_dec (carry (len + i)) 0) as [->|NZ]; [right; apply Z.div_0_l; lia|].
      assert (carry (len + i) / base < carry (len + i)) by (apply Z.div_lt; lia). lia. }
    intros H. destruct (G (J - len)%nat) as [_ [L|E]]; replace (len + (J - len))%nat with J in * by lia; [|exact E].
    destruct (G (J - len)%nat) as [P _]. replace (len + (J - len))%nat with J in * by lia. lia.
  Qed.

  (** What is wanted is the sum. *)
  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Definition wants_at (z : Z) : wanted := if 0 <? z then Empty else want_at r a b len (Z.to_nat (- z)).
  Lemma wanted_digit j : digit_of digits (wants_at (- Z.of_nat j)) = Some (wd j).
  Proof.
    unfold wants_at. destruct (Z.ltb_spec 0 (- Z.of_nat j)); [lia|]. replace (Z.to_nat (- - Z.of_nat j)) with j by lia.
    pose proof (Z.mod_pos_bound (total j) base ltac:(unfold base; lia)) as M. fold (wd j) in M.
    destruct (sum_wants j) as [-> | (_ & -> & ->)]; cbn [digit_of]; [|reflexivity].
    rewrite known by (unfold base in M; lia). f_equal. lia.
  Qed.
  Theorem sum_shown off J : (len <= J)%nat -> shows digits true (fun X => wants_at (X - off))
    (Number (k * value base (number a) J + m * value base (number b) J + c)).
  Proof.
    intros HJ. eexists. split; [reflexivity|]. set (M := (J + Z.to_nat (carry len))%nat).
    exists (1 - Z.of_nat M + off), M. split; [|split].
    - intros X HX. unfold wants_at. destruct (Z.ltb_spec 0 (X - off)); [lia|]. unfold want_at.
      set (j := Z.to_nat (- (X - off))).
      assert (Hj : (M <= j)%nat) by (unfold j; lia). unfold M in Hj. destruct (Nat.ltb_spec j len); [lia|].
      cbn [r sum_reading step_beyond].
      fold (carry j). rewrite (carry_ends j) by lia. reflexivity.
    - intros X HX. unfold wants_at. destruct (Z.ltb_spec 0 (X - off)); [reflexivity | lia].
    - assert (E : columns (fun X => wants_at (X - off)) (1 - Z.of_nat M + off) M = columns wants_at (1 - Z.of_nat M) M).
      { unfold columns. apply map_ext. intros i. f_equal. lia. }
      rewrite E, columns_reversed, (worth_value digits M _ wd) by (intros; apply wanted_digit). f_equal.
      assert (EA : forall f, (forall j, (len <= j)%nat -> f j = 0%N) ->
        value base (number f) J = value base (number f) M).
      { intros f Hf. symmetry. apply value_more; [|unfold M; lia]. intros i Hi. unfold number. rewrite Hf by lia.
        reflexivity. }
      rewrite (EA a), (EA b) by (intros j Hj; apply ended; exact Hj). fold base. rewrite <- sum_so_far.
      rewrite (carry_ends M) by (unfold M; lia). lia.
  Qed.
End Numbers.
