(** Derivations: each clause follows from earlier ones, named in the order in which they leave one literal open. *)
From Coq Require Import NArith List Bool.
From Gridlang Require Import Maps.
Import ListNotations.

(** 2 v says that variable v is true, 2 v + 1 that it is false. *)
Definition literal := N.
Definition opposite (l : literal) : literal :=
  match l with N0 => 1%N | Npos xH => 0%N | Npos (xO p) => Npos (xI p) | Npos (xI p) => Npos (xO p) end.
Inductive line := Given (id : N) (c : list literal) | Follows (id : N) (c : list literal) (by_ : list N).

Section Derivation.
  Variables (value : N -> bool) (given : list literal -> bool).
  Definition holds_literal (l : literal) : bool := xorb (N.odd l) (value (N.div2 l)).
  Definition holds_clause (c : list literal) : Prop := exists l, In l c /\ holds_literal l = true.
  Hypothesis given_ok : forall c, given c = true -> holds_clause c.

  Lemma opposite_holds l : holds_literal (opposite l) = negb (holds_literal l).
  Proof.
    unfold holds_literal. destruct l as [|[p|p|]]; cbn; try (destruct (value _); reflexivity).
  Qed.

  Definition clauses := PM.t (list literal).
  Definition literals := PM.t unit.                   (* that are false *)
  Definition is_false (f : literals) (l : literal) : bool := PM.mem (key l) f.
  Fixpoint conflicts (db : clauses) (f : literals) (by_ : list N) : bool :=
    match by_ with
    | [] => false
    | id :: by_ =>
        match PM.find (key id) db with
        | None => false
        | Some c =>
            match filter (fun l => negb (is_false f l)) c with
            | [] => true
            | [l] => conflicts db (PM.add (key (opposite l)) tt f) by_
            | _ => false
            end
        end
    end.
  Fixpoint derives (db : clauses) (lines : list line) : bool :=
    match lines with
    | [] => false
    | Given id c :: lines => given c && derives (PM.add (key id) c db) lines
    | Follows id c by_ :: lines =>
        conflicts db (fold_right (fun l f => PM.add (key l) tt f) (PM.empty _) c) by_ &&
        match c with [] => true | _ => derives (PM.add (key id) c db) lines end
    end.

  Definition all_hold (db : clauses) : Prop := forall id c, PM.find (key id) db = Some c -> holds_clause c.
  Definition all_false (f : literals) : Prop := forall l, is_false f l = true -> holds_literal l = false.

  Lemma add_false f l : all_false f -> holds_literal l = false -> all_false (PM.add (key l) tt f).
  Proof.
    intros Hf Hl l' H. unfold is_false in H. rewrite PM.mem_find in H. destruct (N.eq_dec l' l) as [->|N]; [exact Hl|].
    rewrite PM.gso in H by (intros E; apply key_inj in E; congruence). apply Hf. unfold is_false. rewrite PM.mem_find. exact H.
  Qed.
  Lemma add_holds db id c : all_hold db -> holds_clause c -> all_hold (PM.add (key id) c db).
  Proof.
    intros Hdb Hc id' c' H. destruct (N.eq_dec id' id) as [->|N]; [rewrite PM.gss in H; congruence|].
    rewrite PM.gso in H by (intros E; apply key_inj in E; congruence). eapply Hdb; eauto.
  Qed.
  Lemma conflicts_sound db : all_hold db -> forall by_ f, all_false f -> conflicts db f by_ = true -> False.
  Proof.
    intros Hdb. induction by_ as [|id by_ IH]; intros f Hf H; [discriminate|]. cbn [conflicts] in H.
    destruct (PM.find (key id) db) as [c|] eqn:E; [|discriminate]. apply Hdb in E as (l & Hin & Hl).
    assert (Hopen : In l (filter (fun l => negb (is_false f l)) c)).
    { apply filter_In. split; [exact Hin|]. destruct (is_false f l) eqn:F; [|reflexivity]. apply Hf in F. congruence. }
    destruct (filter _ c) as [|l' [|]]; [contradiction | | discriminate]. destruct Hopen as [->|[]].
    eapply IH; [|exact H]. apply add_false; [exact Hf|]. rewrite opposite_holds, Hl. reflexivity.
  Qed.
  Lemma follows_sound db c by_ : all_hold db ->
    conflicts db (fold_right (fun l f => PM.add (key l) tt f) (PM.empty _) c) by_ = true -> holds_clause c.
  Proof.
    intros Hdb H. destruct (existsb holds_literal c) eqn:E.
    - apply existsb_exists in E as (l & Hl). exists l. exact Hl.
    - exfalso. eapply conflicts_sound; [exact Hdb | | exact H]. clear H. induction c as [|l c IH]; cbn in *.
      + intros l H. unfold is_false in H. rewrite PM.mem_find, PM.gempty in H. discriminate.
      + apply orb_false_iff in E as [E1 E2]. apply add_false; auto.
  Qed.
  Theorem derives_sound lines : derives (PM.empty _) lines = true -> False.
  Proof.
    assert (H : forall db, all_hold db -> derives db lines = true -> False).
    { induction lines as [|[id c|id c by_] lines IH]; intros db Hdb H; [discriminate | |]; cbn [derives] in H;
        apply andb_true_iff in H as [H1 H2].
      - eapply IH; [|exact H2]. apply add_holds; auto.
      - apply (follows_sound _ _ _ Hdb) in H1. destruct c; [destruct H1 as (? & [] & _)|].
        eapply IH; [|exact H2]. apply add_holds; auto. }
    apply H. intros id c E. rewrite PM.gempty in E. discriminate.
  Qed.
End Derivation.
