(** Readings that come to the end only if they have guessed right: here (R1), numbers, and (R2), copies. *)
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
  Variables (r : reading S) (Q : S -> Prop).
  Hypothesis goes_on : forall q i s, Q q -> exists q', In (q', Empty) (r_step r q (Datatypes.S i) s) /\ Q q'.
  Hypothesis may_end : forall q, Q q -> r_ended r q = Some (Some []).
  Lemma rest_accepts us : forall u i q, Q q -> accepts r (Datatypes.S i) q u us (repeat Empty (length (u ++ concat us)))
    (Some []).
  Proof.
    induction us as [|v us IH]; induction u as [|s u IHu]; intros i q Hq; simpl.
    - apply accepts_end. auto.
    - destruct (goes_on q i s Hq) as (q' & Hin & Hq'). eapply accepts_symbol; [exact Hin|]. apply IHu. exact Hq'.
    - apply accepts_part. apply IH. exact Hq.
    - destruct (goes_on q i s Hq) as (q' & Hin & Hq'). eapply accepts_symbol; [exact Hin|]. apply IHu. exact Hq'.
  Qed.
  Lemma part_0_accepts us q : Q q -> accepts r 0 q [] us (repeat Empty (length (concat us))) (Some []).
  Proof. destruct us as [|u us]; intros Hq; [apply accepts_end; auto | apply accepts_part, rest_accepts; exact Hq]. Qed.
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

Lemma told_number digits outs ds n z : fold_left (worth_after digits) ds (worth digits (rev outs)) = Some z ->
  wants_number digits (told outs (ds ++ repeat Empty n) [] Leads) z.
