(** (R2): verdicts. A text of finitely many is guessed, wanted so far from the first column of the input or from the
    first one after it, and found right by what is counted. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Maps Windows Columns Closures Machines Rows Readings Counters Counted.
Import ListNotations.
Local Open Scope Z_scope.

(** * Where a text stands *)
Definition text_at (t : list symbol) (d : Z) : wanted :=
  if (0 <=? d) && (d <? Z.of_nat (length t)) then Wants (nth (Z.to_nat d) t 0%N) else Empty.
Lemma text_at_outside t d : d < 0 \/ Z.of_nat (length t) <= d -> text_at t d = Empty.
Proof. intros H. unfold text_at. destruct (Z.leb_spec 0 d), (Z.ltb_spec d (Z.of_nat (length t))); try reflexivity. lia.
Qed.

Section Placed.
  Context {A : Type}.
  Variables (first : A) (advance : A -> nat -> symbol -> A) (verdict : A -> option (list symbol)).
  Variables (texts : list (list symbol)) (from_end : bool) (offset : Z).
  Notation read_parts := (read_parts advance).

  (** Columns count from the first one of the input, or from the first one after it; far ones are all alike. *)
  Definition lowest : Z := Z.min 0 offset - 1.
  Definition highest (t : list symbol) : Z := Z.max 0 (offset + Z.of_nat (length t)).
  Definition clamp (t : list symbol) (z : Z) : Z := Z.max lowest (Z.min (highest t) z).
  Definition onward (t : list symbol) (z : Z) : list Z :=
    if from_end && (0 <=? z) then [] else if z =? lowest then [lowest; lowest + 1] else [clamp t (z + 1)].
  Definition texts_from (t : list symbol) (z : Z) (n : nat) : list wanted :=
    map (fun j => text_at t (z + Z.of_nat j - offset)) (seq 0 n).
  Definition outwards (t : list symbol) (z : Z) : list wanted :=
    map (fun j => text_at t (z - 1 - Z.of_nat j - offset)) (seq 0 (Z.to_nat (z - offset))).
  Definition afterwards (t : list symbol) (z : Z) : list wanted :=
    texts_from t z (Z.to_nat (offset + Z.of_nat (length t) - z)).
  Definition starts_at : list Z := if from_end then map (fun k => - Z.of_nat k) (seq 0 (S (Z.to_nat (- lowest))))
    else [0].
  Definition ended (q : list symbol * A * Z) : option (option (list wanted)) :=
    let '(t, a, z) := q in
    if from_end && negb (z =? 0) then None
    else match verdict a with
         | Some t' => if same_text t t' then Some (Some (afterwards t z)) else if existsb (same_text t') texts then None
           else Some None
         | None => Some None
         end.
  Definition guesses : reading (list symbol * A * Z) :=
    Reading (flat_map (fun t => map (fun z => (t, first, z, outwards t z)) starts_at) texts) Empty
      (fun q i s => let '(t, a, z) := q in map (fun z' => (t, advance a i s, z', text_at t (z - offset))) (onward t z))
      ended.

  Lemma clamped t p : text_at t (clamp t p - offset) = text_at t (p - offset).
  Proof.
    destruct (Z.eq_dec (clamp t p) p) as [->|N]; [reflexivity|].
    unfold clamp, lowest, highest in *. rewrite !text_at_outside by lia. reflexivity.
  Qed.
  Lemma onward_next t p : (from_end = true -> p < 0) -> In (clamp t (p + 1)) (onward t (clamp t p)).
  Proof.
    intros H. assert (H0 : lowest < 0 <= highest t) by (unfold lowest, highest; lia). unfold onward.
    replace (from_end && (0 <=? clamp t p)) with false.
    - destruct (Z.eqb_spec (clamp t p) lowest) as [E|N]; unfold clamp in *; cbn [In]; lia.
    - symmetry. destruct from_end; [|reflexivity]. apply Z.leb_gt. specialize (H eq_refl). unfold clamp. lia.
  Qed.
  Lemma texts_from_next t z n : texts_from t z (S n) = text_at t (z - offset) :: texts_from t (z + 1) n.
  Proof.
    unfold texts_from. cbn [seq map]. rewrite <- seq_shift, map_map. f_equal; [f_equal; lia|].
    apply map_ext. intros j. f_equal. lia.
  Qed.

  Lemma guesses_accept t us : forall u i a p known, (from_end = true -> p + Z.of_nat (length (u ++ concat us)) = 0) ->
    ended (t, read_parts a i (u :: us), clamp t (p + Z.of_nat (length (u ++ concat us)))) = Some known ->
    accepts guesses i (t, a, clamp t p) u us (texts_from t p (length (u ++ concat us))) known.
  Proof.
    induction us as [|v us IH]; induction u as [|s u IHu]; intros i a p known Hp He.
    1: { cbn in *. rewrite Z.add_0_r in He. apply accepts_end. exact He. }
    2: { cbn [app length] in *. apply accepts_part. apply IH; [exact Hp | exact He]. }
    all: cbn [app length] in *; rewrite texts_from_next; eapply accepts_symbol;
      [cbn [r_step guesses]; apply in_map_iff; exists (clamp t (p + 1)); split; [rewrite clamped; reflexivity|];
       apply onward_next; intros E; specialize (Hp E); lia
      |apply IHu; [intros E; specialize (Hp E); lia|]; cbn [read_parts fold_left] in *;
       rewrite Nat2Z.inj_succ in He; rewrite <- Z.add_assoc, Z.add_1_l; exact He].
  Qed.

  Lemma nth_map_seq (f : nat -> wanted) n j : nth j (map f (seq 0 n)) Empty = if Nat.ltb j n then f j else Empty.
  Proof.
    destruct (Nat.ltb_spec j n); [|apply nth_overflow; rewrite map_length, seq_length; assumption].
    rewrite nth_indep with (d' := f O) by (rewrite map_length, seq_length; assumption).
    rewrite map_nth, seq_nth by assumption. reflexivity.
  Qed.
  Lemma guessed_row t p n : (0 <= p + Z.of_nat n)%Z -> p <= 0 -> wants_text
    (told (outwards t (clamp t p)) (texts_from t p n) (afterwards t (clamp t (p + Z.of_nat n))) Empty) t.
  Proof.
    intros Hn Hp. exists (offset - p). intros X.
    match goal with |- _ = ?w => replace w with (text_at t (p + X - offset)) end.
    2: { unfold text_at. replace (X - (offset - p)) with (p + X - offset) by lia.
         replace (offset - p <=? X) with (0 <=? p + X - offset) by (apply eq_true_iff_eq; rewrite !Z.leb_le; lia).
         replace (X <? offset - p + Z.of_nat (length t)) with (p + X - offset <? Z.of_nat (length t)) by
           (apply eq_true_iff_eq; rewrite !Z.ltb_lt; lia).
         reflexivity. }
    assert (L : lowest <= 0 /\ lowest < offset /\ 0 <= highest t /\ offset + Z.of_nat (length t) <= highest t) by
      (unfold lowest, highest; lia).
    unfold told. destruct (Z.ltb_spec X 0).
    - unfold outwards. rewrite nth_map_seq. destruct (Nat.ltb_spec (Z.to_nat (-1 - X)) (Z.to_nat (clamp t p - offset))).
      + f_equal. unfold clamp in *. lia.
      + symmetry. apply text_at_outside. unfold clamp in *. lia.
    - destruct (Nat.lt_ge_cases (Z.to_nat X) n) as [HX|HX].
      + rewrite app_nth1 by (unfold texts_from; rewrite map_length, seq_length; exact HX). unfold texts_from.
        rewrite nth_map_seq.
        destruct (Nat.ltb_spec (Z.to_nat X) n); [|lia]. f_equal. lia.
      + rewrite app_nth2; unfold texts_from; rewrite map_length, seq_length; [|exact HX]. unfold afterwards, texts_from.
        rewrite nth_map_seq.
        match goal with |- (if Nat.ltb ?a ?b then _ else _) = _ => destruct (Nat.ltb_spec a b) end.
        * f_equal. unfold clamp in *. lia.
        * symmetry. apply text_at_outside. unfold clamp in *. lia.
  Qed.

  Hypothesis some_text : texts <> [].
  Variable o : output_clause.
  Hypothesis verdict_ok : forall parts t, Forall2 matches (o_pieces o) parts ->
    verdict (read_parts first 0 parts) = Some t ->
    exists v, value_of o parts = Some v /\ says (o_digits o) v (without_blanks t).

  Lemma guesses_right : is_right guesses false o.
  Proof.
    intros u us [Hm _]. set (n := length (u ++ concat us)). set (p := if from_end then - Z.of_nat n else 0).
    assert (G : forall t known, In t texts -> ended (t, read_parts first 0 (u :: us), clamp t (p + Z.of_nat n)) = Some
      known ->
      exists q outs ws, In (q, outs) (r_starts guesses) /\ accepts guesses 0 q u us ws known /\
        forall after, known = Some after -> after = afterwards t (clamp t (p + Z.of_nat n)) ->
          wants_text (told outs ws after Empty) t).
    { intros t known Ht He. exists (t, first, clamp t p), (outwards t (clamp t p)), (texts_from t p n). split; [|split].
      - cbn [r_starts guesses]. apply in_flat_map. exists t. split; [exact Ht|]. apply in_map_iff. exists (clamp t p).
        split; [reflexivity|].
        unfold starts_at, p. destruct from_end; [|left; unfold clamp, lowest, highest; lia].
        apply in_map_iff. exists (Z.to_nat (- clamp t (- Z.of_nat n))). unfold clamp, lowest, highest.
        split; [lia | apply in_seq; lia].
      - apply guesses_accept; [|exact He]. unfold p. intros ->. fold n. lia.
      - intros after _ ->. apply guessed_row; unfold p; destruct from_end; lia. }
    assert (Z : forall t, from_end && negb (clamp t (p + Z.of_nat n) =? 0) = false).
    { intros t. unfold p. destruct from_end; [|reflexivity]. apply negb_false_iff, Z.eqb_eq.
      unfold clamp, lowest, highest. lia. }
    destruct (verdict (read_parts first 0 (u :: us))) as [t|] eqn:Ev; [destruct (existsb (same_text t) texts) eqn:Ex|].
    - apply existsb_exists in Ex as (t' & Ht & Es). apply same_text_eq in Es. subst t'.
      destruct (G t (Some (afterwards t (clamp t (p + Z.of_nat n)))) Ht) as (q & outs & ws & Hq & Ha & Hw).
      { unfold ended. rewrite Z, Ev, same_text_refl. reflexivity. }
      exists q, outs, ws, (Some (afterwards t (clamp t (p + Z.of_nat n)))). split; [exact Hq|]. split; [exact Ha|].
      intros after E. destruct (verdict_ok _ _ Hm Ev) as (v & Hv & Hs). exists v. split; [exact Hv|]. exists t.
      split; [|exact Hs]. apply Hw; [exact E | congruence].
    - destruct texts as [|t' l] eqn:El; [congruence|].
      destruct (G t' None) as (q & outs & ws & Hq & Ha & _);
        [left; reflexivity | | exists q, outs, ws, None; split; [exact Hq|]; split; [exact Ha | discriminate]].
      unfold ended. rewrite Z, Ev. cbn [existsb] in Ex. apply orb_false_iff in Ex as [E1 E2].
      destruct (same_text t' t) eqn:E; [apply same_text_eq in E; subst t'; rewrite same_text_refl in E1; discriminate|].
      rewrite El. cbn [existsb]. rewrite E1, E2. reflexivity.
    - destruct texts as [|t' l] eqn:El; [congruence|].
      destruct (G t' None) as (q & outs & ws & Hq & Ha & _);
        [left; reflexivity | | exists q, outs, ws, None; split; [exact Hq|]; split; [exact Ha | discriminate]].
      unfold ended. rewrite Z, Ev. reflexivity.
  Qed.
End Placed.

(** * What the counters say *)
Section Verdicts.
  Variables (bound period : Z) (digits : list symbol) (members : list (list symbol)).
  Hypothesis positive : 0 < period.
  Hypothesis not_negative : 0 <= bound.
  Notation number := (number period).
  Notation condition := (condition bound period).
  Notation advance := (advance bound period digits members).
  Definition spelled_back (z : Z) (t : list symbol) : bool :=
    match t, spells digits t with _ :: _, Some z' => z =? z' | _, _ => false end.
  Definition exact_text (k : option kept) : option (Z * list symbol) :=
    match k with Some (Exactly, z) => option_map (pair z) (in_digits digits z) | _ => None end.
  Fixpoint told_text (A : counters) (e : expression) : option (list symbol) :=
    match e with
    | If c a b => match condition A c with Some true => told_text A a | Some false => told_text A b | None => None end
    | Letters t => Some (without_blanks t)
    | Written a => match exact_text (number A a) with Some (_, t) => Some (without_blanks t) | None => None end
    | _ => match exact_text (number A e) with Some (z, t) => if spelled_back z t then Some t else None
      | None => None end
    end.
  (** No blank stands at its ends. *)
  Definition told_verdict (e : expression) (A : counters) : option (list symbol) :=
    match told_text A e with Some t => if same_text (without_blanks t) t then Some t else None | None => None end.

  Section True.
    Variables (parts : list (list symbol)) (A : counters).
    Notation value e := (evaluate digits members e parts).
    Hypothesis all_true : forall q c, In (q, c) A -> tracks bound period digits members q c (nth (part_of q) parts []).
    Notation number_ok := (number_ok bound period digits members parts A all_true).
    Notation condition_ok := (condition_ok bound period digits members parts A all_true).
    Lemma exact_text_ok e z t : exact_text (number A e) = Some (z, t) -> value e = Some (Number z) /\
      in_digits digits z = Some t.
    Proof.
      destruct (number A e) as [[[] a]|] eqn:E; try discriminate. cbn [exact_text].
      destruct (in_digits digits a) as [t'|] eqn:D; [|discriminate]. intros H. injection H as <- <-.
      apply number_ok in E as (u & Eu & -> & _). auto.
    Qed.
    Lemma told_text_ok e : forall t, told_text A e = Some t -> exists v, value e = Some v /\ says digits v t.
    Proof.
      assert (N : forall e t, match exact_text (number A e) with Some (z, t) => if spelled_back z t then Some t
        else None | None => None end = Some t ->
        exists v, value e = Some v /\ says digits v t).
      { intros x t H. destruct (exact_text (number A x)) as [[z t']|] eqn:E; [|discriminate].
        apply exact_text_ok in E as [Ez _].
        destruct (spelled_back z t') eqn:S; [|discriminate]. injection H as <-. exists (Number z). split; [exact Ez|].
        unfold spelled_back in S. destruct t' as [|a t']; [discriminate|].
        destruct (spells digits (a :: t')) as [z'|] eqn:D; [|discriminate].
        apply Z.eqb_eq in S. subst z'. split; [discriminate | exact D]. }
      induction e; intros t0 H; try (exact (N _ t0 H)); cbn [told_text] in H.
      - injection H as <-. exists (Text t). split; reflexivity.
      - destruct (exact_text (number A e)) as [[z t]|] eqn:E; [|discriminate]. injection H as <-.
        apply exact_text_ok in E as [Ez Et].
        exists (Text t). cbn [evaluate]. rewrite Ez, Et. split; reflexivity.
      - cbn [evaluate]. destruct (condition A e1) as [[]|] eqn:E; [| |discriminate]; rewrite (condition_ok _ _ E); auto.
    Qed.
  End True.
  Theorem told_verdict_ok e quantities parts t :
    told_verdict e (read_parts advance (map (fun q => (q, first_count q)) quantities) 0 parts) = Some t ->
    exists v, evaluate digits members e parts = Some v /\ says digits v (without_blanks t).
  Proof.
    unfold told_verdict. set (A := read_parts _ _ _ _). destruct (told_text A e) as [t'|] eqn:E; [|discriminate].
    destruct (same_text (without_blanks t') t') eqn:S; [|discriminate]. intros H. injection H as <-.
    apply same_text_eq in S. rewrite S.
    eapply told_text_ok; [|exact E]. intros q c Hin.
    apply (read_tracks bound period digits members positive not_negative parts 0 _ (fun _ => [])) in Hin;
      [rewrite Nat.sub_0_r in Hin; exact Hin|].
    intros q' c' H'. apply in_map_iff in H' as (q0 & E0 & _). injection E0 as <- <-. apply first_tracks.
  Qed.
End Verdicts.

Fixpoint texts_of (digits : list symbol) (e : expression) : list (list symbol) :=
  let spelled z := match in_digits digits z with Some t => [t] | None => [] end in
  match e with
  | If _ a b => texts_of digits a ++ texts_of digits b
  | Letters t => [without_blanks t]
  | Written a => texts_of digits a
  | Constant z => spelled z
  | Operation Mod _ (Constant d) => flat_map (fun i => spelled (Z.of_nat i)) (seq 0 (Z.to_nat d))
  | _ => []
  end.
Definition state_eq_dec (a b : list symbol * counters * Z) : {a = b} + {a <> b}.
Proof. decide equality; [apply Z.eq_dec|]. decide equality; [apply counters_eq_dec | apply list_eq_dec, N.eq_dec].
Defined.
Definition state_hash (q : list symbol * counters * Z) : N :=
  let '(t, A, z) := q in fold_left (fun h qc => counter_hash h (snd qc)) A (mix (fold_left mix t 7%N) (zn z)).
Definition verdict_reading (o : output_clause) (from_end : bool) (offset : Z) : reading (list symbol * counters * Z) :=
  let e := o_value o in
  let bound := bound_of e in
  let period := period_of e in
  let members := map members_of (o_pieces o) in
  guesses (map (fun q => (q, first_count q)) (quantities_of e)) (advance bound period (o_digits o) members)
    (told_verdict bound period (o_digits o) e) (nodup (list_eq_dec N.eq_dec) (texts_of (o_digits o) e)) from_end offset.
Definition verdict_known (o : output_clause) : bool :=
  (0 <? period_of (o_value o)) && (0 <=? bound_of (o_value o)) &&
    match texts_of (o_digits o) (o_value o) with [] => false | _ => true end.
Theorem verdict_right o from_end offset : verdict_known o = true ->
  is_right (verdict_reading o from_end offset) false o.
Proof.
  unfold verdict_known. intros H. apply andb_true_iff in H as [H Ht]. apply andb_true_iff in H as [Hp Hb].
  apply Z.ltb_lt in Hp. apply Z.leb_le in Hb. apply guesses_right.
  - intros E. destruct (texts_of (o_digits o) (o_value o)) as [|t l] eqn:El; [discriminate|].
    assert (In t []) by (rewrite <- E; apply nodup_In; left; reflexivity). contradiction.
  - intros parts t _ Hv. unfold value_of. eapply told_verdict_ok; eassumption.
Qed.
