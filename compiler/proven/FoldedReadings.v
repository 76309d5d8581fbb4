(** (V10), the readings: two numbers, two digits at a time from the right, and what a result must hold. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output FoldedChains.
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

Lemma spells_value digits n : forall (sym : nat -> symbol) f,
  (forall i, (i < n)%nat -> place_in digits (sym i) = Some (f i)) ->
  spells digits (map sym (rev (seq 0 n))) = Some (value (Z.of_nat (length digits)) f n).
Proof.
  induction n as [|n IH]; intros sym f H; [reflexivity|]. cbn [seq rev]. rewrite <- seq_shift, <- map_rev, map_app, map_map.
  unfold spells in *. rewrite fold_left_app, (IH (fun i => sym (S i)) (fun i => f (S i))) by (intros; apply H; lia).
  cbn [map fold_left]. unfold spells_after. rewrite H by lia. cbn [value]. f_equal. lia.
Qed.

(** * Readings *)
Record reading := Reading {
  first_state : N;
  step_of_digits : N -> N -> N -> N * Z;               (* a state and two digits: the next one, and what is wanted *)
  step_beyond : N -> N * Z }.                          (* to the left of both *)
Definition LEADING : Z := -1.
Definition NOTHING : Z := -2.

Definition sum_reading (digits : list symbol) (k m c : N) : reading :=
  let base := N.of_nat (length digits) in
  let step s a b := let n := (k * a + m * b + s)%N in (n / base, Z.of_N (nth (N.to_nat (n mod base)) digits 0))%N in
  Reading c step (fun s => if (s =? 0)%N then (0%N, LEADING) else step s 0%N 0%N).
Definition order_reading : reading :=
  let step s a b := let o := match (a ?= b)%N with Lt => 0%N | Eq => s | Gt => 2%N end in (o, Z.of_N o) in
  Reading 1 step (fun s => step s 0%N 0%N).

Section Read.
  Variables (r : reading) (a b : nat -> N) (len : nat).
  Hypothesis ended : forall j, (len <= j)%nat -> a j = 0%N /\ b j = 0%N.
  Fixpoint state_at (j : nat) : N :=
    match j with
    | O => first_state r
    | S j => fst (if (j <? len)%nat then step_of_digits r (state_at j) (a j) (b j) else step_beyond r (state_at j))
    end.
  Definition want_at (j : nat) : Z :=
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
    assert (Pa := value_bound base (number a) J ltac:(unfold base; lia) ltac:(intros i; specialize (Ha i); unfold number in *; lia)).
    assert (Pb := value_bound base (number b) J ltac:(unfold base; lia) ltac:(intros i; specialize (Hb i); unfold number in *; lia)).
    set (P := base ^ Z.of_nat J) in *. unfold number in *.
    destruct (N.compare_spec (a J) (b J)) as [->|L|L].
    - destruct IH as [IH1 IH]. split; [exact IH1|].
      destruct (state_at order_reading a b len J) as [|[p|p|]]; lia.
    - split; [lia|]. nia.
    - split; [lia|]. nia.
  Qed.

  (** (F1): carries. *)
  Variables (k m c : N).
  Let r := sum_reading digits k m c.
  Let carry := state_at r a b len.
  Let total (j : nat) : N := (k * a j + m * b j + carry j)%N.
  Let wd (j : nat) : N := (total j mod N.of_nat (length digits))%N.

  Lemma sum_next j : carry (S j) = (total j / N.of_nat (length digits))%N.
  Proof.
    unfold carry, total. cbn [state_at]. fold (carry j). destruct (Nat.ltb_spec j len); [reflexivity|].
    destruct (ended j) as [-> ->]; [lia|]. rewrite !N.mul_0_r. cbn [r sum_reading step_beyond].
    destruct (N.eqb_spec (carry j) 0) as [->|]; [cbn [fst]; rewrite N.div_0_l by lia; reflexivity|].
    cbn [fst]. rewrite !N.mul_0_r. reflexivity.
  Qed.
  Lemma sum_wants j : want_at r a b len j = Z.of_N (nth (N.to_nat (wd j)) digits 0%N) \/
    ((len <= j)%nat /\ want_at r a b len j = LEADING /\ wd j = 0%N).
  Proof.
    unfold want_at, wd, total. fold (carry j). destruct (Nat.ltb_spec j len); [left; reflexivity|].
    destruct (ended j) as [-> ->]; [lia|]. rewrite !N.mul_0_r. cbn [r sum_reading step_beyond].
    destruct (N.eqb_spec (carry j) 0) as [->|]; [right; cbn [snd]; rewrite N.mod_0_l by lia; auto|].
    left. cbn [snd]. rewrite !N.mul_0_r. reflexivity.
  Qed.
  Lemma sum_so_far J : value base (number wd) J + base ^ Z.of_nat J * Z.of_N (carry J) =
    Z.of_N k * value base (number a) J + Z.of_N m * value base (number b) J + Z.of_N c.
  Proof.
    induction J as [|J IH]; [cbn [value]; change (base ^ Z.of_nat 0) with 1; change (carry 0) with c; lia|].
    rewrite !value_last, Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite sum_next.
    assert (E : Z.of_N (total J) = number wd J + base * Z.of_N (total J / N.of_nat (length digits))).
    { unfold number, wd, base. rewrite (N.div_mod (total J) (N.of_nat (length digits))) at 1 by lia. lia. }
    set (q := Z.of_N (total J / N.of_nat (length digits))) in *. set (P := base ^ Z.of_nat J) in *.
    assert (E2 : Z.of_N (total J) = Z.of_N k * number a J + Z.of_N m * number b J + Z.of_N (carry J)) by (unfold total, number; lia).
    transitivity (value base (number wd) J + P * (number wd J + base * q)); [ring|]. rewrite <- E, E2.
    replace (value base (number wd) J) with
      (Z.of_N k * value base (number a) J + Z.of_N m * value base (number b) J + Z.of_N c - P * Z.of_N (carry J)) by lia.
    ring.
  Qed.
  Lemma carry_ends J : (len + N.to_nat (carry len) <= J)%nat -> carry J = 0%N.
  Proof.
    assert (G : forall i, (carry (len + i) + N.of_nat i <= carry len)%N \/ carry (len + i) = 0%N).
    { induction i as [|i IH]; [left; rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r, sum_next.
      unfold total. destruct (ended (len + i)) as [-> ->]; [lia|]. rewrite !N.mul_0_r, !N.add_0_l.
      destruct (N.eq_dec (carry (len + i)) 0) as [->|NZ]; [right; apply N.div_0_l; lia|].
      assert (carry (len + i) / N.of_nat (length digits) < carry (len + i))%N by (apply N.div_lt; lia). lia. }
    intros H. destruct (G (J - len)%nat) as [L|E]; replace (len + (J - len))%nat with J in * by lia; lia.
  Qed.

  (** * A result: blank but for one stretch of digits *)
  Definition held (zero : symbol) (cell : symbol) (wanted : Z) : option kind :=
    if wanted =? NOTHING then if (cell =? 0)%N then Some Behind else None
    else if (wanted =? LEADING) && (cell =? zero)%N || (wanted =? Z.of_N cell) then Some Within
    else if (cell =? 0)%N && ((wanted =? LEADING) || (wanted =? Z.of_N zero)) then Some Before
    else None.

  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Hypothesis no_blank : ~ In 0%N digits.
  Hypothesis some : (0 < len)%nat.
  Variable C : Z -> symbol.
  Let want (z : Z) : Z := if 0 <? z then NOTHING else want_at r a b len (Z.to_nat (- z)).
  Hypothesis kinds : forall z, exists u v, held (nth 0 digits 0%N) (C z) (want z) = Some u /\
    held (nth 0 digits 0%N) (C (z + 1)) (want (z + 1)) = Some v /\ ordered u v = true.
  Hypothesis ends_left : exists lo, forall z, z < lo -> C z = 0%N.

  Lemma digit_not_blank i : (i < length digits)%nat -> nth i digits 0%N <> 0%N.
  Proof. intros H E. apply no_blank. rewrite <- E. apply nth_In. exact H. Qed.
  Lemma wd_below j : (N.to_nat (wd j) < length digits)%nat.
  Proof. unfold wd. pose proof (N.mod_lt (total j) (N.of_nat (length digits))). lia. Qed.
  Lemma held_at j : exists u, held (nth 0 digits 0%N) (C (- Z.of_nat j)) (want (- Z.of_nat j)) = Some u /\
    ((u = Within /\ C (- Z.of_nat j) = nth (N.to_nat (wd j)) digits 0%N) \/
     (u = Before /\ C (- Z.of_nat j) = 0%N /\ wd j = 0%N)).
  Proof.
    destruct (kinds (- Z.of_nat j)) as (u & _ & Hu & _). exists u. split; [exact Hu|].
    unfold want in Hu. destruct (Z.ltb_spec 0 (- Z.of_nat j)); [lia|].
    replace (Z.to_nat (- - Z.of_nat j)) with j in Hu by lia. unfold held in Hu.
    assert (Z0 : nth 0 digits 0%N <> 0%N) by (apply digit_not_blank; lia).
    destruct (sum_wants j) as [Ew | (_ & Ew & E)]; rewrite Ew in Hu; clear Ew.
    - set (s := nth (N.to_nat (wd j)) digits 0%N) in *. replace (Z.of_N s =? NOTHING) with false in Hu by (unfold NOTHING; lia).
      replace (Z.of_N s =? LEADING) with false in Hu by (unfold LEADING; lia). cbn [andb orb] in Hu.
      destruct (Z.eqb_spec (Z.of_N s) (Z.of_N (C (- Z.of_nat j)))) as [E|N]; [injection Hu as <-; left; split; [reflexivity | lia]|].
      destruct (N.eqb_spec (C (- Z.of_nat j)) 0) as [E0|]; [|discriminate].
      destruct (Z.eqb_spec (Z.of_N s) (Z.of_N (nth 0 digits 0%N))) as [Es|]; [|discriminate]. injection Hu as <-. right.
      split; [reflexivity|]. split; [exact E0|]. apply N2Z.inj in Es. unfold s in Es.
      assert (K : Some (Z.of_nat (N.to_nat (wd j))) = Some (Z.of_nat 0)).
      { rewrite <- (known _ (wd_below j)), <- (known 0%nat) by lia. rewrite Es. reflexivity. }
      injection K. lia.
    - rewrite E. cbn in Hu. destruct (N.eqb_spec (C (- Z.of_nat j)) (nth 0 digits 0%N)) as [Ec|].
      + cbn [orb] in Hu. injection Hu as <-. left. split; [reflexivity | exact Ec].
      + destruct (Z.of_N (C (- Z.of_nat j))) eqn:EZ; cbn [orb Z.eqb] in Hu; try lia.
        * replace (C (- Z.of_nat j)) with 0%N in * by lia. cbn in Hu. injection Hu as <-. auto.
        * destruct (N.eqb_spec (C (- Z.of_nat j)) 0); [lia | discriminate].
  Qed.

  Lemma stretch : exists n, (forall j, (j <= n)%nat -> C (- Z.of_nat j) = nth (N.to_nat (wd j)) digits 0%N) /\
    (forall j, (n < j)%nat -> C (- Z.of_nat j) = 0%N /\ wd j = 0%N).
  Proof.
    assert (Next : forall j, exists u v, held (nth 0 digits 0%N) (C (- Z.of_nat j)) (want (- Z.of_nat j)) = Some u /\
              held (nth 0 digits 0%N) (C (- Z.of_nat (S j))) (want (- Z.of_nat (S j))) = Some v /\ ordered v u = true).
    { intros j. destruct (kinds (- Z.of_nat (S j))) as (v & u & Hv & Hu & Ho).
      replace (- Z.of_nat (S j) + 1) with (- Z.of_nat j) in Hu by lia. eauto. }
    assert (Blank : forall j, C (- Z.of_nat j) = 0%N -> wd j = 0%N /\
              held (nth 0 digits 0%N) (C (- Z.of_nat j)) (want (- Z.of_nat j)) = Some Before).
    { intros j E. destruct (held_at j) as (u & Hu & [(-> & Ew) | (-> & _ & Ew)]); [|auto].
      exfalso. apply (digit_not_blank _ (wd_below j)). congruence. }
    assert (Down : forall j0, C (- Z.of_nat j0) = 0%N -> forall j, (j0 <= j)%nat -> C (- Z.of_nat j) = 0%N).
    { intros j0 E j L. induction L as [|j L IH]; [exact E|]. destruct (Next j) as (u & v & Hu & Hv & Ho).
      destruct (Blank j IH) as [_ B]. rewrite B in Hu. injection Hu as <-. destruct v; try discriminate Ho.
      destruct (held_at (S j)) as (v & Hv' & [(-> & _) | (-> & Ec & _)]); [congruence | exact Ec]. }
    assert (First : C 0 = nth (N.to_nat (wd 0)) digits 0%N).
    { destruct (kinds 0) as (u & v & Hu & Hv & Ho). assert (Ev : v = Behind).
      { cbn in Hv. destruct (C 1 =? 0)%N; congruence. }
      destruct (held_at 0) as (u' & Hu' & [(_ & E) | (-> & _)]); [exact E|].
      cbn [Z.of_nat Z.opp] in Hu'. rewrite Hu in Hu'. injection Hu' as ->. subst v. discriminate. }
    destruct ends_left as [lo Hlo].
    assert (G : forall n, (forall j, (j <= n)%nat -> C (- Z.of_nat j) <> 0%N) \/
              exists i, (forall j, (j <= i)%nat -> C (- Z.of_nat j) <> 0%N) /\ C (- Z.of_nat (S i)) = 0%N).
    { induction n as [|n [IH|IH]]; [|destruct (N.eq_dec (C (- Z.of_nat (S n))) 0) as [E|E]|].
      - left. intros j Hj. replace j with O by lia. cbn. rewrite First. apply digit_not_blank, wd_below.
      - right. eauto.
      - left. intros j Hj. destruct (Nat.eq_dec j (S n)) as [->|]; [exact E | apply IH; lia].
      - right. exact IH. }
    destruct (G (Z.to_nat (1 - lo))) as [F | (n & Hn & H0)].
    - exfalso. apply (F (Z.to_nat (1 - lo))); [lia|]. apply Hlo. lia.
    - exists n. split; intros j Hj.
      + destruct (held_at j) as (u & _ & [(_ & E) | (_ & E & _)]); [exact E | exfalso; exact (Hn j Hj E)].
      + assert (E : C (- Z.of_nat j) = 0%N) by (apply (Down (S n)); [exact H0 | lia]). split; [exact E | apply Blank; exact E].
  Qed.

  Theorem sum_result : exists l x0, l <> [] /\
    (forall z, C z = if x0 <=? z then nth (Z.to_nat (z - x0)) l 0%N else 0%N) /\
    (forall J, (len <= J)%nat -> spells digits l =
       Some (Z.of_N k * value base (number a) J + Z.of_N m * value base (number b) J + Z.of_N c)).
  Proof.
    destruct stretch as (n & Hin & Hout). exists (map (fun j => C (- Z.of_nat j)) (rev (seq 0 (S n)))), (- Z.of_nat n).
    split; [cbn [seq rev]; rewrite map_app; destruct (map _ (rev (seq 1 n))); discriminate|]. split.
    - intros z. destruct (Z.leb_spec (- Z.of_nat n) z) as [L|L].
      + set (f := fun j => C (- Z.of_nat j)).
        destruct (Z_lt_ge_dec 0 z) as [P|P].
        * rewrite nth_overflow by (rewrite map_length, rev_length, seq_length; lia).
          destruct (kinds z) as (u & _ & Hu & _). unfold held, want in Hu. replace (0 <? z) with true in Hu by lia. cbn in Hu.
          destruct (N.eqb_spec (C z) 0); [assumption | discriminate].
        * rewrite (nth_indep _ 0%N (f O)) by (rewrite map_length, rev_length, seq_length; lia).
          rewrite map_nth, rev_nth by (rewrite seq_length; lia). rewrite seq_length, seq_nth by lia. unfold f. f_equal. lia.
      + replace z with (- Z.of_nat (Z.to_nat (- z))) by lia. apply Hout. lia.
    - intros J HJ. rewrite spells_value with (f := number wd).
      + set (M := (J + S n + len + N.to_nat (carry len))%nat).
        assert (EA : forall f, (forall j, (len <= j)%nat -> f j = 0%N) -> value base (number f) J = value base (number f) M).
        { intros f Hf. symmetry. apply value_more; [|unfold M; lia]. intros i Hi. unfold number. rewrite Hf by lia. reflexivity. }
        rewrite (EA a), (EA b) by (intros j Hj; apply ended; exact Hj). f_equal. fold base.
        rewrite <- sum_so_far. rewrite (carry_ends M) by (unfold M; lia). rewrite Z.mul_0_r, Z.add_0_r.
        symmetry. apply value_more; [|unfold M; lia]. intros i Hi. unfold number. destruct (Hout i) as [_ ->]; [lia | reflexivity].
      + intros i Hi. rewrite Hin by lia. rewrite (known _ (wd_below i)). unfold number. f_equal. lia.
  Qed.
End Numbers.
