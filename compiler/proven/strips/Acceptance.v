(** (V14): acceptors. LEFT is never stuck where it is said to accept; with its ends exchanged, it is never stuck elsewhere. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Totals Joint Maps Windows Strips Starts.
Import ListNotations.

(** * Rules by a function *)
Definition rules_by (keys : list (state * symbol)) (f : state -> symbol -> option entry) : rules :=
  flat_map (fun k => match f (fst k) (snd k) with Some e => [(k, e)] | None => [] end) keys.
Lemma rules_by_none keys f p s : f p s = None -> table_of (rules_by keys f) p s = None.
Proof.
  intros H. induction keys as [|[a b] keys IH]; [reflexivity|]. cbn [rules_by flat_map fst snd].
  destruct (f a b) as [e|] eqn:E; [|exact IH]. cbn [app table_of].
  destruct (N.eqb_spec p a), (N.eqb_spec s b); cbn [andb]; try exact IH. subst. congruence.
Qed.
Lemma rules_by_table keys f p s : In (p, s) keys -> table_of (rules_by keys f) p s = f p s.
Proof.
  induction keys as [|[a b] keys IH]; intros H; [contradiction|]. cbn [rules_by flat_map fst snd].
  destruct (f p s) as [e|] eqn:E; [|apply (rules_by_none ((a, b) :: keys)); exact E].
  destruct H as [H|H]; [injection H as -> ->; rewrite E; cbn [app table_of]; rewrite !N.eqb_refl; reflexivity|].
  destruct (f a b) as [e'|] eqn:E'; [|exact (IH H)]. cbn [app table_of].
  destruct (N.eqb_spec p a), (N.eqb_spec s b); cbn [andb]; try exact (IH H). subst. congruence.
Qed.
Lemma table_of_in r p s e : table_of r p s = Some e -> In (p, s) (map fst r).
Proof.
  induction r as [|[[a b] e'] r IH]; [discriminate|]. cbn [table_of map fst].
  destruct (N.eqb_spec p a), (N.eqb_spec s b); cbn [andb]; try (intros H; right; exact (IH H)). subst. intros _. left. reflexivity.
Qed.

(** * LEFT, stuck where it halts, and halted where it is stuck *)
Definition is_halt (s : symbol) (e : entry) : bool := let '(s', m, _) := e in (s' =? s)%N && move_eqb m MS.
Definition exchange (T : table) (p : state) (s : symbol) : option entry :=
  match T p s with Some e => if is_halt s e then None else Some e | None => Some (s, MS, p) end.
Definition exchanged (states n : N) (left : rules) : rules :=
  rules_by (map fst left ++ list_prod (below states) (below n)) (exchange (find_rule (rows_of left))).

Lemma exchanged_known states n left p s e : table_of left p s = Some e ->
  table_of (exchanged states n left) p s = if is_halt s e then None else Some e.
Proof.
  intros H. unfold exchanged. rewrite rules_by_table by (apply in_or_app; left; eapply table_of_in; exact H).
  unfold exchange. rewrite find_rows, H. reflexivity.
Qed.
Lemma is_halt_halts T c e : acts T c = Some e -> is_halt (reads c) e = true <-> halts T c.
Proof.
  intros H. unfold halts. rewrite H. destruct e as [[s m] q]. cbn [is_halt]. rewrite andb_true_iff, N.eqb_eq. split.
  - intros [-> Hm]. apply move_eqb_eq in Hm. subst. eauto.
  - intros [p E]. injection E as -> -> _. split; reflexivity.
Qed.

Section Exchanged.
  Variables (states n : N) (left : rules).
  Notation T := (table_of left).
  Notation T' := (table_of (exchanged states n left)).
  Lemma acts_on c : acts T c <> None -> ~ halts T c -> acts T' c = acts T c.
  Proof.
    destruct (acts T c) as [e|] eqn:E; [|congruence]. intros _ H. unfold acts in *. rewrite (exchanged_known _ _ _ _ _ _ E).
    destruct (is_halt (reads c) e) eqn:Eh; [|reflexivity]. exfalso. apply H, (is_halt_halts T c e E). exact Eh.
  Qed.
  Lemma halts_acts c : halts T c -> acts T' c = None.
  Proof.
    intros H. pose proof H as [p E]. unfold acts. rewrite (exchanged_known _ _ _ _ _ _ E).
    rewrite (proj2 (is_halt_halts T c _ E) H). reflexivity.
  Qed.

  Variables (w : world) (k : nat) (c : config).
  Hypothesis comes : run T k (start w 0 0) = Some c.
  Hypothesis goes_on : forall i d, (i < k)%nat -> run T i (start w 0 0) = Some d -> ~ halts T d.
  Lemma same_run i : (i <= k)%nat -> run T' i (start w 0 0) = run T i (start w 0 0).
  Proof.
    induction i as [|i IH]; intros Hi; [reflexivity|]. cbn [run]. rewrite IH by lia.
    destruct (run_prefix T (start w 0 0) i k c comes ltac:(lia)) as (d & Hd & Ha). rewrite Hd. unfold step.
    rewrite acts_on; [reflexivity | exact Ha | apply (goes_on i); [lia | exact Hd]].
  Qed.
  Lemma never_halts : does_what Never T' T' w 0 0 -> ~ halts T c.
  Proof.
    intros A H. destruct (A k c) as (cr & _ & _ & _ & _ & K).
    - rewrite same_run by lia. exact comes.
    - intros i d Hi Hd Hh. rewrite same_run in Hd by lia. destruct (run_prefix T (start w 0 0) i k c comes Hi) as (d' & Hd' & Ha).
      assert (d' = d) by congruence. subst d'. apply (goes_on i d Hi Hd). destruct Hh as [p Hh]. exists p. rewrite <- Hh. symmetry.
      apply acts_on; [exact Ha | apply (goes_on i); assumption].
    - rewrite (halts_acts c H) in K. exact K.
  Qed.
End Exchanged.

(** * The checker *)
Definition also (i : inputs) (e : expression) : inputs := Declared (i_pieces i) (i_digits i) (e :: i_where i).
(** By evidence of some kind that an agent is never stuck on inputs. *)
Definition check_acceptance {Shape} (shows : inputs -> rules -> Shape -> bool) (n states : N) (left : rules) (o : output_clause) (accept stuck : Shape) : bool :=
  shows (also (o_inputs o) (o_value o)) left accept && shows (also (o_inputs o) (Not (o_value o))) (exchanged states n left) stuck.

Lemma declared_also i e parts : declared i parts -> value_on i e parts <> Some (Truth false) -> declared (also i e) parts.
Proof. intros [Hm Hw] He. split; [exact Hm|]. intros e' [<-|H]; [exact He | exact (Hw e' H)]. Qed.

Theorem check_acceptance_sound {Shape} (shows : inputs -> rules -> Shape -> bool) n states left o accept stuck :
  (forall i r e, shows i r e = true -> forall parts, declared i parts -> does_what Never (table_of r) (table_of r) (input_world (concat parts)) 0 0) ->
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
  { intros Hv. destruct He as [He|He]; [exact He|]. exfalso. revert He. eapply never_halts; [exact Hr | exact Hno|].
    eapply Shown; [exact Hs|]. apply declared_also; [exact Hd|]. unfold value_on. cbn [evaluate].
    change (evaluate _ _ (o_value o) parts) with (value_of o parts). destruct (value_of o parts) as [[?|?|[]]|]; try discriminate. congruence. }
  destruct (value_of o parts) as [[?|?|b]|]; try (exfalso; destruct (A ltac:(discriminate)) as [p E]; rewrite (B ltac:(discriminate)) in E; discriminate).
  exists b, k, c. split; [reflexivity|]. split; [exact Hr|]. split; [|exact Hno]. destruct b; [apply A | apply B]; discriminate.
Qed.
