(** States in the order in which nodes come to them first: their numbers are the colours of nodes. *)
From Coq Require Import NArith PeanoNat List Bool Lia.
From Gridlang Require Import Maps.
Import ListNotations.
Local Open Scope N_scope.

Fixpoint index (x : N) (l : list N) : N := match l with [] => 0 | y :: l => if x =? y then 0 else N.succ (index x l) end.
Fixpoint grow (o l : list N) : list N :=
  match l with [] => o | x :: l => grow (if existsb (N.eqb x) o then o else o ++ [x]) l end.

Lemma index_app x l t : In x l -> index x (l ++ t) = index x l.
Proof. induction l as [|y l IH]; [contradiction|]. cbn. destruct (N.eqb_spec x y); [reflexivity|]. intros [->|H]; [contradiction|]. rewrite IH; auto. Qed.
Lemma index_in x l : In x l -> index x l < N.of_nat (length l) /\ nth (N.to_nat (index x l)) l 0 = x.
Proof.
  induction l as [|y l IH]; [contradiction|]. cbn [index length]. destruct (N.eqb_spec x y) as [->|]; [split; [lia | reflexivity]|].
  intros [->|H]; [contradiction|]. destruct (IH H) as [H1 H2]. split; [lia|]. rewrite N2Nat.inj_succ. exact H2.
Qed.
Lemma index_nth l : NoDup l -> forall i, (i < length l)%nat -> index (nth i l 0) l = N.of_nat i.
Proof.
  induction 1 as [|x l Hx _ IH]; intros i Hi; [cbn in Hi; lia|]. destruct i as [|i]; cbn [nth index length] in *; [rewrite N.eqb_refl; reflexivity|].
  destruct (N.eqb_spec (nth i l 0) x) as [E|]; [elim Hx; rewrite <- E; apply nth_In; lia|]. rewrite IH by lia. lia.
Qed.
Lemma is_in x l : existsb (N.eqb x) l = true <-> In x l.
Proof.
  rewrite existsb_exists. split; [intros (y & H & E); apply N.eqb_eq in E; congruence|]. intros H. exists x. split; [exact H | apply N.eqb_refl].
Qed.
Lemma grow_split l1 l2 : forall o, grow o (l1 ++ l2) = grow (grow o l1) l2.
Proof. induction l1 as [|x l1 IH]; intros o; [reflexivity | apply IH]. Qed.
Lemma grow_more l : forall o, exists t, grow o l = o ++ t.
Proof.
  induction l as [|x l IH]; intros o; [exists []; symmetry; apply app_nil_r|]. cbn [grow]. destruct (IH (if existsb (N.eqb x) o then o else o ++ [x])) as [t ->].
  destruct (existsb (N.eqb x) o); [exists t | exists (x :: t); rewrite <- app_assoc]; reflexivity.
Qed.
Lemma grow_in x l : forall o, In x (grow o l) <-> In x o \/ In x l.
Proof.
  induction l as [|y l IH]; intros o; cbn [grow]; [cbn; tauto|]. rewrite IH. destruct (existsb (N.eqb y) o) eqn:E.
  - apply is_in in E. cbn. intuition congruence.
  - rewrite in_app_iff. cbn. tauto.
Qed.
Lemma grow_nodup l : forall o, NoDup o -> NoDup (grow o l).
Proof.
  induction l as [|x l IH]; intros o H; [exact H|]. cbn [grow]. apply IH. destruct (existsb (N.eqb x) o) eqn:E; [exact H|].
  apply (NoDup_Add (a := x) (l := o)); [rewrite <- (app_nil_r o) at 1; apply Add_app|].
  split; [exact H|]. intros Hin. apply is_in in Hin. congruence.
Qed.

(** What has a number beyond the first ones was come to after what has the number before it. *)
Lemma used_before o l1 x l2 : NoDup o -> N.of_nat (length o) < index x (grow o (l1 ++ x :: l2)) ->
  exists y, In y l1 /\ N.succ (index y (grow o (l1 ++ x :: l2))) = index x (grow o (l1 ++ x :: l2)).
Proof.
  intros Hd. rewrite grow_split. set (o1 := grow o l1). pose proof (grow_nodup l1 o Hd : NoDup o1) as Hd1.
  cbn [grow]. set (o2 := if existsb (N.eqb x) o1 then o1 else o1 ++ [x]). destruct (grow_more l2 o2) as [t ->]. intros H.
  assert (Hx : In x o2 /\ index x o2 <= N.of_nat (length o1) /\ exists t', o2 = o1 ++ t').
  { unfold o2. destruct (existsb (N.eqb x) o1) eqn:E.
    - apply is_in in E. split; [exact E|]. split; [destruct (index_in _ _ E); lia | exists []; symmetry; apply app_nil_r].
    - assert (E' : In x (o1 ++ [x])) by (apply in_or_app; right; left; reflexivity). split; [exact E'|].
      destruct (index_in _ _ E') as [H1 _]. rewrite app_length in H1. cbn in H1. split; [lia | eauto]. }
  destruct Hx as (Hin & Hle & t' & E2). rewrite (index_app x o2 t Hin) in *.
  set (j := pred (N.to_nat (index x o2))). assert (Hj : (length o <= j < length o1)%nat) by (unfold j; lia).
  exists (nth j o1 0). assert (Hy : In (nth j o1 0) o1) by (apply nth_In; lia). split.
  - assert (Hc : In (nth j o1 0) o \/ In (nth j o1 0) l1) by (apply grow_in; exact Hy). destruct Hc as [Hc|Hc]; [exfalso|exact Hc].
    pose proof (index_nth o1 Hd1 j ltac:(lia)) as E. destruct (grow_more l1 o) as [t1 E1]. fold o1 in E1. rewrite E1 in E at 2.
    rewrite (index_app _ _ _ Hc) in E. destruct (index_in _ _ Hc). lia.
  - rewrite E2, <- app_assoc, (index_app _ _ _ Hy), (index_nth o1 Hd1) by lia. rewrite <- E2. unfold j. lia.
Qed.
