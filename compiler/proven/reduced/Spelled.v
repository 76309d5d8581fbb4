(** (V15), the end of clauses that choose: where the agent halts, one text stands in the world, and nothing else. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Closures Strips Starts Places Unknowns Facts Values Findings Stretches Texts Computed ReducedClauses.
Import ListNotations.

(** A row in which nothing is told of stretches. *)
Definition any_row (row : nat) : row_aim := Row_aim row [] (fun _ => 0%N) (fun _ _ _ => true).
Definition no_levels : row_levels := Row_levels (fun _ _ _ => Unknown_level) (fun _ => []) (fun _ _ _ => []).

Section Spelled.
  Context {sc : scene} {ra : row_aim}.
  Import Scene.
  Existing Instance no_levels.
  Definition exactly (s : symbol) (cells : list known) : bool :=
    match shows cells with Some v => forallb (N.eqb s) (symbols_held n class_of v) | None => false end.
  Definition gram_key (g : gram) : positive := let '(sd, K, x, _) := g in pair_hash (side_key sd K, coarse_at x).
  Variable grams : buckets gram.
  (** Outwards from a column: the rest of a text, and then blanks; before its first symbol perhaps blanks. *)
  Section Side.
    Variables (sd : bool) (K : N) (t : list symbol) (later : bool).
    Definition read_column (g : gram) (r : nat) : option (N * N) :=
      let '(_, _, x, w) := g in
      let cells := cells_of (label_at x) in
      match nth_error t r with
      | Some s => if exactly s cells then Some (head_of w, N.of_nat (S r))
                  else if Nat.eqb r 0 && later && exactly 0%N cells && negb (is_far (label_at x) sd) then Some (head_of w, 0%N) else None
      | None => if exactly 0%N cells then Some (head_of w, N.of_nat r) else None
      end.
    Definition columns_on (fr : N * N) : option (list (N * N)) :=
      fold_right (fun g more =>
        if (let '(sd', K', x, _) := g in Bool.eqb sd' sd && (K' =? K)%N && (coarse_at x =? fst fr)%N) then
          match read_column g (N.to_nat (snd fr)), more with Some a, Some l => Some (a :: l) | _, _ => None end
        else more) (Some []) (bucket _ grams (pair_hash (side_key sd K, fst fr))).
    Definition spells_out (f : N) : bool := Closures.all_right _ pair_hash pair_eqb columns_on 24 [(f, 0%N)].
  End Side.
  Definition spelled (t : list symbol) (el : Strips.element) (read : symbol) : bool :=
    let '(p, _, y, c, l, r) := el in
    let cells := head_cells y c read in
    let around before behind later := spells_out false (kind_of p) (rev before) later (head_of l) && spells_out true (kind_of p) behind later (head_of r) in
    exactly 0%N cells && (around t [] true || around [] t true) ||
    existsb (fun i => exactly (nth i t 0%N) cells && around (firstn i t) (skipn (S i) t) false) (seq 0 (length t)).

  Hypothesis in_rows : levels_ok = true.
  Hypothesis all_grams : grams = members _ gram_key (s_grams e).
  Section At.
    Context {parts : list (list symbol)} {p q : state} {x y : Z} {w : world} {lab : Z -> N} {lo : Z} {m : nat}.
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis now : present parts p q x y w lab lo m.
    Definition column_is (X : Z) (s : symbol) : Prop := forall Y, w X Y = if (Y =? y_row)%Z then s else 0%N.
    Lemma exactly_ok s cells X : @fits_cells _ w cells X -> exactly s cells = true -> column_is X s.
    Proof.
      intros Hf H Y. unfold exactly in H. destruct (shows cells) as [v|] eqn:E; [|discriminate]. destruct (shows_ok in_rows now _ _ _ Hf E) as [Ho Hh].
      destruct (Z.eqb_spec Y y_row) as [->|Ne]; [|apply Ho; exact Ne]. rewrite forallb_forall in H.
      symmetry. apply N.eqb_eq, H. apply held; [exact Hh | apply (inside_strip now)].
    Qed.
    Lemma either (b : bool) : (if b then 0%N else 0%N) = 0%N.
    Proof. destruct b; reflexivity. Qed.
    Section Out.
      Variables (sd : bool) (t : list symbol) (later : bool).
      Hypothesis t_ok : no_blank t = true.
      Notation column := (@column x sd).
      Lemma columns_on_ok i r l : (1 <= i)%nat -> columns_on sd (kind_of p) t later (coarse_at (lab (column i)), r) = Some l ->
        exists a, read_column sd t later (sd, kind_of p, lab (column i), near coarse_at (S (s_d e)) (sg sd) lab (column i)) (N.to_nat r) = Some a /\ In a l.
      Proof.
        intros Hi. assert (Hs : (0 < sg sd * (column i - x))%Z) by (unfold Stretches.column; destruct sd; unfold sg; lia).
        pose proof (grams_here _ _ _ _ _ _ sd (column i) (inside_strip now) Hs) as Hg.
        apply (members_complete gram gram_key) in Hg. rewrite <- all_grams in Hg. unfold gram_key in Hg. unfold columns_on. cbn [fst snd]. revert l Hg.
        generalize (bucket _ grams (pair_hash (side_key sd (kind_of p), coarse_at (lab (column i))))).
        induction l as [|g gs IH]; intros l [].
        - subst g. cbn [fold_right]. rewrite Bool.eqb_reflx, !N.eqb_refl. cbn [andb]. intros H.
          destruct (read_column _ _ _ _ _) as [a|]; [|discriminate]. destruct (fold_right _ _ gs) as [l'|]; [|discriminate]. injection H as <-. exists a. split; [reflexivity | left; reflexivity].
        - intros H'. cbn [fold_right] in H'. match type of H' with (if ?b then _ else _) = _ => destruct b end; [|exact (IH _ H H')].
          destruct (read_column _ _ _ g _) as [a|]; [|discriminate]. destruct (fold_right _ _ gs) as [l'|] eqn:E; [|discriminate]. injection H' as <-.
          destruct (IH _ H eq_refl) as (a' & Ha & Hin). exists a'. split; [exact Ha | right; exact Hin].
      Qed.
      Lemma reads_out f : spells_out sd (kind_of p) t later f = true -> f = coarse_at (lab (column 1)) ->
        exists j, (1 <= j)%nat /\ (later = false -> j = 1%nat) /\ forall h, (1 <= h)%nat -> column_is (column h) (if Nat.leb j h then nth (h - j) t 0%N else 0%N).
      Proof.
        intros H Hf. apply (all_right_found _ pair_hash pair_eqb pair_eqb_eq) in H as [Hfirst Hnext]. set (S_ := found _ _ _ _ _ _) in *.
        assert (G : forall d i r, (1 <= i)%nat -> (@bound parts x lo m <= i + d)%nat -> In (coarse_at (lab (column i)), N.of_nat r) S_ ->
          exists j, (i <= j)%nat /\ (later = false \/ r <> 0%nat -> j = i) /\ forall h, (i <= h)%nat -> column_is (column h) (if Nat.leb j h then nth (r + (h - j)) t 0%N else 0%N)).
        { induction d as [|d IH]; intros i r Hi Hd Hin; destruct (Hnext _ Hin) as (l & Hl & Hall); destruct (columns_on_ok _ _ _ Hi Hl) as (a & Ha & Hal); specialize (Hall _ Hal);
            rewrite Nat2N.id in Ha; unfold read_column in Ha; cbn [near head_of] in Ha;
            (assert (Hfit : @fits_cells _ w (cells_of (label_at (lab (column i)))) (column i)) by (destruct (inside_strip now) as (_ & _ & _ & Hfit & _); intros k Hk; exact (Hfit (column i) k Hk))).
          - assert (Far : forall h, (i <= h)%nat -> forall Y, w (column h) Y = 0%N) by (intros h Hh; apply (column_far parts_ok now sd); lia).
            assert (Hr : nth_error t r = None).
            { destruct (nth_error t r) as [s|] eqn:Es; [|reflexivity]. exfalso. destruct (exactly s _) eqn:Ex.
              - apply (exactly_ok _ _ _ Hfit) in Ex. specialize (Ex y_row). rewrite Z.eqb_refl, (Far i) in Ex by lia. apply nth_error_In in Es. exact (no_blank_ok _ _ t_ok Es (eq_sym Ex)).
              - replace (is_far _ sd) with true in Ha by (symmetry; apply (column_far parts_ok now sd); lia). rewrite andb_false_r in Ha. discriminate. }
            apply nth_error_None in Hr. exists i. split; [lia|]. split; [reflexivity|]. intros h Hh Y. rewrite (Far h Hh). rewrite nth_overflow by lia. rewrite !either. reflexivity.
          - assert (Next : column (S i) = (column i + sg sd)%Z) by (unfold Stretches.column; destruct sd; unfold sg; lia). rewrite <- Next in Ha.
            destruct (nth_error t r) as [s|] eqn:Es; [destruct (exactly s _) eqn:Ex; [|destruct (_ && _) eqn:Eb; [|discriminate]] | destruct (exactly 0%N _) eqn:Ex; [|discriminate]];
              injection Ha as <-.
            + destruct (IH (S i) (S r) ltac:(lia) ltac:(lia) Hall) as (j & _ & Hj & Hh). rewrite (Hj (or_intror (Nat.neq_succ_0 r))) in Hh.
              exists i. split; [lia|]. split; [reflexivity|]. intros h Hge. replace (Nat.leb i h) with true by (symmetry; apply Nat.leb_le; exact Hge).
              destruct (Nat.eq_dec h i) as [->|Ne]; [rewrite Nat.sub_diag, Nat.add_0_r, (nth_error_nth _ _ _ Es); exact (exactly_ok _ _ _ Hfit Ex)|].
              specialize (Hh h ltac:(lia)). replace (Nat.leb (S i) h) with true in Hh by (symmetry; apply Nat.leb_le; lia).
              replace (S r + (h - S i))%nat with (r + (h - i))%nat in Hh by lia. exact Hh.
            + apply andb_true_iff in Eb as [Eb _]. apply andb_true_iff in Eb as [Eb Ez]. apply andb_true_iff in Eb as [Er El]. apply Nat.eqb_eq in Er. subst r.
              destruct (IH (S i) 0%nat ltac:(lia) ltac:(lia) Hall) as (j & Hij & _ & Hh). exists j. split; [lia|]. split; [intros [E|E]; [rewrite E in El; discriminate | destruct (E eq_refl)]|]. intros h Hge.
              destruct (Nat.eq_dec h i) as [->|Ne]; [|apply Hh; lia]. replace (Nat.leb j i) with false by (symmetry; apply Nat.leb_gt; lia). exact (exactly_ok _ _ _ Hfit Ez).
            + destruct (IH (S i) r ltac:(lia) ltac:(lia) Hall) as (j & _ & _ & Hh). apply nth_error_None in Es. exists i. split; [lia|]. split; [reflexivity|]. intros h Hge.
              rewrite nth_overflow by lia. rewrite either.
              destruct (Nat.eq_dec h i) as [->|Ne]; [exact (exactly_ok _ _ _ Hfit Ex)|]. specialize (Hh h ltac:(lia)). rewrite nth_overflow in Hh by lia. destruct (Nat.leb j h); exact Hh. }
        destruct (G (@bound parts x lo m) 1%nat 0%nat) as (j & H1 & H2 & H3); [lia | lia | rewrite <- Hf; apply Hfirst; left; reflexivity|].
        exists j. split; [exact H1|]. split; [intros E; apply H2; auto | exact H3].
      Qed.
    End Out.

    Lemma no_blank_part t u : no_blank t = true -> (forall s, In s u -> In s t) -> no_blank u = true.
    Proof. unfold no_blank. rewrite !forallb_forall. auto. Qed.
    Lemma nth_skip (t : list symbol) i j : nth j (skipn i t) 0%N = nth (i + j) t 0%N.
    Proof. revert t. induction i as [|i IH]; intros t; [reflexivity|]. destruct t as [|s t]; [destruct j; reflexivity | exact (IH t)]. Qed.
    Lemma nth_turned (t : list symbol) j : nth j (rev t) 0%N = if Nat.ltb j (length t) then nth (length t - S j) t 0%N else 0%N.
    Proof. destruct (Nat.ltb_spec j (length t)); [apply rev_nth; assumption | apply nth_overflow; rewrite rev_length; assumption]. Qed.
    Lemma stands_here t a : (forall X, column_is X (if (a <=? X)%Z then nth (Z.to_nat (X - a)) t 0%N else 0%N)) -> stands w t.
    Proof. intros H. exists y_row, a. intros X Y. rewrite (H X Y). destruct (Y =? y_row)%Z; reflexivity. Qed.
    (** A text before the head's column, and one behind it, which is blank or holds a symbol. *)
    Lemma around_ok before_ behind later s : no_blank before_ = true -> no_blank behind = true ->
      spells_out false (kind_of p) (rev before_) later (coarse_at (lab (x + -1)%Z)) && spells_out true (kind_of p) behind later (coarse_at (lab (x + 1)%Z)) = true -> column_is x s ->
      exists j k, (1 <= j)%nat /\ (1 <= k)%nat /\ (later = false -> j = 1%nat /\ k = 1%nat) /\ forall X, column_is X
        (if (X <? x)%Z then if Nat.leb j (Z.to_nat (x - X)) then nth (Z.to_nat (x - X) - j) (rev before_) 0%N else 0%N
         else if (X =? x)%Z then s else if Nat.leb k (Z.to_nat (X - x)) then nth (Z.to_nat (X - x) - k) behind 0%N else 0%N).
    Proof.
      intros B1 B2 H Hx. apply andb_true_iff in H as [H1 H2].
      destruct (reads_out false (rev before_) later ltac:(eapply no_blank_part; [exact B1 | intros u Hu; apply in_rev; exact Hu]) _ H1 ltac:(unfold Stretches.column, sg; do 2 f_equal; lia)) as (j & Hj & Lj & Left_).
      destruct (reads_out true behind later B2 _ H2 ltac:(unfold Stretches.column, sg; do 2 f_equal; lia)) as (k & Hk & Lk & Right_).
      exists j, k. split; [exact Hj|]. split; [exact Hk|]. split; [auto|]. intros X.
      destruct (Z.ltb_spec X x); [|destruct (Z.eqb_spec X x) as [->|Ne]; [exact Hx|]].
      - specialize (Left_ (Z.to_nat (x - X)) ltac:(lia)). replace (column false (Z.to_nat (x - X))) with X in Left_ by (unfold Stretches.column, sg; lia). exact Left_.
      - specialize (Right_ (Z.to_nat (X - x)) ltac:(lia)). replace (column true (Z.to_nat (X - x))) with X in Right_ by (unfold Stretches.column, sg; lia). exact Right_.
    Qed.
    Lemma spelled_ok t : no_blank t = true -> spelled t (here (s_d e) coarse_at p q x y lab) (w x y) = true -> stands w t.
    Proof.
      intros Ht H. unfold spelled, here in H. cbn [near head_of] in H. pose proof (head_fits now) as Hf. apply orb_true_iff in H as [H|H].
      - apply andb_true_iff in H as [Hx H]. apply (exactly_ok _ _ _ Hf) in Hx. apply orb_true_iff in H as [H|H].
        + destruct (around_ok t [] true 0%N Ht eq_refl H Hx) as (j & k & Hj & Hk & _ & All). apply (stands_here t (x - Z.of_nat j - Z.of_nat (length t) + 1)). intros X Y.
          rewrite (All X Y). destruct (Y =? y_row)%Z; [|reflexivity]. rewrite nth_turned. unfold symbol in *.
          destruct (Z.ltb_spec X x); [|transitivity 0%N; [destruct (X =? x)%Z; [|destruct (Nat.leb k _); [destruct (Z.to_nat (X - x) - k)%nat|]]; reflexivity|];
            destruct (Z.leb_spec (x - Z.of_nat j - Z.of_nat (length t) + 1) X); [symmetry; apply nth_overflow; lia | reflexivity]].
          destruct (Nat.leb_spec j (Z.to_nat (x - X))), (Nat.ltb_spec (Z.to_nat (x - X) - j) (length t)), (Z.leb_spec (x - Z.of_nat j - Z.of_nat (length t) + 1) X); try lia; try reflexivity;
            [f_equal; lia | symmetry; apply nth_overflow; lia..].
        + destruct (around_ok [] t true 0%N eq_refl Ht H Hx) as (j & k & Hj & Hk & _ & All). apply (stands_here t (x + Z.of_nat k)). intros X Y.
          rewrite (All X Y). destruct (Y =? y_row)%Z; [|reflexivity]. destruct (Z.leb_spec (x + Z.of_nat k) X).
          * replace (X <? x)%Z with false by (symmetry; apply Z.ltb_ge; lia). replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; lia).
            replace (Nat.leb k (Z.to_nat (X - x))) with true by (symmetry; apply Nat.leb_le; lia). f_equal. lia.
          * destruct (X <? x)%Z; [destruct (Nat.leb j _); [destruct (Z.to_nat (x - X) - j)%nat|]; reflexivity|]. destruct (X =? x)%Z; [reflexivity|].
            replace (Nat.leb k (Z.to_nat (X - x))) with false by (symmetry; apply Nat.leb_gt; lia). reflexivity.
      - apply existsb_exists in H as (i & Hi & H). apply in_seq in Hi. apply andb_true_iff in H as [Hx H]. apply (exactly_ok _ _ _ Hf) in Hx.
        assert (B1 : no_blank (firstn i t) = true) by (apply (no_blank_part t); [exact Ht | intros s Hs; rewrite <- (firstn_skipn i t); apply in_or_app; left; exact Hs]).
        assert (B2 : no_blank (skipn (S i) t) = true) by (apply (no_blank_part t); [exact Ht | intros s Hs; rewrite <- (firstn_skipn (S i) t); apply in_or_app; right; exact Hs]).
        destruct (around_ok _ _ false _ B1 B2 H Hx) as (j & k & _ & _ & Hjk & All). destruct (Hjk eq_refl) as [-> ->]. apply (stands_here t (x - Z.of_nat i)). intros X Y.
        rewrite (All X Y). destruct (Y =? y_row)%Z; [|reflexivity]. rewrite nth_turned, firstn_length_le, nth_skip by lia. unfold symbol in *.
        destruct (Z.ltb_spec X x) as [HX|HX]; [|destruct (Z.eqb_spec X x) as [->|Ne]].
        + replace (Nat.leb 1 (Z.to_nat (x - X))) with true by (symmetry; apply Nat.leb_le; lia).
          destruct (Nat.ltb_spec (Z.to_nat (x - X) - 1) i), (Z.leb_spec (x - Z.of_nat i) X); try lia; try reflexivity.
          rewrite <- (firstn_skipn i t) at 2. rewrite app_nth1 by (rewrite firstn_length_le; lia). f_equal. lia.
        + replace (x - Z.of_nat i <=? x)%Z with true by (symmetry; apply Z.leb_le; lia). f_equal. lia.
        + replace (Nat.leb 1 (Z.to_nat (X - x))) with true by (symmetry; apply Nat.leb_le; lia). replace (x - Z.of_nat i <=? X)%Z with true by (symmetry; apply Z.leb_le; lia). f_equal. lia.
    Qed.
  End At.
End Spelled.