Proof.
  intros H. exists (- Z.of_nat (length outs)), (length outs + length ds)%nat. split; [|split].
  - intros X HX. unfold told. destruct (Z.ltb_spec X 0); [|lia]. apply nth_overflow. lia.
  - intros X HX. unfold told. destruct (Z.ltb_spec X 0); [lia|]. rewrite app_nil_r, app_nth2 by lia.
    apply nth_repeat_empty.
  - set (W := told outs (ds ++ repeat Empty n) [] Leads). set (lo := - Z.of_nat (length outs)).
    assert (E1 : columns W lo (length (rev outs)) = rev outs).
    { apply columns_are. intros i Hi. rewrite rev_length in Hi. unfold W, told, lo.
      destruct (Z.ltb_spec (- Z.of_nat (length outs) + Z.of_nat i) 0); [|lia].
      rewrite rev_nth by exact Hi. rewrite nth_indep with (d' := Empty) by lia. f_equal. lia. }
    assert (E2 : columns W (lo + Z.of_nat (length outs)) (length ds) = ds).
    { apply columns_are. intros i Hi. unfold W, told, lo.
      destruct (Z.ltb_spec (- Z.of_nat (length outs) + Z.of_nat (length outs) + Z.of_nat i) 0); [lia|].
      rewrite app_nil_r, app_nth1 by lia. f_equal. lia. }
    rewrite rev_length in E1. unfold worth. rewrite columns_app, E1, E2, fold_left_app. exact H.
Qed.

Lemma told_text t a b : wants_text (told [] (repeat Empty a ++ map Wants t ++ repeat Empty b) [] Empty) t.
Proof.
  exists (Z.of_nat a). intros X. unfold told. rewrite app_nil_r.
  destruct (Z.ltb_spec X 0); [destruct (Z.leb_spec (Z.of_nat a) X); [lia|]; destruct (Z.to_nat (-1 - X)); reflexivity|].
  destruct (Z.leb_spec (Z.of_nat a) X); cbn [andb].
  - rewrite app_nth2; rewrite repeat_length; [|lia].
    replace (Z.to_nat X - a)%nat with (Z.to_nat (X - Z.of_nat a)) by lia.
    destruct (Z.ltb_spec X (Z.of_nat a + Z.of_nat (length t))).
    + rewrite app_nth1 by (rewrite map_length; lia).
      rewrite nth_indep with (d' := Wants 0%N) by (rewrite map_length; lia). apply map_nth.
    + rewrite app_nth2 by (rewrite map_length; lia). apply nth_repeat_empty.
  - rewrite app_nth1 by (rewrite repeat_length; lia). apply nth_repeat_empty.
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

(** * (R1): k * a + c, and a div k *)
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

  Section Line.
    Variables (k c : Z) (carries : list Z).
    Definition more_carries (r : Z) : list Z := map (fun i => (k * Z.of_nat i + r) / base) (seq 0 (length digits)).
    Fixpoint outwards (fuel : nat) (r : Z) : list wanted :=
      match fuel with
      | O => []
      | S fuel => if r =? 0 then [] else Wants (digit_at (r mod base)) :: outwards fuel (r / base)
      end.
    Definition line_start (r : Z) : option Z * list wanted := (Some r, outwards 64 r).
    Definition is_over (q : option Z) : bool := match q with None => true | Some r => r =? c end.
    Definition line : reading (option Z) :=
      Reading (map line_start carries) Leads
        (fun q i s => match i, q with
           | O, Some r => flat_map (fun later => let d := k * value_at s + later - base * r in
               if (0 <=? d) && (d <? base) then [(Some later, Wants (digit_at d))] else []) carries
           | O, None => []
           | _, _ => if is_over q then [(None, Empty)] else []
           end)
        (fun q => if is_over q then Some (Some []) else None).
    Definition line_ok : bool :=
      existsb (Z.eqb c) carries &&
      forallb (fun r => forallb (fun r' => existsb (Z.eqb r') carries) (more_carries r) &&
        match worth digits (rev (outwards 64 r)) with Some n => n =? r | None => false end) carries.
    Hypothesis fine : line_ok = true.

    Definition carry (u : list symbol) : Z := fold_right (fun s r => (k * value_at s + r) / base) c u.
    Fixpoint line_digits (u : list symbol) : list wanted :=
      match u with
      | [] => []
      | s :: u => Wants (digit_at ((k * value_at s + carry u) mod base)) :: line_digits u
      end.

    Lemma carry_in u : Forall (fun s => In s digits) u -> In (carry u) carries.
    Proof.
      unfold line_ok in fine. apply andb_true_iff in fine as [H0 H]. rewrite forallb_forall in H.
      assert (E : forall r, existsb (Z.eqb r) carries = true -> In r carries).
      { intros r Hr. apply existsb_exists in Hr as (x & Hx & Er). apply Z.eqb_eq in Er. congruence. }
      induction 1 as [|s u Hs _ IH]; [apply E; exact H0|]. cbn [carry fold_right]. fold (carry u).
      apply E. specialize (H _ IH). apply andb_true_iff in H as [H _]. rewrite forallb_forall in H. apply H.
      unfold more_carries. destruct (value_at_ok s Hs) as [_ Hv]. apply in_map_iff. exists (Z.to_nat (value_at s)).
      split; [do 3 f_equal; lia | apply in_seq; lia].
    Qed.
    Lemma line_accepts us u : Forall (fun s => In s digits) u ->
      accepts line 0 (Some (carry u)) u us (line_digits u ++ repeat Empty (length (concat us))) (Some []).
    Proof.
      pose proof base_ok as HB. induction 1 as [|s u Hs Hu IH]; cbn [line_digits app].
      - apply part_0_accepts with (Q := fun q => is_over q = true).
        + intros q i s Hq. exists None. cbn. rewrite Hq. split; [left; reflexivity | reflexivity].
        + intros q Hq. cbn. rewrite Hq. reflexivity.
        + apply Z.eqb_refl.
      - eapply accepts_symbol; [|exact IH]. cbn [r_step line]. apply in_flat_map. exists (carry u).
        split; [apply carry_in; exact Hu|]. cbv zeta.
        assert (E : k * value_at s + carry u - base * carry (s :: u) = (k * value_at s + carry u) mod base).
        { cbn [carry fold_right]. fold (carry u). rewrite Z.mod_eq by lia. reflexivity. }
        rewrite E. pose proof (Z.mod_pos_bound (k * value_at s + carry u) base ltac:(lia)) as Hm.
        destruct (Z.leb_spec 0 ((k * value_at s + carry u) mod base)); [|lia].
        destruct (Z.ltb_spec ((k * value_at s + carry u) mod base) base); [|lia]. left. reflexivity.
    Qed.
    Lemma line_worth u : Forall (fun s => In s digits) u -> forall n,
      fold_left (worth_after digits) (line_digits u) (Some (k * n + carry u)) =
      Some (k * fold_left (fun n s => n * base + value_at s) u n + c).
    Proof.
      pose proof base_ok as HB. induction 1 as [|s u Hs Hu IH]; intros n; [reflexivity|]. cbn [line_digits fold_left].
      rewrite <- IH. f_equal. unfold worth_after. cbn [digit_of].
      rewrite digit_back by (apply Z.mod_pos_bound; lia). f_equal. cbn [carry fold_right]. fold (carry u).
      pose proof (Z.div_mod (k * value_at s + carry u) base ltac:(lia)). nia.
    Qed.
    Lemma line_told (us : list (list symbol)) u : Forall (fun s => In s digits) u -> exists outs,
      In (Some (carry u), outs) (r_starts line) /\
      wants_number digits (told outs (line_digits u ++ repeat Empty (length (concat us))) [] Leads)
        (k * fold_left (fun n s => n * base + value_at s) u 0 + c).
    Proof.
      intros Hu. pose proof (carry_in u Hu) as Hc. exists (outwards 64 (carry u)). split.
      - apply (in_map line_start) in Hc. exact Hc.
      - apply told_number. unfold line_ok in fine. apply andb_true_iff in fine as [_ H]. rewrite forallb_forall in H.
        specialize (H _ Hc). apply andb_true_iff in H as [_ H].
        destruct (worth digits (rev (outwards 64 (carry u)))) as [n|]; [|discriminate]. apply Z.eqb_eq in H. subst n.
        rewrite <- (line_worth u Hu 0). rewrite Z.mul_0_r. reflexivity.
    Qed.
  End Line.

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
      - apply part_0_accepts with (Q := fun _ => True); auto. intros q i s _. exists q. split; [left|]; auto.
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

(** Expressions k * a + c, a being the number of part 0. *)
Fixpoint linear (e : expression) : option (Z * Z) :=
  match e with
  | Constant z => Some (0, z)
  | Spelled O => Some (1, 0)
  | Operation Add a b =>
      match linear a, linear b with Some (k, c), Some (l, d) => Some (k + l, c + d) | _, _ => None end
  | Operation Mul a b =>
      match linear a, linear b with
      | Some (k, c), Some (l, d) =>
          if k =? 0 then Some (c * l, c * d) else if l =? 0 then Some (d * k, d * c) else None
      | _, _ => None
      end
  | _ => None
  end.
Lemma linear_ok digits members parts a : spells (nth 0 members []) (nth 0 parts []) = Some a ->
  forall e k c, linear e = Some (k, c) -> evaluate digits members e parts = Some (Number (k * a + c)).
Proof.
  intros Ha. induction e; intros k0 c0 H; simpl in H; try discriminate.
  - injection H as <- <-. simpl. f_equal; f_equal; lia.
  - destruct i; [|discriminate]. injection H as <- <-. cbn [evaluate]. rewrite Ha. cbn [option_map].
    f_equal; f_equal; lia.
  - destruct o; try discriminate; destruct (linear e1) as [[k c]|]; try discriminate;
      destruct (linear e2) as [[l d]|]; try discriminate; cbn [evaluate]; rewrite (IHe1 _ _ eq_refl),
        (IHe2 _ _ eq_refl).
    + injection H as <- <-. simpl. f_equal; f_equal; lia.
    + destruct (Z.eqb_spec k 0) as [->|]; [injection H as <- <-; simpl; f_equal; f_equal; nia|].
      destruct (Z.eqb_spec l 0) as [->|]; [injection H as <- <-; simpl; f_equal; f_equal; nia | discriminate].
Qed.

(** * (R2): a part in its own columns *)
Definition copy (part : nat) : reading unit :=
  Reading [(tt, [])] Empty (fun q i s => [(q, if Nat.eqb i part then Wants s else Empty)]) (fun _ => Some (Some [])).
Fixpoint copied (part i : nat) (parts : list (list symbol)) : list wanted :=
  match parts with
  | [] => []
  | u :: us => map (fun s => if Nat.eqb i part then Wants s else Empty) u ++ copied part (S i) us
  end.
Lemma copy_accepts part us : forall u i, accepts (copy part) i tt u us (copied part i (u :: us)) (Some []).
Proof.
  induction us as [|v us IH]; induction u as [|s u IHu]; intros i; cbn [copied map app].
  - apply accepts_end. reflexivity.
  - eapply accepts_symbol; [left; reflexivity | apply IHu].
  - apply accepts_part. apply IH.
  - eapply accepts_symbol; [left; reflexivity | apply IHu].
Qed.
Lemma map_empty (u : list symbol) : map (fun _ => Empty) u = repeat Empty (length u).
Proof. induction u; simpl; congruence. Qed.
Lemma copied_past part parts : forall i, (part < i)%nat -> copied part i parts = repeat Empty (length (concat parts)).
Proof.
  induction parts as [|u us IH]; intros i Hi; [reflexivity|]. cbn [copied concat].
  replace (Nat.eqb i part) with false by (symmetry; apply Nat.eqb_neq; lia).
  rewrite map_empty, IH by lia. rewrite <- repeat_app, app_length. reflexivity.
Qed.
Lemma copied_is part parts : forall i, (i <= part)%nat -> exists a b,
  copied part i parts = repeat Empty a ++ map Wants (nth (part - i) parts []) ++ repeat Empty b.
Proof.
  induction parts as [|u us IH]; intros i Hi; [exists O, O; destruct (part - i)%nat; reflexivity|]. cbn [copied].
  destruct (Nat.eqb_spec i part) as [->|N].
  - exists O, (length (concat us)). rewrite Nat.sub_diag, copied_past by lia. reflexivity.
  - destruct (IH (S i)) as (a & b & E); [lia|]. exists (length u + a)%nat, b.
    rewrite E, map_empty, repeat_app, <- app_assoc.
    replace (part - i)%nat with (S (part - S i)) by lia. reflexivity.
Qed.

(** * Which reading a clause has *)
Lemma copy_right part o : o_value o = Part part -> is_right (copy part) false o.
Proof.
  intros Ho u us H. exists tt, [], (copied part 0 (u :: us)), (Some []). split; [left; reflexivity|].
  split; [apply copy_accepts|].
  intros after E. injection E as <-. exists (Text (nth part (u :: us) [])).
  split; [unfold value_of; rewrite Ho; reflexivity|].
  exists (nth part (u :: us) []). split; [|reflexivity].
  destruct (copied_is part (u :: us) 0) as (a & b & ->); [lia|]. rewrite Nat.sub_0_r. apply told_text.
Qed.

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

Lemma line_right o k c carries : part_0_ok o = true -> linear (o_value o) = Some (k, c) ->
  line_ok (o_digits o) k c carries = true -> is_right (line (o_digits o) k c carries) true o.
Proof.
  intros Hp Hl Hc u us [Hm _]. destruct (part_0_spelled o u us Hp Hm) as (Hd & Hu & Hs).
  destruct (line_told (o_digits o) Hd k c carries Hc us u Hu) as (outs & Hin & Ht).
  eexists _, outs, _, (Some []). split; [exact Hin|]. split; [apply line_accepts; assumption|]. intros after E.
  injection E as <-.
  eexists. split; [eapply linear_ok; [exact Hs | exact Hl]|]. eexists. split; [reflexivity | exact Ht].
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
  - eexists. split; [reflexivity|]. apply told_number. cbn [rev]. unfold worth. cbn [fold_left].
    rewrite <- (quotient_worth (o_digits o) Hd k Hk u Hu 0). rewrite Z.mod_0_l, Z.div_0_l by lia. reflexivity.
Qed.
