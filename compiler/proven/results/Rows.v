(** What an output clause wants in each column of an input, and what stands where it is held. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement.
From Gridlang Require Export Machines.
Import ListNotations.
Local Open Scope Z_scope.

(** * Texts that stand somewhere in a row *)
Lemma nth_repeat_blank i k : nth i (repeat 0%N k) 0%N = 0%N.
Proof. revert i. induction k; intros [|i]; simpl; auto. Qed.
Lemma drop_before l : exists k, l = repeat 0%N k ++ without_blanks_before l.
Proof.
  induction l as [|a l [k IH]]; [exists O; reflexivity|]. destruct a as [|p]; [|exists O; reflexivity].
  exists (S k). simpl. f_equal. exact IH.
Qed.
Lemma rev_repeat k : rev (repeat 0%N k) = repeat 0%N k.
Proof.
  induction k as [|k IH]; [reflexivity|]. simpl. rewrite IH. clear IH. induction k; simpl; congruence.
Qed.
Lemma without_blanks_is l : exists j k, l = repeat 0%N j ++ without_blanks l ++ repeat 0%N k.
Proof.
  destruct (drop_before l) as [j Hj]. destruct (drop_before (rev (without_blanks_before l))) as [k Hk].
  exists j, k. rewrite Hj at 1. f_equal. rewrite <- (rev_involutive (without_blanks_before l)) at 1.
  rewrite Hk, rev_app_distr, rev_repeat. reflexivity.
Qed.
Lemma stands_without_blanks w t : stands w t -> stands w (without_blanks t).
Proof.
  intros (r & x0 & H). destruct (without_blanks_is t) as (j & k & E). set (l := without_blanks t) in *. clearbody l.
  subst t.
  exists r, (x0 + Z.of_nat j). intros x y. rewrite H. destruct (Z.eqb_spec y r); [|reflexivity]. cbn [andb].
  destruct (Z.leb_spec x0 x), (Z.leb_spec (x0 + Z.of_nat j) x); try lia; try reflexivity.
  - rewrite app_nth2; rewrite repeat_length; [|lia].
    replace (Z.to_nat (x - x0) - j)%nat with (Z.to_nat (x - (x0 + Z.of_nat j))) by lia.
    destruct (Nat.lt_ge_cases (Z.to_nat (x - (x0 + Z.of_nat j))) (length l)).
    + apply app_nth1. assumption.
    + rewrite app_nth2 by assumption. rewrite nth_repeat_blank, nth_overflow by assumption. reflexivity.
  - rewrite app_nth1 by (rewrite repeat_length; lia). apply nth_repeat_blank.
Qed.

(** * The row of an input: to the left of it, its columns, those after it *)
Definition told (outs ws after : list wanted) (left : wanted) (X : Z) : wanted :=
  if X <? 0 then nth (Z.to_nat (-1 - X)) outs left else nth (Z.to_nat X) (ws ++ after) Empty.

Section Shows.
  Variable digits : list symbol.
  Notation base := (Z.of_nat (length digits)).

  Definition digit_of (w : wanted) : option Z :=
    match w with Wants s => place_in digits s | Leads => Some 0 | Empty => None end.
  Definition worth_after (so_far : option Z) (w : wanted) : option Z :=
    match so_far, digit_of w with Some n, Some d => Some (n * base + d) | _, _ => None end.
  Definition worth (l : list wanted) : option Z := fold_left worth_after l (Some 0).
  Definition columns (W : Z -> wanted) (lo : Z) (m : nat) : list wanted := map (fun i => W (lo + Z.of_nat i)) (seq 0 m).

  (** A row wants a number, zeros before it left out or not; or a text. *)
  Definition wants_number (W : Z -> wanted) (z : Z) : Prop :=
    exists lo m, (forall X, X < lo -> W X = Leads) /\ (forall X, lo + Z.of_nat m <= X -> W X = Empty) /\
      worth (columns W lo m) = Some z.
  Definition wants_text (W : Z -> wanted) (t : list symbol) : Prop :=
    exists x0, forall X, W X = if (x0 <=? X) && (X <? x0 + Z.of_nat (length t)) then
      Wants (nth (Z.to_nat (X - x0)) t 0%N) else Empty.
  Definition shows (numeric : bool) (W : Z -> wanted) (r : result) : Prop :=
    if numeric then exists z, r = Number z /\ wants_number W z
    else exists t, wants_text W t /\ says digits r (without_blanks t).

  (** * What a cell in the row of the result is: blank, a digit, or a zero that is left out *)
  Inductive held := Bare | Digit | Omitted.
  Variable zero : symbol.
  Definition holding (numeric : bool) (cell : symbol) (w : wanted) : option held :=
    match w with
    | Empty => if (cell =? 0)%N then Some Bare else None
    | Leads => if negb numeric then None else if (cell =? zero)%N then Some Digit
      else if (cell =? 0)%N then Some Omitted else None
    | Wants s => if (cell =? s)%N then Some Digit else if numeric && (cell =? 0)%N && (s =? zero)%N then Some Omitted
      else None
    end.
  Definition ordered (a b : held) : bool :=
    match a, b with Omitted, Omitted | Omitted, Digit | Digit, Digit | Digit, Bare | Bare, Bare => true
      | _, _ => false end.

  Lemma worth_none l : fold_left worth_after l None = None.
  Proof. induction l; auto. Qed.
  Lemma worth_some l : forall a z, fold_left worth_after l a = Some z -> Forall (fun w => digit_of w <> None) l.
  Proof.
    induction l as [|w l IH]; intros a z H; [constructor|]. cbn [fold_left] in H.
    unfold worth_after at 2 in H. destruct a as [n|]; [|rewrite worth_none in H; discriminate].
    destruct (digit_of w) eqn:E; [|rewrite worth_none in H; discriminate].
    constructor; [congruence | eapply IH; eauto].
  Qed.
  Lemma worth_zeros l : Forall (fun w => digit_of w = Some 0) l -> fold_left worth_after l (Some 0) = Some 0.
  Proof.
    induction 1 as [|w l Hw _ IH]; [reflexivity|]. cbn [fold_left]. unfold worth_after at 2. rewrite Hw.
    replace (0 * base + 0) with 0 by lia. exact IH.
  Qed.
  Lemma worth_app a b : Forall (fun w => digit_of w = Some 0) a -> worth (a ++ b) = worth b.
  Proof. intros H. unfold worth. rewrite fold_left_app, worth_zeros by exact H. reflexivity. Qed.
  Lemma columns_app W lo m m' : columns W lo (m + m') = columns W lo m ++ columns W (lo + Z.of_nat m) m'.
  Proof.
    unfold columns. rewrite seq_app, map_app. f_equal. rewrite Nat.add_0_l.
    replace (seq m m') with (map (fun i => (m + i)%nat) (seq 0 m')).
    - rewrite map_map. apply map_ext. intros i. f_equal. lia.
    - clear. induction m as [|m IH]; [apply map_id|]. rewrite <- seq_shift, <- IH, map_map. apply map_ext. reflexivity.
  Qed.
  Lemma in_columns W lo m w : In w (columns W lo m) -> exists X, lo <= X < lo + Z.of_nat m /\ w = W X.
  Proof. intros H. apply in_map_iff in H as (i & <- & Hi). apply in_seq in Hi. exists (lo + Z.of_nat i).
  split; [lia | reflexivity]. Qed.
  Lemma column_in W lo m X : lo <= X < lo + Z.of_nat m -> In (W X) (columns W lo m).
  Proof.
    intros H. apply in_map_iff. exists (Z.to_nat (X - lo)). split; [f_equal; lia | apply in_seq; lia].
  Qed.

  Section Held.
    Variables (W : Z -> wanted) (cell : Z -> symbol) (numeric : bool) (kind : Z -> held).
    Hypothesis holds_all : forall X, holding numeric (cell X) (W X) = Some (kind X).

    Lemma text_held t : numeric = false -> wants_text W t -> exists x0, forall X,
      cell X = if x0 <=? X then nth (Z.to_nat (X - x0)) t 0%N else 0%N.
    Proof.
      intros -> (x0 & H). exists x0. intros X. specialize (holds_all X). rewrite H in holds_all.
      unfold holding in holds_all.
      cbn [negb andb] in holds_all.
      destruct (Z.leb_spec x0 X), (Z.ltb_spec X (x0 + Z.of_nat (length t))); cbn [andb] in holds_all;
        match type of holds_all with
        | context [(cell X =? ?s)%N] => destruct (N.eqb_spec (cell X) s) as [E|]; [|discriminate]
        end; rewrite E; try reflexivity; try lia.
      symmetry. apply nth_overflow. lia.
    Qed.

    Variables (far : Z) (z : Z).
    Hypothesis is_numeric : numeric = true.
    Hypothesis far_blank : forall X, X < far -> cell X = 0%N.
    Hypothesis in_order : forall X, ordered (kind X) (kind (X + 1)) = true.
    Hypothesis zero_ok : place_in digits zero = Some 0.
    Hypothesis no_blank : zero <> 0%N.
    Variables (lo : Z) (m : nat).
    Notation E := (lo + Z.of_nat m).
    Hypothesis leads : forall X, X < lo -> W X = Leads.
    Hypothesis ends : forall X, E <= X -> W X = Empty.
    Hypothesis is_worth : worth (columns W lo m) = Some z.

    Lemma not_empty X : X < E -> W X <> Empty.
    Proof.
      intros H. destruct (Z.lt_ge_cases X lo) as [Hl|Hl]; [rewrite leads by exact Hl; discriminate|].
      intros Hw. unfold worth in is_worth. apply worth_some in is_worth. rewrite Forall_forall in is_worth.
      apply (is_worth (W X)); [apply column_in; lia | rewrite Hw; reflexivity].
    Qed.
    Lemma kind_blank X : kind X = Bare <-> E <= X.
    Proof.
      pose proof (holds_all X) as H. split.
      - intros K. destruct (Z.lt_ge_cases X E) as [HX|]; [|assumption]. pose proof (not_empty X HX) as N.
        rewrite K in H. unfold holding in H. destruct (W X); [| |congruence];
          repeat match type of H with context [if ?b then _ else _] => destruct b end; discriminate.
      - intros HX. rewrite ends in H by exact HX. cbn [holding] in H. destruct (cell X =? 0)%N; congruence.
    Qed.
    Lemma kind_far X : X < far -> X < lo -> kind X = Omitted.
    Proof.
      intros H1 H2. pose proof (holds_all X) as H. rewrite leads in H by exact H2. rewrite far_blank in H by exact H1.
      rewrite is_numeric in H. cbn [holding negb] in H. destruct (N.eqb_spec 0 zero); [congruence|].
      rewrite N.eqb_refl in H. congruence.
    Qed.
    Lemma last_digit : kind (E - 1) = Digit.
    Proof.
      pose proof (in_order (E - 1)) as H. replace (E - 1 + 1) with E in H by lia.
      assert (K : kind E = Bare) by (apply kind_blank; lia). rewrite K in H.
      destruct (kind (E - 1)) eqn:K1; [|reflexivity|discriminate].
      apply kind_blank in K1. lia.
    Qed.
    Lemma first_digit k : forall X, E - 1 - X = Z.of_nat k -> kind X <> Bare -> (forall Y, Y < X -> kind Y = Omitted) ->
      exists a, a < E /\ (forall Y, Y < a -> kind Y = Omitted) /\ kind a = Digit.
    Proof.
      induction k as [|k IH]; intros X HX HB Hz.
      - exists X. replace X with (E - 1) by lia. split; [lia|]. split; [|exact last_digit].
        intros Y HY. apply Hz. lia.
      - destruct (kind X) eqn:K; [congruence| |].
        + exists X. split; [lia|]. split; [exact Hz | exact K].
        + apply (IH (X + 1)); [lia | rewrite kind_blank; lia |].
          intros Y HY. destruct (Z.eq_dec Y X) as [->|]; [exact K | apply Hz; lia].
    Qed.
    Lemma all_digits a : kind a = Digit -> forall k, a + Z.of_nat k < E -> kind (a + Z.of_nat k) = Digit.
    Proof.
      intros Ka. induction k as [|k IH]; intros Hk; [rewrite Z.add_0_r; exact Ka|].
      pose proof (in_order (a + Z.of_nat k)) as H. rewrite IH in H by lia.
      replace (a + Z.of_nat k + 1) with (a + Z.of_nat (S k)) in H by lia.
      destruct (kind (a + Z.of_nat (S k))) eqn:K; [|reflexivity|discriminate]. apply kind_blank in K. lia.
    Qed.
    Lemma digit_held X : kind X = Digit -> place_in digits (cell X) = digit_of (W X).
    Proof.
      intros K. pose proof (holds_all X) as H. rewrite K in H. unfold holding in H.
      destruct (W X) as [s| |]; simpl.
      - destruct (N.eqb_spec (cell X) s) as [->|]; [reflexivity|]. destruct (_ && _) in H; discriminate.
      - rewrite is_numeric in H. cbn [negb andb] in H. destruct (N.eqb_spec (cell X) zero) as [->|]; [exact zero_ok|].
        destruct (cell X =? 0)%N; discriminate.
      - destruct (cell X =? 0)%N; discriminate.
    Qed.
    Lemma zero_held X : kind X = Omitted -> cell X = 0%N /\ digit_of (W X) = Some 0.
    Proof.
      intros K. pose proof (holds_all X) as H. rewrite K in H. unfold holding in H.
      destruct (W X) as [s| |]; simpl.
      - destruct (N.eqb_spec (cell X) s); [discriminate|]. rewrite is_numeric in H. cbn [negb andb] in H.
        destruct (N.eqb_spec (cell X) 0); [|discriminate]. cbn [andb] in H.
        destruct (N.eqb_spec s zero) as [Es|]; [rewrite Es; auto | discriminate].
      - rewrite is_numeric in H. cbn [negb andb] in H. destruct (N.eqb_spec (cell X) zero); [discriminate|].
        destruct (N.eqb_spec (cell X) 0); [auto | discriminate].
      - destruct (cell X =? 0)%N; discriminate.
    Qed.

    Lemma number_held : exists x0 l, l <> [] /\ spells digits l = Some z /\
      forall X, cell X = if x0 <=? X then nth (Z.to_nat (X - x0)) l 0%N else 0%N.
    Proof.
      set (X0 := Z.min (Z.min far lo - 1) (E - 1)).
      destruct (first_digit (Z.to_nat (E - 1 - X0)) X0) as (a & Ha & Hz & Ka); [lia | rewrite kind_blank; lia | |].
      { intros Y HY. apply kind_far; lia. }
      set (k := Z.to_nat (E - a)). exists a, (map (fun i => cell (a + Z.of_nat i)) (seq 0 k)).
      assert (Hk : E = a + Z.of_nat k) by lia. split; [|split].
      - replace k with (S (pred k)) by lia. discriminate.
      - assert (Hw : worth (columns W a k) = Some z).
        { set (lo' := Z.min lo a).
          assert (E1 : worth (columns W lo' (Z.to_nat (lo - lo') + m)) = Some z).
          { rewrite columns_app, worth_app; [replace (lo' + Z.of_nat (Z.to_nat (lo - lo'))) with lo by lia;
              exact is_worth|].
            apply Forall_forall. intros w Hin. apply in_columns in Hin as (X & HX & ->). rewrite leads by lia.
            reflexivity. }
          replace (Z.to_nat (lo - lo') + m)%nat with (Z.to_nat (a - lo') + k)%nat in E1 by lia.
          rewrite columns_app, worth_app in E1; [replace (lo' + Z.of_nat (Z.to_nat (a - lo'))) with a in E1 by lia;
            exact E1|].
          apply Forall_forall. intros w Hin. apply in_columns in Hin as (X & HX & ->). apply zero_held, Hz. lia. }
        rewrite <- Hw. unfold spells, worth, columns. generalize (Some 0) at 1 2.
        assert (Hd : forall i, In i (seq 0 k) -> place_in digits (cell (a + Z.of_nat i)) = digit_of
          (W (a + Z.of_nat i))).
        { intros i Hi. apply in_seq in Hi. apply digit_held, all_digits; [exact Ka | lia]. }
        clear - Hd. induction (seq 0 k) as [|i l IH]; intros o; [reflexivity|]. cbn [map fold_left].
        rewrite IH by (intros j Hj; apply Hd; right; exact Hj). f_equal.
        unfold spells_after, worth_after. rewrite Hd by (left; reflexivity). reflexivity.
      - intros X. destruct (Z.leb_spec a X) as [HX|HX]; [|apply zero_held, Hz; lia].
        destruct (Z.lt_ge_cases X E) as [HE|HE].
        + rewrite nth_indep with (d' := cell (a + Z.of_nat 0)) by (rewrite map_length, seq_length; lia).
          rewrite (map_nth (fun i => cell (a + Z.of_nat i))), seq_nth by lia. f_equal. lia.
        + rewrite nth_overflow by (rewrite map_length, seq_length; lia).
          pose proof (holds_all X) as H. rewrite ends in H by exact HE. cbn [holding] in H.
          destruct (N.eqb_spec (cell X) 0); [assumption | discriminate].
    Qed.
  End Held.

  Lemma result_held (w : world) row cell W kind numeric far r :
    (forall X Y, w X Y = if Y =? row then cell X else 0%N) ->
    (forall X, holding numeric (cell X) (W X) = Some (kind X)) ->
    (numeric = true -> forall X, ordered (kind X) (kind (X + 1)) = true) ->
    (forall X, X < far -> cell X = 0%N) ->
    (numeric = true -> place_in digits zero = Some 0 /\ zero <> 0%N) ->
    shows numeric W r -> exists l, stands w l /\ says digits r l.
  Proof.
    intros Hw Hh Ho Hf Hz Hs. unfold shows in Hs. destruct numeric.
    - destruct Hs as (z & -> & lo & m & H1 & H2 & H3). destruct (Hz eq_refl) as [Z1 Z2].
      destruct (number_held W cell true kind Hh far z eq_refl Hf (Ho eq_refl) Z1 Z2 lo m H1 H2 H3) as
        (x0 & l & Hl & Hsp & Hc).
      exists l. split; [|split; assumption]. exists row, x0. intros x y. rewrite Hw.
      destruct (y =? row); [apply Hc | reflexivity].
    - destruct Hs as (t & Ht & Hsays). destruct (text_held W cell false kind Hh t eq_refl Ht) as (x0 & Hc).
      exists (without_blanks t). split; [|exact Hsays]. apply stands_without_blanks. exists row, x0. intros x y.
      rewrite Hw.
      destruct (y =? row); [apply Hc | reflexivity].
  Qed.
End Shows.
