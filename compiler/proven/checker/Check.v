(** The checker, from the bytes of a file to its claim; the theorem of this folder. *)
From Coq Require Import ZArith NArith List Bool String Lia.
From Gridlang Require Import Grid Output Json Joint Maps Windows Pairs Columns Strips Descents Starts Anywhere Rankings Differences Folds
  Results ValueCheck Certificate Evidence StripEvidence FoldEvidence ValueEvidence.
Import ListNotations.
Local Open Scope N_scope.

Definition column_fuel : nat := N.to_nat 100000.
Definition fold_depth : nat := 40.                    (* of a search of 2 to this power of steps *)
Definition results_depth : nat := 24.

(** * Evidence of what both sides do *)
Definition same_ok (c : claim) (e : evidence) : bool :=
  match e, at_scope c with
  | By_pairs l, Reads => check_pairs false (stuck c) (alphabet c) (left c) (right c) l
  | By_pairs l, Observed =>
      match stuck c with
      | Unasked => check_pairs true Unasked (alphabet c) (left c) (right c) l
      | _ => false
      end
  | By_windows radius l, Worlds => check_windows (stuck c) (alphabet c) (left c) (right c) [Some radius] l
  | By_windows radius l, Inputs i =>
      input_below (alphabet c) i && check_windows (stuck c) (alphabet c) (left c) (right c) [Some radius] l
  | By_strip s, Worlds => is_anywhere s && check_anywhere (stuck c) (alphabet c) (left c) (right c) s
  | By_strip s, Inputs i =>
      if is_anywhere s then input_below (alphabet c) i && check_anywhere (stuck c) (alphabet c) (left c) (right c) s
      else check_strips (stuck c) (alphabet c) i (left c) (right c) column_fuel s
  | By_fold f, Inputs i =>
      match leaves c, stuck c with
      | Some o, Never => clause_eqb i (as_one (o_pieces o)) && same_rules (left c) (right c) && check_folds fold_depth (left c) o f
      | _, _ => false
      end
  | By_results s t, Inputs i =>
      match leaves c, stuck c with
      | Some o, Never => clause_eqb i (as_one (o_pieces o)) && check_results (alphabet c) o (left c) (right c) results_depth s t
      | _, _ => false
      end
  | _, _ => false
  end.

