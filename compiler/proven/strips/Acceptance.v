(** (V14): acceptors. What is never stuck with its ends exchanged never halts. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Forbidden.
Import ListNotations.

Lemma table_of_in r p s e : table_of r p s = Some e -> In (p, s, e) r.
Proof.
  induction r as [|[[a b] e'] r IH]; [discriminate|]. cbn [table_of].
  destruct (N.eqb_spec p a), (N.eqb_spec s b); cbn [andb]; try (intros H; right; exact (IH H)).
  intros H. injection H as ->. subst. left. reflexivity.
Qed.
Lemma table_of_app a b p s : table_of (a ++ b) p s = match table_of a p s with Some e => Some e
  | None => table_of b p s end.
Proof. induction a as [|[[p' s'] e] a IH]; [reflexivity|]. cbn [app table_of].
destruct (_ && _); [reflexivity | exact IH]. Qed.

(** * LEFT, stuck where it halts, and halted where it is stuck *)
Definition is_halt (e : state * symbol * entry) : bool := let '(_, s, (s', m, _)) := e in (s' =? s)%N && move_eqb m MS.
Definition rests (T : table) (k : state * symbol) : rules :=
  match T (fst k) (snd k) with None => [(k, (snd k, MS, fst k))] | Some _ => [] end.
Definition exchanged (states n : N) (left : rules) : rules :=
  without (map fst (filter is_halt left)) left ++
  flat_map (rests (find_rule (rows_of left))) (list_prod (below states) (below n)).

Section Exchanged.
  Variables (states n : N) (left : rules).
  Notation T := (table_of left).
  Notation T' := (table_of (exchanged states n left)).
  Lemma exchanged_known p s e : T p s = Some e -> T' p s = table_of (without (map fst (filter is_halt left)) left) p s.
  Proof.
    intros H. unfold exchanged. rewrite table_of_app. destruct (table_of (without _ _) p s); [reflexivity|].
    induction (list_prod (below states) (below n)) as [|[a b] l IH]; [reflexivity|]. cbn [flat_map].
    rewrite table_of_app, IH.
    unfold rests. rewrite find_rows. cbn [fst snd]. destruct (table_of left a b) eqn:E; [reflexivity|]. cbn [table_of].
    destruct (N.eqb_spec p a), (N.eqb_spec s b); try reflexivity. subst. congruence.
  Qed.
  Lemma exchanged_forbids p s : T' p s = T p s \/ T' p s = None \/ T p s = None.
  Proof.
    destruct (T p s) as [e|] eqn:E; [|auto]. rewrite (exchanged_known p s e E).
    destruct (table_of (without _ _) p s) eqn:E'; [|auto].
    apply without_fewer in E'. left. congruence.
  Qed.
  Lemma never_halts w k c : does_what Never T' T' w 0 0 -> run T k (start w 0 0) = Some c ->
    (forall i d, (i < k)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d) -> ~ halts T c.
  Proof.
    intros A Hr Hno [p H]. destruct (same_run T' T exchanged_forbids w A k c Hr Hno) as [_ K]. apply K.
    unfold acts in *.
    rewrite (exchanged_known _ _ _ H). destruct (table_of (without _ _) _ _) as [e|] eqn:E; [|reflexivity]. exfalso.
    apply table_of_in, filter_In in E as [_ E]. apply negb_true_iff in E. cbn [fst] in E.
    assert (X : existsb (is_pair (st c, reads c)) (map fst (filter is_halt left)) = true); [|congruence].
    apply existsb_exists. exists (st c, reads c). split; [|unfold is_pair; rewrite !N.eqb_refl; reflexivity].
    apply in_map_iff. exists (st c, reads c, (reads c, MS, p)). split; [reflexivity|]. apply filter_In.
    split; [apply table_of_in; exact H | cbn; rewrite N.eqb_refl; reflexivity].
  Qed.
End Exchanged.
