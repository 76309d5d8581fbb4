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
Definition same_ok (k : stuckness) (n : N) (s : scope) (left right : rules) (e : evidence) : bool :=
  match e, s with
  | By_windows None l, Reads => check_windows false k n left right None l
  | By_windows None l, Observed =>
      match k with Unasked => check_windows true Unasked n left right None l | _ => false end
  | By_windows (Some radius) l, Worlds => check_windows false k n left right (Some radius) l
  | By_windows (Some radius) l, Inputs i =>
      input_below n (one_after_another (i_pieces i)) && check_windows false k n left right (Some radius) l
  | By_strip s, Worlds => is_anywhere s && check_anywhere k n left right s
  | By_strip s, Inputs i =>
      if is_anywhere s then input_below n (one_after_another (i_pieces i)) && check_anywhere k n left right s
      else check_strips k n i left right s
  | _, _ => false
  end.
Lemma same_ok_sound k n s left right e : same_ok k n s left right e = true ->
  equivalent k n s (table_of left) (table_of right).
Proof.
  unfold same_ok, equivalent. intros H. destruct e as [[radius|] l|t|? ? ? ?], s as [|i| |]; try discriminate.
  - intros w x y Hw. eapply check_windows_sound; eauto.
  - apply andb_true_iff in H as [Hi H]. intros parts Hd. eapply check_windows_sound; [exact H|].
    intros x y. eapply input_below_sound; [exact Hi | apply matches_parts, Hd].
  - eapply check_reads_sound; eauto.
  - destruct k; try discriminate. eapply check_observed_sound; eauto.
  - apply andb_true_iff in H as [_ H]. intros w x y Hw. eapply check_anywhere_sound; eauto.
  - intros parts Hd. destruct (is_anywhere t); [|eapply check_strips_sound; eauto]. apply andb_true_iff in H as [Hi H].
    eapply check_anywhere_sound; [exact H|]. intros x y. eapply input_below_sound; [exact Hi | apply matches_parts, Hd].
Qed.

(** * Evidence of LEFT alone *)
Definition on_inputs (P : world -> Prop) (i : inputs) : Prop :=
  forall parts, declared i parts -> P (input_world (List.concat parts)).
Definition unstuck (T : table) : inputs -> Prop := on_inputs (fun w => does_what Never T T w 0 0).
Definition ending (T : table) : inputs -> Prop := on_inputs (fun w => ends T w 0 0).

