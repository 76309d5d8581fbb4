(** (V14): acceptors. LEFT is never stuck where it is said to accept; with its ends exchanged, it is never stuck
    elsewhere. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Totals Joint Maps Forbidden.
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

(** * The checker *)
Definition also (i : inputs) (e : expression) : inputs := Declared (i_pieces i) (i_digits i) (e :: i_where i).
(** By evidence of some kind that an agent is never stuck on inputs. *)
Definition check_acceptance {Shape} (shows : inputs -> rules -> Shape -> bool) (n states : N) (left : rules)
  (o : output_clause) (accept stuck : Shape) : bool :=
  shows (also (o_inputs o) (o_value o)) left accept &&
    shows (also (o_inputs o) (Not (o_value o))) (exchanged states n left) stuck.

Lemma declared_also i e parts : declared i parts -> value_on i e parts <> Some (Truth false) ->
  declared (also i e) parts.
Proof. intros [Hm Hw] He. split; [exact Hm|]. intros e' [<-|H]; [exact He | exact (Hw e' H)]. Qed.

Theorem check_acceptance_sound {Shape} (shows : inputs -> rules -> Shape -> bool) n states left o accept stuck :
  (forall i r e, shows i r e = true -> forall parts, declared i parts ->
    does_what Never (table_of r) (table_of r) (input_world (concat parts)) 0 0) ->
  check_acceptance shows n states left o accept stuck = true ->
  (forall parts, declared (o_inputs o) parts -> ends (table_of left) (input_world (concat parts)) 0 0) ->
  ends_as_said (table_of left) o.
Proof.
  intros Shown H Hends parts Hd. apply andb_true_iff in H as [Ha Hs].
  destruct (first_end _ _ _ _ (Hends parts Hd)) as (k & c & Hr & He & Hno).
  assert (A : value_of o parts <> Some (Truth false) -> halts (table_of left) c).
  { intros Hv. destruct He as [He|He]; [|exact He]. exfalso.
    destruct (Shown _ _ _ Ha parts (declared_also _ _ _ Hd Hv) k c Hr Hno) as (cr & _ & _ & _ & _ & K).
    rewrite He in K. exact K. }
  assert (B : value_of o parts <> Some (Truth true) -> acts (table_of left) c = None).
  { intros Hv. destruct He as [He|He]; [exact He|]. exfalso. revert He. eapply never_halts; [|exact Hr | exact Hno].
    eapply Shown; [exact Hs|]. apply declared_also; [exact Hd|]. unfold value_on. cbn [evaluate].
    change (evaluate _ _ (o_value o) parts) with (value_of o parts).
    destruct (value_of o parts) as [[?|?|[]]|]; try discriminate. congruence. }
  destruct (value_of o parts) as [[?|?|b]|];
    try (exfalso; destruct (A ltac:(discriminate)) as [p E]; rewrite (B ltac:(discriminate)) in E; discriminate).
  exists b, k, c. split; [reflexivity|]. split; [exact Hr|]. split; [|exact Hno].
  destruct b; [apply A | apply B]; discriminate.
Qed.
