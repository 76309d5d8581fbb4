(** The checker, from the bytes of a file to its claim; the theorem of this folder. *)
From Coq Require Import ZArith NArith List Bool String Lia.
From Gridlang Require Import Statement Totals Json Joint Maps Windows Reads Columns Conditions Strips Descents Starts
  Anywhere Rankings Acceptance Forbidden Folds
  Results Branches ValueCheck SortedCheck NeverStuck Certificate Evidence StripEvidence FoldEvidence ValueEvidence
    Differing.
Import ListNotations.
Local Open Scope N_scope.

Definition fold_depth : nat := 40.                    (* of a search of 2 to this power of steps *)
Definition results_depth : nat := 24.

(** * Evidence of what both sides do *)
Definition same_ok (k : stuckness) (c : claim) (e : evidence) : bool :=
  match e, at_scope c with
  | By_windows None l, Reads => check_windows false k (alphabet c) (left c) (right c) None l
  | By_windows None l, Observed =>
      match k with
      | Unasked => check_windows true Unasked (alphabet c) (left c) (right c) None l
      | _ => false
      end
  | By_windows (Some radius) l, Worlds => check_windows false k (alphabet c) (left c) (right c) (Some radius) l
  | By_windows (Some radius) l, Inputs i =>
      input_below (alphabet c) (one_after_another (i_pieces i)) && check_windows false k (alphabet c) (left c) (right c)
        (Some radius) l
  | By_strip s, Worlds => is_anywhere s && check_anywhere (k) (alphabet c) (left c) (right c) s
  | By_strip s, Inputs i =>
      if is_anywhere s then input_below (alphabet c) (one_after_another (i_pieces i)) &&
        check_anywhere (k) (alphabet c) (left c) (right c) s
      else check_strips (k) (alphabet c) i (left c) (right c) s
  | By_same, Inputs _ => match k with Unasked => same_rules (left c) (right c) | _ => false end
  | _, _ => false
  end.

(** LEFT may be shown apart to be never stuck: then the evidence need not say it. *)
Definition asked (c : claim) (j : json) : stuckness := match own_unstuck j with Some _ => Unasked | None => stuck c end.
Definition unstuck_ok (c : claim) (j : json) : bool :=
  match own_unstuck j with
  | None => true
  | Some e =>
      match at_scope c, stuck c with
      | Inputs i, Never =>
          match inequalities_of (condition_of j i) e with
          | Some v => equal c && grain_fits (alphabet c) (left_states c) v &&
            check_never_stuck (alphabet c) (left c) i v
          | None => false
          end
      | _, _ => false
      end
  end.

