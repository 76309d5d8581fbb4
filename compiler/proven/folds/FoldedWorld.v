(** (V10), the first world: two numbers with a sign between them, and their folded tape. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Columns Strips Rows.
From Gridlang Require Import FoldedTape FoldedChains FoldedReadings FoldedInputs FoldedResults FoldedCheck.
Import ListNotations.
Local Open Scope Z_scope.

(** * Two numbers with a sign between them *)
Fixpoint empty_clause (c : clause) : bool :=
  match c with
  | Nothing => true
  | Cell _ => false
  | Then a b | Or a b => empty_clause a && empty_clause b
  | Many a => empty_clause a
  end.
Fixpoint single (c : clause) : bool :=
  match c with
  | Cell _ => true
  | Or a b => single a && single b
  | Then a b => single a && empty_clause b || empty_clause a && single b
  | _ => false
  end.
Lemma empty_ok c t : matches c t -> empty_clause c = true -> t = [].
Proof.
  induction 1; simpl; try discriminate; auto; rewrite ?andb_true_iff; intros E;
    try (destruct E); try (rewrite IHmatches1, IHmatches2 by auto; reflexivity); auto.
Qed.
Lemma single_ok c t : matches c t -> single c = true -> exists s, t = [s] /\ In s (symbols_of_clause c).
Proof.
  induction 1; simpl; try discriminate; intros E.
  - eauto.
  - apply orb_true_iff in E as [E|E]; apply andb_true_iff in E as [E1 E2].
    + destruct (IHmatches1 E1) as (s & -> & Hs). rewrite (empty_ok b u) by assumption. exists s. rewrite in_app_iff.
      auto.
    + destruct (IHmatches2 E2) as (s & -> & Hs). rewrite (empty_ok a t) by assumption. exists s. rewrite in_app_iff.
      auto.
  - apply andb_true_iff in E as [E _]. destruct (IHmatches E) as (s & -> & Hs). exists s. rewrite in_app_iff. auto.
  - apply andb_true_iff in E as [_ E]. destruct (IHmatches E) as (s & -> & Hs). exists s. rewrite in_app_iff. auto.
Qed.
Definition place_known (digits : list symbol) (i : nat) : bool :=
  match place_in digits (nth i digits 0%N) with Some z => z =? Z.of_nat i | None => false end.
Definition two_numbers (digits : list symbol) (one sign two : clause) : bool :=
  (2 <=? length digits)%nat && forallb (place_known digits) (seq 0 (length digits)) &&
    negb (existsb (N.eqb 0) digits) &&
  same_text (members_of one) digits && same_text (members_of two) digits &&
  forallb (fun s => existsb (N.eqb s) digits) (symbols_of_clause one ++ symbols_of_clause two) &&
  negb (nullable one) && negb (nullable two) &&
  single sign && forallb (fun s => negb (existsb (N.eqb s) (0%N :: digits))) (symbols_of_clause sign).

Lemma two_numbers_digits digits one sign two : two_numbers digits one sign two = true ->
  (2 <= length digits)%nat /\ ~ In 0%N digits /\ members_of one = digits /\ members_of two = digits /\
  forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
Proof.
  unfold two_numbers. rewrite !andb_true_iff. intros H. decompose [and] H. clear H.
  repeat split; try (apply same_text_eq; assumption); try (apply Nat.leb_le; assumption).
  - intros Hb. assert (E : existsb (N.eqb 0) digits = true) by (apply existsb_exists; exists 0%N; auto).
    rewrite E in *. discriminate.
  - intros i Hi. assert (P : place_known digits i = true).
    { match goal with F : forallb (place_known digits) _ = true |- _ => rewrite forallb_forall in F; apply F end.
      apply in_seq. lia. }
    unfold place_known in P. destruct (place_in digits (nth i digits 0%N)) as [z|]; [|discriminate]. f_equal. lia.
Qed.
Lemma two_numbers_parts digits one sign two parts : two_numbers digits one sign two = true ->
  Forall2 matches [one; sign; two] parts -> exists a s b, parts = [a; [s]; b] /\ In s (symbols_of_clause sign) /\
  a <> [] /\ b <> [] /\ (forall s, In s a -> In s digits) /\ (forall s, In s b -> In s digits).
Proof.
  unfold two_numbers. rewrite !andb_true_iff. intros H Hp. decompose [and] H. clear H.
  inversion Hp as [|? a ? l Ha Hl]; subst. inversion Hl as [|? s ? l' Hs Hl']; subst.
  inversion Hl' as [|? b ? l'' Hb Hl'']; subst.
  inversion Hl''; subst. destruct (single_ok _ _ Hs) as (sym & -> & Hsym); [assumption|].
  assert (N : forall c t, matches c t -> negb (nullable c) = true -> t <> []).
  { intros c t Hm Hn E. rewrite (nullable_ok _ _ Hm E) in Hn. discriminate. }
  assert (D : forall c t, matches c t -> incl (symbols_of_clause c) (symbols_of_clause one ++ symbols_of_clause two) ->
            forall s, In s t -> In s digits).
  { intros c t Hm Hc s Hin. apply (symbols_of_clause_ok _ _ Hm), Hc in Hin.
    match goal with F : forallb _ (_ ++ _) = true |- _ => rewrite forallb_forall in F; apply F in Hin end.
    apply existsb_exists in Hin as (d & Hd & E). apply N.eqb_eq in E. subst. exact Hd. }
  exists a, sym, b. repeat split; eauto using incl_appl, incl_appr, incl_refl.
Qed.

(** * The first world *)
Lemma list_by_nth (l : list symbol) : l = map (fun j => nth j l 0%N) (seq 0 (length l)).
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [length seq map nth]. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.
Section Texts.
  Variable digits : list symbol.
  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Definition digit_value (s : symbol) : N := match place_in digits s with Some z => Z.to_N z | None => 0%N end.
  Definition values_of (t : list symbol) : list N := map digit_value (rev t).
  Lemma digit_value_ok s : In s digits -> (digit_value s < N.of_nat (length digits))%N /\
    nth (N.to_nat (digit_value s)) digits 0%N = s /\ place_in digits s = Some (Z.of_N (digit_value s)).
  Proof.
    intros H. apply In_nth with (d := 0%N) in H as (i & Hi & <-). unfold digit_value. rewrite (known i Hi).
    replace (N.to_nat (Z.to_N (Z.of_nat i))) with i by lia. repeat split; [lia|]. f_equal. lia.
  Qed.
  Variable t : list symbol.
  Hypothesis t_digits : forall s, In s t -> In s digits.
  Lemma values_below : Forall (fun v => (v < N.of_nat (length digits))%N) (values_of t).
  Proof.
    apply Forall_forall. intros v Hv. apply in_map_iff in Hv as (s & <- & Hs). apply in_rev in Hs.
    apply digit_value_ok, t_digits, Hs.
  Qed.
  Lemma values_length : length (values_of t) = length t.
  Proof. unfold values_of. rewrite map_length, rev_length. reflexivity. Qed.
  Lemma values_nth j : (j < length t)%nat -> nth_error (values_of t) j = Some (digit_value (nth j (rev t) 0%N)).
  Proof.
    intros H. unfold values_of. rewrite nth_error_map, (nth_error_nth' _ 0%N) by (rewrite rev_length; exact H).
    reflexivity.
  Qed.
  Lemma values_spelled J : (length t <= J)%nat ->
    spells digits t = Some (value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of (values_of t) j)) J).
  Proof.
    intros H. rewrite (value_more _ _ (length t) J);
      [|intros i Hi; unfold digit_of; rewrite nth_overflow; [reflexivity | rewrite values_length; exact Hi] | exact H].
    assert (E : t = map (fun j => nth j (rev t) 0%N) (rev (seq 0 (length t)))).
    { rewrite map_rev. rewrite <- (rev_involutive t) at 1. f_equal. rewrite <- (rev_length t). apply list_by_nth. }
    rewrite E at 1. apply spells_value. intros i Hi. pose proof (values_nth i Hi) as N.
    unfold digit_of. rewrite (nth_error_nth _ _ _ N). apply digit_value_ok, t_digits, in_rev. apply nth_In.
    rewrite rev_length. exact Hi.
  Qed.
