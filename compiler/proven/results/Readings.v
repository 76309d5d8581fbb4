(** Readings that come to the end only if they have guessed right: here (R1), quotients. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Maps Columns Closures Machines Rows.
Import ListNotations.
Local Open Scope Z_scope.

(** On every input some run to the end wants what the clause says, or is one of which nothing is known. *)
Definition is_right {S} (r : reading S) (numeric : bool) (o : output_clause) : Prop :=
  forall u us, declared (o_inputs o) (u :: us) ->
  exists q outs ws known, In (q, outs) (r_starts r) /\ accepts r 0 q u us ws known /\ forall after,
    known = Some after ->
    exists v, value_of o (u :: us) = Some v /\ shows (o_digits o) numeric (told outs ws after (r_left r)) v.

(** After part 0, a number wants nothing. *)
Section After.
  Context {S : Type}.
  Variable r : reading S.
  Hypothesis goes_on : forall q i s, In (q, Empty) (r_step r q (Datatypes.S i) s).
  Hypothesis may_end : forall q, r_ended r q = Some (Some []).
  Lemma rest_accepts us : forall u i q,
    accepts r (Datatypes.S i) q u us (repeat Empty (length (u ++ concat us))) (Some []).
  Proof.
    induction us as [|v us IH]; induction u as [|s u IHu]; intros i q; simpl.
    - apply accepts_end. auto.
    - eapply accepts_symbol; [apply goes_on | apply IHu].
    - apply accepts_part, IH.
    - eapply accepts_symbol; [apply goes_on | apply IHu].
  Qed.
  Lemma part_0_accepts us q : accepts r 0 q [] us (repeat Empty (length (concat us))) (Some []).
  Proof. destruct us as [|u us]; [apply accepts_end; auto | apply accepts_part, rest_accepts]. Qed.
End After.

(** * Rows *)
Lemma columns_are W lo l : (forall i, (i < length l)%nat -> W (lo + Z.of_nat i) = nth i l Empty) ->
  columns W lo (length l) = l.
Proof.
  intros H. apply nth_ext with (d := Empty) (d' := Empty); unfold columns;
    [rewrite map_length, seq_length; reflexivity|].
  intros i Hi. rewrite map_length, seq_length in Hi.
  rewrite nth_indep with (d' := W (lo + Z.of_nat 0)) by (rewrite map_length, seq_length; exact Hi).
  rewrite (map_nth (fun i => W (lo + Z.of_nat i))), seq_nth by exact Hi. apply H. exact Hi.
Qed.
Lemma nth_repeat_empty i k : nth i (repeat Empty k) Empty = Empty.
Proof. revert i. induction k; intros [|i]; simpl; auto. Qed.

Lemma told_number digits ds n z : worth digits ds = Some z ->
  wants_number digits (told [] (ds ++ repeat Empty n) [] Leads) z.
Proof.
  intros H. exists 0, (length ds). split; [|split].
  - intros X HX. unfold told. destruct (Z.ltb_spec X 0); [|lia]. destruct (Z.to_nat (-1 - X)); reflexivity.
  - intros X HX. unfold told. destruct (Z.ltb_spec X 0); [lia|]. rewrite app_nil_r, app_nth2 by lia.
    apply nth_repeat_empty.
  - rewrite columns_are; [exact H|]. intros i Hi. unfold told. destruct (Z.ltb_spec (0 + Z.of_nat i) 0); [lia|].
    rewrite app_nil_r, app_nth1 by lia. f_equal. lia.
Qed.

(** * The symbols of parts *)
Lemma cells_in_symbols c s : In s (symbols_of_clause c) -> exists l, In l (cells_in c) /\ In s l.
Proof.
  induction c; simpl; intros H; try contradiction; try (apply in_app_or in H as [H|H]).
  - exists among. auto.
  - destruct (IHc1 H) as (l & H1 & H2). exists l. split; [apply in_or_app; left|]; assumption.
  - destruct (IHc2 H) as (l & H1 & H2). exists l. split; [apply in_or_app; right|]; assumption.
  - destruct (IHc1 H) as (l & H1 & H2). exists l. split; [apply in_or_app; left|]; assumption.
  - destruct (IHc2 H) as (l & H1 & H2). exists l. split; [apply in_or_app; right|]; assumption.
  - auto.
Qed.
Lemma members_matched c t l : members_of c = l -> l <> [] -> matches c t -> Forall (fun s => In s l) t.
Proof.
  intros Hm Hl Ht. apply Forall_forall. intros s Hs. pose proof (symbols_of_clause_ok c t Ht s Hs) as H.
  apply cells_in_symbols in H as (k & Hk & Hin). unfold members_of in Hm.
  destruct (cells_in c) as [|first others]; [contradiction|].
  destruct (forallb (same_text first) others) eqn:E; [|congruence]. rewrite forallb_forall in E. subst l.
  destruct Hk as [<-|Hk]; [exact Hin|]. apply E, same_text_eq in Hk. congruence.
Qed.

(** * (R1): a div k *)
Section Numbers.
  Variable digits : list symbol.
  Notation base := (Z.of_nat (length digits)).
  Definition digit_at (i : Z) : symbol := nth (Z.to_nat i) digits 0%N.
  Definition digits_ok : bool :=
    (1 <? base) && negb (existsb (N.eqb 0) digits) &&
    forallb (fun i => match place_in digits (nth i digits 0%N) with Some d => d =? Z.of_nat i | None => false end)
      (seq 0 (length digits)).
  Hypothesis ok : digits_ok = true.

  Lemma base_ok : 1 < base.
  Proof. unfold digits_ok in ok. rewrite !andb_true_iff in ok. destruct ok as [[H _] _]. apply Z.ltb_lt. exact H. Qed.
  Lemma digit_back i : 0 <= i < base -> place_in digits (digit_at i) = Some i.
  Proof.
    intros Hi. unfold digits_ok in ok. rewrite !andb_true_iff in ok. destruct ok as [_ H]. rewrite forallb_forall in H.
    specialize (H (Z.to_nat i)). unfold digit_at.
    destruct (place_in digits (nth (Z.to_nat i) digits 0%N)) as [d|].
    - assert (E : d =? Z.of_nat (Z.to_nat i) = true) by (apply H, in_seq; lia). apply Z.eqb_eq in E. f_equal. lia.
    - discriminate H. apply in_seq. lia.
  Qed.
  Lemma place_in_some l : forall s, In s l -> exists d, place_in l s = Some d /\ 0 <= d < Z.of_nat (length l).
  Proof.
    induction l as [|a l IH]; intros s H; [contradiction|]. destruct H as [->|H]; cbn [place_in length].
    - rewrite N.eqb_refl. exists 0. split; [reflexivity | lia].
    - destruct (N.eqb_spec a s); [exists 0; split; [reflexivity | lia]|].
      destruct (IH s H) as (d & -> & Hd). exists (Z.succ d). split; [reflexivity | lia].
  Qed.
  Definition value_at (s : symbol) : Z := match place_in digits s with Some d => d | None => 0 end.
  Lemma value_at_ok s : In s digits -> place_in digits s = Some (value_at s) /\ 0 <= value_at s < base.
  Proof. intros H. unfold value_at. destruct (place_in_some digits s H) as (d & -> & Hd). auto. Qed.
  Lemma spelled_digits u : Forall (fun s => In s digits) u -> forall n,
    fold_left (spells_after digits) u (Some n) = Some (fold_left (fun n s => n * base + value_at s) u n).
  Proof.
    induction 1 as [|s u Hs _ IH]; intros n; [reflexivity|]. cbn [fold_left]. rewrite <- IH. f_equal.
    unfold spells_after. destruct (value_at_ok s Hs) as [-> _]. reflexivity.
  Qed.

  Section Quotient.
    Variable k : Z.
    Hypothesis positive : 0 < k.
    Definition quotient : reading Z :=
      Reading [(0, [])] Leads
        (fun r i s => match i with
           | O => let n := r * base + value_at s in [(n mod k, Wants (digit_at (n / k)))]
           | _ => [(r, Empty)]
           end)
        (fun _ => Some (Some [])).
    Fixpoint quotient_digits (r : Z) (u : list symbol) : list wanted :=
      match u with
      | [] => []
      | s :: u => let n := r * base + value_at s in Wants (digit_at (n / k)) :: quotient_digits (n mod k) u
      end.
    Lemma quotient_accepts us u : forall r,
      accepts quotient 0 r u us (quotient_digits r u ++ repeat Empty (length (concat us))) (Some []).
    Proof.
      induction u as [|s u IH]; intros r; cbn [quotient_digits app].
      - apply part_0_accepts; [left|]; reflexivity.
      - eapply accepts_symbol; [|apply IH]. left. reflexivity.
    Qed.
    Lemma quotient_worth u : Forall (fun s => In s digits) u -> forall n,
      fold_left (worth_after digits) (quotient_digits (n mod k) u) (Some (n / k)) =
      Some (fold_left (fun n s => n * base + value_at s) u n / k).
    Proof.
      pose proof base_ok as HB. induction 1 as [|s u Hs Hu IH]; intros n; [reflexivity|].
      cbn [quotient_digits fold_left].
      destruct (value_at_ok s Hs) as [_ Hv]. rewrite <- IH.
      pose proof (Z.div_mod n k ltac:(lia)) as Hn. pose proof (Z.mod_pos_bound n k positive) as Hm.
      assert (E : n * base + value_at s = n / k * base * k + (n mod k * base + value_at s)) by nia.
      assert (Em : (n * base + value_at s) mod k = (n mod k * base + value_at s) mod k).
      { rewrite E, Z.add_comm. apply Z.mod_add. lia. }
      assert (Ed : (n * base + value_at s) / k = n / k * base + (n mod k * base + value_at s) / k).
      { rewrite E. apply Z.div_add_l. lia. }
      rewrite Em, Ed. f_equal.
      unfold worth_after. cbn [digit_of]. rewrite digit_back; [reflexivity|].
      split; [apply Z.div_pos; nia | apply Z.div_lt_upper_bound; nia].
    Qed.
  End Quotient.
End Numbers.

(** The digits of the clause are the symbols of part 0. *)
Definition part_0_ok (o : output_clause) : bool :=
  match o_pieces o with p :: _ => same_text (members_of p) (o_digits o) | [] => false end && digits_ok (o_digits o).
Lemma part_0_spelled o u us : part_0_ok o = true -> Forall2 matches (o_pieces o) (u :: us) ->
  digits_ok (o_digits o) = true /\ Forall (fun s => In s (o_digits o)) u /\
  spells (nth 0 (map members_of (o_pieces o)) []) u =
    Some (fold_left (fun n s => n * Z.of_nat (length (o_digits o)) + value_at (o_digits o) s) u 0).
Proof.
  intros H Hm. unfold part_0_ok in H. apply andb_true_iff in H as [H Hd].
  destruct (o_pieces o) as [|p ps]; [discriminate|].
  apply same_text_eq in H. inversion Hm; subst. cbn [map nth]. rewrite H.
  assert (Hu : Forall (fun s => In s (o_digits o)) u).
  { eapply members_matched; [exact H | | eassumption]. intros E. rewrite E in Hd. discriminate. }
  split; [exact Hd|]. split; [exact Hu | apply spelled_digits; exact Hu].
Qed.

Lemma quotient_right o k : part_0_ok o = true -> o_value o = Operation Div (Spelled 0) (Constant k) -> 0 < k ->
  is_right (quotient (o_digits o) k) true o.
Proof.
  intros Hp Ho Hk u us [Hm _]. destruct (part_0_spelled o u us Hp Hm) as (Hd & Hu & Hs).
  eexists _, [], _, (Some []). split; [left; reflexivity|]. split; [apply quotient_accepts|]. intros after E.
  injection E as <-.
  eexists. split.
  - unfold value_of. rewrite Ho. cbn [evaluate nth]. rewrite Hs. cbn [option_map operate].
    destruct (Z.eqb_spec k 0); [lia|]. reflexivity.
  - eexists. split; [reflexivity|]. apply told_number. unfold worth.
    rewrite <- (quotient_worth (o_digits o) Hd k Hk u Hu 0). rewrite Z.mod_0_l, Z.div_0_l by lia. reflexivity.
Qed.