Section Alone.
  Variables (c : claim) (symbols : numbers).

  Definition valued {A} (e : json) (i : inputs) (read : (json -> option expression) -> json -> option A)
    (fits : A -> bool) (ok : A -> bool) : bool :=
    match read (expression_of symbols (i_digits i) (map members_of (i_pieces i))) e with
    | Some v => fits v && ok v
    | None => false
    end.
  Notation fits := (grain_fits (alphabet c) (left_states c)).
  Definition unstuck_ok (i : inputs) (r : rules) (e : json) : bool :=
    valued e i inequalities_of fits (check_never_stuck (alphabet c) r i) ||
    match evidence_of symbols e with Some e => same_ok Never (alphabet c) (Inputs i) r r e | None => false end.
  Definition leaves_ok (kind : json) (i : inputs) (x : expression) (e : json) : bool :=
    let values words := valued e i (values_of words) fits (check_values (alphabet c) (left c) i x) in
    if is_text "values" kind then values false
    else if is_text "words" kind then values true
    else is_text "sorted" kind && valued e i (fun _ => thresholds_of) (forallb fits)
      (check_sorted (alphabet c) (left c) i x).
  Definition both_ok (kind : json) (o : output_clause) (e : json) : bool :=
    if is_fold kind then match fold_of e with Some f => check_folds fold_depth (left c) o f | None => false end
    else is_text "results" kind && match strip_and_result e with
      | Some (s, t) => check_results (alphabet c) o (left c) (left c) results_depth s t
      | None => false
      end.
  Definition ending_ok (i : inputs) (stuck : bool) (e : json) : bool :=
    match ranking_in e with
    | Some (s, r) => check_ranking (alphabet c) i (left c) (left c) s r &&
        (if stuck then check_strips Never (alphabet c) i (left c) (left c) s else true)
    | None => false
    end.

  (** What an acceptor's clause says where it no longer chooses. *)
  Definition said_end (x : expression) : option bool :=
    match x with
    | Comparison Equal (Constant a) (Constant b) => Some (a =? b)%Z
    | Not (Comparison Equal (Constant a) (Constant b)) => Some (negb (a =? b)%Z)
    | _ => None
    end.
  (** No run ends otherwise than the clause says; of an acceptor, if it ends. *)
  Definition right_end (i : inputs) (x : expression) : Prop :=
    match ends_as c with
    | Some _ => ending (LEFT c) i -> ends_as_said (LEFT c) (Output_clause i x)
    | None => leaves_output (LEFT c) (Output_clause i x)
    end.
  Definition meaning (m : never) (i : inputs) (x : expression) : Prop :=
    (no_stuck m = true -> unstuck (LEFT c) i) /\ (no_endless m = true -> ending (LEFT c) i) /\
    (no_wrong m = true -> right_end i x).

  Definition leaf_ok (m : never) (i : inputs) (x : expression) : bool :=
    let e := shown_by m in
    match field "kind" e, ends_as c with
    | Some kind, _ =>
      if is_text "ranking" kind then negb (no_wrong m) && ending_ok i (no_stuck m) e
      else negb (no_endless m) &&
        match no_wrong m, no_stuck m, ends_as c with
        | false, _, _ => unstuck_ok i (left c) e || both_ok kind (Output_clause i x) e
        | true, stuck, None => both_ok kind (Output_clause i x) e || negb stuck && leaves_ok kind i x e
        | true, stuck, Some _ => negb stuck && match said_end x with
            | Some true => unstuck_ok i (left c) e
            | Some false => unstuck_ok i (exchanged (left_states c) (alphabet c) (left c)) e
            | None => false
            end
        end
    | None, _ => false
    end.
  Definition never_ok (i : inputs) (x : expression) (m : never) : bool :=
    match assumed (assume m) i x with Some (i', x') => leaf_ok m i' x' | None => false end.

  Lemma valued_ok {A} e i read fits ok : @valued A e i read fits ok = true -> exists v, ok v = true.
  Proof.
    unfold valued. destruct (read _ e) as [v|]; [|discriminate]. intros H. apply andb_true_iff in H as [_ H]. eauto.
  Qed.
  Lemma unstuck_ok_sound i r e : unstuck_ok i r e = true -> unstuck (table_of r) i.
  Proof.
    unfold unstuck_ok. intros H. apply orb_true_iff in H as [H|H].
    - apply valued_ok in H as [v H]. exact (check_never_stuck_sound _ _ _ _ H).
    - destruct (evidence_of symbols e) as [ev|]; [|discriminate]. exact (same_ok_sound _ _ _ _ _ _ H).
  Qed.
  Lemma leaves_ok_sound kind i x e : leaves_ok kind i x e = true -> leaves_output (LEFT c) (Output_clause i x).
  Proof.
    unfold leaves_ok. destruct (is_text "values" kind); [|destruct (is_text "words" kind)].
    1-2: intros H; apply valued_ok in H as [v H]; apply check_values_sound in H; exact H.
    intros H. apply andb_true_iff in H as [_ H]. apply valued_ok in H as [v H]. apply check_sorted_sound in H. exact H.
  Qed.
  Lemma both_ok_sound kind o e : both_ok kind o e = true -> leaves_output (LEFT c) o /\ unstuck (LEFT c) (o_inputs o).
  Proof.
    unfold both_ok. destruct (is_fold kind).
    - destruct (fold_of e) as [f|]; [|discriminate]. exact (check_folds_sound _ _ _ _).
    - intros H. apply andb_true_iff in H as [_ H]. destruct (strip_and_result e) as [[s t]|]; [|discriminate].
      exact (check_results_sound _ _ _ _ _ _ _ H).
  Qed.

  Lemma said_end_ok i x b parts : said_end x = Some b -> value_of (Output_clause i x) parts = Some (Truth b).
  Proof.
    destruct x; try discriminate; [destruct c0; try discriminate; destruct x1, x2; try discriminate |
      destruct x; try discriminate; destruct c0; try discriminate; destruct x1, x2; try discriminate];
      intros H; injection H as <-; reflexivity.
  Qed.
  Lemma check_acceptor_sound i x b : said_end x = Some b ->
    (if b then unstuck (LEFT c) i else unstuck (table_of (exchanged (left_states c) (alphabet c) (left c))) i) ->
    ending (LEFT c) i -> ends_as_said (LEFT c) (Output_clause i x).
  Proof.
    intros Hb U E parts Hd. destruct (first_end _ _ _ _ (E parts Hd)) as (k & d & Hr & He & Hno).
    exists b, k, d. split; [apply said_end_ok; exact Hb|]. split; [exact Hr|]. split; [|exact Hno]. destruct b.
    - destruct He as [He|He]; [|exact He]. destruct (U parts Hd k d Hr Hno) as (r & _ & _ & _ & _ & K).
      rewrite He in K. contradiction.
    - destruct He as [He|He]; [exact He|]. exfalso. revert He. eapply never_halts; [exact (U parts Hd) | exact Hr
        | exact Hno].
  Qed.
  Lemma leaf_ok_sound m i x : leaf_ok m i x = true -> meaning m i x.
  Proof.
    unfold leaf_ok, meaning, right_end. destruct (field "kind" (shown_by m)) as [kind|]; [|discriminate].
    destruct (is_text "ranking" kind).
    { intros H. apply andb_true_iff in H as [Hw H]. unfold ending_ok in H.
      destruct (ranking_in _) as [[s r]|]; [|discriminate]. apply andb_true_iff in H as [Hr Hs].
      split; [|split; [intros _; exact (check_ranking_sound _ _ _ _ _ _ Hr)|]].
      - intros E. rewrite E in Hs. exact (check_strips_sound _ _ _ _ _ _ Hs).
      - intros E. rewrite E in Hw. discriminate. }
    intros H. apply andb_true_iff in H as [He H]. apply negb_true_iff in He. rewrite He.
    destruct (no_wrong m), (ends_as c).
    - apply andb_true_iff in H as [Hs H]. apply negb_true_iff in Hs. rewrite Hs.
      split; [discriminate|]. split; [discriminate|]. intros _. destruct (said_end x) as [b|] eqn:Eb; [|discriminate].
      apply check_acceptor_sound with (b := b); [exact Eb|]. destruct b; (eapply unstuck_ok_sound; exact H).
    - apply orb_true_iff in H as [H|H].
      + apply both_ok_sound in H as [H1 H2]. split; [intros _; exact H2|]. split; [discriminate | intros _; exact H1].
      + apply andb_true_iff in H as [Hs H]. apply negb_true_iff in Hs. rewrite Hs. split; [discriminate|].
        split; [discriminate|]. intros _. exact (leaves_ok_sound _ _ _ _ H).
    - split; [intros _|split; discriminate]. apply orb_true_iff in H as [H|H]; [exact (unstuck_ok_sound _ _ _ H)|].
      apply both_ok_sound in H as [_ H]. exact H.
    - split; [intros _|split; discriminate]. apply orb_true_iff in H as [H|H]; [exact (unstuck_ok_sound _ _ _ H)|].
      apply both_ok_sound in H as [_ H]. exact H.
  Qed.
  Lemma right_cases i choice a b : has_value i choice = true -> right_end (given i choice) a ->
    right_end (given i (Not choice)) b -> right_end i (If choice a b).
  Proof.
    unfold right_end. intros Hv. destruct (ends_as c); intros Ha Hb.
    - intros E. set (meets := fun k parts Hd => E parts (given_declared i parts k Hd)).
      exact (either_way i (fun parts v => let at_first := start (input_world (List.concat parts)) 0 0 in
        exists accepts n d, v = Some (Truth accepts) /\ run (LEFT c) n at_first = Some d /\
          (if accepts then halts (LEFT c) d else acts (LEFT c) d = None) /\
          forall k e, (k < n)%nat -> run (LEFT c) k at_first = Some e -> ~ halts (LEFT c) e)
        choice a b Hv (Ha (meets choice)) (Hb (meets (Not choice)))).
    - exact (either_way i (fun parts v => forall n d, halts_after (LEFT c) n (input_world (List.concat parts)) 0 0 d ->
        exists r l, v = Some r /\ stands (cells d) l /\ says (i_digits i) r l) choice a b Hv Ha Hb).
  Qed.
End Alone.

(** * All that is claimed *)
Definition clause_said (c : claim) : expression :=
  match leaves c, ends_as c with Some o, _ | None, Some o => o_value o | None, None => Constant 0 end.
Definition clause_fits (c : claim) (i : inputs) : bool :=
  match leaves c, ends_as c with
  | Some o, None => inputs_eqb i (o_inputs o)
  | None, Some o => inputs_eqb i (o_inputs o) && halting c
  | None, None => true
  | _, _ => false
  end.
Definition all_ways (to : never -> bool) (l : list never) : list (list bool) := map assume (filter to l).
Definition on_all (to : never -> bool) (l : list never) : bool := existsb is_all (all_ways to l).
Definition is_none {A} (a : option A) : bool := match a with Some _ => false | None => true end.
Definition claims_ok (c : claim) (symbols : numbers) (l : list never) : bool :=
  let none := match l with [] => true | _ => false end in
  let says_nothing := is_none (leaves c) && is_none (ends_as c) in
  match at_scope c with
  | Inputs i =>
      (equal c || none) && clause_fits c i && forallb (never_ok c symbols i (clause_said c)) l &&
      (negb (existsb no_stuck l) || on_all no_stuck l && match stuck c with Never => true | _ => false end) &&
      (if halting c then on_all no_endless l else negb (existsb no_endless l)) &&
      (if says_nothing then negb (existsb no_wrong l) else covered (clause_said c) (all_ways no_wrong l))
  | _ => none && negb (halting c) && says_nothing
  end.

Inductive verdict := Valid | Invalid | Unknown.

(** All may be shown of LEFT without some rules, if that is never stuck. *)
Definition pruned (c : claim) (pairs : list (Statement.state * symbol)) : claim :=
  Claim (alphabet c) (left_states c) (right_states c) (without pairs (left c)) (right c) (equal c) (stuck c)
    (at_scope c) (halting c) (leaves c) (ends_as c).
Definition shown_claim (c : claim) (l : list never) : option claim :=
  match List.concat (map unused l), at_scope c, stuck c, ends_as c with
  | [], _, _, _ => Some c
  | pairs, Inputs i, Never, None => if equal c && clause_fits c i then Some (pruned c pairs) else None
  | _, _, _, _ => None
  end.

Definition claim_ok (c : claim) (symbols : numbers) (e : evidence) (l : list never) : bool :=
  claims_ok c symbols l &&
  (if equal c then same_ok (if existsb no_stuck l then Unasked else stuck c) (alphabet c) (at_scope c) (left c) (right c) e
   else different_ok c e).
Definition verdict_of (j : json) : verdict :=
  match claim_of j, numbers_in j, field "evidence" j, take_all "claims" j never_of with
  | Some c, Some symbols, Some e, Some l =>
      match evidence_of symbols e, shown_claim c l with
      | Some e, Some c => if claim_ok c symbols e l then Valid else Invalid
      | _, _ => Invalid
      end
  | _, _, _, _ => Invalid
  end.
Definition check (bytes : string) : verdict :=
  match json_of bytes with Some j => verdict_of j | None => Invalid end.

(** * Soundness *)
Section Claims.
  Variables (c : claim) (symbols : numbers) (l : list never) (i : inputs).
  Hypothesis all_ok : forallb (never_ok c symbols i (clause_said c)) l = true.
  Lemma each_ok m : In m l -> exists i' x', assumed (assume m) i (clause_said c) = Some (i', x') /\ meaning c m i' x'.
  Proof.
    rewrite forallb_forall in all_ok. intros H. specialize (all_ok m H). unfold never_ok in all_ok.
    destruct (assumed _ _ _) as [[i' x']|]; [|discriminate]. eexists _, _. split; [reflexivity|].
    exact (leaf_ok_sound _ _ _ _ _ all_ok).
  Qed.
  Lemma on_all_ok to : on_all to l = true -> exists m, to m = true /\ meaning c m i (clause_said c).
  Proof.
    intros H. apply existsb_exists in H as ([|w ws] & Hw & H); [|discriminate].
    apply in_map_iff in Hw as (m & E & Hm). apply filter_In in Hm as [Hm Ht].
    destruct (each_ok m Hm) as (i' & x' & Ea & M). rewrite E in Ea. injection Ea as <- <-. eauto.
  Qed.
  Lemma covered_ok : covered (clause_said c) (all_ways no_wrong l) = true -> right_end c i (clause_said c).
  Proof.
    intros H. apply (covered_sound (right_end c)) with (l := all_ways no_wrong l); [apply right_cases | exact H|].
    intros ways Hw. apply in_map_iff in Hw as (m & <- & Hm). apply filter_In in Hm as [Hm Ht].
    destruct (each_ok m Hm) as (i' & x' & Ea & _ & _ & M). eauto.
  Qed.
End Claims.

Lemma claim_ok_sound c symbols e l : claim_ok c symbols e l = true -> Statement.holds c.
Proof.
  unfold claim_ok, claims_ok, Statement.holds. intros H. apply andb_true_iff in H as [Hc He].
  destruct (at_scope c) as [|i| |] eqn:Es.
  2: {
    rewrite !andb_true_iff in Hc. destruct Hc as [[[[[Heq Hf] Hall] Hs] Hh] Hw].
    assert (U : existsb no_stuck l = true -> unstuck (LEFT c) i /\ stuck c = Never).
    { intros E. rewrite E in Hs. apply andb_true_iff in Hs as [Hs K]. split; [|destruct (stuck c); congruence].
      apply (on_all_ok _ _ _ _ Hall) in Hs as (m & Hm & M & _). exact (M Hm). }
    assert (E : halting c = true -> ending (LEFT c) i).
    { intros Hc. rewrite Hc in Hh. apply (on_all_ok _ _ _ _ Hall) in Hh as (m & Hm & _ & M & _). exact (M Hm). }
    assert (B : equal c = true -> equivalent (stuck c) (alphabet c) (Inputs i) (LEFT c) (RIGHT c)).
    { intros Hq. rewrite Hq in He. apply same_ok_sound in He. destruct (existsb no_stuck l); [|exact He].
      destruct (U eq_refl) as [U' ->]. intros parts Hd. exact (never_besides _ _ _ (He parts Hd) (U' parts Hd)). }
    split; [destruct (equal c); [exact (B eq_refl) | rewrite <- Es; exact (different_ok_sound _ _ He)]|].
    split.
    { intros Hc. unfold left_ends. rewrite Es. intros parts Hd. specialize (E Hc parts Hd). cbv beta in E.
      destruct (stuck c) eqn:K; try exact E. eapply never_stuck_halts; [|exact E].
      apply B; [|exact Hd]. rewrite Hc in Hh. destruct l; [discriminate|]. rewrite orb_false_r in Heq. exact Heq. }
    pose proof (covered_ok _ _ _ _ Hall) as R. unfold clause_fits, is_none, right_end, clause_said in *.
    destruct (leaves c) as [o|], (ends_as c) as [a|]; try discriminate; cbn [andb] in Hw; [| |split; exact I].
    - apply inputs_eqb_eq in Hf. subst i. specialize (R Hw). destruct o. split; [exact R | exact I].
    - apply andb_true_iff in Hf as [Hi Hc]. apply inputs_eqb_eq in Hi. subst i. specialize (R Hw (E Hc)). destruct a.
      split; [exact I | exact R]. }
  all: apply andb_true_iff in Hc as [Hc Hn]; apply andb_true_iff in Hc as [Hl Hh]; destruct l; [|discriminate];
    apply negb_true_iff in Hh; unfold is_none in Hn; rewrite Hh; destruct (leaves c), (ends_as c); try discriminate;
    (split; [|split; [discriminate | split; exact I]]); cbn [existsb] in He;
    (destruct (equal c); [exact (same_ok_sound _ _ _ _ _ _ He) | rewrite <- Es; exact (different_ok_sound _ _ He)]).
Qed.

Lemma shown_claim_sound c c' l : shown_claim c l = Some c' -> Statement.holds c' -> Statement.holds c.
Proof.
  unfold shown_claim. destruct (List.concat _) as [|pair pairs']; [intros H; injection H as <-; exact (fun H => H)|].
  set (pairs := pair :: pairs').
  destruct (at_scope c) as [|i| |] eqn:Es; try discriminate. destruct (stuck c) eqn:Ek; try discriminate.
  destruct (ends_as c) eqn:Ee; [discriminate|]. destruct (_ && _) eqn:G; [|discriminate].
  intros H. injection H as <-. apply andb_true_iff in G as [Heq Hi]. unfold clause_fits in Hi. rewrite Ee in Hi.
  unfold Statement.holds, left_ends, LEFT, RIGHT.
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
  destruct (numbers_in j) as [symbols|]; [|discriminate]. destruct (field "evidence" j) as [e|]; [|discriminate].
  destruct (take_all "claims" j never_of) as [l|]; [|discriminate].
  destruct (evidence_of symbols e) as [ev|]; [|discriminate]. destruct (shown_claim c l) as [c'|] eqn:Es; [|discriminate].
  destruct (claim_ok c' symbols ev l) eqn:Hok; [|discriminate].
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