(** * Evidence of a difference *)
Definition plane_of (cells : list (Z * Z * symbol)) : plane :=
  fold_right (fun c w => let '(x, y, s) := c in Maps.written w x y s) (PM.empty _) cells.
Definition plane_of_input (t : list symbol) : plane :=
  fold_right (fun c w => let '(x, s) := c in Maps.written w x 0%Z s) (PM.empty _)
    (combine (map Z.of_nat (seq 0 (List.length t))) t).

(** Whether the world of a difference is the row of its input. *)
Fixpoint distinct (l : list (Z * Z * symbol)) (m : plane) : bool :=
  match l with
  | [] => true
  | (x, y, _) :: l => (seen_at m x y =? 0) && distinct l (Maps.written m x y 1)
  end.
Definition is_row (cells : list (Z * Z * symbol)) (t : list symbol) : bool :=
  forallb (fun c => let '(x, y, s) := c in
    (y =? 0)%Z && (0 <=? x)%Z && negb (s =? 0) && (row_symbol t (Z.to_nat x) =? s)) cells &&
  Nat.eqb (List.length cells) (List.length (filter (fun s => negb (s =? 0)) t)).

Definition different_ok (c : claim) (e : evidence) : bool :=
  match e with
  | By_difference input place cells steps =>
      let L := find_rule (rows_of (left c)) in
      let R := find_rule (rows_of (right c)) in
      match place, cells with
      | None, None =>                                 (* reads that no world shows *)
          match at_scope c, input with
          | Reads, None => reads_differ false (stuck c) (alphabet c) L R 0 0 steps
          | Observed, None => reads_differ true Unasked (alphabet c) L R 0 0 steps
          | _, _ => false
          end
      | Some (x, y), Some cells =>
          distinct cells (PM.empty _) &&
          worlds_differ (stuck c) L R 0 0 x y (plane_of cells) steps &&
          match at_scope c, input with
          | Worlds, None => (0 <? alphabet c) && forallb (fun cell => snd cell <? alphabet c) cells
          | Inputs i, Some t =>
              (x =? 0)%Z && (y =? 0)%Z && is_input i t && is_row cells t &&
              worlds_differ (stuck c) L R 0 0 0 0 (plane_of_input t) steps
          | Reads, None => reads_differ false (stuck c) (alphabet c) L R 0 0 steps
          | Observed, None => reads_differ true Unasked (alphabet c) L R 0 0 steps
          | _, _ => false
          end
      | _, _ => false
      end
  | _ => false
  end.

(** * Evidence that LEFT's runs end *)
Definition halting_ok (c : claim) (e : evidence) (h : option strip * ranking) : bool :=
  match at_scope c, h, e with
  | Inputs i, (Some s, r), _ => check_ranking (alphabet c) i (left c) (left c) column_fuel s r
  | Inputs i, (None, r), By_strip s => check_ranking (alphabet c) i (left c) (right c) column_fuel s r
  | _, _, _ => false
  end.

(** * Evidence of what LEFT leaves, by its kind *)
Definition values_ok (words : bool) (c : claim) (o : output_clause) (e : json) : bool :=
  match values_of words e with
  | Some v => check_values (alphabet c) (left c) (o_pieces o) (o_digits o) (o_value o) v column_fuel
  | None => false
  end.
Definition output_ok (c : claim) (o : output_clause) (e : json) : bool :=
  match field "kind" e with
  | Some kind =>
      if is_text "folds" kind then match fold_of e with Some f => check_folds fold_depth (left c) o f | None => false end
      else if is_text "values" kind then values_ok false c o e
      else if is_text "words" kind then values_ok true c o e
      else if is_text "results" kind then
        match strip_and_result e with
        | Some (s, t) => check_results (alphabet c) o (left c) (left c) results_depth s t
        | None => false
        end
      else false
  | None => false
  end.

Definition leaves_ok (c : claim) (e : evidence) (j : json) : bool :=
  match leaves c, e with
  | None, _ | _, By_fold _ | _, By_results _ _ => true  (* these show both at once *)
  | Some o, _ => match output_evidence j with Some e => output_ok c o e | None => false end
  end.

(** For other checkers: claims about inputs that meet a condition, and evidence of how acceptors end,
    or of words that take every k-th symbol. *)
Definition other_claim (j : json) : bool :=
  match tables_of j with Some (l, _) => match field "where" l with Some _ => true | None => false end | None => false end ||
  match output_evidence j with
  | Some e => match field "kind" e with Some k => is_text "acceptance" k || is_text "every" k | None => false end
  | None => false
  end.

Inductive verdict := Valid | Invalid | Unknown.

Definition verdict_of (j : json) : verdict :=
  if other_claim j then Unknown else
  match claim_of j, evidence_of j with
  | Some c, Some e =>
      if total_fits j c && (if equal c then same_ok c e else different_ok c e) &&
         (if halting c then equal c && match halting_of j with Some h => halting_ok c e h | None => false end else true) &&
         leaves_ok c e j
      then Valid else Invalid
  | _, _ => Invalid
  end.
Definition check (bytes : string) : verdict :=
  match json_of bytes with Some j => verdict_of j | None => Invalid end.

(** * Soundness *)
Lemma same_ok_sound c e : same_ok c e = true -> equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
Proof.
  unfold same_ok, equivalent, LEFT, RIGHT. intros H. destruct e as [l|radius l|s|f|s r|? ? ? ?], (at_scope c) as [|i| |]; try discriminate.
  - eapply check_pairs_sound; eauto.
  - destruct (stuck c); try discriminate. eapply check_observed_sound; eauto.
  - intros w x y Hw. eapply check_windows_sound; eauto.
  - apply andb_true_iff in H as [Hi H]. intros t Ht. eapply check_windows_sound; [exact H|].
    intros x y. eapply input_below_sound; eauto.
  - apply andb_true_iff in H as [_ H]. intros w x y Hw. eapply check_anywhere_sound; eauto.
  - intros t Ht. destruct (is_anywhere s); [|eapply check_strips_sound; eauto]. apply andb_true_iff in H as [Hi H].
    eapply check_anywhere_sound; [exact H|]. intros x y. eapply input_below_sound; eauto.
  - destruct (leaves c) as [o|], (stuck c); try discriminate. apply andb_true_iff in H as [H Hf].
    apply andb_true_iff in H as [Hi Hr]. apply clause_eqb_eq in Hi. apply same_rules_eq in Hr. rewrite <- Hr. subst i.
    intros t Ht. eapply check_folds_sound; eauto.
  - destruct (leaves c) as [o|], (stuck c); try discriminate. apply andb_true_iff in H as [Hi H].
    apply clause_eqb_eq in Hi. subst i. apply check_results_sound in H as [_ H].
    intros t Ht. apply as_one_parts in Ht as (parts & Hp & ->). apply H. exact Hp.
Qed.

Lemma plane_of_over n cells : (0 < n) -> forallb (fun cell => snd cell <? n) cells = true ->
  forall x y, seen_at (plane_of cells) x y < n.
Proof.
  intros Hn H x y. induction cells as [|[[a b] s] cells IH]; simpl in *.
  - rewrite seen_nothing. exact Hn.
  - apply andb_true_iff in H as [H1 H2]. apply N.ltb_lt in H1. rewrite seen_written.
    destruct ((x =? a) && (y =? b))%Z; [exact H1 | exact (IH H2)].
Qed.

Lemma plane_of_row t : forall k x y,
  seen_at (fold_right (fun c w => let '(x, s) := c in Maps.written w x 0%Z s) (PM.empty _)
             (combine (map Z.of_nat (seq k (List.length t))) t)) x y =
  if ((y =? 0) && (Z.of_nat k <=? x))%Z then nth (Z.to_nat x - k) t 0 else 0.
Proof.
  induction t as [|s t IH]; intros k x y; cbn [List.length seq map combine fold_right].
  - rewrite seen_nothing. destruct ((y =? 0) && (Z.of_nat k <=? x))%Z; [|reflexivity].
    destruct (Z.to_nat x - k)%nat; reflexivity.
  - rewrite seen_written, IH. destruct (Z.eqb_spec y 0) as [->|Ny]; [|rewrite andb_false_r; reflexivity].
    rewrite andb_true_r. cbn [andb]. destruct (Z.eqb_spec x (Z.of_nat k)) as [->|Nx].
    + rewrite Nat2Z.id, Z.leb_refl, Nat.sub_diag. reflexivity.
    + destruct (Z.leb_spec (Z.of_nat (S k)) x), (Z.leb_spec (Z.of_nat k) x); try lia.
      replace (Z.to_nat x - k)%nat with (S (Z.to_nat x - S k)) by lia. reflexivity.
Qed.
Lemma plane_of_input_row t x y : seen_at (plane_of_input t) x y = input_world t x y.
Proof.
  unfold plane_of_input, input_world, row_symbol. rewrite plane_of_row.
  change (Z.of_nat 0) with 0%Z. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma differs_by_rules k l r p q x y w t :
  worlds_differ k (find_rule (rows_of l)) (find_rule (rows_of r)) p q x y w t =
  worlds_differ k (table_of l) (table_of r) p q x y w t.
Proof.
  revert p q x y w. induction t as [|h t IH]; intros p q x y w; [reflexivity|]. cbn [worlds_differ].
  unfold joint_step. rewrite !find_rows. destruct t; [reflexivity|].
  destruct (joint_of k (seen_at w x y) (table_of l p (seen_at w x y)) (table_of r q (seen_at w x y))); try reflexivity.
  rewrite IH. reflexivity.
Qed.
Lemma differs_by_reads o k n l r p q t :
  reads_differ o k n (find_rule (rows_of l)) (find_rule (rows_of r)) p q t =
  reads_differ o k n (table_of l) (table_of r) p q t.
Proof.
  revert p q. induction t as [|h t IH]; intros p q; [reflexivity|]. cbn [reads_differ].
  unfold joint_step. rewrite !find_rows. destruct t; [reflexivity|].
  destruct (joint_of k (fst (fst h)) (table_of l p (fst (fst h))) (table_of r q (fst (fst h)))); try reflexivity.
  rewrite IH. reflexivity.
Qed.

Lemma different_ok_sound c e : different_ok c e = true ->
  ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
Proof.
  unfold different_ok, equivalent, LEFT, RIGHT. intros H. destruct e as [| | | | |input place cells steps]; try discriminate.
  destruct place as [[x y]|], cells as [cells|]; try discriminate.
  - apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [_ Hd]. rewrite differs_by_rules in Hd.
    destruct (at_scope c) as [|i| |], input as [t|]; try discriminate.
    + apply andb_true_iff in Hs as [Hn Hc]. apply N.ltb_lt in Hn. intros A.
      eapply worlds_differ_sound; [|exact Hd|]; [reflexivity|]. apply A. intros a b. apply plane_of_over; assumption.
    + apply andb_true_iff in Hs as [Hs Hi]. apply andb_true_iff in Hs as [Hs _]. apply andb_true_iff in Hs as [_ Ht].
      rewrite differs_by_rules in Hi. intros A.
      eapply worlds_differ_sound; [apply plane_of_input_row | exact Hi |]. apply A. apply is_input_sound. exact Ht.
    + rewrite differs_by_reads in Hs. eapply reads_differ_sound. exact Hs.
    + rewrite differs_by_reads in Hs. eapply observed_differ_sound. exact Hs.
  - destruct (at_scope c) as [|i| |], input as [t|]; try discriminate; rewrite differs_by_reads in H;
      [eapply reads_differ_sound | eapply observed_differ_sound]; exact H.
Qed.

(** Where LEFT is never stuck, a run that ends has halted. *)
Lemma never_stuck_halts LEFT RIGHT w x y : does_what Never LEFT RIGHT w x y -> ends LEFT w x y ->
  exists n c, run LEFT n (start w x y) = Some c /\ halts LEFT c.
Proof.
  intros A (n & c & Hr & He).
  assert (D : (exists i ci, (i < n)%nat /\ run LEFT i (start w x y) = Some ci /\ halts LEFT ci) \/
              (forall i ci, (i < n)%nat -> run LEFT i (start w x y) = Some ci -> ~ halts LEFT ci)).
  { clear Hr He. induction n as [|n IH]; [right; intros; lia|].
    destruct IH as [(i & ci & Hi & H) | Hno]; [left; exists i, ci; split; [lia | exact H]|].
    destruct (run LEFT n (start w x y)) as [cn|] eqn:E.
    - destruct (acts LEFT cn) as [[[s m] p]|] eqn:Ea.
      + destruct (N.eq_dec s (reads cn)) as [Es|Ns]; [destruct (move_eqb m MS) eqn:Em|].
        * left. exists n, cn. apply move_eqb_eq in Em. subst. repeat split; auto. exists p. exact Ea.
        * right. intros i ci Hi Hc. destruct (Nat.eq_dec i n) as [->|]; [|apply (Hno i); [lia | exact Hc]].
          rewrite E in Hc. injection Hc as <-. intros [p' Hp]. rewrite Ea in Hp. injection Hp as _ Hm _.
          subst. discriminate.
        * right. intros i ci Hi Hc. destruct (Nat.eq_dec i n) as [->|]; [|apply (Hno i); [lia | exact Hc]].
          rewrite E in Hc. injection Hc as <-. intros [p' Hp]. rewrite Ea in Hp. injection Hp as Hs _ _. contradiction.
      + right. intros i ci Hi Hc. destruct (Nat.eq_dec i n) as [->|]; [|apply (Hno i); [lia | exact Hc]].
        rewrite E in Hc. injection Hc as <-. intros [p' Hp]. rewrite Ea in Hp. discriminate.
    - right. intros i ci Hi Hc. destruct (Nat.eq_dec i n) as [->|]; [congruence | apply (Hno i); [lia | exact Hc]]. }
  destruct D as [(i & ci & _ & Hi & Hh) | Hno]; [eauto|].
  destruct He as [He|He]; [|eauto]. exfalso. destruct (A n c Hr Hno) as (cr & _ & _ & _ & _ & K). rewrite He in K. exact K.
Qed.

Lemma halting_ok_sound c e h : equal c = true -> same_ok c e = true -> halting_ok c e h = true -> left_ends c.
Proof.
  intros Heq Hsame H. unfold halting_ok in H. unfold left_ends. pose proof (same_ok_sound c e Hsame) as S. unfold equivalent in S.
  destruct (at_scope c) as [|i| |]; try discriminate; try (destruct h as [[?|] ?], e; discriminate).
  intros t Ht.
  assert (E : ends (LEFT c) (input_world t) 0 0).
  { destruct h as [[s|] r]; [|destruct e; try discriminate];
      (eapply check_ranking_sound; [exact H | exact Ht]). }
  destruct (stuck c) eqn:K; try exact E. eapply never_stuck_halts; [exact (S t Ht) | exact E].
Qed.

Lemma output_ok_sound c o e : output_ok c o e = true -> leaves_output (LEFT c) o.
Proof.
  unfold output_ok. destruct (field _ e) as [kind|]; [|discriminate]. destruct (is_text "folds" kind).
  - destruct (fold_of e) as [f|]; [|discriminate]. intros H. eapply check_folds_sound. exact H.
  - assert (V : forall words, values_ok words c o e = true -> leaves_output (LEFT c) o).
    { intros words. unfold values_ok. destruct (values_of words e) as [v|]; [|discriminate]. intros H. apply check_values_sound in H. destruct o. exact H. }
    destruct (is_text "values" kind); [apply V|]. destruct (is_text "words" kind); [apply V|].
    destruct (is_text "results" kind); [|discriminate]. destruct (strip_and_result e) as [[s t]|]; [|discriminate].
    intros H. apply check_results_sound in H as [H _]. exact H.
Qed.
Lemma leaves_ok_sound c e j : (if equal c then same_ok c e else different_ok c e) = true -> leaves_ok c e j = true ->
  match leaves c with Some o => leaves_output (LEFT c) o | None => True end.
Proof.
  unfold leaves_ok. intros Hs H. destruct (leaves c) as [o|] eqn:El; [|exact I].
  destruct e; try (destruct (output_evidence j) as [e'|]; [eapply output_ok_sound; exact H | discriminate]).
  all: destruct (equal c); [|discriminate]; unfold same_ok in Hs; rewrite El in Hs.
  - destruct (at_scope c), (stuck c); try discriminate. apply andb_true_iff in Hs as [_ Hs]. eapply check_folds_sound. exact Hs.
  - destruct (at_scope c), (stuck c); try discriminate. apply andb_true_iff in Hs as [_ Hs].
    apply check_results_sound in Hs as [Hs _]. exact Hs.
Qed.

(** A file that passes the check claims what is true. *)
Theorem check_sound : forall bytes, check bytes = Valid ->
  exists j c, json_of bytes = Some j /\ claim_of j = Some c /\ holds c.
Proof.
  intros bytes H. unfold check in H. destruct (json_of bytes) as [j|] eqn:Ej; [|discriminate].
  unfold verdict_of in H. destruct (other_claim j); [discriminate|]. destruct (claim_of j) as [c|] eqn:Ec; [|discriminate].
  destruct (evidence_of j) as [e|] eqn:Ee; [|discriminate].
  exists j, c. split; [reflexivity|]. split; [exact Ec|].
  destruct (_ && _) eqn:Hok in H; [|discriminate]. clear H. apply andb_true_iff in Hok as [Hok Hl].
  apply andb_true_iff in Hok as [Hev Hh]. apply andb_true_iff in Hev as [_ Hev]. apply (leaves_ok_sound c e j Hev) in Hl.
  unfold holds. destruct (equal c) eqn:Eq.
  - split; [eapply same_ok_sound; eauto|]. split; [|exact Hl]. intros Hc. rewrite Hc in Hh. simpl in Hh.
    destruct (halting_of j) as [h|]; [|discriminate]. eapply halting_ok_sound; eauto.
  - split; [eapply different_ok_sound; eauto|]. split; [|exact Hl]. intros Hc. rewrite Hc in Hh. discriminate.
Qed.

(** The claim of a file, and a claim of nothing where there is none. *)
Definition claim_in (bytes : string) : claim :=
  match json_of bytes with
  | Some j => match claim_of j with Some c => c | None => no_claim end
  | None => no_claim
  end.
Corollary claim_in_holds bytes : check bytes = Valid -> holds (claim_in bytes).
Proof.
  intros H. destruct (check_sound bytes H) as (j & c & Hj & Hc & Hh). unfold claim_in. rewrite Hj, Hc. exact Hh.
Qed.
