(** Evidence of a difference: a world, or reads, on which both sides do not do the same. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Differences Certificate Evidence.
Import ListNotations.
Local Open Scope N_scope.

Definition plane_of (cells : list (Z * Z * symbol)) : plane :=
  fold_right (fun c w => let '(x, y, s) := c in Maps.written w x y s) (PM.empty _) cells.
Definition plane_of_input (t : list symbol) : plane :=
  fold_right (fun c w => let '(x, s) := c in Maps.written w x 0%Z s) (PM.empty _)
    (combine (map Z.of_nat (seq 0 (List.length t))) t).

(** Whether the world of a difference is the row of its input. *)
Fixpoint distinct (l : list (Z * Z * symbol)) (m : plane) : bool :=
  match l with
  | [] => true
  | (x, y, _) :: l => (seen_at m x y =? 0) && distinct l (Maps.written m x y 1)
  end.
Definition is_row (cells : list (Z * Z * symbol)) (t : list symbol) : bool :=
  forallb (fun c => let '(x, y, s) := c in
    (y =? 0)%Z && (0 <=? x)%Z && negb (s =? 0) && (row_symbol t (Z.to_nat x) =? s)) cells &&
  Nat.eqb (List.length cells) (List.length (filter (fun s => negb (s =? 0)) t)).

Definition different_ok (c : claim) (e : evidence) : bool :=
  match e with
  | By_difference input place cells steps =>
      let L := find_rule (rows_of (left c)) in
      let R := find_rule (rows_of (right c)) in
      match place, cells with
      | None, None =>                                 (* reads that no world shows *)
          match at_scope c, input with
          | Reads, None => reads_differ false (stuck c) (alphabet c) L R 0 0 steps
          | Observed, None => reads_differ true Unasked (alphabet c) L R 0 0 steps
          | _, _ => false
          end
      | Some (x, y), Some cells =>
          distinct cells (PM.empty _) &&
          worlds_differ (stuck c) L R 0 0 x y (plane_of cells) steps &&
          match at_scope c, input with
          | Worlds, None => (0 <? alphabet c) && forallb (fun cell => snd cell <? alphabet c) cells
          | Inputs i, Some t =>
              match i_where i with [] => true | _ => false end && (x =? 0)%Z && (y =? 0)%Z &&
                is_input (one_after_another (i_pieces i)) t && is_row cells t &&
              worlds_differ (stuck c) L R 0 0 0 0 (plane_of_input t) steps
          | Reads, None => reads_differ false (stuck c) (alphabet c) L R 0 0 steps
          | Observed, None => reads_differ true Unasked (alphabet c) L R 0 0 steps
          | _, _ => false
          end
      | _, _ => false
      end
  | _ => false
  end.

Lemma plane_of_over n cells : (0 < n) -> forallb (fun cell => snd cell <? n) cells = true ->
  forall x y, seen_at (plane_of cells) x y < n.
Proof.
  intros Hn H x y. induction cells as [|[[a b] s] cells IH]; simpl in *.
  - rewrite seen_nothing. exact Hn.
  - apply andb_true_iff in H as [H1 H2]. apply N.ltb_lt in H1. rewrite seen_written.
    destruct ((x =? a) && (y =? b))%Z; [exact H1 | exact (IH H2)].
Qed.

Lemma plane_of_row t : forall k x y,
  seen_at (fold_right (fun c w => let '(x, s) := c in Maps.written w x 0%Z s) (PM.empty _)
             (combine (map Z.of_nat (seq k (List.length t))) t)) x y =
  if ((y =? 0) && (Z.of_nat k <=? x))%Z then nth (Z.to_nat x - k) t 0 else 0.
Proof.
  induction t as [|s t IH]; intros k x y; cbn [List.length seq map combine fold_right].
  - rewrite seen_nothing. destruct ((y =? 0) && (Z.of_nat k <=? x))%Z; [|reflexivity].
    destruct (Z.to_nat x - k)%nat; reflexivity.
  - rewrite seen_written, IH. destruct (Z.eqb_spec y 0) as [->|Ny]; [|rewrite andb_false_r; reflexivity].
    rewrite andb_true_r. cbn [andb]. destruct (Z.eqb_spec x (Z.of_nat k)) as [->|Nx].
    + rewrite Nat2Z.id, Z.leb_refl, Nat.sub_diag. reflexivity.
    + destruct (Z.leb_spec (Z.of_nat (S k)) x), (Z.leb_spec (Z.of_nat k) x); try lia.
      replace (Z.to_nat x - k)%nat with (S (Z.to_nat x - S k)) by lia. reflexivity.
Qed.
Lemma plane_of_input_row t x y : seen_at (plane_of_input t) x y = input_world t x y.
Proof.
  unfold plane_of_input, input_world, row_symbol. rewrite plane_of_row.
  change (Z.of_nat 0) with 0%Z. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma differs_by_rules k l r p q x y w t :
  worlds_differ k (find_rule (rows_of l)) (find_rule (rows_of r)) p q x y w t =
  worlds_differ k (table_of l) (table_of r) p q x y w t.
Proof.
  revert p q x y w. induction t as [|h t IH]; intros p q x y w; [reflexivity|]. cbn [worlds_differ].
  unfold joint_step. rewrite !find_rows. destruct t; [reflexivity|].
  destruct (joint_of k (seen_at w x y) (table_of l p (seen_at w x y)) (table_of r q (seen_at w x y))); try reflexivity.
  rewrite IH. reflexivity.
Qed.
Lemma differs_by_reads o k n l r p q t :
  reads_differ o k n (find_rule (rows_of l)) (find_rule (rows_of r)) p q t =
  reads_differ o k n (table_of l) (table_of r) p q t.
Proof.
  revert p q. induction t as [|h t IH]; intros p q; [reflexivity|]. cbn [reads_differ].
  unfold joint_step. rewrite !find_rows. destruct t; [reflexivity|].
  destruct (joint_of k (fst (fst h)) (table_of l p (fst (fst h))) (table_of r q (fst (fst h)))); try reflexivity.
  rewrite IH. reflexivity.
Qed.

Lemma different_ok_sound c e : different_ok c e = true ->
  ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
Proof.
  unfold different_ok, equivalent, LEFT, RIGHT. intros H.
  destruct e as [| |input place cells steps]; try discriminate.
  destruct place as [[x y]|], cells as [cells|]; try discriminate.
  - apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [_ Hd]. rewrite differs_by_rules in Hd.
    destruct (at_scope c) as [|i| |], input as [t|]; try discriminate.
    + apply andb_true_iff in Hs as [Hn Hc]. apply N.ltb_lt in Hn. intros A.
      eapply worlds_differ_sound; [|exact Hd|]; [reflexivity|]. apply A. intros a b. apply plane_of_over; assumption.
    + rewrite !andb_true_iff in Hs. destruct Hs as [[[[[Hw _] _] Ht] _] Hi]. rewrite differs_by_rules in Hi. intros A.
      apply is_input_sound, parts_matched in Ht as (parts & Hp & ->).
      eapply worlds_differ_sound; [apply plane_of_input_row | exact Hi |]. apply A. split; [exact Hp|].
      destruct (i_where i); [intros e [] | discriminate].
    + rewrite differs_by_reads in Hs. eapply reads_differ_sound. exact Hs.
    + rewrite differs_by_reads in Hs. eapply observed_differ_sound. exact Hs.
  - destruct (at_scope c) as [|i| |], input as [t|]; try discriminate; rewrite differs_by_reads in H;
      [eapply reads_differ_sound | eapply observed_differ_sound]; exact H.
Qed.
