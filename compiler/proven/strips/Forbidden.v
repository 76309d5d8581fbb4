(** (V14), (V18): what an agent never does on a world, as it is never stuck there when that is forbidden. *)
From Coq Require Import ZArith NArith List Bool Lia Wf_nat.
From Gridlang Require Import Statement Totals.
Import ListNotations.

Definition is_pair (a b : state * symbol) : bool := (fst a =? fst b)%N && (snd a =? snd b)%N.
Definition without (pairs : list (state * symbol)) (r : rules) : rules :=
  filter (fun e => negb (existsb (is_pair (fst e)) pairs)) r.
Lemma without_fewer pairs r p s e : table_of (without pairs r) p s = Some e -> table_of r p s = Some e.
Proof.
  induction r as [|[[a b] e'] r IH]; [discriminate|]. cbn [without filter fst].
  destruct (existsb (is_pair (a, b)) pairs) eqn:E; cbn [negb table_of].
  - intros H. destruct (N.eqb_spec p a) as [->|], (N.eqb_spec s b) as [->|]; cbn [andb]; try (apply IH; exact H).
    exfalso. clear IH. induction r as [|[[a' b'] e''] r IHr]; [discriminate|]. cbn [without filter fst] in H.
    destruct (existsb (is_pair (a', b')) pairs) eqn:E'; cbn [negb] in H; [exact (IHr H)|]. cbn [table_of] in H.
    destruct (N.eqb_spec a a') as [->|], (N.eqb_spec b b') as [->|]; cbn [andb] in H; try exact (IHr H). congruence.
  - destruct ((p =? a)%N && (s =? b)%N); [exact (fun H => H) | apply IH].
Qed.

Section Forbidden.
  Variables T' T : table.
  Hypothesis forbids : forall p s, T' p s = T p s \/ T' p s = None \/ T p s = None.
  Variable w : world.
  Hypothesis never : does_what Never T' T' w 0 0.

  Lemma same_run n : forall c, run T n (start w 0 0) = Some c ->
    (forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) ->
    run T' n (start w 0 0) = Some c /\ acts T' c <> None.
  Proof.
    induction n as [n IH] using lt_wf_ind. intros c Hr Hno.
    assert (Same : forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> acts T d <> None ->
              run T' i (start w 0 0) = Some d /\ acts T' d = acts T d).
    { intros i d Hi Hd Ha. destruct (IH i Hi d Hd) as [H1 H2]; [intros j e Hj; apply Hno; lia|]. split; [exact H1|].
      destruct (forbids (st d) (reads d)) as [E|[E|E]]; [exact E | elim (H2 E) | elim (Ha E)]. }
    assert (Hr' : run T' n (start w 0 0) = Some c).
    { destruct n as [|n]; [exact Hr|]. cbn [run] in *. destruct (run T n (start w 0 0)) as [d|] eqn:E; [|discriminate].
      destruct (acts T d) as [e|] eqn:Ea; [|unfold step in Hr; rewrite Ea in Hr; discriminate].
      destruct (Same n d (Nat.lt_succ_diag_r n) E ltac:(congruence)) as [H1 H2]. rewrite H1. unfold step in *.
      rewrite H2. exact Hr. }
    split; [exact Hr'|]. intros Ha. destruct (never n c Hr') as (cr & _ & _ & _ & _ & K); [|rewrite Ha in K; exact K].
    intros i d Hi Hd [p Hh]. destruct (run_prefix T _ i n c Hr Hi) as (d' & Hd' & Ha').
    destruct (Same i d' Hi Hd' Ha') as [H1 H2]. assert (d' = d) by congruence. subst d'.
    apply (Hno i d Hi Hd'). exists p. congruence.
  Qed.
End Forbidden.

(** An agent does what it does without some rules, if it is never stuck without them. *)
Section Fewer.
  Variables T' T : table.
  Hypothesis fewer : forall p s e, T' p s = Some e -> T p s = Some e.
  Lemma halts_fewer c : halts T' c -> halts T c.
  Proof. intros [p H]. exists p. apply fewer. exact H. Qed.
  Lemma run_fewer s n : forall c, run T' n s = Some c -> run T n s = Some c.
  Proof.
    induction n as [|n IH]; intros c H; [exact H|]. cbn [run] in *.
    destruct (run T' n s) as [d|] eqn:E; [|discriminate].
    rewrite (IH d eq_refl). unfold step in *. destruct (acts T' d) as [e|] eqn:Ea; [|discriminate].
    unfold acts in *. rewrite (fewer _ _ _ Ea). exact H.
  Qed.

  Variable w : world.
  Hypothesis never : does_what Never T' T' w 0 0.
  Lemma acts_same n c : run T n (start w 0 0) = Some c ->
    (forall i d, (i < n)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) ->
    run T' n (start w 0 0) = Some c /\ acts T' c = acts T c /\
    forall i d, (i < n)%nat -> run T' i (start w 0 0) = Some d -> ~ halts T' d.
  Proof.
    intros Hr Hno. destruct (same_run T' T) with (w := w) (n := n) (c := c) as [Hr' Ha]; auto.
    { intros p s. destruct (T' p s) as [e|] eqn:E; [left; symmetry; apply fewer; exact E | auto]. }
    split; [exact Hr'|].
    split; [|intros i d Hi Hd Hh; apply (Hno i d Hi); [apply run_fewer; exact Hd | apply halts_fewer; exact Hh]].
    unfold acts in *. destruct (T' (st c) (reads c)) as [e|] eqn:E; [symmetry; apply fewer; exact E | congruence].
  Qed.
  Lemma does_fewer R : does_what Never T' R w 0 0 -> does_what Never T R w 0 0.
  Proof. intros A n c Hr Hno. destruct (acts_same n c Hr Hno) as (Hr' & Ha & Hno'). rewrite <- Ha.
  exact (A n c Hr' Hno'). Qed.
  Lemma halts_after_fewer n c : halts_after T n w 0 0 c -> halts_after T' n w 0 0 c.
  Proof.
    intros (Hr & [p Hp] & Hno). destruct (acts_same n c Hr Hno) as (Hr' & Ha & Hno'). split; [exact Hr'|].
    split; [exists p; rewrite Ha; exact Hp | exact Hno'].
  Qed.
End Fewer.
