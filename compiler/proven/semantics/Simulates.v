(** What is shown of one table holds of every other that follows it, whatever its states are called. *)
From Coq Require Import ZArith NArith List.
From Gridlang Require Import Statement.
Import ListNotations.

(** [related q p]: state p of T stands for state q of R. Where R has no rule, T has none if [too]. *)
Definition follows (too : Prop) (related : state -> state -> Prop) (R T : table) : Prop :=
  related 0%N 0%N /\
  forall q p x, related q p ->
    match R q x with
    | Some (w, m, q') => exists p', T p x = Some (w, m, p') /\ related q' p'
    | None => too -> T p x = None
    end.

Lemma follows_back (related : state -> state -> Prop) R T :
  follows True related R T -> follows True (fun p q => related q p) T R.
Proof.
  intros [H0 H]. split; [exact H0|]. intros p q x Hr. specialize (H q p x Hr).
  destruct (R q x) as [[[w m] q']|].
  - destruct H as (p' & -> & H). eauto.
  - rewrite (H Logic.I). intros _. reflexivity.
Qed.

Section Follows.
  Variables (too : Prop) (related : state -> state -> Prop) (R T : table).
  Hypothesis F : follows too related R T.

  Definition alike (c d : config) : Prop :=
    related (st c) (st d) /\ hx d = hx c /\ hy d = hy c /\ cells d = cells c.

  Lemma alike_reads c d : alike c d -> reads d = reads c.
  Proof. intros (_ & Hx & Hy & Hc). unfold reads. rewrite Hx, Hy, Hc. reflexivity. Qed.

  Lemma alike_acts c d : alike c d ->
    match acts R c with
    | Some (w, m, q) => exists p, acts T d = Some (w, m, p) /\ related q p
    | None => too -> acts T d = None
    end.
  Proof. intros H. unfold acts. rewrite (alike_reads _ _ H). apply F, H. Qed.

  Lemma alike_runs w x y n : forall c, run R n (start w x y) = Some c ->
    exists d, run T n (start w x y) = Some d /\ alike c d.
  Proof.
    induction n as [|n IH]; simpl; intros c H.
    - injection H as <-. eexists. split; [reflexivity|]. unfold alike. simpl. repeat split; try reflexivity. apply F.
    - destruct (run R n (start w x y)) as [c0|]; [|discriminate]. destruct (IH _ eq_refl) as (d0 & -> & A).
      pose proof (alike_acts _ _ A) as Ha. pose proof (alike_reads _ _ A) as Hr. destruct A as (_ & Ex & Ey & Ec).
      unfold step in *. destruct (acts R c0) as [[[s m] q]|]; [|discriminate]. destruct Ha as (p & -> & Hq).
      injection H as <-. eexists. split; [reflexivity|]. unfold alike. simpl. rewrite Ex, Ey, Ec. auto.
  Qed.

  Lemma does_what_follows k L w x y : (k = Same -> too) -> does_what k L R w x y -> does_what k L T w x y.
  Proof.
    intros Hk H n cl Hrun Hno. destruct (H n cl Hrun Hno) as (cr & Hr & Ex & Ey & Ec & Hs).
    destruct (alike_runs w x y n cr Hr) as (d & Hd & A). exists d. split; [exact Hd|].
    pose proof (alike_acts _ _ A) as Ha. destruct A as (_ & Dx & Dy & Dc).
    repeat split; try congruence. destruct (acts L cl) as [[[s m] p]|].
    - destruct (acts R cr) as [[[s' m'] q]|]; [|discriminate]. destruct Ha as (p' & -> & _). exact Hs.
    - destruct k; auto. rewrite Hs in Ha. auto.
  Qed.

  Lemma alike_after r : forall q p q', related q p -> after R q r = Some q' ->
    exists p', after T p r = Some p' /\ related q' p'.
  Proof.
    induction r as [|s r IH]; simpl; intros q p q' Hr H; [injection H as <-; eauto|].
    pose proof (proj2 F q p s Hr) as Hs. destruct (R q s) as [[[w m] q1]|]; [|discriminate].
    destruct Hs as (p1 & -> & H1). eauto.
  Qed.

  Lemma reads_follow k n L : (k = Same -> too) -> reads_alike k n L R -> reads_alike k n L T.
  Proof.
    intros Hk H r s Hf Hg. destruct (H r s Hf Hg) as (p & q & Hp & Hq & Hs).
    destruct (alike_after r _ _ _ (proj1 F) Hq) as (q' & Hq' & Hrel). exists p, q'. repeat split; try assumption.
    pose proof (proj2 F q q' s Hrel) as Ha. destruct (L p s) as [[[a b] p1]|].
    - destruct (R q s) as [[[w m] q1]|]; [|discriminate]. destruct Ha as (p2 & -> & _). exact Hs.
    - destruct k; auto. rewrite Hs in Ha. auto.
  Qed.
End Follows.

Lemma observed_follows related n L R T : follows True related R T -> observed_alike n L R -> observed_alike n L T.
Proof.
  intros F H r s q e Hf Hg Ha He. pose proof (follows_back _ _ _ F) as B.
  destruct (alike_after _ _ _ _ B r _ _ _ (proj1 B) Ha) as (q' & Hq' & Hrel). cbv beta in Hrel.
  pose proof (proj2 F _ _ s Hrel) as Hs.
  destruct (R q' s) as [[[w m] q1]|] eqn:E; [|rewrite Hs in He; [discriminate | exact Logic.I]].
  destruct Hs as (p1 & Hp1 & _). destruct (H r s q' _ Hf Hg Hq' E) as (p & Hp & Hd). exists p. split; [exact Hp|].
  destruct (L p s); [|exact Logic.I]. rewrite Hp1. rewrite E in Hd. exact Hd.
Qed.

Theorem equivalent_follows too related k n s L R T : follows too related R T ->
  (asks_for_stops k s = true -> too) -> equivalent k n s L R -> equivalent k n s L T.
Proof.
  intros F Hk. assert (HS : k = Same -> too) by (intros ->; apply Hk; reflexivity). destruct s; simpl.
  - intros H w x y Hw. eapply does_what_follows; eauto.
  - intros H parts Hd. eapply does_what_follows; eauto.
  - eapply reads_follow; eauto.
  - apply observed_follows with related. destruct F as [F0 F]. split; [exact F0|]. intros q p x Hr.
    specialize (F q p x Hr).
    destruct (R q x); [exact F|]. intros _. apply F, Hk. destruct k; reflexivity.
Qed.
