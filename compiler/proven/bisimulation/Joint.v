(** One step of both sides, and the induction that every kind of evidence shares. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement.
Import ListNotations.

Definition move_eqb (a b : move) : bool :=
  match a, b with MU, MU | MD, MD | ML, ML | MR, MR | MS, MS => true | _, _ => false end.
Lemma move_eqb_eq a b : move_eqb a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Inductive joint := Bad | Done | Go (s : symbol) (m : move) (p q : state).

Definition joint_of (k : stuckness) (s : symbol) (l r : option entry) : joint :=
  match l with
  | None => match k with
            | Unasked => Done
            | Never => Bad
            | Same => match r with None => Done | Some _ => Bad end
            end
  | Some (s1, m1, p) =>
      match r with
      | None => Bad
      | Some (s2, m2, q) =>
          if ((s1 =? s2)%N && move_eqb m1 m2) then
            if ((s1 =? s)%N && move_eqb m1 MS) then Done else Go s1 m1 p q
          else Bad
      end
  end.

Definition joint_step (k : stuckness) (L R : table) (p q : state) (s : symbol) : joint :=
  joint_of k s (L p s) (R q s).

(** With [observed], nothing is asked where RIGHT has no entry. *)
Definition observed_step (observed : bool) (k : stuckness) (L R : table) (p q : state) (s : symbol) : joint :=
  match L p s, R q s with
  | Some _, None => if observed then Done else Bad
  | _, _ => joint_step k L R p q s
  end.
Lemma all_observed k L R p q s : observed_step false k L R p q s = joint_step k L R p q s.
Proof. unfold observed_step, joint_step, joint_of. destruct (L p s) as [[[? ?] ?]|], (R q s); reflexivity. Qed.

Lemma joint_go k L R p q s s' m p' q' : joint_step k L R p q s = Go s' m p' q' ->
  L p s = Some (s', m, p') /\ R q s = Some (s', m, q') /\ ~ (s' = s /\ m = MS).
Proof.
  unfold joint_step, joint_of.
  destruct (L p s) as [[[s1 m1] p1]|], (R q s) as [[[s2 m2] q2]|]; try (destruct k; discriminate).
  destruct ((s1 =? s2)%N && move_eqb m1 m2) eqn:E; [|discriminate].
    destruct ((s1 =? s)%N && move_eqb m1 MS) eqn:E2; [discriminate|]. intros H. injection H as -> -> -> ->.
    apply andb_true_iff in E as [E1 E3]. apply N.eqb_eq in E1. apply move_eqb_eq in E3. subst.
    repeat split; auto. intros [-> ->]. rewrite N.eqb_refl in E2. discriminate.
Qed.

Lemma joint_done k L R p q s : joint_step k L R p q s = Done ->
  L p s = None \/ exists p', L p s = Some (s, MS, p').
Proof.
  unfold joint_step, joint_of. destruct (L p s) as [[[s1 m1] p1]|]; [|left; reflexivity].
  destruct (R q s) as [[[s2 m2] q2]|]; [|discriminate].
  destruct ((s1 =? s2)%N && move_eqb m1 m2); [|discriminate].
  destruct ((s1 =? s)%N && move_eqb m1 MS) eqn:E; [|discriminate]. intros _. right. exists p1.
  apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1. apply move_eqb_eq in E2. subst. reflexivity.
Qed.

Lemma run_S T n c : run T (S n) c = match step T c with Some c' => run T n c' | None => None end.
Proof.
  induction n as [|n IH]; [simpl; destruct (step T c); reflexivity|].
  change (run T (S (S n)) c) with (match run T (S n) c with Some c' => step T c' | None => None end).
  rewrite IH. destruct (step T c); reflexivity.
Qed.

Section Invariant.
  Variables (k : stuckness) (L R : table).
  Variable I : state -> state -> Z -> Z -> world -> Prop.
  Hypothesis keeps : forall p q x y w, I p q x y w ->
    match joint_step k L R p q (w x y) with
    | Bad => False
    | Done => True
    | Go s m p' q' => I p' q' (x + dx m)%Z (y + dy m)%Z (put w x y s)
    end.

  Lemma invariant_runs w x y : I 0%N 0%N x y w ->
    forall n cl, run L n (start w x y) = Some cl ->
      (forall i c, (i < n)%nat -> run L i (start w x y) = Some c -> ~ halts L c) ->
      exists q, run R n (start w x y) = Some (Config q (hx cl) (hy cl) (cells cl)) /\
                I (st cl) q (hx cl) (hy cl) (cells cl).
  Proof.
    intros H0 n. induction n as [|n IH]; intros cl Hrun Hno.
    - injection Hrun as <-. exists 0%N. split; [reflexivity | exact H0].
    - simpl in Hrun. destruct (run L n (start w x y)) as [c|] eqn:E; [|discriminate].
      destruct (IH c eq_refl) as (q & Hr & HI).
      { intros i c' Hi Hc'. apply (Hno i c'); [lia | exact Hc']. }
      pose proof (keeps _ _ _ _ _ HI) as K. unfold joint_step, joint_of in K.
      assert (NH : ~ halts L c) by (apply (Hno n c); [lia | exact E]).
      unfold step, acts, reads in Hrun.
      destruct (L (st c) (cells c (hx c) (hy c))) as [[[s1 m1] p1]|] eqn:EL; [|discriminate].
      injection Hrun as <-. cbn [hx hy cells st] in *.
      destruct (R q (cells c (hx c) (hy c))) as [[[s2 m2] q2]|] eqn:ER; [|contradiction].
      destruct ((s1 =? s2)%N && move_eqb m1 m2) eqn:E1; [|contradiction].
      apply andb_true_iff in E1 as [Es Em]. apply N.eqb_eq in Es. apply move_eqb_eq in Em. subst s2 m2.
      destruct ((s1 =? cells c (hx c) (hy c))%N && move_eqb m1 MS) eqn:E2.
      { exfalso. apply NH. apply andb_true_iff in E2 as [Es Em].
        apply N.eqb_eq in Es. apply move_eqb_eq in Em. subst.
        exists p1. unfold acts, reads. exact EL. }
      exists q2. split; [|exact K].
      cbn [run]. rewrite Hr. unfold step, acts, reads. cbn. rewrite ER. reflexivity.
  Qed.

  Theorem invariant_sound w x y : I 0%N 0%N x y w -> does_what k L R w x y.
  Proof.
    intros H0 n cl Hrun Hno.
    destruct (invariant_runs w x y H0 n cl Hrun Hno) as (q & Hr & HI).
    eexists. split; [exact Hr|]. cbn. repeat split.
    pose proof (keeps _ _ _ _ _ HI) as K. unfold joint_step, joint_of in K.
    unfold acts, reads. cbn.
    destruct (L (st cl) (cells cl (hx cl) (hy cl))) as [[[s1 m1] p1]|].
    - destruct (R q (cells cl (hx cl) (hy cl))) as [[[s2 m2] q2]|]; [|contradiction].
      destruct ((s1 =? s2)%N && move_eqb m1 m2) eqn:E1; [|contradiction].
      apply andb_true_iff in E1 as [Es Em]. apply N.eqb_eq in Es. apply move_eqb_eq in Em. subst. reflexivity.
    - destruct k; [exact Logic.I | | contradiction].
      destruct (R q (cells cl (hx cl) (hy cl))); [contradiction | reflexivity].
  Qed.
End Invariant.
