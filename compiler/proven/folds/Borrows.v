(** Two numbers, read from their lowest digits on: how they compare so far, and what is carried or borrowed. *)
From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.

Section Borrows.
  Variable R : Z.
  Hypothesis many : 1 < R.
  Variables a b : nat -> Z.                            (* their digits, the lowest first *)
  Hypothesis a_digits : forall i, 0 <= a i < R.
  Hypothesis b_digits : forall i, 0 <= b i < R.

  (** The number of the first j digits. *)
  Fixpoint number_of (d : nat -> Z) (j : nat) : Z :=
    match j with O => 0 | S j => number_of d j + d j * R ^ Z.of_nat j end.
  Lemma number_range d j : (forall i, 0 <= d i < R) -> 0 <= number_of d j < R ^ Z.of_nat j.
  Proof.
    intros H. induction j as [|j IH]; cbn [number_of]; [change (R ^ Z.of_nat 0) with 1; lia|].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. specialize (H j). nia.
  Qed.

  (** The last two digits that differ decide. *)
  Fixpoint order_at (j : nat) : comparison :=
    match j with O => Eq | S j => match a j ?= b j with Eq => order_at j | o => o end end.
  Theorem order_at_is j : order_at j = (number_of a j ?= number_of b j).
  Proof.
    induction j as [|j IH]; [reflexivity|]. cbn [order_at number_of].
    pose proof (number_range a j a_digits). pose proof (number_range b j b_digits).
    destruct (Z.compare_spec (a j) (b j)) as [E|L|G]; symmetry.
    - rewrite E, IH, !(Z.add_comm (number_of _ j)). apply Zcompare_plus_compat.
    - apply Z.compare_lt_iff. nia.
    - apply Z.compare_gt_iff. nia.
  Qed.

  (** What k times one number, m times the other and c is: its digits, and the rest, which may be below 0. *)
  Variables k m c : Z.
  Fixpoint carry_at (j : nat) : Z :=
    match j with O => c | S j => (k * a j + m * b j + carry_at j) / R end.
  Definition digit_at (j : nat) : Z := (k * a j + m * b j + carry_at j) mod R.
  Lemma digit_at_range j : 0 <= digit_at j < R.
  Proof. apply Z.mod_pos_bound. lia. Qed.
  Lemma carried j : k * number_of a j + m * number_of b j + c = number_of digit_at j + carry_at j * R ^ Z.of_nat j.
  Proof.
    induction j as [|j IH]; cbn [number_of carry_at]; [change (R ^ Z.of_nat 0) with 1; lia|].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. unfold digit_at at 2.
    pose proof (Z.div_mod (k * a j + m * b j + carry_at j) R ltac:(lia)) as D. nia.
  Qed.
  (** A number that is not below 0 ends with nothing borrowed; and with nothing carried, where it has no more digits. *)
  Theorem nothing_borrowed j : 0 <= k * number_of a j + m * number_of b j + c -> 0 <= carry_at j.
  Proof. rewrite carried. pose proof (number_range digit_at j digit_at_range). nia. Qed.
  Theorem nothing_carried j : 0 <= k * number_of a j + m * number_of b j + c < R ^ Z.of_nat j -> carry_at j = 0.
  Proof. rewrite carried. pose proof (number_range digit_at j digit_at_range). nia. Qed.
End Borrows.