End Texts.

Lemma row_col low height t X :
  col low height (input_world t) X = on_row_0 low height (if 0 <=? X then nth (Z.to_nat X) t 0%N else 0%N).
Proof.
  unfold col, on_row_0. apply map_ext. intros i. unfold input_world, row_symbol.
  destruct (low + Z.of_nat i =? 0); [|reflexivity]. destruct (0 <=? X); reflexivity.
Qed.
Lemma first_world low height digits r a s b :
  (forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i)) ->
  (forall s, In s a -> In s digits) -> (forall s, In s b -> In s digits) ->
  let la := Z.of_nat (length a) in
  forall z, folded low height (fun second => if second then la + Z.of_nat (length b)
    else la - 1) (want r (values_of digits a) (values_of digits b))
              (input_world (a ++ s :: b)) la la z =
            first_tape low height digits r (values_of digits a) (values_of digits b) z.
Proof.
  intros K Ha Hb la z. unfold folded, track_at, first_tape. cbn [sg]. rewrite !row_col. unfold cells_with.
  assert (V : forall t j, (forall s, In s t -> In s digits) -> (j < length t)%nat ->
            nth (N.to_nat (digit_value digits (nth j (rev t) 0%N))) digits 0%N = nth (length t - S j) t 0%N).
  { intros t j Ht Hj. rewrite <- rev_nth by exact Hj. apply (digit_value_ok digits K), Ht, in_rev, nth_In.
    rewrite rev_length. exact Hj. }
  destruct (Z.ltb_spec 0 z) as [P|P].
  - destruct (Z.ltb_spec 0 (-1 * (z + (la - 1) - la))); [lia|].
    destruct (Z.ltb_spec 0 (1 * (z + (la + Z.of_nat (length b)) - la))); [|lia].
    destruct (Z.leb_spec 0 (z + (la + Z.of_nat (length b)))); [|lia].
    rewrite nth_overflow by (rewrite app_length; cbn [length]; lia). reflexivity.
  - destruct (Z.ltb_spec 0 (-1 * (z + (la - 1) - la))); [|lia]. f_equal. f_equal.
    + f_equal. f_equal. destruct (Z.leb_spec 0 (z + (la - 1))).
      * rewrite (values_nth digits a) by (unfold la in *; lia). rewrite V by (assumption || (unfold la in *; lia)).
        rewrite app_nth1 by (unfold la in *; lia).
        replace (length a - S (Z.to_nat (- z)))%nat with (Z.to_nat (z + (la - 1))) by (unfold la in *; lia).
        reflexivity.
      * rewrite (proj2 (nth_error_None _ _)); [reflexivity|]. rewrite values_length. unfold la in *. lia.
    + destruct (Z.ltb_spec 0 (1 * (z + (la + Z.of_nat (length b)) - la))) as [L|L].
      * rewrite (values_nth digits b) by lia. cbn [option_map]. rewrite V by (assumption || lia).
        destruct (Z.leb_spec 0 (z + (la + Z.of_nat (length b)))); [|lia].
        rewrite app_nth2 by (unfold la in *; lia). do 2 f_equal.
        replace (Z.to_nat (z + (la + Z.of_nat (length b))) - length a)%nat with (S (length b - S (Z.to_nat (- z))))%nat
          by (unfold la in *; lia).
        reflexivity.
      * rewrite (proj2 (nth_error_None _ _)); [reflexivity|]. rewrite values_length. lia.
Qed.