(** * Evidence that LEFT's runs end *)
Definition halting_ok (c : claim) (e : evidence) (h : option strip * ranking) : bool :=
  match at_scope c, h, e with
  | Inputs i, (Some s, r), _ => check_ranking (alphabet c) i (left c) (left c) s r
  | Inputs i, (None, r), By_strip s => check_ranking (alphabet c) i (left c) (right c) s r
  | _, _, _ => false
  end.

(** * Evidence of what LEFT leaves, by its kind *)
Definition values_ok (words : bool) (c : claim) (o : output_clause) (j e : json) : bool :=
  match values_of words (condition_of j (o_inputs o)) e with
  | Some v => grain_fits (alphabet c) (left_states c) v && check_values (alphabet c) (left c) (o_inputs o) (o_value o) v
  | None => false
  end.
Definition sorted_ok (c : claim) (o : output_clause) (e : json) : bool :=
  match thresholds_of e with
  | Some strips => forallb (grain_fits (alphabet c) (left_states c)) strips &&
    check_sorted (alphabet c) (left c) (o_inputs o) (o_value o) strips
  | None => false
  end.
Definition leaf_ok (c : claim) (j : json) (o : output_clause) (e : json) : bool :=
  match field "kind" e with
  | Some kind =>
      if is_fold kind then match fold_of e with Some f => check_folds fold_depth (left c) o f | None => false end
      else if is_text "results" kind then
        match strip_and_result e with
        | Some (s, t) => check_results (alphabet c) o (left c) (left c) results_depth s t
        | None => false
        end
      else if is_text "values" kind then values_ok false c o j e
      else if is_text "words" kind then values_ok true c o j e
      else if is_text "sorted" kind then sorted_ok c o e
      else false
  | None => false
  end.

(** A clause that chooses may be shown branch by branch. *)
Fixpoint branch_ok (shown : output_clause -> json -> bool) (i : inputs) (x : expression) (e : json) : bool :=
  match x, field "then" e, field "otherwise" e with
  | If choice a b, Some one, Some other =>
      match field "kind" e with Some kind => is_text "branches" kind | None => false end && has_value i choice &&
      branch_ok shown (given i choice) a one && branch_ok shown (given i (Not choice)) b other
  | _, _, _ => shown (Output_clause i x) e
  end.
Definition output_ok (c : claim) (o : output_clause) (j e : json) : bool :=
  branch_ok (leaf_ok c j) (o_inputs o) (o_value o) e.

Definition leaves_ok (c : claim) (j : json) : bool :=
  match leaves c, output_evidence j with None, _ => true | Some o, Some e => output_ok c o j e
    | Some _, None => false end.
(** Whether it shows LEFT to be never stuck, too. *)
Definition alone (c : claim) (j : json) : bool :=
  match leaves c, at_scope c, stuck c, output_evidence j with
  | Some o, Inputs i, Never, Some e => shows_both e && inputs_eqb i (o_inputs o) && leaf_ok c j o e
  | _, _, _, _ => false
  end.

(** How an acceptor ends, given that it does. *)
Definition ends_ok (c : claim) (j : json) : bool :=
  match ends_as c, at_scope c with
  | None, _ => true
  | Some o, Inputs i =>
      halting c && inputs_eqb i (o_inputs o) &&
      match output_evidence j with
      | Some e =>
          match acceptance_of j i e with
          | Some (accept, stuck) => check_acceptance (check_unstuck (alphabet c)) (alphabet c) (left_states c)
            (left c) o accept stuck
          | None => false
          end
      | None => false
      end
  | _, _ => false
  end.

Inductive verdict := Valid | Invalid | Unknown.

(** All may be shown of LEFT without some rules, if that is never stuck. *)
Definition pruned (c : claim) (pairs : list (Statement.state * symbol)) : claim :=
  Claim (alphabet c) (left_states c) (right_states c) (without pairs (left c)) (right c) (equal c) (stuck c)
    (at_scope c) (halting c) (leaves c) (ends_as c).
Definition shown_claim (c : claim) (j : json) : option claim :=
  match (let? u := own_unstuck j in field "without" u) with
  | None => Some c
  | Some l =>
      let? pairs := of_json l in
      match at_scope c, stuck c, ends_as c with
      | Inputs i, Never, None =>
          let? _ := guard (equal c && match leaves c with Some o => inputs_eqb i (o_inputs o) | None => true end) in
            Some (pruned c pairs)
      | _, _, _ => None
      end
  end.

Definition claim_ok (c : claim) (e : evidence) (j : json) : bool :=
  let own := alone c j in
  total_fits j c && (if equal c then same_ok (if own then Unasked else asked c j) c e else different_ok c e) &&
    unstuck_ok c j &&
  (if halting c then equal c && match halting_of j with Some h => halting_ok c e h | None => false end else true) &&
  (own || leaves_ok c j) && ends_ok c j.
Definition verdict_of (j : json) : verdict :=
  match claim_of j, evidence_of j with
  | Some c, Some e => match shown_claim c j with Some c => if claim_ok c e j then Valid else Invalid
    | None => Invalid end
  | _, _ => Invalid
  end.
Definition check (bytes : string) : verdict :=
  match json_of bytes with Some j => verdict_of j | None => Invalid end.

(** * Soundness *)
Lemma same_ok_sound k c e : same_ok k c e = true -> equivalent k (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
Proof.
  unfold same_ok, equivalent, LEFT, RIGHT. intros H.
  destruct e as [[radius|] l|s| |? ? ? ?], (at_scope c) as [|i| |]; try discriminate.
  - intros w x y Hw. eapply check_windows_sound; eauto.
  - apply andb_true_iff in H as [Hi H]. intros parts Hd. eapply check_windows_sound; [exact H|].
    intros x y. eapply input_below_sound; [exact Hi | apply matches_parts, Hd].
  - eapply check_reads_sound; eauto.
  - destruct k; try discriminate. eapply check_observed_sound; eauto.
  - apply andb_true_iff in H as [_ H]. intros w x y Hw. eapply check_anywhere_sound; eauto.
  - intros parts Hd. destruct (is_anywhere s); [|eapply check_strips_sound; eauto]. apply andb_true_iff in H as [Hi H].
    eapply check_anywhere_sound; [exact H|]. intros x y. eapply input_below_sound; [exact Hi | apply matches_parts, Hd].
  - destruct k; try discriminate. apply same_rules_eq in H. rewrite <- H. intros parts _ n cl Hr _. exists cl.
    repeat (split; [first [exact Hr | reflexivity]|]). destruct (acts _ cl); [reflexivity | exact I].
Qed.

Lemma leaf_ok_sound c o j e : leaf_ok c j o e = true -> leaves_output (LEFT c) o /\ (shows_both e = true ->
  forall parts, declared (o_inputs o) parts -> does_what Never (LEFT c) (LEFT c) (input_world (List.concat parts)) 0 0).
Proof.
  unfold leaf_ok, shows_both. destruct (field _ e) as [kind|]; [|discriminate]. destruct (is_fold kind).
  { destruct (fold_of e) as [f|]; [|discriminate]. intros H. apply check_folds_sound in H as [H1 H2]. auto. }
  destruct (is_text "results" kind).
  { destruct (strip_and_result e) as [[s t]|]; [|discriminate]. intros H. apply check_results_sound in H as [H1 H2].
    auto. }
  intros H. split; [|discriminate]. revert H.
  assert (V : forall words, values_ok words c o j e = true -> leaves_output (LEFT c) o).
  { intros words. unfold values_ok. destruct (values_of words _ e) as [v|]; [|discriminate]. intros H.
    apply andb_true_iff in H as [_ H]. apply check_values_sound in H. destruct o. exact H. }
  destruct (is_text "values" kind); [apply V|]. destruct (is_text "words" kind); [apply V|].
  destruct (is_text "sorted" kind); [|discriminate].
  unfold sorted_ok. destruct (thresholds_of e) as [strips|]; [|discriminate]. intros H.
  apply andb_true_iff in H as [_ H]. apply check_sorted_sound in H. destruct o. exact H.
Qed.
Lemma alone_sound c j : alone c j = true -> exists i o, at_scope c = Inputs i /\ stuck c = Never /\ leaves c = Some o /\
  leaves_output (LEFT c) o /\ forall parts, declared i parts ->
    does_what Never (LEFT c) (LEFT c) (input_world (List.concat parts)) 0 0.
Proof.
  unfold alone. destruct (leaves c) as [o|], (at_scope c) as [|i| |], (stuck c), (output_evidence j) as [e|];
    try discriminate.
  rewrite !andb_true_iff. intros [[He Hi] H]. apply inputs_eqb_eq in Hi. subst i. apply leaf_ok_sound in H as [H1 H2].
  exists (o_inputs o), o. auto 7.
Qed.

Lemma both_ok_sound c j e : same_ok (if alone c j then Unasked else asked c j) c e = true -> unstuck_ok c j = true ->
  equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
Proof.
  destruct (alone c j) eqn:F.
  { intros H _. apply same_ok_sound in H. apply alone_sound in F as (i & o & Ei & Ek & _ & _ & N).
    unfold equivalent in *. rewrite Ei in *. rewrite Ek.
    intros parts Hd. apply never_besides; [exact (H parts Hd) | exact (N parts Hd)]. }
  unfold asked, unstuck_ok. intros H U. apply same_ok_sound in H. destruct (own_unstuck j) as [e'|]; [|exact H].
  unfold equivalent in *. destruct (at_scope c) as [|i| |], (stuck c); try discriminate.
  destruct (inequalities_of _ e') as [v|]; [|discriminate]. apply andb_true_iff in U as [_ U].
  intros parts Hd. apply never_besides; [exact (H parts Hd) | exact (check_never_stuck_sound _ _ _ _ U parts Hd)].
Qed.

Lemma halting_ok_sound c e h : equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c) ->
  halting_ok c e h = true -> left_ends c.
Proof.
  intros S H. unfold halting_ok in H. unfold left_ends. unfold equivalent in S.
  destruct (at_scope c) as [|i| |]; try discriminate; try (destruct h as [[?|] ?], e; discriminate).
  intros parts Hd.
  assert (E : ends (LEFT c) (input_world (List.concat parts)) 0 0).
  { destruct h as [[s|] r]; [|destruct e; try discriminate];
      (eapply check_ranking_sound; [exact H | exact Hd]). }
  destruct (stuck c) eqn:K; try exact E. eapply never_stuck_halts; [exact (S parts Hd) | exact E].
Qed.

Lemma branch_ok_sound T shown : (forall o e, shown o e = true -> leaves_output T o) ->
  forall x i e, branch_ok shown i x e = true -> leaves_output T (Output_clause i x).
Proof.
  intros H. induction x; intros i' e He; cbn [branch_ok] in He; try (apply (H _ e); exact He).
  destruct (field "then" e) as [one|], (field "otherwise" e) as [other|]; try (apply (H _ e); exact He).
  apply andb_true_iff in He as [He Hb]. apply andb_true_iff in He as [He Ha]. apply andb_true_iff in He as [_ Hv].
  apply branches_leave; [exact Hv | eapply IHx2; exact Ha | eapply IHx3; exact Hb].
Qed.
Lemma output_ok_sound c o j e : output_ok c o j e = true -> leaves_output (LEFT c) o.
Proof. intros H. destruct o. eapply branch_ok_sound; [|exact H]. intros o' e' He. eapply leaf_ok_sound. exact He. Qed.
Lemma leaves_ok_sound c j : leaves_ok c j = true -> match leaves c with Some o => leaves_output (LEFT c) o
  | None => True end.
Proof.
  unfold leaves_ok. destruct (leaves c) as [o|]; [|exact (fun _ => I)].
  destruct (output_evidence j) as [e|]; [|discriminate].
  apply output_ok_sound.
Qed.

Lemma ends_ok_sound c j : (halting c = true -> left_ends c) -> ends_ok c j = true ->
  match ends_as c with Some o => ends_as_said (LEFT c) o | None => True end.
Proof.
  unfold ends_ok, left_ends. intros He H. destruct (ends_as c) as [o|]; [|exact I].
  destruct (at_scope c) as [|i| |]; try discriminate.
  apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [Hh Hi]. apply inputs_eqb_eq in Hi. subst i.
  specialize (He Hh).
  assert (Ends : forall parts, declared (o_inputs o) parts -> ends (LEFT c) (input_world (List.concat parts)) 0 0).
  { intros parts Hd. specialize (He parts Hd). cbv zeta in He. destruct (stuck c); try exact He.
    destruct He as (n & d & Hr & Hd'). exists n, d. auto. }
  destruct (output_evidence j) as [e|]; [|discriminate].
  destruct (acceptance_of j (o_inputs o) e) as [[accept stuck_]|]; [|discriminate].
  eapply check_acceptance_sound; [apply check_unstuck_sound | exact Hs | exact Ends].
Qed.

Lemma claim_ok_sound c e j : claim_ok c e j = true -> Statement.holds c.
Proof.
  intros Hok. unfold claim_ok in Hok. apply andb_true_iff in Hok as [Hok Ha]. apply andb_true_iff in Hok as [Hok Hl].
  apply andb_true_iff in Hok as [Hev Hh]. apply andb_true_iff in Hev as [Hev Hu]. apply andb_true_iff in Hev as [_ Hev].
  assert (L : match leaves c with Some o => leaves_output (LEFT c) o | None => True end).
  { apply orb_true_iff in Hl as [F|Hl]; [apply alone_sound in F as (? & o & _ & _ & -> & Hl & _); exact Hl
      | exact (leaves_ok_sound c j Hl)]. }
  assert (Hends : halting c = true -> left_ends c).
  { intros Hc. rewrite Hc in Hh. apply andb_true_iff in Hh as [Heq Hh]. rewrite Heq in Hev.
    destruct (halting_of j) as [h|]; [|discriminate].
    eapply halting_ok_sound; [eapply both_ok_sound; eassumption | exact Hh]. }
  apply (ends_ok_sound c j Hends) in Ha. unfold Statement.holds. split; [|auto].
  destruct (equal c); [eapply both_ok_sound | eapply different_ok_sound]; eauto.
Qed.
Lemma shown_claim_sound c c' j : shown_claim c j = Some c' -> Statement.holds c' -> Statement.holds c.
Proof.
  unfold shown_claim. destruct (let? u := own_unstuck j in field "without" u) as [l|];
    [|intros H; injection H as <-; exact (fun H => H)].
  destruct (of_json l) as [pairs|]; [|discriminate]. cbn [bind].
  destruct (at_scope c) as [|i| |] eqn:Es; try discriminate. destruct (stuck c) eqn:Ek; try discriminate.
  destruct (ends_as c) eqn:Ee; [discriminate|]. destruct (guard _) as [[]|] eqn:Eg; [|discriminate]. cbn [bind].
  intros H. injection H as <-.
  assert (G : equal c && match leaves c with Some o => inputs_eqb i (o_inputs o) | None => true end = true) by
    (unfold guard in Eg; destruct (_ && _); [reflexivity | discriminate]).
  apply andb_true_iff in G as [Heq Hi]. unfold Statement.holds, left_ends, LEFT, RIGHT.
  cbn [pruned equal stuck alphabet at_scope left right halting leaves ends_as]. rewrite Heq, Es, Ek, Ee.
  cbn [equivalent].
  pose proof (without_fewer pairs (left c)) as F. intros (A & Hends & Hl & _).
  assert (N : forall parts, declared i parts -> does_what Never (table_of (without pairs (left c)))
    (table_of (without pairs (left c))) (input_world (List.concat parts)) 0 0).
  { intros parts Hd k d Hr Hno. destruct (A parts Hd k d Hr Hno) as (r & _ & _ & _ & _ & K). exists d.
    repeat (split; [first [exact Hr | reflexivity]|]).
    destruct (acts _ d); [reflexivity | exact K]. }
  split; [intros parts Hd; exact (does_fewer _ _ F _ (N parts Hd) _ (A parts Hd))|]. split.
  - intros Hh parts Hd. destruct (Hends Hh parts Hd) as (k & d & Hr & Hd'). exists k, d.
    split; [apply (run_fewer _ _ F); exact Hr | apply (halts_fewer _ _ F); exact Hd'].
  - split; [|exact I]. destruct (leaves c) as [o|]; [|exact I]. apply inputs_eqb_eq in Hi. subst i.
    intros parts Hd k d Hh. exact (Hl parts Hd k d (halts_after_fewer _ _ F _ (N parts Hd) k d Hh)).
Qed.

(** A file that passes the check claims what is true. *)
Theorem check_sound : forall bytes, check bytes = Valid ->
  exists j c, json_of bytes = Some j /\ claim_of j = Some c /\ Statement.holds c.
Proof.
  intros bytes H. unfold check in H. destruct (json_of bytes) as [j|] eqn:Ej; [|discriminate].
  unfold verdict_of in H. destruct (claim_of j) as [c|] eqn:Ec; [|discriminate].
  destruct (evidence_of j) as [e|] eqn:Ee; [|discriminate].
  destruct (shown_claim c j) as [c'|] eqn:Es; [|discriminate]. destruct (claim_ok c' e j) eqn:Hok; [|discriminate].
  exists j, c. split; [reflexivity|]. split; [exact Ec|].
  eapply shown_claim_sound; [exact Es | eapply claim_ok_sound; exact Hok].
Qed.

(** The claim of a file, and a claim of nothing where there is none. *)
Definition claim_in (bytes : string) : claim :=
  match json_of bytes with
  | Some j => match claim_of j with Some c => c | None => no_claim end
  | None => no_claim
  end.
Corollary claim_in_holds bytes : check bytes = Valid -> Statement.holds (claim_in bytes).
Proof.
  intros H. destruct (check_sound bytes H) as (j & c & Hj & Hc & Hh). unfold claim_in. rewrite Hj, Hc. exact Hh.
Qed.
