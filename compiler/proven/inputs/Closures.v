(** Exploring what can be reached, and checking that nothing was left out. *)
From Coq Require Import NArith List Bool.
From Gridlang Require Import Statement Maps.
Import ListNotations.

Section Closure.
  Variables (A : Type) (hash : A -> positive) (eqb : A -> A -> bool).
  Hypothesis eqb_eq : forall a b, eqb a b = true -> a = b.
  Variable next : A -> option (list A).                (* None where something is wrong *)

  Definition progress : Type := list A * buckets A * list A.   (* to do; what was seen, by hash and as a list *)
  Definition explore_one (s : progress) : progress :=
    let '(todo, known, seen) := s in
    match todo with
    | [] => s
    | a :: todo =>
        if is_member A hash eqb known a then (todo, known, seen)
        else
          let h := hash a in
          let more := match next a with Some l => l | None => [] end in
          (rev_append more todo, PM.add h (a :: bucket A known h) known, a :: seen)
    end.
  (** At most 2 ^ k steps. *)
  Fixpoint explore (k : nat) (s : progress) : progress :=
    match k, fst (fst s) with
    | _, [] => s
    | O, _ => explore_one s
    | S k, _ => explore k (explore k s)
    end.
  Definition found (k : nat) (firsts : list A) : list A := snd (explore k (firsts, PM.empty _, [])).

  Definition all_right (fuel : nat) (firsts : list A) : bool :=
    let seen := found fuel firsts in
    let known := members A hash seen in
    forallb (is_member A hash eqb known) firsts &&
    forallb (fun a => match next a with Some l => forallb (is_member A hash eqb known) l | None => false end) seen.

  Lemma all_right_found fuel firsts : all_right fuel firsts = true ->
    (forall a, In a firsts -> In a (found fuel firsts)) /\
    forall a, In a (found fuel firsts) -> exists l, next a = Some l /\ forall b, In b l -> In b (found fuel firsts).
  Proof.
    unfold all_right. set (seen := found _ _). intros H. apply andb_true_iff in H as [H1 H2].
    rewrite forallb_forall in H1, H2. split.
    - intros a Ha. eapply is_member_sound; eauto.
    - intros a Ha. specialize (H2 a Ha). destruct (next a) as [l|]; [|discriminate].
      rewrite forallb_forall in H2. exists l. split; [reflexivity|]. intros b Hb. eapply is_member_sound; eauto.
  Qed.
  Lemma all_right_sound fuel firsts : all_right fuel firsts = true ->
    exists S : list A, (forall a, In a firsts -> In a S) /\
      forall a, In a S -> exists l, next a = Some l /\ forall b, In b l -> In b S.
  Proof. intros H. exists (found fuel firsts). apply all_right_found. exact H. Qed.
End Closure.
