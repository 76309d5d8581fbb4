(** (V12), the end: in one row one stretch of symbols stands, and all else is blank. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Polynomials Sums Unknowns Facts
  Values Findings Expressions.
Import ListNotations.

(** Outwards from the head: nothing; a stretch, then nothing; blanks, then perhaps a stretch; blanks, then a stretch. *)
Inductive level := Nothing_more | Stretch | Perhaps_later | Later | Unknown_level.

(** The row of the results, and what may stand in it: symbols are seen as what [view] tells of them, [fine] says which
    may stand
    beside each other. *)
Class row_aim := Row_aim { row : nat; symbols : list symbol; view : symbol -> N; fine : N -> N -> N -> bool }.
(** Computed, and need not be believed: what stands from a column on. *)
Class row_levels := Row_levels {
  level_at : bool -> N -> N -> level;                 (* by side, kind and coarse number *)
  held_at : N -> list N;                              (* views in the row, by coarse number *)
  seen_at : bool -> N -> N -> list (N * N) }.         (* and of the next column outwards *)
Definition is_known (l : level) : bool := match l with Unknown_level => false | _ => true end.
Definition begins_here (l : level) : bool := match l with Nothing_more | Stretch => true | _ => false end.
Definition is_over (l : level) : bool := match l with Nothing_more => true | _ => false end.
Definition is_some (l : level) : bool := match l with Stretch | Later => true | _ => false end.

Section Stretches.
  Context {sc : scene} {ra : row_aim} {rl : row_levels}.
  Import Scene.
  Definition allowed (s : symbol) : bool := existsb (N.eqb s) symbols.
  Definition alone_in_class : bool := forallb (fun s => negb (class_of s =? class_of 0%N)%N || (s =? 0)%N) (below n).
  Definition is_blank (v : known) : bool := match v with Is s => (s =? 0)%N | Of_class c => (c =? class_of 0%N)%N end.
  Definition others_blank (cells : list known) : bool :=
    forallb (fun rv : nat * known => Nat.eqb (fst rv) row || is_blank (snd rv)) (combine (seq 0 height) cells).
  Definition shows (cells : list known) : option known :=
    if others_blank cells && Nat.leb height (length cells) then nth_error cells row else None.
  Definition shows_blank (cells : list known) : bool := match shows cells with Some v => is_blank v | None => false end.
  Definition shows_symbol (cells : list known) : bool :=
    match shows cells with Some v => negb (is_blank v) && forallb allowed (symbols_held n class_of v)
      | None => false end.
  Definition is_far (l : label) (side : bool) : bool :=
    let '(_, place, mark) := l in
    (mark =? 0)%N && (in_part (told_at place) =? if side then N.succ (N.of_nat (length pieces)) else 0)%N.
  Definition gram_level_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    let next := level_at sd K (head_of w) in
    let cells := cells_of (label_at x) in
    match level_at sd K (coarse_at x) with
    | Nothing_more => shows_blank cells && match next with Nothing_more => true | _ => false end
    | Stretch => shows_symbol cells && match next with Nothing_more | Stretch => true | _ => false end
    | Perhaps_later => shows_blank cells && match next with Unknown_level => false | _ => true end
    | Later => shows_blank cells && negb (is_far (label_at x) sd) && match next with Stretch | Later => true
      | _ => false end
    | Unknown_level => true
    end.
  Definition levels_ok : bool := alone_in_class && Nat.ltb row height && forallb gram_level_ok (s_grams e).

  Hypothesis ok : levels_ok = true.

  Section At.
    Context {parts : list (list symbol)} {p q : state} {x y : Z} {w : world} {lab : Z -> N} {lo : Z} {m : nat}.
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis now : present parts p q x y w lab lo m.

    Definition y_row : Z := (low + Z.of_nat row)%Z.
    Definition blank_column (X : Z) : Prop := forall Y, w X Y = 0%N.
    Definition symbol_column (X : Z) : Prop :=
      (forall Y, Y <> y_row -> w X Y = 0%N) /\ w X y_row <> 0%N /\ allowed (w X y_row) = true.

    Lemma is_blank_ok v s : is_blank v = true -> holds class_of v s -> (s < n)%N -> s = 0%N.
    Proof.
      intros Hb Hh Hs. destruct v as [t|c]; cbn in *; [apply N.eqb_eq in Hb; congruence|].
      apply N.eqb_eq in Hb. unfold levels_ok in ok. apply andb_true_iff in ok as [H _].
      apply andb_true_iff in H as [H _].
      unfold alone_in_class in H. rewrite forallb_forall in H. specialize (H s (in_below _ _ Hs)).
      rewrite Hh, Hb, N.eqb_refl in H.
      cbn in H. apply N.eqb_eq. exact H.
    Qed.
    Lemma not_blank_ok v s : is_blank v = false -> holds class_of v s -> s <> 0%N.
    Proof.
      intros Hb Hh ->. destruct v as [t|c]; cbn in *; [subst t; discriminate|]. subst c. rewrite N.eqb_refl in Hb.
      discriminate.
    Qed.
    Definition fits_cells (cells : list known) (X : Z) : Prop :=
      forall i, (i < height)%nat -> exists v, nth_error cells i = Some v /\ holds class_of v (w X (low + Z.of_nat i)%Z).
    Lemma others_blank_ok cells X : fits_cells cells X -> others_blank cells = true -> forall Y, Y <> y_row ->
      w X Y = 0%N.
    Proof.
      intros Hf Ho Y HY. destruct (inside_strip now) as (Hover & _ & Hout & _).
      destruct (Z_lt_dec Y low) as [H1|H1]; [apply Hout; unfold inside; lia|].
      destruct (Z_lt_dec Y (low + Z.of_nat height)) as [H2|H2]; [|apply Hout; unfold inside; lia].
      set (i := Z.to_nat (Y - low)). destruct (Hf i ltac:(unfold i; lia)) as (v & Hv & Hh).
      replace (low + Z.of_nat i)%Z with Y in Hh by (unfold i; lia).
      unfold others_blank in Ho. rewrite forallb_forall in Ho.
      assert (Hin : In (i, v) (combine (seq 0 height) cells)).
      { assert (G : forall h a l j, (j < h)%nat -> nth_error l j = Some v -> In ((a + j)%nat, v) (combine (seq a h) l)).
        { induction h as [|h IH]; intros a l j Hj Hl; [lia|]. destruct l as [|u l]; [destruct j; discriminate|].
          destruct j as [|j]; cbn in *; [injection Hl as <-; left; f_equal; lia|]. right.
          replace (a + S j)%nat with (S a + j)%nat by lia. apply IH; [lia | exact Hl]. }
        apply (G height O cells i); [unfold i; lia | exact Hv]. }
      specialize (Ho _ Hin). cbn [fst snd] in Ho. apply orb_true_iff in Ho as [Ho|Ho].
      - apply Nat.eqb_eq in Ho. exfalso. apply HY. unfold y_row. rewrite <- Ho. unfold i. lia.
      - eapply is_blank_ok; [exact Ho | exact Hh | apply Hover].
    Qed.
    Lemma shows_ok cells X v : fits_cells cells X -> shows cells = Some v ->
      (forall Y, Y <> y_row -> w X Y = 0%N) /\ holds class_of v (w X y_row).
    Proof.
      intros Hf H. unfold shows in H. destruct (others_blank cells && _) eqn:E; [|discriminate].
      apply andb_true_iff in E as [E _].
      split; [eapply others_blank_ok; eassumption|]. pose proof ok as Hok. unfold levels_ok in Hok.
      apply andb_true_iff in Hok as [Hok _].
      apply andb_true_iff in Hok as [_ Hr]. apply Nat.ltb_lt in Hr. destruct (Hf row Hr) as (u & Hu & Hh).
      rewrite H in Hu. injection Hu as <-. exact Hh.
    Qed.
    Lemma shows_blank_ok cells X : fits_cells cells X -> shows_blank cells = true -> blank_column X.
    Proof.
      intros Hf H. unfold shows_blank in H. destruct (shows cells) as [v|] eqn:E; [|discriminate].
      destruct (shows_ok _ _ _ Hf E) as [Ho Hh]. intros Y.
      destruct (Z.eq_dec Y y_row) as [->|Ne]; [|apply Ho; exact Ne].
      eapply is_blank_ok; [exact H | exact Hh | apply (inside_strip now)].
    Qed.
    Lemma shows_symbol_ok cells X : fits_cells cells X -> shows_symbol cells = true -> symbol_column X.
    Proof.
      intros Hf H. unfold shows_symbol in H. destruct (shows cells) as [v|] eqn:E; [|discriminate].
      apply andb_true_iff in H as [H1 H2]. apply negb_true_iff in H1. destruct (shows_ok _ _ _ Hf E) as [Ho Hh].
      split; [exact Ho|]. split; [eapply not_blank_ok; eassumption|]. rewrite forallb_forall in H2. apply H2.
      apply held; [exact Hh | apply (inside_strip now)].
    Qed.

    (** Columns outwards, the first beside the head being number 1. *)
    Variable sd : bool.
    Definition column (i : nat) : Z := (x + sg sd * Z.of_nat i)%Z.
    Definition level_of (i : nat) : level := level_at sd (kind_of p) (coarse_at (lab (column i))).
    Lemma column_level i : (1 <= i)%nat ->
      match level_of i with
      | Nothing_more => blank_column (column i) /\ level_of (S i) = Nothing_more
      | Stretch => symbol_column (column i) /\ (level_of (S i) = Nothing_more \/ level_of (S i) = Stretch)
      | Perhaps_later => blank_column (column i) /\ level_of (S i) <> Unknown_level
      | Later => blank_column (column i) /\ is_far (label_at (lab (column i))) sd = false /\
        (level_of (S i) = Stretch \/ level_of (S i) = Later)
      | Unknown_level => True
      end.
    Proof.
      intros Hi. pose proof ok as Hok. unfold levels_ok in Hok. apply andb_true_iff in Hok as [_ Hg].
      rewrite forallb_forall in Hg.
      assert (Hs : (0 < sg sd * (column i - x))%Z) by (unfold column; destruct sd; unfold sg; lia).
      specialize (Hg _ (grams_here _ _ _ _ _ _ sd (column i) (inside_strip now) Hs)). unfold gram_level_ok in Hg.
      cbn [near head_of] in Hg.
      replace (column i + sg sd)%Z with (column (S i)) in Hg by (unfold column; destruct sd; unfold sg; lia).
      fold (level_of i) in Hg. fold (level_of (S i)) in Hg.
      assert (Hf : fits_cells (cells_of (label_at (lab (column i)))) (column i)).
      { destruct (inside_strip now) as (_ & _ & _ & Hfit & _). intros j Hj. exact (Hfit (column i) j Hj). }
      destruct (level_of i); [| | | |exact Logic.I].
      - apply andb_true_iff in Hg as [H1 H2]. split; [eapply shows_blank_ok; eassumption|].
        destruct (level_of (S i)); congruence.
      - apply andb_true_iff in Hg as [H1 H2]. split; [eapply shows_symbol_ok; eassumption|].
        destruct (level_of (S i)); try discriminate; auto.
      - apply andb_true_iff in Hg as [H1 H2]. split; [eapply shows_blank_ok; eassumption|].
        destruct (level_of (S i)); congruence.
      - apply andb_true_iff in Hg as [H1 H3]. apply andb_true_iff in H1 as [H1 H2]. apply negb_true_iff in H2.
        split; [eapply shows_blank_ok; eassumption|]. split; [exact H2|].
        destruct (level_of (S i)); try discriminate; auto.
    Qed.

    Definition bound : nat := (m + Z.to_nat (Z.abs (x - lo)) + length (concat parts) + Z.to_nat (Z.abs x) + 1)%nat.
    Lemma column_far i : (bound <= i)%nat -> blank_column (column i) /\ is_far (label_at (lab (column i))) sd = true.
    Proof.
      intros Hi. assert (Hb : (column i < lo \/ lo + Z.of_nat m <= column i)%Z) by (unfold bound, column in *;
        destruct sd; unfold sg; lia).
      split; [intros Y; apply (blank now); exact Hb|]. pose proof (fresh now _ Hb) as Hm.
      destruct (places now (column i)) as [Hp _].
      destruct (label_at (lab (column i))) as [[cs place] mark] eqn:El. cbn [snd] in Hm. subst mark. unfold is_far.
      unfold place_of in Hp. rewrite Hp. rewrite (same_length _ _ _ _ _ parts_ok). unfold part_here, column, bound in *.
      destruct sd; unfold sg in *.
      - destruct (Z.ltb_spec (x + 1 * Z.of_nat i) 0); [lia|].
        rewrite nth_overflow by (rewrite column_parts_length; lia). rewrite !N.eqb_refl. reflexivity.
      - destruct (Z.ltb_spec (x + -1 * Z.of_nat i) 0); [reflexivity|lia].
    Qed.
    Lemma known_outwards : is_known (level_of 1) = true -> forall i, (1 <= i)%nat -> is_known (level_of i) = true.
    Proof.
      intros H1. induction i as [|i IH]; [lia|]. intros _. destruct (Nat.eq_dec i 0) as [->|]; [exact H1|].
      pose proof (column_level i ltac:(lia)) as H. specialize (IH ltac:(lia)).
      destruct (level_of i); [destruct H as [_ ->] | destruct H as [_ [->| ->]] | destruct H as [_ H]
        | destruct H as (_ & _ & [->| ->]) |]; try reflexivity; try discriminate.
      destruct (level_of (S i)); reflexivity || congruence.
    Qed.
    Lemma not_both X : symbol_column X -> blank_column X -> False.
    Proof. intros (_ & H & _) B. apply H, B. Qed.
    Lemma level_of_symbol i : (1 <= i)%nat -> is_known (level_of i) = true -> symbol_column (column i) ->
      level_of i = Stretch.
    Proof.
      intros Hi Hk Hs. pose proof (column_level i Hi) as H. destruct (level_of i); try discriminate; try reflexivity;
        exfalso; apply (not_both _ Hs); apply H.
    Qed.
    Lemma level_of_blank i : (1 <= i)%nat -> blank_column (column i) -> level_of i <> Stretch.
    Proof. intros Hi Hb E. pose proof (column_level i Hi) as H. rewrite E in H. exact (not_both _ (proj1 H) Hb). Qed.

    (** Outwards from column i: blanks, from column j on symbols, from column k on blanks. *)
    Definition stretches (i j k : nat) : Prop :=
      (i <= j <= k)%nat /\ (begins_here (level_of i) = true -> j = i) /\ (is_over (level_of i) = true -> k = i) /\
      (is_some (level_of i) = true -> (j < k)%nat) /\
      forall h, (i <= h)%nat -> if Nat.leb j h && Nat.ltb h k then symbol_column (column h)
        else blank_column (column h).
    Lemma none_between i h : (i <= h)%nat -> Nat.leb i h && Nat.ltb h i = false.
    Proof. intros H. apply andb_false_iff. right. apply Nat.ltb_ge. exact H. Qed.
    Lemma outwards i : (1 <= i)%nat -> is_known (level_of i) = true -> exists j k, stretches i j k.
    Proof.
      assert (G : forall d i, (1 <= i)%nat -> (bound <= i + d)%nat -> is_known (level_of i) = true -> exists j k,
        stretches i j k).
      { induction d as [|d IH]; intros k Hk Hd Hl.
        - assert (Far : forall h, (k <= h)%nat -> blank_column (column h) /\
            is_far (label_at (lab (column h))) sd = true) by (intros h Hh; apply column_far; lia).
          exists k, k. split; [lia|]. split; [auto|]. split; [auto|]. split.
          + intros Hs. exfalso. pose proof (column_level k Hk) as H. destruct (Far k (le_n k)) as [Fb Ff].
            destruct (level_of k); try discriminate.
            * exact (not_both _ (proj1 H) Fb).
            * destruct H as (_ & H & _). congruence.
          + intros h Hh. rewrite none_between by exact Hh. apply Far. exact Hh.
        - pose proof (column_level k Hk) as H. destruct (level_of k) eqn:E; try discriminate.
          + destruct H as [Hb Hn].
            destruct (IH (S k)) as (j' & k' & Hj & H1 & H2 & _ & Hall); [lia | lia | rewrite Hn; reflexivity|].
            rewrite Hn in H1, H2. specialize (H1 eq_refl). specialize (H2 eq_refl). subst j' k'.
            exists k, k. unfold stretches. rewrite E. split; [lia|]. split; [auto|]. split; [auto|].
            split; [discriminate|]. intros h Hh.
            rewrite none_between by exact Hh. destruct (Nat.eq_dec h k) as [->|]; [exact Hb|].
            specialize (Hall h ltac:(lia)).
            rewrite none_between in Hall by lia. exact Hall.
          + destruct H as [Hs Hn].
            assert (B : begins_here (level_of (S k)) = true) by (destruct Hn as [->| ->]; reflexivity).
            destruct (IH (S k)) as (j' & k' & Hj & H1 & _ & _ & Hall);
              [lia | lia | destruct Hn as [->| ->]; reflexivity|]. specialize (H1 B). subst j'.
            exists k, k'. unfold stretches. rewrite E. split; [lia|]. split; [auto|]. split; [discriminate|].
            split; [intros _; lia|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|];
              [rewrite Nat.leb_refl; replace (Nat.ltb k k') with true by (symmetry; apply Nat.ltb_lt; lia); exact Hs|].
            specialize (Hall h ltac:(lia)). replace (Nat.leb k h) with (Nat.leb (S k) h); [exact Hall|].
            destruct (Nat.leb_spec (S k) h), (Nat.leb_spec k h); lia.
          + destruct H as [Hb Hn].
            destruct (IH (S k)) as (j' & k' & Hj & _ & _ & _ & Hall);
              [lia | lia | destruct (level_of (S k)); reflexivity || congruence|].
            exists j', k'. unfold stretches. rewrite E. split; [lia|]. split; [discriminate|]. split; [discriminate|].
            split; [discriminate|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|]; [|apply Hall; lia].
            replace (Nat.leb j' k) with false by (symmetry; apply Nat.leb_gt; lia). exact Hb.
          + destruct H as (Hb & _ & Hn).
            destruct (IH (S k)) as (j' & k' & Hj & _ & _ & H3 & Hall);
              [lia | lia | destruct Hn as [->| ->]; reflexivity|].
            exists j', k'. unfold stretches. rewrite E. split; [lia|]. split; [discriminate|]. split; [discriminate|].
            split; [intros _; apply H3; destruct Hn as [->| ->]; reflexivity|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|]; [|apply Hall; lia].
            replace (Nat.leb j' k) with false by (symmetry; apply Nat.leb_gt; lia). exact Hb. }
      intros Hi Hl. apply (G bound i Hi); [lia | exact Hl].
    Qed.
  End At.
End Stretches.
