(** (V18): rules that no run on a declared input uses. Without them LEFT does the same, if it is never stuck. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Totals.
Import ListNotations.

Definition is_pair (a b : state * symbol) : bool := (fst a =? fst b)%N && (snd a =? snd b)%N.
Definition without (pairs : list (state * symbol)) (r : rules) : rules := filter (fun e => negb (existsb (is_pair (fst e)) pairs)) r.
Lemma without_fewer pairs r p s e : table_of (without pairs r) p s = Some e -> table_of r p s = Some e.
Proof.
  induction r as [|[[a b] e'] r IH]; [discriminate|]. cbn [without filter fst]. destruct (existsb (is_pair (a, b)) pairs) eqn:E; cbn [negb table_of].
  - intros H. destruct (N.eqb_spec p a) as [->|], (N.eqb_spec s b) as [->|]; cbn [andb]; try (apply IH; exact H).
    exfalso. clear IH. induction r as [|[[a' b'] e''] r IHr]; [discriminate|]. cbn [without filter fst] in H.
    destruct (existsb (is_pair (a', b')) pairs) eqn:E'; cbn [negb] in H; [exact (IHr H)|]. cbn [table_of] in H.
    destruct (N.eqb_spec a a') as [->|], (N.eqb_spec b b') as [->|]; cbn [andb] in H; try exact (IHr H). congruence.
  - destruct ((p =? a)%N && (s =? b)%N); [exact (fun H => H) | apply IH].
Qed.

Section Fewer.
  Variables T' T : table.
  Hypothesis fewer : forall p s e, T' p s = Some e -> T p s = Some e.
  Lemma acts_fewer c e : acts T' c = Some e -> acts T c = Some e.
  Proof. apply fewer. Qed.
  Lemma halts_fewer c : halts T' c -> halts T c.
  Proof. intros [p H]. exists p. apply acts_fewer. exact H. Qed.
  Lemma run_fewer s n : forall c, run T' n s = Some c -> run T n s = Some c.
  Proof.
    induction n as [|n IH]; intros c H; [exact H|]. cbn [run] in *. destruct (run T' n s) as [d|] eqn:E; [|discriminate]. rewrite (IH d eq_refl).
    unfold step in *. destruct (acts T' d) as [e|] eqn:Ea; [|discriminate]. rewrite (acts_fewer d e Ea). exact H.
  Qed.

  Variable w : world.
  Hypothesis never : does_what Never T' T' w 0 0.
  Lemma same_run n : forall c, run T n (start w 0 0) = Some c -> (forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) ->
    run T' n (start w 0 0) = Some c /\ acts T' c = acts T c.
  Proof.
    assert (Same : forall n c, run T' n (start w 0 0) = Some c -> (forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) -> acts T' c = acts T c).
    { intros k c Hr Hno. destruct (acts T' c) as [e|] eqn:E; [symmetry; apply acts_fewer; exact E|]. exfalso.
      destruct (never k c Hr) as (c' & _ & _ & _ & _ & K); [|rewrite E in K; exact K].
      intros i d Hi Hd Hh. apply (Hno i d Hi); [apply run_fewer; exact Hd | apply halts_fewer; exact Hh]. }
    induction n as [|n IH]; intros c Hr Hno; [injection Hr as <-; split; [reflexivity | apply (Same 0%nat); [reflexivity | lia]]|].
    cbn [run] in Hr. destruct (run T n (start w 0 0)) as [d|] eqn:E; [|discriminate].
    destruct (IH d eq_refl) as [Hd Ha]; [intros i c' Hi; apply Hno; lia|].
    assert (R : run T' (S n) (start w 0 0) = Some c) by (cbn [run]; rewrite Hd; unfold step in *; rewrite Ha; exact Hr).
    split; [exact R | exact (Same (S n) c R Hno)].
  Qed.
  Lemma none_halts n : (forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) ->
    forall i d, (i < n)%nat -> run T' i (start w 0 0) = Some d -> ~ halts T' d.
  Proof. intros H i d Hi Hd Hh. apply (H i d Hi); [apply run_fewer; exact Hd | apply halts_fewer; exact Hh]. Qed.
  Lemma does_fewer R : does_what Never T' R w 0 0 -> does_what Never T R w 0 0.
  Proof.
    intros A n c Hr Hno. destruct (same_run n c Hr Hno) as [Hr' Ha]. rewrite <- Ha. exact (A n c Hr' (none_halts n Hno)).
  Qed.
  Lemma halts_after_fewer n c : halts_after T n w 0 0 c -> halts_after T' n w 0 0 c.
  Proof.
    intros (Hr & Hh & Hno). destruct (same_run n c Hr Hno) as [Hr' Ha]. split; [exact Hr'|]. split; [|exact (none_halts n Hno)].
    destruct Hh as [p Hp]. exists p. rewrite Ha. exact Hp.
  Qed.
End Fewer.
