(** Where the columns of an input lie: in which part, and how far from its first and from its last column. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Columns Machines Conditions.
Import ListNotations.

(** Parts are counted from 1; 0 is before the input, one more than there are is after it. *)
Record told := Told { in_part : N; from_first : option Z; from_end : option Z }.

Fixpoint column_parts (j : N) (parts : list (list symbol)) : list N :=
  match parts with [] => [] | t :: parts => repeat j (length t) ++ column_parts (N.succ j) parts end.
Definition offset (parts : list (list symbol)) (k : nat) : nat := length (concat (firstn k parts)).

Section Told.
  Variable n : N.
  Variable nexts : place -> symbol -> list place.
  Variable at_place : place -> told.
  Variable pieces : list clause.
  Definition after_all : N := N.succ (N.of_nat (length pieces)).

  (** * Every input is a path of places in the right parts *)
  Definition told_part (c : place) : wanted :=
    if (in_part (at_place c) =? after_all)%N then Empty else Wants (in_part (at_place c)).
  Definition number_part (j : nat) : wanted := Wants (N.of_nat (S j)).
  Definition covers_parts (i : inputs) (count : N) (starts : list place) : bool :=
    covers_inputs n nexts count starts told_part i number_part.

  Lemma labels_are parts : forall j, labels number_part j parts = map Wants (column_parts (N.of_nat (S j)) parts).
  Proof.
    induction parts as [|u us IH]; intros j; [reflexivity|]. cbn [labels column_parts]. rewrite map_app, IH. f_equal.
    induction u as [|s u IHu]; [reflexivity | cbn [length repeat map]; rewrite IHu; reflexivity].
  Qed.
  Theorem covers_parts_sound i count starts : covers_parts i count starts = true ->
    forall parts, declared i parts -> (forall j, (row_symbol (concat parts) j < n)%N) /\
    exists pl, In (pl O) starts /\ path nexts pl (concat parts) /\
      forall j, in_part (at_place (pl j)) = nth j (column_parts 1 parts) after_all.
  Proof.
    intros H parts Hd. destruct (covers_inputs_sound _ _ _ _ _ _ _ H parts Hd) as (Hs & pl & H0 & Hp & Hw).
    split; [exact Hs|]. exists pl. split; [exact H0|]. split; [exact Hp|]. intros j. specialize (Hw j).
    unfold told_part in Hw.
    rewrite labels_are in Hw. change (N.of_nat 1) with 1%N in Hw.
    destruct (Nat.lt_ge_cases j (length (column_parts 1 parts))) as [Hi|Hi].
    - rewrite nth_indep with (d' := Wants after_all), map_nth in Hw by (rewrite map_length; exact Hi).
      destruct (N.eqb_spec (in_part (at_place (pl j))) after_all); [discriminate | injection Hw as Hw; exact Hw].
    - rewrite nth_overflow in Hw by (rewrite map_length; exact Hi). rewrite nth_overflow by exact Hi.
      destruct (N.eqb_spec (in_part (at_place (pl j))) after_all); [assumption | discriminate].
  Qed.

  (** * Distances *)
  Definition option_is {A} (eqb : A -> A -> bool) (a : option A) (b : A) : bool :=
    match a with Some a => eqb a b | None => false end.
  Definition first_step (a b : option Z) : bool :=
    match b with None => true | Some j => option_is Z.eqb a (j - 1)%Z end.
  Definition end_step (blank : bool) (a b : option Z) : bool :=
    match a with
    | None => true
    | Some i => if blank then (0 <=? i)%Z else (i <? 0)%Z && option_is Z.eqb b (i + 1)%Z
    end &&
    match b with
    | None => true
    | Some j => if blank then (0 <? j)%Z && option_is Z.eqb a (j - 1)%Z else (j <=? 0)%Z
    end.
  Definition distances_ok (places starts : list place) : bool :=
    forallb (fun c => in_set places c &&
      match from_first (at_place c) with None => true | Some j => (j =? 0)%Z end &&
      match from_end (at_place c) with None => true | Some j => (j <=? 0)%Z end) starts &&
    forallb (fun c => forallb (fun s => forallb (fun d => in_set places d &&
      first_step (from_first (at_place c)) (from_first (at_place d)) &&
      end_step (s =? 0)%N (from_end (at_place c)) (from_end (at_place d))) (nexts c s)) (below n)) places.

  Lemma option_is_eq {A} eqb (a : option A) b : (forall x y : A, eqb x y = true -> x = y) -> option_is eqb a b = true ->
    a = Some b.
  Proof. destruct a; simpl; [intros H E; f_equal; auto | discriminate]. Qed.
  Lemma in_set_in E c : in_set E c = true -> In c E.
  Proof. intros H. apply existsb_exists in H as (z & Hz & Ez). apply N.eqb_eq in Ez. subst. exact Hz. Qed.

  Section Path.
    Variables (places starts : list place) (pl : nat -> place) (t : list symbol).
    Hypothesis ok : distances_ok places starts = true.
    Hypothesis start_ok : In (pl O) starts.
    Hypothesis path_ok : path nexts pl t.
    Hypothesis symbols_ok : forall i, (row_symbol t i < n)%N.
    Hypothesis no_blank : forall s, In s t -> s <> 0%N.

    Lemma path_step i : In (pl i) places /\
      first_step (from_first (at_place (pl i))) (from_first (at_place (pl (S i)))) = true /\
      end_step (row_symbol t i =? 0)%N (from_end (at_place (pl i))) (from_end (at_place (pl (S i)))) = true.
    Proof.
      unfold distances_ok in ok. apply andb_true_iff in ok as [H1 H2]. rewrite forallb_forall in H1, H2.
      assert (Hin : In (pl i) places).
      { induction i as [|i IH].
        - specialize (H1 _ start_ok). do 2 (apply andb_true_iff in H1 as [H1 _]). apply in_set_in. exact H1.
        - specialize (H2 _ IH). rewrite forallb_forall in H2. specialize (H2 _ (in_below _ _ (symbols_ok i))).
          rewrite forallb_forall in H2. specialize (H2 _ (path_ok i)).
          do 2 (apply andb_true_iff in H2 as [H2 _]). apply in_set_in. exact H2. }
      split; [exact Hin|]. specialize (H2 _ Hin). rewrite forallb_forall in H2.
      specialize (H2 _ (in_below _ _ (symbols_ok i))).
      rewrite forallb_forall in H2. specialize (H2 _ (path_ok i)).
      apply andb_true_iff in H2 as [H2 H3]. apply andb_true_iff in H2 as [_ H2]. auto.
    Qed.

    Lemma from_first_ok i j : from_first (at_place (pl i)) = Some j -> Z.of_nat i = j.
    Proof.
      revert j. induction i as [|i IH]; intros j Hj.
      - unfold distances_ok in ok. apply andb_true_iff in ok as [H1 _]. rewrite forallb_forall in H1.
        specialize (H1 _ start_ok). apply andb_true_iff in H1 as [H1 _]. apply andb_true_iff in H1 as [_ H1].
        rewrite Hj in H1. apply Z.eqb_eq in H1. subst j. reflexivity.
      - destruct (path_step i) as (_ & H & _). rewrite Hj in H. unfold first_step in H.
        apply option_is_eq in H; [|apply Z.eqb_eq]. apply IH in H. lia.
    Qed.

    Lemma read_within i : (i < length t)%nat -> (row_symbol t i =? 0)%N = false.
    Proof. intros H. apply N.eqb_neq. apply no_blank. apply nth_In. exact H. Qed.
    Lemma read_beyond i : (length t <= i)%nat -> (row_symbol t i =? 0)%N = true.
    Proof. intros H. apply N.eqb_eq. apply nth_overflow. exact H. Qed.

    Lemma from_end_after i : (length t <= i)%nat -> forall j, from_end (at_place (pl i)) = Some j ->
      (Z.of_nat i = Z.of_nat (length t) + j)%Z.
    Proof.
      intros Hi. induction i as [|i IH]; intros j Hj.
      - destruct (path_step O) as (_ & _ & H). rewrite Hj, read_beyond in H by exact Hi.
        apply andb_true_iff in H as [H _].
        apply Z.leb_le in H. unfold distances_ok in ok. apply andb_true_iff in ok as [H1 _].
        rewrite forallb_forall in H1.
        specialize (H1 _ start_ok). apply andb_true_iff in H1 as [_ H1]. rewrite Hj in H1. apply Z.leb_le in H1. lia.
      - destruct (path_step i) as (_ & _ & H). destruct (path_step (S i)) as (_ & _ & H').
        rewrite Hj in H, H'. rewrite read_beyond in H' by exact Hi. apply andb_true_iff in H' as [H' _].
        apply Z.leb_le in H'.
        apply andb_true_iff in H as [_ H]. destruct (Nat.le_gt_cases (length t) i) as [Hle|Hgt].
        + rewrite read_beyond in H by exact Hle. apply andb_true_iff in H as [_ H].
          apply option_is_eq in H; [|apply Z.eqb_eq]. apply IH in H; lia.
        + rewrite read_within in H by exact Hgt. apply Z.leb_le in H. lia.
    Qed.
    Lemma from_end_ok i j : from_end (at_place (pl i)) = Some j -> (Z.of_nat i = Z.of_nat (length t) + j)%Z.
    Proof.
      destruct (Nat.le_gt_cases (length t) i) as [Hle|Hgt]; [apply from_end_after; exact Hle|].
      remember (length t - i)%nat as m eqn:Em. revert i j Hgt Em. induction m as [|m IH]; intros i j Hgt Em Hj; [lia|].
      destruct (path_step i) as (_ & _ & H). rewrite Hj, read_within in H by exact Hgt.
      apply andb_true_iff in H as [H _].
      apply andb_true_iff in H as [H0 H]. apply Z.ltb_lt in H0. apply option_is_eq in H; [|apply Z.eqb_eq].
      destruct (Nat.eq_dec (S i) (length t)) as [E|E].
      - apply from_end_after in H; [lia|lia].
      - apply IH in H; lia.
    Qed.
  End Path.
End Told.

(** * Parts and offsets *)
Definition part_here (parts : list (list symbol)) (X : Z) : N :=
  if (X <? 0)%Z then 0%N else nth (Z.to_nat X) (column_parts 1 parts) (N.succ (N.of_nat (length parts))).

Lemma offset_le parts k l : (k <= l)%nat -> (offset parts k <= offset parts l)%nat.
Proof.
  unfold offset. revert k l. induction parts as [|t parts IH]; intros [|k] [|l] H; simpl; try lia.
  rewrite !app_length. specialize (IH k l ltac:(lia)). lia.
Qed.
Lemma offset_all parts : offset parts (length parts) = length (concat parts).
Proof. unfold offset. rewrite firstn_all. reflexivity. Qed.

Lemma column_parts_spec parts : forall j i, (i < length (concat parts))%nat -> forall d,
  exists k, nth i (column_parts j parts) d = (j + N.of_nat k)%N /\ (k < length parts)%nat /\
    (offset parts k <= i < offset parts (S k))%nat.
Proof.
  induction parts as [|t parts IH]; intros j i Hi d; simpl in Hi; [lia|]. rewrite app_length in Hi. cbn [column_parts].
  destruct (Nat.lt_ge_cases i (length t)) as [Hlt|Hge].
  - exists O. rewrite app_nth1 by (rewrite repeat_length; exact Hlt).
    split; [|unfold offset; simpl; rewrite app_nil_r; lia].
    rewrite nth_indep with (d' := j) by (rewrite repeat_length; exact Hlt). rewrite nth_repeat. lia.
  - rewrite app_nth2 by (rewrite repeat_length; exact Hge). rewrite repeat_length.
    destruct (IH (N.succ j) (i - length t)%nat ltac:(lia) d) as (k & Hk & Hlen & Ho). exists (S k).
    split; [rewrite Hk; lia|]. split; [simpl; lia|]. unfold offset in *. cbn [firstn concat] in *. rewrite !app_length.
    lia.
Qed.
Lemma column_parts_length parts : forall j, length (column_parts j parts) = length (concat parts).
Proof. induction parts as [|t parts IH]; intros j; simpl; [reflexivity|]. rewrite !app_length, repeat_length, IH.
reflexivity. Qed.

(** The first column of part k (from 0) is not after column X, if that is in part k or later; and so on. *)
Lemma part_here_from parts X k : (k <= length parts)%nat -> (N.of_nat k < part_here parts X)%N ->
  (Z.of_nat (offset parts k) <= X)%Z.
Proof.
  intros Hk H. unfold part_here in H. destruct (Z.ltb_spec X 0); [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & Hj & Hlen & Ho).
    rewrite Hj in H.
    pose proof (offset_le parts k j ltac:(lia)). lia.
  - pose proof (offset_le parts k (length parts) Hk). rewrite offset_all in *. lia.
Qed.
Lemma part_here_before parts X k : (k <= length parts)%nat -> (part_here parts X <= N.of_nat k)%N ->
  (X < Z.of_nat (offset parts k))%Z.
Proof.
  intros Hk H. unfold part_here in H. destruct (Z.ltb_spec X 0); [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & Hj & Hlen & Ho).
    rewrite Hj in H.
    pose proof (offset_le parts (S j) k ltac:(lia)). lia.
  - rewrite nth_overflow in H by (rewrite column_parts_length; exact Hge). lia.
Qed.
Lemma part_here_most parts X : (part_here parts X <= N.succ (N.of_nat (length parts)))%N.
Proof.
  unfold part_here. destruct (Z.ltb_spec X 0); [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & -> & Hlen & _). lia.
  - rewrite nth_overflow by (rewrite column_parts_length; exact Hge). lia.
Qed.
Lemma part_here_grows parts X Y : (X <= Y)%Z -> (part_here parts X <= part_here parts Y)%N.
Proof.
  intros H. destruct (N.le_gt_cases (part_here parts X) (part_here parts Y)) as [|Hgt]; [assumption|]. exfalso.
  pose proof (part_here_most parts X).
  pose proof (part_here_before parts Y (N.to_nat (part_here parts Y)) ltac:(lia) ltac:(lia)).
  pose proof (part_here_from parts X (N.to_nat (part_here parts Y)) ltac:(lia) ltac:(lia)). lia.
Qed.
