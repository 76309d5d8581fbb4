(** (V4) for sequences of reads: windows that know no cell are pairs of states. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows.
Import ListNotations.

Lemma goes_on_step L p a r s : goes_on L p (a :: r ++ [s]) ->
  match L p a with
  | Some (s', m, p') => ~ (s' = a /\ m = MS) /\ goes_on L p' (r ++ [s])
  | None => False
  end.
Proof. simpl. destruct (r ++ [s]) eqn:E; [destruct r; discriminate | auto]. Qed.

Lemma pair_goes_on k L R (P : state -> state -> Prop) p q a r s s' m' q' : R q a = Some (s', m', q') ->
  match joint_step k L R p q a with Bad => False | Done => True | Go _ _ p' q' => P p' q' end ->
  goes_on L p (a :: r ++ [s]) -> exists s1 m1 p1, L p a = Some (s1, m1, p1) /\ P p1 q' /\ goes_on L p1 (r ++ [s]).
Proof.
  intros ER K Hg. apply goes_on_step in Hg. unfold joint_step, joint_of in K. rewrite ER in K.
  destruct (L p a) as [[[s1 m1] p1]|]; [|contradiction]. destruct Hg as [Hn Hg].
  destruct ((s1 =? s')%N && move_eqb m1 m'); [|contradiction].
  destruct ((s1 =? a)%N && move_eqb m1 MS) eqn:E; [|eauto 6].
  exfalso. apply Hn. apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1. apply move_eqb_eq in E2. auto.
Qed.

Section Sound.
  Variables (k : stuckness) (n : N) (L R : table) (P : state -> state -> Prop).
  Hypothesis closed : forall p q s, P p q -> (s < n)%N ->
    match joint_step k L R p q s with Bad => False | Done => True | Go _ _ p' q' => P p' q' end.

  Lemma pairs_reads r : forall s p q, P p q -> Forall (fun a => (a < n)%N) (r ++ [s]) -> goes_on L p (r ++ [s]) ->
    exists p' q', after L p r = Some p' /\ after R q r = Some q' /\ P p' q'.
  Proof.
    induction r as [|a r IH]; intros s p q HP Hs Hg; simpl.
    - exists p, q. auto.
    - inversion Hs as [|? ? Ha Hr]; subst.
      pose proof (closed _ _ _ HP Ha) as K. destruct (R q a) as [[[s2 m2] q2]|] eqn:ER.
      + destruct (pair_goes_on _ _ _ _ _ _ _ _ _ _ _ _ ER K Hg) as (s1 & m1 & p1 & -> & HP' & Hg'). eapply IH; eauto.
      + apply goes_on_step in Hg. unfold joint_step, joint_of in K. rewrite ER in K.
        destruct (L p a) as [[[? ?] ?]|]; contradiction.
  Qed.

  Lemma pairs_alike : P 0%N 0%N -> reads_alike k n L R.
  Proof.
    intros H0 r s Hs Hg. destruct (pairs_reads r s _ _ H0 Hs Hg) as (p & q & HL & HR & HP).
    exists p, q. split; [exact HL|]. split; [exact HR|].
    assert (Ha : (s < n)%N) by (apply Forall_app in Hs as [_ Hs]; inversion Hs; assumption).
    pose proof (closed _ _ _ HP Ha) as K. unfold joint_step, joint_of in K.
    destruct (L p s) as [[[s1 m1] p1]|].
    - destruct (R q s) as [[[s2 m2] q2]|]; [|contradiction].
      destruct ((s1 =? s2)%N && move_eqb m1 m2) eqn:E1; [|contradiction].
      apply andb_true_iff in E1 as [Es Em]. apply N.eqb_eq in Es. apply move_eqb_eq in Em. subst. reflexivity.
    - destruct k; [exact Logic.I | | contradiction]. destruct (R q s); [contradiction | reflexivity].
  Qed.
End Sound.

Section Observed.
  Variables (n : N) (L R : table) (P : state -> state -> Prop).
  Hypothesis closed : forall p q s, P p q -> (s < n)%N ->
    match observed_step true Unasked L R p q s with Bad => False | Done => True | Go _ _ p' q' => P p' q' end.

  Lemma observed_reads r : forall s p q q', P p q -> Forall (fun a => (a < n)%N) (r ++ [s]) ->
    goes_on L p (r ++ [s]) -> after R q r = Some q' -> exists p', after L p r = Some p' /\ P p' q'.
  Proof.
    induction r as [|a r IH]; intros s p q q' HP Hs Hg Hq; simpl in *.
    - injection Hq as <-. eauto.
    - inversion Hs as [|? ? Ha Hr]; subst.
      pose proof (closed _ _ _ HP Ha) as K. unfold observed_step in K.
      destruct (R q a) as [[[s2 m2] q2]|] eqn:ER; [|discriminate].
      assert (K' : match joint_step Unasked L R p q a with Bad => False | Done => True | Go _ _ p' q' => P p' q' end)
        by (destruct (L p a); exact K).
      destruct (pair_goes_on _ _ _ _ _ _ _ _ _ _ _ _ ER K' Hg) as (s1 & m1 & p1 & -> & HP' & Hg'). eapply IH; eauto.
  Qed.

  Lemma observed_alike_pairs : P 0%N 0%N -> observed_alike n L R.
  Proof.
    intros H0 r s q e Hs Hg Hq He. destruct (observed_reads r s _ _ _ H0 Hs Hg Hq) as (p & HL & HP).
    exists p. split; [exact HL|].
    assert (Ha : (s < n)%N) by (apply Forall_app in Hs as [_ Hs]; inversion Hs; assumption).
    pose proof (closed _ _ _ HP Ha) as K. unfold observed_step, joint_step, joint_of in K. rewrite He in *.
    destruct (L p s) as [[[s1 m1] p1]|]; [|exact Logic.I]. destruct e as [[s2 m2] q2].
    destruct ((s1 =? s2)%N && move_eqb m1 m2) eqn:E1; [|contradiction].
    apply andb_true_iff in E1 as [Es Em]. apply N.eqb_eq in Es. apply move_eqb_eq in Em. subst. reflexivity.
  Qed.
End Observed.

Lemma windows_closed observed k n left right elements : check_windows observed k n left right None elements = true ->
  exists P : state -> state -> Prop, P 0%N 0%N /\
    forall p q s, P p q -> (s < n)%N ->
      match observed_step observed k (table_of left) (table_of right) p q s with
      | Bad => False | Done => True | Go _ _ p' q' => P p' q' end.
Proof.
  intros H. unfold check_windows in H. set (els := map written_one_way elements) in H. clearbody els.
  apply andb_true_iff in H as [H Hall]. apply andb_true_iff in H as [_ Hst]. rewrite forallb_forall in Hall.
  apply is_member_sound in Hst; [|exact element_eqb_eq]. exists (fun p q => In (p, q, []) els). split; [exact Hst|].
  intros p q s Hin Hs. specialize (Hall _ Hin). cbn [element_ok symbols_under under_head find] in Hall.
  rewrite forallb_forall in Hall. specialize (Hall s (in_below _ _ Hs)). unfold observed_step, joint_step in *.
  rewrite !find_rows in Hall. destruct (match table_of left p s with Some _ => _ | None => _ end);
    [discriminate | exact Logic.I | apply is_member_sound in Hall; [exact Hall | exact element_eqb_eq]].
Qed.

Theorem check_reads_sound : forall k n left right elements,
  check_windows false k n left right None elements = true -> reads_alike k n (table_of left) (table_of right).
Proof.
  intros k n left right elements H. apply windows_closed in H as (P & H0 & H).
  apply pairs_alike with (P := P); [|exact H0]. intros p q s HP Hs. specialize (H p q s HP Hs).
  rewrite all_observed in H. exact H.
Qed.

Theorem check_observed_sound : forall n left right elements,
  check_windows true Unasked n left right None elements = true -> observed_alike n (table_of left) (table_of right).
Proof.
  intros n left right elements H. apply windows_closed in H as (P & H0 & H). eapply observed_alike_pairs; eauto.
Qed.
