(** Every declared input is a path of places, as far as its conditions are counted: those that are not leave none
    out. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns FirstWorld Closures Machines Counters Counted Covered.
Import ListNotations.

Definition largest_constant : Z := 1000.
Definition may_count (e : expression) : bool :=
  ((0 <? period_of e) && (period_of e <=? largest_constant) && (0 <=? bound_of e) &&
    (bound_of e <=? largest_constant))%Z.
Definition first_counts (e : expression) : counters := map (fun q => (q, first_count q)) (quantities_of e).
Definition is_counted (e : expression) : bool :=
  may_count e && match condition (bound_of e) (period_of e) (first_counts e) e with Some _ => true | None => false end.
Definition always : expression := Comparison Equal (Constant 0) (Constant 0).
Definition counted_of (l : list expression) : expression :=
  let e := fold_right And always (filter is_counted l) in if may_count e then e else always.

Section Conditions.
  Variable i : inputs.
  Definition counting : expression := counted_of (i_where i).
  Definition count_symbol : counters -> nat -> symbol -> counters :=
    advance (bound_of counting) (period_of counting) (i_digits i) (map members_of (i_pieces i)).
  Definition is_refused (A : counters) : bool :=
    match condition (bound_of counting) (period_of counting) A counting with Some false => true | _ => false end.

  Lemma counting_fine : (0 < period_of counting)%Z /\ (0 <= bound_of counting)%Z.
  Proof.
    assert (F : forall e, may_count e = true -> (0 < period_of e)%Z /\ (0 <= bound_of e)%Z).
    { intros e H. unfold may_count in H. rewrite !andb_true_iff in H. destruct H as [[[H _] Hb] _]. lia. }
    unfold counting, counted_of. cbv zeta.
    destruct (may_count (fold_right And always (filter is_counted (i_where i)))) eqn:E; auto.
  Qed.
  Lemma counting_met parts : declared i parts -> value_on i counting parts <> Some (Truth false).
  Proof.
    intros [_ H]. unfold counting, counted_of. cbv zeta. destruct (may_count _); [|discriminate].
    induction (i_where i) as [|e l IH]; [discriminate|]. cbn [filter].
    assert (Hl : forall a, In a l -> value_on i a parts <> Some (Truth false)) by (intros a Ha; apply H; right;
      exact Ha).
    destruct (is_counted e); [|exact (IH Hl)]. cbn [fold_right]. pose proof (H e (or_introl eq_refl)) as He.
    unfold value_on in *. cbn [evaluate].
    destruct (evaluate _ _ e parts) as [[?|?|[]]|]; try discriminate; [exact (IH Hl) | congruence].
  Qed.
  Lemma declared_not_refused parts : declared i parts ->
    is_refused (read_parts count_symbol (first_counts counting) 0 parts) = false.
  Proof.
    intros H. destruct counting_fine as [Hp Hb]. unfold is_refused.
    destruct (condition _ _ _ _) as [[]|] eqn:E; try reflexivity.
    exfalso. apply (counting_met parts H). unfold value_on. eapply condition_ok; [|exact E]. intros q c Hin.
    apply (read_tracks _ _ _ _ Hp Hb parts 0 _ (fun _ => [])) in Hin; [rewrite Nat.sub_0_r in Hin; exact Hin|].
    intros q' c' H'. apply in_map_iff in H' as (q0 & E0 & _). injection E0 as <- <-. apply first_tracks.
  Qed.

  (** A machine that reads declared inputs alone. *)
  Definition on_declared {S} (r : reading S) : reading (S * counters) :=
    conditioned r (first_counts counting) count_symbol is_refused.
  Lemma on_declared_accepts {S} (r : reading S) q u us ws known : accepts r 0 q u us ws known -> declared i (u :: us) ->
    accepts (on_declared r) 0 (q, first_counts counting) u us ws known.
  Proof. intros Ha Hd. apply conditioned_accepts; [exact Ha | apply declared_not_refused; exact Hd]. Qed.
  Lemma on_declared_starts {S} (r : reading S) q outs : In (q, outs) (r_starts r) ->
    In ((q, first_counts counting), outs) (r_starts (on_declared r)).
  Proof. intros H. apply in_map_iff. exists (q, outs). split; [reflexivity | exact H]. Qed.
End Conditions.

(** * Equality *)
Definition inputs_eqb (i j : inputs) : bool :=
  list_eqb clause_eqb (i_pieces i) (i_pieces j) && same_text (i_digits i) (i_digits j) &&
  if list_eq_dec expression_eq_dec (i_where i) (i_where j) then true else false.
Lemma inputs_eqb_eq i j : inputs_eqb i j = true -> i = j.
Proof.
  destruct i as [p d w], j as [p' d' w']. unfold inputs_eqb. cbn [i_pieces i_digits i_where]. rewrite !andb_true_iff.
  intros [[H1 H2] H3].
  apply (list_eqb_eq _ clause_eqb_eq) in H1. apply same_text_eq in H2.
  destruct (list_eq_dec expression_eq_dec w w'); congruence.
Qed.

Definition with_counters {S} (eqb : S -> S -> bool) (a b : S * counters) : bool :=
  eqb (fst a) (fst b) && if counters_eq_dec (snd a) (snd b) then true else false.
Lemma with_counters_eq {S} (eqb : S -> S -> bool) : (forall a b, eqb a b = true -> a = b) ->
  forall a b, with_counters eqb a b = true -> a = b.
Proof.
  intros H [q A] [q' A'] E. unfold with_counters in E. cbn [fst snd] in E. apply andb_true_iff in E as [E1 E2].
  apply H in E1. destruct (counters_eq_dec A A'); congruence.
Qed.
Definition counters_hash (h : N) (A : counters) : N := fold_left (fun h qc => counter_hash h (snd qc)) A h.
Definition hash_with {S} (hash : S -> N) (a : S * counters) : N := counters_hash (hash (fst a)) (snd a).

(** * Places of declared inputs *)
Section Places.
  Variables (n : N) (nexts : place -> symbol -> list place) (count : N) (starts : list place) (wants : place -> wanted).
  Variables (i : inputs) (tell : nat -> wanted).
  Definition column_depth : nat := 22.                (* of a search of 2 to this power of steps *)
  Definition nothing_before : list (list place) := [[0%N]].
  Definition alone (starts : list place) : list (place * list place) := map (fun s => (s, [0%N])) starts.
  Definition covers_inputs : bool :=
    match i_pieces i with [] => false | _ => true end &&
    covered (on_declared i (labelling tell)) (with_counters (fun _ _ => true)) (hash_with (fun _ => 7%N)) n nexts
      (get [] (array nothing_before)) wants (fun _ => Empty) count 1 (alone starts) column_depth (i_pieces i).

  Theorem covers_inputs_sound : covers_inputs = true -> forall parts, declared i parts ->
    (forall j, (row_symbol (concat parts) j < n)%N) /\ exists pl, In (pl O) starts /\ path nexts pl (concat parts) /\
      forall j, wants (pl j) = nth j (labels tell 0 parts) Empty.
  Proof.
    intros H parts Hd. apply andb_true_iff in H as [Hne H]. pose proof (proj1 Hd) as Hm.
    destruct parts as [|u us]; [inversion Hm as [E|]; rewrite <- E in Hne; discriminate|].
    assert (E : forall a b, with_counters (fun _ _ : unit => true) a b = true -> a = b) by (apply with_counters_eq;
      intros [] []; reflexivity).
    destruct (covered_sound _ _ _ E _ _ _ _ _ _ _ _ _ _ H (tt, first_counts (counting i)) [] u us
      (labels tell 0 (u :: us)) (Some []))
      as (after & pl & lefts & Ea & ((near & H0 & _) & Hp & _ & Hs) & Hw & _).
    - apply on_declared_starts. left. reflexivity.
    - apply on_declared_accepts; [apply labelling_accepts | exact Hd].
    - exact Hm.
    - injection Ea as <-. split; [exact Hs|]. exists pl. split; [|split; [exact Hp|]].
      + apply in_map_iff in H0 as (s & E0 & H0). injection E0 as <- _. exact H0.
      + intros j. rewrite Hw, app_nil_r. reflexivity.
  Qed.
End Places.
