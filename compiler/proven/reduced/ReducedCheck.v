(** (V15), the checker: words in which letters cancel, what LEFT leaves of them, or how it ends by whether nothing is left. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Totals Joint Maps Windows Columns Strips Descents Starts Places Polynomials Unknowns Facts Values Findings Invariants
  Beginning Numerals ClausePolynomials Stretches Texts Ends Goals Saturation Computed ValueCheck Rests Tokens Moves ReducedClauses ReducedRuns ReducedVerdicts ReducedEnds Spelled.
Import ListNotations.
Local Open Scope N_scope.

(** A state, a row, the classes of the columns to the left, of the head and to the right, and the head's part; in a strip that is
    not dim, what is known of the cells of the head's column instead. *)
Definition spot : Type := state * Z * (list N * list N * list N) * N.
Record reduced_evidence := Reduced_evidence { r_strip : values; r_images : list symbol; r_says : list (spot * says) }.
Definition spot_hash (s : spot) : positive := let '(p, y, (_, c, _), j) := s in Maps.key (mixes (mix (mix p (zn y)) j) c).
Definition same_head (a b : spot) : bool :=
  let '(p, y, (_, c, _), j) := a in let '(p', y', (_, c', _), j') := b in (p =? p') && (y =? y')%Z && same_text c c' && (j =? j').
Definition same_sides (a b : spot) : bool :=
  let '(_, _, (l, _, r), _) := a in let '(_, _, (l', _, r'), _) := b in same_text l l' && same_text r r'.
(** What is said at a spot; if it is not listed, the longest word that is said where the head's column is the same. *)
Definition length_said (s : says) : nat := match s with Says_word ts => length ts | Says_empty _ => O end.
Definition said_at (spots : buckets (spot * says)) (s : spot) : option says :=
  let some := filter (fun ss => same_head s (fst ss)) (bucket _ spots (spot_hash s)) in
  match find (fun ss => same_sides s (fst ss)) some with
  | Some (_, t) => Some t
  | None => fold_left (fun best ss => match best with
      | Some t => if Nat.ltb (length_said t) (length_said (snd ss)) then Some (snd ss) else best
      | None => Some (snd ss)
      end) some None
  end.

(** Nothing is calculated with: no unknowns. *)
Definition no_unknowns : unknowns := Numbered [] (fun _ => no_system) (fun _ => Part_weight 0 0) (fun _ => None) 0.

Section Check.
  Variables (n : N) (table : rules) (declaration : inputs) (value : expression) (ev : reduced_evidence).
  Notation pieces := (i_pieces declaration).
  Notation digits := (i_digits declaration).
  Notation v := (r_strip ev).

  Definition image : symbol -> symbol := get 0 (array (r_images ev)).
  Notation clause_of_value := (ReducedVerdicts.clause_of_value declaration value image).
  Notation said_text := (ReducedVerdicts.said_text declaration).

  (** * The check *)
  Section Found.
    Context {sc : scene}.
    Import Scene.
    Definition looks : findings :=
      let there_list := @theres sc true in
      Findings (fun _ _ _ => 0) (fun _ _ _ _ => 0) (fun _ => []) (fun _ => 0) (fun _ => 0) 0 0 (fun _ => false) true (two_keys 0 there_list) (fun _ _ => None)
        (@always (@system_at no_unknowns) (@ids no_unknowns) (@name_at no_unknowns) (@number no_unknowns) (@Values.pieces sc)).
    Definition says_by_spot : Strips.element -> option says :=
      let rough := fold_left (fun m lc => PM.add (Maps.key (snd lc)) (classes_at (fst lc)) m) (combine (s_labels e) (s_coarse e)) (PM.empty _) in
      let spots := members _ (fun ss => spot_hash (fst ss)) (r_says ev) in
      fun el => let '(p, _, y, c, l, r) := el in
        let head := if v_dim v then classes_at (label_at c) else map known_n (cells_of (label_at c)) in
        let s := (p, y, (get [] rough (head_of l), head, get [] rough (head_of r)), in_part (told_at (place_of (label_at c)))) in
        said_at spots s.
    Variables (rights : list told) (nexts : place -> symbol -> list place) (row : nat).
    Definition steps_ok {fi : findings} (rc : reduced_clause) (says_at : Strips.element -> option says) : bool :=
      @clause_ok sc fi image rc && @grams_ok sc fi &&
      check_columns Unasked n table table e (left_steps (v_near v)) left_starts (@keeps_words sc fi image rc says_at) &&
      @begins_ok sc no_unknowns fi declaration rights nexts && forallb (@first_ok sc fi image rc says_at) (s_elements e).
    Definition own_symbols : list symbol := filter (fun s => negb (s =? 0) && (image s =? s)) (below n).
    Definition ends_ok {fi : findings} (rc : reduced_clause) (says_at : Strips.element -> option says) (chosen : option (expression * expression)) : bool :=
      match chosen with
      | None =>
          let ra := Row_aim row own_symbols (fun _ => 0) (fun _ _ _ => true) in let rl := @levels_of sc ra in
          @levels_ok sc ra rl && at_ends (@word_stands sc fi ra rl image rc says_at)
      | Some (x, x') =>
          match said_text x, said_text x' with
          | Some t, Some t' =>
              let grams := members _ gram_key (s_grams e) in
              @levels_ok sc (any_row row) no_levels &&
              at_ends (fun el read => match @told_empty sc fi image rc says_at el read with
                | Some b => @spelled sc (any_row row) grams (if b then t else t') el read
                | None => false
                end)
          | _, _ => false
          end
      end.
    (** An acceptor is stuck, or halts, as the clause says. *)
    Definition accepts_ok {fi : findings} (rc : reduced_clause) (says_at : Strips.element -> option says) (chosen : option (expression * expression)) : bool :=
      match chosen with
      | Some (x, x') =>
          match ends_so x, ends_so x' with
          | Some b, Some b' =>
              let fits accepted := fun el read => match @told_empty sc fi image rc says_at el read with Some i => Bool.eqb (if i then b else b') accepted | None => false end in
              at_ends (fits true) && at_reads stuck_on (fits false)
          | _, _ => false
          end
      | None => false
      end.
  End Found.
  Definition on_strip {A} (f : scene -> list told -> (place -> symbol -> list place) -> A) : A :=
    let '(rights, starts, steps) := places_for n declaration (v_near v) (v_far v) in
    let e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps in
    f (scene_of n table declaration v e rights) rights (nexts_of e).
  Definition check_words (ends_ : scene -> findings -> reduced_clause -> (Strips.element -> option says) -> option (expression * expression) -> bool) : bool :=
    match clause_of_value with
    | Some (rc, chosen) => on_strip (fun sc rights nexts =>
        let fi := @looks sc in let says_at := @says_by_spot sc in @steps_ok sc rights nexts fi rc says_at && ends_ sc fi rc says_at chosen)
    | None => false
    end.
  Definition check_reduced : bool := check_words (fun sc fi => @ends_ok sc (Z.to_nat (v_row v - v_low v)) fi).
  Definition check_reduced_acceptance : bool := check_words (fun sc fi => @accepts_ok sc fi).

  (** * Soundness *)
  Section Strip.
    Variables (e : strip) (rights : list told).
    Notation sc := (scene_of n table declaration v e rights).
    Hypothesis no_descents : s_descents e = [].
    Variables (rc : reduced_clause) (says_at : Strips.element -> option says).
    Hypothesis all_steps : @steps_ok sc rights (nexts_of e) (@looks sc) rc says_at = true.
    Instance no_unknowns_ok : unknowns_ok no_unknowns.
    Proof. constructor; [left; reflexivity | discriminate | reflexivity]. Qed.
    Instance looks_ok : findings_ok sc no_unknowns (@looks sc).
    Proof.
      constructor; try reflexivity; try discriminate. pose proof all_steps as H. unfold steps_ok in H. do 3 (apply andb_true_iff in H as [H _]). apply andb_true_iff in H as [_ H]. exact H.
    Qed.
    Lemma runs_good parts k c : declared declaration parts -> run (table_of table) k (start (input_world (concat parts)) 0 0) = Some c ->
      (forall i d, (i < k)%nat -> run (table_of table) i (start (input_world (concat parts)) 0 0) = Some d -> ~ halts (table_of table) d) ->
      exists q, @good_words sc image rc says_at parts (st c) q (hx c) (hy c) (cells c).
    Proof.
      intros Hd Hrun Hno. pose proof all_steps as H. unfold steps_ok in H. apply andb_true_iff in H as [H Hfirst]. apply andb_true_iff in H as [H Hbegin].
      apply andb_true_iff in H as [H Hcols]. apply andb_true_iff in H as [Hok _]. apply check_columns_runs in Hcols as (_ & Hstart & D & Hsteps).
      assert (Hrule : forall q s, @rule sc q s = table_of table q s) by (intros q s; apply find_rows).
      destruct (invariant_runs Unasked (table_of table) (table_of table) (@good_words sc image rc says_at parts)) with
        (w := input_world (concat parts)) (x := 0%Z) (y := 0%Z) (n := k) (cl := c) as (q & _ & Hgood); [| |exact Hrun | exact Hno | exists q; exact Hgood].
      - eapply (good_words_step (sc := sc) (un := no_unknowns) (fi := @looks sc) image rc says_at Hok parts (proj1 Hd) _ D Hrule); try reflexivity; [exact no_descents | exact Hsteps].
      - eapply (first_words (sc := sc) (un := no_unknowns) (fi := @looks sc) image rc says_at Hok parts (proj1 Hd) declaration (v_near v) rights (nexts_of e)); try reflexivity; [exact Hd | exact Hbegin | exact Hstart | exact Hfirst].
    Qed.
    Lemma clause_fits : @clause_ok sc (@looks sc) image rc = true.
    Proof. pose proof all_steps as H. unfold steps_ok in H. do 4 (apply andb_true_iff in H as [H _]). exact H. Qed.
    Lemma ends_ok_sound row chosen parts k c : @ends_ok sc row (@looks sc) rc says_at chosen = true -> declared declaration parts ->
      halts_after (table_of table) k (input_world (concat parts)) 0 0 c ->
      exists l, stands (cells c) l /\ match chosen with
        | None => l = facing (c_back rc) (value_left image rc parts) /\ forall s, In s l -> s <> 0
        | Some (x, x') => said_text (if is_nil (value_left image rc parts) then x else x') = Some l
        end.
    Proof.
      intros H Hd (Hrun & Hhalt & Hno). pose proof (proj1 Hd) as Hm. destruct (runs_good _ _ _ Hd Hrun Hno) as (q & lab & lo & m & s & now & Hu & Es & Hs).
      assert (Hrule : forall q s, @rule sc q s = table_of table q s) by (intros q' s'; apply find_rows).
      assert (Hon : @halts_on sc (st c) (cells c (hx c) (hy c)) = true).
      { destruct Hhalt as [p' Hp]. unfold acts, reads in Hp. unfold halts_on. rewrite Hrule, Hp. apply N.eqb_refl. }
      unfold ends_ok in H. destruct chosen as [[x x']|].
      - destruct (said_text x) as [t|] eqn:E1; [|discriminate]. destruct (said_text x') as [t'|] eqn:E2; [|discriminate].
        apply andb_true_iff in H as [Hrow Hends]. apply (at_ends_ok (sc := sc) parts _ _ _ _ _ _ _ _ now _ Hon) in Hends.
        cbv beta in Hends. match type of Hends with context [@told_empty ?a ?b ?c ?d ?e ?f ?g] => destruct (@told_empty a b c d e f g) as [b'|] eqn:Et; [|discriminate] end.
        apply (told_empty_ok (sc := sc) (un := no_unknowns) image rc says_at clause_fits parts Hm _ _ _ _ _ _ _ _ now Hu s b' Es Hs) in Et.
        exists (if b' then t else t'). split.
        + eapply (spelled_ok (sc := sc) (ra := any_row row) _ Hrow eq_refl Hm now); [|exact Hends].
          destruct b'; [apply (said_text_says declaration _ _ parts E1) | apply (said_text_says declaration _ _ parts E2)].
        + destruct b'; [rewrite Et; exact E1|]. destruct (value_left image rc parts); [contradiction | exact E2].
      - apply andb_true_iff in H as [Hl Hends]. apply (at_ends_ok (sc := sc) parts _ _ _ _ _ _ _ _ now _ Hon) in Hends.
        set (ra := Row_aim row own_symbols (fun _ => 0) (fun _ _ _ => true)) in *. set (rl := @levels_of sc ra) in *.
        assert (Own : forall u, In u (@symbols ra) -> image u = u).
        { intros u Hin. apply filter_In in Hin as [_ Hin]. apply andb_true_iff in Hin as [_ Hin]. apply N.eqb_eq. exact Hin. }
        destruct (word_stands_ok (sc := sc) (un := no_unknowns) image rc says_at clause_fits Hl Own parts Hm _ _ _ _ _ _ _ _ now Hu s Es Hs Hends) as (a & len & Ht & Hw).
        eexists. split; [exact (text_stands _ _ _ _ _ Ht)|]. split; [exact Hw|]. intros u Hin. apply (text_in_symbols _ _ _ _ _ _ Ht Hin).
    Qed.
    Lemma accepts_ok_sound chosen parts k c : @accepts_ok sc (@looks sc) rc says_at chosen = true -> declared declaration parts ->
      run (table_of table) k (start (input_world (concat parts)) 0 0) = Some c ->
      (forall i d, (i < k)%nat -> run (table_of table) i (start (input_world (concat parts)) 0 0) = Some d -> ~ halts (table_of table) d) ->
      (acts (table_of table) c = None \/ halts (table_of table) c) ->
      exists x x' b, chosen = Some (x, x') /\ ends_so (if is_nil (value_left image rc parts) then x else x') = Some b /\
        if b then halts (table_of table) c else acts (table_of table) c = None.
    Proof.
      intros H Hd Hrun Hno Hend. pose proof (proj1 Hd) as Hm. destruct (runs_good _ _ _ Hd Hrun Hno) as (q & lab & lo & m & s & now & Hu & Es & Hs).
      assert (Hrule : forall q s, @rule sc q s = table_of table q s) by (intros q' s'; apply find_rows).
      unfold accepts_ok in H. destruct chosen as [[x x']|]; [|discriminate]. destruct (ends_so x) as [b|] eqn:E1; [|discriminate]. destruct (ends_so x') as [b'|] eqn:E2; [|discriminate].
      apply andb_true_iff in H as [Ha Hb]. exists x, x', (if is_nil (value_left image rc parts) then b else b'). split; [reflexivity|].
      split; [destruct (is_nil _); assumption|].
      assert (Fits : forall accepted, match @told_empty sc (@looks sc) image rc says_at (here (s_d e) (@coarse_at sc) (st c) q (hx c) (hy c) lab) (cells c (hx c) (hy c)) with
          | Some i => Bool.eqb (if i then b else b') accepted | None => false end = true -> (if is_nil (value_left image rc parts) then b else b') = accepted).
      { intros accepted Hf. destruct (told_empty _ _ _ _ _) as [i|] eqn:Et; [|discriminate]. apply Bool.eqb_prop in Hf.
        apply (told_empty_ok (sc := sc) (un := no_unknowns) image rc says_at clause_fits parts Hm _ _ _ _ _ _ _ _ now Hu s i Es Hs) in Et.
        rewrite <- Hf. destruct i; [rewrite Et; reflexivity|]. destruct (value_left image rc parts); [contradiction | reflexivity]. }
      destruct Hend as [Hstuck|Hhalt].
      - apply (at_reads_ok (sc := sc) parts _ _ _ _ _ _ _ _ now stuck_on) in Hb; [|unfold stuck_on; unfold acts, reads in Hstuck; rewrite Hrule, Hstuck; reflexivity].
        rewrite (Fits false Hb). exact Hstuck.
      - assert (Hon : @halts_on sc (st c) (cells c (hx c) (hy c)) = true).
        { destruct Hhalt as [p' Hp]. unfold acts, reads in Hp. unfold halts_on. rewrite Hrule, Hp. apply N.eqb_refl. }
        apply (at_ends_ok (sc := sc) parts _ _ _ _ _ _ _ _ now _ Hon) in Ha. rewrite (Fits true Ha). exact Hhalt.
    Qed.
  End Strip.

  Theorem check_reduced_sound : check_reduced = true -> leaves_output (table_of table) (Output_clause declaration value).
  Proof.
    unfold check_reduced, check_words, on_strip. destruct clause_of_value as [[rc chosen]|] eqn:Ec; [|discriminate].
    destruct (places_for n declaration (v_near v) (v_far v)) as [[rights starts] steps].
    set (e := strip_for n _ _ _ _ _ _ _ _ starts steps). assert (Hno : s_descents e = []) by reflexivity. clearbody e.
    intros H parts Hd k c Hh. apply andb_true_iff in H as [Hsteps Hends].
    destruct (ends_ok_sound e rights Hno rc _ Hsteps _ _ parts k c Hends Hd Hh) as (l & Hl & Hsaid).
    pose proof (clause_of_value_ok declaration value image rc chosen parts (proj1 Hd) Ec) as Hv. cbv zeta in Hv. unfold Statement.value_of, o_digits, o_pieces. cbn [o_inputs o_value].
    destruct chosen as [[x x']|].
    - destruct (said_text_says declaration _ _ parts Hsaid) as (_ & r & Hr & Hs). exists r, l. rewrite Hv. auto.
    - destruct Hsaid as [-> Hb]. eexists _, _. split; [exact Hv|]. split; [exact Hl|]. cbn [Statement.says]. symmetry. apply nothing_to_strip. exact Hb.
  Qed.
  Theorem check_reduced_acceptance_sound : check_reduced_acceptance = true ->
    (forall parts, declared declaration parts -> ends (table_of table) (input_world (concat parts)) 0 0) -> ends_as_said (table_of table) (Output_clause declaration value).
  Proof.
    unfold check_reduced_acceptance, check_words, on_strip. destruct clause_of_value as [[rc chosen]|] eqn:Ec; [|discriminate].
    destruct (places_for n declaration (v_near v) (v_far v)) as [[rights starts] steps].
    set (e := strip_for n _ _ _ _ _ _ _ _ starts steps). assert (Hno : s_descents e = []) by reflexivity. clearbody e.
    intros H He parts Hd. apply andb_true_iff in H as [Hsteps Hends]. destruct (first_end _ _ _ _ (He parts Hd)) as (k & c & Hr & Hend & Hbefore).
    destruct (accepts_ok_sound e rights Hno rc _ Hsteps _ parts k c Hends Hd Hr Hbefore Hend) as (x & x' & b & -> & Hb & Hc).
    pose proof (clause_of_value_ok declaration value image rc _ parts (proj1 Hd) Ec) as Hv. cbv zeta in Hv. exists b, k, c. split; [|auto].
    unfold Statement.value_of, o_digits, o_pieces. cbn [o_inputs o_value]. rewrite Hv. revert Hb. generalize (if is_nil (value_left image rc parts) then x else x'). clear.
    intros y Hy. unfold ends_so in Hy.
    repeat match type of Hy with context [match ?z with _ => _ end] => destruct z; try discriminate end; injection Hy as <-; reflexivity.
  Qed.
End Check.
